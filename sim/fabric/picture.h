// Pictures of a network as SVG: nodes and cables, or cubes and cross-connects; link load by colour.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/slice.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

struct PictureOptions {
  std::string title;
  std::vector<std::string> slice_names;         ///< [number of slice]; for the legend
  const std::vector<uint32_t>* load = nullptr;  ///< [node * ports_per_node + port], or none
  double theta = 0;                             ///< marked in the legend if above 0
};

/// Every node and cable. Two dimensions as a grid; of three, a grid for each z. A cable that wraps
/// is a stub at each end, with the offset if it is twisted; cables in z are ticks at the node. With
/// loads a cable is two lines, one a direction. Nodes and cables carry tooltips.
std::string draw_topology(const Topology& topology, const PictureOptions& options);

/// A pod of cubes: a block a cube, in the order of its slice, joined by bundles of 16 links; the 48
/// cross-connects and their settings; cubes without slice. A bundle's colour is its largest load
/// (loads by nodes of the whole).
std::string draw_pod(const Network& network, const PictureOptions& options);

}  // namespace ttpu::fabric
