// The Verilated array behind `ttpu_array_round` (bench/array_bench.h).
#include <cstring>
#include <memory>

#include "bench/array_bench.h"
#include "verilated.h"
#include TTPU_MODEL_HEADER

namespace {

constexpr uint32_t kN = TTPU_ARRAY_N, kElementBits = TTPU_ARRAY_FP ? 16 : 9;
constexpr uint32_t kLatency = kN + TTPU_ARRAY_ADD * kN + TTPU_ARRAY_STAGES - 1;

/// Rows 4g..4g+3 of a tile as the port takes them.
template <class Port>
void set_weights(Port& port, const uint16_t* rows) {
  if constexpr (kElementBits == 16) {
    std::memcpy(&port, rows, 4 * kN * 2);
  } else {
    std::memset(&port, 0, sizeof port);
    auto* words = reinterpret_cast<uint32_t*>(&port);
    for (uint32_t i = 0, at = 0; i < 4 * kN; ++i, at += kElementBits) {
      const uint64_t bits = static_cast<uint64_t>(rows[i] & 0x1ff) << at % 32;
      words[at / 32] |= static_cast<uint32_t>(bits);
      if (bits >> 32) words[at / 32 + 1] |= static_cast<uint32_t>(bits >> 32);
    }
  }
}

struct Bench {
  VerilatedContext context;
  TTPU_MODEL dut{&context};

  void clock() {
    dut.clk_i = 0;
    dut.eval();
    dut.clk_i = 1;
    dut.eval();
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) uint64_t ttpu_array_round(
    ttpu::bench::ArrayRound* round) {
  static const auto bench = [] {
    auto made = std::make_unique<Bench>();
    made->dut.rst_ni = 0;
    for (int i = 0; i < 4; ++i) made->clock();
    made->dut.rst_ni = 1;
    return made;
  }();
  auto& dut = bench->dut;
  const uint32_t rows = round->rows, tiles = round->tiles, groups = kN / 4;
  const size_t tile = static_cast<size_t>(kN) * kN, block = static_cast<size_t>(rows) * kN;
  dut.fp_i = round->bf16;
  uint64_t cycles = 0;
  uint64_t checked = 0;  // rows of sums
  // With an addition of several cycles two columns share one adder: a float row every second cycle.
  const uint32_t step = round->bf16 && TTPU_ARRAY_ADD != 1 ? 2 : 1;
  const auto clock = [&] {
    bench->clock();
    // Sums of the row that entered kLatency cycles ago; the first tile's weights take `groups`.
    ++cycles;
    if (cycles < groups + kLatency || checked == static_cast<uint64_t>(tiles) * rows) return;
    if ((cycles - groups - kLatency) % step != 0) return;
    const uint64_t t = checked / rows, r = checked % rows;
    const uint32_t* want = round->expected + (t % round->sets) * block + r * kN;
    if (std::memcmp(&dut.y_data_o[0], want, kN * 4) != 0) ++round->wrong;
    ++checked;
  };
  const auto write_group = [&](uint32_t t, uint32_t group) {
    dut.w_we_i = 1;
    dut.w_group_i = static_cast<uint8_t>(group);
    set_weights(dut.w_data_i, round->weights + (t % round->sets) * tile + group * 4 * kN);
  };
  dut.x_valid_i = dut.x_swap_i = 0;
  for (uint32_t g = 0; g < groups; ++g) {
    write_group(0, g);
    clock();
  }
  dut.x_valid_i = 1;
  for (uint32_t t = 0; t < tiles; ++t) {
    for (uint32_t r = 0; r < rows; ++r) {
      dut.x_swap_i = r == 0;
      // group g of the next tile chases the swap
      dut.w_we_i = 0;
      for (uint32_t g = 0; t + 1 < tiles && g < groups; ++g)
        if (r == (4 * g + 3) * TTPU_ARRAY_ADD + 1) write_group(t + 1, g);
      if constexpr (sizeof(dut.x_data_i[0]) == 2)
        std::memcpy(&dut.x_data_i[0], round->activations + static_cast<size_t>(r) * kN, kN * 2);
      clock();
      if (step == 2) {
        dut.x_valid_i = dut.x_swap_i = dut.w_we_i = 0;
        clock();
        dut.x_valid_i = 1;
      }
    }
  }
  dut.x_valid_i = dut.x_swap_i = dut.w_we_i = 0;
  while (checked < static_cast<uint64_t>(tiles) * rows) clock();
  const uint64_t result = cycles;
  for (uint32_t i = 0; i < kN; ++i) clock();  // leave nothing behind
  return result;
}
