#include "network/traffic.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace ttpu::network {
namespace {

constexpr uint32_t kMaxFlits = 256;  // the header's length field has 8 bits
constexpr uint64_t kMaxTraceCycle = 1'000'000'000;

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = {"uniform",        "tornado",   "transpose",
                                                 "bit-complement", "neighbour", "hotspot",
                                                 "all-to-all",     "multicast", "trace"};
  return names;
}

const char* name_of(Pattern pattern) {
  return pattern_names()[static_cast<size_t>(pattern)].c_str();
}

Pattern pattern_named(const std::string& name) {
  const auto& names = pattern_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw TrafficError("there is no traffic '" + name + "'");
  return static_cast<Pattern>(found - names.begin());
}

double Traffic::mean_flits() const {
  double sum = 0, weight = 0;
  for (const SizeShare& s : sizes) {
    sum += s.flits * s.share;
    weight += s.share;
  }
  return sum / weight;
}

std::vector<SizeShare> parse_sizes(const std::string& text) {
  std::vector<SizeShare> r;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    SizeShare s;
    std::istringstream fields(part);
    char colon = ':';
    fields >> s.flits;
    if (fields && !fields.eof()) fields >> colon >> s.share;
    const bool rest = !fields || colon != ':' || !fields.eof();
    if (rest || s.flits < 1 || s.flits > kMaxFlits || !(s.share > 0 && s.share <= 1e9))
      throw TrafficError("packet size '" + part + "': flits (1 to 256), or flits:share with a " +
                         "share above 0");
    r.push_back(s);
  }
  if (r.empty()) throw TrafficError("no packet size in '" + text + "'");
  return r;
}

std::vector<TraceLine> read_trace(const std::string& file, uint32_t nodes) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file)) throw TrafficError("cannot read '" + file + "'");
  std::vector<TraceLine> r;
  std::string text;
  for (uint32_t number = 1; std::getline(in, text); ++number) {
    text.resize(std::min(text.size(), text.find('#')));
    std::istringstream fields(text);
    std::string word;
    if (!(fields >> word)) continue;
    const auto fail = [&](const std::string& why) {
      throw TrafficError(file + ":" + std::to_string(number) + ": " + why);
    };
    fields.clear();
    fields.seekg(0);
    // A stream would take -5 for a number, a very large one.
    if (text.find('-') != std::string::npos) fail("numbers are not negative");
    TraceLine line;
    if (!(fields >> line.cycle >> line.src >> line.dest >> line.flits))
      fail("expected `cycle src dest flits`");
    if (fields >> word) fail("'" + word + "' after the number of flits");
    if (line.src >= nodes || line.dest >= nodes)
      fail("node " + std::to_string(std::max(line.src, line.dest)) + " of a network of " +
           std::to_string(nodes));
    if (line.flits < 1 || line.flits > kMaxFlits) fail("flits must be 1 to 256");
    if (line.cycle > kMaxTraceCycle)
      fail("cycle " + std::to_string(line.cycle) + "; at most " + std::to_string(kMaxTraceCycle));
    r.push_back(line);
  }
  if (r.empty()) throw TrafficError(file + ": no packet in it");
  std::stable_sort(r.begin(), r.end(),
                   [](const TraceLine& a, const TraceLine& b) { return a.cycle < b.cycle; });
  return r;
}

Destinations::Destinations(const Traffic& traffic, const fabric::Topology& topology)
    : pattern_(traffic.pattern),
      topology_(&topology),
      hotspot_share_(traffic.hotspot_share),
      hotspot_(traffic.hotspot),
      sizes_(traffic.sizes),
      peers_(topology.nodes()) {
  if (sizes_.empty()) throw TrafficError("no packet size");
  double total = 0;
  for (SizeShare& s : sizes_) s.share = total += s.share;
  for (SizeShare& s : sizes_) s.share /= total;

  const uint32_t nodes = topology.nodes();
  std::map<uint32_t, uint32_t> group_of;
  for (uint32_t n = 0; n < nodes; ++n) {
    const uint32_t slice = topology.slice[n];
    if (topology.dead_node[n] || slice == fabric::kNoSlice) {
      peers_[n].empty = true;
      continue;
    }
    const auto [at, fresh] = group_of.try_emplace(slice, groups_.size());
    if (fresh) groups_.emplace_back();
    peers_[n].group = at->second;
    peers_[n].place = static_cast<uint32_t>(groups_[at->second].size());
    groups_[at->second].push_back(n);
  }
  for (Peers& p : peers_)
    if (!p.empty && groups_[p.group].size() < 2) p.empty = true;
  for (const auto& group : groups_) {
    // One shuffled order of shifts for all, entered at another place by each node: at any time the
    // packets on their way go in all directions.
    std::vector<uint32_t> order;
    for (uint32_t i = 1; i < group.size(); ++i) order.push_back(i);
    Random random(group.size());
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    orders_.push_back(std::move(order));
  }

  const bool partial = groups_.size() > 1 || groups_.empty() || groups_[0].size() != nodes;
  switch (pattern_) {
    case Pattern::kTranspose:
      for (uint32_t d = 1; d < topology.dims; ++d)
        if (topology.size[d] != topology.size[0])
          throw TrafficError("transpose needs dimensions of one size");
      [[fallthrough]];
    case Pattern::kTornado:
    case Pattern::kBitComplement:
    case Pattern::kNeighbour:
    case Pattern::kMulticast:
      if (partial)
        throw TrafficError(std::string(name_of(pattern_)) +
                           " needs a network without slices and dead nodes");
      if (pattern_ == Pattern::kMulticast &&
          (traffic.axis >= topology.dims || topology.size[traffic.axis] < 2 ||
           topology.size[traffic.axis] > 16))
        throw TrafficError("multicast needs an axis with 2 to 16 nodes");
      if (pattern_ == Pattern::kMulticast)
        for (uint32_t n = 0; n < nodes; ++n)
          if (!topology.usable(n, 2 * traffic.axis))
            throw TrafficError("multicast needs whole rings along its axis: node " +
                               std::to_string(n) + " has no cable in service by " +
                               fabric::port_text(2 * traffic.axis, topology.dims));
      break;
    case Pattern::kHotspot:
      if (hotspot_ >= nodes || peers_[hotspot_].empty)
        throw TrafficError("the hot spot must be a living node");
      if (!(hotspot_share_ >= 0 && hotspot_share_ <= 1))
        throw TrafficError("the hot spot's share must be 0 to 1");
      break;
    default:
      break;
  }
}

uint32_t Destinations::fixed(uint32_t node) const {
  auto c = topology_->coordinates(node);
  const auto& size = topology_->size;
  switch (pattern_) {
    case Pattern::kTornado:
      for (uint32_t d = 0; d < topology_->dims; ++d)
        c[d] = (c[d] + (size[d] + 1) / 2 - 1) % size[d];
      break;
    case Pattern::kTranspose:
      std::rotate(c.begin(), c.begin() + 1, c.begin() + topology_->dims);
      break;
    case Pattern::kBitComplement:
      for (uint32_t d = 0; d < topology_->dims; ++d) c[d] = size[d] - 1 - c[d];
      break;
    default:
      c[0] = (c[0] + 1) % size[0];
      break;
  }
  return topology_->node_at(c);
}

uint32_t Destinations::other(uint32_t node, uint64_t k) const {
  const Peers& p = peers_[node];
  const auto& group = groups_[p.group];
  return group[(p.place + k) % group.size()];
}

uint32_t Destinations::pick(uint32_t node, uint64_t k, Random& random) const {
  const Peers& p = peers_[node];
  const auto& group = groups_[p.group];
  switch (pattern_) {
    case Pattern::kHotspot:
      if (node != hotspot_ && p.group == peers_[hotspot_].group && random.unit() < hotspot_share_)
        return hotspot_;
      [[fallthrough]];
    case Pattern::kUniform:
      return other(node, 1 + random.below(group.size() - 1));
    case Pattern::kAllToAll: {
      const auto& order = orders_[p.group];
      return other(node, order[(k + p.place) % order.size()]);
    }
    default:
      return fixed(node);
  }
}

uint32_t Destinations::flits(Random& random) const {
  if (sizes_.size() == 1) return sizes_[0].flits;
  const double x = random.unit();
  for (const SizeShare& s : sizes_)
    if (x < s.share) return s.flits;
  return sizes_.back().flits;
}

double Destinations::share(uint32_t src, uint32_t dest) const {
  const Peers& p = peers_[src];
  if (p.empty || peers_[dest].empty) return 0;
  switch (pattern_) {
    case Pattern::kUniform:
    case Pattern::kAllToAll:
    case Pattern::kHotspot: {
      if (p.group != peers_[dest].group || src == dest) return 0;
      const double even = 1.0 / static_cast<double>(groups_[p.group].size() - 1);
      if (pattern_ != Pattern::kHotspot || src == hotspot_ || p.group != peers_[hotspot_].group)
        return even;
      return (1 - hotspot_share_) * even + (dest == hotspot_ ? hotspot_share_ : 0);
    }
    default:
      return fixed(src) == dest ? 1 : 0;
  }
}

}  // namespace ttpu::network
