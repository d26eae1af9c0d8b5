// ttpu_board_link: packets through a link in loop-back, inside and over wires with faults; what its
// registers then say.
#include <gtest/gtest.h>

#include "loopback_bench.h"

namespace ttpu::test {
namespace {

using ici::LinkReason;
using ici::LinkState;
using ici::LinkWord;

/// The payloads of a seed, from the definition: x^128 + x^126 + x^101 + x^99 + 1.
class Payloads {
 public:
  explicit Payloads(uint32_t seed) : word_{~seed, seed, ~seed, seed} {}
  std::array<uint32_t, 4> next() {
    const auto now = word_;
    const auto bit = [&](int i) { return now[i / 32] >> (i % 32) & 1; };
    uint32_t carry = bit(127) ^ bit(125) ^ bit(100) ^ bit(98);
    for (auto& w : word_) {
      const uint32_t out = w >> 31;
      w = w << 1 | carry;
      carry = out;
    }
    return now;
  }

 private:
  std::array<uint32_t, 4> word_;
};

/// A flit in a DATA frame, above the fields of the frame.
constexpr uint32_t kFlitLsb = ici::kFrameExtraBits;
std::array<uint32_t, 4> payload_of(const Bits& frame) {
  std::array<uint32_t, 4> p{};
  for (uint32_t i = 0; i < 4; ++i) p[i] = static_cast<uint32_t>(frame.get({kFlitLsb + 32 * i, 32}));
  return p;
}
bool is_data(const Bits& frame) { return link_test::kind_of(frame) == ici::FrameKind::kData; }

void expect_counts(Loopback& dut, uint32_t sent, uint32_t good, uint32_t wrong) {
  EXPECT_EQ(dut.read(regs::kLinkSent), sent);
  EXPECT_EQ(dut.read(regs::kLinkGood), good);
  EXPECT_EQ(dut.read(regs::kLinkWrong), wrong);
}

TEST(Loopback, SaysWhatItIs) {
  Loopback dut;
  EXPECT_EQ(dut.read(regs::kLinkId), 0x4b4e4c54u);
  EXPECT_EQ(dut.read(regs::kLinkInfo), kFrameBits << 16 | 1u << 8 | regs::kLinkLanes);
  EXPECT_EQ(dut.read(regs::kLinkClock), 60000u);
  EXPECT_EQ(dut.read(regs::kLinkCtrl), 0u);
  EXPECT_EQ(dut.read(regs::kLinkStatus) & 1, 0u) << "up without RUN";
}

TEST(Loopback, RefusesWordsThatAreNone) {
  Loopback dut;
  for (uint32_t at = 0; at < 0x100; at += 4) {
    const bool known = at <= (regs::kLinkCut & 0xff) || at >= (regs::kLinkWords & 0xff);
    EXPECT_EQ(dut.access(at, false).refused, !known) << std::hex << at;
  }
  for (uint32_t at = 0; at < 0x100; at += 4) {
    const bool writable = at == (regs::kLinkCtrl & 0xff) || at == (regs::kLinkSeed & 0xff) ||
                          at == (regs::kLinkPackets & 0xff);
    EXPECT_EQ(dut.access(at, true, 0).refused, !writable) << std::hex << at;
  }
}

TEST(Loopback, InsideAtFullRateWhateverThePinsDo) {
  tb::Random random;
  for (const uint32_t seed : {0u, ~0u, random.u32()}) {
    Loopback dut;
    dut.noise_one_in = 2;
    dut.keep_frames = true;
    const uint64_t training = dut.start(false, seed);
    ASSERT_TRUE(dut.up()) << "after " << training << " clocks";
    EXPECT_LT(training, 800u);
    EXPECT_EQ(dut.read(regs::kLinkStatus), 1u) << "UP, nothing else";
    constexpr uint32_t kPackets = 40, kFlits = kPackets * regs::kPacketFlits;
    dut.send(kPackets, 20000);
    expect_counts(dut, kPackets, kPackets, 0);
    // A flit each kBeats clocks, but for frames without one; the first one's way is under two
    // frames.
    const uint32_t cycles = dut.read(regs::kLinkCycles);
    EXPECT_GE(cycles, kFlits * kBeats);
    EXPECT_LT(cycles, (kFlits + 4) * kBeats);
    EXPECT_EQ(dut.word(LinkWord::kFlitsTx), kFlits);
    EXPECT_EQ(dut.word(LinkWord::kFlitsRx), kFlits);
    for (const LinkWord w : {LinkWord::kCrcErrors, LinkWord::kReplays, LinkWord::kTimeouts,
                             LinkWord::kDowns, LinkWord::kLost})
      EXPECT_EQ(dut.word(w), 0u) << "word " << static_cast<int>(w);
    EXPECT_EQ(dut.read(regs::kLinkCut), 0u);
    // On the pins: the payloads of this seed, each once and in order, on both channels in turn.
    Payloads payloads(seed);
    uint32_t flits = 0;
    for (const Bits& f : dut.sent_frames) {
      if (!is_data(f)) continue;
      ASSERT_EQ(payload_of(f), payloads.next()) << "flit " << flits;
      EXPECT_EQ(f.get(ici::kFlitVc, kFlitLsb + 128), flits / regs::kPacketFlits % 2);
      EXPECT_EQ(f.get(ici::kFlitHead, kFlitLsb + 128), flits % regs::kPacketFlits == 0);
      EXPECT_EQ(f.get(ici::kFlitTail, kFlitLsb + 128),
                flits % regs::kPacketFlits == regs::kPacketFlits - 1);
      ++flits;
    }
    EXPECT_EQ(flits, kFlits);
  }
}

TEST(Loopback, ThroughGoodWires) {
  Loopback dut;
  dut.start(true, 1);
  ASSERT_TRUE(dut.up());
  dut.send(20, 10000);
  dut.send(7, 10000);
  expect_counts(dut, 27, 27, 0);
  EXPECT_EQ(dut.word(LinkWord::kCrcErrors), 0u);
  EXPECT_EQ(dut.read(regs::kLinkStatus), 1u);
}

TEST(Loopback, PacketsAskedForWhileSomeAreSentAreIgnored) {
  Loopback dut;
  dut.start(true, 1);
  dut.write(regs::kLinkPackets, 20);
  EXPECT_EQ(dut.read(regs::kLinkStatus), 3u) << "UP and SENDING";
  dut.write(regs::kLinkPackets, 500);
  for (int i = 0; i < 20000; ++i) dut.clock();
  expect_counts(dut, 20, 20, 0);
}

TEST(Loopback, FlippedBitsAreSentAgain) {
  Loopback dut;
  dut.start(true, 5);
  ASSERT_TRUE(dut.up());
  const uint32_t before = dut.word(LinkWord::kCrcErrors);
  dut.frames_hit = dut.flips = 0;
  dut.flip_one_in = 1500;  // a frame in 29
  const uint32_t packets = tb::long_run() ? 4000 : 200;
  dut.send(packets, 2000 * packets);
  dut.flip_one_in = 0;
  for (int i = 0; i < 500; ++i) dut.clock();
  expect_counts(dut, packets, packets, 0);
  EXPECT_GT(dut.flips, packets / 20);
  EXPECT_EQ(dut.word(LinkWord::kCrcErrors) - before, dut.frames_hit);
  EXPECT_GT(dut.word(LinkWord::kReplays), packets / 40);
  EXPECT_GT(dut.word(LinkWord::kFlitsAgain), packets / 40);
  EXPECT_EQ(dut.word(LinkWord::kDowns), 0u);
  EXPECT_TRUE(dut.up());
}

TEST(Loopback, NoWire) {
  for (uint32_t wire = 0; wire < kWires; ++wire)
    for (const int level : {0, 1}) {
      SCOPED_TRACE(tb::format("wire %u stuck at %d", wire, level));
      Loopback dut;
      dut.stuck[wire] = level;
      dut.start(true, 9, 20000);
      EXPECT_FALSE(dut.up());
      const uint32_t status = dut.word(LinkWord::kStatus);
      EXPECT_EQ(status & 7, static_cast<uint32_t>(LinkState::kDown));
      EXPECT_EQ(status >> 3 & 7, static_cast<uint32_t>(LinkReason::kSilent));
      EXPECT_EQ(dut.read(regs::kLinkStatus) >> 2 & 1, wire == 0) << "CLOCK_LOST";
      const uint32_t frames = dut.word(LinkWord::kFramesRx);
      if (wire == 0 || (wire == 1 && level == 0)) {
        EXPECT_EQ(frames, 0u);
      }
      if (wire > 1) {
        EXPECT_GT(frames, 100u);
      }
      EXPECT_EQ(dut.word(LinkWord::kCrcErrors), frames) << "a frame that was good";
      // And it sends nothing.
      dut.send(3, 5000);
      expect_counts(dut, 0, 0, 0);
      EXPECT_EQ(dut.read(regs::kLinkStatus) & 3, 2u) << "still to be sent";
    }
}

TEST(Loopback, WireCutAmidTraffic) {
  for (uint32_t wire = 0; wire < kWires; ++wire) {
    SCOPED_TRACE(tb::format("wire %u", wire));
    Loopback dut;
    dut.start(true, 9);
    ASSERT_TRUE(dut.up());
    dut.send(10, 5000);
    dut.write(regs::kLinkPackets, 1000);
    for (int i = 0; i < 3000; ++i) dut.clock();
    EXPECT_TRUE(dut.up());
    dut.stuck[wire] = 0;
    // (7 + 1) timeouts of 2001 clocks after the last progress, and frames on their way.
    const uint64_t from = dut.cycles;
    while (dut.up() && dut.cycles - from < 30000) dut.clock();
    EXPECT_LT(dut.cycles - from, 8 * 2001u + 300) << "clocks until the link was down";
    const uint32_t sent = dut.read(regs::kLinkSent), good = dut.read(regs::kLinkGood);
    EXPECT_GT(good, 20u);
    EXPECT_GE(sent, good);
    EXPECT_LT(sent, 1010u);
    EXPECT_EQ(dut.read(regs::kLinkWrong), 0u);
    EXPECT_EQ(dut.word(LinkWord::kDowns), 1u);
    EXPECT_EQ(dut.read(regs::kLinkStatus) & 3, 2u) << "down, packets still to be sent";
    EXPECT_EQ(dut.read(regs::kLinkStatus) >> 3 & 1, wire == 0) << "CLOCK_WAS_LOST";
    // The wire is back: a new start finds it.
    dut.stuck[wire] = -1;
    dut.start(true, 10);
    dut.send(5, 5000);
    expect_counts(dut, 5, 5, 0);
  }
}

TEST(Loopback, DataThatPassTheCrcAreFoundWrong) {
  // A payload bit changed and the CRC with it: what no link can see.
  tb::Random random;
  Loopback dut;
  dut.keep_frames = true;
  dut.start(true, 77);
  std::map<size_t, bool> hit;  // frames changed
  bool on = true;
  dut.change = [&](uint64_t frame) {
    Bits change;
    if (!on || frame % 13 != 0) return change;
    hit[frame] = true;
    change.flip(kFlitLsb + static_cast<uint32_t>(random.below(128)));
    const uint32_t crc = crc_of(change, kFrameBits) ^ crc_of(Bits{}, kFrameBits);
    change.set(ici::kFrameCrc, crc);
    return change;
  };
  constexpr uint32_t kPackets = 100;
  dut.send(kPackets, 40000);
  on = false;
  std::map<uint32_t, bool> wrong;  // packets
  uint32_t flits = 0;
  for (size_t i = 0; i < dut.sent_frames.size(); ++i) {
    if (!is_data(dut.sent_frames[i])) continue;
    if (hit.count(i)) wrong[flits / regs::kPacketFlits] = true;
    ++flits;
  }
  ASSERT_EQ(flits, kPackets * regs::kPacketFlits) << "a flit was sent again";
  EXPECT_GT(wrong.size(), 20u);
  expect_counts(dut, kPackets, kPackets - static_cast<uint32_t>(wrong.size()),
                static_cast<uint32_t>(wrong.size()));
  EXPECT_EQ(dut.word(LinkWord::kCrcErrors), 0u);
}

TEST(Loopback, StartsAnewFromAnyState) {
  tb::Random random;
  Loopback dut;
  int pins = 0, inside = 0;
  for (int i = 0; i < (tb::long_run() ? 500 : 40); ++i) {
    SCOPED_TRACE(tb::format("start %d", i));
    // Left in traffic, in training, or without a clock at the pins.
    dut.stuck[0] = random.below(3) == 0 ? static_cast<int>(random.below(2)) : -1;
    dut.start(random.below(2), random.u32(), random.below(1500));
    dut.write(regs::kLinkPackets, 100);
    for (uint64_t n = random.below(2000); n > 0; --n) dut.clock();
    dut.stuck[0] = -1;
    const bool through = random.below(2);
    ++(through ? pins : inside);
    dut.start(through, random.u32());
    ASSERT_TRUE(dut.up());
    expect_counts(dut, 0, 0, 0);
    EXPECT_EQ(dut.word(LinkWord::kDowns), 0u);
    dut.send(3, 5000);
    expect_counts(dut, 3, 3, 0);
    EXPECT_EQ(dut.word(LinkWord::kCrcErrors), 0u);
    EXPECT_EQ(dut.read(regs::kLinkCut), 0u);
  }
  EXPECT_GT(pins, 5);
  EXPECT_GT(inside, 5);
}

}  // namespace
}  // namespace ttpu::test
