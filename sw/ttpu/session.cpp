#include "ttpu/session.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstring>

#include "energy/energy.h"
#include "isa/suggest.h"
#include "runtime/board/serial_port.h"
#include "timing/model.h"
#include "ttpu/plain_gemm.h"
#include "ttpu/run_report.h"

namespace ttpu::cli {

DeviceOptions SimulationOptions::device_options(const Image& image) const {
  // Without a seed the memory draws nothing: the stalls asked for would not happen.
  if (memory.stall_percent && !memory.seed)
    throw CliError(kUsage, "--stall-percent without --memory-seed", "add --memory-seed 1");
  DeviceOptions o;
  o.hbm_bytes = (std::max<uint64_t>(image.hbm_bytes, 1) + 4095) & ~uint64_t{4095};
  o.memory = memory;
  o.trace_file = trace_file;
  o.max_cycles = max_cycles;
  o.random_init_seed = init_seed;
  return o;
}

Json SimulationOptions::conditions() const {
  return {{"device", device},
          {"memory_latency", memory.latency},
          {"memory_bytes_per_cycle", memory.bytes_per_cycle},
          {"memory_stall_percent", memory.stall_percent},
          {"memory_seed", memory.seed},
          {"init_seed", init_seed},
          {"threads", 1},
          {"trace", !trace_file.empty()}};
}

void add_simulation(CLI::App& app, SimulationOptions& o, const std::string& default_device) {
  o.device = default_device;
  app.add_option("--device", o.device,
                 "golden (the C++ model), rtl (the Verilated chip) or board:PORT[:BAUD]")
      ->check([](const std::string& name) {
        return name == "golden" || name == "rtl" || is_board(name)
                   ? std::string()
                   : name + " not in {golden,rtl,board:PORT[:BAUD]}";
      })
      ->capture_default_str();
  app.add_option("--latency", o.memory.latency, "rtl: cycles from read address to first data")
      ->capture_default_str();
  app.add_option("--bytes-per-cycle", o.memory.bytes_per_cycle,
                 "rtl: bytes the memory moves a cycle (0: as the bus is wide)")
      ->capture_default_str();
  app.add_option("--stall-percent", o.memory.stall_percent,
                 "rtl: share of random stalls on every bus channel; wants --memory-seed")
      ->check(CLI::Range(0, 99))
      ->capture_default_str();
  app.add_option("--memory-seed", o.memory.seed,
                 "rtl: seed of random stalls and latencies, 0: none")
      ->capture_default_str();
  app.add_option("--init-seed", o.init_seed, "registers and memories start random (0: zero)")
      ->capture_default_str();
  app.add_option("--max-cycles", o.max_cycles, "give up after so many cycles")
      ->check(at_least_one());
  app.add_flag("--predict", o.predict, "add the cycles that the timing model predicts");
  app.add_option("--trace", o.trace_file, "rtl: write a wave (FST) to this file");
}

void check_simulation(const CLI::App& app, const SimulationOptions& o) {
  if (!is_board(o.device)) return;
  const auto refuse = [&](const char* option, const char* why, const std::string& more) {
    if (app.count(option))
      throw CliError(kUsage, fmt::format("{}: {} is of the simulated chip", why, option),
                     "leave it out, or use --device rtl" + more);
  };
  // The timing model's memory has them too.
  for (const char* option : {"--latency", "--bytes-per-cycle"})
    if (!o.predict)
      refuse(option, "a board's memory is as fast as it is",
             fmt::format("; with --predict {} is of the timing model", option));
  for (const char* option : {"--stall-percent", "--memory-seed"})
    refuse(option, "a board's memory is as fast as it is", "");
  refuse("--init-seed", "a board starts with what its memories hold", "");
  refuse("--trace", "a board writes no waves", "");
}

RunResult timed_run(Device& device) {
  const double start = thread_seconds();
  RunResult r = device.run();
  if (is_board(device.name())) return r;  // works while this thread waits: its own time counts
  r.seconds = thread_seconds() - start;
  return r;
}

RunResult execute(Device& device, const Image& image, const Tensors& inputs) {
  device.load(image);
  for (const auto& t : image.inputs) {
    const auto it = inputs.find(t.name);
    if (it != inputs.end()) write_tensor(device, t, it->second);
  }
  return timed_run(device);
}

void add_prediction(const Image& image, const Config& config, const SimulationOptions& options,
                    uint64_t measured, Context& context) {
  timing::Memory memory;
  memory.latency = options.memory.latency;
  memory.bytes_per_cycle = options.memory.bytes_per_cycle;
  uint64_t cycles = 0;
  try {
    cycles =
        timing::predict(config, image.code, image.smem, image.entry, memory, options.max_cycles)
            .cycles;
  } catch (const timing::TimingError& e) {
    throw CliError(kDevice, fmt::format("no prediction: {}", e.what()), "leave out --predict");
  }
  context.result["predicted_cycles"] = cycles;
  context.print(
      measured
          ? fmt::format("predicted {} cycles, measured {} ({:+.2f} %)\n", grouped(cycles),
                        grouped(measured),
                        100.0 * (static_cast<double>(measured) / static_cast<double>(cycles) - 1))
          : fmt::format("predicted {} cycles\n", grouped(cycles)));
}

void add_energy(const golden::Activity& activity, const Config& config, Context& context) {
  Json all = Json::object();
  for (const auto node : {energy::Node::NM45, energy::Node::NM7}) {
    const auto report = energy::estimate(activity, config, node);
    const std::string name(energy::table(node).name);
    Json parts = Json::object();
    std::string text;
    for (const auto& part : report.parts) {
      parts[std::string(part.name)] = part.pj;
      if (part.pj > 0) text += fmt::format(", {} {:.2f}", part.name, part.pj / 1000);
    }
    all[name] = {{"total_pj", report.total_pj()}, {"parts_pj", std::move(parts)}};
    context.print(fmt::format("energy at {}: {:.2f} nJ{}\n", name, report.total_pj() / 1000,
                              text.empty() ? "" : ":" + text.substr(1)));
  }
  context.result["energy"] = std::move(all);
}

void require_done(const RunResult& r, const Image& image, const SimulationOptions& options,
                  Context& context) {
  if (r.error != isa::Error::NONE) {
    context.result["device_error"] = error_json(r, image);
    throw CliError(kDevice, explain_error(r, image));
  }
  if (!r.done)
    throw CliError(
        kDevice,
        fmt::format("the program did not end within {} cycles", grouped(options.max_cycles)),
        "raise --max-cycles, or look where it waits with --timeline");
}

Tensors read_outputs(Device& device, const Image& image) {
  Tensors r;
  for (const auto& t : image.outputs) r[t.name] = read_tensor(device, t);
  return r;
}

Mismatch compare(TensorType type, std::span<const uint8_t> got, std::span<const uint8_t> expected) {
  const uint32_t size = size_of(type);
  Mismatch m;
  if (got.size() != expected.size()) return {true, 0, std::max(got.size(), expected.size()) / size};
  for (uint64_t i = 0; i < got.size() / size; ++i) {
    if (std::memcmp(got.data() + i * size, expected.data() + i * size, size) == 0) continue;
    if (!m.found) m.index = i;
    m.found = true;
    ++m.count;
  }
  return m;
}

std::string position(const std::vector<uint32_t>& shape, uint64_t index) {
  std::vector<uint64_t> at(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    at[d] = index % shape[d];
    index /= shape[d];
  }
  return fmt::format("[{}]", isa::join(at));
}

}  // namespace ttpu::cli
