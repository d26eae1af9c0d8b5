// FIFO, and the one of two words in registers: order, fill, rate.
#include <gtest/gtest.h>

#include <deque>

#include "Vfifo_1.h"
#include "Vfifo_2.h"
#include "Vfifo_5.h"
#include "Vskid.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/scoreboard.h"
#include "tb/sized.h"

namespace {

template <class M>
class Fifo : public ::testing::Test {};
using Models = ::testing::Types<tb::Sized<Vfifo_1, 1>, tb::Sized<Vfifo_2, 2>, tb::Sized<Vfifo_5, 5>,
                                tb::Sized<Vskid, 2>>;
TYPED_TEST_SUITE(Fifo, Models);

/// Random pushes and pops against a deque.
template <class M>
struct Bench {
  explicit Bench(uint64_t seed = 0) : top(options(seed)), random("fifo") {
    top->clear_i = 0;
    top->push_valid_i = top->pop_ready_i = 0;
  }
  static tb::ControllerOptions options(uint64_t seed) {
    tb::ControllerOptions o;
    o.name = "fifo";
    o.random_init_seed = seed;
    return o;
  }
  void tick(bool push, bool pop, bool clear = false) {
    top->push_valid_i = push;
    top->pop_ready_i = pop;
    top->clear_i = clear;
    top->push_data_i = static_cast<SData>(random.next());
    top.tick(*this);
  }
  void at_clock() {
    if constexpr (requires { top->count_o; }) {
      tb::expect_equal("count_o", top.cycle(), "", model.size(), top->count_o);
    } else {
      tb::expect_equal("next_valid_o", top.cycle(), "", model.size() == 2, top->next_valid_o);
      if (model.size() == 2)
        tb::expect_equal("next_data_o", top.cycle(), "", model[1], top->next_data_o);
    }
    tb::expect_equal("pop_valid_o", top.cycle(), "", !model.empty(), top->pop_valid_o);
    tb::expect_equal("push_ready_o", top.cycle(), "", model.size() < M::kSize, top->push_ready_o);
    if (!model.empty())
      tb::expect_equal("pop_data_o", top.cycle(), "", model.front(), top->pop_data_o);
    if (top->push_valid_i && top->push_ready_o) model.push_back(top->push_data_i), ++pushed;
    if (top->pop_valid_o && top->pop_ready_i) model.pop_front(), ++popped;
    if (top->clear_i) model.clear();
    full += model.size() == M::kSize;
  }
  tb::Controller<M> top;
  tb::Random random;
  std::deque<uint16_t> model;
  uint64_t pushed = 0, popped = 0, full = 0;
};

TYPED_TEST(Fifo, Random) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Bench<TypeParam> b(seed);
    for (const uint32_t percent : {20u, 50u, 80u, 100u})
      for (int i = 0; i < 2000; ++i)
        b.tick(b.random.chance(percent), b.random.chance(100 - percent / 2), b.random.chance(1));
    EXPECT_GT(b.popped, 1000u);
    EXPECT_GT(b.full, 100u);
  }
}

// One word a cycle in and out without a bubble (every second cycle at depth 1).
TYPED_TEST(Fifo, FullRate) {
  Bench<TypeParam> b;
  for (int i = 0; i < 1000; ++i) b.tick(true, true);
  EXPECT_GE(b.popped, TypeParam::kSize == 1 ? 499u : 999u);
}

}  // namespace
