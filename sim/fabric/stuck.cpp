#include "fabric/stuck.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

namespace ttpu::fabric {
namespace {

constexpr uint32_t kNobody = ~0U;
using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // node, port, vc

/// The graph: each buffer waits for at most one other.
struct Graph {
  std::vector<uint32_t> next;
  std::vector<std::string> reason;  ///< of those that wait for nobody in the dump
};

void check(const Topology& t, const std::vector<StuckBuffer>& dump) {
  std::map<Key, size_t> seen;
  for (size_t i = 0; i < dump.size(); ++i) {
    const StuckBuffer& b = dump[i];
    const auto fail = [&](const std::string& why) {
      throw std::invalid_argument(fmt::format("entry {}: {}", i, why));
    };
    if (b.node >= t.nodes())
      fail(fmt::format("node {} in a network of {} nodes", b.node, t.nodes()));
    if (b.port > 2 * t.dims || b.want_port > 2 * t.dims)
      fail(fmt::format("port {} of a router with ports 0 to {}", std::max(b.port, b.want_port),
                       2 * t.dims));
    if (b.flits == 0) fail("a buffer without flits waits for nothing");
    const auto [at, is_new] = seen.emplace(Key{b.node, b.port, b.vc}, i);
    if (!is_new) fail(fmt::format("the same buffer as entry {}", at->second));
  }
}

/// A buffer of the same router that wants the same channel (or, of `any_vc`, the same output), and
/// goes before `self`: it waits for something beyond the router.
uint32_t rival(const std::vector<StuckBuffer>& dump,
               const std::multimap<std::pair<uint32_t, uint32_t>, uint32_t>& by_output,
               uint32_t self, bool any_vc) {
  const StuckBuffer& b = dump[self];
  const auto [first, last] = by_output.equal_range({b.node, b.want_port});
  for (auto i = first; i != last; ++i) {
    const StuckBuffer& other = dump[i->second];
    if (i->second == self || other.waits_for != WaitsFor::kCredit) continue;
    if (any_vc || other.want_vc == b.want_vc) return i->second;
  }
  return kNobody;
}

Graph make_graph(const Topology& t, const std::vector<StuckBuffer>& dump) {
  std::map<Key, uint32_t> at;
  std::multimap<std::pair<uint32_t, uint32_t>, uint32_t> by_output;
  for (uint32_t i = 0; i < dump.size(); ++i) {
    at[{dump[i].node, dump[i].port, dump[i].vc}] = i;
    by_output.emplace(std::pair{dump[i].node, dump[i].want_port}, i);
  }
  Graph graph;
  graph.next.assign(dump.size(), kNobody);
  graph.reason.resize(dump.size());
  for (uint32_t i = 0; i < dump.size(); ++i) {
    const StuckBuffer& b = dump[i];
    if (b.waits_for == WaitsFor::kNothing || b.waits_for == WaitsFor::kDrop) {
      graph.reason[i] = b.waits_for == WaitsFor::kDrop
                            ? "it is being dropped: its route names no usable port"
                            : "it waits for nothing: the dump was taken while it could move";
      continue;
    }
    if (b.waits_for != WaitsFor::kCredit) {
      graph.next[i] = rival(dump, by_output, i, b.waits_for == WaitsFor::kTurn);
      graph.reason[i] =
          b.waits_for == WaitsFor::kChannel
              ? "its channel belongs to a packet whose next flits have not arrived at this router"
              : "no packet of the dump goes before it: the dump was taken while it could move";
      continue;
    }
    if (b.want_port == 2 * t.dims) {
      graph.reason[i] = fmt::format("the chip at node {} does not take what arrives", b.node);
      continue;
    }
    const Port& cable = t.port(b.node, b.want_port);
    if (cable.peer.node == kNoNode) {
      graph.reason[i] =
          fmt::format("there is no cable at {} of node {}", port_text(b.want_port, t.dims), b.node);
      continue;
    }
    const auto beyond = at.find({cable.peer.node, cable.peer.port, b.want_vc});
    if (beyond != at.end())
      graph.next[i] = beyond->second;
    else
      graph.reason[i] = fmt::format(
          "the buffer beyond, in {} vc {} of node {}, is empty: {}",
          port_text(cable.peer.port, t.dims), b.want_vc, cable.peer.node,
          cable.dead ? "the cable is out of service" : "credits were lost or are still on the way");
  }
  return graph;
}

}  // namespace

StuckReport explain_stuck(const Topology& topology, const std::vector<StuckBuffer>& dump) {
  check(topology, dump);
  const Graph graph = make_graph(topology, dump);
  StuckReport report;
  const auto count = static_cast<uint32_t>(dump.size());
  // Where the chain of each buffer ends: at a root, or in a cycle (then: its first member found).
  std::vector<uint32_t> end(count, kNobody), seen_by(count, kNobody), weight(count, 0);
  for (uint32_t start = 0; start < count; ++start) {
    uint32_t at = start;
    std::vector<uint32_t> way;
    while (end[at] == kNobody && seen_by[at] != start) {
      seen_by[at] = start;
      way.push_back(at);
      if (graph.next[at] == kNobody) break;
      at = graph.next[at];
    }
    const uint32_t last = end[at] != kNobody ? end[at] : at;
    for (const uint32_t i : way) end[i] = last;
  }
  for (uint32_t i = 0; i < count; ++i) ++weight[end[i]];
  uint32_t most = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (graph.next[i] == kNobody) {
      report.roots.push_back({i, weight[i] - 1, graph.reason[i]});
    } else if (weight[i] > most) {  // of several cycles the one that holds up most
      most = weight[i];
      report.cycle.clear();
      uint32_t at = i;
      do {
        report.cycle.push_back(at);
        at = graph.next[at];
      } while (at != i);
    }
  }
  report.waiting_for_cycle = most - static_cast<uint32_t>(report.cycle.size());
  std::stable_sort(report.roots.begin(), report.roots.end(),
                   [](const StuckRoot& a, const StuckRoot& b) { return a.waiting > b.waiting; });
  return report;
}

WaitsFor waits_for_of(const std::string& word) {
  constexpr const char* kWords[] = {"", "credit", "channel", "turn", "drop"};
  for (uint8_t i = 0; i < std::size(kWords); ++i)
    if (word == kWords[i]) return static_cast<WaitsFor>(i);
  throw std::invalid_argument(
      fmt::format("waits_for is '{}': it is one of credit, channel, turn, drop, or empty", word));
}

std::string stuck_text(const Topology& t, const StuckBuffer& b) {
  return fmt::format("node {} {}: in {} vc {}, {} flit{}, wants {}{}", b.node, node_text(t, b.node),
                     port_text(b.port, t.dims), b.vc, b.flits, b.flits == 1 ? "" : "s",
                     port_text(b.want_port, t.dims),
                     b.want_port == 2 * t.dims ? "" : fmt::format(" vc {}", b.want_vc));
}

}  // namespace ttpu::fabric
