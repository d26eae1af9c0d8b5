// Energy model: the published numbers, interpolation, and parts that add up.
#include "energy/energy.h"

#include "tests/golden/bench.h"

namespace ttpu::energy {
namespace {

using golden::Activity;

TEST(Energy, tables_hold_the_published_numbers) {
  const Table& t45 = table(Node::NM45);
  const Table& t7 = table(Node::NM7);
  const double at45[] = {t45.add_int8, t45.mul_int8, t45.add_int32, t45.mul_int32, t45.add_fp16,
                         t45.mul_fp16, t45.add_fp32, t45.mul_fp32,  t45.dram};
  const double want45[] = {0.03, 0.2, 0.1, 3.1, 0.4, 1.1, 0.9, 3.7, 1300};
  const double at7[] = {t7.add_int8, t7.mul_int8, t7.add_int32, t7.mul_int32, t7.add_bf16,
                        t7.mul_bf16, t7.add_fp16, t7.mul_fp16,  t7.add_fp32,  t7.mul_fp32};
  const double want7[] = {0.007, 0.07, 0.03, 1.48, 0.11, 0.21, 0.16, 0.34, 0.38, 1.31};
  for (size_t i = 0; i < std::size(at45); ++i) EXPECT_DOUBLE_EQ(at45[i], want45[i]) << i;
  for (size_t i = 0; i < std::size(at7); ++i) EXPECT_DOUBLE_EQ(at7[i], want7[i]) << i;
  EXPECT_GE(t7.dram, 250);
  EXPECT_LE(t7.dram, 450);
}

TEST(Energy, sram_meets_the_published_sizes_and_grows_between_them) {
  for (const Node node : {Node::NM45, Node::NM7}) {
    const Table& t = table(node);
    EXPECT_NEAR(sram_access(t, 8192), t.sram_8k, 1e-9);
    EXPECT_NEAR(sram_access(t, 32768), t.sram_32k, 1e-9);
    EXPECT_NEAR(sram_access(t, 1 << 20), t.sram_1m, 1e-9);
    double before = 0;
    for (double bytes = 1024; bytes < 1 << 24; bytes *= 1.3) {
      EXPECT_GT(sram_access(t, bytes), before);
      before = sram_access(t, bytes);
    }
  }
  EXPECT_NEAR(sram_access(table(Node::NM45), 16384), 14.1421356, 1e-6);  // 10 * sqrt(2)
}

TEST(Energy, each_activity_goes_to_its_part) {
  const Config& cfg = *find_config("core16");  // banks and accumulator halves of 32 KiB
  Activity a;
  a.macs_int8 = 1000;
  EXPECT_NEAR(estimate(a, cfg, Node::NM45).part("mxu"), 1000 * 0.3, 1e-9);
  EXPECT_NEAR(estimate(a, cfg, Node::NM7).part("mxu"), 1000 * 0.10, 1e-9);
  EXPECT_NEAR(estimate(a, cfg, Node::NM7).total_pj(), 1000 * 0.10, 1e-9);
  a = {};
  a.macs_bf16 = 10;
  EXPECT_NEAR(estimate(a, cfg, Node::NM7).part("mxu"), 10 * 0.59, 1e-9);
  a = {};
  a.vmem_read_bytes = 8, a.vmem_write_bytes = 16;
  EXPECT_NEAR(estimate(a, cfg, Node::NM45).part("vmem"), 60, 1e-9);
  a = {};
  a.acc_read_bytes = 64;
  EXPECT_NEAR(estimate(a, cfg, Node::NM7).part("acc"), 8 * 8.5, 1e-9);
  a = {};
  a.hbm_read_bytes = 8, a.hbm_write_bytes = 8;
  EXPECT_NEAR(estimate(a, cfg, Node::NM45).part("hbm"), 2600, 1e-9);
  EXPECT_NEAR(estimate(a, cfg, Node::NM7).part("hbm"), 700, 1e-9);
  a = {};
  a.vpu_int_ops = 1, a.vpu_fp_add = 1, a.vpu_fp_mul = 1;
  EXPECT_NEAR(estimate(a, cfg, Node::NM45).part("vpu"), 0.1 + 0.9 + 3.7, 1e-9);
  a = {};
  a.cmem_read_bytes = 8;
  EXPECT_EQ(estimate(a, cfg, Node::NM7).part("cmem"), 0);
  EXPECT_NEAR(estimate(a, *find_config("core128"), Node::NM7).part("cmem"), 14, 1e-9);
  a = {};
  a.scalar_instructions = 1;
  EXPECT_GT(estimate(a, cfg, Node::NM7).part("control"), 0);
  EXPECT_EQ(estimate(a, cfg, Node::NM7).part("nothing"), 0);
}

TEST(Energy, of_a_matrix_product) {
  // One tile on the golden model: rows x k x n MACs, and every byte counted once.
  const Config& cfg = *find_config("core16");
  golden::Machine m(cfg, 0);
  golden::must(m, golden::command(isa::MxuLoadw{.stride = 1, .k = 16, .n = 10}));
  golden::must(
      m, golden::command(isa::MxuMatmul{.stride = 1, .rows = 20, .accumulate = 1, .swap = 1}));
  EXPECT_EQ(m.activity.macs_int8, 20u * 16 * 10);
  EXPECT_EQ(m.activity.mxu_macs, 20u * 16 * 10);
  EXPECT_EQ(m.activity.mxu_rows, 20u);
  EXPECT_EQ(m.activity.vmem_read_bytes, 16u * 16 + 20 * 16);
  EXPECT_EQ(m.activity.acc_write_bytes, 20u * 64);
  EXPECT_EQ(m.activity.acc_read_bytes, 20u * 64);
}

}  // namespace
}  // namespace ttpu::energy
