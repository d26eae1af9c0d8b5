// The arrays of 7-series DSP blocks, one and two products a block, against plain C++ and beside the
// array that the other configurations have: same traffic, same cycle, same sums.
#include <gtest/gtest.h>

#include "Vxc7_n16.h"
#include "Vxc7_n16_dsp.h"
#include "Vxc7_n16_packed.h"
#include "Vxc7_n4.h"
#include "Vxc7_n4_dsp.h"
#include "Vxc7_n4_packed.h"
#include "Vxc7_n8.h"
#include "Vxc7_n8_dsp.h"
#include "Vxc7_n8_packed.h"
#include "array_traffic.h"
#include "tb/controller.h"
#include "tb/random.h"

namespace mxu_test {
namespace {

template <class A, class D, class P, unsigned N, unsigned Stages>
struct Arrays {
  using Plain = A;
  using Dsp = D;
  using Packed = P;
  static constexpr unsigned kN = N, kStages = Stages;
};
using N4 = Arrays<Vxc7_n4, Vxc7_n4_dsp, Vxc7_n4_packed, 4, 2>;
using N8 = Arrays<Vxc7_n8, Vxc7_n8_dsp, Vxc7_n8_packed, 8, 3>;
using N16 = Arrays<Vxc7_n16, Vxc7_n16_dsp, Vxc7_n16_packed, 16, 3>;

template <class T>
class Xc7Array : public ::testing::Test {};
using Sizes = ::testing::Types<N4, N8, N16>;
struct Name {
  template <class T>
  static std::string GetName(int) {
    return "N" + std::to_string(T::kN);
  }
};
TYPED_TEST_SUITE(Xc7Array, Sizes, Name);

TYPED_TEST(Xc7Array, EqualSums) {
  constexpr unsigned kN = TypeParam::kN, kLatency = 2 * kN + TypeParam::kStages - 1;
  VerilatedContext context;
  typename TypeParam::Plain plain(&context);
  typename TypeParam::Dsp dsp(&context);
  typename TypeParam::Packed packed(&context);
  ArrayDriver a(plain, kN, kLatency, "ttpu_mxu_array");
  ArrayDriver b(dsp, kN, kLatency, "ttpu_mxu_array_dsp, one product");
  ArrayDriver c(packed, kN, kLatency, "ttpu_mxu_array_dsp, two products");
  const uint32_t seed = static_cast<uint32_t>(tb::Random("xc7_array").next());
  ArrayTraffic traffic(kN, seed);
  a.reset();
  b.reset();
  c.reset();
  const uint64_t cycles = (tb::long_run() ? 100'000'000 : 2'000'000) / kN;
  for (uint64_t i = 0; i < cycles && !context.gotFinish(); ++i) {
    const auto step = traffic.next();
    ASSERT_TRUE(a.step(step)) << a.error;
    ASSERT_TRUE(b.step(step)) << b.error;
    ASSERT_TRUE(c.step(step)) << c.error;
  }
  EXPECT_GT(c.sums, cycles * kN / 2);
  EXPECT_GT(traffic.tiles, cycles / (3 * kN));
  for (const auto& weights : traffic.mixes)
    for (const uint64_t mix : weights) EXPECT_GT(mix, traffic.tiles / 8) << "signs are mixed";
  EXPECT_GT(traffic.extreme, traffic.tiles / 4);
  EXPECT_GT(traffic.earliest, traffic.tiles / 8) << "writes as early as the contract allows";
  EXPECT_GT(traffic.latest, traffic.tiles / 8) << "and as late";
}

}  // namespace
}  // namespace mxu_test
