// Link: training in any order, silence, refusal (C30).
#include "Vlink_deep.h"
#include "Vlink_full.h"
#include "Vlink_small.h"
#include "Vlink_wide.h"
#include "link_bench.h"

namespace link_test {
namespace {

constexpr Shape kSmall{2, 8, 128}, kFull{8, 16, 128}, kDeep{2, 16, 128}, kWide{2, 8, 256};
using Bench = LinkBench<Vlink_small>;

TEST(LinkState, TrainsWhateverTheOrder) {
  tb::Random random;
  for (int i = 0; i < 30; ++i) {
    Bench l(kSmall, kSmall, 1 + static_cast<uint32_t>(random.below(30)));
    l.set_faults({.flip = 2000, .drop = 2000, .late = 1000});
    // One end is still in reset for a while.
    const uint64_t wait = random.below(600);
    l.b.set_reset(true);
    l.run(wait);
    l.b.set_reset(false);
    ASSERT_TRUE(l.train());
    EXPECT_EQ(l.a.reason(), LinkReason::kNone);
    EXPECT_EQ(l.a.state(), LinkState::kUp);
    EXPECT_EQ(training_of(l.a, LinkWord::kPeer0).get(ttpu::ici::kTrainingNode), 4242u);
    EXPECT_EQ(training_of(l.b, LinkWord::kPeer0).get(ttpu::ici::kTrainingNode), 17u);
    EXPECT_EQ(training_of(l.b, LinkWord::kPeer0).get(ttpu::ici::kTrainingPort), 17u % 6);
    l.set_faults({});
    expect_works(l);
  }
}

TEST(LinkState, NobodyThere) {
  Bench l(kSmall, kSmall, 4);
  l.set_faults({.cut = true});
  l.until([&] { return l.a.state() == LinkState::kDown; }, kTrainLimit + 100, "down");
  EXPECT_GE(l.now, kTrainLimit) << "gave up early";
  EXPECT_EQ(l.a.reason(), LinkReason::kSilent);
  EXPECT_EQ(l.a.word(LinkWord::kPeer0), 0u);
  EXPECT_EQ(l.a.word(LinkWord::kDowns), 1u);
  // Flits for a link that is down: dropped, counted, and their credits come back.
  l.a.open.assign(2, 0);
  l.a.traffic = {.send = 100};
  l.a.open = {3, 4};
  l.run(100);
  EXPECT_TRUE(l.a.all_credits());
  EXPECT_EQ(l.a.word(LinkWord::kLost), 7u);
  EXPECT_EQ(l.b.received, 0u);
  l.set_faults({});
  l.run(kTrainLimit);
  forget(l);
  EXPECT_TRUE(l.a.down() && l.b.down()) << "came up without being told";
  l.set_traffic({});
  pulse_retrain(l, true, true);
  expect_works(l);
}

template <class A, class B>
void mismatch(const Shape& sa, const Shape& sb) {
  LinkBench<A, B> l(sa, sb, 4);
  ASSERT_TRUE(l.until(
      [&] { return l.a.state() == LinkState::kRefused && l.b.state() == LinkState::kRefused; }, 500,
      "both ends refused"));
  const auto check = [](auto& end, const Shape& own, const Shape& peer) {
    EXPECT_EQ(end.reason(), LinkReason::kMismatch);
    EXPECT_TRUE(end.down());
    for (const bool mine : {true, false}) {
      SCOPED_TRACE(end.name + (mine ? ": own" : ": peer"));
      const TrainingWords t = training_of(end, mine ? LinkWord::kOwn0 : LinkWord::kPeer0);
      const Shape& s = mine ? own : peer;
      EXPECT_EQ(t.get(ttpu::ici::kTrainingMagic), ttpu::ici::kLinkMagic);
      EXPECT_EQ(t.get(ttpu::ici::kTrainingVersion), ttpu::ici::kLinkVersion);
      EXPECT_EQ(t.get(ttpu::ici::kTrainingSeqBits), ttpu::ici::kFrameSeq.bits);
      EXPECT_EQ(t.get(ttpu::ici::kTrainingFlitW), s.flit_w());
      EXPECT_EQ(t.get(ttpu::ici::kTrainingVcs), s.vcs);
      EXPECT_EQ(t.get(ttpu::ici::kTrainingDepth), s.depth);
    }
  };
  check(l.a, sa, sb);
  check(l.b, sb, sa);
  // Told to try again: refused again.
  pulse_retrain(l, true, true);
  l.run(200);
  EXPECT_EQ(l.a.state(), LinkState::kRefused);
  EXPECT_EQ(l.b.state(), LinkState::kRefused);
  EXPECT_EQ(l.a.word(LinkWord::kDowns), 2u);
}

TEST(LinkState, C30_OtherChannelsAndDepth) { mismatch<Vlink_small, Vlink_full>(kSmall, kFull); }
TEST(LinkState, C30_OtherDepth) { mismatch<Vlink_small, Vlink_deep>(kSmall, kDeep); }
TEST(LinkState, C30_OtherWidth) { mismatch<Vlink_small, Vlink_wide>(kSmall, kWide); }
TEST(LinkState, C30_OtherWidthTheOtherWay) { mismatch<Vlink_wide, Vlink_small>(kWide, kSmall); }

// Magic, version and bits of a sequence number cannot be built differently: the channel changes
// them.
TEST(LinkState, C30_OtherProtocol) {
  for (const ttpu::ici::Field f :
       {ttpu::ici::kTrainingMagic, ttpu::ici::kTrainingVersion, ttpu::ici::kTrainingSeqBits}) {
    SCOPED_TRACE(tb::format("training field at bit %u", f.lsb));
    Bench l(kSmall, kSmall, 4);
    uint64_t sent = 0;
    l.to_a.hook = [&](Bits& frame) {
      if (kind_of(frame) != FrameKind::kTrain) return true;
      sent = frame.get(f, ttpu::ici::kFrameExtraBits) ^ 4;
      frame.set(f, sent, ttpu::ici::kFrameExtraBits);
      frame.set(ttpu::ici::kFrameCrc, crc_of(frame, kSmall.frame_w()));
      return true;
    };
    ASSERT_TRUE(l.until([&] { return l.a.state() == LinkState::kRefused; }, 500, "a refused"));
    EXPECT_EQ(training_of(l.a, LinkWord::kPeer0).get(f), sent);
    EXPECT_EQ(training_of(l.a, LinkWord::kOwn0).get(f), sent ^ 4);
    l.run(kTrainLimit + 200);
    EXPECT_TRUE(l.a.down());
    // b sees nothing wrong in a's values: it must not come up alone.
    EXPECT_EQ(l.b.state(), LinkState::kDown);
    EXPECT_EQ(l.b.reason(), LinkReason::kSilent);
  }
}

// An end that starts over while the other is about to come up: no end stays up alone.
TEST(LinkState, ResetDuringTraining) {
  tb::Random random;
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(tb::format("round %d", i));
    Bench l(kSmall, kSmall, 1 + static_cast<uint32_t>(random.below(20)));
    l.a.chip->cfg_auto_i = l.b.chip->cfg_auto_i = 1;
    for (int k = 0; k < 3; ++k) {
      l.run(random.below(200));
      l.b.set_reset(true);
      l.run(1 + random.below(50));
      l.b.set_reset(false);
    }
    l.run(700);
    expect_works(l);
  }
}

// The same before the other end is up: it stays in training and does not come up on what it heard
// before.
TEST(LinkState, ResetBeforeUp) {
  tb::Random random;
  int checked = 0;
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(tb::format("round %d", i));
    Bench l(kSmall, kSmall, 1 + static_cast<uint32_t>(random.below(5)));
    l.run(20 + random.below(100));
    l.b.set_reset(true);
    l.run(2);
    l.b.set_reset(false);
    l.run(16 + l.to_a.latency + 8);  // its first training frame has arrived
    if (l.a.state() != LinkState::kTrain) continue;
    ++checked;
    ASSERT_TRUE(l.train());
    EXPECT_EQ(l.a.word(LinkWord::kDowns), 0u);
    expect_works(l);
  }
  EXPECT_GT(checked, 15);
}

// Frames that say "heard" never arrive at one end: the other end's ordinary frames say the same.
TEST(LinkState, UpByOrdinaryFrames) {
  Bench l(kSmall, kSmall, 4);
  l.to_a.hook = [](const Bits& frame) {
    return kind_of(frame) != FrameKind::kTrain ||
           !frame.get(ttpu::ici::kTrainingHeard, ttpu::ici::kFrameExtraBits);
  };
  expect_works(l);
  EXPECT_EQ(l.a.word(LinkWord::kDowns) + l.b.word(LinkWord::kDowns), 0u);
}

// Refused, then mended at the other end: with auto the refusal is taken back.
TEST(LinkState, RefusalTakenBack) {
  Bench l(kSmall, kSmall, 4);
  l.a.chip->cfg_auto_i = 1;
  bool other = true;
  l.to_a.hook = [&](Bits& frame) {
    if (!other || kind_of(frame) != FrameKind::kTrain) return true;
    frame.set(ttpu::ici::kTrainingVersion, 9, ttpu::ici::kFrameExtraBits);
    frame.set(ttpu::ici::kFrameCrc, crc_of(frame, kSmall.frame_w()));
    return true;
  };
  ASSERT_TRUE(l.until([&] { return l.a.state() == LinkState::kRefused; }, 500, "a refused"));
  other = false;
  expect_works(l);
}

// Any values in the registers before reset (C38): nothing comes out that was not put in.
TEST(LinkState, C38_RandomStart) {
  for (int i = 0; i < 5; ++i) {
    Bench l(kSmall, kSmall, 4);
    l.run(20);
    EXPECT_EQ(l.a.received + l.b.received, 0u);
    EXPECT_EQ(l.a.word(LinkWord::kCrcErrors), 0u);
    expect_works(l);
  }
}

}  // namespace
}  // namespace link_test
