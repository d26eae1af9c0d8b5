// Random errors on cables, for networks whose links repair them.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "network/engine.h"
#include "network/random.h"

namespace ttpu::network {

/// Each frame is lost, or has one bit flipped, with these chances. One generator a cable: the same
/// errors for any number of threads.
class RandomLinkErrors final : public LinkErrors {
 public:
  RandomLinkErrors(const fabric::Topology& topology, uint64_t seed, double lost, double flipped)
      : ports_(topology.ports_per_node()), lost_(lost), flipped_(flipped) {
    for (uint64_t i = 0; i < topology.ports.size(); ++i)
      cables_.emplace_back(seed, (1ULL << 32) + i);
  }
  bool pass(uint32_t node, uint32_t port, uint64_t, Flit& flit) override {
    Random& random = cables_[node * ports_ + port];
    const double x = random.unit();
    if (x < lost_) {
      lost_frames_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    if (x < lost_ + flipped_) {
      flipped_frames_.fetch_add(1, std::memory_order_relaxed);
      flit.route = 1 + random.below(1 << 12);  // modulo the bits of a frame
    }
    return true;
  }
  uint64_t lost_frames() const { return lost_frames_; }
  uint64_t flipped_frames() const { return flipped_frames_; }

 private:
  uint32_t ports_;
  double lost_, flipped_;
  std::vector<Random> cables_;
  std::atomic<uint64_t> lost_frames_{0}, flipped_frames_{0};
};

}  // namespace ttpu::network
