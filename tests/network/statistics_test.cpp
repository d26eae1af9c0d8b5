// Histogram, confidence intervals, arrivals: against what they are defined as.
#include "network/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "network/random.h"
#include "tb/random.h"

namespace ttpu::network {
namespace {

TEST(NetworkStatistics, QuantilesOfSmallLatenciesAreExact) {
  tb::Random random;
  for (int round = 0; round < 50; ++round) {
    Histogram h;
    std::vector<uint64_t> all;
    const auto count = static_cast<uint64_t>(random.between(1, 2000));
    for (uint64_t i = 0; i < count; ++i) {
      all.push_back(random.below(2048));
      h.add(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
      const auto at = static_cast<size_t>(std::ceil(share * static_cast<double>(count))) - 1;
      EXPECT_EQ(h.quantile(share), all[at]) << share << " of " << count;
    }
    EXPECT_EQ(h.max(), all.back());
    double sum = 0;
    for (const uint64_t x : all) sum += static_cast<double>(x);
    EXPECT_DOUBLE_EQ(h.mean(), sum / static_cast<double>(count));
  }
  EXPECT_EQ(Histogram().quantile(0.5), 0U);
}

TEST(NetworkStatistics, LargeLatenciesAreWithinTheirBucket) {
  tb::Random random;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t value = random.next() >> random.between(1, 63);
    Histogram h;
    h.add(value);
    ASSERT_EQ(h.buckets().size(), 1U);
    const auto b = h.buckets()[0];
    EXPECT_LE(b.first, value);
    EXPECT_GE(b.last, value);
    EXPECT_LE(b.last - b.first, value / 64) << value;
    EXPECT_EQ(h.quantile(0.5), value) << "never above the largest";
  }
}

// The picture of a histogram: side by side, few, and nobody lost.
TEST(NetworkStatistics, BinsAreFewAndHoldAll) {
  tb::Random random;
  EXPECT_TRUE(Histogram().bins().empty());
  for (int round = 0; round < 200; ++round) {
    Histogram h;
    std::vector<uint64_t> all;
    const auto bits = static_cast<uint32_t>(random.between(1, round % 4 ? 20 : 40));
    for (int i = 0; i < 500; ++i) {
      all.push_back(random.next() >> random.between(64 - bits, 63));
      h.add(all.back());
    }
    const auto bins = h.bins();
    ASSERT_FALSE(bins.empty());
    EXPECT_LE(bins.size(), 64U) << bits;
    for (size_t i = 0; i < bins.size(); ++i) {
      ASSERT_LE(bins[i].first, bins[i].last);
      if (i != 0) {
        ASSERT_EQ(bins[i].first, bins[i - 1].last + 1);
      }
      const auto inside = std::count_if(all.begin(), all.end(), [&](uint64_t x) {
        return x >= bins[i].first && x <= bins[i].last;
      });
      EXPECT_EQ(bins[i].count, static_cast<uint64_t>(inside)) << "from " << bins[i].first;
    }
    EXPECT_NE(bins.front().count, 0U);
    EXPECT_NE(bins.back().count, 0U);
  }
}

TEST(NetworkStatistics, MergedIsTheSameAsTogether) {
  tb::Random random;
  Histogram a, b, both;
  for (int i = 0; i < 5000; ++i) {
    const uint64_t value = random.below(uint64_t{1} << random.between(1, 20));
    (random.coin() ? a : b).add(value);
    both.add(value);
  }
  a.merge(b);
  EXPECT_TRUE(a == both);
  EXPECT_EQ(a.count(), both.count());
  EXPECT_DOUBLE_EQ(a.mean(), both.mean());
  EXPECT_EQ(a.max(), both.max());
}

TEST(NetworkStatistics, BatchMeans) {
  // Mean 3, standard deviation sqrt(2.5), t(4) = 2.776: half-width 2.776 * sqrt(2.5 / 5).
  const Estimate e = batch_means({1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(e.mean, 3);
  EXPECT_NEAR(e.half_width, 2.776 * std::sqrt(0.5), 1e-9);
  EXPECT_EQ(batch_means({7}).half_width, 0);
  EXPECT_EQ(batch_means({}).mean, 0);
  // 95 of 100 intervals hold the true mean.
  Random random(tb::run_seed());
  int inside = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> batches(10);
    for (double& b : batches)
      for (int i = 0; i < 12; ++i) b += random.unit() - 0.5;
    const Estimate estimate = batch_means(batches);
    inside += std::abs(estimate.mean) <= estimate.half_width;
  }
  EXPECT_NEAR(inside / 2000.0, 0.95, 0.02);
}

TEST(NetworkStatistics, ArrivalsAreABernoulliProcess) {
  for (const double rate : {0.001, 0.1, 0.5, 0.9, 1.0}) {
    Arrivals a(rate, Random(tb::run_seed(), 5));
    constexpr uint64_t kCycles = 2000000;
    uint64_t events = 0, pairs = 0, last = ~uint64_t{1};
    while (a.next() < kCycles) {
      pairs += a.next() == last + 1;
      last = a.next();
      ++events;
      a.advance();
      ASSERT_GT(a.next(), last) << "at most one a cycle";
    }
    const double expected = rate * kCycles, sigma = std::sqrt(expected * (1 - rate));
    EXPECT_NEAR(static_cast<double>(events), expected, 5 * sigma + 0.5) << rate;
    // Two in a row as often as chance has it: no memory.
    EXPECT_NEAR(static_cast<double>(pairs), rate * expected, 10 * std::sqrt(expected) + 1) << rate;
  }
  EXPECT_EQ(Arrivals(0, Random()).next(), Arrivals::kNever);
}

}  // namespace
}  // namespace ttpu::network
