#include "golden/sfu.h"

#include <algorithm>
#include <cmath>

#include "golden/arith.h"
#include "golden/sfu_table.h"

namespace ttpu::golden {
namespace {

using namespace sfu_table;

constexpr uint32_t kInf = 0x7f800000u, kOne = 0x3f800000u, kHalf = 0x3f000000u;
constexpr uint32_t kSign = 0x80000000u;

/// The fp32 nearest to +-value * 2^exponent. A long double holds any 64-bit integer exactly.
uint32_t round_to_float(bool negative, int64_t value, int exponent) {
  long double exact = std::ldexp(static_cast<long double>(value), exponent);
  if (exact < 0x1p-126L) exact = 0;
  const uint32_t magnitude = as_bits(static_cast<float>(exact));
  return negative ? magnitude | kSign : magnitude;
}

/// The quadratic of a table row at d / 2^21; 32 fraction bits.
int64_t poly(int row, int64_t d) {
  const int64_t slope = kC1[row] + ((kC2[row] * d) >> 21);
  return kC0[row] + ((slope * d) >> 21);
}

/// Value with 28 fraction bits, split for a table: 7 bits of interval, 21 of place.
int64_t poly_at(int base, int64_t t) {
  return poly(base + static_cast<int>(t >> 21), t & ((1 << 21) - 1));
}

/// A finite number that is not zero, taken apart as sfu.md names its parts.
struct Parts {
  bool s;
  int e, i;
  int64_t m, d, big_m;
  explicit Parts(uint32_t x)
      : s(x >> 31),
        e(static_cast<int>(x >> 23 & 0xff)),
        i(static_cast<int>(x >> 16 & 0x7f)),
        m(x & 0x7fffff),
        d((m & 0xffff) << 5),
        big_m(m + (1 << 23)) {}
};

/// 2^(+-|x| log2 e) = p * 2^(n - 32).
struct Power {
  int n;
  int64_t p;
};

Power power_of_two(const Parts& x, int exponent, bool negative) {
  const int shift = 159 - exponent;
  const int64_t magnitude = shift > 63 ? 0 : (x.big_m * kLog2e37) >> shift;
  const int64_t y = negative ? -magnitude : magnitude;
  return {static_cast<int>(y >> 28), poly_at(kBaseExp, y & ((1 << 28) - 1))};
}

uint32_t exp(const Parts& x) {
  if (x.e >= 134) return x.s ? 0 : kInf;
  const Power power = power_of_two(x, x.e, x.s);
  return round_to_float(false, power.p, power.n - 32);
}

uint32_t log(const Parts& x) {
  if (x.s) return kNan32;
  const int64_t g = poly(kBaseLog + x.i, x.d) >> 2;
  const bool low = x.i < kLogSplit;
  const int64_t z = low ? 2 * x.m : x.m - (1 << 23);
  const int64_t k = low ? x.e - 127 : x.e - 126;
  const int64_t sum = k * kLn254 + z * g;
  return round_to_float(sum < 0, std::abs(sum), -54);
}

uint32_t recip(const Parts& x) {
  return round_to_float(x.s, poly(kBaseRecip + x.i, x.d), -32 - (x.e - 127));
}

uint32_t rsqrt(const Parts& x) {
  if (x.s) return kNan32;
  const int exponent = x.e - 127;
  if (exponent % 2 == 0)
    return round_to_float(false, poly(kBaseRsqrtEven + x.i, x.d), -32 - exponent / 2);
  return round_to_float(false, poly(kBaseRsqrtOdd + x.i, x.d), -32 - (exponent - 1) / 2);
}

/// e^-t as T (32 fraction bits) and 1 / (1 + T) as R, with t = |x| or 2|x|.
struct Quotient {
  int64_t t, r;
};

Quotient quotient(bool huge, const Power& power) {
  int64_t t = 0;
  if (!huge && -power.n < 34) t = std::min<int64_t>(power.p >> -power.n, (1ll << 32) - 1);
  const int64_t r = poly(kBaseRecip + static_cast<int>(t >> 25), (t >> 4) & ((1 << 21) - 1));
  return {t, r};
}

uint32_t sigmoid(const Parts& x) {
  const bool huge = x.e >= 134;
  if (huge && x.s) return 0;
  const Power power = huge ? Power{0, 0} : power_of_two(x, x.e, true);
  const Quotient q = quotient(huge, power);
  if (!x.s) return round_to_float(false, q.r, -32);
  return round_to_float(false, power.p * (q.r >> 3), power.n - 61);
}

/// |x| < 1 with 28 fraction bits.
int64_t fixed_point(const Parts& x) {
  const int shift = 126 - x.e;
  return shift > 27 ? 0 : (16 * x.big_m) >> shift;
}

uint32_t tanh(const Parts& x) {
  if (x.e < 127)
    return round_to_float(x.s, x.big_m * poly_at(kBaseTanh, fixed_point(x)), x.e - 182);
  const bool huge = x.e + 1 >= 134;
  const Quotient q = quotient(huge, huge ? Power{0, 0} : power_of_two(x, x.e + 1, true));
  return round_to_float(x.s, ((1ll << 32) - q.t) * (q.r >> 3), -61);
}

uint32_t erf(const Parts& x) {
  if (x.e < 127)
    return round_to_float(x.s, x.big_m * poly_at(kBaseErf0, fixed_point(x)), x.e - 182);
  if (x.e == 127) return round_to_float(x.s, poly(kBaseErf1 + x.i, x.d), -32);
  if (x.e == 128) return round_to_float(x.s, poly(kBaseErf2 + x.i, x.d), -32);
  return x.s ? kOne | kSign : kOne;
}

/// Results at zero and infinity.
struct Limits {
  uint32_t plus_zero, minus_zero, plus_inf, minus_inf;
};

Limits limits_of(isa::Sfu function) {
  switch (function) {
    case isa::Sfu::EXP:
      return {kOne, kOne, kInf, 0};
    case isa::Sfu::LOG:
      return {kInf | kSign, kInf | kSign, kInf, kNan32};
    case isa::Sfu::RECIP:
      return {kInf, kInf | kSign, 0, kSign};
    case isa::Sfu::RSQRT:
      return {kInf, kInf | kSign, 0, kNan32};
    case isa::Sfu::SIGMOID:
      return {kHalf, kHalf, kOne, 0};
    default:  // TANH, ERF
      return {0, kSign, kOne, kOne | kSign};
  }
}

}  // namespace

uint32_t special_function(isa::Sfu function, uint32_t x) {
  if (function == isa::Sfu::NONE) return x;
  const float value = flush(as_float(x));
  if (value != value) return kNan32;
  const bool negative = std::signbit(value);
  const Limits limits = limits_of(function);
  if (value == 0) return negative ? limits.minus_zero : limits.plus_zero;
  if (std::isinf(value)) return negative ? limits.minus_inf : limits.plus_inf;
  const Parts parts(x);
  switch (function) {
    case isa::Sfu::EXP:
      return exp(parts);
    case isa::Sfu::LOG:
      return log(parts);
    case isa::Sfu::RECIP:
      return recip(parts);
    case isa::Sfu::RSQRT:
      return rsqrt(parts);
    case isa::Sfu::TANH:
      return tanh(parts);
    case isa::Sfu::SIGMOID:
      return sigmoid(parts);
    default:
      return erf(parts);
  }
}

}  // namespace ttpu::golden
