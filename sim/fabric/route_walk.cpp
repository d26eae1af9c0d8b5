#include "fabric/route_walk.h"

namespace ttpu::fabric {

bool open_to_routes(const Topology& t, uint32_t node, uint32_t port) {
  if (!t.usable(node, port) || t.dead_node[node] || t.slice[node] == kNoSlice) return false;
  const uint32_t peer = t.port(node, port).peer.node;
  return !t.dead_node[peer] && t.slice[peer] == t.slice[node];
}

std::string route_text(const Topology& topology, Route route) {
  if (route == kNoRoute) return "none";
  std::string text;
  for (uint32_t i = 0; i < ici::kLegs; ++i) {
    const Leg leg = decode_leg(route, i);
    if (leg.hops == 0) break;
    text += (i ? ", " : "") + port_text(leg.dir, topology.dims) + " " + std::to_string(leg.hops);
    if (leg.vclass) text += " (class 1)";
  }
  return text.empty() ? "deliver" : text;
}

std::vector<uint8_t> hops_to(const Topology& topology, uint32_t dest) {
  std::vector<uint8_t> hops(topology.nodes(), kFar);
  std::vector<uint32_t> queue{dest};
  queue.reserve(topology.nodes());
  hops[dest] = 0;
  for (size_t i = 0; i < queue.size(); ++i) {
    const uint32_t node = queue[i];
    if (hops[node] + 1 == kFar) break;
    for (uint32_t p = 0; p < topology.ports_per_node(); ++p) {
      const End& back = topology.port(node, p).peer;
      if (back.node == kNoNode || hops[back.node] != kFar) continue;
      if (!open_to_routes(topology, back.node, back.port)) continue;
      hops[back.node] = static_cast<uint8_t>(hops[node] + 1);
      queue.push_back(back.node);
    }
  }
  return hops;
}

RouteCheck check_routes(const Topology& topology, const Routes& routes) {
  RouteCheck result;
  uint64_t hops_of_all = 0;
  for (uint32_t dest = 0; dest < topology.nodes(); ++dest) {
    const auto shortest = hops_to(topology, dest);
    for (uint32_t src = 0; src < topology.nodes(); ++src) {
      if (!is_pair(topology, src, dest)) continue;
      ++result.pairs;
      const Route route = routes.route(src, dest);
      if (route == kNoRoute) {
        ++result.unrouted;
        continue;
      }
      uint32_t hops = 0;
      std::string fault;
      const uint32_t end = walk(topology, src, route, [&](Channel c) {
        ++hops;
        if (fault.empty() && !open_to_routes(topology, c.node, c.port)) {
          fault = "uses " + port_text(c.port, topology.dims) + " of node " +
                  node_text(topology, c.node) + ", which is out of service or of another slice";
        }
      });
      if (end == kNoNode) {
        fault = "leads over a cable that is not there";
      } else if (end != dest) {
        fault = "ends at " + node_text(topology, end);
      }
      if (!fault.empty()) {
        if (result.faults++ < 20) {
          result.wrong.push_back("route from " + node_text(topology, src) + " to " +
                                 node_text(topology, dest) + " [" + route_text(topology, route) +
                                 "]: " + fault);
        }
        continue;
      }
      hops_of_all += hops;
      result.longest = std::max(result.longest, hops);
      result.detours += hops > shortest[src];
    }
  }
  const uint64_t right = result.pairs - result.unrouted - result.faults;
  result.mean_hops = right ? static_cast<double>(hops_of_all) / static_cast<double>(right) : 0;
  return result;
}

}  // namespace ttpu::fabric
