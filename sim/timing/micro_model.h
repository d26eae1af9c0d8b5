// Timing model of the microprogrammed configurations.
#pragma once
#include "timing/model.h"

namespace ttpu::timing {

/// As predict, of a configuration with `micro`: the microcode runs on the model of its engine.
/// Memory answers every word after `latency`; its bandwidth is never the limit.
Prediction predict_micro(const Config& config, const std::vector<isa::Instr>& code,
                         const std::vector<uint32_t>& smem, uint32_t entry, const Memory& memory,
                         uint64_t max_cycles);

}  // namespace ttpu::timing
