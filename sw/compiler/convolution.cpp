// Convolutions and MaxPool rewritten into Im2col and matrix products or maxima over rows.
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
      } else if (n.kind == OpKind::MaxPool) {
        max_pool(n);
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
    const OpKind kind = same_bytes(s[3], s[1], s[2]) ? OpKind::Reshape : OpKind::Transpose;
    if (of.kind == OpKind::DequantizeLinear && of.outputs[0] == from) {
      // The integers are moved, so that whoever reads them dequantised may compute with them.
      const int q = emit(of, kind, ".channels_first", {of.inputs[0]},
                         g_.tensors[t].name + ".channels_first", -1, &settings);
      Node dq = of;
      dq.inputs[0] = q;
      dq.outputs = {t};
      infer_node(g_, dq);
      kept_.push_back(dq);
    } else {
      emit(of, kind, ".channels_first", {from}, "", t, &settings);
    }
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

  /// Of a dequantised tensor the maximum of the integers is taken: dequantising keeps the order.
  void max_pool(const Node& n) {
    const int x = n.inputs[0];
    const Node* p = producer(pending(x) ? last_.at(x) : x);
    const bool integer = p && p->kind == OpKind::DequantizeLinear && per_tensor(*p) &&
                         is_byte(g_.tensors[p->inputs[0]].type);
    const Node dq = integer ? *p : Node{};
    int in = -1;
    if (integer)
      in = pending(x) ? dq.inputs[0] : channels_last(n, dq.inputs[0]);
    else
      in = channels_last(n, x);
    Node settings = n;
    settings.pixel_rows = true;
    const std::string name = g_.tensors[n.outputs[0]].name;
    const int rows = emit(n, OpKind::Im2col, ".im2col", {in}, name + ".im2col", -1, &settings);
    int y = emit(n, OpKind::MaxRows, "", {rows}, name);
    if (integer)
      y = emit(n, OpKind::DequantizeLinear, ".dequantised", {y, dq.inputs[1], dq.input(2)}, name,
               -1, &dq);
    made(n.outputs[0], y);
  }

  Graph& g_;
  std::vector<Node> kept_;
  std::map<int, int> last_;  ///< tensor -> the same, channels last
  std::set<int> pending_;    ///< tensors that exist channels last only
};

}  // namespace

int rewrite_convolutions(Graph& graph) {
  const auto& nodes = graph.nodes;
  if (std::none_of(nodes.begin(), nodes.end(), [](const Node& n) {
        return is_convolution(n.kind) || n.kind == OpKind::MaxPool;
      }))
    return 0;
  return Rewriter(graph).run();
}

}  // namespace ttpu::ir
