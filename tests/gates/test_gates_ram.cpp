// The memories of a netlist (gates_ram) against plain arrays: every word written and read, then
// random accesses with every byte enable, and reads beside writes to the same word, which give the
// old one.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <vector>

#include "Vgates_ram.h"
#include "tb/controller.h"
#include "tb/random.h"

namespace {

constexpr uint32_t kSingle = 2048, kTwo = 512;

/// A memory of which only written bytes are known.
struct Memory {
  std::vector<uint32_t> word, known;
  explicit Memory(uint32_t rows) : word(rows), known(rows) {}
  void write(uint32_t row, uint32_t be, uint32_t data) {
    uint32_t mask = 0;
    for (int i = 0; i < 4; ++i) mask |= be >> i & 1 ? 0xffu << (8 * i) : 0;
    word[row] = (word[row] & ~mask) | (data & mask);
    known[row] |= mask;
  }
};

struct Expected {
  uint32_t row, word, known;
};

TEST(GatesRam, EveryWordAndRandomAccesses) {
  std::mt19937_64 rng{tb::run_seed()};
  tb::Controller<Vgates_ram> top;
  Memory single(kSingle), two(kTwo);
  std::optional<Expected> s_out, t_out;
  const auto draw = [&](uint32_t n) { return static_cast<uint32_t>(rng() % n); };
  for (uint32_t cycle = 0; cycle < 20000; ++cycle) {
    const bool fill = cycle < kSingle, drain = cycle >= kSingle && cycle < 2 * kSingle;
    top->s_en_i = fill || drain || draw(4);
    top->s_we_i = fill || (!drain && draw(2));
    top->s_addr_i = fill || drain ? cycle % kSingle : draw(cycle % 2 ? kSingle : 8);
    top->s_be_i = fill ? 15 : draw(16);
    top->s_data_i = static_cast<uint32_t>(rng());
    top->wr_en_i = fill || draw(2);
    top->wr_addr_i = fill ? cycle % kTwo : draw(cycle % 2 ? kTwo : 4);
    top->wr_be_i = fill ? 15 : draw(16);
    top->wr_data_i = static_cast<uint32_t>(rng());
    top->rd_en_i = draw(4) != 0;
    top->rd_addr_i = draw(3) ? top->wr_addr_i : draw(kTwo);

    // Single port: a write leaves nothing to be read, an idle cycle what was read before.
    if (top->s_en_i) {
      s_out.reset();
      if (top->s_we_i)
        single.write(top->s_addr_i, top->s_be_i, top->s_data_i);
      else
        s_out = {top->s_addr_i, single.word[top->s_addr_i], single.known[top->s_addr_i]};
    }
    if (top->rd_en_i) t_out = {top->rd_addr_i, two.word[top->rd_addr_i], two.known[top->rd_addr_i]};
    if (top->wr_en_i) two.write(top->wr_addr_i, top->wr_be_i, top->wr_data_i);
    top.tick();
    top->eval();
    if (s_out) {
      ASSERT_EQ(top->s_data_o & s_out->known, s_out->word & s_out->known)
          << "s_data_o, row " << s_out->row << ", cycle " << cycle;
    }
    if (t_out) {
      ASSERT_EQ(top->rd_data_o & t_out->known, t_out->word & t_out->known)
          << "rd_data_o, row " << t_out->row << ", cycle " << cycle;
    }
  }
}

}  // namespace
