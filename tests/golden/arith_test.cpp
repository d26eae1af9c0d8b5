// Arithmetic against literal values and against other ways to say the same.
#include <cmath>

#include "golden/sfu.h"
#include "tests/golden/bench.h"

namespace ttpu::golden {
namespace {

constexpr uint32_t kInf = 0x7f800000, kMinusInf = 0xff800000, kMinusZero = 0x80000000;
uint32_t bits(float x) { return as_bits(x); }

TEST(Arith, C9_fixed_point_requantise_rounds_once) {
  EXPECT_EQ(iqmul(7984, 1583594044, 9), 11);  // exact 11.499...
  EXPECT_EQ(iqmul(-7984, 1583594044, 9), -11);
}

TEST(Arith, C10_saturates_never_wraps) {
  const uint32_t quotient = fmul(i2f(100 * 100), bits(5.0f));
  EXPECT_EQ(saturate_u8(f2i(quotient), 0), 255);
  EXPECT_EQ(saturate_u8(-236, 0), 0);
  EXPECT_EQ(saturate_s8(-236, 0), 0x80);
  EXPECT_EQ(saturate_s8(2147483647, 255), 127);
  EXPECT_EQ(saturate_s8(-2147483648ll, -256), 0x80);
  EXPECT_EQ(saturate_u8(2147483647, 255), 255);
}

TEST(Arith, C11_bf16_is_nearest_even) {
  EXPECT_EQ(to_bf16(0x3e89ccd5), 0x3e8a);
  EXPECT_EQ(as_float(from_bf16(to_bf16(0x3e89ccd5))), 0.26953125f);
  EXPECT_EQ(to_bf16(0x3f808000), 0x3f80);  // tie to even, down
  EXPECT_EQ(to_bf16(0x3f818000), 0x3f82);  // tie to even, up
  EXPECT_EQ(to_bf16(0x3f808001), 0x3f81);
}

TEST(Arith, C12_bf16_of_nan_and_overflow) {
  EXPECT_EQ(to_bf16(0x7f800001), 0x7fc0);
  EXPECT_EQ(to_bf16(0xffffffff), 0x7fc0);
  EXPECT_EQ(to_bf16(0x7f7fffff), 0x7f80);
  EXPECT_EQ(to_bf16(0xff7fffff), 0xff80);
  EXPECT_EQ(to_bf16(0x7f7f7fff), 0x7f7f);
}

TEST(Arith, C13_nan_wins_in_min_and_max) {
  const uint32_t one = bits(1);
  EXPECT_EQ(fmax(0x7f800001, one), kNan32);
  EXPECT_EQ(fmax(one, 0xffc00000), kNan32);
  EXPECT_EQ(fmax(0x7fc00000, 0), kNan32);  // relu(NaN)
  EXPECT_EQ(fmin(0x7fc00000, one), kNan32);
  EXPECT_EQ(fmin(one, 0x7fc00000), kNan32);
  EXPECT_EQ(fmax(kMinusZero, 0), 0u);
  EXPECT_EQ(fmax(0, kMinusZero), 0u);
  EXPECT_EQ(fmin(kMinusZero, 0), kMinusZero);
  EXPECT_EQ(fmin(0, kMinusZero), kMinusZero);
  EXPECT_EQ(fmax(0x80000001, 0x00000001), 0u);  // subnormals count as zeros
}

TEST(Arith, C14_invalid_operations_and_cancellation) {
  EXPECT_EQ(fadd(kInf, kMinusInf), kNan32);
  EXPECT_EQ(fsub(kInf, kInf), kNan32);
  EXPECT_EQ(fmul(kInf, 0), kNan32);
  EXPECT_EQ(fmul(kMinusZero, kInf), kNan32);
  EXPECT_EQ(fmul(kInf, 0x00000001), kNan32);  // a subnormal is zero
  EXPECT_EQ(fadd(bits(1.5f), bits(-1.5f)), 0u);
  EXPECT_EQ(fadd(kMinusZero, 0), 0u);
  EXPECT_EQ(fadd(kMinusZero, kMinusZero), kMinusZero);
  EXPECT_EQ(fadd(0x7f800001, bits(1)), kNan32);
}

TEST(Arith, C15_ties_of_both_signs) {
  EXPECT_EQ(f2i(bits(2.5f)), 2);
  EXPECT_EQ(f2i(bits(-2.5f)), -2);
  EXPECT_EQ(f2i(bits(3.5f)), 4);
  EXPECT_EQ(f2i(bits(-3.5f)), -4);
  // 2.5 = 5 / 2 as x * y / 2^31 with y = 2^30.
  EXPECT_EQ(iqmul(5, 1 << 30, 0), 2);
  EXPECT_EQ(iqmul(-5, 1 << 30, 0), -2);
  EXPECT_EQ(iqmul(7, 1 << 30, 0), 4);
  EXPECT_EQ(iqmul(-7, 1 << 30, 0), -4);
}

TEST(Arith, iqmul_saturates) {
  const int32_t least = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(iqmul(least, least, 0), std::numeric_limits<int32_t>::max());
  EXPECT_EQ(iqmul(least, 2147483647, 0), -2147483647);
  EXPECT_EQ(iqmul(least, least, 31), 1);
}

TEST(Arith, conversions_at_the_edges) {
  EXPECT_EQ(f2i(0x4f000000), 2147483647);  // 2^31
  EXPECT_EQ(f2i(0xcf000000), -2147483647 - 1);
  EXPECT_EQ(f2i(0x4effffff), 2147483520);
  EXPECT_EQ(f2i(kInf), 2147483647);
  EXPECT_EQ(f2i(kMinusInf), -2147483647 - 1);
  EXPECT_EQ(f2i(0x7f800001), 0);
  EXPECT_EQ(i2f(16777217), bits(16777216.0f));  // tie to even
  EXPECT_EQ(i2f(16777219), bits(16777220.0f));
  EXPECT_EQ(i2f(0x80000000), bits(-2147483648.0f));
}

TEST(Arith, tininess_is_before_rounding) {
  // (1 - 2^-24) * 2^-126 would round up to 2^-126, but its exact value is below: zero.
  EXPECT_EQ(fmul(0x3f7fffff, 0x00800000), 0u);
  EXPECT_EQ(fmul(0xbf7fffff, 0x00800000), kMinusZero);
  EXPECT_EQ(fmul(0x3f800000, 0x80800000), 0x80800000u);
  EXPECT_EQ(fsub(0x00800001, 0x00800000), 0u);  // 2^-149
  EXPECT_EQ(fsub(0x00800000, 0x00800001), kMinusZero);
}

TEST(Arith, every_bf16_survives_the_round_trip) {
  for (uint32_t b = 0; b < 0x10000; ++b) {
    const auto half = static_cast<uint16_t>(b);
    const uint16_t magnitude = half & 0x7fff;
    uint16_t expected = half;
    if (magnitude > 0x7f80) expected = kNan16;
    if (magnitude < 0x0080) expected = half & 0x8000;  // subnormal
    ASSERT_EQ(to_bf16(from_bf16(half)), expected) << std::hex << b;
    // Of fp32 between this one and the next, what is below the middle comes back here.
    if (magnitude >= 0x0080 && magnitude < 0x7f80) {
      const uint32_t wide = b << 16;
      ASSERT_EQ(to_bf16(wide + 0x7fff), half) << std::hex << b;
      ASSERT_EQ(to_bf16(wide + 0x8001), static_cast<uint16_t>(half + 1)) << std::hex << b;
      ASSERT_EQ(to_bf16(wide + 0x8000), static_cast<uint16_t>(half + (half & 1))) << std::hex << b;
    }
  }
}

TEST(Arith, sums_and_products_agree_with_wider_arithmetic) {
  tb::Random random;
  for (int i = 0; i < 2'000'000; ++i) {
    const uint32_t x = any_float(random), y = any_float(random);
    const long double a = flush(as_float(x)), b = flush(as_float(y));
    const auto rounded = [](long double exact) -> uint32_t {
      if (std::isnan(exact)) return kNan32;
      if (std::fabs(exact) < 0x1p-126L) return as_bits(std::signbit(exact) ? -0.0f : 0.0f);
      return as_bits(static_cast<float>(exact));
    };
    ASSERT_EQ(fmul(x, y), rounded(a * b)) << std::hex << x << " * " << y;
    // A sum is exact in long double only if the exponents are close.
    if (std::isfinite(a) && std::isfinite(b) && a != 0 && b != 0 &&
        std::abs(std::ilogb(a) - std::ilogb(b)) < 38) {
      ASSERT_EQ(fadd(x, y), rounded(a + b)) << std::hex << x << " + " << y;
    }
    ASSERT_EQ(fadd(x, y), fadd(y, x));
    ASSERT_EQ(fsub(x, y), fadd(x, y ^ 0x80000000));
    ASSERT_EQ(fclt(x, y), fmin(x, y) != kNan32 && !fcle(y, x));
  }
}

TEST(Arith, iqmul_agrees_with_long_double) {
  tb::Random random;
  for (int i = 0; i < 500'000; ++i) {
    const auto x = static_cast<int32_t>(random.u32()), y = static_cast<int32_t>(random.u32());
    const auto shift = static_cast<uint32_t>(random.below(32));
    // The product has 63 bits: exact, and rintl rounds to nearest even.
    const long double exact = std::ldexp(static_cast<long double>(static_cast<int64_t>(x) * y),
                                         -31 - static_cast<int>(shift));
    ASSERT_EQ(iqmul(x, y, shift), static_cast<int64_t>(std::rint(exact)))
        << x << " " << y << " " << shift;
  }
}

TEST(Sfu, special_values) {
  using isa::Sfu;
  const uint32_t nan = 0x7f800001;
  for (const auto f :
       {Sfu::EXP, Sfu::LOG, Sfu::RECIP, Sfu::RSQRT, Sfu::TANH, Sfu::SIGMOID, Sfu::ERF})
    EXPECT_EQ(special_function(f, nan), kNan32);
  EXPECT_EQ(special_function(Sfu::NONE, nan), nan);
  EXPECT_EQ(special_function(Sfu::EXP, kMinusZero), bits(1));
  EXPECT_EQ(special_function(Sfu::EXP, kMinusInf), 0u);
  EXPECT_EQ(special_function(Sfu::EXP, bits(200)), kInf);
  EXPECT_EQ(special_function(Sfu::LOG, 0x00000001), kMinusInf);
  EXPECT_EQ(special_function(Sfu::LOG, bits(-1)), kNan32);
  EXPECT_EQ(special_function(Sfu::LOG, bits(1)), 0u);
  EXPECT_EQ(special_function(Sfu::RECIP, kMinusZero), kMinusInf);
  EXPECT_EQ(special_function(Sfu::RECIP, kMinusInf), kMinusZero);
  EXPECT_EQ(special_function(Sfu::RECIP, bits(-4)), bits(-0.25f));
  EXPECT_EQ(special_function(Sfu::RECIP, bits(0x1p127f)), 0u) << "2^-127 is flushed";
  EXPECT_EQ(special_function(Sfu::RECIP, bits(-0x1.8p126f)), kMinusZero);
  EXPECT_EQ(special_function(Sfu::EXP, bits(-88)), 0u);
  EXPECT_EQ(special_function(Sfu::RSQRT, bits(16)), bits(0.25f));
  EXPECT_EQ(special_function(Sfu::RSQRT, kMinusZero), kMinusInf);
  EXPECT_EQ(special_function(Sfu::TANH, kMinusInf), bits(-1));
  EXPECT_EQ(special_function(Sfu::SIGMOID, 0), bits(0.5f));
  EXPECT_EQ(special_function(Sfu::ERF, bits(5)), bits(1));
}

TEST(Sfu, within_one_ulp_over_every_exponent) {
  using isa::Sfu;
  struct Function {
    Sfu sfu;
    long double (*exact)(long double);
  };
  const Function functions[] = {
      {Sfu::EXP, [](long double x) { return std::exp(x); }},
      {Sfu::LOG, [](long double x) { return std::log(x); }},
      {Sfu::RECIP, [](long double x) { return 1 / x; }},
      {Sfu::RSQRT, [](long double x) { return 1 / std::sqrt(x); }},
      {Sfu::TANH, [](long double x) { return std::tanh(x); }},
      {Sfu::SIGMOID, [](long double x) { return 1 / (1 + std::exp(-x)); }},
      {Sfu::ERF, [](long double x) { return std::erf(x); }},
  };
  tb::Random random;
  for (const auto& function : functions) {
    for (uint32_t top = 0; top < 512; ++top) {
      for (int i = 0; i < 200; ++i) {
        const uint32_t x = top << 23 | (random.u32() & 0x7fffff);
        const float value = as_float(x);
        if (!std::isfinite(value) || std::fabs(value) < kMinNormal) continue;
        const long double exact = function.exact(value);
        const float result = as_float(special_function(function.sfu, x));
        if (std::isnan(exact)) {
          ASSERT_TRUE(std::isnan(result));
          continue;
        }
        if (std::fabs(exact) >= 0x1p128L) {
          ASSERT_TRUE(std::isinf(result) || result == std::numeric_limits<float>::max());
          continue;
        }
        if (std::fabs(exact) < 0x1p-125L) continue;  // may be flushed or not
        const long double ulp = std::ldexp(1.0L, std::ilogb(exact) - 23);
        ASSERT_LE(std::fabs(result - exact) / ulp, 1.0L)
            << "function " << static_cast<int>(function.sfu) << " of " << value;
      }
    }
  }
}

}  // namespace
}  // namespace ttpu::golden
