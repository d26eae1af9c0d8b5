// Special functions of the VPU as docs/reference/sfu.md defines them.
#pragma once
#include <cstdint>

#include "isa/generated/isa_gen.h"

namespace ttpu::golden {

/// fp32 bits in, fp32 bits out.
uint32_t special_function(isa::Sfu function, uint32_t x);

}  // namespace ttpu::golden
