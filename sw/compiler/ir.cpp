// Graph utilities and the verifier.
#include "compiler/ir.h"

#include <set>

#include "compiler/compiler.h"

namespace ttpu {

CompileError::CompileError(std::string node_name, std::string op_name, std::string why)
    : std::runtime_error("node '" + node_name + "' (" + op_name + "): " + why),
      node(std::move(node_name)),
      op(std::move(op_name)),
      reason(std::move(why)) {}

namespace ir {

uint32_t size_of(DType type) {
  switch (type) {
    case DType::F32:
      return 4;
    case DType::BF16:
      return 2;
    case DType::S8:
      return 1;
    case DType::U8:
      return 1;
    case DType::S32:
      return 4;
    case DType::S64:
      return 8;
  }
  return 0;
}

const char* name_of(DType type) {
  switch (type) {
    case DType::F32:
      return "float32";
    case DType::BF16:
      return "bf16";
    case DType::S8:
      return "int8";
    case DType::U8:
      return "uint8";
    case DType::S32:
      return "int32";
    case DType::S64:
      return "int64";
  }
  return "?";
}

const char* name_of(OpKind kind) {
  switch (kind) {
    case OpKind::Gemm:
      return "Gemm";
    case OpKind::MatMul:
      return "MatMul";
    case OpKind::Add:
      return "Add";
    case OpKind::Relu:
      return "Relu";
    case OpKind::QuantizeLinear:
      return "QuantizeLinear";
    case OpKind::DequantizeLinear:
      return "DequantizeLinear";
    case OpKind::QLinearMatMul:
      return "QLinearMatMul";
    case OpKind::MatMulInteger:
      return "MatMulInteger";
    case OpKind::Flatten:
      return "Flatten";
    case OpKind::Reshape:
      return "Reshape";
    case OpKind::ArgMax:
      return "ArgMax";
    case OpKind::Conv:
      return "Conv";
    case OpKind::QLinearConv:
      return "QLinearConv";
    case OpKind::ConvInteger:
      return "ConvInteger";
    case OpKind::MaxPool:
      return "MaxPool";
    case OpKind::MaxRows:
      return "MaxRows";
    case OpKind::Im2col:
      return "Im2col";
    case OpKind::Transpose:
      return "Transpose";
  }
  return "?";
}

const char* op_name(const Node& node) {
  return node.source_op.empty() ? name_of(node.kind) : node.source_op.c_str();
}

int64_t Tensor::elements() const {
  int64_t n = 1;
  for (const int64_t d : shape) n *= d;
  return n;
}

int Graph::add_tensor(std::string tensor_name, DType type, std::vector<int64_t> shape) {
  Tensor t;
  t.name = std::move(tensor_name);
  t.type = type;
  t.shape = std::move(shape);
  tensors.push_back(std::move(t));
  return static_cast<int>(tensors.size()) - 1;
}

int Graph::add_const(std::string tensor_name, DType type, std::vector<int64_t> shape,
                     std::vector<uint8_t> data) {
  const int t = add_tensor(std::move(tensor_name), type, std::move(shape));
  tensors[t].is_const = true;
  tensors[t].data = std::move(data);
  return t;
}

int Graph::add_input(std::string tensor_name, DType type, std::vector<int64_t> shape) {
  const int t = add_tensor(std::move(tensor_name), type, std::move(shape));
  inputs.push_back(t);
  return t;
}

int Graph::add_node(OpKind kind, std::string node_name, std::vector<int> node_inputs,
                    std::string result_name) {
  Node n;
  n.kind = kind;
  n.name = std::move(node_name);
  n.inputs = std::move(node_inputs);
  n.outputs = {add_tensor(std::move(result_name), DType::F32, {})};
  nodes.push_back(std::move(n));
  return nodes.back().outputs[0];
}

std::vector<int> Graph::consumers(int t) const {
  std::vector<int> r;
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const int in : nodes[i].inputs)
      if (in == t) {
        r.push_back(static_cast<int>(i));
        break;
      }
  return r;
}

int Graph::producer(int t) const {
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const int out : nodes[i].outputs)
      if (out == t) return static_cast<int>(i);
  return -1;
}

void verify(const Graph& graph) {
  const int count = static_cast<int>(graph.tensors.size());
  std::vector<bool> defined(graph.tensors.size(), false);
  auto graph_error = [&](const std::string& why) { throw CompileError(graph.name, "graph", why); };
  for (int t = 0; t < count; ++t) {
    const Tensor& x = graph.tensors[t];
    if (x.shape.size() > 8)
      graph_error("tensor '" + x.name + "' has rank " + std::to_string(x.shape.size()) +
                  "; at most 8 is supported");
    uint64_t elements = 1;
    for (const int64_t d : x.shape) {
      if (d < 1)
        graph_error("tensor '" + x.name + "' has a dimension of " + std::to_string(d) +
                    "; every dimension must be at least 1");
      if (static_cast<uint64_t>(d) > (1ull << 31) / elements)
        graph_error("tensor '" + x.name + "' has more than 2^31 elements");
      elements *= static_cast<uint64_t>(d);
    }
    if (x.is_const) {
      if (x.data.size() != elements * size_of(x.type))
        graph_error("constant '" + x.name + "' has " + std::to_string(x.data.size()) +
                    " bytes, its shape and type ask for " +
                    std::to_string(elements * size_of(x.type)));
      defined[t] = true;
    }
  }
  for (const int t : graph.inputs) {
    if (t < 0 || t >= count) graph_error("an input's index is out of range");
    if (defined[t]) graph_error("input '" + graph.tensors[t].name + "' is defined twice");
    defined[t] = true;
  }
  for (const Node& n : graph.nodes) {
    auto fail = [&](const std::string& why) { throw CompileError(n.name, op_name(n), why); };
    for (const int t : n.inputs) {
      if (t < -1 || t >= count) fail("an input's index is out of range");
      if (t >= 0 && !defined[t])
        fail("input '" + graph.tensors[t].name + "' is used before it is made");
    }
    if (n.outputs.size() != 1) fail("needs exactly one output");
    for (const int t : n.outputs) {
      if (t < 0 || t >= count) fail("an output's index is out of range");
      if (defined[t]) fail("output '" + graph.tensors[t].name + "' is defined twice");
      defined[t] = true;
    }
  }
  if (graph.outputs.empty()) graph_error("the graph has no output");
  for (const int t : graph.outputs) {
    if (t < 0 || t >= count) graph_error("an output's index is out of range");
    if (!defined[t]) graph_error("output '" + graph.tensors[t].name + "' is never made");
  }
}

}  // namespace ir
}  // namespace ttpu
