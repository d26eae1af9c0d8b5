// Parts of `ttpu board`.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.h"

namespace ttpu::cli {

/// A memory as the self-test sees it: bytes, in multiples of 4.
struct TestedMemory {
  std::string name;
  uint64_t bytes = 0;
  std::function<void(uint64_t addr, std::span<const uint8_t>)> write;
  std::function<void(uint64_t addr, std::span<uint8_t>)> read;
};

/// What was tested, and the first faults by place.
struct TestedPart {
  std::string name;
  uint64_t checked = 0, faulty = 0;  ///< words of a memory, or results of multipliers
  std::vector<std::string> faults;   ///< at most kMaxFaults
};
inline constexpr size_t kMaxFaults = 8;

/// Write and read each word, with a pattern of its address and the complement; at most `limit`
/// bytes.
TestedPart test_memory(const TestedMemory& memory, uint64_t limit);
/// Each multiplier of the array alone and in a full column, with signed extremes. Loads programs.
TestedPart test_macs(Device& device);

}  // namespace ttpu::cli
