#include "network/experiment.h"

#include <time.h>

#include <algorithm>
#include <chrono>

#include "fabric/load.h"
#include "fabric/route_walk.h"

namespace ttpu::network {
namespace {

double seconds_now(bool cpu) {
  if (!cpu)
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  timespec t;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool finite(const Traffic& traffic) {
  return traffic.packets != 0 || traffic.pattern == Pattern::kTrace;
}

/// Nodes that send, by the traffic's rule.
std::vector<uint32_t> senders(const Traffic& traffic, const fabric::Topology& topology) {
  const Destinations destinations(traffic, topology);
  std::vector<uint32_t> r;
  if (traffic.pattern == Pattern::kTrace) {
    for (const TraceLine& line : traffic.trace) r.push_back(line.src);
    std::sort(r.begin(), r.end());
    r.erase(std::unique(r.begin(), r.end()), r.end());
    return r;
  }
  for (uint32_t n = 0; n < topology.nodes(); ++n)
    if (destinations.sends(n)) r.push_back(n);
  return r;
}

void fill(Outcome& o, const Engine& engine, const Experiment& e, double cycles) {
  const Tally& t = o.tally;
  const auto& topology = engine.topology();
  const std::vector<uint32_t> nodes = senders(e.traffic, topology);
  const auto per_node_cycle = 1 / (static_cast<double>(std::max<size_t>(nodes.size(), 1)) * cycles);
  // All packets of finite traffic are sent: its flits are counted, not taken to be of mean size.
  o.offered =
      (finite(e.traffic) ? static_cast<double>(t.flits_injected)
                         : static_cast<double>(t.offered_packets) * e.traffic.mean_flits()) *
      per_node_cycle;
  o.accepted = static_cast<double>(t.accepted_flits) * per_node_cycle;
  if (!nodes.empty()) {
    o.worst_source = *std::min_element(nodes.begin(), nodes.end(), [&](uint32_t a, uint32_t b) {
      return t.by_source[a] < t.by_source[b];
    });
    o.worst_node = static_cast<double>(t.by_source[o.worst_source]) / cycles;
  }
  o.latency = t.latency;
  o.latency_mean = t.latency.mean();
  o.latency_p50 = t.latency.quantile(0.5);
  o.latency_p99 = t.latency.quantile(0.99);
  o.latency_max = t.latency.max();
  uint64_t sum = 0, most = 0, cables = 0;
  for (uint32_t i = 0; i < engine.link_flits().size(); ++i) {
    const uint32_t ports = topology.ports_per_node();
    if (!topology.usable(i / ports, i % ports)) continue;
    ++cables;
    sum += engine.link_flits()[i];
    if (engine.link_flits()[i] <= most) continue;
    most = engine.link_flits()[i];
    o.busiest_node = i / ports;
    o.busiest_port = i % ports;
  }
  o.link_load_max = static_cast<double>(most) / cycles;
  o.link_load_mean =
      static_cast<double>(sum) / static_cast<double>(std::max<uint64_t>(cables, 1)) / cycles;
}

}  // namespace

std::vector<std::string> Outcome::errors() const {
  std::vector<std::string> r;
  for (const Violation& v : tally.violations)
    r.push_back("cycle " + std::to_string(v.cycle) + ": " + v.text);
  if (tally.violations_seen > r.size())
    r.push_back("... and " + std::to_string(tally.violations_seen - r.size()) + " more");
  return r;
}

Outcome run_experiment(const Experiment& e, const fabric::Topology& topology,
                       const fabric::Routes& routes, Routers& routers) {
  Engine engine(topology, routes, routers, e.traffic, e.engine);
  Outcome o;
  const bool cpu = e.engine.threads == 1;
  if (finite(e.traffic)) {
    // All of it is measured; a network that moves ends, one that does not is stuck.
    engine.measure(uint64_t{1} << 40, 1);
    const double start = seconds_now(cpu);
    while (!engine.finished() && !engine.stuck() && !engine.idle()) {
      engine.run(256);
      if (engine.tally().violations_seen != 0) break;
    }
    o.seconds = seconds_now(cpu) - start;
    o.cycles = engine.cycle();
    o.completion = engine.last_moved();
    if (!engine.stuck()) engine.check_all_delivered();
    o.tally = engine.tally();
    fill(o, engine, e, static_cast<double>(std::max<uint64_t>(o.completion, 1)));
    o.kcycles_per_s = static_cast<double>(o.cycles) / std::max(o.seconds, 1e-9) / 1e3;
  } else {
    engine.run(e.warmup);
    engine.measure(e.window, e.batches);
    const Measurement& m = engine.measurement();
    const double start = seconds_now(cpu);
    engine.run(m.last - m.first);
    o.seconds = seconds_now(cpu) - start;
    o.kcycles_per_s = static_cast<double>(m.last - m.first) / std::max(o.seconds, 1e-9) / 1e3;
    // Traffic goes on while the measured packets arrive, so that the last of them see the same
    // network as the first.
    const uint64_t end = engine.cycle() + e.drain;
    while (engine.tally().offered_open != 0 && engine.cycle() < end && !engine.stuck())
      engine.run(std::min<uint64_t>(256, end - engine.cycle()));
    o.tally = engine.tally();
    o.latency_complete = o.tally.offered_open == 0;
    fill(o, engine, e, static_cast<double>(m.last - m.first));
    std::vector<double> flits, latencies;
    const double share =
        static_cast<double>(std::max<size_t>(senders(e.traffic, topology).size(), 1)) *
        static_cast<double>(m.batch);
    for (size_t i = 0; i < o.tally.batch_flits.size(); ++i) {
      flits.push_back(static_cast<double>(o.tally.batch_flits[i]) / share);
      if (o.tally.batch_packets[i])
        latencies.push_back(static_cast<double>(o.tally.batch_latency[i]) /
                            static_cast<double>(o.tally.batch_packets[i]));
    }
    o.accepted_ci = batch_means(flits).half_width;
    o.latency_ci = batch_means(latencies).half_width;
    engine.stop();
    // Each cycle of this moves a flit, or the network is stuck: the limit is never what ends it.
    if (engine.drain(engine.flits_inside() * 64 + 100000)) engine.check_all_delivered();
    o.cycles = engine.cycle();
    const Tally after = engine.tally();
    o.tally.violations_seen = after.violations_seen;
    o.tally.violations = after.violations;
    o.tally.flits_injected = after.flits_injected;
    o.tally.flits_ejected = after.flits_ejected;
    o.tally.packets_made = after.packets_made;
    o.tally.packets_delivered = after.packets_delivered;
    o.tally.packets_cancelled = after.packets_cancelled;
  }
  o.stuck = engine.stuck();
  if (o.stuck) o.dump = engine.stuck_dump();
  o.dropped = engine.dropped();
  return o;
}

Bounds bounds_of(const Traffic& traffic, const fabric::Topology& topology,
                 const fabric::Routes& routes, uint32_t link_period) {
  constexpr uint32_t kLargest = 1024;  // nodes; every pair is looked at
  Bounds b;
  if (traffic.pattern == Pattern::kTrace || traffic.pattern == Pattern::kMulticast) return b;
  const Destinations destinations(traffic, topology);
  const bool even = traffic.pattern == Pattern::kUniform || traffic.pattern == Pattern::kAllToAll;
  const uint32_t nodes = topology.nodes();
  if (nodes > kLargest) return b;
  if (even) {
    uint32_t alive = 0;
    for (uint32_t n = 0; n < nodes; ++n) alive += destinations.sends(n);
    b.theta = fabric::theta_bound(topology).theta;
    if (b.theta > 0) b.theta_bound = (alive - 1) / b.theta / link_period;
  }
  std::vector<double> load(topology.ports.size());
  for (uint32_t s = 0; s < nodes; ++s)
    for (uint32_t d = 0; d < nodes; ++d) {
      const double share = destinations.share(s, d);
      if (share == 0 || s == d) continue;
      const fabric::Route route = routes.route(s, d);
      if (route == fabric::kNoRoute) continue;
      fabric::walk(topology, s, route, [&](fabric::Channel c) {
        load[c.node * topology.ports_per_node() + c.port] += share;
      });
    }
  const double most = *std::max_element(load.begin(), load.end());
  if (most > 0) b.route_bound = 1 / most / link_period;
  return b;
}

Curve find_saturation(const std::function<Outcome(double)>& run, double step) {
  Curve curve;
  const auto carried = [&](double load) {
    curve.points.push_back({load, run(load)});
    const Outcome& o = curve.points.back().outcome;
    return o.ok() && o.latency_complete && o.accepted + o.accepted_ci >= 0.98 * o.offered;
  };
  double good = 0, bad = 0;
  for (const double load : {0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
    const bool fits = carried(load);
    if (!curve.points.back().outcome.ok()) return curve;  // the caller says what is wrong
    if (fits && bad == 0) good = load;
    if (!fits && bad == 0) bad = load;
  }
  while (bad - good > step * 1.001) {
    const double middle = (good + bad) / 2;
    (carried(middle) ? good : bad) = middle;
    if (!curve.points.back().outcome.ok()) return curve;
  }
  curve.saturation = good;
  std::sort(curve.points.begin(), curve.points.end(),
            [](const Point& a, const Point& b) { return a.load < b.load; });
  const double limit = 3 * curve.points.front().outcome.latency_mean;
  for (size_t i = 1; i < curve.points.size(); ++i) {
    const Point &a = curve.points[i - 1], &b = curve.points[i];
    const double from = a.outcome.latency_mean, to = b.outcome.latency_mean;
    if (to < limit && b.outcome.latency_complete) continue;
    curve.latency_3x =
        to > from ? a.load + (b.load - a.load) * std::min(1.0, (limit - from) / (to - from))
                  : a.load;
    break;
  }
  return curve;
}

}  // namespace ttpu::network
