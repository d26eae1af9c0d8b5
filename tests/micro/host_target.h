// What the tests of the host's registers drive: the model of the microprogrammed core, or its RTL
// in the chip, behind AXI4-Lite. Behind the AXI4 port is a memory of zeros that takes its time.
#pragma once
#include <cstdint>
#include <memory>

#include "isa/generated/configs_gen.h"

namespace micro_test {

class HostTarget {
 public:
  virtual ~HostTarget() = default;
  struct Reply {
    uint32_t data = 0;
    bool error = false;
  };
  /// One access until its answer. Throws if there is none.
  virtual Reply access(bool write, uint32_t addr, uint32_t data, bool whole) = 0;
  /// Let at least a cycle pass.
  virtual void step() = 0;
  virtual uint64_t cycle() const = 0;
  virtual bool irq() const = 0;
  /// Make the high word of the counter CYCLES 5, if the target lets one do that.
  virtual bool set_high_word() { return false; }

  uint32_t latency = 10;  ///< cycles of the memory
};

std::unique_ptr<HostTarget> model_target(const ttpu::Config& config);
/// The chip in RTL, with random start values and stalls on AXI4-Lite.
std::unique_ptr<HostTarget> rtl_target(const ttpu::Config& config);

}  // namespace micro_test
