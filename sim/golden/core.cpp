// The scalar core and the queues: Machine::run.
#include <array>
#include <deque>

#include "golden/detail.h"
#include "golden/machine.h"

namespace ttpu::golden {

using isa::Common;
using isa::Error;
using isa::Opcode;
using isa::Unit;

namespace {

constexpr int kBodyStart = 42;  // bit at which a command's own fields begin
constexpr int kInstrBits = 128;
constexpr uint32_t kMaxFlag = 255;

/// Where the fields of each opcode end; 0 = no such opcode.
std::array<uint8_t, 256> make_field_ends() {
  std::array<uint8_t, 256> ends = {};
  for (const auto& op : isa::kOps) {
    int end = kBodyStart;
    for (const auto& field : op.fields) end = std::max(end, field.lsb + field.bits);
    ends[op.opcode] = static_cast<uint8_t>(end);
  }
  return ends;
}

/// True if any bit from `lsb` up is set; `low` gets the first 32 of them.
bool bits_above(const isa::Instr& instr, int lsb, uint32_t& low) {
  low = lsb < kInstrBits ? instr.get(lsb, std::min(32, kInstrBits - lsb)) : 0;
  for (int bit = lsb; bit < kInstrBits;) {
    const int count = std::min(32, kInstrBits - bit);
    if (instr.get(bit, count) != 0) return true;
    bit += count;
  }
  return false;
}

}  // namespace

/// What lives only while a program runs.
struct Machine::Core {
  enum class Step { RAN, BLOCKED, HALTED, FAILED };

  explicit Core(Machine& machine, uint32_t entry) : m(machine), pc(entry) {}

  Machine& m;
  uint32_t pc;
  std::deque<Command> queue[isa::kNumUnits];
  Fault failure;

  /// Run until HALT or a fault.
  std::optional<Fault> run(uint64_t max_instructions) {
    for (uint64_t count = 0;; ++count) {
      if (!run_units()) return failure;
      switch (step()) {
        case Step::RAN:
          break;
        case Step::HALTED:
          return std::nullopt;
        case Step::FAILED:
          return failure;
        case Step::BLOCKED:  // and no unit can go on either
          return watchdog();
      }
      if (count >= max_instructions) return watchdog();
    }
  }

  /// Start every command that can start, until none can. False on a fault.
  bool run_units() {
    for (bool progress = true; progress;) {
      progress = false;
      for (int u = 0; u < isa::kNumUnits; ++u) {
        while (!queue[u].empty()) {
          const Command& head = queue[u].front();
          const Common common = Common::decode(head.instr);
          if (!satisfied(common) || !m.ready(head)) break;
          consume(common);
          if (auto bad = m.execute(head)) return fail(*bad);
          const auto unit = static_cast<Unit>(u);
          m.retired.push_back({unit, head.pc, static_cast<Opcode>(common.opcode)});
          if (!raise(common, unit, head.pc)) return false;
          queue[u].pop_front();
          progress = true;
        }
      }
    }
    return true;
  }

  bool satisfied(const Common& common) const {
    return common.wait_value == 0 || m.flag[common.wait_flag] >= common.wait_value;
  }
  void consume(const Common& common) { m.flag[common.wait_flag] -= common.wait_value; }
  bool raise(const Common& common, Unit unit, uint32_t at) {
    if (!common.signal) return true;
    if (m.flag[common.signal_flag] == kMaxFlag)
      return fail({Error::FLAG_OVERFLOW, unit, at, common.signal_flag});
    ++m.flag[common.signal_flag];
    return true;
  }
  bool fail(const Fault& fault) {
    failure = fault;
    return false;
  }
  Step fail_here(Error cause, uint64_t addr) {
    failure = {cause, Unit::SCALAR, pc & 0xffff, addr};
    return Step::FAILED;
  }

  /// WATCHDOG, with the flags that the core and the queue heads wait for.
  Fault watchdog() const {
    uint32_t mask = 0;
    const auto add = [&](const isa::Instr& instr) {
      const Common common = Common::decode(instr);
      if (!satisfied(common)) mask |= 1u << common.wait_flag;
    };
    if (pc < m.imem.size()) add(m.imem[pc]);
    for (const auto& commands : queue)
      if (!commands.empty()) add(commands.front().instr);
    return {Error::WATCHDOG, Unit::SCALAR, pc & 0xffff, mask};
  }

  /// One instruction of the scalar core.
  Step step() {
    static const auto field_ends = make_field_ends();
    if (pc >= m.imem.size()) return fail_here(Error::IMEM_BOUNDS, pc);
    const isa::Instr& instr = m.imem[pc];
    const Common common = Common::decode(instr);
    const int end = field_ends[common.opcode];
    if (end == 0) return fail_here(Error::ILLEGAL_OPCODE, common.opcode);
    if (uint32_t low = 0; bits_above(instr, end, low)) return fail_here(Error::BAD_FIELD, low);
    const auto opcode = static_cast<Opcode>(common.opcode);
    const Unit unit = *unit_of(instr);
    if (opcode == Opcode::SYNC || unit != Unit::SCALAR) return issue(instr, common, unit);
    return scalar(instr, common, opcode);
  }

  /// Push a command into its queue.
  Step issue(const isa::Instr& instr, const Common& common, Unit unit) {
    const auto value = static_cast<uint32_t>(unit);
    if (unit == Unit::DMA0 || unit == Unit::DMA1) {
      const bool sync = static_cast<Opcode>(common.opcode) == Opcode::SYNC;
      const uint32_t channel =
          sync ? value - static_cast<uint32_t>(Unit::DMA0) : isa::DmaShape::decode(instr).channel;
      if (channel >= m.config_.dma_channels)
        return fail_here(Error::UNSUPPORTED, sync ? value : channel);
    }
    if (unit == Unit::SCALAR || value >= isa::kNumUnits) return fail_here(Error::BAD_FIELD, value);
    if (unit == Unit::ICI) return fail_here(Error::UNSUPPORTED, value);
    auto& commands = queue[value];
    if (commands.size() >= m.config_.queue_depth) return Step::BLOCKED;
    commands.push_back({instr, m.reg[common.ra], m.reg[common.rb], m.reg[common.rc], pc});
    ++m.activity.commands;
    ++m.activity.scalar_instructions;
    ++pc;
    return Step::RAN;
  }

  /// An instruction that acts in place.
  Step scalar(const isa::Instr& instr, const Common& common, Opcode opcode) {
    const bool halt = opcode == Opcode::HALT;
    if (!satisfied(common)) return Step::BLOCKED;
    if (halt)
      for (const auto& commands : queue)
        if (!commands.empty()) return Step::BLOCKED;
    consume(common);
    const uint32_t a = m.reg[common.ra], b = m.reg[common.rb], c = m.reg[common.rc];
    const uint32_t imm = isa::Add::decode(instr).imm;  // all that have one have it there
    const uint32_t target = isa::Beq::decode(instr).target;
    const uint32_t y = b + imm;
    const auto sa = static_cast<int32_t>(a);
    uint32_t next = pc + 1;
    std::optional<uint32_t> result;
    const auto branch = [&](bool taken) {
      if (taken) next = target;
    };
    switch (opcode) {
      case Opcode::TAG:
        m.tags.push_back(imm);
        break;
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
        result = a << y % 32;
        break;
      case Opcode::SHR:
        result = a >> y % 32;
        break;
      case Opcode::SRA:
        result = static_cast<uint32_t>(sa >> y % 32);
        break;
      case Opcode::SLT:
        result = sa < static_cast<int32_t>(y);
        break;
      case Opcode::SLTU:
        result = a < y;
        break;
      case Opcode::LDS:
      case Opcode::STS: {
        const uint32_t word = a + imm;
        if (word >= m.smem.size()) return fail_here(Error::SMEM_BOUNDS, word);
        if (opcode == Opcode::LDS)
          result = m.smem[word];
        else
          m.smem[word] = b;
        break;
      }
      case Opcode::BEQ:
        branch(a == b);
        break;
      case Opcode::BNE:
        branch(a != b);
        break;
      case Opcode::BLT:
        branch(sa < static_cast<int32_t>(b));
        break;
      case Opcode::BGE:
        branch(sa >= static_cast<int32_t>(b));
        break;
      case Opcode::BLTU:
        branch(a < b);
        break;
      case Opcode::BGEU:
        branch(a >= b);
        break;
      case Opcode::JAL:
        result = pc + 1;
        next = target;
        break;
      case Opcode::JR:
        next = a;
        break;
      case Opcode::DBNZ:
        result = c - 1;
        branch(*result != 0);
        break;
      default:  // NOP, HALT
        break;
    }
    if (result && common.rc != 0) m.reg[common.rc] = *result;
    ++m.activity.scalar_instructions;
    if (!raise(common, Unit::SCALAR, pc)) return Step::FAILED;
    if (halt) return Step::HALTED;
    pc = next;
    return Step::RAN;
  }
};

std::optional<Fault> Machine::run(uint32_t entry, uint64_t max_instructions) {
  activity = {};
  retired.clear();
  tags.clear();
  return Core(*this, entry).run(max_instructions);
}

}  // namespace ttpu::golden
