// Figures of a topology by breadth-first search.
#include "fabric/topology.h"

namespace ttpu::fabric {
namespace {

constexpr uint32_t kFar = ~0U;

/// Neighbours over cables in service, as one flat list: the search reads nothing else.
std::vector<uint32_t> neighbours(const Topology& t) {
  const uint32_t ports = t.ports_per_node();
  std::vector<uint32_t> to(t.ports.size(), kNoNode);
  for (uint32_t node = 0; node < t.nodes(); ++node)
    for (uint32_t p = 0; p < ports; ++p)
      if (t.usable(node, p)) to[size_t{node} * ports + p] = t.port(node, p).peer.node;
  return to;
}

}  // namespace

Distances distances(const Topology& t) {
  const uint32_t nodes = t.nodes(), ports = t.ports_per_node();
  const std::vector<uint32_t> to = neighbours(t);
  std::vector<uint32_t> alive_in;  // [slice]
  const auto counts = [&](uint32_t node) {
    return !t.dead_node[node] && t.slice[node] != kNoSlice;
  };
  Distances result;
  for (uint32_t node = 0; node < nodes; ++node) {
    if (!counts(node)) continue;
    if (t.slice[node] >= alive_in.size()) alive_in.resize(t.slice[node] + 1, 0);
    ++alive_in[t.slice[node]];
    ++result.nodes_alive;
  }
  std::vector<uint32_t> hops(nodes), queue(nodes);
  uint64_t sum = 0, pairs = 0;
  for (uint32_t from = 0; from < nodes; ++from) {
    if (!counts(from)) continue;
    hops.assign(nodes, kFar);
    hops[from] = 0;
    queue[0] = from;
    uint32_t reached = 1;
    for (uint32_t next = 0; next < reached; ++next) {
      const uint32_t node = queue[next];
      sum += hops[node];
      for (uint32_t p = 0; p < ports; ++p) {
        const uint32_t peer = to[size_t{node} * ports + p];
        if (peer == kNoNode || hops[peer] != kFar) continue;
        hops[peer] = hops[node] + 1;
        queue[reached++] = peer;
      }
    }
    pairs += reached;
    result.pairs_apart += alive_in[t.slice[from]] - reached;
    const uint32_t longest = hops[queue[reached - 1]];
    if (longest > result.diameter) result.diameter = longest;
  }
  if (pairs) result.mean_hops = static_cast<double>(sum) / static_cast<double>(pairs);
  return result;
}

Cables cables(const Topology& t) {
  Cables result;
  for (uint32_t node = 0; node < t.nodes(); ++node) {
    for (uint32_t p = 0; p < t.ports_per_node(); p += 2) {  // a cable has one end in a plus port
      const Port& at = t.port(node, p);
      if (at.peer.node == kNoNode) continue;
      ++result.total;
      result.dead += at.dead;
      result.wraps += at.dateline;
    }
  }
  return result;
}

}  // namespace ttpu::fabric
