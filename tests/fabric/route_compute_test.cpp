// Tables of routes: balance, failures, slices.
#include "fabric/route_compute.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "fabric/deadlock.h"
#include "fabric/load.h"
#include "fabric/route_walk.h"
#include "route_topologies.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

/// What every table must be; failures may leave pairs without a way.
RouteCheck expect_sound(const Topology& t, const ComputedRoutes& routes) {
  RouteCheck check = check_routes(t, routes.table);
  EXPECT_EQ(check.faults, 0u) << t.name << ": " << check.wrong.front();
  EXPECT_EQ(check.unrouted, routes.unrouted.size()) << t.name;
  EXPECT_EQ(check.pairs == 0, distances(t).nodes_alive < 2) << t.name;
  const auto cycle = find_cycle(t, routes.table);
  EXPECT_FALSE(cycle.has_value()) << t.name << ": " << cycle_text(t, *cycle);
  return check;
}

TEST(ComputeRoutes, LoadIsWithinThreePercentOfTheta) {
  auto networks = known_networks();
  if (tb::long_run()) networks.push_back({twisted({8, 8, 16}, 3), 7136.0 / 6});
  for (const Known& known : networks) {
    const Topology& t = known.topology;
    const ComputedRoutes routes = compute_routes(t);
    const RouteCheck check = expect_sound(t, routes);
    EXPECT_EQ(check.detours, 0u) << t.name;
    EXPECT_TRUE(routes.unrouted.empty()) << t.name;
    const Loads loads = channel_loads(t, routes.table);
    std::printf("%-22s max load %3u  theta %6.2f  theta/load %.3f  busiest channel %u\n",
                t.name.c_str(), loads.max_cable, known.theta, known.theta / loads.max_cable,
                loads.max_channel);
    EXPECT_GE(loads.max_cable, known.theta - 1e-9) << t.name;
    // Loads are whole: the smallest network may be one unit off.
    EXPECT_LE(loads.max_cable, std::max(1.03 * known.theta, known.theta + 1)) << t.name;
    if (!t.name.starts_with("twisted")) {
      EXPECT_EQ(loads.max_cable, known.theta) << t.name;
    }
  }
}

TEST(ComputeRoutes, SameTwice) {
  Topology t = twisted({4, 4, 8}, 3);
  fail_link(t, 17, ici::kPlusY);
  const ComputedRoutes one = compute_routes(t, {.rounds = 2});
  const ComputedRoutes two = compute_routes(t, {.rounds = 2});
  for (uint32_t src = 0; src < t.nodes(); ++src)
    for (uint32_t dest = 0; dest < t.nodes(); ++dest)
      ASSERT_EQ(one.table.route(src, dest), two.table.route(src, dest)) << src << " to " << dest;
}

TEST(ComputeRoutes, Mesh) {
  const Topology t = make_mesh({4, 4, 4}, 3);
  const ComputedRoutes routes = compute_routes(t);
  EXPECT_EQ(expect_sound(t, routes).detours, 0u);
  const Loads loads = channel_loads(t, routes.table);
  EXPECT_EQ(loads.max_cable, 64u);
  // No wraps: both classes are free everywhere, and half the load is in each.
  EXPECT_LE(loads.max_channel, 33u);
}

struct Broken {
  const char* what;
  Topology topology;
  double most;  ///< largest load allowed, over that of the network without failures
};

std::vector<Broken> broken_networks() {
  std::vector<Broken> list;
  list.push_back({"a cable", make_torus({8, 8, 1}, 2), 1.15});
  fail_link(list.back().topology, 9, ici::kPlusX);
  list.push_back({"a node", make_torus({4, 4, 4}, 3), 1.1});
  fail_node(list.back().topology, 21);
  list.push_back({"a cable of a twisted torus", twisted({4, 4, 8}, 3), 1.05});
  fail_link(list.back().topology, 40, ici::kMinusZ);
  list.push_back({"a node of a twisted torus", twisted({4, 4, 8}, 3), 1.05});
  fail_node(list.back().topology, 77);
  list.push_back({"a node of a mesh", make_mesh({8, 8, 1}, 2), 1.2});
  fail_node(list.back().topology, 27);
  list.push_back({"a ring cut open", make_torus({8, 1, 1}, 1), 2});
  fail_link(list.back().topology, 3, ici::kPlusX);
  for (uint32_t dim = 0; dim < 3; ++dim) {
    list.push_back({"a cross-connect", make_torus({8, 4, 4}, 3), dim ? 1.012 : 1.1});
    fail_cross_connect(list.back().topology, dim, {1, 1, 1});
  }
  return list;
}

TEST(ComputeRoutes, EveryPairFindsAWayRoundOneFailure) {
  for (const Broken& broken : broken_networks()) {
    const Topology& t = broken.topology;
    SCOPED_TRACE(t.name + " without " + broken.what);
    const ComputedRoutes routes = compute_routes(t);
    const RouteCheck check = expect_sound(t, routes);
    for (const Unrouted& pair : routes.unrouted)
      ADD_FAILURE() << pair.src << " to " << pair.dest << ": " << pair.reason;
    Topology whole = t;
    for (Port& port : whole.ports) port.dead = false;
    whole.dead_node.assign(whole.nodes(), 0);
    const uint32_t before = channel_loads(whole, compute_routes(whole).table).max_cable;
    const uint32_t after = channel_loads(t, routes.table).max_cable;
    std::printf("%-22s without %-26s max load %3u -> %3u  detours %llu  attempts %u\n",
                t.name.c_str(), broken.what, before, after,
                static_cast<unsigned long long>(check.detours), routes.attempts);
    EXPECT_LE(after, broken.most * before);
  }
}

TEST(ComputeRoutes, RandomFailures) {
  tb::Random random;
  uint64_t detours = 0;
  for (int trial = 0; trial < (tb::long_run() ? 60 : 8); ++trial) {
    Topology t = trial % 4 == 0   ? make_torus({8, 8, 1}, 2)
                 : trial % 4 == 1 ? make_torus({4, 4, 4}, 3)
                 : trial % 4 == 2 ? twisted({4, 8, 1}, 2)
                                  : make_mesh({6, 6, 1}, 2);
    const auto cables = 1 + random.below(4);
    for (uint64_t i = 0; i < cables; ++i)
      fail_link(t, static_cast<uint32_t>(random.below(t.nodes())),
                static_cast<uint32_t>(random.below(t.ports_per_node())));
    if (random.below(2)) fail_node(t, static_cast<uint32_t>(random.below(t.nodes())));
    SCOPED_TRACE(t.name + ", trial " + std::to_string(trial));
    const ComputedRoutes routes = compute_routes(t, {.rounds = 1});
    detours += expect_sound(t, routes).detours;
    // A pair without a way is one that no cables join.
    const uint64_t apart = distances(t).pairs_apart;
    EXPECT_EQ(routes.unrouted.size(), apart);
  }
  EXPECT_GT(detours, 100u);
}

TEST(ComputeRoutes, PairsApartAreReportedWithTheReason) {
  Topology t = make_mesh({4, 1, 1}, 1);
  fail_link(t, 1, ici::kPlusX);
  const ComputedRoutes routes = compute_routes(t);
  ASSERT_EQ(routes.unrouted.size(), 8u);
  for (const Unrouted& pair : routes.unrouted) {
    EXPECT_EQ(pair.reason, "no way over cables in service");
    EXPECT_EQ(routes.table.route(pair.src, pair.dest), kNoRoute);
  }
  EXPECT_EQ(expect_sound(t, routes).pairs, 12u);
}

// Two slices side by side on cables that also join them, where the shortest way across one would
// lead through the other: neither uses a cable of the other.
TEST(ComputeRoutes, SlicesKeepApart) {
  Topology t = make_torus({8, 4, 1}, 2);
  for (uint32_t node = 0; node < t.nodes(); ++node) t.slice[node] = t.coordinates(node)[0] / 6;
  t.slice[31] = kNoSlice;
  const ComputedRoutes routes = compute_routes(t);
  const RouteCheck check = expect_sound(t, routes);
  EXPECT_TRUE(routes.unrouted.empty());
  EXPECT_EQ(check.pairs, 24u * 23 + 7 * 6);
  EXPECT_EQ(routes.table.route(0, 6), kNoRoute);
  EXPECT_EQ(routes.table.route(0, 31), kNoRoute);
  const Loads loads = channel_loads(t, routes.table);
  for (uint32_t node = 0; node < t.nodes(); ++node)
    for (uint32_t p = 0; p < 4; ++p)
      if (t.slice[node] != t.slice[t.port(node, p).peer.node]) {
        EXPECT_EQ(loads.cable[node * 4 + p], 0u) << node << " " << p;
      }
}

}  // namespace
}  // namespace ttpu::fabric
