#include "ttpu/plain_gemm.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace ttpu::cli {
namespace {

// bf16 as the upper half of an fp32.
struct Bf16 {
  uint16_t bits;
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

template <typename A, typename B, typename C>
void product(const A* a, const B* b, C* c, int64_t m, int64_t n, int64_t k) {
  std::fill(c, c + m * n, C{0});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t j = 0; j < n; ++j)
        c[i * n + j] += static_cast<C>(a[i * k + p]) * static_cast<C>(b[p * n + j]);
}

template <typename A, typename B, typename C>
double measure(const GemmSpec& s, const std::vector<uint8_t>& a, const std::vector<uint8_t>& b,
               double seconds, std::vector<uint8_t>* out) {
  const auto count = static_cast<size_t>(s.m * s.n);
  std::vector<C> c(count);
  const auto* pa = reinterpret_cast<const A*>(a.data());
  const auto* pb = reinterpret_cast<const B*>(b.data());
  const double macs =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  // Small products repeat within one reading of the clock.
  const auto repeat = static_cast<int64_t>(std::max(1.0, 2e6 / macs));
  double best = 0, total = 0;
  while (total < seconds) {
    const double start = thread_seconds();
    for (int64_t r = 0; r < repeat; ++r) {
      product(pa, pb, c.data(), s.m, s.n, s.k);
      asm volatile("" : : "r"(c.data()) : "memory");  // each one is wanted
    }
    const double t = thread_seconds() - start;
    total += t;
    if (t > 0) best = std::max(best, macs * static_cast<double>(repeat) / t);
  }
  out->resize(count * sizeof(C));
  std::memcpy(out->data(), c.data(), out->size());
  return best;
}

}  // namespace

double thread_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double plain_gemm_macs_per_s(const GemmSpec& s, const std::vector<uint8_t>& a,
                             const std::vector<uint8_t>& b, double seconds,
                             std::vector<uint8_t>* c) {
  if (s.type == GemmSpec::Type::Bf16) return measure<Bf16, Bf16, float>(s, a, b, seconds, c);
  return measure<int8_t, int8_t, uint32_t>(s, a, b, seconds, c);  // sums modulo 2^32
}

}  // namespace ttpu::cli
