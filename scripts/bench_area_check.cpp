// Runs the synthesized netlist of bench_area_array against plain C++ (scripts/bench_area.sh): tiles
// of random weights, rows with gaps, each operand signed or unsigned; first of all -5 * 5.
#include <cstdint>
#include <cstdio>
#include <deque>
#include <random>
#include <vector>

#include "Vnetlist.h"
#include "verilated.h"

namespace {
constexpr int kN = 4, kLatency = 2 * kN + 2, kTiles = 2000;

template <class Port>
void set_element(Port& port, int index, int value) {  // 9 bits
  for (int bit = 0; bit < 9; ++bit) {
    const int at = 9 * index + bit;
    auto* words = reinterpret_cast<uint32_t*>(&port);
    words[at / 32] = (words[at / 32] & ~(1u << at % 32)) | static_cast<uint32_t>(value >> bit & 1)
                                                               << at % 32;
  }
}
}  // namespace

int main() {
  VerilatedContext context;
  Vnetlist dut(&context);
  std::mt19937 random(1);
  std::deque<std::vector<int32_t>> expected;  // one a cycle, empty where no row entered
  uint64_t checked = 0;
  const auto clock = [&] {
    dut.clk_i = 0;
    dut.eval();
    if (expected.size() > kLatency) {
      const auto want = expected.front();
      expected.pop_front();
      for (int c = 0; c < static_cast<int>(want.size()); ++c, ++checked) {
        const auto got = static_cast<int32_t>(dut.y_data_o[c]);
        if (got == want[c]) continue;
        std::printf("netlist: column %d: expected %d, got %d\n", c, want[c], got);
        std::exit(1);
      }
    }
    dut.clk_i = 1;
    dut.eval();
  };
  dut.rst_ni = 0;
  dut.x_valid_i = dut.x_swap_i = dut.w_we_i = 0;
  for (int i = 0; i < 20; ++i) clock();
  dut.rst_ni = 1;
  for (int i = 0; i < 20; ++i) clock();
  const auto operand = [&](bool is_signed) {
    const int value = static_cast<int>(random() & 255);
    return is_signed && value > 127 ? value - 256 : value;
  };
  for (int tile = 0; tile < kTiles; ++tile) {
    int w[kN][kN];
    const bool w_signed = random() & 1, x_signed = random() & 1;
    for (int r = 0; r < kN; ++r)
      for (int c = 0; c < kN; ++c) {
        w[r][c] = tile == 0 ? (r == 0 ? -5 : 0) : operand(w_signed);
        set_element(dut.w_data_i, r * kN + c, w[r][c]);
      }
    dut.w_we_i = 1;
    expected.emplace_back();
    clock();
    dut.w_we_i = 0;
    const int rows = 5 + static_cast<int>(random() % 6);
    for (int row = 0; row < rows; ++row) {
      std::vector<int32_t> sums;
      dut.x_valid_i = row == 0 || random() % 4 != 0;
      dut.x_swap_i = row == 0;
      int x[kN];
      for (int k = 0; k < kN; ++k) {
        x[k] = tile == 0 ? 5 : operand(x_signed);
        set_element(dut.x_data_i, k, x[k]);
      }
      if (dut.x_valid_i)
        for (int c = 0; c < kN; ++c) {
          int32_t sum = 0;
          for (int k = 0; k < kN; ++k) sum += x[k] * w[k][c];
          sums.push_back(sum);
        }
      if (tile == 0 && row == 0 && sums[0] != -25) return 2;
      expected.push_back(sums);
      clock();
    }
    dut.x_valid_i = dut.x_swap_i = 0;
  }
  for (int i = 0; i < 2 * kLatency; ++i) {
    expected.emplace_back();
    clock();
  }
  std::printf("netlist: %llu sums equal\n", static_cast<unsigned long long>(checked));
  return checked > 10000 ? 0 : 3;
}
