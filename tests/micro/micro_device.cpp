#include "micro_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/generated/regs_gen.h"

namespace micro_test {

using namespace ttpu;
namespace micro = timing::micro;

namespace {

constexpr uint32_t kStart = 1, kClear = 2, kRunning = 1, kDone = 2, kError = 4, kQuiet = 8;
constexpr uint64_t kWatchdogCycles = 0x00100000;  // at reset
constexpr uint32_t kErrorData = 0xeeeeeeee;       // data of a read in error

}  // namespace

// ---- memory
// --------------------------------------------------------------------------------------

HbmBus::HbmBus(const DeviceOptions& options)
    : model_(options.memory), bytes_((options.hbm_bytes + 3) / 4 * 4), random_(model_.seed) {}

uint32_t HbmBus::latency() {
  ++transfers_;
  uint32_t cycles = std::max(model_.latency, 1u);
  if (model_.seed) cycles += static_cast<uint32_t>(random_() % (model_.latency + 1));
  return cycles;
}

bool HbmBus::fails(uint64_t addr, bool write) const {
  if (addr < model_.base || addr - model_.base + 4 > bytes_.size()) return true;
  const uint64_t at = addr - model_.base;
  return std::ranges::any_of(model_.errors, [&](const MemoryError& e) {
    return at + 4 > e.first && at <= e.last && (write ? e.on_write : e.on_read);
  });
}

micro::Bus::Answer HbmBus::read(uint64_t addr) {
  if (fails(addr, false)) return {kErrorData, true, latency()};
  Answer answer{0, false, latency()};
  std::memcpy(&answer.data, &bytes_[addr - model_.base], 4);
  return answer;
}

micro::Bus::Answer HbmBus::write(uint64_t addr, uint32_t data, uint32_t strobes) {
  if (fails(addr, true)) return {0, true, latency()};
  for (uint32_t i = 0; i < 4; ++i)
    if (strobes >> i & 1) bytes_[addr - model_.base + i] = static_cast<uint8_t>(data >> 8 * i);
  return {0, false, latency()};
}

// ---- device
// --------------------------------------------------------------------------------------

MicroDevice::MicroDevice(const Config& config, const DeviceOptions& options,
                         const micro::Image* image, const Attach& attach)
    : config_(config),
      options_(options),
      bus_(options),
      core_(config, image ? *image : micro::builtin_image(config.n), bus_,
            options.random_init_seed + 1),
      host_(core_) {
  if (attach) attach(core_);
  if (options.random_init_seed == 0) {  // as the golden model starts
    std::ranges::fill(core_.lmem(), 0);
    std::ranges::fill(core_.acc(), 0);
  }
  const uint64_t base = options.memory.base;
  host_.write(regs::kHbmBaseLo, static_cast<uint32_t>(base));
  host_.write(regs::kHbmBaseHi, static_cast<uint32_t>(base >> 32));
  host_.write(regs::kHbmSizeLo, static_cast<uint32_t>(options.hbm_bytes));
  host_.write(regs::kHbmSizeHi, static_cast<uint32_t>(options.hbm_bytes >> 32));
  host_.write(regs::kWatchdog, static_cast<uint32_t>(std::clamp<uint64_t>(options.max_cycles / 2, 1,
                                                                          kWatchdogCycles)));
  host_.write(regs::kIrqEnable, 3);
}

void MicroDevice::load(const Image& image) {
  check_image(image, config_, options_.hbm_bytes);
  for (uint32_t i = 0; i < config_.imem_words; ++i)
    for (uint32_t w = 0; w < 4; ++w)
      host_.write(regs::kWinImem + 16 * i + 4 * w,
                  i < image.code.size() ? image.code[i].words[w] : 0);
  for (uint32_t i = 0; i < image.smem.size(); ++i)
    host_.write(regs::kWinSmem + 4 * i, image.smem[i]);
  for (const auto& segment : image.constants) write_hbm(segment.addr, segment.bytes);
  host_.write(regs::kEntryPc, image.entry);
  loaded_ = true;
}

namespace {
uint8_t* range(std::vector<uint8_t>& memory, uint64_t size, uint64_t addr, uint64_t bytes) {
  if (addr > size || bytes > size - addr)
    throw DeviceError(fmt::format("{} bytes at {:#x} end beyond {:#x}", bytes, addr, size));
  return memory.data() + addr;
}
}  // namespace

void MicroDevice::write_hbm(uint64_t addr, std::span<const uint8_t> bytes) {
  std::ranges::copy(bytes, range(bus_.bytes(), options_.hbm_bytes, addr, bytes.size()));
}
void MicroDevice::read_hbm(uint64_t addr, std::span<uint8_t> bytes) {
  std::copy_n(range(bus_.bytes(), options_.hbm_bytes, addr, bytes.size()), bytes.size(),
              bytes.begin());
}
void MicroDevice::write_vmem(uint64_t addr, std::span<const uint8_t> bytes) {
  std::ranges::copy(bytes, range(core_.lmem(), config_.vmem_bytes(), addr, bytes.size()));
}
void MicroDevice::read_vmem(uint64_t addr, std::span<uint8_t> bytes) {
  std::copy_n(range(core_.lmem(), config_.vmem_bytes(), addr, bytes.size()), bytes.size(),
              bytes.begin());
}

RunResult MicroDevice::run() {
  if (!loaded_) throw DeviceError("run without a program: load an image first");
  if (failed_) throw DeviceError("the last program ended with an error: call clear() first");
  core_.forget_events();
  trace_.clear();
  RunResult result;
  try {
    host_.write(regs::kCtrl, kStart);
    const bool ended = host_.run_to_interrupt(options_.max_cycles);
    const uint32_t status = host_.read(regs::kStatus);
    result.done = status & kDone;
    if (status & kError) {
      const uint32_t cause = host_.read(regs::kErrCause);
      result.error = static_cast<isa::Error>(cause & 0xff);
      result.error_unit = static_cast<isa::Unit>(cause >> 8 & 0xff);
      result.error_pc = host_.read(regs::kErrPc);
      result.error_addr = host_.read(regs::kErrAddrLo);
      result.error_addr |= uint64_t{host_.read(regs::kErrAddrHi)} << 32;
      failed_ = true;
    }
    for (uint32_t i = 0; i < regs::kNumCounters; ++i) {
      const uint64_t low = host_.read(regs::kWinCounters + 8 * i);
      result.counters.push_back(low | uint64_t{host_.read(regs::kWinCounters + 8 * i + 4)} << 32);
    }
    if (!ended) {
      result.error = isa::Error::WATCHDOG;
      clear();
      failed_ = true;
    }
    host_.write(regs::kIrqStatus, 3);
  } catch (const micro::MicroError& e) {
    throw DeviceError(e.what());
  }
  isa::Opcode open[isa::kNumUnits] = {};  // the engine does one command at a time
  for (const micro::Event& e : core_.events()) {
    if (e.start) open[e.unit] = static_cast<isa::Opcode>(e.opcode);
    trace_.push_back({e.cycle, static_cast<isa::Unit>(e.unit), e.start, static_cast<uint16_t>(e.pc),
                      open[e.unit]});
  }
  return result;
}

void MicroDevice::clear() {
  host_.write(regs::kCtrl, kClear);
  const uint64_t start = core_.cycle();
  for (;;) {
    const uint32_t status = host_.read(regs::kStatus);
    if (!(status & (kRunning | kError)) && (status & kQuiet)) break;
    core_.step();
    if (core_.cycle() - start > micro::Host::kPatience)
      throw DeviceError(fmt::format("not quiet after CLEAR: STATUS {:#x}", status));
  }
  failed_ = false;
}

}  // namespace micro_test
