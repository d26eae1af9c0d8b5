// The RTL's floating point functions against the host's arithmetic: special values against special
// values, every exponent, millions of random pairs.
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "Vtb_fp.h"
#include "tb/random.h"
#include "tb/report.h"

namespace {

constexpr int kPairs = 64;
constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kSpecial[] = {
    0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x01000001,
    0x0b800000, 0x1f800000, 0x1fffffff, 0x20000000, 0x33800000, 0x34000000, 0x3e800000, 0x3effffff,
    0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40200000, 0x40600000,
    0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000, 0x4f000001, 0x5f000000,
    0x5f7fffff, 0x7effffff, 0x7f000000, 0x7f7f8000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff,
    0x7fc00000, 0x7fffffff, 0x3e89ccd5};

float to_float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t canonical(float x) { return std::isnan(x) ? kNan : std::bit_cast<uint32_t>(x); }
uint32_t flushed(uint32_t x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; }

// The reference, from the meaning: subnormal inputs are zeros; an exact result below 2^-126 is a
// zero of its sign. Double holds a product exactly, and a sum exactly where it is that small.
uint32_t finish(double exact, float rounded) {
  if (std::fabs(exact) < 0x1p-126) return std::signbit(exact) ? 0x80000000 : 0;
  return canonical(rounded);
}
uint32_t ref_add(uint32_t a, uint32_t b) {
  const float x = to_float(flushed(a)), y = to_float(flushed(b));
  return finish(static_cast<double>(x) + y, x + y);
}
uint32_t ref_mul(uint32_t a, uint32_t b) {
  const float x = to_float(flushed(a)), y = to_float(flushed(b));
  return finish(static_cast<double>(x) * y, x * y);
}
uint32_t ref_minmax(uint32_t a, uint32_t b, bool max) {
  const uint32_t x = flushed(a), y = flushed(b);
  const float fx = to_float(x), fy = to_float(y);
  if (std::isnan(fx) || std::isnan(fy)) return kNan;
  if (fx == fy) return (x >> 31 != 0) == max ? y : x;  // zeros: -0 is the smaller
  return (fx < fy) == max ? y : x;
}
uint32_t ref_order(uint32_t a, uint32_t b) {
  const float x = to_float(flushed(a)), y = to_float(flushed(b));
  return (x <= y) << 2 | (x < y) << 1 | (x == y);
}
uint32_t ref_i2f(uint32_t a) { return canonical(static_cast<float>(static_cast<int32_t>(a))); }
int64_t ref_f2i(uint32_t a) {
  const float x = to_float(a);
  if (std::isnan(x)) return 0;
  const double r = std::nearbyint(static_cast<double>(x));
  return r >= 0x1p31 ? 0x7fffffff : r < -0x1p31 ? -0x80000000ll : static_cast<int64_t>(r);
}
// Nearest of the two neighbours, by distance.
uint32_t ref_bf16(uint32_t a) {
  a = flushed(a);
  if (std::isnan(to_float(a))) return 0x7fc0;
  const uint32_t down = a >> 16, up = down + 1;
  if ((a & 0x7fffffff) == 0x7f800000) return down;
  const auto value = [](uint32_t half) {  // infinity stands for 2^128 here
    return (half & 0x7fff) == 0x7f80 ? std::copysign(0x1p128, half & 0x8000 ? -1.0 : 1.0)
                                     : static_cast<double>(to_float(half << 16));
  };
  const double x = to_float(a), to_down = std::fabs(x - value(down)),
               to_up = std::fabs(value(up) - x);
  return to_down < to_up || (to_down == to_up && down % 2 == 0) ? down : up;
}
uint32_t ref_bytes(uint32_t a, int32_t zp) {
  const int64_t s = static_cast<int64_t>(static_cast<int32_t>(a)) + zp;
  const int64_t u8 = s < 0 ? 0 : s > 255 ? 255 : s, s8 = s < -128 ? -128 : s > 127 ? 127 : s;
  return static_cast<uint32_t>(u8) << 8 | (static_cast<uint32_t>(s8) & 0xff);
}
// Exact quotient and remainder in 128 bits.
int64_t ref_requantise(uint32_t a, uint32_t b, uint32_t shift) {
  const __int128 p = static_cast<__int128>(static_cast<int32_t>(a)) * static_cast<int32_t>(b);
  const __int128 unit = static_cast<__int128>(1) << (31 + shift);
  __int128 q = p / unit, rest = p % unit;
  if (rest < 0) rest += unit, --q;  // towards minus infinity
  if (2 * rest > unit || (2 * rest == unit && q % 2 != 0)) ++q;
  return q > 0x7fffffff ? 0x7fffffff : q < -0x80000000ll ? -0x80000000ll : static_cast<int64_t>(q);
}

class Fp : public testing::Test {
 protected:
  void push(uint32_t x, uint32_t y) {
    dut_.x_i[count_] = x;
    dut_.y_i[count_] = y;
    if (++count_ == kPairs) check();
  }
  void check() {
    const int32_t zp = static_cast<int32_t>(random_.between(-256, 255));
    const uint32_t shift = static_cast<uint32_t>(random_.below(32));
    dut_.zp_i = static_cast<uint32_t>(zp) & 0x1ff;
    dut_.shift_i = static_cast<uint8_t>(shift);
    dut_.eval();
    for (int i = 0; i < count_ && failures_ < 5; ++i) {
      const uint32_t x = dut_.x_i[i], y = dut_.y_i[i];
      equal("fp32_add", x, y, ref_add(x, y), dut_.add_o[i]);
      equal("fp32_mul", x, y, ref_mul(x, y), dut_.mul_o[i]);
      equal("bf16_mul", x, y, ref_mul(x & 0xffff0000, y & 0xffff0000), dut_.bf16_mul_o[i]);
      equal("fp32_minmax min", x, y, ref_minmax(x, y, false), dut_.min_o[i]);
      equal("fp32_minmax max", x, y, ref_minmax(x, y, true), dut_.max_o[i]);
      equal("order", x, y, ref_order(x, y), dut_.order_o[i]);
      equal("int_to_fp32", x, y, ref_i2f(x), dut_.i2f_o[i]);
      equal("fp32_to_int", x, y, static_cast<uint32_t>(ref_f2i(x)), dut_.f2i_o[i]);
      equal("fp32_to_bf16", x, y, ref_bf16(x), dut_.bf16_o[i]);
      equal("int_to_8", x, y, ref_bytes(x, zp), dut_.bytes_o[i]);
      equal("requantise", x, y, static_cast<uint32_t>(ref_requantise(x, y, shift)),
            dut_.requantise_o[i]);
      const auto high = [](uint32_t word) { return static_cast<int32_t>(word << 7) >> 23; };
      equal("sum in parts", x, y, ref_add(x, y), dut_.parts_o[i]);
      equal("loose sum in parts", x, y, ref_add(x, y), dut_.loose_o[i]);
      equal("integer sum in parts", x, y, (x + y) & 0x7fffff, dut_.parts_int_o[i]);
      equal("integer sum, settled", x, y, (x + y) & 0x7fffff, dut_.settled_int_o[i]);
      equal("pe_product", x, y, ref_mul(x & 0xffff0000, y & 0xffff0000), dut_.pe_o[i]);
      equal("integer pe_product", x, y, static_cast<uint32_t>(high(x) * high(y)) & 0x7fffff,
            dut_.pe_int_o[i]);
    }
    count_ = 0;
  }
  void equal(const char* what, uint32_t x, uint32_t y, uint32_t expected, uint32_t got) {
    if (expected == got) return;
    ++failures_;
    ADD_FAILURE() << tb::format("%s of 0x%08x, 0x%08x: expected 0x%08x, got 0x%08x", what, x, y,
                                expected, got);
  }

  Vtb_fp dut_;
  tb::Random random_;
  int count_ = 0, failures_ = 0;
};

TEST_F(Fp, SpecialAgainstSpecial) {
  for (const uint32_t x : kSpecial)
    for (const uint32_t y : kSpecial)
      for (uint32_t signs = 0; signs < 4; ++signs) push(x | signs << 31, y | (signs >> 1) << 31);
  check();
}

TEST_F(Fp, SpecialAgainstRandom) {
  for (const uint32_t x : kSpecial) {
    for (int i = 0; i < 2000; ++i) {
      push(x ^ (random_.u32() & 0x80000000), random_.u32());
      push(random_.u32(), x ^ (random_.u32() & 0x80000000));
    }
  }
  check();
}

// Sums that cancel, carry and round: each distance of exponents, near each exponent.
TEST_F(Fp, EveryExponentAndDistance) {
  for (uint32_t e = 0; e < 256; ++e) {
    for (uint32_t distance = 0; distance < 30; ++distance) {
      for (int i = 0; i < 12; ++i) {
        const uint32_t f = e >= distance ? e - distance : e;
        uint32_t mx = random_.u32() & 0x7fffff, my = random_.u32() & 0x7fffff;
        if (random_.chance(30)) mx |= 0x7fff00;
        if (random_.chance(30)) my &= 0xff;
        push((random_.u32() & 0x80000000) | e << 23 | mx,
             (random_.u32() & 0x80000000) | f << 23 | my);
      }
    }
  }
  check();
}

// What is lost of the smaller operand, bit by bit: at each distance of exponents every fraction of
// one or two ones, against fractions that make the sum a tie or carry through all of it.
TEST_F(Fp, EveryLostBit) {
  const uint32_t larger[] = {0, 1, 2, 3, 0x400000, 0x7ffffe, 0x7fffff};
  for (uint32_t distance = 0; distance < 32; ++distance) {
    for (uint32_t i = 0; i < 24; ++i) {
      for (uint32_t j = 0; j <= i; ++j) {
        const uint32_t y = (100 - distance) << 23 | ((1u << i | 1u << j) & 0x7fffff);
        for (const uint32_t fraction : larger)
          for (uint32_t signs = 0; signs < 4; ++signs)
            push((100u << 23 | fraction) ^ signs << 31, y ^ (signs >> 1) << 31);
      }
    }
  }
  check();
}

TEST_F(Fp, Random) {
  const int count = tb::long_run() ? 100'000'000 : 3'000'000;
  for (int i = 0; i < count; ++i) push(random_.u32(), random_.u32());
  check();
}

// Products near underflow and overflow, sums of equal magnitude.
TEST_F(Fp, RandomNearEdges) {
  for (int i = 0; i < 1'000'000; ++i) {
    const uint32_t ex = static_cast<uint32_t>(random_.below(256));
    const uint32_t target = random_.coin() ? 126 : 382;
    const int64_t ey = static_cast<int64_t>(target) - ex + random_.between(-1, 2);
    if (ey < 0 || ey > 255) continue;
    push((random_.u32() & 0x807fffff) | ex << 23,
         (random_.u32() & 0x807fffff) | static_cast<uint32_t>(ey) << 23);
  }
  check();
}

}  // namespace
