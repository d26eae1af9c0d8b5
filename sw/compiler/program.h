// From lowered kernels to an image: the last passes, shared by models and single products.
#pragma once
#include "compiler/kernel.h"
#include "compiler/plan.h"

namespace ttpu::compiler {

/// Emit all kernels of a plan and assemble the image with its report.
Image assemble(const Lowered& program, const Plan& plan, const Config& config);

/// JSON of what ran where and why.
std::string report(const Lowered& program, const Plan& plan, const Config& config,
                   size_t instructions);

PlanLimits limits_of(const CompileOptions& options, const Config& config);

}  // namespace ttpu::compiler
