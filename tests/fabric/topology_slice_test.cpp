// Slices of a pod of cubes and of a grid: their wiring, their separation, failed cross-connects,
// and the planner that swaps failed cubes for spares.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fabric/plan.h"
#include "fabric/slice.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

using Size = std::array<uint32_t, kMaxDims>;

Network network_of(const std::string& text) { return build(parse_spec(text, "test.yaml")); }

/// The same ports, peers and datelines.
void expect_same_wiring(const Topology& a, const Topology& b) {
  ASSERT_EQ(a.size, b.size);
  ASSERT_EQ(a.ports.size(), b.ports.size());
  for (uint32_t node = 0; node < a.nodes(); ++node)
    for (uint32_t p = 0; p < a.ports_per_node(); ++p) {
      const Port &x = a.port(node, p), &y = b.port(node, p);
      ASSERT_EQ(x.peer.node, y.peer.node) << a.name << " node " << node << " port " << p;
      ASSERT_EQ(x.peer.port, y.peer.port) << a.name << " node " << node << " port " << p;
      ASSERT_EQ(x.dateline, y.dateline) << a.name << " node " << node << " port " << p;
    }
}

/// A pod of `cubes` with one slice of cubes in random places.
Spec random_slice(tb::Random& random, Size size, bool twisted, uint32_t cubes) {
  Spec spec = parse_spec("{kind: cubes, cubes: " + std::to_string(cubes) + "}", "test.yaml");
  SliceSpec slice;
  slice.name = "a";
  slice.size = size;
  if (twisted) slice.twist = standard_twist(size, 3);
  std::vector<uint32_t> all(cubes);
  std::iota(all.begin(), all.end(), 0U);
  for (uint32_t i = cubes; i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  slice.cubes.assign(all.begin(), all.begin() + size[0] * size[1] * size[2] / kCubeNodes);
  spec.slices.push_back(slice);
  return spec;
}

TEST(Slices, CubesJoinedByCrossConnectsAreTheTorus) {
  tb::Random random;
  SCOPED_TRACE("TTPU_SEED=" + std::to_string(tb::run_seed()));
  const std::pair<Size, bool> shapes[] = {
      {{4, 4, 4}, false}, {{8, 4, 4}, false}, {{4, 4, 8}, false},
      {{4, 4, 8}, true},  {{4, 8, 8}, false}, {{4, 8, 8}, true},
      {{8, 8, 8}, false}, {{8, 8, 16}, true}, {{4, 12, 8}, false}};
  for (const auto& [size, twisted] : shapes) {
    const Network n = build(random_slice(random, size, twisted, 24));
    ASSERT_EQ(n.slices.size(), 1U);
    const Slice& slice = n.slices[0];
    expect_same_wiring(slice.topology,
                       make_torus(size, 3, twisted ? standard_twist(size, 3) : Twist{}));
    EXPECT_EQ(check_isolation(n), std::vector<std::string>{});
    // Each node of the slice is that of the whole, in the cube and place that its coordinates say.
    std::set<uint32_t> seen;
    for (uint32_t i = 0; i < slice.nodes.size(); ++i) {
      const auto at = slice.topology.coordinates(i), in = n.whole.coordinates(slice.nodes[i]);
      for (uint32_t d = 0; d < 3; ++d) EXPECT_EQ(at[d] % 4, in[d] % 4);
      EXPECT_TRUE(seen.insert(slice.nodes[i]).second) << i;
    }
  }
}

TEST(Slices, SettingsOfTheCrossConnects) {
  const Network n = network_of(
      "{kind: cubes, cubes: 6, slices: [{name: a, size: [4, 4, 8], twist: standard, cubes: [4, 1]},"
      " {name: b, size: [8, 4, 4], cubes: [0, 5]}]}");
  ASSERT_EQ(n.settings.size(), kCrossConnects);
  // Of slice a: x and y wraps move by 4 in z, that is to the other cube; z is a ring of both.
  // Of slice b: x is the ring; y and z wrap in the cube itself.
  const std::vector<std::vector<std::pair<uint32_t, uint32_t>>> expected = {
      {{0, 5}, {1, 4}, {4, 1}, {5, 0}},
      {{0, 0}, {1, 4}, {4, 1}, {5, 5}},
      {{0, 0}, {1, 4}, {4, 1}, {5, 5}}};
  for (uint32_t i = 0; i < kCrossConnects; ++i) {
    EXPECT_EQ(number_of(n.settings[i].which), i);
    EXPECT_EQ(n.settings[i].which.dim, i / 16);
    std::vector<std::pair<uint32_t, uint32_t>> joints;
    for (const Joint& j : n.settings[i].joints) joints.emplace_back(j.from, j.to);
    EXPECT_EQ(joints, expected[i / 16]) << "cross-connect " << i;
  }
}

TEST(Slices, NoCableJoinsTwoSlicesOrAFreeCube) {
  const Network n = network_of(
      "{kind: cubes, cubes: 8, slices: [{name: a, size: [4, 8, 8], cubes: [7, 0, 3, 4]},"
      " {name: b, size: [4, 4, 8]}, {name: c, size: [4, 4, 4]}]}");
  EXPECT_EQ(check_isolation(n), std::vector<std::string>{});
  EXPECT_EQ(n.slices[1].cubes, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(n.slices[2].cubes, (std::vector<uint32_t>{5}));
  std::vector<uint32_t> count(4, 0);
  for (uint32_t node = 0; node < n.whole.nodes(); ++node) {
    const uint32_t s = n.whole.slice[node];
    ++count[s == kNoSlice ? 3 : s];
    for (uint32_t p = 0; p < 6; ++p) {
      const End peer = n.whole.port(node, p).peer;
      if (s == kNoSlice) {
        EXPECT_TRUE(peer.node == kNoNode || peer.node / 64 == node / 64) << node;
      } else {
        ASSERT_NE(peer.node, kNoNode) << node;
        EXPECT_EQ(n.whole.slice[peer.node], s) << node;
      }
    }
  }
  EXPECT_EQ(count, (std::vector<uint32_t>{256, 128, 64, 64}));
}

TEST(Slices, TheCheckOfSeparationSeesEachKindOfFault) {
  const std::string text =
      "{kind: cubes, cubes: 2, slices: [{name: a, size: [4, 4, 4]},"
      " {name: b, size: [4, 4, 4]}]}";
  Network n = network_of(text);
  // Crossed cables: a plus face of one slice to the minus face of the other.
  std::swap(n.whole.port(3, 0).peer, n.whole.port(64 + 3, 0).peer);
  std::swap(n.whole.port(0, 1).peer, n.whole.port(64, 1).peer);
  auto wrong = check_isolation(n);
  ASSERT_EQ(wrong.size(), 4U);
  EXPECT_NE(wrong[0].find("joins two slices"), std::string::npos) << wrong[0];
  n = network_of(text);
  n.whole.port(3, 0).peer.node = 4;
  wrong = check_isolation(n);
  ASSERT_FALSE(wrong.empty());
  EXPECT_NE(wrong[0].find("does not come back"), std::string::npos) << wrong[0];
  n = network_of(text);
  n.settings[20].joints[1].to = 0;
  wrong = check_isolation(n);
  ASSERT_EQ(wrong.size(), 1U);
  EXPECT_NE(wrong[0].find("port 1 of cross-connect 20 is used twice"), std::string::npos);
}

TEST(Slices, BoxesOfAGridAreApart) {
  const Network n = network_of(
      "{kind: torus, size: [8, 4], slices: [{name: a, size: [3, 4]},"
      " {name: b, from: [4, 0], size: [4, 2]}]}");
  EXPECT_EQ(check_isolation(n), std::vector<std::string>{});
  ASSERT_EQ(n.slices.size(), 2U);
  // a spans y: its y rings are whole, x is open. b: both open.
  const Topology &a = n.slices[0].topology, &b = n.slices[1].topology;
  EXPECT_EQ(a.size, (Size{3, 4, 1}));
  EXPECT_EQ(cables(a).total, 2U * 4 + 3 * 4);
  EXPECT_EQ(cables(a).wraps, 3U);
  EXPECT_EQ(cables(b).total, 3U * 2 + 4);
  EXPECT_EQ(cables(b).wraps, 0U);
  expect_same_wiring(b, make_mesh({4, 2, 1}, 2));
  EXPECT_EQ(n.slices[1].nodes[5], 1U * 8 + 5);
  EXPECT_EQ(n.whole.slice[3], kNoSlice);
}

TEST(Slices, AFailedCrossConnectTakesOneLinkOfEachBoundary) {
  const std::string pod =
      "{kind: cubes, cubes: 4, slices: [{name: a, size: [8, 4, 4]},"
      " {name: b, size: [4, 4, 8], twist: standard}]";
  const Network n =
      network_of(pod + ", failed: {cross_connects: [{dimension: x, position: [1, 2]}]}}");
  for (const Slice& s : n.slices) {
    const Topology& t = s.topology;
    uint32_t dead = 0;
    for (uint32_t node = 0; node < t.nodes(); ++node) {
      const auto at = t.coordinates(node);
      for (uint32_t p = 0; p < 6; ++p) {
        const bool face = at[0] % 4 == (p == 0 ? 3U : 0U);
        const bool expected = p < 2 && face && at[1] % 4 == 1 && at[2] % 4 == 2;
        EXPECT_EQ(t.port(node, p).dead, expected) << s.name << " node " << node << " port " << p;
        dead += t.port(node, p).dead;
      }
    }
    EXPECT_EQ(dead, 4U) << s.name;  // two cables, two ends each
    EXPECT_EQ(distances(t).pairs_apart, 0U);
  }
}

TEST(Slices, FailedCubesNodesAndLinks) {
  const Network n = network_of(
      "{kind: cubes, cubes: 3, slices: [{name: a, size: [8, 4, 4], cubes: [2, 0]}],"
      " failed: {cubes: [1], nodes: [{cube: 0, at: [1, 1, 1]}],"
      " links: [{node: {cube: 2, at: [3, 0, 0]}, port: +x}, {node: 64, port: -x}]}}");
  const Topology& t = n.slices[0].topology;
  EXPECT_EQ(t.dead_node[t.node_at({5, 1, 1})], 1);
  EXPECT_EQ(std::count(t.dead_node.begin(), t.dead_node.end(), 1), 1);
  EXPECT_FALSE(t.usable(t.node_at({3, 0, 0}), 0));
  EXPECT_FALSE(t.usable(t.node_at({4, 0, 0}), 1));
  EXPECT_EQ(cables(t).dead, 7U);
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(n.whole.dead_node[64 + i], 1);
}

TEST(Slices, TopologyOfTheOnlySliceOrByName) {
  const Network one = network_of("{kind: cubes, cubes: 3, slices: [{name: a, size: [4, 4, 4]}]}");
  EXPECT_EQ(topology_of(one).nodes(), 64U);
  const Network two = network_of(
      "{kind: cubes, cubes: 3, slices: [{name: a, size: [4, 4, 4]}, {name: b, size: [4, 4, 8]}]}");
  EXPECT_EQ(topology_of(two).nodes(), 192U);
  EXPECT_EQ(topology_of(two, "b").nodes(), 128U);
  EXPECT_THROW(topology_of(two, "c"), std::invalid_argument);
  EXPECT_EQ(topology_of(network_of("{kind: torus, size: [4]}")).nodes(), 4U);
}

// --- planner -----------------------------------------------------------------------------------

const char* const kPod = R"(
kind: cubes
cubes: 8
spares: [6, 7]
slices:
  - {name: a, size: [4, 4, 8], cubes: [5, 1]}
  - {name: b, size: [8, 4, 4]}
failed:
  cubes: [1]
)";

TEST(Planner, AFailedCubeIsSwappedForTheFirstSpare) {
  const Plan plan = make_plan(parse_spec(kPod, "pod.yaml"));
  EXPECT_EQ(plan.spec.slices[0].cubes, (std::vector<uint32_t>{5, 6}));
  EXPECT_EQ(plan.spec.slices[1].cubes, (std::vector<uint32_t>{0, 2}));
  ASSERT_EQ(plan.swaps.size(), 1U);
  EXPECT_EQ(plan.swaps[0].slice, "a");
  EXPECT_EQ(plan.swaps[0].position, 1U);
  EXPECT_EQ(plan.swaps[0].from, 1U);
  EXPECT_EQ(plan.swaps[0].to, 6U);
  EXPECT_EQ(plan.swaps[0].reason, "failed");
  EXPECT_EQ(plan.placed, (std::vector<std::string>{"b"}));
  EXPECT_EQ(plan.free, (std::vector<uint32_t>{3, 4, 7}));
  EXPECT_TRUE(plan.kept.empty());
  const Network n = build(plan.spec);
  EXPECT_EQ(check_isolation(n), std::vector<std::string>{});
  expect_same_wiring(n.slices[0].topology, make_torus({4, 4, 8}, 3));
  EXPECT_EQ(cables(n.slices[0].topology).dead, 0U);
}

TEST(Planner, ChangesTurnTheFormerSettingsIntoTheNew) {
  const Spec spec = parse_spec(kPod, "pod.yaml");
  const Plan plan = make_plan(spec);
  auto settings = cross_connect_settings(spec);
  ASSERT_EQ(plan.changes.size(), kCrossConnects);
  for (const SettingChange& change : plan.changes) {
    auto& joints = settings[number_of(change.which)].joints;
    for (const Joint& gone : change.remove) {
      const auto at = std::find(joints.begin(), joints.end(), gone);
      ASSERT_NE(at, joints.end());
      joints.erase(at);
    }
    joints.insert(joints.end(), change.add.begin(), change.add.end());
    std::sort(joints.begin(), joints.end(),
              [](const Joint& x, const Joint& y) { return x.from < y.from; });
  }
  for (uint32_t i = 0; i < kCrossConnects; ++i)
    EXPECT_EQ(settings[i].joints, plan.settings[i].joints) << "cross-connect " << i;
  // z of slice a: both joints of the ring; x and y of cube 1: its own wrap. Slice b is new.
  EXPECT_EQ(plan.changes[32].remove.size(), 2U);
  EXPECT_EQ(plan.changes[0].remove.size(), 1U);
}

TEST(Planner, APlanPlannedAgainChangesNothing) {
  const Plan first = make_plan(parse_spec(kPod, "pod.yaml"));
  const Spec written = parse_spec(write_spec(first.spec), "plan.yaml");
  const Plan again = make_plan(written);
  EXPECT_TRUE(again.swaps.empty());
  EXPECT_TRUE(again.changes.empty());
  EXPECT_TRUE(again.placed.empty());
  // With the first plan as the former one, a slice without list stays where it was.
  Spec asked = parse_spec(kPod, "pod.yaml");
  asked.slices[0].cubes.clear();
  const Plan kept = make_plan(asked, &written);
  EXPECT_EQ(kept.spec.slices[0].cubes, first.spec.slices[0].cubes);
  EXPECT_TRUE(kept.changes.empty());
}

TEST(Planner, ADamagedCubeIsSwappedIfOneIsLeftElseItStays) {
  const std::string two =
      "{kind: cubes, cubes: 2, slices: [{name: a, size: [4, 4, 4], cubes: [0]}],"
      " failed: {nodes: [7]}}";
  const Plan swapped = make_plan(parse_spec(two, "f"));
  ASSERT_EQ(swapped.swaps.size(), 1U);
  EXPECT_EQ(swapped.swaps[0].reason, "node 7 failed");
  const std::string one =
      "{kind: cubes, cubes: 1, slices: [{name: a, size: [4, 4, 4], cubes: [0]}],"
      " failed: {links: [{node: 7, port: +y}]}}";
  const Plan kept = make_plan(parse_spec(one, "f"));
  EXPECT_TRUE(kept.swaps.empty());
  ASSERT_EQ(kept.kept.size(), 1U);
  EXPECT_EQ(kept.kept[0].reason, "the cable at +y of node 7 failed");
  EXPECT_TRUE(kept.changes.empty());
}

// One spare, one cube gone and one with a bad node: the spare goes where there is no other way.
TEST(Planner, FailedCubesComeBeforeDamagedOnes) {
  const Plan plan = make_plan(
      parse_spec("{kind: cubes, cubes: 3, slices: [{name: a, size: [4, 4, 4], cubes: [0]},"
                 " {name: b, size: [4, 4, 4], cubes: [1]}], failed: {nodes: [0], cubes: [1]}}",
                 "f"));
  ASSERT_EQ(plan.swaps.size(), 1U);
  EXPECT_EQ(plan.swaps[0].slice, "b");
  ASSERT_EQ(plan.kept.size(), 1U);
  EXPECT_EQ(plan.kept[0].slice, "a");
}

void expect_no_plan(const std::string& text, const std::string& part) {
  try {
    make_plan(parse_spec(text, "pod.yaml"));
    ADD_FAILURE() << "not refused: " << part;
  } catch (const FileError& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_FALSE(e.hint.empty()) << e.what();
  }
}

TEST(Planner, WhatCannotBePlannedIsRefused) {
  expect_no_plan("{kind: torus, size: [4]}", "only a pod of cubes");
  expect_no_plan(
      "kind: cubes\ncubes: 1\nslices:\n  - {name: a, size: [4, 4, 4], cubes: [0]}\n"
      "failed: {cubes: [0]}",
      "pod.yaml:4:39: slice 'a': cube 0 failed and no whole cube is left");
  expect_no_plan("kind: cubes\ncubes: 3\nspares: [0]\nslices:\n  - {name: a, size: [4, 4, 12]}\n",
                 "pod.yaml:5:5: slice 'a' needs 3 cubes; whole and free: 2 (and spares: 1)");
  const Spec pod = parse_spec("{kind: cubes, cubes: 2}", "a"),
             other = parse_spec("{kind: cubes, cubes: 3}", "b");
  EXPECT_THROW(make_plan(pod, &other), FileError);
}

// Random pods, slices and failures: the plan uses whole cubes only, each once, and keeps slices
// apart.
TEST(Planner, RandomPods) {
  tb::Random random;
  SCOPED_TRACE("TTPU_SEED=" + std::to_string(tb::run_seed()));
  uint32_t planned = 0, refused = 0, swaps = 0;
  for (int trial = 0; trial < (tb::long_run() ? 2000 : 150); ++trial) {
    const auto cubes = static_cast<uint32_t>(4 + random.below(13));
    Spec spec = parse_spec("{kind: cubes, cubes: " + std::to_string(cubes) + "}", "pod.yaml");
    const Size sizes[] = {{4, 4, 4}, {8, 4, 4}, {4, 4, 8}, {4, 8, 8}, {4, 4, 12}};
    for (uint64_t n = 1 + random.below(4); n > 0; --n) {
      SliceSpec slice;
      slice.name = "s" + std::to_string(n);
      slice.size = sizes[random.below(5)];
      if (random.coin() && slice.size[2] == 8) slice.twist = standard_twist(slice.size, 3);
      spec.slices.push_back(slice);
    }
    try {
      spec = make_plan(spec).spec;
      for (uint32_t cube = 0; cube < cubes; ++cube)
        if (random.chance(15)) spec.failed_cubes.push_back(cube);
      const Plan plan = make_plan(spec);
      ++planned;
      swaps += static_cast<uint32_t>(plan.swaps.size());
      std::set<uint32_t> used;
      for (const SliceSpec& s : plan.spec.slices)
        for (const uint32_t cube : s.cubes) {
          EXPECT_TRUE(used.insert(cube).second) << "trial " << trial << " cube " << cube;
          EXPECT_EQ(cube_fault(plan.spec, cube), "") << "trial " << trial << " cube " << cube;
        }
      const Network n = build(plan.spec);
      EXPECT_EQ(check_isolation(n), std::vector<std::string>{}) << "trial " << trial;
      for (uint32_t s = 0; s < n.slices.size(); ++s)
        expect_same_wiring(n.slices[s].topology,
                           make_torus(plan.spec.slices[s].size, 3, plan.spec.slices[s].twist));
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(planned, 20U);
  EXPECT_GT(refused, 20U);
  EXPECT_GT(swaps, 20U);
}

}  // namespace
}  // namespace ttpu::fabric
