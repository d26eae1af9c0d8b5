// Two ends of a cable of pins, each a Verilated ttpu_phy, with frames of their own: every frame
// that no error hit must arrive once and in order.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>

#include "phy_pins.h"

namespace phy {

constexpr uint32_t kFrameW = 72;  // bits of a frame in these models

/// A frame that was sent.
struct Sent {
  uint64_t number = 0;
  bool hit = false;  // an error fell on one of its beats
};

/// Counts of one direction.
struct Totals {
  uint64_t sent = 0, hit = 0, arrived = 0, other = 0, errors = 0, stalls = 0, gaps = 0;
  Time first_taken = 0, last_taken = 0;
  uint64_t latency_min = ~0ull, latency_max = 0;  // core cycles of the receiver
};

/// Content of frame `number`: its number and 40 bits that belong to it.
inline uint64_t frame_check(uint64_t number) {
  uint64_t z = (number + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 29)) * 0xbf58476d1ce4e5b9ull;
  return (z ^ (z >> 31)) & ((1ull << 40) - 1);
}

template <class Model, uint32_t kLanes>
class Cable : public Pins<Model, kLanes> {
  using Base = Pins<Model, kLanes>;

 public:
  static constexpr uint32_t kBeats = (kFrameW + kLanes - 1) / kLanes;
  using Base::now;
  using Base::run;
  using Base::top;

  explicit Cable(const Options& options) : Base(options) {
    for (int s = 0; s < 2; ++s) {
      top(s).frame_valid_i = 0;
      top(s).eval();
    }
    run(8);
    release(0);
    release(1);
    run(40);
  }

  void release(int side) { top(side).rst_ni = 1; }
  void reset(int side) {
    top(side).rst_ni = 0;
    lose_all_open(side);
  }
  void send(int side, bool on) { ends_[side].sending = on; }

  /// Stop sending, let everything arrive, and compare what was sent with what came.
  void finish() {
    for (int s = 0; s < 2; ++s) send(s, false);
    run(kBeats + 60);
    for (int s = 0; s < 2; ++s) check_all_arrived(s);
  }
  /// Every frame of `side` that no error hit has arrived.
  void check_all_arrived(int side) {
    for (const Sent& f : ends_[side].open)
      if (!f.hit) ADD_FAILURE() << "side " << side << ": frame " << f.number << " did not arrive";
    ends_[side].open.clear();
  }
  const Totals& totals(int side) const { return ends_[side].totals; }
  /// Frames taken from now on may be lost (the other side starts up).
  void may_lose(bool on) { in_flight_lost_ = on; }

 private:
  struct End {
    bool sending = false, taken_now = false;
    std::deque<Sent> open;       // sent, not seen yet
    std::deque<uint64_t> beats;  // frame number of each beat to come on the pins
    uint64_t on_pins = ~0ull;    // frame whose beat is on the pins, ~0 none
    uint64_t number = 0;
    std::map<uint64_t, Time> taken;
    Totals totals;
  };

  void hit(int side, bool error) override {
    End& e = ends_[side];
    if (error) ++e.totals.errors;
    for (Sent& f : e.open)
      if (f.number == e.on_pins && !f.hit) f.hit = true, ++e.totals.hit;
  }

  /// After a reset: what is on its way from or to this side may be lost.
  void lose_all_open(int side) {
    for (int s : {side, 1 - side})
      for (Sent& f : ends_[s].open)
        if (!f.hit) f.hit = true, ++ends_[s].totals.hit;
  }

  void before_rise(int side) override {
    End& e = ends_[side];
    Model& t = top(side);
    e.taken_now = t.frame_valid_i && t.frame_ready_o && t.rst_ni;
    if (e.sending && !t.frame_ready_o) ++e.totals.stalls;
    if (!e.taken_now) return;
    e.open.push_back({e.number, in_flight_lost_});
    e.taken[e.number] = now();
    ++e.totals.sent;
    if (!e.totals.first_taken) e.totals.first_taken = now();
    e.totals.last_taken = now();
    for (uint32_t b = 0; b < kBeats; ++b) e.beats.push_back(e.number);
    ++e.number;
  }
  void after_rise(int side) override {
    End& e = ends_[side];
    Model& t = top(side);
    // the beat that is on the pins in the cycle that begins now
    e.on_pins = ~0ull;
    if (!e.beats.empty()) e.on_pins = e.beats.front(), e.beats.pop_front();
    if (t.frame_valid_o) received(1 - side);
    const bool gap = this->chance_of(this->options().gap_percent);
    // an offer that was not taken stays
    if (e.taken_now || !t.frame_valid_i || !e.sending) {
      t.frame_valid_i = e.sending && !gap;
      if (e.sending && gap) ++e.totals.gaps;
      if (t.frame_valid_i) {
        tb::set_bits(t.frame_i, 0, 32, e.number);
        tb::set_bits(t.frame_i, 32, 40, frame_check(e.number));
      }
    }
  }

  /// A frame of `from` came out at the other side.
  void received(int from) {
    End& e = ends_[from];
    Model& t = top(1 - from);
    const uint64_t number = tb::get_bits(t.frame_o, 0, 32);
    const bool whole = tb::get_bits(t.frame_o, 32, 40) == frame_check(number);
    // the place among the frames that are open; those before it that were hit are gone
    size_t at = 0;
    while (at < e.open.size() && e.open[at].number != number) ++at;
    if (!whole || at == e.open.size()) {
      ++e.totals.other;
      return;
    }
    for (size_t i = 0; i < at; ++i)
      if (!e.open[i].hit)
        ADD_FAILURE() << "side " << from << " at " << now() << " ps: frame " << number
                      << " came, expected " << e.open[i].number;
    ++e.totals.arrived;
    const uint64_t latency = static_cast<uint64_t>((now() - e.taken[number]) /
                                                   static_cast<Time>(this->period(1 - from)));
    if (!e.open[at].hit) {
      e.totals.latency_min = std::min(e.totals.latency_min, latency);
      e.totals.latency_max = std::max(e.totals.latency_max, latency);
    }
    e.taken.erase(e.taken.begin(), e.taken.upper_bound(number));
    e.open.erase(e.open.begin(), e.open.begin() + static_cast<long>(at) + 1);
  }

  std::array<End, 2> ends_;
  bool in_flight_lost_ = false;  // frames taken while the far receiver is in reset may be lost
};

}  // namespace phy
