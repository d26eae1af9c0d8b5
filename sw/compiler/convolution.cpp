// Convolutions: shapes and padding, and their rewriting into Im2col and matrix products.
//
// ONNX keeps channels before pixels. A product wants a pixel's values in one row, so behind the
// rewrite the channels are the last dimension from the first convolution to the last one, and a
// Transpose stands only where a tensor enters or leaves. A value that has been computed channels
// last is put back into ONNX's order when (and only when) an operation needs it so.
#include <algorithm>
#include <map>
#include <set>

#include "compiler/compiler.h"
#include "compiler/ir.h"
#include "compiler/quant.h"

namespace ttpu::ir {
namespace {

[[noreturn]] void fail(const Node& n, const std::string& why) {
  throw CompileError(n.name, op_name(n), why);
}

bool is_convolution(OpKind k) {
  return k == OpKind::Conv || k == OpKind::QLinearConv || k == OpKind::ConvInteger;
}

constexpr int64_t kMost = 1 << 20;

/// A list attribute of `count` numbers in [least, 2^20]; empty = all `otherwise`.
std::vector<int64_t> numbers(const Node& n, const char* what, const std::vector<int64_t>& given,
                             size_t count, int64_t least, int64_t otherwise) {
  if (given.empty()) return std::vector<int64_t>(count, otherwise);
  if (given.size() != count)
    fail(n, std::string(what) + " has " + std::to_string(given.size()) + " numbers; only " +
                std::to_string(count) + " (two dimensions) are supported");
  for (const int64_t v : given)
    if (v < least || v > kMost)
      fail(n, std::string(what) + " holds " + std::to_string(v) + "; it must be between " +
                  std::to_string(least) + " and 2^20");
  return given;
}

class Rewriter {
 public:
  explicit Rewriter(Graph& g) : g_(g) {}

  int run() {
    const std::vector<Node> nodes = std::move(g_.nodes);
    int count = 0;
    for (const Node& n : nodes) {
      if (is_convolution(n.kind)) {
        convolution(n);
        ++count;
      } else if (!follow(n)) {
        for (const int t : n.inputs)
          if (t >= 0) materialise(n, t);
        kept_.push_back(n);
      }
    }
    for (const int t : g_.outputs) materialise(kept_.back(), t);
    g_.nodes = std::move(kept_);
    return count;
  }

 private:
  /// Append a node that stands for (a part of) node `of`; its result is new, or tensor `out`.
  int emit(const Node& of, OpKind kind, const std::string& suffix, std::vector<int> inputs,
           const std::string& result, int out = -1, const Node* settings = nullptr) {
    Node n;
    if (settings) n = *settings;
    n.kind = kind;
    n.name = of.name + suffix;
    n.source = of.source.empty() ? of.name : of.source;
    n.source_op = op_name(of);
    n.inputs = std::move(inputs);
    n.outputs = {out >= 0 ? out : g_.add_tensor(result, DType::F32, {})};
    infer_node(g_, n);
    kept_.push_back(n);
    return n.outputs[0];
  }

  bool pending(int t) const { return pending_.count(t) != 0; }

  const Node* producer(int t) const {
    for (const Node& n : kept_)
      if (n.outputs[0] == t) return &n;
    return nullptr;
  }

  /// [n,c,h,w] and [n,h,w,c] are the same bytes if there is one channel or one pixel.
  static bool same_bytes(int64_t channels, int64_t h, int64_t w) {
    return channels == 1 || h * w == 1;
  }

  int channels_last(const Node& user, int t) {
    const auto it = last_.find(t);
    if (it != last_.end()) return it->second;
    const Tensor x = g_.tensors[t];
    Node settings;
    settings.shape = {x.shape[0], x.shape[2], x.shape[3], x.shape[1]};
    const bool view = same_bytes(x.shape[1], x.shape[2], x.shape[3]);
    const int r = emit(user, view ? OpKind::Reshape : OpKind::Transpose, ".channels_last", {t},
                       x.name + ".channels_last", -1, &settings);
    last_[t] = r;
    return r;
  }

  /// Make t itself, in ONNX's order, for an operation that needs it so.
  void materialise(const Node& user, int t) {
    if (!pending(t)) return;
    const int from = last_.at(t);
    const std::vector<int64_t> s = g_.tensors[from].shape;
    Node settings;
    settings.channels_last = false;
    settings.shape = {s[0], s[3], s[1], s[2]};
    const Node of = producer(from) ? *producer(from) : user;
    emit(of, same_bytes(s[3], s[1], s[2]) ? OpKind::Reshape : OpKind::Transpose, ".channels_first",
         {from}, "", t, &settings);
    pending_.erase(t);
  }

  void made(int t, int as_channels_last) {
    last_[t] = as_channels_last;
    pending_.insert(t);
  }

  bool per_tensor(const Node& n) const {
    return n.input(1) >= 0 && g_.tensors[n.input(1)].elements() == 1;
  }

  /// Element-wise operations on values that are channels last are done so. False: they are not.
  bool follow(const Node& n) {
    const int x = n.input(0);
    if (n.kind == OpKind::Add) return follow_add(n);
    const bool quant = n.kind == OpKind::QuantizeLinear || n.kind == OpKind::DequantizeLinear;
    if (!(n.kind == OpKind::Relu || (quant && per_tensor(n))) || x < 0 || !pending(x)) return false;
    Node copy = n;
    copy.inputs[0] = last_.at(x);
    copy.outputs = {g_.add_tensor(g_.tensors[n.outputs[0]].name, DType::F32, {})};
    infer_node(g_, copy);
    kept_.push_back(copy);
    made(n.outputs[0], copy.outputs[0]);
    return true;
  }

  bool follow_add(const Node& n) {
    const int a = n.inputs[0], b = n.inputs[1];
    if (!pending(a) && !pending(b)) return false;
    const std::vector<int64_t> shape = g_.tensors[n.outputs[0]].shape;
    std::vector<int> inputs;
    for (const int t : {a, b}) {
      const Tensor x = g_.tensors[t];
      if (pending(t) || (x.shape.size() == 4 && x.shape == shape)) {
        if (x.shape != shape) return false;
        inputs.push_back(channels_last(n, t));
      } else if (x.is_const && x.elements() == 1) {
        inputs.push_back(t);
      } else if (x.is_const && x.elements() == shape[1] && x.shape.size() >= 3 &&
                 x.shape[x.shape.size() - 3] == shape[1]) {
        inputs.push_back(g_.add_const(x.name, x.type, {shape[1]}, x.data));  // one a channel
      } else {
        return false;
      }
    }
    Node copy = n;
    copy.inputs = inputs;
    copy.outputs = {g_.add_tensor(g_.tensors[n.outputs[0]].name, DType::F32, {})};
    infer_node(g_, copy);
    kept_.push_back(copy);
    made(n.outputs[0], copy.outputs[0]);
    return true;
  }

  /// Weights [m][c][kh][kw] as the matrix [kh*kw*c][m].
  int weight_matrix(const Node& n, int t) {
    const Tensor w = g_.tensors[t];
    const size_t m = static_cast<size_t>(w.shape[0]), c = static_cast<size_t>(w.shape[1]),
                 pixels = static_cast<size_t>(w.shape[2] * w.shape[3]), size = size_of(w.type);
    if (!w.is_const) fail(n, "weights '" + w.name + "' are not constant");
    std::vector<uint8_t> data(w.data.size());
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < c; ++j)
        for (size_t p = 0; p < pixels; ++p)
          std::copy_n(w.data.begin() + static_cast<int64_t>(((i * c + j) * pixels + p) * size),
                      size, data.begin() + static_cast<int64_t>(((p * c + j) * m + i) * size));
    return g_.add_const(w.name, w.type, {w.shape[1] * w.shape[2] * w.shape[3], w.shape[0]},
                        std::move(data));
  }

  /// Rows of all that an output pixel reads. A kernel of one pixel without padding reads x as it
  /// is.
  int im2col(const Node& n, int x, int32_t pad_value) {
    const auto one = [](int64_t v) { return v == 1; };
    const bool plain = std::all_of(n.kernel.begin(), n.kernel.end(), one) &&
                       std::all_of(n.strides.begin(), n.strides.end(), one) &&
                       std::all_of(n.pads.begin(), n.pads.end(), [](int64_t v) { return v == 0; });
    if (plain) return x;
    Node settings = n;
    settings.pad_value = pad_value;
    return emit(n, OpKind::Im2col, ".im2col", {x}, g_.tensors[x].name + ".im2col", -1, &settings);
  }

  void convolution(const Node& n) {
    const int x = n.inputs[0];
    const std::string name = g_.tensors[n.outputs[0]].name;
    int y = -1;
    if (n.kind == OpKind::QLinearConv) {
      const Quant q = quant_of(g_, n, n.inputs[1], n.inputs[2], 0);
      if (!q.per_tensor()) fail(n, "x must be quantised per tensor");
      std::vector<int> inputs = n.inputs;
      inputs[0] = im2col(n, channels_last(n, x), q.zero[0]);
      inputs[3] = weight_matrix(n, n.inputs[3]);
      y = emit(n, OpKind::QLinearMatMul, "", inputs, name);
    } else if (n.kind == OpKind::ConvInteger) {
      int32_t zero = 0;
      if (n.input(2) >= 0) {
        const Tensor& z = g_.tensors[n.input(2)];
        if (!z.is_const || z.elements() != 1) fail(n, "the zero point of x is not one constant");
        zero = integers(z).at(0);
      }
      std::vector<int> inputs = n.inputs;
      inputs[0] = im2col(n, channels_last(n, x), zero);
      inputs[1] = weight_matrix(n, n.inputs[1]);
      y = emit(n, OpKind::MatMulInteger, "", inputs, name);
    } else {
      y = float_convolution(n, name);
    }
    made(n.outputs[0], y);
  }

  /// Between DequantizeLinears the border is the zero point and the product one of integers.
  int float_convolution(const Node& n, const std::string& name) {
    const int x = n.inputs[0], w = n.inputs[1];
    const auto dequant = [&](int t) -> const Node* {
      const Node* p = producer(t);
      return p && p->kind == OpKind::DequantizeLinear ? p : nullptr;
    };
    const Node* dw_node = dequant(w);
    const Node* dx_node = dequant(pending(x) ? last_.at(x) : x);
    const bool integer = dw_node && dx_node && per_tensor(*dx_node) &&
                         g_.tensors[dw_node->inputs[0]].is_const &&
                         is_byte(g_.tensors[dx_node->inputs[0]].type);
    const Node dx = integer ? *dx_node : Node{};  // emit() moves the nodes
    int a = -1, b = -1;
    if (dw_node) {
      Node dw = *dw_node;
      if (g_.tensors[dw.inputs[1]].elements() != 1 && dw.axis != 0 && dw.axis != -4)
        fail(n, "weights are quantised along axis " + std::to_string(dw.axis) + ", not axis 0");
      dw.axis = 1;
      b = emit(n, OpKind::DequantizeLinear, ".weights",
               {weight_matrix(n, dw.inputs[0]), dw.inputs[1], dw.input(2)}, g_.tensors[w].name, -1,
               &dw);
    } else {
      b = weight_matrix(n, w);
    }
    if (integer) {
      const Quant q = quant_of(g_, dx, dx.inputs[1], dx.input(2), dx.axis);
      const int from = dx.inputs[0];
      const int in = im2col(n, pending(x) ? from : channels_last(n, from), q.zero[0]);
      a = emit(n, OpKind::DequantizeLinear, ".dequantised", {in, dx.inputs[1], dx.input(2)},
               g_.tensors[x].name, -1, &dx);
    } else {
      a = im2col(n, channels_last(n, x), 0);
    }
    const int y = emit(n, OpKind::MatMul, "", {a, b}, name);
    if (n.input(2) < 0) return y;
    return emit(n, OpKind::Add, ".bias", {y, n.inputs[2]}, name);
  }

  Graph& g_;
  std::vector<Node> kept_;
  std::map<int, int> last_;  ///< tensor -> the same, channels last
  std::set<int> pending_;    ///< tensors that exist channels last only
};

}  // namespace

void infer_convolution(Graph& g, Node& n) {
  const bool qlinear = n.kind == OpKind::QLinearConv;
  const auto in = [&](size_t i) -> const Tensor& {
    if (n.input(i) < 0) fail(n, "input " + std::to_string(i) + " is missing");
    return g.tensors[n.input(i)];
  };
  const auto bytes = [&](const Tensor& t) {
    if (!is_byte(t.type))
      fail(n, "input '" + t.name + "' is " + name_of(t.type) + "; supported: int8, uint8");
  };
  const Tensor &x = in(0), &w = in(qlinear ? 3 : 1);
  Tensor& y = g.tensors[n.outputs[0]];
  if (n.kind == OpKind::Conv) {
    for (const Tensor* t : {&x, &w})
      if (!is_float(t->type))
        fail(n, "input '" + t->name + "' is " + name_of(t->type) + "; supported: float32, bf16");
    y.type = DType::F32;
  } else {
    bytes(x);
    bytes(w);
    y.type = DType::S32;
    const int x_zero = 2, w_zero = qlinear ? 5 : 3;
    for (const auto& [zero, of] : {std::pair{x_zero, &x}, std::pair{w_zero, &w}})
      if (n.input(static_cast<size_t>(zero)) >= 0 && in(static_cast<size_t>(zero)).type != of->type)
        fail(n, "zero point '" + in(static_cast<size_t>(zero)).name + "' is " +
                    name_of(in(static_cast<size_t>(zero)).type) + ", '" + of->name + "' is " +
                    name_of(of->type));
    if (qlinear) {
      for (const size_t i : {1, 2, 4, 5, 6, 7}) in(i);
      bytes(in(7));
      y.type = in(7).type;
    }
  }
  if (x.shape.size() != 4 || w.shape.size() != 4)
    fail(n, "x has rank " + std::to_string(x.shape.size()) + ", w " +
                std::to_string(w.shape.size()) + "; only 4 (two-dimensional) is supported");
  if (n.group != 1) fail(n, "group " + std::to_string(n.group) + "; only 1 is supported");
  if (x.shape[1] != w.shape[1])
    fail(n, "x has " + std::to_string(x.shape[1]) + " channels, the weights are for " +
                std::to_string(w.shape[1]));
  n.kernel = numbers(n, "kernel_shape", n.kernel, 2, 1, 0);
  for (size_t d = 0; d < 2; ++d) {
    if (n.kernel[d] == 0) n.kernel[d] = w.shape[2 + d];
    if (n.kernel[d] != w.shape[2 + d] || n.kernel[d] > kMost)
      fail(n, "kernel_shape says " + std::to_string(n.kernel[d]) + ", the weights have " +
                  std::to_string(w.shape[2 + d]));
  }
  n.strides = numbers(n, "strides", n.strides, 2, 1, 1);
  n.dilations = numbers(n, "dilations", n.dilations, 2, 1, 1);
  if (n.dilations[0] != 1 || n.dilations[1] != 1)
    fail(n, "dilations " + std::to_string(n.dilations[0]) + "," + std::to_string(n.dilations[1]) +
                "; only 1 is supported");
  n.pads = numbers(n, "pads", n.pads, 4, 0, 0);
  const bool same = n.auto_pad == "SAME_UPPER" || n.auto_pad == "SAME_LOWER";
  if (!same && n.auto_pad != "VALID" && n.auto_pad != "NOTSET" && !n.auto_pad.empty())
    fail(n, "auto_pad '" + n.auto_pad +
                "' is not supported; supported: NOTSET, SAME_LOWER, SAME_UPPER, VALID");
  if ((same || n.auto_pad == "VALID") &&
      std::any_of(n.pads.begin(), n.pads.end(), [](int64_t p) { return p != 0; }))
    fail(n, "has both pads and auto_pad " + n.auto_pad);
  y.shape = {x.shape[0], w.shape[0], 0, 0};
  for (size_t d = 0; d < 2; ++d) {
    const int64_t size = x.shape[2 + d], stride = n.strides[d], kernel = n.kernel[d];
    if (same) {
      // The odd pixel of an uneven border is at the end (UPPER) or at the beginning (LOWER).
      const int64_t out = (size + stride - 1) / stride;
      const int64_t total = std::max<int64_t>(0, (out - 1) * stride + kernel - size);
      n.pads[d] = n.auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
      n.pads[2 + d] = total - n.pads[d];
    }
    const int64_t padded = size + n.pads[d] + n.pads[2 + d];
    if (padded < kernel)
      fail(n, "a kernel of " + std::to_string(kernel) + " does not fit " + std::to_string(padded) +
                  " pixels, padding included");
    y.shape[2 + d] = (padded - kernel) / stride + 1;
  }
  n.auto_pad = "NOTSET";
  const size_t bias = qlinear ? 8 : 2;
  if (n.kind == OpKind::ConvInteger || n.input(bias) < 0) return;
  const Tensor& b = in(bias);
  if (b.shape.size() != 1 || b.shape[0] != w.shape[0])
    fail(n, "the bias has " + std::to_string(b.elements()) + " elements for " +
                std::to_string(w.shape[0]) + " channels");
  if (b.type != (qlinear ? DType::S32 : DType::F32))
    fail(n, "the bias '" + b.name + "' is " + name_of(b.type));
}

int rewrite_convolutions(Graph& graph) {
  const auto& nodes = graph.nodes;
  if (std::none_of(nodes.begin(), nodes.end(),
                   [](const Node& n) { return is_convolution(n.kind); }))
    return 0;
  return Rewriter(graph).run();
}

}  // namespace ttpu::ir
