#include "runtime/golden_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>

namespace ttpu {

namespace {

/// The bytes [addr, addr + size) of a memory, or a DeviceError.
uint8_t* range(std::vector<uint8_t>& memory, uint64_t addr, uint64_t size, const char* name) {
  if (addr > memory.size() || size > memory.size() - addr)
    throw DeviceError(fmt::format("{}: {} bytes at {:#x} end beyond its {:#x} bytes", name, size,
                                  addr, memory.size()));
  return memory.data() + addr;
}

}  // namespace

GoldenDevice::GoldenDevice(const Config& config, const DeviceOptions& options)
    : machine_(config, options.hbm_bytes), options_(options) {
  if (options.random_init_seed == 0) return;
  std::mt19937_64 random(options.random_init_seed);
  const auto fill = [&](auto& memory) {
    for (auto& item : memory) item = static_cast<std::decay_t<decltype(item)>>(random());
  };
  fill(machine_.vmem);
  fill(machine_.acc);
  fill(machine_.smem);
  fill(machine_.cmem);
  for (auto& lanes : machine_.vreg) fill(lanes);
}

void GoldenDevice::load(const Image& image) {
  check_image(image, config(), machine_.hbm.size());
  std::fill(machine_.imem.begin(), machine_.imem.end(), isa::Instr{});
  std::copy(image.code.begin(), image.code.end(), machine_.imem.begin());
  std::copy(image.smem.begin(), image.smem.end(), machine_.smem.begin());
  for (const auto& segment : image.constants) write_hbm(segment.addr, segment.bytes);
  entry_ = image.entry;
  loaded_ = true;
}

void GoldenDevice::write_hbm(uint64_t addr, std::span<const uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), range(machine_.hbm, addr, bytes.size(), "HBM"));
}
void GoldenDevice::read_hbm(uint64_t addr, std::span<uint8_t> bytes) {
  std::copy_n(range(machine_.hbm, addr, bytes.size(), "HBM"), bytes.size(), bytes.begin());
}
void GoldenDevice::write_vmem(uint64_t addr, std::span<const uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), range(machine_.vmem, addr, bytes.size(), "VMEM"));
}
void GoldenDevice::read_vmem(uint64_t addr, std::span<uint8_t> bytes) {
  std::copy_n(range(machine_.vmem, addr, bytes.size(), "VMEM"), bytes.size(), bytes.begin());
}

RunResult GoldenDevice::run() {
  if (!loaded_) throw DeviceError("run without a program: load an image first");
  if (failed_) throw DeviceError("the last program ended with an error: call clear() first");
  const auto start = std::chrono::steady_clock::now();
  const auto fault = machine_.run(entry_, options_.max_cycles);
  RunResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.done = !fault;
  if (fault) {
    failed_ = true;
    result.error = fault->cause;
    result.error_unit = fault->unit;
    result.error_pc = fault->pc;
    result.error_addr = fault->addr;
  }
  trace_.clear();
  if (options_.trace_commands) {
    uint64_t order = 0;
    for (const auto& command : machine_.retired) {
      const auto pc = static_cast<uint16_t>(command.pc);
      trace_.push_back({order, command.unit, true, pc, command.opcode});
      trace_.push_back({++order, command.unit, false, pc, command.opcode});
    }
  }
  return result;
}

void GoldenDevice::clear() {
  machine_.clear();
  failed_ = false;
}

}  // namespace ttpu
