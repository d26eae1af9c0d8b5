// Routers of all shapes under random traffic: every packet once, at the right port, in order, its
// header as it has to be, whatever credits and senders do.
#include <gtest/gtest.h>

#include "Vrouter_deep_1d.h"
#include "Vrouter_full_2d.h"
#include "Vrouter_full_3d.h"
#include "Vrouter_mid_3d.h"
#include "Vrouter_small_1d.h"
#include "Vrouter_small_2d.h"
#include "tests/ici/router_bench.h"

namespace router_test {
namespace {

template <class B>
struct Traffic {
  B& b;
  tb::Random random{"traffic"};
  uint32_t longest = 9, illegal_percent = 3, mcast_percent = 10;

  Packet packet() {
    Packet p;
    p.in_port = static_cast<uint32_t>(random.below(B::kPorts));
    p.in_vc = static_cast<uint32_t>(random.below(B::kChans / B::kPorts));
    p.flits = 1 + static_cast<uint32_t>(random.coin() ? 0 : random.below(longest));
    p.age = static_cast<uint32_t>(random.below(64));
    p.mcast = random.chance(mcast_percent);
    p.cut = random.chance(5);
    p.route = random.next() & 0xffffffffff;  // all 40 bits; four of five legs only passed on
    uint32_t dir = static_cast<uint32_t>(random.below(B::kLocal));
    if (p.mcast) {
      if (p.in_port < B::kLocal && random.chance(80)) dir = p.in_port ^ 1;
      if (random.chance(80))
        for (uint32_t leg = 1; leg < 5; ++leg) p.route &= ~(uint64_t{15} << (8 * leg + 3));
    }
    if (random.chance(illegal_percent))
      dir = B::kLocal + static_cast<uint32_t>(random.below(8 - B::kLocal));
    p.route = (p.route & ~uint64_t{7}) | dir;
    if (random.chance(20)) p.route &= ~(uint64_t{15} << 3);
    return p;
  }
};

/// `cycles` of traffic, with links that go down and up if `links`.
template <class B>
void random_traffic(uint32_t cycles, uint32_t send, uint32_t credit, bool links,
                    uint64_t init = 0) {
  tb::ControllerOptions options;
  options.random_init_seed = init;
  B b(options);
  Traffic<B> traffic{b};
  b.send_percent = send;
  b.credit_percent = credit;
  b.dateline = static_cast<uint32_t>(traffic.random.below(1U << B::kLocal));
  b.step();
  uint32_t downs = 0;
  for (uint32_t c = 0; c < cycles; ++c) {
    for (uint32_t n = 0; n < B::kPorts; ++n) {
      if (!traffic.random.chance(60)) continue;
      const Packet p = traffic.packet();
      if (b.waiting(p.in_port * (B::kChans / B::kPorts) + p.in_vc) < 100) b.send(p);
    }
    if (links && traffic.random.below(150) == 0) {
      b.set_down(b.down ^ 1U << traffic.random.below(B::kLocal));
      ++downs;
    }
    b.step();
  }
  b.drain(20000);
  b.check_end();
  EXPECT_GT(b.got_flits, cycles / 2);
  EXPECT_GE(b.no_credit, links || send < 80 ? 0u : 1u) << "a sender ran out of credits";
  EXPECT_GE(b.send_stalls, send < 100 ? cycles / 10 : 0);
  EXPECT_GE(b.credit_stalls, credit < 100 ? cycles / 10 : 0);
  EXPECT_GT(b.total_dropped, 0u);
  if (links) {
    EXPECT_GT(downs, 4u);
    EXPECT_GT(b.total_cut, 0u) << "a link went down in the middle of a packet";
  }
}

uint32_t cycles() { return tb::long_run() ? 300'000 : 20'000; }

template <class B>
void all_kinds() {
  random_traffic<B>(cycles(), 100, 100, false);
  random_traffic<B>(cycles(), 100, 30, false, 77);
  random_traffic<B>(cycles(), 40, 60, false);
  random_traffic<B>(cycles(), 80, 50, true, 5);
}

TEST(RouterRandom, Small1d) { all_kinds<RouterBench<Vrouter_small_1d, 1, 2, 8>>(); }
TEST(RouterRandom, Small2d) { all_kinds<RouterBench<Vrouter_small_2d, 2, 2, 8>>(); }
TEST(RouterRandom, Deep1d) { all_kinds<RouterBench<Vrouter_deep_1d, 1, 4, 64>>(); }
TEST(RouterRandom, Mid3dWide) { all_kinds<RouterBench<Vrouter_mid_3d, 3, 4, 4, 160>>(); }
TEST(RouterRandom, Full2d) { all_kinds<RouterBench<Vrouter_full_2d, 2, 8, 16>>(); }
TEST(RouterRandom, Full3d) { all_kinds<RouterBench<Vrouter_full_3d, 3, 8, 16>>(); }

}  // namespace
}  // namespace router_test
