// What the engine's model talks to: local memory, special registers, the AXI port, the matrix unit.
#include <fmt/format.h>

#include <cstring>

#include "isa/generated/isa_gen.h"
#include "timing/micro_core.h"

namespace ttpu::timing::micro {

namespace {

// Cycles, as the headers of rtl/micro say.
constexpr uint64_t kAxi = 2;   // of a transfer, beside the latency of the memory
constexpr uint64_t kDrop = 1;  // more of a read, if the word before it was not taken

}  // namespace

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

}  // namespace ttpu::timing::micro
