// Products of the compiler on the whole chip: shapes 1 .. 3N+1 with full-range operands (C1), any K
// with poisoned memories (C2), extreme values (C4, C5, C6).
#include <fmt/format.h>

#include "gemm_check.h"

namespace chip_test {
namespace {

class ChipGemm : public testing::TestWithParam<const char*> {
 protected:
  const Config& c_ = config(GetParam());
  std::unique_ptr<Device> open(uint64_t init_seed, uint64_t memory_seed = 0) {
    DeviceOptions o;
    o.hbm_bytes = 1 << 22;
    o.max_cycles = 5'000'000;
    o.random_init_seed = init_seed;
    o.memory.seed = memory_seed;
    o.memory.stall_percent = memory_seed ? 30 : 0;
    o.memory.latency = memory_seed ? 20 : 100;
    return ttpu::open_device("rtl", c_, o);
  }
  void expect_product(Device& rtl, const GemmCase& g, const std::vector<uint8_t>& a,
                      const std::vector<uint8_t>& b) {
    const ttpu::Image image = ttpu::build_gemm(spec_of(g), c_);
    const GemmRun run = run_gemm(rtl, image, a, b);
    ASSERT_TRUE(run.result.done) << describe(g) << ": " << describe(run.result);
    EXPECT_TRUE(run.canaries) << describe(g) << ": bytes round the result were written";
    // The golden model must be right by host arithmetic, and the RTL equal to it: so a failure says
    // whether program or chip is wrong.
    DeviceOptions o;
    o.hbm_bytes = 1 << 22;
    ttpu::GoldenDevice golden(c_, o);
    const std::vector<uint8_t> expected = run_gemm(golden, image, a, b).c;
    if (!g.bf16) {
      ASSERT_EQ(expected, host_product(g, a, b))
          << describe(g) << ": the program is wrong on the golden model";
    }
    ASSERT_EQ(run.c.size(), expected.size());
    for (size_t i = 0; i < expected.size(); i += 4)
      ASSERT_EQ(std::memcmp(&run.c[i], &expected[i], 4), 0)
          << describe(g) << ": row " << i / 4 / static_cast<size_t>(g.n) << " column "
          << i / 4 % static_cast<size_t>(g.n) << ": expected "
          << fmt::format("{:02x}{:02x}{:02x}{:02x}", expected[i + 3], expected[i + 2],
                         expected[i + 1], expected[i])
          << " got "
          << fmt::format("{:02x}{:02x}{:02x}{:02x}", run.c[i + 3], run.c[i + 2], run.c[i + 1],
                         run.c[i]);
  }
};

TEST_P(ChipGemm, RandomShapesAndOperands) {
  tb::Random rng;
  const int64_t n = c_.n;
  auto rtl = open(rng.next() | 1, rng.next() | 1);
  const int count = (tb::long_run() ? 20000 : 150) / (c_.micro ? 3 : 1);
  for (int i = 0; i < count; ++i) {
    const GemmCase g{rng.between(1, 3 * n + 1),
                     rng.between(1, 3 * n + 1),
                     rng.between(1, 3 * n + 1),
                     c_.has_fp && rng.chance(30),
                     rng.coin(),
                     rng.coin()};
    SCOPED_TRACE(fmt::format("product {}", i));
    const auto a = operand(g, g.m * g.k, rng), b = operand(g, g.k * g.n, rng);
    expect_product(*rtl, g, a, b);
    if (HasFatalFailure()) return;
  }
}

TEST_P(ChipGemm, C1RowsAndColumnsOverTheArray) {
  tb::Random rng;
  const int64_t n = c_.n;
  auto rtl = open(3);
  for (const int64_t m : {n + 1, int64_t{1}})
    for (const int64_t k : {int64_t{1}, n, n + 1}) {
      const GemmCase g{m, 3 * n, k};
      expect_product(*rtl, g, operand(g, g.m * g.k, rng), operand(g, g.k * g.n, rng));
    }
}

TEST_P(ChipGemm, C2AnyKWithPoisonedMemories) {
  tb::Random rng;
  const int64_t n = c_.n;
  auto rtl = open(0);
  for (const int64_t k : {int64_t{1}, int64_t{3}, int64_t{133}, n + 1}) {
    rtl->write_vmem(0, std::vector<uint8_t>(8192, 0x7f));
    const GemmCase g{n + 3, n + 1, k};
    expect_product(*rtl, g, operand(g, g.m * g.k, rng), operand(g, g.k * g.n, rng));
  }
}

TEST_P(ChipGemm, C4C5C6Extremes) {
  auto rtl = open(0);
  const int64_t n = c_.n;
  const auto all = [](int64_t count, int value) {
    return std::vector<uint8_t>(static_cast<size_t>(count), static_cast<uint8_t>(value));
  };
  // 67,108,864 in every element; half of that where VMEM does not hold the columns
  const int64_t k = c_.vmem_bytes() > 4096 * (n + 2) ? 4096 : 2048;
  const GemmCase c4{2, n, k};
  expect_product(*rtl, c4, all(2 * k, -128), all(k * n, -128));
  const GemmCase c5{1, 1, 2, false, false, true};  // 64,770
  expect_product(*rtl, c5, all(2, 255), all(2, 127));
  const GemmCase c6{1, 2, 1};  // 16,384 and 128
  expect_product(*rtl, c6, all(1, -128), {0x80, 0xff});
}

INSTANTIATE_TEST_SUITE_P(Configs, ChipGemm,
                         testing::Values("nano", "nano8", "mini", "edge", "core16"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace chip_test
