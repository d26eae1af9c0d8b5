// Timing of the scalar core, the queues and the flags: what happens in which cycle.
#pragma once
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"
#include "isa/generated/regs_gen.h"

namespace ttpu::timing {

inline constexpr int kQueues = 5;  ///< DMA0, DMA1, MXW, MXS, VPU; queue q serves unit q + 1

/// What a unit did in a cycle; the order of unit_states in registers.yaml.
enum class State : uint8_t { Idle, Busy, StallSync, StallMem, StallData };

/// A command at a unit's port.
struct Command {
  isa::Opcode opcode = isa::Opcode::NOP;
  isa::Instr instr;
  uint32_t a = 0, b = 0, c = 0;
};

/// What a unit shows control in a cycle, from its state and the grants of the cycle.
struct UnitView {
  bool ready = false;  ///< takes a command in this cycle if one is offered
  bool done = false;   ///< its oldest command ends in this cycle
  bool quiet = true;
  State state = State::Idle;
};

/// ttpu_rr_arb: one of several requests, in turn.
struct RoundRobin {
  uint32_t mask = 0;
  int pick(uint32_t requests) const;  ///< number of the request granted, -1 without one
  void advance(int granted);
};

/// A program that the model cannot follow to its end. what() says where and why.
struct TimingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Scalar core, queues and flags, a cycle at a time. Use: evaluate(), then look at accepted() to
/// hand commands to the units, then advance().
class Control {
 public:
  Control(const Config& config, const std::vector<isa::Instr>& code,
          const std::vector<uint32_t>& smem, uint32_t entry);

  /// Work out this cycle from what the units show.
  void evaluate(const std::array<UnitView, kQueues>& units);
  /// Command that queue q's unit takes in this cycle, or nullptr.
  const Command* accepted(int q) const {
    return accept_[q] ? &queue_[q].slots[queue_[q].read].command : nullptr;
  }
  /// Take the clock edge.
  void advance();

  bool halted() const { return halted_; }
  uint32_t pc() const { return x_pc_; }
  bool issued() const { return push_queue_ >= 0; }
  bool progressed() const { return progress_; }
  State state(isa::Unit unit) const { return state_[static_cast<int>(unit)]; }

 private:
  struct Slot {
    Command command;
    uint8_t wait_value = 0, wait_flag = 0, signal = 0, signal_flag = 0;
  };
  struct Inflight {
    uint8_t signal = 0, signal_flag = 0;
  };
  struct Queue {
    std::vector<Slot> slots;
    uint32_t read = 0, write = 0, count = 0;
    std::array<Inflight, 8> fly;
    uint32_t fly_read = 0, fly_write = 0, fly_count = 0;
    bool armed = false;
    bool head = false;  ///< it stands in registers (fp_stages 4)
  };
  struct Decoded {
    isa::Instr instr;
    isa::Common common;
    isa::Opcode opcode = isa::Opcode::NOP;
    int queue = -1;  ///< -1: the scalar core executes it
    uint32_t imm = 0;
    uint16_t target = 0;
  };

  /// A wait on its way to the flags (fp_stages 4).
  struct Ask {
    bool valid = false;
    uint8_t flag = 0, value = 0;
    size_t waiter = 0;
  };

  bool grant(uint8_t flag, uint8_t value);
  bool wait(size_t waiter, bool waits, uint32_t flag, uint32_t value);
  void evaluate_scalar(bool all_idle);
  uint32_t read_reg(uint32_t r) const { return regs_[r]; }

  const Config& config_;
  std::vector<Decoded> code_;
  std::vector<uint32_t> smem_;
  std::array<uint32_t, 32> regs_{};
  std::array<int32_t, 32> flags_{};
  std::array<Queue, kQueues> queue_;

  // registers before and behind the flags, if there are: scalar core, then the queues
  const bool registered_;
  std::array<Ask, kQueues + 1> open_{};  ///< waits of which one is asked for in the next cycle
  RoundRobin turn_;
  Ask ask_;
  std::array<bool, kQueues + 1> given_{}, given_before_{};
  std::array<int32_t, 32> raised_before_{}, taken_before_{};
  bool idle_before_ = false;

  // pipeline of the scalar core
  uint32_t pc_ = 0, d_pc_ = 0, x_pc_ = 0;
  bool d_valid_ = false, x_valid_ = false, waited_ = false, second_ = false, third_ = false,
       halted_ = false;

  // outcome of evaluate()
  std::array<int32_t, 32> taken_{}, raised_{};
  std::array<bool, kQueues> accept_{}, pop_{}, done_{}, granted_{};
  bool live_ = false, x_done_ = false, x_granted_ = false, wait_ok_ = false;
  bool two_cycles_ = false, three_cycles_ = false, progress_ = false;
  int push_queue_ = -1;
  std::array<State, isa::kNumUnits> state_{};
};

}  // namespace ttpu::timing
