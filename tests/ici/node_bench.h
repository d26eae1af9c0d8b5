// Bench of whole nodes: a torus of them, joined by cables made of C++ with latency, lost and
// damaged frames; every packet is followed from the chip that sends it to the chip that gets it.
#pragma once
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "fabric/route.h"
#include "fabric/topology.h"
#include "nic_bench.h"

namespace node_test {

using nic_test::Flit;
using ttpu::fabric::Topology;

struct Shape {
  uint32_t dims, vcs, depth, data_w;
  bool links;
  uint32_t cables() const { return 2 * dims; }
  uint32_t flit_w() const { return data_w + ttpu::ici::kFlitExtraBits; }
  uint32_t cable_w() const { return links ? flit_w() + ttpu::ici::kFrameExtraBits : flit_w(); }
  uint32_t cable_words() const { return (cable_w() + 31) / 32; }
  nic_test::Shape flit() const { return {vcs, depth, data_w, 0}; }
};

/// Units of sel_i, and words of them that the tests read.
enum Unit : uint32_t { kNic = 0, kRouterCounters = 1, kRouterStates = 2, kLinks = 8 };

struct Packet {
  uint32_t src, dest, channel, length;
  uint32_t sequence;  ///< number among the packets of its source, destination and channel
  std::set<uint32_t> receivers;  ///< more than one only for a multicast
};

/// One direction of a cable.
struct Wire {
  struct Item {
    uint64_t due;
    std::array<uint32_t, 8> bits;
  };
  std::deque<Item> items;
  std::deque<std::pair<uint64_t, uint32_t>> credits;  ///< without links: due, mask
  uint32_t latency = 1;
  uint32_t flip_per_mille = 0, lose_per_mille = 0;
  bool dead = false;
  uint64_t flipped = 0, lost = 0;
};

template <class Model>
class NodeBench;

/// The hooks of one node's controller.
template <class Model>
struct NodeSide {
  NodeBench<Model>& bench;
  uint32_t node;
  void before_clock() { bench.drive(node); }
  void at_clock() { bench.sample(node); }
};

template <class Model>
class NodeBench {
 public:
  NodeBench(Shape s, const Topology& t) : shape(s), topology(t), wires(t.nodes() * s.cables()) {
    for (uint32_t n = 0; n < t.nodes(); ++n) {
      sides.push_back({*this, n});
      tx.emplace_back();
      open.emplace_back(s.vcs, -1);
      arrived.emplace_back(s.vcs, 0);
      rx_stall.emplace_back(tb::format("rx_ready_i of node %u", n), 0);
      ready_stall.emplace_back(tb::format("cable_ready_i of node %u", n), 0);
      tb::ControllerOptions options;
      options.name = tb::format("node %u", n);
      nodes.push_back(std::make_unique<tb::Controller<Model>>(options));
      auto& dut = nodes.back()->dut();
      const auto at = t.coordinates(n);
      dut.cfg_native_i = 1;
      dut.cfg_id_i = n;
      dut.cfg_coord_i = at[0] | at[1] << 5 | at[2] << 10;
      dut.cfg_size_i = t.size[0] | t.size[1] << 5 | t.size[2] << 10;
      for (uint32_t p = 0; p < s.cables(); ++p)
        dut.cfg_dateline_i |= static_cast<uint32_t>(t.port(n, p).dateline) << p;
      dut.cfg_link_timeout_i = 400;
      dut.cfg_link_retries_i = 3;
      dut.cfg_link_auto_i = 0;
    }
  }

  Model& dut(uint32_t node) { return nodes[node]->dut(); }
  Wire& wire_from(uint32_t node, uint32_t port) { return wires[node * shape.cables() + port]; }

  void tick() {
    for (uint32_t n = 0; n < nodes.size(); ++n) nodes[n]->tick(sides[n]);
    ++cycle;
  }
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) tick();
  }
  template <class Done>
  bool run_until(Done done, uint64_t limit) {
    for (uint64_t i = 0; i < limit; ++i) {
      if (done()) return true;
      tick();
    }
    return done();
  }
  /// All links up.
  bool train() {
    return run_until(
        [&] {
          for (uint32_t n = 0; n < nodes.size(); ++n)
            for (uint32_t p = 0; p < shape.cables(); ++p)
              if (topology.usable(n, p) && (dut(n).down_o >> p & 1)) return false;
          return true;
        },
        20000);
  }

  /// `copies`: the other nodes that get it, for a multicast.
  void send(uint32_t src, uint32_t dest, uint32_t channel, uint32_t length,
            const std::set<uint32_t>& copies = {}) {
    const uint32_t id = static_cast<uint32_t>(packets.size());
    packets.push_back({src, dest, channel, length, 0, copies});
    packets.back().receivers.insert(dest);
    packets.back().sequence = next_sequence[{src, dest, channel, !copies.empty()}]++;
    Flit head;
    head.head = true;
    head.tail = length == 0;
    head.put(ttpu::ici::kHeaderDest, dest);
    head.put(ttpu::ici::kHeaderChannel, channel);
    head.put(ttpu::ici::kHeaderLength, length);
    head.put(ttpu::ici::kHeaderMcast, !copies.empty());
    head.put(ttpu::ici::kHeaderKind, static_cast<uint64_t>(ttpu::ici::Kind::kTest));
    head.put(ttpu::ici::kHeaderAddress, id);
    tx[src].push_back(head);
    for (uint32_t i = 1; i <= length; ++i) tx[src].push_back(data_of(id, i, i == length));
  }
  /// A word of a unit, read as the host does.
  uint32_t read(uint32_t node, uint32_t unit, uint32_t word) {
    dut(node).sel_i = unit << 8 | word;
    run(3);
    return dut(node).data_o;
  }
  bool all_done() const { return delivered.size() + missed.size() == packets.size(); }
  /// What is still missing was lost: forget it, and go on with the order from here.
  void restart() {
    for (uint32_t id = 0; id < packets.size(); ++id)
      if (!delivered.count(id)) missed.insert(id);
    for (const Packet& p : packets)
      for (const uint32_t n : p.receivers)
        next_arrival[{p.src, p.dest, p.channel, p.receivers.size() > 1, n}] = p.sequence + 1;
  }
  void load_table(uint32_t node, uint32_t dest, uint64_t route) {
    dut(node).tab_we_i = 1;
    dut(node).tab_dest_i = dest;
    dut(node).tab_valid_i = 1;
    dut(node).tab_route_i = route;
    tick();
    dut(node).tab_we_i = 0;
  }

  // ---- hooks ----
  void drive(uint32_t n) {
    Model& d = dut(n);
    d.tx_valid_i = !tx[n].empty();
    if (d.tx_valid_i) nic_test::write_flit(d.tx_flit_i, tx[n].front(), shape.flit());
    d.rx_ready_i = !rx_stall[n].stall(d.rx_valid_o);
    d.cable_ready_i = 0;
    d.cable_valid_i = 0;
    for (uint32_t p = 0; p < shape.cables(); ++p) {
      if (!ready_stall[n].stall(d.cable_valid_o >> p & 1)) d.cable_ready_i |= 1U << p;
      if (!topology.usable(n, p)) continue;
      const auto& peer = topology.port(n, p).peer;
      Wire& in = wire_from(peer.node, peer.port);
      d.cable_credit_i[p] = 0;
      if (!in.items.empty() && in.items.front().due <= cycle) {
        for (uint32_t w = 0; w < shape.cable_words(); ++w)
          d.cable_i[p][w] = in.items.front().bits[w];
        in.items.pop_front();
        d.cable_valid_i |= 1U << p;
      }
      if (!in.credits.empty() && in.credits.front().first <= cycle) {
        d.cable_credit_i[p] = in.credits.front().second;
        in.credits.pop_front();
      }
    }
  }

  void sample(uint32_t n) {
    Model& d = dut(n);
    if (d.tx_valid_i && d.tx_ready_o) {
      if (tx[n].front().head) sent_at[id_of(tx[n].front())] = cycle;
      tx[n].pop_front();
    }
    if (d.rx_valid_o && d.rx_ready_i) receive(n, nic_test::read_flit(d.rx_flit_o, shape.flit()));
    if (d.error_valid_o)
      tb::fail(tb::format("node %u, cycle %llu: error_valid_o, cause %u dest %u", n, now(),
                          static_cast<unsigned>(d.error_cause_o),
                          static_cast<unsigned>(d.error_dest_o)));
    for (uint32_t p = 0; p < shape.cables(); ++p) {
      Wire& w = wire_from(n, p);
      if (!shape.links && d.cable_credit_o[p])
        w.credits.push_back({cycle + w.latency, d.cable_credit_o[p]});
      if (!(d.cable_valid_o >> p & 1) || (shape.links && !(d.cable_ready_i >> p & 1))) continue;
      if (w.dead || random.below(1000) < w.lose_per_mille) {
        ++w.lost;
        continue;
      }
      typename Wire::Item item{cycle + w.latency, {}};
      for (uint32_t i = 0; i < shape.cable_words(); ++i) item.bits[i] = d.cable_o[p][i];
      if (random.below(1000) < w.flip_per_mille) {
        const uint32_t bit = static_cast<uint32_t>(random.below(shape.cable_w()));
        item.bits[bit / 32] ^= 1U << bit % 32;
        ++w.flipped;
      }
      w.items.push_back(item);
    }
  }

  Shape shape;
  Topology topology;
  tb::Random random;
  std::vector<std::unique_ptr<tb::Controller<Model>>> nodes;
  std::vector<NodeSide<Model>> sides;
  std::vector<Wire> wires;  ///< [node * cables + port], what leaves there
  std::vector<std::deque<Flit>> tx;
  std::vector<tb::StallInjector> rx_stall, ready_stall;
  std::vector<Packet> packets;
  std::set<uint32_t> delivered;  ///< numbers of packets that came whole
  std::set<uint32_t> missed;     ///< and that never will, see restart()
  std::vector<uint32_t> cut;     ///< that ended with err
  std::map<uint32_t, uint64_t> sent_at, received_at;
  /// May packets of this pair be missing? (their cable dies in the test)
  std::function<bool(uint32_t src, uint32_t dest)> may_miss = [](uint32_t, uint32_t) {
    return false;
  };
  uint64_t cycle = 0;

 private:
  unsigned long long now() const { return cycle; }
  static uint32_t id_of(const Flit& head) {
    return static_cast<uint32_t>(head.get(ttpu::ici::kHeaderAddress));
  }
  Flit data_of(uint32_t id, uint32_t index, bool last) const {
    Flit f;
    for (uint32_t w = 0; w < shape.data_w / 32; ++w)
      f.payload[w] = (id * 0x9e3779b9U) ^ (index * 0x85ebca6bU) ^ (w * 0xc2b2ae35U);
    f.payload[0] = id;
    f.payload[1] = index;
    f.tail = last;
    return f;
  }
  void wrong(uint32_t n, const char* what, const Flit& got) {
    tb::fail(tb::format("node %u, cycle %llu, signal rx_flit_o: %s\ngot      %s", n, now(), what,
                        nic_test::describe(got).c_str()));
  }

  void receive(uint32_t n, const Flit& got) {
    const uint32_t v = got.vc;
    if (v >= shape.vcs) return wrong(n, "this virtual channel does not exist", got);
    int64_t& id = open[n][v];
    if (got.head) {
      if (id >= 0) wrong(n, "a head inside a packet", got);
      id = id_of(got);
      arrived[n][v] = 0;
      if (id >= static_cast<int64_t>(packets.size())) {
        id = -1;
        return wrong(n, "nobody sent this packet", got);
      }
      const Packet& p = packets[static_cast<size_t>(id)];
      if (!p.receivers.count(n) || got.get(ttpu::ici::kHeaderDest) != p.dest)
        wrong(n, "is for another node", got);
      if (got.get(ttpu::ici::kHeaderSrc) != p.src) wrong(n, "expected another src", got);
      if (got.get(ttpu::ici::kHeaderLength) != p.length) wrong(n, "expected another length", got);
      if (came.count({static_cast<uint32_t>(id), n}))
        wrong(n, "the packet came a second time", got);
    } else if (id < 0) {
      return wrong(n, "data outside a packet", got);
    } else if (!got.err) {
      Flit want = data_of(static_cast<uint32_t>(id), ++arrived[n][v], got.tail);
      want.vc = v;
      if (!want.accepts(got)) wrong(n, ("expected " + nic_test::describe(want)).c_str(), got);
    }
    if (!got.tail) return;
    const Packet& p = packets[static_cast<size_t>(id)];
    if (got.err) {
      if (!may_miss(p.src, p.dest)) wrong(n, "cut short", got);
      cut.push_back(static_cast<uint32_t>(id));
    } else {
      if (arrived[n][v] != p.length) wrong(n, "flits are missing", got);
      uint32_t& next = next_arrival[{p.src, p.dest, p.channel, p.receivers.size() > 1, n}];
      if (p.sequence < next || (p.sequence != next && !may_miss(p.src, p.dest)))
        wrong(n, tb::format("out of order: number %u, expected %u", p.sequence, next).c_str(), got);
      next = p.sequence + 1;
      came.insert({static_cast<uint32_t>(id), n});
      if (++copies_came[static_cast<uint32_t>(id)] == p.receivers.size())
        delivered.insert(static_cast<uint32_t>(id));
      received_at[static_cast<uint32_t>(id)] = cycle;
    }
    id = -1;
  }

  std::vector<std::vector<int64_t>> open;  ///< [node][vc]: packet that is coming in
  std::vector<std::vector<uint32_t>> arrived;
  /// Source, destination, channel, multicast; and who receives.
  std::map<std::array<uint32_t, 4>, uint32_t> next_sequence;
  std::map<std::array<uint32_t, 5>, uint32_t> next_arrival;
  std::set<std::pair<uint32_t, uint32_t>> came;  ///< packet, receiver
  std::map<uint32_t, size_t> copies_came;
};

}  // namespace node_test
