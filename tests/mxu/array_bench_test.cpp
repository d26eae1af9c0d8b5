// The bench of the array alone gives the right sums on every configuration, and says what is wrong.
#include "bench/array_bench.h"

#include <gtest/gtest.h>

namespace ttpu::bench {
namespace {

TEST(ArrayBench, BitEqual) {
  for (const Config& config : kConfigs) {
    if (config.micro) continue;  // its array is part of the engine
    for (const bool bf16 : {false, true}) {
      if (bf16 && !config.has_fp) continue;
      ArrayBenchOptions options;
      options.bf16 = bf16;
      options.rows = config.fp_stages * config.n + 8;
      options.tiles = 6;
      options.rounds = 2;
      const auto result = run_array_bench(config, options);
      EXPECT_TRUE(result.bit_equal) << config.name << (bf16 ? " bf16" : " int8");
      // weights of the first tile, rows, latency of the last: no bubble between tiles
      const uint32_t latency = config.n + config.fp_stages * config.n + config.pe_stages - 1;
      const uint32_t step = bf16 && config.fp_stages != 1 ? 2 : 1;  // cycles from row to row
      EXPECT_EQ(result.cycles, config.n / 4 + options.tiles * options.rows * step + latency - step)
          << config.name;
      EXPECT_GT(result.vs_plain_cpp, 0);
    }
  }
}

TEST(ArrayBench, BadOptions) {
  ArrayBenchOptions options;
  options.bf16 = true;
  EXPECT_THROW(run_array_bench(*find_config("mini"), options), ArrayBenchError);
  options.bf16 = false;
  options.rows = 20;
  EXPECT_THROW(run_array_bench(*find_config("core16"), options), ArrayBenchError);
  options.rows = 64;
  options.tiles = 0;
  EXPECT_THROW(run_array_bench(*find_config("core16"), options), ArrayBenchError);
}

}  // namespace
}  // namespace ttpu::bench
