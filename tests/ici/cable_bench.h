// A link over pins: two ends (tb_cable: ttpu_link over ttpu_phy), each with a clock of its own,
// joined at the pins as in phy_pins.h; behind them the routers of link_bench.h.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "link_bench.h"
#include "phy_pins.h"

namespace link_test {

constexpr Shape kCableShape{2, 8, 128};

template <class M, uint32_t kLanes>
class CableBench : public TwoEnds<CableBench<M, kLanes>>, private phy::Pins<M, kLanes> {
  using Base = TwoEnds<CableBench<M, kLanes>>;
  using Pins = phy::Pins<M, kLanes>;

 public:
  static constexpr uint32_t kBeats =
      (kCableShape.data_w + ttpu::ici::kFlitExtraBits + ttpu::ici::kFrameExtraBits + kLanes - 1) /
      kLanes;
  using Base::now;
  using Base::run;
  using Base::until;
  using Pins::period;
  using Pins::set_errors;
  using Pins::stop_clock;
  using Pins::top;

  /// What was seen on the pins of one direction, named by the side that sends.
  struct Seen {
    uint64_t frames = 0;       ///< strobes
    uint64_t hit = 0;          ///< frames on which an error fell, or sent while the clock stood
    uint64_t errors = 0;       ///< injected, between frames too
    uint64_t since_frame = 0;  ///< cycles since the last beat of a frame
    phy::Time in_at = 0;       ///< a flit of this router was taken
    phy::Time out_at = 0;      ///< a flit came out to this router
    uint64_t cycles = 0;       ///< of this side's clock
    uint32_t left = 0;         ///< beats of the frame on the pins, this one included
    bool hit_now = false;
  };

  explicit CableBench(const phy::Options& options, bool clocks_run = true)
      : Pins(options), a(kCableShape, "a", 17, &top(0)), b(kCableShape, "b", 4242, &top(1)) {
    a.read = [this](LinkWord w) { return read(0, w); };
    b.read = [this](LinkWord w) { return read(1, w); };
    for (int s = 0; s < 2; ++s) {
      top(s).in_valid_i = 0;
      top(s).out_credit_i = 0;
      top(s).eval();
      if (!clocks_run) stop_clock(s, true);
    }
    this->set_timeout(1000, 3);
    a.set_reset(true);
    b.set_reset(true);
    run(8);
    a.set_reset(false);
    b.set_reset(false);
  }

  End<M, M*> a, b;

  /// One nominal cycle of time; each end has one rising edge in it, seldom none or two.
  void step() {
    Pins::run(1);
    ++now;
  }
  const Seen& seen(int side) const { return seen_[side]; }
  /// The host of one end says retrain.
  void retrain(int side) {
    top(side).retrain_i = 1;
    edge(side);
    top(side).retrain_i = 0;
  }
  /// Cycles after the last sign of the other end within which an end is down, and those in which a
  /// frame that is on its way may still be such a sign.
  uint64_t down_limit() {
    return (a.chip->cfg_retries_i + 1u) * (a.chip->cfg_timeout_i + 1u) + 2 + kBeats + 16;
  }

  /// With nothing to send and no errors any more: the words of both ends agree with what was seen.
  /// `may_lose`: frames of a direction that fell into the start of the receiver.
  void expect_counts(uint64_t may_lose = 0) {
    this->set_traffic({});
    run(300);  // the last credits and answers are told
    check_counts(0, a, b, may_lose);
    check_counts(1, b, a, may_lose);
  }

 private:
  void before_rise(int side) override {
    Seen& s = seen_[side];
    auto& end = side ? b : a;
    if (end.chip->in_valid_i) s.in_at = Pins::now();
    if (end.chip->out_valid_o) s.out_at = Pins::now();
    end.sample_router(s.cycles);
  }
  void after_rise(int side) override {
    Seen& s = seen_[side];
    ++s.cycles;
    if (side)
      b.drive_router(a);
    else
      a.drive_router(b);
    if (top(side).pin_strobe_o && top(side).rst_ni) {
      ++s.frames;
      s.left = kBeats;
      s.hit_now = false;
    } else if (s.left) {
      --s.left;
    }
    s.since_frame = s.left ? 0 : s.since_frame + 1;
  }
  void hit(int side, bool error) override {
    Seen& s = seen_[side];
    s.errors += error;
    if (s.left && !s.hit_now) s.hit_now = true, ++s.hit;
  }

  void edge(int side) {
    const uint64_t cycles = seen_[side].cycles;
    while (seen_[side].cycles == cycles) step();
  }
  uint32_t read(int side, LinkWord w) {
    top(side).sel_i = static_cast<uint8_t>(w);
    edge(side);
    return top(side).data_o;
  }
  template <class From, class To>
  void check_counts(int side, From& from, To& to, uint64_t may_lose) {
    // Heartbeats go on: between two of them every frame has arrived.
    until([&] { return seen_[side].since_frame - 15 < 3; }, 1000, "a pause between frames");
    const Seen s = seen_[side];
    const uint64_t sent = from.word(LinkWord::kFramesTx), came = to.word(LinkWord::kFramesRx);
    const uint64_t bad = to.word(LinkWord::kCrcErrors);
    EXPECT_EQ(seen_[side].frames, s.frames) << "no pause";
    EXPECT_EQ(sent, s.frames) << from.name;
    if (s.errors == 0) {
      EXPECT_LE(came, sent - s.hit) << to.name;
      EXPECT_EQ(bad, 0u) << to.name;
    }
    EXPECT_GE(came - bad + may_lose, sent - s.hit)
        << to.name << ": a frame that no error hit is missing";
    EXPECT_LE(came, sent + s.errors) << to.name;
    EXPECT_EQ(from.word(LinkWord::kFlitsTx), from.sent) << from.name;
    EXPECT_EQ(to.word(LinkWord::kFlitsRx), to.received) << to.name;
    EXPECT_EQ(to.chip->overflows_o, 0u) << to.name;
  }

  std::array<Seen, 2> seen_;
};

}  // namespace link_test
