// What the engine of the microprogrammed core must do, in plain C++: values and cycles of each
// microinstruction by the rules of docs/reference/micro.md. Shares nothing with the RTL.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "timing/generated/micro_isa.h"

namespace micro_test {

using ttpu::timing::micro::Uop;

/// Fields of a word.
struct Word {
  Uop op = Uop::PASS;
  uint32_t d = 0, a = 0, b = 0;
  bool vd = false, va = false, vb = false, imm = false, repeat = false;
  uint32_t target = 0;  ///< branches, jumps and calls
  uint32_t flag = 0;    ///< bf, bnf, callf

  uint64_t encode() const;  ///< with the bits that its number always has
};

bool is_compare_branch(Uop op);
bool is_flag_branch(Uop op);

/// Stage word of `exec`.
uint32_t stage_word(Uop op, uint32_t b, bool vb, bool swap, uint32_t shift);

/// d of a vector operation or a plain one; comparisons and sel are not among them.
uint32_t arithmetic(Uop op, uint32_t a, uint32_t b, uint32_t shift);

/// What the surroundings of the engine see.
struct Event {
  enum Kind { kSpr, kStore } kind = kSpr;
  uint64_t cycle = 0;  ///< 0 is the first one after reset
  uint32_t address = 0, data = 0;
  bool operator==(const Event&) const = default;
};

/// The engine and its surroundings. Runs until it meets a jump to itself.
class Reference {
 public:
  explicit Reference(uint32_t lanes) : lanes_(lanes), acc(256 * lanes), packed(lanes) {}

  /// Throws std::runtime_error after `limit` microinstructions.
  void run(const std::vector<Word>& code, uint64_t limit = 200'000);

  /// Value of flag 0..3 in a cycle, of an SPR.
  std::function<bool(uint32_t number, uint64_t cycle)> flag;
  std::function<uint32_t(uint32_t number, uint64_t cycle)> special;

 private:
  uint32_t lanes_, acc_row_ = 0;
  uint32_t unfinished_ = 256, unfinished_value_ = 0;  ///< iqmul's result, written a lane later

 public:
  std::array<uint32_t, 256> reg{};
  std::vector<uint32_t> lmem = std::vector<uint32_t>(16384);
  std::vector<uint32_t> acc;     ///< row by row
  std::vector<uint32_t> packed;  ///< the packer's bytes, lowest first
  uint32_t pred = 0, shift = 0, limits = 0;
  bool carry = false;
  std::vector<Event> events;
  uint64_t cycle = 0;                     ///< in which the last microinstruction left X
  std::array<uint64_t, 64> executed{};    ///< times of each number
  uint64_t flag_waits = 0, forwards = 0;  ///< a branch waited; a result was needed at once

 private:
  void lane_step(const Word& w, uint32_t lane, uint64_t start);
  void finish();
};

}  // namespace micro_test
