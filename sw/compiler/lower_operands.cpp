// Lowering: values and how a kernel reads them: stored, dequantised in the load, constant.
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/lower.h"

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

void Lowerer::fail(const Node& n, const std::string& why) const {
  throw CompileError(n.name, ir::op_name(n), why);
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
  k.nodes = {source_name(*dq)};
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
    if (q.per_tensor() && q.zero[0] >= -256 && q.zero[0] <= 255 &&
        !g_.tensors[root(dq->inputs[0])].is_const) {
      o.tensor = storage_of(n, dq->inputs[0]);
      o.dequant = true;
      o.scale = q.scale[0];
      o.zero = q.zero[0];
      absorbed_.push_back(source_name(*dq));
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
      if (n.kind == OpKind::Im2col && !n.pixel_rows) {
        any = true;
        continue;
      }
      if ((n.kind != OpKind::MatMul && n.kind != OpKind::Gemm) || j > 1) return Dtype::F32;
      any = true;
    }
  }
  return any ? Dtype::BF16 : Dtype::F32;
}

/// A float tensor as bf16, converted once if it is stored as fp32. `any_view`: the reader takes
/// bytes in order, rows of any width do.
int Lowerer::as_bf16(const Node& n, int t, bool any_view) {
  const int s = storage_of(n, t);
  if (out_.storage[s].type == Dtype::BF16) return s;
  const auto it = bf16_copy_.find(s);
  if (it != bf16_copy_.end()) return it->second;
  const ir::Tensor& x = g_.tensors[t];
  Kernel k;
  k.kind = KernelKind::Map;
  k.name = n.name + ".bf16";
  k.m = any_view ? out_.storage[s].rows : x.rows();
  k.n = any_view ? out_.storage[s].cols : x.cols();
  k.a.tensor = s;
  k.chain.fp = true;
  k.out = new_storage(x.name + ".bf16", Dtype::BF16, k.m, k.n);
  k.nodes = {source_name(n)};
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

}  // namespace ttpu::compiler
