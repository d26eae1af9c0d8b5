#include "timing/micro_core.h"

#include <fmt/format.h>

#include <cstring>
#include <random>

#include "isa/generated/regs_gen.h"

namespace ttpu::timing::micro {

namespace {

// Cycles, as the headers of rtl/micro say.
constexpr uint64_t kTaken = 2;    // a taken comparison costs this more
constexpr uint64_t kJumpReg = 1;  // and jr
constexpr uint64_t kFlag = 1;     // so does a branch on a flag right behind what may change flags
constexpr uint64_t kStore = 2;

}  // namespace

Core::Decoded Core::decode(uint64_t word) {
  Decoded u;
  u.op = static_cast<Uop>(word >> 30 & 63);
  u.known = std::strcmp(name_of(u.op), "?") != 0;
  u.vd = word >> 29 & 1, u.va = word >> 28 & 1, u.vb = word >> 27 & 1;
  u.bi = word >> 26 & 1, u.rpt = word >> 25 & 1;
  u.d = static_cast<uint8_t>(word >> 16), u.a = static_cast<uint8_t>(word >> 8);
  u.b = static_cast<uint8_t>(word);
  u.flag = static_cast<uint8_t>(word >> 27 & 7);
  u.imm = static_cast<uint16_t>(word);
  u.jump = static_cast<uint16_t>(word & 0x7ff);
  u.branch =
      static_cast<uint16_t>((word >> 29 & 1) << 10 | (word >> 24 & 3) << 8 | (word >> 16 & 255));
  return u;
}

Core::Core(const Config& config, const Image& image, Bus& bus, uint64_t seed)
    : config_(config), image_(image), bus_(bus) {
  if (image.n != config.n)
    throw std::runtime_error(
        fmt::format("the microcode is for {} lanes, {} has {}", image.n, config.name, config.n));
  for (const uint64_t word : image_.words) code_.push_back(decode(word));
  // VMEM, IMEM, SMEM and what microcode keeps, rounded up as the RTL does.
  const uint32_t used = config.vmem_bytes() + 16 * config.imem_words + 4 * config.smem_words +
                        16 * 5 * config.queue_depth + 8 * regs::kNumCounters;
  uint32_t size = 1;
  while (size < used) size *= 2;
  if (used <= size / 4 * 3) size = size / 4 * 3;
  lmem_.resize(size);
  acc_.resize(size_t{config.acc_total()} * config.n);
  weights_.resize(size_t{config.n} * config.n);
  std::mt19937_64 random(seed);
  for (auto& r : reg_) r = static_cast<uint32_t>(random());
  for (auto& byte : lmem_) byte = static_cast<uint8_t>(random());
  for (auto& word : acc_) word = static_cast<uint32_t>(random());
  for (auto& weight : weights_) weight = static_cast<int8_t>(random());
}

void Core::fail(const std::string& what) const {
  const std::string at =
      pc_ < image_.where.size() ? fmt::format(" ({})", image_.where[pc_]) : std::string();
  throw MicroError(fmt::format("{}{}, cycle {}: {}", image_.name_of(pc_), at, cycle_, what));
}

void Core::step() {
  if (pc_ >= code_.size()) fail(fmt::format("no microcode at {}", pc_));
  const Decoded& u = code_[pc_];
  if (!u.known) fail("no such microinstruction");
  const uint32_t at = pc_;
  uint32_t next = pc_ + 1;
  uint64_t cycles = 1;
  const uint32_t stage = reg_[u.a];
  wrote_ = false;
  switch (u.op) {
    case Uop::ST:
    case Uop::STP:
      if (!u.vd || !u.rpt) fail("st or stp without the bits of its two parts");
      store(reg_[u.a] + u.d, u.op == Uop::ST ? reg_[u.b] : take_packed());
      cycles = kStore;
      break;
    case Uop::PACK:
      cycles = u.rpt ? config_.n : 1;
      for (uint32_t l = 0; l < cycles; ++l) pack(reg_[(u.a + (u.va ? l : 0)) & 255]);
      break;
    case Uop::MFS:
      put(u.d, mfs(u.b));
      break;
    case Uop::MTS: {
      const uint32_t lanes = u.rpt ? config_.n : 1;
      for (uint32_t l = 0; l < lanes; ++l)
        mts(u.d + (u.vd ? l : 0), reg_[(u.a + (u.va ? l : 0)) & 255]);
      cycles = lanes;
      break;
    }
    case Uop::EXEC:
      cycles = exec(stage);
      break;
    case Uop::BEQ:
    case Uop::BNE:
    case Uop::BLT:
    case Uop::BGE:
    case Uop::BLTU:
    case Uop::BGEU:
      if (compare(u.op, reg_[u.a], u.bi ? u.b : reg_[u.b])) next = u.branch, cycles += kTaken;
      break;
    case Uop::CALL:
      put(u.d, pc_ + 1);
      next = u.jump;
      break;
    case Uop::JMP:
      next = u.jump;
      break;
    case Uop::JR:
      next = reg_[u.a] & 0x7ff;
      cycles += kJumpReg;
      break;
    case Uop::BF:
    case Uop::BNF:
    case Uop::CALLF: {
      // looked at in the cycle before its own, but not before the last one's effect
      if (changes_flags_) cycles += kFlag;
      const uint64_t at_cycle = cycle_ + cycles - 2;
      const bool taken = flag(u.flag, at_cycle) == (u.op != Uop::BNF);
      if (taken && u.op == Uop::CALLF) put(u.d, pc_ + 1);
      if (taken) next = u.jump;
      break;
    }
    default:
      cycles = lanes_op(u);
      break;
  }
  const Uop done = u.op == Uop::EXEC ? static_cast<Uop>(stage >> 8 & 63) : u.op;
  changes_flags_ = done == Uop::IADD || done == Uop::ISUB || done == Uop::ADDC || done == Uop::MTS;
  cycle_ += cycles;
  pc_ = next;
  if (on_step) on_step(at, cycles);
}

void Core::request(bool write, uint32_t addr, uint32_t data, bool full_strobes) {
  if (host_waits_ || reply_) throw std::logic_error("a host request while another waits");
  if (!write && addr == regs::kStatus) {
    reply_ = Reply{status_, false};
    return;
  }
  host_write_ = write, host_addr_ = addr, host_data_ = data, host_full_ = full_strobes;
  host_waits_ = true;
}

std::optional<Core::Reply> Core::take_reply() {
  const auto reply = reply_;
  reply_.reset();
  return reply;
}

}  // namespace ttpu::timing::micro
