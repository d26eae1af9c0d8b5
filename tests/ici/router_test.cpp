// One router, directed: latency, rate, routes, multicast, links that go down, who goes first, and
// what the host reads of it.
#include <gtest/gtest.h>

#include "Vrouter_full_2d.h"
#include "tests/ici/router_bench.h"

namespace router_test {
namespace {

using Bench = RouterBench<Vrouter_full_2d, 2, 8, 16>;
enum : uint32_t { kPlusX, kMinusX, kPlusY, kMinusY, kLocal };
enum : uint32_t { kSent, kWait, kLost, kDrop };
enum : uint32_t { kNothing, kCredit, kChannel, kTurn, kDropping };

/// A packet from `in` that goes straight out of `out` (kLocal: stays here).
Packet straight(uint32_t in, uint32_t out, uint32_t vc, uint32_t flits = 1, uint32_t age = 0) {
  const uint64_t route = out == kLocal ? 0 : route_of({{out, 3, vc / 4}});
  return {in, vc, route, flits, age};
}
uint32_t wait_code(uint32_t state) { return state >> 13 & 7; }

TEST(Router, HopTakesTwoCycles) {
  for (uint32_t in = 0; in < 5; ++in)
    for (uint32_t out = 0; out < 5; ++out)
      for (uint32_t vc = 0; vc < 8; vc += 7) {
        Bench b;
        const uint32_t id = b.send(straight(in, out, vc));
        b.run(6);
        ASSERT_EQ(b.arrived_flits(id), 1u) << "from port " << in << " to " << out;
        EXPECT_EQ(b.head_out_cycle(id) - b.head_in_cycle(id), 2u) << in << " to " << out;
        b.drain(10);
        b.check_end();
      }
}

// The credit comes back so soon that a buffer of 4 flits carries 1 flit a cycle.
TEST(Router, CreditComesBackTwoCyclesAfterTheFlit) {
  Bench b;
  b.send(straight(kPlusX, kMinusX, 2));
  b.step();
  EXPECT_EQ(b.credits[kPlusX * 8 + 2], 15u);
  b.step();
  EXPECT_EQ(b->in_credit_o[kPlusX], 1u << 2) << "in cycle t + 2";
  b.step();
  EXPECT_EQ(b->in_credit_o[kPlusX], 0u);
  EXPECT_EQ(b.credits[kPlusX * 8 + 2], 16u);
}

TEST(Router, EveryPortFullAtOnce) {
  for (const uint32_t flits : {1u, 8u})
    for (uint32_t turn = 0; turn < 5; ++turn) {
      Bench b;
      b.keep_log = true;
      for (uint32_t in = 0; in < 5; ++in)
        for (uint32_t n = 0; n < 400 / flits; ++n)
          b.send(straight(in, (in + turn) % 5, n % 8, flits));
      b.run(302);
      std::array<uint64_t, 5> out{};
      for (const auto& [cycle, channel] : b.log) ++out[channel / 8];
      for (uint32_t p = 0; p < 5; ++p)
        EXPECT_EQ(out[p], 300u) << "flits out of port " << p << " in 300 cycles, turn " << turn;
      b.drain(2000);
      b.check_end();
    }
}

// One input port feeds all outputs in the same cycle: its channels are read each on its own.
TEST(Router, ChannelsOfAPortAreReadEachOnItsOwn) {
  Bench b;
  b.keep_log = true;
  for (uint32_t v = 0; v < 5; ++v) b.hold_credit[v * 8 + v] = true;
  // Fill the outputs' credits, then 5 more flits wait, each in a channel of the local port.
  for (uint32_t v = 0; v < 5; ++v)
    for (int n = 0; n < 17; ++n) {
      Packet p = straight(kLocal, v, v % 4);
      if (v != kLocal) p.route = route_of({{v, 1, v / 4}});
      p.in_vc = v;
      if (v != kLocal) p.route = route_of({{v, 1, v / 4}});
      b.send(p);
    }
  b.run(120);
  EXPECT_EQ(b.got_flits, 80u);
  b.hold_credit.fill(false);
  b.credit_percent = 100;
  b.log.clear();
  b.run(6);
  ASSERT_EQ(b.log.size(), 5u);
  for (const auto& entry : b.log) EXPECT_EQ(entry.first, b.log[0].first) << "same cycle";
  b.drain(100);
  b.check_end();
}

// C27: a packet of one flit right behind another's tail, to the same output.
TEST(Router, C27OneFlitPacketRightBehindATail) {
  for (const uint32_t first : {1u, 2u, 5u})
    for (const bool same_channel : {true, false}) {
      Bench b;
      const uint32_t vc = same_channel ? 3u : 2u;
      const uint32_t one = b.send(straight(kMinusX, kPlusX, 3, first));
      const uint32_t two = b.send(straight(kMinusX, kPlusX, vc, 1));
      const uint32_t three = b.send(straight(kMinusX, kPlusX, 3, 1));
      b.run(first + 8);
      EXPECT_EQ(b.arrived_flits(one), first);
      EXPECT_EQ(b.arrived_flits(two), 1u);
      EXPECT_EQ(b.arrived_flits(three), 1u);
      b.drain(10);
      b.check_end();
    }
}

TEST(Router, DatelineAndLegs) {
  Bench b;
  b.dateline = 1 << kPlusX;
  b.step();
  for (uint32_t hops = 1; hops < 16; ++hops)
    for (uint32_t dir = 0; dir < 4; ++dir)
      for (uint32_t vclass = 0; vclass < 2; ++vclass)
        for (uint32_t vc = 0; vc < 8; ++vc)
          b.send({kLocal, vc,
                  route_of({{dir, hops, vclass},
                            {(dir + 2) % 4, 3, 0},
                            {dir, 2, 1},
                            {1, 1, 0},
                            {2, 15, 1}}),
                  1, 0});
  b.drain(5000);
  b.check_end();
  // In class 0 to the dateline, out in class 1.
  EXPECT_EQ(b.got_on[kPlusX * 8 + 0], 0u);
  EXPECT_EQ(b.got_on[kPlusX * 8 + 4], 15u * 2 * 2);
  EXPECT_EQ(b.got_on[kPlusY * 8 + 0], 15u * 2);
}

// ---- multicast ---------------------------------------------------------------------------------
TEST(Router, MulticastCopiesAlongTheLastLegOnly) {
  struct Case {
    uint32_t in;
    std::vector<Leg> legs;
    uint32_t copies;
  };
  const std::vector<Case> cases = {
      {kMinusX, {{kPlusX, 3, 0}}, 2},                  // on its way
      {kMinusX, {{kPlusX, 1, 0}}, 2},                  // one hop before the end
      {kMinusX, {}, 1},                                // the end
      {kLocal, {{kPlusX, 3, 0}}, 1},                   // its source
      {kMinusY, {{kPlusX, 3, 0}}, 1},                  // the corner before the last leg
      {kMinusX, {{kPlusX, 3, 0}, {kPlusY, 1, 0}}, 1},  // a leg before the last
      {kPlusY, {{kMinusY, 2, 1}, {kPlusX, 0, 1}}, 2},  // later legs have no hops
  };
  for (const uint32_t flits : {1u, 4u})
    for (const Case& c : cases) {
      Bench b;
      Packet p{c.in, 1, route_of(c.legs), flits, 0};
      p.mcast = true;
      const uint32_t id = b.send(p);
      b.run(2 * flits + 4);
      EXPECT_EQ(b.got_flits, flits * c.copies) << "route " << p.route << " from port " << c.in;
      EXPECT_EQ(b.arrived_flits(id), flits);
      b.drain(10);
      b.check_end();
    }
}

// Onward first: it takes no channel of the local port before all of it can go there, and its places
// are free when it has been delivered.
TEST(Router, MulticastGoesOnwardThenIsDelivered) {
  Bench b;
  b.hold_credit[kLocal * 8 + 1] = true;
  for (int n = 0; n < 16; ++n) b.send(straight(kPlusY, kLocal, 1));
  b.run(30);
  Packet p{kMinusX, 1, route_of({{kPlusX, 3, 0}}), 3, 0};
  p.mcast = true;
  const uint32_t id = b.send(p);
  b.run(20);
  EXPECT_EQ(b.arrived_flits(id, 0), 3u);
  EXPECT_EQ(b.arrived_flits(id, 1), 0u) << "no credit";
  EXPECT_EQ(b.credits[kMinusX * 8 + 1], 13u);
  const uint32_t state = b.state(kMinusX, 1);
  EXPECT_EQ(state & 0x7f, 3u) << "flits held";
  EXPECT_EQ(state >> 7 & 7, uint32_t{kLocal});
  EXPECT_EQ(wait_code(state), uint32_t{kCredit});
  EXPECT_EQ(state >> 25 & 1, 1u) << "the second time";
  b.hold_credit.fill(false);
  b.drain(100);
  b.check_end();
}

TEST(Router, MulticastThatCannotGoOnwardTakesNoLocalChannel) {
  Bench b;
  b.hold_credit[kPlusX * 8 + 1] = true;
  for (int n = 0; n < 14; ++n) b.send(straight(kPlusY, kPlusX, 1));
  b.run(30);
  Packet p{kMinusX, 1, route_of({{kPlusX, 3, 0}}), 5, 0};
  p.mcast = true;
  const uint32_t id = b.send(p);
  b.run(20);
  EXPECT_EQ(b.arrived_flits(id, 0), 2u) << "two credits";
  const uint32_t other = b.send(straight(kPlusY, kLocal, 1, 8));
  b.run(20);
  EXPECT_EQ(b.arrived_flits(other), 8u) << "the local channel is free for others";
  b.hold_credit.fill(false);
  b.drain(100);
  EXPECT_EQ(b.arrived_flits(id, 1), 5u);
  b.check_end();
}

TEST(Router, MulticastThatDoesNotFitIsDropped) {
  for (const uint32_t flits : {16u, 17u}) {
    Bench b;
    Packet p{kMinusX, 1, route_of({{kPlusX, 3, 0}}), flits, 0};
    p.mcast = true;
    b.send(p);
    b.drain(200);
    b.check_end();
    EXPECT_EQ(b.got_flits, flits == 16 ? 32u : 0u);
    EXPECT_EQ(b.total_dropped, flits == 16 ? 0u : 1u);
  }
}

// ---- links that go down
// -------------------------------------------------------------------------- C29, the router's
// part: the link goes down in the middle of a packet; other traffic lives, and the port works again
// when the link does.
TEST(Router, C29LinkDownInTheMiddleOfAPacket) {
  Bench b;
  const uint32_t cut = b.send(straight(kMinusX, kPlusX, 2, 40));
  const uint32_t behind = b.send(straight(kMinusX, kPlusX, 2, 3));
  b.run(20);
  const uint32_t seen = b.arrived_flits(cut);
  ASSERT_GT(seen, 3u);
  ASSERT_LT(seen, 40u);
  b.set_down(1 << kPlusX);
  const uint32_t other = b.send(straight(kMinusX, kPlusY, 2, 6));
  const uint32_t third = b.send(straight(kPlusY, kLocal, 2, 6));
  b.run(60);
  EXPECT_LE(b.arrived_flits(cut), seen + 1);
  EXPECT_EQ(b.arrived_flits(behind), 0u);
  EXPECT_EQ(b.arrived_flits(other), 6u) << "behind the lost ones, elsewhere";
  EXPECT_EQ(b.arrived_flits(third), 6u);
  EXPECT_TRUE(b->drop_valid_o);
  EXPECT_EQ(b->drop_port_o, uint32_t{kPlusX});
  b.set_down(0);
  b.step();
  const uint32_t again = b.send(straight(kMinusX, kPlusX, 2, 20));
  b.drain(100);
  EXPECT_EQ(b.arrived_flits(again), 20u);
  b.check_end();
  EXPECT_EQ(b.total_cut, 1u);
  EXPECT_EQ(b.total_dropped, 1u);
}

// Down and up again while the rest of the packet has not come yet: the rest must not go out
// headless.
TEST(Router, LinkDownAndUpWithinAPacket) {
  Bench b;
  b.send_percent = 100;
  const uint32_t cut = b.send(straight(kMinusX, kPlusX, 2, 12));
  b.run(6);
  b.send_percent = 0;
  b.run(10);
  const uint32_t seen = b.arrived_flits(cut);
  ASSERT_GT(seen, 1u);
  ASSERT_LT(seen, 12u);
  b.set_down(1 << kPlusX);
  b.run(2);
  b.set_down(0);
  b.run(2);
  b.send_percent = 100;
  const uint32_t other = b.send(straight(kLocal, kPlusX, 2, 5));
  b.drain(100);
  EXPECT_EQ(b.arrived_flits(cut), seen);
  EXPECT_EQ(b.arrived_flits(other), 5u) << "the channel was released";
  b.check_end();
  EXPECT_EQ(b.total_cut, 1u);
}

// Credits of the time before are forgotten: the other end starts with an empty buffer.
TEST(Router, CreditsAreWholeAgainAfterDown) {
  Bench b;
  b.hold_credit[kPlusX * 8 + 2] = true;
  for (int n = 0; n < 20; ++n) b.send(straight(kMinusX, kPlusX, 2));
  b.run(40);
  EXPECT_EQ(b.got_flits, 16u);
  b.set_down(1 << kPlusX);
  b.run(20);
  b.set_down(0);
  b.run(2);
  for (int n = 0; n < 20; ++n) b.send(straight(kMinusX, kPlusX, 2));
  b.run(40);
  EXPECT_EQ(b.got_flits, 32u) << "16 more, not one less";
  b.hold_credit.fill(false);
  b.drain(100);
  b.check_end();
}

TEST(Router, RoutesToNowhereAreTakenAndCounted) {
  Bench b;
  std::vector<uint32_t> lost;
  for (uint32_t dir = 4; dir < 8; ++dir)
    lost.push_back(b.send({kMinusY, 5, route_of({{dir, 2, 0}}), dir - 3, 9}));
  const uint32_t good = b.send(straight(kMinusY, kLocal, 5, 2));
  b.run(3);
  EXPECT_TRUE(b->drop_valid_o);
  b.drain(40);
  EXPECT_EQ(b.arrived_flits(good), 2u);
  EXPECT_EQ(b->drop_port_o, 7u);
  EXPECT_EQ(std::memcmp(tb::bytes_of(b->drop_header_o), b.header(lost[0]).data(), 16), 0)
      << "header of the first packet dropped";
  b->drop_clear_i = 1;
  b.step();
  b->drop_clear_i = 0;
  b.step();
  EXPECT_FALSE(b->drop_valid_o);
  const uint32_t next = b.send({kPlusX, 0, route_of({{6, 1, 0}}), 3, 9});
  b.drain(20);
  EXPECT_TRUE(b->drop_valid_o);
  EXPECT_EQ(std::memcmp(tb::bytes_of(b->drop_header_o), b.header(next).data(), 16), 0);
  b.check_end();
  EXPECT_EQ(b.total_dropped, 5u);
}

// ---- who goes first
// ------------------------------------------------------------------------------
/// Keeps output +X shut on channel 2 until packets wait in all channels given, then opens it.
struct Contest {
  Bench b;
  Contest() {
    b.hold_credit[kPlusX * 8 + 2] = true;
    for (int n = 0; n < 16; ++n) b.send(straight(kMinusX, kPlusX, 2));
    b.run(30);
    b.head_order.clear();
  }
  void go() {
    b.hold_credit.fill(false);
    b.drain(400);
    b.check_end();
  }
};

TEST(Router, OldestGoesFirst) {
  Contest c;
  std::map<uint32_t, uint32_t> age;
  const uint32_t ages[] = {7, 40, 21, 33};
  const uint32_t ports[] = {kMinusX, kPlusY, kMinusY, kLocal};
  for (int n = 0; n < 4; ++n) age[c.b.send(straight(ports[n], kPlusX, 2, 2, ages[n]))] = ages[n];
  c.b.run(6);
  c.go();
  ASSERT_EQ(c.b.head_order.size(), 4u);
  for (int n = 1; n < 4; ++n)
    EXPECT_GT(age[c.b.head_order[n - 1]], age[c.b.head_order[n]]) << "place " << n;
}

TEST(Router, WaitingMakesOld) {
  Contest c;
  const uint32_t first = c.b.send(straight(kPlusY, kPlusX, 2, 1, 10));
  c.b.run(12 * ttpu::ici::kAgeUnit + 4);
  const uint32_t second = c.b.send(straight(kMinusY, kPlusX, 2, 1, 20));
  c.b.run(4);
  c.go();
  EXPECT_EQ(c.b.head_order, (std::vector<uint32_t>{first, second}));
}

TEST(Router, NetworkBeforeLocalAtEqualAge) {
  Contest c;
  const uint32_t local = c.b.send(straight(kLocal, kPlusX, 2, 1, 5));
  const uint32_t network = c.b.send(straight(kMinusX, kPlusX, 2, 1, 5));
  c.b.run(4);
  c.go();
  EXPECT_EQ(c.b.head_order, (std::vector<uint32_t>{network, local}));
}

// At age 63 all take turns, the local port too: nobody waits longer than the others need for a
// turn.
TEST(Router, OldOnesTakeTurns) {
  Bench b;
  const uint32_t ports[] = {kMinusX, kPlusY, kMinusY, kLocal};
  std::map<uint32_t, uint32_t> from;
  for (int n = 0; n < 40; ++n)
    for (const uint32_t p : ports)
      for (uint32_t v = 0; v < 4; ++v) from[b.send(straight(p, kPlusX, v, 1, 63))] = p * 4 + v;
  b.run(2 * 16 + 8);
  b.drain(2000);
  // From when all 16 channels wait until their packets run out.
  std::map<uint32_t, size_t> seen;
  for (size_t n = 60; n < 500; ++n) {
    const uint32_t channel = from[b.head_order[n]];
    if (seen.count(channel)) {
      EXPECT_LE(n - seen[channel], 16u) << "channel " << channel;
    }
    seen[channel] = n;
  }
  EXPECT_EQ(seen.size(), 16u);
  b.check_end();
}

// The oldest in the network is never overtaken for long: a trickle of packets with high age cannot
// keep a waiting one back once it is at 63 itself.
TEST(Router, WaitIsBounded) {
  Bench b;
  for (int n = 0; n < 1600; ++n) {
    b.send(straight(kMinusX, kPlusX, static_cast<uint32_t>(n) % 4, 1, 60));
    b.send(straight(kPlusY, kPlusX, static_cast<uint32_t>(n + 1) % 4, 1, 63));
  }
  b.run(40);
  const uint32_t young = b.send(straight(kLocal, kPlusX, 1, 1, 0));
  uint32_t waited = 0;
  while (b.arrived_flits(young) == 0 && waited < 4000) {
    b.step();
    ++waited;
  }
  EXPECT_GT(waited, 300u) << "older ones go first";
  EXPECT_LE(waited, 64u * ttpu::ici::kAgeUnit + 10) << "until it has age 63 and its turn";
  b.drain(3000);
  b.check_end();
}

// A packet is not interrupted while it has flits and credits, whatever waits.
TEST(Router, OutputStaysWithAPacket) {
  Bench b;
  b.keep_log = true;
  b.send(straight(kMinusX, kPlusX, 2, 12, 0));
  b.run(4);
  b.send(straight(kPlusY, kPlusX, 1, 3, 50));
  b.drain(60);
  ASSERT_EQ(b.log.size(), 15u);
  for (uint32_t n = 0; n < 15; ++n)
    EXPECT_EQ(b.log[n].second, kPlusX * 8 + (n < 12 ? 2 : 1)) << "flit " << n;
  b.check_end();
}

// But without credit another channel uses the output.
TEST(Router, OutputIsNotHeldWithoutCredit) {
  Bench b;
  b.hold_credit[kPlusX * 8 + 2] = true;
  const uint32_t held = b.send(straight(kMinusX, kPlusX, 2, 20, 63));
  b.run(30);
  EXPECT_EQ(b.arrived_flits(held), 16u);
  const uint32_t other = b.send(straight(kPlusY, kPlusX, 1, 3));
  b.run(8);
  EXPECT_EQ(b.arrived_flits(other), 3u);
  b.hold_credit.fill(false);
  b.drain(60);
  b.check_end();
}

// ---- what the host reads
// ---------------------------------------------------------------------------
TEST(Router, StateSaysWhoWaitsForWhat) {
  Bench b;
  b.hold_credit[kPlusX * 8 + 2] = true;
  b.send(straight(kMinusX, kPlusX, 2, 20, 33));
  b.run(30);
  b.send(straight(kPlusY, kPlusX, 2, 3, 1));
  b.run(8);
  const uint32_t owner = b.state(kMinusX, 2), other = b.state(kPlusY, 2);
  EXPECT_EQ(owner & 0x7f, 4u) << "flits held";
  EXPECT_EQ(owner >> 7 & 7, uint32_t{kPlusX}) << "output";
  EXPECT_EQ(owner >> 10 & 7, 2u) << "channel there";
  EXPECT_EQ(wait_code(owner), uint32_t{kCredit});
  EXPECT_EQ(owner >> 23 & 0x1f, 0b11000u) << "a flit, owns its channel; no head, no multicast";
  EXPECT_EQ(other & 0x7f, 3u);
  EXPECT_EQ(wait_code(other), uint32_t{kCredit}) << "credit before channel";
  EXPECT_EQ(other >> 23 & 0x1f, 0b10001u) << "a flit, a head";
  b.hold_credit.fill(false);
  b.send_percent = 0;
  b.run(3);
  EXPECT_GE(owner >> 16 & 63, 33u) << "age";
  EXPECT_LE(owner >> 16 & 63, 33u + 7) << "age";
  b.send_percent = 100;
  b.drain(100);
  EXPECT_EQ(wait_code(b.state(kPlusY, 2)), uint32_t{kNothing});
  b.check_end();
}

TEST(Router, StateSaysThatAChannelIsTaken) {
  Bench b;
  b.send(straight(kMinusX, kPlusX, 2, 4, 33));
  b.run(3);
  b.send_percent = 0;  // its rest does not come
  b.run(4);
  b.send_percent = 100;
  const uint32_t id = b.send(straight(kPlusY, kPlusX, 2, 3, 1));
  // Only the second sender may go on: the first one's flits wait behind a closed gate.
  b.block_sender(kMinusX, true);
  b.run(8);
  EXPECT_EQ(b.arrived_flits(id), 0u);
  const uint32_t state = b.state(kPlusY, 2);
  EXPECT_EQ(wait_code(state), uint32_t{kChannel});
  EXPECT_EQ(b.state(kMinusX, 2) >> 26 & 1, 1u) << "who owns it";
  EXPECT_EQ(b.state(kMinusX, 2) & 0x7f, 0u);
  b.block_sender(kMinusX, false);
  b.drain(60);
  EXPECT_EQ(b.arrived_flits(id), 3u);
  b.check_end();
}

TEST(Router, CountersOfWaiting) {
  Bench b;
  b.hold_credit[kPlusX * 8 + 2] = true;
  for (int n = 0; n < 16; ++n) b.send(straight(kMinusX, kPlusX, 2));
  b.run(40);
  const uint32_t before = b.counter(kWait, kPlusY, 2);
  EXPECT_EQ(before, 0u);
  b.send(straight(kPlusY, kPlusX, 2));
  b.run(10);
  const uint32_t first = b.counter(kWait, kPlusY, 2);
  b.run(20);
  EXPECT_EQ(b.counter(kWait, kPlusY, 2) - first, 21u) << "cycles without credit";
  EXPECT_EQ(b.counter(kLost, kPlusY, 2), 0u);
  b.hold_credit.fill(false);
  b.drain(60);
  // Two of the same age for one output: one of them waits as long as the other sends.
  Bench c;
  c.send(straight(kMinusX, kPlusX, 1, 8));
  c.send(straight(kPlusY, kPlusX, 2, 8));
  c.drain(60);
  EXPECT_EQ(c.counter(kLost, kMinusX, 1) + c.counter(kLost, kPlusY, 2), 8u);
  c.check_end();
}

}  // namespace
}  // namespace router_test
