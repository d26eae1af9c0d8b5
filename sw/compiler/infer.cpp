// Types and shapes of results, and evaluation of operations on constants.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/compiler.h"
#include "compiler/ir.h"
#include "compiler/quant.h"

namespace ttpu::ir {
namespace {

[[noreturn]] void fail(const Node& n, const std::string& why) {
  throw CompileError(n.name, op_name(n), why);
}

std::string shape_text(const std::vector<int64_t>& s) {
  std::string r = "[";
  for (size_t i = 0; i < s.size(); ++i) r += (i ? "," : "") + std::to_string(s[i]);
  return r + "]";
}

const Tensor& in(const Graph& g, const Node& n, size_t i) {
  if (n.input(i) < 0) fail(n, "input " + std::to_string(i) + " is missing");
  return g.tensors[n.input(i)];
}

void want(const Node& n, const Tensor& t, std::initializer_list<DType> types) {
  if (std::find(types.begin(), types.end(), t.type) != types.end()) return;
  std::string list;
  for (const DType d : types) list += (list.empty() ? "" : ", ") + std::string(name_of(d));
  fail(n, "input '" + t.name + "' is " + name_of(t.type) + "; supported: " + list);
}

std::vector<int64_t> matmul_shape(const Node& n, const Tensor& a, const Tensor& b, bool trans_a,
                                  bool trans_b) {
  if (a.shape.size() < 2)
    fail(n, "A '" + a.name + "' has rank " + std::to_string(a.shape.size()) +
                "; it must be at least 2");
  if (b.shape.size() != 2)
    fail(n, "B '" + b.name + "' has shape " + shape_text(b.shape) +
                "; only a matrix (rank 2) is supported");
  if (trans_a) fail(n, "transA = 1 is not supported: transpose A before");
  const int64_t k = a.shape.back(), bk = b.shape[trans_b ? 1 : 0];
  if (k != bk)
    fail(n, "A " + shape_text(a.shape) + " and B " + shape_text(b.shape) +
                (trans_b ? " (transposed)" : "") + " do not fit: K is " + std::to_string(k) +
                " and " + std::to_string(bk));
  std::vector<int64_t> s = a.shape;
  s.back() = b.shape[trans_b ? 0 : 1];
  return s;
}

std::vector<int64_t> broadcast(const Node& n, const Tensor& a, const Tensor& b) {
  const size_t rank = std::max(a.shape.size(), b.shape.size());
  std::vector<int64_t> s(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t x = i < a.shape.size() ? a.shape[a.shape.size() - 1 - i] : 1;
    const int64_t y = i < b.shape.size() ? b.shape[b.shape.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      fail(n, "shapes " + shape_text(a.shape) + " and " + shape_text(b.shape) + " do not fit");
    s[rank - 1 - i] = std::max(x, y);
  }
  return s;
}

void check_quant(const Graph& g, const Node& n, const Tensor& x, int scale, int zero) {
  if (scale < 0) fail(n, "the scale is missing");
  const Tensor& s = g.tensors[scale];
  want(n, s, {DType::F32});
  if (s.shape.size() > 1)
    fail(n, "blocked quantisation (scale of rank 2 or more) is not supported");
  if (zero >= 0 && g.tensors[zero].elements() != s.elements())
    fail(n, "scale has " + std::to_string(s.elements()) + " elements, zero point " +
                std::to_string(g.tensors[zero].elements()));
  if (s.elements() != 1) {
    const int64_t rank = static_cast<int64_t>(x.shape.size());
    const int64_t axis = n.axis < 0 ? n.axis + rank : n.axis;
    if (axis < 0 || axis >= rank) fail(n, "axis " + std::to_string(n.axis) + " is out of range");
    if (x.shape[axis] != s.elements())
      fail(n, "scale has " + std::to_string(s.elements()) + " elements, axis " +
                  std::to_string(axis) + " of the tensor has " + std::to_string(x.shape[axis]));
  }
}

std::vector<int64_t> reshape_target(const Graph& g, const Node& n, const Tensor& x) {
  std::vector<int64_t> want_shape = n.shape;
  if (n.input(1) >= 0) {
    const Tensor& s = g.tensors[n.input(1)];
    if (!s.is_const || s.type != DType::S64)
      fail(n, "the target shape must be a constant of int64");
    want_shape.resize(s.data.size() / 8);
    std::memcpy(want_shape.data(), s.data.data(), want_shape.size() * 8);
  }
  if (want_shape.size() > 8) fail(n, "rank " + std::to_string(want_shape.size()) + " is above 8");
  int64_t known = 1;
  int free_dim = -1;
  for (size_t i = 0; i < want_shape.size(); ++i) {
    int64_t& d = want_shape[i];
    if (d == 0 && !n.allow_zero) {
      if (i >= x.shape.size()) fail(n, "dimension 0 copies one that the input does not have");
      d = x.shape[i];
    }
    if (d == -1) {
      if (free_dim >= 0) fail(n, "more than one dimension of -1");
      free_dim = static_cast<int>(i);
    } else if (d < 1) {
      fail(n, "dimension " + std::to_string(d) + " in the target shape");
    } else {
      if (d > x.elements()) fail(n, "target shape has more elements than the input");
      known *= d;
      if (known > x.elements()) fail(n, "target shape has more elements than the input");
    }
  }
  if (free_dim >= 0) {
    if (x.elements() % known) fail(n, "the dimension of -1 does not come out whole");
    want_shape[free_dim] = x.elements() / known;
    known *= want_shape[free_dim];
  }
  if (known != x.elements())
    fail(n, "input has " + std::to_string(x.elements()) + " elements, target shape " +
                shape_text(want_shape));
  return want_shape;
}

}  // namespace

void infer_node(Graph& g, Node& n) {
  Tensor& out = g.tensors[n.outputs[0]];
  const Tensor& x = in(g, n, 0);
  switch (n.kind) {
    case OpKind::Gemm:
    case OpKind::MatMul: {
      const Tensor& b = in(g, n, 1);
      want(n, x, {DType::F32, DType::BF16});
      want(n, b, {DType::F32, DType::BF16});
      if (n.kind == OpKind::Gemm && x.shape.size() != 2)
        fail(n, "A has shape " + shape_text(x.shape) + "; Gemm needs rank 2");
      out.shape = matmul_shape(n, x, b, n.trans_a, n.trans_b);
      out.type = DType::F32;
      if (n.kind == OpKind::Gemm && n.input(2) >= 0) {
        const Tensor& c = g.tensors[n.input(2)];
        want(n, c, {DType::F32});
        if (broadcast(n, out, c) != out.shape) fail(n, "C does not broadcast to the result");
      }
      break;
    }
    case OpKind::Add: {
      const Tensor& b = in(g, n, 1);
      want(n, x, {DType::F32, DType::BF16, DType::S32});
      if (b.type != x.type)
        fail(n, "operands are " + std::string(name_of(x.type)) + " and " + name_of(b.type));
      out.shape = broadcast(n, x, b);
      out.type = x.type;
      break;
    }
    case OpKind::Relu:
      want(n, x, {DType::F32, DType::BF16});
      out.shape = x.shape;
      out.type = x.type;
      break;
    case OpKind::QuantizeLinear:
      want(n, x, {DType::F32, DType::BF16});
      check_quant(g, n, x, n.input(1), n.input(2));
      out.shape = x.shape;
      out.type = DType::U8;
      if (n.input(2) >= 0) {
        want(n, g.tensors[n.input(2)], {DType::S8, DType::U8});
        out.type = g.tensors[n.input(2)].type;
      }
      break;
    case OpKind::DequantizeLinear:
      want(n, x, {DType::S8, DType::U8, DType::S32});
      check_quant(g, n, x, n.input(1), n.input(2));
      out.shape = x.shape;
      out.type = DType::F32;
      break;
    case OpKind::QLinearMatMul: {
      const Tensor& b = in(g, n, 3);
      want(n, x, {DType::S8, DType::U8});
      want(n, b, {DType::S8, DType::U8});
      out.shape = matmul_shape(n, x, b, false, false);
      for (const size_t i : {1, 2, 4, 5, 6, 7}) in(g, n, i);
      want(n, in(g, n, 7), {DType::S8, DType::U8});
      if (n.input(8) >= 0) want(n, in(g, n, 8), {DType::S32});
      out.type = in(g, n, 7).type;
      break;
    }
    case OpKind::MatMulInteger: {
      const Tensor& b = in(g, n, 1);
      want(n, x, {DType::S8, DType::U8});
      want(n, b, {DType::S8, DType::U8});
      for (const size_t i : {2, 3})
        if (n.input(i) >= 0) want(n, in(g, n, i), {DType::S8, DType::U8});
      out.shape = matmul_shape(n, x, b, false, false);
      out.type = DType::S32;
      break;
    }
    case OpKind::Flatten: {
      const int64_t rank = static_cast<int64_t>(x.shape.size());
      const int64_t axis = n.axis < 0 ? n.axis + rank : n.axis;
      if (axis < 0 || axis > rank) fail(n, "axis " + std::to_string(n.axis) + " is out of range");
      int64_t outer = 1;
      for (int64_t i = 0; i < axis; ++i) outer *= x.shape[i];
      out.shape = {outer, x.elements() / outer};
      out.type = x.type;
      break;
    }
    case OpKind::Reshape:
      out.shape = reshape_target(g, n, x);
      out.type = x.type;
      break;
    case OpKind::ArgMax: {
      const int64_t rank = static_cast<int64_t>(x.shape.size());
      const int64_t axis = n.axis < 0 ? n.axis + rank : n.axis;
      if (axis != rank - 1 || rank == 0)
        fail(n, "axis " + std::to_string(n.axis) + " is not the last one; only that is supported");
      out.shape = x.shape;
      if (n.keep_dims)
        out.shape.back() = 1;
      else
        out.shape.pop_back();
      out.type = DType::S64;
      break;
    }
    case OpKind::Conv:
    case OpKind::QLinearConv:
    case OpKind::ConvInteger:
    case OpKind::MaxPool:
      infer_convolution(g, n);
      break;
    case OpKind::Im2col:
      out.shape = {x.shape[0],
                   (x.shape[1] + n.pads[0] + n.pads[2] - n.kernel[0]) / n.strides[0] + 1,
                   (x.shape[2] + n.pads[1] + n.pads[3] - n.kernel[1]) / n.strides[1] + 1,
                   n.kernel[0] * n.kernel[1] * x.shape[3]};
      if (n.pixel_rows) {
        out.shape.back() = n.kernel[0] * n.kernel[1];
        out.shape.push_back(x.shape[3]);
      }
      out.type = x.type;
      break;
    case OpKind::MaxRows:
      out.shape = {x.shape[0], x.shape[1], x.shape[2], x.shape[4]};
      out.type = x.type;
      break;
    case OpKind::Transpose: {
      const auto& s = x.shape;
      if (n.channels_last)
        out.shape = {s[0], s[2], s[3], s[1]};
      else
        out.shape = {s[0], s[3], s[1], s[2]};
      out.type = x.type;
      break;
    }
  }
}

namespace {

bool fold_node(Graph& g, const Node& n) {
  for (const int t : n.inputs)
    if (t >= 0 && !g.tensors[t].is_const) return false;
  Tensor& out = g.tensors[n.outputs[0]];
  const Tensor& x = g.tensors[n.inputs[0]];
  switch (n.kind) {
    case OpKind::Flatten:
    case OpKind::Reshape:
      out.data = x.data;
      break;
    case OpKind::Relu: {
      if (x.type != DType::F32) return false;
      auto v = values<float>(x);
      for (float& f : v) f = f < 0 ? 0 : f;
      set_values(out, v);
      break;
    }
    case OpKind::QuantizeLinear: {
      if (x.type != DType::F32) return false;
      const Quant q = quant_of(g, n, n.inputs[1], n.input(2), n.axis);
      const auto v = values<float>(x);
      out.data.resize(v.size());
      const int lo = out.type == DType::S8 ? -128 : 0, hi = out.type == DType::S8 ? 127 : 255;
      int64_t inner = 1, axis = n.axis < 0 ? n.axis + static_cast<int64_t>(x.shape.size()) : n.axis;
      for (size_t i = static_cast<size_t>(axis) + 1; i < x.shape.size(); ++i) inner *= x.shape[i];
      for (size_t i = 0; i < v.size(); ++i) {
        const size_t c = q.per_tensor() ? 0 : (i / inner) % q.scale.size();
        const float r = std::nearbyintf(v[i] / q.scale[c]) + static_cast<float>(q.zero[c]);
        out.data[i] = static_cast<uint8_t>(
            static_cast<int>(std::clamp(r, static_cast<float>(lo), static_cast<float>(hi))));
      }
      break;
    }
    default:
      return false;
  }
  out.is_const = true;
  return true;
}

}  // namespace

void infer_shapes(Graph& graph) {
  for (Node& n : graph.nodes) {
    if (n.outputs.size() != 1) fail(n, "needs exactly one output");
    for (const int t : n.inputs)
      if (t >= static_cast<int>(graph.tensors.size())) fail(n, "an input's index is out of range");
    infer_node(graph, n);
  }
}

int fold_constants(Graph& graph) {
  int removed = 0;
  std::vector<Node> kept;
  for (const Node& n : graph.nodes) {
    if (fold_node(graph, n))
      ++removed;
    else
      kept.push_back(n);
  }
  graph.nodes = std::move(kept);
  return removed;
}

}  // namespace ttpu::ir
