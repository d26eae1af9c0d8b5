// A link over pins: training, rate, latency, errors on pins, clocks that stop, ends that are reset.
#include "Vcable_l16.h"
#include "Vcable_l8.h"
#include "cable_bench.h"

namespace link_test {
namespace {

template <class M, uint32_t kN>
struct Pinned {
  using Bench = CableBench<M, kN>;
  static constexpr uint32_t kLanes = kN;
};

template <class P>
class CableLink : public ::testing::Test {};
using Builds = ::testing::Types<Pinned<Vcable_l8, 8>, Pinned<Vcable_l16, 16>>;
TYPED_TEST_SUITE(CableLink, Builds);

uint64_t scaled(uint64_t n) { return tb::long_run() ? 20 * n : n; }

/// Room within a bit for a second clock pulse.
phy::Options open_eye() {
  phy::Options o = phy::rough();
  o.skew = 300;
  o.jitter = 200;
  return o;
}

template <class L>
void expect_all_arrived(L& l) {
  l.drain();
  EXPECT_EQ(l.a.sent, l.b.received);
  EXPECT_EQ(l.b.sent, l.a.received);
  EXPECT_EQ(l.a.wrong + l.b.wrong, 0u);
}

// Trains over the pins; a flit each Beats cycles, both ways at once, for two clocks 400 ppm apart
// and a nearly closed eye; latency of single flits.
TYPED_TEST(CableLink, RateAndLatency) {
  using Bench = typename TypeParam::Bench;
  constexpr uint32_t kBeats = Bench::kBeats;
  Bench l(phy::rough());
  ASSERT_TRUE(l.train());
  const uint64_t trained = l.now;
  l.run(200);  // the last training frames are gone

  tb::Random random("flits");
  double least = 1e9, most = 0;
  for (uint64_t i = 0; i < scaled(200); ++i) {
    l.run(40 + random.below(100));
    const uint64_t sent = l.a.sent, came = l.b.received;
    l.a.traffic = {.send = 100, .longest = 1};
    ASSERT_TRUE(l.until([&] { return l.a.sent > sent; }, 10, "a flit of a"));
    l.a.traffic.send = 0;
    ASSERT_TRUE(l.until([&] { return l.b.received == l.a.sent; }, 200, "the flit at b"));
    if (l.b.received != came + 1) continue;  // two edges in a step
    const double cycles =
        static_cast<double>(l.seen(1).out_at - l.seen(0).in_at) / static_cast<double>(phy::kPeriod);
    least = std::min(least, cycles);
    most = std::max(most, cycles);
  }
  l.drain();
  // 3.7 cycles of cable; up to a cycle of phase; at most one heartbeat or answer is in the way.
  EXPECT_GE(least, kBeats + 8 + 3.5);
  EXPECT_LE(most, 2 * kBeats + 10 + 5.5);

  const uint64_t stalls = l.a.word(LinkWord::kReadyStalls);
  l.set_traffic({.send = 100});
  l.run(60 * kBeats);
  const uint64_t a0 = l.a.received, b0 = l.b.received, frames = scaled(3000);
  l.run(frames * kBeats);
  const uint64_t at_a = l.a.received - a0, at_b = l.b.received - b0;
  EXPECT_NEAR(static_cast<double>(at_a), static_cast<double>(frames), 1 + frames * 4e-4);
  EXPECT_NEAR(static_cast<double>(at_b), static_cast<double>(frames), 1 + frames * 4e-4);
  // In all these cycles but one of each frame the link waits for the pins.
  EXPECT_GE(l.a.word(LinkWord::kReadyStalls) - stalls, frames * (kBeats - 1));
  std::printf(
      "lanes %u: up after %llu cycles; %.4f flits a cycle a direction (1 / %u = %.4f); "
      "a flit takes %.1f to %.1f cycles\n",
      TypeParam::kLanes, static_cast<unsigned long long>(trained),
      static_cast<double>(at_a + at_b) / static_cast<double>(2 * frames * kBeats), kBeats,
      1.0 / kBeats, least, most);
  expect_all_arrived(l);
  for (auto* e : {&l.a, &l.b}) {
    EXPECT_EQ(e->word(LinkWord::kReplays), 0u) << e->name;
    EXPECT_EQ(e->word(LinkWord::kDowns), 0u) << e->name;
    EXPECT_EQ(e->chip->cut_o, 0u) << e->name;
    EXPECT_FALSE(e->chip->clock_lost_o) << e->name;
  }
  l.expect_counts();
}

// Routers that stall, several draws of phase, skew and jitter.
TYPED_TEST(CableLink, RandomStalls) {
  using Bench = typename TypeParam::Bench;
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(tb::format("round %d", round));
    Bench l(phy::rough());
    ASSERT_TRUE(l.train());
    l.set_traffic({.send = 2, .free = 20});
    l.run(scaled(20000));
    l.set_traffic({.send = 90, .free = 1});  // slots come free more slowly than frames
    l.run(scaled(30000));
    expect_all_arrived(l);
    EXPECT_GT(l.a.sent, 100u);
    EXPECT_GT(l.a.no_credit, 1000u) << "no channel ran out of credits";
    EXPECT_GT(l.a.held_back + l.b.held_back, 1000u) << "slots were freed at once";
    EXPECT_GT(l.a.word(LinkWord::kCreditStalls), 0u);
    EXPECT_GT(l.a.word(LinkWord::kReadyStalls), 1000u) << "the pins were never busy";
    EXPECT_EQ(l.a.word(LinkWord::kReplays) + l.b.word(LinkWord::kReplays), 0u);
    l.expect_counts();
  }
}

struct Kind {
  const char* name;
  phy::Errors errors;
};

// Errors on data, strobe and clock: about one frame in 100 is hit; each flit arrives once, in
// order.
TYPED_TEST(CableLink, Errors) {
  using Bench = typename TypeParam::Bench;
  const uint32_t rate = 10000 / Bench::kBeats;
  const Kind kinds[] = {{"data", {.data = rate}},
                        {"strobe", {.strobe = rate}},
                        {"clock edges lost", {.clock_lost = rate}},
                        {"clock edges doubled", {.clock_doubled = rate}},
                        {"all", {rate / 3, rate / 3, rate / 3, rate / 3}}};
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    Bench l(open_eye());
    l.set_timeout(1000, 15);
    ASSERT_TRUE(l.train());
    l.set_errors(kind.errors);
    l.set_traffic({.send = 90, .free = 70});
    l.run(scaled(3500 * Bench::kBeats));
    l.set_traffic({.send = 1, .free = 70});
    l.run(scaled(1500 * Bench::kBeats));
    l.set_errors({});
    expect_all_arrived(l);
    const auto &to_b = l.seen(0), &to_a = l.seen(1);
    EXPECT_GT(to_b.hit, 15u);
    EXPECT_GT(to_a.hit, 15u);
    EXPECT_GT(l.a.word(LinkWord::kReplays) + l.b.word(LinkWord::kReplays), 30u) << "nothing again";
    EXPECT_GT(l.a.word(LinkWord::kNaksRx) + l.b.word(LinkWord::kNaksRx), 0u);
    EXPECT_EQ(l.a.word(LinkWord::kDowns) + l.b.word(LinkWord::kDowns), 0u);
    l.expect_counts();
    if (kind.errors.data == rate) {  // every changed frame is seen as such
      EXPECT_EQ(l.b.word(LinkWord::kCrcErrors), to_b.hit);
      EXPECT_EQ(l.a.word(LinkWord::kCrcErrors), to_a.hit);
      EXPECT_EQ(l.a.chip->cut_o + l.b.chip->cut_o, 0u);
    }
    if (kind.errors.strobe == rate) {
      EXPECT_GT(l.a.chip->cut_o + l.b.chip->cut_o, 0u) << "no frame was cut";
    }
    std::printf("lanes %u, %s: %llu of %llu frames hit, %u + %u replays\n", TypeParam::kLanes,
                kind.name, static_cast<unsigned long long>(to_a.hit + to_b.hit),
                static_cast<unsigned long long>(to_a.frames + to_b.frames),
                l.a.word(LinkWord::kReplays), l.b.word(LinkWord::kReplays));
  }
}

// A clock stops for less than the limit, one way or both: flits are late, none is lost.
TYPED_TEST(CableLink, ShortOutage) {
  typename TypeParam::Bench l(phy::rough());
  ASSERT_TRUE(l.train());
  tb::Random random("stops");
  l.set_traffic({.send = 80, .free = 60});
  uint64_t lost_seen = 0;
  for (uint64_t round = 0; round < scaled(50); ++round) {
    l.run(200 + random.below(1500));
    const bool both = round % 3 == 2;
    const int from = static_cast<int>(round % 2);
    l.stop_clock(from, true);
    if (both) l.stop_clock(1 - from, true);
    const uint64_t cycles = round % 4 == 0 ? 1 + random.below(60) : 200 + random.below(1200);
    l.run(cycles);
    const bool lost = (from ? l.a.chip : l.b.chip)->clock_lost_o;
    EXPECT_EQ(lost, cycles >= 200) << cycles << " cycles";
    lost_seen += lost;
    l.stop_clock(from, false);
    l.stop_clock(1 - from, false);
    l.run(2200);  // time to mend: more than a timeout
    EXPECT_FALSE(l.a.chip->clock_lost_o || l.b.chip->clock_lost_o);
  }
  expect_all_arrived(l);
  EXPECT_GE(lost_seen, 35u);
  EXPECT_GT(l.seen(0).hit, 100u);
  EXPECT_GT(l.seen(1).hit, 100u);
  for (auto* e : {&l.a, &l.b}) {
    EXPECT_EQ(e->word(LinkWord::kDowns), 0u) << e->name;
    EXPECT_GT(e->word(LinkWord::kReplays), 0u) << e->name;
    EXPECT_GT(e->word(LinkWord::kTimeouts), 0u) << e->name;
  }
}

// A clock stops for long amid packets: both ends are down within the stated limit, packets are
// closed, credits come back. One host says retrain, before the clock returns or after; the other
// end follows.
TYPED_TEST(CableLink, LongOutage) {
  using Bench = typename TypeParam::Bench;
  tb::Random random("long");
  uint64_t cuts = 0;
  for (int round = 0; round < (tb::long_run() ? 400 : 24); ++round) {
    const bool both = round % 3 == 2, before = round & 1;
    const int from = round % 3 == 0 ? 0 : 1, host = static_cast<int>(random.below(2));
    SCOPED_TRACE(tb::format("round %d, from %d, host %d", round, from, host));
    Bench l(phy::rough());
    l.set_timeout(600, 2);
    l.a.chip->cfg_auto_i = l.b.chip->cfg_auto_i = 1;
    ASSERT_TRUE(l.train());
    l.set_traffic({.send = 80, .free = 60, .longest = 40});
    l.run(1500 + random.below(500));
    l.stop_clock(from, true);
    if (both) l.stop_clock(1 - from, true);
    const uint64_t start = l.now, limit = l.down_limit();
    ASSERT_TRUE(l.until([&] { return l.a.down() || l.b.down(); }, limit, "the first end down"));
    EXPECT_GE(l.now - start, 2 * 600u) << "gave up without retries";
    ASSERT_TRUE(l.until([&] { return l.a.down() && l.b.down(); },
                        both ? limit - (l.now - start) : kHeartbeat + 4 * Bench::kBeats + 16,
                        "both ends down"));
    EXPECT_TRUE((from ? l.a.chip : l.b.chip)->clock_lost_o);
    EXPECT_NE(l.a.reason(), LinkReason::kNone);
    EXPECT_NE(l.b.reason(), LinkReason::kNone);
    l.run(50);
    expect_closed(l);
    EXPECT_GE(l.a.word(LinkWord::kLost), l.b.flits_awaited());
    EXPECT_GE(l.b.word(LinkWord::kLost), l.a.flits_awaited());
    EXPECT_EQ(l.a.word(LinkWord::kCut), l.a.cut);
    EXPECT_EQ(l.b.word(LinkWord::kCut), l.b.cut);
    EXPECT_GT(l.a.word(LinkWord::kReplays) + l.b.word(LinkWord::kReplays), 0u);
    cuts += l.a.cut + l.b.cut;
    forget(l);
    if (before) {
      l.retrain(host);
      l.run(500 + random.below(500));
      EXPECT_TRUE(l.a.down() && l.b.down()) << "up without a clock";
    }
    l.stop_clock(0, false);
    l.stop_clock(1, false);
    if (!before) {
      l.run(300);
      EXPECT_TRUE(l.a.down() && l.b.down());
      l.retrain(host);
    }
    expect_works(l);
    EXPECT_EQ(l.a.word(LinkWord::kDowns), 1u);
    EXPECT_EQ(l.b.word(LinkWord::kDowns), 1u);
  }
  EXPECT_GT(cuts, 0u) << "no packet was open";
}

// The clock stops while there is nothing to send: the end that hears nothing is down by silence
// within the stated limit and not before it; the one that still hears is told. Both ends mend as
// above.
TYPED_TEST(CableLink, SilentOutage) {
  using Bench = typename TypeParam::Bench;
  tb::Random random("silent");
  for (int round = 0; round < (tb::long_run() ? 100 : 9); ++round) {
    const bool both = round % 3 == 2;
    const int from = round % 3 == 0 ? 0 : 1;
    SCOPED_TRACE(tb::format("round %d, from %d", round, from));
    Bench l(phy::rough());
    l.set_timeout(300 + static_cast<uint32_t>(random.below(500)),
                  static_cast<uint32_t>(random.below(5)));
    l.a.chip->cfg_auto_i = l.b.chip->cfg_auto_i = 1;
    ASSERT_TRUE(l.train());
    l.run(300 + random.below(100));
    l.stop_clock(from, true);
    if (both) l.stop_clock(1 - from, true);
    auto &deaf = from ? l.a : l.b, &other = from ? l.b : l.a;
    const uint64_t start = l.now, limit = l.down_limit();
    ASSERT_TRUE(l.until([&] { return deaf.down(); }, limit, "the deaf end down"));
    const uint64_t took = l.now - start;
    // What was heard last may be a heartbeat, its frame and the skew of the clocks older.
    EXPECT_GE(took + kHeartbeat + Bench::kBeats + 8, limit - (Bench::kBeats + 16));
    EXPECT_EQ(deaf.reason(), LinkReason::kSilent);
    ASSERT_TRUE(l.until([&] { return other.down(); },
                        both ? limit : kHeartbeat + 4 * Bench::kBeats + 16, "both ends down"));
    EXPECT_EQ(other.reason(), both ? LinkReason::kSilent : LinkReason::kPeerDown);
    l.stop_clock(0, false);
    l.stop_clock(1, false);
    l.retrain(static_cast<int>(random.below(2)));
    expect_works(l);
    EXPECT_EQ(l.a.word(LinkWord::kLost) + l.b.word(LinkWord::kLost), 0u);
  }
}

// Power-up with no clock on the pins: both train when the clocks come, one after the other.
TYPED_TEST(CableLink, ClocksComeLate) {
  for (int first = 0; first < 2; ++first) {
    typename TypeParam::Bench l(phy::rough(), false);
    l.run(700);
    EXPECT_EQ(l.a.state(), LinkState::kTrain);
    EXPECT_EQ(l.b.state(), LinkState::kTrain);
    EXPECT_TRUE(l.a.chip->clock_lost_o && l.b.chip->clock_lost_o);
    l.stop_clock(first, false);
    l.run(900);
    EXPECT_TRUE(l.a.down() && l.b.down()) << "up with one direction";
    l.stop_clock(1 - first, false);
    expect_works(l);
    l.expect_counts(1);
  }
}

// One end is reset, link and pins, amid traffic: the other notices, and with auto both come up
// again.
TYPED_TEST(CableLink, OneEndResets) {
  tb::Random random("resets");
  typename TypeParam::Bench l(phy::rough());
  l.a.chip->cfg_auto_i = l.b.chip->cfg_auto_i = 1;
  ASSERT_TRUE(l.train());
  for (int round = 0; round < (tb::long_run() ? 400 : 24); ++round) {
    SCOPED_TRACE(tb::format("round %d", round));
    auto &reset = round & 1 ? l.a : l.b, &other = round & 1 ? l.b : l.a;
    const uint32_t downs = other.word(LinkWord::kDowns);
    l.set_traffic({.send = 80, .free = 60, .longest = 30});
    l.run(600 + random.below(300));
    reset.traffic = {};
    reset.set_reset(true);
    l.run(2 + random.below(20));
    reset.set_reset(false);
    ASSERT_TRUE(l.until([&] { return other.down(); }, 400, "the other notices"));
    EXPECT_EQ(other.reason(), LinkReason::kPeerReset);
    l.set_traffic({});
    l.run(200);
    EXPECT_TRUE(other.all_credits());
    forget(l);
    expect_works(l);
    EXPECT_EQ(other.word(LinkWord::kDowns), downs + 1);
  }
}

}  // namespace
}  // namespace link_test
