// The engine with the model's routers: what it must deliver, what its scoreboard must see, and that
// threads change nothing.
#include "network/engine.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>

#include "fabric/route_walk.h"
#include "network/model.h"
#include "network_bench.h"

namespace ttpu::network {
namespace {

// Hop: 2 cycles in the router and the cable; then 2 more in the last router; then the packet's
// other flits.
TEST(NetworkEngine, ZeroLoadLatencyOfEveryPair) {
  for (const uint32_t cable : {1U, 3U}) {
    Net net({4, 3, 2}, 3, false, "full", "model");
    net.set_latency(cable);
    Traffic t = traffic(Pattern::kTrace, 0);
    uint64_t cycle = 0, expected = 0;
    for (uint32_t s = 0; s < 24; ++s)
      for (uint32_t d = 0; d < 24; ++d) {
        const uint32_t flits = 1 + (s + d) % 3;
        t.trace.push_back({cycle += 60, s, d, flits});
        uint32_t hops = 0;
        fabric::walk(net.topology, s, net.routes->route(s, d), [&](fabric::Channel) { ++hops; });
        expected += hops * (2 + cable) + 2 + flits - 1;
      }
    Engine engine(net.topology, *net.routes, *net.routers, t, net.options());
    engine.measure(1 << 20, 1);
    while (!engine.finished() && !engine.stuck() && !engine.idle()) engine.run(1000);
    engine.check_all_delivered();
    expect_no_violation(engine);
    EXPECT_EQ(engine.tally().latency.count(), 24U * 24);
    EXPECT_EQ(engine.tally().batch_latency[0], expected) << "cable of " << cable;
  }
}

struct Everything {
  Tally tally;
  std::vector<uint64_t> links;
  uint64_t cycle;
};

Everything run_with(uint32_t threads, uint32_t cable, Traffic t, const std::string& device) {
  Net net({4, 4, 2}, 3, false, "small", device);
  net.set_latency(cable);
  EngineOptions options = net.options();
  options.threads = threads;
  options.eject_stall_percent = 20;
  options.inject_stall_percent = 5;
  Engine engine(net.topology, *net.routes, *net.routers, t, options);
  engine.run(100);
  engine.measure(400, 5);
  engine.run(400);
  drain_and_check(engine);
  return {engine.tally(), engine.link_flits(), engine.cycle()};
}

TEST(NetworkEngine, ThreadsChangeNothing) {
  const std::vector<SizeShare> mix = {{1, 0.5}, {5, 0.5}};
  struct Case {
    const char* device;
    uint32_t cable;
    Traffic traffic;
  };
  Traffic closed = traffic(Pattern::kTornado, 0, mix);
  closed.window = 3;
  Traffic channels = traffic(Pattern::kHotspot, 0.3, mix);
  channels.channels = 4;
  const Case cases[] = {{"model", 1, traffic(Pattern::kUniform, 0.7, mix)},
                        {"model", 3, traffic(Pattern::kAllToAll, 1.0, mix)},
                        {"model", 2, closed},
                        {"model", 5, channels},
                        {"rtl", 2, traffic(Pattern::kUniform, 0.5, mix)},
                        {"rtl", 1, traffic(Pattern::kMulticast, 0.1, mix)}};
  for (const Case& c : cases) {
    const Everything one = run_with(1, c.cable, c.traffic, c.device);
    EXPECT_GT(one.tally.eject_stalls, 100U);
    EXPECT_GT(one.tally.inject_stalls, 20U);
    EXPECT_GT(one.tally.accepted_flits, 500U);
    for (const uint32_t threads : {2U, 3U}) {
      SCOPED_TRACE(std::string(c.device) + " " + name_of(c.traffic.pattern) + ", " +
                   std::to_string(threads) + " threads");
      const Everything other = run_with(threads, c.cable, c.traffic, c.device);
      const Tally &a = one.tally, &b = other.tally;
      EXPECT_TRUE(a.latency == b.latency);
      EXPECT_EQ(a.by_source, b.by_source);
      EXPECT_EQ(a.batch_flits, b.batch_flits);
      EXPECT_EQ(a.batch_latency, b.batch_latency);
      EXPECT_EQ(a.moves, b.moves);
      EXPECT_EQ(a.eject_stalls, b.eject_stalls);
      EXPECT_EQ(a.packets_made, b.packets_made);
      EXPECT_EQ(a.packets_delivered, b.packets_delivered);
      EXPECT_EQ(one.links, other.links);
      EXPECT_EQ(one.cycle, other.cycle);
    }
  }
}

TEST(NetworkEngine, SeedsChangeTheRun) {
  Net net({4, 4, 1}, 2, false, "small", "model");
  std::array<uint64_t, 2> moves{};
  for (uint64_t seed = 0; seed < 2; ++seed) {
    net.renew();
    EngineOptions options = net.options();
    options.seed = seed;
    Engine engine(net.topology, *net.routes, *net.routers, traffic(Pattern::kUniform, 0.4),
                  options);
    engine.run(500);
    moves[seed] = engine.tally().moves;
  }
  EXPECT_NE(moves[0], moves[1]);
}

// Offered is what was asked for, and what is offered below saturation is accepted; flits on cables
// are packets times hops.
TEST(NetworkEngine, LoadsAddUp) {
  Net net({8, 8, 1}, 2, false, "full", "model");
  Experiment e;
  e.engine = net.options();
  e.warmup = 500;
  e.window = 4000;
  for (const double load : {0.1, 0.5}) {
    for (const std::vector<SizeShare>& sizes :
         {std::vector<SizeShare>{{1, 1}}, std::vector<SizeShare>{{2, 0.5}, {10, 0.5}}}) {
      net.renew();
      e.traffic = traffic(Pattern::kUniform, load, sizes);
      const Outcome o = run_experiment(e, net.topology, *net.routes, *net.routers);
      EXPECT_TRUE(o.ok());
      EXPECT_TRUE(o.latency_complete);
      EXPECT_NEAR(o.offered, load, 0.03 * load + 0.01);
      EXPECT_NEAR(o.accepted, o.offered, 0.03 * load);
      EXPECT_GT(o.worst_node, 0.6 * load);
      EXPECT_LE(o.worst_node, o.accepted);
      EXPECT_LT(o.accepted_ci, 0.1 * load);
      // 64 * 4.063 hops a packet over 256 cables.
      EXPECT_NEAR(o.link_load_mean, o.accepted * 64 * (4.0 * 64 / 63) / 256, 0.03 * load);
      EXPECT_GE(o.link_load_max, o.link_load_mean);
      EXPECT_GE(o.latency_p99, o.latency_p50);
      EXPECT_GE(o.latency_max, o.latency_p99);
    }
  }
}

TEST(NetworkEngine, ClosedLoopKeepsItsWindow) {
  Net net({4, 4, 1}, 2, false, "small", "model");
  for (const uint32_t window : {1U, 2U, 7U}) {
    net.renew();
    Traffic t = traffic(Pattern::kNeighbour, 0);
    t.window = window;
    Engine engine(net.topology, *net.routes, *net.routers, t, net.options());
    engine.run(100);
    engine.measure(600, 1);
    for (int i = 0; i < 600; ++i) {
      engine.run(1);
      const Tally now = engine.tally();
      ASSERT_LE(now.packets_made - now.packets_delivered, 16U * window)
          << "cycle " << engine.cycle();
    }
    // Injection to delivery is 5 cycles, and the sender hears of it in the next: `window` packets
    // in 6 cycles, until the local port is full.
    EXPECT_EQ(engine.tally().accepted_flits, 16U * 600 * std::min(window, 6U) / 6) << window;
    drain_and_check(engine);
  }
}

TEST(NetworkEngine, FiniteTrafficEnds) {
  for (const Pattern pattern : {Pattern::kAllToAll, Pattern::kTranspose, Pattern::kMulticast}) {
    Net net({4, 4, 1}, 2, false, "small", "model");
    Experiment e;
    e.engine = net.options();
    e.traffic = traffic(pattern, 1.0, {{3, 1}});
    e.traffic.packets = 30;
    const Outcome o = run_experiment(e, net.topology, *net.routes, *net.routers);
    EXPECT_TRUE(o.ok()) << (o.errors().empty() ? "stuck" : o.errors()[0]);
    const uint64_t copies = pattern == Pattern::kMulticast ? 3 : 1;
    EXPECT_EQ(o.tally.packets_delivered, 16U * 30);
    EXPECT_EQ(o.tally.flits_ejected, 16U * 30 * 3 * copies);
    EXPECT_GT(o.completion, 90U) << "a node injects 90 flits, one a cycle";
    EXPECT_LT(o.completion, 1500U);
  }
}

// Half the cables' rate: what the cables limit is halved.
TEST(NetworkEngine, LinkPeriodLimitsCables) {
  Net net({8, 1, 1}, 2, false, "full", "model");
  for (const uint32_t period : {1U, 2U, 3U}) {
    net.renew();
    Experiment e;
    e.engine = net.options();
    e.engine.link_period = period;
    e.warmup = 1000;
    e.window = 3000;
    e.drain = 0;
    e.traffic = traffic(Pattern::kTornado, 1.0);
    const Outcome o = run_experiment(e, net.topology, *net.routes, *net.routers);
    EXPECT_TRUE(o.ok());
    EXPECT_NEAR(o.accepted, 1.0 / 3 / period, 0.01) << "3 hops one way round, period " << period;
    EXPECT_NEAR(o.link_load_max, 1.0 / period, 0.01);
  }
}

TEST(NetworkEngine, Bounds) {
  const auto near = [](const fabric::Topology& topology, Pattern pattern, double theta_bound,
                       double route_bound) {
    const auto routes = fabric::dimension_order(topology);
    const Bounds b = bounds_of(traffic(pattern, 1), topology, *routes, 1);
    EXPECT_NEAR(b.theta_bound, theta_bound, 1e-3);
    EXPECT_NEAR(b.route_bound, route_bound, 1e-3);
  };
  const auto torus = fabric::make_torus({8, 8, 1}, 2);
  near(torus, Pattern::kUniform, 63.0 / 64, 63.0 / 64);
  near(torus, Pattern::kTornado, 0, 1.0 / 3);
  near(fabric::make_torus({4, 4, 4}, 3), Pattern::kAllToAll, 63.0 / 32, 63.0 / 32);
}

// ---- the scoreboard sees what is wrong
// -------------------------------------------------------------

/// Does something to one flit.
struct OneError : LinkErrors {
  uint32_t node = 5;
  std::atomic<bool> done{false};
  std::function<bool(Flit&)> what;
  bool pass(uint32_t at, uint32_t, uint64_t t, Flit& flit) override {
    if (t < 50 || at != node || done) return true;
    const bool kept = what(flit);
    return kept;
  }
};

std::string violations_with(std::function<bool(Flit&, bool& done)> what) {
  Net net({4, 4, 1}, 2, false, "full", "model");
  OneError error;
  error.what = [&](Flit& flit) {
    bool done = false;
    const bool kept = what(flit, done);
    if (done) error.done = true;
    return kept;
  };
  EngineOptions options = net.options();
  options.errors = &error;
  Engine engine(net.topology, *net.routes, *net.routers, traffic(Pattern::kUniform, 0.3, {{3, 1}}),
                options);
  engine.run(400);
  engine.stop();
  engine.drain(5000);
  engine.check_all_delivered();
  std::string all;
  for (const Violation& v : engine.violations()) all += v.text + "\n";
  EXPECT_TRUE(error.done) << "the error was never made";
  EXPECT_EQ(all.empty(), engine.tally().violations_seen == 0);
  return all;
}

TEST(NetworkScoreboard, ALostFlitIsSeen) {
  const std::string all = violations_with([](Flit& f, bool& done) {
    done = !f.head && !f.tail;
    return !done;
  });
  EXPECT_NE(all.find("where flit 1 of packet"), std::string::npos) << all;
}

// A measurement too must end and tell: a packet lost as a whole leaves nothing behind to see.
TEST(NetworkScoreboard, APacketLostAsAWholeIsSeenByAMeasurement) {
  Net net({4, 4, 1}, 2, false, "full", "model");
  OneError error;
  error.what = [&](Flit&) {
    error.done = true;
    return false;
  };
  Experiment e;
  e.traffic = traffic(Pattern::kUniform, 0.1);
  e.engine = net.options();
  e.engine.errors = &error;
  e.warmup = 100;
  e.window = 500;
  e.drain = 1000;
  const Outcome o = run_experiment(e, net.topology, *net.routes, *net.routers);
  EXPECT_TRUE(error.done) << "the error was never made";
  EXPECT_EQ(o.tally.violations_seen, 1U);
  ASSERT_FALSE(o.tally.violations.empty());
  EXPECT_NE(o.tally.violations[0].text.find("was not delivered"), std::string::npos);
  EXPECT_LT(o.cycles, 10000U) << "it waited for what cannot come";
}

TEST(NetworkScoreboard, AWrongPayloadIsSeen) {
  const std::string all = violations_with([](Flit& f, bool& done) {
    done = !f.head;
    if (done) f.index ^= 4;
    return true;
  });
  EXPECT_NE(all.find("was due"), std::string::npos) << all;
}

TEST(NetworkScoreboard, AWrongHeaderIsSeen) {
  const std::string all = violations_with([](Flit& f, bool& done) {
    done = f.head;
    if (done) f.length ^= 1;
    return true;
  });
  EXPECT_NE(all.find("came with dest"), std::string::npos) << all;
}

TEST(NetworkScoreboard, AnUnknownPacketIsSeen) {
  const std::string all = violations_with([](Flit& f, bool& done) {
    done = f.head;
    if (done) f.packet += 77 * PacketStore::kPlaces;
    return true;
  });
  EXPECT_NE(all.find("is not known"), std::string::npos) << all;
  EXPECT_NE(all.find("was not delivered"), std::string::npos) << all;
}

TEST(NetworkScoreboard, AMisroutedPacketIsSeen) {
  const std::string all = violations_with([](Flit& f, bool& done) {
    done = f.head && fabric::decode_leg(f.route, 0).hops != 0;
    if (done) f.route = 0;  // deliver at the next node
    return true;
  });
  EXPECT_NE(all.find("is not for this node"), std::string::npos) << all;
}

/// Routers that put the local flits of node 3 out twice, or swap two packets.
struct Meddler : ModelRouters {
  using ModelRouters::ModelRouters;
  bool twice = false, swap = false, done = false;
  Flit kept;
  bool have = false;
  void step(uint32_t index, const PortInputs& in, PortOutputs& out) override {
    ModelRouters::step(index, in, out);
    if (index != 3 || done) return;
    const bool here = out.valid >> 4 & 1;
    if (twice) {
      if (here) {
        kept = out.flit[4];
        have = true;
      } else if (have) {
        out.flit[4] = kept;
        out.valid |= 1 << 4;
        done = true;
      }
    } else if (swap) {
      if (here && !have && out.flit[4].src == 2) {
        kept = out.flit[4];
        have = true;
        out.valid &= 0xf;
      } else if (!here && have) {
        out.flit[4] = kept;
        out.valid |= 1 << 4;
        done = true;
      }
    }
  }
};

std::string meddled(bool twice) {
  Net net({4, 4, 1}, 2, false, "full", "model");
  Meddler routers(16, {2, 8, 16});
  routers.twice = twice;
  routers.swap = !twice;
  Traffic t = traffic(Pattern::kTrace, 0);
  // The two of node 2 leave it one behind the other.
  for (uint64_t i = 0; i < 20; ++i) {
    t.trace.push_back({10 * i, 2, 3, 1});
    t.trace.push_back({10 * i, 2, 3, 1});
  }
  Engine engine(net.topology, *net.routes, routers, t, net.options());
  engine.run(400);
  std::string all;
  for (const Violation& v : engine.violations()) all += v.text + "\n";
  return all;
}

TEST(NetworkScoreboard, APacketDeliveredTwiceIsSeen) {
  const std::string all = meddled(true);
  EXPECT_NE(all.find("came a second time"), std::string::npos) << all;
  EXPECT_NE(all.find("of node 2 to node 3"), std::string::npos) << all;
}

TEST(NetworkScoreboard, PacketsOutOfOrderAreSeen) {
  const std::string all = meddled(false);
  EXPECT_NE(all.find("came behind a later one"), std::string::npos) << all;
}

}  // namespace
}  // namespace ttpu::network
