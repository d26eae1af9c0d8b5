// Lanes and fields of packed vectors, whatever type Verilator gives the port (CData .. VlWide).
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "verilated.h"

namespace tb {

/// Bytes of a port, lane 0 first. VlWide and the integer types are little-endian in memory.
template <class T>
inline uint8_t* bytes_of(T& port) {
  return reinterpret_cast<uint8_t*>(&port);
}
template <class T>
inline const uint8_t* bytes_of(const T& port) {
  return reinterpret_cast<const uint8_t*>(&port);
}

/// `bits` (1..64) bits from bit `lsb` of a vector.
inline uint64_t get_bits(const uint8_t* data, uint32_t lsb, uint32_t bits) {
  uint64_t value = 0;
  uint32_t done = 0;
  while (done < bits) {
    const uint32_t at = lsb + done, shift = at % 8;
    const uint32_t take = bits - done < 8 - shift ? bits - done : 8 - shift;
    value |= static_cast<uint64_t>((data[at / 8] >> shift) & ((1u << take) - 1)) << done;
    done += take;
  }
  return value;
}
inline void set_bits(uint8_t* data, uint32_t lsb, uint32_t bits, uint64_t value) {
  uint32_t done = 0;
  while (done < bits) {
    const uint32_t at = lsb + done, shift = at % 8;
    const uint32_t take = bits - done < 8 - shift ? bits - done : 8 - shift;
    const uint32_t mask = ((1u << take) - 1) << shift;
    data[at / 8] = static_cast<uint8_t>((data[at / 8] & ~mask) | ((value >> done << shift) & mask));
    done += take;
  }
}
template <class T>
inline uint64_t get_bits(const T& port, uint32_t lsb, uint32_t bits) {
  return get_bits(bytes_of(port), lsb, bits);
}
template <class T>
inline void set_bits(T& port, uint32_t lsb, uint32_t bits, uint64_t value) {
  set_bits(bytes_of(port), lsb, bits, value);
}

/// Lane `lane` of a vector of lanes of Lane's width (8, 16, 32, 64 bits).
template <class Lane, class T>
inline Lane get_lane(const T& port, size_t lane) {
  Lane value;
  std::memcpy(&value, bytes_of(port) + lane * sizeof(Lane), sizeof(Lane));
  return value;
}
template <class Lane, class T>
inline void set_lane(T& port, size_t lane, std::type_identity_t<Lane> value) {
  std::memcpy(bytes_of(port) + lane * sizeof(Lane), &value, sizeof(Lane));
}

/// The first `count` lanes of a port.
template <class Lane, class T>
inline std::vector<Lane> get_lanes(const T& port, size_t count) {
  std::vector<Lane> lanes(count);
  std::memcpy(lanes.data(), bytes_of(port), count * sizeof(Lane));
  return lanes;
}
template <class T, class Lane>
inline void set_lanes(T& port, const std::vector<Lane>& lanes) {
  std::memcpy(bytes_of(port), lanes.data(), lanes.size() * sizeof(Lane));
}

}  // namespace tb
