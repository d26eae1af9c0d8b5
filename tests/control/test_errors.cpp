// Errors: cause, unit, pc, addr; the first wins; the core goes on after CLEAR (C42).
#include "control_bench.h"

namespace control_test {
namespace {

struct Case {
  const char* name;
  Instr bad;
  Error cause;
  uint64_t addr;
};

void expect_error(Bench& bench, Error cause, Unit unit, uint32_t pc, uint64_t addr) {
  ASSERT_TRUE(bench.error().valid);
  bench.tick();  // what it is follows a cycle behind that there is one
  const ErrorState e = bench.error();
  ASSERT_TRUE(e.valid);
  EXPECT_EQ(static_cast<int>(e.cause), static_cast<int>(cause));
  EXPECT_EQ(static_cast<int>(e.unit), static_cast<int>(unit));
  EXPECT_EQ(e.pc, pc);
  EXPECT_EQ(e.addr, addr);
  EXPECT_FALSE(bench.done());
}

/// After CLEAR a good program runs to its end.
void expect_goes_on(Bench& bench) {
  bench.clear();
  ASSERT_FALSE(bench.error().valid);
  bench.load({plain(Opcode::TAG, {}, 4711), work(Unit::VPU, {.signal = 1, .signal_flag = 1}),
              plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 1}), halt()},
             300);
  bench.tags.clear();
  bench.run(300);
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.tags, (std::vector<uint32_t>{4711}));
}

void run_case(Bench& bench, const Case& c) {
  SCOPED_TRACE(c.name);
  bench.load({plain(Opcode::NOP), c.bad, plain(Opcode::TAG, {}, 1), halt()});
  bench.tags.clear();
  bench.run();
  expect_error(bench, c.cause, Unit::SCALAR, 1, c.addr);
  EXPECT_TRUE(bench.tags.empty()) << "went on after the error";
  expect_goes_on(bench);
}

TEST(Errors, EveryIllegalOpcode) {
  Bench bench;
  for (uint32_t op = 0; op < 256; ++op) {
    bool legal = false;
    for (const auto& d : ttpu::isa::kOps) legal |= d.opcode == op;
    if (legal) continue;
    Instr i;
    i.set(0, 8, op);
    run_case(bench, {"illegal opcode", i, Error::ILLEGAL_OPCODE, op});
    if (testing::Test::HasFailure()) FAIL() << "opcode " << op;
  }
}

TEST(Errors, EveryUnusedBitOfEveryInstruction) {
  Bench bench;
  int cases = 0;
  for (const auto& d : ttpu::isa::kOps) {
    int end = 42;
    for (const auto& f : d.fields) end = std::max(end, f.lsb + f.bits);
    for (int bit = end; bit < 128; ++bit) {
      Instr i;
      i.set(0, 8, d.opcode);
      if (d.name == "SYNC") i.set(42, 3, 1);
      i.set(bit, 1, 1);
      bench.load({i});
      bench.run();
      expect_error(bench, Error::BAD_FIELD, Unit::SCALAR, 0,
                   bit - end < 32 ? 1ull << (bit - end) : 0);
      if (testing::Test::HasFailure()) FAIL() << d.name << " bit " << bit;
      bench.clear();
      ++cases;
    }
  }
  EXPECT_GT(cases, 1000);
}

TEST(Errors, BadFieldsOfTheScalarCore) {
  Bench bench;
  const auto unit = [](uint32_t u) { return instr(ttpu::isa::Sync{.unit = u}); };
  run_case(bench, {"SYNC to SCALAR", unit(0), Error::BAD_FIELD, 0});
  run_case(bench, {"SYNC to ICI", unit(6), Error::UNSUPPORTED, 6});
  run_case(bench, {"SYNC to 7", unit(7), Error::BAD_FIELD, 7});
  run_case(bench, {"channel 2", instr(ttpu::isa::DmaShape{.channel = 2}), Error::UNSUPPORTED, 2});
  run_case(bench, {"channel 3", instr(ttpu::isa::DmaStore{.channel = 3}), Error::UNSUPPORTED, 3});
  run_case(bench, {"LDS beyond", plain(Opcode::LDS, {.rc = 1}, kSmemWords), Error::SMEM_BOUNDS,
                   kSmemWords});
  run_case(bench,
           {"STS far beyond", plain(Opcode::STS, {}, 0xffffffff), Error::SMEM_BOUNDS, 0xffffffff});
}

TEST(Errors, ProgramCounterLeavesTheMemory) {
  Bench bench;
  // Branch target, register target above 16 bits, falling off the end, a bad entry.
  bench.load({plain(Opcode::BEQ, {}, 512)});
  bench.run();
  expect_error(bench, Error::IMEM_BOUNDS, Unit::SCALAR, 512, 512);
  bench.clear();
  bench.load({plain(Opcode::ADD, {.rc = 1}, 0x54321), plain(Opcode::JR, {.ra = 1})});
  bench.run();
  expect_error(bench, Error::IMEM_BOUNDS, Unit::SCALAR, 0x4321, 0x54321);
  bench.clear();
  bench.load({plain(Opcode::NOP)}, kImemWords - 1);
  bench.run(kImemWords - 1);
  expect_error(bench, Error::IMEM_BOUNDS, Unit::SCALAR, kImemWords, kImemWords);
  bench.clear();
  bench.run(100000);
  expect_error(bench, Error::IMEM_BOUNDS, Unit::SCALAR, 100000 & 0xffff, 100000);
  expect_goes_on(bench);
}

TEST(Errors, HaltInTheLastWordIsLegal) {
  Bench bench;
  bench.load({halt()}, kImemWords - 1);
  bench.run(kImemWords - 1);
  EXPECT_TRUE(bench.done());
  EXPECT_FALSE(bench.error().valid);
}

TEST(Errors, BranchOverABadInstructionIsNoError) {
  Bench bench;
  Instr bad;
  bad.set(0, 8, 0xff);
  bench.load({plain(Opcode::JAL, {.rc = 1}, 2), bad, halt()});
  bench.run();
  EXPECT_TRUE(bench.done());
}

TEST(Errors, UnitErrorsAndTheirOrder) {
  for (int q = 0; q < kQueues; ++q) {
    Bench bench;
    bench.load({plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 0}), halt()});
    bench.start();
    bench.tick(20);
    // All units from q on at once: q wins.
    for (int p = q; p < kQueues; ++p)
      bench.raise(p, Error::VMEM_BOUNDS, static_cast<uint16_t>(100 + p),
                  0x123456789abcull + static_cast<uint64_t>(p));
    bench.tick(3);
    expect_error(bench, Error::VMEM_BOUNDS, static_cast<Unit>(q + 1),
                 static_cast<uint32_t>(100 + q), 0x123456789abcull + static_cast<uint64_t>(q));
    // A later one changes nothing.
    bench.raise(0, Error::AXI_READ, 1, 1);
    bench.tick(3);
    EXPECT_EQ(static_cast<int>(bench.error().cause), static_cast<int>(Error::VMEM_BOUNDS));
    expect_goes_on(bench);
  }
}

TEST(Errors, HaltStopsQueuesAndClearWaitsForTheBus) {
  Bench bench;
  bench.hold_busy[1] = true;
  bench.load({work(Unit::MXS, {.wait_value = 1, .wait_flag = 5}), work(Unit::VPU),
              plain(Opcode::LDS, {}, 0x10000), halt()});
  bench.run();
  expect_error(bench, Error::SMEM_BOUNDS, Unit::SCALAR, 2, 0x10000);
  bench.ici_raise(5);  // the wait would be met now: a halted queue must not start it
  bench.tick(20);
  EXPECT_EQ(bench.accepted[3].size(), 0u);
  EXPECT_FALSE(bench.dut().quiet_o);
  bench.dut().clear_req_i = 1;
  bench.tick();
  bench.dut().clear_req_i = 0;
  bench.tick(500);
  EXPECT_TRUE(bench.dut().clear_pending_o);
  EXPECT_TRUE(bench.error().valid);
  bench.hold_busy[1] = false;
  bench.tick(12);
  EXPECT_FALSE(bench.dut().clear_pending_o);
  EXPECT_FALSE(bench.error().valid);
  EXPECT_TRUE(bench.dut().quiet_o);
  EXPECT_EQ(bench.flag(5), 0u);
  expect_goes_on(bench);
  EXPECT_EQ(bench.accepted[3].size(), 0u) << "a queue kept a command over CLEAR";
}

TEST(Errors, ClearStopsARunningProgram) {
  Bench bench;
  bench.load({plain(Opcode::JAL, {.rc = 1}, 0)});
  bench.start();
  bench.tick(100);
  EXPECT_TRUE(bench.dut().run_o);
  bench.clear();
  EXPECT_FALSE(bench.dut().run_o);
  EXPECT_FALSE(bench.done());
  expect_goes_on(bench);
}

TEST(Errors, FlagOverflow) {
  Bench bench;
  std::vector<Instr> code;
  for (int i = 0; i < 255; ++i) code.push_back(plain(Opcode::NOP, {.signal = 1, .signal_flag = 6}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.flag(6), 255u);
  bench.load({work(Unit::MXW, {.signal = 1, .signal_flag = 6}), plain(Opcode::JAL, {.rc = 1}, 1)});
  bench.run();
  expect_error(bench, Error::FLAG_OVERFLOW, Unit::MXW, 0, 6);
  expect_goes_on(bench);
}

// While the scalar core raises another flag in every cycle: neither is it blamed nor is the
// overflow missed.
TEST(Errors, FlagOverflowAmongOtherRaises) {
  Bench bench;
  std::vector<Instr> code(255, plain(Opcode::NOP, {.signal = 1, .signal_flag = 6}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  ASSERT_EQ(bench.flag(6), 255u);
  code.assign(1, work(Unit::MXW, {.signal = 1, .signal_flag = 6}));
  code.insert(code.end(), 100, plain(Opcode::NOP, {.signal = 1, .signal_flag = 9}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  expect_error(bench, Error::FLAG_OVERFLOW, Unit::MXW, 0, 6);
  expect_goes_on(bench);
}

TEST(Errors, WatchdogNamesTheFlags) {
  Bench bench;
  bench.dut().watchdog_i = 50;
  bench.load({work(Unit::MXW, {.wait_value = 1, .wait_flag = 3}), plain(Opcode::NOP),
              plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 20}), halt()});
  const uint64_t cycles = bench.run();
  expect_error(bench, Error::WATCHDOG, Unit::SCALAR, 2, 1ull << 3 | 1ull << 20);
  // Two cycles of fetch, two instructions, 50 without progress, and the one in which it acts.
  EXPECT_EQ(cycles, 2u + 2 + 50 + 1);
  bench.dut().watchdog_i = 100000;
  expect_goes_on(bench);
}

TEST(Errors, WatchdogSparesALongCommandThatIsFollowedInTime) {
  Bench bench;
  bench.dut().watchdog_i = 100;
  bench.min_latency = bench.max_latency = 95;
  bench.load({work(Unit::DMA0), halt()});
  bench.run();
  EXPECT_TRUE(bench.done());
}

}  // namespace
}  // namespace control_test
