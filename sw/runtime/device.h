// The device API: one program image on any back end (golden, rtl, board; later pod).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"
#include "isa/generated/regs_gen.h"
#include "runtime/image.h"

namespace ttpu {

/// A device that cannot do what was asked. what() says why and what to do.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Start or end of a command on a unit.
struct TraceEvent {
  uint64_t cycle = 0;
  isa::Unit unit = isa::Unit::SCALAR;
  bool start = false;
  uint16_t pc = 0;
  isa::Opcode opcode = isa::Opcode::NOP;
};

/// Outcome of a run.
struct RunResult {
  bool done = false;  ///< reached HALT
  isa::Error error = isa::Error::NONE;
  isa::Unit error_unit = isa::Unit::SCALAR;
  uint32_t error_pc = 0;
  uint64_t error_addr = 0;
  std::vector<uint64_t> counters;  ///< regs::kNumCounters values; empty where the back end has none
  double seconds = 0;              ///< host time of the run
  uint64_t counter(regs::Counter c) const { return counters.empty() ? 0 : counters[c]; }
};

/// Accesses to bytes first .. last of the window are answered with an error (rtl back end).
struct MemoryError {
  uint64_t first = 0, last = 0;
  bool on_read = true, on_write = true;
  bool decode = false;  ///< DECERR instead of SLVERR
};

/// How the external memory behaves (rtl back end).
struct MemoryModel {
  uint32_t latency = 100;        ///< cycles from read address to first data
  uint32_t bytes_per_cycle = 0;  ///< 0 = the width of the bus
  uint64_t seed = 0;             ///< 0 = no random stalls
  uint32_t stall_percent = 0;
  uint64_t base = 0x4'0000'0000;         ///< AXI address of the window; above 32 bits on purpose
  std::vector<MemoryError> errors = {};  ///< parts that answer with an error
};

/// Options of open_device.
struct DeviceOptions {
  uint64_t hbm_bytes = 64ull << 20;
  MemoryModel memory{};
  std::string trace_file{};     ///< FST wave (rtl)
  bool trace_commands = false;  ///< keep TraceEvents
  uint64_t max_cycles = 1ull << 40;
  uint64_t random_init_seed = 0;  ///< 0 = zeros; else registers and memories start random
};

/// A device. Calls throw DeviceError; after an error of the program the device goes on with
/// clear().
class Device {
 public:
  virtual ~Device() = default;
  virtual const Config& config() const = 0;
  virtual std::string name() const = 0;
  /// Check the image against this device, write code, SMEM, constants. Refuses another hash.
  virtual void load(const Image& image) = 0;
  virtual void write_hbm(uint64_t addr, std::span<const uint8_t> bytes) = 0;
  virtual void read_hbm(uint64_t addr, std::span<uint8_t> bytes) = 0;
  virtual void write_vmem(uint64_t addr, std::span<const uint8_t> bytes) = 0;
  virtual void read_vmem(uint64_t addr, std::span<uint8_t> bytes) = 0;
  /// Start at the image's entry and wait for done or error, at most max_cycles.
  virtual RunResult run() = 0;
  virtual void clear() = 0;
  /// All calls above and trace() act on the tensor core selected: 0 at first. Each core has an HBM
  /// of its own.
  virtual void select_core(uint32_t core);
  /// Start all cores, each with the image that was loaded into it, and wait for all of them. No
  /// trace is kept.
  virtual std::vector<RunResult> run_all() { return {run()}; }
  virtual const std::vector<TraceEvent>& trace() const = 0;
};

/// The names that open_device knows, apart from board:PORT[:BAUD].
std::vector<std::string> backend_names();

/// Throws DeviceError unless the image can run on a device of this configuration and size of HBM:
/// the first thing that every back end's load() does.
void check_image(const Image& image, const Config& config, uint64_t hbm_bytes);

/// What libttpu_rtl_<config>.so exports under the name kRtlSymbol, with C linkage.
using CreateRtlDevice = Device* (*)(const Config& config, const DeviceOptions& options);
inline constexpr const char* kRtlSymbol = "ttpu_create_rtl_device";

/// Open "golden", "rtl" or "board:PORT[:BAUD]" for a configuration. The rtl back end is a shared
/// object, one a configuration (libttpu_rtl_<config>.so beside the program): a missing one is an
/// error that names the make target.
std::unique_ptr<Device> open_device(const std::string& backend, const Config& config,
                                    const DeviceOptions& options = {});

/// Write a tensor given densely, in row-major order, into HBM by its descriptor; and read it.
void write_tensor(Device& device, const TensorDesc& desc, std::span<const uint8_t> dense);
std::vector<uint8_t> read_tensor(Device& device, const TensorDesc& desc);

}  // namespace ttpu
