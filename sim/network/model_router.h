// One router of the model: its state, and what a cycle does to it. Internal to model.cpp.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

#include "fabric/route.h"
#include "network/model.h"

namespace ttpu::network::model {

inline constexpr uint32_t kMaxInputs = kMaxPorts * kMaxVcs;  ///< virtual channels of all ports
inline constexpr uint32_t kMaxDepth = 64;
inline constexpr uint8_t kNobody = 0xff;
inline constexpr uint32_t kNoPort = 7;   ///< as an output: there is none
inline constexpr uint32_t kOldest = 63;  ///< ages saturate here
inline constexpr uint32_t kAgeUnit = ici::kAgeUnit;
/// The clock that ages are taken from goes round, in cycles.
inline constexpr uint32_t kTimes = 1024 * kAgeUnit;
/// The hops of all legs after the first, in a route without its first leg.
inline constexpr uint64_t kAllLaterHops = [] {
  uint64_t hops = 0;
  for (uint32_t leg = 0; leg + 1 < ici::kLegs; ++leg) hops |= fabric::encode_leg({0, 15, 0}, leg);
  return hops;
}();
inline constexpr size_t kLine = 64;  ///< bytes of a cache line

inline constexpr uint64_t bit(uint32_t n) { return uint64_t{1} << n; }

/// Calls f(n) for each set bit, lowest first.
template <class F>
inline void for_each_bit(uint64_t mask, F f) {
  for (; mask; mask &= mask - 1) f(static_cast<uint32_t>(std::countr_zero(mask)));
}

/// A flit in a buffer: a head's route is already the one it leaves with.
struct Slot : Flit {
  uint16_t next;       ///< slot of the flit behind it
  uint16_t birth;      ///< head: tick at which the packet had age 0
  uint8_t output : 3;  ///< head: port that the packet leaves by
  uint8_t out_vc : 3;  ///< head: channel there
  uint8_t copies : 1;  ///< head: the packet goes to the local port after it has gone onward
};

/// One router. "Input" m is virtual channel m % vcs of port m / vcs; one bit each in a 64-bit mask.
/// What a packet in the middle of its flits needs stays with the input until the next head.
struct alignas(kLine) State {
  /// The flits of an input, linked by their slots. Those of a multicast on its way onward are kept,
  /// to be read again.
  struct Queue {
    uint16_t first = 0, last = 0;  ///< slots of the flit in front and of the one that came last
    uint16_t kept = 0;             ///< slot of the first flit that is kept
    uint8_t count = 0;             ///< flits to read
    uint8_t keeps = 0;             ///< flits that are kept, in front of them
    uint8_t output = kNoPort;      ///< port that the packet leaves by
  };
  uint64_t waiting = 0;                ///< there is a flit in front
  uint64_t is_tail = 0;                ///< it is the last of its packet
  uint64_t is_again = 0;               ///< its packet is a multicast, read the second time
  uint64_t multicast = 0;              ///< its packet is a multicast, on its way onward
  uint64_t owns = 0;                   ///< its packet owns its channel of the output
  uint64_t killed = 0;                 ///< the rest of its packet is dropped
  uint64_t wants[kMaxPorts + 1] = {};  ///< [output] packets that leave there; kNoPort too
  uint8_t out_valid = 0;               ///< register: bit p: a flit leaves port p in this cycle
  uint8_t dateline = 0, down = 0;
  uint8_t in_credit[8] = {};           ///< register: [port] credits that go back in this cycle
  uint16_t time = 0;                   ///< cycles since reset
  uint8_t has_credit[kMaxPorts] = {};  ///< [output] bit v: channel v has a credit
  uint8_t is_free[kMaxPorts] = {};     ///< [output] bit v: channel v belongs to no packet
  uint8_t held[kMaxPorts];             ///< [output] input whose packet is being sent, or nobody
  uint8_t last[kMaxPorts] = {};        ///< [output] input served last, for the round robin
  uint8_t vc[kMaxInputs] = {};         ///< [input] channel of its output that the packet takes
  uint8_t age[64] = {};                ///< [input] of its packet
  Queue queue[kMaxInputs];
  uint8_t credits[kMaxInputs];  ///< [output * vcs + v]
  Flit out[kMaxPorts];          ///< register: [output] the flit
  uint64_t dropped = 0, cut = 0;
  /// Bit s % 64 of [s / 64]: slot s is free. The lowest is taken first: those in use stay close.
  uint64_t free_slots[kMaxInputs * kMaxDepth / 64] = {};
};

/// One cycle of one router: its state with the shape at hand.
class Cycle {
 public:
  /// `state` and, behind it, the slots of router `index`.
  Cycle(State& state, const ModelShape& shape, uint32_t index)
      : s_(state),
        slots_(reinterpret_cast<Slot*>(&state + 1)),
        index_(index),
        vcs_(shape.vcs),
        local_(2 * shape.dims),
        depth_(shape.depth) {}

  /// What the registers drive.
  void drive(PortOutputs& out) const {
    out.valid = s_.out_valid;
    std::memcpy(out.credit, s_.in_credit, kMaxPorts);
    for_each_bit(s_.out_valid, [&](uint32_t o) { out.flit[o] = s_.out[o]; });
  }

  /// Ask for the slots that the next cycle may read and fill. A slot may lie across two lines.
  void prefetch() const {
    const auto ask = [this](uint32_t slot) {
      __builtin_prefetch(&slots_[slot], 1);
      __builtin_prefetch(&slots_[slot].next, 1);
    };
    for_each_bit(s_.waiting, [&](uint32_t m) { ask(s_.queue[m].first); });
    uint64_t free = s_.free_slots[0];
    for (uint32_t n = 0; n < kMaxPorts && free; ++n, free &= free - 1)
      ask(static_cast<uint32_t>(std::countr_zero(free)));
  }

  BufferState look_at(uint32_t m) const {
    using Wait = BufferState::Wait;
    const State::Queue& q = s_.queue[m];
    BufferState b{uint32_t{q.count} + q.keeps, q.output, s_.vc[m], Wait::kNothing};
    if (!(s_.waiting >> m & 1)) return b;
    if (way_lost() >> m & 1) {
      b.wait = Wait::kDrop;
    } else if (!(s_.has_credit[q.output] >> s_.vc[m] & 1)) {
      b.wait = Wait::kCredit;
    } else {
      b.wait = can_send(m, q.output) ? Wait::kTurn : Wait::kChannel;
    }
    return b;
  }

  /// The cycle: what is sent and dropped comes from the state before it, then `in` is taken.
  void run(const PortInputs& in) {
    s_.time = (s_.time + 1) % kTimes;
    s_.out_valid = 0;
    std::memset(s_.in_credit, 0, sizeof s_.in_credit);
    for_each_bit(s_.down, [&](uint32_t o) { cut_packets(o); });
    const uint64_t waiting = s_.waiting;
    if (s_.time % kAgeUnit == 0 && (waiting | s_.owns | s_.killed))
      for (uint8_t& age : s_.age) age = static_cast<uint8_t>(std::min<uint32_t>(age + 1, kOldest));
    uint64_t moved = 0;
    if (waiting) {
      const uint64_t lost = waiting & way_lost();
      uint8_t winner[kMaxPorts];
      for (uint32_t o = 0; o <= local_; ++o) winner[o] = choose(o, waiting & s_.wants[o] & ~lost);
      for (uint32_t o = 0; o <= local_; ++o) {
        if (winner[o] == kNobody) continue;
        send(winner[o], o);
        moved |= bit(winner[o]);
      }
      if (lost) drop(lost);
      moved |= lost;
    }
    for_each_bit(moved, [&](uint32_t m) { pop(m); });
    for_each_bit(in.valid, [&](uint32_t p) { accept(p, in.flit[p]); });
    for (uint32_t o = 0; o <= local_; ++o)
      if (in.credit[o]) take_credits(o, in.credit[o]);
    for_each_bit(s_.down, [&](uint32_t o) { reset_output(o); });
  }

 private:
  /// Inputs whose packet cannot go on.
  uint64_t way_lost() const {
    uint64_t lost = s_.killed | s_.wants[kNoPort];
    for_each_bit(s_.down, [&](uint32_t o) { lost |= s_.wants[o]; });
    return lost;
  }

  /// A port that is down: packets in their middle there are cut.
  void cut_packets(uint32_t o) {
    const uint64_t torn = s_.owns & s_.wants[o];
    s_.owns &= ~torn;
    s_.killed |= torn;
    s_.cut += static_cast<uint64_t>(std::popcount(torn));
  }

  /// The state of an output after reset, and while its port is down.
  void reset_output(uint32_t o) {
    std::memset(&s_.credits[o * vcs_], static_cast<int>(depth_), vcs_);
    s_.has_credit[o] = s_.is_free[o] = static_cast<uint8_t>((1U << vcs_) - 1);
    s_.held[o] = kNobody;
  }

  /// May the flit in front of input m leave by output o?
  bool can_send(uint32_t m, uint32_t o) const {
    const uint32_t vc = s_.vc[m];
    return s_.has_credit[o] >> vc & (s_.is_free[o] >> vc | s_.owns >> m) & 1;
  }

  /// The input that output o serves, of those that want to leave there.
  uint8_t choose(uint32_t o, uint64_t asking) const {
    if (!asking) return kNobody;
    const uint8_t held = s_.held[o];
    if (held != kNobody && (asking >> held & 1) && can_send(held, o)) return held;
    uint64_t oldest = 0;
    uint32_t age = 0;
    for_each_bit(asking, [&](uint32_t m) {
      if (s_.age[m] < age || !can_send(m, o)) return;
      if (s_.age[m] > age) oldest = 0;
      age = s_.age[m];
      oldest |= bit(m);
    });
    if (!oldest) return kNobody;
    // Network before local, but for the very old; then in turn.
    const uint64_t network = oldest & (bit(local_ * vcs_) - 1);
    if (network && age < kOldest) oldest = network;
    if (const uint64_t in_turn = oldest & ~uint64_t{1} << s_.last[o]) oldest = in_turn;
    return static_cast<uint8_t>(std::countr_zero(oldest));
  }

  void send(uint32_t m, uint32_t o) {
    const uint32_t vc = s_.vc[m];
    Flit& flit = s_.out[o] = slots_[s_.queue[m].first];
    flit.vc = static_cast<uint8_t>(vc);
    if (flit.head) flit.age = s_.age[m];
    s_.out_valid |= static_cast<uint8_t>(1U << o);
    if (s_.is_tail >> m & 1) {
      s_.owns &= ~bit(m);
      s_.is_free[o] |= static_cast<uint8_t>(1U << vc);
      s_.held[o] = kNobody;
    } else {
      s_.owns |= bit(m);
      s_.is_free[o] &= static_cast<uint8_t>(~(1U << vc));
      s_.held[o] = static_cast<uint8_t>(m);
    }
    s_.last[o] = static_cast<uint8_t>(m);
    if (--s_.credits[o * vcs_ + vc] == 0) s_.has_credit[o] &= static_cast<uint8_t>(~(1U << vc));
  }

  /// Flits without a way on are taken, one a cycle from each input; a packet counts once.
  void drop(uint64_t lost) {
    s_.dropped += static_cast<uint64_t>(std::popcount(lost & ~s_.killed));
    s_.killed |= lost;
  }

  /// The front flit of input m has gone. Its place is free, or, of a multicast that went onward,
  /// kept; behind that packet's tail its head is in front again, for the local port.
  void pop(uint32_t m) {
    State::Queue& q = s_.queue[m];
    const uint64_t one = bit(m);
    const uint16_t slot = q.first;
    const bool tail = s_.is_tail >> m & 1;
    q.first = slots_[slot].next;
    --q.count;
    if (tail) s_.is_again &= ~one;
    if (s_.multicast & one) {
      if (q.keeps++ == 0) q.kept = slot;
      if (tail) {
        q.first = q.kept;
        q.count += q.keeps;
        q.keeps = 0;
        s_.is_again |= one;
      }
    } else {
      s_.in_credit[m / vcs_] |= static_cast<uint8_t>(1U << m % vcs_);
      s_.free_slots[slot / 64] |= bit(slot % 64);
    }
    if (q.count) {
      look(m);
    } else {
      s_.waiting &= ~one;
    }
  }

  /// A flit has come to the front of input m.
  void look(uint32_t m) {
    const Slot& front = slots_[s_.queue[m].first];
    const uint64_t one = bit(m);
    s_.waiting |= one;
    s_.is_tail = front.tail ? s_.is_tail | one : s_.is_tail & ~one;
    if (!front.head) return;
    s_.killed &= ~one;
    if (s_.is_again & one) {
      aim(m, local_, m % vcs_);
      s_.multicast &= ~one;
      return;
    }
    aim(m, front.output, front.out_vc);
    const uint32_t age = (s_.time / kAgeUnit - front.birth) & (kTimes / kAgeUnit - 1);
    s_.age[m] = static_cast<uint8_t>(std::min(age, kOldest));
    s_.multicast = front.copies ? s_.multicast | one : s_.multicast & ~one;
  }

  void aim(uint32_t m, uint32_t output, uint32_t vc) {
    s_.wants[s_.queue[m].output] &= ~bit(m);
    s_.wants[output] |= bit(m);
    s_.queue[m].output = static_cast<uint8_t>(output);
    s_.vc[m] = static_cast<uint8_t>(vc);
  }

  /// A flit comes in: its way on is found at once, and a head takes its new route with it.
  void accept(uint32_t port, const Flit& in) {
    const uint32_t m = port * vcs_ + in.vc;
    if (port > local_ || in.vc >= vcs_) refuse(port, in);
    State::Queue& q = s_.queue[m];
    const uint32_t held = uint32_t{q.count} + q.keeps;
    if (held == depth_) refuse(port, in);
    const uint16_t number = take_slot();
    Slot& slot = slots_[number];
    static_cast<Flit&>(slot) = in;
    if (in.head) find_way(port, slot);
    if (held) slots_[q.last].next = number;
    q.last = number;
    if (q.count++) return;
    q.first = number;
    look(m);
  }

  void find_way(uint32_t port, Slot& flit) const {
    fabric::Leg leg = fabric::decode_leg(flit.route, 0);
    flit.birth = static_cast<uint16_t>(s_.time / kAgeUnit - flit.age);
    flit.out_vc = flit.vc;
    flit.copies = false;
    flit.output = static_cast<uint8_t>(leg.hops == 0 ? local_ : kNoPort);
    if (leg.hops == 0 || leg.dir >= local_) return;
    // Copies are left by what goes straight on along the route's last leg, and fits into the
    // buffer.
    const bool last_leg = (flit.route >> ici::kLegBits & kAllLaterHops) == 0;
    flit.copies = flit.mcast && last_leg && port == (leg.dir ^ 1U);
    if (flit.copies && flit.length >= depth_) {
      flit.copies = false;
      return;
    }
    flit.output = leg.dir;
    leg.vclass |= s_.dateline >> leg.dir & 1;
    const uint32_t lanes = vcs_ / 2;
    flit.out_vc = static_cast<uint8_t>(flit.vc % lanes + leg.vclass * lanes);
    const uint64_t later = flit.route >> ici::kLegBits;
    --leg.hops;
    flit.route = leg.hops ? later << ici::kLegBits | fabric::encode_leg(leg, 0) : later;
  }

  void take_credits(uint32_t o, uint32_t mask) {
    for_each_bit(mask, [&](uint32_t v) {
      uint8_t& credits = s_.credits[o * vcs_ + v];
      if (credits != depth_) ++credits;  // a late one, of before the port was down
    });
    s_.has_credit[o] |= static_cast<uint8_t>(mask);
  }

  [[noreturn]] void refuse(uint32_t port, const Flit& flit) const {
    throw std::logic_error("router model: router " + std::to_string(index_) + " port " +
                           std::to_string(port) + ": flit of packet " +
                           std::to_string(flit.packet) + " on channel " + std::to_string(flit.vc) +
                           " without a credit");
  }

  uint16_t take_slot() {
    uint64_t* word = s_.free_slots;
    while (!*word) ++word;
    const int at = std::countr_zero(*word);
    *word &= *word - 1;
    return static_cast<uint16_t>((word - s_.free_slots) * 64 + at);
  }

  State& s_;
  Slot* const slots_;
  const uint32_t index_, vcs_, local_, depth_;
};

}  // namespace ttpu::network::model
