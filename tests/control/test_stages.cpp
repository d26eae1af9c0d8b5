// FlagStages = 3: what takes other cycles than in the other configurations, and how many.
#include "control_bench.h"

namespace control_test {
namespace {

/// The cycle of the first command of queue 0 that waits for nothing, pushed right behind the start.
uint64_t lone_command(Bench& bench) {
  bench.load({work(Unit::DMA0), halt()});
  bench.start();
  const uint64_t start = bench.cycle();
  bench.tick(10);
  EXPECT_EQ(bench.accepted[0].size(), 1u);
  return bench.accepted[0].at(0).cycle - start;
}

TEST(Stages, CommandIsOfferedTwoCyclesAfterItsPush) {
  Bench bench;
  // It executes in the third cycle: number 2.
  EXPECT_EQ(lone_command(bench), 4u);
}

TEST(Stages, OneCommandACycleBehindTheFirst) {
  Bench bench;
  bench.load({work(Unit::VPU), work(Unit::VPU), work(Unit::VPU), work(Unit::VPU), halt()});
  bench.run();
  ASSERT_EQ(bench.accepted[4].size(), 4u);
  for (size_t i = 1; i < 4; ++i)
    EXPECT_EQ(bench.accepted[4][i].cycle, bench.accepted[4][0].cycle + i) << "command " << i;
}

TEST(Stages, SignalReachesTheOnlyWaiterThreeCyclesAfterDone) {
  Bench bench;
  bench.min_latency = bench.max_latency = 20;
  bench.load({work(Unit::DMA0, {.signal = 1, .signal_flag = 7}),
              work(Unit::MXW, {.wait_value = 1, .wait_flag = 7}), halt()});
  bench.run();
  ASSERT_TRUE(bench.done());
  EXPECT_EQ(bench.accepted[2].at(0).cycle, bench.accepted[0].at(0).done_cycle + 3);
  EXPECT_EQ(bench.flag(7), 0u);
}

// All five queues wait, each for a flag of its own; ICI raises one. Its waiter gets its turn.
TEST(Stages, WaitersAreLookedAtInTurn) {
  std::vector<bool> seen(5);
  for (uint64_t delay = 0; delay < 5; ++delay) {
    Bench bench;
    std::vector<Instr> code;
    for (uint32_t q = 0; q < kQueues; ++q)
      code.push_back(
          work(static_cast<Unit>(q + 1), {.wait_value = 1, .wait_flag = static_cast<uint32_t>(q)}));
    code.push_back(halt());
    bench.load(code);
    bench.start();
    bench.tick(40 + delay);
    bench.ici_raise(3);
    const uint64_t raised = bench.cycle();
    bench.tick(30);
    ASSERT_EQ(bench.accepted[3].size(), 1u) << "delay " << delay;
    const uint64_t latency = bench.accepted[3][0].cycle - raised;
    ASSERT_GE(latency, 3u) << "delay " << delay;
    ASSERT_LE(latency, 7u) << "delay " << delay;
    seen[latency - 3] = true;
  }
  for (size_t i = 0; i < 5; ++i) EXPECT_TRUE(seen[i]) << "no delay gave a latency of " << i + 3;
}

// A waiter is picked again before its grant is seen: it takes its value once all the same.
TEST(Stages, WaitTakesItsValueOnce) {
  Bench bench;
  std::vector<Instr> code;
  for (int i = 0; i < 9; ++i) code.push_back(plain(Opcode::NOP, {.signal = 1, .signal_flag = 31}));
  code.push_back(work(Unit::VPU, {.wait_value = 2, .wait_flag = 31}));
  code.push_back(plain(Opcode::NOP, {.wait_value = 3, .wait_flag = 31}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.flag(31), 4u);
}

TEST(Stages, ShiftsAndStoresTakeTwoCycles) {
  const auto cycles = [](const std::vector<Instr>& body) {
    Bench bench;
    std::vector<Instr> code = body;
    code.push_back(halt());
    bench.load(code);
    return bench.run();
  };
  const uint64_t none = cycles({});
  EXPECT_EQ(cycles({plain(Opcode::ADD, {.ra = 1, .rb = 2, .rc = 3}, 5)}), none + 1);
  for (const Opcode op :
       {Opcode::SHL, Opcode::SHR, Opcode::SRA, Opcode::SLT, Opcode::SLTU, Opcode::STS})
    EXPECT_EQ(cycles({plain(op, {.ra = 1, .rb = 2, .rc = 3}, 5)}), none + 2)
        << "opcode " << static_cast<int>(op);
  EXPECT_EQ(cycles({plain(Opcode::MUL, {.ra = 1, .rb = 2, .rc = 3}, 5)}), none + 3);
}

}  // namespace
}  // namespace control_test
