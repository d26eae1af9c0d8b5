// Instructions with registers, loops, flags: the assembler of the compiler.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "compiler/kernel.h"

namespace ttpu::compiler {

/// Common fields of one instruction.
struct Ops {
  int a = 0, b = 0, c = 0;  ///< registers
  int wait = -1;            ///< flag to wait for
  uint32_t wait_value = 1;
  int signal = -1;  ///< flag to raise
};

/// Flags by what they count. Every kernel leaves all of them at zero.
enum Flag : int {
  kParams,   ///< vectors and constants are in VMEM
  kAFull,    ///< activation blocks loaded
  kAFree,    ///< activation buffers free
  kBFull,    ///< weight chunks loaded
  kBFree,    ///< weight buffers free
  kAccFull,  ///< accumulator halves filled
  kAccFree,  ///< accumulator halves free
  kOutFull,  ///< result buffers filled
  kOutFree,  ///< result buffers free
  kDone,     ///< the VPU has done all of the kernel
};

class Emitter {
 public:
  explicit Emitter(const Config& config) : config_(config) {}

  template <class I>
  void put(const I& ins, const Ops& o = {}) {
    isa::Instr i = ins.encode();
    common(i, o);
    code.push_back(i);
  }
  void nop(const Ops& o) { bare(isa::Opcode::NOP, o); }
  void halt() { bare(isa::Opcode::HALT, {}); }
  void vpu_clear() { bare(isa::Opcode::VPU_CLEAR, {}); }
  void sync(isa::Unit unit, const Ops& o);

  /// A register that keeps its value until the kernel ends.
  int reg();
  int reg(uint32_t value) {
    const int r = reg();
    li(r, value);
    return r;
  }
  void free_regs() { next_reg_ = 1; }
  void give_back(int count) { next_reg_ -= count; }
  void li(int r, uint32_t value) { add(r, 0, value); }
  void add(int r, int from, uint32_t imm);
  void add(int r, uint32_t imm) {
    if (imm) add(r, r, imm);
  }
  /// r = sum - r: steps between two values.
  void toggle(int r, uint32_t sum);

  /// Repeat `body` `count` times (0: not at all, 1: without a loop).
  void loop(uint64_t count, const std::function<void()>& body);
  /// `body` only while counter r is not 0; r is decremented.
  void guarded(int r, const std::function<void()>& body);
  /// if (r == end) r = begin
  void wrap(int r, int end_reg, uint32_t begin);

  /// Credits: raise a flag `count` times; take them back.
  void give(Flag flag, uint32_t count);
  void collect(Flag flag, uint32_t count);

  const Config& config() const { return config_; }
  std::vector<isa::Instr> code;

 private:
  static void common(isa::Instr& i, const Ops& o);
  void bare(isa::Opcode op, const Ops& o);
  const Config& config_;
  int next_reg_ = 1;
};

}  // namespace ttpu::compiler
