// What the tests of units on the microprogrammed core share: short programs on both models.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "chip_util.h"
#include "isa/disasm.h"
#include "micro_compare.h"
#include "tb/random.h"

namespace micro_test {

struct Operands {
  uint32_t a = 0, b = 0, c = 0;
};

/// Parameter: name of the configuration. TTPU_MICROCODE names a ROM of scripts/microasm.py --rom
/// to run instead of the built-in one (its number of lanes says which tests it is for).
class OnMicro : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* file = std::getenv("TTPU_MICROCODE");
    microcode_ = file && *file ? ttpu::timing::micro::load_image(file)
                               : ttpu::timing::micro::builtin_image(config_.n);
    if (microcode_.n != config_.n) GTEST_SKIP() << "TTPU_MICROCODE is for other lanes";
    options_.hbm_bytes = 1u << 14;
    options_.trace_commands = true;
    options_.max_cycles = 50'000'000;
  }

  /// Set registers 1 to 3 to the operands, then the command with ra, rb, rc = 1, 2, 3.
  void add(ttpu::isa::Instr instr, const Operands& operands = {}) {
    const uint32_t values[] = {operands.a, operands.b, operands.c};
    for (uint32_t i = 0; i < 3; ++i)
      code_.push_back(chip_test::plain(ttpu::isa::Opcode::ADD, {.rc = i + 1}, values[i]));
    code_.push_back(chip_test::with(instr, {.ra = 1, .rb = 2, .rc = 3}));
  }

  /// Run what was added on both models and forget it; a failure if anything differs.
  ttpu::RunResult both(const std::string& what, bool memories_after_fault = true) {
    code_.push_back(chip_test::plain(ttpu::isa::Opcode::HALT));
    const auto image = chip_test::image_of(config_, code_, options_.hbm_bytes);
    options_.memory.latency = 1 + static_cast<uint32_t>(random_.below(12));
    Pair pair(config_, options_, image, &microcode_, 1 + random_.below(1u << 30));
    ttpu::RunResult result;
    const std::string difference = run_and_compare(pair, result, memories_after_fault);
    if (!result.done) ++faults_[chip_test::name_of(result.error)];
    if (!difference.empty()) {
      std::string program;
      for (size_t i = 0; i < code_.size(); ++i)
        program += std::to_string(i) + " " + ttpu::isa::disassemble(code_[i]) + "\n";
      ADD_FAILURE() << what << ", seed " << tb::run_seed() << ", " << describe(result) << "\n"
                    << difference << program;
    }
    code_.clear();
    return result;
  }

  /// Each of these errors was met.
  void expect_faults(const std::vector<std::string>& names) {
    for (const auto& name : names) EXPECT_GT(faults_[name], 0u) << name;
  }

  const ttpu::Config& config_ = *ttpu::find_config(GetParam());
  ttpu::timing::micro::Image microcode_;
  ttpu::DeviceOptions options_;
  tb::Random random_;
  std::vector<ttpu::isa::Instr> code_;
  std::map<std::string, uint32_t> faults_;
};

}  // namespace micro_test
