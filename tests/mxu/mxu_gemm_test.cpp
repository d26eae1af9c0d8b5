// Random products of full-range operands on every build, against the golden model.
#include "mxu_bench.h"
#include "mxu_models.h"

namespace mxu_test {
namespace {

template <class Traits>
class MxuGemm : public ::testing::Test {};
using Builds =
    ::testing::Types<N4, N4Digits, N8, N8Three, N8Add, N16, N16One, N32, N8Dsp, N16Packed>;

struct BuildName {
  template <class T>
  static std::string GetName(int) {
    return tb::format("N%uStages%uFp%uAdd%u", T::kN, T::kStages, T::kHasFp, T::kFpStages);
  }
};
TYPED_TEST_SUITE(MxuGemm, Builds, BuildName);

/// How many products: 22,000 over all builds, a million in the long form.
uint64_t products(uint32_t n) {
  const uint64_t short_form = n == 4 ? 5000 : n == 8 ? 3500 : n == 16 ? 2500 : 600;
  return tb::long_run() ? short_form * 46 : short_form;
}

// Batches of three products queued without waiting; memory grants stall at random; the results and
// the rows before and behind them are compared.
TYPED_TEST(MxuGemm, RandomShapes) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  bench.check_all();
  uint64_t done = 0, stalls = 0;
  const uint64_t count = products(TypeParam::kN);
  while (done < count && !this->HasFailure()) {
    const uint32_t percent =
        bench.random.coin() ? 0 : static_cast<uint32_t>(bench.random.below(60));
    bench.w_port.stall.set(percent);
    bench.x_port.stall.set(bench.random.coin() ? percent : 0);
    bench.w.stall().set(bench.random.coin() ? 0 : percent);
    bench.s.stall().set(bench.random.coin() ? 0 : percent);
    std::vector<Gemm> batch(3);
    for (Gemm& g : batch) {
      g = random_gemm(bench);
      send_gemm(bench, g, bench.random.coin());
      ++done;
    }
    if (!bench.finish()) break;
    if (bench.w.error() || bench.s.error()) {
      ADD_FAILURE() << "an error without a cause after " << bench.s.now();
      break;
    }
    for (const Gemm& g : batch) bench.check_rows(g.acc - 1, g.acc + g.tail_rows + 1);
    if (done % 60 == 0) bench.new_operands(done % 120 == 0);
    if (done % 300 == 0) {
      bench.check_all();
    }
  }
  stalls = bench.w_port.stall.count() + bench.x_port.stall.count() + bench.w.stall().count() +
           bench.s.stall().count();
  bench.w_port.stall.expect_stalled(count / 10);
  bench.x_port.stall.expect_stalled(count / 10);
  bench.w.stall().expect_stalled(count / 10);
  bench.s.stall().expect_stalled(count / 10);
  EXPECT_EQ(bench.rows, bench.golden.activity.mxu_rows) << "rows_o";
  EXPECT_EQ(bench.macs, bench.golden.activity.mxu_macs) << "macs_o";
  std::printf(
      "  %llu products, %llu cycles, %llu stalls, seed %llu\n",
      static_cast<unsigned long long>(done), static_cast<unsigned long long>(bench.ctl.cycle()),
      static_cast<unsigned long long>(stalls), static_cast<unsigned long long>(bench.ctl.seed()));
}

}  // namespace
}  // namespace mxu_test
