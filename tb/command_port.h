// Drives the command port of one unit (docs/reference/interfaces.md, "Units and commands") and
// collects what the unit reports. An extension of tb::Controller.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden/machine.h"
#include "isa/generated/isa_gen.h"
#include "isa/generated/regs_gen.h"
#include "tb/bits.h"
#include "tb/report.h"
#include "tb/scoreboard.h"
#include "tb/stall.h"

namespace tb {

/// Bit position of each field of a packed struct, given the widths in the order of declaration
/// (the first field is the highest).
template <size_t Count>
struct PackedLayout {
  std::array<uint32_t, Count> width, lsb{};
  uint32_t bits = 0;
  constexpr explicit PackedLayout(std::array<uint32_t, Count> widths) : width(widths) {
    for (size_t i = Count; i-- > 0;) {
      lsb[i] = bits;
      bits += width[i];
    }
  }
};

// cmd_t and status_t of rtl/pkg/ttpu_pkg.sv; tests/tb holds these widths to the RTL's.
inline constexpr PackedLayout<6> kCmdLayout({8, 86, 32, 32, 32, 16});
inline constexpr PackedLayout<7> kStatusLayout({1, 1, 8, 16, 64, 3, 1});
using CmdPort = VlWide<(kCmdLayout.bits + 31) / 32>;
using StatusPort = VlWide<(kStatusLayout.bits + 31) / 32>;

/// Lowest bit of the body in an instruction, and its width.
inline constexpr uint32_t kBodyLsb = 42, kBodyBits = 86;

/// Pack a command as cmd_t.
inline void pack_command(CmdPort& port, const ttpu::golden::Command& command) {
  port = {};
  const auto& f = kCmdLayout;
  set_bits(port, f.lsb[0], 8, command.instr.get(0, 8));
  for (uint32_t i = 0; i < kBodyBits; i += 32) {
    const uint32_t n = kBodyBits - i < 32 ? kBodyBits - i : 32;
    set_bits(port, f.lsb[1] + i, n,
             command.instr.get(static_cast<int>(kBodyLsb + i), static_cast<int>(n)));
  }
  set_bits(port, f.lsb[2], 32, command.a);
  set_bits(port, f.lsb[3], 32, command.b);
  set_bits(port, f.lsb[4], 32, command.c);
  set_bits(port, f.lsb[5], 16, command.pc);
}

/// status_t, unpacked.
struct UnitStatus {
  bool done = false, error = false;
  ttpu::isa::Error cause = ttpu::isa::Error::NONE;
  uint32_t pc = 0;
  uint64_t addr = 0;
  uint32_t activity = 0;  ///< activity_e of ttpu_reg_pkg
  bool quiet = false;
};

inline UnitStatus unpack_status(const StatusPort& port) {
  const auto& f = kStatusLayout;
  UnitStatus s;
  s.done = get_bits(port, f.lsb[0], 1);
  s.error = get_bits(port, f.lsb[1], 1);
  s.cause = static_cast<ttpu::isa::Error>(get_bits(port, f.lsb[2], 8));
  s.pc = static_cast<uint32_t>(get_bits(port, f.lsb[3], 16));
  s.addr = get_bits(port, f.lsb[4], 64);
  s.activity = static_cast<uint32_t>(get_bits(port, f.lsb[5], 3));
  s.quiet = get_bits(port, f.lsb[6], 1);
  return s;
}

/// The wires of a command port.
struct CommandSignals {
  CData& valid;
  CmdPort& cmd;
  const CData& ready;
  const StatusPort& status;
};

// Binding by the project's port names (cmd_valid_i, cmd_i, cmd_ready_o, status_o after a prefix).
#define TTPU_BIND_COMMAND(m, p) \
  tb::CommandSignals { (m).p##cmd_valid_i, (m).p##cmd_i, (m).p##cmd_ready_o, (m).p##status_o }
#define TTPU_BIND_COMMAND_AT(m, p, i)                                                 \
  tb::CommandSignals {                                                                \
    (m).p##cmd_valid_i[i], (m).p##cmd_i[i], (m).p##cmd_ready_o[i], (m).p##status_o[i] \
  }

class UnitDriver {
 public:
  /// A command's life.
  struct Event {
    ttpu::golden::Command command;
    uint64_t accepted = 0, done = 0;  ///< cycles, counted from the driver's first
  };

  explicit UnitDriver(CommandSignals signals, std::string name = "unit", uint32_t stall_percent = 0)
      : s_(signals), stall_(name + " cmd", stall_percent), name_(std::move(name)) {
    s_.valid = 0;
  }

  /// Queue a command.
  void send(const ttpu::golden::Command& command) { queue_.push_back(command); }

  StallInjector& stall() { return stall_; }
  uint64_t cycle() const { return cycle_; }
  /// Commands that are done, in order.
  const std::vector<Event>& done() const { return done_; }
  size_t in_flight() const { return flight_.size(); }
  /// All commands sent are done (or one of them ended in an error).
  bool idle() const { return (queue_.empty() && flight_.empty()) || error_; }
  /// What stopped the unit, as the golden model says it (unit left at its default).
  const std::optional<ttpu::golden::Fault>& error() const { return error_; }
  const UnitStatus& status() const { return status_; }
  /// Cycles in each activity state.
  const std::array<uint64_t, 8>& activity() const { return activity_; }
  /// Command that is offered or in flight, for messages.
  std::string now() const {
    if (!flight_.empty()) return describe(flight_.front().command);
    if (!queue_.empty()) return describe(queue_.front());
    return "no command";
  }
  /// Forget everything queued and the error, after the unit was cleared.
  void clear() {
    queue_.clear();
    flight_.clear();
    error_.reset();
    s_.valid = 0;
  }

  void before_clock() {
    ++cycle_;
    if (s_.valid || queue_.empty() || error_) return;
    if (stall_.stall()) return;
    pack_command(s_.cmd, queue_.front());
    s_.valid = 1;
  }
  void at_clock() {
    status_ = unpack_status(s_.status);
    ++activity_[status_.activity];
    if (status_.done) {
      if (flight_.empty()) {
        fail(format("%s: cycle %llu: done without a command", name_.c_str(), ull(cycle_)));
      } else {
        flight_.front().done = cycle_;
        done_.push_back(flight_.front());
        flight_.pop_front();
      }
    }
    if (status_.error) {
      if (error_) fail(format("%s: cycle %llu: a second error", name_.c_str(), ull(cycle_)));
      error_ = ttpu::golden::Fault{};
      error_->cause = status_.cause;
      error_->pc = status_.pc;
      error_->addr = status_.addr;
    }
    if (s_.valid && s_.ready) {
      flight_.push_back({queue_.front(), cycle_, 0});
      queue_.pop_front();
      taken_ = true;
    }
  }
  void after_clock() {
    if (taken_ || error_) s_.valid = 0;
    taken_ = false;
  }

 private:
  static unsigned long long ull(uint64_t v) { return v; }

  CommandSignals s_;
  StallInjector stall_;
  std::string name_;
  std::deque<ttpu::golden::Command> queue_;
  std::deque<Event> flight_;
  std::vector<Event> done_;
  std::optional<ttpu::golden::Fault> error_;
  UnitStatus status_;
  std::array<uint64_t, 8> activity_{};
  uint64_t cycle_ = 0;
  bool taken_ = false;
};

}  // namespace tb
