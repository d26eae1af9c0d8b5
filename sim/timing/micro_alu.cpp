// Arithmetic of the engine's model: what microinstructions compute, and how long that takes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "timing/micro_core.h"

namespace ttpu::timing::micro {

namespace {

// Cycles, as the headers of rtl/micro say.
constexpr uint64_t kMul = 6;
constexpr uint64_t kQmulLane = 5;  // of iqmul, until the next lane follows
constexpr uint64_t kQmulEnd = 3;   // behind its last lane
constexpr uint64_t kExec = 2;      // beside its operations

int32_t iqmul(int32_t x, int32_t y, uint32_t shift) {
  const int64_t product = int64_t{x} * y;
  const uint32_t bits = 31 + shift;
  const int64_t rest = product & ((int64_t{1} << bits) - 1), half = int64_t{1} << (bits - 1);
  int64_t quotient = product >> bits;
  if (rest > half || (rest == half && quotient % 2 != 0)) ++quotient;
  return static_cast<int32_t>(std::clamp<int64_t>(quotient, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

}  // namespace

uint32_t Core::alu(Uop op, uint32_t a, uint32_t b, uint32_t lane, bool set_carry) {
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  const auto predicate = [&](bool value) {
    predicate_ = (predicate_ & ~(1u << lane)) | (value ? 1u << lane : 0);
    return a;
  };
  switch (op) {
    case Uop::PASS:
      return a;
    case Uop::IADD:
      if (set_carry) carry_ = (uint64_t{a} + b) >> 32;
      return a + b;
    case Uop::ISUB:
      if (set_carry) carry_ = a >= b;
      return a - b;
    case Uop::ADDC: {
      const uint64_t sum = uint64_t{a} + b + carry_;
      carry_ = sum >> 32;
      return static_cast<uint32_t>(sum);
    }
    case Uop::IMUL:
      return a * b;
    case Uop::IMIN:
      return sa < sb ? a : b;
    case Uop::IMAX:
      return sa > sb ? a : b;
    case Uop::ISHL:
      return a << (b & 31);
    case Uop::ISRA:
      return static_cast<uint32_t>(sa >> (b & 31));
    case Uop::ISRL:
      return a >> (b & 31);
    case Uop::AND:
      return a & b;
    case Uop::OR:
      return a | b;
    case Uop::XOR:
      return a ^ b;
    case Uop::IQMUL:
      return static_cast<uint32_t>(iqmul(sa, sb, shift_));
    case Uop::SLT:
      return sa < sb;
    case Uop::SLTU:
      return a < b;
    case Uop::ICEQ:
      return predicate(a == b);
    case Uop::ICLT:
      return predicate(sa < sb);
    case Uop::ICLE:
      return predicate(sa <= sb);
    case Uop::SEL:
      return predicate_ >> lane & 1 ? a : b;
    default:
      fail(fmt::format("{} is no operation of the ALU", micro::name_of(op)));
  }
}

/// A byte goes to the top of the packer.
void Core::pack(uint32_t value) {
  const int32_t low = limits_ & 1 ? 0 : -128, high = limits_ & 2 ? 255 : 127;
  const auto byte = static_cast<uint64_t>(std::clamp(static_cast<int32_t>(value), low, high) & 255);
  packed_ = packed_ >> 8 | byte << (8 * config_.n - 8);
}

/// Its lowest four bytes; it turns by four.
uint32_t Core::take_packed() {
  const auto word = static_cast<uint32_t>(packed_);
  if (config_.n == 8) packed_ = packed_ >> 32 | packed_ << 32;
  return word;
}

uint64_t Core::alu_cycles(Uop op) {
  if (op == Uop::IMUL) return kMul;
  if (op == Uop::IQMUL) return kQmulLane;
  return 1;
}

/// Results of the lanes of one microinstruction: those of iqmul are written when the next lane has
/// read its operands.
class Core::Late {
 public:
  explicit Late(Core& core) : core_(core) {}
  ~Late() { flush(); }
  Late(const Late&) = delete;
  Late& operator=(const Late&) = delete;
  void put(Uop op, uint32_t number, uint32_t value) {
    flush();
    waits_ = true, number_ = number, value_ = value;
    if (op != Uop::IQMUL) flush();
  }

 private:
  void flush() {
    if (waits_) core_.put(number_, value_);
    waits_ = false;
  }
  Core& core_;
  bool waits_ = false;
  uint32_t number_ = 0, value_ = 0;
};

/// An operation that writes d, once or for each lane; its cycles.
uint64_t Core::lanes_op(const Decoded& u) {
  const uint32_t lanes = u.rpt ? config_.n : 1;
  uint64_t cycles = u.op == Uop::IQMUL ? kQmulEnd : 0;
  Late late(*this);
  for (uint32_t l = 0; l < lanes; ++l) {
    const uint32_t ra = (u.a + (u.va ? l : 0)) & 255, rb = (u.b + (u.vb ? l : 0)) & 255;
    const uint32_t a = reg_[ra], b = u.bi ? u.b : reg_[rb];
    uint32_t value = 0, cost = 1;
    switch (u.op) {
      case Uop::EXTS:
      case Uop::EXTZ: {
        const uint32_t word = reg_[(u.a + l / 4) & 255];
        const auto byte = static_cast<uint8_t>(word >> 8 * (l % 4));
        value = u.op == Uop::EXTS ? static_cast<uint32_t>(static_cast<int8_t>(byte)) : byte;
        break;
      }
      case Uop::LI:
        value = u.imm;
        break;
      case Uop::LIN:
        value = 0xffff0000u | u.imm;
        break;
      case Uop::LD:
        value = lmem_word(a + b, cycle_ + cycles);
        cost = 2;
        break;
      case Uop::ALD: {
        check_mxu_idle("ald");
        const uint32_t row = reg_[u.a];
        if (row >= config_.acc_total()) fail(fmt::format("ald of accumulator row {}", row));
        value = acc_[size_t{row} * config_.n + l];
        cost = l == 0 ? 2 : 1;  // one a cycle behind the first
        break;
      }
      default:
        value = alu(u.op, a, b, l, !u.rpt);
        cost = static_cast<uint32_t>(alu_cycles(u.op));
        break;
    }
    late.put(u.op, u.d + (u.vd ? l : 0), value);
    cycles += cost;
  }
  return cycles;
}

uint64_t Core::exec(uint32_t stage) {
  const auto op = static_cast<Uop>(stage >> 8 & 63);
  const uint32_t y = stage & 255;
  const bool vb = stage >> 15 & 1, swap = stage >> 16 & 1;
  shift_ = stage >> 17 & 31;
  Late late(*this);
  for (uint32_t l = 0; l < config_.n; ++l) {
    const uint32_t a = reg_[l], b = reg_[(y + (vb ? l : 0)) & 255];
    late.put(op, l, swap ? alu(op, b, a, l, false) : alu(op, a, b, l, false));
  }
  return kExec + config_.n * alu_cycles(op) + (op == Uop::IQMUL ? kQmulEnd : 0);
}

bool Core::compare(Uop op, uint32_t a, uint32_t b) const {
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (op) {
    case Uop::BEQ:
      return a == b;
    case Uop::BNE:
      return a != b;
    case Uop::BLT:
      return sa < sb;
    case Uop::BGE:
      return sa >= sb;
    case Uop::BLTU:
      return a < b;
    default:
      return a >= b;
  }
}

}  // namespace ttpu::timing::micro
