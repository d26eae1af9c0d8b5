// ttpu run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "runtime/board/serial_port.h"
#include "runtime/golden_device.h"
#include "ttpu/cli.h"
#include "ttpu/progress.h"
#include "ttpu/run_report.h"
#include "ttpu/session.h"
#include "ttpu/tensor_io.h"
#include "ttpu/timeline.h"

namespace ttpu::cli {
namespace {

constexpr uint64_t kMaxJsonValues = 64;  // of an output, shown in --json

struct Options {
  std::string image, config, check, timeline;
  std::vector<std::string> inputs, outputs;
  bool energy = false;
  SimulationOptions simulation;
};

Tensors load_inputs(const Options& o, const Image& image) {
  Tensors inputs;
  for (const auto& text : o.inputs) {
    const auto [name, source] = parse_named(text, "--input");
    const TensorDesc& desc = find_tensor(image.inputs, name, "--input");
    if (inputs.count(name))
      throw CliError(kUsage, fmt::format("--input {} is given twice", name), "keep one of them");
    inputs[name] = load_tensor(desc, source);
  }
  std::string missing;
  for (const auto& t : image.inputs)
    if (!inputs.count(t.name))
      missing += fmt::format("\n    --input {}=FILE|random:SEED   ({})", t.name, describe(t));
  if (!missing.empty())
    throw CliError(kUsage, "the program has inputs that are not given", "add" + missing);
  return inputs;
}

Json output_json(const TensorDesc& desc, const std::vector<uint8_t>& dense) {
  Json r = {{"name", desc.name}, {"type", name_of(desc.type)}, {"shape", desc.shape}};
  if (desc.elements() <= kMaxJsonValues) {
    Json values = Json::array();
    for (uint64_t i = 0; i < desc.elements(); ++i) values.push_back(element(desc.type, dense, i));
    r["values"] = std::move(values);
  }
  return r;
}

/// Run on the golden model, for --check and --energy. False if the outputs differ: says where.
bool run_golden(const Options& o, const Image& image, const Config& config, const Tensors& inputs,
                const Tensors& outputs, Context& context) {
  SimulationOptions golden = o.simulation;
  golden.device = "golden";
  golden.trace_file.clear();
  auto device = open_device("golden", config, golden.device_options(image));
  {
    const Progress progress("running on the golden model");
    require_done(execute(*device, image, inputs), image, golden, context);
  }
  if (o.energy)
    if (auto* model = dynamic_cast<GoldenDevice*>(device.get()))
      add_energy(model->machine().activity, config, context);
  if (o.check.empty()) return true;
  const Tensors expected = read_outputs(*device, image);
  bool equal = true;
  Json list = Json::array();
  for (const auto& t : image.outputs) {
    const Mismatch m = compare(t.type, outputs.at(t.name), expected.at(t.name));
    if (!m.found) continue;
    equal = false;
    const double got = element(t.type, outputs.at(t.name), m.index);
    const double want = element(t.type, expected.at(t.name), m.index);
    const std::string at = position(t.shape, m.index);
    list.push_back({{"output", t.name},
                    {"differing", m.count},
                    {"first", at},
                    {"got", got},
                    {"expected", want}});
    context.print(
        fmt::format("MISMATCH in {}: {} of {} elements differ, first {}: got {}, expected {}\n",
                    t.name, grouped(m.count), grouped(t.elements()), at, got, want));
  }
  context.result["bit_equal"] = equal;
  if (!equal) context.result["mismatches"] = std::move(list);
  return equal;
}

void run_image(const Options& o, Context& context) {
  const Image image = Image::load(o.image);
  const std::string name = o.config.empty() ? image.config_name : o.config;
  const Config& config = config_or_fail(name);
  if (!o.check.empty() && image.outputs.empty())
    throw CliError(kUsage, "--check has nothing to compare: the program has no outputs",
                   "declare them with .output");
  const Tensors inputs = load_inputs(o, image);
  std::vector<std::pair<const TensorDesc*, std::string>> saves;
  for (const auto& text : o.outputs) {
    const auto [output, path] = parse_named(text, "--output");
    saves.emplace_back(&find_tensor(image.outputs, output, "--output"), path);
  }

  DeviceOptions options = o.simulation.device_options(image);
  options.trace_commands = !o.timeline.empty();
  auto device = open_device(o.simulation.device, config, options);
  RunResult r;
  {
    const Progress progress("running on " + device->name());
    r = execute(*device, image, inputs);
  }
  context.result = {{"image", o.image}, {"config", config.name}};
  context.result.update(o.simulation.conditions());
  context.result["done"] = r.done;
  context.result["seconds"] = r.seconds;
  if (!r.counters.empty()) {
    const uint64_t cycles = r.counter(regs::CYCLES);
    context.result["cycles"] = cycles;
    context.result["mxu_utilisation"] = mxu_utilisation(r, config);
    if (r.seconds > 0)
      context.result["kcycles_per_s"] = static_cast<double>(cycles) / r.seconds / 1000;
    context.result["counters"] = counters_json(r);
  }
  if (!o.timeline.empty()) {  // also after an error: it shows where
    if (device->trace().empty())
      throw CliError(kUsage,
                     fmt::format("{} has no times of commands for --timeline", device->name()),
                     "use --device rtl");
    write_file(o.timeline, timeline_json(device->trace(), image, device->name()));
    context.result["timeline"] = o.timeline;
  }
  if (!r.counters.empty()) context.print(counters_table(r));
  require_done(r, image, o.simulation, context);

  const Tensors outputs = read_outputs(*device, image);
  for (const auto& [desc, path] : saves) save_tensor(*desc, outputs.at(desc->name), path);
  Json list = Json::array();
  for (const auto& t : image.outputs) {
    list.push_back(output_json(t, outputs.at(t.name)));
    context.print(fmt::format("output {}: {}: {}\n", t.name, describe(t),
                              summarise(t.type, outputs.at(t.name))));
  }
  context.result["outputs"] = std::move(list);
  if (r.counter(regs::CYCLES))
    context.print(fmt::format(
        "{} cycles, MXU use {:.1f} %, {:.0f} kcycle/s {}\n", grouped(r.counter(regs::CYCLES)),
        100 * mxu_utilisation(r, config),
        r.seconds > 0 ? static_cast<double>(r.counter(regs::CYCLES)) / r.seconds / 1000 : 0.0,
        device->name().starts_with("board:") ? "by the host's clock, serial line included"
                                             : "of simulation"));
  if (!o.timeline.empty())
    context.print(fmt::format("timeline: open {} in https://ui.perfetto.dev\n", o.timeline));
  if (o.simulation.predict)
    add_prediction(image, config, o.simulation, r.counter(regs::CYCLES), context);
  if (o.check.empty() && !o.energy) return;
  if (!run_golden(o, image, config, inputs, outputs, context))
    context.exit_code = kMismatch;
  else if (!o.check.empty())
    context.print("equal to the golden model, bit for bit\n");
}

/// `run` with its options. `device` is the default one; where that is a board, there is no other.
void add_command(CLI::App& app, Context& context, const char* device, const char* examples) {
  auto* sub = app.add_subcommand("run", "run a program image on a device");
  auto o = std::make_shared<Options>();
  sub->add_option("IMAGE", o->image, "program image")->required();
  sub->add_option("--config", o->config, "configuration of the device (default: the image's)");
  sub->add_option("--input", o->inputs, "NAME=FILE.npy, NAME=FILE (raw) or NAME=random:SEED")
      ->allow_extra_args(false);
  sub->add_option("--output", o->outputs, "NAME=FILE.npy or NAME=FILE (raw) to write")
      ->allow_extra_args(false);
  sub->add_option("--check", o->check, "golden: compare all outputs with the golden model")
      ->check(CLI::IsMember({"golden"}));
  sub->add_option("--timeline", o->timeline, "write the commands over time, for ui.perfetto.dev");
  sub->add_flag("--energy", o->energy, "estimate the energy at 45 nm and 7 nm, by part");
  add_simulation(*sub, o->simulation, device);
  add_json(*sub, context);
  sub->footer(examples);
  on_run(*sub, [o, sub, boards_only = is_board(device), &context] {
    if (boards_only) board_or_fail(o->simulation.device);
    check_simulation(*sub, o->simulation);
    run_image(*o, context);
  });
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  add_command(
      app, context, "golden",
      "Examples:\n"
      "  ttpu run model.ttpu --input x=digits.npy --output y=logits.npy\n"
      "  ttpu run model.ttpu --device rtl --input x=random:7 --check golden --timeline t.json\n"
      "  ttpu run model.ttpu --device rtl --input x=random:7 --predict --energy\n"
      "  ttpu run model.ttpu --device rtl --input x=random:7 --trace run.fst");
}

void add_board_run(CLI::App& board, Context& context) {
  add_command(board, context, "board",
              "Example:\n"
              "  ttpu board run model.ttpu --device board:/dev/ttyUSB1 --input x=digits.npy "
              "--check golden");
}

}  // namespace ttpu::cli
