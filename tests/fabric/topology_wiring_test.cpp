// Wiring of each kind of topology, against what the wiring rule says node by node, and the known
// mean hops and diameters of the published shapes.
#include <gtest/gtest.h>

#include <map>

#include "fabric/load.h"
#include "fabric/topology.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

using Size = std::array<uint32_t, kMaxDims>;

/// Every cable has two ends that name each other, of matching direction, and agree on everything.
void expect_matched(const Topology& t) {
  ASSERT_EQ(t.ports.size(), size_t{t.nodes()} * 2 * t.dims) << t.name;
  ASSERT_EQ(t.dead_node.size(), t.nodes()) << t.name;
  ASSERT_EQ(t.slice.size(), t.nodes()) << t.name;
  for (uint32_t node = 0; node < t.nodes(); ++node)
    for (uint32_t p = 0; p < t.ports_per_node(); ++p) {
      const Port& at = t.port(node, p);
      if (at.peer.node == kNoNode) {
        EXPECT_FALSE(at.dateline || at.dead) << t.name << " node " << node << " port " << p;
        continue;
      }
      ASSERT_LT(at.peer.node, t.nodes()) << t.name << " node " << node << " port " << p;
      ASSERT_EQ(at.peer.port, p ^ 1U) << t.name << " node " << node << " port " << p;
      const Port& back = t.port(at.peer.node, at.peer.port);
      ASSERT_EQ(back.peer.node, node) << t.name << " node " << node << " port " << p;
      ASSERT_EQ(back.peer.port, p) << t.name << " node " << node << " port " << p;
      EXPECT_EQ(back.dateline, at.dateline) << t.name << " node " << node << " port " << p;
      EXPECT_EQ(back.dead, at.dead) << t.name << " node " << node << " port " << p;
      EXPECT_EQ(back.latency, at.latency) << t.name << " node " << node << " port " << p;
    }
}

TEST(Wiring, TorusOfRandomSizes) {
  tb::Random random;
  SCOPED_TRACE("TTPU_SEED=" + std::to_string(tb::run_seed()));
  for (int trial = 0; trial < 60; ++trial) {
    const uint32_t dims = 1 + random.below(3);
    Size size{1, 1, 1};
    for (uint32_t d = 0; d < dims; ++d) size[d] = 1 + random.below(9);
    const Topology t = make_torus(size, dims);
    expect_matched(t);
    for (uint32_t node = 0; node < t.nodes(); ++node)
      for (uint32_t d = 0; d < dims; ++d) {
        const Port& up = t.port(node, 2 * d);
        if (size[d] == 1) {
          EXPECT_EQ(up.peer.node, kNoNode) << t.name << " node " << node;
          EXPECT_EQ(t.port(node, 2 * d + 1).peer.node, kNoNode) << t.name << " node " << node;
          continue;
        }
        auto at = t.coordinates(node);
        ASSERT_EQ(t.node_at(at), node);
        EXPECT_EQ(up.dateline, at[d] == size[d] - 1) << t.name << " node " << node << " dim " << d;
        EXPECT_EQ(t.port(node, 2 * d + 1).dateline, at[d] == 0) << t.name << " node " << node;
        at[d] = (at[d] + 1) % size[d];
        EXPECT_EQ(up.peer.node, t.node_at(at)) << t.name << " node " << node << " dim " << d;
      }
  }
}

TEST(Wiring, MeshIsATorusWithoutWraps) {
  const Topology mesh = make_mesh({5, 3, 4}, 3), torus = make_torus({5, 3, 4}, 3);
  expect_matched(mesh);
  uint32_t missing = 0;
  for (uint32_t node = 0; node < mesh.nodes(); ++node)
    for (uint32_t p = 0; p < mesh.ports_per_node(); ++p) {
      const bool wraps = torus.port(node, p).dateline;
      EXPECT_EQ(mesh.port(node, p).peer.node, wraps ? kNoNode : torus.port(node, p).peer.node);
      missing += wraps;
    }
  EXPECT_EQ(missing, 2U * (3 * 4 + 5 * 4 + 5 * 3));
}

// The rule in words: a wrap in +x also adds an offset to the other coordinates, -x subtracts it.
TEST(Wiring, TwistMovesTheWrapsAndNothingElse) {
  struct Case {
    Size size;
    uint32_t dims;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> offsets;  // {wrap, coordinate} -> offset
  };
  const std::vector<Case> cases = {
      {{4, 8, 1}, 2, {{{0, 1}, 4}}},
      {{4, 4, 8}, 3, {{{0, 2}, 4}, {{1, 2}, 4}}},
      {{4, 8, 8}, 3, {{{0, 1}, 4}, {{0, 2}, 4}}},
      {{3, 3, 6}, 3, {{{0, 2}, 3}, {{1, 2}, 3}}},
  };
  for (const Case& c : cases) {
    const Twist twist = standard_twist(c.size, c.dims);
    const Topology t = make_torus(c.size, c.dims, twist);
    expect_matched(t);
    for (uint32_t node = 0; node < t.nodes(); ++node)
      for (uint32_t p = 0; p < t.ports_per_node(); ++p) {
        const uint32_t d = p / 2;
        const bool up = p % 2 == 0;
        auto at = t.coordinates(node);
        const bool wraps = at[d] == (up ? c.size[d] - 1 : 0);
        at[d] = (at[d] + (up ? 1 : c.size[d] - 1)) % c.size[d];
        for (uint32_t e = 0; wraps && e < kMaxDims; ++e) {
          const auto offset = c.offsets.find({d, e});
          if (offset == c.offsets.end()) continue;
          at[e] = (at[e] + (up ? offset->second : c.size[e] - offset->second)) % c.size[e];
        }
        EXPECT_EQ(t.port(node, p).peer.node, t.node_at(at))
            << t.name << " node " << node << " " << p;
        EXPECT_EQ(t.port(node, p).dateline, wraps) << t.name << " node " << node << " " << p;
      }
  }
}

// Mean hops (a node to itself included) and diameter of the published shapes.
TEST(Wiring, KnownMeanHopsAndDiameters) {
  struct Row {
    Size size;
    uint32_t dims;
    bool twisted;
    double mean;
    uint32_t diameter;
  };
  const std::vector<Row> rows = {
      {{4, 4, 1}, 2, false, 2.0, 4},      {{8, 8, 1}, 2, false, 4.0, 8},
      {{4, 8, 1}, 2, false, 3.0, 6},      {{4, 8, 1}, 2, true, 2.625, 4},
      {{4, 4, 4}, 3, false, 3.0, 6},      {{4, 4, 8}, 3, false, 4.0, 8},
      {{4, 4, 8}, 3, true, 3.4375, 6},    {{4, 8, 8}, 3, false, 5.0, 10},
      {{4, 8, 8}, 3, true, 4.3125, 6},    {{8, 8, 16}, 3, false, 8.0, 16},
      {{8, 8, 16}, 3, true, 6.96875, 12}, {{16, 16, 16}, 3, false, 12.0, 24},
  };
  for (const Row& row : rows) {
    const Topology t =
        make_torus(row.size, row.dims, row.twisted ? standard_twist(row.size, row.dims) : Twist{});
    const Distances d = distances(t);
    EXPECT_DOUBLE_EQ(d.mean_hops, row.mean) << t.name;
    EXPECT_EQ(d.diameter, row.diameter) << t.name;
    EXPECT_EQ(d.pairs_apart, 0U) << t.name;
    EXPECT_EQ(d.nodes_alive, t.nodes()) << t.name;
  }
}

// Of all twists by whole cubes the standard one has the least theta, and no other has the same.
TEST(Wiring, TheStandardTwistIsTheBestByWholeCubes) {
  for (const Size size : {Size{4, 4, 8}, Size{4, 8, 8}}) {
    double best = 1e9;
    uint32_t legal = 0;
    std::vector<Twist> winners;
    for (uint32_t bits = 0; bits < 64; ++bits) {  // x:y x:z y:x y:z z:x z:y
      constexpr uint32_t kOf[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
      Twist twist{};
      for (uint32_t i = 0; i < 6; ++i)
        if (bits >> i & 1) twist[kOf[i][0]][kOf[i][1]] = 4;
      try {
        const Topology t = make_torus(size, 3, twist);
        ++legal;
        const double theta = theta_bound(t).theta;
        if (theta < best - 1e-6) winners.clear();
        if (theta < best + 1e-6) winners.push_back(twist);
        best = std::min(best, theta);
      } catch (const std::invalid_argument&) {  // an offset of 4 where the size is 4, or a chain
      }
    }
    EXPECT_GE(legal, 4U);
    ASSERT_EQ(winners.size(), 1U) << size_text(size, 3);
    EXPECT_EQ(winners[0], standard_twist(size, 3)) << size_text(size, 3);
  }
}

// The published theta of each shape.
TEST(Wiring, KnownTheta) {
  const auto theta = [](Size size, uint32_t dims, bool twisted) {
    return theta_bound(make_torus(size, dims, twisted ? standard_twist(size, dims) : Twist{}))
        .theta;
  };
  EXPECT_DOUBLE_EQ(theta({4, 4, 1}, 2, false), 8);
  EXPECT_DOUBLE_EQ(theta({8, 8, 1}, 2, false), 64);
  EXPECT_DOUBLE_EQ(theta({4, 8, 1}, 2, false), 32);
  EXPECT_DOUBLE_EQ(theta({4, 8, 1}, 2, true), 21);
  EXPECT_DOUBLE_EQ(theta({4, 4, 4}, 3, false), 32);
  EXPECT_DOUBLE_EQ(theta({4, 4, 8}, 3, false), 128);
  EXPECT_NEAR(theta({4, 4, 8}, 3, true), 73.33, 0.005);
  EXPECT_DOUBLE_EQ(theta({4, 8, 8}, 3, false), 256);
  EXPECT_DOUBLE_EQ(theta({4, 8, 8}, 3, true), 184);
}

// On a torus, twisted or not, all nodes see the same distances: what edge-symmetric routing needs.
TEST(Wiring, EveryNodeOfATwistedTorusLooksAlike) {
  for (const Size size : {Size{4, 4, 8}, Size{4, 8, 8}, Size{2, 2, 4}}) {
    const Topology t = make_torus(size, 3, standard_twist(size, 3));
    std::vector<uint32_t> first;
    for (uint32_t from = 0; from < t.nodes(); ++from) {
      std::vector<uint32_t> hops(t.nodes(), kNoNode), queue = {from}, seen(t.nodes(), 0);
      hops[from] = 0;
      for (size_t next = 0; next < queue.size(); ++next) {
        ++seen[hops[queue[next]]];
        for (uint32_t p = 0; p < 6; ++p) {
          const uint32_t peer = t.port(queue[next], p).peer.node;
          if (hops[peer] != kNoNode) continue;
          hops[peer] = hops[queue[next]] + 1;
          queue.push_back(peer);
        }
      }
      if (from == 0) first = seen;
      ASSERT_EQ(seen, first) << t.name << " node " << from;
    }
  }
}

template <typename Make>
void expect_refused(Make make, const std::string& part) {
  try {
    make();
    ADD_FAILURE() << "not refused: " << part;
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

TEST(Wiring, ImpossibleSizesAndTwistsAreRefusedWithTheReason) {
  expect_refused([] { make_torus({0, 4, 1}, 2); }, "size in x is 0");
  expect_refused([] { make_torus({4, 4, 2}, 2); }, "size in z is 2 in a network of 2");
  expect_refused([] { make_torus({4, 4, 4}, 4); }, "1 to 3 dimensions, not 4");
  expect_refused([] { make_torus({1, 1, 1}, 0); }, "1 to 3 dimensions, not 0");
  expect_refused([] { make_torus({128, 129, 1}, 2); }, "16384 nodes");
  expect_refused([] { make_torus({4000000000U, 4000000000U, 4000000000U}, 3); }, "16384 nodes");
  expect_refused([] { make_mesh({0, 1, 1}, 1); }, "size in x is 0");
  expect_refused([] { standard_twist({4, 4, 4}, 3); }, "no standard twist of 4x4x4");
  expect_refused([] { standard_twist({8, 4, 4}, 3); }, "in this order");
  expect_refused([] { standard_twist({8, 1, 1}, 1); }, "no standard twist");
  Twist own{}, big{}, chain{};
  own[0][0] = 1;
  expect_refused([&] { make_torus({4, 8, 1}, 2, own); }, "cannot move its own coordinate");
  big[0][1] = 8;
  expect_refused([&] { make_torus({4, 8, 1}, 2, big); }, "less than the size 8");
  chain[0][1] = chain[1][2] = 2;
  expect_refused([&] { make_torus({4, 4, 4}, 3, chain); }, "the y wrap has a twist itself");
}

TEST(Wiring, AFailedNodeTakesItsCablesWithIt) {
  Topology t = make_torus({4, 4, 1}, 2);
  fail_node(t, 5);
  fail_link(t, 3, 0);  // a wrap, from its other side
  expect_matched(t);
  const Cables count = cables(t);
  EXPECT_EQ(count.total, 32U);
  EXPECT_EQ(count.dead, 5U);
  EXPECT_EQ(count.wraps, 8U);
  for (uint32_t p = 0; p < 4; ++p) EXPECT_FALSE(t.usable(5, p)) << p;
  EXPECT_FALSE(t.usable(0, 1));
  EXPECT_TRUE(t.usable(0, 0));
  const Distances d = distances(t);
  EXPECT_EQ(d.nodes_alive, 15U);
  EXPECT_EQ(d.pairs_apart, 0U);
}

TEST(Wiring, PairsWithoutAWayAreCounted) {
  Topology t = make_mesh({4, 1, 1}, 1);
  fail_link(t, 1, 0);
  const Distances d = distances(t);
  EXPECT_EQ(d.pairs_apart, 8U);
  EXPECT_EQ(d.diameter, 1U);
}

}  // namespace
}  // namespace ttpu::fabric
