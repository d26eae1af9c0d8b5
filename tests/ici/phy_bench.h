// Two ends of a cable of pins, each a Verilated ttpu_phy with a clock of its own, in continuous
// time (picoseconds): period, phase, jitter, skew of each pin, errors on pins, a clock that stops.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "tb/bits.h"
#include "tb/random.h"
#include "verilated.h"

namespace phy {

using Time = int64_t;             // ps
constexpr uint32_t kFrameW = 72;  // bits of a frame in these models
constexpr Time kPeriod = 10000;   // nominal clock
constexpr Time kWire = 37000;     // delay of the cable

/// What is wrong with a direction, rates in errors for each million bit times.
struct Errors {
  uint32_t data = 0, strobe = 0, clock_lost = 0, clock_doubled = 0;
};

struct Options {
  std::array<double, 2> ppm{0, 0};  // of the two clocks
  Time skew = 0;                    // each data pin and the strobe: +- this, drawn once
  Time jitter = 0;                  // each clock edge: +- this
  uint32_t gap_percent = 0;         // chance in a cycle that the sender has no frame
  Errors errors;
};

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
class Cable {
 public:
  static constexpr uint32_t kBeats = (kFrameW + kLanes - 1) / kLanes;

  explicit Cable(const Options& options) : options_(options), random_("cable") {
    context_.randReset(2);
    context_.randSeed(static_cast<int>(random_.below(1u << 30)) + 1);
    for (int s = 0; s < 2; ++s) {
      End& e = ends_[s];
      e.top = std::make_unique<Model>(&context_);
      e.period = kPeriod * (1 + options.ppm[s] * 1e-6);
      e.edge = static_cast<double>(random_.below(kPeriod));
      for (auto& skew : e.skew)
        skew = options.skew ? random_.between(-options.skew, options.skew) : 0;
      e.top->clk_i = 0;
      e.top->rst_ni = 0;
      e.top->frame_valid_i = 0;
      e.top->pin_clk_i = 0;
      e.top->pin_strobe_i = 0;
      std::memset(&e.top->pin_data_i, 0, sizeof e.top->pin_data_i);
      e.top->eval();
      e.rise = true;
      e.next = static_cast<Time>(e.edge);
    }
    run(8);
    release(0);
    release(1);
    run(40);
  }
  ~Cable() {
    for (auto& e : ends_) e.top->final();
  }

  void release(int side) { ends_[side].top->rst_ni = 1; }
  void reset(int side) {
    ends_[side].top->rst_ni = 0;
    lose_all_open(side);
  }
  /// Nothing crosses from `side` while this is on: its clock pin stands still.
  void stop_clock(int side, bool stopped) { ends_[side].stopped = stopped; }
  void send(int side, bool on) { ends_[side].sending = on; }
  void set_errors(const Errors& errors) { options_.errors = errors; }

  /// Run for so many nominal cycles.
  void run(uint64_t cycles) {
    const Time end = now_ + static_cast<Time>(cycles) * kPeriod;
    while (true) {
      Time t = wires_.empty() ? end : wires_.top().at;
      int side = -1;
      for (int s = 0; s < 2; ++s)
        if (ends_[s].next < t) t = ends_[s].next, side = s;
      if (t >= end) break;
      now_ = t;
      if (side < 0)
        wire_event();
      else
        core_edge(side);
    }
    now_ = end;
  }

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
  Model& top(int side) { return *ends_[side].top; }
  Time now() const { return now_; }

 private:
  static constexpr uint32_t kClock = kLanes + 1;  // wires: data, strobe, clock
  struct End {
    std::unique_ptr<Model> top;
    double edge = 0, period = 0;
    Time next = 0;
    bool rise = true;
    bool sending = false, stopped = false;
    std::array<Time, kLanes + 2> skew{};
    std::array<bool, kLanes + 2> level{};  // last sent into the wire
    int flip = -1;                         // wire inverted in this cycle
    bool lose_edge = false, double_edge = false;
    std::deque<Sent> open;       // sent, not seen yet
    std::deque<uint64_t> beats;  // frame number of each beat to come on the pins
    uint64_t on_pins = ~0ull;    // frame whose beat is on the pins, ~0 none
    uint64_t number = 0;
    std::map<uint64_t, Time> taken;
    Totals totals;
  };
  struct WireEvent {
    Time at;
    uint64_t order;
    int from;
    uint32_t wire;
    bool value;
    bool operator>(const WireEvent& o) const { return at != o.at ? at > o.at : order > o.order; }
  };

  Time jitter() { return options_.jitter ? random_.between(-options_.jitter, options_.jitter) : 0; }

  void drive(int side, uint32_t wire, bool value, Time extra = 0) {
    End& e = ends_[side];
    if (extra == 0 && e.level[wire] == value) return;
    if (extra == 0) e.level[wire] = value;
    wires_.push({now_ + kWire + e.skew[wire] + extra, order_++, side, wire, value});
  }

  void wire_event() {
    const WireEvent w = wires_.top();
    wires_.pop();
    Model& top = *ends_[1 - w.from].top;
    if (w.wire == kClock) {
      top.pin_clk_i = w.value;
      top.eval();
    } else if (w.wire == kLanes) {
      top.pin_strobe_i = w.value;
    } else {
      tb::set_bits(top.pin_data_i, w.wire, 1, w.value);
    }
  }

  void hit(int side) {
    End& e = ends_[side];
    ++e.totals.errors;
    for (Sent& f : e.open)
      if (f.number == e.on_pins && !f.hit) f.hit = true, ++e.totals.hit;
  }
  bool chance_ppm(uint32_t ppm) { return ppm && random_.below(1000000) < ppm; }

  /// After a reset: what is on its way from or to this side may be lost.
  void lose_all_open(int side) {
    for (int s : {side, 1 - side})
      for (Sent& f : ends_[s].open)
        if (!f.hit) f.hit = true, ++ends_[s].totals.hit;
  }

  void core_edge(int side) {
    End& e = ends_[side];
    Model& top = *e.top;
    if (e.rise) {
      const bool in_reset = !top.rst_ni;
      const bool taken = top.frame_valid_i && top.frame_ready_o && !in_reset;
      if (e.sending && !top.frame_ready_o) ++e.totals.stalls;
      if (taken) {
        e.open.push_back({e.number, in_flight_lost_});
        e.taken[e.number] = now_;
        ++e.totals.sent;
        if (!e.totals.first_taken) e.totals.first_taken = now_;
        e.totals.last_taken = now_;
        for (uint32_t b = 0; b < kBeats; ++b) e.beats.push_back(e.number);
        ++e.number;
      }
      top.clk_i = 1;
      top.eval();
      // the beat that is on the pins in the cycle that begins now
      e.on_pins = ~0ull;
      if (!e.beats.empty()) e.on_pins = e.beats.front(), e.beats.pop_front();
      draw_errors(side);
      if (top.frame_valid_o) received(1 - side);
      const bool gap = options_.gap_percent && random_.chance(options_.gap_percent);
      // an offer that was not taken stays
      if (taken || !top.frame_valid_i || !e.sending) {
        top.frame_valid_i = e.sending && !gap;
        if (e.sending && gap) ++e.totals.gaps;
        if (top.frame_valid_i) {
          tb::set_bits(top.frame_i, 0, 32, e.number);
          tb::set_bits(top.frame_i, 32, 40, frame_check(e.number));
        }
      }
      for (uint32_t w = 0; w < kLanes; ++w)
        drive(side, w, tb::get_bits(top.pin_data_o, w, 1) ^ (e.flip == static_cast<int>(w)));
      drive(side, kLanes, top.pin_strobe_o ^ (e.flip == static_cast<int>(kLanes)));
    } else {
      top.clk_i = 0;
      top.eval();
    }
    const bool clock = top.pin_clk_o && !e.stopped && !e.lose_edge;
    drive(side, kClock, clock);
    if (clock && e.double_edge) {
      drive(side, kClock, false, kPeriod / 8);
      drive(side, kClock, true, kPeriod / 4);
      e.double_edge = false;
    }
    if (e.stopped && top.pin_clk_o) hit_silently(side);
    e.rise = !e.rise;
    e.edge += e.period / 2;
    const Time next = static_cast<Time>(e.edge) + jitter();
    e.next = next > now_ ? next : now_ + 1;
  }

  void hit_silently(int side) {
    End& e = ends_[side];
    for (Sent& f : e.open)
      if (f.number == e.on_pins && !f.hit) f.hit = true, ++e.totals.hit;
  }

  void draw_errors(int side) {
    End& e = ends_[side];
    e.flip = -1;
    e.lose_edge = e.double_edge = false;
    if (chance_ppm(options_.errors.data))
      e.flip = static_cast<int>(random_.below(kLanes));
    else if (chance_ppm(options_.errors.strobe))
      e.flip = static_cast<int>(kLanes);
    else if (chance_ppm(options_.errors.clock_lost))
      e.lose_edge = true;
    else if (chance_ppm(options_.errors.clock_doubled))
      e.double_edge = true;
    if (e.flip >= 0 || e.lose_edge || e.double_edge) hit(side);
  }

  /// A frame of `from` came out at the other side.
  void received(int from) {
    End& e = ends_[from];
    Model& top = *ends_[1 - from].top;
    const uint64_t number = tb::get_bits(top.frame_o, 0, 32);
    const bool whole = tb::get_bits(top.frame_o, 32, 40) == frame_check(number);
    // the place among the frames that are open; those before it that were hit are gone
    size_t at = 0;
    while (at < e.open.size() && e.open[at].number != number) ++at;
    if (!whole || at == e.open.size()) {
      ++e.totals.other;
      return;
    }
    for (size_t i = 0; i < at; ++i)
      if (!e.open[i].hit)
        ADD_FAILURE() << "side " << from << " at " << now_ << " ps: frame " << number
                      << " came, expected " << e.open[i].number;
    ++e.totals.arrived;
    const uint64_t latency =
        static_cast<uint64_t>((now_ - e.taken[number]) / static_cast<Time>(ends_[1 - from].period));
    if (!e.open[at].hit) {
      e.totals.latency_min = std::min(e.totals.latency_min, latency);
      e.totals.latency_max = std::max(e.totals.latency_max, latency);
    }
    e.taken.erase(e.taken.begin(), e.taken.upper_bound(number));
    e.open.erase(e.open.begin(), e.open.begin() + static_cast<long>(at) + 1);
  }

  Options options_;
  tb::Random random_;
  VerilatedContext context_;  // one for both: a scope's destructor looks into the last one used
  std::array<End, 2> ends_;
  std::priority_queue<WireEvent, std::vector<WireEvent>, std::greater<WireEvent>> wires_;
  uint64_t order_ = 0;
  Time now_ = 0;
  bool in_flight_lost_ = false;  // frames taken while the far receiver is in reset may be lost
 public:
  /// Frames taken from now on may be lost (the other side starts up).
  void may_lose(bool on) { in_flight_lost_ = on; }
};

}  // namespace phy
