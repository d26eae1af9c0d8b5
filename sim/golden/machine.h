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

/// A unit's command (SYNC included, scalar instructions not) as it completed, for comparison with
/// the RTL's trace.
struct Retired {
  isa::Unit unit;
  uint32_t pc;
  isa::Opcode opcode;
  bool operator==(const Retired&) const = default;
};

/// Operations and accesses of a run, for the energy model and for utilisation.
struct Activity {
  uint64_t macs_int8 = 0, macs_bf16 = 0;  ///< unmasked multiply-adds
  uint64_t mxu_rows = 0, mxu_macs = 0;    ///< as the RTL's counters of those names
  uint64_t vpu_rows = 0;                  ///< as the RTL's counter
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

  std::vector<uint8_t> vmem;      ///< config.vmem_bytes()
  std::vector<uint8_t> hbm;       ///< the window
  std::vector<uint8_t> cmem;      ///< config.cmem_bytes; shared: see share_cmem
  std::vector<uint32_t> acc;      ///< acc_total() x n, row-major
  std::vector<uint32_t> smem;     ///< config.smem_words
  std::vector<isa::Instr> imem;   ///< config.imem_words, zero = NOP
  std::vector<uint32_t> vreg[4];  ///< n lanes each
  uint32_t reg[32] = {};
  uint32_t flag[32] = {};
  Activity activity;
  std::vector<Retired> retired;  ///< per run, in order of completion (order per unit is exact)
  std::vector<uint32_t> tags;    ///< immediates of TAG, in order

  /// True if a unit command could start now, wait_value apart (weights and swaps hand over).
  bool ready(const Command& command) const;

  /// Carry out one unit command at once, ignoring its wait and signal.
  /// Requires ready(command). Returns the fault that stops the chip, or nothing.
  std::optional<Fault> execute(const Command& command);

  /// Run the program in imem from `entry` until HALT or a fault.
  /// A program that can make no progress, or exceeds `max_instructions` scalar instructions,
  /// ends with WATCHDOG.
  std::optional<Fault> run(uint32_t entry, uint64_t max_instructions = 1ull << 32);

  /// Forget errors, queues, flags, configuration and vector registers, as CTRL.CLEAR does.
  void clear();

 private:
  // What the DMA channels, the MXU and the VPU were told and keep until told otherwise.
  struct DmaConfig {
    uint32_t n[4] = {};  // bytes, then counts of dimensions 1 to 3
    int32_t far_stride[3] = {}, vmem_stride[3] = {};
  };
  struct MxuWalk {
    uint32_t inner0 = 0, inner1 = 0;
    int32_t stride1 = 0, stride2 = 0;
  };
  struct Weights {
    uint32_t k = 0, n = 0;
    bool floating = false;
    std::vector<int32_t> integer;  // config.n a row, masked columns 0
    std::vector<float> real;
  };
  struct Stream {
    isa::Dtype dtype = isa::Dtype::S8;
    bool enable = false, from_acc = false, dequant = false, floating = false;
    int32_t stride[3] = {};
    int32_t zp = 0;
    uint32_t scale = 0;
  };
  struct Stage {
    isa::Vop op = isa::Vop::PASS;
    isa::Voperand operand = isa::Voperand::CONST;
    bool swap = false;
    uint32_t shift = 0, constant = 0;
  };
  struct VpuConfig {
    Stream a, b, d;
    uint32_t count[3] = {1, 1, 1};
    isa::Reduce row_reduce = isa::Reduce::NONE, lane_reduce = isa::Reduce::NONE;
    uint32_t row_dims = 0;
    bool reduce_fp = false;
    isa::Shuffle shuffle = isa::Shuffle::NONE;
    uint32_t shuffle_arg = 0;
    std::vector<Stage> stages;
    isa::Sfu sfu = isa::Sfu::NONE;
  };
  struct Core;  // the scalar core and the queues during a run

  using MaybeFault = std::optional<Fault>;
  MaybeFault execute_dma(const Command& command);
  MaybeFault transfer(const Command& command, DmaConfig& dma, bool store);
  MaybeFault execute_mxw(const Command& command);
  MaybeFault execute_mxs(const Command& command);
  MaybeFault matmul(const Command& command);
  MaybeFault check_loadw(const Command& command) const;
  MaybeFault check_matmul(const Command& command) const;
  uint32_t walk_address(uint32_t start, int32_t stride, uint32_t row) const;
  MaybeFault execute_vpu(const Command& command);
  MaybeFault vpu_seta(const Command& command);
  MaybeFault vpu_setb(const Command& command);
  MaybeFault vpu_setd(const Command& command);
  MaybeFault vpu_shape(const Command& command);
  MaybeFault vpu_stage(const Command& command);
  MaybeFault vpu_sfu(const Command& command);
  MaybeFault vpu_ldv(const Command& command);
  MaybeFault vpu_run(const Command& command);
  MaybeFault vpu_xpose(const Command& command);
  MaybeFault misaligned(const Command& command, const Stream& stream, uint32_t start,
                        const uint32_t (&counts)[3]) const;
  MaybeFault vmem_row_fault(const Command& command, uint32_t addr) const;
  uint32_t stream_address(const Stream& stream, uint32_t start, const uint32_t (&index)[3]) const;
  void load_lanes(const Stream& stream, uint32_t addr, std::vector<uint32_t>& lanes);
  void run_chain(std::vector<uint32_t>& x, const std::vector<uint32_t>& a,
                 const std::vector<uint32_t>& b);
  void run_stage(const Stage& stage, std::vector<uint32_t>& x, const std::vector<uint32_t>& a,
                 const std::vector<uint32_t>& b, std::vector<uint8_t>& predicate);
  uint32_t reduce_lanes(const std::vector<uint32_t>& x, uint32_t lanes);
  void store_lanes(const std::vector<uint32_t>& x, uint32_t addr, uint32_t lanes);
  void reset_vpu();

  const Config& config_;
  std::vector<DmaConfig> dma_;
  MxuWalk walk_;
  Weights weights_[2];   // [0] in use, [1] the second register
  bool filled_ = false;  // the second register holds weights for the next swap
  VpuConfig vpu_;
};

/// The unit that an opcode goes to, its fields `channel` and `unit` apart; nothing if there is no
/// such opcode.
std::optional<isa::Unit> unit_of(const isa::Instr& instr);
/// Bytes of an element; 0 for a value that is no type.
uint32_t bytes_of(isa::Dtype dtype);

}  // namespace ttpu::golden
