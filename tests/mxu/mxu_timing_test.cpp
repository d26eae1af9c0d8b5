// Cycles that are promised: the cold product, rows without a gap, tiles without a bubble.
#include "mxu_bench.h"
#include "mxu_models.h"

namespace mxu_test {
namespace {

// activity_e of ttpu_reg_pkg
constexpr uint32_t kIdle = 0, kStallMem = 3, kStallData = 4;

template <class B>
MxuLoadw full_load() {
  MxuLoadw load;
  load.k = load.n = B::kN;
  load.stride = 1;
  return load;
}

/// Cycles from the first weight read's grant to the last write of the accumulators, both counted.
template <class Traits>
uint64_t cold_cycles(uint32_t rows) {
  Bench<Traits> bench;
  bench.fill_accumulators();
  bench.run(300);
  bench.send(full_load<Bench<Traits>>().encode());
  MxuMatmul mm;
  mm.rows = rows;
  mm.stride = 1;
  mm.swap = 1;
  bench.send(mm.encode(), 4096);
  const uint64_t grants = bench.w_port.grants;
  bench.ctl.run_until([&] { return bench.w_port.grants != grants; }, 100, "the first grant", bench);
  const uint64_t first = bench.ctl.cycle();  // the grant was in the cycle before
  bench.finish(1000);
  const uint64_t last = bench.ctl.cycle();  // done, and the last write, were in the cycle before
  bench.check_rows(0, rows + 1);
  return last - first + 1;
}

TEST(MxuTiming, ColdProduct) {
  const uint64_t cycles = cold_cycles<N16>(16);
  std::printf("  cold 16x16x16: %llu cycles\n", static_cast<unsigned long long>(cycles));
  EXPECT_EQ(cycles, 55u);  // the goal is 56
  EXPECT_EQ(cold_cycles<N16One>(16), 54u);
  EXPECT_EQ(cold_cycles<N8>(8), 31u);
  EXPECT_EQ(cold_cycles<N8Add>(8), 64u);
  EXPECT_EQ(cold_cycles<N4>(4), 19u);
}

/// Cycles that `tiles` pairs of LOADW and MATMUL of `rows` rows take beyond one a row, in the
/// steady state.
template <class Traits>
uint64_t bubbles(uint32_t rows, Dtype dtype = Dtype::S8) {
  Bench<Traits> bench;
  bench.fill_accumulators();
  const int tiles = 24;
  const uint32_t bytes = dtype == Dtype::BF16 ? 2 : 1;
  for (int i = 0; i < tiles; ++i) {
    MxuLoadw load = full_load<Bench<Traits>>();
    load.dtype = static_cast<uint32_t>(dtype);
    load.stride = static_cast<int32_t>(bytes);
    bench.send(load.encode(), 1024 * static_cast<uint32_t>(i));
    MxuMatmul mm;
    mm.rows = rows;
    mm.stride = static_cast<int32_t>(bytes);
    mm.swap = 1;
    mm.dtype = static_cast<uint32_t>(dtype);
    mm.accumulate = i % 2;
    bench.send(mm.encode(), 512 * static_cast<uint32_t>(i));
  }
  // from the first row of the fifth tile to the last of the last
  std::vector<uint64_t> entered;
  const uint64_t before = bench.rows;
  uint64_t seen = before;
  bench.ctl.run_until(
      [&] {
        if (bench.rows != seen) entered.push_back(bench.ctl.cycle());
        seen = bench.rows;
        return bench.w.idle() && bench.s.idle();
      },
      100'000, "all tiles", bench);
  bench.check_all();
  EXPECT_EQ(entered.size(), static_cast<size_t>(tiles) * rows);
  const size_t from = 4ull * rows;
  return entered.back() - entered[from] + 1 - (entered.size() - from);
}

// docs/reference/mxu.md: no bubble from N/2 + 1 rows a tile on (packed int8; 5 at N = 4 and 8).
TEST(MxuTiming, TilesWithoutABubble) {
  EXPECT_EQ(bubbles<N16>(9), 0u);
  EXPECT_EQ(bubbles<N16One>(9), 0u);
  EXPECT_EQ(bubbles<N16>(16), 0u);
  EXPECT_EQ(bubbles<N16>(49), 0u);
  EXPECT_EQ(bubbles<N16>(10, Dtype::BF16), 0u);
  EXPECT_EQ(bubbles<N8>(5), 0u);
  EXPECT_EQ(bubbles<N8>(6, Dtype::BF16), 0u);
  EXPECT_EQ(bubbles<N8Three>(5), 0u);
  EXPECT_EQ(bubbles<N8Add>(17), 0u);
  EXPECT_EQ(bubbles<N8Add>(15, Dtype::BF16), 20u * 15 - 1) << "a float row every second cycle";
  EXPECT_GT(bubbles<N8Add>(16), 0u) << "better than promised: say so in the reference page";
  EXPECT_EQ(bubbles<N4>(5), 0u);
  EXPECT_GT(bubbles<N16>(8), 0u) << "better than promised: say so in the reference page";
  EXPECT_GT(bubbles<N4>(4), 0u) << "better than promised: say so in the reference page";
}

// Commands on the tile in use follow each other without a gap from two rows on.
TEST(MxuTiming, CommandsWithoutAGap) {
  Bench<N16> bench;
  bench.fill_accumulators();
  for (int i = 0; i < 20; ++i) {
    MxuMatmul mm;
    mm.rows = 2;
    mm.stride = 1;
    bench.send(mm.encode(), 16 * static_cast<uint32_t>(i));
  }
  const uint64_t before = bench.rows;
  bench.ctl.run_until([&] { return bench.rows != before; }, 100, "a row", bench);
  bench.run(39);
  EXPECT_EQ(bench.rows, before + 40);
  bench.finish();
}

// Every cycle has one state, and idle means idle.
TEST(MxuTiming, Activity) {
  Bench<N16> bench;
  bench.fill_accumulators();
  bench.run(200);
  EXPECT_EQ(bench.w.status().activity, kIdle);
  EXPECT_EQ(bench.s.status().activity, kIdle);
  EXPECT_TRUE(bench.w.status().quiet);
  EXPECT_TRUE(bench.s.status().quiet);
  const auto w_before = bench.w.activity(), s_before = bench.s.activity();
  // a MATMUL that waits for its weights, a load that loses its arbitration
  MxuMatmul mm;
  mm.rows = 4;
  mm.swap = 1;
  bench.w_port.stall.set(100, 1);
  Command c;
  c.instr = mm.encode();
  bench.s.send(c);
  bench.run(20);
  EXPECT_GE(bench.s.activity()[kStallData] - s_before[kStallData], 15u);
  c.instr = full_load<Bench<N16>>().encode();
  bench.w.send(c);
  bench.run(20);
  EXPECT_GE(bench.w.activity()[kStallMem] - w_before[kStallMem], 15u);
  bench.w_port.stall.set(0);
  bench.finish();
}

}  // namespace
}  // namespace mxu_test
