// Random numbers of the network simulator: one generator a node, so that what a node does depends
// on the seed and its number only, never on threads.
#pragma once
#include <cmath>
#include <cstdint>

namespace ttpu::network {

/// xoshiro256**, seeded by splitmix64 from a seed and the number of a stream.
class Random {
 public:
  explicit Random(uint64_t seed = 1, uint64_t stream = 0) {
    uint64_t z = seed * 0x9e3779b97f4a7c15ULL ^ mix(stream + 0x632be59bd9b4e019ULL);
    for (uint64_t& s : state_) s = mix(z += 0x9e3779b97f4a7c15ULL);
  }
  uint64_t next() {
    const uint64_t result = rotate(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  /// 0 .. limit-1; 0 if limit is 0.
  uint64_t below(uint64_t limit) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(next()) * limit >> 64);
  }
  /// 0 <= x < 1.
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }
  static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
    return z ^ z >> 31;
  }
  uint64_t state_[4];
};

/// A Bernoulli process: in each cycle an event with probability `rate`. Events are drawn as gaps.
class Arrivals {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};
  Arrivals() = default;
  /// The first event at cycle `start` at the earliest.
  Arrivals(double rate, Random random, uint64_t start = 0) : random_(random), rate_(rate) {
    if (rate <= 0) return;
    scale_ = rate < 1 ? 1 / std::log1p(-rate) : 0;
    next_ = start + gap();
  }
  /// Cycle of the next event.
  uint64_t next() const { return next_; }
  void advance() { next_ += 1 + gap(); }

 private:
  uint64_t gap() {
    if (rate_ >= 1) return 0;
    return static_cast<uint64_t>(std::log1p(-random_.unit()) * scale_);
  }
  Random random_;
  double rate_ = 0, scale_ = 0;
  uint64_t next_ = kNever;
};

}  // namespace ttpu::network
