// Helpers of the golden model's tests: commands for a Machine, and values of every kind.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "golden/arith.h"
#include "golden/machine.h"
#include "isa/generated/isa_gen.h"
#include "tb/random.h"

namespace ttpu::golden {

inline const Config& config(const char* name) { return *find_config(name); }

/// Instructions without fields of their own.
template <isa::Opcode kOp>
struct Plain {
  isa::Instr encode() const {
    isa::Instr i;
    i.set(0, 8, static_cast<uint32_t>(kOp));
    return i;
  }
};
using Nop = Plain<isa::Opcode::NOP>;
using Halt = Plain<isa::Opcode::HALT>;
using Jr = Plain<isa::Opcode::JR>;
using VpuClear = Plain<isa::Opcode::VPU_CLEAR>;

/// A command with values of its registers.
template <class Fields>
Command command(const Fields& fields, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
  return {fields.encode(), a, b, c, 7};
}

/// Carry out a command that must succeed.
inline void must(Machine& machine, const Command& c) {
  ASSERT_TRUE(machine.ready(c));
  const auto fault = machine.execute(c);
  ASSERT_FALSE(fault) << "cause " << static_cast<int>(fault->cause) << " addr " << std::hex
                      << fault->addr;
}

/// Carry out a command that must fail, with that cause and address.
inline void must_fail(Machine& machine, const Command& c, isa::Error cause, uint64_t addr) {
  ASSERT_TRUE(machine.ready(c));
  const auto fault = machine.execute(c);
  ASSERT_TRUE(fault) << "no fault";
  EXPECT_EQ(static_cast<int>(fault->cause), static_cast<int>(cause));
  EXPECT_EQ(fault->pc, c.pc);
  EXPECT_EQ(fault->addr, addr) << "cause " << static_cast<int>(fault->cause);
}

inline void put_u32(std::vector<uint8_t>& memory, uint64_t addr, uint32_t value) {
  std::memcpy(&memory[addr], &value, 4);
}
inline uint32_t get_u32(const std::vector<uint8_t>& memory, uint64_t addr) {
  uint32_t value;
  std::memcpy(&value, &memory[addr], 4);
  return value;
}

/// fp32 bits of all kinds: every exponent, edges, NaN, infinities, zeros, subnormals.
inline uint32_t any_float(tb::Random& random) {
  static constexpr uint32_t kEdges[] = {
      0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff,
      0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff,
      0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x4effffff, 0x3f000000, 0x40200000};
  if (random.chance(20)) return kEdges[random.below(std::size(kEdges))];
  if (random.chance(30))  // near 1, so that sums cancel
    return (random.u32() & 0x80ffffff) | 0x3f000000;
  return random.u32();
}

}  // namespace ttpu::golden
