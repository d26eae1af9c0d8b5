// What the tests of the network simulator share: networks, runs, and checks that name what is
// wrong.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "fabric/route_compute.h"
#include "network/experiment.h"
#include "network/library.h"
#include "tb/random.h"

namespace ttpu::network {

/// A topology with its routes and the routers of a named configuration.
struct Net {
  fabric::Topology topology;
  std::unique_ptr<fabric::Routes> routes;
  ici::RouterConfig config;
  std::unique_ptr<Routers> routers;
  std::string device;

  Net(std::array<uint32_t, 3> size, uint32_t dims, bool twisted, const std::string& config_name,
      const std::string& device_name)
      : topology(fabric::make_torus(
            size, dims, twisted ? fabric::standard_twist(size, dims) : fabric::Twist{})),
        config(router_config(config_name)),
        device(device_name) {
    if (twisted)
      routes = std::make_unique<fabric::RouteTable>(fabric::compute_routes(topology).table);
    else
      routes = fabric::dimension_order(topology);
    renew();
  }
  /// Routers out of reset.
  void renew() { routers = open_routers(device, config, topology.dims, topology.nodes()); }
  void set_latency(uint32_t cycles) {
    for (fabric::Port& p : topology.ports) p.latency = cycles;
  }
  EngineOptions options() const {
    EngineOptions o;
    o.vcs = config.vcs;
    o.depth = config.depth;
    o.seed = tb::run_seed();
    return o;
  }
};

inline Traffic traffic(Pattern pattern, double load, std::vector<SizeShare> sizes = {{1, 1}}) {
  Traffic t;
  t.pattern = pattern;
  t.load = load;
  t.sizes = std::move(sizes);
  return t;
}

inline void expect_no_violation(const Engine& engine) {
  for (const Violation& v : engine.violations())
    ADD_FAILURE() << "cycle " << v.cycle << ", node " << v.node << ": " << v.text;
  EXPECT_EQ(engine.tally().violations_seen, 0U);
}

/// Nothing new, everything arrives, nothing was lost or wrong.
inline void drain_and_check(Engine& engine, uint64_t limit = 200000) {
  engine.stop();
  EXPECT_TRUE(engine.drain(limit))
      << "not empty in cycle " << engine.cycle() << ": " << engine.flits_inside()
      << " flits inside, " << (engine.stuck() ? engine.stuck_dump() : "");
  engine.check_all_delivered();
  expect_no_violation(engine);
  const Tally t = engine.tally();
  EXPECT_EQ(t.packets_made, t.packets_delivered + t.packets_cancelled);
}

}  // namespace ttpu::network
