// Named cases of the VPU: arithmetic from the field (C9-C15), what a row costs, errors, halt and
// clear.
#include <cmath>

#include "Vvpu_core16.h"
#include "Vvpu_mini.h"
#include "vpu_bench.h"
#include "vpu_program.h"

namespace vpu_test {
namespace {

using isa::Error;
using Core16 = Bench<Vvpu_core16>;
using Mini = Bench<Vvpu_mini>;
constexpr uint32_t kBusy = 1, kStallMem = 3;  // activity_e of ttpu_reg_pkg

uint32_t number(Dtype t) { return static_cast<uint32_t>(t); }
uint32_t number(Vop op) { return static_cast<uint32_t>(op); }

isa::VpuStage stage(uint32_t index, Vop op, isa::Voperand operand = isa::Voperand::CONST,
                    uint32_t imm = 0, uint32_t shift = 0) {
  isa::VpuStage f{};
  f.index = index, f.op = number(op), f.operand = static_cast<uint32_t>(operand);
  f.imm = imm, f.shift = shift;
  return f;
}

/// One row through a chain: `words` (as the type `in`, from address 0) and B (`other`, from one
/// word on) to `out` at two words on. Compares with the golden model as well.
template <class B>
std::vector<uint32_t> one_row(B& bench, Dtype in, const std::vector<uint32_t>& words,
                              const std::vector<uint32_t>& other, Dtype out, bool fp,
                              const std::vector<isa::VpuStage>& chain, int32_t zp = 0) {
  const uint32_t word = bench.config.word_bytes(), n = bench.config.n;
  const auto place = [&](uint32_t at, const std::vector<uint32_t>& values) {
    for (uint32_t l = 0; l < n; ++l)
      std::memcpy(&bench.vmem[at + l * bytes_of(in)], l < values.size() ? &values[l] : &values[0],
                  bytes_of(in));
  };
  place(0, words);
  place(word, other.empty() ? words : other);
  bench.sync();
  EXPECT_TRUE(bench.both(bare(isa::Opcode::VPU_CLEAR), false));
  isa::VpuSeta a{};
  a.dtype = number(in);
  EXPECT_TRUE(bench.both(command(a), false));
  isa::VpuSetb b{};
  b.enable = 1, b.dtype = number(in);
  EXPECT_TRUE(bench.both(command(b), false));
  isa::VpuSetd d{};
  d.fp = fp, d.dtype = number(out), d.zp = zp;
  EXPECT_TRUE(bench.both(command(d), false));
  for (const auto& f : chain) EXPECT_TRUE(bench.both(command(f), false));
  isa::VpuRun run{};
  run.lanes = n, run.imm_b = word, run.imm_d = 2 * word;
  EXPECT_TRUE(bench.both(command(run), true));
  std::vector<uint32_t> result(n);
  for (uint32_t l = 0; l < n; ++l)
    std::memcpy(&result[l], &bench.vmem[2 * word + l * bytes_of(out)], bytes_of(out));
  return result;
}

TEST(Vpu, C9RequantiseRoundsOnce) {
  Core16 core16("core16");
  Mini mini("mini");
  const std::vector chain = {stage(0, Vop::IQMUL, isa::Voperand::CONST, 1583594044, 9)};
  EXPECT_EQ(one_row(core16, Dtype::I32, {7984}, {}, Dtype::I32, false, chain)[0], 11u);
  EXPECT_EQ(one_row(mini, Dtype::I32, {7984}, {}, Dtype::S8, false, chain)[0], 11u);
}

TEST(Vpu, C10SaturatesNeverWraps) {
  Core16 bench("core16");
  // 100 * 100 / 0.2 = 50000, and -236.
  const std::vector chain = {stage(0, Vop::I2F),
                             stage(1, Vop::FMUL, isa::Voperand::CONST, 0x40a00000)};  // 5.0
  EXPECT_EQ(one_row(bench, Dtype::I32, {10000}, {}, Dtype::U8, true, chain)[0], 255u);
  EXPECT_EQ(one_row(bench, Dtype::I32, {uint32_t(-236)}, {}, Dtype::U8, false, {})[0], 0u);
  EXPECT_EQ(one_row(bench, Dtype::I32, {uint32_t(-236)}, {}, Dtype::S8, false, {})[0], 0x80u);
  EXPECT_EQ(one_row(bench, Dtype::I32, {0x7fffffff}, {}, Dtype::U8, false, {}, 255)[0], 255u);
  EXPECT_EQ(one_row(bench, Dtype::F32, {0xff800000}, {}, Dtype::S8, true, {}, -256)[0], 0x80u);
}

TEST(Vpu, C11C12ToBfloat16) {
  Core16 bench("core16");
  const auto to_bf16 = [&](uint32_t x) {
    return one_row(bench, Dtype::F32, {x}, {}, Dtype::BF16, true, {})[0];
  };
  EXPECT_EQ(to_bf16(0x3e89ccd5), 0x3e8au);  // 0.26953125
  EXPECT_EQ(to_bf16(0x7f800001), 0x7fc0u);
  EXPECT_EQ(to_bf16(0x7f7fffff), 0x7f80u);
  EXPECT_EQ(to_bf16(0x807fffff), 0x8000u);
}

TEST(Vpu, C13C14NanAndInfinity) {
  Core16 bench("core16");
  const uint32_t nan = 0x7fc00000, inf = 0x7f800000, one = 0x3f800000;
  const auto op = [&](Vop vop, uint32_t x, uint32_t y) {
    return one_row(bench, Dtype::F32, {x}, {y}, Dtype::F32, true,
                   {stage(0, vop, isa::Voperand::B)})[0];
  };
  EXPECT_EQ(op(Vop::FMAX, 0x7f800001, one), nan);
  EXPECT_EQ(op(Vop::FMAX, one, 0xffffffff), nan);
  EXPECT_EQ(op(Vop::FMAX, nan, 0), nan);  // ReLU
  EXPECT_EQ(op(Vop::FSUB, inf, inf), nan);
  EXPECT_EQ(op(Vop::FMUL, inf, 0), nan);
  EXPECT_EQ(op(Vop::FADD, one, one | 0x80000000), 0u);
  EXPECT_EQ(op(Vop::FADD, 0x80000000, 0x80000000), 0x80000000u);
  EXPECT_EQ(op(Vop::FMAX, 0x80000000, 0), 0u);
  EXPECT_EQ(op(Vop::FMIN, 0, 0x80000000), 0x80000000u);
}

TEST(Vpu, C15TiesToEven) {
  Core16 core16("core16");
  Mini mini("mini");
  const std::vector<uint32_t> floats = {0x40200000, 0xc0200000, 0x40600000, 0xc0600000};
  const std::vector<uint32_t> right = {2, uint32_t(-2), 4, uint32_t(-4)};
  auto got = one_row(core16, Dtype::F32, floats, {}, Dtype::I32, true, {});
  // Integer requantise: x / 2 by a multiplier of 2^30.
  const std::vector<uint32_t> twice = {5, uint32_t(-5), 7, uint32_t(-7)};
  auto integer = one_row(mini, Dtype::I32, twice, {}, Dtype::I32, false,
                         {stage(0, Vop::IQMUL, isa::Voperand::CONST, 1u << 30, 0)});
  for (size_t i = 0; i < right.size(); ++i) {
    EXPECT_EQ(got[i], right[i]) << "fp32, " << i;
    EXPECT_EQ(integer[i], right[i]) << "integer, " << i;
  }
}

// In place: each row is read before its own result is written over it.
TEST(Vpu, InPlace) {
  Core16 bench("core16");
  isa::VpuSeta a{};
  a.dtype = number(Dtype::I32), a.s0 = 4;
  isa::VpuSetd d{};
  d.dtype = number(Dtype::I32), d.s0 = 4;
  isa::VpuShape s{};
  s.n0 = 200, s.n1 = s.n2 = 1;
  isa::VpuRun run{};
  run.lanes = 13;
  for (const Command& c : {command(a), command(d), command(s),
                           command(stage(0, Vop::IADD, isa::Voperand::CONST, 3)), command(run)})
    EXPECT_TRUE(bench.both(c, true));
}

/// Cycles from acceptance to done of a run of `rows` rows, by a freshly configured core16.
uint64_t cycles_of_run(Core16& bench, uint32_t rows, bool b, uint32_t sfu, uint32_t lane_reduce,
                       uint32_t row_dims, bool from_acc = false) {
  isa::VpuSeta a{};
  a.dtype = number(Dtype::F32), a.s0 = from_acc ? 1 : 4, a.src = from_acc;
  isa::VpuSetb sb{};
  sb.enable = b, sb.dtype = number(Dtype::F32), sb.s0 = 4;
  isa::VpuSetd d{};
  d.dtype = number(Dtype::F32), d.fp = 1, d.s0 = 4;
  isa::VpuShape s{};
  s.n0 = rows, s.n1 = s.n2 = 1, s.lane_reduce = lane_reduce, s.row_dims = row_dims;
  s.row_reduce = row_dims ? 1 : 0;
  isa::VpuSfu f{};
  f.func = sfu;
  isa::VpuRun run{};
  run.lanes = bench.config.n;
  run.imm_b = bench.config.vmem_bytes() / 4;
  run.imm_d = bench.config.vmem_bytes() / 2;
  for (const Command& c : {command(a), command(sb), command(d), command(s), command(f)})
    EXPECT_TRUE(bench.both(c, false));
  EXPECT_TRUE(bench.both(command(run), true));
  const auto& e = bench.driver.done().back();
  return e.done - e.accepted;
}

// docs/reference/vpu.md states these figures: rows + constant.
TEST(Vpu, OneRowACycle) {
  Core16 bench("core16");
  constexpr uint64_t kBase = 20, kSfu = 11, kLanes = 4;
  for (const uint32_t rows : {1u, 2u, 17u, 1000u}) {
    EXPECT_EQ(cycles_of_run(bench, rows, false, 0, 0, 0), rows + kBase);
    EXPECT_EQ(cycles_of_run(bench, rows, true, 0, 0, 0), rows + kBase);
    EXPECT_EQ(cycles_of_run(bench, rows, false, 0, 0, 0, true), rows + kBase);
    EXPECT_EQ(cycles_of_run(bench, rows, true, 1, 0, 0), rows + kBase + kSfu);
    EXPECT_EQ(cycles_of_run(bench, rows, true, 0, 1, 0), rows + kBase + kLanes);
    EXPECT_EQ(cycles_of_run(bench, rows, true, 3, 2, 0), rows + kBase + kSfu + kLanes);
    EXPECT_EQ(cycles_of_run(bench, rows, true, 0, 0, 1), rows + kBase);
  }
}

TEST(Vpu, OtherCommandsCost) {
  Core16 bench("core16");
  isa::VpuLdv ldv{};
  const auto cost = [&](const Command& c) {
    EXPECT_TRUE(bench.both(c, true));
    const auto& e = bench.driver.done().back();
    return e.done - e.accepted;
  };
  EXPECT_EQ(cost(command(ldv)), 9u);
  EXPECT_EQ(cost(bare(isa::Opcode::VPU_CLEAR)), 1u);
  isa::VpuSeta a{};
  a.s0 = 1;
  isa::VpuSetd d{};
  d.s0 = 1;
  isa::VpuXpose x{};
  x.rows = 16, x.lanes = 5, x.imm_d = 4096;
  EXPECT_EQ(cost(command(a)), 1u);
  EXPECT_EQ(cost(command(d)), 1u);
  EXPECT_EQ(cost(command(x)), 16u + 5 + 13);
  x.rows = 3, x.lanes = 16;
  EXPECT_EQ(cost(command(x)), 3u + 16 + 13);
}

TEST(Vpu, OneRowACycleOnMini) {
  Mini bench("mini");
  for (const uint32_t rows : {1u, 2u, 17u, 500u}) {
    isa::VpuSeta a{};
    a.s0 = 1;
    isa::VpuSetd d{};
    d.s0 = 1;
    isa::VpuShape s{};
    s.n0 = rows, s.n1 = s.n2 = 1;
    isa::VpuRun run{};
    run.lanes = 4, run.imm_d = bench.config.vmem_bytes() / 2;
    for (const Command& c : {command(a), command(d), command(s), command(run)})
      EXPECT_TRUE(bench.both(c, true));
    const auto& e = bench.driver.done().back();
    EXPECT_EQ(e.done - e.accepted, rows + 11 + 1 + 4);
  }
}

// Configuration commands flow at one a cycle.
TEST(Vpu, ConfigurationAtOneACycle) {
  Core16 bench("core16");
  for (uint32_t i = 0; i < 6; ++i) bench.driver.send(command(stage(i, Vop::XOR)));
  bench.controller.run_until([&] { return bench.driver.idle(); }, 20, "six stages");
  EXPECT_EQ(bench.driver.done().back().done - bench.driver.done().front().done, 5u);
}

// Every state of activity adds up: busy from the cycle after acceptance to done.
TEST(Vpu, ActivityCounts) {
  Core16 bench("core16");
  cycles_of_run(bench, 100, true, 0, 0, 0);
  const auto busy = bench.driver.activity()[kBusy];
  EXPECT_EQ(bench.driver.activity()[kStallMem], 0u);
  EXPECT_EQ(busy, 5u + 100 + 20);
  bench.stalls(50);
  cycles_of_run(bench, 100, true, 0, 0, 0);
  EXPECT_GT(bench.driver.activity()[kStallMem], 50u);
}

}  // namespace
}  // namespace vpu_test
