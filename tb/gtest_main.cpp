// main of every GoogleTest of the project: seed, failures of the bench library, arguments.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tb/random.h"
#include "tb/report.h"

namespace {

/// Names the running test to the random streams, and the seed with each failure.
class SeedListener : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& info) override {
    tb::current_test = std::string(info.test_suite_name()) + "." + info.name();
    tb::failure_count = 0;
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) ++tb::failure_count;
  }
  void OnTestEnd(const testing::TestInfo& info) override {
    if (info.result()->Failed())
      std::printf("[ttpu] seed %llu: repeat with TTPU_SEED=%llu and --gtest_filter=%s.%s\n",
                  static_cast<unsigned long long>(tb::run_seed()),
                  static_cast<unsigned long long>(tb::run_seed()), info.test_suite_name(),
                  info.name());
    tb::current_test.clear();
  }
};

void usage(const char* program) {
  std::printf(
      "usage: %s [--seed=N] [--trace=FILE.fst] [--trace-from=CYCLE] [--gtest_...]\n"
      "  --seed=N          seed of everything random (also TTPU_SEED; default 1)\n"
      "  --trace=FILE.fst  write waves (also TTPU_TRACE; only the ..._trace build can)\n"
      "  --trace-from=N    first cycle in the wave (also TTPU_TRACE_FROM)\n",
      program);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const auto take = [&](const char* option, const char* variable) {
      const size_t n = std::strlen(option);
      if (std::strncmp(argv[i], option, n) == 0) setenv(variable, argv[i] + n, 1);
    };
    take("--seed=", "TTPU_SEED");
    take("--trace=", "TTPU_TRACE");
    take("--trace-from=", "TTPU_TRACE_FROM");
    if (std::strcmp(argv[i], "--help") == 0) usage(argv[0]);
  }
  testing::InitGoogleTest(&argc, argv);
  tb::failure_sink = [](const std::string& message) {
    // The part-result listener counts it; fail() has counted it already.
    --tb::failure_count;
    ADD_FAILURE() << message;
  };
  testing::UnitTest::GetInstance()->listeners().Append(new SeedListener);
  std::printf("[ttpu] seed %llu\n", static_cast<unsigned long long>(tb::run_seed()));
  return RUN_ALL_TESTS();
}
