// The timing model against the counters of the RTL: every counter of every program, to the cycle.
#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/compiler.h"
#include "random_program.h"
#include "runtime/device.h"
#include "tb/random.h"
#include "timing/model.h"

namespace {

using namespace ttpu;

/// Run on the RTL and predict; every counter must be equal.
void expect_equal(const Config& config, const Image& image, const std::string& what,
                  uint32_t latency = 100) {
  DeviceOptions options;
  options.hbm_bytes = std::max<uint64_t>(image.hbm_bytes, 1u << 17);
  options.memory.latency = latency;
  auto device = open_device("rtl", config, options);
  device->load(image);
  const RunResult result = device->run();
  ASSERT_TRUE(result.done) << what << ": error " << static_cast<int>(result.error) << " at pc "
                           << result.error_pc;
  timing::Memory memory;
  memory.latency = latency;
  const auto p = timing::predict(config, image.code, image.smem, image.entry, memory);
  for (int i = 0; i < regs::kNumCounters; ++i)
    EXPECT_EQ(p.counters[static_cast<size_t>(i)], result.counters[static_cast<size_t>(i)])
        << what << " on " << config.name << ": counter "
        << regs::kCounterNames[static_cast<size_t>(i)] << " (first: predicted, second: RTL)";
}

class Timing : public testing::TestWithParam<const char*> {
 protected:
  const Config& config() const { return *find_config(GetParam()); }
};

TEST_P(Timing, ProductsEqualTheCounters) {
  const auto n = static_cast<int64_t>(config().n);
  const int64_t shapes[][3] = {{1, 1, 1},
                               {n, n, n},
                               {n + 1, 3 * n, 2 * n + 1},
                               {5 * n, 4 * n, 3 * n},
                               {3, 7 * n, 133},
                               {8 * n + 3, n - 1, 9 * n}};
  for (const auto& s : shapes) {
    GemmSpec spec;
    spec.m = s[0];
    spec.n = s[1];
    spec.k = s[2];
    for (const uint32_t latency : {1u, 100u}) {
      expect_equal(config(), build_gemm(spec, config()),
                   std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]) +
                       " latency " + std::to_string(latency),
                   latency);
      if (HasFailure()) return;
    }
  }
}

TEST_P(Timing, RandomProgramsEqualTheCounters) {
  tb::Random rng("timing");
  const int programs = config().micro ? 8 : 20;  // the host is slow there
  for (int i = 0; i < programs; ++i) {
    chip_test::RandomProgramOptions options;
    options.commands = config().imem_words <= 512 ? 30 : 80;  // what the instruction memory holds
    const auto program = chip_test::random_program(config(), rng, options);
    Image image;
    image.config_hash = config().hash;
    image.config_name = config().name;
    image.hbm_bytes = 1u << 17;
    image.code = program.code;
    expect_equal(config(), image, "random program " + std::to_string(i),
                 static_cast<uint32_t>(1 + rng.below(150)));
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, Timing,
                         testing::Values("nano", "nano8", "mini", "edge", "core16", "core8i"),
                         [](const auto& info) { return std::string(info.param); });

class TimingStops : public testing::TestWithParam<const char*> {};

TEST_P(TimingStops, SaysWhy) {
  const Config& config = *find_config(GetParam());
  isa::Instr wait;  // a NOP that waits for a flag nobody raises
  isa::Common fields;
  fields.wait_value = 1;
  fields.apply(wait);
  EXPECT_THROW(timing::predict(config, {wait}, {}, 0), timing::TimingError);
  isa::Instr loop = isa::Beq{}.encode();  // branches to itself
  EXPECT_THROW(timing::predict(config, {loop}, {}, 0, {}, 1000), timing::TimingError);
  EXPECT_THROW(timing::predict(config, {isa::Instr{}}, {}, config.imem_words), timing::TimingError);
}

INSTANTIATE_TEST_SUITE_P(Configs, TimingStops, testing::Values("nano", "nano8", "mini"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
