// Tables of routes for any network: balanced, round failures, free of deadlock.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "fabric/route_table.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

struct RouteOptions {
  uint32_t rounds = 10;   ///< of improvement after the first choice; 3 above 2,048 nodes
  uint32_t attempts = 8;  ///< to find a place for every pair
  uint64_t seed = 1;      ///< of choices among equals
};

/// A pair that has no route, and why.
struct Unrouted {
  uint32_t src = 0;
  uint32_t dest = 0;
  std::string reason;
};

struct ComputedRoutes {
  RouteTable table;
  std::vector<Unrouted> unrouted;
  uint32_t attempts = 1;  ///< that were made
};

/// A route for every ordered pair of nodes of one slice, over cables in service inside that slice,
/// such that the largest load of a cable is small when all send to all, and the channel-dependency
/// graph has no cycle. Dimension order over shortest displacement vectors; where failures leave
/// none, a detour (see Candidates). A leg that crosses a dateline starts in class 0, others in the
/// class with less load. Up to 4,096 nodes; beyond, use dimension_order(). Deterministic. Throws
/// std::logic_error with the cycle if the finished table has one (a bug).
ComputedRoutes compute_routes(const Topology& topology, const RouteOptions& options = {});

}  // namespace ttpu::fabric
