// Random stalls of a handshake, counted: a stall probability that was always 0 is a test that
// tests nothing.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "tb/random.h"
#include "tb/report.h"

namespace tb {

class StallInjector {
 public:
  /// Stall in `percent` of the cycles, in runs of 1 .. `longest` cycles.
  StallInjector(std::string name, uint32_t percent, uint32_t longest = 4)
      : name_(std::move(name)), percent_(percent), longest_(longest), random_(name_) {}
  StallInjector() : StallInjector("stall", 0) {}

  void set(uint32_t percent, uint32_t longest = 4) {
    percent_ = percent;
    longest_ = longest;
    left_ = 0;
  }
  void reseed(uint64_t seed) { random_.reseed(seed); }

  /// Asked once a cycle: hold the handshake back in this cycle? `wanted` says that the other side
  /// stands ready, so that this stall counts as one that was felt.
  bool stall(bool wanted = true) {
    if (percent_ == 0) return false;
    if (left_ == 0) {
      if (!random_.chance(percent_)) return false;
      left_ = 1 + static_cast<uint32_t>(random_.below(longest_));
    }
    --left_;
    count_ += wanted;
    return true;
  }

  uint64_t count() const { return count_; }
  uint32_t percent() const { return percent_; }
  const std::string& name() const { return name_; }

  /// Fails if fewer than `least` stalls were felt.
  void expect_stalled(uint64_t least = 1) const {
    if (count_ < least)
      fail(format("%s: %llu stalls, expected at least %llu (probability %u%%)", name_.c_str(),
                  static_cast<unsigned long long>(count_), static_cast<unsigned long long>(least),
                  percent_));
  }

 private:
  std::string name_;
  uint32_t percent_, longest_, left_ = 0;
  uint64_t count_ = 0;
  Random random_;
};

}  // namespace tb
