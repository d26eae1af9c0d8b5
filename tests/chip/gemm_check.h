// A product of the compiler on a device, with full-range operands, beside the golden model or host
// arithmetic.
#pragma once
#include <cstring>

#include "chip_util.h"
#include "compiler/compiler.h"

namespace chip_test {

struct GemmCase {
  int64_t m, n, k;
  bool bf16 = false, a_signed = true, b_signed = true;
};
inline std::string describe(const GemmCase& g) {
  return std::to_string(g.m) + "x" + std::to_string(g.n) + "x" + std::to_string(g.k) +
         (g.bf16 ? " bf16"
                 : std::string(g.a_signed ? " s8" : " u8") + (g.b_signed ? " s8" : " u8"));
}
inline ttpu::GemmSpec spec_of(const GemmCase& g) {
  ttpu::GemmSpec s;
  s.m = g.m, s.n = g.n, s.k = g.k;
  s.type = g.bf16 ? ttpu::GemmSpec::Type::Bf16 : ttpu::GemmSpec::Type::Int8;
  s.output = g.bf16 ? ttpu::GemmSpec::Output::Fp32 : ttpu::GemmSpec::Output::Int32;
  s.a_signed = g.a_signed, s.b_signed = g.b_signed;
  return s;
}

/// Full-range operands: any byte; bf16 of any bits, NaN and infinity among them but rare.
inline std::vector<uint8_t> operand(const GemmCase& g, int64_t elements, tb::Random& rng) {
  std::vector<uint8_t> bytes(static_cast<size_t>(elements) * (g.bf16 ? 2 : 1));
  rng.fill(bytes);
  if (g.bf16)
    for (size_t i = 1; i < bytes.size(); i += 2)  // mostly exponents whose sums mean something
      if (!rng.chance(2))
        bytes[i] = static_cast<uint8_t>((bytes[i] & 0x80) | (0x3c + (bytes[i] & 7)));
  return bytes;
}

/// Exact int8 product on the host.
inline std::vector<uint8_t> host_product(const GemmCase& g, const std::vector<uint8_t>& a,
                                         const std::vector<uint8_t>& b) {
  std::vector<uint8_t> c(static_cast<size_t>(g.m * g.n * 4));
  for (int64_t i = 0; i < g.m; ++i)
    for (int64_t j = 0; j < g.n; ++j) {
      uint32_t sum = 0;
      for (int64_t x = 0; x < g.k; ++x) {
        const uint8_t av = a[static_cast<size_t>(i * g.k + x)],
                      bv = b[static_cast<size_t>(x * g.n + j)];
        const int32_t ai = g.a_signed ? static_cast<int8_t>(av) : av,
                      bi = g.b_signed ? static_cast<int8_t>(bv) : bv;
        sum += static_cast<uint32_t>(ai * bi);
      }
      std::memcpy(&c[static_cast<size_t>((i * g.n + j) * 4)], &sum, 4);
    }
  return c;
}

struct GemmRun {
  RunResult result;
  std::vector<uint8_t> c;
  bool canaries = true;  ///< nothing round the result was touched
};

/// Load, fill, run, read. All of HBM that is no operand holds poison.
inline GemmRun run_gemm(Device& device, const ttpu::Image& image, const std::vector<uint8_t>& a,
                        const std::vector<uint8_t>& b) {
  const auto& desc = image.outputs.at(0);
  device.load(image);
  constexpr uint64_t kRound = 256;
  const uint64_t first = desc.hbm_addr < kRound ? 0 : desc.hbm_addr - kRound;
  const uint64_t end = std::min(desc.hbm_addr + desc.extent() + kRound, image.hbm_bytes);
  device.write_hbm(first, std::vector<uint8_t>(end - first, 0xa5));
  ttpu::write_tensor(device, image.inputs.at(0), a);
  ttpu::write_tensor(device, image.inputs.at(1), b);
  const auto before = hbm(device, first, end - first);
  GemmRun run;
  run.result = device.run();
  run.c = ttpu::read_tensor(device, desc);
  auto after = hbm(device, first, end - first);
  // The result's own bytes apart, everything is as before.
  const uint64_t row = desc.row_elements() * size_of(desc.type);
  for (uint64_t r = 0; r < desc.rows(); ++r)
    std::memcpy(&after[desc.hbm_addr - first + r * desc.row_pitch],
                &before[desc.hbm_addr - first + r * desc.row_pitch], row);
  run.canaries = after == before;
  return run;
}

}  // namespace chip_test
