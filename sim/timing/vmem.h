// Timing of VMEM: which requests are granted in a cycle. No data.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "isa/generated/configs_gen.h"

namespace ttpu::timing {

/// Read ports in the order of docs/reference/interfaces.md.
enum ReadPort { kRdHost, kRdDma, kRdMxw, kRdMxs, kRdVpuA, kRdVpuB, kRdIci, kReadPorts };
/// Write ports.
enum WritePort { kWrHost, kWrDma, kWrVpu, kWrIci, kWritePorts };

/// Registers behind the arbitration, and in front of requests (mem_stages of ttpu_pkg).
inline uint32_t mem_stages(const Config& config) { return config.fp_stages == 1 ? 0 : 1; }

/// Banks with round-robin arbitration. A cycle: request, arbitrate, ask for grants.
class Vmem {
 public:
  explicit Vmem(const Config& config)
      : one_port_(config.vmem_ports == 1),
        bank_shift_(static_cast<uint32_t>(std::countr_zero(config.bank_bytes()))),
        bank_mask_(config.vmem_banks - 1),
        banks_(config.vmem_banks) {}

  void read(int port, uint32_t addr) { request(port, addr); }
  void write(int port, uint32_t addr) { request(kReadPorts + port, addr); }

  void arbitrate() {
    grants_ = 0;
    for (uint32_t b = used_; b != 0; b &= b - 1) {
      Bank& bank = banks_[static_cast<uint32_t>(std::countr_zero(b))];
      if (one_port_) {
        grants_ |= pick(bank.requests, bank.mask[0]);
      } else {
        if (bank.requests & kReadMask) grants_ |= pick(bank.requests & kReadMask, bank.mask[0]);
        if (bank.requests & ~kReadMask) grants_ |= pick(bank.requests & ~kReadMask, bank.mask[1]);
      }
      bank.requests = 0;
    }
    const uint32_t lost = requests_ & ~grants_;
    read_conflicts_ = static_cast<uint32_t>(std::popcount(lost & kReadMask));
    write_conflicts_ = static_cast<uint32_t>(std::popcount(lost & ~kReadMask));
    used_ = requests_ = 0;
  }

  bool read_granted(int port) const { return grants_ >> port & 1; }
  bool write_granted(int port) const { return grants_ >> (kReadPorts + port) & 1; }
  uint32_t read_conflicts() const { return read_conflicts_; }
  uint32_t write_conflicts() const { return write_conflicts_; }

 private:
  static constexpr uint32_t kReadMask = (1u << kReadPorts) - 1;
  struct Bank {
    uint32_t requests = 0;
    std::array<uint32_t, 2> mask{};  ///< requesters behind the last one granted
  };

  void request(int bit, uint32_t addr) {
    const uint32_t bank = addr >> bank_shift_ & bank_mask_;
    banks_[bank].requests |= 1u << bit;
    requests_ |= 1u << bit;
    used_ |= 1u << bank;
  }
  static uint32_t pick(uint32_t requests, uint32_t& mask) {
    const uint32_t first = requests & mask;
    const uint32_t from = first ? first : requests;
    const uint32_t grant = from & (~from + 1);
    mask = ~(grant | (grant - 1));
    return grant;
  }

  bool one_port_;
  uint32_t bank_shift_, bank_mask_;
  std::vector<Bank> banks_;
  uint32_t used_ = 0, requests_ = 0, grants_ = 0, read_conflicts_ = 0, write_conflicts_ = 0;
};

}  // namespace ttpu::timing
