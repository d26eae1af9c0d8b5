// Seed of the random tests: from the environment, else fixed; printed so that a failure replays.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace ttpu::test {

inline uint64_t seed() {
  static const uint64_t value = [] {
    const char* text = std::getenv("TTPU_SEED");
    const uint64_t v = text ? std::strtoull(text, nullptr, 0) : 1;
    std::printf("TTPU_SEED=%llu\n", static_cast<unsigned long long>(v));
    return v;
  }();
  return value;
}

}  // namespace ttpu::test
