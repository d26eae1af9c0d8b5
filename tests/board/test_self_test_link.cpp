// The link's part of `ttpu board test` on ttpu_board_link itself: it names faults put into the
// wires.
#include <gtest/gtest.h>

#include "loopback_bench.h"
#include "ttpu/cmd_board.h"

namespace ttpu::cli {
namespace {

using test::Loopback;

/// A host that is 150 clocks away.
LinkRegisters host_of(Loopback& dut) {
  const auto away = [&dut] {
    for (int i = 0; i < 150; ++i) dut.clock();
  };
  return {[&dut, away](uint32_t addr) { return away(), dut.read(addr); },
          [&dut, away](uint32_t addr, uint32_t word) { away(), dut.write(addr, word); }};
}
LinkInfo info_of(Loopback& dut) {
  const uint32_t number = dut.read(board_regs::kLinkInfo) >> 8 & 0xff;
  LinkInfo info{4, 208, 60000, nullptr};
  for (const auto& h : board_regs::kLinkHeaders)
    if (h.number == number) info.header = &h;
  EXPECT_NE(info.header, nullptr);
  return info;
}
std::string first_fault(const LinkTest& t) {
  return t.part.faults.empty() ? "none" : t.part.faults[0];
}

TEST(SelfTestLink, GoodInsideAndThroughPins) {
  for (const bool pins : {false, true}) {
    Loopback dut;
    if (!pins) dut.stuck = {0, 0, 0, 0, 0, 0};
    const LinkTest t = test_link(host_of(dut), info_of(dut), pins, 100, 3);
    EXPECT_EQ(t.part.name, pins ? "PINS" : "LINK");
    EXPECT_EQ(t.part.checked, 100u);
    EXPECT_EQ(t.part.faulty, 0u) << first_fault(t);
    EXPECT_GT(t.bits_per_clock, 2.4);
    EXPECT_LT(t.bits_per_clock, 128.0 / 52);
    EXPECT_EQ(dut.read(board_regs::kLinkCtrl), 0u) << "left running";
  }
}

TEST(SelfTestLink, TheMissingWireIsNamed) {
  const char* const kWhy[] = {
      "link does not come up: no clock comes in (GP0 to GN0)",
      "link does not come up: a clock comes in, but no frame: strobe (GP1 to GN1)",
      "link does not come up: CRC errors in each of "};
  for (uint32_t wire = 0; wire < test::kWires; ++wire) {
    Loopback dut;
    dut.stuck[wire] = 0;
    const LinkTest t = test_link(host_of(dut), info_of(dut), true, 100, 3);
    EXPECT_EQ(t.part.checked, 0u);
    EXPECT_EQ(t.part.faulty, 100u);
    EXPECT_NE(first_fault(t).find(kWhy[wire < 2 ? wire : 2]), std::string::npos) << first_fault(t);
    ASSERT_EQ(t.part.faults.size(), 2u);
    EXPECT_EQ(t.part.faults[1].rfind("join ULX3S, header J1: clock GP0 to GN0, strobe", 0), 0u)
        << t.part.faults[1];
    // Inside it is sound.
    EXPECT_EQ(test_link(host_of(dut), info_of(dut), false, 20, 3).part.faulty, 0u);
  }
}

TEST(SelfTestLink, SwappedDataWiresAreCrcErrors) {
  Loopback dut;
  dut.swapped = true;
  EXPECT_NE(first_fault(test_link(host_of(dut), info_of(dut), true, 100, 3)).find("swapped"),
            std::string::npos);
}

TEST(SelfTestLink, FlippedBitsAreCrcErrors) {
  Loopback dut;
  dut.flip_one_in = 2000;
  const LinkTest t = test_link(host_of(dut), info_of(dut), true, 100, 3);
  EXPECT_EQ(t.part.checked, 100u) << "mended by sending again";
  EXPECT_EQ(t.crc_errors, dut.frames_hit);
  EXPECT_GT(t.replays, 0u);
  EXPECT_EQ(first_fault(t).rfind("CRC errors: ", 0), 0u) << first_fault(t);
  EXPECT_EQ(t.part.faults.size(), 1u);
}

TEST(SelfTestLink, AWireThatBreaksLosesPackets) {
  for (const uint32_t wire : {0u, 1u, 3u}) {
    Loopback dut;
    const uint64_t breaks = dut.cycles + 6000;
    dut.each_clock = [&] {
      if (dut.cycles > breaks) dut.stuck[wire] = 0;
    };
    const LinkTest t = test_link(host_of(dut), info_of(dut), true, 100, 3);
    EXPECT_GT(t.part.checked, 10u);
    EXPECT_LT(t.part.checked, 40u);
    EXPECT_EQ(first_fault(t).rfind(tb::format("lost packets: %u of 100; the link went down",
                                              static_cast<unsigned>(100 - t.part.checked)),
                                   0),
              0u)
        << first_fault(t);
    EXPECT_EQ(first_fault(t).find("the clock stopped") != std::string::npos, wire == 0)
        << first_fault(t);
  }
}

TEST(SelfTestLink, WrongDataIsNamed) {
  Loopback dut;
  dut.change = [](uint64_t frame) {
    test::Bits change;
    if (frame % 50 != 49) return change;
    change.flip(ici::kFrameExtraBits + 77);
    change.set(ici::kFrameCrc, test::crc_of(change, 208) ^ test::crc_of({}, 208));
    return change;
  };
  const LinkTest t = test_link(host_of(dut), info_of(dut), true, 100, 3);
  EXPECT_EQ(t.part.checked, 100u);
  EXPECT_GT(t.part.faulty, 4u);
  EXPECT_EQ(first_fault(t), tb::format("wrong data: %u of 100 packets came back with other data or "
                                       "out of order",
                                       static_cast<unsigned>(t.part.faulty)));
}

TEST(SelfTestLink, ARegisterThatNeverMovesEndsInTime) {
  // A link that says it is up and never gives a packet back.
  const auto from = std::chrono::steady_clock::now();
  const LinkRegisters dead{
      [](uint32_t addr) {
        return addr == board_regs::kLinkWords ? static_cast<uint32_t>(ici::LinkState::kUp) : 0u;
      },
      [](uint32_t, uint32_t) {}};
  const LinkTest t = test_link(dead, {4, 208, 0, nullptr}, false, 100, 3);
  EXPECT_EQ(first_fault(t), "lost packets: 100 of 100; nothing came back any more");
  // And one that trains for ever.
  const LinkRegisters trains{
      [](uint32_t addr) {
        return addr == board_regs::kLinkWords ? static_cast<uint32_t>(ici::LinkState::kTrain) : 0u;
      },
      [](uint32_t, uint32_t) {}};
  EXPECT_EQ(first_fault(test_link(trains, {4, 208, 0, nullptr}, false, 100, 3)),
            "link does not come up: a clock comes in, but no frame: strobe");
  EXPECT_LT(std::chrono::steady_clock::now() - from, std::chrono::seconds(15));
}

}  // namespace
}  // namespace ttpu::cli
