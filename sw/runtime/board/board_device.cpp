#include "runtime/board/board_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "runtime/board/serial_port.h"

namespace ttpu {

namespace {

constexpr uint32_t kChipId = 0x55505454;  // "TTPU"
constexpr uint32_t kStart = 1, kClear = 2;
constexpr uint32_t kRunning = 1, kDone = 2, kError = 4, kQuiet = 8;
/// Cycles without progress before the chip itself reports a hang.
constexpr uint64_t kWatchdogCycles = 0x00100000;
constexpr auto kClearTime = std::chrono::seconds(5);
constexpr auto kLongestPause = std::chrono::milliseconds(20);

}  // namespace

const Config* BoardIdentity::config() const {
  for (const auto& c : kConfigs)
    if (c.hash == config_hash) return &c;
  return nullptr;
}

BoardIdentity read_identity(BoardLink& link) {
  uint32_t w[10];
  static_assert(regs::kId == 0 && regs::kCmemBytes == 36);
  link.read(regs::kId, w);
  const BoardIdentity id{w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9]};
  if (id.id != kChipId)
    throw DeviceError(
        fmt::format("{}: the chip says ID {:08x}, expected {:08x}: load the bitstream "
                    "of this release",
                    link.name(), id.id, kChipId));
  return id;
}

BoardDevice::BoardDevice(std::unique_ptr<BoardLink> link, const Config& config,
                         const DeviceOptions& options)
    : link_(std::move(link)), config_(config), options_(options) {
  const BoardIdentity id = read_identity(*link_);
  if (id.config_hash != config_.hash) {
    const Config* its = id.config();
    throw DeviceError(fmt::format(
        "the board on {} is '{}' (hash {:08x}), '{}' (hash {:08x}) is asked for: {}", link_->name(),
        its ? its->name : "unknown to this release", id.config_hash, config_.name, config_.hash,
        its ? fmt::format("compile with --config {}, or load the bitstream of {}", its->name,
                          config_.name)
            : "load a bitstream of this release"));
  }
  clear();
  for (const uint32_t r : {regs::kHbmBaseLo, regs::kHbmBaseHi, regs::kHbmSizeHi}) write_reg(r, 0);
  write_reg(regs::kHbmSizeLo, hbm_bytes());
  write_reg(regs::kWatchdog, static_cast<uint32_t>(std::clamp<uint64_t>(options_.max_cycles / 2, 1,
                                                                        kWatchdogCycles)));
}

uint32_t BoardDevice::read_reg(uint32_t reg) {
  uint32_t value = 0;
  link_->read(reg, {&value, 1});
  return value;
}

void BoardDevice::write_reg(uint32_t reg, uint32_t value) { link_->write(reg, {&value, 1}); }

// ---- memories -----------------------------------------------------------------------------------

void BoardDevice::check_range(const char* memory, uint64_t addr, uint64_t size,
                              uint64_t limit) const {
  if (addr > limit || size > limit - addr)
    throw DeviceError(fmt::format("{}: {} bytes at 0x{:x} end beyond its 0x{:x} bytes", memory,
                                  size, addr, limit));
}

void BoardDevice::write_bytes(uint64_t addr, std::span<const uint8_t> bytes, bool hbm) {
  if (bytes.empty()) return;
  const auto first = static_cast<uint32_t>(addr / 4 * 4);
  const size_t lead = addr - first, count = (lead + bytes.size() + 3) / 4;
  std::vector<uint32_t> words(count);
  // Keep the neighbours in the first and the last word.
  auto* raw = reinterpret_cast<uint8_t*>(words.data());
  if (lead) read_bytes(first, {raw, 4}, hbm);
  if ((lead + bytes.size()) % 4)
    read_bytes(first + 4 * (count - 1), {raw + 4 * (count - 1), 4}, hbm);
  std::memcpy(raw + lead, bytes.data(), bytes.size());
  if (hbm) return link_->write(first, words, true);
  write_reg(regs::kVmemAddr, first);
  link_->write(regs::kVmemData, words, false, true);
}

void BoardDevice::read_bytes(uint64_t addr, std::span<uint8_t> bytes, bool hbm) {
  if (bytes.empty()) return;
  const auto first = static_cast<uint32_t>(addr / 4 * 4);
  std::vector<uint32_t> words((addr - first + bytes.size() + 3) / 4);
  if (hbm) {
    link_->read(first, words, true);
  } else {
    write_reg(regs::kVmemAddr, first);
    link_->read(regs::kVmemData, words, false, true);
  }
  std::memcpy(bytes.data(), reinterpret_cast<const uint8_t*>(words.data()) + (addr - first),
              bytes.size());
}

void BoardDevice::write_hbm(uint64_t addr, std::span<const uint8_t> bytes) {
  check_range("HBM", addr, bytes.size(), hbm_bytes());
  write_bytes(addr, bytes, true);
}
void BoardDevice::read_hbm(uint64_t addr, std::span<uint8_t> bytes) {
  check_range("HBM", addr, bytes.size(), hbm_bytes());
  read_bytes(addr, bytes, true);
}
void BoardDevice::write_vmem(uint64_t addr, std::span<const uint8_t> bytes) {
  check_range("VMEM", addr, bytes.size(), config_.vmem_bytes());
  write_bytes(addr, bytes, false);
}
void BoardDevice::read_vmem(uint64_t addr, std::span<uint8_t> bytes) {
  check_range("VMEM", addr, bytes.size(), config_.vmem_bytes());
  read_bytes(addr, bytes, false);
}

void BoardDevice::load(const Image& image) {
  if (image.hbm_bytes > hbm_bytes() && image.config_hash == config_.hash)
    throw DeviceError(
        fmt::format("the image needs {} bytes of HBM, the board on {} has {}: compile with a "
                    "smaller --batch, or "
                    "use a board with more",
                    image.hbm_bytes, link_->name(), hbm_bytes()));
  check_image(image, config_, hbm_bytes());
  const auto size = static_cast<uint32_t>(image.code.size());
  // What is left of an earlier program becomes zeros, at least one instruction: a program that runs
  // off its end stops there, as on every device.
  std::vector<uint32_t> code(4 *
                             std::max<size_t>(std::min(size + 1, config_.imem_words), imem_used_));
  for (uint32_t i = 0; i < size; ++i)
    std::copy(std::begin(image.code[i].words), std::end(image.code[i].words), &code[4 * i]);
  link_->write(regs::kWinImem, code);
  imem_used_ = size;
  link_->write(regs::kWinSmem, image.smem);
  for (const auto& segment : image.constants) write_hbm(segment.addr, segment.bytes);
  write_reg(regs::kEntryPc, image.entry);
  loaded_ = true;
}

// ---- run ----------------------------------------------------------------------------------------

void BoardDevice::read_result(RunResult& result) {
  const uint32_t status = read_reg(regs::kStatus);
  result.done = status & kDone;
  if (status & kError) {
    uint32_t w[4];
    link_->read(regs::kErrCause, w);
    result.error = static_cast<isa::Error>(w[0] & 0xff);
    result.error_unit = static_cast<isa::Unit>(w[0] >> 8 & 0xff);
    result.error_pc = w[1];
    result.error_addr = w[2] | uint64_t{w[3]} << 32;
    failed_ = true;
  }
  std::vector<uint32_t> words(2 * regs::kNumCounters);
  link_->read(regs::kWinCounters, words);
  result.counters.resize(regs::kNumCounters);
  for (size_t i = 0; i < result.counters.size(); ++i)
    result.counters[i] = words[2 * i] | uint64_t{words[2 * i + 1]} << 32;
}

RunResult BoardDevice::run() {
  if (!loaded_) throw DeviceError("run without a program: load an image first");
  if (failed_) throw DeviceError("the last program ended with an error: call clear() first");
  RunResult result;
  write_reg(regs::kCtrl, kStart);
  const auto start = std::chrono::steady_clock::now();
  auto pause = std::chrono::milliseconds(0);
  bool ended = false;
  uint64_t before = 0;
  auto moved = start;
  for (;;) {
    ended = (read_reg(regs::kStatus) & kRunning) == 0;
    if (ended) break;
    uint32_t words[2];
    link_->read(regs::kWinCounters + 8 * regs::CYCLES, words);
    const uint64_t cycles = words[0] | uint64_t{words[1]} << 32;
    if (cycles >= options_.max_cycles) break;
    const auto now = std::chrono::steady_clock::now();
    if (cycles != before) moved = now;
    before = cycles;
    if (now - moved > std::chrono::milliseconds(link_->options().standstill_ms))
      throw DeviceError(fmt::format(
          "{}: the chip says that it runs, but its cycle counter stands at {} for {} ms: "
          "reset the board",
          link_->name(), cycles, link_->options().standstill_ms));
    std::this_thread::sleep_for(pause);
    pause = std::min(kLongestPause, pause + std::chrono::milliseconds(1));
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  read_result(result);
  if (!ended && !result.done) {  // no end in time counts as a hang; the program is stopped
    if (result.error == isa::Error::NONE) result.error = isa::Error::WATCHDOG;
    clear();
    failed_ = true;
  }
  return result;
}

void BoardDevice::clear() {
  write_reg(regs::kCtrl, kClear);
  const auto limit = std::chrono::steady_clock::now() + kClearTime;
  for (;;) {
    const uint32_t status = read_reg(regs::kStatus);
    if ((status & (kRunning | kError)) == 0 && (status & kQuiet)) break;
    if (std::chrono::steady_clock::now() > limit)
      throw DeviceError(
          fmt::format("{}: the chip is not quiet {} s after CLEAR (STATUS {:08x}): reset the board",
                      link_->name(), kClearTime.count(), status));
  }
  failed_ = false;
}

std::unique_ptr<BoardLink> open_link(const std::string& device) {
  const BoardAddress a = parse_board(device);
  auto port = std::make_unique<SerialPort>(a.port, a.baud);
  const std::string path = port->path();
  return std::make_unique<BoardLink>(std::move(port), path, link_options());
}

std::unique_ptr<Device> open_board(const std::string& device, const Config& config,
                                   const DeviceOptions& options) {
  return std::make_unique<BoardDevice>(open_link(device), config, options);
}

}  // namespace ttpu
