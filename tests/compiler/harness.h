// What the compiler's tests share: a golden device full of poison, operands, references.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "compiler/compiler.h"
#include "runtime/device.h"
#include "tb/random.h"

namespace ttpu::test {

inline const Config& config_of(const char* name) { return *find_config(name); }

/// A device whose VMEM and HBM hold a pattern that no result may depend on.
inline std::unique_ptr<Device> poisoned(const Image& image, const Config& config,
                                        uint8_t pattern = 0xa5) {
  DeviceOptions options;
  options.hbm_bytes = std::max<uint64_t>(image.hbm_bytes, 4096);
  auto device = open_device("golden", config, options);
  device->write_vmem(0, std::vector<uint8_t>(config.vmem_bytes(), pattern));
  device->write_hbm(0, std::vector<uint8_t>(options.hbm_bytes, pattern));
  device->load(image);
  return device;
}

inline void expect_done(const RunResult& r) {
  ASSERT_TRUE(r.done) << "error " << static_cast<int>(r.error) << " of unit "
                      << static_cast<int>(r.error_unit) << " at pc " << r.error_pc << ", address "
                      << r.error_addr;
}

/// Run with dense inputs by name; dense outputs in order.
inline std::vector<std::vector<uint8_t>> run(const Image& image, const Config& config,
                                             const std::vector<std::vector<uint8_t>>& inputs,
                                             uint8_t pattern = 0xa5) {
  auto device = poisoned(image, config, pattern);
  EXPECT_EQ(image.inputs.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) write_tensor(*device, image.inputs[i], inputs[i]);
  expect_done(device->run());
  std::vector<std::vector<uint8_t>> r;
  for (const TensorDesc& d : image.outputs) r.push_back(read_tensor(*device, d));
  return r;
}

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& v) {
  std::vector<uint8_t> r(v.size() * sizeof(T));
  if (!r.empty()) std::memcpy(r.data(), v.data(), r.size());
  return r;
}
template <class T>
std::vector<T> values_of(const std::vector<uint8_t>& b) {
  std::vector<T> v(b.size() / sizeof(T));
  if (!v.empty()) std::memcpy(v.data(), b.data(), v.size() * sizeof(T));
  return v;
}

inline float bf16_value(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16); }
inline uint16_t bf16_bits(float f) {
  uint32_t u = std::bit_cast<uint32_t>(f);
  u += 0x7fffu + (u >> 16 & 1u);
  return static_cast<uint16_t>(u >> 16);
}

/// `integer`: by multiplier and shift, as configurations without floating point do; the largest
/// input scale of all columns decides the shift (0 = in_scale).
inline uint8_t requantise(int32_t sum, float in_scale, float y_scale, int zero, bool is_signed,
                          bool integer, float largest = 0) {
  int64_t r = 0;
  if (integer) {
    const double scale = static_cast<double>(in_scale) / y_scale;
    const double most = static_cast<double>(largest > 0 ? largest : in_scale) / y_scale;
    int shift = 0;
    while (shift < 31 && std::nearbyint(std::ldexp(most, 32 + shift)) <= 2147483647.0) ++shift;
    const int64_t m = std::llrint(std::ldexp(scale, 31 + shift));
    const __int128 product = static_cast<__int128>(sum) * m, one = static_cast<__int128>(1)
                                                                   << (31 + shift);
    __int128 q = product / one, rest = product % one;
    if (rest < 0) {
      rest += one;
      --q;
    }
    if (2 * rest > one || (2 * rest == one && (q & 1))) ++q;
    r = static_cast<int64_t>(q);
  } else {
    r = static_cast<int64_t>(std::nearbyintf(static_cast<float>(sum) * (in_scale / y_scale)));
  }
  r += zero;
  return static_cast<uint8_t>(std::clamp<int64_t>(r, is_signed ? -128 : 0, is_signed ? 127 : 255));
}

}  // namespace ttpu::test
