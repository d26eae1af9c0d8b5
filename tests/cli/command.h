// Run the built `ttpu` as a user does.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ttpu::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal if it was killed
  std::string out, err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// A test with a folder of its own, whose name has a space.
class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("ttpu cli " + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

  Outcome ttpu(const std::vector<std::string>& arguments) const {
    std::string line = quoted(TTPU_BIN);
    for (const auto& a : arguments) line += " " + quoted(a);
    line += " >" + quoted(path("stdout")) + " 2>" + quoted(path("stderr")) + " </dev/null";
    const int status = std::system(line.c_str());
    Outcome o;
    // The shell reports a killed program as 128 + signal, too.
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    o.out = slurp(path("stdout"));
    o.err = slurp(path("stderr"));
    return o;
  }

  /// Exit code, and a message that holds `part` on stderr; nothing on stdout.
  void expect_error(const std::vector<std::string>& arguments, int code, const std::string& part) {
    const Outcome o = ttpu(arguments);
    EXPECT_EQ(o.code, code) << o.err;
    EXPECT_NE(o.err.find(part), std::string::npos) << "no '" << part << "' in: " << o.err;
    EXPECT_EQ(o.out, "");
  }

  /// The one object of --json; fails if stdout holds anything else.
  nlohmann::json json(const std::vector<std::string>& arguments, int code = 0) {
    const Outcome o = ttpu(arguments);
    EXPECT_EQ(o.code, code) << o.err << o.out;
    const auto j = nlohmann::json::parse(o.out, nullptr, false);
    EXPECT_TRUE(j.is_object()) << "not one JSON object: " << o.out;
    if (j.is_object()) {
      EXPECT_EQ(j.value("exit_code", -1), code);
    }
    return j;
  }

 private:
  static std::string quoted(const std::string& text) {
    std::string r = "'";
    for (const char c : text) r += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return r + "'";
  }
  std::filesystem::path folder_;
};

}  // namespace ttpu::test
