#include "fabric/route_candidates.h"

#include <algorithm>

namespace ttpu::fabric {
namespace {

constexpr uint32_t kMostHops = (1U << ici::kLegHops.bits) - 1;
constexpr uint32_t kMostCandidates = 96;
constexpr uint32_t kMostDescents = 2;
constexpr uint32_t kMostExtraHops = 12;
constexpr uint32_t kMostSteps = 3000;

Route append(Route route, uint32_t legs, uint32_t port, uint32_t hops) {
  return route | encode_leg({static_cast<uint8_t>(port), static_cast<uint8_t>(hops), 0}, legs);
}

}  // namespace

Candidates::Candidates(const Topology& t)
    : nodes_(t.nodes()),
      ports_(t.ports_per_node()),
      next_(t.ports.size(), kNoNode),
      dateline_(t.ports.size()) {
  for (uint32_t node = 0; node < nodes_; ++node)
    for (uint32_t p = 0; p < ports_; ++p) {
      dateline_[node * ports_ + p] = t.port(node, p).dateline;
      if (open_to_routes(t, node, p)) next_[node * ports_ + p] = t.port(node, p).peer.node;
    }
  hops_.reserve(size_t{nodes_} * nodes_);
  for (uint32_t dest = 0; dest < nodes_; ++dest) {
    const auto hops = hops_to(t, dest);
    hops_.insert(hops_.end(), hops.begin(), hops.end());
  }
}

const std::vector<Route>& Candidates::shortest(uint32_t src, uint32_t dest) {
  found_.clear();
  dest_ = dest;
  if (hops(src, dest) != kFar) extend_shortest(src, 0, 0, 0);
  return found_;
}

void Candidates::extend_shortest(uint32_t node, uint32_t dim, Route route, uint32_t legs) {
  if (node == dest_) {
    found_.push_back(route);
    return;
  }
  for (uint32_t p = 2 * dim; p < ports_; ++p) {
    uint32_t at = node;
    for (uint32_t hop = 1; hop <= kMostHops; ++hop) {
      const uint32_t to = next_[at * ports_ + p];
      if (to == kNoNode || hops(to, dest_) >= hops(at, dest_)) break;
      at = to;
      extend_shortest(at, p / 2 + 1, append(route, legs, p, hop), legs + 1);
    }
  }
}

std::vector<Route> Candidates::detours(uint32_t src, uint32_t dest, uint64_t seed,
                                       uint32_t spread) {
  std::vector<Route> result;
  if (hops(src, dest) == kFar) return result;
  dest_ = dest;
  uint32_t last = kMostExtraHops;
  for (uint32_t extra = 0; extra <= last; ++extra) {
    found_.clear();
    limit_ = hops(src, dest) + extra;
    turn_ = static_cast<uint32_t>((seed ^ src * 7 ^ dest * 13) % ports_);
    budget_ = kMostSteps;
    extend(src, {});
    if (found_.empty()) continue;
    if (last == kMostExtraHops) last = std::min(last, extra + spread);
    // An even choice of what there is.
    const size_t room = kMostCandidates - result.size();
    const size_t take = std::min(found_.size(), extra == last ? room : room / 2);
    for (size_t i = 0; i < take; ++i) result.push_back(found_[i * found_.size() / take]);
  }
  return result;
}

void Candidates::extend(uint32_t node, const Path& path) {
  if (node == dest_) {
    // Shorter ones were found before.
    if (path.length == limit_) found_.push_back(path.route);
    return;
  }
  if (path.legs == ici::kLegs) return;
  for (uint32_t i = 0; i < ports_; ++i) {
    const uint32_t p = (i + turn_) % ports_;
    Path longer = path;
    if (path.legs) {
      const uint32_t before = decode_leg(path.route, path.legs - 1).dir / 2U;
      if (before == p / 2) continue;
      longer.descents += p / 2 < before;
      if (longer.descents > kMostDescents) continue;
    }
    longer.legs = path.legs + 1;
    uint32_t at = node;
    for (uint32_t hop = 1; hop <= kMostHops; ++hop) {
      at = next_[at * ports_ + p];
      if (at == kNoNode || path.length + hop + hops(at, dest_) > limit_ || budget_ == 0) break;
      --budget_;
      longer.length = path.length + hop;
      longer.route = append(path.route, path.legs, p, hop);
      extend(at, longer);
      if (at == dest_) break;
    }
  }
}

uint32_t Candidates::crossings(uint32_t src, Route route) const {
  uint32_t result = 0;
  uint32_t node = src;
  for (uint32_t i = 0; i < ici::kLegs; ++i) {
    const Leg leg = decode_leg(route, i);
    for (uint32_t hop = 0; hop < leg.hops; ++hop) {
      const uint32_t cable = node * ports_ + leg.dir;
      result |= uint32_t{dateline_[cable]} << i;
      node = next_[cable];
    }
  }
  return result;
}

}  // namespace ttpu::fabric
