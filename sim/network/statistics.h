// Statistics of a network run: latency histogram and means of batches. All counts are integers, so
// that sums over threads do not depend on their order.
#pragma once
#include <cstdint>
#include <vector>

namespace ttpu::network {

/// Latencies in cycles. Exact below 2048; above, buckets 1/64 of their value wide.
class Histogram {
 public:
  void add(uint64_t value) {
    const uint32_t at = bucket(value);
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
    ++count_;
    sum_ += value;
    if (value > max_) max_ = value;
  }
  void merge(const Histogram& other);
  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }
  double mean() const {
    return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0;
  }
  /// Smallest latency that at least `share` (0 to 1) of the packets do not exceed; above 2048 the
  /// upper end of its bucket, never above max(). 0 if empty.
  uint64_t quantile(double share) const;
  /// Buckets that are not empty: first value, last value, count.
  struct Bucket {
    uint64_t first, last, count;
    bool operator==(const Bucket&) const = default;
  };
  std::vector<Bucket> buckets() const;
  /// The same as a picture of it: at most about 64 bins side by side, empty ones too, from that of
  /// the smallest latency to that of the largest. Each is 1/8 of its value wide, or 1/4, 1/2, 1/1.
  std::vector<Bucket> bins() const;
  bool operator==(const Histogram& other) const { return buckets() == other.buckets(); }

 private:
  static constexpr uint32_t kExactBits = 11, kExact = 1U << kExactBits, kPerOctave = 64;
  static uint32_t bucket(uint64_t value);
  static uint64_t first_of(uint32_t bucket);
  std::vector<uint64_t> counts_;
  uint64_t count_ = 0, sum_ = 0, max_ = 0;
};

/// A mean and the half-width of its 95% confidence interval, from the means of batches.
struct Estimate {
  double mean = 0;
  double half_width = 0;  ///< 0 with fewer than two batches
};
Estimate batch_means(const std::vector<double>& batches);

}  // namespace ttpu::network
