// What networks of RTL routers and the model deliver in a fixed run against the checked-in
// baselines (baselines.json). Any change, better or worse, fails until they are written again with
// the reason:
//   TTPU_UPDATE_BASELINES="why it changed" build/tests/test_network_baselines
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "network_bench.h"

namespace ttpu::network {
namespace {

using Json = nlohmann::ordered_json;

struct Workload {
  const char* name;
  std::array<uint32_t, 3> size;
  uint32_t dims;
  bool twisted;
  const char* config;
  Pattern pattern;
  double load;
  uint32_t flits;
};
constexpr Workload kWorkloads[] = {
    {"8x8/full/uniform_1_load_1.0", {8, 8, 1}, 2, false, "full", Pattern::kUniform, 1.0, 1},
    {"8x8/full/uniform_8_load_1.0", {8, 8, 1}, 2, false, "full", Pattern::kUniform, 1.0, 8},
    {"8x8/full/uniform_1_load_0.5", {8, 8, 1}, 2, false, "full", Pattern::kUniform, 0.5, 1},
    {"8x8/medium/uniform_1_load_1.0", {8, 8, 1}, 2, false, "medium", Pattern::kUniform, 1.0, 1},
    {"8x8/full/tornado_1_load_1.0", {8, 8, 1}, 2, false, "full", Pattern::kTornado, 1.0, 1},
    {"4x4x4/full/uniform_1_load_1.0", {4, 4, 4}, 3, false, "full", Pattern::kUniform, 1.0, 1},
    {"4x4x4/small/uniform_8_load_0.4", {4, 4, 4}, 3, false, "small", Pattern::kUniform, 0.4, 8},
    {"4x4x8/full/all_to_all_4_load_0.8", {4, 4, 8}, 3, false, "full", Pattern::kAllToAll, 0.8, 4},
};

TEST(NetworkBaselines, DeliveriesEqualTheBaselines) {
  const char* reason = std::getenv("TTPU_UPDATE_BASELINES");
  Json baselines = Json::object();
  if (std::ifstream in(TTPU_NETWORK_BASELINES); in) in >> baselines;
  Json measured;
  measured["about"] =
      "seed 1, 600 cycles of warm-up, 600 measured: flits accepted; packets born in "
      "the window that arrived, and the sum of their latencies";
  measured["reason"] = reason ? reason : baselines.value("reason", std::string());
  for (const Workload& w : kWorkloads) {
    Json first;
    for (const char* device : {"rtl", "model"}) {
      Net net(w.size, w.dims, w.twisted, w.config, device);
      Experiment e;
      e.engine = net.options();
      e.engine.seed = 1;
      e.warmup = e.window = e.drain = 600;
      e.batches = 1;
      e.traffic = traffic(w.pattern, w.load, {{w.flits, 1}});
      const Outcome o = run_experiment(e, net.topology, *net.routes, *net.routers);
      EXPECT_TRUE(o.ok()) << w.name << " on " << device;
      const Json now = {{"accepted_flits", o.tally.accepted_flits},
                        {"packets", o.latency.count()},
                        {"latency_sum", o.tally.batch_latency[0]}};
      if (first.empty())
        first = now;
      else
        EXPECT_EQ(now, first) << w.name << ": " << device << " is not what rtl is";
    }
    measured["runs"][w.name] = first;
    if (reason) continue;
    ASSERT_TRUE(baselines.contains("runs") && baselines["runs"].contains(w.name))
        << w.name << " has no baseline";
    EXPECT_EQ(first, baselines["runs"][w.name])
        << w.name << ": if the change is meant, write the baselines again: "
        << "TTPU_UPDATE_BASELINES=\"the reason\" build/tests/test_network_baselines";
  }
  if (reason) {
    ASSERT_GT(std::string(reason).size(), 10U) << "a reason, please";
    std::ofstream(TTPU_NETWORK_BASELINES) << measured.dump(2) << "\n";
    return;
  }
  for (const auto& [name, run] : baselines["runs"].items())
    EXPECT_TRUE(measured["runs"].contains(name)) << name << " has a baseline and was not run";
}

}  // namespace
}  // namespace ttpu::network
