// The driver: passes in order.
#include <algorithm>

#include "compiler/compiler.h"
#include "compiler/program.h"

namespace ttpu {

using namespace compiler;

namespace {

/// Kernels whose result nobody reads are dropped.
void drop_dead(Lowered& p) {
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < p.kernels.size(); ++i) {
      const int out = p.kernels[i].out;
      const bool used = p.storage[static_cast<size_t>(out)].is_output ||
                        std::any_of(p.kernels.begin(), p.kernels.end(), [&](const Kernel& k) {
                          return k.a.tensor == out || k.b.tensor == out || k.w_tensor == out;
                        });
      if (used) continue;
      p.kernels.erase(p.kernels.begin() + static_cast<int64_t>(i));
      again = true;
      break;
    }
  }
}

void check_sizes(const Lowered& p) {
  for (const Kernel& k : p.kernels)
    if (k.n > 1 << 20 || k.k > 1 << 20)
      throw CompileError(k.name, "size",
                         "a row of " + std::to_string(std::max(k.n, k.k)) +
                             " elements; at most 2^20 are supported");
}

Image build(const ir::Graph& graph, const Config& config, const CompileOptions& options,
            bool fuse_residual, bool& has_residual) {
  LowerOptions lower_options;
  lower_options.fuse_residual = fuse_residual;
  Lowered program = lower(graph, config, lower_options);
  drop_dead(program);
  find_lifetimes(program);
  check_sizes(program);
  for (const Kernel& k : program.kernels)
    has_residual |= k.kind == KernelKind::Contract && k.b.tensor >= 0;
  const Plan plan = make_plan(program, config, limits_of(options, config));
  return assemble(program, plan, config);
}

}  // namespace

Image compile_graph(ir::Graph graph, const Config& config, const CompileOptions& options) {
  ir::verify(graph);
  ir::infer_shapes(graph);
  ir::fold_constants(graph);
  ir::rewrite_convolutions(graph);
  ir::verify(graph);
  bool has_residual = false;
  try {
    return build(graph, config, options, true, has_residual);
  } catch (const CompileError&) {
    if (!has_residual) throw;
    // A fused residual must stand in VMEM. Without the fusion it may be spilled.
    return build(graph, config, options, false, has_residual);
  }
}

Image compile(const std::string& onnx_path, const Config& config, const CompileOptions& options) {
  return compile_graph(import_onnx(onnx_path, options), config, options);
}

}  // namespace ttpu
