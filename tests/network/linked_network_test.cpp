// Networks of RTL routers with an RTL link on every cable, over cables that lose and change frames.
#include <gtest/gtest.h>

#include "fabric/route_walk.h"
#include "network/link_errors.h"
#include "network_bench.h"

namespace ttpu::network {
namespace {

EngineOptions linked(const Net& net) {
  EngineOptions o = net.options();
  o.start = kLinkStart;
  return o;
}

TEST(NetworkLinks, ZeroLoadLatency) {
  for (const uint32_t cable : {1U, 9U}) {
    Net net({4, 4, 1}, 2, false, "full", "rtl-links");
    net.set_latency(cable);
    Traffic t = traffic(Pattern::kTrace, 0);
    uint64_t expected = 0;
    for (uint32_t d = 0; d < 16; ++d) {
      t.trace.push_back({200ULL * d, 5, d, 2});
      uint32_t hops = 0;
      fabric::walk(net.topology, 5, net.routes->route(5, d), [&](fabric::Channel) { ++hops; });
      expected += hops * (2 + 5 + cable) + 2 + 1;  // router, link, cable; router; second flit
    }
    Engine engine(net.topology, *net.routes, *net.routers, t, linked(net));
    engine.measure(1 << 20, 1);
    while (!engine.finished() && !engine.stuck() && !engine.idle()) engine.run(500);
    engine.check_all_delivered();
    expect_no_violation(engine);
    EXPECT_EQ(engine.tally().latency.count(), 16U);
    EXPECT_EQ(engine.tally().batch_latency[0], expected) << "cable of " << cable;
  }
}

// Half of 1% of all frames lost, as many with a wrong bit: everything arrives once and in order.
TEST(NetworkLinks, ErrorsOnEveryCableLoseNothing) {
  const uint64_t wanted = tb::long_run() ? 1000000 : 6000;
  uint64_t moves = 0;
  for (const uint32_t threads : {1U, 2U}) {
    Net net({4, 4, 1}, 2, false, "small", "rtl-links");
    net.set_latency(3);
    Traffic t = traffic(Pattern::kUniform, 0.3, {{1, 0.5}, {6, 0.5}});
    t.channels = 2;
    RandomLinkErrors errors(net.topology, tb::run_seed(), 0.005, 0.005);
    EngineOptions options = linked(net);
    options.errors = &errors;
    options.threads = threads;
    options.eject_stall_percent = 10;
    Engine engine(net.topology, *net.routes, *net.routers, t, options);
    while (engine.tally().flits_ejected < wanted && !engine.stuck() &&
           engine.tally().violations_seen == 0)
      engine.run(99);
    drain_and_check(engine);
    EXPECT_GE(engine.tally().flits_ejected, wanted);
    EXPECT_GT(errors.lost_frames(), 100U);
    EXPECT_GT(errors.flipped_frames(), 100U);
    EXPECT_EQ(engine.dropped(), 0U);
    if (threads == 1)
      moves = engine.tally().moves;
    else
      EXPECT_EQ(engine.tally().moves, moves) << "threads change something";
  }
}

}  // namespace
}  // namespace ttpu::network
