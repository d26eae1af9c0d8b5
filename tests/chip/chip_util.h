// Two devices with the same contents, and the comparison of what a program left behind.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"
#include "runtime/device.h"
#include "runtime/golden_device.h"
#include "tb/random.h"

namespace chip_test {

using ttpu::Config;
using ttpu::Device;
using ttpu::DeviceOptions;
using ttpu::RunResult;
using ttpu::isa::Error;
using ttpu::isa::Instr;
using ttpu::isa::Opcode;
using ttpu::isa::Unit;

inline const Config& config(const std::string& name) { return *ttpu::find_config(name); }

/// An image of nothing but code.
ttpu::Image image_of(const Config& config, const std::vector<Instr>& code, uint64_t hbm_bytes = 0);

/// The common fields that a test wants to set.
struct Common {
  uint32_t ra = 0, rb = 0, rc = 0, wait_value = 0, wait_flag = 0, signal = 0, signal_flag = 0;
};
Instr with(Instr instr, const Common& common);
/// An instruction with a 32-bit immediate, a target, or nothing.
Instr plain(Opcode op, const Common& common = {}, uint32_t imm = 0);

const char* name_of(Unit unit);
std::string name_of(Opcode op);
std::string name_of(Error error);

/// "done", or the error with unit, pc and address.
std::string describe(const RunResult& result);
void expect_same_outcome(const RunResult& golden, const RunResult& rtl);

/// Commands of each unit in their order of completion.
std::vector<std::string> retired(const Device& device, Unit unit);
void expect_same_retired(const Device& golden, const Device& rtl);

/// Fails with memory, address, both values, and the program counter of the last writer if given.
void expect_same_bytes(const char* memory, uint64_t base, const std::vector<uint8_t>& expected,
                       const std::vector<uint8_t>& got,
                       const std::vector<uint32_t>* writer = nullptr,
                       const std::vector<Instr>* code = nullptr);

std::vector<uint8_t> hbm(Device& device, uint64_t addr, uint64_t size);
std::vector<uint8_t> vmem(Device& device, uint64_t addr, uint64_t size);

}  // namespace chip_test
