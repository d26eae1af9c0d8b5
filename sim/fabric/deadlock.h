// Proof that a set of routes cannot deadlock: its channel-dependency graph has no cycle.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "fabric/route_walk.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// Which channel a packet may wait for while it holds another. Channel c leads to d if some route
/// uses d right after c. The local port is a sink (the receiver takes what arrives without waiting
/// for the network), so delivery, and the copies of a multicast, add nothing. If the graph has no
/// cycle, the channels have an order in which every packet only ascends: the highest one that is
/// occupied can always move, and no set of packets waits for itself.
class ChannelGraph {
 public:
  /// The topology must outlive the graph.
  explicit ChannelGraph(const Topology& topology);

  /// Add what `route` needs, whatever comes of it. With `one_class`, as if there were no classes.
  void add(uint32_t src, Route route, bool one_class = false);

  /// Add what `route` needs if the graph stays free of cycles; else leave it as it was and return
  /// false. Only for graphs that were built by this call alone. Without `reorder` only what fits
  /// the order of channels found so far: quick, but refuses more than it must.
  bool try_add(uint32_t src, Route route, bool reorder = true);

  /// The channels of a cycle, each leading to the next and the last to the first; nothing if there
  /// is none. The shortest through one of its channels.
  std::optional<std::vector<Channel>> find_cycle() const;

  uint64_t dependencies() const;  ///< edges

 private:
  uint32_t index(Channel c) const { return (c.node * ports_ + c.port) * 2 + c.vclass; }
  Channel channel(uint32_t index) const;
  uint32_t target(uint32_t from, uint32_t bit) const { return far_[from / 2] * ports_ * 2 + bit; }
  bool has(uint32_t from, uint32_t to) const;
  bool add_in_order(uint32_t from, uint32_t to);
  bool reaches(uint32_t from, uint32_t to);  ///< over channels between their ranks
  void take_away(uint32_t from, uint32_t to);
  template <class Visit>
  void each_next(uint32_t from, Visit&& visit) const;
  template <class Visit>
  void each_previous(uint32_t to, Visit&& visit) const;

  const Topology& topology_;
  uint32_t ports_;
  std::vector<uint32_t> far_;   ///< [cable] node at its far end
  std::vector<uint16_t> next_;  ///< [channel] bit (port * 2 + class) of the far node: leads there
  std::vector<uint16_t> refused_;  ///< the same: would close a cycle
  std::vector<uint32_t> rank_;     ///< [channel] a topological order
  std::vector<uint32_t> mark_;     ///< [channel] visited in this search
  std::vector<uint32_t> ahead_;    ///< of the last search
  uint32_t search_ = 0;
};

/// The cycle in the routes of all pairs of one slice, if there is one. With `one_class` as if
/// routers had no classes: what the datelines are good for.
std::optional<std::vector<Channel>> find_cycle(const Topology& topology, const Routes& routes,
                                               bool one_class = false);

/// "(0, 0, 3) +z class 0".
std::string channel_text(const Topology& topology, Channel channel);

/// The channels joined by " -> ", the first again at the end.
std::string cycle_text(const Topology& topology, const std::vector<Channel>& cycle);

}  // namespace ttpu::fabric
