#include "isa/disasm.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "isa/generated/configs_gen.h"
#include "isa/lexer.h"
#include "isa/suggest.h"

namespace ttpu::isa {
namespace {

const std::array<const OpDesc*, 256>& op_table() {
  static const auto table = [] {
    std::array<const OpDesc*, 256> t{};
    for (const auto& op : kOps) t[op.opcode] = &op;
    return t;
  }();
  return table;
}

std::string word_line(const Instr& i, std::string_view why) {
  return fmt::format(".word 0x{:08x}, 0x{:08x}, 0x{:08x}, 0x{:08x}  # {}", i.words[0], i.words[1],
                     i.words[2], i.words[3], why);
}

std::string field_text(const Instr& i, const FieldDesc& f, const std::vector<std::string>& labels) {
  const uint32_t v = i.get(f.lsb, f.bits);
  if (!f.enum_type.empty()) {
    for (const auto& e : kEnumValues)
      if (e.type == f.enum_type && e.value == v) return fmt::format(" {}={}", f.name, e.name);
    return fmt::format(" {}={}", f.name, v);  // an undefined value: a BAD_FIELD to be
  }
  if (f.name == "target" && v < labels.size() && !labels[v].empty())
    return fmt::format(" {}={}", f.name, labels[v]);
  if (v == 0) return "";
  if (f.is_signed) return fmt::format(" {}={}", f.name, i.get_signed(f.lsb, f.bits));
  if (f.bits == 32 && v >= 0xffff0000u)  // a small negative offset
    return fmt::format(" {}={}", f.name, static_cast<int32_t>(v));
  if (f.name.starts_with("imm") && v > 9) return fmt::format(" {}=0x{:x}", f.name, v);
  return fmt::format(" {}={}", f.name, v);
}

std::string real_text(float v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  return fmt::format("{}", v);
}

void tensor_text(std::string& r, std::string_view directive, const ProgramTensor& t) {
  r += fmt::format("{} {} type={} shape=[{}] at=0x{:x} pitch={}", directive,
                   is_identifier(t.name) ? t.name : quote(t.name), t.type, join(t.shape), t.at,
                   t.pitch);
  if (t.scale != 1.0f) r += " scale=" + real_text(t.scale);
  if (t.zero_point != 0) r += fmt::format(" zero_point={}", t.zero_point);
  r += '\n';
}

template <typename T>
void data_text(std::string& r, std::string_view directive, const std::vector<T>& values,
               size_t a_line) {
  for (size_t i = 0; i < values.size(); i += a_line) {
    // A run of zeros over whole lines is one .zero.
    size_t zeros = i;
    while (zeros < values.size() && values[zeros] == 0) ++zeros;
    if (zeros - i > 2 * a_line) {
      const size_t n = zeros == values.size() ? zeros - i : (zeros - i) / a_line * a_line;
      r += fmt::format("  .zero {}\n", n);
      i += n - a_line;
      continue;
    }
    const size_t end = std::min(i + a_line, values.size());
    r += fmt::format("  {} {}\n", directive, join(std::span(values).subspan(i, end - i)));
  }
}

}  // namespace

const OpDesc* find_op(uint32_t opcode) { return opcode < 256 ? op_table()[opcode] : nullptr; }

std::string opcode_name(uint32_t opcode) {
  const OpDesc* op = find_op(opcode);
  return op ? lower(op->name) : fmt::format("0x{:02x}", opcode);
}

std::string_view unit_name(Unit unit) {
  for (const auto& e : kEnumValues)
    if (e.type == "unit" && e.value == static_cast<uint32_t>(unit)) return e.name;
  return "?";
}

const ErrorDesc& error_desc(Error error) {
  for (const auto& e : kErrors)
    if (e.value == static_cast<uint32_t>(error)) return e;
  return kErrors[0];
}

std::string disassemble(const Instr& instr, const std::vector<std::string>& labels) {
  const Common c = Common::decode(instr);
  const OpDesc* op = find_op(c.opcode);
  if (!op) return word_line(instr, fmt::format("unknown opcode 0x{:02x}", c.opcode));
  Instr known;
  c.apply(known);
  std::string r = lower(op->name);
  const auto reg = [&](std::string_view name, uint32_t v) {
    if (v) r += fmt::format(" {}=r{}", name, v);
  };
  reg("rc", c.rc);
  reg("ra", c.ra);
  reg("rb", c.rb);
  for (const auto& f : op->fields) {
    known.set(f.lsb, f.bits, instr.get(f.lsb, f.bits));
    r += field_text(instr, f, labels);
  }
  if (c.wait_value || c.wait_flag) r += fmt::format(" wait=f{}:{}", c.wait_flag, c.wait_value);
  if (c.signal) r += fmt::format(" signal=f{}", c.signal_flag);
  if (known != instr) return word_line(instr, r + ", and bits outside of its fields");
  if (!c.signal && c.signal_flag)
    return word_line(instr, fmt::format("{}, signal off but signal_flag f{}", r, c.signal_flag));
  return r;
}

std::string disassemble(const Program& program, bool show_pc) {
  std::vector<std::string> labels(program.code.size());
  for (const auto& i : program.code) {
    const OpDesc* op = find_op(i.get(0, 8));
    if (!op) continue;
    for (const auto& f : op->fields) {
      const uint32_t target = i.get(f.lsb, f.bits);
      if (f.name == "target" && target < labels.size()) labels[target] = fmt::format("L{}", target);
    }
  }
  if (program.entry < labels.size() && program.entry != 0) labels[program.entry] = "start";

  std::string r = fmt::format(".config {}\n", program.config_name);
  const Config* config = find_config(program.config_name);
  if (!config || config->hash != program.config_hash)
    r += fmt::format(".hash 0x{:08x}\n", program.config_hash);
  if (program.hbm_bytes) r += fmt::format(".hbm_bytes 0x{:x}\n", program.hbm_bytes);
  for (const auto& t : program.inputs) tensor_text(r, ".input", t);
  for (const auto& t : program.outputs) tensor_text(r, ".output", t);
  if (program.entry) {
    r += program.entry < labels.size() ? ".entry start\n"
                                       : fmt::format(".entry {}\n", program.entry);
  }
  r += '\n';
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    if (!labels[pc].empty()) r += labels[pc] + ":\n";
    std::string line = "  " + disassemble(program.code[pc], labels);
    if (show_pc) line = fmt::format("{:<88}  # {}", line, pc);
    r += line + '\n';
  }
  if (!program.smem.empty()) {
    r += "\n.smem\n";
    data_text(r, ".i32", program.smem, 8);
  }
  for (const auto& s : program.constants) {
    r += fmt::format("\n.hbm 0x{:x}\n", s.addr);
    data_text(r, ".u8", s.bytes, 32);
  }
  if (!program.report.empty()) r += fmt::format("\n.report {}\n", quote(program.report));
  return r;
}

}  // namespace ttpu::isa
