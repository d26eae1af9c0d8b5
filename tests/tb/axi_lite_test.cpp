// AXI4-Lite master against a small register file.
#include "tb/axi_lite.h"

#include <gtest/gtest.h>

#include "Vtb_axi_probe.h"
#include "tb/controller.h"
#include "tests/tb/expect_failure.h"

namespace {

using Bench = tb::Controller<Vtb_axi_probe>;

class AxiLite : public testing::TestWithParam<uint32_t> {};

TEST_P(AxiLite, WritesAndReadsInAnyOrderOfChannels) {
  Bench bench;
  tb::AxiLiteMaster<Bench> master(bench, TTPU_BIND_AXI_LITE(bench.dut(), csr_));
  master.set_stalls(GetParam());
  tb::Random random;
  uint32_t model[16] = {};
  for (uint32_t i = 0; i < 16; ++i) {
    model[i] = random.u32();
    master.write(4 * i, model[i]);
  }
  for (int i = 0; i < 500; ++i) {
    const uint32_t reg = static_cast<uint32_t>(random.below(12));
    if (random.coin()) {
      const uint32_t value = random.u32();
      const uint8_t strobe = random.u32() & 0xf;
      master.write(4 * reg, value, strobe);
      for (int b = 0; b < 4; ++b)
        if (strobe >> b & 1)
          model[reg] = (model[reg] & ~(0xffu << 8 * b)) | (value & 0xffu << 8 * b);
    } else {
      EXPECT_EQ(master.read(4 * reg), model[reg]);
    }
    EXPECT_EQ(master.response(), 0);
  }
  if (GetParam()) master.stall().expect_stalled(100);
}
INSTANTIATE_TEST_SUITE_P(Stalls, AxiLite, testing::Values(0, 30, 80));

TEST(AxiLiteMaster, ErrorResponsesAndSilenceAreReported) {
  Bench bench;
  tb::AxiLiteMaster<Bench> master(bench, TTPU_BIND_AXI_LITE(bench.dut(), csr_), 50);
  master.write(0xf0, 1);
  EXPECT_EQ(master.response(), 2);
  master.read(0xf0);
  EXPECT_EQ(master.response(), 2);
  EXPECT_BENCH_FAILURE(master.read(0xf4), "read of 0xf4 not answered in 50 cycles");
  EXPECT_BENCH_FAILURE(master.write(0xf4, 1), "write of 0xf4 not answered in 50 cycles");
}

TEST(AxiLiteMaster, PollSaysWhatItSawLast) {
  Bench bench;
  tb::AxiLiteMaster<Bench> master(bench, TTPU_BIND_AXI_LITE(bench.dut(), csr_));
  master.write(8, 0x5);
  EXPECT_TRUE(master.poll(8, 0x4, 0x4, 100));
  EXPECT_BENCH_FAILURE(master.poll(8, 0x2, 0x2, 100), "register 0x8 is 0x5 after 100 cycles");
}

}  // namespace
