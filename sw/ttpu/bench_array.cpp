// ttpu bench array.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/array_bench.h"
#include "ttpu/bench.h"
#include "ttpu/progress.h"

namespace ttpu::cli {
namespace {

struct Options {
  std::string config = "core16", type = "int8";
  bench::ArrayBenchOptions bench;
};

void run_array(Options o, Context& context) {
  const Config& config = config_or_fail(o.config);
  if (o.type == "bf16" && !config.has_fp)
    throw CliError(kUsage, fmt::format("{} has no bf16", config.name),
                   "take --type int8, or another configuration");
  o.bench.bf16 = o.type == "bf16";
  bench::ArrayBenchResult r;
  try {
    const Progress progress(fmt::format("array of {}", config.name));
    r = bench::run_array_bench(config, o.bench);
  } catch (const bench::ArrayBenchError& e) {
    throw CliError(kDevice, e.what());
  }
  context.result = {{"bench", "array"},
                    {"config", config.name},
                    {"device", "rtl"},
                    {"array", config.n},
                    {"type", o.type},
                    {"rows", o.bench.rows},
                    {"tiles", o.bench.tiles},
                    {"rounds", o.bench.rounds},
                    {"threads", 1},
                    {"trace", false},
                    {"cycles", r.cycles},
                    {"mxu_utilisation", r.mxu_utilisation},
                    {"bit_equal", r.bit_equal},
                    {"kcycles_per_s", r.kcycles_per_s},
                    {"gmac_per_s", r.gmac_per_s},
                    {"plain_cpp_gmac_per_s", r.plain_gmac_per_s},
                    {"vs_plain_cpp", r.vs_plain_cpp}};
  context.print(fmt::format(
      "{0}x{0} array of {1}, {2}, {3} tiles of {4} rows\n"
      "  cycles          {5}\n  MXU use         {6:.2f} %\n  simulation      {7:.1f} kcycle/s\n"
      "  speed           {8:.4f} GMAC/s, {9:.5f} of plain C++ ({10:.1f} GMAC/s)\n  result          "
      "{11}\n",
      config.n, config.name, o.type, o.bench.tiles, o.bench.rows, grouped(r.cycles),
      100 * r.mxu_utilisation, r.kcycles_per_s, r.gmac_per_s, r.vs_plain_cpp, r.plain_gmac_per_s,
      r.bit_equal ? "equal, bit for bit" : "MISMATCH with plain C++"));
  if (!r.bit_equal) context.exit_code = kMismatch;
}

}  // namespace

void add_bench_array(CLI::App& bench, Context& context) {
  auto* sub = bench.add_subcommand("array", "the systolic array alone, streaming without a bubble");
  auto o = std::make_shared<Options>();
  sub->add_option("--config", o->config, "configuration")->capture_default_str();
  sub->add_option("--type", o->type, "int8 or bf16")
      ->check(CLI::IsMember({"int8", "bf16"}))
      ->capture_default_str();
  sub->add_option("--rows", o->bench.rows, "rows a tile, at least N + 8")->capture_default_str();
  sub->add_option("--tiles", o->bench.tiles, "tiles a round")
      ->check(at_least_one())
      ->capture_default_str();
  sub->add_option("--rounds", o->bench.rounds, "rounds; the best counts")
      ->check(at_least_one())
      ->capture_default_str();
  add_json(*sub, context);
  sub->footer("Example:\n  ttpu bench array --config core128 --type int8");
  on_run(*sub, [o, &context] { run_array(*o, context); });
}

}  // namespace ttpu::cli
