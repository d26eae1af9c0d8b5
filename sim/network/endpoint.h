// A node's end of the local port: makes packets, injects them, takes what arrives and checks it.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/route.h"
#include "network/packets.h"
#include "network/router.h"
#include "network/statistics.h"
#include "network/traffic.h"

namespace ttpu::network {

/// Something that must not happen; `text` names node and packet.
struct Violation {
  uint64_t cycle = 0;
  uint32_t node = 0;
  std::string text;
};

/// Cycles that are measured, in batches of equal length.
struct Measurement {
  uint64_t first = ~uint64_t{0}, last = ~uint64_t{0};  ///< first <= cycle < last
  uint64_t batch = 1;                                  ///< cycles of a batch
  bool holds(uint64_t cycle) const { return cycle >= first && cycle < last; }
};

/// Counts of one thread.
struct alignas(64) Tally {
  uint64_t moves = 0;  ///< flits that moved anywhere
  uint64_t flits_injected = 0, flits_ejected = 0;
  uint64_t packets_made = 0, packets_delivered = 0;  ///< delivered: all copies
  uint64_t packets_cut = 0;                          ///< ended by a tail with err
  uint64_t packets_cancelled = 0;                    ///< made, and never begun
  uint64_t eject_stalls = 0, inject_stalls = 0;
  uint64_t violations_seen = 0;
  std::vector<Violation> violations;  ///< the first of them
  // measured only
  uint64_t offered_packets = 0, offered_open = 0;  ///< born in the window; of these, not delivered
  uint64_t accepted_flits = 0;
  Histogram latency;                  ///< birth to last flit, packets born in the window
  Histogram network_latency;          ///< the same without the wait at the source
  std::vector<uint64_t> by_source;    ///< flits delivered
  std::vector<uint64_t> batch_flits;  ///< by cycle of delivery
  std::vector<uint64_t> batch_latency, batch_packets;  ///< by cycle of birth
  void violation(uint64_t cycle, uint32_t node, std::string text);
};

/// What all endpoints of a network have in common.
struct EndpointRules {
  const fabric::Topology* topology = nullptr;
  const fabric::Routes* routes = nullptr;
  const Destinations* destinations = nullptr;
  Traffic traffic;
  uint32_t vcs = 0, depth = 0;
  uint32_t queue_flits = 64;  ///< of an injection queue; a larger packet gets in when it is empty
  uint32_t eject_stall_percent = 0, inject_stall_percent = 0;
  uint64_t seed = 1;
  uint64_t start = 0;  ///< cycle of the first packet
  Measurement measure;
  std::vector<PacketStore>* stores = nullptr;
  bool damaged_routes = false;  ///< links have failed: look whether a new packet's route uses one
  bool stopped = false;         ///< no new packets
};

/// One node's endpoint. Open loop: packets are born by a Bernoulli process and wait in a source
/// queue without bound. (It needs no memory: the process is run a second time, as late as its
/// packets find place in the injection queues.)
class Endpoint {
 public:
  Endpoint(const EndpointRules& rules, uint32_t node);

  /// Cycle t, before the router: new packets, a flit for the local port, credits for it.
  void drive(uint64_t t, uint64_t settled, PortInputs& in, Tally& tally);
  /// Cycle t, after the router: credits, and an ejected flit's place. True if there is a flit: it
  /// is to be given to receive() before the batch ends. What that will look at is on its way then.
  bool take(uint64_t t, const PortOutputs& out, Tally& tally);
  /// The scoreboard's view of a flit ejected in cycle t.
  void receive(uint64_t t, const Flit& flit, Tally& tally);
  /// Forget packets of which no flit was sent.
  void cancel(uint64_t t, Tally& tally);
  /// Send `trace` from now on (pattern kTrace).
  void add_trace(const TraceLine& line) { trace_.push_back(line); }
  /// Nothing is waiting to be injected, now or later.
  bool silent() const { return queued_ == 0 && birth_ == Arrivals::kNever && !waiting_; }
  /// Percent of the cycles in which this node returns no credits.
  void set_eject_stall(uint32_t percent) { eject_stall_ = percent; }
  /// A packet is due to be born after cycle t.
  bool due_after(uint64_t t) const { return birth_ != Arrivals::kNever && birth_ > t; }
  bool queues_empty() const { return queued_ == 0 && !waiting_; }
  uint32_t injection_flits(uint32_t vc) const { return queues_[vc].flits; }
  uint32_t injection_credits(uint32_t vc) const { return credits_[vc]; }

 private:
  struct Queue {
    std::vector<uint32_t> ring;  ///< numbers of packets
    uint32_t head = 0, count = 0, flits = 0;
    uint32_t next = 0;  ///< index of the next flit of the first packet
  };
  struct Arriving {  ///< packet on a virtual channel of the local output
    Packet* packet = nullptr;
    uint32_t number = 0, next = 0, src = 0;
    bool open = false;
  };
  struct Draft {  ///< made, but its queue has no room
    uint32_t dest = 0, flits = 1, vc = 0, axis_hops = 0;
    uint8_t channel = 0;
    uint64_t birth = 0, route = 0;
  };
  void make(uint64_t t, uint64_t settled, Tally& tally);
  bool draft(uint64_t birth, uint64_t t, Tally& tally);
  void enqueue(uint64_t settled, Tally& tally);
  void next_birth();
  void deliver(uint64_t t, Arriving& a, bool cut, Tally& tally);
  void check_order(uint64_t t, const Arriving& a, Tally& tally);
  void inject(uint64_t t, PortInputs& in, Tally& tally);
  std::string name(uint32_t src, uint32_t number) const;

  const EndpointRules* rules_;
  uint32_t node_, local_;
  uint32_t eject_stall_;
  Random random_, stalls_;
  Arrivals born_;                      ///< the process as it runs
  Arrivals arrivals_;                  ///< again, at the head of the source queue
  uint64_t birth_ = Arrivals::kNever;  ///< of the packet at the head of the source queue
  uint64_t made_ = 0;
  uint32_t order_ = 0, channel_ = 0;
  std::vector<TraceLine> trace_;
  size_t trace_at_ = 0;
  std::vector<uint32_t> under_way_;  ///< closed loop
  Draft draft_;
  bool waiting_ = false;

  uint32_t queued_ = 0, credited_ = 0;  ///< bit v: injection queue v holds flits; has a credit
  uint32_t turn_ = 0;
  Queue queues_[kMaxVcs];
  uint8_t credits_[kMaxVcs];
  uint8_t owed_[kMaxVcs] = {};  ///< ejected flits whose credit is to be returned
  uint32_t owing_ = 0;          ///< bit v: owed_[v] != 0
  Arriving arriving_[kMaxVcs];
  std::vector<uint32_t> last_order_;  ///< [src * channels + channel], small networks
  std::unordered_map<uint32_t, uint32_t> last_order_of_;  ///< the same, large ones
};

}  // namespace ttpu::network
