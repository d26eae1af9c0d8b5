// What the subcommands of `ttpu` share: exit codes, errors, output.
#pragma once
#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "isa/generated/configs_gen.h"

namespace ttpu::cli {

using Json = nlohmann::ordered_json;

/// Exit codes of every subcommand (docs/reference/cli.md).
enum ExitCode : int {
  kOk = 0,
  kMismatch = 1,  ///< ran, but the result is wrong
  kUsage = 2,     ///< the command line
  kBadFile = 3,   ///< a file that cannot be read, used or written
  kDevice = 4,    ///< the device, or the program on it, failed
};

/// An error for the user: what is wrong, and what to do.
struct CliError : std::runtime_error {
  ExitCode code;
  std::string hint;
  CliError(ExitCode exit_code, const std::string& what, std::string todo = "")
      : std::runtime_error(what), code(exit_code), hint(std::move(todo)) {}
};

/// Options of the whole command, and its outcome.
struct Context {
  bool json = false;
  ExitCode exit_code = kOk;
  /// The one object of --json. Subcommands fill it; main prints it.
  Json result = Json::object();
  /// Text for people; dropped with --json.
  void print(const std::string& text) const;
};

/// Add --json to a subcommand.
void add_json(CLI::App& app, Context& context);
/// Run `body` when the subcommand was given.
void on_run(CLI::App& app, std::function<void()> body);

/// For options that count something: CLI11's own check names the largest double as the limit.
CLI::Validator at_least_one();

/// Configuration by name; unknown: CliError that lists them.
const Config& config_or_fail(const std::string& name);

/// Whole content of a file; CliError(kBadFile) if it cannot be read.
std::string read_file(const std::string& path);
/// Write a file through a temporary name, so that nothing half-written is left. "-" is stdout.
void write_file(const std::string& path, std::string_view bytes);

/// 1234567 as "1,234,567".
std::string grouped(uint64_t value);

void add_compile(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
/// The same under `ttpu board`, where the device is a board.
void add_board_run(CLI::App& board, Context& context);
/// CliError unless a device string names a board.
void board_or_fail(const std::string& device);
void add_asm(CLI::App& app, Context& context);
void add_disasm(CLI::App& app, Context& context);
void add_config(CLI::App& app, Context& context);
void add_bench(CLI::App& app, Context& context);
void add_wave(CLI::App& app, Context& context);
void add_pod(CLI::App& app, Context& context);
void add_board(CLI::App& app, Context& context);

/// The whole command. Errors end here, as messages and exit codes.
int run_cli(int argc, char** argv);

}  // namespace ttpu::cli
