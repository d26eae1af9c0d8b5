// Two physical layers joined by pins: clocks of any phase and some ppm, skew, jitter, errors,
// outages.
#include <gtest/gtest.h>

#include "Vphy_l16.h"
#include "Vphy_l4.h"
#include "Vphy_l72.h"
#include "Vphy_l8.h"
#include "phy_bench.h"

namespace {

using phy::Options;
using phy::rough;

template <class M, uint32_t kN>
struct Shape {
  using Model = M;
  static constexpr uint32_t kLanes = kN;
};

template <class S>
class Phy : public ::testing::Test {
 public:
  using Cable = phy::Cable<typename S::Model, S::kLanes>;
  static uint64_t cycles() { return tb::long_run() ? 400000 : 20000; }
};
using Shapes = ::testing::Types<Shape<Vphy_l4, 4>, Shape<Vphy_l8, 8>, Shape<Vphy_l16, 16>,
                                Shape<Vphy_l72, 72>>;
TYPED_TEST_SUITE(Phy, Shapes);

// Without errors every frame arrives once, in order, at full rate, at both speeds of the clock.
TYPED_TEST(Phy, FullRate) {
  using Cable = typename TestFixture::Cable;
  Cable cable(rough());
  const uint64_t cycles = this->cycles();
  for (int s = 0; s < 2; ++s) cable.send(s, true);
  cable.run(cycles);
  cable.finish();
  for (int s = 0; s < 2; ++s) {
    const auto& t = cable.totals(s);
    EXPECT_EQ(t.sent, t.arrived);
    EXPECT_EQ(t.other, 0u);
    EXPECT_EQ(cable.top(s).overflows_o, 0u);
    EXPECT_EQ(cable.top(s).cut_o, 0u);
    EXPECT_FALSE(cable.top(s).clock_lost_o);
    // 1 / beats; with one beat 1024 of 1025 cycles
    const double rate = Cable::kBeats == 1 ? 1024.0 / 1025 : 1.0 / Cable::kBeats;
    EXPECT_NEAR(static_cast<double>(t.sent), static_cast<double>(cycles) * rate,
                static_cast<double>(cycles) * 3e-4 + 2);
    if (Cable::kBeats > 1) {
      EXPECT_GT(t.stalls, cycles / 2) << "the sender never waited";
    } else {
      EXPECT_GT(t.stalls, 0u) << "the pause was never seen";
    }
    // 37 ns of cable and the skew of the clock's pin: up to 4 cycles
    EXPECT_GE(t.latency_min, Cable::kBeats + 4 + 1);
    EXPECT_LE(t.latency_max, Cable::kBeats + 6 + 4);
    std::printf("lanes %u: %.4f frames a cycle, latency %llu to %llu cycles with 3.7 of cable\n",
                TypeParam::kLanes, static_cast<double>(t.sent) / static_cast<double>(cycles),
                static_cast<unsigned long long>(t.latency_min),
                static_cast<unsigned long long>(t.latency_max));
  }
}

// Random gaps, many draws of phase and skew.
TYPED_TEST(Phy, Gaps) {
  uint64_t gaps = 0;
  for (int round = 0; round < 10; ++round) {
    Options o = rough();
    o.gap_percent = 5 + 10 * static_cast<uint32_t>(round);
    typename TestFixture::Cable cable(o);
    for (int s = 0; s < 2; ++s) cable.send(s, true);
    cable.run(this->cycles() / 10);
    cable.finish();
    for (int s = 0; s < 2; ++s) {
      const auto& t = cable.totals(s);
      EXPECT_EQ(t.sent, t.arrived);
      EXPECT_EQ(t.other, 0u);
      gaps += t.gaps;
    }
  }
  EXPECT_GT(gaps, 500u);
}

// Each error costs the frame it falls on, and adds one frame of garbage at most.
TYPED_TEST(Phy, Errors) {
  constexpr uint32_t kRate = 4000;  // a million
  // A doubled edge on a cable as wide as a frame is a frame more: the FIFO needs a gap to get rid
  // of it.
  constexpr bool kWide = TestFixture::Cable::kBeats == 1;
  constexpr uint32_t kDoubled = kWide ? 1500 : kRate;
  for (int kind = 0; kind < 5; ++kind) {
    for (const uint32_t gap : {0u, 70u}) {
      Options o = rough();
      o.skew = 300, o.jitter = 200;  // room for a second clock pulse within the bit
      o.ppm = {0, 0};
      o.gap_percent = kWide && kind >= 3 && gap == 0 ? 5 : gap;
      typename TestFixture::Cable cable(o);
      phy::Errors e;
      if (kind == 0 || kind == 4) e.data = kRate;
      if (kind == 1 || kind == 4) e.strobe = kRate;
      if (kind == 2 || kind == 4) e.clock_lost = kRate;
      if (kind == 3 || kind == 4) e.clock_doubled = kDoubled;
      cable.set_errors(e);
      for (int s = 0; s < 2; ++s) cable.send(s, true);
      cable.run(this->cycles());
      cable.set_errors({});
      cable.run(200);
      cable.finish();  // fails if a frame that was not hit is missing
      uint64_t cut = 0;
      for (int s = 0; s < 2; ++s) {
        const auto& t = cable.totals(s);
        EXPECT_GT(t.errors, this->cycles() * (kind == 3 ? kDoubled : kRate) / 1000000 / 4);
        EXPECT_GE(t.arrived, t.sent - t.hit) << "kind " << kind << " gap " << gap;
        EXPECT_LE(t.hit, t.errors);
        EXPECT_LE(t.other, t.errors) << "kind " << kind << " gap " << gap;
        EXPECT_EQ(cable.top(s).overflows_o, 0u);
        cut += cable.top(s).cut_o;
        if (gap == 0) {
          EXPECT_GT(t.hit, 0u);
        }
      }
      if (kind == 1 && TestFixture::Cable::kBeats > 1 && gap == 0) {
        EXPECT_GT(cut, 5u);
      }
      if (kind == 0) {
        EXPECT_EQ(cut, 0u);
      }
    }
  }
}

// The clock stops for a while, in the middle of a frame or between two: what is sent meanwhile is
// lost, one frame of garbage may come, and what is sent afterwards arrives.
TYPED_TEST(Phy, ClockStops) {
  Options o = rough();
  o.gap_percent = 20;
  typename TestFixture::Cable cable(o);
  tb::Random random("stops");
  for (int s = 0; s < 2; ++s) cable.send(s, true);
  uint64_t outages = 0, seen = 0;
  for (int round = 0; round < 40; ++round) {
    cable.run(50 + random.below(100));
    const uint64_t before = cable.totals(1).arrived;
    cable.stop_clock(0, true);
    const bool is_long = round % 4 == 0;
    cable.run(is_long ? 300 : 1 + random.below(60));
    EXPECT_EQ(static_cast<bool>(cable.top(1).clock_lost_o) && !is_long, false);
    if (is_long) {
      EXPECT_TRUE(cable.top(1).clock_lost_o) << "round " << round;
    }
    seen += cable.top(1).clock_lost_o;
    EXPECT_GT(cable.totals(1).arrived + 1, before) << "the other direction must go on";
    cable.stop_clock(0, false);
    ++outages;
  }
  cable.run(200);
  EXPECT_FALSE(cable.top(1).clock_lost_o);
  cable.finish();
  EXPECT_EQ(seen, 10u);
  EXPECT_LE(cable.totals(0).other, outages);
  EXPECT_GT(cable.totals(0).hit, 0u);
  EXPECT_EQ(cable.totals(1).hit, 0u);
  EXPECT_EQ(cable.totals(1).sent, cable.totals(1).arrived);
}

// One side is reset for one cycle and more amid traffic, with the other's clock running or not.
TYPED_TEST(Phy, OneSideResets) {
  typename TestFixture::Cable cable(rough());
  tb::Random random("resets");
  for (int s = 0; s < 2; ++s) cable.send(s, true);
  for (int round = 0; round < 40; ++round) {
    const int side = round & 1;
    const bool clock_stops = round % 4 >= 2;
    cable.run(100 + random.below(100));
    const uint64_t before[2] = {cable.totals(0).arrived, cable.totals(1).arrived};
    cable.may_lose(true);
    if (clock_stops) cable.stop_clock(1 - side, true), cable.run(random.below(20));
    cable.reset(side);
    cable.run(1 + random.below(3) * 5);
    cable.release(side);
    if (clock_stops) {
      cable.run(100);
      cable.stop_clock(1 - side, false);
    }
    cable.run(40 + TestFixture::Cable::kBeats);
    cable.may_lose(false);
    cable.run(100);
    for (int s = 0; s < 2; ++s)
      EXPECT_GT(cable.totals(s).arrived, before[s]) << "round " << round << " side " << s;
  }
  cable.finish();
  for (int s = 0; s < 2; ++s) EXPECT_LE(cable.totals(s).other, 2 * 40u);
}

// Clocks further apart than the pause makes up for: frames are lost, each is counted, none is
// changed.
TEST(PhyOverflow, IsCounted) {
  Options o;
  o.ppm = {-4000, 4000};  // periods: side 0 is the faster by 8 in 1000, the pause is 1 in 1025
  phy::Cable<Vphy_l72, 72> cable(o);
  cable.may_lose(true);
  for (int s = 0; s < 2; ++s) cable.send(s, true);
  cable.run(20000);
  cable.send(0, false), cable.send(1, false);
  cable.run(100);
  const auto &fast = cable.totals(0), &slow = cable.totals(1);
  EXPECT_EQ(slow.sent, slow.arrived);
  EXPECT_GT(fast.sent, fast.arrived);
  EXPECT_EQ(fast.sent - fast.arrived, cable.top(1).overflows_o);
  EXPECT_EQ(cable.top(0).overflows_o, 0u);
  EXPECT_EQ(fast.other, 0u);
  cable.may_lose(false);
  cable.send(0, true);
  cable.run(100);  // it goes on
  cable.finish();
}

}  // namespace
