// DMA: strided blocks between VMEM and a far memory.
#include <cstring>

#include "golden/detail.h"
#include "golden/machine.h"

namespace ttpu::golden {

using detail::fault;
using detail::unsupported;
using isa::Error;
using isa::Opcode;

std::optional<Fault> Machine::execute_dma(const Command& command) {
  const uint32_t channel = isa::DmaShape::decode(command.instr).channel;
  if (channel >= config_.dma_channels) return unsupported(command, channel);
  DmaConfig& dma = dma_[channel];
  switch (static_cast<Opcode>(command.instr.get(0, 8))) {
    case Opcode::DMA_SHAPE: {
      const auto f = isa::DmaShape::decode(command.instr);
      dma.n[0] = f.n0, dma.n[1] = f.n1, dma.n[2] = f.n2, dma.n[3] = f.n3;
      return std::nullopt;
    }
    case Opcode::DMA_HSTRIDE: {
      const auto f = isa::DmaHstride::decode(command.instr);
      dma.far_stride[0] = f.s1, dma.far_stride[1] = f.s2, dma.far_stride[2] = f.s3;
      return std::nullopt;
    }
    case Opcode::DMA_VSTRIDE: {
      const auto f = isa::DmaVstride::decode(command.instr);
      dma.vmem_stride[0] = f.s1, dma.vmem_stride[1] = f.s2, dma.vmem_stride[2] = f.s3;
      return std::nullopt;
    }
    case Opcode::DMA_LOAD:
      return transfer(command, dma, false);
    default:
      return transfer(command, dma, true);
  }
}

std::optional<Fault> Machine::transfer(const Command& command, DmaConfig& dma, bool store) {
  // DMA_LOAD and DMA_STORE have the same fields.
  const auto f = isa::DmaLoad::decode(command.instr);
  const bool use_cmem = static_cast<isa::Space>(f.space) == isa::Space::CMEM;
  if (use_cmem && cmem.empty()) return unsupported(command, f.space);
  auto& far = use_cmem ? cmem : hbm;
  auto& moved = use_cmem ? (store ? activity.cmem_write_bytes : activity.cmem_read_bytes)
                         : (store ? activity.hbm_write_bytes : activity.hbm_read_bytes);
  auto& vmem_moved = store ? activity.vmem_read_bytes : activity.vmem_write_bytes;
  const uint64_t bytes = dma.n[0];
  if (bytes == 0) return std::nullopt;
  const uint32_t far_start = command.a + f.imm_h, vmem_start = command.b + f.imm_v;
  for (uint32_t i3 = 0; i3 < dma.n[3]; ++i3) {
    for (uint32_t i2 = 0; i2 < dma.n[2]; ++i2) {
      for (uint32_t i1 = 0; i1 < dma.n[1]; ++i1) {
        const uint32_t index[3] = {i1, i2, i3};
        uint32_t v = vmem_start;
        uint64_t h = far_start;
        for (int d = 0; d < 3; ++d) {
          v += index[d] * static_cast<uint32_t>(dma.vmem_stride[d]);
          h += static_cast<uint64_t>(static_cast<int64_t>(index[d]) * dma.far_stride[d]);
        }
        if (v >= vmem.size()) return fault(command, Error::VMEM_BOUNDS, v);
        if (v + bytes > vmem.size()) return fault(command, Error::VMEM_BOUNDS, vmem.size());
        if (h >= far.size()) return fault(command, Error::FAR_BOUNDS, h);
        if (bytes > far.size() - h) return fault(command, Error::FAR_BOUNDS, far.size());
        if (store)
          std::memcpy(&far[h], &vmem[v], bytes);
        else
          std::memcpy(&vmem[v], &far[h], bytes);
        moved += bytes;
        vmem_moved += bytes;
      }
    }
  }
  return std::nullopt;
}

}  // namespace ttpu::golden
