// Commands of the VPU, made from their fields.
#pragma once
#include <cstdint>

#include "golden/machine.h"
#include "isa/generated/isa_gen.h"

namespace vpu_test {

using ttpu::Config;
using ttpu::golden::Command;
namespace isa = ttpu::isa;

/// A command with values of its registers.
template <class Fields>
Command command(const Fields& fields, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0,
                uint32_t pc = 7) {
  return {fields.encode(), a, b, c, pc};
}

/// A command without fields.
inline Command bare(isa::Opcode opcode) {
  Command c;
  c.instr.set(0, 8, static_cast<uint32_t>(opcode));
  c.pc = 7;
  return c;
}

}  // namespace vpu_test
