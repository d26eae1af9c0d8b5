#include "fabric/load.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "fabric/route_walk.h"

namespace ttpu::fabric {
namespace {

/// Above, a bound takes too long: only mean hops and single dimensions are tried.
constexpr size_t kMostNodesToCut = 1024;

/// The nodes and cables of one slice.
struct Part {
  std::vector<uint32_t> nodes;
  std::vector<uint32_t> cables;
};

std::vector<Part> parts_of(const Topology& t) {
  std::vector<Part> parts;
  for (uint32_t node = 0; node < t.nodes(); ++node) {
    if (t.slice[node] == kNoSlice || t.dead_node[node]) continue;
    if (parts.size() <= t.slice[node]) parts.resize(t.slice[node] + 1);
    Part& part = parts[t.slice[node]];
    part.nodes.push_back(node);
    for (uint32_t p = 0; p < t.ports_per_node(); ++p)
      if (open_to_routes(t, node, p)) part.cables.push_back(node * t.ports_per_node() + p);
  }
  return parts;
}

/// Bounds of one slice for given weights of its cables.
class Weighing {
 public:
  Weighing(const Topology& topology, const Part& part)
      : t_(topology),
        part_(part),
        weight(topology.ports.size(), 0),
        flow(topology.ports.size(), 0),
        ports_(topology.ports_per_node()),
        to_(topology.ports.size(), kNoNode),
        far_(topology.nodes()),
        via_(topology.nodes()),
        done_(topology.nodes()) {
    for (const uint32_t cable : part.cables) to_[cable] = topology.ports[cable].peer.node;
  }

  /// The bound for `weight`. With `flows` also `flow`: units on each cable if all took the shortest
  /// weighted ways.
  double bound(bool flows = false) {
    double sum = 0;
    binary_ = true;
    for (const uint32_t cable : part_.cables) {
      sum += weight[cable];
      binary_ &= weight[cable] == 0 || weight[cable] == 1;
    }
    std::fill(done_.begin(), done_.end(), 0);
    if (flows) std::fill(flow.begin(), flow.end(), 0);
    if (sum <= 0) return 0;
    double length = 0;
    for (const uint32_t src : part_.nodes) length += lengths_from(src, flows);
    return length / sum;
  }

 private:
  double lengths_from(uint32_t src, bool flows) {
    for (const uint32_t node : part_.nodes) far_[node] = HUGE_VAL;
    order_.clear();
    far_[src] = 0;
    if (binary_)
      search_binary(src);
    else
      search(src);
    double sum = 0;
    for (const uint32_t node : order_) sum += far_[node];
    if (flows) {
      below_.assign(t_.nodes(), 1);
      for (size_t i = order_.size(); i-- > 1;) {
        const uint32_t cable = via_[order_[i]];
        flow[cable] += below_[order_[i]];
        below_[cable / ports_] += below_[order_[i]];
      }
    }
    return sum;
  }

  bool nearer(uint32_t node, uint32_t port) {
    const uint32_t cable = node * ports_ + port;
    const uint32_t to = to_[cable];
    if (to == kNoNode || far_[to] <= far_[node] + weight[cable]) return false;
    far_[to] = far_[node] + weight[cable];
    via_[to] = cable;
    return true;
  }

  void search(uint32_t src) {
    using Item = std::pair<double, uint32_t>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    queue.push({0, src});
    while (!queue.empty()) {
      const auto [length, node] = queue.top();
      queue.pop();
      if (length > far_[node]) continue;
      order_.push_back(node);
      for (uint32_t p = 0; p < ports_; ++p)
        if (nearer(node, p)) queue.push({far_[to_[node * ports_ + p]], to_[node * ports_ + p]});
    }
  }

  /// All weights are 0 or 1: two lists do for a queue.
  void search_binary(uint32_t src) {
    std::vector<uint32_t>& now = now_;
    std::vector<uint32_t>& later = later_;
    now.assign(1, src);
    for (double length = 0; !now.empty(); ++length) {
      later.clear();
      for (size_t i = 0; i < now.size(); ++i) {
        const uint32_t node = now[i];
        if (far_[node] != length || done_[node] == src + 1) continue;
        done_[node] = src + 1;
        order_.push_back(node);
        for (uint32_t p = 0; p < ports_; ++p)
          if (nearer(node, p))
            (weight[node * ports_ + p] == 0 ? now : later).push_back(to_[node * ports_ + p]);
      }
      std::swap(now, later);
    }
  }

  const Topology& t_;
  const Part& part_;

 public:
  std::vector<double> weight;  ///< [cable]
  std::vector<double> flow;    ///< [cable]

 private:
  uint32_t ports_;
  std::vector<uint32_t> to_;  ///< [cable] its far end, if it is open to routes
  std::vector<double> far_;   ///< [node] weighted length of the way there
  std::vector<uint32_t> via_, order_, below_, now_, later_;
  std::vector<uint32_t> done_;  ///< [node] source + 1 of the last search that came there
  bool binary_ = false;
};

void keep_better(LoadBound& best, double theta, const std::string& how) {
  // Rounding must not choose the bound's name.
  if (theta > best.theta * (1 + 1e-9)) best = {theta, how};
}

LoadBound bound_of(const Topology& t, const Part& part, const Loads* loads, uint32_t rounds) {
  LoadBound best;
  Weighing w(t, part);
  std::vector<double> best_weight;
  const auto consider = [&](const std::string& how) {
    const double before = best.theta;
    keep_better(best, w.bound(), how);
    if (best.theta != before) best_weight = w.weight;
  };
  const auto weigh = [&](const std::function<double(uint32_t node, uint32_t port)>& of) {
    for (const uint32_t cable : part.cables)
      w.weight[cable] = of(cable / t.ports_per_node(), cable % t.ports_per_node());
  };
  weigh([](uint32_t, uint32_t) { return 1.0; });
  consider("mean hops over cables");
  for (uint32_t d = 0; d < t.dims; ++d) {
    const std::string axis = port_text(2 * d, t.dims).substr(1);
    weigh([&](uint32_t, uint32_t p) { return p / 2 == d ? 1.0 : 0.0; });
    consider("hops in " + axis);
    if (part.nodes.size() > kMostNodesToCut || t.size[d] % 2) continue;
    for (uint32_t cut = 0; cut < t.size[d] / 2; ++cut) {
      const auto half = [&](uint32_t node) {
        return (t.coordinates(node)[d] + t.size[d] - cut) % t.size[d] < t.size[d] / 2;
      };
      weigh([&](uint32_t node, uint32_t p) {
        return half(node) != half(t.port(node, p).peer.node) ? 1.0 : 0.0;
      });
      consider("bisection in " + axis + " before " + std::to_string(cut));
    }
  }
  if (loads && part.nodes.size() <= kMostNodesToCut) {
    const double most = std::max(1U, loads->max_cable);
    for (const double power : {4.0, 16.0, 64.0}) {
      weigh([&](uint32_t node, uint32_t p) {
        return std::pow(loads->cable[node * t.ports_per_node() + p] / most, power);
      });
      consider("cables weighed by load");
    }
  }
  w.weight = best_weight;
  for (uint32_t round = 0; round < rounds && !best_weight.empty(); ++round) {
    w.bound(true);
    double most = 1;
    for (const uint32_t cable : part.cables) most = std::max(most, w.flow[cable]);
    const double step = 0.5 / std::sqrt(1.0 + round);
    for (const uint32_t cable : part.cables)
      w.weight[cable] = (w.weight[cable] + 1e-6) * std::exp(step * w.flow[cable] / most);
    consider("cables weighed in rounds");
  }
  return best;
}

}  // namespace

Loads channel_loads(const Topology& t, const Routes& routes) {
  Loads loads;
  loads.cable.assign(t.ports.size(), 0);
  loads.channel.assign(t.ports.size() * 2, 0);
  for (uint32_t src = 0; src < t.nodes(); ++src)
    for (uint32_t dest = 0; dest < t.nodes(); ++dest) {
      if (!is_pair(t, src, dest)) continue;
      const Route route = routes.route(src, dest);
      if (route == kNoRoute) continue;
      walk(t, src, route, [&](Channel c) {
        const uint32_t cable = c.node * t.ports_per_node() + c.port;
        ++loads.cable[cable];
        ++loads.channel[cable * 2 + c.vclass];
      });
    }
  uint64_t sum = 0;
  uint64_t open = 0;
  for (uint32_t cable = 0; cable < loads.cable.size(); ++cable) {
    sum += loads.cable[cable];
    open += open_to_routes(t, cable / t.ports_per_node(), cable % t.ports_per_node());
    loads.max_cable = std::max(loads.max_cable, loads.cable[cable]);
  }
  for (const uint32_t units : loads.channel) loads.max_channel = std::max(loads.max_channel, units);
  loads.mean_cable = open ? static_cast<double>(sum) / static_cast<double>(open) : 0;
  return loads;
}

LoadBound theta_bound(const Topology& topology, const Loads* loads, uint32_t rounds) {
  LoadBound best;
  for (const Part& part : parts_of(topology)) {
    const LoadBound bound = bound_of(topology, part, loads, rounds);
    keep_better(best, bound.theta, bound.how);
  }
  return best;
}

}  // namespace ttpu::fabric
