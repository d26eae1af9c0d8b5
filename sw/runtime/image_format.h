// Layout of an image file (docs/reference/image.md). All numbers are little-endian.
#pragma once
#include <cstddef>
#include <cstdint>

namespace ttpu::format {

inline constexpr uint32_t kMagic = 0x55505454;  // "TTPU"

// Header: magic, version, configuration hash, number of sections (4 bytes each), file bytes (8),
// entry (4), 0 (4), HBM window bytes (8).
inline constexpr size_t kHeaderBytes = 40;
// An entry of the section table: kind, CRC-32 (4 bytes each), offset, size (8 each).
inline constexpr size_t kSectionBytes = 24;
inline constexpr size_t kTrailerBytes = 4;  // CRC-32 of everything before it

enum class Section : uint32_t {
  CONFIG_NAME = 1,  // text
  CODE = 2,         // 16 bytes an instruction
  SMEM = 3,         // 4 bytes a word
  CONSTANT = 4,     // HBM address (8 bytes), bytes; any number of these
  INPUT = 5,        // a tensor; any number, in order
  OUTPUT = 6,       // a tensor; any number, in order
  REPORT = 7,       // JSON text
};
inline constexpr uint32_t kFixedSections = 4;  // CONFIG_NAME, CODE, SMEM, REPORT: once each

// Limits.
inline constexpr uint32_t kMaxSections = 1u << 16;
inline constexpr uint64_t kMaxInstructions = 1u << 16;  // a program counter has 16 bits
inline constexpr uint64_t kMaxSmemWords = 1u << 16;     // the window in the register map
inline constexpr uint64_t kMaxHbmBytes = 1ull << 40;
inline constexpr uint64_t kMaxName = 1024;
inline constexpr uint64_t kMaxRank = 8;

}  // namespace ttpu::format
