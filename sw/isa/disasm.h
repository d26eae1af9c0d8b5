// Disassembler: text that assembles to the same bits.
#pragma once
#include <string>
#include <vector>

#include "isa/asm.h"
#include "isa/generated/isa_gen.h"

namespace ttpu::isa {

/// The instruction of that opcode, or nullptr.
const OpDesc* find_op(uint32_t opcode);
/// Name of an opcode in lower case, "0x.." for an unknown one.
std::string opcode_name(uint32_t opcode);
/// Name of a unit ("MXS").
std::string_view unit_name(Unit unit);
/// The error's entry of the table (that of NONE for an unknown code).
const ErrorDesc& error_desc(Error error);

/// One instruction. What the syntax cannot say (an unknown opcode, bits outside of fields) becomes
/// a .word line. `labels[pc]`, where not empty, is written for a branch target.
std::string disassemble(const Instr& instr, const std::vector<std::string>& labels = {});

/// A whole program. With `show_pc`, each instruction ends with its index as a comment.
std::string disassemble(const Program& program, bool show_pc = false);

}  // namespace ttpu::isa
