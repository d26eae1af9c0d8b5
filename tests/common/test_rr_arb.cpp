// Round-robin arbiter in simulation against the rule itself: from the requester behind the last one
// granted, the first that asks. That the rule is fair is proved in tests/formal; this holds the
// simulator to it too.
#include <gtest/gtest.h>

#include "Vrr_arb_1.h"
#include "Vrr_arb_11.h"
#include "Vrr_arb_2.h"
#include "Vrr_arb_3.h"
#include "Vrr_arb_7.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/scoreboard.h"
#include "tb/sized.h"

namespace {

template <class M>
class RrArb : public ::testing::Test {};
using Models =
    ::testing::Types<tb::Sized<Vrr_arb_1, 1>, tb::Sized<Vrr_arb_2, 2>, tb::Sized<Vrr_arb_3, 3>,
                     tb::Sized<Vrr_arb_7, 7>, tb::Sized<Vrr_arb_11, 11>>;
TYPED_TEST_SUITE(RrArb, Models);

template <class M>
struct Bench {
  Bench() : top(options()) { top->req_i = top->advance_i = 0; }
  static tb::ControllerOptions options() {
    tb::ControllerOptions o;
    o.name = "rr_arb";
    return o;
  }
  /// The requester that is granted, or M::kSize if none asks.
  unsigned granted() {
    for (unsigned k = 0; k < M::kSize; ++k) {
      const unsigned i = (first + k) % M::kSize;
      if (top->req_i >> i & 1) return i;
    }
    return M::kSize;
  }
  void at_clock() {
    const unsigned g = granted();
    const bool any = g != M::kSize;
    const auto asked =
        tb::format("req_i 0x%x, requester %u first", unsigned{top->req_i}, first % M::kSize);
    tb::expect_equal("gnt_o", top.cycle(), asked, any ? 1u << g : 0u, unsigned{top->gnt_o});
    tb::expect_equal("index_o", top.cycle(), asked, any ? g : 0u, unsigned{top->index_o});
    if (!any) return;
    if (!top->advance_i) return void(++held);
    ++counts[g];
    first = g + 1;
  }
  tb::Controller<M> top;
  unsigned first = 0;  ///< the requester that goes before all others
  uint64_t held = 0;   ///< cycles in which the grant was not used
  uint64_t counts[16] = {};
};

TYPED_TEST(RrArb, Random) {
  constexpr unsigned kN = TypeParam::kSize;
  Bench<TypeParam> b;
  tb::Random random("requests");
  for (int i = 0; i < 20000; ++i) {
    // few at a time, many at a time, in turn
    uint64_t ask = random.next();
    if (i / 64 % 3 == 1) ask &= random.next() & random.next();
    if (i / 64 % 3 == 2) ask |= random.next();
    b.top->req_i = ask & ((1u << kN) - 1);
    b.top->advance_i = random.below(4) != 0;
    b.top.tick(b);
  }
  EXPECT_GT(b.held, 1000u) << "no grant was left unused: the order was never held";
  for (unsigned i = 0; i < kN; ++i) EXPECT_GT(b.counts[i], 500u) << "requester " << i;
}

}  // namespace
