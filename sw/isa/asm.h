// Assembler: text to a program. The syntax is described in docs/guide/assembler.md.
//
// Opcodes, fields, widths and enumerations come from the generated tables alone, so that a command
// added to isa.yaml can be written at once.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instr.h"

namespace ttpu::isa {

/// A tensor at the boundary of a program (.input, .output).
struct ProgramTensor {
  std::string name;
  std::string type = "int8";  ///< int8, uint8, bf16, int32 or float32
  std::vector<uint32_t> shape;
  uint64_t at = 0;     ///< bytes from the base of the HBM window
  uint64_t pitch = 0;  ///< bytes from one innermost row to the next
  float scale = 1.0f;
  int32_t zero_point = 0;
  bool operator==(const ProgramTensor&) const = default;
};

/// Constant bytes in HBM (.hbm).
struct ProgramSegment {
  uint64_t addr = 0;
  std::vector<uint8_t> bytes;
  bool operator==(const ProgramSegment&) const = default;
};

/// What a source text says; the runtime's Image has the same content.
struct Program {
  std::string config_name;
  uint32_t config_hash = 0;
  uint32_t entry = 0;
  uint64_t hbm_bytes = 0;
  std::vector<Instr> code;
  std::vector<uint32_t> smem;
  std::vector<ProgramSegment> constants;
  std::vector<ProgramTensor> inputs, outputs;
  std::string report;
  bool operator==(const Program&) const = default;
};

/// Bytes of an element of that type, 0 for an unknown one.
uint32_t tensor_type_bytes(std::string_view type);

/// An error of a source text.
struct Diagnostic {
  int line = 0;    ///< from 1
  int column = 0;  ///< from 1, in bytes
  int length = 1;  ///< bytes that the caret underlines
  std::string message;
  std::string hint;  ///< what would be right; may be empty
  std::string source_line;
};

/// file:line:column: error, the line, a caret below it, the hint.
std::string to_string(const Diagnostic& d, std::string_view file);

/// Outcome of assemble(): a program if there are no errors.
struct AssembleResult {
  Program program;
  std::vector<Diagnostic> errors;  ///< in order of lines; at most kMaxErrors
  bool ok() const { return errors.empty(); }
};
inline constexpr size_t kMaxErrors = 20;

/// Assemble a source text. `default_config` is used where the text has no .config.
/// Never throws on bad input: everything wrong is in the errors.
AssembleResult assemble(std::string_view source, std::string_view default_config = "core16");

}  // namespace ttpu::isa
