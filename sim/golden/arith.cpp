#include "golden/arith.h"

#include <algorithm>

namespace ttpu::golden {

uint32_t fmin(uint32_t x, uint32_t y) {
  const float a = flush(as_float(x)), b = flush(as_float(y));
  if (a != a || b != b) return kNan32;
  if (a == b) return as_bits(std::signbit(a) ? a : b);  // equal, or zeros of which -0 is less
  return as_bits(a < b ? a : b);
}

uint32_t fmax(uint32_t x, uint32_t y) {
  const float a = flush(as_float(x)), b = flush(as_float(y));
  if (a != a || b != b) return kNan32;
  if (a == b) return as_bits(std::signbit(a) ? b : a);
  return as_bits(a > b ? a : b);
}

int32_t f2i(uint32_t x) {
  const double value = static_cast<double>(as_float(x));
  if (value != value) return 0;
  const double rounded = std::nearbyint(value);  // the host rounds to nearest even
  if (rounded <= -2147483648.0) return std::numeric_limits<int32_t>::min();
  if (rounded >= 2147483647.0) return std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(rounded);
}

uint16_t to_bf16(uint32_t x) {
  const float value = flush(as_float(x));
  if (value != value) return kNan16;
  const uint32_t bits = as_bits(value);
  const auto below = static_cast<uint16_t>(bits >> 16);  // next bf16 towards zero
  if (bits == static_cast<uint32_t>(below) << 16) return below;
  // The next bf16 away from zero; past the largest finite one it would be 2^128.
  const auto above = static_cast<uint16_t>(below + 1);
  const auto magnitude = [](uint16_t b) {
    return (b & 0x7fff) == 0x7f80
               ? 0x1p128
               : std::fabs(static_cast<double>(as_float(static_cast<uint32_t>(b) << 16)));
  };
  const double exact = std::fabs(static_cast<double>(value));
  const double down = exact - magnitude(below), up = magnitude(above) - exact;
  if (down != up) return down < up ? below : above;
  return below & 1 ? above : below;
}

int32_t iqmul(int32_t x, int32_t y, uint32_t shift) {
  const __int128 product = static_cast<__int128>(x) * y;
  const __int128 divisor = static_cast<__int128>(1) << (31 + shift);
  __int128 quotient = product / divisor;
  __int128 rest = product % divisor;
  if (rest < 0) {  // make it the floor, so that the rest is in [0, divisor)
    quotient -= 1;
    rest += divisor;
  }
  if (2 * rest > divisor || (2 * rest == divisor && quotient % 2 != 0)) quotient += 1;
  return static_cast<int32_t>(std::clamp<__int128>(quotient, std::numeric_limits<int32_t>::min(),
                                                   std::numeric_limits<int32_t>::max()));
}

uint8_t saturate_s8(int64_t x, int32_t zp) {
  return static_cast<uint8_t>(static_cast<int8_t>(std::clamp<int64_t>(x + zp, -128, 127)));
}

uint8_t saturate_u8(int64_t x, int32_t zp) {
  return static_cast<uint8_t>(std::clamp<int64_t>(x + zp, 0, 255));
}

}  // namespace ttpu::golden
