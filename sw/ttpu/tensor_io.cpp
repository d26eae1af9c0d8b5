#include "ttpu/tensor_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>

#include "isa/suggest.h"
#include "ttpu/cli.h"
#include "ttpu/npy.h"

namespace ttpu::cli {
namespace {

float bf16_to_float(uint16_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v) << 16); }

uint16_t float_to_bf16(float f) {
  const auto bits = std::bit_cast<uint32_t>(f);
  if (std::isnan(f)) return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

std::vector<uint8_t> from_npy(const TensorDesc& desc, const std::string& path) {
  NpyArray a;
  try {
    a = parse_npy(read_file(path));
  } catch (const NpyError& e) {
    throw CliError(kBadFile, fmt::format("'{}' cannot be used: {}", path, e.what()));
  }
  if (!std::equal(a.shape.begin(), a.shape.end(), desc.shape.begin(), desc.shape.end()))
    throw CliError(kBadFile,
                   fmt::format("'{}' has shape [{}], but input '{}' has [{}]", path,
                               isa::join(a.shape), desc.name, isa::join(desc.shape)),
                   "reshape it, or compile the model with another --batch");
  if (a.type == name_of(desc.type)) return a.bytes;
  const bool real = desc.type == TensorType::BF16 || desc.type == TensorType::F32;
  if (!real)
    throw CliError(kBadFile,
                   fmt::format("'{}' holds {}, but input '{}' is {}", path, a.type, desc.name,
                               name_of(desc.type)),
                   fmt::format("save it as x.astype(numpy.{})", name_of(desc.type)));
  // Numbers of any type become floats, nearest even.
  const TensorType from = a.type == "int8"    ? TensorType::S8
                          : a.type == "uint8" ? TensorType::U8
                          : a.type == "int32" ? TensorType::S32
                                              : TensorType::F32;
  const uint32_t size = size_of(desc.type);
  std::vector<uint8_t> r(desc.elements() * size);
  for (uint64_t i = 0; i < desc.elements(); ++i) {
    const auto f = static_cast<float>(element(from, a.bytes, i));
    const uint32_t bits =
        desc.type == TensorType::BF16 ? float_to_bf16(f) : std::bit_cast<uint32_t>(f);
    std::memcpy(r.data() + i * size, &bits, size);
  }
  return r;
}

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

}  // namespace

NamedArgument parse_named(const std::string& text, const std::string& option) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size())
    throw CliError(
        kUsage, fmt::format("{} takes NAME=VALUE, not '{}'", option, text),
        fmt::format("such as {} x={}", option, option == "--input" ? "random:1" : "x.npy"));
  return {text.substr(0, at), text.substr(at + 1)};
}

const TensorDesc& find_tensor(std::span<const TensorDesc> tensors, const std::string& name,
                              const std::string& option) {
  std::vector<std::string_view> names;
  for (const auto& t : tensors) {
    if (t.name == name) return t;
    names.push_back(t.name);
  }
  throw CliError(kUsage, fmt::format("{}: the program has no tensor '{}'", option, name),
                 names.empty() ? "it has none" : fmt::format("it has: {}", isa::join(names)));
}

std::vector<uint8_t> random_tensor(TensorType type, uint64_t elements, uint64_t seed) {
  std::mt19937_64 rng(seed);
  const uint32_t size = size_of(type);
  std::vector<uint8_t> r(elements * size);
  const bool real = type == TensorType::BF16 || type == TensorType::F32;
  for (uint64_t i = 0; i < elements; ++i) {
    uint64_t v = rng();
    if (real) {
      // Sign and mantissa of any kind, exponent 2^-3 to 2^2.
      uint32_t bits = static_cast<uint32_t>(v) & 0x807fffffu;
      bits |= (124 + static_cast<uint32_t>((v >> 32) % 6)) << 23;
      v = type == TensorType::BF16 ? bits >> 16 : bits;
    }
    std::memcpy(r.data() + i * size, &v, size);  // little-endian, as everywhere
  }
  return r;
}

std::vector<uint8_t> load_tensor(const TensorDesc& desc, const std::string& source) {
  const uint64_t bytes = desc.elements() * size_of(desc.type);
  if (source.starts_with("random:") || source == "random") {
    uint64_t seed = 0;
    const char *first = source.data() + 7, *last = source.data() + source.size();
    const auto r = source == "random" ? std::from_chars_result{nullptr, std::errc::invalid_argument}
                                      : std::from_chars(first, last, seed);
    if (r.ec != std::errc() || r.ptr != last)
      throw CliError(kUsage, fmt::format("bad seed in '{}'", source), "write random:1");
    return random_tensor(desc.type, desc.elements(), seed);
  }
  if (is_npy(source)) return from_npy(desc, source);
  const std::string raw = read_file(source);
  if (raw.size() != bytes)
    throw CliError(kBadFile,
                   fmt::format("'{}' has {} bytes, but input '{}' ({}) needs {}", source,
                               raw.size(), desc.name, describe(desc), bytes),
                   "raw files hold the tensor densely, in row-major order");
  return {raw.begin(), raw.end()};
}

void save_tensor(const TensorDesc& desc, std::span<const uint8_t> dense, const std::string& path) {
  if (!is_npy(path)) {
    write_file(path, {reinterpret_cast<const char*>(dense.data()), dense.size()});
    return;
  }
  NpyArray a;
  a.shape.assign(desc.shape.begin(), desc.shape.end());
  if (desc.type == TensorType::BF16) {
    a.type = "float32";
    a.bytes.resize(dense.size() * 2);
    for (size_t i = 0; i < dense.size() / 2; ++i) {
      const auto f = static_cast<float>(element(desc.type, dense, i));
      std::memcpy(a.bytes.data() + 4 * i, &f, 4);
    }
  } else {
    a.type = name_of(desc.type);
    a.bytes.assign(dense.begin(), dense.end());
  }
  write_file(path, format_npy(a));
}

double element(TensorType type, std::span<const uint8_t> dense, uint64_t i) {
  const uint8_t* p = dense.data() + i * size_of(type);
  switch (type) {
    case TensorType::S8:
      return static_cast<int8_t>(*p);
    case TensorType::U8:
      return *p;
    case TensorType::BF16: {
      uint16_t v = 0;
      std::memcpy(&v, p, 2);
      return static_cast<double>(bf16_to_float(v));
    }
    case TensorType::S32: {
      int32_t v = 0;
      std::memcpy(&v, p, 4);
      return v;
    }
    case TensorType::F32: {
      float v = 0;
      std::memcpy(&v, p, 4);
      return static_cast<double>(v);
    }
  }
  return 0;
}

std::string describe(const TensorDesc& desc) {
  return fmt::format("{} [{}]", name_of(desc.type), isa::join(desc.shape));
}

std::string summarise(TensorType type, std::span<const uint8_t> dense) {
  const uint64_t n = dense.size() / size_of(type);
  if (n == 0) return "empty";
  double lo = INFINITY, hi = -INFINITY, sum = 0;
  uint64_t nans = 0;
  for (uint64_t i = 0; i < n; ++i) {
    const double v = element(type, dense, i);
    if (std::isnan(v)) {
      ++nans;
      continue;
    }
    lo = std::min(lo, v);
    hi = std::max(hi, v);
    sum += v;
  }
  std::string r = nans == n ? std::string("all NaN")
                            : fmt::format("min {:g}, max {:g}, mean {:.4g}", lo, hi,
                                          sum / static_cast<double>(n - nans));
  if (nans && nans != n) r += fmt::format(", {} NaN", nans);
  r += ":";
  for (uint64_t i = 0; i < std::min<uint64_t>(n, 8); ++i)
    r += fmt::format(" {:g}", element(type, dense, i));
  return n > 8 ? r + " ..." : r;
}

}  // namespace ttpu::cli
