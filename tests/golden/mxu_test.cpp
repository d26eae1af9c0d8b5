// MXU of the golden model against plain loops.
#include <chrono>

#include "tests/golden/bench.h"

namespace ttpu::golden {
namespace {

using isa::Dtype;
using isa::Error;

struct Gemm {
  uint32_t m, k, n;  // C[m][n] = A[m][k] * B[k][n]
  Dtype a_type, b_type;
  uint32_t a_addr, b_addr;  // VMEM; rows of the config's N elements, tiles one after another
};

uint32_t tiles(uint32_t size, uint32_t n) { return (size + n - 1) / n; }

/// Runs tile by tile: K tiles add up in accumulator rows acc + column tile * m.
void run_gemm(Machine& machine, const Gemm& g, uint32_t acc_base) {
  const uint32_t n = machine.config().n;
  const uint32_t a_row = n * bytes_of(g.a_type), b_row = n * bytes_of(g.b_type);
  for (uint32_t ct = 0; ct < tiles(g.n, n); ++ct) {
    for (uint32_t kt = 0; kt < tiles(g.k, n); ++kt) {
      isa::MxuLoadw load;
      load.stride = static_cast<int32_t>(bytes_of(g.b_type));
      load.k = std::min(n, g.k - kt * n);
      load.n = std::min(n, g.n - ct * n);
      load.dtype = static_cast<uint32_t>(g.b_type);
      must(machine, command(load, g.b_addr + (ct * tiles(g.k, n) + kt) * n * b_row));
      isa::MxuMatmul mul;
      mul.stride = static_cast<int32_t>(bytes_of(g.a_type));
      mul.rows = g.m;
      mul.dtype = static_cast<uint32_t>(g.a_type);
      mul.accumulate = kt != 0;
      mul.swap = 1;
      must(machine, command(mul, g.a_addr + kt * g.m * a_row, acc_base + ct * g.m));
    }
  }
}

/// Element (row, col) of the tiles of an operand with `rows` rows, in VMEM.
int32_t operand(const Machine& m, uint32_t addr, uint32_t rows, uint32_t row, uint32_t col,
                Dtype type) {
  const uint32_t n = m.config().n;
  const uint8_t byte = m.vmem[addr + ((col / n) * rows + row) * n + col % n];
  return type == Dtype::S8 ? static_cast<int8_t>(byte) : byte;
}

/// Compares with a plain loop and checks the canary behind the result.
void check_gemm(const Machine& machine, const Gemm& g, uint32_t acc_base) {
  const uint32_t n = machine.config().n, k_tiles = tiles(g.k, n);
  for (uint32_t r = 0; r < g.m; ++r) {
    for (uint32_t c = 0; c < g.n; ++c) {
      uint32_t sum = 0;
      for (uint32_t i = 0; i < g.k; ++i) {
        const uint8_t byte =
            machine.vmem[g.b_addr + (((c / n) * k_tiles + i / n) * n + i % n) * n + c % n];
        const int32_t w = g.b_type == Dtype::S8 ? static_cast<int8_t>(byte) : byte;
        sum += static_cast<uint32_t>(operand(machine, g.a_addr, g.m, r, i, g.a_type) * w);
      }
      ASSERT_EQ(machine.acc[(acc_base + (c / n) * g.m + r) * n + c % n], sum)
          << "row " << r << " column " << c;
    }
  }
}

constexpr uint32_t kCanary = 0xdeadbeef;

void random_gemm(tb::Random& random, const Config& cfg, uint32_t m, uint32_t k, uint32_t n) {
  Machine machine(cfg, 0);
  random.fill(machine.vmem);  // poison round and between the operands
  std::fill(machine.acc.begin(), machine.acc.end(), kCanary);
  Gemm g{m, k, n, random.coin() ? Dtype::S8 : Dtype::U8, random.coin() ? Dtype::S8 : Dtype::U8,
         0, 0};
  g.b_addr = tiles(k, cfg.n) * m * cfg.n;
  g.b_addr = (g.b_addr + 4 * cfg.n - 1) / (4 * cfg.n) * (4 * cfg.n);
  ASSERT_LE(g.b_addr + tiles(k, cfg.n) * tiles(n, cfg.n) * cfg.n * cfg.n, machine.vmem.size());
  const uint32_t base = 1;
  run_gemm(machine, g, base);
  check_gemm(machine, g, base);
  for (uint32_t c = 0; c < cfg.n; ++c) {
    EXPECT_EQ(machine.acc[c], kCanary);
    EXPECT_EQ(machine.acc[(base + tiles(n, cfg.n) * m) * cfg.n + c], kCanary);
  }
  // Columns that no weight feeds are 0.
  if (n % cfg.n != 0) {
    EXPECT_EQ(machine.acc[(base + (tiles(n, cfg.n) - 1) * m) * cfg.n + cfg.n - 1], 0u);
  }
}

TEST(GoldenMxu, C1_ragged_shapes_write_every_row_and_nothing_else) {
  tb::Random random;
  for (const char* name : {"mini", "edge", "core16"}) {
    const Config& cfg = config(name);
    random_gemm(random, cfg, cfg.n + 1, cfg.n, 3 * cfg.n);
    random_gemm(random, cfg, 1, cfg.n, 3 * cfg.n);
  }
}

TEST(GoldenMxu, C2_padding_is_never_summed) {
  tb::Random random;
  for (const char* name : {"edge", "core16"}) {
    const Config& cfg = config(name);
    for (const uint32_t k : {1u, 3u, 133u, cfg.n + 1}) random_gemm(random, cfg, 5, k, cfg.n - 1);
  }
}

TEST(GoldenMxu, C3_repeated_jobs_leave_no_state) {
  tb::Random random;
  const Config& cfg = config("core16");
  Machine machine(cfg, 0);
  random.fill(machine.vmem);
  const Gemm g{20, 40, 17, Dtype::S8, Dtype::U8, 0, 4096};
  run_gemm(machine, g, 0);
  const auto first = machine.acc;
  for (int i = 0; i < 3; ++i) run_gemm(machine, g, 0);
  EXPECT_EQ(machine.acc, first);
}

TEST(GoldenMxu, C4_longest_sum_of_extremes) {
  const Config& cfg = config("core16");
  Machine machine(cfg, 0);
  std::fill(machine.vmem.begin(), machine.vmem.end(), 0x80);
  const Gemm g{2, 4096, 16, Dtype::S8, Dtype::S8, 0, 65536};
  run_gemm(machine, g, 0);
  for (uint32_t c = 0; c < 2 * cfg.n; ++c) ASSERT_EQ(machine.acc[c], 67'108'864u);
}

uint32_t dot(Dtype a_type, std::vector<uint8_t> a, Dtype b_type, std::vector<uint8_t> b) {
  const Config& cfg = config("mini");
  Machine machine(cfg, 0);
  std::copy(a.begin(), a.end(), machine.vmem.begin());
  for (size_t i = 0; i < b.size(); ++i) machine.vmem[64 + i * cfg.n] = b[i];
  run_gemm(machine, {1, static_cast<uint32_t>(a.size()), 1, a_type, b_type, 0, 64}, 0);
  return machine.acc[0];
}

TEST(GoldenMxu, C5_unsigned_by_signed) {
  EXPECT_EQ(dot(Dtype::U8, {255, 255}, Dtype::S8, {127, 127}), 64'770u);
}

TEST(GoldenMxu, C6_most_negative_operands) {
  EXPECT_EQ(dot(Dtype::S8, {0x80}, Dtype::S8, {0x80}), 16'384u);
  EXPECT_EQ(dot(Dtype::S8, {0x80}, Dtype::S8, {0xff}), 128u);
}

TEST(GoldenMxu, random_shapes_and_signs) {
  tb::Random random;
  for (const char* name : {"mini", "edge", "core16"}) {
    const Config& cfg = config(name);
    for (int i = 0; i < 60; ++i)
      random_gemm(random, cfg, static_cast<uint32_t>(random.between(1, 3 * cfg.n + 1)),
                  static_cast<uint32_t>(random.between(1, 3 * cfg.n + 1)),
                  static_cast<uint32_t>(random.between(1, 3 * cfg.n + 1)));
  }
}

TEST(GoldenMxu, bf16_sums_in_order_and_masks_are_neutral) {
  tb::Random random;
  const Config& cfg = config("edge");
  const uint32_t n = cfg.n;
  for (int trial = 0; trial < 200; ++trial) {
    Machine machine(cfg, 0);
    random.fill(machine.vmem);
    if (trial % 2 == 0)  // sums that cancel, and NaN seldom
      for (size_t i = 1; i < machine.vmem.size(); i += 2)
        machine.vmem[i] = static_cast<uint8_t>((machine.vmem[i] & 0x83) | 0x3c);
    for (auto& lane : machine.acc) lane = any_float(random);
    const auto before = machine.acc;
    const auto k = static_cast<uint32_t>(random.between(1, n)),
               columns = static_cast<uint32_t>(random.between(1, n)),
               rows = static_cast<uint32_t>(random.between(1, 20));
    isa::MxuLoadw load{.imm_a = 4096,
                       .stride = 2,
                       .k = k,
                       .n = columns,
                       .dtype = static_cast<uint32_t>(Dtype::BF16)};
    isa::MxuMatmul mul{.imm_a = 0,
                       .stride = 2,
                       .rows = rows,
                       .acc = 3,
                       .dtype = static_cast<uint32_t>(Dtype::BF16),
                       .accumulate = random.coin(),
                       .swap = 1};
    must(machine, command(load));
    must(machine, command(mul));
    const auto element = [&](uint32_t addr) {
      uint16_t half;
      std::memcpy(&half, &machine.vmem[addr], 2);
      return from_bf16(half);
    };
    for (uint32_t r = 0; r < rows; ++r) {
      for (uint32_t c = 0; c < n; ++c) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < k && c < columns; ++i)
          sum = fadd(sum, fmul(element(r * 2 * n + 2 * i), element(4096 + i * 2 * n + 2 * c)));
        const size_t at = (3 + r) * n + c;
        ASSERT_EQ(machine.acc[at], mul.accumulate ? fadd(before[at], sum) : sum)
            << "trial " << trial << " row " << r << " column " << c;
      }
    }
  }
}

TEST(GoldenMxu, walk_of_three_dimensions) {
  const Config& cfg = config("mini");
  Machine machine(cfg, 0);
  for (uint32_t r = 0; r < 256; ++r) machine.vmem[r * cfg.n] = static_cast<uint8_t>(r);
  machine.vmem[8192] = 1;
  must(machine, command(isa::MxuLoadw{.imm_a = 8192, .stride = 1, .k = 1, .n = 1, .dtype = 1}));
  must(machine, command(isa::MxuShape{.inner0 = 2, .stride1 = 10, .inner1 = 3, .stride2 = 100}));
  must(machine,
       command(isa::MxuMatmul{.imm_a = 4, .stride = 3, .rows = 12, .dtype = 1, .swap = 1}));
  const uint32_t expected[] = {1, 4, 11, 14, 21, 24, 101, 104, 111, 114, 121, 124};
  for (uint32_t r = 0; r < 12; ++r) EXPECT_EQ(machine.acc[r * cfg.n], expected[r]) << r;
}

TEST(GoldenMxu, weights_are_handed_over) {
  Machine machine(config("mini"), 0);
  const auto load = command(isa::MxuLoadw{.stride = 1, .k = 4, .n = 4, .dtype = 0});
  const auto swap = command(isa::MxuMatmul{.stride = 1, .rows = 1, .dtype = 0, .swap = 1});
  const auto keep = command(isa::MxuMatmul{.stride = 1, .rows = 1, .dtype = 0, .swap = 0});
  EXPECT_FALSE(machine.ready(swap));
  EXPECT_TRUE(machine.ready(load));
  must(machine, load);
  EXPECT_FALSE(machine.ready(load));
  EXPECT_TRUE(machine.ready(swap));
  must(machine, swap);
  EXPECT_TRUE(machine.ready(load));
  EXPECT_TRUE(machine.ready(keep));
  machine.clear();
  EXPECT_FALSE(machine.ready(swap));
}

TEST(GoldenMxu, errors_in_order) {
  const Config& cfg = config("mini");
  Machine machine(cfg, 0);
  using Load = isa::MxuLoadw;
  using Mul = isa::MxuMatmul;
  must_fail(machine, command(Load{.k = 0, .n = 9, .dtype = 7}), Error::BAD_FIELD, 0);
  must_fail(machine, command(Load{.k = 5, .n = 4, .dtype = 0}), Error::BAD_FIELD, 5);
  must_fail(machine, command(Load{.k = 4, .n = 6, .dtype = 0}), Error::BAD_FIELD, 6);
  must_fail(machine, command(Load{.k = 4, .n = 4, .dtype = 3}), Error::BAD_FIELD, 3);
  must_fail(machine, command(Load{.k = 4, .n = 4, .dtype = 2}), Error::UNSUPPORTED, 2);
  must_fail(machine, command(Load{.k = 4, .n = 4, .dtype = 0}, 0x1000002), Error::BAD_ALIGN,
            0x1000002);
  must_fail(machine, command(Load{.stride = 1, .k = 4, .n = 4, .dtype = 0}, cfg.vmem_bytes() - 8),
            Error::VMEM_BOUNDS, cfg.vmem_bytes());
  must_fail(machine, command(Mul{.rows = 1, .dtype = 0}, 0, 0, 0xffff), Error::BAD_FIELD, 0x10000);
  must_fail(machine, command(Mul{.rows = 1, .dtype = 0}, 0, 0, 0xffffffff), Error::BAD_FIELD, 0);
  must_fail(machine, command(Mul{.stride = -1, .rows = 3, .dtype = 0}, 4), Error::VMEM_BOUNDS,
            0xfffffffc);
  must_fail(machine, command(Mul{.rows = 3, .acc = cfg.acc_total() - 2, .dtype = 0}),
            Error::ACC_BOUNDS, cfg.acc_total());
  // The second row of A and of the accumulators are both out: A is met first.
  must_fail(machine,
            command(Mul{.imm_a = cfg.vmem_bytes() - 4,
                        .stride = 1,
                        .rows = 2,
                        .acc = cfg.acc_total() - 1,
                        .dtype = 0}),
            Error::VMEM_BOUNDS, cfg.vmem_bytes());
  // A bf16 row is 2N bytes: an odd stride leaves the second row between two.
  Machine fp(config("edge"), 0);
  must_fail(fp, command(Load{.stride = 1, .k = 2, .n = 8, .dtype = 2}), Error::BAD_ALIGN, 8);
  must_fail(fp, command(Mul{.stride = 3, .rows = 2, .dtype = 2}), Error::BAD_FIELD, 2);
  must(fp, command(Load{.stride = 2, .k = 2, .n = 8, .dtype = 2}));
  must_fail(fp, command(Mul{.stride = 3, .rows = 2, .dtype = 0, .swap = 1}), Error::BAD_FIELD, 0);
  must_fail(fp, command(Mul{.stride = 3, .rows = 2, .dtype = 2, .swap = 1}), Error::BAD_ALIGN, 24);
  // An odd stride2 misplaces row 2 only: the bounds of row 0 come first.
  must(fp, command(isa::MxuShape{.inner0 = 2, .stride1 = 2, .inner1 = 1, .stride2 = 1}));
  must_fail(fp, command(Mul{.stride = 2, .rows = 3, .dtype = 2, .swap = 1}), Error::BAD_ALIGN, 8);
  must_fail(fp, command(Mul{.stride = 2, .rows = 3, .dtype = 2, .swap = 1}, 0x1000000),
            Error::VMEM_BOUNDS, 0x1000000);
  // Before any weights the array is 0 x 0.
  Machine fresh(cfg, 0);
  fresh.acc[0] = 7;
  must(fresh, command(Mul{.stride = 1, .rows = 1, .dtype = 0, .accumulate = 1}));
  EXPECT_EQ(fresh.acc[0], 7u);
  EXPECT_EQ(fresh.activity.mxu_macs, 0u);
}

TEST(GoldenMxu, a_large_product_is_fast) {
  const Config& cfg = config("core16");
  Machine machine(cfg, 0);
  tb::Random random;
  random.fill(machine.vmem);
  const auto start = std::chrono::steady_clock::now();
  // 1/16 of 1024 x 1024 x 1024.
  for (int i = 0; i < 256; ++i) {
    must(machine, command(isa::MxuLoadw{.stride = 1, .k = 16, .n = 16, .dtype = 0}));
    must(machine, command(isa::MxuMatmul{
                      .stride = 1, .rows = 1024, .dtype = 0, .accumulate = 1, .swap = 1}));
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("[ttpu] %.2f GMAC/s\n",
              static_cast<double>(machine.activity.macs_int8) / seconds / 1e9);
  EXPECT_EQ(machine.activity.macs_int8, 256u * 1024 * 256);
  EXPECT_LT(seconds, 5.0);  // about 0.06 s; a debug build or a busy machine may be slower
}

}  // namespace
}  // namespace ttpu::golden
