// A plain C++ matrix product, the yardstick of the simulation's speed.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/compiler.h"

namespace ttpu::cli {

/// CPU time of this thread so far: other processes on the machine do not count.
double thread_seconds();

/// Multiply-adds a second (of CPU time) of a plain triple loop over row-major operands of the same
/// types and shapes (int8 to int32, or bf16 to fp32), compiled with the flags of this program: the
/// best of repeated products, timed for at least `seconds`. `c` receives the product's bytes.
double plain_gemm_macs_per_s(const GemmSpec& spec, const std::vector<uint8_t>& a,
                             const std::vector<uint8_t>& b, double seconds,
                             std::vector<uint8_t>* c);

}  // namespace ttpu::cli
