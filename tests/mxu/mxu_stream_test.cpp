// Random command streams: walks, rows of any stride, repeated use of one tile, changes of kind,
// additions to few rows, and the VPU reading the accumulators meanwhile.
#include "mxu_bench.h"
#include "mxu_models.h"

namespace mxu_test {
namespace {

template <class Traits>
class MxuStream : public ::testing::Test {};
using Builds =
    ::testing::Types<N4, N4Digits, N8, N8Three, N8Add, N16, N16One, N32, N8Dsp, N16Packed>;
TYPED_TEST_SUITE(MxuStream, Builds);

/// Rows that a walk reaches, as offsets in units of N bytes: lowest and highest.
std::pair<int64_t, int64_t> walk_span(const MxuShape& shape, int32_t stride, uint32_t rows) {
  int64_t low = 0, high = 0;
  for (uint32_t r = 0; r < rows; ++r) {
    int64_t i0 = r, i1 = 0, i2 = 0;
    if (shape.inner0) {
      i0 = r % shape.inner0;
      i1 = r / shape.inner0;
      if (shape.inner1) {
        i2 = i1 / shape.inner1;
        i1 %= shape.inner1;
      }
    }
    const int64_t at = i0 * stride + i1 * shape.stride1 + i2 * shape.stride2;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  return {low, high};
}

/// A random stream of `count` commands. True if all were legal.
template <class B>
void send_stream(B& bench, int count) {
  const uint32_t n = B::kN;
  auto& r = bench.random;
  MxuShape shape;
  bench.send(shape.encode());
  bool filled = false, next_fp = false, fp = false, first = true;
  for (int i = 0; i < count; ++i) {
    if (!filled && (first || r.chance(40))) {
      MxuLoadw load;
      next_fp = bench.config.has_fp && r.chance(50);
      load.dtype = next_fp ? 2 : static_cast<uint32_t>(r.below(2));
      load.k = static_cast<uint32_t>(r.between(1, n));
      load.n = static_cast<uint32_t>(r.between(1, n));
      load.stride = random_stride(bench, r.coin(), next_fp ? 2 * n : n);
      const uint32_t at = random_address(bench, load.k, next_fp ? 2 * n : n, load.stride);
      ASSERT_FALSE(bench.send(load.encode(), at).has_value());
      filled = true;
    }
    if (r.chance(20)) {
      shape.inner0 = static_cast<uint32_t>(r.between(0, 6));
      shape.inner1 = static_cast<uint32_t>(r.between(0, 4));
      shape.stride1 = 2 * static_cast<int32_t>(r.between(-5, 6));
      shape.stride2 = 2 * static_cast<int32_t>(r.between(-9, 9));
      ASSERT_FALSE(bench.send(shape.encode()).has_value());
    }
    MxuMatmul mm;
    mm.swap = filled && (first || r.chance(60));
    first = false;
    if (mm.swap) {
      fp = next_fp;
      filled = false;
    }
    const uint32_t row_bytes = fp ? 2 * n : n;
    mm.dtype = fp ? 2 : static_cast<uint32_t>(r.below(2));
    mm.rows = static_cast<uint32_t>(r.chance(30) ? 1 : r.between(1, 3 * n + 1));
    mm.stride = static_cast<int32_t>(r.between(-3, 4)) * (fp ? 2 : 1);
    auto [low, high] = walk_span(shape, mm.stride, mm.rows);
    const int64_t size = static_cast<int64_t>(bench.golden.vmem.size()) / row_bytes;
    const int64_t unit = row_bytes / n;    // strides of int8 may be odd, bounds in whole rows
    if ((high - low) / unit + 4 > size) {  // the walk does not fit VMEM
      mm.rows = 1;
      low = high = 0;
    }
    const int64_t from = (-low + unit - 1) / unit, to = size - 1 - (high + unit - 1) / unit;
    mm.imm_a = static_cast<uint32_t>(r.between(from, to)) * row_bytes;
    mm.accumulate = r.coin();
    // few rows, so that additions meet
    mm.acc = static_cast<uint32_t>(r.coin() ? r.below(3)
                                            : r.below(bench.config.acc_total() - mm.rows + 1));
    ASSERT_FALSE(bench.send(mm.encode()).has_value());
    if (r.chance(30)) {  // the same rows again, at once
      mm.swap = 0;
      mm.rows = 1;
      mm.accumulate = 1;
      for (int again = 0; again < 3; ++again) ASSERT_FALSE(bench.send(mm.encode()).has_value());
    }
  }
  if (filled) {  // leave no tile behind
    MxuMatmul mm;
    mm.swap = mm.rows = 1;
    mm.dtype = next_fp ? 2 : 0;
    ASSERT_FALSE(bench.send(mm.encode()).has_value());
  }
}

TYPED_TEST(MxuStream, RandomCommands) {
  Bench<TypeParam> bench(7);  // start values at random (case C38)
  bench.fill_accumulators();
  uint64_t commands = 0, vpu_waits = 0;
  for (int round = 0; round < (tb::long_run() ? 4000 : 150) && !this->HasFailure(); ++round) {
    bench.new_operands(round % 3 == 0);
    const uint32_t percent = round % 2 ? 0 : 40;
    bench.w_port.stall.set(percent);
    bench.x_port.stall.set(round % 4 == 2 ? percent : 0);
    send_stream(bench, 30);
    // The VPU asks for rows all the time; it waits only while additions use the half.
    const bool vpu = round % 3 != 1;
    while (!(bench.w.idle() && bench.s.idle())) {
      bench.ctl->acc_req_i = vpu;
      bench.ctl->acc_row_i = static_cast<uint16_t>(bench.random.below(bench.config.acc_total()));
      bench.ctl.settle();
      vpu_waits += vpu && !bench.ctl->acc_gnt_o;
      bench.tick();
      ASSERT_LT(bench.ctl.cycle(), 100'000'000u);
    }
    bench.ctl->acc_req_i = 0;
    ASSERT_FALSE(bench.w.error().has_value());
    ASSERT_FALSE(bench.s.error().has_value());
    bench.check_all();
    commands = bench.w.done().size() + bench.s.done().size();
  }
  EXPECT_GT(vpu_waits, 100u) << "no read of the VPU met an addition";
  bench.w_port.stall.expect_stalled(50);
  bench.x_port.stall.expect_stalled(50);
  EXPECT_EQ(bench.rows, bench.golden.activity.mxu_rows) << "rows_o";
  EXPECT_EQ(bench.macs, bench.golden.activity.mxu_macs) << "macs_o";
  std::printf("  %llu commands, %llu cycles\n", static_cast<unsigned long long>(commands),
              static_cast<unsigned long long>(bench.ctl.cycle()));
}

// A tile of the other kind waits while the array is long empty. Then a lone row of the old tile
// and, right behind it, the swap: it must wait until the row has left the array.
TYPED_TEST(MxuStream, SwapOfTheOtherKindRightBehindALoneRow) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  bench.new_operands(false);
  bench.send(MxuShape{}.encode());
  const uint32_t n = Bench<TypeParam>::kN;
  const auto run_empty = [&] {
    bench.finish();
    bench.run(8 * n + 40);
  };
  for (int round = 0; round < 8 && !this->HasFailure(); ++round) {
    const bool fp = bench.config.has_fp && round % 2;
    MxuLoadw load;
    load.dtype = fp ? 2 : 1;
    load.k = load.n = n;
    load.stride = fp ? 2 : 1;
    MxuMatmul row;  // of the tile before
    row.dtype = fp || !bench.config.has_fp ? 1 : 2;
    row.rows = 1;
    row.stride = row.dtype == 2 ? 2 : 1;
    MxuMatmul swap;
    swap.swap = 1;
    swap.dtype = load.dtype;
    swap.rows = 3;
    swap.stride = fp ? 2 : 1;
    swap.acc = 8;
    ASSERT_FALSE(bench.send(load.encode(), 0).has_value());
    run_empty();
    if (round > 0) {
      ASSERT_FALSE(bench.send(row.encode()).has_value());
    }
    ASSERT_FALSE(bench.send(swap.encode()).has_value());
    run_empty();
    ASSERT_FALSE(bench.s.error().has_value());
    bench.check_all();
  }
}

// A row granted after its write is the new one, through the VPU's port while the MXU writes.
TYPED_TEST(MxuStream, VpuSeesARowAfterItsWrite) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  MxuLoadw load;
  load.k = load.n = TypeParam::kN;
  load.stride = 1;
  bench.send(load.encode(), 64);
  MxuMatmul mm;
  mm.rows = mm.swap = 1;
  mm.acc = 5;
  const std::vector<uint32_t> before(&bench.golden.acc[5 * TypeParam::kN],
                                     &bench.golden.acc[6 * TypeParam::kN]);
  bench.send(mm.encode(), 1024);
  const std::vector<uint32_t> after(&bench.golden.acc[5 * TypeParam::kN],
                                    &bench.golden.acc[6 * TypeParam::kN]);
  ASSERT_NE(before, after);
  // Ask for the row in each cycle; the answers are old up to the cycle of done, then new.
  bench.ctl->acc_req_i = 1;
  bench.ctl->acc_row_i = 5;
  std::vector<bool> done;
  for (int i = 0; i < 200; ++i) {
    bench.ctl.settle();
    ASSERT_TRUE(bench.ctl->acc_gnt_o);
    const size_t count = bench.s.done().size();
    const auto lanes = tb::get_lanes<uint32_t>(bench.ctl->acc_data_o, TypeParam::kN);
    if (done.size() >= 2) {
      const bool granted_after_done = done[done.size() - 2];
      ASSERT_EQ(lanes, granted_after_done ? after : before) << "cycle " << bench.ctl.cycle();
    }
    done.push_back(count == 2);
    bench.tick();
  }
  ASSERT_TRUE(done.back());
}

}  // namespace
}  // namespace mxu_test
