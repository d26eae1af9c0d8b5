// Whole nodes joined by cables that damage and lose frames, and that die (case C29).
#include "Vnode_small.h"
#include "Vnode_wire.h"
#include "node_bench.h"

namespace node_test {
namespace {

using ttpu::ici::LinkWord;

constexpr Shape kSmall{2, 2, 8, 128, true};
constexpr Shape kWire{2, 8, 16, 128, false};

template <class M>
void send_random(NodeBench<M>& b, uint32_t packets, uint32_t longest) {
  const uint32_t nodes = b.topology.nodes();
  for (uint32_t i = 0; i < packets; ++i) {
    const uint32_t src = static_cast<uint32_t>(b.random.below(nodes));
    b.send(src, static_cast<uint32_t>(b.random.below(nodes)),
           static_cast<uint32_t>(b.random.below(16)),
           b.random.coin() ? 0 : static_cast<uint32_t>(b.random.below(longest + 1)));
  }
}

template <class M>
void stall_all(NodeBench<M>& b, uint32_t percent) {
  for (auto& s : b.rx_stall) s.set(percent);
  for (auto& s : b.ready_stall) s.set(percent, 2);
}

/// Sum of one word of all links.
template <class M>
uint64_t link_sum(NodeBench<M>& b, LinkWord word) {
  uint64_t sum = 0;
  for (uint32_t n = 0; n < b.topology.nodes(); ++n)
    for (uint32_t p = 0; p < b.shape.cables(); ++p)
      sum += b.read(n, kLinks + p, static_cast<uint32_t>(word));
  return sum;
}

/// Cycles from one chip's tx to another's rx with nothing in the way.
template <class M>
uint64_t zero_load(NodeBench<M>& b, uint32_t src, uint32_t dest) {
  const uint32_t id = static_cast<uint32_t>(b.packets.size());
  b.send(src, dest, 0, 0);
  EXPECT_TRUE(b.run_until([&] { return b.all_done(); }, 1000));
  return b.received_at[id] - b.sent_at[id];
}

TEST(Node, ExactlyOnceInOrderOverBadCables) {
  NodeBench<Vnode_small> b(kSmall, ttpu::fabric::make_torus({2, 2, 1}, 2));
  for (Wire& w : b.wires) w.latency = 1 + static_cast<uint32_t>(b.random.below(20));
  ASSERT_TRUE(b.train()) << "links are not up after 20000 cycles";
  for (Wire& w : b.wires) w.flip_per_mille = 10, w.lose_per_mille = 5;
  stall_all(b, 10);
  send_random(b, tb::long_run() ? 20000 : 1500, 40);
  ASSERT_TRUE(b.run_until([&] { return b.all_done(); }, tb::long_run() ? 3'000'000 : 300'000))
      << b.delivered.size() << " of " << b.packets.size() << " packets came";
  for (auto& s : b.rx_stall) s.expect_stalled(20);
  for (auto& s : b.ready_stall) s.expect_stalled(20);
  // The links saw each frame that was damaged, and nobody counts what did not happen.
  for (Wire& w : b.wires) w.flip_per_mille = w.lose_per_mille = 0;
  b.run(100);
  uint64_t flipped = 0, lost = 0;
  for (const Wire& w : b.wires) flipped += w.flipped, lost += w.lost;
  EXPECT_GT(flipped, 50u);
  EXPECT_GT(lost, 25u);
  EXPECT_EQ(link_sum(b, LinkWord::kCrcErrors), flipped);
  EXPECT_GT(link_sum(b, LinkWord::kReplays), 10u);
  EXPECT_EQ(link_sum(b, LinkWord::kDowns), 0u);
  uint64_t sent = 0, received = 0;
  for (uint32_t n = 0; n < 4; ++n) {
    sent += b.read(n, kNic, nic_test::kTxPackets);
    received += b.read(n, kNic, nic_test::kRxPackets);
    EXPECT_FALSE(b.dut(n).drop_valid_o) << "node " << n;
  }
  EXPECT_EQ(sent, b.packets.size());
  EXPECT_EQ(received, b.packets.size());
}

TEST(Node, WithoutLinks) {
  NodeBench<Vnode_wire> b(kWire, ttpu::fabric::make_torus({4, 2, 1}, 2));
  for (Wire& w : b.wires) w.latency = 1 + static_cast<uint32_t>(b.random.below(6));
  stall_all(b, 15);
  send_random(b, tb::long_run() ? 40000 : 4000, 30);
  ASSERT_TRUE(b.run_until([&] { return b.all_done(); }, 400'000))
      << b.delivered.size() << " of " << b.packets.size() << " packets came";
  for (auto& s : b.rx_stall) s.expect_stalled(20);
}

/// The nodes along the last leg of a route, but for its end.
std::set<uint32_t> along_last_leg(const Topology& t, uint32_t src, ttpu::fabric::Route route) {
  std::vector<uint32_t> reached;
  uint32_t at = src;
  for (uint32_t i = 0; i < ttpu::ici::kLegs; ++i) {
    const auto leg = ttpu::fabric::decode_leg(route, i);
    if (leg.hops) reached.clear();
    for (uint32_t hop = 0; hop < leg.hops; ++hop)
      reached.push_back(at = t.port(at, leg.dir).peer.node);
  }
  if (!reached.empty()) reached.pop_back();
  return {reached.begin(), reached.end()};
}

/// Multicasts among other packets: each node along the last leg gets one copy, in order.
TEST(Node, Multicast) {
  NodeBench<Vnode_wire> b(kWire, ttpu::fabric::make_torus({6, 2, 1}, 2));
  const auto routes = ttpu::fabric::dimension_order(b.topology);
  for (Wire& w : b.wires) w.latency = 1 + static_cast<uint32_t>(b.random.below(4));
  stall_all(b, 15);
  size_t copies = 0;
  for (uint32_t i = 0; i < (tb::long_run() ? 5000 : 600); ++i) {
    const uint32_t src = static_cast<uint32_t>(b.random.below(12));
    const uint32_t dest = static_cast<uint32_t>(b.random.below(12));
    const auto others = along_last_leg(b.topology, src, routes->route(src, dest));
    copies += others.size();
    b.send(src, dest, i % 16, static_cast<uint32_t>(b.random.below(12)), others);
    send_random(b, 2, 8);
  }
  EXPECT_GT(copies, 100u);
  ASSERT_TRUE(b.run_until([&] { return b.all_done(); }, 400'000))
      << b.delivered.size() << " of " << b.packets.size() << " packets came";
}

/// Interface 7, router 2 a node, link 5 and the wire a hop, interface 2.
TEST(Node, ZeroLoadLatency) {
  NodeBench<Vnode_small> linked(kSmall, ttpu::fabric::make_torus({2, 2, 1}, 2));
  ASSERT_TRUE(linked.train());
  EXPECT_EQ(zero_load(linked, 0, 0), 7u + 2 + 2) << "loop-back";
  EXPECT_EQ(zero_load(linked, 0, 1), 7u + 2 + (5 + 1) + 2 + 2);
  EXPECT_EQ(zero_load(linked, 0, 3), 7u + 2 + 2 * (5 + 1 + 2) + 2);
  NodeBench<Vnode_wire> wired(kWire, ttpu::fabric::make_torus({4, 2, 1}, 2));
  EXPECT_EQ(zero_load(wired, 0, 1), 7u + 2 + 1 + 2 + 2);
  EXPECT_EQ(zero_load(wired, 0, 6), 7u + 2 + 3 * (1 + 2) + 2);
}

/// The pairs whose route in dimension order on 2x2 uses the cable from node 0 in +x to node 1.
bool uses_cable(uint32_t src, uint32_t dest) {
  return (src == 0 && (dest == 1 || dest == 3)) || (src == 1 && (dest == 0 || dest == 2));
}

// Case C29: a cable dies in the middle of packets. Both ends report it within the limit, the
// packets on it are closed or counted, all other traffic lives; then a table leads round it, and at
// last it is mended.
TEST(Node, C29_CableDiesInTheMiddleOfAPacket) {
  NodeBench<Vnode_small> b(kSmall, ttpu::fabric::make_torus({2, 2, 1}, 2));
  ASSERT_TRUE(b.train());
  b.may_miss = uses_cable;
  stall_all(b, 5);
  // Long packets over the cable in both directions, and traffic everywhere.
  for (uint32_t i = 0; i < 12; ++i) {
    b.send(0, 1, i % 3, 200);
    b.send(1, 0, i % 3, 200);
  }
  send_random(b, 800, 20);
  b.run(600);
  Wire& there = b.wire_from(0, ttpu::ici::kPlusX);
  Wire& back = b.wire_from(1, ttpu::ici::kMinusX);
  there.dead = back.dead = true;
  there.items.clear();
  back.items.clear();
  const uint64_t died = b.cycle;
  const auto reported = [&] {
    return (b.dut(0).down_o >> ttpu::ici::kPlusX & 1) &&
           (b.dut(1).down_o >> ttpu::ici::kMinusX & 1);
  };
  const uint64_t limit = (3 + 1) * (400 + 1) + 2;
  EXPECT_TRUE(b.run_until(reported, limit + 100)) << "link down is not reported after " << limit;
  RecordProperty("cycles_to_report", static_cast<int>(b.cycle - died));
  EXPECT_EQ(b.dut(0).down_o, 1U << ttpu::ici::kPlusX) << "another link of node 0 went down";
  EXPECT_EQ(b.dut(1).down_o, 1U << ttpu::ici::kMinusX) << "another link of node 1 went down";
  EXPECT_EQ(b.dut(2).down_o | b.dut(3).down_o, 0);

  // All traffic of the other pairs comes, and the chips are not held up.
  const auto others_done = [&] {
    for (uint32_t id = 0; id < b.packets.size(); ++id)
      if (!uses_cable(b.packets[id].src, b.packets[id].dest) && !b.delivered.count(id))
        return false;
    return b.tx[0].empty() && b.tx[1].empty();
  };
  ASSERT_TRUE(b.run_until(others_done, 100'000)) << "traffic beside the dead cable hangs";
  b.run(2000);
  // What is missing is reported: dropped or cut by a router, or lost with the link.
  uint64_t dropped = 0, cut = 0;
  for (uint32_t n = 0; n < 4; ++n) {
    dropped += b.read(n, kRouterCounters, 3 << 6 | 0);
    cut += b.read(n, kRouterCounters, 3 << 6 | 1);
  }
  const uint64_t lost = link_sum(b, LinkWord::kLost),
                 missing = b.packets.size() - b.delivered.size();
  EXPECT_FALSE(b.cut.empty()) << "no packet was cut: the cable died at a bad moment for this test";
  EXPECT_GT(dropped, 0u);
  EXPECT_LE(missing, dropped + cut + lost);
  EXPECT_GE(missing, dropped);
  for (uint32_t n : {0u, 1u}) {
    EXPECT_TRUE(b.dut(n).drop_valid_o) << "node " << n << " says nothing of dropped packets";
    EXPECT_EQ(b.dut(n).drop_port_o, n == 0 ? ttpu::ici::kPlusX : ttpu::ici::kMinusX);
    const uint32_t dest = b.dut(n).drop_header_o[0] & 0x3fff;
    const uint32_t src = b.dut(n).drop_header_o[0] >> 14 & 0x3fff;
    EXPECT_TRUE(uses_cable(src, dest)) << "node " << n << ": dropped " << src << " -> " << dest;
  }

  // Route round it: the other cable between the two columns.
  b.may_miss = [](uint32_t, uint32_t) { return false; };
  const auto routes = ttpu::fabric::dimension_order(b.topology);
  for (uint32_t n = 0; n < 4; ++n) {
    for (uint32_t dest = 0; dest < 4; ++dest) {
      uint64_t route = routes->route(n, dest);
      if (uses_cable(n, dest)) route ^= 1;  // the first leg is the one in x: the other direction
      b.load_table(n, dest, route);
    }
    b.dut(n).cfg_native_i = 0;
  }
  b.restart();
  send_random(b, 600, 20);
  ASSERT_TRUE(b.run_until([&] { return b.all_done(); }, 100'000)) << "after the new table";

  // The cable is mended: both ends train again, dimension order works again.
  there.dead = back.dead = false;
  b.dut(0).retrain_i = 1U << ttpu::ici::kPlusX;
  b.dut(1).retrain_i = 1U << ttpu::ici::kMinusX;
  b.tick();
  b.dut(0).retrain_i = b.dut(1).retrain_i = 0;
  ASSERT_TRUE(b.train()) << "the mended cable does not come up";
  for (uint32_t n = 0; n < 4; ++n) b.dut(n).cfg_native_i = 1;
  send_random(b, 600, 20);
  ASSERT_TRUE(b.run_until([&] { return b.all_done(); }, 100'000)) << "over the mended cable";
}

/// The host takes a cable out of service in the middle of traffic and gives it back, several times.
TEST(Node, HostTakesACableDownAndUp) {
  NodeBench<Vnode_small> b(kSmall, ttpu::fabric::make_torus({2, 2, 1}, 2));
  for (uint32_t n = 0; n < 4; ++n) b.dut(n).cfg_link_auto_i = 1;
  for (Wire& w : b.wires) w.latency = 7;
  ASSERT_TRUE(b.train());
  stall_all(b, 5);
  for (uint32_t round = 0; round < 5; ++round) {
    b.may_miss = uses_cable;
    for (uint32_t i = 0; i < 4; ++i) b.send(0, 1, i, 150), b.send(1, 0, i, 150);
    send_random(b, 100, 20);
    b.run(200 + b.random.below(100));
    b.dut(0).cfg_down_i = 1U << ttpu::ici::kPlusX;
    b.run(2);
    EXPECT_EQ(b.dut(0).down_o, 1U << ttpu::ici::kPlusX);
    const auto quiet = [&] {
      for (uint32_t id = 0; id < b.packets.size(); ++id)
        if (!uses_cable(b.packets[id].src, b.packets[id].dest) && !b.delivered.count(id) &&
            !b.missed.count(id))
          return false;
      return b.tx[0].empty() && b.tx[1].empty();
    };
    ASSERT_TRUE(b.run_until(quiet, 50'000)) << "round " << round << ": the other traffic hangs";
    b.run(1000);
    EXPECT_EQ(b.dut(1).down_o, 1U << ttpu::ici::kMinusX) << "the other end does not know";
    EXPECT_TRUE(b.dut(0).drop_valid_o);
    b.dut(0).cfg_down_i = 0;
    ASSERT_TRUE(b.train()) << "round " << round << ": the cable does not come up again";
    b.restart();
    b.may_miss = [](uint32_t, uint32_t) { return false; };
    send_random(b, 200, 20);
    ASSERT_TRUE(b.run_until([&] { return b.all_done(); }, 50'000)) << "round " << round;
  }
  EXPECT_FALSE(b.cut.empty()) << "no packet was cut in five rounds";
}

/// A CRC that is always bad is a dead cable too.
TEST(Node, C29_EveryFrameDamaged) {
  NodeBench<Vnode_small> b(kSmall, ttpu::fabric::make_torus({2, 2, 1}, 2));
  ASSERT_TRUE(b.train());
  b.may_miss = uses_cable;
  for (uint32_t i = 0; i < 4; ++i) b.send(0, 1, 0, 100), b.send(2, 3, 0, 100), b.send(1, 3, 0, 100);
  b.run(50);
  b.wire_from(0, ttpu::ici::kPlusX).flip_per_mille = 1000;
  const auto reported = [&] { return b.dut(0).down_o && b.dut(1).down_o; };
  EXPECT_TRUE(b.run_until(reported, 3 * ((3 + 1) * (400 + 1) + 2)));
  const auto others_done = [&] {
    for (uint32_t id = 0; id < b.packets.size(); ++id)
      if (b.packets[id].src != 0 && !b.delivered.count(id)) return false;
    return true;
  };
  EXPECT_TRUE(b.run_until(others_done, 10'000));
  EXPECT_GT(
      b.read(1, kLinks + uint32_t{ttpu::ici::kMinusX}, static_cast<uint32_t>(LinkWord::kCrcErrors)),
      3u);
}

}  // namespace
}  // namespace node_test
