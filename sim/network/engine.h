// A network of routers: cables with latency between them, endpoints at them, threads that step
// them. The same for the RTL routers and for the model; the topology is data.
//
// Time goes in batches no longer than the shortest cable: what a router drives in a batch arrives
// after it, so the nodes of a batch may be stepped in any order, by any number of threads, with the
// same result. Each node has its own generators of random numbers.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "fabric/topology.h"
#include "network/endpoint.h"
#include "network/router.h"

namespace ttpu::network {

/// What may happen to a flit on a cable. Of routers with a link layer it is frames that pass: to
/// flip bit b of a frame set Flit::route to b + 1. Called by the thread of the sending node: keep
/// state by cable.
class LinkErrors {
 public:
  virtual ~LinkErrors() = default;
  /// The flit that leaves `node` by `port` in cycle `t`; may change it. False: it is lost.
  virtual bool pass(uint32_t node, uint32_t port, uint64_t t, Flit& flit) = 0;
};

struct EngineOptions {
  uint32_t vcs = 8, depth = 16;  ///< of the routers
  uint32_t threads = 1;
  uint64_t seed = 1;
  uint64_t start = 0;  ///< cycle of the first packet: links have to come up before
  /// A cable takes a flit every so many cycles: 2 makes cables half as fast as the local port.
  uint32_t link_period = 1;
  uint32_t queue_flits = 64;  ///< of an injection queue
  uint32_t eject_stall_percent = 0, inject_stall_percent = 0;
  uint64_t stuck_after = 2000;  ///< cycles without any movement, with flits under way
  LinkErrors* errors = nullptr;
};

/// One waiting channel of a network that stands still.
struct Waiting {
  uint32_t node = 0, port = 0, vc = 0, flits = 0;
  uint32_t want_port = 0, want_vc = 0;
  std::string waits_for;  ///< credit, channel, turn, drop, or "" if the routers do not tell
};

class Engine {
 public:
  /// The network out of reset. Configures the routers (one a node, in the order of the nodes).
  /// Throws TrafficError, std::invalid_argument.
  Engine(const fabric::Topology& topology, const fabric::Routes& routes, Routers& routers,
         const Traffic& traffic, const EngineOptions& options);

  /// So many cycles more; fewer if the network gets stuck.
  void run(uint64_t cycles);
  /// From the next cycle on measure for `cycles`, in `batches` (rounded down to whole batches).
  void measure(uint64_t cycles, uint32_t batches);
  /// No new packets; those of which no flit was sent are forgotten.
  void stop();
  /// Run until nothing is under way, at most `limit` cycles. True if the network is empty.
  bool drain(uint64_t limit);
  /// After a run that should have ended: every packet that was not delivered, as a violation.
  void check_all_delivered();
  /// Take a cable out of service, both directions: flits on it are lost, packets in the middle end
  /// with an `err` tail at the far side, as the link layer does it.
  void fail_link(uint32_t node, uint32_t port);
  /// Percent of the cycles in which receivers return no credits, and senders inject nothing.
  void set_stalls(uint32_t eject_percent, uint32_t inject_percent);
  void set_eject_stall(uint32_t node, uint32_t percent);
  /// Routes of packets made from now on. Packets of one channel may overtake those of before.
  void set_routes(const fabric::Routes& routes);
  /// Packets made before the last failure: lost where their route used it, or not yet delivered.
  uint64_t packets_lost() const { return packets_lost_; }

  uint64_t cycle() const { return now_; }
  bool stuck() const { return stuck_; }
  /// Nothing has moved for so long, nothing is held, and no packet is due later: what is missing
  /// will not come.
  bool idle() const { return idle_; }
  /// End of the last batch in which anything moved.
  uint64_t last_moved() const { return moved_at_; }
  uint64_t flits_inside() const;
  /// All sources have ended (finite traffic), and nothing is under way.
  bool finished() const;
  /// Sum over threads: the same for any number of them.
  Tally tally() const;
  /// Sorted by cycle and node; at most 16 a thread are kept.
  std::vector<Violation> violations() const;
  /// Flits measured on each cable, [node * ports_per_node + port].
  const std::vector<uint64_t>& link_flits() const { return link_flits_; }
  const Measurement& measurement() const { return rules_.measure; }
  const fabric::Topology& topology() const { return topology_; }
  uint64_t dropped() const;
  /// What waits where, in a network that stands still. (Asking takes the routers a cycle each.)
  std::vector<Waiting> waiting() const;
  /// The same as JSON, for `ttpu pod check --stuck`.
  std::string stuck_dump() const;

 private:
  struct Slot {
    Flit flit;
    uint8_t valid = 0, credit = 0;
  };
  struct Cable {                                ///< one direction
    uint32_t slots = 0, mask = 0, latency = 0;  ///< first slot; number of slots - 1
    bool there = false;                         ///< connected and in service
  };
  /// A cable with link_period above 1, at its sender: the flits that wait for it, few, since the
  /// router gets its credits one by one. So it is the router that chooses what goes next, as it
  /// would with an output that is ready every so many cycles.
  struct Slow {
    std::vector<Flit> ring;
    uint32_t head = 0, count = 0;
    uint64_t free_at = 0;
    uint32_t unspent[kMaxVcs] = {};  ///< credits that the router has
    uint32_t held[kMaxVcs] = {};     ///< credits that it is to get
  };
  struct Open {  ///< packets in the middle, at the far side of a cable
    uint32_t mask = 0;
    uint32_t packet[kMaxVcs] = {};
    uint32_t cut = 0;  ///< the cable failed: err tails to be made for these channels
  };
  void worker(uint32_t thread, uint64_t end, class Barrier& barrier);
  struct Ejected {  ///< a flit that the scoreboard has not seen yet
    Flit flit;
    uint64_t t = 0;
    uint32_t node = 0;
    bool there = false;
  };
  void step_node(uint32_t node, uint64_t t, uint64_t settled, Ejected& ejected, Tally& tally);
  void see(Ejected& ejected, Tally& tally);
  void prefetch(uint32_t node, uint64_t t) const;
  static uint8_t hold_credits(Slow& slow, uint8_t credit, uint32_t vcs);
  void send(uint32_t node, uint32_t port, uint64_t t, const PortOutputs& out, Tally& tally);
  void batch_done(uint64_t t);
  bool anything_held() const;

  fabric::Topology topology_;
  Routers& routers_;
  EngineOptions options_;
  uint32_t ports_ = 0;
  uint64_t batch_ = 1, now_ = 0, moves_ = 0, moved_at_ = 0, look_at_ = 0;
  bool stuck_ = false, idle_ = false, failures_ = false;
  std::atomic<bool> failed_{false};  ///< a back end has thrown
  uint64_t packets_lost_ = 0;
  Destinations destinations_;
  EndpointRules rules_;
  std::vector<PacketStore> stores_;
  std::vector<Endpoint> endpoints_;
  std::vector<Cable> cables_;       ///< [node * ports + port], leaving
  std::vector<uint32_t> arriving_;  ///< [the same] -> index of the cable that ends there, or ~0
  std::vector<Slot> slots_;
  std::vector<Slow> slow_;
  std::vector<Open> open_;  ///< by the port at which it arrives; only with failures
  std::vector<uint64_t> link_flits_;
  std::vector<uint32_t> down_;  ///< [node], mask
  std::vector<Tally> tallies_;
  std::vector<Violation> found_;  ///< by the checks between runs
  uint64_t found_seen_ = 0;
};

}  // namespace ttpu::network
