// The matrix unit of the microprogrammed core against plain sums: random products over the full
// range, signed extremes, every mode, its cycles, and the accumulator port.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "Vmicro_mxu4.h"
#include "Vmicro_mxu4_dsp.h"
#include "Vmicro_mxu8.h"
#include "Vmicro_mxu8_gowin.h"
#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/random.h"

namespace {

constexpr uint32_t kRows = 256;  // accumulator rows, both halves

/// The unit with an LMEM that answers in the next cycle.
template <class M, int N>
struct Unit {
  std::mt19937_64 rng{tb::run_seed()};
  tb::Controller<M> top;
  std::vector<uint8_t> lmem;
  std::vector<uint32_t> acc;  // expected
  int8_t weight[N][N] = {};
  uint64_t cycles = 0;

  Unit() : lmem(4096), acc(kRows * N) {
    for (auto& byte : lmem) byte = static_cast<uint8_t>(rng());
    idle();
  }
  void idle() { top->w_we_i = top->cfg_we_i = top->acc_en_i = top->hold_i = 0; }

  void tick() {
    top->eval();
    const bool read = top->rd_en_o;
    EXPECT_FALSE(read && top->hold_i) << "a row is read while LMEM is the engine's";
    const uint32_t at = top->rd_addr_o % lmem.size();
    top.tick();
    ++cycles;
    if (read)
      for (int i = 0; i < N; ++i) tb::bytes_of(top->rd_data_i)[i] = lmem[(at + i) % lmem.size()];
    else
      for (int i = 0; i < N; ++i) tb::bytes_of(top->rd_data_i)[i] = 0x5a;
  }
  void configure(int index, uint32_t value) {
    top->cfg_we_i = 1;
    top->cfg_index_i = index;
    top->cfg_data_i = value;
    tick();
    idle();
  }
  void load_weights() {
    for (int i = 0; i < N * N / 4; ++i) {
      top->w_we_i = 1;
      top->w_index_i = i;
      uint32_t word = 0;
      for (int b = 0; b < 4; ++b)
        word |=
            static_cast<uint32_t>(static_cast<uint8_t>(weight[i / (N / 4)][i % (N / 4) * 4 + b]))
            << (8 * b);
      top->w_data_i = word;
      tick();
    }
    idle();
  }
  /// Stream rows, LMEM taken away in some cycles; checks how long it is busy and follows in `acc`.
  void run(uint32_t addr, uint32_t stride, uint32_t row, uint32_t mode, uint32_t rows,
           uint32_t percent_held = 0) {
    configure(0, addr);
    configure(1, stride);
    configure(2, row);
    configure(3, mode);
    configure(4, rows);
    uint64_t busy = 0, held = 0;
    for (uint32_t left = rows; top->busy_o && busy < 100000;) {
      top->hold_i = rng() % 100 < percent_held;
      if (left > 0) top->hold_i ? ++held : --left;
      tick();
      top->eval();
      ++busy;
    }
    top->hold_i = 0;
    EXPECT_EQ(busy, rows == 0 ? 0 : rows + held + 2 * N + 1)
        << "cycles busy for " << rows << " rows, " << held << " cycles without LMEM";
    for (uint32_t r = 0; r < rows; ++r) {
      for (int c = 0; c < N; ++c) {
        int32_t sum = 0;
        for (int k = 0; k < N; ++k) {
          const uint8_t byte = lmem[(addr + r * stride + k) % lmem.size()];
          const int x = mode & 2 ? 64 : static_cast<int8_t>(mode & 1 ? byte ^ 0x80 : byte);
          sum += x * weight[k][c];
        }
        uint32_t& to = acc[(row + r) % kRows * N + c];
        to = (mode & 4 ? to : 0) + static_cast<uint32_t>(sum);
      }
    }
  }
  uint32_t lane(uint32_t row, int lane) {
    // Lanes come in order from lane 0, as the engine reads them.
    uint32_t value = 0;
    for (int l = 0; l <= lane; ++l) {
      top->acc_en_i = 1;
      top->acc_row_i = row;
      top->acc_lane_i = l;
      tick();
      top->eval();
      value = top->acc_data_o;
    }
    idle();
    return value;
  }
  void check(uint32_t row, uint32_t rows) {
    for (uint32_t r = row; r < row + rows; ++r)
      for (int l = 0; l < N; ++l)
        ASSERT_EQ(lane(r % kRows, l), acc[r % kRows * N + l])
            << "accumulator row " << r % kRows << " lane " << l << ", N " << N << ", cycle "
            << cycles;
  }
  int8_t any() {
    constexpr int8_t kEnds[] = {-128, 127, -1, 0, 1};
    return rng() % 3 ? static_cast<int8_t>(rng()) : kEnds[rng() % 5];
  }
};

template <class M, int N>
void random_products() {
  Unit<M, N> u;
  u.run(0, N, 0, 0, 0);
  u.run(0, N, 0, 0, kRows);  // known contents, weights still anything: overwritten below
  for (int round = 0; round < 40; ++round) {
    for (auto& row : u.weight)
      for (auto& w : row) w = u.any();
    if (round == 0)
      for (auto& row : u.weight)
        for (auto& w : row) w = -128;
    for (auto& byte : u.lmem) byte = static_cast<uint8_t>(round == 0 ? 0x80 : u.any());
    u.load_weights();
    if (round == 0) u.run(0, N, 0, 0, kRows);
    const uint32_t rows = 1 + u.rng() % 40;
    const uint32_t row = u.rng() % kRows;
    const auto stride = static_cast<uint32_t>(static_cast<int32_t>(u.rng() % 64) - 32) * N;
    const uint32_t addr = u.rng() % 64 * N + 2048;
    const auto percent = static_cast<uint32_t>(u.rng() % 2 * (u.rng() % 90));
    u.run(addr, stride, row, u.rng() % 8, rows, percent);
    u.run(addr, stride, row, 4 + u.rng() % 4, rows, percent);  // back to back, on top
    u.check(row, rows);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(MicroMxu, RandomProducts4) { random_products<Vmicro_mxu4, 4>(); }
TEST(MicroMxu, RandomProducts4OnDspBlocks) { random_products<Vmicro_mxu4_dsp, 4>(); }
TEST(MicroMxu, RandomProducts8) { random_products<Vmicro_mxu8, 8>(); }
TEST(MicroMxu, RandomProducts8OnMult9x9) { random_products<Vmicro_mxu8_gowin, 8>(); }

}  // namespace
