#include "fabric/slice.h"

#include <fmt/format.h>

#include <stdexcept>

#include "fabric/plan.h"
#include "isa/suggest.h"

namespace ttpu::fabric {
namespace {

std::array<uint32_t, kMaxDims> place_in(const std::array<uint32_t, kMaxDims>& size, uint32_t i) {
  return {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
}

uint32_t count_of(const std::array<uint32_t, kMaxDims>& size) {
  return size[0] * size[1] * size[2];
}

void set_latency(Topology& t, const std::array<uint32_t, kMaxDims>& latency) {
  for (uint32_t node = 0; node < t.nodes(); ++node)
    for (uint32_t p = 0; p < t.ports_per_node(); ++p) t.port(node, p).latency = latency[p / 2];
}

Topology make_whole_grid(const Spec& spec) {
  Topology t = spec.kind == Kind::kMesh ? make_mesh(spec.size, spec.dims)
                                        : make_torus(spec.size, spec.dims, spec.twist);
  set_latency(t, spec.latency);
  return t;
}

/// Cut the cables between different slices, and out of all slices.
void separate(Topology& t) {
  for (uint32_t node = 0; node < t.nodes(); ++node)
    for (uint32_t p = 0; p < t.ports_per_node(); ++p) {
      Port& at = t.port(node, p);
      if (at.peer.node == kNoNode || t.slice[node] == t.slice[at.peer.node]) continue;
      t.port(at.peer.node, at.peer.port) = {{}, false, false, at.latency};
      at = {{}, false, false, at.latency};
    }
}

/// Join the faces of cubes as the cross-connects are set.
void connect_cubes(Topology& t, const Spec& spec,
                   const std::vector<CrossConnectSetting>& settings) {
  for (const CrossConnectSetting& setting : settings) {
    const uint32_t dim = setting.which.dim;
    std::array<uint32_t, kMaxDims> plus{}, minus{};
    for (uint32_t d = 0, i = 0; d < kMaxDims; ++d) {
      if (d == dim) continue;
      plus[d] = minus[d] = setting.which.position[i++];
    }
    plus[dim] = kCubeSide - 1;
    for (const Joint& joint : setting.joints) {
      const uint32_t from = cube_node(joint.from, plus), to = cube_node(joint.to, minus);
      t.port(from, 2 * dim) = {{to, static_cast<uint8_t>(2 * dim + 1)},
                               joint.dateline,
                               setting.failed,
                               spec.optical_latency};
      t.port(to, 2 * dim + 1) = {{from, static_cast<uint8_t>(2 * dim)},
                                 joint.dateline,
                                 setting.failed,
                                 spec.optical_latency};
    }
  }
}

Topology make_whole_pod(const Spec& spec, const std::vector<CrossConnectSetting>& settings) {
  // Cubes side by side, each a mesh of its own: one mesh whose cables between cubes are taken out.
  Topology t = make_mesh(spec.size, kMaxDims);
  set_latency(t, spec.latency);
  for (uint32_t node = 0; node < t.nodes(); ++node) t.slice[node] = node / kCubeNodes;
  separate(t);
  t.slice.assign(t.nodes(), kNoSlice);
  for (uint32_t s = 0; s < spec.slices.size(); ++s)
    for (const uint32_t cube : spec.slices[s].cubes)
      for (uint32_t i = 0; i < kCubeNodes; ++i) t.slice[cube * kCubeNodes + i] = s;
  connect_cubes(t, spec, settings);
  return t;
}

void apply_failures(Topology& t, const Spec& spec) {
  for (const uint32_t node : spec.failed_nodes) fail_node(t, node);
  for (const uint32_t cube : spec.failed_cubes)
    for (uint32_t i = 0; i < kCubeNodes; ++i) fail_node(t, cube * kCubeNodes + i);
  for (const LinkSpec& link : spec.failed_links) {
    if (t.port(link.node, link.port).peer.node == kNoNode && spec.kind != Kind::kCubes)
      throw FileError(
          spec.file, link.place,
          fmt::format("node {} has no cable at {}", link.node, port_text(link.port, spec.dims)),
          "it lies at the edge of the mesh, of its slice, or the size there is 1");
    fail_link(t, link.node, link.port);  // of a pod: a face link without slice joins nothing
  }
}

/// The nodes of a slice of the whole, in its own order.
std::vector<uint32_t> nodes_of(const Spec& spec, const SliceSpec& slice, const Topology& whole) {
  std::vector<uint32_t> nodes(count_of(slice.size));
  std::array<uint32_t, kMaxDims> side{};
  for (uint32_t d = 0; d < kMaxDims; ++d) side[d] = slice.size[d] / kCubeSide;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    auto at = place_in(slice.size, i);
    if (spec.kind == Kind::kCubes) {
      const uint32_t cube =
          at[0] / kCubeSide + side[0] * (at[1] / kCubeSide + side[1] * (at[2] / kCubeSide));
      nodes[i] =
          cube_node(slice.cubes[cube], {at[0] % kCubeSide, at[1] % kCubeSide, at[2] % kCubeSide});
    } else {
      for (uint32_t d = 0; d < kMaxDims; ++d) at[d] += slice.from[d];
      nodes[i] = whole.node_at(at);
    }
  }
  return nodes;
}

/// The slice as a topology of its own: the same ports under its own numbers.
Topology cut_out(const Topology& whole, const std::vector<uint32_t>& nodes,
                 const std::array<uint32_t, kMaxDims>& size) {
  std::vector<uint32_t> number(whole.nodes(), kNoNode);
  for (uint32_t i = 0; i < nodes.size(); ++i) number[nodes[i]] = i;
  Topology t;
  t.dims = whole.dims;
  t.size = size;
  t.ports.resize(nodes.size() * t.ports_per_node());
  t.dead_node.resize(nodes.size());
  t.slice.assign(nodes.size(), 0);
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    t.dead_node[i] = whole.dead_node[nodes[i]];
    for (uint32_t p = 0; p < t.ports_per_node(); ++p) {
      t.port(i, p) = whole.port(nodes[i], p);
      End& peer = t.port(i, p).peer;
      if (peer.node != kNoNode) peer.node = number[peer.node];
    }
  }
  return t;
}

}  // namespace

Network build(const Spec& asked) {
  Network network;
  network.spec = asked;
  Spec& spec = network.spec;
  const bool pod = spec.kind == Kind::kCubes;
  if (pod) {
    place_slices(spec);
    network.settings = cross_connect_settings(spec);
    network.whole = make_whole_pod(spec, network.settings);
  } else {
    network.whole = make_whole_grid(spec);
    if (!spec.slices.empty()) {
      network.whole.slice.assign(network.whole.nodes(), kNoSlice);
      for (uint32_t s = 0; s < spec.slices.size(); ++s)
        for (const uint32_t node : nodes_of(spec, spec.slices[s], network.whole))
          network.whole.slice[node] = s;
      separate(network.whole);
    }
  }
  apply_failures(network.whole, spec);
  if (pod) network.whole.name = fmt::format("pod of {} cubes", spec.cubes);
  if (spec.name.empty()) spec.name = network.whole.name;
  network.whole.name = spec.name;
  for (const SliceSpec& slice : spec.slices) {
    auto nodes = nodes_of(spec, slice, network.whole);
    Topology t = cut_out(network.whole, nodes, slice.size);
    t.name = fmt::format("{}: {}", spec.name, slice.name);
    network.slices.push_back({slice.name, std::move(t), std::move(nodes), slice.cubes});
  }
  if (spec.slices.empty() && !pod) {
    std::vector<uint32_t> nodes(network.whole.nodes());
    for (uint32_t i = 0; i < nodes.size(); ++i) nodes[i] = i;
    network.slices.push_back({"all", network.whole, std::move(nodes), {}});
  }
  return network;
}

Network load_network(const std::string& file) { return build(read_spec(file)); }

const Topology& topology_of(const Network& network, const std::string& slice) {
  if (slice.empty()) return network.slices.size() == 1 ? network.slices[0].topology : network.whole;
  std::vector<std::string_view> names;
  for (const Slice& s : network.slices) {
    if (s.name == slice) return s.topology;
    names.push_back(s.name);
  }
  throw std::invalid_argument(fmt::format("there is no slice '{}'; slices: {}", slice,
                                          names.empty() ? "none" : isa::join(names)));
}

std::vector<std::string> check_isolation(const Network& network) {
  std::vector<std::string> wrong;
  const Topology& t = network.whole;
  for (uint32_t node = 0; node < t.nodes(); ++node)
    for (uint32_t p = 0; p < t.ports_per_node(); ++p) {
      const End peer = t.port(node, p).peer;
      if (peer.node == kNoNode) continue;
      const End back = t.port(peer.node, peer.port).peer;
      const std::string cable = fmt::format("the cable at {} of node {} to node {}",
                                            port_text(p, t.dims), node, peer.node);
      if (back.node != node || back.port != p) wrong.push_back(cable + " does not come back");
      if (t.slice[node] != t.slice[peer.node]) wrong.push_back(cable + " joins two slices");
    }
  for (const CrossConnectSetting& setting : network.settings) {
    std::vector<uint8_t> used(size_t{2} * network.spec.cubes, 0);
    for (const Joint& joint : setting.joints)
      for (const uint32_t port : {2 * joint.from, 2 * joint.to + 1})
        if (used[port]++)
          wrong.push_back(fmt::format("port {} of cross-connect {} is used twice", port,
                                      number_of(setting.which)));
  }
  return wrong;
}

}  // namespace ttpu::fabric
