#include "network/endpoint.h"

#include <algorithm>
#include <bit>

#include "fabric/route_walk.h"

namespace ttpu::network {
namespace {

constexpr size_t kViolationsKept = 16;
constexpr uint32_t kDenseOrders = 1U << 13;  // sources x channels kept in a plain table

}  // namespace

void Tally::violation(uint64_t cycle, uint32_t node, std::string text) {
  ++violations_seen;
  if (violations.size() < kViolationsKept) violations.push_back({cycle, node, std::move(text)});
}

Endpoint::Endpoint(const EndpointRules& rules, uint32_t node)
    : rules_(&rules),
      node_(node),
      local_(rules.topology->ports_per_node()),
      eject_stall_(rules.eject_stall_percent),
      random_(rules.seed, 4ULL * node),
      stalls_(rules.seed, 4ULL * node + 1) {
  for (uint32_t v = 0; v < rules.vcs; ++v) {
    queues_[v].ring.resize(rules.queue_flits);
    credits_[v] = static_cast<uint8_t>(rules.depth);
  }
  credited_ = (1U << rules.vcs) - 1;
  const Traffic& traffic = rules.traffic;
  const uint32_t table = rules.topology->nodes() * traffic.channels;
  if (table <= kDenseOrders) last_order_.resize(table);
  if (traffic.pattern == Pattern::kTrace) {
    for (const TraceLine& line : traffic.trace)
      if (line.src == node) trace_.push_back(line);
  } else if (!rules.destinations->sends(node)) {
    return;
  } else if (traffic.window == 0) {
    born_ = arrivals_ = Arrivals(traffic.load / traffic.mean_flits(),
                                 Random(rules.seed, 4ULL * node + 2), rules.start);
  }
  next_birth();
}

std::string Endpoint::name(uint32_t src, uint32_t number) const {
  std::string r = "packet " + std::to_string(number) + " of node " + std::to_string(src);
  if (Packet* p = src < rules_->stores->size() ? (*rules_->stores)[src].find(number) : nullptr)
    r += " to node " + std::to_string(p->dest) + " (" + std::to_string(p->flits) +
         " flits, channel " + std::to_string(p->channel) + ", born in cycle " +
         std::to_string(p->birth) + ")";
  return r;
}

/// Birth of the packet that comes to the head of the source queue now.
void Endpoint::next_birth() {
  const Traffic& traffic = rules_->traffic;
  if (traffic.pattern == Pattern::kTrace)
    birth_ = trace_at_ < trace_.size() ? trace_[trace_at_].cycle + rules_->start : Arrivals::kNever;
  else if (!rules_->destinations->sends(node_) || (traffic.packets && made_ == traffic.packets))
    birth_ = Arrivals::kNever;
  else if (traffic.window != 0)
    birth_ = rules_->start;
  else
    birth_ = arrivals_.next();
}

bool Endpoint::draft(uint64_t birth, uint64_t t, Tally& tally) {
  const EndpointRules& r = *rules_;
  Draft& d = draft_;
  d.birth = birth;
  d.axis_hops = 0;
  if (r.traffic.pattern == Pattern::kTrace) {
    d.dest = trace_[trace_at_].dest;
    d.flits = trace_[trace_at_++].flits;
  } else {
    d.flits = r.destinations->flits(random_);
    if (r.traffic.pattern != Pattern::kMulticast)
      d.dest = r.destinations->pick(node_, made_, random_);
    if (r.traffic.window == 0) arrivals_.advance();
  }
  ++made_;
  next_birth();
  d.channel = static_cast<uint8_t>(channel_);
  if (++channel_ == r.traffic.channels) channel_ = 0;
  if (r.traffic.pattern == Pattern::kMulticast) {
    // Once round the ring; the dateline, wherever it is crossed, is what keeps it from deadlock.
    const uint32_t axis = r.traffic.axis, size = r.topology->size[axis];
    auto c = r.topology->coordinates(node_);
    c[axis] = (c[axis] + size - 1) % size;
    d.dest = r.topology->node_at(c);
    d.axis_hops = size - 1;
    d.route =
        fabric::encode_leg({static_cast<uint8_t>(2 * axis), static_cast<uint8_t>(size - 1), 0}, 0);
  } else {
    d.route = r.routes->route(node_, d.dest);
  }
  if (d.route == fabric::kNoRoute) {
    tally.violation(
        t, node_,
        "no route from node " + std::to_string(node_) + " to node " + std::to_string(d.dest));
    return false;
  }
  d.vc = fabric::local_vc(node_, d.dest, d.channel, r.vcs);
  return true;
}

void Endpoint::enqueue(uint64_t settled, Tally& tally) {
  Draft& d = draft_;
  Queue& q = queues_[d.vc];
  PacketStore& store = (*rules_->stores)[node_];
  const uint32_t number = store.take(settled);
  if (number == PacketStore::kNone) return;  // so many are under way: wait
  Packet& p = store[number];
  p.birth = d.birth;
  p.route = d.route;
  p.order = ++order_;
  p.dest = static_cast<uint16_t>(d.dest);
  p.flits = static_cast<uint16_t>(d.flits);
  p.channel = d.channel;
  p.mcast = d.axis_hops != 0;
  p.damaged = false;
  if (rules_->damaged_routes)
    fabric::walk(*rules_->topology, node_, d.route, [&](fabric::Channel c) {
      if (!rules_->topology->usable(c.node, c.port)) p.damaged = true;
    });
  p.left.store(static_cast<uint16_t>(std::max(1U, d.axis_hops)), std::memory_order_relaxed);
  p.done.store(Packet::kUnderWay, std::memory_order_relaxed);
  uint32_t at = q.head + q.count;
  if (at >= q.ring.size()) at -= static_cast<uint32_t>(q.ring.size());
  q.ring[at] = number;
  ++q.count;
  q.flits += d.flits;
  queued_ |= 1U << d.vc;
  ++tally.packets_made;
  if (rules_->traffic.window != 0) under_way_.push_back(number);
  waiting_ = false;
}

/// New packets, as far as there is room for them.
void Endpoint::make(uint64_t t, uint64_t settled, Tally& tally) {
  const EndpointRules& r = *rules_;
  for (;;) {
    if (waiting_) {
      const Queue& q = queues_[draft_.vc];
      if (q.count != 0 && (q.flits + draft_.flits > r.queue_flits || q.count == q.ring.size()))
        return;
      enqueue(settled, tally);
      if (waiting_) return;
    }
    if (birth_ > t) return;
    uint64_t birth = birth_;
    if (r.traffic.window != 0) {
      if (under_way_.size() >= r.traffic.window) {
        PacketStore& store = (*r.stores)[node_];
        std::erase_if(under_way_, [&](uint32_t number) {
          return store[number].done.load(std::memory_order_relaxed) < settled;
        });
        if (under_way_.size() >= r.traffic.window) return;
      }
      birth = t;
    }
    waiting_ = draft(birth, t, tally);
    if (!waiting_) continue;
    // Open loop: counted when born, not when it gets here.
    if (r.traffic.window != 0 || r.traffic.pattern == Pattern::kTrace)
      if (r.measure.holds(birth)) ++tally.offered_packets;
  }
}

void Endpoint::inject(uint64_t t, PortInputs& in, Tally& tally) {
  const EndpointRules& r = *rules_;
  const uint32_t ready = queued_ & credited_;
  if (ready == 0) return;
  if (r.inject_stall_percent != 0 && stalls_.below(100) < r.inject_stall_percent) {
    ++tally.inject_stalls;
    return;
  }
  const uint32_t later = ready >> turn_;
  const auto v =
      static_cast<uint32_t>(later ? turn_ + static_cast<uint32_t>(std::countr_zero(later))
                                  : static_cast<uint32_t>(std::countr_zero(ready)));
  turn_ = v + 1 == r.vcs ? 0 : v + 1;
  Queue& q = queues_[v];
  const uint32_t number = q.ring[q.head];
  const Packet& p = (*r.stores)[node_][number];
  Flit& f = in.flit[local_];
  f = Flit{};
  f.packet = number;
  f.index = static_cast<uint16_t>(q.next);
  f.src = static_cast<uint16_t>(node_);
  f.dest = p.dest;
  f.vc = static_cast<uint8_t>(v);
  f.channel = p.channel;
  if (q.next == 0) {
    f.head = true;
    f.route = p.route;
    f.length = static_cast<uint8_t>(p.flits - 1);
    f.mcast = p.mcast;
  }
  --q.flits;
  if (++q.next == p.flits) {
    f.tail = true;
    q.next = 0;
    if (++q.head == q.ring.size()) q.head = 0;
    if (--q.count == 0) queued_ &= ~(1U << v);
  }
  if (--credits_[v] == 0) credited_ &= ~(1U << v);
  in.valid |= static_cast<uint8_t>(1U << local_);
  ++tally.flits_injected;
  ++tally.moves;
  static_cast<void>(t);
}

void Endpoint::drive(uint64_t t, uint64_t settled, PortInputs& in, Tally& tally) {
  const EndpointRules& r = *rules_;
  if (!r.stopped) {
    while (born_.next() <= t) {
      if (r.measure.holds(born_.next())) {
        ++tally.offered_packets;
        ++tally.offered_open;
      }
      born_.advance();
    }
    if (waiting_ || birth_ <= t) make(t, settled, tally);
  }
  uint32_t credit = owing_;
  if (credit != 0) {
    if (eject_stall_ != 0 && stalls_.below(100) < eject_stall_) {
      ++tally.eject_stalls;
      credit = 0;
    }
    for (uint32_t rest = credit; rest != 0; rest &= rest - 1) {
      const auto v = static_cast<uint32_t>(std::countr_zero(rest));
      if (--owed_[v] == 0) owing_ &= ~(1U << v);
    }
  }
  in.credit[local_] = static_cast<uint8_t>(credit);
  inject(t, in, tally);
}

bool Endpoint::take(uint64_t t, const PortOutputs& out, Tally& tally) {
  const EndpointRules& r = *rules_;
  if (const uint32_t credit = out.credit[local_]; credit != 0) {
    for (uint32_t rest = credit; rest != 0; rest &= rest - 1) {
      const auto v = static_cast<uint32_t>(std::countr_zero(rest));
      if (v >= r.vcs || credits_[v] >= r.depth)
        tally.violation(t, node_,
                        "node " + std::to_string(node_) + ": a credit too many of channel " +
                            std::to_string(v) + " at the local port");
      else
        ++credits_[v];
    }
    credited_ |= credit;
  }
  if (!(out.valid >> local_ & 1)) return false;
  const Flit& f = out.flit[local_];
  ++tally.moves;
  ++tally.flits_ejected;
  if (f.vc >= r.vcs || owed_[f.vc] >= r.depth) {
    tally.violation(t, node_,
                    "node " + std::to_string(node_) + ", local port, channel " +
                        std::to_string(f.vc) + ": a flit without a credit");
    return false;
  }
  ++owed_[f.vc];
  owing_ |= 1U << f.vc;
  if (f.head && f.src < r.stores->size()) {
    (*r.stores)[f.src].prefetch(f.packet);
    const uint32_t key = f.src * r.traffic.channels + f.channel;
    if (key < last_order_.size()) __builtin_prefetch(&last_order_[key], 1);
  }
  return true;
}

void Endpoint::receive(uint64_t t, const Flit& f, Tally& tally) {
  const EndpointRules& r = *rules_;
  const auto wrong = [&](const std::string& what) {
    tally.violation(t, node_,
                    "node " + std::to_string(node_) + ", local port, channel " +
                        std::to_string(f.vc) + ": " + what);
  };
  Arriving& a = arriving_[f.vc];
  if (f.head) {
    if (a.open) wrong(name(f.src, f.packet) + " begins inside " + name(a.src, a.number));
    a = {f.src < r.stores->size() ? (*r.stores)[f.src].find(f.packet) : nullptr, f.packet, 0, f.src,
         true};
    if (!a.packet) return wrong(name(f.src, f.packet) + " is not known");
    const Packet& p = *a.packet;
    if (p.done.load(std::memory_order_relaxed) != Packet::kUnderWay)
      wrong(name(f.src, f.packet) + " came a second time");
    if (f.dest != p.dest || f.length + 1 != p.flits || f.channel != p.channel || f.mcast != p.mcast)
      wrong(name(f.src, f.packet) + " came with dest " + std::to_string(f.dest) + ", length " +
            std::to_string(f.length) + ", channel " + std::to_string(f.channel));
    if (!p.mcast && p.dest != node_) wrong(name(f.src, f.packet) + " is not for this node");
    if (p.mcast) {
      bool on_the_way = false;
      const uint32_t end = fabric::walk(*r.topology, f.src, p.route, [&](fabric::Channel c) {
        on_the_way |= c.node == node_ && c.node != f.src;
      });
      if (!on_the_way && end != node_) wrong(name(f.src, f.packet) + " does not come along here");
    }
  } else if (!a.open) {
    return wrong("a flit outside a packet, index " + std::to_string(f.index));
  }
  if (r.measure.holds(t) && a.src < tally.by_source.size()) {
    ++tally.accepted_flits;
    ++tally.by_source[a.src];
    ++tally.batch_flits[(t - r.measure.first) / r.measure.batch];
  }
  if (f.err) {
    if (!f.tail) wrong("err set on a flit that is no tail");
  } else {
    if (f.packet != a.number || f.index != a.next)
      wrong("flit " + std::to_string(f.index) + " of packet " + std::to_string(f.packet) +
            " where flit " + std::to_string(a.next) + " of " + name(a.src, a.number) + " was due");
    ++a.next;
  }
  if (!f.tail) {
    if (a.packet && a.next >= a.packet->flits) wrong(name(a.src, a.number) + " has too many flits");
    return;
  }
  if (a.packet) deliver(t, a, f.err, tally);
  a.open = false;
}

void Endpoint::check_order(uint64_t t, const Arriving& a, Tally& tally) {
  const uint32_t key = a.src * rules_->traffic.channels + a.packet->channel;
  uint32_t& last = last_order_.empty() ? last_order_of_[key] : last_order_[key];
  if (a.packet->order <= last)
    tally.violation(t, node_,
                    "node " + std::to_string(node_) + ": " + name(a.src, a.number) +
                        " came behind a later one of its channel, or twice");
  last = a.packet->order;
}

void Endpoint::deliver(uint64_t t, Arriving& a, bool cut, Tally& tally) {
  Packet& p = *a.packet;
  if (cut) {
    ++tally.packets_cut;
    if (!p.damaged)
      tally.violation(t, node_,
                      "node " + std::to_string(node_) + ": " + name(a.src, a.number) +
                          " was cut short, and no link on its way has failed");
  } else {
    if (a.next != p.flits)
      tally.violation(t, node_,
                      "node " + std::to_string(node_) + ": " + name(a.src, a.number) +
                          " ended after " + std::to_string(a.next) + " flits");
    check_order(t, a, tally);
  }
  if (p.mcast) {
    const uint16_t left = p.left.fetch_sub(1, std::memory_order_relaxed);
    if (left == 0)
      return tally.violation(t, node_, name(a.src, a.number) + " was delivered too often");
    if (left != 1) return;
  }
  p.done.store(t, std::memory_order_relaxed);
  if (!cut) ++tally.packets_delivered;
  const Measurement& m = rules_->measure;
  if (m.holds(p.birth)) {
    --tally.offered_open;
    if (!cut) {
      const uint64_t batch = (p.birth - m.first) / m.batch;
      tally.latency.add(t - p.birth);
      tally.batch_latency[batch] += t - p.birth;
      ++tally.batch_packets[batch];
    }
  }
}

void Endpoint::cancel(uint64_t t, Tally& tally) {
  waiting_ = false;
  for (uint32_t v = 0; v < rules_->vcs; ++v) {
    Queue& q = queues_[v];
    const uint32_t keep = q.next != 0 ? 1 : 0;
    while (q.count > keep) {
      const uint32_t at = (q.head + q.count - 1) % static_cast<uint32_t>(q.ring.size());
      Packet& p = (*rules_->stores)[node_][q.ring[at]];
      p.done.store(t, std::memory_order_relaxed);
      q.flits -= p.flits;
      --q.count;
      ++tally.packets_cancelled;
    }
    if (q.count == 0) queued_ &= ~(1U << v);
  }
}

}  // namespace ttpu::network
