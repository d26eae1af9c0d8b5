// The C++ model of the router against the RTL, signal by signal and cycle by cycle.
#include <gtest/gtest.h>

#include "Vmodel_router_1_4_4.h"
#include "Vmodel_router_2_2_8.h"
#include "Vmodel_router_2_8_16.h"
#include "Vmodel_router_3_8_16.h"
#include "model_bench.h"

namespace ttpu::network {
namespace {

template <class Model, uint32_t Dims, uint32_t Vcs, uint32_t Depth>
struct Shape {
  using Bench = Lockstep<Model, Dims, Vcs, Depth>;
};

template <class S>
class ModelLockstep : public ::testing::Test {};
using Shapes = ::testing::Types<Shape<Vmodel_router_1_4_4, 1, 4, 4>,    //
                                Shape<Vmodel_router_2_2_8, 2, 2, 8>,    //
                                Shape<Vmodel_router_2_8_16, 2, 8, 16>,  //
                                Shape<Vmodel_router_3_8_16, 3, 8, 16>>;
TYPED_TEST_SUITE(ModelLockstep, Shapes);

/// Cycles of a phase: some thousand, or the long form.
uint32_t cycles(uint32_t few) { return tb::long_run() ? 20 * few : few; }

//                        inject credit data local mcast old stray down
constexpr Phase kLight = {"light", 5, 80, 3, 30, 0, 0, 0, 0};
constexpr Phase kSingle = {"one-flit packets", 100, 90, 0, 20, 0, 20, 0, 0};
constexpr Phase kFull = {"full", 100, 100, 7, 20, 0, 30, 0, 0};
constexpr Phase kSlow = {"slow outputs", 60, 20, 15, 20, 20, 10, 1, 0};
constexpr Phase kRare = {"rare", 1, 3, 2, 30, 30, 30, 2, 0};
constexpr Phase kMulticast = {"multicast", 70, 80, 4, 10, 80, 20, 0, 0};
constexpr Phase kBroken = {"broken", 60, 60, 12, 20, 30, 20, 10, 40};

TYPED_TEST(ModelLockstep, EqualEveryCycleWhileAllPortsWork) {
  typename TypeParam::Bench bench;
  for (const Phase& phase : {kLight, kSingle, kFull, kSlow, kRare, kMulticast})
    ASSERT_TRUE(bench.run(phase, cycles(20000)));
  EXPECT_GT(bench.seen.flits_out, 10000U);
  EXPECT_GT(bench.seen.multi_flit_heads, 500U);
  EXPECT_GT(bench.seen.copies, 200U);
  EXPECT_GT(bench.seen.stalls, 1000U) << "cycles in which an output kept its credits";
  ASSERT_TRUE(bench.drain(3000));
  EXPECT_EQ(bench.occupancy(), 0U);
}

TYPED_TEST(ModelLockstep, EqualEveryCycleWhilePortsGoDownAndComeBack) {
  typename TypeParam::Bench bench;
  for (int round = 0; round < 2; ++round)
    for (const Phase& phase : {kBroken, kRare, kFull}) ASSERT_TRUE(bench.run(phase, cycles(10000)));
  EXPECT_GT(bench.seen.downs, 5U);
  EXPECT_GT(bench.dropped(), 100U);
  EXPECT_GT(bench.cut(), 3U);
  for (const auto wait : {BufferState::Wait::kCredit, BufferState::Wait::kChannel,
                          BufferState::Wait::kTurn, BufferState::Wait::kDrop})
    EXPECT_GT(bench.seen.waits[static_cast<uint32_t>(wait)], 30U) << static_cast<uint32_t>(wait);
  ASSERT_TRUE(bench.drain(3000));
  EXPECT_EQ(bench.occupancy(), 0U);
  EXPECT_EQ(bench.rtl_counter(false), bench.dropped());
  EXPECT_EQ(bench.rtl_counter(true), bench.cut());
}

/// The clock that ages are taken from goes round at 32,768 cycles; packets that wait longer than
/// that are as old as it says.
TYPED_TEST(ModelLockstep, EqualWhenPacketsWaitForLongerThanAgesLast) {
  typename TypeParam::Bench bench;
  ASSERT_TRUE(bench.run({"blocked", 50, 0, 3, 20, 20, 20, 0, 0}, 34000));
  ASSERT_TRUE(bench.run(kSlow, cycles(10000)));
  ASSERT_TRUE(bench.drain(3000));
  EXPECT_EQ(bench.occupancy(), 0U);
  EXPECT_GT(bench.seen.stalls, 1000U);
}

}  // namespace
}  // namespace ttpu::network
