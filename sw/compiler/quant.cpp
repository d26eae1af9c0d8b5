// Constants and quantisation parameters, read out of a graph.
#include "compiler/quant.h"

#include <cmath>

#include "compiler/compiler.h"

namespace ttpu::ir {

std::vector<int32_t> integers(const Tensor& t) {
  std::vector<int32_t> r;
  switch (t.type) {
    case DType::S8:
      for (const uint8_t b : t.data) r.push_back(static_cast<int8_t>(b));
      break;
    case DType::U8:
      for (const uint8_t b : t.data) r.push_back(b);
      break;
    case DType::S32:
      r = values<int32_t>(t);
      break;
    default:
      break;
  }
  return r;
}

Quant quant_of(const Graph& graph, const Node& node, int scale, int zero, int64_t axis) {
  auto fail = [&](const std::string& why) { throw CompileError(node.name, op_name(node), why); };
  Quant q;
  q.axis = axis;
  if (scale < 0) fail("the scale is missing");
  const Tensor& s = graph.tensors[scale];
  if (!s.is_const || s.type != DType::F32) fail("scale '" + s.name + "' is not a float constant");
  q.scale = values<float>(s);
  for (const float f : q.scale)
    if (!(f > 0) || !std::isfinite(f)) fail("scale '" + s.name + "' is not positive and finite");
  q.zero.assign(q.scale.size(), 0);
  if (zero >= 0) {
    const Tensor& z = graph.tensors[zero];
    if (!z.is_const) fail("zero point '" + z.name + "' is not a constant");
    const auto v = integers(z);
    if (v.size() != q.scale.size())
      fail("scale has " + std::to_string(q.scale.size()) + " elements, zero point " +
           std::to_string(v.size()));
    q.zero = v;
  }
  return q;
}

}  // namespace ttpu::ir
