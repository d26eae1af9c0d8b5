// Flits as the bits that routers and links of RTL take and give.
#pragma once
#include <cstdint>

#include "network/router.h"
#include "verilated.h"

namespace ttpu::network {

inline constexpr uint32_t kDataW = 128;
using Bits = VlWide<(kDataW + ici::kFlitExtraBits + 31) / 32>;

/// The header as two words of 64 bits.
struct Header {
  uint64_t low = 0, high = 0;
  constexpr void put(ici::Field f, uint64_t value) {
    if (f.lsb < 64) low |= value << f.lsb;
    if (f.lsb >= 64)
      high |= value << (f.lsb - 64);
    else if (f.lsb + f.bits > 64)
      high |= value >> (64 - f.lsb);
  }
  constexpr uint64_t get(ici::Field f) const {
    uint64_t value = f.lsb >= 64 ? high >> (f.lsb - 64) : low >> f.lsb;
    if (f.lsb < 64 && f.lsb + f.bits > 64) value |= high << (64 - f.lsb);
    return value & ((uint64_t{1} << f.bits) - 1);
  }
};

/// A data flit's last word, so that a wrong bit of a payload is seen.
inline constexpr uint64_t check_word(uint64_t packet, uint64_t index) {
  return (packet << 16 | index) * 0x9e3779b97f4a7c15ULL;
}

inline void pack(const Flit& flit, Bits& bits) {
  Header h;
  if (flit.head) {
    h.put(ici::kHeaderDest, flit.dest);
    h.put(ici::kHeaderSrc, flit.src);
    h.put(ici::kHeaderRoute, flit.route);
    h.put(ici::kHeaderKind, static_cast<uint64_t>(ici::Kind::kTest));
    h.put(ici::kHeaderMcast, flit.mcast);
    h.put(ici::kHeaderChannel, flit.channel);
    h.put(ici::kHeaderLength, flit.length);
    h.put(ici::kHeaderAge, flit.age);
    // The packet's number, 32 bits, in fields that routers leave alone.
    h.put(ici::kHeaderAddress, flit.packet & ((1U << ici::kHeaderAddress.bits) - 1));
    h.put(ici::kHeaderFlag, flit.packet >> ici::kHeaderAddress.bits);
  } else {
    h.low = uint64_t{flit.index} << 32 | flit.packet;
    h.high = check_word(flit.packet, flit.index);
  }
  bits[0] = static_cast<uint32_t>(h.low);
  bits[1] = static_cast<uint32_t>(h.low >> 32);
  bits[2] = static_cast<uint32_t>(h.high);
  bits[3] = static_cast<uint32_t>(h.high >> 32);
  bits[4] = static_cast<uint32_t>(flit.vc) << ici::kFlitVc.lsb |
            static_cast<uint32_t>(flit.err) << ici::kFlitErr.lsb |
            static_cast<uint32_t>(flit.tail) << ici::kFlitTail.lsb |
            static_cast<uint32_t>(flit.head) << ici::kFlitHead.lsb;
}

inline void unpack(const Bits& bits, Flit& flit) {
  const Header h{bits[0] | uint64_t{bits[1]} << 32, bits[2] | uint64_t{bits[3]} << 32};
  flit.vc = static_cast<uint8_t>(bits[4] >> ici::kFlitVc.lsb & ((1U << ici::kFlitVc.bits) - 1));
  flit.err = bits[4] >> ici::kFlitErr.lsb & 1;
  flit.tail = bits[4] >> ici::kFlitTail.lsb & 1;
  flit.head = bits[4] >> ici::kFlitHead.lsb & 1;
  if (flit.head) {
    flit.dest = static_cast<uint16_t>(h.get(ici::kHeaderDest));
    flit.src = static_cast<uint16_t>(h.get(ici::kHeaderSrc));
    flit.route = h.get(ici::kHeaderRoute);
    flit.mcast = h.get(ici::kHeaderMcast);
    flit.channel = static_cast<uint8_t>(h.get(ici::kHeaderChannel));
    flit.length = static_cast<uint8_t>(h.get(ici::kHeaderLength));
    flit.age = static_cast<uint8_t>(h.get(ici::kHeaderAge));
    flit.packet = static_cast<uint32_t>(h.get(ici::kHeaderAddress) |
                                        h.get(ici::kHeaderFlag) << ici::kHeaderAddress.bits);
    flit.index = 0;
  } else {
    flit.route = 0;
    flit.dest = flit.src = 0;
    flit.mcast = false;
    flit.channel = flit.length = flit.age = 0;
    flit.packet = static_cast<uint32_t>(h.low);
    flit.index = static_cast<uint16_t>(h.low >> 32);
    // A wrong payload must not look right.
    if (!flit.err && h.high != check_word(flit.packet, flit.index)) flit.index = 0xffff;
  }
}

}  // namespace ttpu::network
