// The proof of freedom from deadlock, and the bound of the load.
#include "fabric/deadlock.h"

#include <gtest/gtest.h>

#include "fabric/load.h"
#include "fabric/route_compute.h"
#include "route_topologies.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

/// Each channel of the cycle must lead to the next: its cable ends where the next one begins.
void expect_cycle(const Topology& t, const std::optional<std::vector<Channel>>& cycle) {
  ASSERT_TRUE(cycle.has_value()) << t.name;
  ASSERT_GE(cycle->size(), 2u);
  for (size_t i = 0; i < cycle->size(); ++i) {
    const Channel& from = (*cycle)[i];
    const Channel& to = (*cycle)[(i + 1) % cycle->size()];
    EXPECT_EQ(t.port(from.node, from.port).peer.node, to.node) << cycle_text(t, *cycle);
  }
}

/// Dimension order, ties always up: what a ring of 4 needs datelines for.
RouteTable clockwise(const Topology& t) {
  RouteTable table(t.nodes());
  for (uint32_t src = 0; src < t.nodes(); ++src)
    for (uint32_t dest = 0; dest < t.nodes(); ++dest) {
      if (src == dest) continue;
      Route route = 0;
      uint32_t legs = 0;
      for (uint32_t d = 0; d < t.dims; ++d) {
        const uint32_t k = t.size[d];
        const uint32_t up = (t.coordinates(dest)[d] + k - t.coordinates(src)[d]) % k;
        const bool down = up > k / 2;
        const auto hops = static_cast<uint8_t>(down ? k - up : up);
        const auto port = static_cast<uint8_t>(2 * d + (down ? 1 : 0));
        if (hops) route |= encode_leg({port, hops, 0}, legs++);
      }
      table.set(src, dest, route);
    }
  return table;
}

// C28's and C31's networks among them.
TEST(Deadlock, TwoClassesNoCycleOneClassACycle) {
  auto networks = known_networks();
  networks.push_back({make_torus({4, 1, 1}, 1), 2});
  uint32_t cyclic = 0;
  for (const Known& known : networks) {
    const Topology& t = known.topology;
    const ComputedRoutes routes = compute_routes(t, {.rounds = 1});
    const auto with = find_cycle(t, routes.table);
    EXPECT_FALSE(with.has_value()) << t.name << ": " << cycle_text(t, *with);
    // In a ring of 4 the habit of even and odd sources alone opens the cycle. Longer ones, and
    // those that a twist makes of them, need the classes.
    const uint32_t longest = std::max({t.size[0], t.size[1], t.size[2]});
    if (longest > 4) {
      expect_cycle(t, find_cycle(t, routes.table, true));
      ++cyclic;
    }
    if (t.name.starts_with("twisted")) continue;
    const auto rule = dimension_order(t);
    EXPECT_FALSE(find_cycle(t, *rule).has_value()) << t.name;
    EXPECT_EQ(find_cycle(t, *rule, true).has_value(), longest > 4) << t.name;
    const RouteTable ties_up = clockwise(t);
    EXPECT_FALSE(find_cycle(t, ties_up).has_value()) << t.name;
    expect_cycle(t, find_cycle(t, ties_up, true));
  }
  EXPECT_EQ(cyclic, 7u);
}

TEST(Deadlock, WithoutDatelinesTheSameRoutesHaveACycle) {
  Topology t = twisted({4, 4, 8}, 3);
  const ComputedRoutes routes = compute_routes(t, {.rounds = 1});
  for (Port& port : t.ports) port.dateline = false;
  expect_cycle(t, find_cycle(t, routes.table));
}

TEST(Deadlock, CycleIsPrintedForPeople) {
  Topology t = make_torus({4, 1, 1}, 1);
  RouteTable table(4);
  // All the way round in class 0, as if there were no dateline.
  for (Port& port : t.ports) port.dateline = false;
  for (uint32_t src = 0; src < 4; ++src)
    table.set(src, (src + 2) % 4, encode_leg({ici::kPlusX, 2, 0}, 0));
  const auto cycle = find_cycle(t, table);
  ASSERT_TRUE(cycle.has_value());
  EXPECT_EQ(cycle->size(), 4u);
  const std::string text = cycle_text(t, *cycle);
  EXPECT_NE(text.find("(0) +x class 0 -> (1) +x class 0 -> (2) +x class 0"), std::string::npos)
      << text;
  // One route fewer and the ring is open.
  table.set(0, 2, kNoRoute);
  EXPECT_FALSE(find_cycle(t, table).has_value());
}

// One dependency at a time, in random order: it is taken exactly if the graph, searched as a whole,
// stays free of cycles.
TEST(Deadlock, TryAddRefusesExactlyWhatClosesACycle) {
  tb::Random random;
  uint64_t taken = 0;
  uint64_t refused = 0;
  for (int trial = 0; trial < (tb::long_run() ? 40 : 6); ++trial) {
    const Topology t = trial % 2 ? make_torus({3, 3, 1}, 2) : twisted({2, 2, 4}, 3);
    ChannelGraph graph(t);
    std::vector<std::pair<uint32_t, Route>> routes;
    for (int i = 0; i < 300; ++i) {
      const auto src = static_cast<uint32_t>(random.below(t.nodes()));
      Route route = 0;
      for (uint32_t leg = 0; leg < 2; ++leg)
        route |= encode_leg(
            {static_cast<uint8_t>(random.below(t.ports_per_node())),
             static_cast<uint8_t>(1 + random.below(2)), static_cast<uint8_t>(random.below(2))},
            leg);
      ChannelGraph whole(t);
      for (const auto& [from, other] : routes) whole.add(from, other);
      ASSERT_FALSE(whole.find_cycle().has_value());
      whole.add(src, route);
      const bool good = !whole.find_cycle().has_value();
      ASSERT_EQ(graph.try_add(src, route), good) << route_text(t, route) << " from " << src;
      if (good) routes.push_back({src, route});
      ++(good ? taken : refused);
    }
  }
  EXPECT_GT(taken, 100u);
  EXPECT_GT(refused, 100u);
}

TEST(ThetaBound, IsTheKnownThetaAndBelowEveryLoad) {
  for (const Known& known : known_networks())
    EXPECT_NEAR(theta_bound(known.topology).theta, known.theta, 1e-9) << known.topology.name;
  // A line of four: the middle cable carries what the halves send each other.
  EXPECT_NEAR(theta_bound(make_mesh({4, 1, 1}, 1)).theta, 4, 1e-9);
}

TEST(ThetaBound, FailuresRaiseItAndNoRoutesBeatIt) {
  Topology t = make_torus({8, 4, 4}, 3);
  EXPECT_NEAR(theta_bound(t).theta, 128, 1e-9);
  // 64 nodes a side, 60 cables of 64 left between them.
  fail_cross_connect(t, 0, {0, 1, 1});
  EXPECT_NEAR(theta_bound(t).theta, 2 * 64 * 64 / 60.0, 1e-9);
  const ComputedRoutes routes = compute_routes(t, {.rounds = 2});
  const Loads loads = channel_loads(t, routes.table);
  const LoadBound bound = theta_bound(t, &loads, 20);
  EXPECT_GE(bound.theta, 2 * 64 * 64 / 60.0 - 1e-9);
  EXPECT_GE(loads.max_cable, bound.theta);
}

}  // namespace
}  // namespace ttpu::fabric
