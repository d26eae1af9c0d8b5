// Seeded random numbers. The seed of a process comes from TTPU_SEED (default 1); each test case
// draws from it and its own name, so a case gives the same numbers run alone or with others.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace tb {

/// Seed of this run: environment TTPU_SEED, or 1.
inline uint64_t run_seed() {
  static const uint64_t seed = [] {
    const char* text = std::getenv("TTPU_SEED");
    return text && *text ? std::strtoull(text, nullptr, 0) : 1ull;
  }();
  return seed;
}

/// True if TTPU_LONG is set: `make nightly` asks the random tests for their long form.
inline bool long_run() {
  const char* text = std::getenv("TTPU_LONG");
  return text && *text && *text != '0';
}

/// Name of the running test case ("" outside a test); set by tb/gtest_main.cpp.
inline std::string current_test;

/// xoshiro256**: fast enough to be asked in each cycle.
class Random {
 public:
  /// Draws from the run's seed, the running test's name, and `stream` (to have several).
  explicit Random(std::string_view stream = "") {
    uint64_t h = run_seed() * 0x9e3779b97f4a7c15ull + 0x1234567;
    for (const char c : current_test) h = mix(h ^ static_cast<uint8_t>(c));
    for (const char c : stream) h = mix(h ^ static_cast<uint8_t>(c));
    reseed(h);
  }
  explicit Random(uint64_t seed) { reseed(seed); }

  void reseed(uint64_t seed) {
    for (auto& s : state_) s = seed = mix(seed + 0x9e3779b97f4a7c15ull);
  }

  uint64_t next() {
    const uint64_t result = rotl(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }
  uint32_t u32() { return static_cast<uint32_t>(next() >> 32); }
  /// 0 .. limit-1; 0 if limit is 0.
  uint64_t below(uint64_t limit) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(next()) * limit) >> 64);
  }
  /// first .. last, both included.
  int64_t between(int64_t first, int64_t last) {
    return first + static_cast<int64_t>(below(static_cast<uint64_t>(last - first) + 1));
  }
  /// True in `percent` of 100 calls.
  bool chance(uint32_t percent) { return below(100) < percent; }
  bool coin() { return next() >> 63; }
  /// One of the elements of a container.
  template <class C>
  const auto& pick(const C& choices) {
    return choices[below(choices.size())];
  }
  /// Full-range bytes.
  template <class C>
  void fill(C& bytes) {
    for (auto& b : bytes) b = static_cast<std::decay_t<decltype(b)>>(next() >> 11);
  }

 private:
  static uint64_t rotl(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t state_[4];
};

}  // namespace tb
