// What a simulated network is made of: flits, and routers that are stepped one cycle at a time.
// The Verilated router and the C++ model stand behind the same interface; links, endpoints,
// threads and statistics know only this.
#pragma once
#include <cstdint>

#include "isa/generated/ici.h"

namespace ttpu::network {

inline constexpr uint32_t kMaxPorts = 7;  ///< six cables and the local port
inline constexpr uint32_t kMaxVcs = 8;

/// A flit as the simulator carries it. A back end that needs real bits makes them from this and
/// reads every field back from the bits that come out.
struct Flit {
  uint64_t route = 0;   ///< head only: legs still to go
  uint32_t packet = 0;  ///< number of the packet, for the scoreboard; travels in the payload
  uint16_t index = 0;   ///< number of the flit in its packet; travels in the payload
  uint16_t src = 0;
  uint16_t dest = 0;
  uint8_t vc = 0;
  uint8_t age = 0;
  uint8_t length = 0;  ///< head only: data flits that follow
  uint8_t channel = 0;
  bool head = false;
  bool tail = false;
  bool mcast = false;
  bool err = false;
  bool idle = false;  ///< what travels is a frame of a link layer that carries no flit
};

/// What a router sees in a cycle: at most one flit a port, and the credits that come back.
struct PortInputs {
  Flit flit[kMaxPorts];
  uint8_t valid = 0;  ///< bit p: flit[p] is there
  uint8_t credit[kMaxPorts] =
      {};  ///< bit v of [p]: a credit of virtual channel v, from beyond port p
};

/// What it drives in that cycle; the same layout.
using PortOutputs = PortInputs;

/// What an input channel of a router holds and waits for; read only when a network stands still.
struct BufferState {
  enum class Wait : uint8_t {
    kNothing,  ///< empty, or about to move
    kCredit,   ///< a credit of the output channel
    kChannel,  ///< the output channel belongs to another packet
    kTurn,     ///< another packet was chosen
    kDrop,     ///< it is being dropped
  };
  uint32_t flits = 0;
  uint8_t want_port = 0;
  uint8_t want_vc = 0;
  Wait wait = Wait::kNothing;
};

/// Many routers of one kind. Routers are independent of each other: different ones may be stepped
/// by different threads at the same time.
class Routers {
 public:
  virtual ~Routers() = default;
  /// Fixed set-up of router `index`, before its first cycle. Bit p of a mask is port p.
  virtual void configure(uint32_t index, uint32_t dateline_mask, uint32_t down_mask) = 0;
  /// Change of service in the middle of a run.
  virtual void set_down(uint32_t index, uint32_t down_mask) = 0;
  /// One clock cycle: `out` is what the registers drive during it, `in` what they take at its end.
  virtual void step(uint32_t index, const PortInputs& in, PortOutputs& out) = 0;
  /// The calling thread steps router `index` next: what it needs may be fetched. No effect else.
  virtual void prefetch(uint32_t index) const { static_cast<void>(index); }
  /// Packets dropped so far for want of a usable port.
  virtual uint64_t dropped(uint32_t index) const = 0;
  /// State of input channel `vc` of `port`. May take time: of a network that stands still only.
  virtual BufferState buffer(uint32_t index, uint32_t port, uint32_t vc) {
    static_cast<void>(index), static_cast<void>(port), static_cast<void>(vc);
    return {};
  }
};

}  // namespace ttpu::network
