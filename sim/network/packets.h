// The packets under way, kept by the node that sent them: what the scoreboard compares with.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

namespace ttpu::network {

/// A packet from its creation to its last delivery. Written by the thread of its source, except
/// `left` and `done`, which the thread of the receiver writes.
struct alignas(64) Packet {
  static constexpr uint64_t kUnderWay = ~uint64_t{0};
  uint64_t birth = 0;  ///< cycle in which it was offered
  uint64_t route = 0;
  uint32_t order = 0;  ///< grows with each packet of a source
  uint16_t dest = 0;
  uint16_t flits = 1;
  uint16_t generation = 0;  ///< of the place in the store, so that a late duplicate is seen
  uint8_t channel = 0;
  bool mcast = false;
  bool damaged = false;           ///< its route lies over a link that failed: it may be lost
  std::atomic<uint16_t> left{0};  ///< copies still to be delivered
  std::atomic<uint64_t> done{0};  ///< cycle of the last delivery; kUnderWay before
};

/// The packets of one source. A number (Flit::packet) is place + generation * kPlaces. Places are
/// taken again only after a delivery that lies before `settled`, so that which places are free
/// does not depend on the order in which threads run. Packets never move: receivers hold pointers.
class PacketStore {
 public:
  static constexpr uint32_t kFirst = 64, kChunks = 10;  ///< chunk c has kFirst << c places
  static constexpr uint32_t kPlaces = 1U << 16;
  static constexpr uint32_t kUsable = kFirst * ((1U << kChunks) - 1);

  /// A free place, or kNone if kUsable packets are under way.
  static constexpr uint32_t kNone = ~0U;
  uint32_t take(uint64_t settled) {
    for (uint32_t tries = 0; tries < 8 && size_ != 0; ++tries) {
      if (++cursor_ >= size_) cursor_ = 0;
      Packet& p = at(cursor_);
      if (p.done.load(std::memory_order_relaxed) < settled) {
        ++p.generation;
        // The next one to be looked at, long before it is.
        if (cursor_ + 1 < size_) __builtin_prefetch(&at(cursor_ + 1), 1);
        return number(cursor_, p.generation);
      }
    }
    if (size_ == kUsable) return kNone;
    const uint32_t c = chunk_of(size_);
    if (!chunks_[c]) chunks_[c] = std::make_unique<Packet[]>(kFirst << c);
    return number(size_++, 0);
  }
  Packet& operator[](uint32_t number) { return at(number % kPlaces); }
  /// Null if there is no such packet (any more).
  Packet* find(uint32_t number) {
    const uint32_t place = number % kPlaces;
    if (place >= kUsable || !chunks_[chunk_of(place)]) return nullptr;
    Packet& p = at(place);
    return p.generation == number / kPlaces ? &p : nullptr;
  }
  void prefetch(uint32_t number) {
    const uint32_t place = number % kPlaces;
    if (place < kUsable && chunks_[chunk_of(place)]) __builtin_prefetch(&at(place), 1);
  }
  uint32_t size() const { return size_; }
  Packet& at(uint32_t place) {
    const uint32_t c = chunk_of(place);
    return chunks_[c][place - kFirst * ((1U << c) - 1)];
  }
  uint32_t number_at(uint32_t place) { return number(place, at(place).generation); }

 private:
  static uint32_t chunk_of(uint32_t place) {
    return static_cast<uint32_t>(std::bit_width(place / kFirst + 1)) - 1;
  }
  static uint32_t number(uint32_t place, uint16_t generation) {
    return place + generation * kPlaces;
  }
  std::array<std::unique_ptr<Packet[]>, kChunks> chunks_;
  uint32_t size_ = 0, cursor_ = 0;
};

}  // namespace ttpu::network
