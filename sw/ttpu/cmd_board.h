// Parts of `ttpu board`.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/generated/board.h"
#include "runtime/board/board_link.h"
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
  std::string note = {};             ///< more to say of it
};
inline constexpr size_t kMaxFaults = 8;

/// Write and read each word, with a pattern of its address and the complement; at most `limit`
/// bytes.
TestedPart test_memory(const TestedMemory& memory, uint64_t limit);
/// Each multiplier of the array alone and in a full column, with signed extremes. Loads programs.
TestedPart test_macs(Device& device);

/// The board's link, as its registers say.
struct LinkInfo {
  uint32_t lanes, frame_bits;
  uint32_t clock_khz;                    ///< 0 = the board does not say
  const board_regs::LinkHeader* header;  ///< null: no pins
};
/// Nothing if the board has no link.
std::optional<LinkInfo> read_link_info(BoardLink& board);
/// The wires of a header, for people.
std::string wires_text(const board_regs::LinkHeader& header);

/// The registers of board_regs, by address.
struct LinkRegisters {
  std::function<uint32_t(uint32_t addr)> read;
  std::function<void(uint32_t addr, uint32_t word)> write;
};
LinkRegisters registers_of(BoardLink& board);

struct LinkTest {
  TestedPart part;  ///< checked: packets that came back
  uint64_t frames, crc_errors, replays, cut;
  double bits_per_clock;  ///< of payload
};
/// `packets` (1 to 65535) through the link in loop-back, inside the FPGA or through its pins. Ends
/// in bounded time whatever the link does, and names what failed.
LinkTest test_link(const LinkRegisters& link, const LinkInfo& info, bool pins, uint32_t packets,
                   uint32_t seed);

}  // namespace ttpu::cli
