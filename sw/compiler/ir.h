// Intermediate representation of the compiler: a graph of tensors and operations.
// It has the meaning of the ONNX operators it came from; how they run is decided later (kernel.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ttpu::ir {

/// Element type of a tensor.
enum class DType : uint8_t { F32, BF16, S8, U8, S32, S64 };
uint32_t size_of(DType type);
const char* name_of(DType type);
inline bool is_float(DType t) { return t == DType::F32 || t == DType::BF16; }
inline bool is_byte(DType t) { return t == DType::S8 || t == DType::U8; }

/// A value: graph input, constant, or result of an operation.
struct Tensor {
  std::string name;
  DType type = DType::F32;
  std::vector<int64_t> shape;  ///< empty = scalar
  bool is_const = false;
  std::vector<uint8_t> data;  ///< of a constant: dense, row-major, little-endian
  int64_t elements() const;
  uint64_t bytes() const { return static_cast<uint64_t>(elements()) * size_of(type); }
  /// The two-dimensional view by which kernels walk a tensor: last dimension and all others.
  int64_t cols() const { return shape.empty() ? 1 : shape.back(); }
  int64_t rows() const { return cols() == 0 ? 0 : elements() / cols(); }
};

/// Operations of the source graph.
enum class OpKind : uint8_t {
  Gemm,              ///< a, b, [c]
  MatMul,            ///< a, b
  Add,               ///< a, b
  Relu,              ///< x
  QuantizeLinear,    ///< x, scale, [zero point]
  DequantizeLinear,  ///< x, scale, [zero point]
  QLinearMatMul,     ///< a, as, az, b, bs, bz, ys, yz
  MatMulInteger,     ///< a, b, [az], [bz]
  Flatten,           ///< x
  Reshape,           ///< x, [shape]
  ArgMax,            ///< x
  Conv,              ///< x, w, [b]
  QLinearConv,       ///< x, xs, xz, w, ws, wz, ys, yz, [b]
  ConvInteger,       ///< x, w, [xz], [wz]
  MaxPool,           ///< x
  // Made by rewrite_convolutions() only. QLinearMatMul then may have a ninth input, an int32 bias.
  Im2col,     ///< x [n,h,w,c]; result [n,oh,ow,kh*kw*c], or [n,oh,ow,kh*kw,c] if pixel_rows
  MaxRows,    ///< x [n,oh,ow,k,c]; result [n,oh,ow,c], the maximum over k
  Transpose,  ///< x [n,c,h,w] to [n,h,w,c], or back
};
const char* name_of(OpKind kind);
struct Node;
/// Operator as the model calls it.
const char* op_name(const Node& node);

/// One operation. Inputs that are left out are -1.
struct Node {
  OpKind kind = OpKind::MatMul;
  std::string name;
  std::vector<int> inputs, outputs;
  int64_t axis = 1;  ///< ArgMax, Flatten, QuantizeLinear, DequantizeLinear
  bool trans_a = false, trans_b = false;
  float alpha = 1.0f, beta = 1.0f;
  bool keep_dims = true;
  bool allow_zero = false;     ///< Reshape
  std::vector<int64_t> shape;  ///< Reshape: target (may hold 0 and -1)
  // Conv, QLinearConv, ConvInteger, Im2col: two numbers each (height, width), pads four (top, left,
  // bottom, right); empty = default.
  std::vector<int64_t> kernel, strides, pads, dilations;
  int64_t group = 1;
  std::string auto_pad = "NOTSET";
  int32_t pad_value = 0;      ///< Im2col: what stands in the border
  bool pixel_rows = false;    ///< Im2col: a row for each pixel; the border holds the least value
  bool channels_last = true;  ///< Transpose: the result's layout
  std::string source;         ///< node of the model that a rewrite made this one of; empty = itself
  std::string source_op;      ///< its operator
  int input(size_t i) const { return i < inputs.size() ? inputs[i] : -1; }
};

/// A graph. Nodes stand in an order in which every value is made before it is used.
struct Graph {
  std::string name = "graph";
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;
  std::vector<int> inputs, outputs;

  int add_tensor(std::string tensor_name, DType type, std::vector<int64_t> shape);
  int add_const(std::string tensor_name, DType type, std::vector<int64_t> shape,
                std::vector<uint8_t> data);
  template <class T>
  int add_const_values(std::string tensor_name, DType type, std::vector<int64_t> shape,
                       const std::vector<T>& values) {
    std::vector<uint8_t> raw(values.size() * sizeof(T));
    const auto* p = reinterpret_cast<const uint8_t*>(values.data());
    raw.assign(p, p + raw.size());
    return add_const(std::move(tensor_name), type, std::move(shape), std::move(raw));
  }
  int add_input(std::string tensor_name, DType type, std::vector<int64_t> shape);
  /// Append an operation with one result; its type and shape are inferred by infer_shapes().
  int add_node(OpKind kind, std::string node_name, std::vector<int> node_inputs,
               std::string result_name);

  /// Nodes that read tensor `t`.
  std::vector<int> consumers(int t) const;
  /// Node that makes tensor `t`, or -1.
  int producer(int t) const;
};

/// Types and shapes of all results, checked; throws CompileError with the node.
void infer_shapes(Graph& graph);
/// Structure: indices in range, every value defined once and before its use, constants of the right
/// size, no dimension below 1. Throws CompileError.
void verify(const Graph& graph);
void infer_node(Graph& graph, Node& node);
/// Type and shape of a convolution or a MaxPool; writes its padding out (Node::pads).
void infer_convolution(Graph& graph, Node& node);
/// Convolutions become Im2col and a matrix product over tensors whose channels are the last
/// dimension; element-wise operations between them follow. Returns how many there were.
int rewrite_convolutions(Graph& graph);
/// Evaluate operations on constants. Returns how many nodes it removed.
int fold_constants(Graph& graph);

}  // namespace ttpu::ir
