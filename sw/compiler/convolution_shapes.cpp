// Convolutions and MaxPool: types, shapes and padding.
#include <algorithm>
#include <array>

#include "compiler/compiler.h"
#include "compiler/ir.h"

namespace ttpu::ir {
namespace {

[[noreturn]] void fail(const Node& n, const std::string& why) {
  throw CompileError(n.name, op_name(n), why);
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

/// Output size of each dimension; writes strides, dilations and padding out. n.kernel is known.
std::array<int64_t, 2> window(Node& n, const Tensor& x) {
  std::array<int64_t, 2> out_size{};
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
    out_size[d] = (padded - kernel) / stride + 1;
  }
  n.auto_pad = "NOTSET";
  return out_size;
}

void infer_max_pool(Graph& g, Node& n) {
  if (n.input(0) < 0) fail(n, "input 0 is missing");
  const Tensor& x = g.tensors[n.input(0)];
  Tensor& y = g.tensors[n.outputs[0]];
  if (!is_byte(x.type) && x.type != DType::F32)
    fail(n, "input '" + x.name + "' is " + name_of(x.type) + "; supported: float32, int8, uint8");
  if (x.shape.size() != 4)
    fail(n, "x has rank " + std::to_string(x.shape.size()) +
                "; only 4 (two-dimensional) is supported");
  if (n.kernel.empty()) fail(n, "kernel_shape is missing");
  n.kernel = numbers(n, "kernel_shape", n.kernel, 2, 1, 0);
  const auto size = window(n, x);
  for (size_t d = 0; d < 4; ++d)
    if (n.pads[d] >= n.kernel[d % 2])
      fail(n, "a padding of " + std::to_string(n.pads[d]) + " is not below the kernel's " +
                  std::to_string(n.kernel[d % 2]));
  y.type = x.type;
  y.shape = {x.shape[0], x.shape[1], size[0], size[1]};
}

}  // namespace

void infer_convolution(Graph& g, Node& n) {
  if (n.kind == OpKind::MaxPool) return infer_max_pool(g, n);
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
  const auto size = window(n, x);
  y.shape = {x.shape[0], w.shape[0], size[0], size[1]};
  const size_t bias = qlinear ? 8 : 2;
  if (n.kind == OpKind::ConvInteger || n.input(bias) < 0) return;
  const Tensor& b = in(bias);
  if (b.shape.size() != 1 || b.shape[0] != w.shape[0])
    fail(n, "the bias has " + std::to_string(b.elements()) + " elements for " +
                std::to_string(w.shape[0]) + " channels");
  if (b.type != (qlinear ? DType::S32 : DType::F32))
    fail(n, "the bias '" + b.name + "' is " + name_of(b.type));
}

}  // namespace ttpu::ir
