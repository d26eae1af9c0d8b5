#include "fabric/route_compute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "fabric/balance.h"
#include "fabric/deadlock.h"
#include "fabric/load.h"
#include "fabric/route_candidates.h"
#include "fabric/route_walk.h"

namespace ttpu::fabric {
namespace {

/// First noise on costs, relative.
constexpr double kNoise = 0.1;

/// Rounds that only choose classes.
constexpr uint32_t kClassRounds = 2;

/// A round takes seconds in networks with more nodes than this: so many must do.
constexpr uint32_t kManyNodes = 2048;
constexpr uint32_t kFewRounds = 3;

/// Where failures overload cables by more than this factor over the bound, others make room.
constexpr double kOverload = 1.01;
constexpr uint32_t kReliefRounds = 4;
constexpr size_t kMostPairsToRelieve = 4000;

using Pair = std::pair<uint32_t, uint32_t>;  // source, destination

class Computer {
 public:
  Computer(const Topology& topology, const RouteOptions& options)
      : t_(topology),
        options_(options),
        candidates_(topology),
        balance_(topology),
        table_(topology.nodes()) {}

  ComputedRoutes run() {
    find_pairs_without_way();
    uint32_t attempts = 1;
    habit_ = 1e40;  // above all costs
    const bool whole = !broken() && detours_.empty() && place_all({}).empty();
    habit_ = 0;
    if (!whole) {
      frugal_wanted_ = true;
      wish();
      attempts = settle();
      relieve();
    }
    settled_ = true;
    keep_best_of_rounds();
    fixed_ways_ = true;
    for (uint32_t round = 0; round < kClassRounds; ++round) improve();
    if (const auto cycle = find_cycle(t_, table_))
      throw std::logic_error("routes of '" + t_.name +
                             "' have a cycle of channels: " + cycle_text(t_, *cycle));
    return {std::move(table_), std::move(unrouted_), attempts};
  }

 private:
  template <class Visit>
  void each_pair(Visit&& visit) {
    for (uint32_t src = 0; src < t_.nodes(); ++src)
      for (uint32_t i = 0; i < t_.nodes(); ++i) {
        // Each source begins elsewhere, lest all prefer the same cables.
        const uint32_t dest = (i + src * 37) % t_.nodes();
        if (is_pair(t_, src, dest)) visit(src, dest);
      }
  }

  /// Pairs without a shortest way in dimension order get detours; pairs apart are reported.
  void find_pairs_without_way() {
    each_pair([&](uint32_t src, uint32_t dest) {
      if (candidates_.hops(src, dest) == kFar) {
        unrouted_.push_back({src, dest, "no way over cables in service"});
      } else if (candidates_.shortest(src, dest).empty()) {
        find_detours(src, dest);
      }
    });
  }

  void find_detours(uint32_t src, uint32_t dest) {
    detours_[{src, dest}] = candidates_.detours(src, dest, options_.seed);
  }

  bool has_way(uint32_t src, uint32_t dest) const { return candidates_.hops(src, dest) != kFar; }

  const std::vector<Route>& candidates_of(uint32_t src, uint32_t dest) {
    const auto at = detours_.find({src, dest});
    return at == detours_.end() ? candidates_.shortest(src, dest) : at->second;
  }

  /// Put a route into the table and onto the cables; take the one before away.
  void replace(uint32_t src, uint32_t dest, Route route) {
    forget(src, dest);
    table_.set(src, dest, route);
    balance_.add(src, route);
  }

  void forget(uint32_t src, uint32_t dest) {
    const Route before = table_.route(src, dest);
    if (before == kNoRoute) return;
    balance_.remove(src, before);
    table_.set(src, dest, kNoRoute);
  }

  /// The classes of the legs of `route` that cost least of those that keep `graph_` free of cycles.
  std::optional<Route> choose_classes(uint32_t src, Route route) {
    const auto costs = balance_.leg_costs(src, route);
    const uint32_t crossing = candidates_.crossings(src, route);
    const auto [legs, first] = shape_of(route);
    const uint32_t dimension_order = ~0U << first;
    std::array<std::pair<double, uint32_t>, 1U << ici::kLegs> choices;
    const uint32_t count = 1U << legs;
    for (uint32_t classes = 0; classes < count; ++classes) {
      double cost = 0;
      for (uint32_t i = 0; i < legs; ++i) cost += costs[i][classes >> i & 1];
      // To start in class 1 and cross is right on an open line only: the last resort.
      if (classes & crossing) cost += 1e60;
      if (upward_ && classes & ~dimension_order) cost += 1e50;
      if (frugal_ && classes & dimension_order) cost = HUGE_VAL;
      choices[classes] = {cost, classes};
    }
    for (uint32_t tried = 0; tried < count; ++tried) {
      const auto best = std::min_element(choices.begin(), choices.begin() + count);
      if (best->first == HUGE_VAL) break;
      Route result = route;
      for (uint32_t i = 0; i < legs; ++i) {
        Leg leg = decode_leg(route, i);
        leg.vclass = best->second >> i & 1;
        result |= encode_leg(leg, i);
      }
      if (graph_->try_add(src, result, !settled_)) return result;
      best->first = HUGE_VAL;
    }
    return std::nullopt;
  }

  struct Shape {
    uint32_t legs = 0;
    uint32_t first = 0;  ///< leg of the part in dimension order: 0 if it is all of that
  };
  static Shape shape_of(Route route) {
    Shape shape;
    while (shape.legs < ici::kLegs && decode_leg(route, shape.legs).hops) {
      if (shape.legs && decode_leg(route, shape.legs).dir < decode_leg(route, shape.legs - 1).dir)
        shape.first = shape.legs;
      ++shape.legs;
    }
    return shape;
  }

  /// 1 if a detour's first legs go down or cross a dateline. Those that go up in class 0 hinder
  /// each other least: rows are left in ascending order only.
  uint32_t downward_start(uint32_t src, Route route) const {
    const uint32_t first = shape_of(route).first;
    for (uint32_t i = 0; i < first; ++i)
      if (decode_leg(route, i).dir % 2) return 1;
    return (candidates_.crossings(src, route) & ((1U << first) - 1)) != 0;
  }

  static Route without_classes(Route route) {
    for (uint32_t i = 0; i < ici::kLegs; ++i) route &= ~encode_leg({0, 0, 1}, i);
    return route;
  }

  const std::vector<Route>& only(Route route) {
    only_.assign(1, route);
    return only_;
  }

  /// The cheapest route that keeps the graph free of cycles; without a graph, the cheapest.
  bool place(uint32_t src, uint32_t dest) {
    const Route before = table_.route(src, dest);
    forget(src, dest);
    const std::vector<Route>& routes = fixed_ways_ && before != kNoRoute
                                           ? only(without_classes(before))
                                           : candidates_of(src, dest);
    costs_.clear();
    for (const Route route : routes)
      costs_.push_back(routes.size() == 1 ? 0
                                          : balance_.cost(src, route) * (1 + noise_ * random()) +
                                                habit_ * unusual_legs(src, route) +
                                                (upward_ ? 1e50 * downward_start(src, route) : 0));
    for (size_t tried = 0; tried < routes.size(); ++tried) {
      const auto best = std::min_element(costs_.begin(), costs_.end());
      const Route route = routes[static_cast<size_t>(best - costs_.begin())];
      *best = HUGE_VAL;
      const auto chosen = graph_ ? choose_classes(src, route) : route;
      if (!chosen) continue;
      replace(src, dest, *chosen);
      return true;
    }
    return false;
  }

  /// A first choice that minds only the load.
  void wish() {
    graph_.reset();
    habit_ = 1e40;
    each_pair([&](uint32_t src, uint32_t dest) { place(src, dest); });
    habit_ = 0;
    for (uint32_t round = 0; round < 2; ++round)
      each_pair([&](uint32_t src, uint32_t dest) { place(src, dest); });
  }

  /// Place every pair anew in an empty graph: dimension order, then detours, those of `first`
  /// first. Where there are detours, dimension order keeps to class 0 as far as it can (it is
  /// spread over both later): class 1 beyond the reach of the datelines, and class 0 behind them,
  /// then stay out of reach of what comes after a detour's first hops, and those find a place
  /// there. Returns the pairs for which there was none.
  std::vector<Pair> place_all(const std::vector<Pair>& first) {
    graph_.emplace(t_);
    std::vector<Pair> failed;
    std::vector<uint8_t> placed(
        detours_.empty() && first.empty() ? 0 : size_t{t_.nodes()} * t_.nodes());
    const auto once = [&](uint32_t src, uint32_t dest) {
      if (!has_way(src, dest)) return;
      if (!placed.empty()) {
        uint8_t& mark = placed[size_t{src} * t_.nodes() + dest];
        if (mark) return;
        mark = 1;
      }
      if (place(src, dest)) return;
      const bool frugal = std::exchange(frugal_, false);
      if (!frugal || !place(src, dest)) failed.push_back({src, dest});
      frugal_ = frugal;
    };
    frugal_ = frugal_wanted_;
    each_pair([&](uint32_t src, uint32_t dest) {
      if (!detours_.contains({src, dest})) once(src, dest);
    });
    for (const auto& [src, dest] : first) once(src, dest);
    for (const auto& [pair, routes] : detours_) once(pair.first, pair.second);
    frugal_ = false;
    return failed;
  }

  /// Attempts with the pairs that failed before at the head. Keeps the best.
  uint32_t settle() {
    const RouteTable wished = table_;
    std::vector<Pair> first, best_first, best_failed;
    uint32_t attempt = 0;
    bool again = true;
    while (again && attempt < options_.attempts) {
      if (attempt) restore(wished);
      upward_ = attempt > 0;
      const std::vector<Pair> failed = place_all(first);
      if (attempt == 0 || failed.size() < best_failed.size()) {
        best_failed = failed;
        best_first = first;
      }
      ++attempt;
      again = !failed.empty();
      for (const Pair& pair : failed) {
        auto& routes = detours_[pair];
        if (routes.empty() || !candidates_.shortest(pair.first, pair.second).empty()) {
          routes = candidates_.detours(pair.first, pair.second, options_.seed + attempt);
          const auto& shortest = candidates_.shortest(pair.first, pair.second);
          routes.insert(routes.end(), shortest.begin(), shortest.end());
        }
      }
      std::vector<Pair> order = failed;
      for (const Pair& pair : first)
        if (std::find(failed.begin(), failed.end(), pair) == failed.end()) order.push_back(pair);
      first = std::move(order);
    }
    if (again) {
      restore(wished);
      for (const Pair& pair : place_all(best_first)) report(pair);
    }
    upward_ = false;
    return attempt;
  }

  void restore(const RouteTable& table) {
    each_pair([&](uint32_t src, uint32_t dest) {
      const Route route = table.route(src, dest);
      if (route != kNoRoute) replace(src, dest, route);
    });
  }

  void report(const Pair& pair) {
    const size_t count = candidates_of(pair.first, pair.second).size();
    unrouted_.push_back(
        {pair.first, pair.second,
         count ? "each of " + std::to_string(count) + " candidates would close a cycle of channels"
               : "no way of 5 legs, each of 15 hops at most, over cables in service"});
  }

  /// A failure leaves its neighbours with more than their share: pairs that pass there may take a
  /// detour as well.
  void relieve() {
    const double theta = theta_bound(t_).theta;
    for (uint32_t round = 0; round < kReliefRounds; ++round) {
      settled_ = true;
      improve();
      settled_ = false;
      const auto limit = static_cast<uint32_t>(theta * kOverload) + 1;
      std::vector<Pair> pairs;
      each_pair([&](uint32_t src, uint32_t dest) {
        const Route route = table_.route(src, dest);
        if (route != kNoRoute && balance_.peak(src, route) > limit) pairs.push_back({src, dest});
      });
      if (pairs.empty()) return;
      // Many more would take long and make room for each other only.
      if (pairs.size() > kMostPairsToRelieve) pairs.resize(kMostPairsToRelieve);
      for (const auto& [src, dest] : pairs) {
        if (!detours_.contains({src, dest})) {
          auto& routes = detours_[{src, dest}];
          routes = candidates_.detours(src, dest, options_.seed, 2);
          const auto& shortest = candidates_.shortest(src, dest);
          routes.insert(routes.end(), shortest.begin(), shortest.end());
        }
        const Route before = table_.route(src, dest);
        if (balance_.peak(src, before) > limit && !place(src, dest)) replace(src, dest, before);
      }
    }
  }

  bool broken() const {
    return std::any_of(t_.ports.begin(), t_.ports.end(), [](const Port& p) { return p.dead; });
  }

  void keep_best_of_rounds() {
    RouteTable best = table_;
    Balance::Score best_score = balance_.score();
    const uint32_t rounds =
        t_.nodes() > kManyNodes ? std::min(options_.rounds, kFewRounds) : options_.rounds;
    for (uint32_t round = 0; round < rounds; ++round) {
      // Less and less noise: what is locked in the choices of others comes loose first.
      noise_ = round + 2 < rounds ? kNoise / (1 + round) : 0;
      improve();
      const Balance::Score score = balance_.score();
      if (score >= best_score) continue;
      best_score = score;
      best = table_;
    }
    restore(best);
  }

  /// Choose anew for each pair, all others being where they are.
  void improve() {
    each_pair([&](uint32_t src, uint32_t dest) {
      const Route before = table_.route(src, dest);
      if (before != kNoRoute && !place(src, dest)) replace(src, dest, before);
    });
  }

  /// Legs that do not go down from odd coordinates and up from even ones. Of equals take the habit
  /// that balances ties in a torus.
  uint32_t unusual_legs(uint32_t src, Route route) const {
    const auto at = t_.coordinates(src);
    uint32_t count = 0;
    for (uint32_t i = 0; i < ici::kLegs; ++i) {
      const Leg leg = decode_leg(route, i);
      if (leg.hops == 0) break;
      count += (leg.dir ^ at[leg.dir / 2]) & 1;
    }
    return count;
  }

  /// 0 to 1.
  double random() {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(random_ >> 11) * 0x1p-53;
  }

  const Topology& t_;
  const RouteOptions options_;
  Candidates candidates_;
  Balance balance_;
  RouteTable table_;
  std::optional<ChannelGraph> graph_;
  bool upward_ = false;  ///< detours begin upward where they can
  bool frugal_wanted_ = false;
  bool frugal_ = false;  ///< dimension order in class 0 where it can
  std::map<Pair, std::vector<Route>> detours_;
  std::vector<Unrouted> unrouted_;
  std::vector<double> costs_;
  double habit_ = 0;         ///< what an unusual leg costs
  double noise_ = 0;         ///< of costs, relative
  bool settled_ = false;     ///< the order of channels stays
  bool fixed_ways_ = false;  ///< choose classes only
  std::vector<Route> only_;
  uint64_t random_ = 0;
};

}  // namespace

ComputedRoutes compute_routes(const Topology& topology, const RouteOptions& options) {
  return Computer(topology, options).run();
}

}  // namespace ttpu::fabric
