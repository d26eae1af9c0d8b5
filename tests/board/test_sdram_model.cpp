// The model of the SDRAM alone, at pins moved by hand: a lawful sequence passes, each broken rule
// is named; data come in their eye, masked bytes are left alone.
#include <gtest/gtest.h>

#include "tb/sdram_model.h"

namespace ttpu::test {
namespace {

constexpr int64_t kPeriod = 10'000, kWay = 4'000;
enum Code { kMode, kRefresh, kPrecharge, kActive, kWrite, kRead, kStop, kNop };

/// Pins as variables; 100 MHz.
struct Hand {
  explicit Hand(bool start = true, const tb::SdramPart& part = tb::sdram::kMt48lc16m16)
      : model(pins(), part, kPeriod, kWay) {
    model.expect_violations = true;
    if (start) init();
  }
  tb::SdramPins<16> pins() {
    return {cke, cs_n, ras_n, cas_n, we_n, ba, addr, dqm, dq_from, dq_oe, dq_to};
  }
  /// One command for a clock; the data pins at the controller's next rising edge.
  uint16_t put(Code code, uint32_t bank = 0, uint32_t address = 0) {
    cs_n = code == kNop, ras_n = code >> 2 & 1, cas_n = code >> 1 & 1, we_n = code & 1;
    ba = static_cast<CData>(bank), addr = static_cast<SData>(address);
    model.before_clock();
    model.at_clock();
    return dq_to;
  }
  void wait(int clocks) {
    for (int i = 0; i < clocks; ++i) put(kNop);
  }
  /// Drives DQ from a clock before, and on.
  void write(uint32_t bank, uint32_t column, uint16_t data, uint8_t mask = 0) {
    if (!dq_oe) dq_oe = 0xffff, put(kNop);
    dq_from = data, dqm = mask;
    put(kWrite, bank, column);
    dqm = 0;
  }
  void init(int refreshes = 8, uint32_t mode = 0x20) {
    wait(20000);
    put(kPrecharge, 0, 0x400), wait(1);
    for (int i = 0; i < refreshes; ++i) put(kRefresh), wait(6);
    put(kMode, 0, mode), wait(1);
  }
  void open(uint32_t bank, uint32_t row) { put(kActive, bank, row), wait(1); }
  std::string broken() const {
    std::string names;
    for (const auto& [rule, count] : model.violations) names += (names.empty() ? "" : ", ") + rule;
    return names;
  }
  CData cke = 1, cs_n = 1, ras_n = 1, cas_n = 1, we_n = 1, ba = 0, dqm = 0;
  SData addr = 0, dq_from = 0, dq_oe = 0, dq_to = 0;
  tb::SdramModel<16> model;
};

TEST(SdramModel, LawfulSequenceKeepsData) {
  Hand h;
  h.open(1, 77);
  h.write(1, 5, 0x1234);
  h.write(1, 6, 0x5678);
  h.write(1, 6, 0xabcd, 2);  // the low byte only
  h.dq_oe = 0;
  EXPECT_NE(h.put(kRead, 1, 5), 0x1234) << "in the clock of the READ";
  EXPECT_NE(h.put(kRead, 1, 6), 0x1234) << "a clock too early";
  // The edge CasLatency + 1 behind the register that put READ out: the eye is there.
  EXPECT_EQ(h.put(kNop), 0x1234);
  EXPECT_EQ(h.put(kNop), 0x56cd);
  EXPECT_NE(h.put(kNop), 0x56cd) << "a clock too late";
  h.write(1, 7, 1);  // driven as soon as it may be
  h.dq_oe = 0;
  h.wait(2);
  h.put(kPrecharge, 1), h.wait(1);
  h.open(1, 78);
  h.wait(3);
  h.put(kPrecharge, 0, 0x400), h.wait(1);
  h.put(kRefresh), h.wait(6);
  h.open(1, 77);
  h.put(kRead, 1, 5), h.wait(1);
  EXPECT_EQ(h.put(kNop), 0x1234);
  EXPECT_EQ(h.broken(), "");
}

TEST(SdramModel, NamesTheBrokenRule) {
  const struct {
    const char* rule;
    void (*sequence)(Hand&);
  } cases[] = {
      {"tRCD", [](Hand& h) { h.put(kActive, 0, 1), h.put(kRead, 0, 0); }},
      {"tRAS", [](Hand& h) { h.open(0, 1), h.wait(2), h.put(kPrecharge, 0); }},
      {"tRP", [](Hand& h) { h.open(0, 1), h.wait(5), h.put(kPrecharge, 0), h.put(kActive, 0, 1); }},
      {"tRRD", [](Hand& h) { h.put(kActive, 0, 1), h.put(kActive, 1, 1); }},
      {"tRFC", [](Hand& h) { h.put(kRefresh), h.wait(5), h.put(kActive, 0, 1); }},
      {"tWR", [](Hand& h) { h.open(0, 1), h.wait(6), h.write(0, 0, 1), h.put(kPrecharge, 0); }},
      {"tRAS max", [](Hand& h) { h.open(0, 1), h.wait(12'000), h.put(kPrecharge, 0); }},
      {"bank state", [](Hand& h) { h.put(kRead, 0, 0); }},
      {"bank state", [](Hand& h) { h.open(0, 1), h.wait(6), h.put(kActive, 0, 2); }},
      {"bank state", [](Hand& h) { h.open(0, 1), h.wait(6), h.put(kRefresh); }},
      {"bank state", [](Hand& h) { h.open(2, 1), h.wait(6), h.write(1, 0, 1); }},
      {"address", [](Hand& h) { h.open(0, 1), h.put(kRead, 0, 0x200); }},
      {"address", [](Hand& h) { h.open(0, 1), h.put(kRead, 0, 0x400); }},
      {"command", [](Hand& h) { h.put(kStop); }},
      {"DQ drive", [](Hand& h) { h.open(0, 1), h.put(kWrite, 0, 0); }},
      {"DQ drive", [](Hand& h) { h.open(0, 1), h.dq_oe = 1, h.put(kRead, 0, 0); }},
      {"DQ drive", [](Hand& h) { h.open(0, 1), h.dq_oe = 0xff, h.wait(1), h.put(kWrite, 0, 0); }},
      {"DQ early", [](Hand& h) { h.open(0, 1), h.dq_oe = 0xffff, h.put(kWrite, 0, 0); }},
      {"DQ contention",
       [](Hand& h) { h.open(0, 1), h.put(kRead, 0, 0), h.wait(2), h.dq_oe = 1, h.put(kNop); }},
      {"CKE", [](Hand& h) { h.cke = 0, h.put(kNop); }},
      {"mode", [](Hand& h) { h.put(kMode, 0, 0x20); }},
      {"refresh rate", [](Hand& h) { h.wait(1563), h.put(kRefresh); }},
  };
  for (const auto& c : cases) {
    Hand h;
    ASSERT_EQ(h.broken(), "");
    c.sequence(h);
    EXPECT_TRUE(h.model.violations.contains(c.rule)) << c.rule << ", named: " << h.broken();
    if (std::string(c.rule) != "tRAS max") {  // which takes longer than refreshes may
      EXPECT_EQ(h.broken(), c.rule);
    }
  }
}

TEST(SdramModel, NamesTrcOfASlowerPart) {
  tb::SdramPart part = tb::sdram::kMt48lc16m16;  // whose tRC is just tRAS + tRP in clocks
  part.rc = 75'000;
  Hand h(true, part);
  h.open(0, 1), h.wait(3), h.put(kPrecharge, 0), h.wait(1), h.put(kActive, 0, 1);
  EXPECT_EQ(h.broken(), "tRC");
}

TEST(SdramModel, NamesAWrongStart) {
  const auto start = [](auto sequence) {
    Hand h(false);
    sequence(h);
    return h.broken();
  };
  EXPECT_EQ(start([](Hand& h) { h.init(2); }), "");
  EXPECT_EQ(start([](Hand& h) { h.init(1); }), "init");
  EXPECT_EQ(start([](Hand& h) { h.init(2, 0x27); }), "mode") << "bursts of a page";
  EXPECT_EQ(start([](Hand& h) { h.init(2, 0x10); }), "mode") << "CAS latency 1";
  EXPECT_EQ(start([](Hand& h) { h.wait(20'000), h.put(kRefresh); }), "init");
  EXPECT_EQ(start([](Hand& h) { h.wait(20'000), h.put(kActive); }), "init");
  EXPECT_EQ(start([](Hand& h) { h.wait(9'999), h.put(kPrecharge, 0, 0x400); }), "power-up");
  EXPECT_EQ(start([](Hand& h) { h.init(), h.put(kActive); }), "");
  EXPECT_EQ(start([](Hand& h) {
              h.wait(20'000), h.put(kPrecharge, 0, 0x400), h.wait(1), h.put(kRefresh), h.wait(6);
              h.put(kRefresh), h.wait(6), h.put(kMode, 0, 0x20), h.put(kActive);
            }),
            "tMRD");
}

}  // namespace
}  // namespace ttpu::test
