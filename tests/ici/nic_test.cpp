// The network interface against scoreboards: every flit, error, counter and credit.
#include <gtest/gtest.h>

#include <cstdio>

#include "Vnic_full.h"
#include "Vnic_small.h"
#include "Vnic_wide.h"
#include "nic_packets.h"

namespace nic_test {
namespace {

using ttpu::fabric::kNoRoute;

template <class M>
constexpr Shape kShape{};
template <>
constexpr Shape kShape<Vnic_small>{2, 8, 128, 64};
template <>
constexpr Shape kShape<Vnic_full>{8, 16, 128, 1024};
template <>
constexpr Shape kShape<Vnic_wide>{4, 4, 256, 16};

template <class M>
class Nic : public ::testing::Test {};
using Models = ::testing::Types<Vnic_small, Vnic_full, Vnic_wide>;
TYPED_TEST_SUITE(Nic, Models);

/// A random table, loaded into the interface; about one row in eight has no route.
template <class M>
Node load_random_table(NicBench<M>& b, uint32_t id) {
  auto rows = std::make_shared<std::vector<uint64_t>>(b.shape.table);
  b.bench->cfg_id_i = id;
  b.bench->cfg_native_i = 0;
  for (uint32_t dest = 0; dest < b.shape.table; ++dest) {
    const uint64_t route = b.random.next() & ((uint64_t{1} << 40) - 1);
    const bool valid = !b.random.chance(12);
    b.load(dest, valid, route);
    (*rows)[dest] = valid ? route : kNoRoute;
  }
  Node node{id, nullptr};
  node.route = [rows, id](uint32_t dest) {
    if (dest == id) return uint64_t{0};
    return dest < rows->size() ? (*rows)[dest] : kNoRoute;
  };
  return node;
}

/// Packets as a router may send them: any header, whole or cut short.
template <class M>
void queue_received(NicBench<M>& b, uint32_t packets) {
  for (uint32_t i = 0; i < packets; ++i) {
    const uint32_t vc = static_cast<uint32_t>(b.random.below(b.shape.vcs));
    const uint32_t length = i < 256 ? i : static_cast<uint32_t>(b.random.below(9));
    Flit head = random_head(b.random, b.shape, b.random.u32() & 0x3fff, length);
    head.vc = vc;
    head.tail = length == 0;
    b.to_in[vc].push_back(head);
    for (uint32_t k = 1; k <= length; ++k) {
      Flit data = random_data(b.random, b.shape);
      data.vc = vc;
      data.tail = k == length;
      data.err = data.tail && b.random.chance(10);
      b.to_in[vc].push_back(data);
    }
  }
}

template <class M>
void stall_all(NicBench<M>& b, uint32_t percent) {
  b.tx_stall.set(percent);
  b.rx_stall.set(percent);
  b.credit_stall.set(percent, 12);
  b.in_stall.set(percent);
}

template <class M>
void check_counters(NicBench<M>& b, uint64_t no_route, uint64_t bad) {
  const auto expect = [&](uint32_t select, const char* name, uint64_t value) {
    EXPECT_EQ(b.counter(select), value) << name;
  };
  expect(kTxPackets, "TX_PACKETS", b.out_heads);
  expect(kTxFlits, "TX_FLITS", b.out_flits);
  expect(kTxNoRoute, "TX_NO_ROUTE", no_route);
  expect(kTxBad, "TX_BAD", bad);
  expect(kTxCut, "TX_CUT", b.out_cuts);
  expect(kRxPackets, "RX_PACKETS", b.rx_tails);
  expect(kRxFlits, "RX_FLITS", b.rx_flits);
  expect(kRxCut, "RX_CUT", b.rx_cuts);
  expect(kRxStall, "RX_STALL", b.rx_stalled);
  // Everything is back where it was: all credits, nothing queued, nothing waiting.
  stall_all(b, 0);
  b.bench.run(2 * b.shape.depth, b);
  for (uint32_t v = 0; v < b.shape.vcs; ++v)
    EXPECT_EQ(b.counter(kState + v), b.shape.depth << 8) << "state of virtual channel " << v;
}

/// All lengths, all framings, routes of a table, both directions at once, stalls everywhere.
template <class M>
void random_traffic(bool bad_packets, uint64_t random_init = 0) {
  NicBench<M> b(kShape<M>, random_init);
  const uint32_t id = static_cast<uint32_t>(b.random.below(b.shape.table));
  const Node node = load_random_table(b, id);
  Sender<M> sender(b, node);
  uint64_t no_route = 0, bad = 0;
  const uint32_t rounds = tb::long_run() ? 12 : 2;
  for (uint32_t round = 0; round < rounds; ++round) {
    const uint32_t percent = std::array{0u, 15u, 40u, 70u}[(round + 1) % 4];
    stall_all(b, percent);
    queue_received(b, 300);
    for (uint32_t i = 0; i < 400; ++i) {
      const uint32_t length = i < 256 ? i : static_cast<uint32_t>(b.random.below(9));
      const uint32_t dest = b.random.chance(5) ? b.random.u32() & 0x3fff
                            : b.random.chance(5)
                                ? id
                                : static_cast<uint32_t>(b.random.below(b.shape.table));
      Framing framing = Framing::kGood;
      if (bad_packets && b.random.chance(50)) framing = static_cast<Framing>(b.random.below(8));
      sender.send(dest, length, framing);
    }
    sender.send(id, 0);  // closes a packet that is still open
    for (const Error& e : b.expect_error) ++(e.cause == Cause::kNoRoute ? no_route : bad);
    ASSERT_TRUE(b.drain(2000000)) << "left over: " << b.to_tx.size() << " flits at the chip, "
                                  << b.expect_error.size() << " errors";
    if (percent) {
      const uint64_t least = 500;
      b.tx_stall.expect_stalled(least);
      b.rx_stall.expect_stalled(least);
      b.credit_stall.expect_stalled(least);
      b.in_stall.expect_stalled(least);
    }
  }
  EXPECT_GT(no_route, 20u);
  EXPECT_GE(bad, bad_packets ? 100u : 0u);
  EXPECT_GT(b.rx_stalled, 500u);
  EXPECT_GT(b.tx_refused, 100u);
  EXPECT_GT(b.counter(kTxStallQueue), 50u);
  EXPECT_GT(b.counter(kTxStallCredit), 50u);
  check_counters(b, no_route, bad);
}

TYPED_TEST(Nic, AllLengthsRandomTableRandomStalls) { random_traffic<TypeParam>(false); }
TYPED_TEST(Nic, BadPacketsAreReportedAndHarmNoOther) { random_traffic<TypeParam>(true); }
TYPED_TEST(Nic, C38_RandomStart) { random_traffic<TypeParam>(true, tb::run_seed() + 77); }

/// Packets of one flit: one a cycle through routing, and out at the rate of the credits.
TYPED_TEST(Nic, OneFlitPacketsAtFullRate) {
  NicBench<TypeParam> b(kShape<TypeParam>);
  const uint32_t packets = 2000;
  b.bench->cfg_native_i = 1;
  b.bench->cfg_size_i = 4 | 4 << 5 | 1 << 10;
  const auto torus = ttpu::fabric::make_torus({4, 4, 1}, 2);
  const auto routes = ttpu::fabric::dimension_order(torus);
  Sender<TypeParam> sender(b, {0, [&](uint32_t dest) { return routes->route(0, dest); }});
  for (uint32_t i = 0; i < packets; ++i) sender.send(i % 16, 0);
  queue_received(b, 1);  // and one flit the other way, for its latency
  const uint64_t sent_at = b.bench.cycle();
  b.tick();
  ASSERT_TRUE(b.drain(packets + 100));
  EXPECT_EQ(b.tx_taken.back() - b.tx_taken.front(), packets - 1);
  EXPECT_EQ(b.out_at.back() - b.out_at.front(), packets - 1);
  EXPECT_EQ(b.out_at.front() - b.tx_taken.front(), 7u) << "cycles from the chip to the router";
  EXPECT_EQ(b.last_rx - sent_at, 2u) << "cycles from the router to the chip";
  EXPECT_EQ(b.counter(kTxStallQueue), 0u);
  EXPECT_EQ(b.counter(kTxStallCredit), 0u);
}

/// A single virtual channel keeps one flit a cycle too: the queue covers its own latency.
TYPED_TEST(Nic, OneDestinationAtFullRate) {
  NicBench<TypeParam> b(kShape<TypeParam>);
  Sender<TypeParam> sender(b, {0, [](uint32_t) { return uint64_t{0}; }});
  for (uint32_t i = 0; i < 8; ++i) sender.send(0, 100);
  ASSERT_TRUE(b.drain(8000));
  const uint64_t cycles = b.out_at.back() - b.out_at.front() + 1;
  EXPECT_GE(b.out_at.size(), 808u);
  EXPECT_EQ(cycles, b.out_at.size());
}

/// A virtual channel without credits holds up no other.
TYPED_TEST(Nic, BlockedChannelHoldsUpNoOther) {
  NicBench<TypeParam> b(kShape<TypeParam>);
  const Shape& s = b.shape;
  Sender<TypeParam> sender(b, {0, [](uint32_t) { return uint64_t{0}; }});
  for (uint32_t blocked = 0; blocked < s.vcs; ++blocked) {
    // The blocked channel: as much as fits at the router and in the queue. Self: one vc a channel.
    b.blocked_vcs = 1U << blocked;
    uint32_t queued = 0;
    uint32_t passing = 0;
    while (queued < s.depth + 8 || passing < 200) {
      Flit head = random_head(b.random, s, 0, 0);
      const uint32_t vc = ttpu::fabric::local_vc(
          0, 0, static_cast<uint32_t>(head.get(ttpu::ici::kHeaderChannel)), s.vcs);
      if (vc == blocked && queued == s.depth + 8) continue;
      ++(vc == blocked ? queued : passing);
      head.put(ttpu::ici::kHeaderKind, vc);
      b.to_tx.push_back(head);
      b.expect_out[vc].push_back(
          head_on_the_way(head, {0, [](uint32_t) { return uint64_t{0}; }}, s));
    }
    const auto others_done = [&] {
      if (!b.to_tx.empty()) return false;
      for (uint32_t v = 0; v < s.vcs; ++v)
        if (v != blocked && !b.expect_out[v].empty()) return false;
      return true;
    };
    EXPECT_TRUE(b.bench.run_until(others_done, 4000, "the channels that are not blocked", b));
    EXPECT_EQ(b.expect_out[blocked].size(), 8u) << "virtual channel " << blocked;
    EXPECT_EQ(b.counter(kState + blocked), 8u) << "8 flits queued, no credit";
    b.blocked_vcs = 0;
    ASSERT_TRUE(b.drain(1000));
  }
}

/// A packet that has flits and credits leaves in one piece; then it is another channel's turn.
TYPED_TEST(Nic, PacketsLeaveInOnePiece) {
  NicBench<TypeParam> b(kShape<TypeParam>);
  const Shape& s = b.shape;
  const Node node{0, [](uint32_t) { return uint64_t{0}; }};
  // First all credits of all channels, then two packets of four flits for each.
  for (uint32_t part = 0; part < 2; ++part) {
    const uint32_t length = part == 0 ? s.depth - 1 : 3;
    b.blocked_vcs = ~0U;
    std::vector<uint32_t> packets(s.vcs, 0);
    for (uint32_t i = 0; i < s.vcs * (part == 0 ? 1 : 2);) {
      Flit head = random_head(b.random, s, 0, length);
      const Flit out = head_on_the_way(head, node, s);
      if (packets[out.vc] == (part == 0 ? 1u : 2u)) continue;
      ++packets[out.vc];
      ++i;
      b.to_tx.push_back(head);
      b.expect_out[out.vc].push_back(out);
      for (uint32_t k = 1; k <= length; ++k) {
        Flit data = random_data(b.random, s);
        data.tail = k == length;
        b.to_tx.push_back(data);
        data.vc = out.vc;
        b.expect_out[out.vc].push_back(data);
      }
    }
    ASSERT_TRUE(b.bench.run_until([&] { return b.to_tx.empty(); }, 1000, "the chip's flits", b));
    b.bench.run(s.vcs * s.depth + 20, b);
  }
  b.out_vcs.clear();
  b.blocked_vcs = 0;
  ASSERT_TRUE(b.drain(1000));
  ASSERT_EQ(b.out_vcs.size(), 8 * s.vcs);
  for (uint32_t i = 0; i < b.out_vcs.size(); ++i) {
    EXPECT_EQ(b.out_vcs[i], b.out_vcs[i / 4 * 4]) << "flit " << i << " interrupts a packet";
    if (i >= 4) {
      EXPECT_EQ(b.out_vcs[i], (b.out_vcs[i - 4] + 1) % s.vcs) << "flit " << i << ": whose turn";
    }
  }
}

/// After reset no row is valid; a row counts for packets that come after its write.
TYPED_TEST(Nic, TableStartsEmptyAndChanges) {
  NicBench<TypeParam> b(kShape<TypeParam>, tb::run_seed() + 5);  // memories start at random
  const Shape& s = b.shape;
  EXPECT_EQ(b.bench->tab_ready_o, 0);
  std::vector<uint64_t> rows(s.table, kNoRoute);
  const uint32_t id = s.table + 3;  // the table need not know the node itself
  b.bench->cfg_id_i = id;
  b.bench->cfg_native_i = 0;
  Sender<TypeParam> sender(b, {id, [&](uint32_t dest) {
                                 if (dest == id) return uint64_t{0};
                                 return dest < s.table ? rows[dest] : kNoRoute;
                               }});
  // While it is cleared, the last rows first: those still hold what they started with.
  for (uint32_t i = 1; i <= 8; ++i) sender.send(s.table - i, i % 3);
  ASSERT_TRUE(b.drain(1000));
  EXPECT_EQ(b.errors, 8u);
  b.bench.run_until([&] { return b.bench->tab_ready_o; }, s.table + 2, "tab_ready_o", b);
  for (uint32_t dest = 0; dest < s.table; ++dest) sender.send(dest, 0);
  ASSERT_TRUE(b.drain(s.table + 1000));
  for (uint32_t i = 0; i < 200; ++i) {
    const uint32_t dest = static_cast<uint32_t>(b.random.below(s.table));
    const bool valid = !b.random.chance(30);
    rows[dest] = valid ? b.random.next() >> 24 : kNoRoute;
    b.load(dest, valid, rows[dest]);
    if (i == 50) b.load(s.table, true, 5);  // beyond the table: changes nothing
    sender.send(dest, i % 2);
    sender.send(s.table, 0);
    sender.send(id, 0);
    ASSERT_TRUE(b.drain(1000));
  }
}

}  // namespace
}  // namespace nic_test
