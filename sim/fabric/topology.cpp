#include "fabric/topology.h"

#include <stdexcept>

#include "isa/generated/ici.h"

namespace ttpu::fabric {
namespace {

constexpr const char* kAxis[kMaxDims] = {"x", "y", "z"};

void check_size(const std::array<uint32_t, kMaxDims>& size, uint32_t dims) {
  if (dims < 1 || dims > kMaxDims)
    throw std::invalid_argument("a network has 1 to 3 dimensions, not " + std::to_string(dims));
  constexpr uint32_t kMostNodes = 1U << ici::kHeaderDest.bits;
  uint64_t nodes = 1;
  for (uint32_t d = 0; d < kMaxDims; ++d) {
    if (size[d] == 0)
      throw std::invalid_argument(std::string("size in ") + kAxis[d] + " is 0: give 1 or more");
    if (d >= dims && size[d] != 1)
      throw std::invalid_argument(std::string("size in ") + kAxis[d] + " is " +
                                  std::to_string(size[d]) + " in a network of " +
                                  std::to_string(dims) + " dimensions: give 1");
    nodes *= size[d];
    if (nodes > kMostNodes)
      throw std::invalid_argument(size_text(size, dims) + " has more than the " +
                                  std::to_string(kMostNodes) + " nodes that a header can name");
  }
}

void check_twist(const std::array<uint32_t, kMaxDims>& size, uint32_t dims, const Twist& twist) {
  for (uint32_t d = 0; d < kMaxDims; ++d) {
    for (uint32_t e = 0; e < kMaxDims; ++e) {
      if (twist[d][e] == 0) continue;
      const std::string what = std::string("twist of the ") + kAxis[d] + " wrap in " + kAxis[e];
      if (d == e) throw std::invalid_argument(what + ": a wrap cannot move its own coordinate");
      if (d >= dims || e >= dims || size[d] == 1)
        throw std::invalid_argument(what + ": there is no such wrap or coordinate in " +
                                    size_text(size, dims));
      if (twist[d][e] >= size[e])
        throw std::invalid_argument(what + " is " + std::to_string(twist[d][e]) +
                                    ": it must be less than the size " + std::to_string(size[e]));
      // Otherwise +d then +e would not end where +e then +d does, and no node looks like another.
      for (const uint32_t further : twist[e])
        if (further != 0)
          throw std::invalid_argument(what + ": the " + kAxis[e] +
                                      " wrap has a twist itself; a coordinate that a wrap moves "
                                      "must have a plain wrap");
    }
  }
}

void connect(Topology& t, uint32_t from, uint32_t to, uint32_t dim, bool wraps) {
  Port& up = t.port(from, 2 * dim);
  Port& down = t.port(to, 2 * dim + 1);
  up.peer = {to, static_cast<uint8_t>(2 * dim + 1)};
  down.peer = {from, static_cast<uint8_t>(2 * dim)};
  up.dateline = down.dateline = wraps;
}

Topology make_grid(std::array<uint32_t, kMaxDims> size, uint32_t dims, bool wraps,
                   const Twist& twist) {
  check_size(size, dims);
  check_twist(size, dims, twist);
  Topology t;
  t.dims = dims;
  t.size = size;
  t.ports.resize(size_t{t.nodes()} * t.ports_per_node());
  t.dead_node.assign(t.nodes(), 0);
  t.slice.assign(t.nodes(), 0);
  for (uint32_t node = 0; node < t.nodes(); ++node) {
    for (uint32_t d = 0; d < dims; ++d) {
      if (size[d] == 1) continue;
      auto to = t.coordinates(node);
      const bool at_wrap = to[d] + 1 == size[d];
      if (at_wrap && !wraps) continue;
      to[d] = at_wrap ? 0 : to[d] + 1;
      if (at_wrap)
        for (uint32_t e = 0; e < kMaxDims; ++e) to[e] = (to[e] + twist[d][e]) % size[e];
      connect(t, node, t.node_at(to), d, at_wrap);
    }
  }
  return t;
}

}  // namespace

Topology make_torus(std::array<uint32_t, kMaxDims> size, uint32_t dims, const Twist& twist) {
  Topology t = make_grid(size, dims, true, twist);
  t.name = (twist == Twist{} ? "torus " : "twisted torus ") + size_text(size, dims);
  return t;
}

Topology make_mesh(std::array<uint32_t, kMaxDims> size, uint32_t dims) {
  Topology t = make_grid(size, dims, false, {});
  t.name = "mesh " + size_text(size, dims);
  return t;
}

Twist standard_twist(std::array<uint32_t, kMaxDims> size, uint32_t dims) {
  check_size(size, dims);
  Twist twist{};
  const uint32_t k = size[0];
  if (dims == 2 && k > 1 && size[1] == 2 * k) {
    twist[0][1] = k;
  } else if (dims == 3 && k > 1 && size[1] == k && size[2] == 2 * k) {
    twist[0][2] = twist[1][2] = k;
  } else if (dims == 3 && k > 1 && size[1] == 2 * k && size[2] == 2 * k) {
    twist[0][1] = twist[0][2] = k;
  } else {
    throw std::invalid_argument(
        "there is no standard twist of " + size_text(size, dims) +
        ": the shapes are k x 2k, k x k x 2k and k x 2k x 2k, in this order");
  }
  return twist;
}

void fail_node(Topology& topology, uint32_t node) {
  topology.dead_node[node] = 1;
  for (uint32_t p = 0; p < topology.ports_per_node(); ++p) fail_link(topology, node, p);
}

void fail_link(Topology& topology, uint32_t node, uint32_t port) {
  Port& at = topology.port(node, port);
  if (at.peer.node == kNoNode) return;
  at.dead = true;
  topology.port(at.peer.node, at.peer.port).dead = true;
}

std::string size_text(std::array<uint32_t, kMaxDims> size, uint32_t dims) {
  std::string text;
  for (uint32_t d = 0; d < dims && d < kMaxDims; ++d)
    text += (d ? "x" : "") + std::to_string(size[d]);
  return text;
}

std::string port_text(uint32_t port, uint32_t dims) {
  if (port >= 2 * dims) return "local";
  return std::string(port % 2 ? "-" : "+") + kAxis[port / 2];
}

std::string node_text(const Topology& topology, uint32_t node) {
  const auto at = topology.coordinates(node);
  std::string text = "(";
  for (uint32_t d = 0; d < topology.dims; ++d) text += (d ? ", " : "") + std::to_string(at[d]);
  return text + ")";
}

}  // namespace ttpu::fabric
