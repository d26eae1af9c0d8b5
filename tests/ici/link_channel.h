// The channel between two ends of a link: latency, faults, counts; bits of frames and flits.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "isa/generated/ici.h"
#include "tb/bits.h"
#include "tb/random.h"
#include "tb/report.h"

namespace link_test {

using ttpu::ici::FrameKind;
using ttpu::ici::LinkReason;
using ttpu::ici::LinkState;
using ttpu::ici::LinkWord;

/// How a model was built.
struct Shape {
  uint32_t vcs, depth, data_w;
  uint32_t flit_w() const { return data_w + ttpu::ici::kFlitExtraBits; }
  uint32_t frame_w() const { return flit_w() + ttpu::ici::kFrameExtraBits; }
};

/// "name 3" for the third end or channel of this name in the running test: each draws its own
/// numbers.
inline std::string stream_of(const std::string& name) {
  static std::string test;
  static std::map<std::string, int> made;
  if (test != tb::current_test) {
    test = tb::current_test;
    made.clear();
  }
  return tb::format("%s %d", name.c_str(), ++made[name]);
}

/// Build parameters common to all models (tests/ici/CMakeLists.txt).
constexpr uint32_t kSettle = 64, kTrainLimit = 2000, kHeartbeat = 64;

/// Bits of a frame or flit of any model, bit 0 in the low bit of word 0.
struct Bits {
  std::array<uint32_t, 12> word{};
  bool operator==(const Bits&) const = default;
  uint64_t get(ttpu::ici::Field f, uint32_t base = 0) const {
    return tb::get_bits(reinterpret_cast<const uint8_t*>(word.data()), base + f.lsb, f.bits);
  }
  void set(ttpu::ici::Field f, uint64_t value, uint32_t base = 0) {
    tb::set_bits(reinterpret_cast<uint8_t*>(word.data()), base + f.lsb, f.bits, value);
  }
  void flip(uint32_t bit) { word[bit / 32] ^= 1u << (bit % 32); }
};

/// The CRC of a frame of `width` bits, bit by bit from the definition.
inline uint32_t crc_of(const Bits& frame, uint32_t width) {
  uint32_t crc = 0;
  for (uint32_t i = width; i-- > 32;) {
    const bool bit = frame.word[i / 32] >> (i % 32) & 1;
    crc = crc << 1 ^ ((crc >> 31 ^ bit) ? 0x04c11db7u : 0);
  }
  return ~crc;
}
inline FrameKind kind_of(const Bits& frame) {
  return static_cast<FrameKind>(frame.get(ttpu::ici::kFrameKind));
}

/// What the channel does with frames of one direction.
struct Faults {
  uint32_t flip = 0, burst = 0, drop = 0, twice = 0, late = 0;  ///< chances in 10,000
  uint32_t late_by = 20;                                        ///< cycles at most
  bool cut = false;                                             ///< nothing passes
  bool always_bad = false;                                      ///< each frame has a bit flipped
};

/// Counts of one direction.
struct Injected {
  uint64_t sent = 0, bad = 0, dropped = 0, twice = 0, late = 0, arrived = 0;
};

/// One direction: frames come out `latency` cycles after they went in, at most one a cycle.
class Channel {
 public:
  Channel(uint32_t frame_w, const std::string& name)
      : frame_w_(frame_w), random_(stream_of(name)) {}

  uint32_t latency = 4;
  Faults faults;
  Injected count;
  /// Sees each frame that enters, may change it; false: the frame is lost. For directed faults.
  std::function<bool(Bits&)> hook;
  /// Set by the hook when it has changed the frame.
  bool hook_spoilt = false;

  void push(Bits frame, uint64_t now) {
    ++count.sent;
    hook_spoilt = false;
    if (hook && !hook(frame)) {
      ++count.dropped;
      return;
    }
    bool bad = hook_spoilt;
    const auto chance = [&](uint32_t rate) { return rate && random_.below(10000) < rate; };
    if (faults.cut || chance(faults.drop)) {
      ++count.dropped;
      return;
    }
    if (faults.always_bad || chance(faults.flip)) {
      frame.flip(static_cast<uint32_t>(random_.below(frame_w_)));
      bad = true;
    }
    if (chance(faults.burst)) {
      // 2 to 32 bits from the first to the last wrong one, or any number of wrong bits.
      if (random_.coin()) {
        const uint32_t length = 2 + static_cast<uint32_t>(random_.below(31));
        const uint32_t first = static_cast<uint32_t>(random_.below(frame_w_ - length + 1));
        for (uint32_t i = 0; i < length; ++i)
          if (i == 0 || i + 1 == length || random_.coin()) frame.flip(first + i);
      } else {
        for (uint32_t i = 0; i < frame_w_; ++i)
          if (random_.coin()) frame.flip(i);
      }
      bad = true;
    }
    const uint32_t copies = chance(faults.twice) ? 2 : 1;
    count.twice += copies - 1;
    for (uint32_t i = 0; i < copies; ++i) {
      uint64_t at = now + latency;
      if (i || chance(faults.late)) {
        at += 1 + random_.below(faults.late_by);
        ++count.late;
      }
      frames_.emplace(at, std::pair(frame, bad));
    }
  }
  /// The frame that arrives in cycle `now`, if one does.
  bool pop(uint64_t now, Bits& frame) {
    if (frames_.empty() || frames_.begin()->first > now) return false;
    frame = frames_.begin()->second.first;
    count.bad += frames_.begin()->second.second;
    ++count.arrived;
    frames_.erase(frames_.begin());
    return true;
  }
  /// A frame of the bench's own.
  void inject(const Bits& frame, uint64_t now) { frames_.emplace(now, std::pair(frame, false)); }
  size_t under_way() const { return frames_.size(); }

 private:
  uint32_t frame_w_;
  tb::Random random_;
  std::multimap<uint64_t, std::pair<Bits, bool>> frames_;
};

}  // namespace link_test
