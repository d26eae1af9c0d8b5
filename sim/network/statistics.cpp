#include "network/statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ttpu::network {

uint32_t Histogram::bucket(uint64_t value) {
  if (value < kExact) return static_cast<uint32_t>(value);
  const auto octave = static_cast<uint32_t>(std::bit_width(value)) - 1;  // kExactBits or more
  const auto part = static_cast<uint32_t>(value >> (octave - 6)) & (kPerOctave - 1);
  return kExact + (octave - kExactBits) * kPerOctave + part;
}

uint64_t Histogram::first_of(uint32_t bucket) {
  if (bucket < kExact) return bucket;
  const uint32_t octave = kExactBits + (bucket - kExact) / kPerOctave;
  const uint64_t part = kPerOctave + (bucket - kExact) % kPerOctave;
  return part << (octave - 6);
}

void Histogram::merge(const Histogram& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

uint64_t Histogram::quantile(double share) const {
  if (count_ == 0) return 0;
  const double exact = std::ceil(share * static_cast<double>(count_));
  const uint64_t wanted = std::clamp<uint64_t>(static_cast<uint64_t>(exact), 1, count_);
  uint64_t seen = 0;
  for (uint32_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= wanted) return std::min(first_of(i + 1) - 1, max_);
  }
  return max_;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> r;
  for (uint32_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] != 0) r.push_back({first_of(i), first_of(i + 1) - 1, counts_[i]});
  return r;
}

std::vector<Histogram::Bucket> Histogram::bins() const {
  constexpr size_t kMost = 64;
  const std::vector<Bucket> exact = buckets();
  std::vector<Bucket> r;
  if (exact.empty()) return r;
  for (uint32_t bits = 4; bits-- > 0;) {
    // 2^bits bins an octave; below 2^(bits+1) a bin is one value. Their edges are edges of buckets.
    const auto bin_of = [bits](uint64_t value) -> uint64_t {
      if (value >> bits == 0) return value;
      const auto up = static_cast<uint32_t>(std::bit_width(value)) - 1 - bits;
      return (uint64_t{up} << bits) + (value >> up);
    };
    const auto first_in = [bits](uint64_t bin) -> uint64_t {
      if (bin >> bits < 2) return bin;
      const uint64_t part = (bin & ((uint64_t{1} << bits) - 1)) + (uint64_t{1} << bits);
      return part << ((bin >> bits) - 1);
    };
    const uint64_t low = bin_of(exact.front().first), high = bin_of(exact.back().first);
    if (bits > 0 && high - low >= kMost) continue;
    for (uint64_t bin = low; bin <= high; ++bin)
      r.push_back({first_in(bin), first_in(bin + 1) - 1, 0});
    for (const Bucket& b : exact) r[bin_of(b.first) - low].count += b.count;
    break;
  }
  return r;
}

Estimate batch_means(const std::vector<double>& batches) {
  // 97.5% points of Student's t for 1 to 30 degrees of freedom; beyond, of the normal distribution.
  static constexpr double kT[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                  2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                  2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                  2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  Estimate r;
  if (batches.empty()) return r;
  const auto n = static_cast<double>(batches.size());
  for (const double b : batches) r.mean += b / n;
  if (batches.size() < 2) return r;
  double squares = 0;
  for (const double b : batches) squares += (b - r.mean) * (b - r.mean);
  const size_t freedom = batches.size() - 1;
  const double t = freedom <= std::size(kT) ? kT[freedom - 1] : 1.96;
  r.half_width = t * std::sqrt(squares / static_cast<double>(freedom) / n);
  return r;
}

}  // namespace ttpu::network
