// Queues and flags: order, waits, signals, SYNC, full queues, HALT.
#include "control_bench.h"

namespace control_test {
namespace {

constexpr Unit kUnits[] = {Unit::DMA0, Unit::DMA1, Unit::MXW, Unit::MXS, Unit::VPU};

TEST(Queues, OneCommandACycleWithItsOperands) {
  Bench bench;
  bench.min_latency = bench.max_latency = 3;
  std::vector<Instr> code = {plain(Opcode::ADD, {.rc = 1}, 0x11111111),
                             plain(Opcode::ADD, {.rc = 2}, 0x22222222),
                             plain(Opcode::ADD, {.rc = 3}, 0x33333333)};
  for (const Unit u : kUnits) code.push_back(work(u, {.ra = 1, .rb = 2, .rc = 3}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  ASSERT_TRUE(bench.done());
  for (int q = 0; q < kQueues; ++q) {
    ASSERT_EQ(bench.accepted[q].size(), 1u) << "queue " << q;
    const Seen& s = bench.accepted[q][0];
    EXPECT_EQ(s.a, 0x11111111u);
    EXPECT_EQ(s.b, 0x22222222u);
    EXPECT_EQ(s.c, 0x33333333u);
    EXPECT_EQ(s.pc, 3 + q);
    EXPECT_EQ(s.opcode, code[3 + static_cast<size_t>(q)].get(0, 8));
    EXPECT_EQ(s.cycle, bench.accepted[0][0].cycle + static_cast<uint64_t>(q)) << "one a cycle";
  }
}

TEST(Queues, SignalReachesAWaitingCommandInTheNextCycle) {
  // done in cycle t, flag up in t+1, the waiting command is offered in t+1.
  Bench bench;
  bench.min_latency = bench.max_latency = 20;
  bench.load({work(Unit::DMA0, {.signal = 1, .signal_flag = 7}),
              work(Unit::MXW, {.wait_value = 1, .wait_flag = 7}), halt()});
  bench.run();
  ASSERT_TRUE(bench.done());
  EXPECT_EQ(bench.accepted[2][0].cycle, bench.accepted[0][0].done_cycle + 1);
  EXPECT_EQ(bench.flag(7), 0u);
}

TEST(Queues, WaitCountsAndSubtracts) {
  Bench bench;
  std::vector<Instr> code;
  for (int i = 0; i < 5; ++i) code.push_back(plain(Opcode::NOP, {.signal = 1, .signal_flag = 31}));
  code.push_back(work(Unit::VPU, {.wait_value = 3, .wait_flag = 31}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.flag(31), 2u);
  EXPECT_EQ(bench.flag(30), 0u);
}

TEST(Queues, OneTokenForTwoWaitersGoesToTheLowerUnit) {
  Bench bench;
  std::vector<Instr> code = {work(Unit::VPU, {.wait_value = 1, .wait_flag = 5}),
                             work(Unit::MXW, {.wait_value = 1, .wait_flag = 5})};
  for (int i = 0; i < 10; ++i) code.push_back(plain(Opcode::NOP));
  code.push_back(plain(Opcode::NOP, {.signal = 1, .signal_flag = 5}));
  for (int i = 0; i < 10; ++i) code.push_back(plain(Opcode::NOP));
  code.push_back(plain(Opcode::NOP, {.signal = 1, .signal_flag = 5}));
  code.push_back(halt());
  bench.load(code);
  bench.run();
  ASSERT_TRUE(bench.done());
  ASSERT_EQ(bench.accepted[2].size(), 1u);
  ASSERT_EQ(bench.accepted[4].size(), 1u);
  EXPECT_EQ(bench.accepted[4][0].cycle, bench.accepted[2][0].cycle + 11)
      << "the VPU had to wait for the second";
  EXPECT_EQ(bench.flag(5), 0u);
}

TEST(Queues, FullQueueStallsTheScalarCoreOnly) {
  Bench bench;
  bench.min_latency = bench.max_latency = 50;
  std::vector<Instr> code;
  for (int i = 0; i < 24; ++i) code.push_back(work(Unit::MXS));
  code.push_back(plain(Opcode::TAG, {}, 5));
  code.push_back(halt());
  bench.load(code);
  const uint64_t cycles = bench.run();
  EXPECT_TRUE(bench.done());
  ASSERT_EQ(bench.accepted[3].size(), 24u);
  for (size_t i = 0; i < 24; ++i) EXPECT_EQ(bench.accepted[3][i].pc, i);
  // 8 in the unit and 4 in the queue: the core was held for about a latency.
  EXPECT_GT(cycles, 50u);
}

TEST(Queues, SyncEndsAfterEarlierCommandsAndBeforeLaterOnes) {
  Bench bench;
  bench.min_latency = bench.max_latency = 30;
  bench.load({work(Unit::DMA1), work(Unit::DMA1), sync(Unit::DMA1, {.signal = 1, .signal_flag = 4}),
              work(Unit::DMA1), work(Unit::VPU, {.wait_value = 1, .wait_flag = 4}), halt()});
  bench.run();
  ASSERT_TRUE(bench.done());
  ASSERT_EQ(bench.accepted[1].size(), 3u);
  const uint64_t second_done = bench.accepted[1][1].done_cycle;
  EXPECT_EQ(bench.accepted[4][0].cycle, second_done + 2) << "SYNC ends in the cycle after done";
  EXPECT_GT(bench.accepted[1][2].cycle, second_done);
}

TEST(Queues, SyncWaitsForItsFlagInOrder) {
  Bench bench;
  bench.load({sync(Unit::MXW, {.wait_value = 2, .wait_flag = 9}), work(Unit::MXW),
              plain(Opcode::NOP), plain(Opcode::NOP), plain(Opcode::NOP), plain(Opcode::NOP),
              plain(Opcode::NOP, {.signal = 1, .signal_flag = 9}),
              plain(Opcode::TAG, {.signal = 1, .signal_flag = 9}, 1), halt()});
  bench.run();
  ASSERT_TRUE(bench.done());
  EXPECT_EQ(bench.flag(9), 0u);
  EXPECT_EQ(bench.accepted[2].size(), 1u);
}

TEST(Queues, HaltWaitsForEverything) {
  Bench bench;
  bench.min_latency = bench.max_latency = 200;
  bench.load({work(Unit::DMA0), work(Unit::VPU), halt()});
  EXPECT_GT(bench.run(), 200u);
  EXPECT_NE(bench.accepted[0][0].done_cycle, 0u);
  EXPECT_NE(bench.accepted[4][0].done_cycle, 0u);
}

TEST(Queues, FlagsLastFromRunToRunAndTheIciRaisesThem) {
  Bench bench;
  bench.load({plain(Opcode::NOP, {.wait_value = 2, .wait_flag = 3}), halt()});
  for (int i = 0; i < 3; ++i) {
    bench.ici_raise(3);
    bench.tick();
  }
  bench.tick();
  EXPECT_EQ(bench.flag(3), 3u);
  bench.run();
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.flag(3), 1u);
  bench.clear();
  EXPECT_EQ(bench.flag(3), 0u);
}

// Random token rings: each command of unit u waits for a flag raised by some earlier command of
// another unit. Whatever the latencies, the program ends, in order, and every flag ends at 0.
TEST(Queues, RandomDependencesWithRandomLatencies) {
  tb::Random rng;
  uint64_t stalls = 0;
  for (int round = 0; round < (tb::long_run() ? 2000 : 120); ++round) {
    SCOPED_TRACE("program " + std::to_string(round));
    Bench bench(rng.next() | 1);
    bench.min_latency = 1;
    bench.max_latency = 1 + static_cast<uint32_t>(rng.below(40));
    bench.not_ready_percent = static_cast<uint32_t>(rng.below(70));
    std::vector<Instr> code;
    struct Edge {
      int from_queue, to_queue;
      size_t from_pc, to_pc;
    };
    std::vector<Edge> edges;
    // Flag p*5+q carries tokens from queue p to queue q: one waiter a flag. (25 of 32 flags.)
    std::array<std::deque<size_t>, 25> tokens;
    std::array<std::vector<size_t>, kQueues> expected;
    for (size_t pc = 0; pc < 300; ++pc) {
      const int q = static_cast<int>(rng.below(kQueues));
      Common c;
      const int p = static_cast<int>(rng.below(kQueues));
      auto& available = tokens[static_cast<size_t>(p * 5 + q)];
      if (p != q && !available.empty()) {
        c.wait_value = 1 + static_cast<uint32_t>(rng.below(available.size()));
        c.wait_flag = static_cast<uint32_t>(p * 5 + q);
        for (uint32_t i = 0; i < c.wait_value; ++i) {
          edges.push_back({p, q, available.front(), pc});
          available.pop_front();
        }
      }
      const int to = static_cast<int>(rng.below(kQueues));
      if (to != q) {
        c.signal = 1;
        c.signal_flag = static_cast<uint32_t>(q * 5 + to);
        tokens[static_cast<size_t>(q * 5 + to)].push_back(pc);
      }
      const bool is_sync = rng.chance(15);
      code.push_back(is_sync ? sync(kUnits[q], c) : work(kUnits[q], c));
      if (!is_sync) expected[static_cast<size_t>(q)].push_back(pc);
    }
    code.push_back(halt());
    bench.load(code);
    bench.run();
    ASSERT_TRUE(bench.done());
    stalls += bench.not_ready_felt;
    std::vector<const Seen*> by_pc(code.size());
    for (int q = 0; q < kQueues; ++q) {
      ASSERT_EQ(bench.accepted[q].size(), expected[static_cast<size_t>(q)].size()) << "queue " << q;
      for (size_t i = 0; i < bench.accepted[q].size(); ++i) {
        ASSERT_EQ(bench.accepted[q][i].pc, expected[static_cast<size_t>(q)][i]) << "queue " << q;
        by_pc[bench.accepted[q][i].pc] = &bench.accepted[q][i];
      }
    }
    for (const Edge& e : edges) {
      if (!by_pc[e.from_pc] || !by_pc[e.to_pc]) continue;  // a SYNC at one end
      ASSERT_GT(by_pc[e.to_pc]->cycle, by_pc[e.from_pc]->done_cycle)
          << "command at pc " << e.to_pc << " started before the one at pc " << e.from_pc
          << " was done";
    }
    for (uint32_t f = 0; f < 25; ++f) ASSERT_EQ(bench.flag(f), tokens[f].size()) << "flag " << f;
  }
  EXPECT_GT(stalls, 100u) << "cmd_ready never held a command back";
}

}  // namespace
}  // namespace control_test
