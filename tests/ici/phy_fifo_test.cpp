// FIFO between two clocks: order and content at many ratios and phases, random stalls, full and
// empty.
#include <gtest/gtest.h>

#include <deque>

#include "Vasync_fifo_2.h"
#include "Vasync_fifo_8.h"
#include "tb/random.h"
#include "tb/sized.h"
#include "tb/wave.h"
#include "verilated.h"

namespace {

template <class M>
class AsyncFifo : public ::testing::Test {};
using Models = ::testing::Types<tb::Sized<Vasync_fifo_2, 2>, tb::Sized<Vasync_fifo_8, 8>>;
TYPED_TEST_SUITE(AsyncFifo, Models);

template <class M>
struct Bench {
  Bench(int64_t wr_period, int64_t rd_period) : random("async fifo") {
    context.randReset(2);
    context.randSeed(static_cast<int>(random.below(1u << 30)) + 1);
    top = std::make_unique<M>(&context, "top");
    period[0] = wr_period, period[1] = rd_period;
    next[0] = static_cast<int64_t>(random.below(static_cast<uint64_t>(wr_period)));
    next[1] = static_cast<int64_t>(random.below(static_cast<uint64_t>(rd_period)));
    top->wr_clk_i = top->rd_clk_i = top->wr_valid_i = top->rd_ready_i = 0;
    top->wr_rst_ni = top->rd_rst_ni = 0;
    top->eval();
    wave.open(*top);
    while (edges[0] < 8 || edges[1] < 8) step();
    top->wr_rst_ni = top->rd_rst_ni = 1;
    top->eval();
  }
  ~Bench() {
    top->final();
    wave.close();
  }

  /// The next half period of the clock that comes first.
  void step() {
    const int c = next[1] < next[0];
    wave.advance(static_cast<uint64_t>(now), static_cast<uint64_t>(next[c]));
    now = next[c];
    next[c] += period[c] / 2 + random.between(-period[c] / 50, period[c] / 50);
    if (c == 0) {
      if (top->wr_clk_i ^= 1)
        write_edge();
      else
        top->eval();
    } else {
      if (top->rd_clk_i ^= 1)
        read_edge();
      else
        top->eval();
    }
  }
  void write_edge() {
    ++edges[0];
    const bool push = top->wr_valid_i && top->wr_ready_o && top->wr_rst_ni;
    full += top->wr_rst_ni && !top->wr_ready_o;
    if (push) model.push_back(top->wr_data_i), ++pushed;
    EXPECT_LE(model.size(), M::kSize) << "at " << now << ": wr_ready_o without room";
    top->eval();
    top->wr_valid_i = top->wr_rst_ni && random.chance(wr_percent);
    top->wr_data_i = static_cast<SData>(random.next());
    top->eval();
  }
  void read_edge() {
    ++edges[1];
    const bool pop = top->rd_valid_o && top->rd_ready_i && top->rd_rst_ni;
    empty += top->rd_rst_ni && !top->rd_valid_o;
    if (top->rd_valid_o && top->rd_rst_ni) {
      if (model.empty()) {
        ADD_FAILURE() << "at " << now << ": rd_valid_o, expected nothing";
      } else {
        EXPECT_EQ(top->rd_data_o, model.front()) << "rd_data_o at " << now << ", word " << popped;
        if (pop) model.pop_front(), ++popped;
      }
    }
    top->eval();
    top->rd_ready_i = random.chance(rd_percent);
    top->eval();
  }

  VerilatedContext context;
  tb::Wave wave{context, 10000};
  std::unique_ptr<M> top;
  tb::Random random;
  std::deque<uint16_t> model;
  int64_t now = 0, period[2], next[2];
  uint32_t wr_percent = 100, rd_percent = 100;
  uint64_t edges[2] = {0, 0}, pushed = 0, popped = 0, full = 0, empty = 0;
};

constexpr int64_t kPeriods[][2] = {{10000, 10000}, {10000, 10010}, {10000, 3700}, {3700, 10000},
                                   {10000, 1100},  {1100, 10000},  {6000, 4000}};

TYPED_TEST(AsyncFifo, AnyRatio) {
  const int steps = tb::long_run() ? 400000 : 20000;
  for (const auto& p : kPeriods) {
    Bench<TypeParam> b(p[0], p[1]);
    for (const uint32_t percent : {2u, 50u, 100u}) {
      for (const uint32_t other : {2u, 50u, 100u}) {
        b.wr_percent = percent, b.rd_percent = other;
        for (int i = 0; i < steps / 9; ++i) b.step();
      }
    }
    b.wr_percent = 0, b.rd_percent = 100;
    for (int i = 0; i < 2000 && !b.model.empty(); ++i) b.step();
    EXPECT_EQ(b.pushed, b.popped) << p[0] << " ps to " << p[1] << " ps";
    EXPECT_GT(b.popped, 200u);
    EXPECT_GT(b.full, 20u);
    EXPECT_GT(b.empty, 20u);
  }
}

// Eight places carry one word a cycle between clocks of one rate, whatever their phase.
TEST(AsyncFifoRate, OneWordACycle) {
  for (int i = 0; i < 20; ++i) {
    Bench<tb::Sized<Vasync_fifo_8, 8>> b(10000, 10000);
    while (b.edges[0] < 100) b.step();
    const uint64_t full = b.full, edges = b.edges[0], pushed = b.pushed;
    while (b.edges[0] < 1100) b.step();
    EXPECT_EQ(b.full, full);
    EXPECT_EQ(b.pushed - pushed, b.edges[0] - edges);
  }
}

}  // namespace
