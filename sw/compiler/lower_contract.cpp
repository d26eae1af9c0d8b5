// Lowering of matrix products, integer and bf16.
#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/lower.h"

namespace ttpu::compiler {

using ir::DType;
using ir::Node;
using ir::OpKind;
using isa::Vop;

struct Lowerer::Integer {
  int a = -1, w = -1;  ///< quantised operands
  bool trans_b = false;
  float a_scale = 1.0f;
  int32_t a_zero = 0;
  std::vector<float> w_scale = {1.0f};  ///< one, or one a column
  std::vector<int32_t> w_zero = {0};
  bool raw = false;  ///< result is the int32 sum (MatMulInteger)
  bool requantise = false;
  float y_scale = 1.0f;
  int32_t y_zero = 0;
  DType y_type = DType::S32;
  bool relu = false;
  std::vector<int64_t> bias;      ///< int32 units, corrections included
  std::vector<float> float_bias;  ///< added after scaling; empty = none
  int result = -1;                ///< tensor that the kernel makes
  float scale(size_t column) const { return a_scale * w_scale[w_scale.size() == 1 ? 0 : column]; }
};

namespace {
int32_t scalar_zero(const ir::Graph& g, int t) {
  return t < 0 ? 0 : ir::integers(g.tensors[t]).at(0);
}
}  // namespace

/// Is this product one of integers? Fills in what is known from its operands.
bool Lowerer::find_integer(const Node& n, Integer& x) {
  auto constant_zero = [&](int t) {
    if (t >= 0 && !g_.tensors[t].is_const) fail(n, "zero points must be constants");
  };
  if (n.kind == OpKind::QLinearMatMul) {
    const ir::Quant a = ir::quant_of(g_, n, n.inputs[1], n.inputs[2], 0);
    const ir::Quant w = ir::quant_of(g_, n, n.inputs[4], n.inputs[5], 0);
    const ir::Quant y = ir::quant_of(g_, n, n.inputs[6], n.inputs[7], 0);
    if (!a.per_tensor() || !y.per_tensor())
      fail(n, "A and the result must be quantised per tensor");
    x.a = n.inputs[0];
    x.w = n.inputs[3];
    x.a_scale = a.scale[0];
    x.a_zero = a.zero[0];
    x.w_scale = w.scale;
    x.w_zero = w.zero;
    x.requantise = true;
    x.y_scale = y.scale[0];
    x.y_zero = y.zero[0];
    x.y_type = g_.tensors[n.outputs[0]].type;
    if (n.input(8) >= 0) {
      if (!g_.tensors[n.input(8)].is_const) fail(n, "the bias is not a constant");
      for (const int32_t b : ir::integers(g_.tensors[n.input(8)])) x.bias.push_back(b);
    }
    return true;
  }
  if (n.kind == OpKind::MatMulInteger) {
    constant_zero(n.input(2));
    constant_zero(n.input(3));
    x.a = n.inputs[0];
    x.w = n.inputs[1];
    x.raw = true;
    if (n.input(2) >= 0 && g_.tensors[n.input(2)].elements() != 1)
      fail(n, "A must have one zero point");
    x.a_zero = scalar_zero(g_, n.input(2));
    if (n.input(3) >= 0) x.w_zero = ir::integers(g_.tensors[n.input(3)]);
    return true;
  }
  const Node* a = dequant_of(n.inputs[0]);
  const Node* w = dequant_of(n.inputs[1]);
  if (!a || !w || n.alpha != 1.0f || n.beta != 1.0f) return false;
  const ir::Quant qa = ir::quant_of(g_, *a, a->inputs[1], a->input(2), a->axis);
  const ir::Quant qw = ir::quant_of(g_, *w, w->inputs[1], w->input(2), w->axis);
  const ir::Tensor& wt = g_.tensors[root(w->inputs[0])];
  if (!qa.per_tensor() || !wt.is_const || !ir::is_byte(wt.type)) return false;
  if (!ir::is_byte(g_.tensors[a->inputs[0]].type)) return false;
  if (!qw.per_tensor()) {
    const int64_t axis = qw.axis < 0 ? qw.axis + 2 : qw.axis;
    if (g_.tensors[w->inputs[0]].shape.size() != 2 || axis != (n.trans_b ? 0 : 1)) return false;
  }
  x.a = a->inputs[0];
  x.w = w->inputs[0];
  x.trans_b = n.trans_b;
  x.a_scale = qa.scale[0];
  x.a_zero = qa.zero[0];
  x.w_scale = qw.scale;
  x.w_zero = qw.zero;
  absorbed_.push_back(source_name(*a));
  absorbed_.push_back(source_name(*w));
  return true;
}

/// Weights less their zero point, the correction for A's zero point, and the bound of the sums.
void Lowerer::integer_weights(const Node& n, Integer& x, Kernel& k) {
  const size_t kk = static_cast<size_t>(k.k), nn = static_cast<size_t>(k.n);
  const ir::Tensor& wt = g_.tensors[root(x.w)];
  const DType a_type = g_.tensors[root(x.a)].type;
  const int64_t a_low = a_type == DType::S8 ? -128 : 0, a_high = a_type == DType::S8 ? 127 : 255;
  const double a_most = static_cast<double>(std::max(-a_low, a_high));
  if (x.w_scale.size() != 1 && x.w_scale.size() != nn)
    fail(n, "B has " + std::to_string(x.w_scale.size()) + " scales for " + std::to_string(nn) +
                " columns");
  if (x.w_zero.size() != 1 && x.w_zero.size() != nn)
    fail(n, "B has " + std::to_string(x.w_zero.size()) + " zero points for " + std::to_string(nn) +
                " columns");
  if (!x.bias.empty() && x.bias.size() != nn)
    fail(n, "the bias has " + std::to_string(x.bias.size()) + " elements for " +
                std::to_string(nn) + " columns");
  x.bias.resize(nn, 0);
  if (!wt.is_const) {
    if (x.a_zero || std::any_of(x.w_zero.begin(), x.w_zero.end(), [](int z) { return z != 0; }))
      fail(n, "B is computed, so the zero points of A and B must be 0");
    k.w_tensor = storage_of(n, x.w);
    k.w_type = hardware_type(wt.type);
    k.sum_bound = static_cast<double>(k.k) * a_most * (wt.type == DType::S8 ? 128 : 255);
    return;
  }
  const auto raw = ir::integers(wt);
  int least = 0, most = 0;
  std::vector<int16_t> w(kk * nn);
  for (size_t i = 0; i < kk; ++i)
    for (size_t j = 0; j < nn; ++j) {
      const int v =
          raw[x.trans_b ? j * kk + i : i * nn + j] - x.w_zero[x.w_zero.size() == 1 ? 0 : j];
      w[i * nn + j] = static_cast<int16_t>(v);
      least = std::min(least, v);
      most = std::max(most, v);
    }
  if (least >= -128 && most <= 127) {
    k.w_type = Dtype::S8;
  } else if (least >= 0 && most <= 255) {
    k.w_type = Dtype::U8;
  } else {
    fail(n, "weights less their zero point run from " + std::to_string(least) + " to " +
                std::to_string(most) + ": they fit neither int8 nor uint8");
  }
  k.w.resize(kk * nn);
  for (size_t j = 0; j < nn; ++j) {
    double bound = 0;
    int64_t sum = 0;
    for (size_t i = 0; i < kk; ++i) {
      const int v = w[i * nn + j];
      k.w[i * nn + j] = static_cast<uint8_t>(v);
      sum += v;
      bound += v < 0 ? std::max(-a_low * -v, a_high * -v) : std::max(-a_low * v, a_high * v);
    }
    x.bias[j] -= static_cast<int64_t>(x.a_zero) * sum;
    k.sum_bound = std::max(k.sum_bound, bound + std::abs(static_cast<double>(x.bias[j])));
  }
  if (x.a_zero)
    k.notes.push_back("zero point " + std::to_string(x.a_zero) +
                      " of A: minus its product with the column sums of B, folded into the bias");
}

/// Bias adds, Relu and QuantizeLinear behind the product; then its chain.
void Lowerer::finish_integer(const Node& n, Integer& x, Kernel& k) {
  x.result = n.outputs[0];
  auto add_bias = [&](int t) {
    const Node* dq = dequant_of(t);
    if (dq && g_.tensors[root(dq->inputs[0])].is_const) {
      const ir::Quant q = ir::quant_of(g_, *dq, dq->inputs[1], dq->input(2), dq->axis);
      const auto v = ir::integers(g_.tensors[root(dq->inputs[0])]);
      bool same = g_.tensors[root(dq->inputs[0])].type == DType::S32 &&
                  (v.size() == 1 || v.size() == x.bias.size());
      for (size_t j = 0; same && j < x.bias.size(); ++j) {
        const float s = q.scale[q.per_tensor() ? 0 : j];
        same =
            q.zero[q.per_tensor() ? 0 : j] == 0 && std::abs(s - x.scale(j)) <= 1e-5f * x.scale(j);
      }
      if (same) {
        for (size_t j = 0; j < x.bias.size(); ++j) x.bias[j] += v[v.size() == 1 ? 0 : j];
        absorbed_.push_back(source_name(*dq));
        return true;
      }
    }
    std::vector<float> v;
    if (!row_vector(t, k.n, v)) return false;
    if (dq) absorbed_.push_back(source_name(*dq));
    if (!config_.has_fp) {
      for (size_t j = 0; j < v.size(); ++j)
        x.bias[j] += std::llrint(static_cast<double>(v[j]) / x.scale(j));
      k.notes.push_back("float bias rounded to steps of the sum (no floating point)");
      return true;
    }
    if (x.float_bias.empty()) x.float_bias.assign(v.size(), 0.0f);
    for (size_t j = 0; j < v.size(); ++j) x.float_bias[j] += v[j];
    return true;
  };
  if (n.kind == OpKind::Gemm && n.input(2) >= 0 && !add_bias(n.input(2)))
    fail(n, "C must be a constant that is the same in every row");
  auto take = [&](int c) {
    k.nodes.push_back(source_name(g_.nodes[static_cast<size_t>(c)]));
    done_.insert(c);
    x.result = g_.nodes[static_cast<size_t>(c)].outputs[0];
  };
  if (!x.requantise) {
    for (int c = sole_consumer(x.result); c >= 0; c = sole_consumer(x.result)) {
      const Node& next = g_.nodes[static_cast<size_t>(c)];
      if (next.kind != OpKind::Add ||
          g_.tensors[next.outputs[0]].shape != g_.tensors[x.result].shape)
        break;
      const int other = next.inputs[0] == x.result ? next.inputs[1] : next.inputs[0];
      if (x.raw) {
        const ir::Tensor& v = g_.tensors[root(other)];
        if (!v.is_const || v.type != DType::S32 ||
            (v.elements() != 1 && (v.elements() != k.n || v.cols() != k.n)))
          break;
        const auto add = ir::integers(v);
        for (size_t j = 0; j < x.bias.size(); ++j) x.bias[j] += add[add.size() == 1 ? 0 : j];
      } else if (other == x.result || !add_bias(other)) {
        break;
      }
      take(c);
    }
  }
  if (!x.raw && !x.requantise) {  // Relu and QuantizeLinear, taken together or not at all
    const int c1 = sole_consumer(x.result);
    const bool relu = c1 >= 0 && g_.nodes[static_cast<size_t>(c1)].kind == OpKind::Relu;
    const int c2 = relu ? sole_consumer(g_.nodes[static_cast<size_t>(c1)].outputs[0]) : c1;
    if (c2 >= 0 && g_.nodes[static_cast<size_t>(c2)].kind == OpKind::QuantizeLinear) {
      const Node& q = g_.nodes[static_cast<size_t>(c2)];
      const ir::Quant y = ir::quant_of(g_, q, q.inputs[1], q.input(2), q.axis);
      if (!y.per_tensor()) fail(q, "results are quantised per tensor only");
      if (relu) take(c1);
      take(c2);
      x.relu = relu;
      x.requantise = true;
      x.y_scale = y.scale[0];
      x.y_zero = y.zero[0];
      x.y_type = g_.tensors[x.result].type;
    }
  }
  for (const int64_t b : x.bias)
    if (b > INT32_MAX || b < INT32_MIN) fail(n, "the bias does not fit int32");
  integer_requantise(n, x, k);
}

void Lowerer::integer_requantise(const Node& n, Integer& x, Kernel& k) {
  Chain& c = k.chain;
  std::vector<uint32_t> bias(x.bias.begin(), x.bias.end());
  c.add_columns(Vop::IADD, bias);
  const ir::Tensor& y = g_.tensors[x.result];
  auto columns = [&](auto f) {
    std::vector<uint32_t> v;
    for (size_t j = 0; j < static_cast<size_t>(k.n); ++j) v.push_back(bits_of(f(j)));
    return v;
  };
  if (x.raw) {
    k.out = new_storage(y.name, Dtype::I32, k.m, k.n);
    return push(std::move(k), x.result);
  }
  if (!config_.has_fp) {
    if (!x.requantise)
      fail(n, "its float result is not quantised at once, and configuration " +
                  std::string(config_.name) + " has no floating point");
    double most = 0;
    for (size_t j = 0; j < static_cast<size_t>(k.n); ++j)
      most = std::max(most, static_cast<double>(x.scale(j)) / x.y_scale);
    if (most >= 1.0)
      fail(n, "the scale of requantising is " + std::to_string(most) +
                  "; without floating point it must be below 1");
    uint32_t shift = 0;
    while (shift < 31 &&
           std::nearbyint(std::ldexp(most, 32 + static_cast<int>(shift))) <= 2147483647.0)
      ++shift;
    std::vector<uint32_t> multiplier;
    for (size_t j = 0; j < static_cast<size_t>(k.n); ++j)
      multiplier.push_back(static_cast<uint32_t>(std::nearbyint(std::min(
          2147483647.0,
          std::ldexp(static_cast<double>(x.scale(j)) / x.y_scale, 31 + static_cast<int>(shift))))));
    c.add_columns(Vop::IQMUL, multiplier, shift);
    if (x.relu) c.add(Vop::IMAX, 0);
    k.notes.push_back("requantised by integer multiplier and shift of " + std::to_string(shift) +
                      " (no floating point): may differ from ONNX by one step at ties");
  } else {
    c.add(Vop::I2F);
    if (!x.requantise) {
      c.add_columns(Vop::FMUL, columns([&](size_t j) { return x.scale(j); }));
      if (!x.float_bias.empty())
        c.add_columns(Vop::FADD, columns([&](size_t j) { return x.float_bias[j]; }));
      return finish_float(n, k, x.result, true);
    }
    if (x.float_bias.empty()) {
      c.add_columns(Vop::FMUL, columns([&](size_t j) { return x.scale(j) / x.y_scale; }));
      if (x.relu) c.add_float(Vop::FMAX, 0.0f);
    } else {
      c.add_columns(Vop::FMUL, columns([&](size_t j) { return x.scale(j); }));
      c.add_columns(Vop::FADD, columns([&](size_t j) { return x.float_bias[j]; }));
      if (x.relu) c.add_float(Vop::FMAX, 0.0f);
      if (x.y_scale != 1.0f) c.add_float(Vop::FMUL, 1.0f / x.y_scale);
    }
    c.fp = true;
    k.notes.push_back(
        "bias, scale, activation and saturation in the pass that drains the "
        "accumulators; the sum is scaled as fp32 and rounded once to nearest even");
  }
  c.zero = x.y_zero;
  k.out = new_storage(y.name, hardware_type(x.y_type), k.m, k.n);
  push(std::move(k), x.result);
}

void Lowerer::lower_float_contract(const Node& n, Kernel& k, int a, int b) {
  check_type(n, Dtype::BF16);
  k.a.tensor = as_bf16(n, a);
  k.w_type = Dtype::BF16;
  const int rb = root(b);
  const Node* dq = dequant_of(b);
  const bool quantised = dq && g_.tensors[root(dq->inputs[0])].is_const;
  if (g_.tensors[rb].is_const || quantised) {
    std::vector<float> w;
    if (quantised) {
      w = dequantised(*dq);
    } else if (g_.tensors[rb].type == DType::F32) {
      w = ir::values<float>(g_.tensors[rb]);
    } else {
      for (const uint16_t h : ir::values<uint16_t>(g_.tensors[rb]))
        w.push_back(std::bit_cast<float>(static_cast<uint32_t>(h) << 16));
    }
    const size_t kk = static_cast<size_t>(k.k), nn = static_cast<size_t>(k.n);
    k.w.resize(2 * kk * nn);
    for (size_t i = 0; i < kk; ++i)
      for (size_t j = 0; j < nn; ++j) {
        const float f = n.alpha * w[n.trans_b ? j * kk + i : i * nn + j];
        const uint16_t h = to_bf16(f);
        k.w[2 * (i * nn + j)] = static_cast<uint8_t>(h);
        k.w[2 * (i * nn + j) + 1] = static_cast<uint8_t>(h >> 8);
      }
    k.notes.push_back("weights rounded to bf16 at compile time");
  } else {
    if (n.trans_b || n.alpha != 1.0f) fail(n, "transB and alpha need a constant B");
    k.w_tensor = as_bf16(n, b);
  }
  k.chain.fp = true;
  if (n.kind == OpKind::Gemm && n.input(2) >= 0) {
    const int c = n.inputs[2];
    std::vector<float> v;
    if (row_vector(c, k.n, v)) {
      std::vector<uint32_t> bias;
      for (const float f : v) bias.push_back(bits_of(n.beta * f));
      k.chain.add_columns(Vop::FADD, bias);
    } else if (n.beta == 1.0f && g_.tensors[c].shape == g_.tensors[n.outputs[0]].shape &&
               options_.fuse_residual && can_stream(c)) {
      k.b = float_operand(n, c);
      k.chain.stages.push_back({Vop::FADD, isa::Voperand::B, false, 0, 0});
    } else {
      fail(n, "C must be a constant that is the same in every row: use Add for others");
    }
  }
  k.notes.push_back("bf16 products summed in fp32");
  finish_float(n, k, n.outputs[0], true);
}

void Lowerer::lower_contract(const Node& n) {
  Kernel k;
  k.kind = KernelKind::Contract;
  k.name = n.name;
  const ir::Tensor& a = g_.tensors[n.inputs[0]];
  k.m = a.rows();
  k.k = a.cols();
  k.n = g_.tensors[n.outputs[0]].cols();
  k.nodes = {source_name(n)};
  Integer x;
  if (!find_integer(n, x)) return lower_float_contract(n, k, n.inputs[0], n.inputs[1]);
  integer_weights(n, x, k);
  k.a.tensor = storage_of(n, x.a);
  finish_integer(n, x, k);
}

}  // namespace ttpu::compiler
