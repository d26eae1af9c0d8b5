#include "golden/machine.h"

#include "golden/detail.h"

namespace ttpu::golden {

using isa::Error;
using isa::Opcode;
using isa::Unit;

uint32_t bytes_of(isa::Dtype dtype) {
  switch (dtype) {
    case isa::Dtype::S8:
    case isa::Dtype::U8:
      return 1;
    case isa::Dtype::BF16:
      return 2;
    case isa::Dtype::I32:
    case isa::Dtype::F32:
      return 4;
  }
  return 0;
}

std::optional<Unit> unit_of(const isa::Instr& instr) {
  switch (static_cast<Opcode>(instr.get(0, 8))) {
    case Opcode::DMA_SHAPE:
    case Opcode::DMA_HSTRIDE:
    case Opcode::DMA_VSTRIDE:
    case Opcode::DMA_LOAD:
    case Opcode::DMA_STORE: {
      const uint32_t channel = isa::DmaShape::decode(instr).channel;
      return channel == 0 ? Unit::DMA0 : Unit::DMA1;  // more channels do not pass the scalar core
    }
    case Opcode::MXU_LOADW:
      return Unit::MXW;
    case Opcode::MXU_SHAPE:
    case Opcode::MXU_MATMUL:
      return Unit::MXS;
    case Opcode::VPU_CLEAR:
    case Opcode::VPU_SETA:
    case Opcode::VPU_SETB:
    case Opcode::VPU_SETD:
    case Opcode::VPU_SHAPE:
    case Opcode::VPU_STAGE:
    case Opcode::VPU_SFU:
    case Opcode::VPU_LDV:
    case Opcode::VPU_RUN:
    case Opcode::VPU_XPOSE:
      return Unit::VPU;
    case Opcode::SYNC:
      return static_cast<Unit>(isa::Sync::decode(instr).unit);
    default:
      for (const auto& op : isa::kOps)
        if (op.opcode == instr.get(0, 8)) return Unit::SCALAR;
      return std::nullopt;
  }
}

Machine::Machine(const Config& config, uint64_t hbm_bytes)
    : vmem(config.vmem_bytes()),
      hbm(hbm_bytes),
      cmem(config.cmem_bytes),
      acc(static_cast<size_t>(config.acc_total()) * config.n),
      smem(config.smem_words),
      imem(config.imem_words),
      config_(config) {
  for (auto& lanes : vreg) lanes.resize(config.n);
  for (auto& weights : weights_) {
    weights.integer.resize(static_cast<size_t>(config.n) * config.n);
    weights.real.resize(weights.integer.size());
  }
  clear();
}

void Machine::clear() {
  for (auto& r : reg) r = 0;
  for (auto& f : flag) f = 0;
  dma_.assign(config_.dma_channels, DmaConfig{});
  walk_ = MxuWalk{};
  filled_ = false;
  for (auto& weights : weights_) weights.k = weights.n = 0, weights.floating = false;
  reset_vpu();
  for (auto& lanes : vreg) lanes.assign(config_.n, 0);
}

bool Machine::ready(const Command& command) const {
  switch (static_cast<Opcode>(command.instr.get(0, 8))) {
    case Opcode::MXU_LOADW:  // one in error does not wait
      return !filled_ || check_loadw(command).has_value();
    case Opcode::MXU_MATMUL:  // a swap is looked at when its weights are there
      return filled_ || isa::MxuMatmul::decode(command.instr).swap == 0;
    default:
      return true;
  }
}

std::optional<Fault> Machine::execute(const Command& command) {
  const auto opcode = command.instr.get(0, 8);
  if (!unit_of(command.instr)) return detail::fault(command, Error::ILLEGAL_OPCODE, opcode);
  if (static_cast<Opcode>(opcode) == Opcode::SYNC) return std::nullopt;  // no effect of its own
  switch (detail::unit_of_command(command)) {
    case Unit::DMA0:
    case Unit::DMA1:
      return execute_dma(command);
    case Unit::MXW:
      return execute_mxw(command);
    case Unit::MXS:
      return execute_mxs(command);
    case Unit::VPU:
      return execute_vpu(command);
    default:  // a scalar instruction is not a unit's
      return detail::fault(command, Error::ILLEGAL_OPCODE, opcode);
  }
}

std::optional<Fault> Machine::vmem_row_fault(const Command& command, uint32_t addr) const {
  if (addr < vmem.size()) return std::nullopt;
  return detail::fault(command, Error::VMEM_BOUNDS, addr);
}

}  // namespace ttpu::golden
