// The generator behind random_program(): what it knows while a program grows, and the choices that
// all kinds of commands share.
#pragma once
#include <initializer_list>
#include <optional>
#include <vector>

#include "race_tracker.h"
#include "random_program.h"

namespace chip_test {

inline uint32_t size_of(Dtype d) {
  return d == Dtype::BF16 ? 2 : d == Dtype::I32 || d == Dtype::F32 ? 4 : 1;
}

class Generator {
 public:
  using Access = RaceTracker::Access;

  Generator(const Config& config, tb::Random& rng, RandomProgramOptions options)
      : c_(config),
        rng_(rng),
        o_(options),
        tracker_(rng, config.vmem_bytes(), options.hbm_bytes, config.acc_total()),
        acc_ready_(config.acc_total()) {}

  RandomProgram generate();

 private:
  // ---- choices
  // -----------------------------------------------------------------------------------
  uint32_t below(uint64_t n) { return static_cast<uint32_t>(rng_.below(n)); }
  int32_t between(int32_t a, int32_t b) { return static_cast<int32_t>(rng_.between(a, b)); }
  Instr op(Opcode o, uint32_t imm = 0) {
    Instr i;
    i.set(0, 8, static_cast<uint32_t>(o));
    i.set(42, 32, imm);
    return i;
  }

  /// Where data live in VMEM: the first and the last bytes of it, and astride two borders of banks.
  void make_arenas();

  /// r1..r12 hold small numbers of both signs, for the register part of addresses and counts.
  void make_registers();

  /// value = R[reg] + imm with imm of `bits` unsigned bits; the register goes to field position
  /// `lsb`.
  struct Split {
    uint32_t reg, imm;
  };
  Split split(uint32_t value, int bits) {
    const uint32_t reg = below(kRegs);
    const uint32_t imm = value - value_[reg];
    if (bits == 32 || imm < 1u << bits) return {reg, imm};
    return {0, value};
  }

  /// A place for bytes [lo, hi) (offsets, may be negative) in an arena: what to add to the offsets.
  std::optional<uint32_t> place(int64_t lo, int64_t hi, uint32_t align);

  void issue(int unit, Instr i, std::initializer_list<Split> abc = {},
             std::vector<Access> accesses = {});

  /// `registers`: may change one (not while operands are being split).
  void scalar_noise(int unit, bool registers);

  void step();

  // ---- DMA
  // -----------------------------------------------------------------------------------------
  void transfer(int channel);

  // ---- MXU
  // -----------------------------------------------------------------------------------------
  Dtype mxu_type(bool fp) { return fp ? Dtype::BF16 : rng_.coin() ? Dtype::S8 : Dtype::U8; }

  void weights();

  void matmul();

  // ---- VPU
  // -----------------------------------------------------------------------------------------
  Dtype any_type() {
    if (c_.has_fp) return static_cast<Dtype>(below(5));
    static constexpr Dtype kInteger[] = {Dtype::S8, Dtype::U8, Dtype::I32};
    return kInteger[below(3)];
  }
  static bool is_float(Dtype d) { return d == Dtype::BF16 || d == Dtype::F32; }

  void load_vector(int v);

  void stage();
  uint32_t interesting();

  /// Rows of a stream: strides in units of N bytes (accumulator rows), offsets of each row in
  /// order.
  struct Walk {
    int32_t s[3] = {};
    std::vector<int64_t> offsets;  // bytes (rows from the accumulators)
  };
  Walk walk(const uint32_t (&n)[3], uint32_t unit, uint32_t scale);
  std::optional<uint32_t> place_walk(const Walk& w, uint32_t row) {
    const auto [lo, hi] = std::ranges::minmax(w.offsets);
    return place(lo, hi + row, row);
  }
  static bool clash(const Walk& x, uint32_t xs, uint32_t xrow, const Walk& y, uint32_t ys,
                    uint32_t yrow);

  void vpu_run();

  std::optional<uint32_t> place_acc(const Walk& w);

  void transpose();

  // ---- end: everything into HBM
  // ----------------------------------------------------------------------
  void store_range(uint32_t vmem, uint32_t bytes);

  void dump();

  RandomProgram finish();

  static constexpr uint32_t kRegs = 13;
  static constexpr int kMxw = 2, kMxs = 3, kVpu = 4;
  const Config& c_;
  tb::Random& rng_;
  RandomProgramOptions o_;
  RaceTracker tracker_;
  RandomProgram program_;
  std::vector<bool> acc_ready_;  // rows that hold a result
  uint32_t value_[kRegs] = {};
  uint32_t commands_ = 0, dump_at_ = 0;
  bool filled_ = false, filled_fp_ = false, active_ = false, active_fp_ = false;
  uint32_t inner0_ = 0, inner1_ = 0;
  int32_t s1_ = 0, s2_ = 0;
};

}  // namespace chip_test
