// RAMs: byte enables, the old word when read and written at once, data held until the next read.
#include <gtest/gtest.h>

#include <array>

#include "Vram_1r1w.h"
#include "Vram_1rw.h"
#include "tb/random.h"
#include "tb/scoreboard.h"
#include "verilated.h"

namespace {

/// A RAM has no reset, so it needs no more of a controller than a clock.
template <class M>
struct Clocked {
  M* operator->() { return &model; }
  void tick() {
    model.clk_i = 0;
    model.eval();
    model.clk_i = 1;
    model.eval();
    ++cycle;
  }
  VerilatedContext context;
  M model{&context, "top"};
  uint64_t cycle = 0;
};

uint64_t merge(uint64_t old, uint64_t data, uint32_t enables) {
  for (int i = 0; i < 8; ++i)
    if (enables >> i & 1) old = (old & ~(0xffull << 8 * i)) | (data & (0xffull << 8 * i));
  return old;
}

/// Whole words half of the time: they take another path in simulation.
uint32_t enables(tb::Random& r) { return r.coin() ? 0xff : r.u32() & 0xff; }

TEST(Ram, OneReadOneWrite) {
  Clocked<Vram_1r1w> top;
  tb::Random r;
  std::array<uint64_t, 16> model{};
  uint64_t want = 0;
  bool known = false;
  for (int i = 0; i < 16 + 20000; ++i) {
    if (known) tb::expect_equal("rd_data_o", top.cycle, "", want, top->rd_data_o);
    const bool filling = i < 16;
    top->wr_en_i = filling || r.coin();
    top->wr_addr_i = static_cast<CData>(filling ? i : r.below(16));
    top->wr_be_i = filling ? 0xff : enables(r);
    top->wr_data_i = r.next();
    top->rd_en_i = !filling && r.coin();
    top->rd_addr_i = r.chance(30) ? top->wr_addr_i : r.below(16);
    if (top->rd_en_i) want = model[top->rd_addr_i], known = true;
    if (top->wr_en_i)
      model[top->wr_addr_i] = merge(model[top->wr_addr_i], top->wr_data_i, top->wr_be_i);
    top.tick();
  }
}

TEST(Ram, OnePort) {
  Clocked<Vram_1rw> top;
  tb::Random r;
  std::array<uint64_t, 16> model{};
  uint64_t want = 0;
  bool known = false;
  for (int i = 0; i < 16 + 20000; ++i) {
    if (known) tb::expect_equal("rd_data_o", top.cycle, "", want, top->rd_data_o);
    const bool filling = i < 16;
    top->en_i = filling || r.chance(80);
    top->we_i = filling || r.coin();
    top->addr_i = filling ? i : r.below(16);
    top->wr_be_i = filling ? 0xff : enables(r);
    top->wr_data_i = r.next();
    if (top->en_i && !top->we_i) want = model[top->addr_i], known = true;
    if (top->en_i && top->we_i)
      model[top->addr_i] = merge(model[top->addr_i], top->wr_data_i, top->wr_be_i);
    top.tick();
  }
}

}  // namespace
