// Link: going down in the middle of packets (C29), limits, resets of one end, the host's hand.
#include "Vlink_full.h"
#include "Vlink_small.h"
#include "link_bench.h"

namespace link_test {
namespace {

constexpr Shape kSmall{2, 8, 128}, kFull{8, 16, 128};
using Bench = LinkBench<Vlink_small>;

struct Failure {
  const char* name;
  Faults faults;
  bool both;
};

// Every direction of failure: down within the stated limit, reasons told, packets closed, credits
// back.
TEST(LinkState, C29_DownInTheMiddleOfPackets) {
  const Failure kinds[] = {{"cut, both ways", {.cut = true}, true},
                           {"cut, one way", {.cut = true}, false},
                           {"CRC always bad, both ways", {.always_bad = true}, true},
                           {"CRC always bad, one way", {.always_bad = true}, false}};
  uint64_t cuts = 0;
  for (const Failure& k : kinds) {
    for (int i = 0; i < (tb::long_run() ? 40 : 4); ++i) {
      SCOPED_TRACE(tb::format("%s, round %d", k.name, i));
      LinkBench<Vlink_full> l(kFull, kFull, 5);
      ASSERT_TRUE(l.train());
      const uint32_t timeout = 150, retries = 3;
      l.set_timeout(timeout, retries);
      l.set_traffic({.send = 80, .free = 60, .longest = 40});
      l.run(400 + 13 * static_cast<uint64_t>(i));
      const uint64_t start = l.now;
      l.to_b.faults = k.faults;
      if (k.both) l.to_a.faults = k.faults;
      // Progress may still come with what is under way; then the stated limit; then the other end
      // is told.
      const uint64_t limit = 2 * 5 + 10 + (retries + 1) * (timeout + 1) + 2;
      ASSERT_TRUE(l.until([&] { return l.a.down() || l.b.down(); }, limit, "the first end down"));
      EXPECT_GE(l.now - start, timeout) << "gave up without a retry";
      ASSERT_TRUE(l.until([&] { return l.a.down() && l.b.down(); }, limit, "both ends down"));
      EXPECT_NE(l.a.reason(), LinkReason::kNone);
      EXPECT_NE(l.b.reason(), LinkReason::kNone);
      l.run(50);
      expect_closed(l);
      // Nothing was delivered wrong before; what did not arrive is reported.
      const uint64_t missing_b = l.b.flits_awaited(), missing_a = l.a.flits_awaited();
      EXPECT_GE(l.a.word(LinkWord::kLost), missing_b);
      EXPECT_GE(l.b.word(LinkWord::kLost), missing_a);
      EXPECT_LE(l.a.word(LinkWord::kLost), missing_b + kFull.vcs * kFull.depth);
      EXPECT_EQ(l.a.word(LinkWord::kCut), l.a.cut);
      EXPECT_EQ(l.b.word(LinkWord::kCut), l.b.cut);
      EXPECT_GT(l.b.cut, 0u) << "no packet was open";
      EXPECT_GT(l.a.word(LinkWord::kReplays) + l.b.word(LinkWord::kReplays), 0u) << "no retry";
      EXPECT_EQ(l.a.word(LinkWord::kDowns), 1u);
      cuts += l.a.cut + l.b.cut;
      // Mended, it works again.
      l.set_faults({});
      l.run(200);
      forget(l);
      pulse_retrain(l, true, true);
      expect_works(l);
    }
  }
  std::printf("%llu packets cut\n", static_cast<unsigned long long>(cuts));
}

// The tail that closes a packet waits for a slot like any flit; the other channel is closed at
// once.
TEST(LinkState, C29_CloseWaitsForASlot) {
  Bench l(kSmall, kSmall, 4);
  ASSERT_TRUE(l.train());
  l.set_timeout(100, 1);
  l.a.traffic = {.send = 100, .open_ended = true};
  l.b.traffic = {.free = 0};
  l.run(200);
  EXPECT_EQ(l.b.slots, (std::vector<uint32_t>{8, 8})) << "the router's buffers are not full";
  l.set_faults({.cut = true});
  l.a.traffic = {};
  ASSERT_TRUE(l.until([&] { return l.b.down(); }, 1000, "b down"));
  l.run(300);
  EXPECT_EQ(l.b.cut, 0u) << "a tail without a slot";
  EXPECT_TRUE(l.a.down());
  // Told to train, b waits until its router has drained.
  l.set_faults({});
  pulse_retrain(l, false, true);
  l.run(50);
  EXPECT_EQ(l.b.state(), LinkState::kDown);
  l.b.traffic.free = 100;
  l.until([&] { return l.b.cut == 2; }, 50, "two tails");
  forget(l);
  l.run(50);
  EXPECT_EQ(l.b.state(), LinkState::kTrain);
  pulse_retrain(l, true, false);
  expect_works(l);
}

// Down comes no later than (retries + 1) * (timeout + 1) + 2 cycles after the last progress, no
// earlier than retries * timeout, for any setting: with a flit under way, and with none (silence).
TEST(LinkState, RetryLimitInCycles) {
  for (const uint32_t timeout : {70u, 200u, 1000u})
    for (const uint32_t retries : {0u, 1u, 4u, 15u}) {
      SCOPED_TRACE(tb::format("timeout %u, retries %u", timeout, retries));
      Bench l(kSmall, kSmall, 2);
      ASSERT_TRUE(l.train());
      l.set_timeout(timeout, retries);
      l.run(200);
      l.to_b.faults.always_bad = true;  // b hears nothing good: a's flit is never acknowledged
      const uint64_t silent = l.now;
      l.a.traffic = {.send = 100, .longest = 1};
      l.step();
      l.a.traffic = {};
      ASSERT_TRUE(l.until([&] { return l.a.down() || l.b.down(); }, 20000, "down"));
      const uint64_t took = l.now - silent;
      EXPECT_LE(took, (retries + 1) * (timeout + 1) + 2 + 8);
      EXPECT_GE(took + kHeartbeat + 8, (retries + 1) * timeout);
      ASSERT_TRUE(l.until([&] { return l.a.down() && l.b.down(); }, 200, "both down"));
    }
}

// One end is reset while the link is up: the other notices, reports it, and with auto both come up
// again.
TEST(LinkState, PeerReset) {
  tb::Random random;
  for (int i = 0; i < 20; ++i) {
    const bool automatic = i % 2;
    SCOPED_TRACE(tb::format("round %d", i));
    Bench l(kSmall, kSmall, 1 + static_cast<uint32_t>(random.below(25)));
    l.a.chip->cfg_auto_i = l.b.chip->cfg_auto_i = automatic;
    // Frames that are late by less than kSettle turn up in the next session.
    if (i % 4 < 2) l.set_faults({.late = 3000, .late_by = kSettle - 10});
    ASSERT_TRUE(l.train());
    l.set_traffic({.send = 80, .free = 60, .longest = 30});
    l.run(300 + random.below(300));
    // b and its router start over.
    l.b.traffic = {};
    l.b.set_reset(true);
    l.run(4);
    l.b.set_reset(false);
    ASSERT_TRUE(l.until([&] { return l.a.down(); }, 200, "a notices"));
    EXPECT_EQ(l.a.reason(), LinkReason::kPeerReset);
    expect_closed(l);
    EXPECT_EQ(l.a.word(LinkWord::kDowns), 1u);
    EXPECT_GT(l.a.word(LinkWord::kLost), 0u);
    forget(l);
    if (!automatic) {
      EXPECT_TRUE(l.a.down());
      pulse_retrain(l, true, false);
    }
    expect_works(l);
  }
}

// A router that goes on with a packet whose head was lost with the link: the rest is dropped and
// counted, its credits come back, the next packet arrives.
TEST(LinkState, RestOfALostPacketIsDropped) {
  tb::Random random;
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(tb::format("round %d", i));
    Bench l(kSmall, kSmall, 3);
    l.b.chip->cfg_auto_i = 1;
    ASSERT_TRUE(l.train());
    l.a.traffic = {.send = 80, .longest = 40};
    l.until([&] { return l.a.open[0] > 12 && l.a.open[1] > 12; }, 5000, "two long packets open");
    l.set_traffic({});
    l.a.chip->cfg_down_i = 1;
    ASSERT_TRUE(l.until([&] { return l.a.down() && l.b.down(); }, 200, "both ends down"));
    l.a.chip->cfg_down_i = 0;
    const std::vector<uint32_t> open = l.a.open;
    expect_closed(l);
    forget(l);
    l.a.open = open;
    l.a.orphan = {true, true};
    ASSERT_TRUE(l.train());
    const uint64_t lost = l.a.word(LinkWord::kLost), sent = l.a.sent - l.b.received;
    l.a.traffic = {.send = 80, .longest = 40};
    l.run(400);
    l.drain();
    EXPECT_GE(l.a.orphans, 20u);
    EXPECT_EQ(l.a.word(LinkWord::kLost) - lost, l.a.orphans);
    EXPECT_EQ(l.a.sent - l.b.received, sent);
  }
}

// The host takes a link down and lets it go again: packets are closed at both ends, and it trains.
TEST(LinkState, HostTakesItDown) {
  tb::Random random;
  for (int i = 0; i < 10; ++i) {
    SCOPED_TRACE(tb::format("round %d", i));
    Bench l(kSmall, kSmall, 3);
    l.b.chip->cfg_auto_i = 1;
    if (i % 2) l.set_faults({.late = 3000, .late_by = kSettle - 10});
    ASSERT_TRUE(l.train());
    l.set_traffic({.send = 80, .free = 60, .longest = 30});
    l.run(300 + random.below(100));
    l.a.chip->cfg_down_i = 1;
    ASSERT_TRUE(l.until([&] { return l.a.down() && l.b.down(); }, 200, "both ends down"));
    EXPECT_EQ(l.a.reason(), LinkReason::kHost);
    EXPECT_EQ(l.b.reason(), LinkReason::kPeerDown);
    expect_closed(l);
    l.a.chip->retrain_i = 1;
    l.run(300);
    l.a.chip->retrain_i = 0;
    EXPECT_EQ(l.a.state(), LinkState::kDown) << "trains although the host keeps it down";
    forget(l);
    l.a.chip->cfg_down_i = 0;
    expect_works(l);
    EXPECT_EQ(l.a.word(LinkWord::kDowns), 1u);
  }
  // Kept down from the start.
  Bench l(kSmall, kSmall, 3);
  l.a.set_reset(true);
  l.a.chip->cfg_down_i = 1;
  l.run(4);
  l.a.set_reset(false);
  l.run(500);
  EXPECT_EQ(l.a.state(), LinkState::kDown);
  EXPECT_EQ(l.b.state(), LinkState::kTrain);
}

}  // namespace
}  // namespace link_test
