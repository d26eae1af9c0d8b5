// Timing model: the cycles of a program without its data.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/regs_gen.h"
#include "isa/instr.h"
#include "timing/dma.h"

namespace ttpu::timing {

/// What the RTL's counters are predicted to read.
struct Prediction {
  uint64_t cycles = 0;
  std::vector<uint64_t> counters;  ///< regs::kNumCounters values, in their order
};

/// Follow a program from `entry` to its HALT, cycle by cycle.
/// Equal to the RTL's counters for any program and memory without random stalls.
/// Throws TimingError if the program faults, deadlocks or runs past `max_cycles`.
Prediction predict(const Config& config, const std::vector<isa::Instr>& code,
                   const std::vector<uint32_t>& smem, uint32_t entry, const Memory& memory = {},
                   uint64_t max_cycles = 1ull << 36);

}  // namespace ttpu::timing
