// Random numbers: the whole range, repeatable, independent of other tests.
#include "tb/random.h"

#include <gtest/gtest.h>

#include <set>

namespace {

TEST(Random, RangesAreWholeAndKept) {
  tb::Random random;
  std::set<int64_t> seen;
  for (int i = 0; i < 2000; ++i) {
    const int64_t v = random.between(-128, 127);
    ASSERT_GE(v, -128);
    ASSERT_LE(v, 127);
    seen.insert(v);
  }
  EXPECT_GT(seen.size(), 250u);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(100));
  uint32_t ones = 0, zeros = 0;
  for (int i = 0; i < 100; ++i) {
    const uint32_t v = random.u32();
    ones |= v;
    zeros |= ~v;
  }
  EXPECT_EQ(ones, ~0u);
  EXPECT_EQ(zeros, ~0u);
}

TEST(Random, StreamsDiffer) {
  tb::Random a, b, c("other");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
  EXPECT_NE(tb::Random(1).next(), tb::Random(2).next());
}

}  // namespace
