#include "engine_reference.h"

#include <algorithm>
#include <stdexcept>

namespace micro_test {

bool is_compare_branch(Uop op) { return op >= Uop::BEQ && op <= Uop::BGEU; }
bool is_flag_branch(Uop op) { return op == Uop::BF || op == Uop::BNF || op == Uop::CALLF; }

uint64_t Word::encode() const {
  uint64_t w = static_cast<uint64_t>(op) << 30 | (vd ? 1ull << 29 : 0) | (va ? 1ull << 28 : 0) |
               (vb ? 1ull << 27 : 0) | (imm ? 1ull << 26 : 0) | (repeat ? 1ull << 25 : 0) |
               static_cast<uint64_t>(d) << 16 | a << 8 | b;
  if (is_compare_branch(op)) {
    w |= static_cast<uint64_t>(target >> 10 & 1) << 29 |
         static_cast<uint64_t>(target >> 8 & 3) << 24 | static_cast<uint64_t>(target & 0xff) << 16;
  } else if (op == Uop::JMP || op == Uop::CALL || is_flag_branch(op)) {
    w |= target | static_cast<uint64_t>(flag) << 27;
  }
  switch (op) {
    case Uop::EXTS:
    case Uop::EXTZ:
    case Uop::LI:
    case Uop::LIN:
    case Uop::MFS:
    case Uop::CALL:
    case Uop::CALLF:
      w |= 1ull << 26;
      break;
    case Uop::ST:
    case Uop::STP:
      w |= 1ull << 29 | 1ull << 25;
      break;
    default:
      break;
  }
  return w;
}

uint32_t stage_word(Uop op, uint32_t b, bool vb, bool swap, uint32_t shift) {
  return shift << 17 | (swap ? 1u << 16 : 0) | (vb ? 1u << 15 : 0) |
         static_cast<uint32_t>(op) << 8 | b;
}

uint32_t arithmetic(Uop op, uint32_t a, uint32_t b, uint32_t shift) {
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (op) {
    case Uop::IADD:
      return a + b;
    case Uop::ISUB:
      return a - b;
    case Uop::IMUL:
      return a * b;
    case Uop::IMIN:
      return static_cast<uint32_t>(std::min(sa, sb));
    case Uop::IMAX:
      return static_cast<uint32_t>(std::max(sa, sb));
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
    case Uop::SLT:
      return sa < sb;
    case Uop::SLTU:
      return a < b;
    case Uop::IQMUL: {
      // Nearest, ties to even, by comparing the two neighbours' distances.
      const __int128 exact = static_cast<__int128>(sa) * sb, unit = static_cast<__int128>(1)
                                                                    << (31 + shift);
      const __int128 floor = (exact - ((exact % unit + unit) % unit)) / unit;
      const __int128 below = exact - floor * unit, above = unit - below;
      __int128 q = floor;
      if (above < below || (above == below && floor % 2 != 0)) q = floor + 1;
      return static_cast<uint32_t>(
          static_cast<int32_t>(std::clamp<__int128>(q, INT32_MIN, INT32_MAX)));
    }
    default:
      return a;
  }
}

namespace {

/// Cycles in X of one lane, alone.
uint64_t cost(Uop op) {
  switch (op) {
    case Uop::ST:
    case Uop::STP:
    case Uop::LD:
    case Uop::ALD:
      return 2;
    case Uop::IMUL:
      return 6;
    case Uop::IQMUL:
      return 5;  // and 3 behind the last lane
    default:
      return 1;
  }
}

bool changes_flags(Uop op) {
  return op == Uop::IADD || op == Uop::ISUB || op == Uop::ADDC || op == Uop::MTS;
}

}  // namespace

void Reference::lane_step(const Word& w, uint32_t lane, uint64_t start) {
  const auto at = [&](uint32_t number, bool moves) { return (number + (moves ? lane : 0)) & 0xff; };
  const bool bytes = w.op == Uop::EXTS || w.op == Uop::EXTZ;
  const uint32_t a = reg[bytes ? (w.a + lane / 4) & 0xff : at(w.a, w.va)];
  const uint32_t b = w.imm ? w.b : reg[at(w.b, w.vb)];
  finish();  // of the lane before: it did not see that result
  uint32_t& d = reg[at(w.d, w.vd)];
  const uint32_t bit = 1u << lane;
  switch (w.op) {
    case Uop::LI:
      d = w.a << 8 | w.b;
      break;
    case Uop::LIN:
      d = 0xffff0000u | w.a << 8 | w.b;
      break;
    case Uop::EXTS:
      d = static_cast<uint32_t>(static_cast<int8_t>(a >> 8 * (lane % 4)));
      break;
    case Uop::EXTZ:
      d = a >> 8 * (lane % 4) & 0xff;
      break;
    case Uop::ICEQ:
    case Uop::ICLT:
    case Uop::ICLE: {
      const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
      const bool p = w.op == Uop::ICEQ ? a == b : w.op == Uop::ICLT ? sa < sb : sa <= sb;
      pred = (pred & ~bit) | (p ? bit : 0);
      d = a;
      break;
    }
    case Uop::SEL:
      d = pred & bit ? a : b;
      break;
    case Uop::ADDC:
    case Uop::IADD: {
      const uint64_t sum = static_cast<uint64_t>(a) + b + (w.op == Uop::ADDC && carry);
      d = static_cast<uint32_t>(sum);
      if (w.op == Uop::ADDC || !w.repeat) carry = sum >> 32;
      break;
    }
    case Uop::ISUB:
      d = a - b;
      if (!w.repeat) carry = a >= b;
      break;
    case Uop::LD:
      d = lmem[((a + b) & 0xffff) / 4];
      break;
    case Uop::ST:
    case Uop::STP: {
      uint32_t data = b;
      if (w.op == Uop::STP) {
        data = packed[0] | packed[1] << 8 | packed[2] << 16 | packed[3] << 24;
        std::rotate(packed.begin(), packed.begin() + 4, packed.end());
      }
      lmem[((a + w.d) & 0xffff) / 4] = data;
      events.push_back({Event::kStore, start + 1, (a + w.d) & 0xffff, data});
      break;
    }
    case Uop::PACK: {
      int64_t value = static_cast<int32_t>(a);
      if (value < (limits & 1 ? 0 : -128)) value = limits & 1 ? 0 : -128;
      if (value > (limits & 2 ? 255 : 127)) value = limits & 2 ? 255 : 127;
      packed.erase(packed.begin());
      packed.push_back(static_cast<uint32_t>(value) & 255);
      break;
    }
    case Uop::ALD:
      if (lane == 0) acc_row_ = a % 256;  // the row stays what it was at first
      d = acc[acc_row_ * lanes_ + lane];
      break;
    case Uop::MFS:
      d = w.b == ttpu::timing::micro::spr::PRED ? pred : special(w.b, start);
      break;
    case Uop::MTS:
      events.push_back({Event::kSpr, start, at(w.d, w.vd), a});
      if (at(w.d, w.vd) == ttpu::timing::micro::spr::PRED) pred = a & ((1u << lanes_) - 1);
      if (at(w.d, w.vd) == ttpu::timing::micro::spr::LIMITS) limits = a & 3;
      break;
    case Uop::IQMUL:
      unfinished_ = at(w.d, w.vd), unfinished_value_ = arithmetic(w.op, a, b, shift);
      break;
    default:
      d = arithmetic(w.op, a, b, shift);
  }
}

void Reference::finish() {
  if (unfinished_ < 256) reg[unfinished_] = unfinished_value_;
  unfinished_ = 256;
}

void Reference::run(const std::vector<Word>& code, uint64_t limit) {
  uint32_t pc = 0, last_written = 256;
  uint64_t start = 2;  // word 0 is in D in cycle 1
  uint64_t flags_until = 0;
  for (uint64_t n = 0; n < limit; ++n) {
    const Word& w = code.at(pc);
    ++executed[static_cast<uint32_t>(w.op)];
    if (last_written < 256 && (w.a == last_written || (!w.imm && w.b == last_written))) ++forwards;
    last_written = 256;
    uint32_t next = pc + 1;
    uint64_t end = start + 1;  // first cycle in which the next one may be in X
    if (is_flag_branch(w.op)) {
      if (flags_until == start) {
        ++flag_waits;
        ++start, ++end;
      }
      const bool value = w.flag == 6 ? carry : flag(w.flag, start - 1);
      const bool goes = value == (w.op != Uop::BNF);
      if (goes && w.op == Uop::CALLF) reg[w.d] = pc + 1;
      if (goes) next = w.target;
    } else if (w.op == Uop::JMP || w.op == Uop::CALL) {
      if (w.op == Uop::JMP && w.target == pc) {
        cycle = start;
        return;
      }
      if (w.op == Uop::CALL) reg[w.d] = pc + 1;
      next = w.target;
    } else if (w.op == Uop::JR) {
      next = reg[w.a] & 0x7ff;
      end = start + 2;
    } else if (is_compare_branch(w.op)) {
      const uint32_t a = reg[w.a], b = w.imm ? w.b : reg[w.b];
      const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
      const bool goes = w.op == Uop::BEQ    ? a == b
                        : w.op == Uop::BNE  ? a != b
                        : w.op == Uop::BLT  ? sa < sb
                        : w.op == Uop::BGE  ? sa >= sb
                        : w.op == Uop::BLTU ? a < b
                                            : a >= b;
      if (goes) {
        next = w.target;
        end = start + 3;
      }
    } else if (w.op == Uop::EXEC) {
      const uint32_t stage = reg[w.a];
      shift = stage >> 17 & 31;
      const bool swap = stage >> 16 & 1, vb = stage >> 15 & 1;
      Word v{.op = static_cast<Uop>(stage >> 8 & 63),
             .d = 0,
             .a = 0,
             .b = stage & 0xff,
             .vd = true,
             .va = true,
             .vb = vb,
             .repeat = true};
      if (swap) {
        std::swap(v.a, v.b);
        std::swap(v.va, v.vb);
      }
      end = start + 2;
      for (uint32_t lane = 0; lane < lanes_; ++lane) {
        lane_step(v, lane, end);
        end += cost(v.op);
      }
      finish();
      if (v.op == Uop::IQMUL) end += 3;
      if (changes_flags(v.op)) flags_until = end;
      ++executed[static_cast<uint32_t>(v.op)];
    } else {
      end = start;
      for (uint32_t lane = 0; lane < (w.repeat ? lanes_ : 1); ++lane) {
        lane_step(w, lane, end);
        end += w.op == Uop::ALD && lane > 0 ? 1 : cost(w.op);
      }
      finish();
      if (w.op == Uop::IQMUL) end += 3;
      if (changes_flags(w.op)) flags_until = end;
      if (w.op != Uop::ST && w.op != Uop::STP && w.op != Uop::PACK && w.op != Uop::MTS && !w.repeat)
        last_written = w.d;
    }
    start = end;
    pc = next;
  }
  throw std::runtime_error("the program does not end");
}

}  // namespace micro_test
