// What the nodes of a network send, and to whom.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "fabric/topology.h"
#include "network/random.h"

namespace ttpu::network {

enum class Pattern : uint8_t {
  kUniform,        ///< any other node of the slice, equally likely
  kTornado,        ///< ceil(k / 2) - 1 further in each dimension of size k
  kTranspose,      ///< coordinates rotated: (x, y, z) to (y, z, x)
  kBitComplement,  ///< coordinate c to k - 1 - c in each dimension
  kNeighbour,      ///< the next node in +x
  kHotspot,        ///< a share of the packets to one node, the rest uniform
  kAllToAll,       ///< every other node of the slice in turn, an order shifted by the own number
  kMulticast,      ///< a copy to every other node of the own ring along one axis
  kTrace,          ///< as a file says
};

/// Packets of a size and how often they occur.
struct SizeShare {
  uint32_t flits = 1;  ///< head included, 1 to 256
  double share = 1;    ///< of the packets, relative to the others
};

/// A line of a trace.
struct TraceLine {
  uint64_t cycle = 0;
  uint32_t src = 0, dest = 0, flits = 1;
};

struct Traffic {
  Pattern pattern = Pattern::kUniform;
  double load = 1;       ///< open loop: flits a node a cycle
  uint32_t window = 0;   ///< closed loop: packets of a node under way at most; 0: open loop
  uint64_t packets = 0;  ///< of a node, then silence; 0: without end
  std::vector<SizeShare> sizes = std::vector<SizeShare>(1);
  double hotspot_share = 0.1;
  uint32_t hotspot = 0;   ///< node
  uint32_t axis = 0;      ///< of kMulticast
  uint32_t channels = 1;  ///< packets are spread over so many order channels, 1 to 16
  std::vector<TraceLine> trace;

  double mean_flits() const;
};

/// A mistake in what was asked for: text for the user.
struct TrafficError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// By the names of the command line: uniform, tornado, transpose, bit-complement, neighbour,
/// hotspot, all-to-all, multicast, trace. Unknown: TrafficError.
Pattern pattern_named(const std::string& name);
const char* name_of(Pattern pattern);
const std::vector<std::string>& pattern_names();

/// "8", or a mix such as "1:0.5,8:0.5" (flits:share). TrafficError if it makes no sense.
std::vector<SizeShare> parse_sizes(const std::string& text);

/// Lines `cycle src dest flits`, `#` starts a comment. TrafficError names file and line.
std::vector<TraceLine> read_trace(const std::string& file, uint32_t nodes);

/// Chooses destinations. Immutable once made: shared by all threads.
class Destinations {
 public:
  /// Throws TrafficError if the pattern does not fit the topology.
  Destinations(const Traffic& traffic, const fabric::Topology& topology);
  /// False: this node sends nothing (dead, or alone in its slice).
  bool sends(uint32_t node) const { return !peers_[node].empty; }
  /// Destination of packet number `k` of a node.
  uint32_t pick(uint32_t node, uint64_t k, Random& random) const;
  uint32_t flits(Random& random) const;
  /// Share of the packets of src that go to dest; for the bounds.
  double share(uint32_t src, uint32_t dest) const;
  Pattern pattern() const { return pattern_; }

 private:
  struct Peers {
    uint32_t group = 0, place = 0;  ///< number of the slice's list, own place in it
    bool empty = false;
  };
  uint32_t fixed(uint32_t node) const;
  uint32_t other(uint32_t node, uint64_t k) const;
  Pattern pattern_;
  const fabric::Topology* topology_;
  double hotspot_share_;
  uint32_t hotspot_;
  std::vector<SizeShare> sizes_;  ///< shares summed up, the last is 1
  std::vector<Peers> peers_;
  std::vector<std::vector<uint32_t>> groups_;  ///< living nodes of each slice
  std::vector<std::vector<uint32_t>> orders_;  ///< kAllToAll: shifts 1 .. n-1, shuffled
};

}  // namespace ttpu::network
