#include "fabric/deadlock.h"

#include <algorithm>
#include <bit>

namespace ttpu::fabric {
namespace {

constexpr uint32_t kNone = ~0U;

}  // namespace

ChannelGraph::ChannelGraph(const Topology& topology)
    : topology_(topology), ports_(topology.ports_per_node()) {
  const size_t cables = size_t{topology.nodes()} * ports_;
  far_.resize(cables);
  for (size_t i = 0; i < cables; ++i) far_[i] = topology.ports[i].peer.node;
  next_.assign(cables * 2, 0);
  refused_.assign(cables * 2, 0);
  mark_.assign(cables * 2, 0);
  rank_.resize(cables * 2);
  // Any order will do; this one is right for most of dimension order.
  uint32_t rank = 0;
  for (uint32_t port = 0; port < ports_; ++port)
    for (uint32_t vclass = 0; vclass < 2; ++vclass)
      for (uint32_t node = 0; node < topology.nodes(); ++node) {
        const uint32_t n = port % 2 ? topology.nodes() - 1 - node : node;
        rank_[(n * ports_ + port) * 2 + vclass] = rank++;
      }
}

Channel ChannelGraph::channel(uint32_t index) const {
  return {index / 2 / ports_, static_cast<uint8_t>(index / 2 % ports_),
          static_cast<uint8_t>(index % 2)};
}

bool ChannelGraph::has(uint32_t from, uint32_t to) const {
  return next_[from] >> (to % (ports_ * 2)) & 1;
}

template <class Visit>
void ChannelGraph::each_next(uint32_t from, Visit&& visit) const {
  for (uint32_t bits = next_[from]; bits; bits &= bits - 1)
    visit(target(from, static_cast<uint32_t>(std::countr_zero(bits))));
}

template <class Visit>
void ChannelGraph::each_previous(uint32_t to, Visit&& visit) const {
  const uint32_t node = to / 2 / ports_;
  for (uint32_t p = 0; p < ports_; ++p) {
    const End& back = topology_.port(node, p).peer;
    if (back.node == kNoNode) continue;
    for (uint32_t vclass = 0; vclass < 2; ++vclass) {
      const uint32_t from = (back.node * ports_ + back.port) * 2 + vclass;
      if (has(from, to)) visit(from);
    }
  }
}

void ChannelGraph::add(uint32_t src, Route route, bool one_class) {
  uint32_t last = kNone;
  walk(topology_, src, route, [&](Channel c) {
    if (one_class) c.vclass = 0;
    const uint32_t now = index(c);
    if (last != kNone) next_[last] |= static_cast<uint16_t>(1U << (now % (ports_ * 2)));
    last = now;
  });
}

bool ChannelGraph::try_add(uint32_t src, Route route, bool reorder) {
  std::array<std::pair<uint32_t, uint32_t>, 80> fresh;
  uint32_t count = 0;
  uint32_t last = kNone;
  bool possible = true;
  walk(topology_, src, route, [&](Channel c) {
    const uint32_t now = index(c);
    if (last != kNone && possible && !has(last, now)) {
      if (refused_[last] >> (now % (ports_ * 2)) & 1 || (!reorder && rank_[last] >= rank_[now]))
        possible = false;
      fresh[count++] = {last, now};
    }
    last = now;
  });
  // First each alone: dependencies of other routes stay for ever, so what closes a cycle with them
  // always will, and the order of the channels has not been touched in vain.
  for (uint32_t i = 0; possible && i < count; ++i) {
    const auto [from, to] = fresh[i];
    if (from != to && !reaches(to, from)) continue;
    refused_[from] |= static_cast<uint16_t>(1U << (to % (ports_ * 2)));
    possible = false;
  }
  for (uint32_t i = 0; possible && i < count; ++i) {
    if (add_in_order(fresh[i].first, fresh[i].second)) continue;
    possible = false;
    for (uint32_t k = 0; k < i; ++k) take_away(fresh[k].first, fresh[k].second);
  }
  return possible;
}

bool ChannelGraph::reaches(uint32_t from, uint32_t to) {
  if (rank_[from] > rank_[to]) return false;
  ahead_.assign(1, from);
  mark_[from] = ++search_;
  bool found = false;
  for (size_t i = 0; i < ahead_.size() && !found; ++i)
    each_next(ahead_[i], [&](uint32_t c) {
      found |= c == to;
      if (rank_[c] > rank_[to] || mark_[c] == search_) return;
      mark_[c] = search_;
      ahead_.push_back(c);
    });
  return found;
}

void ChannelGraph::take_away(uint32_t from, uint32_t to) {
  next_[from] &= static_cast<uint16_t>(~(1U << (to % (ports_ * 2))));
}

// Pearce and Kelly's way to keep a topological order: only channels between the two ranks move.
bool ChannelGraph::add_in_order(uint32_t from, uint32_t to) {
  if (from == to) return false;
  if (rank_[from] > rank_[to]) {
    if (reaches(to, from)) return false;
    std::vector<uint32_t>& ahead = ahead_;
    std::vector<uint32_t> behind{from};
    mark_[from] = ++search_;
    for (size_t i = 0; i < behind.size(); ++i)
      each_previous(behind[i], [&](uint32_t c) {
        if (rank_[c] < rank_[to] || mark_[c] == search_) return;
        mark_[c] = search_;
        behind.push_back(c);
      });
    const auto by_rank = [&](uint32_t a, uint32_t b) { return rank_[a] < rank_[b]; };
    std::sort(ahead.begin(), ahead.end(), by_rank);
    std::sort(behind.begin(), behind.end(), by_rank);
    std::vector<uint32_t> ranks;
    for (const uint32_t c : ahead) ranks.push_back(rank_[c]);
    for (const uint32_t c : behind) ranks.push_back(rank_[c]);
    std::sort(ranks.begin(), ranks.end());
    size_t i = 0;
    for (const uint32_t c : behind) rank_[c] = ranks[i++];
    for (const uint32_t c : ahead) rank_[c] = ranks[i++];
  }
  next_[from] |= static_cast<uint16_t>(1U << (to % (ports_ * 2)));
  return true;
}

uint64_t ChannelGraph::dependencies() const {
  uint64_t count = 0;
  for (const uint16_t bits : next_) count += static_cast<uint32_t>(std::popcount(bits));
  return count;
}

std::optional<std::vector<Channel>> ChannelGraph::find_cycle() const {
  // Take away channels that lead nowhere until none is left or all that are left lie on, or lead
  // to, a cycle.
  const auto channels = static_cast<uint32_t>(next_.size());
  std::vector<uint8_t> left(channels, 1);
  std::vector<uint8_t> out(channels);
  std::vector<uint32_t> ends;
  for (uint32_t c = 0; c < channels; ++c) {
    out[c] = static_cast<uint8_t>(std::popcount(next_[c]));
    if (!out[c]) ends.push_back(c);
  }
  for (size_t i = 0; i < ends.size(); ++i) {
    left[ends[i]] = 0;
    each_previous(ends[i], [&](uint32_t c) {
      if (--out[c] == 0) ends.push_back(c);
    });
  }
  const auto begin = std::find(left.begin(), left.end(), 1);
  if (begin == left.end()) return std::nullopt;
  // Go on until a channel comes twice: it is on a cycle.
  auto at = static_cast<uint32_t>(begin - left.begin());
  std::vector<uint8_t> seen(channels, 0);
  while (!seen[at]) {
    seen[at] = 1;
    uint32_t to = kNone;
    each_next(at, [&](uint32_t c) {
      if (left[c]) to = c;
    });
    at = to;
  }
  // The shortest way from there back to it.
  std::vector<uint32_t> before(channels, kNone);
  std::vector<uint32_t> queue{at};
  for (size_t i = 0; i < queue.size() && before[at] == kNone; ++i)
    each_next(queue[i], [&](uint32_t c) {
      if (before[c] != kNone) return;
      before[c] = queue[i];
      queue.push_back(c);
    });
  std::vector<Channel> cycle;
  uint32_t c = at;
  do {
    cycle.push_back(channel(c));
    c = before[c];
  } while (c != at);
  std::reverse(cycle.begin(), cycle.end());
  // The same cycle reads the same wherever it was found.
  std::rotate(cycle.begin(),
              std::min_element(cycle.begin(), cycle.end(),
                               [&](Channel a, Channel b) { return index(a) < index(b); }),
              cycle.end());
  return cycle;
}

std::optional<std::vector<Channel>> find_cycle(const Topology& topology, const Routes& routes,
                                               bool one_class) {
  ChannelGraph graph(topology);
  for (uint32_t src = 0; src < topology.nodes(); ++src)
    for (uint32_t dest = 0; dest < topology.nodes(); ++dest) {
      if (!is_pair(topology, src, dest)) continue;
      const Route route = routes.route(src, dest);
      if (route != kNoRoute) graph.add(src, route, one_class);
    }
  return graph.find_cycle();
}

std::string channel_text(const Topology& topology, Channel channel) {
  return node_text(topology, channel.node) + " " + port_text(channel.port, topology.dims) +
         " class " + std::to_string(channel.vclass);
}

std::string cycle_text(const Topology& topology, const std::vector<Channel>& cycle) {
  std::string text;
  for (const Channel& channel : cycle) text += channel_text(topology, channel) + " -> ";
  return cycle.empty() ? text : text + channel_text(topology, cycle.front());
}

}  // namespace ttpu::fabric
