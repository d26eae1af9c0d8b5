// Loads while routes are chosen, and what one more route would cost.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "fabric/route.h"
#include "fabric/route_walk.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// The units on each cable and channel. Costs grow with the eighth power of the load, so that the
/// cheapest choice is the one that keeps the largest loads small.
class Balance {
 public:
  /// The topology must outlive this.
  explicit Balance(const Topology& topology);

  void add(uint32_t src, Route route) { change(src, route, 1); }
  void remove(uint32_t src, Route route) { change(src, route, ~0U); }

  /// What one more unit along the cables of `route` costs.
  double cost(uint32_t src, Route route);

  /// The largest load on the way.
  uint32_t peak(uint32_t src, Route route) const;

  /// What one more unit in the channels of each leg costs, started in class 0 and 1.
  using LegCosts = std::array<std::array<double, 2>, ici::kLegs>;
  LegCosts leg_costs(uint32_t src, Route route);

  /// The largest load of a cable, then the cost of all loads: less is better.
  using Score = std::pair<uint32_t, double>;
  Score score();

 private:
  double price(uint32_t load);
  void change(uint32_t src, Route route, uint32_t by);

  const Topology& topology_;
  std::vector<uint32_t> cable_;    ///< [node * ports + port]
  std::vector<uint32_t> channel_;  ///< [the same * 2 + class]
  std::vector<double> prices_;     ///< [load]
};

}  // namespace ttpu::fabric
