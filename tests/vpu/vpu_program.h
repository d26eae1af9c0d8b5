// Random VPU commands that are legal on a configuration, with some state of their own: a command
// stream leaves part of the configuration as it was.
#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "tb/random.h"
#include "vpu_command.h"

namespace vpu_test {

using isa::Dtype;
using isa::Vop;

inline uint32_t bytes_of(Dtype t) {
  return t == Dtype::S8 || t == Dtype::U8 ? 1 : t == Dtype::BF16 ? 2 : 4;
}
inline bool is_float(Dtype t) { return t == Dtype::BF16 || t == Dtype::F32; }

class Program {
 public:
  Program(const Config& config, tb::Random& random) : config_(config), random_(random) {}

  /// Configuration and one VPU_RUN, VPU_XPOSE or (rarely) VPU_LDV; the last one moves rows.
  std::vector<Command> next() {
    std::vector<Command> out;
    if (random_.chance(10)) out.push_back(bare(isa::Opcode::VPU_CLEAR));
    if (random_.chance(30)) {
      out.push_back(ldv());
      return out;
    }
    if (random_.chance(15)) {
      transpose(out);
      return out;
    }
    for (uint32_t i = 0; i < config_.vpu_stages; ++i)
      if (random_.chance(70)) out.push_back(stage(i));
    if (config_.has_sfu && random_.chance(60)) {
      isa::VpuSfu f{};
      f.func = random_.coin() ? 0 : static_cast<uint32_t>(random_.below(8));
      out.push_back(command(f));
    }
    run(out);
    return out;
  }

 private:
  Dtype any_type() {
    static constexpr Dtype kAll[] = {Dtype::S8, Dtype::U8, Dtype::I32, Dtype::BF16, Dtype::F32};
    return kAll[random_.below(config_.has_fp ? 5 : 3)];
  }
  int32_t zero_point() {
    return random_.chance(40) ? 0 : static_cast<int32_t>(random_.between(-256, 255));
  }
  uint32_t scale() {
    return random_.chance(80) ? (random_.u32() & 0x81ffffff) | 0x3c000000 : random_.u32();
  }

  Command stage(uint32_t index) {
    std::vector<Vop> ops = {Vop::PASS,  Vop::IADD, Vop::ISUB, Vop::IMUL, Vop::IMIN, Vop::IMAX,
                            Vop::ISHL,  Vop::ISRA, Vop::ISRL, Vop::AND,  Vop::OR,   Vop::XOR,
                            Vop::IQMUL, Vop::ICEQ, Vop::ICLT, Vop::ICLE, Vop::SEL,  Vop::SEL};
    if (config_.has_fp)
      for (const Vop op : {Vop::I2F, Vop::F2I, Vop::FADD, Vop::FSUB, Vop::FMUL, Vop::FMIN,
                           Vop::FMAX, Vop::FCEQ, Vop::FCLT, Vop::FCLE})
        ops.push_back(op), ops.push_back(op);
    isa::VpuStage f{};
    f.index = index;
    f.op = static_cast<uint32_t>(random_.pick(ops));
    f.operand = static_cast<uint32_t>(random_.below(7));
    f.swap = random_.chance(20);
    f.shift = static_cast<uint32_t>(random_.below(32));
    f.imm = random_.u32();
    const uint32_t value = random_.coin() ? random_.u32() : scale();
    return command(f, value - f.imm);
  }

  Command ldv() {
    isa::VpuLdv f{};
    f.index = static_cast<uint32_t>(random_.below(4));
    f.imm_a = static_cast<uint32_t>(random_.below(1 << 24));
    const uint32_t words = config_.vmem_bytes() / config_.word_bytes();
    return command(f, static_cast<uint32_t>(random_.below(words)) * config_.word_bytes() - f.imm_a);
  }

  /// Strides for counts and rows of `row` units, and a start so that all rows lie in [low, high).
  /// All in units: N bytes, or accumulator rows.
  struct Walk {
    int32_t s[3];
    uint32_t start;
  };
  Walk walk(const uint32_t (&count)[3], int32_t row, int64_t low, int64_t high) {
    for (;;) {
      Walk w{};
      int64_t least = 0, most = 0;
      for (int d = 0; d < 3; ++d) {
        w.s[d] = static_cast<int32_t>(random_.between(-3, 12)) * row;
        if (random_.chance(10)) w.s[d] *= 5;
        const int64_t reach = int64_t{w.s[d]} * (count[d] - 1);
        (reach < 0 ? least : most) += reach;
      }
      const int64_t room = (high - low - row - (most - least)) / row;
      if (room < 0) continue;
      w.start = static_cast<uint32_t>(low - least + random_.between(0, room) * row);
      return w;
    }
  }

  void run(std::vector<Command>& out) {
    const int64_t units = config_.vmem_bytes() / config_.n, half = units / 2;
    uint32_t count[3] = {1 + static_cast<uint32_t>(random_.below(7)),
                         1 + static_cast<uint32_t>(random_.below(4)),
                         1 + static_cast<uint32_t>(random_.below(3))};
    if (random_.chance(10)) count[0] = 40 + static_cast<uint32_t>(random_.below(60));

    isa::VpuSeta a{};
    const bool from_acc = random_.chance(40);
    Dtype at = any_type();
    if (from_acc) at = config_.has_fp && random_.coin() ? Dtype::F32 : Dtype::I32;
    const Walk wa = from_acc ? walk(count, 1, 0, config_.acc_total())
                             : walk(count, static_cast<int32_t>(bytes_of(at)), 0, half);
    a.src = from_acc;
    a.dtype = static_cast<uint32_t>(at);
    a.s0 = wa.s[0], a.s1 = wa.s[1], a.s2 = wa.s[2];
    a.dequant = config_.has_fp && !is_float(at) && random_.coin();
    a.zp = zero_point();
    out.push_back(command(a, scale()));

    isa::VpuSetb b{};
    const Dtype bt = any_type();
    const Walk wb = walk(count, static_cast<int32_t>(bytes_of(bt)), 0, half);
    b.enable = random_.coin();
    b.dtype = static_cast<uint32_t>(bt);
    b.s0 = wb.s[0], b.s1 = wb.s[1], b.s2 = wb.s[2];
    b.dequant = config_.has_fp && !is_float(bt) && random_.coin();
    b.zp = zero_point();
    out.push_back(command(b, scale()));

    isa::VpuSetd d{};
    const Dtype dt = any_type();
    d.fp = is_float(dt) || (config_.has_fp && random_.coin());
    d.dtype = static_cast<uint32_t>(dt);
    d.zp = zero_point();

    isa::VpuShape s{};
    s.row_reduce = random_.coin() ? 0 : static_cast<uint32_t>(random_.below(4));
    s.row_dims = s.row_reduce ? 1 + static_cast<uint32_t>(random_.below(3)) : 0;
    s.lane_reduce = random_.coin() ? 0 : static_cast<uint32_t>(random_.below(4));
    s.fp = config_.has_fp && random_.coin();
    s.shuffle = random_.coin() ? 0 : static_cast<uint32_t>(random_.below(4));
    s.arg = static_cast<uint32_t>(random_.below(config_.n));
    const uint32_t rc = random_.coin() ? 0 : random_.u32();  // counts come from registers too
    s.n0 = (count[0] - rc) & 0xffff, s.n1 = (count[1] - rc) & 0xffff,
    s.n2 = (count[2] - rc) & 0xffff;
    out.push_back(command(s, count[2] - s.n2, count[1] - s.n1, count[0] - s.n0));

    // D in the other half: rows that a command has still to read must not be overwritten by it.
    uint32_t d_count[3] = {count[0], count[1], count[2]};
    for (uint32_t i = 0; i < s.row_dims; ++i) d_count[i] = 1;
    const auto row = static_cast<int32_t>(bytes_of(dt));
    Walk wd = walk(d_count, row, half, units);
    // Strides of folded dimensions are not used and may be anything.
    for (uint32_t i = 0; i < s.row_dims; ++i)
      wd.s[i] = static_cast<int32_t>(random_.between(-500000, 500000));
    d.s0 = wd.s[0], d.s1 = wd.s[1], d.s2 = wd.s[2];
    out.push_back(command(d));

    isa::VpuRun r{};
    r.lanes = random_.coin() ? config_.n : 1 + static_cast<uint32_t>(random_.below(config_.n));
    r.imm_a = static_cast<uint32_t>(random_.below(1 << 24));
    r.imm_b = static_cast<uint32_t>(random_.below(1 << 24));
    r.imm_d = static_cast<uint32_t>(random_.below(1 << 24));
    out.push_back(command(r, wa.start * (from_acc ? 1 : config_.n) - r.imm_a,
                          wb.start * config_.n - r.imm_b, wd.start * config_.n - r.imm_d,
                          static_cast<uint32_t>(random_.below(65536))));
  }

  void transpose(std::vector<Command>& out) {
    const int64_t units = config_.vmem_bytes() / config_.n, half = units / 2;
    isa::VpuXpose x{};
    const auto lanes = [&] {
      return random_.chance(30) ? config_.n : 1 + static_cast<uint32_t>(random_.below(config_.n));
    };
    x.rows = lanes(), x.lanes = lanes();
    const Dtype t = any_type();
    const auto row = static_cast<int32_t>(bytes_of(t));
    const Walk wa = walk({x.rows, 1, 1}, row, 0, half),
               wd = walk({x.lanes, 1, 1}, row, half, units);
    isa::VpuSeta a{};
    a.dtype = static_cast<uint32_t>(t);
    a.s0 = wa.s[0], a.s1 = 1, a.s2 = 1;
    a.zp = zero_point();
    a.dequant = config_.has_fp && !is_float(t) && random_.coin();
    out.push_back(command(a, scale()));
    isa::VpuSetd d{};
    d.s0 = wd.s[0], d.s1 = 1, d.s2 = 1;
    d.zp = zero_point();
    out.push_back(command(d));
    x.imm_a = static_cast<uint32_t>(random_.below(1 << 24));
    x.imm_d = static_cast<uint32_t>(random_.below(1 << 24));
    out.push_back(command(x, wa.start * config_.n - x.imm_a, 0, wd.start * config_.n - x.imm_d));
  }

  const Config& config_;
  tb::Random& random_;
};

}  // namespace vpu_test
