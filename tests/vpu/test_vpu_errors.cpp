// Errors of the VPU: every rule with its cause and address, random broken commands against the
// golden model, halt and clear in the middle of a run.
#include "Vvpu_core16.h"
#include "Vvpu_edge.h"
#include "Vvpu_mini.h"
#include "vpu_bench.h"
#include "vpu_program.h"

namespace vpu_test {
namespace {

using isa::Error;
using Core16 = Bench<Vvpu_core16>;
using Mini = Bench<Vvpu_mini>;

/// The command ends in this error alone: not done, the command offered right behind it is not
/// taken, and no row of it is read or written if its fields are wrong.
template <class B>
void must_fail(B& bench, const Command& c, Error cause, uint64_t addr) {
  const size_t done = bench.driver.done().size();
  const uint64_t requests = bench.requests;
  bench.driver.send(c);
  bench.run(command(isa::VpuSfu{}));
  const std::string text = tb::describe(c);
  ASSERT_TRUE(bench.driver.error()) << text << ": no error";
  EXPECT_EQ(static_cast<int>(bench.driver.error()->cause), static_cast<int>(cause)) << text;
  EXPECT_EQ(bench.driver.error()->addr, addr) << text;
  EXPECT_EQ(bench.driver.error()->pc, c.pc) << text;
  // It takes nothing more until it is cleared.
  bench.controller.run(5);
  EXPECT_EQ(bench.controller->cmd_ready_o, 0) << text;
  EXPECT_EQ(bench.driver.in_flight(), 1u) << text << ": the next command was taken";
  EXPECT_EQ(bench.driver.done().size(), done) << text << ": done";
  if (cause != Error::BAD_ALIGN && cause != Error::VMEM_BOUNDS && cause != Error::ACC_BOUNDS) {
    EXPECT_EQ(bench.requests, requests) << text << ": it went to a memory";
  }
  bench.recover();
}
template <class B>
void must_pass(B& bench, const Command& c) {
  ASSERT_TRUE(bench.both(c, false)) << tb::describe(c);
  ASSERT_FALSE(bench.driver.error());
}

/// Fields with one change.
template <class Fields, class Change>
Command with(Fields f, Change change) {
  change(f);
  return command(f, 0, 0, 0, 321);
}

TEST(VpuErrors, Opcodes) {
  Core16 bench("core16");
  for (uint32_t opcode : {0x5fu, 0x6au, 0x00u, 0x43u, 0xffu, 0xe8u})
    must_fail(bench, bare(static_cast<isa::Opcode>(opcode)), Error::ILLEGAL_OPCODE, opcode);
}

template <class B>
void common_fields(B& bench) {
  const uint32_t n = bench.config.n, stages = bench.config.vpu_stages;
  for (uint32_t t = 5; t < 8; ++t) {
    must_fail(bench, with(isa::VpuSeta{}, [&](auto& f) { f.dtype = t; }), Error::BAD_FIELD, t);
    must_fail(bench, with(isa::VpuSetb{}, [&](auto& f) { f.dtype = t; }), Error::BAD_FIELD, t);
    must_fail(bench, with(isa::VpuSetd{}, [&](auto& f) { f.dtype = t; }), Error::BAD_FIELD, t);
  }
  for (uint32_t t : {0u, 1u, 2u})  // from the accumulators only I32 and F32
    must_fail(bench, with(isa::VpuSeta{}, [&](auto& f) { f.src = 1, f.dtype = t; }),
              Error::BAD_FIELD, t);
  for (uint32_t t : {2u, 4u}) {
    must_fail(bench, with(isa::VpuSeta{}, [&](auto& f) { f.dequant = 1, f.dtype = t; }),
              Error::BAD_FIELD, t);
    must_fail(bench, with(isa::VpuSetb{}, [&](auto& f) { f.dequant = 1, f.dtype = t; }),
              Error::BAD_FIELD, t);
    must_fail(bench, with(isa::VpuSetd{}, [&](auto& f) { f.fp = 0, f.dtype = t; }),
              Error::BAD_FIELD, t);
  }
  isa::VpuShape one{};
  one.n0 = one.n1 = one.n2 = 1;
  must_pass(bench, command(one));
  must_fail(bench, with(one, [](auto& f) { f.n0 = 0; }), Error::BAD_FIELD, 0);
  must_fail(bench, with(one, [](auto& f) { f.n1 = 0; }), Error::BAD_FIELD, 0);
  must_fail(bench, with(one, [](auto& f) { f.n2 = 0; }), Error::BAD_FIELD, 0);
  must_fail(bench, command(one, 0, 0, 0xffff), Error::BAD_FIELD, 0x10000);
  must_fail(bench, command(one, 0, 0xfffffffe, 0), Error::BAD_FIELD, 0xffffffff);
  must_fail(bench, command(one, 0xffffffff, 0, 0), Error::BAD_FIELD, 0);
  must_fail(bench, with(one, [](auto& f) { f.row_dims = 2; }), Error::BAD_FIELD, 2);
  must_fail(bench, with(one, [](auto& f) { f.row_reduce = 1; }), Error::BAD_FIELD, 0);
  must_fail(bench, with(one, [&](auto& f) { f.arg = n; }), Error::BAD_FIELD, n);
  must_fail(bench, with(one, [&](auto& f) { f.arg = 255; }), Error::BAD_FIELD, 255);
  for (uint32_t op : {15u, 21u, 22u, 23u, 31u, 32u, 63u})
    must_fail(bench, with(isa::VpuStage{}, [&](auto& f) { f.op = op; }), Error::BAD_FIELD, op);
  must_fail(bench, with(isa::VpuStage{}, [](auto& f) { f.operand = 7; }), Error::BAD_FIELD, 7);
  for (uint32_t i = stages; i < 16; ++i)
    must_fail(bench, with(isa::VpuStage{}, [&](auto& f) { f.index = i; }), Error::UNSUPPORTED, i);
  for (uint32_t func = 8; func < 16; ++func)
    must_fail(bench, with(isa::VpuSfu{}, [&](auto& f) { f.func = func; }), Error::BAD_FIELD, func);
  for (uint32_t lanes : {0u, n + 1, 511u}) {
    must_fail(bench, with(isa::VpuRun{}, [&](auto& f) { f.lanes = lanes; }), Error::BAD_FIELD,
              lanes);
    must_fail(bench, with(isa::VpuXpose{}, [&](auto& f) { f.rows = lanes, f.lanes = 1; }),
              Error::BAD_FIELD, lanes);
    must_fail(bench, with(isa::VpuXpose{}, [&](auto& f) { f.rows = 1, f.lanes = lanes; }),
              Error::BAD_FIELD, lanes);
  }
}

TEST(VpuErrors, Fields) {
  Core16 core16("core16");
  common_fields(core16);
  Mini mini("mini");
  common_fields(mini);
}

TEST(VpuErrors, WithoutFloatingPoint) {
  Mini bench("mini");
  for (uint32_t t : {2u, 4u}) {
    must_fail(bench, with(isa::VpuSeta{}, [&](auto& f) { f.dtype = t; }), Error::UNSUPPORTED, t);
    must_fail(bench, with(isa::VpuSetb{}, [&](auto& f) { f.dtype = t; }), Error::UNSUPPORTED, t);
  }
  must_fail(bench, with(isa::VpuSeta{}, [](auto& f) { f.dequant = 1; }), Error::UNSUPPORTED, 1);
  must_fail(bench, with(isa::VpuSetb{}, [](auto& f) { f.dequant = 1; }), Error::UNSUPPORTED, 1);
  must_fail(bench, with(isa::VpuSetd{}, [](auto& f) { f.fp = 1; }), Error::UNSUPPORTED, 1);
  isa::VpuShape one{};
  one.n0 = one.n1 = one.n2 = 1;
  must_fail(bench, with(one, [](auto& f) { f.fp = 1; }), Error::UNSUPPORTED, 1);
  for (uint32_t op : {13u, 14u, 16u, 17u, 18u, 19u, 20u, 27u, 28u, 29u})
    must_fail(bench, with(isa::VpuStage{}, [&](auto& f) { f.op = op; }), Error::UNSUPPORTED, op);
  for (uint32_t func = 1; func < 8; ++func)
    must_fail(bench, with(isa::VpuSfu{}, [&](auto& f) { f.func = func; }), Error::UNSUPPORTED,
              func);
  must_pass(bench, command(isa::VpuSfu{}));
}

TEST(VpuErrors, Addresses) {
  Core16 bench("core16");
  const uint32_t size = bench.config.vmem_bytes(), rows = bench.config.acc_total();
  isa::VpuRun run{};
  run.lanes = 16;
  isa::VpuLdv ldv{};
  must_fail(bench, command(ldv, 4), Error::BAD_ALIGN, 4);
  must_fail(bench, command(ldv, 32), Error::BAD_ALIGN, 32);
  must_fail(bench, command(ldv, size), Error::VMEM_BOUNDS, size);
  must_fail(bench, command(ldv, 0x01000000), Error::VMEM_BOUNDS, 0x01000000);  // low 24 bits legal
  must_fail(bench, command(run, 1), Error::BAD_ALIGN, 1);
  must_fail(bench, command(run, size), Error::VMEM_BOUNDS, size);
  must_fail(bench, command(run, 0x80000000), Error::VMEM_BOUNDS, 0x80000000);
  must_fail(bench, command(run, 0, 0, 24), Error::BAD_ALIGN, 24);
  must_fail(bench, command(run, 0, 0, uint32_t(-16)), Error::VMEM_BOUNDS, 0xfffffff0);
  // Alignment of all streams comes before any bounds.
  must_fail(bench, command(run, size, 0, 8), Error::BAD_ALIGN, 8);

  const auto shape = [&](uint32_t n0, uint32_t n1, uint32_t n2, uint32_t row_dims = 0) {
    isa::VpuShape s{};
    s.n0 = n0, s.n1 = n1, s.n2 = n2, s.row_dims = row_dims, s.row_reduce = row_dims ? 1 : 0;
    must_pass(bench, command(s));
  };
  const auto a = [&](Dtype t, int32_t s0, int32_t s1, bool acc = false) {
    isa::VpuSeta f{};
    f.dtype = static_cast<uint32_t>(t), f.s0 = s0, f.s1 = s1, f.src = acc;
    must_pass(bench, command(f));
  };
  const auto d = [&](Dtype t, int32_t s0, int32_t s1) {
    isa::VpuSetd f{};
    f.dtype = static_cast<uint32_t>(t), f.s0 = s0, f.s1 = s1;
    must_pass(bench, command(f));
  };
  // The last row that fits, and one more.
  const auto eight_rows = [&] { shape(8, 1, 1), a(Dtype::I32, 4, 0), d(Dtype::S8, 1, 0); };
  eight_rows();
  must_pass(bench, command(run, size - 8 * 64));
  must_fail(bench, command(run, size - 7 * 64), Error::VMEM_BOUNDS, size);
  eight_rows();
  must_fail(bench, command(run, 0, 0, size - 7 * 16), Error::VMEM_BOUNDS, size);
  // A stride that breaks the alignment of the second row, of the second dimension.
  shape(2, 1, 1), a(Dtype::I32, 1, 0);
  must_fail(bench, command(run, 64), Error::BAD_ALIGN, 64 + 16);
  shape(2, 3, 1), a(Dtype::I32, 4, 2);
  must_fail(bench, command(run, 64), Error::BAD_ALIGN, 64 + 32);
  shape(2, 1, 1), a(Dtype::I32, 4, 2);  // a dimension of one row does not move
  must_pass(bench, command(run, 64));
  // D's inner strides count only where D moves.
  shape(4, 3, 1, 1), d(Dtype::I32, 1, 4);
  must_pass(bench, command(run, 0, 0, 4096));
  shape(4, 3, 1, 2), d(Dtype::I32, 1, 1);
  must_pass(bench, command(run, 0, 0, 4096));
  shape(4, 3, 1, 1), d(Dtype::I32, 1, 1);
  must_fail(bench, command(run, 0, 0, 4096), Error::BAD_ALIGN, 4096 + 16);
  // Accumulators.
  shape(4, 1, 1), a(Dtype::I32, 1, 0, true);
  must_pass(bench, command(run, rows - 4));
  must_fail(bench, command(run, rows - 3), Error::ACC_BOUNDS, rows);
  shape(4, 1, 1), a(Dtype::I32, -1, 0, true);
  must_fail(bench, command(run, 2), Error::ACC_BOUNDS, 0xffffffff);
  // B.
  isa::VpuSetb b{};
  b.enable = 1, b.dtype = static_cast<uint32_t>(Dtype::BF16), b.s0 = 2;
  shape(3, 1, 1);
  must_pass(bench, command(b));
  must_fail(bench, command(run, 0, 16), Error::BAD_ALIGN, 16);
  shape(3, 1, 1);
  must_pass(bench, command(b));
  must_fail(bench, command(run, 0, size - 64), Error::VMEM_BOUNDS, size);
  // Transpose: source, then destination.
  isa::VpuXpose x{};
  x.rows = 5, x.lanes = 7;
  a(Dtype::BF16, 2, 0), d(Dtype::S8, 2, 0);
  must_pass(bench, command(x, size - 5 * 32, 0, size - 7 * 32));
  must_fail(bench, command(x, size - 4 * 32, 0, size - 6 * 32), Error::VMEM_BOUNDS, size);
  a(Dtype::BF16, 2, 0), d(Dtype::S8, 2, 0);
  must_fail(bench, command(x, 0, 0, size - 6 * 32), Error::VMEM_BOUNDS, size);
  a(Dtype::BF16, 2, 0), d(Dtype::S8, 1, 0);
  must_fail(bench, command(x, 0, 0, 64), Error::BAD_ALIGN, 80);
}

/// Any bit of a legal command changed, any register: the unit and the model agree on the fault.
template <class Model>
void random_faults(const char* name, int count) {
  Bench<Model> bench(name);
  bench.stalls(20);
  Program program(bench.config, bench.random);
  int faults = 0, causes[16] = {};
  for (int i = 0; i < count; ++i) {
    for (Command c : program.next()) {
      if (bench.random.chance(15)) {
        // Never a huge count of rows: that takes long, and says nothing new.
        const bool shape = c.instr.get(0, 8) == static_cast<uint32_t>(isa::Opcode::VPU_SHAPE);
        const uint32_t first = shape ? tb::kBodyLsb + 48 : tb::kBodyLsb;
        const auto bit = static_cast<int>(first + bench.random.below(128 - first));
        switch (bench.random.below(shape ? 1 : 5)) {
          case 0:
          case 1:
            c.instr.set(bit, 1, !c.instr.get(bit, 1));
            break;
          case 2:
            c.a ^= 1u << bench.random.below(32);
            break;
          case 3:
            c.b ^= 1u << bench.random.below(32);
            break;
          default:
            c.c ^= 1u << bench.random.below(32);
        }
        c.pc = static_cast<uint32_t>(bench.random.below(65536));
      }
      // Rows may overlap now, so memory is not compared.
      ASSERT_TRUE(bench.both(c, false)) << "command " << tb::describe(c);
      bench.sync();
      if (bench.last_cause == Error::NONE) continue;
      ++faults;
      ++causes[static_cast<int>(bench.last_cause)];
      break;  // the rest of the program has lost its configuration
    }
  }
  EXPECT_GT(faults, count / 20);
  for (const Error e : {Error::BAD_FIELD, Error::BAD_ALIGN, Error::VMEM_BOUNDS, Error::ACC_BOUNDS,
                        Error::UNSUPPORTED})
    EXPECT_GT(causes[static_cast<int>(e)], 0) << "cause " << static_cast<int>(e) << " never came";
}

TEST(VpuErrors, RandomCore16) { random_faults<Vvpu_core16>("core16", 3000); }
TEST(VpuErrors, RandomMini) { random_faults<Vvpu_mini>("mini", 3000); }
TEST(VpuErrors, RandomEdge) { random_faults<Vvpu_edge>("edge", 1000); }

// Halted in any cycle of a run, it becomes quiet, asks for nothing, and after clear works as new.
TEST(Vpu, HaltAndClearAtAnyCycle) {
  Core16 bench("core16");
  for (uint64_t cycle = 1; cycle < 70; ++cycle) {
    bench.stalls(cycle % 2 ? 0 : 40);
    isa::VpuSeta a{};
    a.dtype = static_cast<uint32_t>(Dtype::I32), a.src = cycle / 2 % 2, a.s0 = a.src ? 1 : 4;
    isa::VpuSetb b{};
    b.enable = 1, b.s0 = 1;
    isa::VpuShape s{};
    s.n0 = 40, s.n1 = s.n2 = 1;
    isa::VpuRun run{};
    run.lanes = 16, run.imm_d = bench.config.vmem_bytes() / 2;
    for (const Command& c : {command(a), command(b), command(s)}) must_pass(bench, c);
    bench.driver.send(command(run));
    bench.controller.run(cycle);
    bench.controller->halt_i = 1;
    const uint64_t before = bench.requests;
    bench.controller.run(3);
    EXPECT_EQ(bench.requests, before) << "a request while halted, cycle " << cycle;
    EXPECT_TRUE(bench.driver.status().quiet) << "cycle " << cycle;
    bench.recover();
    // As after reset: one row of S8, nothing else.
    isa::VpuRun plain{};
    plain.lanes = 16, plain.imm_a = 64, plain.imm_d = 128;
    ASSERT_TRUE(bench.both(command(plain), true)) << "after halt at cycle " << cycle;
    bench.controller.tick();
    EXPECT_TRUE(bench.driver.status().quiet);
  }
}

// Whatever registers and memories hold at the start, results are the same (C38).
TEST(Vpu, RandomStart) {
  std::vector<uint8_t> first;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    tb::ControllerOptions options;
    options.random_init_seed = seed;
    Core16 bench("core16", options);
    Program program(bench.config, bench.random);
    for (int i = 0; i < 60; ++i)
      for (const Command& c : program.next()) ASSERT_TRUE(bench.both(c, true));
    if (first.empty()) first = bench.vmem;
    EXPECT_EQ(first, bench.vmem) << "start " << seed;
  }
}

}  // namespace
}  // namespace vpu_test
