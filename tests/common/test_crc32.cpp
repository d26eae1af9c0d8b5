// CRC-32 of a word: both spellings of ttpu_crc32, for simulation and for synthesis, against the
// definition, bit by bit.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "Vcrc32_176.h"
#include "Vcrc32_304.h"
#include "Vcrc32_7.h"
#include "Vcrc32_synthesis_176.h"
#include "Vcrc32_synthesis_304.h"
#include "Vcrc32_synthesis_7.h"
#include "tb/random.h"
#include "tb/scoreboard.h"
#include "verilated.h"

namespace {

using Word = std::array<uint32_t, 10>;

/// The remainder of IEEE 802.3, bit `width` - 1 first, start value 0, inverted.
uint32_t definition(const Word& word, uint32_t width) {
  uint32_t crc = 0;
  for (uint32_t i = width; i-- > 0;) {
    const uint32_t bit = word[i / 32] >> i % 32 & 1;
    crc = crc << 1 ^ (crc >> 31 ^ bit ? 0x04c11db7u : 0);
  }
  return ~crc;
}

void put(CData& pin, const Word& word) { pin = static_cast<CData>(word[0]); }
template <std::size_t Words>
void put(VlWide<Words>& pin, const Word& word) {
  for (std::size_t i = 0; i < Words; ++i) pin[i] = word[i];
}

/// No data, each bit alone, all of them, then random words.
template <class M, uint32_t Width>
void equals_the_definition(const char* name) {
  VerilatedContext context;
  M model{&context, "top"};
  tb::Random random(name);
  model.valid_i = 1;
  for (uint32_t n = 0; n < Width + 20000; ++n) {
    Word word{};
    if (n > 0 && n <= Width) word[(n - 1) / 32] = 1u << (n - 1) % 32;
    for (uint32_t i = 0; n > Width && i < Width; i += 32) {
      word[i / 32] = n == Width + 1 ? ~0u : random.u32();
      if (Width - i < 32) word[i / 32] &= (1u << Width % 32) - 1;
    }
    put(model.data_i, word);
    model.eval();
    tb::expect_equal("crc_o", n, name, definition(word, Width), uint32_t{model.crc_o});
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Crc32, SimulatedEqualsTheDefinition) {
  equals_the_definition<Vcrc32_7, 7>("7 bits");
  equals_the_definition<Vcrc32_176, 176>("176 bits");
  equals_the_definition<Vcrc32_304, 304>("304 bits");
}

TEST(Crc32, SynthesizedEqualsTheDefinition) {
  equals_the_definition<Vcrc32_synthesis_7, 7>("7 bits, for synthesis");
  equals_the_definition<Vcrc32_synthesis_176, 176>("176 bits, for synthesis");
  equals_the_definition<Vcrc32_synthesis_304, 304>("304 bits, for synthesis");
}

}  // namespace
