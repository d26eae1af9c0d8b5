// Networks of RTL routers, with their assertions: nothing lost, nothing out of order, cases C27,
// C28 and C31, links that fail under traffic, and a deadlock that is seen and explained.
#include <gtest/gtest.h>

#include "fabric/route_walk.h"
#include "fabric/stuck.h"
#include "network_bench.h"

namespace ttpu::network {
namespace {

constexpr uint64_t kLongFlits = 10000000;

struct Shape {
  const char* name;
  std::array<uint32_t, 3> size;
  uint32_t dims;
  bool twisted;
};
constexpr Shape kShapes[] = {{"8x8", {8, 8, 1}, 2, false},
                             {"4x4x4", {4, 4, 4}, 3, false},
                             {"4x4x8 twisted", {4, 4, 8}, 3, true}};

// Bursts of load beyond saturation, packets of 1 to 12 flits, four channels, receivers that stall.
TEST(NetworkRtl, NothingIsLostOrOutOfOrder) {
  tb::Random random;
  for (const Shape& shape : kShapes) {
    for (const char* config : {"full", "small"}) {
      SCOPED_TRACE(std::string(shape.name) + " " + config);
      Net net(shape.size, shape.dims, shape.twisted, config, "rtl-checked");
      Traffic t = traffic(Pattern::kUniform, 0.9, {{1, 0.5}, {3, 0.3}, {12, 0.2}});
      t.channels = 4;
      EngineOptions options = net.options();
      options.eject_stall_percent = 30;
      options.inject_stall_percent = 10;
      Engine engine(net.topology, *net.routes, *net.routers, t, options);
      const uint64_t wanted = tb::long_run() ? kLongFlits : 30000;
      while (engine.tally().flits_ejected < wanted && !engine.stuck() &&
             engine.tally().violations_seen == 0) {
        engine.set_stalls(static_cast<uint32_t>(random.below(60)),
                          static_cast<uint32_t>(random.below(60)));
        engine.run(100);
      }
      drain_and_check(engine);
      EXPECT_GE(engine.tally().flits_ejected, wanted);
      EXPECT_EQ(engine.tally().flits_ejected, engine.tally().flits_injected);
      EXPECT_GT(engine.tally().eject_stalls, 500U);
      EXPECT_GT(engine.tally().inject_stalls, 500U);
      EXPECT_EQ(engine.dropped(), 0U);
    }
  }
}

TEST(NetworkRtl, MulticastReachesEveryNodeOfItsRing) {
  Net net({4, 4, 4}, 3, false, "small", "rtl-checked");
  for (uint32_t axis = 0; axis < 3; ++axis) {
    net.renew();
    Traffic t = traffic(Pattern::kMulticast, 0.3, {{1, 0.5}, {4, 0.5}});
    t.axis = axis;
    t.packets = 40;
    EngineOptions options = net.options();
    options.eject_stall_percent = 20;
    Engine engine(net.topology, *net.routes, *net.routers, t, options);
    while (!engine.finished() && !engine.stuck() && !engine.idle()) engine.run(64);
    engine.check_all_delivered();
    expect_no_violation(engine);
    EXPECT_EQ(engine.tally().packets_delivered, 64U * 40) << "axis " << axis;
    EXPECT_EQ(engine.tally().flits_ejected, 3 * engine.tally().flits_injected) << "axis " << axis;
  }
}

// C27: a one-flit packet right behind another's tail, same output. Both from one source, and from
// two sources whose packets meet; every distance in time.
TEST(NetworkRtl, C27OneFlitRightBehindATail) {
  for (const char* config : {"small", "full"}) {
    Net net({4, 4, 1}, 2, false, config, "rtl-checked");
    Traffic t = traffic(Pattern::kTrace, 0);
    uint64_t cycle = 0;
    for (const uint32_t first : {1U, 2U, 7U})
      for (uint64_t gap = 0; gap < 14; ++gap) {
        cycle += 60;
        t.trace.push_back({cycle, 1, 2, first});  // by node 1's +x
        t.trace.push_back({cycle + gap, 1, 2, 1});
        t.trace.push_back({cycle + gap, 0, 2, 1});  // comes through node 1
        t.trace.push_back({cycle + gap, 5, 2, 1});
      }
    std::stable_sort(t.trace.begin(), t.trace.end(),
                     [](const TraceLine& a, const TraceLine& b) { return a.cycle < b.cycle; });
    Engine engine(net.topology, *net.routes, *net.routers, t, net.options());
    while (!engine.finished() && !engine.stuck() && !engine.idle()) engine.run(64);
    engine.check_all_delivered();
    expect_no_violation(engine);
    EXPECT_EQ(engine.tally().packets_delivered, t.trace.size()) << config;
  }
}

/// Every packet goes up in x, however far.
struct Clockwise : fabric::Routes {
  uint32_t nodes;
  explicit Clockwise(uint32_t ring) : nodes(ring) {}
  fabric::Route route(uint32_t src, uint32_t dest) const override {
    const auto hops = static_cast<uint8_t>((dest + nodes - src) % nodes);
    return fabric::encode_leg({0, hops, 0}, 0);
  }
};

/// Each node sends to the last one clockwise.
Traffic all_the_way_round(uint32_t flits) {
  Traffic t = traffic(Pattern::kTrace, 0);
  for (uint32_t i = 0; i < 400; ++i)
    for (uint32_t n = 0; n < 4; ++n) t.trace.push_back({0, n, (n + 3) % 4, flits});
  t.channels = 16;
  return t;
}

/// A ring of 4 in which every buffer that a route uses is full. The last nodes of the two classes
/// take nothing: what is for them fills the buffers on its way from behind.
void fill_ring(Engine& engine, Routers& routers, const Net& net) {
  engine.set_eject_stall(2, 100);
  engine.set_eject_stall(3, 100);
  engine.run(600);
  std::vector<uint32_t> used(16 * net.config.vcs);
  const Clockwise routes(4);
  for (uint32_t s = 0; s < 4; ++s)
    for (uint32_t channel = 0; channel < 16; ++channel) {
      const uint32_t d = (s + 3) % 4, half = net.config.vcs / 2;
      const uint32_t lane = fabric::local_vc(s, d, channel, net.config.vcs) % half;
      fabric::walk(net.topology, s, routes.route(s, d), [&](fabric::Channel c) {
        const fabric::End end = net.topology.port(c.node, c.port).peer;
        used[(end.node * 4 + end.port) * net.config.vcs + c.vclass * half + lane] = 1;
      });
    }
  uint32_t full = 0;
  for (uint32_t i = 0; i < used.size(); ++i) {
    const uint32_t vc = i % net.config.vcs, port = i / net.config.vcs % 4,
                   node = i / net.config.vcs / 4;
    if (!used[i]) continue;
    EXPECT_EQ(routers.buffer(node, port, vc).flits, net.config.depth)
        << "node " << node << " port " << port << " channel " << vc << " is not full";
    ++full;
  }
  EXPECT_EQ(full, 6 * net.config.vcs / 2) << "3 nodes of each class, every lane";
}

TEST(NetworkRtl, C28RingOfFourWithEveryBufferFull) {
  for (const char* config : {"small", "full"}) {
    for (const uint32_t flits : {1U, 5U}) {
      SCOPED_TRACE(std::string(config) + ", packets of " + std::to_string(flits));
      Net net({4, 1, 1}, 2, false, config, "rtl-checked");
      const Clockwise routes(4);
      EngineOptions options = net.options();
      options.queue_flits = 4096;  // no queue keeps packets of others waiting
      Engine engine(net.topology, routes, *net.routers, all_the_way_round(flits), options);
      fill_ring(engine, *net.routers, net);
      engine.set_stalls(0, 0);
      while (!engine.finished() && !engine.stuck() && !engine.idle()) engine.run(64);
      EXPECT_FALSE(engine.stuck()) << engine.stuck_dump();
      engine.check_all_delivered();
      expect_no_violation(engine);
      EXPECT_EQ(engine.tally().packets_delivered, 1600U);
      EXPECT_LT(engine.cycle(), 600 + 2 * 400 * flits * 3) << "half of what the ring can carry";
    }
  }
}

// The same without datelines is a deadlock: it is seen, and the dump names the cycle.
TEST(NetworkRtl, ADeadlockIsSeenAndExplained) {
  Net net({4, 1, 1}, 2, false, "small", "rtl-checked");
  for (fabric::Port& p : net.topology.ports) p.dateline = false;
  const Clockwise routes(4);
  EngineOptions options = net.options();
  options.stuck_after = 500;
  Engine engine(net.topology, routes, *net.routers, all_the_way_round(5), options);
  engine.set_stalls(100, 0);
  engine.run(400);
  engine.set_stalls(0, 0);
  engine.run(5000);
  ASSERT_TRUE(engine.stuck());
  EXPECT_LT(engine.cycle(), 2000U);
  EXPECT_FALSE(engine.drain(1000)) << "a stuck network does not drain";
  std::vector<fabric::StuckBuffer> dump;
  for (const Waiting& w : engine.waiting())
    dump.push_back(
        {w.node, w.port, w.vc, w.flits, w.want_port, w.want_vc, fabric::waits_for_of(w.waits_for)});
  const fabric::StuckReport report = fabric::explain_stuck(net.topology, dump);
  ASSERT_GE(report.cycle.size(), 4U) << engine.stuck_dump();
  std::vector<int> seen(4);
  for (const uint32_t i : report.cycle) {
    EXPECT_EQ(dump[i].port, 1U) << fabric::stuck_text(net.topology, dump[i]);
    EXPECT_EQ(dump[i].want_port, 0U) << fabric::stuck_text(net.topology, dump[i]);
    ++seen[dump[i].node];
  }
  for (uint32_t n = 0; n < 4; ++n) EXPECT_GE(seen[n], 1) << "node " << n << " is not in the cycle";
  EXPECT_NE(engine.stuck_dump().find("\"waits_for\": \"c"), std::string::npos);
}

// C31 with packets: all send to all on the network on which others deadlocked.
TEST(NetworkRtl, C31AllToAllOnTwisted4x4x8) {
  Net net({4, 4, 8}, 3, true, "small", "rtl-checked");
  Experiment e;
  e.engine = net.options();
  e.traffic = traffic(Pattern::kAllToAll, 1.0, {{4, 1}});
  e.traffic.packets = 127;
  const Outcome o = run_experiment(e, net.topology, *net.routes, *net.routers);
  EXPECT_TRUE(o.ok()) << (o.stuck ? o.dump : o.errors()[0]);
  EXPECT_EQ(o.tally.packets_delivered, 128U * 127);
  EXPECT_EQ(o.tally.flits_ejected, 128U * 127 * 4);
  EXPECT_LT(o.completion, 3 * 127 * 4U) << "a third of the local ports' rate";
}

// Links fail under traffic: packets whose route uses them are dropped or cut and counted, all
// others arrive; with new routes everything arrives again.
TEST(NetworkRtl, LinksThatFailDuringTraffic) {
  tb::Random random;
  for (const char* config : {"small", "full"}) {
    SCOPED_TRACE(config);
    Net net({4, 4, 1}, 2, false, config, "rtl-checked");
    Traffic t = traffic(Pattern::kUniform, 0.5, {{1, 0.3}, {6, 0.7}});
    Engine engine(net.topology, *net.routes, *net.routers, t, net.options());
    engine.run(300);
    uint64_t cut = 0;
    for (int failures = 0; failures < 2; ++failures) {
      const auto node = static_cast<uint32_t>(random.below(16));
      const auto port = static_cast<uint32_t>(random.below(4));
      engine.fail_link(node, port);
      const uint64_t before = engine.tally().packets_delivered;
      engine.run(200 + random.below(100));
      EXPECT_GT(engine.tally().packets_delivered - before, 200U) << "other traffic lives";
    }
    engine.stop();
    EXPECT_TRUE(engine.drain(20000));
    engine.check_all_delivered();
    expect_no_violation(engine);
    cut = engine.tally().packets_cut;
    EXPECT_GT(engine.dropped(), 10U);
    EXPECT_EQ(engine.tally().packets_made, engine.tally().packets_delivered + cut +
                                               engine.tally().packets_cancelled +
                                               engine.packets_lost());
    EXPECT_GE(engine.packets_lost() + cut, engine.dropped());

    // The host has loaded new routes: a new run on the same broken network.
    fabric::Topology broken = engine.topology();
    const fabric::ComputedRoutes routes = fabric::compute_routes(broken);
    ASSERT_TRUE(routes.unrouted.empty());
    net.renew();
    Engine again(broken, routes.table, *net.routers, t, net.options());
    again.run(600);
    drain_and_check(again);
    EXPECT_EQ(again.dropped(), 0U);
    EXPECT_GT(again.tally().packets_delivered, 400U);
  }
}

}  // namespace
}  // namespace ttpu::network
