#include "timing/micro_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "isa/generated/isa_gen.h"
#include "isa/generated/regs_gen.h"

namespace ttpu::timing::micro {

namespace {

// Cycles, as the headers of rtl/micro say.
constexpr uint64_t kTaken = 2;    // a taken comparison costs this more
constexpr uint64_t kJumpReg = 1;  // and jr
constexpr uint64_t kFlag = 1;     // so does a branch on a flag right behind what may change flags
constexpr uint64_t kStore = 2;
constexpr uint64_t kMul = 6;
constexpr uint64_t kQmulLane = 5;  // of iqmul, until the next lane follows
constexpr uint64_t kQmulEnd = 3;   // behind its last lane
constexpr uint64_t kExec = 2;      // beside its operations
constexpr uint64_t kAxi = 2;       // of a transfer, beside the latency of the memory
constexpr uint64_t kDrop = 1;      // more of a read, if the word before it was not taken

int32_t iqmul(int32_t x, int32_t y, uint32_t shift) {
  const int64_t product = int64_t{x} * y;
  const uint32_t bits = 31 + shift;
  const int64_t rest = product & ((int64_t{1} << bits) - 1), half = int64_t{1} << (bits - 1);
  int64_t quotient = product >> bits;
  if (rest > half || (rest == half && quotient % 2 != 0)) ++quotient;
  return static_cast<int32_t>(std::clamp<int64_t>(quotient, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

}  // namespace

// ---- construction
// --------------------------------------------------------------------------------

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

// ---- arithmetic
// ----------------------------------------------------------------------------------

uint32_t Core::alu(Uop op, uint32_t a, uint32_t b, uint32_t lane, bool set_carry) {
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  const auto predicate = [&](bool value) {
    predicate_ = (predicate_ & ~(1u << lane)) | (value ? 1u << lane : 0);
    return a;
  };
  switch (op) {
    case Uop::PASS:
      return a;
    case Uop::IADD:
      if (set_carry) carry_ = (uint64_t{a} + b) >> 32;
      return a + b;
    case Uop::ISUB:
      if (set_carry) carry_ = a >= b;
      return a - b;
    case Uop::ADDC: {
      const uint64_t sum = uint64_t{a} + b + carry_;
      carry_ = sum >> 32;
      return static_cast<uint32_t>(sum);
    }
    case Uop::IMUL:
      return a * b;
    case Uop::IMIN:
      return sa < sb ? a : b;
    case Uop::IMAX:
      return sa > sb ? a : b;
    case Uop::ISHL:
      return a << (b & 31);
    case Uop::ISRA:
      return static_cast<uint32_t>(sa >> (b & 31));
    case Uop::ISRL:
      return a >> (b & 31);
    case Uop::AND:
      return a & b;
    case Uop::OR:
      return a | b;
    case Uop::XOR:
      return a ^ b;
    case Uop::IQMUL:
      return static_cast<uint32_t>(iqmul(sa, sb, shift_));
    case Uop::SLT:
      return sa < sb;
    case Uop::SLTU:
      return a < b;
    case Uop::ICEQ:
      return predicate(a == b);
    case Uop::ICLT:
      return predicate(sa < sb);
    case Uop::ICLE:
      return predicate(sa <= sb);
    case Uop::SEL:
      return predicate_ >> lane & 1 ? a : b;
    default:
      fail(fmt::format("{} is no operation of the ALU", micro::name_of(op)));
  }
}

/// A byte goes to the top of the packer.
void Core::pack(uint32_t value) {
  const int32_t low = limits_ & 1 ? 0 : -128, high = limits_ & 2 ? 255 : 127;
  const auto byte = static_cast<uint64_t>(std::clamp(static_cast<int32_t>(value), low, high) & 255);
  packed_ = packed_ >> 8 | byte << (8 * config_.n - 8);
}

/// Its lowest four bytes; it turns by four.
uint32_t Core::take_packed() {
  const auto word = static_cast<uint32_t>(packed_);
  if (config_.n == 8) packed_ = packed_ >> 32 | packed_ << 32;
  return word;
}

uint64_t Core::alu_cycles(Uop op) {
  if (op == Uop::IMUL) return kMul;
  if (op == Uop::IQMUL) return kQmulLane;
  return 1;
}

/// Results of the lanes of one microinstruction: those of iqmul are written when the next lane has
/// read its operands.
class Core::Late {
 public:
  explicit Late(Core& core) : core_(core) {}
  ~Late() { flush(); }
  Late(const Late&) = delete;
  Late& operator=(const Late&) = delete;
  void put(Uop op, uint32_t number, uint32_t value) {
    flush();
    waits_ = true, number_ = number, value_ = value;
    if (op != Uop::IQMUL) flush();
  }

 private:
  void flush() {
    if (waits_) core_.put(number_, value_);
    waits_ = false;
  }
  Core& core_;
  bool waits_ = false;
  uint32_t number_ = 0, value_ = 0;
};

/// An operation that writes d, once or for each lane; its cycles.
uint64_t Core::lanes_op(const Decoded& u) {
  const uint32_t lanes = u.rpt ? config_.n : 1;
  uint64_t cycles = u.op == Uop::IQMUL ? kQmulEnd : 0;
  Late late(*this);
  for (uint32_t l = 0; l < lanes; ++l) {
    const uint32_t ra = (u.a + (u.va ? l : 0)) & 255, rb = (u.b + (u.vb ? l : 0)) & 255;
    const uint32_t a = reg_[ra], b = u.bi ? u.b : reg_[rb];
    uint32_t value = 0, cost = 1;
    switch (u.op) {
      case Uop::EXTS:
      case Uop::EXTZ: {
        const uint32_t word = reg_[(u.a + l / 4) & 255];
        const auto byte = static_cast<uint8_t>(word >> 8 * (l % 4));
        value = u.op == Uop::EXTS ? static_cast<uint32_t>(static_cast<int8_t>(byte)) : byte;
        break;
      }
      case Uop::LI:
        value = u.imm;
        break;
      case Uop::LIN:
        value = 0xffff0000u | u.imm;
        break;
      case Uop::LD:
        value = lmem_word(a + b, cycle_ + cycles);
        cost = 2;
        break;
      case Uop::ALD: {
        check_mxu_idle("ald");
        const uint32_t row = reg_[u.a];
        if (row >= config_.acc_total()) fail(fmt::format("ald of accumulator row {}", row));
        value = acc_[size_t{row} * config_.n + l];
        cost = l == 0 ? 2 : 1;  // one a cycle behind the first
        break;
      }
      default:
        value = alu(u.op, a, b, l, !u.rpt);
        cost = static_cast<uint32_t>(alu_cycles(u.op));
        break;
    }
    late.put(u.op, u.d + (u.vd ? l : 0), value);
    cycles += cost;
  }
  return cycles;
}

uint64_t Core::exec(uint32_t stage) {
  const auto op = static_cast<Uop>(stage >> 8 & 63);
  const uint32_t y = stage & 255;
  const bool vb = stage >> 15 & 1, swap = stage >> 16 & 1;
  shift_ = stage >> 17 & 31;
  Late late(*this);
  for (uint32_t l = 0; l < config_.n; ++l) {
    const uint32_t a = reg_[l], b = reg_[(y + (vb ? l : 0)) & 255];
    late.put(op, l, swap ? alu(op, b, a, l, false) : alu(op, a, b, l, false));
  }
  return kExec + config_.n * alu_cycles(op) + (op == Uop::IQMUL ? kQmulEnd : 0);
}

bool Core::compare(Uop op, uint32_t a, uint32_t b) const {
  const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b);
  switch (op) {
    case Uop::BEQ:
      return a == b;
    case Uop::BNE:
      return a != b;
    case Uop::BLT:
      return sa < sb;
    case Uop::BGE:
      return sa >= sb;
    case Uop::BLTU:
      return a < b;
    default:
      return a >= b;
  }
}

// ---- memories and ports
// --------------------------------------------------------------------------

/// The engine uses local memory in cycle `at`: the MXU reads no row then.
void Core::take_lmem(uint64_t at) {
  if (at >= mx_first_ && at < mx_read_) ++mx_read_, ++mx_end_;
}

uint32_t Core::lmem_word(uint32_t addr, uint64_t at) {
  take_lmem(at);
  if (addr % 4 != 0 || addr >= lmem_.size()) fail(fmt::format("ld of address {:#x}", addr));
  uint32_t value;
  std::memcpy(&value, &lmem_[addr], 4);
  return value;
}

void Core::store(uint32_t addr, uint32_t value) {
  take_lmem(cycle_ + 1);  // its second cycle
  if (addr < config_.vmem_bytes()) check_mxu_idle("st to VMEM");
  if (addr % 4 != 0 || addr >= lmem_.size()) fail(fmt::format("st to address {:#x}", addr));
  for (uint32_t i = 0; i < 4; ++i)
    if (be_ >> i & 1) lmem_[addr + i] = static_cast<uint8_t>(value >> 8 * i);
}

/// A flag in cycle `at`.
bool Core::flag(uint32_t number, uint64_t at) const {
  switch (static_cast<Flag>(number)) {
    case Flag::HREQ:
      return host_waits_;
    case Flag::MXBUSY:
      return mxu_busy(at);
    case Flag::XBUSY:
      return at < x_end_;
    case Flag::XERR:
      return xerr_;
    case Flag::CARRY:
      return carry_;
  }
  fail(fmt::format("flag {} does not exist", number));
}

uint32_t Core::mfs(uint32_t number) {
  switch (number) {
    case spr::CYCLES:
      return static_cast<uint32_t>(cycle_);
    case spr::HADDR:
      return (host_write_ ? 1u << 31 : 0) | (host_full_ ? 1u << 30 : 0) | (host_addr_ & 0xfffff);
    case spr::HWDATA:
      return host_data_;
    case spr::XDATA:
      if (cycle_ < x_end_) fail("XDATA before the transfer's end");
      if (!x_unread_) fail("XDATA without a read, or for a second time");
      x_unread_ = x_held_ = false;
      return xdata_;
    case spr::CFG_N:
      return config_.n;
    case spr::CFG_VMEM:
      return config_.vmem_bytes();
    case spr::CFG_ACC:
      return config_.acc_total();
    case spr::CFG_IMEM:
      return config_.imem_words;
    case spr::CFG_SMEM:
      return config_.smem_words;
    case spr::CFG_HASH:
      return config_.hash;
    case spr::CFG_ID:
      return config_.id;
    case spr::CFG_ISA:
      return isa::kIsaVersion;
    case spr::CFG_CHAN:
      return config_.dma_channels;
    case spr::CFG_STAGES:
      return config_.vpu_stages;
    case spr::CFG_QDEPTH:
      return config_.queue_depth;
    case spr::PRED:
      return predicate_;
    default:
      fail(fmt::format("special register {} cannot be read", number));
  }
}

void Core::mts(uint32_t number, uint32_t value) {
  if (number >= spr::MXW && number < spr::MXW + config_.n * config_.n / 4) {
    check_mxu_idle("MXW");
    std::memcpy(&weights_[size_t{4} * (number - spr::MXW)], &value, 4);
    return;
  }
  switch (number) {
    case spr::HREPLY:
    case spr::HFAIL:
      if (!host_waits_) fail("a reply without a request");
      reply_ = number == spr::HREPLY ? Reply{value, false} : Reply{0, true};
      host_waits_ = false;
      break;
    case spr::STATUS:
      status_ = value & 31;
      break;
    case spr::IRQ:
      irq_ = value & 1;
      break;
    case spr::BE:
      be_ = value & 15;
      break;
    case spr::XHI:
      xhi_ = value;
      break;
    case spr::XRD:
      xadr_ = value;
      start_transfer(false, 0);
      break;
    case spr::XADR:
      xadr_ = value;
      break;
    case spr::XWR:
      start_transfer(true, value);
      break;
    case spr::TRSTART:
      events_.push_back({cycle_, true, value >> 16 & 7, value & 0xffff, value >> 24});
      break;
    case spr::TRSTOP:
      events_.push_back({cycle_, false, value >> 16 & 7, value & 0xffff, 0});
      break;
    case spr::TAG:
      tags_.push_back(value);
      break;
    case spr::PRED:
      predicate_ = value & ((1u << config_.n) - 1);
      break;
    case spr::LIMITS:
      limits_ = value & 3;
      break;
    case spr::MXADDR:
    case spr::MXSTRIDE:
    case spr::MXACC:
    case spr::MXMODE:
      check_mxu_idle("a write of the MXU's registers");
      mx_[number - spr::MXADDR] = value;
      break;
    case spr::MXGO:
      check_mxu_idle("MXGO");
      start_mxu(value);
      break;
    default:
      fail(fmt::format("special register {} cannot be written", number));
  }
}

void Core::start_transfer(bool write, uint32_t data) {
  if (cycle_ < x_end_) fail("a transfer while another is open");
  const uint64_t addr = (uint64_t{xhi_} << 32 | xadr_) & ~uint64_t{3};
  const Bus::Answer answer = write ? bus_.write(addr, data, be_) : bus_.read(addr);
  const uint64_t drop = !write && x_held_ ? kDrop : 0;
  x_unread_ = !write;
  x_held_ |= !write;
  if (!write) xdata_ = answer.data;
  xerr_ = answer.error;
  x_end_ = cycle_ + kAxi + drop + answer.latency;
}

// ---- matrix unit
// ---------------------------------------------------------------------------------

void Core::check_mxu_idle(const char* what) const {
  if (mxu_busy(cycle_)) fail(fmt::format("{} while the MXU is busy", what));
}

void Core::start_mxu(uint32_t rows) {
  rows &= 0xffff;
  if (rows == 0) return;
  const uint32_t n = config_.n, mode = mx_[3];
  for (uint32_t r = 0; r < rows; ++r) {
    const uint32_t addr = (mx_[0] + r * mx_[1]) & 0xffffff, row = mx_[2] + r;
    if (addr % n != 0 || addr + n > lmem_.size()) fail(fmt::format("MXU row at {:#x}", addr));
    if (row >= config_.acc_total()) fail(fmt::format("MXU accumulator row {}", row));
    for (uint32_t c = 0; c < n; ++c) {
      int32_t sum = 0;
      for (uint32_t i = 0; i < n; ++i) {
        // bit 0: the offset of unsigned bytes taken off; bit 1: 64 in place of every activation
        const auto x =
            mode & 2 ? int8_t{64} : static_cast<int8_t>(lmem_[addr + i] ^ (mode & 1 ? 0x80 : 0));
        sum += x * weights_[size_t{i} * n + c];
      }
      uint32_t& out = acc_[size_t{row} * n + c];
      out = (mode & 4 ? out : 0) + static_cast<uint32_t>(sum);
    }
  }
  mx_first_ = cycle_ + 1;
  mx_read_ = cycle_ + 1 + rows;
  mx_end_ = cycle_ + rows + 2 * n + 2;
}

// ---- the engine
// ----------------------------------------------------------------------------------

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
