// The host's end of a serial line, at the pins: bytes to and from levels, a clock at a time.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

namespace ttpu::test {

class UartPins {
 public:
  explicit UartPins(uint32_t div) : div_(div) {}
  /// Bytes to be sent; `gap` idle clocks before the byte.
  void send(uint8_t byte, uint32_t gap = 0) { queue_.push_back({byte, gap}); }
  bool idle() const { return queue_.empty() && clocks_ == 0; }
  /// Level to put on the model's rx pin in this clock.
  uint8_t drive() {
    if (clocks_ == 0) {
      if (queue_.empty()) return 1;
      if (queue_.front().gap > 0) {
        --queue_.front().gap;
        return 1;
      }
      frame_ = 0x200u | static_cast<uint32_t>(queue_.front().byte) << 1;  // start 0, stop 1
      queue_.pop_front();
      clocks_ = 10 * div_;
    }
    const uint8_t level = frame_ >> ((10 * div_ - clocks_) / div_) & 1;
    --clocks_;
    return level;
  }
  /// The model's tx pin in this clock; true when a byte is complete, then in `byte`.
  bool sample(uint8_t level, uint8_t& byte) {
    if (wait_ == 0) {
      if (level == 0) wait_ = 10 * div_ - div_ / 2, value_ = 0, taken_ = 0;
      return false;
    }
    --wait_;
    const uint32_t passed = 10 * div_ - div_ / 2 - wait_;  // clocks since the start bit was seen
    if (passed >= div_ + div_ / 2 && (passed - div_ - div_ / 2) % div_ == 0 && taken_ < 8)
      value_ |= static_cast<uint32_t>(level) << taken_++;
    if (wait_ != 0) return false;
    if (!level) ++framing_errors;
    byte = static_cast<uint8_t>(value_);
    return true;
  }
  uint64_t framing_errors = 0;

 private:
  struct Item {
    uint8_t byte;
    uint32_t gap;
  };
  uint32_t div_;
  std::deque<Item> queue_;
  uint32_t clocks_ = 0, frame_ = 0;
  uint32_t wait_ = 0, value_ = 0, taken_ = 0;
};

}  // namespace ttpu::test
