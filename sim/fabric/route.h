// Routes as the packet header carries them, and where they come from.
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "fabric/topology.h"
#include "isa/generated/ici.h"

namespace ttpu::fabric {

/// A straight run: `hops` times out of port `dir`, starting in virtual-channel class `vclass`.
struct Leg {
  uint8_t dir = 0;
  uint8_t hops = 0;
  uint8_t vclass = 0;
};

/// The header's route field, 40 bits: legs of 8 bits, the first lowest.
using Route = uint64_t;
inline constexpr Route kNoRoute = ~Route{0};

constexpr Route encode_leg(Leg leg, uint32_t index) {
  const uint64_t bits = uint64_t{leg.dir} << ici::kLegDir.lsb |
                        uint64_t{leg.hops} << ici::kLegHops.lsb |
                        uint64_t{leg.vclass} << ici::kLegVclass.lsb;
  return bits << (index * ici::kLegBits);
}
constexpr Leg decode_leg(Route route, uint32_t index) {
  const uint64_t bits = route >> (index * ici::kLegBits);
  const auto field = [bits](ici::Field f) {
    return static_cast<uint8_t>(bits >> f.lsb & ((1U << f.bits) - 1));
  };
  return {field(ici::kLegDir), field(ici::kLegHops), field(ici::kLegVclass)};
}

/// The virtual channel in which a network interface injects a packet. Its lane (the number modulo
/// vcs / 2) stays the packet's lane on every hop, so that packets of one source, destination and
/// channel stay in order. vcs: 2, 4 or 8.
constexpr uint32_t local_vc(uint32_t src, uint32_t dest, uint32_t channel, uint32_t vcs) {
  const uint32_t mix = src ^ dest << 1 ^ channel;
  const uint32_t fold = mix ^ mix >> 3 ^ mix >> 6 ^ mix >> 9 ^ mix >> 12;
  return fold & (vcs - 1);
}

/// Where routes come from: a table or a rule.
class Routes {
 public:
  virtual ~Routes() = default;
  /// The route from src to dest; kNoRoute if there is none. src == dest gives 0 (deliver at once).
  virtual Route route(uint32_t src, uint32_t dest) const = 0;
};

/// Dimension order x, y, z by the shorter way, as the network interface computes it without a table
/// on a regular torus: at half a ring nodes with an odd coordinate in that dimension go down, the
/// others up; a leg that crosses the wrap starts in class 0, one that does not starts in the class
/// given by bit `dimension` of src ^ src >> 3 ^ src >> 6 ^ dest ^ dest >> 3 ^ dest >> 6.
/// Rings of up to 30 nodes.
std::unique_ptr<Routes> dimension_order(const Topology& torus);

}  // namespace ttpu::fabric
