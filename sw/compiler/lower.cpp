// Lowering: source operations are fused into kernels.
#include "compiler/lower.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ttpu::compiler {

using ir::DType;
using ir::Node;
using ir::OpKind;
using isa::Vop;

Lowerer::Lowerer(const ir::Graph& graph, const Config& config, const LowerOptions& options)
    : g_(graph), config_(config), options_(options) {}

void Lowerer::lower_add(const Node& n) {
  const ir::Tensor& y = g_.tensors[n.outputs[0]];
  Kernel k;
  k.kind = KernelKind::Map;
  k.name = n.name;
  k.m = y.rows();
  k.n = y.cols();
  k.nodes = {source_name(n)};
  int x = n.inputs[0], z = n.inputs[1];
  std::vector<float> columns;
  if (row_vector(x, k.n, columns)) std::swap(x, z);
  const bool vector = row_vector(z, k.n, columns);
  if (g_.tensors[x].shape != y.shape || (!vector && g_.tensors[z].shape != y.shape))
    fail(n, "broadcasting is supported only of a constant that is the same in every row");
  if (y.type == DType::S32) {
    k.a.tensor = storage_of(n, x);
    if (vector) {
      auto v = ir::integers(g_.tensors[root(z)]);
      if (v.size() == 1) v.assign(static_cast<size_t>(k.n), v[0]);
      k.chain.add_columns(Vop::IADD, std::vector<uint32_t>(v.begin(), v.end()));
    } else {
      k.b.tensor = storage_of(n, z);
      k.chain.stages.push_back({Vop::IADD, isa::Voperand::B, false, 0, 0});
    }
    k.out = new_storage(y.name, Dtype::I32, k.m, k.n);
    push(std::move(k), n.outputs[0]);
    return;
  }
  check_type(n, Dtype::F32);
  k.a = float_operand(n, x);
  k.chain.fp = true;
  if (vector) {
    std::vector<uint32_t> v;
    for (const float f : columns) v.push_back(bits_of(f));
    k.chain.add_columns(Vop::FADD, v);
    const Node* dq = dequant_of(z);
    if (dq) absorbed_.push_back(dq->name);
  } else {
    k.b = float_operand(n, z);
    k.chain.stages.push_back({Vop::FADD, isa::Voperand::B, false, 0, 0});
  }
  finish_float(n, k, n.outputs[0], false);
}

/// The tail that every float result may have: residual and bias adds, Relu, QuantizeLinear.
void Lowerer::finish_float(const Node& n, Kernel& k, int t, bool residual_ok) {
  Dtype type = Dtype::F32;
  bool quantised = false;
  for (int c = sole_consumer(t); c >= 0 && !quantised; c = sole_consumer(t)) {
    const Node& next = g_.nodes[c];
    const size_t room = config_.vpu_stages - k.chain.stages.size();
    if (k.chain.stages.size() >= config_.vpu_stages) break;
    if (next.kind == OpKind::Relu) {
      k.chain.add_float(Vop::FMAX, 0.0f);
    } else if (next.kind == OpKind::QuantizeLinear) {
      const ir::Quant q = ir::quant_of(g_, next, next.inputs[1], next.input(2), next.axis);
      add_quantise(next, q, k);
      type = hardware_type(g_.tensors[next.outputs[0]].type);
      quantised = true;
    } else if (next.kind == OpKind::Add) {
      const int other = next.inputs[0] == t ? next.inputs[1] : next.inputs[0];
      std::vector<float> columns;
      if (other == t || room < 2 || g_.tensors[next.outputs[0]].shape != g_.tensors[t].shape) break;
      if (row_vector(other, k.n, columns) && k.chain.vectors.size() < 4) {
        std::vector<uint32_t> v;
        for (const float f : columns) v.push_back(bits_of(f));
        k.chain.add_columns(Vop::FADD, v);
      } else if (residual_ok && options_.fuse_residual && k.b.tensor < 0 &&
                 g_.tensors[other].shape == g_.tensors[t].shape && can_stream(other)) {
        k.b = float_operand(next, other);
        k.chain.stages.push_back({Vop::FADD, isa::Voperand::B, false, 0, 0});
        k.notes.push_back("residual add of '" + g_.tensors[other].name +
                          "' in the pass that drains the accumulators");
      } else {
        break;
      }
    } else {
      break;
    }
    k.nodes.push_back(source_name(next));
    done_.insert(c);
    t = next.outputs[0];
  }
  if (!quantised) type = float_type(t);
  k.out = new_storage(g_.tensors[t].name, type, k.m, k.n);
  k.chain.fp = true;
  (void)n;
  push(std::move(k), t);
}

/// A value that exists already between kernels, so that it can stand in VMEM.
bool Lowerer::can_stream(int t) const {
  const int r = root(t);
  const auto it = stored_.find(r);
  if (it != stored_.end()) return !out_.storage[it->second].is_input && !is_output(r);
  const Node* dq = dequant_of(t);
  if (!dq) return false;
  const auto q = stored_.find(root(dq->inputs[0]));
  return q != stored_.end() && !out_.storage[q->second].is_input && !is_output(root(dq->inputs[0]));
}

void Lowerer::add_quantise(const Node& n, const ir::Quant& q, Kernel& k) {
  if (!q.per_tensor()) fail(n, "results are quantised per tensor only");
  const float inverse = 1.0f / q.scale[0];
  if (inverse != 1.0f) k.chain.add_float(Vop::FMUL, inverse);
  k.chain.zero = q.zero[0];
  int exponent = 0;
  k.notes.push_back(std::frexp(q.scale[0], &exponent) == 0.5f
                        ? "scale " + std::to_string(q.scale[0]) +
                              " is a power of two: its reciprocal is exact"
                        : "division by the scale is a multiplication by its reciprocal: may differ "
                          "by one step where x/scale is within rounding of a tie");
}

void Lowerer::lower_argmax(const Node& n) {
  const ir::Tensor& x = g_.tensors[n.inputs[0]];
  if (x.cols() > config_.n)
    fail(n, "over " + std::to_string(x.cols()) + " columns; the chip does it over at most " +
                std::to_string(config_.n) + ": leave it out and take it on the host");
  Kernel k;
  k.kind = KernelKind::ArgMax;
  k.name = n.name;
  k.m = x.rows();
  k.n = x.cols();
  k.nodes = {source_name(n)};
  const Node* dq = dequant_of(n.inputs[0]);
  if (dq && !stored_.count(root(n.inputs[0])) &&
      ir::quant_of(g_, *dq, dq->inputs[1], dq->input(2), dq->axis).per_tensor()) {
    k.a.tensor = storage_of(n, dq->inputs[0]);
    absorbed_.push_back(dq->name);
    k.notes.push_back("dequantising keeps the order: taken over the integers");
  } else {
    k.a.tensor = storage_of(n, n.inputs[0]);
  }
  k.notes.push_back("result is int32 (ONNX: int64)");
  k.out = new_storage(g_.tensors[n.outputs[0]].name, Dtype::I32, k.m, 1);
  push(std::move(k), n.outputs[0]);
}

void Lowerer::lower_node(const Node& n) {
  switch (n.kind) {
    case OpKind::Gemm:
    case OpKind::MatMul:
    case OpKind::QLinearMatMul:
    case OpKind::MatMulInteger:
      return lower_contract(n);
    case OpKind::Add:
      return lower_add(n);
    case OpKind::Relu: {
      check_type(n, Dtype::F32);
      Kernel k;
      k.kind = KernelKind::Map;
      k.name = n.name;
      k.m = g_.tensors[n.inputs[0]].rows();
      k.n = g_.tensors[n.inputs[0]].cols();
      k.nodes = {source_name(n)};
      k.a = float_operand(n, n.inputs[0]);
      k.chain.add_float(Vop::FMAX, 0.0f);
      return finish_float(n, k, n.outputs[0], false);
    }
    case OpKind::QuantizeLinear: {
      check_type(n, Dtype::F32);
      Kernel k;
      k.kind = KernelKind::Map;
      k.name = n.name;
      k.m = g_.tensors[n.inputs[0]].rows();
      k.n = g_.tensors[n.inputs[0]].cols();
      k.nodes = {source_name(n)};
      k.a = float_operand(n, n.inputs[0]);
      add_quantise(n, ir::quant_of(g_, n, n.inputs[1], n.input(2), n.axis), k);
      k.chain.fp = true;
      k.out = new_storage(g_.tensors[n.outputs[0]].name,
                          hardware_type(g_.tensors[n.outputs[0]].type), k.m, k.n);
      return push(std::move(k), n.outputs[0]);
    }
    case OpKind::DequantizeLinear:
      return;  // made when its value is used
    case OpKind::Flatten:
    case OpKind::Reshape:
      out_.aliases.push_back(source_name(n));
      return;
    case OpKind::ArgMax:
      return lower_argmax(n);
    case OpKind::Im2col:
      return lower_im2col(n);
    case OpKind::MaxRows:
      return lower_max_rows(n);
    case OpKind::Transpose:
      return lower_transpose(n);
    case OpKind::Conv:
    case OpKind::QLinearConv:
    case OpKind::ConvInteger:
    case OpKind::MaxPool:
      throw std::logic_error("a convolution was not rewritten");
  }
}

/// A result that is an input or a constant itself is copied.
int Lowerer::copied(int t) {
  Kernel k;
  const ir::Tensor& x = g_.tensors[t];
  const int s = stored_.count(root(t)) ? stored_.at(root(t)) : storage_of(g_.nodes[0], t);
  k.kind = KernelKind::Map;
  k.name = x.name;
  k.m = x.rows();
  k.n = x.cols();
  k.a.tensor = s;
  const Dtype type = out_.storage[s].type;
  if (x.type == DType::S64) throw CompileError(x.name, "output", "is an int64 tensor of the input");
  if (!config_.has_fp && is_float(type))
    throw CompileError(x.name, "output", "is float, which this configuration does not have");
  k.chain.fp = is_float(type);
  k.out = new_storage(x.name + ".copy", type, k.m, k.n);
  k.notes = {"an output that is an input itself is copied"};
  const int out = k.out;
  out_.kernels.push_back(std::move(k));
  return out;
}

Lowered Lowerer::run() {
  out_.graph_name = g_.name;
  producer_.assign(g_.tensors.size(), -1);
  for (size_t i = 0; i < g_.nodes.size(); ++i)
    for (const int t : g_.nodes[i].outputs) producer_[t] = static_cast<int>(i);
  for (const int t : g_.inputs) {
    const ir::Tensor& x = g_.tensors[t];
    if (x.type == DType::S64) throw CompileError(x.name, "input", "int64 inputs are not supported");
    const int s = new_storage(x.name, hardware_type(x.type), x.rows(), x.cols());
    out_.storage[s].is_input = true;
    stored_[t] = s;
    Port p{x.name, s, x.shape, 1.0f, 0};
    for (const int c : g_.consumers(t)) quant_port(g_.nodes[c], t, p);
    out_.inputs.push_back(std::move(p));
  }
  for (size_t i = 0; i < g_.nodes.size(); ++i)
    if (!done_.count(static_cast<int>(i))) lower_node(g_.nodes[i]);
  for (const int t : g_.outputs) {
    const int r = root(t);
    int s = -1;
    if (stored_.count(r) && !out_.storage[stored_.at(r)].is_input &&
        out_.storage[stored_.at(r)].constant.empty()) {
      s = stored_.at(r);
    } else if (dequant_of(t) && !stored_.count(r)) {
      s = storage_of(*dequant_of(t), t);
    } else {
      s = copied(t);
    }
    out_.storage[s].is_output = true;
    Port p{g_.tensors[t].name, s, g_.tensors[t].shape, 1.0f, 0};
    int made = producer_[r];
    while (made >= 0 && g_.nodes[made].kind == OpKind::Transpose)
      made = producer_[root(g_.nodes[made].inputs[0])];
    if (made >= 0) {
      const Node& n = g_.nodes[made];
      if (n.kind == OpKind::QuantizeLinear || n.kind == OpKind::QLinearMatMul) {
        const bool ql = n.kind == OpKind::QuantizeLinear;
        const ir::Quant q = ir::quant_of(g_, n, n.inputs[ql ? 1 : 6], n.input(ql ? 2 : 7), 0);
        p.scale = q.scale[0];
        p.zero = q.zero[0];
      }
    }
    out_.outputs.push_back(std::move(p));
  }
  return std::move(out_);
}

void Lowerer::quant_port(const Node& n, int t, Port& p) const {
  int scale = -1, zero = -1;
  if (n.kind == OpKind::Transpose || n.kind == OpKind::Im2col || n.kind == OpKind::Reshape ||
      n.kind == OpKind::MaxRows) {
    for (const int c : g_.consumers(n.outputs[0])) quant_port(g_.nodes[c], n.outputs[0], p);
    return;
  }
  if (n.kind == OpKind::DequantizeLinear) {
    scale = n.inputs[1];
    zero = n.input(2);
  } else if (n.kind == OpKind::QLinearMatMul && n.inputs[0] == t) {
    scale = n.inputs[1];
    zero = n.inputs[2];
  }
  if (scale < 0) return;
  const ir::Quant q = ir::quant_of(g_, n, scale, zero, n.axis);
  if (q.per_tensor()) {
    p.scale = q.scale[0];
    p.zero = q.zero[0];
  }
}

Lowered lower(const ir::Graph& graph, const Config& config, const LowerOptions& options) {
  return Lowerer(graph, config, options).run();
}

void find_lifetimes(Lowered& program) {
  auto use = [&](int s, int k, int64_t cols) {
    if (s < 0) return;
    Storage& x = program.storage[static_cast<size_t>(s)];
    x.used = true;
    if (x.first < 0) x.first = k;
    x.last = std::max(x.last, k);
    if (cols != x.cols) x.dense = true;
  };
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& k = program.kernels[i];
    const int at = static_cast<int>(i);
    const bool contract = k.kind == KernelKind::Contract;
    const bool gather = k.kind == KernelKind::Gather;  // reads bytes, not rows
    use(k.a.tensor, at, gather ? -1 : contract ? k.k : k.n);
    use(k.b.tensor, at, k.n);
    use(k.w_tensor, at, k.n);
    use(k.out, at, k.kind == KernelKind::ArgMax ? 1 : k.n);
  }
  auto port = [&](const Port& p) {
    Storage& x = program.storage[static_cast<size_t>(p.storage)];
    x.used = true;
    if ((p.shape.empty() ? 1 : p.shape.back()) != x.cols) x.dense = true;
  };
  for (const Port& p : program.inputs) port(p);
  for (const Port& p : program.outputs) port(p);
}

}  // namespace ttpu::compiler
