// Control with units played by C++: they take commands when they like, need a random time, and end
// them in order. The bench keeps its own books of the flags from what it sees at the ports.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

#ifdef TTPU_FLAG_STAGES_3
#include "Vttpu_control3_dut.h"
#else
#include "Vttpu_control_dut.h"
#endif
#include "isa/generated/isa_gen.h"
#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/stall.h"

namespace control_test {

using ttpu::isa::Error;
using ttpu::isa::Instr;
using ttpu::isa::Opcode;
using ttpu::isa::Unit;

#ifdef TTPU_FLAG_STAGES_3
using Dut = Vttpu_control3_dut;
#else
using Dut = Vttpu_control_dut;
#endif

inline constexpr int kQueues = 5;
inline constexpr uint32_t kImemWords = 512, kSmemWords = 256, kQueueDepth = 4;

/// An instruction from its fields plus the common ones.
struct Common {
  uint32_t ra = 0, rb = 0, rc = 0, wait_value = 0, wait_flag = 0, signal = 0, signal_flag = 0;
};
template <class Fields>
Instr instr(Fields fields, Common c = {}) {
  Instr i = fields.encode();
  ttpu::isa::Common all = ttpu::isa::Common::decode(i);
  all.ra = c.ra, all.rb = c.rb, all.rc = c.rc;
  all.wait_value = c.wait_value, all.wait_flag = c.wait_flag;
  all.signal = c.signal, all.signal_flag = c.signal_flag;
  all.apply(i);
  return i;
}
/// One without fields of its own (NOP, HALT, JR, VPU_CLEAR) or with a 32-bit immediate or target.
inline Instr plain(Opcode op, Common c = {}, uint32_t imm = 0) {
  Instr i;
  ttpu::isa::Common all{static_cast<uint32_t>(op),
                        c.ra,
                        c.rb,
                        c.rc,
                        c.wait_value,
                        c.wait_flag,
                        c.signal,
                        c.signal_flag};
  all.apply(i);
  i.set(42, 32, imm);
  return i;
}
inline Instr halt() { return plain(Opcode::HALT); }
inline Instr sync(Unit unit, Common c = {}) {
  return instr(ttpu::isa::Sync{.unit = static_cast<uint32_t>(unit)}, c);
}
/// A command that its unit plays for `cycles` (0: random) cycles in this bench.
inline Instr work(Unit unit, Common c = {}) {
  switch (unit) {
    case Unit::DMA0:
      return instr(ttpu::isa::DmaLoad{.channel = 0}, c);
    case Unit::DMA1:
      return instr(ttpu::isa::DmaLoad{.channel = 1}, c);
    case Unit::MXW:
      return instr(ttpu::isa::MxuLoadw{}, c);
    case Unit::MXS:
      return instr(ttpu::isa::MxuMatmul{}, c);
    default:
      return instr(ttpu::isa::VpuRun{}, c);
  }
}

/// A command as a unit saw it.
struct Seen {
  uint64_t cycle = 0, done_cycle = 0;
  uint16_t pc = 0;
  uint8_t opcode = 0;
  uint32_t a = 0, b = 0, c = 0;
};

/// What the error registers say.
struct ErrorState {
  bool valid = false;
  Error cause = Error::NONE;
  Unit unit = Unit::SCALAR;
  uint32_t pc = 0;
  uint64_t addr = 0;
};

class Bench {
 public:
  explicit Bench(uint64_t init_seed = 0)
      : ctl_({.timeout_cycles = 4'000'000, .random_init_seed = init_seed, .name = "control"}) {
    ctl_.add(*this);
    // With random start values the inputs are random too.
    ctl_->start_i = ctl_->clear_req_i = ctl_->bad_write_i = 0;
    ctl_->imem_en_i = ctl_->smem_en_i = ctl_->ici_flag_valid_i = 0;
    ctl_->watchdog_i = 100000;
    for (auto& s : status_) s = quiet_status();
    drive();
    ctl_.run(2);
  }

  // How the units behave.
  uint32_t min_latency = 1, max_latency = 1, not_ready_percent = 0;
  std::array<std::deque<Seen>, kQueues> accepted;  ///< every command, in order
  std::vector<uint32_t> tags;
  uint64_t not_ready_felt = 0;

  Dut& dut() { return ctl_.dut(); }
  uint64_t cycle() const { return ctl_.cycle(); }
  void tick(uint64_t n = 1) { ctl_.run(n); }

  void write_imem(uint32_t index, const Instr& i) {
    for (uint32_t w = 0; w < 4; ++w) {
      ctl_->imem_en_i = ctl_->imem_we_i = 1;
      ctl_->imem_addr_i = static_cast<uint16_t>(index * 4 + w);
      ctl_->mem_wdata_i = i.words[w];
      ctl_.tick();
    }
    ctl_->imem_en_i = ctl_->imem_we_i = 0;
  }
  uint32_t read_imem(uint32_t word) {
    ctl_.tick();  // an instruction is written in the cycle behind its last word
    ctl_->imem_en_i = 1;
    ctl_->imem_we_i = 0;
    ctl_->imem_addr_i = static_cast<uint16_t>(word);
    ctl_.tick();
    ctl_->imem_en_i = 0;
    ctl_.settle();
    return ctl_->imem_rdata_o;
  }
  void load(const std::vector<Instr>& code, uint32_t at = 0) {
    ASSERT_LE(at + code.size(), kImemWords);
    for (uint32_t i = 0; i < code.size(); ++i) write_imem(at + i, code[i]);
  }
  void write_smem(uint32_t word, uint32_t value) {
    ctl_->smem_en_i = ctl_->smem_we_i = 1;
    ctl_->smem_addr_i = static_cast<uint8_t>(word);
    ctl_->mem_wdata_i = value;
    ctl_.tick();
    ctl_->smem_en_i = ctl_->smem_we_i = 0;
  }
  uint32_t read_smem(uint32_t word) {
    ctl_->smem_en_i = 1;
    ctl_->smem_we_i = 0;
    ctl_->smem_addr_i = static_cast<uint8_t>(word);
    ctl_.tick();
    ctl_->smem_en_i = 0;
    ctl_.settle();
    return ctl_->smem_rdata_o;
  }
  uint32_t flag(uint32_t f) {
    ctl_->flag_select_i = static_cast<uint8_t>(f);
    ctl_.settle();
    return ctl_->flag_value_o;
  }

  void start(uint32_t entry = 0) {
    ctl_->entry_i = entry;
    ctl_->start_i = 1;
    ctl_.tick();
    ctl_->start_i = 0;
    start_cycle_ = cycle();
  }
  /// Run to HALT or an error; cycles that run_o was high.
  uint64_t run(uint32_t entry = 0, uint64_t limit = 200000) {
    start(entry);
    EXPECT_TRUE(ctl_.run_until([&] { return !ctl_->run_o; }, limit, "the end of the program"));
    return cycle() - start_cycle_;
  }
  void clear(uint64_t limit = 1000) {
    ctl_->clear_req_i = 1;
    ctl_.tick();
    ctl_->clear_req_i = 0;
    ctl_.run_until([&] { return !ctl_->clear_pending_o; }, limit, "the end of CLEAR");
    ctl_.tick();
  }
  bool done() { return ctl_->done_o; }

  ErrorState error() {
    // fault_t: addr 64, pc 16, unit 3, cause 8, valid.
    const auto& f = ctl_->fault_o;
    return {tb::get_bits(f, 91, 1) != 0, static_cast<Error>(tb::get_bits(f, 83, 8)),
            static_cast<Unit>(tb::get_bits(f, 80, 3)),
            static_cast<uint32_t>(tb::get_bits(f, 64, 16)), tb::get_bits(f, 0, 64)};
  }

  /// A unit reports an error in the next cycle (once).
  void raise(int queue, Error cause, uint16_t pc, uint64_t addr) {
    raise_[queue] = {true, cause, Unit::SCALAR, pc, addr};
  }
  /// A unit is not quiet until told otherwise (a bus transfer that will not end).
  std::array<bool, kQueues> hold_busy{};
  /// ICI raises a flag in the next cycle.
  void ici_raise(uint32_t f) { ici_ = static_cast<int>(f); }

  // ---- extension of the controller -------------------------------------------------------------
  void before_clock() {
    for (int q = 0; q < kQueues; ++q) {
      ready_[q] = !halted_ && !stall_.chance(not_ready_percent) && !hold_busy[q];
      StatusFields s = quiet_fields();
      s.quiet = (halted_ || running_[q].empty()) && !hold_busy[q];
      s.activity = running_[q].empty() ? 0 : 1;
      if (!running_[q].empty() && running_[q].front().end <= cycle() && !hold_busy[q]) {
        s.done = 1;
        accepted[q][running_[q].front().index].done_cycle = cycle();
        running_[q].pop_front();
      }
      if (raise_[q].valid) {
        s.error = 1;
        s.cause = static_cast<uint8_t>(raise_[q].cause);
        s.pc = raise_[q].pc;
        s.addr = raise_[q].addr;
        raise_[q].valid = false;
      }
      status_[q] = pack(s);
    }
    drive();
    ctl_->ici_flag_valid_i = ici_ >= 0;
    ctl_->ici_flag_i = static_cast<uint8_t>(ici_ >= 0 ? ici_ : 0);
    ici_ = -1;
  }
  void at_clock() {
    halted_ = ctl_->halt_o;
    if (ctl_->tag_valid_o) tags.push_back(ctl_->tag_o);
    for (int q = 0; q < kQueues; ++q) {
      const bool valid = ctl_->cmd_valid_o >> q & 1;
      if (valid && !ready_[q]) ++not_ready_felt;
      if (!valid || !ready_[q]) continue;
      const auto& c = ctl_->cmd_o[q];
      Seen seen;
      seen.cycle = cycle();
      seen.pc = static_cast<uint16_t>(tb::get_bits(c, 0, 16));
      seen.c = static_cast<uint32_t>(tb::get_bits(c, 16, 32));
      seen.b = static_cast<uint32_t>(tb::get_bits(c, 48, 32));
      seen.a = static_cast<uint32_t>(tb::get_bits(c, 80, 32));
      seen.opcode = static_cast<uint8_t>(tb::get_bits(c, 198, 8));
      accepted[q].push_back(seen);
      const uint64_t last = running_[q].empty() ? 0 : running_[q].back().end + 1;
      const uint64_t end =
          cycle() + static_cast<uint64_t>(stall_.between(min_latency, max_latency));
      running_[q].push_back({std::max(last, end), accepted[q].size() - 1});
    }
    if (ctl_->clear_o)
      for (auto& r : running_) r.clear();
  }

 private:
  struct StatusFields {
    uint8_t done, error, cause;
    uint16_t pc;
    uint64_t addr;
    uint8_t activity, quiet;
  };
  struct Running {
    uint64_t end;
    size_t index;
  };
  using Status = std::array<uint32_t, 3>;
  static StatusFields quiet_fields() { return {0, 0, 0, 0, 0, 0, 1}; }
  static Status pack(const StatusFields& s) {
    Status w{};
    auto* bytes = reinterpret_cast<uint8_t*>(w.data());
    tb::set_bits(bytes, 0, 1, s.quiet);
    tb::set_bits(bytes, 1, 3, s.activity);
    tb::set_bits(bytes, 4, 64, s.addr);
    tb::set_bits(bytes, 68, 16, s.pc);
    tb::set_bits(bytes, 84, 8, s.cause);
    tb::set_bits(bytes, 92, 1, s.error);
    tb::set_bits(bytes, 93, 1, s.done);
    return w;
  }
  static Status quiet_status() { return pack(quiet_fields()); }
  void drive() {
    uint8_t ready = 0;
    for (int q = 0; q < kQueues; ++q) {
      ready = static_cast<uint8_t>(ready | (ready_[q] << q));
      for (int w = 0; w < 3; ++w) ctl_->status_i[q][w] = status_[q][w];
    }
    ctl_->cmd_ready_i = ready;
  }

  tb::Controller<Dut> ctl_;
  tb::Random stall_{"units"};
  std::array<Status, kQueues> status_{};
  std::array<bool, kQueues> ready_{};
  std::array<std::deque<Running>, kQueues> running_;
  std::array<ErrorState, kQueues> raise_{};
  bool halted_ = false;
  int ici_ = -1;
  uint64_t start_cycle_ = 0;
};

}  // namespace control_test
