// Link: traffic without faults, at full rate, with stalls, and with every kind of fault in the
// channel.
#include "Vlink_full.h"
#include "Vlink_small.h"
#include "Vlink_wide.h"
#include "link_bench.h"

namespace link_test {
namespace {

constexpr Shape kSmall{2, 8, 128}, kFull{8, 16, 128}, kWide{2, 8, 256};

template <class M>
constexpr Shape kShape = kSmall;
template <>
constexpr Shape kShape<Vlink_full> = kFull;
template <>
constexpr Shape kShape<Vlink_wide> = kWide;

template <class M>
class Link : public ::testing::Test {};
using Models = ::testing::Types<Vlink_small, Vlink_full, Vlink_wide>;
TYPED_TEST_SUITE(Link, Models);

uint64_t scaled(uint64_t n) { return tb::long_run() ? 20 * n : n; }

/// `cycles` of traffic, then everything must have arrived and the counters agree.
template <class M>
void exchange(LinkBench<M>& l, const Traffic& traffic, uint64_t cycles) {
  l.set_traffic(traffic);
  l.run(cycles);
  l.drain();
  EXPECT_EQ(l.a.sent, l.b.received);
  EXPECT_EQ(l.b.sent, l.a.received);
  EXPECT_EQ(l.a.wrong + l.b.wrong, 0u);
}

TYPED_TEST(Link, RandomStalls) {
  for (const uint32_t latency : {1u, 7u, 40u}) {
    LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, latency);
    l.a.ready_stall.set(30, 6);
    l.b.ready_stall.set(10, 20);
    ASSERT_TRUE(l.train());
    exchange(l, {.send = 60, .free = 50}, scaled(20000));
    exchange(l, {.send = 95, .free = 10}, scaled(20000));
    EXPECT_GT(l.a.sent, 500u);
    l.a.ready_stall.expect_stalled(100);
    l.b.ready_stall.expect_stalled(100);
    EXPECT_GT(l.a.held_back + l.b.held_back, 1000u) << "slots were freed at once";
    EXPECT_GT(l.a.no_credit, 100u) << "no channel ran out of credits";
    EXPECT_GT(l.a.word(LinkWord::kCreditStalls), 0u);
    EXPECT_EQ(l.a.word(LinkWord::kReplays) + l.b.word(LinkWord::kReplays), 0u);
    l.expect_counts();
  }
}

// One flit a cycle in both directions, as long as the round trip is within the credits.
TYPED_TEST(Link, FullRate) {
  const bool small = kShape<TypeParam>.vcs == 2;
  LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, small ? 1 : 40);
  ASSERT_TRUE(l.train());
  l.set_traffic({.send = 100});
  l.run(200);
  const uint64_t a0 = l.a.received, b0 = l.b.received;
  l.run(1000);
  const double rate = (l.a.received - a0 + l.b.received - b0) / 2000.0;
  l.drain();
  std::printf("%u x %u, latency %u: %.3f flits a cycle a direction\n", l.a.shape.vcs,
              l.a.shape.depth, l.to_a.latency, rate);
  EXPECT_GE(rate, small ? 0.99 : 0.999);
}

// A flit through an idle link: 5 cycles and the wire.
TYPED_TEST(Link, Latency) {
  LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, 1);
  ASSERT_TRUE(l.train());
  l.run(100);
  const uint64_t start = l.now;
  l.a.traffic = {.send = 100, .longest = 1};
  l.step();
  l.a.traffic.send = 0;
  l.drain();
  EXPECT_EQ(l.b.received, 1u);
  EXPECT_EQ(l.b.first_received - start, 5u + l.to_b.latency);
}

// A flit is acknowledged at once, not by the next heartbeat, although no credit is to be told.
TYPED_TEST(Link, AnswersAtOnce) {
  LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, 1);
  ASSERT_TRUE(l.train());
  l.run(100);
  uint64_t answered = 0;
  l.to_a.hook = [&](const Bits& frame) {
    if (!answered && frame.get(ttpu::ici::kFrameAck) == 1) answered = l.now;
    return true;
  };
  l.a.traffic = {.send = 100, .longest = 1};
  l.b.traffic = {.free = 0};
  l.step();
  l.a.traffic.send = 0;
  ASSERT_TRUE(l.until([&] { return answered; }, 200, "an answer"));
  EXPECT_EQ(l.b.received, 1u);
  EXPECT_LE(answered - l.b.first_received, 5u);
  l.drain();
}

struct Mix {
  const char* name;
  Faults faults;
};
const Mix kMixes[] = {
    {"flips", {.flip = 300}},
    {"bursts", {.burst = 300}},
    {"drops", {.drop = 300}},
    {"duplicates", {.twice = 500}},
    {"late", {.late = 500}},
    {"all", {.flip = 100, .burst = 100, .drop = 100, .twice = 100, .late = 100}},
};

// 0 lost, 0 doubled, 0 wrong, and the counters agree with what was injected.
TYPED_TEST(Link, Faults) {
  for (const Mix& mix : kMixes) {
    SCOPED_TRACE(mix.name);
    LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, 5);
    l.a.ready_stall.set(10, 4);
    ASSERT_TRUE(l.train());
    l.set_faults(mix.faults);
    exchange(l, {.send = 70, .free = 60}, scaled(20000));
    exchange(l, {.send = 5, .free = 100}, scaled(20000));
    const Injected &x = l.to_a.count, &y = l.to_b.count;
    EXPECT_GT(x.bad + x.dropped + x.twice + x.late, 50u) << "too few faults";
    EXPECT_GT(y.bad + y.dropped + y.twice + y.late, 50u) << "too few faults";
    if (mix.faults.flip + mix.faults.burst + mix.faults.drop) {
      EXPECT_GT(l.a.word(LinkWord::kReplays), 10u);
      EXPECT_GT(l.a.word(LinkWord::kNaksRx), 5u);
      EXPECT_GT(l.a.word(LinkWord::kNaksTx), 5u);
    }
    if (mix.faults.twice) {
      EXPECT_GT(l.a.word(LinkWord::kDuplicates), 5u);
    }
    EXPECT_EQ(l.a.word(LinkWord::kDowns) + l.b.word(LinkWord::kDowns), 0u);
    l.expect_counts();
  }
}

// An outage within the limit loses nothing; both ends stay up.
TYPED_TEST(Link, OutageWithinTheLimit) {
  LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, 5);
  ASSERT_TRUE(l.train());
  tb::Random random;
  for (int i = 0; i < 5; ++i) {
    l.set_traffic({.send = 50, .free = 80});
    l.run(500 + random.below(500));
    l.to_a.faults.cut = random.coin();
    l.to_b.faults.cut = !l.to_a.faults.cut || random.coin();
    l.run(1500);  // the limit is 8 x 301
    l.set_faults({});
    l.run(500);
    l.drain();
    EXPECT_EQ(l.a.sent, l.b.received);
    EXPECT_EQ(l.b.sent, l.a.received);
  }
  EXPECT_GT(l.a.word(LinkWord::kTimeouts) + l.b.word(LinkWord::kTimeouts), 5u);
  EXPECT_EQ(l.a.word(LinkWord::kDowns) + l.b.word(LinkWord::kDowns), 0u);
  l.expect_counts();
}

// Credits come back although nearly all frames that carry them are lost.
TYPED_TEST(Link, LostCreditsHeal) {
  LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, 3);
  ASSERT_TRUE(l.train());
  l.to_a.faults.drop = 8000;
  l.a.traffic = {.send = 100, .free = 100};
  l.run(scaled(5000));
  EXPECT_GT(l.b.received, 100u);
  l.drain();
  EXPECT_EQ(l.a.sent, l.b.received);
  EXPECT_GT(l.to_a.count.dropped, 50u);
  EXPECT_EQ(l.a.word(LinkWord::kDowns), 0u);
}

// A count of credits that was lost does not wait behind channels that change all the time.
TYPED_TEST(Link, LostCreditsOfOneChannelHeal) {
  LinkBench<TypeParam> l(kShape<TypeParam>, kShape<TypeParam>, 1);
  ASSERT_TRUE(l.train());
  // Channel 0 is used up and its credits are lost; then all others are busy.
  l.to_a.hook = [&](const Bits& frame) { return frame.get(ttpu::ici::kFrameCreditVc) != 0; };
  l.a.traffic = {.send = 100, .channels = 1};
  l.run(200);
  EXPECT_EQ(l.a.credits[0], 0u);
  l.a.traffic.channels = ~1u;
  l.run(200);
  EXPECT_EQ(l.a.credits[0], 0u);
  const uint64_t start = l.now;
  l.to_a.hook = nullptr;
  l.until([&] { return l.a.credits[0] > 0; }, 2000, "credits of channel 0");
  // Frames go at least each third cycle here.
  EXPECT_LE(l.now - start, 3 * 8 * l.a.shape.vcs + 20u);
  l.a.traffic.channels = ~0u;
  l.drain();
  EXPECT_EQ(l.a.sent, l.b.received);
}

}  // namespace
}  // namespace link_test
