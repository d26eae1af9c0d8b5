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

uint32_t size_of(Dtype t) {
  switch (t) {
    case Dtype::S8:
    case Dtype::U8:
      return 1;
    case Dtype::BF16:
      return 2;
    default:
      return 4;
  }
}

const char* name_of(Dtype t) {
  switch (t) {
    case Dtype::S8:
      return "int8";
    case Dtype::U8:
      return "uint8";
    case Dtype::BF16:
      return "bf16";
    case Dtype::I32:
      return "int32";
    case Dtype::F32:
      return "float32";
  }
  return "?";
}

uint32_t bits_of(float f) { return std::bit_cast<uint32_t>(f); }

uint16_t to_bf16(float f) {
  uint32_t u = bits_of(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  if ((u & 0x7f800000u) == 0) return static_cast<uint16_t>(u >> 16 & 0x8000u);
  u += 0x7fffu + (u >> 16 & 1u);
  return static_cast<uint16_t>(u >> 16);
}

void Chain::add(Vop op, uint32_t imm, uint32_t shift) {
  stages.push_back({op, isa::Voperand::CONST, false, shift, imm});
}
void Chain::add_float(Vop op, float imm) { add(op, bits_of(imm)); }

void Chain::add_columns(Vop op, const std::vector<uint32_t>& columns, uint32_t shift) {
  if (std::all_of(columns.begin(), columns.end(), [&](uint32_t v) { return v == columns[0]; })) {
    if (op == Vop::IADD && columns[0] == 0) return;
    add(op, columns[0], shift);
    return;
  }
  stages.push_back({op, static_cast<isa::Voperand>(1 + vectors.size()), false, shift, 0});
  vectors.push_back(columns);
}

Lowerer::Lowerer(const ir::Graph& graph, const Config& config, const LowerOptions& options)
    : g_(graph), config_(config), options_(options) {}

void Lowerer::fail(const Node& n, const std::string& why) const {
  throw CompileError(n.name, name_of(n.kind), why);
}

Dtype Lowerer::hardware_type(DType t) const {
  switch (t) {
    case DType::F32:
      return Dtype::F32;
    case DType::BF16:
      return Dtype::BF16;
    case DType::S8:
      return Dtype::S8;
    case DType::U8:
      return Dtype::U8;
    default:
      return Dtype::I32;
  }
}

/// The tensor that a chain of views starts from.
int Lowerer::root(int t) const {
  for (;;) {
    const int p = producer_[t];
    if (p < 0) return t;
    const Node& n = g_.nodes[p];
    if (n.kind != OpKind::Flatten && n.kind != OpKind::Reshape) return t;
    t = n.inputs[0];
  }
}

bool Lowerer::is_output(int t) const {
  return std::any_of(g_.outputs.begin(), g_.outputs.end(),
                     [&](int o) { return root(o) == root(t); });
}

/// The DequantizeLinear that makes t (through views), if its scale is one number or on `axis_ok`.
const Node* Lowerer::dequant_of(int t) const {
  const int p = producer_[root(t)];
  if (p < 0 || g_.nodes[p].kind != OpKind::DequantizeLinear) return nullptr;
  return &g_.nodes[p];
}

int Lowerer::new_storage(const std::string& name, Dtype type, int64_t rows, int64_t cols) {
  Storage s;
  s.name = name;
  s.type = type;
  s.rows = rows;
  s.cols = cols;
  out_.storage.push_back(std::move(s));
  return static_cast<int>(out_.storage.size()) - 1;
}

void Lowerer::check_type(const Node& n, Dtype t) const {
  if (!config_.has_fp && is_float(t))
    fail(n, "needs floating point, which configuration " + std::string(config_.name) +
                " does not have: quantise the model (QLinearMatMul or QDQ), or use another "
                "configuration");
}

/// Where the value of t is stored; makes it if it was put off (DequantizeLinear, constants).
int Lowerer::storage_of(const Node& user, int t) {
  const int r = root(t);
  const auto it = stored_.find(r);
  if (it != stored_.end()) return it->second;
  const ir::Tensor& x = g_.tensors[r];
  if (x.is_const) {
    const int s = new_storage(x.name, hardware_type(x.type), x.rows(), x.cols());
    out_.storage[s].constant = x.data;
    stored_[r] = s;
    return s;
  }
  const Node* dq = dequant_of(r);
  if (!dq) fail(user, "'" + x.name + "' has not been computed");
  check_type(*dq, Dtype::F32);
  const ir::Quant q = ir::quant_of(g_, *dq, dq->inputs[1], dq->input(2), dq->axis);
  Kernel k;
  k.kind = KernelKind::Map;
  k.name = dq->name;
  k.m = x.rows();
  k.n = x.cols();
  k.a.tensor = storage_of(*dq, dq->inputs[0]);
  k.chain.fp = true;
  dequant_operand(*dq, q, k);
  k.out = new_storage(x.name, Dtype::F32, k.m, k.n);
  k.nodes = {dq->name};
  k.notes = {"its float result is needed as such"};
  push(std::move(k), r);
  return stored_.at(r);
}

/// Make operand a of a kernel the dequantised value, per tensor in the load or per column in
/// stages.
void Lowerer::dequant_operand(const Node& n, const ir::Quant& q, Kernel& k) {
  if (q.per_tensor()) {
    k.a.dequant = true;
    k.a.scale = q.scale[0];
    if (q.zero[0] < -256 || q.zero[0] > 255) fail(n, "zero point out of range");
    k.a.zero = q.zero[0];
    return;
  }
  const int64_t rank = static_cast<int64_t>(g_.tensors[n.inputs[0]].shape.size());
  if ((q.axis < 0 ? q.axis + rank : q.axis) != rank - 1)
    fail(n, "per-axis scales are supported on the last axis only");
  std::vector<uint32_t> zero, scale;
  for (size_t i = 0; i < q.scale.size(); ++i) {
    zero.push_back(static_cast<uint32_t>(-q.zero[i]));
    scale.push_back(bits_of(q.scale[i]));
  }
  k.chain.add_columns(Vop::IADD, zero);
  k.chain.add(Vop::I2F);
  k.chain.add_columns(Vop::FMUL, scale);
}

/// Operand b of a kernel for a float value: its stored form, or dequantised in the load.
Operand Lowerer::float_operand(const Node& n, int t) {
  Operand o;
  const Node* dq = dequant_of(t);
  if (dq && !stored_.count(root(t))) {
    const ir::Quant q = ir::quant_of(g_, *dq, dq->inputs[1], dq->input(2), dq->axis);
    if (q.per_tensor() && !g_.tensors[root(dq->inputs[0])].is_const) {
      o.tensor = storage_of(n, dq->inputs[0]);
      o.dequant = true;
      o.scale = q.scale[0];
      o.zero = q.zero[0];
      absorbed_.push_back(dq->name);
      return o;
    }
  }
  o.tensor = storage_of(n, t);
  return o;
}

void Lowerer::push(Kernel k, int result) {
  for (auto& a : absorbed_) {
    if (std::find(k.nodes.begin(), k.nodes.end(), a) == k.nodes.end()) k.nodes.push_back(a);
  }
  absorbed_.clear();
  if (k.chain.stages.size() > config_.vpu_stages)
    throw CompileError(k.name, "chain",
                       "needs " + std::to_string(k.chain.stages.size()) +
                           " VPU stages, configuration " + std::string(config_.name) + " has " +
                           std::to_string(config_.vpu_stages));
  stored_[result] = k.out;
  out_.kernels.push_back(std::move(k));
}

/// A float result is kept as bf16 if only the matrix unit reads it, else as fp32.
Dtype Lowerer::float_type(int t) const {
  if (is_output(t)) return Dtype::F32;
  bool any = false;
  for (size_t i = 0; i < g_.nodes.size(); ++i) {
    const Node& n = g_.nodes[i];
    for (size_t j = 0; j < n.inputs.size(); ++j) {
      if (n.inputs[j] < 0 || root(n.inputs[j]) != root(t)) continue;
      if (n.kind == OpKind::Flatten || n.kind == OpKind::Reshape) continue;
      if ((n.kind != OpKind::MatMul && n.kind != OpKind::Gemm) || j > 1) return Dtype::F32;
      any = true;
    }
  }
  return any ? Dtype::BF16 : Dtype::F32;
}

/// A float tensor as bf16, converted once if it is stored as fp32.
int Lowerer::as_bf16(const Node& n, int t) {
  const int s = storage_of(n, t);
  if (out_.storage[s].type == Dtype::BF16) return s;
  const auto it = bf16_copy_.find(s);
  if (it != bf16_copy_.end()) return it->second;
  const ir::Tensor& x = g_.tensors[t];
  Kernel k;
  k.kind = KernelKind::Map;
  k.name = n.name + ".bf16";
  k.m = x.rows();
  k.n = x.cols();
  k.a.tensor = s;
  k.chain.fp = true;
  k.out = new_storage(x.name + ".bf16", Dtype::BF16, k.m, k.n);
  k.nodes = {n.name};
  k.notes = {"the matrix unit takes bf16: '" + x.name + "' is rounded to nearest even on chip"};
  const int out = k.out;
  out_.kernels.push_back(std::move(k));
  bf16_copy_[s] = out;
  return out;
}

/// If `t` is a constant that is the same in every row: its values, one a column.
bool Lowerer::row_vector(int t, int64_t n, std::vector<float>& v) const {
  const int r = root(t);
  const ir::Tensor& x = g_.tensors[t];
  if (x.elements() != 1 && (x.cols() != n || x.rows() != 1)) return false;
  if (g_.tensors[r].is_const) {
    if (g_.tensors[r].type == DType::F32) {
      v = ir::values<float>(g_.tensors[r]);
    } else {
      v.clear();
      for (const int32_t i : ir::integers(g_.tensors[r])) v.push_back(static_cast<float>(i));
    }
  } else {
    const Node* dq = dequant_of(t);
    if (!dq || !g_.tensors[root(dq->inputs[0])].is_const) return false;
    v = dequantised(*dq);
  }
  if (v.size() == 1) v.assign(static_cast<size_t>(n), v[0]);
  return true;
}

std::vector<float> Lowerer::dequantised(const Node& dq) const {
  const ir::Quant q = ir::quant_of(g_, dq, dq.inputs[1], dq.input(2), dq.axis);
  const ir::Tensor& x = g_.tensors[root(dq.inputs[0])];
  const auto raw = ir::integers(x);
  int64_t inner = 1;
  const auto& shape = g_.tensors[dq.inputs[0]].shape;
  const int64_t axis = q.axis < 0 ? q.axis + static_cast<int64_t>(shape.size()) : q.axis;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  std::vector<float> v(raw.size());
  for (size_t i = 0; i < raw.size(); ++i) {
    const size_t c = q.per_tensor() ? 0 : (i / static_cast<size_t>(inner)) % q.scale.size();
    v[i] = static_cast<float>(static_cast<int64_t>(raw[i]) - q.zero[c]) * q.scale[c];
  }
  return v;
}

/// The only reader of t, if there is just one and t is no output.
int Lowerer::sole_consumer(int t) const {
  if (std::find(g_.outputs.begin(), g_.outputs.end(), t) != g_.outputs.end()) return -1;
  const auto c = g_.consumers(t);
  return c.size() == 1 ? c[0] : -1;
}

void Lowerer::lower_add(const Node& n) {
  const ir::Tensor& y = g_.tensors[n.outputs[0]];
  Kernel k;
  k.kind = KernelKind::Map;
  k.name = n.name;
  k.m = y.rows();
  k.n = y.cols();
  k.nodes = {n.name};
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
    k.nodes.push_back(next.name);
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
  k.nodes = {n.name};
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
      k.nodes = {n.name};
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
      k.nodes = {n.name};
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
      out_.aliases.push_back(n.name);
      return;
    case OpKind::ArgMax:
      return lower_argmax(n);
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
    if (producer_[r] >= 0) {
      const Node& n = g_.nodes[producer_[r]];
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
    use(k.a.tensor, at, contract ? k.k : k.n);
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
