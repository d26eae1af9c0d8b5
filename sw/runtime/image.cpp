#include "runtime/image.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "runtime/image_format.h"

namespace ttpu {

namespace {

constexpr uint64_t kMaxFileBytes = 1ull << 32;

std::string printable(const std::string& text) {
  std::string out;
  for (const char c : text) out += c >= 0x20 && c < 0x7f ? c : '?';
  return out;
}

void require(bool good, const std::string& what) {
  if (!good) throw ImageError(what);
}

void validate_tensor(const TensorDesc& t, const char* kind, uint64_t hbm_bytes) {
  const std::string who = fmt::format("{} tensor '{}'", kind, printable(t.name));
  require(t.name.size() <= format::kMaxName,
          fmt::format("{}: the name has {} characters, at most {} are allowed", who, t.name.size(),
                      format::kMaxName));
  require(size_of(t.type) != 0,
          fmt::format("{}: unknown element type {}", who, static_cast<int>(t.type)));
  require(t.shape.size() <= format::kMaxRank,
          fmt::format("{}: rank {} is over {}", who, t.shape.size(), format::kMaxRank));
  uint64_t elements = 1;
  for (const uint32_t dim : t.shape) {
    require(dim != 0, fmt::format("{}: a dimension is 0", who));
    require(elements <= format::kMaxHbmBytes / dim, fmt::format("{}: too many elements", who));
    elements *= dim;
  }
  const uint64_t row_bytes = t.row_elements() * size_of(t.type);
  require(
      t.row_pitch >= row_bytes && t.row_pitch <= format::kMaxHbmBytes,
      fmt::format("{}: row pitch {} does not hold a row of {} bytes", who, t.row_pitch, row_bytes));
  require(t.rows() <= format::kMaxHbmBytes / t.row_pitch,
          fmt::format("{}: {} rows of pitch {} are too large", who, t.rows(), t.row_pitch));
  require(t.hbm_addr <= hbm_bytes && t.extent() <= hbm_bytes - t.hbm_addr,
          fmt::format("{}: {} bytes at {:#x} end beyond the HBM window of {:#x} bytes", who,
                      t.extent(), t.hbm_addr, hbm_bytes));
  require(std::isfinite(t.scale) && t.scale > 0,
          fmt::format("{}: scale {} is not a positive number", who, t.scale));
  const bool is_signed = t.type == TensorType::S8, is_unsigned = t.type == TensorType::U8;
  require((!is_signed || (t.zero_point >= -128 && t.zero_point <= 127)) &&
              (!is_unsigned || (t.zero_point >= 0 && t.zero_point <= 255)),
          fmt::format("{}: zero point {} is outside {}", who, t.zero_point, name_of(t.type)));
}

void validate_constants(const std::vector<HbmSegment>& constants, uint64_t hbm_bytes) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const auto& segment : constants) {
    require(segment.addr <= hbm_bytes && segment.bytes.size() <= hbm_bytes - segment.addr,
            fmt::format("constants: {} bytes at {:#x} end beyond the HBM window of {:#x} bytes",
                        segment.bytes.size(), segment.addr, hbm_bytes));
    if (!segment.bytes.empty())
      ranges.emplace_back(segment.addr, segment.addr + segment.bytes.size());
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i)
    require(ranges[i].first >= ranges[i - 1].second,
            fmt::format("constants: two blocks overlap at HBM address {:#x}", ranges[i].first));
}

}  // namespace

uint32_t size_of(TensorType type) {
  switch (type) {
    case TensorType::S8:
    case TensorType::U8:
      return 1;
    case TensorType::BF16:
      return 2;
    case TensorType::S32:
    case TensorType::F32:
      return 4;
  }
  return 0;
}

const char* name_of(TensorType type) {
  switch (type) {
    case TensorType::S8:
      return "int8";
    case TensorType::U8:
      return "uint8";
    case TensorType::BF16:
      return "bf16";
    case TensorType::S32:
      return "int32";
    case TensorType::F32:
      return "float32";
  }
  return "unknown";
}

uint64_t TensorDesc::elements() const {
  uint64_t n = 1;
  for (const uint32_t dim : shape) n *= dim;
  return n;
}
uint64_t TensorDesc::row_elements() const { return shape.empty() ? 1 : shape.back(); }
uint64_t TensorDesc::rows() const {
  uint64_t n = 1;
  for (size_t i = 0; i + 1 < shape.size(); ++i) n *= shape[i];
  return n;
}
uint64_t TensorDesc::extent() const {
  return elements() == 0 ? 0 : (rows() - 1) * row_pitch + row_elements() * size_of(type);
}

void Image::validate() const {
  require(config_name.size() <= format::kMaxName, "configuration name is too long");
  require(code.size() <= format::kMaxInstructions,
          fmt::format("code has {} instructions, at most {} are allowed", code.size(),
                      format::kMaxInstructions));
  require(!code.empty(), "the image has no code: compile or assemble it again");
  require(entry < code.size(),
          fmt::format("entry {} is beyond the code of {} instructions", entry, code.size()));
  require(
      smem.size() <= format::kMaxSmemWords,
      fmt::format("SMEM has {} words, at most {} are allowed", smem.size(), format::kMaxSmemWords));
  require(hbm_bytes <= format::kMaxHbmBytes,
          fmt::format("HBM window of {:#x} bytes is over {:#x}", hbm_bytes, format::kMaxHbmBytes));
  const uint64_t sections = constants.size() + inputs.size() + outputs.size();
  require(sections <= format::kMaxSections - format::kFixedSections,
          fmt::format("{} constants and tensors, at most {} are allowed", sections,
                      format::kMaxSections - format::kFixedSections));
  validate_constants(constants, hbm_bytes);
  for (const auto& tensor : inputs) validate_tensor(tensor, "input", hbm_bytes);
  for (const auto& tensor : outputs) validate_tensor(tensor, "output", hbm_bytes);
}

void Image::save(const std::string& path) const {
  const auto bytes = to_bytes();
  // A temporary file beside it, then a rename: a reader sees the old image or the new one.
  const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (out)
      out.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
      std::remove(temporary.c_str());
      throw ImageError(fmt::format("cannot write '{}': check the folder and the free space", path));
    }
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    std::remove(temporary.c_str());
    throw ImageError(fmt::format("cannot write '{}': {}", path, error.message()));
  }
}

Image Image::load(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw ImageError(
        fmt::format("'{}' does not exist: make it with `ttpu compile` or `ttpu asm`", path));
  if (!std::filesystem::is_regular_file(path, error))
    throw ImageError(fmt::format("'{}' is not a file", path));
  const uint64_t size = std::filesystem::file_size(path, error);
  if (error) throw ImageError(fmt::format("cannot read '{}': {}", path, error.message()));
  if (size > kMaxFileBytes)
    throw ImageError(fmt::format("'{}' has {} bytes: no image is that large", path, size));
  std::vector<uint8_t> bytes(size);
  std::ifstream in(path, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size)))
    throw ImageError(fmt::format("cannot read '{}'", path));
  try {
    return from_bytes(bytes);
  } catch (const ImageError& e) {
    throw ImageError(fmt::format("'{}': {}", path, e.what()));
  }
}

}  // namespace ttpu
