// The 128-bit instruction word and the descriptor types of the generated tables.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace ttpu::isa {

/// One instruction: 128 bits, bit 0 is the lowest bit of words[0].
struct Instr {
  uint32_t words[4] = {0, 0, 0, 0};

  /// Unsigned value of `bits` (1..32) bits from bit `lsb`.
  constexpr uint32_t get(int lsb, int bits) const {
    uint64_t v = 0;
    const int w = lsb / 32, s = lsb % 32;
    v = words[w];
    if (w + 1 < 4) v |= static_cast<uint64_t>(words[w + 1]) << 32;
    v >>= s;
    return static_cast<uint32_t>(bits == 32 ? v & 0xffffffffu : v & ((1ull << bits) - 1));
  }
  /// Two's complement value of `bits` bits from bit `lsb`.
  constexpr int32_t get_signed(int lsb, int bits) const {
    const uint32_t v = get(lsb, bits);
    const int up = 32 - bits;
    return static_cast<int32_t>(v << up) >> up;
  }
  /// Write the low `bits` bits of `value` at bit `lsb`.
  constexpr void set(int lsb, int bits, uint32_t value) {
    for (int i = 0; i < bits; ++i) {
      const int b = lsb + i;
      const uint32_t m = 1u << (b % 32);
      words[b / 32] = (value >> i & 1u) ? words[b / 32] | m : words[b / 32] & ~m;
    }
  }
  constexpr bool operator==(const Instr&) const = default;
};

/// A value of an enumeration.
struct EnumValue {
  std::string_view type, name;
  uint32_t value;
  std::string_view doc;
};

/// A field of an instruction; `enum_type` is empty for a plain number.
struct FieldDesc {
  std::string_view name;
  int lsb, bits;
  bool is_signed;
  std::string_view enum_type, doc;
};

/// An instruction.
struct OpDesc {
  std::string_view name;
  uint32_t opcode;
  std::string_view unit;
  std::span<const FieldDesc> fields;
  std::string_view doc;
};

/// An error code.
struct ErrorDesc {
  std::string_view name;
  uint32_t value;
  std::string_view doc, advice;
};

// Common fields of every instruction (positions from isa.yaml; checked in tests).
struct Common {
  uint32_t opcode = 0, ra = 0, rb = 0, rc = 0, wait_value = 0, wait_flag = 0, signal = 0,
           signal_flag = 0;
  static constexpr Common decode(const Instr& i) {
    return {i.get(0, 8),  i.get(8, 5),  i.get(13, 5), i.get(18, 5),
            i.get(23, 8), i.get(31, 5), i.get(36, 1), i.get(37, 5)};
  }
  constexpr void apply(Instr& i) const {
    i.set(0, 8, opcode);
    i.set(8, 5, ra);
    i.set(13, 5, rb);
    i.set(18, 5, rc);
    i.set(23, 8, wait_value);
    i.set(31, 5, wait_flag);
    i.set(36, 1, signal);
    i.set(37, 5, signal_flag);
  }
};

}  // namespace ttpu::isa
