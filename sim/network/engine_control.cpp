// Between runs: failures, stalls, counts and what the scoreboard has found.
#include <algorithm>
#include <stdexcept>

#include "fabric/route_walk.h"
#include "network/engine.h"

namespace ttpu::network {

void Engine::check_all_delivered() {
  for (uint32_t n = 0; n < topology_.nodes(); ++n) {
    for (uint32_t i = 0; i < stores_[n].size(); ++i) {
      const Packet& p = stores_[n].at(i);
      if (p.done.load(std::memory_order_relaxed) != Packet::kUnderWay) continue;
      if (p.damaged) {
        ++packets_lost_;
        continue;
      }
      ++found_seen_;
      if (found_.size() < 16)
        found_.push_back({now_, n,
                          "packet " + std::to_string(stores_[n].number_at(i)) + " of node " +
                              std::to_string(n) + " to node " + std::to_string(p.dest) + " (" +
                              std::to_string(p.flits) + " flits, born in cycle " +
                              std::to_string(p.birth) + ") was not delivered"});
    }
  }
}

void Engine::fail_link(uint32_t node, uint32_t port) {
  const fabric::End far = topology_.port(node, port).peer;
  if (far.node == fabric::kNoNode) throw std::invalid_argument("no cable at this port");
  failures_ = rules_.damaged_routes = true;
  fabric::fail_link(topology_, node, port);
  for (const fabric::End end : {fabric::End{node, static_cast<uint8_t>(port)}, far}) {
    const uint32_t at = end.node * ports_ + end.port;
    cables_[at].there = false;
    down_[end.node] |= 1U << end.port;
    routers_.set_down(end.node, down_[end.node]);
    if (!slow_.empty()) slow_[at].count = 0;
    open_[at].cut = open_[at].mask;
    open_[at].mask = 0;
  }
  for (uint32_t n = 0; n < topology_.nodes(); ++n) {
    for (uint32_t i = 0; i < stores_[n].size(); ++i) {
      Packet& p = stores_[n].at(i);
      if (p.done.load(std::memory_order_relaxed) != Packet::kUnderWay) continue;
      fabric::walk(topology_, n, p.route, [&](fabric::Channel c) {
        if (!topology_.usable(c.node, c.port)) p.damaged = true;
      });
    }
  }
}

void Engine::set_stalls(uint32_t eject_percent, uint32_t inject_percent) {
  for (Endpoint& e : endpoints_) e.set_eject_stall(eject_percent);
  rules_.inject_stall_percent = inject_percent;
}

void Engine::set_eject_stall(uint32_t node, uint32_t percent) {
  endpoints_.at(node).set_eject_stall(percent);
}

void Engine::set_routes(const fabric::Routes& routes) { rules_.routes = &routes; }

uint64_t Engine::dropped() const {
  uint64_t sum = 0;
  for (uint32_t n = 0; n < topology_.nodes(); ++n) sum += routers_.dropped(n);
  return sum;
}

Tally Engine::tally() const {
  Tally sum = tallies_[0];
  const auto add = [](std::vector<uint64_t>& to, const std::vector<uint64_t>& from) {
    for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
  };
  for (size_t i = 1; i < tallies_.size(); ++i) {
    const Tally& t = tallies_[i];
    for (uint64_t Tally::*member :
         {&Tally::moves, &Tally::flits_injected, &Tally::flits_ejected, &Tally::packets_made,
          &Tally::packets_delivered, &Tally::packets_cut, &Tally::packets_cancelled,
          &Tally::eject_stalls, &Tally::inject_stalls, &Tally::violations_seen,
          &Tally::offered_packets, &Tally::offered_open, &Tally::accepted_flits})
      sum.*member += t.*member;
    sum.latency.merge(t.latency);
    add(sum.by_source, t.by_source);
    add(sum.batch_flits, t.batch_flits);
    add(sum.batch_latency, t.batch_latency);
    add(sum.batch_packets, t.batch_packets);
  }
  sum.violations_seen += found_seen_;
  sum.violations = violations();
  return sum;
}

std::vector<Violation> Engine::violations() const {
  std::vector<Violation> r = found_;
  for (const Tally& t : tallies_) r.insert(r.end(), t.violations.begin(), t.violations.end());
  std::stable_sort(r.begin(), r.end(), [](const Violation& a, const Violation& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.node < b.node;
  });
  return r;
}

}  // namespace ttpu::network
