// The controller: clock, reset, hooks, limits, assertions, start values, scoreboard messages.
#include "tb/controller.h"

#include <gtest/gtest.h>

#include "Vtb_layout.h"
#include "tb/scoreboard.h"
#include "tests/tb/expect_failure.h"

namespace {

using Bench = tb::Controller<Vtb_layout>;

TEST(Controller, ClocksAndResets) {
  Bench bench;
  EXPECT_EQ(bench->count_o, 0u);
  bench.run(10);
  EXPECT_EQ(bench->count_o, 10u);
  EXPECT_EQ(bench.cycle(), 14u);
  bench.reset();
  EXPECT_EQ(bench->count_o, 0u);
}

TEST(Controller, CallsTheHooksInOrder) {
  struct Recorder {
    std::string text;
    void arguments(const tb::Arguments& a) { text += a.seed == tb::run_seed() ? "a" : "?"; }
    void before_clock() { text += "b"; }
    void at_clock() { text += "s"; }
    void after_clock() { text += "c"; }
    void finish() { text += "f"; }
  } recorder, direct;
  {
    Bench bench;
    bench.add(recorder);
    bench.tick();
    bench.tick(direct);
  }
  EXPECT_EQ(recorder.text,
            "absc"
            "bsc"
            "f");
  EXPECT_EQ(direct.text, "bsc");
}

TEST(Controller, WaitsNoLongerThanTold) {
  Bench bench;
  EXPECT_TRUE(bench.run_until([&] { return bench->count_o == 5; }, 100, "count_o"));
  EXPECT_BENCH_FAILURE(bench.run_until([] { return false; }, 20, "the impossible"),
                       "waited 20 cycles for the impossible");
}

TEST(Controller, TimeoutSaysWhatHappened) {
  tb::ControllerOptions options;
  options.timeout_cycles = 50;
  options.name = "short bench";
  const uint64_t failures = tb::failure_count;
  try {
    Bench bench(options);
    bench.run(1000);
    FAIL() << "no timeout";
  } catch (const tb::BenchError& e) {
    EXPECT_NE(std::string(e.what()).find("short bench: no end after 50 cycles"), std::string::npos);
  }
  tb::failure_count = failures;
}

TEST(Controller, AnAssertionOfTheRtlIsAFailure) {
  bool thrown = false;
  EXPECT_BENCH_FAILURE(
      {
        Bench bench;
        bench->break_i = 1;
        try {
          bench.run(3);
        } catch (const tb::BenchError&) {
          thrown = true;
        }
        bench->break_i = 0;
      },
      "an assertion of the RTL failed");
  EXPECT_TRUE(thrown);
}

// What is never reset starts as zeros, or at random by its seed (case C38 rests on this).
TEST(Controller, StartValues) {
  const auto start = [](uint64_t seed) {
    tb::ControllerOptions options;
    options.random_init_seed = seed;
    Bench bench(options);
    return bench->random_o;
  };
  EXPECT_EQ(start(0), 0u);
  EXPECT_EQ(start(7), start(7));
  EXPECT_NE(start(7), start(8));
}

// Run by tests/flow/interrupt_test.py, which presses Ctrl-C.
TEST(Controller, DISABLED_RunsUntilInterrupted) {
  tb::ControllerOptions options;
  options.timeout_cycles = 1'000'000'000;
  Bench bench(options);
  bench.run(900'000'000);
}

TEST(Scoreboard, NamesSignalCycleCommandExpectedAndGot) {
  ttpu::golden::Command command;
  ttpu::isa::MxuMatmul matmul{};
  matmul.rows = 4;
  matmul.stride = -1;
  command.instr = matmul.encode();
  command.pc = 12;
  command.a = 0x40;
  tb::Scoreboard<uint32_t> board("acc_data");
  board.expect(5, tb::describe(command));
  board.expect(6, "second");
  EXPECT_BENCH_FAILURE(board.arrived(7, 99), "acc_data");
  for (const char* part : {"cycle    99", "pc 12 MXU_MATMUL", "stride=-1", "rows=4", "a=0x40",
                           "expected 0x5 (5)", "got      0x7 (7)"})
    EXPECT_NE(tb_test::caught.find(part), std::string::npos) << part << " in " << tb_test::caught;
  EXPECT_BENCH_FAILURE(board.finish(), "1 values expected that never came, the first by second");
  EXPECT_TRUE(board.arrived(6, 100));
  EXPECT_BENCH_FAILURE(board.arrived(6, 101), "expected nothing");
}

TEST(Scoreboard, ReportsTheFirstDifferencesAndCounts) {
  const std::vector<int32_t> want = {1, 2, 3, 4, 5, 6}, got = {1, 0, 0, 0, 0, 6};
  EXPECT_BENCH_FAILURE((tb::expect_equal<int32_t>("rows", 3, "x", want, got)),
                       "4 of 6 elements differ");
  EXPECT_NE(tb_test::caught.find("rows[1]"), std::string::npos);
  EXPECT_EQ(tb_test::caught.find("rows[4]"), std::string::npos);
}

}  // namespace
