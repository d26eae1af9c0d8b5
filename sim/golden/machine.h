// Golden model of one tensor core: what every command means, in host arithmetic.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"

namespace ttpu::golden {

/// A command with its register operands resolved, as a unit's queue receives it.
struct Command {
  isa::Instr instr;
  uint32_t a = 0, b = 0, c = 0;  ///< values of registers ra, rb, rc at issue
  uint32_t pc = 0;
};

/// Why the machine stopped. `addr` as docs/reference/interfaces.md says.
struct Fault {
  isa::Error cause = isa::Error::NONE;
  isa::Unit unit = isa::Unit::SCALAR;
  uint32_t pc = 0;
  uint64_t addr = 0;
  bool operator==(const Fault&) const = default;
};

/// A command as it completed, for comparison with the RTL's trace.
struct Retired {
  isa::Unit unit;
  uint32_t pc;
  isa::Opcode opcode;
  bool operator==(const Retired&) const = default;
};

/// Operations and accesses of a run, for the energy model and for utilisation.
struct Activity {
  uint64_t macs_int8 = 0, macs_bf16 = 0;      ///< unmasked multiply-adds
  uint64_t mxu_rows = 0, mxu_macs = 0;        ///< as the RTL's counters of those names
  uint64_t vpu_rows = 0;                      ///< as the RTL's counter
  uint64_t vpu_int_ops = 0, vpu_fp_add = 0, vpu_fp_mul = 0, vpu_sfu = 0;  ///< lane operations
  uint64_t vmem_read_bytes = 0, vmem_write_bytes = 0, acc_read_bytes = 0, acc_write_bytes = 0;
  uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0, cmem_read_bytes = 0, cmem_write_bytes = 0;
  uint64_t scalar_instructions = 0, commands = 0;
};

/// State of a core and its memories. All memories are zero after construction except VMEM and the
/// accumulators, which the caller may fill (a real SRAM starts with anything).
class Machine {
 public:
  /// `hbm_bytes`: size of the HBM window, address 0 = HBM_BASE.
  Machine(const Config& config, uint64_t hbm_bytes);

  const Config& config() const { return config_; }

  std::vector<uint8_t> vmem;            ///< config.vmem_bytes()
  std::vector<uint8_t> hbm;             ///< the window
  std::vector<uint8_t> cmem;            ///< config.cmem_bytes; shared: see share_cmem
  std::vector<uint32_t> acc;            ///< acc_total() x n, row-major
  std::vector<uint32_t> smem;           ///< config.smem_words
  std::vector<isa::Instr> imem;         ///< config.imem_words, zero = NOP
  std::vector<uint32_t> vreg[4];        ///< n lanes each
  uint32_t reg[32] = {};
  uint32_t flag[32] = {};
  Activity activity;
  std::vector<Retired> retired;         ///< per run, in order of completion (order per unit is exact)
  std::vector<uint32_t> tags;           ///< immediates of TAG, in order

  /// True if a unit command could start now, wait_value apart (weights and swaps hand over).
  bool ready(const Command& command) const;

  /// Carry out one unit command at once, ignoring its wait and signal.
  /// Requires ready(command). Returns the fault that stops the chip, or nothing.
  std::optional<Fault> execute(const Command& command);

  /// Run the program in imem from `entry` until HALT or a fault.
  /// A program that can make no progress, or exceeds `max_instructions` scalar instructions,
  /// ends with WATCHDOG.
  std::optional<Fault> run(uint32_t entry, uint64_t max_instructions = 1ull << 32);

  /// Forget errors, queues, flags and configuration registers, as CTRL.CLEAR does.
  void clear();

 private:
  const Config& config_;
  // (implementation state: configuration registers of the units, queues)
};

}  // namespace ttpu::golden
