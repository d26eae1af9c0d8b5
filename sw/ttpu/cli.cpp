#include "ttpu/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "compiler/compiler.h"
#include "isa/generated/isa_gen.h"
#include "isa/suggest.h"
#include "runtime/device.h"
#include "runtime/image.h"

namespace ttpu::cli {
namespace {

constexpr const char* kVersion = "0.1.0";

/// Indented by two, lists of plain values on one line.
std::string pretty(const Json& json, size_t indent = 0) {
  const auto text = [](const Json& j) {
    return j.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  const bool list = json.is_array();
  if (!json.is_structured() || json.empty()) return text(json);
  std::string r(1, list ? '[' : '{');
  if (list && std::none_of(json.begin(), json.end(),
                           [](const Json& item) { return item.is_structured(); })) {
    for (const Json& item : json) r += (r.size() > 1 ? ", " : "") + text(item);
    return r + "]";
  }
  for (const auto& [key, item] : json.items()) {
    r += r.size() > 1 ? ",\n" : "\n";
    r.append(indent + 2, ' ');
    if (!list) r += text(key) + ": ";
    r += pretty(item, indent + 2);
  }
  return r + "\n" + std::string(indent, ' ') + (list ? ']' : '}');
}

void report(const Context& context, bool json, ExitCode code, std::string_view what,
            std::string_view hint) {
  if (json) {
    Json r = context.result;  // what was measured before the failure stays
    r["error"] = what;
    if (!hint.empty()) r["hint"] = hint;
    r["exit_code"] = static_cast<int>(code);
    std::cout << pretty(r) << '\n';
    return;
  }
  fmt::print(stderr, "ttpu: error: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "  hint: {}\n", hint);
}

bool has_json_flag(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--json") == 0) return true;
  return false;
}

/// What is wrong with a command line, and what to do. CLI11 says of a command that does not exist
/// only that one is required.
std::pair<std::string, std::string> misuse(const CLI::App& app, const CLI::ParseError& error,
                                           int argc, char** argv) {
  const CLI::App* at = &app;
  std::string path = "ttpu";
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const auto below = at->get_subcommands([](const CLI::App*) { return true; });
    if (below.empty()) break;
    const auto found = std::find_if(below.begin(), below.end(),
                                    [&](const auto* sub) { return sub->get_name() == argv[i]; });
    if (found == below.end()) {
      std::vector<std::string> names;
      for (const auto* sub : below) names.push_back(sub->get_name());
      const std::vector<std::string_view> views(names.begin(), names.end());
      const auto near = isa::nearest(argv[i], views);
      return {fmt::format("there is no command '{} {}'", path, argv[i]),
              near.empty() ? "commands: " + isa::list_names(views)
                           : fmt::format("did you mean {} {}?", path, near)};
    }
    at = *found;
    path += " " + at->get_name();
  }
  return {error.what(), fmt::format("see {} --help", path)};
}

}  // namespace

void Context::print(const std::string& text) const {
  if (!json) fmt::print("{}", text);
}

void add_json(CLI::App& app, Context& context) {
  app.add_flag("--json", context.json, "print exactly one JSON object on stdout");
}

void on_run(CLI::App& app, std::function<void()> body) { app.callback(std::move(body)); }

CLI::Validator at_least_one() {
  return {[](std::string& text) -> std::string {
            uint64_t value = 0;
            const bool negative = text.find('-') != std::string::npos;  // which CLI11 wraps round
            if (!negative && CLI::detail::lexical_cast(text, value) && value > 0) return {};
            return fmt::format("{} is no number of at least 1", text);
          },
          "POSITIVE"};
}

const Config& config_or_fail(const std::string& name) {
  if (const Config* c = find_config(name)) return *c;
  std::vector<std::string_view> names;
  for (const auto& c : kConfigs) names.push_back(c.name);
  const auto near = isa::nearest(name, names);
  throw CliError(kUsage, fmt::format("there is no configuration '{}'", name),
                 (near.empty() ? "" : "did you mean " + near + "? ") +
                     "configurations: " + isa::list_names(names));
}

std::string read_file(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    throw CliError(kBadFile, fmt::format("cannot read '{}': {}", path, why),
                   "check the file's name and permissions");
  };
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) fail("it is a directory");
  std::FILE* f = std::fopen(path.c_str(), "rb");
  if (!f) fail(std::strerror(errno));
  // A device or a pipe may never end (/dev/zero): take so much of it and no more.
  constexpr size_t kLargestStream = size_t{256} << 20;
  const bool regular = std::filesystem::is_regular_file(path, ec);
  std::string r;
  char buffer[1 << 16];
  bool endless = false;
  for (size_t n = 0; !endless && (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) {
    r.append(buffer, n);
    endless = !regular && r.size() > kLargestStream;
  }
  const bool bad = std::ferror(f);
  std::fclose(f);
  if (bad) fail("read error");
  if (endless) fail("it is no plain file and has more than 256 MiB");
  return r;
}

void write_file(const std::string& path, std::string_view bytes) {
  if (path == "-") {
    std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return;
  }
  // Devices and pipes cannot be replaced by renaming.
  std::error_code ec;
  const bool special =
      std::filesystem::exists(path, ec) && !std::filesystem::is_regular_file(path, ec);
  const std::string temporary = special ? path : fmt::format("{}.{}.tmp", path, ::getpid());
  const auto fail = [&](int error) {
    if (!special) std::remove(temporary.c_str());
    throw CliError(kBadFile, fmt::format("cannot write '{}': {}", path, std::strerror(error)),
                   "check that the folder exists and has room");
  };
  std::FILE* f = std::fopen(temporary.c_str(), "wb");
  if (!f) fail(errno);
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), f) == bytes.size();
  const int error = errno;
  if (std::fclose(f) != 0 || !written) fail(written ? errno : error);
  if (!special && std::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
}

std::string grouped(uint64_t value) {
  std::string r = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(r.size()) - 3; i > 0; i -= 3)
    r.insert(static_cast<size_t>(i), ",");
  return r;
}

int run_cli(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_DFL);  // `ttpu disasm x | head` ends quietly
  Context context;
  CLI::App app{
      "Torus TPU: compile models, run them on the RTL or the golden model, look inside.\n"
      "Exit codes: 0 ok, 1 wrong result, 2 usage, 3 bad file, 4 device or program failed.",
      "ttpu"};
  app.footer(
      "Examples:\n"
      "  ttpu compile model.onnx -o model.ttpu\n"
      "  ttpu run model.ttpu --device rtl --input x=random:1 --check golden\n"
      "  ttpu bench gemm --m 256 --n 256 --k 256 --json\n"
      "  ttpu asm program.s -o program.ttpu");
  app.set_version_flag("--version",
                       fmt::format("ttpu {} (ISA version {})", kVersion, isa::kIsaVersion));
  app.require_subcommand(1);
  add_compile(app, context);
  add_run(app, context);
  add_asm(app, context);
  add_disasm(app, context);
  add_config(app, context);
  add_bench(app, context);
  add_wave(app, context);
  add_pod(app, context);
  add_board(app, context);

  const bool json = has_json_flag(argc, argv);
  const auto failed = [&](ExitCode code, std::string_view what, std::string_view hint) {
    report(context, json, code, what, hint);
    return static_cast<int>(code);
  };
  try {
    app.parse(argc, argv);
    if (context.json) {
      context.result["exit_code"] = static_cast<int>(context.exit_code);
      std::cout << pretty(context.result) << '\n';
    }
    if (std::fflush(stdout) != 0 || !std::cout.flush())
      return failed(kBadFile, "cannot write to stdout", "");
    return context.exit_code;
  } catch (const CLI::Success& e) {  // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const auto [what, hint] = misuse(app, e, argc, argv);
    return failed(kUsage, what, hint);
  } catch (const CliError& e) {
    return failed(e.code, e.what(), e.hint);
  } catch (const ImageError& e) {
    return failed(kBadFile, e.what(), "");
  } catch (const CompileError& e) {
    return failed(kBadFile, e.what(), "");
  } catch (const DeviceError& e) {
    return failed(kDevice, e.what(), "");
  } catch (const std::bad_alloc&) {
    return failed(kDevice, "out of memory", "give smaller shapes");
  } catch (const std::exception& e) {
    return failed(kDevice, e.what(), "please report this: it should have had a better message");
  }
}

}  // namespace ttpu::cli
