// Random programs of all units on the model of the microprogrammed core: equal to the golden model
// in all that it knows, whatever the memory's latency.
#include "micro_fixture.h"
#include "random_program.h"

namespace micro_test {
namespace {

class RandomOnMicro : public OnMicro {};

TEST_P(RandomOnMicro, EqualGoldenModel) {
  const int programs = tb::long_run() ? 1500 : 60;
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    chip_test::RandomProgramOptions o;
    o.commands = 20 + static_cast<uint32_t>(random_.below(70));
    auto program = chip_test::random_program(config_, random_, o);
    while (program.code.size() > config_.imem_words) {
      o.commands = o.commands * 3 / 4;
      program = chip_test::random_program(config_, random_, o);
    }
    options_.hbm_bytes = o.hbm_bytes;
    options_.memory.seed = random_.coin() ? 0 : 1 + random_.below(1000);
    code_ = program.code;
    code_.pop_back();  // its HALT, which both() adds
    EXPECT_TRUE(both("program " + std::to_string(i)).done);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, RandomOnMicro, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
