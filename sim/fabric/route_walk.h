// A route followed cable by cable, and the check of a whole set of routes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// One virtual-channel class of one cable in one direction: leaving `node` by `port`. The lanes of
/// a class are copies of each other: a packet keeps its lane from injection to delivery, so what
/// holds for one lane of a set of routes holds for each, and no packet of one lane waits for a
/// buffer of another.
struct Channel {
  uint32_t node = 0;
  uint8_t port = 0;
  uint8_t vclass = 0;  ///< class of the flits on the cable, after a dateline
  friend bool operator==(const Channel&, const Channel&) = default;
};

/// True if routes may leave `node` by `port`: the cable is in service, and so are both nodes, and
/// both are of one slice.
bool open_to_routes(const Topology& topology, uint32_t node, uint32_t port);

/// True if the two are different nodes in service, of one slice: a route is wanted.
inline bool is_pair(const Topology& t, uint32_t src, uint32_t dest) {
  return src != dest && t.slice[src] == t.slice[dest] && t.slice[src] != kNoSlice &&
         !t.dead_node[src] && !t.dead_node[dest];
}

/// Follow `route` from `src` as the routers would and call visit(Channel) for each cable. Returns
/// the node where it ends; kNoNode where a leg leads over a cable that is not there (dead ones are
/// followed). At most 5 * 15 hops.
template <class Visit>
uint32_t walk(const Topology& topology, uint32_t src, Route route, Visit&& visit) {
  uint32_t node = src;
  for (uint32_t i = 0; i < ici::kLegs; ++i) {
    const Leg leg = decode_leg(route, i);
    if (leg.hops == 0) break;
    if (leg.dir >= topology.ports_per_node()) return kNoNode;
    uint8_t vclass = leg.vclass;
    for (uint32_t hop = 0; hop < leg.hops; ++hop) {
      const Port& at = topology.port(node, leg.dir);
      if (at.peer.node == kNoNode) return kNoNode;
      if (at.dateline) vclass = 1;
      visit(Channel{node, leg.dir, vclass});
      node = at.peer.node;
    }
  }
  return node;
}

/// "+x 3, -z 1 (class 1)"; "none" for kNoRoute.
std::string route_text(const Topology& topology, Route route);

/// What a set of routes does with each ordered pair of nodes of one slice.
struct RouteCheck {
  uint64_t pairs = 0;
  uint64_t unrouted = 0;  ///< pairs without a route
  uint64_t detours = 0;   ///< routes longer than the shortest way over cables in service
  uint64_t faults = 0;    ///< routes that are wrong; the first 20 in `wrong`
  uint32_t longest = 0;   ///< hops
  double mean_hops = 0;   ///< over routed pairs
  std::vector<std::string> wrong;
};

/// Walk every route: it must end at its destination and use only cables in service that have both
/// ends in the slice of source and destination.
RouteCheck check_routes(const Topology& topology, const Routes& routes);

/// Hops of the shortest way to `dest` over cables open to routes, [node]; kFar where there is none.
inline constexpr uint8_t kFar = 255;
std::vector<uint8_t> hops_to(const Topology& topology, uint32_t dest);

}  // namespace ttpu::fabric
