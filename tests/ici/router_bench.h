// Bench of one router: a sender and a receiver with credits at each port, and a scoreboard that
// works out from the header where each packet has to come out, how, and in which order.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/generated/ici.h"
#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/report.h"

namespace router_test {

/// A leg in plain numbers.
struct Leg {
  uint32_t dir, hops, vclass;
};

inline uint64_t route_of(const std::vector<Leg>& legs) {
  uint64_t route = 0;
  for (size_t i = 0; i < legs.size(); ++i)
    route |= uint64_t{legs[i].dir | legs[i].hops << 3 | legs[i].vclass << 7} << (8 * i);
  return route;
}

struct Packet {
  uint32_t in_port = 0, in_vc = 0;
  uint64_t route = 0;
  uint32_t flits = 1;
  uint32_t age = 0;
  bool mcast = false;
  bool cut = false;  ///< its tail has err set
};

/// Model: Verilated ttpu_router; the numbers are its parameters.
template <class Model, uint32_t kDims, uint32_t kVcs, uint32_t kDepth, uint32_t kDataW = 128>
class RouterBench {
 public:
  static constexpr uint32_t kPorts = 2 * kDims + 1, kLocal = 2 * kDims, kChans = kPorts * kVcs;
  static constexpr uint32_t kWords = (kDataW + ttpu::ici::kFlitExtraBits + 31) / 32;
  using Words = std::array<uint32_t, kWords>;

  explicit RouterBench(tb::ControllerOptions options = {}) : bench(std::move(options)) {
    for (auto& c : credits) c = kDepth;
    for (auto& c : owed_) c = 0;
  }

  tb::Controller<Model> bench;
  Model* operator->() { return bench.operator->(); }
  tb::Random random{"router bench"};
  std::array<uint32_t, kChans> credits;  ///< of the senders, [port * kVcs + vc]
  uint32_t send_percent = 100;           ///< chance that a sender with something sends in a cycle
  uint32_t credit_percent = 100;         ///< chance that a receiver gives a credit back in a cycle
  std::array<bool, kChans> hold_credit{};  ///< receivers that give none back
  uint32_t dateline = 0, down = 0;
  // What happened.
  uint64_t sent_flits = 0, got_flits = 0, send_stalls = 0, no_credit = 0, credit_stalls = 0;
  std::array<uint64_t, kChans> got_on{};           ///< flits that came out of a channel
  std::vector<std::pair<uint64_t, uint32_t>> log;  ///< (cycle, port * kVcs + vc) of each flit out
  std::vector<uint32_t> head_order;                ///< ids of heads in the order they came out
  bool keep_log = false;

  uint64_t cycle() const { return bench.cycle(); }

  /// Queue a packet at its input channel; its number.
  uint32_t send(const Packet& packet) {
    const auto id = static_cast<uint32_t>(records_.size());
    Record r;
    r.packet = packet;
    r.header = make_header(packet, id);
    const uint32_t dir = packet.route & 7, hops = packet.route >> 3 & 15;
    if (hops == 0) {
      r.copies.push_back({kLocal, packet.in_vc, packet.route});
    } else {
      uint32_t later = 0;
      for (uint32_t leg = 1; leg < ttpu::ici::kLegs; ++leg)
        later |= packet.route >> (8 * leg + 3) & 15;
      const bool exists = dir < kLocal;
      const uint32_t vclass = (packet.route >> 7 & 1) | (exists ? dateline >> dir & 1 : 0);
      const uint64_t rest = packet.route >> 8;
      const uint64_t onward =
          hops == 1 ? rest : rest << 8 | vclass << 7 | uint64_t{hops - 1} << 3 | dir;
      const uint32_t vc = packet.in_vc % (kVcs / 2) + vclass * (kVcs / 2);
      const bool copied = packet.mcast && later == 0 && packet.in_port == (dir ^ 1U);
      r.wants = exists ? dir : 7;
      // What is copied has to fit into the FIFO.
      if (exists && !(copied && packet.flits > kDepth)) {
        r.copies.push_back({dir, vc, onward});
        if (copied) r.copies.push_back({kLocal, packet.in_vc, onward});
        if (down >> dir & 1) r.copies[0].maybe = true;
      }
    }
    const uint32_t in = packet.in_port * kVcs + packet.in_vc;
    for (const Copy& c : r.copies) expected_[{in, c.port * kVcs + c.vc}].push_back(id);
    records_.push_back(r);
    for (uint32_t k = 0; k < packet.flits; ++k) queues_[in].push_back({id, k});
    return id;
  }

  /// A sender that sends nothing for a while.
  void block_sender(uint32_t port, bool blocked) { blocked_[port] = blocked; }

  /// One clock cycle.
  void step() {
    Model& m = bench.dut();
    // What the registers drive now.
    for (uint32_t p = 0; p < kPorts; ++p) {
      if (m.out_valid_o >> p & 1) arrived(p);
      for (uint32_t v = 0; v < kVcs; ++v) {
        const uint32_t in = p * kVcs + v;
        if (m.in_credit_o[p] >> v & 1) {
          if (++credits[in] > kDepth) complain(p, v, "in_credit_o: credits", kDepth, credits[in]);
        }
      }
    }
    close_ports();
    uint32_t valid = 0;
    for (uint32_t p = 0; p < kPorts; ++p) valid |= uint32_t{drive_sender(p)} << p;
    m.in_valid_i = static_cast<uint8_t>(valid);
    for (uint32_t p = 0; p < kPorts; ++p) m.out_credit_i[p] = credits_back(p);
    m.cfg_dateline_i = static_cast<uint8_t>(dateline);
    m.cfg_down_i = static_cast<uint8_t>(down);
    bench.tick();
  }
  void run(uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; ++i) step();
  }
  /// Step until nothing is on its way any more; fails after `limit` cycles.
  void drain(uint32_t limit) {
    const auto busy = [&] {
      for (uint32_t c = 0; c < kChans; ++c)
        if (!queues_[c].empty() || credits[c] != kDepth || owed_[c] != 0) return true;
      return false;
    };
    for (uint32_t i = 0; busy(); ++i) {
      if (i == limit) {
        std::string text = tb::format("cycle %llu: not empty after %u cycles:",
                                      static_cast<unsigned long long>(cycle()), limit);
        for (uint32_t c = 0; c < kChans; ++c)
          if (!queues_[c].empty() || credits[c] != kDepth)
            text += tb::format(" [port %u channel %u: %zu to send, %u credits of %u, state 0x%x]",
                               c / kVcs, c % kVcs, queues_[c].size(), credits[c], kDepth,
                               state(c / kVcs, c % kVcs));
        tb::fail(text);
        return;
      }
      step();
    }
    run(3);
  }

  /// Ports that are in service no more (or again). What is on its way through them may be lost.
  void set_down(uint32_t mask) {
    for (uint32_t p = 0; p < kLocal; ++p) {
      if (!((mask ^ down) >> p & 1)) continue;
      for (Record& r : records_)
        if (!r.copies.empty() && r.copies[0].port == p && !r.copies[0].complete(r.packet))
          r.copies[0].maybe = true;
      for (uint32_t v = 0; v < kVcs; ++v) owed_[p * kVcs + v] = 0;
    }
    const uint32_t fresh = mask & ~down;
    down = mask;
    // The flit that is in the output register still counts; after it the channels are closed.
    closing_ = fresh;
  }

  /// After drain(): all that had to come has come, counters agree with what was sent.
  void check_end() {
    uint64_t dropped = 0, cut = 0;
    for (uint32_t id = 0; id < records_.size(); ++id) {
      const Record& r = records_[id];
      if (r.copies.empty()) ++dropped;
      for (const Copy& c : r.copies) {
        if (c.complete(r.packet)) continue;
        if (!c.maybe) {
          complain(c.port, c.vc, tb::format("out_valid_o: flits of packet %u", id), r.packet.flits,
                   c.flits);
        }
        (c.flits == 0 ? dropped : cut) += 1;
      }
    }
    check_counter("packets dropped", 3, 0, 0, dropped);
    check_counter("packets cut", 3, 0, 1, cut);
    for (uint32_t c = 0; c < kChans; ++c) {
      check_counter("flits sent", 0, c / kVcs, c % kVcs, got_on[c]);
      const uint32_t held = state(c / kVcs, c % kVcs) & 0x7f;
      if (held != 0) complain(c / kVcs, c % kVcs, "state_o: flits held at the end", 0, held);
    }
    total_dropped = dropped;
    total_cut = cut;
  }
  uint64_t total_dropped = 0, total_cut = 0;

  /// Flits of a copy that came out; `copy` 0 onward, 1 to the local port.
  uint32_t arrived_flits(uint32_t id, uint32_t copy = 0) const {
    return records_[id].copies.at(copy).flits;
  }
  uint64_t head_in_cycle(uint32_t id) const { return records_[id].in_cycle; }
  uint64_t head_out_cycle(uint32_t id, uint32_t copy = 0) const {
    return records_[id].copies.at(copy).out_cycle;
  }
  uint64_t packets() const { return records_.size(); }
  size_t waiting(uint32_t channel) const { return queues_[channel].size(); }
  const Words& header(uint32_t id) const { return records_[id].header; }

  /// A counter, read while the router goes on.
  uint32_t counter(uint32_t kind, uint32_t port, uint32_t vc) {
    bench->cnt_sel_i = static_cast<uint8_t>(kind << 6 | port << 3 | vc);
    step();
    return bench->cnt_value_o;
  }
  uint32_t state(uint32_t port, uint32_t vc) {
    bench->state_sel_i = static_cast<uint8_t>(port << 3 | vc);
    step();
    return bench->state_o;
  }

 private:
  struct Copy {
    uint32_t port, vc;
    uint64_t route;
    bool maybe = false;  ///< a port went down: may be lost
    uint32_t flits = 0;
    uint64_t out_cycle = 0;
    bool complete(const Packet& p) const { return flits == p.flits; }
  };
  struct Record {
    Packet packet;
    Words header;
    std::vector<Copy> copies;  ///< the first one goes to `wants`
    uint32_t wants = kLocal;
    uint64_t in_cycle = 0;
  };
  struct Piece {
    uint32_t id, index;
  };

  void complain(uint32_t port, uint32_t vc, const std::string& what, uint64_t expected,
                uint64_t got) {
    tb::fail(tb::format(
        "signal   %s\ncycle    %llu\nport     %u channel %u\nexpected 0x%llx\n"
        "got      0x%llx",
        what.c_str(), static_cast<unsigned long long>(cycle()), port, vc,
        static_cast<unsigned long long>(expected), static_cast<unsigned long long>(got)));
  }
  void check_counter(const char* what, uint32_t kind, uint32_t port, uint32_t vc,
                     uint64_t expected) {
    const uint32_t got = counter(kind, port, vc);
    if (got != expected) complain(port, vc, tb::format("counter  %s", what), expected, got);
  }

  static void put(Words& w, ttpu::ici::Field f, uint64_t value) {
    tb::set_bits(reinterpret_cast<uint8_t*>(w.data()), f.lsb, f.bits, value);
  }
  static uint64_t get(const Words& w, ttpu::ici::Field f) {
    return tb::get_bits(reinterpret_cast<const uint8_t*>(w.data()), f.lsb, f.bits);
  }
  static constexpr ttpu::ici::Field at(ttpu::ici::Field f) { return {f.lsb + kDataW, f.bits}; }

  Words make_header(const Packet& packet, uint32_t id) {
    Words w;
    for (auto& word : w) word = random.u32();
    put(w, ttpu::ici::kHeaderRoute, packet.route);
    put(w, ttpu::ici::kHeaderMcast, packet.mcast);
    put(w, ttpu::ici::kHeaderLength, packet.flits - 1);
    put(w, ttpu::ici::kHeaderAge, packet.age);
    put(w, ttpu::ici::kHeaderAddress, id);
    return w;
  }
  /// Flit `index` of packet `id` without vc: all payload bits follow from the two numbers.
  Words flit_of(uint32_t id, uint32_t index) const {
    const Record& r = records_[id];
    Words w = r.header;
    if (index != 0) {
      uint64_t h = uint64_t{id} << 32 | index;
      for (auto& word : w) {
        h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL + 0x1234567;
        word = static_cast<uint32_t>(h >> 32);
      }
      w[0] = id;
      w[1] = index;
    }
    const bool tail = index + 1 == r.packet.flits;
    put(w, at(ttpu::ici::kFlitHead), index == 0);
    put(w, at(ttpu::ici::kFlitTail), tail);
    put(w, at(ttpu::ici::kFlitErr), tail && r.packet.cut);
    const uint32_t used = (kDataW + ttpu::ici::kFlitExtraBits) % 32;
    if (used) w[kWords - 1] &= (1U << used) - 1;
    return w;
  }

  bool drive_sender(uint32_t port) {
    uint32_t able = 0;
    bool without = false;
    for (uint32_t v = 0; v < kVcs; ++v) {
      const uint32_t in = port * kVcs + v;
      if (queues_[in].empty()) continue;
      if (credits[in] > 0)
        able |= 1U << v;
      else
        without = true;
    }
    no_credit += without;
    if (!able || blocked_[port]) return false;
    if (!random.chance(send_percent)) {
      ++send_stalls;
      return false;
    }
    uint32_t v = static_cast<uint32_t>(random.below(kVcs));
    while (!(able >> v & 1)) v = (v + 1) % kVcs;
    const uint32_t in = port * kVcs + v;
    const Piece piece = queues_[in].front();
    queues_[in].pop_front();
    --credits[in];
    if (piece.index == 0) records_[piece.id].in_cycle = cycle();
    Words w = flit_of(piece.id, piece.index);
    put(w, at(ttpu::ici::kFlitVc), v);
    std::memcpy(tb::bytes_of(bench->in_flit_i[port]), w.data(), sizeof w);
    ++sent_flits;
    return true;
  }
  uint8_t credits_back(uint32_t port) {
    uint32_t mask = 0;
    for (uint32_t v = 0; v < kVcs; ++v) {
      const uint32_t out = port * kVcs + v;
      if (owed_[out] == 0 || hold_credit[out]) continue;
      if (!random.chance(credit_percent)) {
        ++credit_stalls;
        continue;
      }
      --owed_[out];
      mask |= 1U << v;
    }
    return static_cast<uint8_t>(mask);
  }

  /// A flit is at output `port`.
  void arrived(uint32_t port) {
    Words got;
    std::memcpy(got.data(), tb::bytes_of(bench->out_flit_o[port]), sizeof got);
    const auto vc = static_cast<uint32_t>(get(got, at(ttpu::ici::kFlitVc)));
    if (vc >= kVcs) {
      complain(port, vc, "out_flit_o: channel below", kVcs, vc);
      return;
    }
    const uint32_t out = port * kVcs + vc;
    ++got_flits;
    ++got_on[out];
    if (keep_log) log.push_back({cycle(), out});
    if (port < kLocal && (down >> port & 1) && !(closing_ >> port & 1))
      complain(port, vc, "out_valid_o of a port that is down", 0, 1);
    const bool last_of_open = port < kLocal && (down >> port & 1);
    if (!last_of_open && ++owed_[out] > kDepth)
      complain(port, vc, "out_valid_o: flits without credit", kDepth, owed_[out]);
    const bool head = get(got, at(ttpu::ici::kFlitHead));
    uint32_t id;
    if (head) {
      if (open_[out]) complain(port, vc, "out_flit_o: head inside packet", open_id_[out], 1);
      id = static_cast<uint32_t>(get(got, ttpu::ici::kHeaderAddress));
      open_id_[out] = id;
    } else {
      if (!open_[out]) {
        complain(port, vc, "out_flit_o: body outside a packet", 0, 1);
        return;
      }
      id = open_id_[out];
    }
    if (id >= records_.size()) {
      complain(port, vc, "out_flit_o: address (number of the packet) below", records_.size(), id);
      return;
    }
    Record& r = records_[id];
    Copy* copy = nullptr;
    for (Copy& c : r.copies)
      if (c.port == port && c.vc == vc) copy = &c;
    if (!copy) {
      complain(port, vc, tb::format("out_valid_o: packet %u does not belong here, but at port", id),
               r.wants, port);
      return;
    }
    if (copy->flits >= r.packet.flits) {
      complain(port, vc, tb::format("out_valid_o: packet %u again", id), 0, 1);
      return;
    }
    Words want = flit_of(id, copy->flits);
    put(want, at(ttpu::ici::kFlitVc), vc);
    if (head) {
      copy->out_cycle = cycle();
      head_order.push_back(id);
      put(want, ttpu::ici::kHeaderRoute, copy->route);
      check_age(port, vc, r, got);
      put(want, ttpu::ici::kHeaderAge, get(got, ttpu::ici::kHeaderAge));
      check_order(r, *copy, id);
    }
    for (uint32_t w = 0; w < kWords; ++w)
      if (got[w] != want[w])
        complain(port, vc,
                 tb::format("out_flit_o word %u of packet %u flit %u", w, id, copy->flits), want[w],
                 got[w]);
    ++copy->flits;
    open_[out] = !get(got, at(ttpu::ici::kFlitTail));
  }
  void check_age(uint32_t port, uint32_t vc, const Record& r, const Words& got) {
    const uint64_t stay = cycle() - r.in_cycle - 1, age = get(got, ttpu::ici::kHeaderAge);
    const uint64_t least = std::min<uint64_t>(63, r.packet.age + stay / ttpu::ici::kAgeUnit);
    const uint64_t most = std::min<uint64_t>(
        63, r.packet.age + (stay + ttpu::ici::kAgeUnit - 1) / ttpu::ici::kAgeUnit);
    if (age < least || age > most)
      complain(port, vc,
               tb::format("out_flit_o: age after %llu cycles in the router, came with %u",
                          static_cast<unsigned long long>(stay), r.packet.age),
               least, age);
  }
  /// Packets of one input channel and one output channel keep their order.
  void check_order(const Record& r, const Copy& copy, uint32_t id) {
    const uint32_t in = r.packet.in_port * kVcs + r.packet.in_vc;
    auto& queue = expected_[{in, copy.port * kVcs + copy.vc}];
    while (!queue.empty() && queue.front() != id) {
      const Record& before = records_[queue.front()];
      if (!before.copies[0].maybe || copy.port == kLocal) {
        complain(copy.port, copy.vc, "out_flit_o: next packet of its channel", queue.front(), id);
        return;
      }
      queue.pop_front();
    }
    if (!queue.empty()) queue.pop_front();
  }

  /// The packets that were open on a port that went down are over.
  void close_ports() {
    for (uint32_t p = 0; p < kLocal; ++p)
      if (closing_ >> p & 1)
        for (uint32_t v = 0; v < kVcs; ++v) open_[p * kVcs + v] = false;
    closing_ = 0;
  }

  std::vector<Record> records_;
  std::array<std::deque<Piece>, kChans> queues_;
  std::array<uint32_t, kChans> owed_;  ///< credits that the receivers have not given back yet
  std::array<bool, kPorts> blocked_{};
  std::array<bool, kChans> open_{};  ///< output channel in the middle of a packet
  std::array<uint32_t, kChans> open_id_{};
  std::map<std::pair<uint32_t, uint32_t>, std::deque<uint32_t>> expected_;
  uint32_t closing_ = 0;
};

}  // namespace router_test
