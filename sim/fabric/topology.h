// A network as data: nodes, ports, cables. Read from a file, checked, never guessed.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ttpu::fabric {

inline constexpr uint32_t kMaxDims = 3;
inline constexpr uint32_t kNoNode = ~0U;
inline constexpr uint32_t kNoSlice = ~0U;  ///< a node that belongs to no slice

/// The far end of a cable.
struct End {
  uint32_t node = kNoNode;  ///< kNoNode: nothing connected
  uint8_t port = 0;         ///< port of that node, see Direction in isa/generated/ici.h
};

/// One side of a cable, as a node sees it.
struct Port {
  End peer;
  bool dateline = false;  ///< flits that leave here change to virtual-channel class 1
  bool dead = false;      ///< cable, or one of its ends, out of service
  uint32_t latency = 1;   ///< cycles on the wire, 1 or more
};

/// A network of nodes with 2 * dims ports each. Node number: x + size[0] * (y + size[1] * z).
class Topology {
 public:
  std::string name;
  uint32_t dims = 0;
  std::array<uint32_t, kMaxDims> size{1, 1, 1};
  std::vector<Port> ports;         ///< [node * 2 * dims + port]
  std::vector<uint8_t> dead_node;  ///< [node], 1 = out of service: sends and receives nothing
  std::vector<uint32_t> slice;     ///< [node], number of its slice; traffic stays inside a slice

  uint32_t nodes() const { return size[0] * size[1] * size[2]; }
  uint32_t ports_per_node() const { return 2 * dims; }
  const Port& port(uint32_t node, uint32_t p) const { return ports[node * 2 * dims + p]; }
  Port& port(uint32_t node, uint32_t p) { return ports[node * 2 * dims + p]; }
  bool usable(uint32_t node, uint32_t p) const {
    const Port& at = port(node, p);
    return at.peer.node != kNoNode && !at.dead;
  }
  std::array<uint32_t, kMaxDims> coordinates(uint32_t node) const {
    return {node % size[0], node / size[0] % size[1], node / size[0] / size[1]};
  }
  uint32_t node_at(std::array<uint32_t, kMaxDims> c) const {
    return c[0] + size[0] * (c[1] + size[1] * c[2]);
  }
};

/// The offset that the wrap of each dimension adds to the other coordinates: twist[d][e] is added
/// to coordinate e when +d wraps, subtracted when -d does. Zero: a regular torus.
using Twist = std::array<std::array<uint32_t, kMaxDims>, kMaxDims>;

/// A torus of 1 to 3 dimensions, each of size 1 or more (1: no cable in that dimension).
/// Throws std::invalid_argument with the reason for a size that is not possible.
Topology make_torus(std::array<uint32_t, kMaxDims> size, uint32_t dims, const Twist& twist = {});

/// A torus without its wraps.
Topology make_mesh(std::array<uint32_t, kMaxDims> size, uint32_t dims);

/// The published twist of k x 2k, k x k x 2k and k x 2k x 2k. Throws for another shape.
Twist standard_twist(std::array<uint32_t, kMaxDims> size, uint32_t dims);

/// Take a node out of service: it and every cable that ends there are dead.
void fail_node(Topology& topology, uint32_t node);

/// Take a cable out of service, at both its ends. Nothing where no cable is.
void fail_link(Topology& topology, uint32_t node, uint32_t port);

/// "8x8", "4x4x8".
std::string size_text(std::array<uint32_t, kMaxDims> size, uint32_t dims);

/// "+x", "-z"; the local port and beyond: "local".
std::string port_text(uint32_t port, uint32_t dims);

/// "(1, 2, 3)": the coordinates of a node.
std::string node_text(const Topology& topology, uint32_t node);

/// Shortest ways between the nodes in service of each slice, over cables in service.
struct Distances {
  double mean_hops = 0;      ///< over all ordered pairs that can reach each other, itself included
  uint32_t diameter = 0;     ///< the longest of the shortest ways
  uint64_t pairs_apart = 0;  ///< ordered pairs of one slice with no way between them
  uint32_t nodes_alive = 0;  ///< nodes in service that belong to a slice
};
Distances distances(const Topology& topology);

/// Cables, each counted once.
struct Cables {
  uint32_t total = 0;
  uint32_t dead = 0;
  uint32_t wraps = 0;  ///< of `total`, those with datelines
};
Cables cables(const Topology& topology);

}  // namespace ttpu::fabric
