// Scalar core, queues and flags of the golden model.
#include "tests/golden/bench.h"

namespace ttpu::golden {
namespace {

using isa::Error;
using isa::Opcode;
using isa::Unit;

/// An instruction with its common fields.
struct Op {
  isa::Instr instr;
  template <class Fields>
  Op(const Fields& fields) : instr(fields.encode()) {}
  Op& regs(uint32_t rc, uint32_t ra, uint32_t rb = 0) {
    instr.set(8, 5, ra), instr.set(13, 5, rb), instr.set(18, 5, rc);
    return *this;
  }
  Op& wait(uint32_t flag, uint32_t value = 1) {
    instr.set(23, 8, value), instr.set(31, 5, flag);
    return *this;
  }
  Op& signal(uint32_t flag) {
    instr.set(36, 1, 1), instr.set(37, 5, flag);
    return *this;
  }
};

isa::Instr raw(uint32_t opcode) {
  isa::Instr i;
  i.set(0, 8, opcode);
  return i;
}

Machine with(const std::vector<Op>& program, const char* name = "core16") {
  Machine m(config(name), 4096);
  for (size_t i = 0; i < program.size(); ++i) m.imem[i] = program[i].instr;
  return m;
}

void stops(Machine m, Error cause, Unit unit, uint32_t pc, uint64_t addr, uint32_t entry = 0) {
  const auto fault = m.run(entry, 10000);
  ASSERT_TRUE(fault);
  EXPECT_EQ(static_cast<int>(fault->cause), static_cast<int>(cause));
  EXPECT_EQ(static_cast<int>(fault->unit), static_cast<int>(unit));
  EXPECT_EQ(fault->pc, pc);
  if (cause != Error::WATCHDOG) {
    EXPECT_EQ(fault->addr, addr);
  }
}

TEST(GoldenCore, arithmetic_of_the_scalar_core) {
  struct Case {
    Op op;
    uint32_t expected;
  };
  // a = 0x80000005 in r1, b = 3 in r2, imm = 30: b + imm = 33.
  const Case cases[] = {
      {isa::Add{.imm = 30}, 0x80000026}, {isa::Sub{.imm = 30}, 0x7fffffe4},
      {isa::Mul{.imm = 30}, 0x800000a5}, {isa::And{.imm = 30}, 1},
      {isa::Or{.imm = 30}, 0x80000025},  {isa::Xor{.imm = 30}, 0x80000024},
      {isa::Shl{.imm = 30}, 0x0000000a}, {isa::Shr{.imm = 30}, 0x40000002},
      {isa::Sra{.imm = 30}, 0xc0000002}, {isa::Slt{.imm = 30}, 1},
      {isa::Sltu{.imm = 30}, 0},
  };
  for (const auto& c : cases) {
    auto op = c.op;
    Machine m = with({op.regs(3, 1, 2), Halt{}});
    m.reg[1] = 0x80000005, m.reg[2] = 3;
    ASSERT_FALSE(m.run(0));
    EXPECT_EQ(m.reg[3], c.expected) << "opcode " << op.instr.get(0, 8);
  }
}

TEST(GoldenCore, register_0_reads_0) {
  Machine m = with({Op(isa::Add{.imm = 5}).regs(0, 0), Op(isa::Add{.imm = 7}).regs(1, 0), Halt{}});
  ASSERT_FALSE(m.run(0));
  EXPECT_EQ(m.reg[0], 0u);
  EXPECT_EQ(m.reg[1], 7u);
}

TEST(GoldenCore, loops_calls_and_smem) {
  // SMEM[4 + i] = i * i for i = 5 .. 1, in a subroutine.
  Machine m = with({
      Op(isa::Add{.imm = 5}).regs(1, 0),      // 0: r1 = 5
      Op(isa::Jal{.target = 5}).regs(31, 0),  // 1
      Op(isa::Dbnz{.target = 1}).regs(1, 0),  // 2
      Op(isa::Lds{.imm = 4 + 3}).regs(7, 0),  // 3
      Halt{},                                 // 4
      Op(isa::Mul{}).regs(2, 1, 1),           // 5
      Op(isa::Sts{.imm = 4}).regs(0, 1, 2),   // 6
      Op(Jr{}).regs(0, 31),                   // 7
  });
  ASSERT_FALSE(m.run(0));
  for (uint32_t i = 1; i <= 5; ++i) EXPECT_EQ(m.smem[4 + i], i * i);
  EXPECT_EQ(m.reg[7], 9u);
  EXPECT_EQ(m.activity.scalar_instructions, 1u + 5 * 5 + 2);
}

TEST(GoldenCore, branches) {
  struct Case {
    Op op;
    uint32_t a, b;
    bool taken;
  };
  const uint32_t minus = 0xffffffff;
  const Case cases[] = {
      {isa::Beq{.target = 3}, 4, 4, true},      {isa::Beq{.target = 3}, 4, 5, false},
      {isa::Bne{.target = 3}, 4, 5, true},      {isa::Bne{.target = 3}, 4, 4, false},
      {isa::Blt{.target = 3}, minus, 1, true},  {isa::Blt{.target = 3}, 1, minus, false},
      {isa::Bge{.target = 3}, 1, minus, true},  {isa::Bge{.target = 3}, minus, 1, false},
      {isa::Bltu{.target = 3}, 1, minus, true}, {isa::Bltu{.target = 3}, minus, 1, false},
      {isa::Bgeu{.target = 3}, minus, 1, true}, {isa::Bgeu{.target = 3}, 1, minus, false},
      {isa::Bge{.target = 3}, 1, 1, true},      {isa::Bgeu{.target = 3}, 1, 1, true},
  };
  for (const auto& c : cases) {
    auto op = c.op;
    Machine m = with({op.regs(0, 1, 2), Op(isa::Add{.imm = 1}).regs(3, 0), Halt{}, Halt{}});
    m.reg[1] = c.a, m.reg[2] = c.b;
    ASSERT_FALSE(m.run(0));
    EXPECT_EQ(m.reg[3], c.taken ? 0u : 1u) << "opcode " << op.instr.get(0, 8);
  }
}

TEST(GoldenCore, flags_order_the_units) {
  // The store waits for the load although its channel could go first.
  Machine m = with({
      isa::DmaShape{.channel = 0, .n0 = 64, .n1 = 1, .n2 = 1, .n3 = 1},
      isa::DmaShape{.channel = 1, .n0 = 64, .n1 = 1, .n2 = 1, .n3 = 1},
      Op(isa::DmaStore{.channel = 0, .imm_h = 128}).wait(3, 2),
      Op(isa::DmaLoad{.channel = 1}).signal(3),
      Op(Nop{}).signal(3),
      Op(isa::Sync{.unit = 1}).signal(4),
      Op(Nop{}).wait(4),
      Op(isa::Tag{.imm = 99}),
      Halt{},
  });
  for (int i = 0; i < 64; ++i) m.hbm[static_cast<size_t>(i)] = static_cast<uint8_t>(i + 1);
  ASSERT_FALSE(m.run(0));
  for (int i = 0; i < 64; ++i) EXPECT_EQ(m.hbm[static_cast<size_t>(128 + i)], i + 1);
  EXPECT_EQ(m.tags, std::vector<uint32_t>{99});
  for (const uint32_t f : m.flag) EXPECT_EQ(f, 0u);
  const std::vector<Retired> expected = {{Unit::DMA0, 0, Opcode::DMA_SHAPE},
                                         {Unit::DMA1, 1, Opcode::DMA_SHAPE},
                                         {Unit::DMA1, 3, Opcode::DMA_LOAD},
                                         {Unit::DMA0, 2, Opcode::DMA_STORE},
                                         {Unit::DMA0, 5, Opcode::SYNC}};
  EXPECT_EQ(m.retired, expected);
  EXPECT_EQ(m.activity.commands, 5u);
}

TEST(GoldenCore, registers_are_read_at_issue) {
  Machine m = with({
      Op(isa::Add{.imm = 100}).regs(1, 0),
      isa::DmaShape{.channel = 0, .n0 = 1, .n1 = 1, .n2 = 1, .n3 = 1},
      Op(isa::DmaLoad{.channel = 0}).regs(0, 1, 1).wait(0),
      Op(isa::Add{.imm = 200}).regs(1, 0),
      Op(Nop{}).signal(0),
      Halt{},
  });
  m.hbm[100] = 42;
  ASSERT_FALSE(m.run(0));
  EXPECT_EQ(m.vmem[100], 42);
}

TEST(GoldenCore, weights_and_swaps_hand_over_without_flags) {
  std::vector<Op> program;
  for (int i = 0; i < 5; ++i) program.push_back(isa::MxuLoadw{.stride = 1, .k = 1, .n = 1});
  for (int i = 0; i < 5; ++i)
    program.push_back(isa::MxuMatmul{.rows = 1, .accumulate = i != 0, .swap = 1});
  program.push_back(Halt{});
  Machine m = with(program);
  m.vmem[0] = 3;
  ASSERT_FALSE(m.run(0));
  EXPECT_EQ(m.acc[0], 45u);
}

TEST(GoldenCore, state_is_kept_until_clear) {
  Machine m = with({Op(Nop{}).signal(9), Op(isa::Add{.imm = 1}).regs(1, 1), Halt{}});
  ASSERT_FALSE(m.run(0));
  ASSERT_FALSE(m.run(0));
  EXPECT_EQ(m.flag[9], 2u);
  EXPECT_EQ(m.reg[1], 2u);
  m.clear();
  EXPECT_EQ(m.flag[9], 0u);
  EXPECT_EQ(m.reg[1], 0u);
}

TEST(GoldenCore, C42_every_illegal_opcode) {
  for (uint32_t opcode = 0; opcode < 256; ++opcode) {
    bool known = false;
    for (const auto& op : isa::kOps) known = known || op.opcode == opcode;
    if (known) continue;
    Machine m(config("mini"), 0);
    m.imem[1] = raw(opcode);
    stops(m, Error::ILLEGAL_OPCODE, Unit::SCALAR, 1, opcode);
  }
}

TEST(GoldenCore, C42_unused_bits) {
  for (const auto& op : isa::kOps) {
    int end = 42;
    for (const auto& field : op.fields) end = std::max(end, field.lsb + field.bits);
    for (int bit = end; bit < 128; ++bit) {
      Machine m(config("core16"), 0);
      m.imem[0] = raw(op.opcode);
      m.imem[0].set(bit, 1, 1);
      stops(m, Error::BAD_FIELD, Unit::SCALAR, 0, bit - end < 32 ? 1ull << (bit - end) : 0);
    }
  }
}

TEST(GoldenCore, errors_of_the_scalar_core) {
  stops(with({isa::Sync{.unit = 0}}), Error::BAD_FIELD, Unit::SCALAR, 0, 0);
  stops(with({isa::Sync{.unit = 7}}), Error::BAD_FIELD, Unit::SCALAR, 0, 7);
  stops(with({isa::Sync{.unit = 6}}), Error::UNSUPPORTED, Unit::SCALAR, 0, 6);
  stops(with({isa::DmaShape{.channel = 2}}), Error::UNSUPPORTED, Unit::SCALAR, 0, 2);
  stops(with({isa::DmaLoad{.channel = 3}}), Error::UNSUPPORTED, Unit::SCALAR, 0, 3);
  stops(with({Nop{}, Op(isa::Lds{.imm = 4096}).regs(1, 0)}), Error::SMEM_BOUNDS, Unit::SCALAR, 1,
        4096);
  stops(with({Op(isa::Sts{.imm = 0xffffffff}).regs(0, 0)}), Error::SMEM_BOUNDS, Unit::SCALAR, 0,
        0xffffffff);
  stops(with({isa::Beq{.target = 5000}}), Error::IMEM_BOUNDS, Unit::SCALAR, 5000, 5000);
  stops(with({Op(isa::Add{.imm = 0x12345678}).regs(1, 0), Op(Jr{}).regs(0, 1)}), Error::IMEM_BOUNDS,
        Unit::SCALAR, 0x5678, 0x12345678);
  stops(with({}), Error::IMEM_BOUNDS, Unit::SCALAR, 4096, 4096);
  stops(with({}), Error::IMEM_BOUNDS, Unit::SCALAR, 9999, 9999, 9999);
}

TEST(GoldenCore, errors_of_a_unit_name_it) {
  stops(with({Nop{}, isa::VpuSfu{.func = 9}, Halt{}}), Error::BAD_FIELD, Unit::VPU, 1, 9);
  stops(with({isa::MxuLoadw{.k = 0}, Halt{}}), Error::BAD_FIELD, Unit::MXW, 0, 0);
  stops(with({isa::MxuMatmul{.rows = 0}, Halt{}}), Error::BAD_FIELD, Unit::MXS, 0, 0);
  stops(with({isa::DmaShape{.channel = 1, .n0 = 1, .n1 = 1, .n2 = 1, .n3 = 1},
              Op(isa::DmaLoad{.channel = 1, .imm_h = 4096}), Halt{}}),
        Error::FAR_BOUNDS, Unit::DMA1, 1, 4096);
}

TEST(GoldenCore, flag_overflow_at_256) {
  Machine m = with({Op(isa::Add{.imm = 255}).regs(1, 0), Op(Nop{}).signal(6),
                    Op(isa::Dbnz{.target = 1}).regs(1, 0), Halt{}});
  ASSERT_FALSE(m.run(0));
  EXPECT_EQ(m.flag[6], 255u);
  m.imem[3] = Op(isa::Sync{.unit = 5}).signal(6).instr;
  m.imem[4] = Halt{}.encode();
  m.clear();
  stops(m, Error::FLAG_OVERFLOW, Unit::VPU, 3, 6);
}

TEST(GoldenCore, deadlocks_end_with_watchdog) {
  stops(with({Op(Nop{}).wait(1), Halt{}}), Error::WATCHDOG, Unit::SCALAR, 0, 0);
  stops(with({Op(isa::Sync{.unit = 4}).wait(2), Halt{}}), Error::WATCHDOG, Unit::SCALAR, 1, 0);
  stops(with({isa::MxuMatmul{.rows = 1, .swap = 1}, Halt{}}), Error::WATCHDOG, Unit::SCALAR, 1, 0);
  stops(with({isa::Beq{.target = 0}}), Error::WATCHDOG, Unit::SCALAR, 0, 0);
  // The signal stands behind more waiting commands than the queue holds.
  std::vector<Op> full(config("core16").queue_depth, Op(isa::Sync{.unit = 5}).wait(2));
  full.push_back(Op(isa::Sync{.unit = 5}).wait(2));
  full.insert(full.end(), full.size(), Op(Nop{}).signal(2));
  stops(with(full), Error::WATCHDOG, Unit::SCALAR, config("core16").queue_depth, 0);
}

TEST(GoldenCore, random_bits_never_crash) {
  tb::Random random;
  for (const auto& cfg : kConfigs) {
    if (cfg.n == 128) continue;  // 16 MiB of VMEM for each trial takes its time
    Machine m(cfg, 4096);
    random.fill(m.vmem);
    for (int trial = 0; trial < 3000; ++trial) {
      for (uint32_t i = 0; i < 8; ++i) {
        isa::Instr instr;
        for (auto& word : instr.words) word = random.u32();
        const auto& op = isa::kOps[random.below(isa::kOps.size())];
        int end = 42;
        for (const auto& field : op.fields) end = std::max(end, field.lsb + field.bits);
        for (int bit = end; bit < 128; ++bit) instr.set(bit, 1, 0);
        instr.set(0, 8, op.opcode);
        instr.set(23, 8, 0);  // no wait
        if (random.coin()) instr.set(8, 15, 0);
        m.imem[i] = instr;
      }
      m.imem[8] = Halt{}.encode();
      m.clear();
      m.run(0, 100);
    }
  }
}

}  // namespace
}  // namespace ttpu::golden
