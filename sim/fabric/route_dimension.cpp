// Dimension order on a regular torus: the rule that the network interface computes in hardware.
#include <stdexcept>
#include <string>

#include "fabric/route.h"

namespace ttpu::fabric {
namespace {

std::string port_name(uint32_t port) { return {port % 2 == 0 ? '+' : '-', "xyz"[port / 2]}; }

/// Throws unless every cable is the one of a regular torus.
void require_regular(const Topology& torus) {
  for (uint32_t d = 0; d < torus.dims; ++d) {
    if (torus.size[d] > 2 * ((1U << ici::kLegHops.bits) - 1)) {
      throw std::invalid_argument("dimension order: a ring of " + std::to_string(torus.size[d]) +
                                  " nodes; a leg of a route has at most 15 hops, so 30 nodes");
    }
  }
  for (uint32_t node = 0; node < torus.nodes(); ++node) {
    for (uint32_t p = 0; p < torus.ports_per_node(); ++p) {
      const uint32_t d = p / 2;
      const uint32_t k = torus.size[d];
      if (k == 1) {
        continue;
      }
      auto c = torus.coordinates(node);
      c[d] = (c[d] + (p % 2 == 0 ? 1 : k - 1)) % k;
      const End& peer = torus.port(node, p).peer;
      if (peer.node != torus.node_at(c) || peer.port != (p ^ 1)) {
        throw std::invalid_argument("dimension order: '" + torus.name +
                                    "' is not a regular torus: port " + port_name(p) + " of node " +
                                    std::to_string(node) + " does not lead to its neighbour " +
                                    std::to_string(torus.node_at(c)));
      }
    }
  }
}

class DimensionOrder final : public Routes {
 public:
  explicit DimensionOrder(const Topology& torus) : dims_(torus.dims), size_(torus.size) {}

  Route route(uint32_t src, uint32_t dest) const override {
    if (src >= nodes() || dest >= nodes()) {
      return kNoRoute;
    }
    const uint32_t mix = src ^ src >> 3 ^ src >> 6 ^ dest ^ dest >> 3 ^ dest >> 6;
    Route route = 0;
    uint32_t legs = 0;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < dims_; ++d) {
      const uint32_t k = size_[d];
      const uint32_t from = src / stride % k;
      const uint32_t to = dest / stride % k;
      stride *= k;
      if (from == to) {
        continue;
      }
      const uint32_t up = (to + k - from) % k;
      const bool down = 2 * up > k || (2 * up == k && from % 2 == 1);
      const bool crosses = down ? to > from : to < from;
      Leg leg;
      leg.dir = static_cast<uint8_t>(2 * d + (down ? 1 : 0));
      leg.hops = static_cast<uint8_t>(down ? k - up : up);
      leg.vclass = crosses ? 0 : mix >> d & 1;
      route |= encode_leg(leg, legs++);
    }
    return route;
  }

 private:
  uint32_t nodes() const { return size_[0] * size_[1] * size_[2]; }

  uint32_t dims_;
  std::array<uint32_t, kMaxDims> size_;
};

}  // namespace

std::unique_ptr<Routes> dimension_order(const Topology& torus) {
  require_regular(torus);
  return std::make_unique<DimensionOrder>(torus);
}

}  // namespace ttpu::fabric
