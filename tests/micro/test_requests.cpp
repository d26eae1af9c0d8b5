// The host asks and clears while random programs run on the model of the microprogrammed core:
// requests disturb nothing, CLEAR leaves nothing behind, whatever the microcode was doing.
#include <fmt/format.h>

#include <set>

#include "isa/generated/regs_gen.h"
#include "micro_fixture.h"
#include "random_program.h"

namespace micro_test {
namespace {

namespace regs = ttpu::regs;
using ttpu::timing::micro::Core;
using ttpu::timing::micro::Host;

class RequestsOnMicro : public OnMicro {
 protected:
  static constexpr uint32_t kRunning = 1, kDone = 2, kError = 4, kQuiet = 8;

  ttpu::Image program() {
    chip_test::RandomProgramOptions o;
    o.hbm_bytes = 1u << 14;
    do {
      o.commands = 10 + static_cast<uint32_t>(random_.below(30));
      code_ = chip_test::random_program(config_, random_, o).code;
    } while (code_.size() > config_.imem_words);
    options_.hbm_bytes = o.hbm_bytes;
    return chip_test::image_of(config_, code_, o.hbm_bytes);
  }
  /// One access of the host that changes nothing of the program.
  void any_access(Pair& pair) {
    Host& host = pair.micro.host();
    const auto pick = random_.below(6);
    if (pick == 0) {
      const auto addr = static_cast<uint32_t>(random_.below(config_.vmem_bytes() / 4)) * 4;
      host.write(regs::kVmemAddr, addr);
      host.read(regs::kVmemData);
    } else if (pick == 1) {
      host.read(regs::kWinCounters +
                4 * static_cast<uint32_t>(random_.below(2 * regs::kNumCounters)));
    } else if (pick == 2) {
      host.write(regs::kFlagSelect, random_.u32());
      host.read(regs::kFlagValue);
    } else if (pick == 3) {
      EXPECT_TRUE(host.access(false, regs::kWinImem).error || !running(pair));
    } else if (pick == 4) {
      host.write(regs::kEntryPc, 0);
    } else {
      host.access(true, static_cast<uint32_t>(random_.below(1 << 18)) | 2, random_.u32());
    }
    longest_ = std::max(longest_, pair.micro.core().cycle() - last_);
  }
  static bool running(Pair& pair) { return pair.micro.core().status() & kRunning; }
  void step_for(Pair& pair, uint64_t cycles) {
    Core& core = pair.micro.core();
    const std::string label = core.image().name_of(core.pc());
    for (const uint64_t end = core.cycle() + cycles; core.cycle() < end && running(pair);)
      core.step();
    const std::string name = core.image().name_of(core.pc());
    if (running(pair)) met_.insert(name.substr(0, name.find('+')));
    last_ = core.cycle();
  }
  void expect_equal(Pair& pair) {
    auto& m = pair.golden.machine();
    std::vector<uint8_t> hbm(m.hbm.size()), vmem(m.vmem.size());
    pair.micro.read_hbm(0, hbm);
    pair.micro.read_vmem(0, vmem);
    EXPECT_EQ(hbm == m.hbm, true) << "HBM";
    EXPECT_EQ(vmem == m.vmem, true) << "VMEM";
    EXPECT_EQ(pair.micro.core().acc() == m.acc, true) << "accumulators";
  }

  std::set<std::string> met_;  ///< routines in which a request came
  uint64_t last_ = 0, longest_ = 0;
};

TEST_P(RequestsOnMicro, DisturbNothing) {
  const int programs = tb::long_run() ? 300 : 12;
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    const auto image = program();
    Pair pair(config_, options_, image, &microcode_, 1 + random_.below(1u << 30));
    ASSERT_TRUE(pair.golden.run().done);
    Host& host = pair.micro.host();
    host.write(regs::kCtrl, 1);
    while (running(pair)) {
      step_for(pair, random_.below(400));
      any_access(pair);
    }
    ASSERT_EQ(pair.micro.core().status(), kDone | kQuiet) << "program " << i;
    expect_equal(pair);
    uint64_t low[3];
    for (uint32_t c = 0; c < 3; ++c) low[c] = host.read(regs::kWinCounters + 8 * c);
    EXPECT_EQ(low[regs::COMMANDS], pair.golden.machine().activity.commands);
    EXPECT_EQ(low[regs::MXU_ROWS], pair.golden.machine().activity.mxu_rows);
  }
  std::printf("[ttpu] %s: requests in %zu routines, answered within %llu cycles\n", GetParam(),
              met_.size(), static_cast<unsigned long long>(longest_));
  EXPECT_GT(met_.size(), 60u);
}

TEST_P(RequestsOnMicro, ClearLeavesNothingBehind) {
  const int programs = tb::long_run() ? 300 : 20;
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    const auto image = program();
    Pair pair(config_, options_, image, &microcode_, 1 + random_.below(1u << 30));
    Core& core = pair.micro.core();
    Host& host = pair.micro.host();
    // Something else before, cut off anywhere.
    const auto code = code_;
    pair.micro.load(program());
    host.write(regs::kCtrl, 1);
    step_for(pair, random_.below(40'000));
    const bool ran = running(pair);
    // CLEAR, or a write that is an error and CLEAR.
    if (ran && random_.coin()) {
      EXPECT_TRUE(host.access(true, regs::kHbmBaseLo, 1).error);
      for (int s = 0; s < 20'000 && !(core.status() & kQuiet); ++s) core.step();
      ASSERT_EQ(core.status(), kError | kQuiet);
    }
    pair.micro.clear();
    ASSERT_EQ(core.status(), kQuiet);
    auto& m = pair.golden.machine();
    pair.micro.write_hbm(0, m.hbm);
    pair.micro.write_vmem(0, m.vmem);
    core.acc() = m.acc;
    for (uint32_t w = 0; w < m.smem.size(); ++w) host.write(regs::kWinSmem + 4 * w, m.smem[w]);
    host.write(regs::kIrqStatus, 3);
    pair.micro.load(image);
    ttpu::RunResult result;
    const std::string difference = run_and_compare(pair, result);
    EXPECT_EQ(difference, "") << "program " << i;
  }
  std::printf("[ttpu] %s: CLEAR in %zu routines\n", GetParam(), met_.size());
  EXPECT_GT(met_.size(), 5u);
}

INSTANTIATE_TEST_SUITE_P(Configs, RequestsOnMicro, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
