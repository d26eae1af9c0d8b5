// Emission of kernels: instructions with flags for a plan.
#pragma once
#include "compiler/emitter.h"
#include "compiler/plan.h"

namespace ttpu::compiler {

void emit_contract(Emitter& e, const Lowered& p, const Plan& plan, int index);
void emit_gather(Emitter& e, const Lowered& p, const Plan& plan, int index);
void emit_map(Emitter& e, const Lowered& p, const Plan& plan, int index);

/// Stages of a chain; stages beyond it stay PASS (after VPU_CLEAR).
void emit_chain(Emitter& e, const Chain& chain);

}  // namespace ttpu::compiler
