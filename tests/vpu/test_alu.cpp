// The arithmetic of one lane against the golden model, operation by operation: numbers at the ends
// of their ranges, sums that cancel, a PASS between, cycles without operands.
#include <gtest/gtest.h>

#include <array>

#include "Vtb_alu.h"
#include "golden/detail.h"
#include "tb/random.h"
#include "tb/report.h"

namespace {

namespace golden = ttpu::golden;
using ttpu::isa::Vop;

/// Does an ALU without floats, products, shifts, logic do the operation? The others are PASS.
bool in_bare(Vop op) {
  constexpr std::array kOps = {Vop::IADD, Vop::ISUB, Vop::IMIN, Vop::IMAX,
                               Vop::ICEQ, Vop::ICLT, Vop::ICLE, Vop::SEL};
  for (const Vop o : kOps)
    if (o == op) return true;
  return false;
}

class Alu : public testing::TestWithParam<uint32_t> {
 protected:
  struct Operands {
    uint32_t x, y;
    bool pass, pred;
  };

  /// A number near an end of a range, of integers or of floats, or any.
  uint32_t number() {
    const uint32_t v = random_.u32();
    const auto exponent = [&](uint32_t from, uint32_t count) {
      return (v & 0x807fffff) | (from + static_cast<uint32_t>(random_.below(count))) << 23;
    };
    constexpr std::array<uint32_t, 12> kEnds = {0,          1,          0x007fffff, 0x00800000,
                                                0x00800001, 0x3f800000, 0x4effffff, 0x4f000000,
                                                0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fffffff};
    switch (random_.below(8)) {
      case 0:
        return exponent(0, 4);
      case 1:
        return exponent(252, 4);
      case 2:
        return exponent(120, 40);  // about 1, and what F2I takes
      case 3:
        return v & (0xff800000 | (random_.u32() & random_.u32()));
      case 4:
        return static_cast<uint32_t>(random_.between(-32, 31));
      case 5:
        return kEnds[random_.below(kEnds.size())] | (v & 0x80000000);
      default:
        return v;
    }
  }

  Operands operands() {
    Operands o{number(), number(), random_.chance(6), random_.coin()};
    if (random_.chance(25)) {  // nearly equal magnitudes
      o.y = o.x ^ (random_.coin() ? 0x80000000 : 0);
      if (random_.coin()) o.y ^= random_.u32() & 0xff;
    }
    if (random_.chance(2)) o.x = o.y = 0x80000000;  // the one product that IQMUL saturates
    return o;
  }

  void tick() {
    dut_.clk_i = 0;
    dut_.eval();
    dut_.clk_i = 1;
    dut_.eval();
  }

  tb::Random random_;
  Vtb_alu dut_;
};

TEST_P(Alu, EqualsTheGoldenModel) {
  const Vop op = static_cast<Vop>(GetParam());
  const int count = tb::long_run() ? 3'000'000 : 60'000;
  std::array<Operands, 5> way{};  // on their way, the last in first
  int results = 0, bubbles = 0, failures = 0;
  dut_.op_i = GetParam();
  for (int i = 0; i < count && failures < 5; ++i) {
    if (i % 3000 == 0) {  // the shift may change when nothing is on its way
      dut_.valid_i = 0;
      for (int k = 0; k < 6; ++k) tick();
      dut_.shift_i = static_cast<uint8_t>(random_.chance(25) ? 0 : random_.below(32));
      tick();
    }
    const Operands now = operands();
    dut_.valid_i = !random_.chance(10);
    dut_.x_i = now.x;
    dut_.y_i = now.y;
    dut_.pass_i = now.pass;
    dut_.pred_i = now.pred;
    bubbles += !dut_.valid_i;
    for (size_t k = way.size() - 1; k > 0; --k) way[k] = way[k - 1];
    way[0] = now;
    tick();
    if (!dut_.valid_o) continue;
    ++results;
    const Operands& o = way.back();
    const golden::Lane passed = {o.x, o.pred};
    const golden::Lane want =
        o.pass ? passed : golden::operate_lane(op, o.x, o.y, dut_.shift_i, o.pred);
    const golden::Lane bare = in_bare(op) ? want : passed;
    const auto equal = [&](const char* signal, uint32_t expected, uint32_t got) {
      if (expected == got) return;
      ++failures;
      ADD_FAILURE() << tb::format(
          "%s in cycle %d: op %u, shift %u, pass %d, x 0x%08x, y 0x%08x, pred %d: expected 0x%08x, "
          "got 0x%08x",
          signal, i, GetParam(), dut_.shift_i, o.pass, o.x, o.y, o.pred, expected, got);
    };
    equal("x_o", want.value, dut_.x_o);
    equal("pred_o", want.predicate, dut_.pred_o);
    equal("x_o (bare)", bare.value, dut_.bare_x_o);
    equal("pred_o (bare)", bare.predicate, dut_.bare_pred_o);
  }
  EXPECT_GT(results, count * 8 / 10);
  EXPECT_GT(bubbles, count / 20);
}

INSTANTIATE_TEST_SUITE_P(Operations, Alu,
                         testing::Values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17,
                                         18, 19, 20, 24, 25, 26, 27, 28, 29, 30));

}  // namespace
