#include "timing/control.h"

#include <fmt/format.h>

#include <bit>
#include <stdexcept>

namespace ttpu::timing {

using isa::Opcode;

int RoundRobin::pick(uint32_t requests) const {
  if (requests == 0) return -1;
  const uint32_t first = requests & mask;
  return std::countr_zero(first ? first : requests);
}

void RoundRobin::advance(int granted) { mask = ~((2u << granted) - 1); }

Control::Control(const Config& config, const std::vector<isa::Instr>& code,
                 const std::vector<uint32_t>& smem, uint32_t entry)
    : config_(config),
      code_(config.imem_words),
      smem_(smem),
      registered_(config.fp_stages > 1),
      pc_(entry) {
  smem_.resize(config.smem_words);
  for (auto& q : queue_) q.slots.resize(config.queue_depth);
  if (code.size() > code_.size())
    throw TimingError(fmt::format("program of {} instructions, {} holds {}", code.size(),
                                  config.name, code_.size()));
  for (size_t i = 0; i < code.size(); ++i) {
    Decoded& d = code_[i];
    d.instr = code[i];
    d.common = isa::Common::decode(code[i]);
    d.opcode = static_cast<Opcode>(d.common.opcode);
    d.imm = isa::Tag::decode(code[i]).imm;
    d.target = static_cast<uint16_t>(isa::Beq::decode(code[i]).target);
    for (const auto& op : isa::kOps) {
      if (op.opcode != d.common.opcode) continue;
      if (op.unit == "channel") {
        d.queue = static_cast<int>(isa::DmaShape::decode(code[i]).channel);
      } else if (op.unit == "unit") {
        d.queue = static_cast<int>(isa::Sync::decode(code[i]).unit) - 1;
      } else if (op.unit == "MXW") {
        d.queue = 2;
      } else if (op.unit == "MXS") {
        d.queue = 3;
      } else if (op.unit == "VPU") {
        d.queue = 4;
      }
      if (d.queue >= kQueues) throw TimingError(fmt::format("instruction {}: no such queue", i));
    }
  }
}

// Grants of one cycle are asked for in the order of the units; one grant a flag and cycle.
bool Control::grant(uint8_t flag, uint8_t value) {
  if (taken_[flag] != 0 || taken_before_[flag] != 0 || flags_[flag] < value) return false;
  taken_[flag] = value;
  return true;
}

// Whether the waiter's wait is granted to it in this cycle.
bool Control::wait(size_t waiter, bool waits, uint32_t flag, uint32_t value) {
  const auto f = static_cast<uint8_t>(flag), v = static_cast<uint8_t>(value);
  if (!registered_) return waits && grant(f, v);
  open_[waiter] = {waits && !given_before_[waiter], f, v, waiter};
  return waits && given_before_[waiter];
}

void Control::evaluate_scalar(bool all_idle) {
  live_ = x_valid_;
  x_granted_ = x_done_ = wait_ok_ = two_cycles_ = three_cycles_ = false;
  open_[0] = {};
  push_queue_ = -1;
  State& state = state_[0];
  if (!live_) {
    state = State::StallMem;  // refetch
    return;
  }
  if (x_pc_ >= code_.size())
    throw TimingError(fmt::format("the program counter left the memory at {}", x_pc_));
  const Decoded& d = code_[x_pc_];
  const bool waits = d.queue < 0 && d.common.wait_value != 0 && !waited_;
  x_granted_ = wait(0, waits, d.common.wait_flag, d.common.wait_value);
  wait_ok_ = !waits || x_granted_;
  const bool is_shift =
      d.opcode == Opcode::SHL || d.opcode == Opcode::SHR || d.opcode == Opcode::SRA;
  const bool is_set = d.opcode == Opcode::SLT || d.opcode == Opcode::SLTU;
  two_cycles_ = d.opcode == Opcode::LDS || d.opcode == Opcode::MUL ||
                ((is_shift || is_set || d.opcode == Opcode::STS) && registered_);
  three_cycles_ = d.opcode == Opcode::MUL && registered_;
  x_done_ = wait_ok_;
  if (d.queue >= 0)
    x_done_ = queue_[d.queue].count < config_.queue_depth;
  else if (d.opcode == Opcode::HALT)
    x_done_ = x_done_ && all_idle;
  else if (two_cycles_)
    x_done_ = x_done_ && (three_cycles_ ? third_ : second_);
  if (d.queue >= 0 && x_done_) push_queue_ = d.queue;
  if (waits && !x_granted_)
    state = State::StallSync;
  else if (d.opcode == Opcode::HALT && !x_done_)
    state = State::Idle;
  else if (d.queue >= 0 && !x_done_)
    state = State::StallData;
  else
    state = State::Busy;
}

void Control::evaluate(const std::array<UnitView, kQueues>& units) {
  taken_.fill(0);
  raised_.fill(0);
  given_.fill(false);
  given_[ask_.waiter] = ask_.valid && grant(ask_.flag, ask_.value);
  bool all_idle = true;
  for (int q = 0; q < kQueues; ++q)
    all_idle = all_idle && queue_[q].count == 0 && queue_[q].fly_count == 0 && units[q].quiet;
  evaluate_scalar(registered_ ? idle_before_ : all_idle);
  idle_before_ = all_idle && push_queue_ < 0;
  progress_ = x_done_;
  for (int q = 0; q < kQueues; ++q) {
    Queue& queue = queue_[q];
    const UnitView& unit = units[q];
    const bool head_valid = registered_ ? queue.head : queue.count != 0;
    const Slot& head = queue.slots[queue.read];
    const bool is_sync = head.command.opcode == Opcode::SYNC;
    const bool waits = head_valid && head.wait_value != 0 && !queue.armed;
    granted_[q] = wait(q + 1, waits, head.wait_flag, head.wait_value);
    const bool go = head_valid && (!waits || granted_[q]);
    const bool offered = go && !is_sync && queue.fly_count < queue.fly.size();
    accept_[q] = offered && unit.ready;
    const bool sync_done = go && is_sync && queue.fly_count == 0;
    pop_[q] = accept_[q] || sync_done;
    done_[q] = unit.done;
    if (unit.done) {
      const Inflight& oldest = queue.fly[queue.fly_read];
      if (oldest.signal) ++raised_[oldest.signal_flag];
    } else if (sync_done && head.signal) {
      ++raised_[head.signal_flag];
    }
    State& state = state_[q + 1];
    state = unit.state;
    if (state == State::Idle && head_valid)
      state = !go ? State::StallSync : pop_[q] ? State::Busy : State::StallData;
    progress_ = progress_ || pop_[q] || unit.done;
  }
}

void Control::advance() {
  // queues first: they read what the units took in this cycle
  for (int q = 0; q < kQueues; ++q) {
    Queue& queue = queue_[q];
    if (accept_[q]) {
      const Slot& head = queue.slots[queue.read];
      queue.fly[queue.fly_write] = {head.signal, head.signal_flag};
      queue.fly_write = (queue.fly_write + 1) % queue.fly.size();
      ++queue.fly_count;
    }
    if (done_[q]) {
      queue.fly_read = (queue.fly_read + 1) % queue.fly.size();
      --queue.fly_count;
    }
    queue.head = queue.count > (queue.head ? 1u : 0u) || (queue.head && !pop_[q]);
    queue.armed = !pop_[q] && (queue.armed || granted_[q]);
    if (pop_[q]) {
      queue.read = (queue.read + 1) % config_.queue_depth;
      --queue.count;
    }
  }
  bool redirect = false;
  uint32_t target = 0;
  if (x_done_) {
    const Decoded& d = code_[x_pc_];
    const isa::Common& f = d.common;
    const uint32_t a = regs_[f.ra], b = regs_[f.rb], c = regs_[f.rc], y = b + d.imm;
    target = d.target;
    uint32_t result = 0;
    bool writes = true;
    switch (d.opcode) {
      case Opcode::ADD:
        result = a + y;
        break;
      case Opcode::SUB:
        result = a - y;
        break;
      case Opcode::MUL:
        result = a * y;
        break;
      case Opcode::AND:
        result = a & y;
        break;
      case Opcode::OR:
        result = a | y;
        break;
      case Opcode::XOR:
        result = a ^ y;
        break;
      case Opcode::SHL:
        result = a << (y & 31);
        break;
      case Opcode::SHR:
        result = a >> (y & 31);
        break;
      case Opcode::SRA:
        result = static_cast<uint32_t>(static_cast<int32_t>(a) >> (y & 31));
        break;
      case Opcode::SLT:
        result = static_cast<int32_t>(a) < static_cast<int32_t>(y);
        break;
      case Opcode::SLTU:
        result = a < y;
        break;
      case Opcode::LDS:
      case Opcode::STS: {
        const uint32_t address = a + d.imm;
        if (address >= smem_.size())
          throw TimingError(fmt::format("SMEM word {} at pc {}", address, x_pc_));
        if (d.opcode == Opcode::LDS) {
          result = smem_[address];
        } else {
          smem_[address] = b;
          writes = false;
        }
        break;
      }
      case Opcode::JAL:
        result = x_pc_ + 1;
        redirect = true;
        break;
      case Opcode::DBNZ:
        result = c - 1;
        redirect = result != 0;
        break;
      default:
        writes = false;
        redirect =
            (d.opcode == Opcode::BEQ && a == b) || (d.opcode == Opcode::BNE && a != b) ||
            (d.opcode == Opcode::BLT && static_cast<int32_t>(a) < static_cast<int32_t>(b)) ||
            (d.opcode == Opcode::BGE && static_cast<int32_t>(a) >= static_cast<int32_t>(b)) ||
            (d.opcode == Opcode::BLTU && a < b) || (d.opcode == Opcode::BGEU && a >= b) ||
            d.opcode == Opcode::JR;
        if (d.opcode == Opcode::JR) target = a;
    }
    if (push_queue_ >= 0) {
      Queue& queue = queue_[push_queue_];
      queue.slots[queue.write] = {{d.opcode, d.instr, a, b, c},
                                  static_cast<uint8_t>(f.wait_value),
                                  static_cast<uint8_t>(f.wait_flag),
                                  static_cast<uint8_t>(f.signal),
                                  static_cast<uint8_t>(f.signal_flag)};
      queue.write = (queue.write + 1) % config_.queue_depth;
      ++queue.count;
    } else {
      if (f.signal) ++raised_[f.signal_flag];
      if (writes && f.rc != 0) regs_[f.rc] = result;
      halted_ = d.opcode == Opcode::HALT;
    }
  }
  waited_ = live_ ? !x_done_ && (waited_ || x_granted_) : waited_;
  third_ = live_ ? second_ && !x_done_ : third_;
  second_ = live_ ? wait_ok_ && two_cycles_ && !x_done_ : second_;
  if (!live_ || x_done_) {
    x_valid_ = d_valid_ && !redirect;
    x_pc_ = d_pc_;
    d_valid_ = !redirect;
    d_pc_ = pc_;
    pc_ = redirect ? target : pc_ + 1;
  }
  uint32_t requests = 0;
  for (size_t u = 0; u < open_.size(); ++u) requests |= uint32_t{open_[u].valid} << u;
  const int next = turn_.pick(requests);
  ask_ = {};
  if (next >= 0) {
    ask_ = open_[static_cast<size_t>(next)];
    turn_.advance(next);
  }
  given_before_ = given_;
  for (int f = 0; f < 32; ++f) {
    flags_[f] += registered_ ? raised_before_[f] - taken_before_[f] : raised_[f] - taken_[f];
    if (flags_[f] > 255) throw TimingError(fmt::format("flag {} passes 255 near pc {}", f, x_pc_));
    if (registered_) {
      raised_before_[f] = raised_[f];
      taken_before_[f] = taken_[f];
    }
  }
}

}  // namespace ttpu::timing
