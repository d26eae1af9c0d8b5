// Small inputs at which matrix units have failed, by their numbers in the test plan.
#include <bit>
#include <cmath>
#include <limits>

#include "mxu_bench.h"
#include "mxu_models.h"

namespace mxu_test {
namespace {

template <class Traits>
class MxuCase : public ::testing::Test {};
using Builds = ::testing::Types<N4, N4Digits, N8, N8Add, N16, N8Dsp, N16Packed>;
TYPED_TEST_SUITE(MxuCase, Builds);
template <class Traits>
class MxuFloatCase : public ::testing::Test {};
using FloatBuilds = ::testing::Types<N8, N8Three, N8Add, N16, N16One>;
TYPED_TEST_SUITE(MxuFloatCase, FloatBuilds);

uint16_t bf16(float f) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(f) >> 16); }

/// One product out[m][n] = a[m][k] * w[k][n] of given elements; returns the accumulators' bits.
/// VMEM is poison except for the elements themselves.
template <class B, class Element>
std::vector<std::vector<uint32_t>> product(B& bench, const std::vector<std::vector<Element>>& a,
                                           const std::vector<std::vector<Element>>& w, Dtype a_type,
                                           Dtype w_type) {
  const uint32_t n = B::kN, m = static_cast<uint32_t>(a.size()),
                 k_all = static_cast<uint32_t>(w.size()), cols = static_cast<uint32_t>(w[0].size());
  const uint32_t row = n * static_cast<uint32_t>(sizeof(Element)), w_at = 16384;
  bench.random.fill(bench.golden.vmem);
  std::vector<std::vector<uint32_t>> out(m, std::vector<uint32_t>(cols));
  for (uint32_t c = 0; c < cols; c += n) {
    for (uint32_t k = 0; k < k_all; k += n) {
      MxuLoadw load;
      load.k = std::min(n, k_all - k);
      load.n = std::min(n, cols - c);
      load.stride = sizeof(Element);
      load.dtype = static_cast<uint32_t>(w_type);
      for (uint32_t i = 0; i < load.k; ++i)
        std::memcpy(&bench.golden.vmem[w_at + i * row], &w[k + i][c], load.n * sizeof(Element));
      EXPECT_FALSE(bench.send(load.encode(), w_at).has_value());
      MxuMatmul mm;
      mm.rows = m;
      mm.stride = sizeof(Element);
      mm.dtype = static_cast<uint32_t>(a_type);
      mm.swap = 1;
      mm.accumulate = k > 0;
      mm.acc = 1;
      for (uint32_t i = 0; i < m; ++i)
        std::memcpy(&bench.golden.vmem[i * row], &a[i][k], load.k * sizeof(Element));
      EXPECT_FALSE(bench.send(mm.encode()).has_value());
      bench.finish();
    }
    bench.check_rows(0, m + 2);
    for (uint32_t i = 0; i < m; ++i)
      for (uint32_t j = 0; j < std::min(n, cols - c); ++j)
        out[i][c + j] = bench.golden.acc[(1 + i) * n + j];
  }
  return out;
}

template <class Element>
std::vector<std::vector<Element>> filled(uint32_t rows, uint32_t cols, Element value) {
  return std::vector<std::vector<Element>>(rows, std::vector<Element>(cols, value));
}

// C1: M = N + 1 and M = 1, 3N columns: each row written, nothing beyond (rows 0 and M + 1).
TYPED_TEST(MxuCase, C1RowsAndCanaries) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  const uint32_t n = TypeParam::kN;
  for (const uint32_t m : {n + 1, 1u}) {
    auto a = filled<int8_t>(m, n, 0), w = filled<int8_t>(n, 3 * n, 0);
    for (auto& row : a) bench.random.fill(row);
    for (auto& row : w) bench.random.fill(row);
    const auto out = product(bench, a, w, Dtype::S8, Dtype::S8);
    for (uint32_t i = 0; i < m; ++i) {
      for (uint32_t j = 0; j < 3 * n; ++j) {
        int32_t sum = 0;
        for (uint32_t k = 0; k < n; ++k) sum += a[i][k] * w[k][j];
        ASSERT_EQ(out[i][j], static_cast<uint32_t>(sum));
      }
    }
  }
  bench.check_all();
}

// C2: K = 1, 3, 133, N + 1 in poisoned VMEM: no padding is summed.
TYPED_TEST(MxuCase, C2Padding) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  for (const uint32_t k : {1u, 3u, 133u, TypeParam::kN + 1}) {
    const auto out = product(bench, filled<uint8_t>(2, k, 255), filled<uint8_t>(k, 3, 255),
                             Dtype::U8, Dtype::U8);
    for (const auto& row : out)
      for (const uint32_t x : row) EXPECT_EQ(x, 65025 * k);
  }
}

// C3: twice the same, and three queued without waiting: identical, no state left over.
TYPED_TEST(MxuCase, C3Repeated) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  const uint32_t n = TypeParam::kN;
  MxuLoadw load;
  load.k = n - 1;
  load.n = n;
  load.stride = 1;
  MxuMatmul mm;
  mm.rows = 3;
  mm.stride = 1;
  mm.swap = 1;
  for (uint32_t i = 0; i < 4; ++i) {
    bench.send(load.encode(), 512);
    mm.acc = 4 * i;
    bench.send(mm.encode());
    if (i == 0) bench.finish();
  }
  bench.finish();
  bench.check_all();
  for (uint32_t i = 1; i < 4; ++i)
    for (uint32_t x = 0; x < 3 * n; ++x)
      EXPECT_EQ(bench.golden.acc[4 * i * n + x], bench.golden.acc[x]);
}

// C4: K = 4096, all -128.
TYPED_TEST(MxuCase, C4LongSum) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  const uint32_t n = TypeParam::kN;
  const auto out = product(bench, filled<int8_t>(1, 4096, -128), filled<int8_t>(4096, n, -128),
                           Dtype::S8, Dtype::S8);
  for (const uint32_t x : out[0]) EXPECT_EQ(x, 67'108'864u);
}

// C5, C6: signs of each operand.
TYPED_TEST(MxuCase, C5C6Signs) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  EXPECT_EQ(product(bench, filled<uint8_t>(1, 2, 255), filled<uint8_t>(2, 1, 127), Dtype::U8,
                    Dtype::S8)[0][0],
            64'770u);
  for (const auto& [w, want] : {std::pair<int8_t, uint32_t>{-128, 16'384}, {-1, 128}}) {
    const auto out =
        product(bench, filled<int8_t>(1, 1, -128), filled<int8_t>(1, 1, w), Dtype::S8, Dtype::S8);
    EXPECT_EQ(out[0][0], want);
  }
}

// All 2^16 pairs of bytes in all four combinations of signs: 2^18 products.
TYPED_TEST(MxuCase, AllProducts) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  const uint32_t n = TypeParam::kN;
  // 256 activation rows of one element each, in one column of lanes; n weights at a time.
  for (uint32_t i = 0; i < 256; ++i) {
    std::memset(&bench.golden.vmem[i * n], 0x5a, n);
    bench.golden.vmem[i * n] = static_cast<uint8_t>(i);
  }
  for (uint32_t i = 0; i < 256; ++i) bench.golden.vmem[16384 + i] = static_cast<uint8_t>(i);
  uint64_t checked = 0;
  const uint32_t part = std::min(256u, bench.config.acc_total());
  for (uint32_t types = 0; types < 4; ++types) {
    for (uint32_t w = 0; w < 256; w += n) {
      MxuLoadw load;
      load.k = 1;
      load.n = n;
      load.dtype = types & 1;
      ASSERT_FALSE(bench.send(load.encode(), 16384 + w).has_value());
      for (uint32_t first = 0; first < 256; first += part) {
        MxuMatmul mm;
        mm.rows = part;
        mm.stride = 1;
        mm.dtype = types >> 1;
        mm.swap = first == 0;
        ASSERT_FALSE(bench.send(mm.encode(), first * n).has_value());
        ASSERT_TRUE(bench.finish());
        bench.check_rows(0, part);
        for (uint32_t i = 0; i < part; ++i) {
          for (uint32_t j = 0; j < n; ++j, ++checked) {
            const auto x = static_cast<uint8_t>(first + i), y = static_cast<uint8_t>(w + j);
            const int32_t a = types >> 1 ? x : static_cast<int8_t>(x);
            const int32_t b = types & 1 ? y : static_cast<int8_t>(y);
            ASSERT_EQ(bench.golden.acc[i * n + j], static_cast<uint32_t>(a * b));
          }
        }
      }
    }
  }
  EXPECT_EQ(checked, 1u << 18);
}

// C12, C14: infinities, NaN, signed zeros and subnormals in bf16 products and sums.
TYPED_TEST(MxuFloatCase, C12C14Special) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  const float inf = std::numeric_limits<float>::infinity();
  const uint16_t pinf = bf16(inf), ninf = bf16(-inf), one = bf16(1), minus = bf16(-1), nan = 0x7f81,
                 zero = 0, nzero = 0x8000, max = 0x7f7f, tiny = 0x0080, subnormal = 0x007f;
  struct Case {
    std::vector<uint16_t> a, w;
    uint32_t want;
  };
  const std::vector<Case> cases = {
      {{pinf, pinf}, {one, minus}, 0x7fc00000},  // inf - inf
      {{pinf}, {zero}, 0x7fc00000},              // inf * 0
      {{pinf}, {subnormal}, 0x7fc00000},         // a subnormal counts as 0
      {{one, one}, {one, minus}, 0x00000000},    // x + (-x)
      {{nan}, {one}, 0x7fc00000},                // canonical
      {{one}, {nan}, 0x7fc00000},
      {{max, max}, {one, one}, 0x7f800000},  // the sum overflows
      {{max}, {max}, 0x7f800000},            // overflow
      {{ninf}, {one}, 0xff800000},
      {{nzero}, {one}, 0x00000000},        // sums start from +0
      {{tiny}, {bf16(0.5f)}, 0x00000000},  // underflow
      {{tiny, tiny}, {bf16(-0.5f), one}, 0x00800000},
      {{bf16(3)}, {bf16(7)}, std::bit_cast<uint32_t>(21.0f)},
  };
  for (const Case& c : cases) {
    std::vector<std::vector<uint16_t>> w;
    for (const uint16_t x : c.w) w.push_back({x});
    EXPECT_EQ(product(bench, {c.a}, w, Dtype::BF16, Dtype::BF16)[0][0], c.want)
        << std::hex << c.a[0] << " * " << c.w[0];
  }
}

// Sums are rounded in the order of the rows: 2^24 + 1 + 1 stays 2^24, 1 + 1 + 2^24 does not; and
// lanes that are masked off keep out even an infinity in the poison.
TYPED_TEST(MxuFloatCase, OrderAndMask) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  const uint16_t big = bf16(16777216.0f), one = bf16(1);
  using Rows = std::vector<std::vector<uint16_t>>;
  const Rows ones = {{one}, {one}, {one}};
  const auto first = product(bench, Rows{{big, one, one}}, ones, Dtype::BF16, Dtype::BF16);
  EXPECT_EQ(first[0][0], std::bit_cast<uint32_t>(16777216.0f));
  const auto last = product(bench, Rows{{one, one, big}}, ones, Dtype::BF16, Dtype::BF16);
  EXPECT_EQ(last[0][0], std::bit_cast<uint32_t>(16777218.0f));
  // An infinite activation in a column that is masked off gives +0 there.
  const uint16_t inf = bf16(std::numeric_limits<float>::infinity());
  product(bench, Rows{{inf}}, Rows{{one}}, Dtype::BF16, Dtype::BF16);
  EXPECT_EQ(bench.golden.acc[TypeParam::kN + 1], 0u);
}

// C38: random start values of registers and memories change nothing.
TYPED_TEST(MxuCase, C38RandomStart) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    Bench<TypeParam> bench(seed);
    bench.fill_accumulators();
    for (int i = 0; i < 4; ++i) {
      const Gemm g = random_gemm(bench);
      send_gemm(bench, g, true);
      ASSERT_TRUE(bench.finish());
    }
    bench.check_all();
  }
}

}  // namespace
}  // namespace mxu_test
