// The microcode behind the host's registers, on the model of the engine and on the chip's RTL: map,
// refusals, start, stop, CLEAR, LOCK, interrupt, windows and counters, as docs/reference/host.md
// says. TTPU_MICROCODE names an image of scripts/microasm.py to test in place of the built-in one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "chip_util.h"
#include "host_target.h"
#include "isa/generated/regs_gen.h"

namespace {

using namespace chip_test;
namespace isa = ttpu::isa;
namespace regs = ttpu::regs;

constexpr uint32_t kRunning = 1, kDone = 2, kError = 4, kQuiet = 8, kLocked = 16;
constexpr uint32_t kStart = 1, kClear = 2, kLock = 4;

struct Case {
  const char* config;
  bool rtl;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.config << (c.rtl ? " rtl" : " model"); }

class MicroHost : public testing::TestWithParam<Case> {
 protected:
  MicroHost()
      : c(config(GetParam().config)),
        target(GetParam().rtl ? micro_test::rtl_target(c) : micro_test::model_target(c)) {
    idle();
  }

  uint32_t read(uint32_t addr, bool error = false) {
    const auto reply = target->access(false, addr, 0, true);
    EXPECT_EQ(reply.error, error) << "read of " << fmt::format("{:#x}", addr);
    return reply.data;
  }
  void write(uint32_t addr, uint32_t data, bool error = false, bool whole = true) {
    const auto reply = target->access(true, addr, data, whole);
    EXPECT_EQ(reply.error, error) << "write of " << fmt::format("{:#x}", addr);
  }
  uint32_t status() { return read(regs::kStatus); }
  /// Until the core is quiet.
  void idle() {
    for (int i = 0; i < 100'000 && !(status() & kQuiet); ++i) target->step();
    EXPECT_TRUE(status() & kQuiet);
  }
  void run_for(uint64_t cycles) {
    for (const uint64_t end = target->cycle() + cycles; target->cycle() < end;) target->step();
  }
  void load(const std::vector<Instr>& code) {
    for (size_t i = 0; i < code.size(); ++i)
      for (size_t w = 0; w < 4; ++w)
        write(static_cast<uint32_t>(regs::kWinImem + 16 * i + 4 * w), code[i].words[w]);
  }
  void load_endless() { load({plain(Opcode::JAL, {}, 0)}); }
  uint64_t counter(uint32_t i) {
    const uint64_t low = read(regs::kWinCounters + 8 * i);
    return low | uint64_t{read(regs::kWinCounters + 8 * i + 4)} << 32;
  }
  void expect_fault(Error cause, Unit unit, uint32_t pc, uint64_t addr) {
    EXPECT_EQ(status() & 7, kError);
    EXPECT_EQ(read(regs::kErrCause), static_cast<uint32_t>(cause) | static_cast<uint32_t>(unit)
                                                                        << 8);
    EXPECT_EQ(read(regs::kErrPc), pc);
    EXPECT_EQ(read(regs::kErrAddrLo) | uint64_t{read(regs::kErrAddrHi)} << 32, addr);
  }

  const Config& c;
  std::unique_ptr<micro_test::HostTarget> target;
};

TEST_P(MicroHost, Identity) {
  EXPECT_EQ(read(regs::kId), 0x55505454u);
  EXPECT_EQ(read(regs::kVersion), isa::kIsaVersion);
  EXPECT_EQ(read(regs::kConfigHash), c.hash);
  EXPECT_EQ(read(regs::kConfigId), c.id);
  EXPECT_EQ(read(regs::kArrayN), c.n);
  EXPECT_EQ(read(regs::kVmemBytes), c.vmem_bytes());
  EXPECT_EQ(read(regs::kAccRows), c.acc_total());
  EXPECT_EQ(read(regs::kImemWords), c.imem_words);
  EXPECT_EQ(read(regs::kSmemWords), c.smem_words);
  EXPECT_EQ(read(regs::kCmemBytes), c.cmem_bytes);
}

// Every word of the window: what is no register answers SLVERR, in both directions.
TEST_P(MicroHost, EveryAddressAnswers) {
  const std::vector<uint32_t> ro = {
      regs::kId,        regs::kVersion,   regs::kConfigHash, regs::kConfigId,
      regs::kArrayN,    regs::kVmemBytes, regs::kAccRows,    regs::kImemWords,
      regs::kSmemWords, regs::kCmemBytes, regs::kStatus,     regs::kErrCause,
      regs::kErrPc,     regs::kErrAddrLo, regs::kErrAddrHi,  regs::kFlagValue};
  const std::vector<uint32_t> rw = {regs::kCtrl,      regs::kEntryPc,   regs::kIrqEnable,
                                    regs::kIrqStatus, regs::kWatchdog,  regs::kHbmBaseLo,
                                    regs::kHbmBaseHi, regs::kHbmSizeLo, regs::kHbmSizeHi,
                                    regs::kVmemAddr,  regs::kVmemData,  regs::kFlagSelect};
  const auto in = [](const std::vector<uint32_t>& v, uint32_t a) {
    return std::find(v.begin(), v.end(), a) != v.end();
  };
  for (uint32_t a = 0; a < 0x600; a += 4) {
    const bool counts = a >= regs::kWinCounters && a < regs::kWinCounters + 8u * regs::kNumCounters;
    read(a, !(in(ro, a) || in(rw, a) || counts));
    write(a, 0, !in(rw, a));
  }
  const uint32_t imem = regs::kWinImem + 16 * c.imem_words,
                 smem = regs::kWinSmem + 4 * c.smem_words;
  read(imem - 4), write(imem - 4, 1);
  read(imem, true), write(imem, 1, true);
  read(smem - 4), write(smem - 4, 1);
  read(smem, true), write(smem, 1, true);
  for (const uint32_t a : {0xffffcu, 0xc0000u, 0x3fffcu, regs::kWinImem + 0x3fffcu, 0x700u, 0x1000u,
                           0x20000u, regs::kId + 1, regs::kErrPc + 2, regs::kWinSmem + 3})
    read(a, true), write(a, 0, true);
  tb::Random rng;
  for (int i = 0; i < 500; ++i) {  // anywhere else
    const auto a = static_cast<uint32_t>(rng.below(1 << 20));
    const bool aligned = a % 4 == 0;
    const bool known =
        aligned && (in(ro, a) || in(rw, a) ||
                    (a >= regs::kWinCounters && a < regs::kWinCounters + 8u * regs::kNumCounters) ||
                    (a >= regs::kWinImem && a < imem) || (a >= regs::kWinSmem && a < smem));
    read(a, !known);
  }
}

TEST_P(MicroHost, OnlyWholeWords) {
  write(regs::kEntryPc, 0x12345678);
  write(regs::kEntryPc, 0xffffffff, true, false);
  EXPECT_EQ(read(regs::kEntryPc), 0x12345678u);
  load_endless();
  write(regs::kEntryPc, 0);
  write(regs::kCtrl, kStart, true, false);
  EXPECT_EQ(status(), kQuiet);
}

TEST_P(MicroHost, RegistersHoldWhatIsWritten) {
  EXPECT_EQ(read(regs::kWatchdog), 0x00100000u);
  EXPECT_EQ(read(regs::kHbmSizeLo), 0u);
  EXPECT_EQ(read(regs::kHbmSizeHi), 0u);
  EXPECT_EQ(read(regs::kCtrl), 0u);
  tb::Random rng;
  const std::map<uint32_t, uint32_t> masks = {{regs::kHbmBaseLo, ~0u}, {regs::kHbmBaseHi, ~0u},
                                              {regs::kHbmSizeLo, ~0u}, {regs::kHbmSizeHi, ~0u},
                                              {regs::kWatchdog, ~0u},  {regs::kEntryPc, ~0u},
                                              {regs::kIrqEnable, 3},   {regs::kFlagSelect, 31}};
  for (int i = 0; i < 20; ++i) {
    std::map<uint32_t, uint32_t> values;
    for (const auto& [a, mask] : masks) write(a, values[a] = rng.u32());
    for (const auto& [a, mask] : masks) EXPECT_EQ(read(a), values[a] & mask) << a;
  }
}

TEST_P(MicroHost, StartAndItsRefusals) {
  load({plain(Opcode::NOP), plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 3}),
        plain(Opcode::HALT)});
  write(regs::kEntryPc, 1);
  write(regs::kCtrl, kStart | kClear, true);  // only clears
  idle();
  EXPECT_EQ(status(), kQuiet);
  write(regs::kCtrl, kStart);
  EXPECT_EQ(status(), kRunning);
  write(regs::kCtrl, kStart, true);
  run_for(300);
  expect_fault(Error::BAD_WRITE, Unit::SCALAR, 0, regs::kCtrl);
  write(regs::kCtrl, kStart, true);  // an error stands
  EXPECT_EQ(status(), kError | kQuiet);
  write(regs::kCtrl, kClear);
  idle();
  EXPECT_EQ(status(), kQuiet);
  write(regs::kEntryPc, 2);
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_EQ(status(), kDone | kQuiet);
  write(regs::kCtrl, kStart);
  EXPECT_EQ(status() & kDone, 0u);
  idle();
  EXPECT_EQ(status(), kDone | kQuiet);
}

TEST_P(MicroHost, BadWritesWhileRunning) {
  load_endless();
  write(regs::kWinSmem + 4, 6);
  write(regs::kHbmBaseLo, 0x4321);
  for (const uint32_t a : {regs::kWinImem + 16, regs::kWinSmem + 4, regs::kHbmBaseLo,
                           regs::kHbmBaseHi, regs::kHbmSizeLo, regs::kHbmSizeHi, regs::kCtrl}) {
    write(regs::kCtrl, kStart);
    run_for(500);
    EXPECT_EQ(status(), kRunning);
    read(regs::kWinImem, true);  // refused, but stops nothing
    read(regs::kWinSmem, true);
    write(regs::kEntryPc, 0);
    write(regs::kIrqStatus, 3);
    EXPECT_EQ(status(), kRunning);
    write(a, 0xfffffff9, true);
    run_for(500);
    expect_fault(Error::BAD_WRITE, Unit::SCALAR, 0, a);
    EXPECT_EQ(read(regs::kIrqStatus), 2u);
    write(regs::kCtrl, kClear);
    idle();
  }
  EXPECT_EQ(read(regs::kWinSmem + 4), 6u);
  EXPECT_EQ(read(regs::kHbmBaseLo), 0x4321u);
}

TEST_P(MicroHost, LockHoldsTheBoundsUntilReset) {
  write(regs::kHbmBaseLo, 0x1000);
  write(regs::kCtrl, kLock);
  EXPECT_EQ(status(), kLocked | kQuiet);
  write(regs::kHbmBaseLo, 0, true);
  run_for(300);
  EXPECT_EQ(status(), kLocked | kError | kQuiet);
  expect_fault(Error::BAD_WRITE, Unit::SCALAR, 0, regs::kHbmBaseLo);
  write(regs::kHbmSizeHi, 0, true);  // the first error stays
  EXPECT_EQ(read(regs::kErrAddrLo), regs::kHbmBaseLo);
  write(regs::kCtrl, kClear);
  idle();
  EXPECT_EQ(status(), kLocked | kQuiet) << "CLEAR does not unlock";
  load({plain(Opcode::HALT)});
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_EQ(status(), kLocked | kDone | kQuiet);
  write(regs::kHbmSizeLo, 1, true);
  EXPECT_EQ(read(regs::kHbmBaseLo), 0x1000u);
  EXPECT_EQ(read(regs::kHbmSizeLo), 0u);
}

TEST_P(MicroHost, Interrupt) {
  load({plain(Opcode::HALT)});
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_FALSE(target->irq()) << "not enabled";
  EXPECT_EQ(read(regs::kIrqStatus), 1u);
  write(regs::kIrqEnable, 1);
  EXPECT_TRUE(target->irq());
  write(regs::kIrqStatus, 2);  // clears the other one
  EXPECT_TRUE(target->irq());
  write(regs::kIrqStatus, 0xfffffff1);
  EXPECT_FALSE(target->irq());
  load({Instr{}, plain(Opcode::JR, {}, 0)});
  write(regs::kWinImem, 0x77);  // no opcode
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_EQ(status(), kError | kQuiet);
  EXPECT_FALSE(target->irq());
  write(regs::kIrqEnable, 2);
  EXPECT_TRUE(target->irq());
  EXPECT_EQ(read(regs::kIrqStatus), 2u);
  write(regs::kCtrl, kClear);
  idle();
  EXPECT_TRUE(target->irq()) << "CLEAR leaves the interrupt";
  write(regs::kIrqStatus, 3);
  EXPECT_FALSE(target->irq());
}

TEST_P(MicroHost, CountersInARunAndBehindIt) {
  // 40 loops with a signal and a wait, then it sticks.
  load({plain(Opcode::ADD, {.rc = 1}, 40),
        with(isa::Sync{.unit = 5}.encode(), {.signal = 1, .signal_flag = 2}),
        with(isa::Sync{.unit = 1}.encode(), {.wait_value = 1, .wait_flag = 2}),
        plain(Opcode::DBNZ, {.rc = 1}, 1), plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 9})});
  write(regs::kCtrl, kStart);
  uint64_t last = 0;
  for (int i = 0; i < 30; ++i) {
    const uint64_t cycles = counter(regs::CYCLES);
    EXPECT_GT(cycles, last);
    EXPECT_LT(cycles, last + 10'000);
    last = cycles;
    run_for(300);
  }
  EXPECT_EQ(counter(regs::COMMANDS), 80u);
  write(regs::kCtrl, kClear);
  idle();
  run_for(1000);
  const uint64_t cycles = counter(regs::CYCLES);
  for (uint32_t u = 0; u < isa::kNumUnits; ++u) {
    uint64_t sum = 0;
    for (uint32_t s = 0; s < regs::kNumStates; ++s)
      sum += counter(regs::kNumPlainCounters + u * regs::kNumStates + s);
    EXPECT_EQ(sum, cycles) << "unit " << u;
  }
  EXPECT_GT(counter(regs::VPU_BUSY), 0u);
  EXPECT_EQ(counter(regs::CYCLES), cycles) << "it counts behind the end";
  // A low word holds the high word of its counter.
  if (target->set_high_word()) {
    read(regs::kWinCounters + 8 * regs::CYCLES);
    EXPECT_EQ(read(regs::kWinCounters + 8 * regs::COMMANDS + 4), 5u);
    EXPECT_EQ(counter(regs::COMMANDS), 80u);
  }
  // START zeroes them.
  load({plain(Opcode::HALT)});
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_EQ(counter(regs::COMMANDS), 0u);
  EXPECT_LT(counter(regs::CYCLES), 300u);
}

TEST_P(MicroHost, ClearInARunForgetsAllButMemories) {
  load({plain(Opcode::ADD, {.rc = 1}, 7), plain(Opcode::NOP, {.signal = 1, .signal_flag = 5}),
        with(isa::Sync{.unit = 2}.encode(), {.wait_value = 1, .wait_flag = 20}),
        plain(Opcode::JAL, {}, 3)});
  write(regs::kWinSmem, 99);
  write(regs::kWatchdog, 50'000);
  write(regs::kIrqEnable, 3);
  write(regs::kFlagSelect, 5);
  write(regs::kCtrl, kStart);
  run_for(3000);
  EXPECT_EQ(read(regs::kFlagValue), 1u);
  EXPECT_EQ(status(), kRunning);
  write(regs::kCtrl, kClear);
  EXPECT_EQ(status() & (kRunning | kQuiet), 0u);
  idle();
  EXPECT_EQ(status(), kQuiet);
  EXPECT_EQ(read(regs::kFlagValue), 0u);
  EXPECT_EQ(read(regs::kIrqStatus), 0u);
  EXPECT_EQ(read(regs::kWatchdog), 50'000u);
  EXPECT_EQ(read(regs::kWinSmem), 99u);
  // r1 is 0, the queue is empty.
  load({plain(Opcode::STS, {.rb = 1}, 0), plain(Opcode::HALT)});
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_EQ(status(), kDone | kQuiet);
  EXPECT_EQ(read(regs::kWinSmem), 0u);
}

// CLEAR and an error while a transfer is open: QUIET comes with its answer, START waits for it.
TEST_P(MicroHost, ClearAndWatchdogWithAnOpenTransfer) {
  load({isa::DmaShape{.n0 = 4, .n1 = 1, .n2 = 1, .n3 = 1}.encode(), isa::DmaLoad{}.encode(),
        plain(Opcode::HALT)});
  write(regs::kHbmSizeLo, 4096);
  target->latency = 20'000;
  for (const bool watchdog : {false, true}) {
    write(regs::kWatchdog, watchdog ? 3000 : 1'000'000);
    write(regs::kCtrl, kStart);
    run_for(5000);
    EXPECT_EQ(status(), watchdog ? kError : kRunning);
    if (watchdog) expect_fault(Error::WATCHDOG, Unit::SCALAR, 2, 0);
    write(regs::kCtrl, kClear);
    EXPECT_EQ(status(), watchdog ? kError : 0u);
    run_for(1000);
    EXPECT_EQ(status(), watchdog ? kError : 0u);
    write(regs::kCtrl, kStart, true);
    write(regs::kHbmBaseHi, 7);  // the bounds are free again
    EXPECT_EQ(read(regs::kHbmBaseHi), 7u);
    run_for(20'000);
    EXPECT_EQ(status(), kQuiet);
    write(regs::kHbmBaseHi, 0);
  }
  target->latency = 10;
  write(regs::kCtrl, kStart);
  idle();
  EXPECT_EQ(status(), kDone | kQuiet);
  EXPECT_EQ(counter(regs::HBM_RD_BYTES), 4u);
  // Bounds locked, CLEAR waiting: a refused write is no error.
  target->latency = 20'000;
  write(regs::kCtrl, kLock | kStart);
  run_for(2000);
  write(regs::kCtrl, kClear);
  write(regs::kHbmBaseHi, 7, true);
  run_for(21'000);
  EXPECT_EQ(status(), kLocked | kQuiet);
}

TEST_P(MicroHost, WatchdogTakesItsTime) {
  load({plain(Opcode::NOP, {.wait_value = 2, .wait_flag = 30})});
  for (const uint32_t limit : {0u, 1u, 4000u, 20'000u}) {
    write(regs::kWatchdog, limit);
    write(regs::kCtrl, kStart);
    for (int i = 0; i < 100'000 && (status() & kRunning); ++i) target->step();
    expect_fault(Error::WATCHDOG, Unit::SCALAR, 0, 1u << 30);
    const uint64_t cycles = counter(regs::CYCLES);
    EXPECT_GE(cycles, limit);
    EXPECT_LT(cycles, limit + 400);
    write(regs::kCtrl, kClear);
    idle();
  }
}

// The command that finds its queue full is not counted, and stays where it is.
TEST_P(MicroHost, FullQueue) {
  const Instr waits = with(isa::Sync{.unit = 3}.encode(), {.wait_value = 1, .wait_flag = 7});
  std::vector<Instr> code(6, waits);
  code.push_back(plain(Opcode::HALT));
  load(code);
  write(regs::kWatchdog, 5000);
  write(regs::kCtrl, kStart);
  for (int i = 0; i < 100'000 && (status() & kRunning); ++i) target->step();
  expect_fault(Error::WATCHDOG, Unit::SCALAR, 4, 1u << 7);
  EXPECT_EQ(counter(regs::COMMANDS), 4u);
  write(regs::kCtrl, kClear);
  idle();
  // A flag lets them all go on, in another run of the same queue: its places are used in turn.
  code.insert(code.begin() + 4, 6, plain(Opcode::NOP, {.signal = 1, .signal_flag = 7}));
  load(code);
  for (int run = 0; run < 5; ++run) {
    write(regs::kCtrl, kStart);
    idle();
    EXPECT_EQ(status(), kDone | kQuiet) << "run " << run;
    EXPECT_EQ(counter(regs::COMMANDS), 6u);
  }
}

TEST_P(MicroHost, VmemWindow) {
  tb::Random rng;
  std::map<uint32_t, uint32_t> expected;
  for (int i = 0; i < 30; ++i) {
    const auto at = static_cast<uint32_t>(rng.below(c.vmem_bytes() / 4 - 20)) * 4;
    write(regs::kVmemAddr, at);
    for (uint32_t w = 0; w < 20; ++w) write(regs::kVmemData, expected[at + 4 * w] = rng.u32());
    EXPECT_EQ(read(regs::kVmemAddr), at + 80);
  }
  load_endless();
  write(regs::kCtrl, kStart);  // at any time
  for (const auto& [at, value] : expected) {
    write(regs::kVmemAddr, at);
    ASSERT_EQ(read(regs::kVmemData), value) << "byte " << at;
  }
  write(regs::kVmemAddr, 2, true);
  write(regs::kVmemAddr, 0x1000000, true);
  write(regs::kVmemAddr, c.vmem_bytes() - 4);
  write(regs::kVmemData, 42);
  write(regs::kVmemData, 43, true);
  read(regs::kVmemData, true);
  EXPECT_EQ(read(regs::kVmemAddr), c.vmem_bytes());
  EXPECT_EQ(status(), kRunning);
}

TEST_P(MicroHost, MemoryWindows) {
  tb::Random rng;
  std::vector<uint32_t> imem(4 * c.imem_words), smem(c.smem_words);
  for (uint32_t i = 0; i < imem.size(); ++i) write(regs::kWinImem + 4 * i, imem[i] = rng.u32());
  for (uint32_t i = 0; i < smem.size(); ++i) write(regs::kWinSmem + 4 * i, smem[i] = rng.u32());
  for (uint32_t i = 0; i < imem.size(); ++i) ASSERT_EQ(read(regs::kWinImem + 4 * i), imem[i]) << i;
  for (uint32_t i = 0; i < smem.size(); ++i) ASSERT_EQ(read(regs::kWinSmem + 4 * i), smem[i]) << i;
  // A program that ran before is forgotten where it is written over.
  load({plain(Opcode::ADD, {.rc = 1}, 5), plain(Opcode::STS, {.rb = 1}, 0), plain(Opcode::HALT)});
  for (const uint32_t value : {5u, 6u}) {
    write(regs::kWinImem + 4, value << 10);  // the immediate
    write(regs::kCtrl, kStart);
    idle();
    EXPECT_EQ(read(regs::kWinSmem), value);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, MicroHost,
                         testing::Values(Case{"nano", false}, Case{"nano8", false},
                                         Case{"nano", true}, Case{"nano8", true}),
                         [](const auto& info) {
                           return std::string(info.param.config) +
                                  (info.param.rtl ? "_rtl" : "_model");
                         });

}  // namespace
