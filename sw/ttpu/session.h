// One run of an image on a device, as `run` and `bench` need it.
#pragma once
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/machine.h"
#include "runtime/device.h"
#include "ttpu/cli.h"

namespace ttpu::cli {

/// Options of the simulated memory and chip, shared by `run` and `bench`.
struct SimulationOptions {
  std::string device = "golden";
  MemoryModel memory;
  uint64_t max_cycles = 1ull << 40;
  uint64_t init_seed = 0;
  std::string trace_file;

  DeviceOptions device_options(const Image& image) const;
  bool predict = false;

  /// The conditions of a measurement, for --json.
  Json conditions() const;
};

/// Add --device and the options above to a subcommand.
void add_simulation(CLI::App& app, SimulationOptions& options, const std::string& default_device);

/// Throw CliError(kUsage) if an option was given that would do nothing on this device: what is of
/// the simulated chip only, with a board.
void check_simulation(const CLI::App& app, const SimulationOptions& options);

/// Dense bytes of tensors by name.
using Tensors = std::map<std::string, std::vector<uint8_t>>;

/// Device::run(); seconds are CPU time of this thread, so that a busy machine does not show in
/// them; with a board, time that passed.
RunResult timed_run(Device& device);
/// Load, write the inputs, run.
RunResult execute(Device& device, const Image& image, const Tensors& inputs);
/// Cycles that the timing model predicts, into result["predicted_cycles"] and a line of text;
/// beside the measured ones, where there are some.
void add_prediction(const Image& image, const Config& config, const SimulationOptions& options,
                    uint64_t measured, Context& context);
/// Energy of a run by part, from what the golden model did.
void add_energy(const golden::Activity& activity, const Config& config, Context& context);
/// Throw CliError(kDevice) with the explanation if the program did not reach HALT.
void require_done(const RunResult& result, const Image& image, const SimulationOptions& options,
                  Context& context);
/// Read all outputs.
Tensors read_outputs(Device& device, const Image& image);

/// The first difference of two dense tensors.
struct Mismatch {
  bool found = false;
  uint64_t index = 0, count = 0;  ///< of elements
};
Mismatch compare(TensorType type, std::span<const uint8_t> got, std::span<const uint8_t> expected);
/// "[2, 5]" of the element with that index.
std::string position(const std::vector<uint32_t>& shape, uint64_t index);

}  // namespace ttpu::cli
