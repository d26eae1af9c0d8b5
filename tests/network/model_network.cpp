// Networks of the C++ model against networks of RTL routers: the same engine, the same traffic, and
// the same figures. What is asked for is equal latency at zero load, saturation within 2%, and the
// latency curve within 5%; the model is exact, so the figures have to be equal.
#include <gtest/gtest.h>

#include <cstdio>

#include "network/model.h"
#include "network_bench.h"

namespace ttpu::network {
namespace {

struct Case {
  const char* name;
  std::array<uint32_t, 3> size;
  uint32_t dims;
  bool twisted;
  const char* config;
  uint32_t flits;  ///< of a packet
};
constexpr Case kCases[] = {
    {"8x8", {8, 8, 1}, 2, false, "full", 1},   {"8x8", {8, 8, 1}, 2, false, "full", 8},
    {"8x8", {8, 8, 1}, 2, false, "small", 5},  {"4x4x4", {4, 4, 4}, 3, false, "full", 1},
    {"4x4x4", {4, 4, 4}, 3, false, "full", 8}, {"4x4x8 twisted", {4, 4, 8}, 3, true, "small", 3}};

std::string text_of(const Case& c) {
  return std::string(c.name) + " " + c.config + ", packets of " + std::to_string(c.flits);
}

Experiment experiment(const Net& net, const Case& c, double load) {
  Experiment e;
  e.traffic = traffic(Pattern::kUniform, load, {{c.flits, 1}});
  e.traffic.channels = 2;
  e.engine = net.options();
  e.warmup = tb::long_run() ? 3000 : 300;
  e.window = tb::long_run() ? 6000 : 600;
  e.drain = tb::long_run() ? 20000 : 600;
  return e;
}

Outcome run(Net& net, const Case& c, double load) {
  net.renew();
  return run_experiment(experiment(net, c, load), net.topology, *net.routes, *net.routers);
}

/// All that was measured, and every count of the engine, is the same.
void expect_equal(const Outcome& rtl, const Outcome& model) {
  EXPECT_EQ(rtl.offered, model.offered);
  EXPECT_EQ(rtl.accepted, model.accepted);
  EXPECT_EQ(rtl.worst_node, model.worst_node);
  EXPECT_EQ(rtl.worst_source, model.worst_source);
  EXPECT_EQ(rtl.latency_mean, model.latency_mean);
  EXPECT_EQ(rtl.latency_p50, model.latency_p50);
  EXPECT_EQ(rtl.latency_p99, model.latency_p99);
  EXPECT_EQ(rtl.latency_max, model.latency_max);
  EXPECT_EQ(rtl.link_load_max, model.link_load_max);
  EXPECT_EQ(rtl.link_load_mean, model.link_load_mean);
  EXPECT_EQ(rtl.cycles, model.cycles) << "cycles until the network was empty";
  EXPECT_EQ(rtl.tally.by_source, model.tally.by_source);
  EXPECT_EQ(rtl.tally.batch_flits, model.tally.batch_flits);
  EXPECT_EQ(rtl.tally.batch_latency, model.tally.batch_latency);
  EXPECT_EQ(rtl.tally.flits_injected, model.tally.flits_injected);
  EXPECT_GT(rtl.tally.flits_injected, 1000U);
  EXPECT_TRUE(rtl.ok());
  EXPECT_TRUE(model.ok()) << (model.errors().empty() ? "stuck" : model.errors().front());
}

/// Latency at zero load, and along the curve to beyond saturation.
TEST(ModelNetwork, LatencyCurveIsEqual) {
  for (const Case& c : kCases) {
    Net rtl(c.size, c.dims, c.twisted, c.config, "rtl-checked");
    Net model(c.size, c.dims, c.twisted, c.config, "model");
    double zero_load = 0;
    for (const double load : {0.02, 0.4, 0.8, 1.0}) {
      SCOPED_TRACE(text_of(c) + ", load " + std::to_string(load));
      const Outcome r = run(rtl, c, load), m = run(model, c, load);
      std::printf("%-32s load %.2f: accepted %.4f %.4f, mean latency %.2f %.2f (RTL, model)\n",
                  text_of(c).c_str(), load, r.accepted, m.accepted, r.latency_mean, m.latency_mean);
      expect_equal(r, m);
      if (zero_load == 0) zero_load = m.latency_mean;
      EXPECT_GE(m.latency_mean, zero_load) << "the curve does not rise";
    }
  }
}

TEST(ModelNetwork, SaturationIsEqual) {
  for (const Case& c : kCases) {
    if (&c != &kCases[0] && !tb::long_run()) continue;
    Net rtl(c.size, c.dims, c.twisted, c.config, "rtl-checked");
    Net model(c.size, c.dims, c.twisted, c.config, "model");
    const double step = 0.02;
    const Curve r = find_saturation([&](double load) { return run(rtl, c, load); }, step);
    const Curve m = find_saturation([&](double load) { return run(model, c, load); }, step);
    std::printf("%-32s saturation %.3f %.3f (RTL, model)\n", text_of(c).c_str(), r.saturation,
                m.saturation);
    EXPECT_GT(r.saturation, 0.1) << text_of(c);
    EXPECT_EQ(r.saturation, m.saturation) << text_of(c);
    EXPECT_EQ(r.latency_3x, m.latency_3x) << text_of(c);
  }
}

/// Multicasts along an axis, to their end.
TEST(ModelNetwork, MulticastIsEqual) {
  for (const uint32_t axis : {0U, 1U}) {
    Outcome outcome[2];
    for (const bool is_model : {false, true}) {
      Net net({4, 4, 4}, 3, false, "small", is_model ? "model" : "rtl-checked");
      Experiment e;
      e.traffic = traffic(Pattern::kMulticast, 0.4, {{1, 1}, {6, 1}});
      e.traffic.axis = axis;
      e.traffic.packets = 20;
      e.engine = net.options();
      e.engine.eject_stall_percent = 20;
      outcome[is_model] = run_experiment(e, net.topology, *net.routes, *net.routers);
    }
    SCOPED_TRACE("axis " + std::to_string(axis));
    expect_equal(outcome[0], outcome[1]);
    EXPECT_EQ(outcome[0].completion, outcome[1].completion);
  }
}

/// A cable fails under load: packets cut, dropped and delivered are the same in number, and in
/// time.
TEST(ModelNetwork, FailingCableIsEqual) {
  Tally tally[2];
  uint64_t dropped[2], cycle[2];
  for (const bool is_model : {false, true}) {
    Net net({8, 8, 1}, 2, false, "full", is_model ? "model" : "rtl-checked");
    Engine engine(net.topology, *net.routes, *net.routers,
                  traffic(Pattern::kUniform, 0.6, {{1, 1}, {7, 1}}), net.options());
    engine.measure(4000, 4);
    engine.run(400);
    engine.fail_link(19, 0);
    engine.run(300);
    engine.fail_link(44, 3);
    engine.run(300);
    engine.stop();
    EXPECT_TRUE(engine.drain(20000));
    cycle[is_model] = engine.cycle();
    dropped[is_model] = engine.dropped();
    tally[is_model] = engine.tally();
  }
  EXPECT_GT(dropped[0], 10U);
  EXPECT_GT(tally[0].packets_cut, 0U);
  EXPECT_EQ(dropped[0], dropped[1]);
  EXPECT_EQ(cycle[0], cycle[1]);
  EXPECT_EQ(tally[0].packets_cut, tally[1].packets_cut);
  EXPECT_EQ(tally[0].packets_delivered, tally[1].packets_delivered);
  EXPECT_EQ(tally[0].by_source, tally[1].by_source);
  EXPECT_EQ(tally[0].batch_latency, tally[1].batch_latency);
}

/// The largest network there is to be simulated. Its routers' memory is to stay small.
TEST(ModelNetwork, Of9216NodesDeliversEverything) {
  const auto topology = fabric::make_torus({16, 24, 24}, 3);
  ASSERT_EQ(topology.nodes(), 9216U);
  const auto routes = fabric::dimension_order(topology);
  ModelRouters routers(topology.nodes(), {3, 8, 16});
  EXPECT_LT(routers.memory(), size_t{512} << 20);
  Traffic t = traffic(Pattern::kUniform, 0.25);
  t.packets = 20;
  EngineOptions options;
  options.seed = tb::run_seed();
  Engine engine(topology, *routes, routers, t, options);
  engine.run(40);
  EXPECT_GT(engine.flits_inside(), 50000U);
  for (int i = 0; i < 40 && !engine.finished() && !engine.stuck(); ++i) engine.run(20);
  engine.check_all_delivered();
  expect_no_violation(engine);
  EXPECT_EQ(engine.tally().packets_delivered, uint64_t{9216} * 20);
}

}  // namespace
}  // namespace ttpu::network
