// Link: a flip at every bit of every kind of frame, one at a time; the counters say exactly what
// was done.
#include "Vlink_small.h"
#include "link_bench.h"

namespace link_test {
namespace {

constexpr Shape kSmall{2, 8, 128};
using Bench = LinkBench<Vlink_small>;

/// Kinds of frames that differ in what a lost one does.
enum class Case { kData, kDataNak, kIdle, kIdleNak };

bool is(const Bits& frame, Case c) {
  const bool data = kind_of(frame) == FrameKind::kData, nak = frame.get(ttpu::ici::kFrameNak);
  if (kind_of(frame) != FrameKind::kData && kind_of(frame) != FrameKind::kIdle) return false;
  switch (c) {
    case Case::kData:
      return data && !nak;
    case Case::kDataNak:
      return data && nak;
    case Case::kIdle:
      return !data && !nak;
    case Case::kIdleNak:
      return !data && nak;
  }
  return false;
}

class EveryBit : public ::testing::TestWithParam<Case> {};

// Frames from b to a: the chosen one has bit `bit` flipped. For naks to be sent, flits from a to b
// are lost until then.
TEST_P(EveryBit, FlippedOnce) {
  const Case c = GetParam();
  const bool nak = c == Case::kDataNak || c == Case::kIdleNak;
  const bool data = c == Case::kData || c == Case::kDataNak;
  Bench l(kSmall, kSmall, 4);
  ASSERT_TRUE(l.train());
  l.a.traffic = {.send = 60, .free = 70};
  l.b.traffic = {.send = data ? 60u : 0u, .free = 70};
  tb::Random random;
  for (uint32_t bit = 0; bit < kSmall.frame_w(); ++bit) {
    SCOPED_TRACE(tb::format("bit %u", bit));
    bool done = false;
    if (nak)
      l.to_b.hook = [&](Bits& frame) {
        return done || kind_of(frame) != FrameKind::kData || random.below(100) >= 8;
      };
    l.to_a.hook = [&](Bits& frame) {
      if (done || !is(frame, c)) return true;
      frame.flip(bit);
      l.to_a.hook_spoilt = done = true;
      return true;
    };
    ASSERT_TRUE(l.until([&] { return done; }, 2000, "a frame of this kind"));
    l.to_a.hook = l.to_b.hook = nullptr;
    l.run(40);
    ASSERT_EQ(l.a.word(LinkWord::kCrcErrors), bit + 1u) << "a flip not seen, or seen twice";
    ASSERT_FALSE(l.a.down() || l.b.down());
  }
  const uint64_t replays = l.a.word(LinkWord::kReplays) + l.b.word(LinkWord::kReplays);
  l.drain();
  EXPECT_EQ(l.a.sent, l.b.received);
  EXPECT_EQ(l.b.sent, l.a.received);
  EXPECT_EQ(l.a.wrong + l.b.wrong, 0u);
  if (data || nak) {
    // A nak that is lost costs a timeout, in which further ones are flipped.
    EXPECT_GE(replays, nak ? 50 : kSmall.frame_w());
  } else {
    EXPECT_EQ(replays, 0u) << "an idle frame lost is no reason to send again";
  }
  EXPECT_EQ(l.b.word(LinkWord::kCrcErrors), 0u);
  if (c == Case::kIdle) {
    EXPECT_EQ(l.a.word(LinkWord::kTimeouts), 0u);
  }
  l.expect_counts();
}
std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  constexpr const char* kNames[] = {"Data", "DataNak", "Idle", "IdleNak"};
  return kNames[static_cast<int>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Link, EveryBit,
                         ::testing::Values(Case::kData, Case::kDataNak, Case::kIdle,
                                           Case::kIdleNak),
                         name_of);

// The first training frame has one bit flipped: a link that comes up all the same, or none.
TEST(LinkFault, EveryBitOfTraining) {
  for (uint32_t bit = 0; bit < kSmall.frame_w(); ++bit) {
    SCOPED_TRACE(tb::format("bit %u", bit));
    Bench l(kSmall, kSmall, 3);
    bool done = false;
    l.to_a.hook = [&](Bits& frame) {
      if (!done && kind_of(frame) == FrameKind::kTrain) {
        frame.flip(bit);
        l.to_a.hook_spoilt = done = true;
      }
      return true;
    };
    ASSERT_TRUE(l.train());
    ASSERT_TRUE(done);
    EXPECT_EQ(l.a.word(LinkWord::kCrcErrors), 1u);
    EXPECT_EQ(training_of(l.a, LinkWord::kPeer0).get(ttpu::ici::kTrainingNode), 4242u);
    l.set_traffic({.send = 50});
    l.run(60);
    l.drain();
    EXPECT_EQ(l.a.sent, l.b.received);
  }
}

// The first frame that says "down" has one bit flipped: the next one does it.
TEST(LinkFault, EveryBitOfDown) {
  Bench l(kSmall, kSmall, 3);
  l.a.chip->cfg_auto_i = l.b.chip->cfg_auto_i = 1;
  ASSERT_TRUE(l.train());
  for (uint32_t bit = 0; bit < kSmall.frame_w(); ++bit) {
    SCOPED_TRACE(tb::format("bit %u", bit));
    // b gives up because a's answers do not come; a hears of it by the second frame only.
    l.b.chip->cfg_retries_i = 0;
    l.b.chip->cfg_timeout_i = 80;
    l.to_b.faults.cut = true;
    uint32_t seen = 0;
    l.to_a.hook = [&](Bits& frame) {
      if (kind_of(frame) == FrameKind::kDown && seen++ == 0) {
        frame.flip(bit);
        l.to_a.hook_spoilt = true;
      }
      return true;
    };
    ASSERT_TRUE(l.until([&] { return l.a.down(); }, 2000, "a down"));
    EXPECT_EQ(seen, 2u);
    EXPECT_EQ(l.a.reason(), LinkReason::kPeerDown);
    EXPECT_EQ(l.b.reason(), LinkReason::kSilent);
    EXPECT_EQ(l.a.word(LinkWord::kCrcErrors), bit + 1u);
    l.to_a.hook = nullptr;
    l.to_b.faults.cut = false;
    l.b.chip->cfg_retries_i = 7;
    l.a.chip->retrain_i = l.b.chip->retrain_i = 1;
    l.step();
    l.a.chip->retrain_i = l.b.chip->retrain_i = 0;
    ASSERT_TRUE(l.train());
  }
}

// A frame whose CRC is right and whose content is not of this session does no harm: old acks, naks,
// credits and flits, each possible number.
TEST(LinkFault, OldFramesDoNoHarm) {
  Bench l(kSmall, kSmall, 4);
  ASSERT_TRUE(l.train());
  l.set_traffic({.send = 50, .free = 60});
  l.run(1000);
  tb::Random random;
  // Frames kept from the traffic and repeated up to 1000 cycles later.
  std::vector<std::pair<uint64_t, Bits>> kept;
  uint64_t repeated = 0;
  l.to_a.hook = [&](Bits& frame) {
    if (random.chance(20)) kept.emplace_back(l.now, frame);
    return true;
  };
  for (int i = 0; i < 4000; ++i) {
    l.step();
    if (!kept.empty() && random.chance(15)) {
      const auto [at, frame] = random.pick(kept);
      if (l.now - at < 1000) {
        l.to_a.inject(frame, l.now);
        ++repeated;
      }
    }
    if (kept.size() > 400) kept.erase(kept.begin(), kept.begin() + 200);
  }
  l.to_a.hook = nullptr;
  l.drain();
  EXPECT_GT(repeated, 300u);
  EXPECT_EQ(l.a.sent, l.b.received);
  EXPECT_EQ(l.b.sent, l.a.received);
  EXPECT_GT(l.a.word(LinkWord::kDuplicates), 50u);
}

}  // namespace
}  // namespace link_test
