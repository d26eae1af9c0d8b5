// Who waits for whom: dumps with a cycle, with a root, with both, and dumps that fit no network.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/stuck.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

constexpr uint32_t kPlus = 0, kMinus = 1;

/// Every node of a ring sends clockwise, all in class 0: the input from the left of each node waits
/// for that of the next.
std::vector<StuckBuffer> full_ring(uint32_t nodes) {
  std::vector<StuckBuffer> dump;
  for (uint32_t node = 0; node < nodes; ++node)
    dump.push_back({node, kMinus, 0, 4, kPlus, 0, WaitsFor::kCredit});
  return dump;
}

TEST(Stuck, ARingThatWaitsForItselfIsACycle) {
  const Topology ring = make_torus({4, 1, 1}, 1);
  auto dump = full_ring(4);
  dump.push_back({2, 2, 1, 3, kPlus, 0, WaitsFor::kChannel});  // injection behind it
  dump.push_back({3, 2, 0, 3, kPlus, 1, WaitsFor::kTurn});     // another channel of the same output
  const StuckReport r = explain_stuck(ring, dump);
  ASSERT_EQ(r.cycle.size(), 4U);
  EXPECT_EQ(r.waiting_for_cycle, 2U);
  EXPECT_TRUE(r.roots.empty());
  for (size_t i = 0; i < 4; ++i) {
    const StuckBuffer &a = dump[r.cycle[i]], &b = dump[r.cycle[(i + 1) % 4]];
    EXPECT_EQ(b.node, (a.node + 1) % 4);
    EXPECT_EQ(b.port, kMinus);
  }
}

TEST(Stuck, AChainEndsAtItsRoot) {
  const Topology ring = make_torus({4, 1, 1}, 1);
  auto dump = full_ring(4);
  dump[2].want_port = 2;  // node 2 wants to deliver, and its chip takes nothing
  const StuckReport r = explain_stuck(ring, dump);
  EXPECT_TRUE(r.cycle.empty());
  ASSERT_EQ(r.roots.size(), 1U);
  EXPECT_EQ(dump[r.roots[0].buffer].node, 2U);
  EXPECT_EQ(r.roots[0].waiting, 3U);
  EXPECT_NE(r.roots[0].reason.find("the chip at node 2 does not take"), std::string::npos);
}

TEST(Stuck, EachReasonOfARoot) {
  Topology ring = make_torus({4, 1, 1}, 1);
  const auto reason = [&](const std::vector<StuckBuffer>& dump) {
    const StuckReport r = explain_stuck(ring, dump);
    return r.roots.empty() ? "none" : r.roots[0].reason;
  };
  const auto one = [](uint32_t want_port, WaitsFor why) {
    return std::vector<StuckBuffer>{{1, kMinus, 0, 2, want_port, 3, why}};
  };
  EXPECT_NE(reason(one(kPlus, WaitsFor::kCredit)).find("in -x vc 3 of node 2, is empty: credits"),
            std::string::npos);
  EXPECT_NE(reason(one(kPlus, WaitsFor::kChannel)).find("have not arrived"), std::string::npos);
  EXPECT_NE(reason(one(kPlus, WaitsFor::kTurn)).find("while it could move"), std::string::npos);
  EXPECT_NE(reason(one(kPlus, WaitsFor::kNothing)).find("waits for nothing"), std::string::npos);
  EXPECT_NE(reason(one(kPlus, WaitsFor::kDrop)).find("being dropped"), std::string::npos);
  fail_link(ring, 1, kPlus);
  EXPECT_NE(reason(one(kPlus, WaitsFor::kCredit)).find("out of service"), std::string::npos);
  ring = make_mesh({2, 1, 1}, 1);
  EXPECT_NE(reason(one(kPlus, WaitsFor::kCredit)).find("no cable at +x of node 1"),
            std::string::npos);
}

TEST(Stuck, TheLargerOfTwoCyclesIsShownAndRootsBeside) {
  const Topology t = make_torus({3, 3, 1}, 2);
  std::vector<StuckBuffer> dump;
  for (const uint32_t y : {0U, 2U})
    for (uint32_t x = 0; x < 3; ++x) dump.push_back({x + 3 * y, 1, 0, 1, 0, 0, WaitsFor::kCredit});
  dump.push_back({6, 4, 0, 1, 0, 0, WaitsFor::kChannel});  // waits for the ring y = 2
  dump.push_back({4, 4, 5, 1, 4, 0, WaitsFor::kCredit});   // a chip that takes nothing
  const StuckReport r = explain_stuck(t, dump);
  ASSERT_EQ(r.cycle.size(), 3U);
  EXPECT_EQ(dump[r.cycle[0]].node / 3, 2U);
  EXPECT_EQ(r.waiting_for_cycle, 1U);
  ASSERT_EQ(r.roots.size(), 1U);
  EXPECT_EQ(dump[r.roots[0].buffer].node, 4U);
  EXPECT_EQ(r.roots[0].waiting, 0U);
}

/// Random dumps: every buffer ends at a root or in a cycle, and what is called a cycle is one.
TEST(Stuck, RandomDumps) {
  tb::Random random;
  SCOPED_TRACE("TTPU_SEED=" + std::to_string(tb::run_seed()));
  const Topology t = make_torus({3, 4, 2}, 3);
  uint32_t cycles = 0, roots = 0;
  for (int trial = 0; trial < (tb::long_run() ? 5000 : 300); ++trial) {
    std::vector<StuckBuffer> dump;
    for (uint32_t node = 0; node < t.nodes(); ++node)
      for (uint32_t port = 0; port <= 6; ++port)
        for (uint32_t vc = 0; vc < 2; ++vc)
          if (random.chance(60))
            dump.push_back({node, port, vc, 1 + static_cast<uint32_t>(random.below(8)),
                            static_cast<uint32_t>(random.below(7)),
                            static_cast<uint32_t>(random.below(2)),
                            static_cast<WaitsFor>(random.below(5))});
    const StuckReport r = explain_stuck(t, dump);
    uint64_t accounted = r.cycle.size() + r.waiting_for_cycle;
    for (const auto& root : r.roots) accounted += 1 + root.waiting;
    EXPECT_LE(accounted, dump.size());
    EXPECT_GT(accounted, 0U);
    for (size_t i = 0; i < r.cycle.size(); ++i) {
      const StuckBuffer &a = dump[r.cycle[i]], &b = dump[r.cycle[(i + 1) % r.cycle.size()]];
      if (a.waits_for == WaitsFor::kCredit) {
        const End beyond = t.port(a.node, a.want_port).peer;
        EXPECT_TRUE(b.node == beyond.node && b.port == beyond.port && b.vc == a.want_vc);
      } else {
        EXPECT_TRUE(b.node == a.node && b.want_port == a.want_port &&
                    b.waits_for == WaitsFor::kCredit);
      }
    }
    cycles += !r.cycle.empty();
    roots += !r.roots.empty();
  }
  EXPECT_GT(cycles, 10U);
  EXPECT_GT(roots, 10U);
}

TEST(Stuck, DumpsThatFitNoNetworkAreRefused) {
  const Topology t = make_torus({4, 1, 1}, 1);
  const auto refused = [&](const StuckBuffer& b, const std::string& part) {
    try {
      explain_stuck(t, {{0, 1, 0, 1, 0, 0, WaitsFor::kCredit}, b});
      ADD_FAILURE() << "not refused: " << part;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  refused({4, 1, 0, 1, 0, 0, {}}, "entry 1: node 4 in a network of 4");
  refused({1, 3, 0, 1, 0, 0, {}}, "entry 1: port 3 of a router with ports 0 to 2");
  refused({1, 1, 0, 1, 9, 0, {}}, "entry 1: port 9");
  refused({1, 1, 0, 0, 0, 0, {}}, "entry 1: a buffer without flits");
  refused({0, 1, 0, 2, 0, 0, {}}, "entry 1: the same buffer as entry 0");
  EXPECT_EQ(waits_for_of("turn"), WaitsFor::kTurn);
  EXPECT_EQ(waits_for_of(""), WaitsFor::kNothing);
  EXPECT_THROW(waits_for_of("luck"), std::invalid_argument);
}

}  // namespace
}  // namespace ttpu::fabric
