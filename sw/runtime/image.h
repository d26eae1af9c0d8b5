// Program image: what `ttpu compile` and `ttpu asm` write and every device loads.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/instr.h"

namespace ttpu {

/// Element type of a tensor at the boundary of a program.
enum class TensorType : uint8_t { S8, U8, BF16, S32, F32 };
/// Bytes of one element.
uint32_t size_of(TensorType type);
/// Name as printed ("int8", "uint8", "bf16", "int32", "float32").
const char* name_of(TensorType type);

/// An input or output of a program: a row-major tensor in HBM, `row_pitch` bytes from one row of
/// the innermost dimension to the next (>= its size: rows may be padded).
struct TensorDesc {
  std::string name;
  TensorType type = TensorType::S8;
  std::vector<uint32_t> shape;
  uint64_t hbm_addr = 0;  ///< from the base of the window
  uint64_t row_pitch = 0;
  float scale = 1.0f;  ///< of a quantised tensor
  int32_t zero_point = 0;
  uint64_t elements() const;
  /// Elements of a row: the innermost dimension, 1 for a scalar.
  uint64_t row_elements() const;
  /// Rows of the innermost dimension.
  uint64_t rows() const;
  /// Bytes from the first element to the end of the last one.
  uint64_t extent() const;
};

/// A block of constant bytes for HBM.
struct HbmSegment {
  uint64_t addr = 0;
  std::vector<uint8_t> bytes;
};

/// An image that cannot be used. what() says why and what to do.
struct ImageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline constexpr uint32_t kImageVersion = 1;

/// A whole program for one configuration.
struct Image {
  uint32_t config_hash = 0;
  std::string config_name;
  uint32_t entry = 0;
  uint64_t hbm_bytes = 0;  ///< size of the HBM window that the program needs
  std::vector<isa::Instr> code;
  std::vector<uint32_t> smem;  ///< initial SMEM from word 0
  std::vector<HbmSegment> constants;
  std::vector<TensorDesc> inputs, outputs;
  std::string report;  ///< JSON of the compiler: what ran where, and why

  /// Throws ImageError if anything contradicts anything: see docs/reference/image.md.
  void validate() const;
  /// Serialise, after validate(): header, section table, sections, CRC-32.
  std::vector<uint8_t> to_bytes() const;
  /// Parse and validate everything; throws ImageError with the reason. Trusts nothing.
  static Image from_bytes(std::span<const uint8_t> bytes);
  /// Write the file whole or not at all; read it. Errors name the path.
  void save(const std::string& path) const;
  static Image load(const std::string& path);
};

}  // namespace ttpu
