// A board simulator (TTPU_BOARD_SIM, configuration TTPU_BOARD_CONFIG) on a pseudo-terminal, and
// `ttpu`.
#pragma once
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

#include "../cli/command.h"
#include "tb/random.h"

extern char** environ;

namespace ttpu::test {

/// A model may be slower than its serial line, the more so on a busy machine: how long a reply may
/// take.
inline void be_patient(int reply_ms) {
  ::setenv("TTPU_BOARD_REPLY_MS", std::to_string(reply_ms).c_str(), 0);
}

/// One board a test; it ends with the test.
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
    return {"bench", "gemm", "--config", TTPU_BOARD_CONFIG, "--m",  n, "--n",
            n,       "--k",  n,          "--device",        device_};
  }
  std::string device_;

 private:
  pid_t board_ = -1;
};

}  // namespace ttpu::test
