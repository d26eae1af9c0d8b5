// The .input and .output directives of the assembler.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "isa/asm_internal.h"
#include "isa/suggest.h"

namespace ttpu::isa {

uint32_t tensor_type_bytes(std::string_view type) {
  if (type == "int8" || type == "uint8") return 1;
  if (type == "bf16") return 2;
  if (type == "int32" || type == "float32") return 4;
  return 0;
}

namespace internal {
namespace {

const std::vector<std::string_view> kTypes = {"int8", "uint8", "bf16", "int32", "float32"};
const std::vector<std::string_view> kFields = {"type",  "shape", "at",
                                               "pitch", "scale", "zero_point"};

void tensor_field(Line& line, Symbols& symbols, std::string_view f, ProgramTensor& r) {
  if (f == "type") {
    const Token t = line.take();
    r.type = lower(t.text);
    if (!tensor_type_bytes(r.type))
      line.fail(t, fmt::format("there is no tensor type '{}'", t.text),
                "types: " + list_names(kTypes));
  } else if (f == "shape") {
    line.expect("[", "write shape=[4, 64]");
    if (line.accept("]")) return;  // a scalar
    do {
      if (r.shape.size() == 8) line.fail(line.peek(), "more than 8 dimensions");
      r.shape.push_back(
          static_cast<uint32_t>(symbols.expression_in(line, 1, 0xffffffff, "a dimension")));
    } while (line.accept(","));
    line.expect("]", "write shape=[4, 64]");
  } else if (f == "at") {
    r.at = static_cast<uint64_t>(symbols.expression_in(line, 0, kMaxAddr, "an HBM address"));
  } else if (f == "pitch") {
    r.pitch = static_cast<uint64_t>(symbols.expression_in(line, 1, kMaxAddr, "a pitch"));
  } else if (f == "scale") {
    const Token t = line.peek();
    r.scale = static_cast<float>(symbols.real(line));
    if (!std::isfinite(r.scale) || r.scale <= 0)
      line.fail(t, "the scale is not a positive number", "write scale=0.5");
  } else {
    r.zero_point = static_cast<int32_t>(
        symbols.expression_in(line, -(int64_t{1} << 31), (int64_t{1} << 31) - 1, "zero_point"));
  }
}

}  // namespace

ProgramTensor parse_tensor(Line& line, Symbols& symbols, uint64_t* bytes) {
  ProgramTensor r;
  const Token name = line.take();
  if (name.kind != Token::Kind::IDENT && name.kind != Token::Kind::STRING)
    line.fail(name, "the name of the tensor is missing",
              "write .input x type=int8 shape=[4, 64] at=0x1000");
  r.name = name.kind == Token::Kind::STRING ? name.string : std::string(name.text);
  std::vector<std::string_view> seen;
  while (!line.done()) {
    const Token field = line.take();
    const std::string f = lower(field.text);
    const auto match = std::find(kFields.begin(), kFields.end(), f);
    if (match == kFields.end()) {
      const auto near = nearest(field.text, kFields);
      line.fail(
          field, fmt::format("tensors have no field '{}'", field.text),
          (near.empty() ? "" : "did you mean " + near + "? ") + "fields: " + list_names(kFields));
    }
    if (std::find(seen.begin(), seen.end(), *match) != seen.end())
      line.fail(field, fmt::format("field {} is given twice", f), "keep one of them");
    seen.push_back(*match);
    line.expect("=", fmt::format("write {}=value", f));
    tensor_field(line, symbols, f, r);
  }
  const auto missing = [&](std::string_view f) {
    return std::find(seen.begin(), seen.end(), f) == seen.end();
  };
  if (missing("shape"))
    line.fail(name, "the tensor's shape is missing", "add shape=[rows, columns]");
  if (missing("at")) line.fail(name, "the tensor's address is missing", "add at=0x1000");
  const int64_t zp_lo = r.type == "int8" ? -128 : 0, zp_hi = r.type == "int8" ? 127 : 255;
  if (tensor_type_bytes(r.type) == 1 && (r.zero_point < zp_lo || r.zero_point > zp_hi))
    line.fail(name, fmt::format("the zero point {} is outside of {}", r.zero_point, r.type),
              fmt::format("{} to {}", zp_lo, zp_hi));
  const uint64_t row = (r.shape.empty() ? 1 : r.shape.back()) * uint64_t{tensor_type_bytes(r.type)};
  if (missing("pitch")) r.pitch = row;
  if (r.pitch < row)
    line.fail(name, fmt::format("the pitch of {} is less than the {} bytes of a row", r.pitch, row),
              "leave pitch out for rows without gaps");
  uint64_t rows = 1, all = 0;
  bool fits = true;
  for (size_t i = 0; i + 1 < r.shape.size(); ++i)
    fits = fits && !__builtin_mul_overflow(rows, uint64_t{r.shape[i]}, &rows);
  fits = fits && !__builtin_mul_overflow(rows, r.pitch, &all);
  if (!fits || all > static_cast<uint64_t>(kMaxAddr))
    line.fail(name, "the tensor is too large", "at most 2^40 bytes");
  *bytes = (rows - 1) * r.pitch + row;
  return r;
}

}  // namespace internal
}  // namespace ttpu::isa
