// One instruction of the assembler, by the generated tables.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/asm_internal.h"
#include "isa/suggest.h"

namespace ttpu::isa::internal {
namespace {

constexpr std::string_view kCommonNames[] = {"ra", "rb", "rc", "wait", "signal"};

/// Number of `r7` or `f7`; fails with an example if `t` is not of that form.
uint32_t numbered(Line& line, const Token& t, char prefix, std::string_view what) {
  if (t.kind == Token::Kind::IDENT && t.text.size() >= 2 && (t.text[0] | 0x20) == prefix) {
    uint32_t v = 0;
    const char *first = t.text.data() + 1, *last = t.text.data() + t.text.size();
    const auto r = std::from_chars(first, last, v);
    if (r.ptr == last && r.ec == std::errc()) {
      if (v > 31)
        line.fail(t, fmt::format("there is no {} {}", what, t.text),
                  fmt::format("{0}0 to {0}31 exist", prefix));
      return v;
    }
  }
  line.fail(t,
            t.kind == Token::Kind::END ? fmt::format("a {} is missing", what)
                                       : fmt::format("expected a {}, found '{}'", what, t.text),
            fmt::format("write {0}0 to {0}31", prefix));
}

uint32_t enum_value(Line& line, Symbols& symbols, const FieldDesc& field) {
  const Token t = line.peek();
  if (t.kind == Token::Kind::IDENT) {
    std::vector<std::string_view> names;
    for (const auto& e : kEnumValues) {
      if (e.type != field.enum_type) continue;
      if (t.word(e.name)) {
        line.take();
        return e.value;
      }
      names.push_back(e.name);
    }
    // A constant may stand for a number; any other word is a misspelt value.
    try {
      Line ahead = line;
      symbols.expression(ahead);
    } catch (const Failure&) {
      const auto near = nearest(t.text, names);
      line.fail(
          t, fmt::format("'{}' is not a value of {}", t.text, field.name),
          (near.empty() ? "" : "did you mean " + near + "? ") + "values: " + list_names(names));
    }
  }
  return static_cast<uint32_t>(
      symbols.expression_in(line, 0, (int64_t{1} << field.bits) - 1, field.name));
}

uint32_t field_value(Line& line, Symbols& symbols, const FieldDesc& field) {
  if (!field.enum_type.empty()) return enum_value(line, symbols, field);
  int64_t lo = 0, hi = (int64_t{1} << field.bits) - 1;
  if (field.is_signed) {
    lo = -(int64_t{1} << (field.bits - 1));
    hi = -lo - 1;
  } else if (field.bits == 32) {
    lo = -(int64_t{1} << 31);  // addresses and constants wrap, so -16 is a good immediate
  }
  return static_cast<uint32_t>(symbols.expression_in(
      line, lo, hi,
      fmt::format("{} ({}{} bits)", field.name, field.is_signed ? "signed, " : "", field.bits)));
}

const OpDesc& find_op(Line& line, const Token& name) {
  if (name.kind != Token::Kind::IDENT)
    line.fail(name, fmt::format("expected an instruction, found '{}'", name.text),
              "a line is [label:] instruction field=value ... or a directive");
  std::vector<std::string_view> names;
  for (const auto& op : kOps) {
    if (name.word(op.name)) return op;
    names.push_back(op.name);
  }
  const auto near = nearest(name.text, names);
  line.fail(name, fmt::format("there is no instruction '{}'", name.text),
            near.empty() ? "docs/reference/isa.md lists them" : "did you mean " + near + "?");
}

}  // namespace

Instr parse_instruction(Line& line, Symbols& symbols) {
  const OpDesc& op = find_op(line, line.take());
  Instr instr;
  Common common;
  common.opcode = op.opcode;
  std::vector<std::string_view> seen;
  while (!line.done()) {
    const Token name = line.take();
    if (name.is(","))
      line.fail(name, "unexpected ','", "fields stand apart by spaces, without commas");
    if (name.kind != Token::Kind::IDENT)
      line.fail(name, fmt::format("expected field=value, found '{}'", name.text),
                op.fields.empty() ? "fields: " + list_names({kCommonNames, std::end(kCommonNames)})
                                  : fmt::format("such as {}=0", op.fields[0].name));
    std::vector<std::string_view> known;
    for (const auto& f : op.fields) known.push_back(f.name);
    known.insert(known.end(), std::begin(kCommonNames), std::end(kCommonNames));
    const auto match =
        std::find_if(known.begin(), known.end(), [&](std::string_view k) { return name.word(k); });
    if (match == known.end()) {
      const auto near = nearest(name.text, known);
      line.fail(
          name, fmt::format("{} has no field '{}'", lower(op.name), name.text),
          (near.empty() ? "" : "did you mean " + near + "? ") + "fields: " + list_names(known));
    }
    if (std::find(seen.begin(), seen.end(), *match) != seen.end())
      line.fail(name, fmt::format("field {} is given twice", *match), "keep one of them");
    seen.push_back(*match);
    line.expect("=", fmt::format("write {}=value", *match));
    const auto index = static_cast<size_t>(match - known.begin());
    if (index < op.fields.size()) {
      const FieldDesc& f = op.fields[index];
      instr.set(f.lsb, f.bits, field_value(line, symbols, f));
    } else if (*match == "wait") {
      common.wait_flag = numbered(line, line.take(), 'f', "flag");
      line.expect(":", "write wait=f2:1, the flag and the value to wait for");
      common.wait_value = static_cast<uint32_t>(symbols.expression_in(line, 0, 255, "wait"));
    } else if (*match == "signal") {
      common.signal = 1;
      common.signal_flag = numbered(line, line.take(), 'f', "flag");
    } else {
      const uint32_t r = numbered(line, line.take(), 'r', "register");
      (*match == "ra" ? common.ra : *match == "rb" ? common.rb : common.rc) = r;
    }
  }
  common.apply(instr);
  return instr;
}

}  // namespace ttpu::isa::internal
