// ttpu bench gemm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "compiler/compiler.h"
#include "ttpu/bench.h"
#include "ttpu/plain_gemm.h"
#include "ttpu/progress.h"
#include "ttpu/run_report.h"
#include "ttpu/session.h"
#include "ttpu/tensor_io.h"

namespace ttpu::cli {
namespace {

struct Options {
  std::string config = "core16", type = "int8";
  int64_t m = 1024, n = 1024, k = 1024;
  uint64_t seed = 1;
  bool cold = false, b_input = false;
  SimulationOptions simulation;
};

/// A product in memory: program, operands, where they go.
struct Job {
  GemmSpec spec;
  GemmLayout layout;
  Image image;
  std::vector<uint8_t> a, b;
  TensorType c_type = TensorType::S32;
};

struct Outcome {
  RunResult result;
  std::vector<uint8_t> c;
  std::vector<TraceEvent> trace;
};

Outcome run_job(const Job& job, const Config& config, const SimulationOptions& simulation,
                Context& context) {
  DeviceOptions options = simulation.device_options(job.image);
  options.trace_commands = job.spec.cold;
  auto device = open_device(simulation.device, config, options);
  const Progress progress(
      fmt::format("{}x{}x{} on {}", job.spec.m, job.spec.n, job.spec.k, device->name()));
  Outcome r;
  if (!job.spec.cold) {
    r.result = execute(*device, job.image, {{"a", job.a}, {"b", job.b}});
    require_done(r.result, job.image, simulation, context);
    r.c = read_tensor(*device, job.image.outputs.at(0));
  } else {
    device->load(job.image);
    for (const auto& s : cold_operands(job.spec, config, job.layout, job.a, job.b))
      device->write_vmem(s.addr, s.bytes);
    r.result = timed_run(*device);
    require_done(r.result, job.image, simulation, context);
    std::vector<uint8_t> vmem(config.vmem_bytes());
    device->read_vmem(0, vmem);
    r.c = cold_result(job.spec, job.layout, vmem);
  }
  r.trace = device->trace();
  return r;
}

/// Cycles from the start of the first command of MXW to the end of the last one of `last`, or of
/// any unit.
uint64_t cycles_between(const std::vector<TraceEvent>& trace, const isa::Unit* last) {
  uint64_t first = ~uint64_t{0}, end = 0;
  for (const auto& e : trace) {
    if (e.start && e.unit == isa::Unit::MXW) first = std::min(first, e.cycle);
    if (!e.start && (!last || e.unit == *last)) end = std::max(end, e.cycle);
  }
  return end > first ? end - first : 0;
}

Job make_job(const Options& o, const Config& config) {
  Job job;
  job.spec.m = o.m;
  job.spec.n = o.n;
  job.spec.k = o.k;
  job.spec.cold = o.cold;
  TensorType type = TensorType::S8;
  if (o.type == "bf16") {
    if (!config.has_fp)
      throw CliError(kUsage, fmt::format("{} has no bf16", config.name),
                     "take --type int8, or another configuration");
    job.spec.type = GemmSpec::Type::Bf16;
    job.spec.output = GemmSpec::Output::Fp32;
    job.c_type = TensorType::F32;
    type = TensorType::BF16;
  }
  job.a = random_tensor(type, static_cast<uint64_t>(o.m * o.k), 2 * o.seed);
  job.b = random_tensor(type, static_cast<uint64_t>(o.k * o.n), 2 * o.seed + 1);
  // B as the weights of a network are: a constant, which the compiler lays out in HBM by tiles.
  if (!o.cold) job.spec.b = job.b;
  job.image = build_gemm(job.spec, config, &job.layout);
  return job;
}

/// Cycles, use and speed of the run into the result; nothing where the device counts no cycles.
void add_speed(const Outcome& run, const Job& job, const Config& config, double plain,
               Context& context) {
  const auto& r = run.result;
  const double macs = static_cast<double>(job.spec.m) * static_cast<double>(job.spec.n) *
                      static_cast<double>(job.spec.k);
  Json& j = context.result;
  j["cycles"] = nullptr;
  j["mxu_utilisation"] = nullptr;
  j["kcycles_per_s"] = nullptr;
  if (const uint64_t total = r.counter(regs::CYCLES)) {
    uint64_t cycles = total;
    double use = mxu_utilisation(r, config);
    if (job.spec.cold) {
      // The product is there when its last row is in the accumulators; the program then moves it
      // on.
      const auto mxs = isa::Unit::MXS;
      cycles = cycles_between(run.trace, &mxs);
      j["cycles_to_vmem"] = cycles_between(run.trace, nullptr);
      j["cycles_of_program"] = total;
      use = use * static_cast<double>(total) / static_cast<double>(std::max<uint64_t>(cycles, 1));
    }
    j["cycles"] = cycles;
    j["mxu_utilisation"] = use;
    if (r.seconds > 0) j["kcycles_per_s"] = static_cast<double>(total) / r.seconds / 1000;
    j["counters"] = counters_json(r);
  }
  j["seconds"] = r.seconds;
  j["gmac_per_s"] = r.seconds > 0 ? macs / r.seconds / 1e9 : 0.0;
  j["plain_cpp_gmac_per_s"] = plain / 1e9;
  j["vs_plain_cpp"] = r.seconds > 0 ? macs / r.seconds / plain : 0.0;
}

std::string text_of(const Json& j, bool cold) {
  std::string r;
  if (!j["cycles"].is_null())
    r += fmt::format("  cycles          {}{}\n  MXU use         {:.2f} %\n",
                     grouped(j["cycles"].get<uint64_t>()),
                     cold ? fmt::format(" from the first weight read to the last result in the "
                                        "accumulators, {} to VMEM",
                                        grouped(j["cycles_to_vmem"].get<uint64_t>()))
                          : "",
                     100 * j["mxu_utilisation"].get<double>());
  if (!j["kcycles_per_s"].is_null())
    r += fmt::format("  simulation      {:.1f} kcycle/s\n", j["kcycles_per_s"].get<double>());
  return r + fmt::format("  speed           {:.4f} GMAC/s, {:.5f} of plain C++ ({:.1f} GMAC/s)\n",
                         j["gmac_per_s"].get<double>(), j["vs_plain_cpp"].get<double>(),
                         j["plain_cpp_gmac_per_s"].get<double>());
}

void run_gemm(const Options& o, Context& context) {
  const Config& config = config_or_fail(o.config);
  const Job job = make_job(o, config);
  Json& j = context.result;
  j = {{"bench", "gemm"}, {"config", config.name}, {"m", o.m},       {"n", o.n},
       {"k", o.k},        {"type", o.type},        {"cold", o.cold}, {"b_input", o.b_input},
       {"seed", o.seed}};
  j.update(o.simulation.conditions());
  if (o.simulation.memory.bytes_per_cycle == 0) j["memory_bytes_per_cycle"] = config.axi_bytes;

  const Outcome run = run_job(job, config, o.simulation, context);
  std::vector<uint8_t> plain_c;
  const double plain = plain_gemm_macs_per_s(job.spec, job.a, job.b, 0.3, &plain_c);
  add_speed(run, job, config, plain, context);

  // Every answer is held against the golden model; int8, exact in any order, against C++, too. The
  // golden model's bf16 has no other judge here: bit_equal is null then.
  Mismatch m;
  std::vector<uint8_t> expected;
  std::string reference;
  const auto check = [&](std::vector<uint8_t> right, const char* name) {
    if (m.found) return;
    expected = std::move(right);
    reference = name;
    m = compare(job.c_type, run.c, expected);
  };
  if (o.simulation.device != "golden") {
    SimulationOptions golden;
    golden.init_seed = o.simulation.init_seed;
    check(run_job(job, config, golden, context).c, "the golden model");
  }
  if (job.spec.type == GemmSpec::Type::Int8) check(std::move(plain_c), "plain C++");
  j["bit_equal"] = reference.empty() ? Json(nullptr) : Json(!m.found);
  context.print(fmt::format("{}x{}x{} {} on {} of {}{}\n", o.m, o.n, o.k, o.type,
                            o.simulation.device, config.name, o.cold ? ", operands in VMEM" : ""));
  context.print(text_of(j, o.cold));
  if (o.simulation.predict)
    add_prediction(job.image, config, o.simulation, run.result.counter(regs::CYCLES), context);
  if (m.found) {
    const std::vector<uint32_t> shape = {static_cast<uint32_t>(o.m), static_cast<uint32_t>(o.n)};
    const std::string text = fmt::format(
        "{} of {} elements differ from {}, first c{}: got {}, expected {}", grouped(m.count),
        grouped(static_cast<uint64_t>(o.m * o.n)), reference, position(shape, m.index),
        element(job.c_type, run.c, m.index), element(job.c_type, expected, m.index));
    j["mismatch"] = text;
    context.print("  MISMATCH: " + text + "\n");
    context.exit_code = kMismatch;
  } else {
    context.print(reference.empty() ? "  result          not compared: this is the golden model\n"
                                    : "  result          equal, bit for bit\n");
  }
}

}  // namespace

void add_bench(CLI::App& app, Context& context) {
  auto* bench = app.add_subcommand("bench", "measure: a product, the array alone, a network");
  bench->require_subcommand(1);
  bench->footer(
      "Examples:\n  ttpu bench gemm --m 256 --n 256 --k 256\n"
      "  ttpu bench array\n"
      "  ttpu bench net --topology 8x8 --traffic uniform");
  auto* sub = bench->add_subcommand("gemm", "a matrix product C[m][n] = A[m][k] * B[k][n]");
  auto o = std::make_shared<Options>();
  sub->add_option("--config", o->config, "configuration")->capture_default_str();
  const auto size = CLI::Range(int64_t{1}, int64_t{1} << 20);
  sub->add_option("--m", o->m, "rows of A and C")->check(size)->capture_default_str();
  sub->add_option("--n", o->n, "columns of B and C")->check(size)->capture_default_str();
  sub->add_option("--k", o->k, "columns of A, rows of B")->check(size)->capture_default_str();
  sub->add_option("--type", o->type, "int8 (to int32) or bf16 (to fp32)")
      ->check(CLI::IsMember({"int8", "bf16"}))
      ->capture_default_str();
  sub->add_option("--seed", o->seed, "seed of the operands")->capture_default_str();
  sub->add_flag("--cold", o->cold,
                "operands in VMEM; cycles from the first weight read to the last accumulator row");
  sub->add_flag(
      "--b-input", o->b_input,
      "B is an input, row-major in HBM (default: constant weights, packed by the compiler)");
  add_simulation(*sub, o->simulation, "rtl");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu bench gemm --m 256 --n 256 --k 256\n"
      "  ttpu bench gemm --m 16 --n 16 --k 16 --cold --json\n"
      "  ttpu bench gemm --config core128 --m 512 --n 512 --k 512 --type bf16");
  on_run(*sub, [o, sub, &context] {
    check_simulation(*sub, o->simulation);
    run_gemm(*o, context);
  });
  add_bench_array(*bench, context);
  add_bench_net(*bench, context);
}

}  // namespace ttpu::cli
