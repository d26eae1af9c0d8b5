// From a plan to an image: code, constants, boundary tensors.
#include "compiler/program.h"

#include <algorithm>

#include "compiler/emit.h"

namespace ttpu::compiler {
namespace {

TensorType tensor_type(Dtype t) {
  switch (t) {
    case Dtype::S8:
      return TensorType::S8;
    case Dtype::U8:
      return TensorType::U8;
    case Dtype::BF16:
      return TensorType::BF16;
    case Dtype::I32:
      return TensorType::S32;
    case Dtype::F32:
      return TensorType::F32;
  }
  return TensorType::S8;
}

/// Panels of N columns; each panel all rows (padded to whole chunks), N elements a row.
std::vector<uint8_t> pack_weights(const Kernel& k, const ContractTile& t, const Config& config) {
  const Geometry g = geometry(k, config);
  const uint64_t rows = g.panel_rows(t), row = static_cast<uint64_t>(g.n) * g.esize;
  const uint64_t dense = static_cast<uint64_t>(k.n) * g.esize;
  std::vector<uint8_t> r(rows * row * g.nt, 0);
  for (uint32_t p = 0; p < g.nt; ++p) {
    const uint64_t width = std::min(row, dense - p * row);
    for (uint64_t i = 0; i < static_cast<uint64_t>(k.k); ++i)
      std::copy_n(k.w.begin() + static_cast<int64_t>(i * dense + p * row), width,
                  r.begin() + static_cast<int64_t>((p * rows + i) * row));
  }
  return r;
}

std::vector<uint8_t> pack_params(const Kernel& k, const Config& config) {
  std::vector<uint32_t> words(param_bytes(k, config) / 4, 0);
  if (k.kind == KernelKind::ArgMax) {
    for (uint32_t i = 0; i < config.n; ++i) words[i] = i;
  } else {
    const size_t count = k.chain.vectors.size();
    for (size_t v = 0; v < count; ++v)
      for (size_t c = 0; c < k.chain.vectors[v].size(); ++c)
        words[(c / config.n * count + v) * config.n + c % config.n] = k.chain.vectors[v][c];
  }
  std::vector<uint8_t> r(words.size() * 4);
  for (size_t i = 0; i < r.size(); ++i) r[i] = static_cast<uint8_t>(words[i / 4] >> (i % 4 * 8));
  return r;
}

TensorDesc describe(const Lowered& p, const Plan& plan, const Port& port) {
  const Storage& s = p.storage[static_cast<size_t>(port.storage)];
  const Place& place = plan.places[static_cast<size_t>(port.storage)];
  TensorDesc d;
  d.name = port.name;
  d.type = tensor_type(s.type);
  for (const int64_t x : port.shape) d.shape.push_back(static_cast<uint32_t>(x));
  d.hbm_addr = place.hbm;
  // A view of another width is dense: its own rows follow each other without a gap.
  const uint64_t cols = port.shape.empty() ? 1 : static_cast<uint64_t>(port.shape.back());
  d.row_pitch = s.dense ? cols * size_of(s.type) : place.hbm_pitch;
  d.scale = port.scale;
  d.zero_point = port.zero;
  return d;
}

}  // namespace

Image assemble(const Lowered& program, const Plan& plan, const Config& config) {
  Image image;
  image.config_hash = config.hash;
  image.config_name = std::string(config.name);
  image.hbm_bytes = plan.hbm_bytes;
  Emitter e(config);
  e.put(isa::MxuShape{});  // plain rows, whatever ran before
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& k = program.kernels[i];
    const int index = static_cast<int>(i);
    isa::Tag tag;
    tag.imm = static_cast<uint32_t>(i);
    e.put(tag);
    if (k.kind == KernelKind::Contract)
      emit_contract(e, program, plan, index);
    else if (k.kind == KernelKind::Gather)
      emit_gather(e, program, plan, index);
    else
      emit_map(e, program, plan, index);
    const KernelConstants& c = plan.constants[i];
    if (c.param_bytes) image.constants.push_back({c.params, pack_params(k, config)});
    if (c.weight_bytes)
      image.constants.push_back({c.weights, pack_weights(k, plan.contract[i], config)});
  }
  e.halt();
  if (e.code.size() > config.imem_words)
    throw CompileError(program.graph_name, "program",
                       "needs " + std::to_string(e.code.size()) + " instructions, configuration " +
                           std::string(config.name) + " has " + std::to_string(config.imem_words));
  image.code = std::move(e.code);
  for (size_t s = 0; s < program.storage.size(); ++s)
    if (program.storage[s].used && !program.storage[s].constant.empty())
      image.constants.push_back({plan.places[s].hbm, program.storage[s].constant});
  for (const Port& p : program.inputs) image.inputs.push_back(describe(program, plan, p));
  for (const Port& p : program.outputs) image.outputs.push_back(describe(program, plan, p));
  image.report = report(program, plan, config, image.code.size());
  return image;
}

PlanLimits limits_of(const CompileOptions& options, const Config& config) {
  PlanLimits l;
  l.vmem_bytes = config.vmem_bytes();
  if (options.vmem_bytes) l.vmem_bytes = std::min<uint64_t>(l.vmem_bytes, options.vmem_bytes);
  l.vmem_bytes -= l.vmem_bytes % config.word_bytes();
  l.hbm_bytes = options.hbm_bytes;
  l.block_rows = options.block_rows;
  l.keep_in_vmem = options.keep_in_vmem;
  return l;
}

}  // namespace ttpu::compiler
