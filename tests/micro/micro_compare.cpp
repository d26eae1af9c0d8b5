#include "micro_compare.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "isa/disasm.h"

namespace micro_test {

using namespace ttpu;

Pair::Pair(const Config& config, const DeviceOptions& options, const Image& image,
           const timing::micro::Image* microcode, uint64_t data_seed, const Attach& attach)
    : golden(config, options), micro(config, options, microcode, attach) {
  std::mt19937_64 random(data_seed);
  const auto fill = [&](auto& memory) {
    if (data_seed == 0) return;
    for (auto& item : memory) item = static_cast<std::decay_t<decltype(item)>>(random());
  };
  auto& m = golden.machine();
  fill(m.hbm), fill(m.vmem), fill(m.acc), fill(m.smem);
  if (!m.hbm.empty()) micro.write_hbm(0, m.hbm);
  micro.write_vmem(0, m.vmem);
  micro.core().acc() = m.acc;
  for (uint32_t i = 0; i < m.smem.size(); ++i)
    micro.host().write(regs::kWinSmem + 4 * i, m.smem[i]);
  golden.load(image);
  micro.load(image);
}

std::string describe(const RunResult& r) {
  if (r.done) return "done";
  std::string name = "?";
  for (const auto& d : isa::kErrors)
    if (d.value == static_cast<uint32_t>(r.error)) name = d.name;
  return fmt::format("{} in {} at pc {} address {:#x}", name, isa::unit_name(r.error_unit),
                     r.error_pc, r.error_addr);
}

namespace {

/// Differences, the first few.
class Report {
 public:
  template <class T>
  void check(const std::string& what, const T& expected, const T& got) {
    if (expected == got) return;
    if (++count_ <= kShown)
      text_ += fmt::format("{}: expected {:#x}, got {:#x}\n", what, expected, got);
  }
  void add(const std::string& line) {
    if (++count_ <= kShown) text_ += line + "\n";
  }
  std::string text() const {
    if (count_ <= kShown) return text_;
    return text_ + fmt::format("... and {} more\n", count_ - kShown);
  }

 private:
  static constexpr int kShown = 16;
  int count_ = 0;
  std::string text_;
};

void compare_retired(Report& report, const Device& golden, const Device& micro) {
  for (int u = 1; u < isa::kNumUnits; ++u) {
    const auto of = [&](const Device& device) {
      std::vector<std::string> list;
      for (const auto& e : device.trace())
        if (static_cast<int>(e.unit) == u && !e.start)
          list.push_back(
              fmt::format("pc {} {}", e.pc, isa::opcode_name(static_cast<uint32_t>(e.opcode))));
      return list;
    };
    const auto expected = of(golden), got = of(micro);
    for (size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
      const std::string e = i < expected.size() ? expected[i] : "nothing";
      const std::string g = i < got.size() ? got[i] : "nothing";
      if (e == g) continue;
      report.add(fmt::format("{}: command {} to end: expected {}, got {}",
                             isa::unit_name(static_cast<isa::Unit>(u)), i, e, g));
      break;
    }
  }
}

void compare_counters(Report& report, const golden::Activity& a, const RunResult& r) {
  report.check("MXU_ROWS", a.mxu_rows, r.counter(regs::MXU_ROWS));
  report.check("MXU_MACS", a.mxu_macs, r.counter(regs::MXU_MACS));
  report.check("VPU_ROWS", a.vpu_rows, r.counter(regs::VPU_ROWS));
  report.check("HBM_RD_BYTES", a.hbm_read_bytes, r.counter(regs::HBM_RD_BYTES));
  report.check("HBM_WR_BYTES", a.hbm_write_bytes, r.counter(regs::HBM_WR_BYTES));
  report.check("COMMANDS", a.commands, r.counter(regs::COMMANDS));
}

void compare_memories(Report& report, golden::Machine& m, MicroDevice& micro) {
  std::vector<uint8_t> bytes(m.hbm.size());
  micro.read_hbm(0, bytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    report.check(fmt::format("HBM {:#x}", i), m.hbm[i], bytes[i]);
  bytes.resize(m.vmem.size());
  micro.read_vmem(0, bytes);
  for (size_t i = 0; i < bytes.size(); ++i)
    report.check(fmt::format("VMEM {:#x}", i), m.vmem[i], bytes[i]);
  const uint32_t n = m.config().n;
  for (size_t i = 0; i < m.acc.size(); ++i)
    report.check(fmt::format("accumulator row {} lane {}", i / n, i % n), m.acc[i],
                 micro.core().acc()[i]);
  for (uint32_t i = 0; i < m.smem.size(); ++i)
    report.check(fmt::format("SMEM word {}", i), m.smem[i],
                 micro.host().read(regs::kWinSmem + 4 * i));
}

void compare_flags(Report& report, const golden::Machine& m, MicroDevice& micro) {
  for (uint32_t i = 0; i < 32; ++i) {
    micro.host().write(regs::kFlagSelect, i);
    report.check(fmt::format("flag {}", i), m.flag[i], micro.host().read(regs::kFlagValue));
  }
  const uint32_t registers = micro.core().reg("kSREG");  // their place in the local memory
  for (uint32_t i = 0; i < 32; ++i) {
    uint32_t value;
    std::memcpy(&value, &micro.core().lmem().at(registers + 4 * i), 4);
    report.check(fmt::format("scalar register {}", i), m.reg[i], value);
  }
}

}  // namespace

std::string run_and_compare(Pair& pair, RunResult& result, bool memories_after_fault) {
  const RunResult golden = pair.golden.run();
  try {
    result = pair.micro.run();
  } catch (const std::exception& e) {
    return fmt::format("golden: {}; micro: {}\n", describe(golden), e.what());
  }
  Report report;
  if (describe(golden) != describe(result))
    report.add(fmt::format("outcome: expected {}, got {}", describe(golden), describe(result)));
  auto& m = pair.golden.machine();
  compare_retired(report, pair.golden, pair.micro);
  if (golden.done || memories_after_fault) compare_memories(report, m, pair.micro);
  if (golden.done) {
    compare_counters(report, m.activity, result);
    compare_flags(report, m, pair.micro);
    for (int u = 0; u < isa::kNumUnits; ++u) {
      uint64_t sum = 0;
      for (int s = 0; s < regs::kNumStates; ++s)
        sum +=
            result
                .counters[static_cast<size_t>(regs::kNumPlainCounters + u * regs::kNumStates + s)];
      report.check(fmt::format("states of {}", isa::unit_name(static_cast<isa::Unit>(u))),
                   result.counter(regs::CYCLES), sum);
    }
    if (pair.micro.core().tags() != m.tags) report.add("tags differ");
  }
  return report.text();
}

}  // namespace micro_test
