// The networks that tests of routes go through.
#pragma once
#include <string>
#include <vector>

#include "fabric/topology.h"

namespace ttpu::fabric {

inline Topology twisted(std::array<uint32_t, kMaxDims> size, uint32_t dims) {
  return make_torus(size, dims, standard_twist(size, dims));
}

/// A network and the theta that its table in docs/reference/fabric.md gives.
struct Known {
  Topology topology;
  double theta;
};

inline std::vector<Known> known_networks() {
  return {{make_torus({4, 4, 1}, 2), 8},      {make_torus({8, 8, 1}, 2), 64},
          {make_torus({4, 8, 1}, 2), 32},     {twisted({4, 8, 1}, 2), 21},
          {make_torus({4, 4, 4}, 3), 32},     {make_torus({4, 4, 8}, 3), 128},
          {twisted({4, 4, 8}, 3), 220.0 / 3}, {make_torus({4, 8, 8}, 3), 256},
          {twisted({4, 8, 8}, 3), 184}};
}

/// The cables of one cross-connect in a torus of cubes of 4x4x4: those of dimension `dim` between
/// cubes whose position across is `at`, for all cubes.
inline void fail_cross_connect(Topology& t, uint32_t dim, std::array<uint32_t, kMaxDims> at) {
  for (uint32_t node = 0; node < t.nodes(); ++node) {
    const auto c = t.coordinates(node);
    bool hit = c[dim] % 4 == 3;
    for (uint32_t e = 0; e < t.dims; ++e) hit &= e == dim || c[e] % 4 == at[e];
    if (hit) fail_link(t, node, 2 * dim);
  }
}

}  // namespace ttpu::fabric
