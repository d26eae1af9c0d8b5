// Load of the channels when every node sends one unit to every node, and what no routes can beat.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// Units that pass when each node sends 1 to each other node of its slice.
struct Loads {
  std::vector<uint32_t> cable;    ///< [node * ports_per_node + port], the direction that leaves
  std::vector<uint32_t> channel;  ///< [the same * 2 + class]
  uint32_t max_cable = 0;
  uint32_t max_channel = 0;
  double mean_cable = 0;  ///< over cables open to routes
};
Loads channel_loads(const Topology& topology, const Routes& routes);

/// A load that some cable has at least, whatever the routes are.
struct LoadBound {
  double theta = 0;
  std::string how;  ///< which bound it is, for people
};

/// Weigh the cables: the weighted length of the shortest ways of all pairs, over the weight of all
/// cables, is a lower bound of the largest load (linear programming duality), for any weights.
/// Tried are equal weights (mean hops), each dimension alone, each pair of planes that halves a
/// dimension (bisections), and, if `loads` are given, weights that follow them, then sharpened for
/// `rounds` rounds. The best is returned; of several slices, the largest bound. Equal weights are
/// exact for edge-symmetric networks (theta of docs/reference/fabric.md).
LoadBound theta_bound(const Topology& topology, const Loads* loads = nullptr, uint32_t rounds = 0);

}  // namespace ttpu::fabric
