#include "timing/model.h"

#include <fmt/format.h>

#include "timing/control.h"
#include "timing/micro_model.h"
#include "timing/mxu.h"
#include "timing/vpu.h"

namespace ttpu::timing {

namespace {
constexpr uint64_t kWatchdog = 0x00100000;  // reset value of the register
}  // namespace

Prediction predict(const Config& config, const std::vector<isa::Instr>& code,
                   const std::vector<uint32_t>& smem, uint32_t entry, const Memory& memory,
                   uint64_t max_cycles) {
  if (config.micro) return predict_micro(config, code, smem, entry, memory, max_cycles);
  Control control(config, code, smem, entry);
  Dma dma(config, memory);
  Vmem vmem(config);
  Mxu mxu(config);
  Vpu vpu(config);

  Prediction p;
  p.counters.assign(regs::kNumCounters, 0);
  uint64_t* const counter = p.counters.data();
  uint64_t quiet_cycles = 0;
  while (!control.halted()) {
    dma.request(vmem);
    mxu.request(vmem);
    vpu.request(vmem);
    vmem.arbitrate();
    dma.evaluate(vmem);
    mxu.evaluate(vmem);
    const int64_t acc_row = vpu.acc_request();
    const UnitView vpu_view = vpu.view(vmem, acc_row >= 0 && mxu.acc_free(acc_row));
    control.evaluate({dma.channel(0), dma.channel(1), mxu.weights(), mxu.stream(), vpu_view});

    ++counter[regs::CYCLES];
    counter[regs::COMMANDS] += control.issued();
    counter[regs::MXU_ROWS] += mxu.rows();
    counter[regs::MXU_MACS] += mxu.macs();
    counter[regs::VPU_ROWS] += vpu.row();
    counter[regs::HBM_RD_BYTES] += dma.read_bytes();
    counter[regs::HBM_WR_BYTES] += dma.write_bytes();
    counter[regs::VMEM_RD_CONFLICTS] += vmem.read_conflicts();
    counter[regs::VMEM_WR_CONFLICTS] += vmem.write_conflicts();
    for (int u = 0; u < isa::kNumUnits; ++u)
      ++counter[regs::kNumPlainCounters + u * regs::kNumStates +
                static_cast<int>(control.state(static_cast<isa::Unit>(u)))];

    quiet_cycles = control.progressed() ? 0 : quiet_cycles + 1;
    if (quiet_cycles > kWatchdog)
      throw TimingError(fmt::format("no progress for {} cycles at pc {}", kWatchdog, control.pc()));
    if (counter[regs::CYCLES] >= max_cycles)
      throw TimingError(fmt::format("more than {} cycles", max_cycles));

    dma.advance({control.accepted(0), control.accepted(1)});
    mxu.advance(control.accepted(2), control.accepted(3));
    vpu.advance(control.accepted(4));
    control.advance();
  }
  p.cycles = counter[regs::CYCLES];
  return p;
}

}  // namespace ttpu::timing
