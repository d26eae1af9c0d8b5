// A measurement: warm-up, window, drain; what came out of it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "network/engine.h"

namespace ttpu::network {

struct Experiment {
  Traffic traffic;
  EngineOptions engine;
  uint64_t warmup = 2000;  ///< cycles
  uint64_t window = 5000;  ///< cycles, split into batches
  uint32_t batches = 10;
  uint64_t drain = 20000;  ///< cycles after the window in which measured packets may still arrive
};

struct Outcome {
  double offered = 0;      ///< flits a node a cycle, born in the window
  double accepted = 0;     ///< flits a node a cycle, delivered in the window
  double accepted_ci = 0;  ///< half-width of the 95% confidence interval, from batch means
  double worst_node = 0;   ///< of the sources: flits a cycle delivered
  uint32_t worst_source = 0;
  double latency_mean = 0, latency_ci = 0;  ///< birth to last flit, cycles
  uint64_t latency_p50 = 0, latency_p99 = 0, latency_max = 0;
  bool latency_complete = false;  ///< every packet born in the window has arrived
  Histogram latency;
  double link_load_max = 0, link_load_mean = 0;  ///< flits a cycle
  uint32_t busiest_node = 0, busiest_port = 0;
  uint64_t cycles = 0;       ///< simulated, all phases
  uint64_t completion = 0;   ///< finite traffic: cycle in which the last flit arrived
  double kcycles_per_s = 0;  ///< of the window, see seconds
  double seconds = 0;        ///< of the window: CPU time with one thread, else time on the clock
  Tally tally;
  uint64_t dropped = 0;
  bool stuck = false;
  std::string dump;  ///< of a stuck network, JSON
  bool ok() const { return !stuck && tally.violations_seen == 0; }
  std::vector<std::string> errors() const;
};

/// Run it on `routers` (out of reset). Finite traffic (Traffic::packets, or a trace) runs to its
/// end without warm-up and window: accepted is then over the whole run. Throws what Engine throws.
Outcome run_experiment(const Experiment& experiment, const fabric::Topology& topology,
                       const fabric::Routes& routes, Routers& routers);

/// What the topology and the routes allow, flits a node a cycle; 0 if it is not known (pattern
/// without a fixed matrix, or a network too large to look at every pair).
struct Bounds {
  double theta = 0;        ///< smallest possible maximum load; uniform and all-to-all only
  double theta_bound = 0;  ///< (nodes - 1) / theta / link_period
  double route_bound = 0;  ///< 1 / maximum load of these routes under this traffic / link_period
};
Bounds bounds_of(const Traffic& traffic, const fabric::Topology& topology,
                 const fabric::Routes& routes, uint32_t link_period);

/// A point of a curve.
struct Point {
  double load = 0;
  Outcome outcome;
};
struct Curve {
  std::vector<Point> points;  ///< by load
  double saturation = 0;      ///< see find_saturation
  double latency_3x = 0;      ///< load at which the mean latency is 3 times that of the first point
};
/// A load counts as carried if accepted, with its confidence interval, reaches 0.98 of offered, and
/// every packet of the window arrived in the drain. Saturation is the largest carried load, to
/// `step`: a coarse row of loads, then halving between the last that was carried and the first that
/// was not.
Curve find_saturation(const std::function<Outcome(double load)>& run, double step = 0.01);

}  // namespace ttpu::network
