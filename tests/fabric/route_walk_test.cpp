// Dimension order, walks, tables and their files.
#include "fabric/route_walk.h"

#include <gtest/gtest.h>

#include <fstream>

#include "fabric/load.h"
#include "fabric/route_table.h"
#include "route_topologies.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

/// The routes of a table, with one of them replaced.
class OneChanged final : public Routes {
 public:
  OneChanged(const Routes& all, uint32_t src, uint32_t dest, Route route)
      : all_(all), src_(src), dest_(dest), route_(route) {}
  Route route(uint32_t src, uint32_t dest) const override {
    return src == src_ && dest == dest_ ? route_ : all_.route(src, dest);
  }

 private:
  const Routes& all_;
  uint32_t src_, dest_;
  Route route_;
};

TEST(DimensionOrder, EveryRouteArrivesByAShortestWay) {
  std::vector<Topology> tori = {
      make_torus({1, 1, 1}, 1),  make_torus({2, 1, 1}, 1), make_torus({4, 1, 1}, 1),
      make_torus({30, 1, 1}, 1), make_torus({3, 5, 1}, 2), make_torus({8, 8, 1}, 2),
      make_torus({2, 3, 7}, 3),  make_torus({4, 4, 8}, 3), make_torus({4, 8, 8}, 3)};
  for (const Topology& t : tori) {
    const auto routes = dimension_order(t);
    const RouteCheck check = check_routes(t, *routes);
    EXPECT_EQ(check.pairs, uint64_t{t.nodes()} * (t.nodes() - 1)) << t.name;
    EXPECT_EQ(check.faults, 0u) << t.name << ": " << check.wrong.front();
    EXPECT_EQ(check.detours, 0u) << t.name;
    EXPECT_EQ(check.unrouted, 0u) << t.name;
    EXPECT_NEAR(check.mean_hops * static_cast<double>(t.nodes() - 1) / t.nodes(),
                distances(t).mean_hops, 1e-9)
        << t.name;
  }
}

// The rule stated once more, leg by leg, from the words in route.h.
TEST(DimensionOrder, TiesAndClassesFollowTheRule) {
  const Topology t = make_torus({8, 4, 4}, 3);
  const auto routes = dimension_order(t);
  uint64_t ties = 0;
  uint64_t crossings = 0;
  for (uint32_t src = 0; src < t.nodes(); ++src)
    for (uint32_t dest = 0; dest < t.nodes(); ++dest) {
      const Route route = routes->route(src, dest);
      uint32_t leg_number = 0;
      const auto from = t.coordinates(src);
      const auto to = t.coordinates(dest);
      for (uint32_t d = 0; d < 3; ++d) {
        const int k = static_cast<int>(t.size[d]);
        int way = static_cast<int>(to[d]) - static_cast<int>(from[d]);
        if (way == 0) continue;
        if (way > k / 2) way -= k;
        if (way < -k / 2) way += k;
        if (std::abs(way) * 2 == k) {
          way = from[d] % 2 ? -k / 2 : k / 2;
          ++ties;
        }
        const int end = static_cast<int>(from[d]) + way;
        const bool crosses = end < 0 || end >= k;
        crossings += crosses;
        uint32_t bit = 0;
        for (const uint32_t node : {src, dest}) bit ^= node ^ node >> 3 ^ node >> 6;
        const Leg leg = decode_leg(route, leg_number++);
        ASSERT_EQ(leg.dir, 2 * d + (way < 0)) << src << " to " << dest << " dimension " << d;
        ASSERT_EQ(leg.hops, std::abs(way)) << src << " to " << dest << " dimension " << d;
        ASSERT_EQ(leg.vclass, crosses ? 0 : bit >> d & 1)
            << src << " to " << dest << " dimension " << d;
      }
      ASSERT_EQ(decode_leg(route, leg_number).hops, 0) << src << " to " << dest;
    }
  EXPECT_GT(ties, 1000u);
  EXPECT_GT(crossings, 1000u);
}

TEST(DimensionOrder, LoadIsThetaAndClassesAreBalanced) {
  for (const Known& known : known_networks()) {
    if (known.topology.name.starts_with("twisted")) continue;
    const Topology& t = known.topology;
    const auto routes = dimension_order(t);
    EXPECT_EQ(channel_loads(t, *routes).max_cable, known.theta) << t.name;
    // Legs that may take either class: as many in each, in every dimension.
    std::array<std::array<uint64_t, 2>, kMaxDims> legs{};
    for (uint32_t src = 0; src < t.nodes(); ++src)
      for (uint32_t dest = 0; dest < t.nodes(); ++dest) {
        const Route route = routes->route(src, dest);
        uint32_t node = src;
        for (uint32_t i = 0; i < kMaxDims; ++i) {
          const Leg leg = decode_leg(route, i);
          bool crosses = false;
          for (uint32_t hop = 0; hop < leg.hops; ++hop) {
            crosses |= t.port(node, leg.dir).dateline;
            node = t.port(node, leg.dir).peer.node;
          }
          if (leg.hops && !crosses) ++legs[leg.dir / 2][leg.vclass];
        }
      }
    for (uint32_t d = 0; d < t.dims; ++d)
      EXPECT_NEAR(static_cast<double>(legs[d][0]) / static_cast<double>(legs[d][0] + legs[d][1]),
                  0.5, 0.06)
          << t.name << " dimension " << d;
  }
}

TEST(DimensionOrder, RefusesWhatIsNoRegularTorus) {
  EXPECT_THROW(dimension_order(twisted({4, 4, 8}, 3)), std::invalid_argument);
  EXPECT_THROW(dimension_order(make_mesh({4, 4, 1}, 2)), std::invalid_argument);
  EXPECT_THROW(dimension_order(make_torus({31, 1, 1}, 1)), std::invalid_argument);
  EXPECT_EQ(dimension_order(make_torus({4, 1, 1}, 1))->route(0, 4), kNoRoute);
}

TEST(CheckRoutes, FindsEachKindOfWrongRoute) {
  Topology t = make_torus({4, 4, 1}, 2);
  const auto all = dimension_order(t);
  const auto with = [&](std::initializer_list<Leg> legs) {
    Route route = 0;
    uint32_t i = 0;
    for (const Leg leg : legs) route |= encode_leg(leg, i++);
    return OneChanged(*all, 0, 1, route);
  };
  const auto only_fault = [&](const Routes& routes) -> std::string {
    const RouteCheck check = check_routes(t, routes);
    EXPECT_EQ(check.faults, 1u);
    return check.wrong.empty() ? "" : check.wrong.front();
  };
  EXPECT_EQ(check_routes(t, with({{ici::kPlusX, 1, 0}})).faults, 0u);
  EXPECT_EQ(only_fault(with({{ici::kPlusX, 2, 0}})),
            "route from (0, 0) to (1, 0) [+x 2]: ends at (2, 0)");
  EXPECT_EQ(
      only_fault(with({{ici::kPlusZ, 1, 1}})),
      "route from (0, 0) to (1, 0) [local 1 (class 1)]: leads over a cable that is not there");
  const RouteCheck longer = check_routes(t, with({{ici::kMinusX, 3, 0}}));
  EXPECT_EQ(longer.faults, 0u);
  EXPECT_EQ(longer.detours, 1u);
  EXPECT_EQ(check_routes(t, OneChanged(*all, 0, 1, kNoRoute)).unrouted, 1u);

  t.slice.assign(16, 0);
  for (const uint32_t node : {2u, 3u, 6u, 7u}) t.slice[node] = 1;
  // Of two slices in one ring, those that go round by the other's cables.
  const RouteCheck sliced = check_routes(t, with({{ici::kMinusX, 3, 0}}));
  EXPECT_EQ(sliced.faults, 1 + check_routes(t, *all).faults);
  ASSERT_FALSE(sliced.wrong.empty());
  EXPECT_EQ(sliced.wrong.front(),
            "route from (0, 0) to (1, 0) [-x 3]: uses -x of node (0, 0), which is out of service "
            "or of another slice");
  t.slice.assign(16, 0);
  fail_link(t, 0, ici::kPlusX);
  EXPECT_GT(check_routes(t, *all).faults, 1u);
}

TEST(RouteTable, FileGivesTheSameTable) {
  const Topology t = make_torus({4, 4, 4}, 3);
  RouteTable table = make_table(t, *dimension_order(t));
  table.set(3, 9, kNoRoute);
  // All five legs, every bit of the route.
  table.set(1, 2,
            encode_leg({5, 15, 1}, 0) | encode_leg({0, 1, 0}, 1) | encode_leg({3, 15, 1}, 2) |
                encode_leg({4, 9, 0}, 3) | encode_leg({1, 15, 1}, 4));
  const std::string file = testing::TempDir() + "routes.txt";
  save_routes(table, file);
  const RouteTable again = load_routes(file);
  ASSERT_EQ(again.nodes(), 64u);
  for (uint32_t src = 0; src < 64; ++src)
    for (uint32_t dest = 0; dest < 64; ++dest)
      ASSERT_EQ(again.route(src, dest), table.route(src, dest)) << src << " to " << dest;
  EXPECT_EQ(again.route(3, 9), kNoRoute);
}

TEST(RouteTable, FileErrorsNameTheLine) {
  const std::string file = testing::TempDir() + "bad_routes.txt";
  const auto error_of = [&](const std::string& text) -> std::string {
    std::ofstream(file) << text;
    try {
      load_routes(file);
    } catch (const std::runtime_error& error) {
      const std::string what = error.what();
      EXPECT_TRUE(what.starts_with(file + ":")) << what;
      return what.substr(std::min(what.size(), file.size()));
    }
    return "none";
  };
  const std::string head = "ttpu-routes 1 4\nsource 0\n";
  EXPECT_EQ(error_of(head + "1 +x1.0\n"), "none");
  EXPECT_EQ(error_of(""), ":1: not a table of routes: the first line is 'ttpu-routes 1 NODES'");
  EXPECT_EQ(error_of("ttpu-routes 1 99999\n"),
            ":1: '99999' is not a number of nodes: a number from 0 to 16384");
  EXPECT_EQ(error_of("ttpu-routes 1 4\n1 +x1.0\n"), ":2: a route before the first 'source'");
  EXPECT_EQ(error_of(head + "4 +x1.0\n"), ":3: '4' is not a node: a number from 0 to 3");
  EXPECT_EQ(error_of(head + "0 +x1.0\n"), ":3: a route from node 0 to itself");
  EXPECT_EQ(error_of(head + "1\n"), ":3: expected a leg at the end of the line");
  EXPECT_EQ(error_of(head + "1 +w1.0\n"), ":3: '+w1.0' is not a leg, such as +x3.0");
  EXPECT_EQ(error_of(head + "1 +x.0\n"), ":3: '+x.0' is not a leg, such as +x3.0");
  EXPECT_EQ(error_of(head + "1 +x16.0\n"),
            ":3: '16' is not the hops of a leg: a number from 0 to 15");
  EXPECT_EQ(error_of(head + "1 +x0.0\n"), ":3: '+x0.0': a leg has 1 hop or more");
  EXPECT_EQ(error_of(head + "1 +x1.2\n"), ":3: '2' is not a class: a number from 0 to 1");
  EXPECT_EQ(error_of(head + "1 +x1.0\n1 +x1.0\n"), ":4: a second route from 0 to 1");
  EXPECT_EQ(error_of(head + "1 +x1.0 +x1.0 +x1.0 +x1.0 +x1.0 +x1.0\n"), ":3: more than 5 legs");
  EXPECT_THROW(load_routes(file + ".not"), std::runtime_error);
}

}  // namespace
}  // namespace ttpu::fabric
