#include "fabric/balance.h"

#include <algorithm>

namespace ttpu::fabric {

Balance::Balance(const Topology& topology)
    : topology_(topology),
      cable_(topology.ports.size(), 0),
      channel_(topology.ports.size() * 2, 0) {}

double Balance::price(uint32_t load) {
  while (prices_.size() <= load) {
    const double x = 1 + static_cast<double>(prices_.size());
    prices_.push_back(x * x * x * x * x * x * x);
  }
  return prices_[load];
}

double Balance::cost(uint32_t src, Route route) {
  double sum = 0;
  walk(topology_, src, route,
       [&](Channel c) { sum += price(cable_[c.node * topology_.ports_per_node() + c.port]); });
  return sum;
}

uint32_t Balance::peak(uint32_t src, Route route) const {
  uint32_t most = 0;
  walk(topology_, src, route, [&](Channel c) {
    most = std::max(most, cable_[c.node * topology_.ports_per_node() + c.port]);
  });
  return most;
}

Balance::LegCosts Balance::leg_costs(uint32_t src, Route route) {
  LegCosts costs{};
  uint32_t node = src;
  for (uint32_t i = 0; i < ici::kLegs; ++i) {
    const Leg leg = decode_leg(route, i);
    bool crossed = false;
    for (uint32_t hop = 0; hop < leg.hops; ++hop) {
      const Port& at = topology_.port(node, leg.dir);
      const uint32_t cable = node * topology_.ports_per_node() + leg.dir;
      crossed |= at.dateline;
      costs[i][0] += price(channel_[cable * 2 + crossed]);
      costs[i][1] += price(channel_[cable * 2 + 1]);
      node = at.peer.node;
    }
  }
  return costs;
}

Balance::Score Balance::score() {
  Score score{0, 0};
  for (const uint32_t load : cable_) {
    score.first = std::max(score.first, load);
    score.second += price(load);
  }
  return score;
}

void Balance::change(uint32_t src, Route route, uint32_t by) {
  walk(topology_, src, route, [&](Channel c) {
    const uint32_t cable = c.node * topology_.ports_per_node() + c.port;
    cable_[cable] += by;
    channel_[cable * 2 + c.vclass] += by;
  });
}

}  // namespace ttpu::fabric
