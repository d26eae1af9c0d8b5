// The built `ttpu` against a whole board at its pins (ttpu_board_sim): right results, also over a
// bad line; errors in time when the board falls silent, is reset or unplugged.
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "../cli/command.h"
#include "tb/random.h"

extern char** environ;

namespace ttpu::test {
namespace {

class BoardTest : public CommandTest {
 protected:
  void start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {TTPU_BOARD_SIM, "--seed", std::to_string(tb::run_seed()),
                                         "--report", path("report")});
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    ASSERT_EQ(::posix_spawn(&board_, TTPU_BOARD_SIM, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    char c = 0;
    while (::read(out[0], &c, 1) == 1 && c != '\n') device_ += c;
    ::close(out[0]);
    ASSERT_TRUE(device_.starts_with("/dev/")) << "the board did not start: " << device_;
    device_ = "board:" + device_;
  }
  /// Stop the board; what it counted.
  nlohmann::json stop() {
    if (board_ <= 0) return {};
    ::kill(board_, SIGTERM);
    int status = 0;
    ::waitpid(board_, &status, 0);
    board_ = -1;
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "an assertion of the RTL failed";
    return nlohmann::json::parse(slurp(path("report")), nullptr, false);
  }
  void TearDown() override {
    stop();
    CommandTest::TearDown();
  }
  /// An error of the device (exit code 4) that says `part`, in at most 15 s.
  void expect_device_error(const std::string& part) {
    const auto start = std::chrono::steady_clock::now();
    expect_error(gemm(16), 4, part);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  }
  std::vector<std::string> gemm(int size) const {
    const std::string n = std::to_string(size);
    return {"bench", "gemm", "--config", "mini", "--m", n, "--n", n, "--k", n, "--device", device_};
  }
  std::string device_;

 private:
  pid_t board_ = -1;
};

TEST_F(BoardTest, ProductOnACleanLine) {
  start({});
  auto arguments = gemm(32);
  arguments.push_back("--json");
  const auto j = json(arguments);
  EXPECT_EQ(j["bit_equal"], true);
  EXPECT_GT(j["cycles"].get<uint64_t>(), 1000u);
  const auto report = stop();
  EXPECT_EQ(report["framing_errors"], 0);
  EXPECT_GT(report["bytes_in"].get<int>(), 2048);
}

TEST_F(BoardTest, ProgramsOneAfterTheOtherAndCheckedWithTheModel) {
  start({});
  const std::string source = write("p.s", slurp(TTPU_BOARD_DATA));
  ASSERT_EQ(ttpu({"asm", source, "-o", path("p.ttpu")}).code, 0);
  for (const char* seed : {"1", "2", "3"}) {
    const auto j = json({"run", path("p.ttpu"), "--device", device_, "--input",
                         std::string("x=random:") + seed, "--check", "golden", "--json"});
    EXPECT_EQ(j["done"], true);
    EXPECT_EQ(j["bit_equal"], true);
    EXPECT_EQ(j["config"], "mini");
  }
}

TEST_F(BoardTest, ProductOnABadLine) {
  start({"--drop", "800", "--flip", "800", "--extra", "800"});
  auto arguments = gemm(16);
  arguments.push_back("--json");
  const auto j = json(arguments);
  EXPECT_EQ(j["bit_equal"], true);
  const auto report = stop();
  for (const char* kind : {"dropped", "flipped", "added"})
    EXPECT_GT(report[kind].get<int>(), 0) << kind;
}

TEST_F(BoardTest, SilentBoard) {
  start({"--silent-after", "700"});
  expect_device_error("is silent");
}
TEST_F(BoardTest, BoardThatWasReset) {
  start({"--reset-after", "700"});
  expect_device_error("reset in the middle");
}
TEST_F(BoardTest, BoardThatWasUnplugged) {
  start({"--hangup-after", "700"});
  expect_device_error("is gone");
}
TEST_F(BoardTest, InfoSelfTestAndBench) {
  start({});
  const auto info = json({"board", "info", "--device", device_, "--json"});
  EXPECT_EQ(info["config"], "mini");
  EXPECT_EQ(info["hbm_bytes"], 65536);
  const auto test = json({"board", "test", "--quick", "--device", device_, "--json"});
  EXPECT_EQ(test["ok"], true);
  ASSERT_EQ(test["parts"].size(), 5u);
  for (const auto& part : test["parts"]) EXPECT_GT(part["checked"].get<int>(), 100) << part["part"];
  const auto bench = json({"board", "bench", "--bytes", "2048", "--device", device_, "--json"});
  EXPECT_EQ(bench["equal"], true);
  EXPECT_GT(bench["write_bytes_per_s"].get<double>(), 0);
  json({"board", "list", "--json"});
  expect_error({"board", "info", "--device", "rtl"}, 2, "is no board");
}
TEST_F(BoardTest, ImageOfAnotherConfiguration) {
  start({});
  ASSERT_EQ(ttpu({"asm", std::string(TTPU_CLI_DATA) + "/matmul.s", "-o", path("m.ttpu")}).code, 0);
  expect_error({"run", path("m.ttpu"), "--device", device_, "--input", "x=random:1"}, 4,
               "'core16'");
}
TEST_F(BoardTest, NoSuchPort) {
  device_ = "board:/dev/ttyNone";
  expect_device_error("cannot open /dev/ttyNone");
}

}  // namespace
}  // namespace ttpu::test
