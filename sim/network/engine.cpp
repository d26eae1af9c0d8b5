#include "network/engine.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <thread>

namespace ttpu::network {

/// Threads meet here after each batch. The last one to come does the common work.
class Barrier {
 public:
  explicit Barrier(uint32_t threads) : threads_(threads) {}
  template <class Work>
  void arrive(Work work) {
    const uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      work();
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    // Batches are short: look for a while before giving the processor to others.
    for (uint32_t tries = 0; phase_.load(std::memory_order_acquire) == phase; ++tries)
      if (tries > 2000) std::this_thread::yield();
  }

 private:
  uint32_t threads_;
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> phase_{0};
};

Engine::Engine(const fabric::Topology& topology, const fabric::Routes& routes, Routers& routers,
               const Traffic& traffic, const EngineOptions& options)
    : topology_(topology),
      routers_(routers),
      options_(options),
      ports_(topology.ports_per_node()),
      destinations_(traffic, topology_),
      stores_(topology.nodes()) {
  const uint32_t nodes = topology_.nodes();
  if (options.threads == 0 || options.link_period == 0)
    throw std::invalid_argument("threads and link period are 1 or more");
  if (options.vcs > kMaxVcs || options.vcs < 2)
    throw std::invalid_argument("2 to 8 virtual channels");
  if (traffic.channels < 1 || traffic.channels > 16)
    throw std::invalid_argument("1 to 16 order channels");
  rules_ = {&topology_,
            &routes,
            &destinations_,
            traffic,
            options.vcs,
            options.depth,
            std::max(options.queue_flits, 1U),
            options.eject_stall_percent,
            options.inject_stall_percent,
            options.seed,
            options.start,
            {},
            &stores_,
            false,
            false};

  cables_.resize(size_t{nodes} * ports_);
  arriving_.assign(cables_.size(), ~0U);
  down_.assign(nodes, 0);
  link_flits_.assign(cables_.size(), 0);
  uint64_t shortest = ~uint64_t{0};
  for (uint32_t i = 0; i < cables_.size(); ++i) {
    const fabric::Port& port = topology_.ports[i];
    if (!topology_.usable(i / ports_, i % ports_)) continue;
    if (port.latency == 0) throw std::invalid_argument("a cable's latency is 1 or more");
    cables_[i].there = true;
    cables_[i].latency = port.latency;
    arriving_[port.peer.node * ports_ + port.peer.port] = i;
    shortest = std::min<uint64_t>(shortest, port.latency);
  }
  batch_ = shortest == ~uint64_t{0} ? 1 : std::min<uint64_t>(shortest, 64);
  size_t slots = 0;
  for (Cable& c : cables_) {
    if (!c.there) continue;
    const auto size = std::bit_ceil(static_cast<uint32_t>(c.latency + batch_));
    c.slots = static_cast<uint32_t>(slots);
    c.mask = size - 1;
    slots += size;
  }
  slots_.resize(slots);
  if (options.link_period > 1) {
    slow_.resize(cables_.size());
    for (Slow& s : slow_) {
      s.ring.resize(size_t{options.vcs} * options.depth);
      std::fill_n(s.unspent, options.vcs, options.depth);
    }
  }
  for (uint32_t n = 0; n < nodes; ++n) {
    uint32_t dateline = 0;
    for (uint32_t p = 0; p < ports_; ++p) {
      dateline |= static_cast<uint32_t>(topology_.port(n, p).dateline) << p;
      down_[n] |= static_cast<uint32_t>(!cables_[n * ports_ + p].there) << p;
    }
    routers_.configure(n, dateline, down_[n]);
  }
  endpoints_.reserve(nodes);
  for (uint32_t n = 0; n < nodes; ++n) endpoints_.emplace_back(rules_, n);
  tallies_.resize(std::min(options.threads, nodes));
  for (Tally& t : tallies_) t.by_source.resize(nodes);
  open_.resize(cables_.size());
}

void Engine::send(uint32_t node, uint32_t port, uint64_t t, const PortOutputs& out, Tally& tally) {
  const uint32_t at = node * ports_ + port;
  const Cable& cable = cables_[at];
  const bool sends = out.valid >> port & 1;
  if (!cable.there) {
    if (sends && !failures_)
      tally.violation(t, node,
                      "node " + std::to_string(node) + " sends packet " +
                          std::to_string(out.flit[port].packet) + " by " +
                          fabric::port_text(port, topology_.dims) + ", where no cable is");
    return;
  }
  Slot& slot = slots_[cable.slots + ((t + cable.latency) & cable.mask)];
  slot.credit = out.credit[port];
  slot.valid = 0;
  if (options_.link_period == 1) {
    if (!sends) return;
    slot.flit = out.flit[port];
  } else {
    Slow& slow = slow_[at];
    if (sends) {
      if (slow.count == slow.ring.size())
        return tally.violation(t, node,
                               "node " + std::to_string(node) + ": more flits than credits by " +
                                   fabric::port_text(port, topology_.dims));
      uint32_t place = slow.head + slow.count++;
      if (place >= slow.ring.size()) place -= static_cast<uint32_t>(slow.ring.size());
      slow.ring[place] = out.flit[port];
      --slow.unspent[out.flit[port].vc & (kMaxVcs - 1)];
    }
    if (slow.count == 0 || t < slow.free_at) return;
    slow.free_at = t + options_.link_period;
    slot.flit = slow.ring[slow.head];
    if (++slow.head == slow.ring.size()) slow.head = 0;
    --slow.count;
  }
  if (!slot.flit.idle) {
    ++tally.moves;
    if (rules_.measure.holds(t)) ++link_flits_[at];
  }
  slot.valid = options_.errors == nullptr || options_.errors->pass(node, port, t, slot.flit);
}

/// Which credits the router gets now, of those that have come.
uint8_t Engine::hold_credits(Slow& slow, uint8_t credit, uint32_t vcs) {
  constexpr uint32_t kUnspent = 2, kQueued = 2;  // enough for one channel to use the whole cable
  uint8_t now = 0;
  for (uint32_t v = 0; v < vcs; ++v) {
    slow.held[v] += credit >> v & 1;
    if (slow.held[v] == 0 || slow.unspent[v] >= kUnspent || slow.count >= kQueued) continue;
    --slow.held[v];
    ++slow.unspent[v];
    now |= static_cast<uint8_t>(1U << v);
  }
  return now;
}

/// Slots that a node will read.
void Engine::prefetch(uint32_t node, uint64_t t) const {
  for (uint32_t p = 0; p < ports_; ++p) {
    const uint32_t from = arriving_[node * ports_ + p];
    if (from == ~0U) continue;
    __builtin_prefetch(&slots_[cables_[from].slots + (t & cables_[from].mask)]);
  }
}

void Engine::see(Ejected& ejected, Tally& tally) {
  if (!ejected.there) return;
  endpoints_[ejected.node].receive(ejected.t, ejected.flit, tally);
  ejected.there = false;
}

void Engine::step_node(uint32_t node, uint64_t t, uint64_t settled, Ejected& ejected,
                       Tally& tally) {
  PortInputs in;
  PortOutputs out;
  in.valid = 0;
  for (uint32_t p = 0; p < ports_; ++p) {
    const uint32_t from = arriving_[node * ports_ + p];
    in.credit[p] = 0;
    if (from == ~0U) continue;
    const Cable& cable = cables_[from];
    Open& open = open_[node * ports_ + p];
    if (!cable.there) {
      if (open.cut == 0) continue;
      // The link layer ends what the failure cut.
      const auto v = static_cast<uint32_t>(std::countr_zero(open.cut));
      open.cut &= open.cut - 1;
      Flit& f = in.flit[p];
      f = Flit{};
      f.vc = static_cast<uint8_t>(v);
      f.packet = open.packet[v];
      f.tail = f.err = true;
      in.valid |= static_cast<uint8_t>(1U << p);
      ++tally.moves;
      continue;
    }
    const Slot& slot = slots_[cable.slots + (t & cable.mask)];
    in.credit[p] = slow_.empty()
                       ? slot.credit
                       : hold_credits(slow_[node * ports_ + p], slot.credit, options_.vcs);
    if (!slot.valid) continue;
    in.flit[p] = slot.flit;
    in.valid |= static_cast<uint8_t>(1U << p);
    if (slot.flit.head != slot.flit.tail) {
      open.mask ^= 1U << slot.flit.vc;
      open.packet[slot.flit.vc] = slot.flit.packet;
    }
  }
  Endpoint& endpoint = endpoints_[node];
  endpoint.drive(t, settled, in, tally);
  routers_.step(node, in, out);
  for (uint32_t p = 0; p < ports_; ++p) send(node, p, t, out, tally);
  // The scoreboard looks at a flit when the next router has been stepped: by then its packet's
  // record is in the cache.
  see(ejected, tally);
  if (endpoint.take(t, out, tally)) ejected = {out.flit[ports_], t, node, true};
}

void Engine::worker(uint32_t thread, uint64_t end, Barrier& barrier) {
  const uint64_t nodes = topology_.nodes(), threads = tallies_.size();
  const auto first = static_cast<uint32_t>(nodes * thread / threads);
  const auto last = static_cast<uint32_t>(nodes * (thread + 1) / threads);
  Tally& tally = tallies_[thread];
  Ejected ejected;
  for (uint64_t t = now_; t < end && !stuck_;) {
    const uint64_t stop = std::min(end, t + batch_);
    for (uint32_t n = first; n < last; ++n) {
      if (n + 1 < last) {
        prefetch(n + 1, t);
        routers_.prefetch(n + 1);
      }
      for (uint64_t c = t; c < stop; ++c) step_node(n, c, t, ejected, tally);
    }
    see(ejected, tally);
    t = stop;
    if (threads == 1)
      batch_done(t);
    else
      barrier.arrive([this, t] { batch_done(t); });
  }
}

/// Alone, between batches: has anything moved?
void Engine::batch_done(uint64_t t) {
  now_ = t;
  if (failed_.load(std::memory_order_relaxed)) {
    stuck_ = true;
    return;
  }
  uint64_t moves = 0;
  for (const Tally& tally : tallies_) moves += tally.moves;
  if (moves != moves_) {
    moves_ = moves;
    moved_at_ = t;
    idle_ = false;
  } else if (t - moved_at_ >= options_.stuck_after && t >= look_at_) {
    look_at_ = t + options_.stuck_after;
    stuck_ = anything_held();
    idle_ = !stuck_ && std::none_of(endpoints_.begin(), endpoints_.end(),
                                    [t](const Endpoint& e) { return e.due_after(t); });
  }
}

bool Engine::anything_held() const {
  for (const Slow& s : slow_)
    if (s.count) return true;
  for (uint32_t n = 0; n < topology_.nodes(); ++n) {
    if (!endpoints_[n].queues_empty()) return true;
    for (uint32_t p = 0; p <= ports_; ++p)
      for (uint32_t v = 0; v < options_.vcs; ++v)
        if (routers_.buffer(n, p, v).flits) return true;
  }
  return false;
}

void Engine::run(uint64_t cycles) {
  if (stuck_) return;
  const uint64_t end = now_ + cycles;
  const auto threads = static_cast<uint32_t>(tallies_.size());
  Barrier barrier(threads);
  std::vector<std::exception_ptr> failed(threads);
  // A back end that throws: every thread ends its batch, then it is thrown again.
  const auto body = [&](uint32_t i) {
    try {
      worker(i, end, barrier);
    } catch (...) {
      failed[i] = std::current_exception();
      // Told to all at the barrier, where none of them can miss it.
      failed_.store(true, std::memory_order_relaxed);
      if (threads > 1) barrier.arrive([this] { batch_done(now_); });
    }
  };
  std::vector<std::thread> helpers;
  for (uint32_t i = 1; i < threads; ++i) helpers.emplace_back(body, i);
  body(0);
  for (std::thread& t : helpers) t.join();
  for (const std::exception_ptr& e : failed)
    if (e) std::rethrow_exception(e);
}

void Engine::measure(uint64_t cycles, uint32_t batches) {
  Measurement& m = rules_.measure;
  m.batch = std::max<uint64_t>(cycles / std::max(batches, 1U), 1);
  m.first = now_;
  m.last = now_ + m.batch * std::max(batches, 1U);
  std::fill(link_flits_.begin(), link_flits_.end(), 0);
  for (Tally& t : tallies_) {
    t.offered_packets = t.offered_open = t.accepted_flits = 0;
    t.latency = Histogram();
    std::fill(t.by_source.begin(), t.by_source.end(), 0);
    for (auto* v : {&t.batch_flits, &t.batch_latency, &t.batch_packets}) v->assign(batches, 0);
  }
}

void Engine::stop() {
  rules_.stopped = true;
  for (Endpoint& e : endpoints_) e.cancel(now_, tallies_[0]);
}

uint64_t Engine::flits_inside() const {
  uint64_t in = 0, out = 0;
  for (const Tally& t : tallies_) {
    in += t.flits_injected;
    out += t.flits_ejected;
  }
  return in - out;
}

bool Engine::finished() const {
  if (rules_.traffic.pattern == Pattern::kMulticast || failures_) {
    uint64_t made = 0, done = 0;
    for (const Tally& t : tallies_) {
      made += t.packets_made;
      done += t.packets_delivered + t.packets_cut + t.packets_cancelled;
    }
    if (made != done) return false;
  } else if (flits_inside() != 0) {
    return false;
  }
  for (const Endpoint& e : endpoints_)
    if (rules_.stopped ? !e.queues_empty() : !e.silent()) return false;
  return true;
}

bool Engine::drain(uint64_t limit) {
  const uint64_t end = now_ + limit;
  while (!finished() && !stuck_ && now_ < end) {
    // With failures some packets never come: quiet is enough. Without, it means that they are lost.
    const uint64_t quiet = failures_ ? 256 : options_.stuck_after;
    if (now_ - moved_at_ > quiet && !anything_held()) return true;
    run(std::min<uint64_t>(end - now_, 64));
  }
  return finished();
}

}  // namespace ttpu::network
