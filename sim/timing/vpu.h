// Timing of the vector unit (docs/reference/vpu.md): rows, grants and latencies, no data.
#pragma once
#include <cstdint>
#include <deque>

#include "timing/control.h"
#include "timing/vmem.h"

namespace ttpu::timing {

class Vpu {
 public:
  explicit Vpu(const Config& config);

  /// Accumulator row that it wants to read in this cycle, or -1.
  int64_t acc_request() const { return a_wait_ && acc_ ? a_addr_ : -1; }
  void request(Vmem& vmem) const;
  /// What it shows in this cycle, after the arbitrations.
  UnitView view(const Vmem& vmem, bool acc_granted);
  /// Clock edge; `command` is what it takes in this cycle, or nullptr.
  void advance(const Command* command);

  /// Rows taken in this cycle, as the counter VPU_ROWS sees them.
  bool row() const { return row_q_; }

 private:
  enum class Mode { Run, Xpose, Ldv };
  enum class Phase { Idle, Walk, Gather, Scatter, Drain };
  struct Walk {
    uint32_t addr = 0, outer1 = 0, outer2 = 0;
    void load(uint32_t start) { addr = outer1 = outer2 = start; }
    void step(bool roll0, bool roll1, uint32_t s0, uint32_t s1, uint32_t s2) {
      const uint32_t next = !roll0 ? addr + s0 : !roll1 ? outer1 + s1 : outer2 + s2;
      addr = next;
      if (roll0) outer1 = next;
      if (roll0 && roll1) outer2 = next;
    }
  };
  struct Stream {
    uint32_t s[3] = {};
    bool acc = false, on = false;
  };
  struct Result {
    uint64_t cycle;  ///< first cycle in which it can ask for its write
    uint32_t addr;
  };

  void take(const Command& command);
  uint32_t bytes(int32_t stride) const { return static_cast<uint32_t>(stride) * config_.n; }

  const Config& config_;
  // fixed numbers of the configuration
  const uint32_t pace_;               ///< cycles from one row to the next
  const uint32_t mem_;                ///< more cycles from a grant of VMEM to its word
  uint32_t loaded_;                   ///< from a row in front of the load to its last lane loaded
  uint32_t result_, scatter_result_;  ///< from it, and from a column's turn, to the write's request
  uint32_t sfu_, lane_reduce_cycles_;  ///< more with a special function, with a lane reduction
  uint32_t depth_;

  // configuration registers
  Stream a_, b_, d_;
  uint32_t n0_ = 1, n1_ = 1, n2_ = 1, row_dims_ = 0;
  bool lane_reduce_ = false, sfu_on_ = false;

  // the command in work
  Phase phase_ = Phase::Idle;
  Mode mode_ = Mode::Run;
  uint32_t left0_ = 1, left1_ = 1, left2_ = 1, cols_ = 0, col_ = 0, source_rows_ = 0;
  uint32_t gathered_ = 0, pending_ = 0;
  Walk walk_a_, walk_b_, walk_d_;
  bool done_q_ = false, row_q_ = false;

  // fetch: the row whose words are asked for
  bool a_wait_ = false, b_wait_ = false, acc_ = false;
  uint32_t a_addr_ = 0, b_addr_ = 0;
  bool fetch_last_ = false;
  uint32_t fetch_d_ = 0;
  uint32_t a_way_ = 0, b_way_ = 0;  ///< grants whose words are on their way
  std::deque<uint64_t> loads_;      ///< cycles in which rows of LDV and XPOSE leave the load stage
  std::deque<Result> results_;

  // outcome of view()
  bool a_gnt_ = false, b_gnt_ = false, written_ = false, step_ = false, scatter_ = false;
  bool last_ = false, load_done_ = false;
  uint64_t cycle_ = 0, walk_from_ = 0, fetch_free_ = 0, scatter_free_ = 0;
};

}  // namespace ttpu::timing
