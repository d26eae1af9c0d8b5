// Constants and quantisation parameters, read out of a graph.
#pragma once
#include <cstring>
#include <vector>

#include "compiler/ir.h"

namespace ttpu::ir {

/// Scale and zero point, one or one per element of `axis`.
struct Quant {
  std::vector<float> scale;
  std::vector<int32_t> zero;
  int64_t axis = 0;
  bool per_tensor() const { return scale.size() == 1; }
};

/// The constant parameters of a node. Throws CompileError naming the node if they are not constant,
/// not finite or not positive.
Quant quant_of(const Graph& graph, const Node& node, int scale, int zero, int64_t axis);

/// Elements of a constant of the same size of type.
template <class T>
std::vector<T> values(const Tensor& t) {
  std::vector<T> v(t.data.size() / sizeof(T));
  if (!v.empty()) std::memcpy(v.data(), t.data.data(), v.size() * sizeof(T));
  return v;
}
template <class T>
void set_values(Tensor& t, const std::vector<T>& v) {
  t.data.resize(v.size() * sizeof(T));
  if (!v.empty()) std::memcpy(t.data.data(), v.data(), t.data.size());
}
/// Elements of an integer constant of any width.
std::vector<int32_t> integers(const Tensor& t);

}  // namespace ttpu::ir
