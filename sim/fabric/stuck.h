// Who waits for whom in a stopped network: the cycle of a deadlock, or the one that all wait for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/topology.h"

namespace ttpu::fabric {

/// Why the first flit of a buffer does not move.
enum class WaitsFor : uint8_t {
  kNothing,  ///< it could move, or the router does not tell
  kCredit,   ///< the buffer beyond the port it wants is full
  kChannel,  ///< the channel it wants belongs to another packet until that one's tail
  kTurn,     ///< another packet is sent first
  kDrop,     ///< it is being dropped: its route names no usable port
};

/// A buffer that holds flits: input `port` and virtual channel `vc` of router `node`.
struct StuckBuffer {
  uint32_t node = 0;
  uint32_t port = 0;  ///< 2 * dims: the local port
  uint32_t vc = 0;
  uint32_t flits = 0;
  uint32_t want_port = 0;  ///< 2 * dims: wants to be delivered
  uint32_t want_vc = 0;
  WaitsFor waits_for = WaitsFor::kCredit;
};

/// Where a chain of waiting ends.
struct StuckRoot {
  uint32_t buffer = 0;   ///< index into the dump
  uint32_t waiting = 0;  ///< buffers that wait for it, over any number of steps
  std::string reason;
};

struct StuckReport {
  std::vector<uint32_t>
      cycle;  ///< indices, each waiting for the next, the last for the first; or empty
  uint32_t waiting_for_cycle = 0;  ///< buffers outside it that wait for it
  std::vector<StuckRoot> roots;    ///< most waited for first
};

/// Build the graph and look for a cycle, else for roots. Throws std::invalid_argument with the
/// index of the entry for a dump that does not fit the topology or names a buffer twice.
StuckReport explain_stuck(const Topology& topology, const std::vector<StuckBuffer>& dump);

/// The word of a dump: credit, channel, turn, drop, or "" for nothing. Throws
/// std::invalid_argument for another.
WaitsFor waits_for_of(const std::string& word);

/// "node 12 (4, 1), in +x vc 3, 8 flits, wants +x vc 3".
std::string stuck_text(const Topology& topology, const StuckBuffer& buffer);

}  // namespace ttpu::fabric
