#include "ttpu/npy.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace ttpu::cli {
namespace {

struct Type {
  std::string_view descr, name;
  uint64_t bytes;
};
constexpr Type kTypes[] = {
    {"|i1", "int8", 1}, {"|u1", "uint8", 1}, {"<i4", "int32", 4}, {"<f4", "float32", 4}};

/// Text of a value in the header's Python dictionary, after "'key':", blanks skipped.
std::string_view value_of(std::string_view header, std::string_view key) {
  const auto at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) throw NpyError(fmt::format("the header has no '{}'", key));
  auto v = header.substr(at + key.size() + 3);
  while (!v.empty() && v[0] == ' ') v.remove_prefix(1);
  return v;
}

std::vector<uint64_t> parse_shape(std::string_view v) {
  std::vector<uint64_t> shape;
  const auto end = v.find(')');
  if (v.empty() || v[0] != '(' || end == std::string_view::npos)
    throw NpyError("the header's shape is no tuple");
  v = v.substr(1, end - 1);
  while (true) {
    while (!v.empty() && (v[0] == ' ' || v[0] == ',')) v.remove_prefix(1);
    if (v.empty()) return shape;
    uint64_t n = 0;
    const auto r = std::from_chars(v.data(), v.data() + v.size(), n);
    if (r.ec != std::errc()) throw NpyError("the header's shape is no list of numbers");
    shape.push_back(n);
    v.remove_prefix(static_cast<size_t>(r.ptr - v.data()));
  }
}

}  // namespace

NpyArray parse_npy(std::string_view file) {
  if (file.size() < 10 || file.substr(0, 6) != std::string_view("\x93NUMPY", 6))
    throw NpyError("it does not begin as a .npy file");
  const auto byte = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(file[i])); };
  const uint64_t version = byte(6);
  if (version < 1 || version > 3)
    throw NpyError(fmt::format("version {} of the format is not known", version));
  const size_t start = version == 1 ? 10 : 12;
  if (file.size() < start) throw NpyError("it ends within the header");
  uint64_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > file.size() - start) throw NpyError("it ends within the header");
  const auto header = file.substr(start, length);
  const auto data = file.substr(start + length);

  NpyArray a;
  auto descr = value_of(header, "descr");
  if (descr.size() < 5 || descr[0] != '\'') throw NpyError("records are not supported");
  descr = descr.substr(1, descr.find('\'', 1) - 1);
  uint64_t bytes = 0;
  for (const auto& t : kTypes) {
    // Byte order says nothing of a single byte.
    const bool same =
        t.bytes == 1 ? descr.size() == 3 && descr.substr(1) == t.descr.substr(1) : descr == t.descr;
    if (!same) continue;
    a.type = t.name;
    bytes = t.bytes;
  }
  if (bytes == 0)
    throw NpyError(
        fmt::format("element type '{}' is not supported; save it as int8, uint8, int32 "
                    "or float32 (x.astype(numpy.float32))",
                    descr));
  const auto order = value_of(header, "fortran_order");
  if (order.starts_with("True"))
    throw NpyError("it is in Fortran order; save numpy.ascontiguousarray(x)");
  if (!order.starts_with("False")) throw NpyError("the header's fortran_order is no truth value");
  a.shape = parse_shape(value_of(header, "shape"));
  uint64_t total = bytes;
  for (const uint64_t n : a.shape)
    if (__builtin_mul_overflow(total, n, &total)) throw NpyError("the shape is too large");
  if (data.size() != total)
    throw NpyError(
        fmt::format("the shape needs {} bytes of data, the file has {}", total, data.size()));
  a.bytes.assign(data.begin(), data.end());
  return a;
}

std::string format_npy(const NpyArray& array) {
  std::string_view descr;
  for (const auto& t : kTypes)
    if (t.name == array.type) descr = t.descr;
  if (descr.empty()) throw NpyError(fmt::format("cannot write type '{}'", array.type));
  std::string shape;
  for (const uint64_t n : array.shape) shape += fmt::format("{}, ", n);
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, shape);
  header += std::string(63 - (header.size() + 10) % 64, ' ') + '\n';  // data on a multiple of 64
  std::string r("\x93NUMPY\x01\x00", 8);
  r += static_cast<char>(header.size() & 0xff);
  r += static_cast<char>(header.size() >> 8);
  r += header;
  r.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return r;
}

}  // namespace ttpu::cli
