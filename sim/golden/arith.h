// Arithmetic of the machine (docs/reference/interfaces.md, "Arithmetic"), in host arithmetic.
// Compile with -ffp-contract=off: a fused multiply-add rounds once where the machine rounds twice.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ttpu::golden {

inline constexpr uint32_t kNan32 = 0x7fc00000u;  ///< the one NaN of fp32
inline constexpr uint16_t kNan16 = 0x7fc0u;      ///< the one NaN of bf16
inline constexpr float kMinNormal = 0x1p-126f;   ///< below it is zero

inline float as_float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t as_bits(float value) { return std::bit_cast<uint32_t>(value); }

/// Subnormal to zero of its sign.
inline float flush(float x) { return std::fabs(x) < kMinNormal ? std::copysign(0.0f, x) : x; }
/// Bits of a result: every NaN is the same.
inline uint32_t result_bits(float x) { return x != x ? kNan32 : as_bits(x); }

/// Sum of two values that are not subnormal. The sum of two fp32 is a multiple of 2^-149, so below
/// 2^-126 the host's sum is exact and flushing it afterwards is flushing the exact sum.
inline float add_flushed(float x, float y) { return flush(x + y); }
/// Product of two values that are not subnormal: exact in double, flushed, then rounded once.
inline float mul_flushed(float x, float y) {
  const double exact = static_cast<double>(x) * static_cast<double>(y);
  if (std::fabs(exact) < 0x1p-126) return static_cast<float>(std::copysign(0.0, exact));
  return static_cast<float>(exact);
}

/// FADD, FSUB, FMUL on fp32 bits.
inline uint32_t fadd(uint32_t x, uint32_t y) {
  return result_bits(add_flushed(flush(as_float(x)), flush(as_float(y))));
}
inline uint32_t fsub(uint32_t x, uint32_t y) {
  return result_bits(add_flushed(flush(as_float(x)), -flush(as_float(y))));
}
inline uint32_t fmul(uint32_t x, uint32_t y) {
  return result_bits(mul_flushed(flush(as_float(x)), flush(as_float(y))));
}
/// FMIN, FMAX: NaN if either is NaN; -0 < +0; subnormals count as zeros.
uint32_t fmin(uint32_t x, uint32_t y);
uint32_t fmax(uint32_t x, uint32_t y);
/// FCEQ, FCLT, FCLE: false with NaN.
inline bool fceq(uint32_t x, uint32_t y) { return flush(as_float(x)) == flush(as_float(y)); }
inline bool fclt(uint32_t x, uint32_t y) { return flush(as_float(x)) < flush(as_float(y)); }
inline bool fcle(uint32_t x, uint32_t y) { return flush(as_float(x)) <= flush(as_float(y)); }

/// I2F: int32 to fp32, nearest even (the host's conversion).
inline uint32_t i2f(uint32_t x) { return as_bits(static_cast<float>(static_cast<int32_t>(x))); }
/// F2I: fp32 to int32, nearest even, saturated; NaN gives 0.
int32_t f2i(uint32_t x);

/// fp32 to bf16: subnormal to signed zero, nearest even, overflow to infinity, one NaN.
uint16_t to_bf16(uint32_t x);
/// bf16 as loaded: subnormal to signed zero; a NaN keeps its bits.
inline uint32_t from_bf16(uint16_t x) {
  const uint32_t bits = static_cast<uint32_t>(x) << 16;
  return as_bits(flush(as_float(bits)));
}

/// IQMUL: round-half-even(x * y / 2^(31 + shift)), saturated to int32.
int32_t iqmul(int32_t x, int32_t y, uint32_t shift);

/// x + zp in full, saturated to [-128, 127] or [0, 255]; the byte.
uint8_t saturate_s8(int64_t x, int32_t zp);
uint8_t saturate_u8(int64_t x, int32_t zp);

/// fp32(x - zp) * scale: the difference modulo 2^32, I2F, FMUL.
inline uint32_t dequantise(uint32_t x, int32_t zp, uint32_t scale) {
  return fmul(i2f(x - static_cast<uint32_t>(zp)), scale);
}

}  // namespace ttpu::golden
