// ttpu wave.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "ttpu/cli.h"

namespace ttpu::cli {
namespace {

namespace fs = std::filesystem;

/// The nearest folder, from `from` upward, that holds `file`.
fs::path find_upward(fs::path from, const fs::path& file) {
  std::error_code ec;
  for (;; from = from.parent_path()) {
    if (fs::exists(from / file, ec)) return from;
    if (!from.has_parent_path() || from == from.parent_path()) return {};
  }
}

[[noreturn]] void replace_process(std::vector<std::string> words, const std::string& hint) {
  std::vector<char*> argv;
  for (auto& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw CliError(kBadFile, fmt::format("cannot start {}: {}", words[0], std::strerror(errno)),
                 hint);
}

void run_wave(const std::string& what) {
  std::error_code ec;
  if (what.ends_with(".fst")) {
    if (!fs::exists(what, ec))
      throw CliError(kBadFile, fmt::format("there is no wave '{}'", what),
                     "write one with ttpu run --device rtl --trace FILE.fst");
    replace_process({"gtkwave", what}, "install it: apt install gtkwave");
  }
  // The program stands in BUILD/bin; the scripts, in the repository that BUILD belongs to.
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const fs::path build = program.parent_path().parent_path();
  const fs::path script = fs::path("scripts") / "waves" / "waves.py";
  fs::path root = find_upward(build, script);
  if (root.empty()) root = find_upward(fs::current_path(ec), script);
  if (root.empty())
    throw CliError(kBadFile, "cannot find scripts/waves/waves.py",
                   "run ttpu from a checkout of the repository");
  replace_process({fs::exists("/usr/bin/python3", ec) ? "/usr/bin/python3" : "python3",
                   (root / script).string(), "open", what, "--build", build.string()},
                  "install it: apt install python3");
}

}  // namespace

void add_wave(CLI::App& app, Context&) {
  auto* sub = app.add_subcommand("wave", "open a test's wave, or a wave file, in GTKWave");
  auto what = std::make_shared<std::string>();
  sub->add_option("TEST", *what, "name of a test (make list shows them), or FILE.fst")->required();
  sub->footer("Examples:\n  ttpu wave mxu_test\n  ttpu wave run.fst");
  on_run(*sub, [what] { run_wave(*what); });
}

}  // namespace ttpu::cli
