#include "timing/micro_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/generated/isa_gen.h"
#include "timing/micro_host.h"

namespace ttpu::timing {

namespace {

constexpr uint32_t kStart = 1, kDone = 2;  // bits of CTRL and STATUS
constexpr uint64_t kBase = 0x4'0000'0000;  // HBM window
constexpr uint32_t kWindow = 0x4000'0000;

/// Memory without contents: no cycle depends on them.
class Zeros : public micro::Bus {
 public:
  explicit Zeros(uint32_t latency) : latency_(std::max(latency, 1u)) {}
  Answer read(uint64_t) override { return {0, false, latency_}; }
  Answer write(uint64_t, uint32_t, uint32_t) override { return {0, false, latency_}; }

 private:
  uint32_t latency_;
};

std::string error_name(uint32_t cause) {
  for (const auto& e : isa::kErrors)
    if (e.value == cause) return std::string(e.name);
  return fmt::format("error {}", cause);
}

}  // namespace

Prediction predict_micro(const Config& config, const std::vector<isa::Instr>& code,
                         const std::vector<uint32_t>& smem, uint32_t entry, const Memory& memory,
                         uint64_t max_cycles) {
  Zeros bus(memory.latency);
  micro::Core core(config, micro::builtin_image(config.n), bus);
  micro::Host host(core);
  try {
    if (code.size() > config.imem_words || smem.size() > config.smem_words)
      throw TimingError(fmt::format("{} instructions and {} words of SMEM do not fit {}",
                                    code.size(), smem.size(), config.name));
    host.write(regs::kHbmBaseLo, static_cast<uint32_t>(kBase));
    host.write(regs::kHbmBaseHi, static_cast<uint32_t>(kBase >> 32));
    host.write(regs::kHbmSizeLo, kWindow);
    host.write(regs::kHbmSizeHi, 0);
    host.write(regs::kIrqEnable, 3);
    for (uint32_t i = 0; i < config.imem_words; ++i)
      for (uint32_t w = 0; w < 4; ++w)
        host.write(regs::kWinImem + 16 * i + 4 * w, i < code.size() ? code[i].words[w] : 0);
    for (uint32_t i = 0; i < config.smem_words; ++i)
      host.write(regs::kWinSmem + 4 * i, i < smem.size() ? smem[i] : 0);
    host.write(regs::kEntryPc, entry);
    host.write(regs::kCtrl, kStart);
    if (!host.run_to_interrupt(max_cycles))
      throw TimingError(fmt::format("more than {} cycles", max_cycles));
    if (!(core.status() & kDone)) {
      const uint32_t cause = host.read(regs::kErrCause) & 0xff, at = host.read(regs::kErrPc);
      throw TimingError(fmt::format("{} at pc {}", error_name(cause), at));
    }
    Prediction p;
    for (uint32_t i = 0; i < regs::kNumCounters; ++i) {
      const uint64_t low = host.read(regs::kWinCounters + 8 * i);
      p.counters.push_back(low | uint64_t{host.read(regs::kWinCounters + 8 * i + 4)} << 32);
    }
    p.cycles = p.counters[regs::CYCLES];
    return p;
  } catch (const micro::MicroError& e) {
    throw TimingError(fmt::format("microcode: {}", e.what()));
  }
}

}  // namespace ttpu::timing
