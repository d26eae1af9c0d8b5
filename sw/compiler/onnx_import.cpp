// ONNX files into the intermediate representation. Nothing in the file is trusted.
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <unordered_map>

#include "compiler/compiler.h"

namespace ttpu {
namespace {

namespace fs = std::filesystem;
using ir::DType;
using ir::OpKind;

constexpr int64_t kMaxBytes = 1ll << 31;

const std::unordered_map<std::string, OpKind> kOps = {
    {"Gemm", OpKind::Gemm},
    {"MatMul", OpKind::MatMul},
    {"Add", OpKind::Add},
    {"Relu", OpKind::Relu},
    {"QuantizeLinear", OpKind::QuantizeLinear},
    {"DequantizeLinear", OpKind::DequantizeLinear},
    {"QLinearMatMul", OpKind::QLinearMatMul},
    {"MatMulInteger", OpKind::MatMulInteger},
    {"Flatten", OpKind::Flatten},
    {"Reshape", OpKind::Reshape},
    {"ArgMax", OpKind::ArgMax},
    {"Conv", OpKind::Conv},
    {"QLinearConv", OpKind::QLinearConv},
    {"ConvInteger", OpKind::ConvInteger},
    {"MaxPool", OpKind::MaxPool},
};

bool is_window(OpKind k) {
  return k == OpKind::Conv || k == OpKind::QLinearConv || k == OpKind::ConvInteger ||
         k == OpKind::MaxPool;
}

[[noreturn]] void fail(const std::string& node, const std::string& op, const std::string& why) {
  throw CompileError(node, op, why);
}

DType type_of(int onnx_type, const std::string& what, const std::string& op) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT:
      return DType::F32;
    case onnx::TensorProto::BFLOAT16:
      return DType::BF16;
    case onnx::TensorProto::INT8:
      return DType::S8;
    case onnx::TensorProto::UINT8:
      return DType::U8;
    case onnx::TensorProto::INT32:
      return DType::S32;
    case onnx::TensorProto::INT64:
      return DType::S64;
    default:
      break;
  }
  std::string type =
      onnx::TensorProto::DataType_IsValid(onnx_type)
          ? onnx::TensorProto::DataType_Name(static_cast<onnx::TensorProto::DataType>(onnx_type))
          : std::to_string(onnx_type);
  fail(what, op,
       "element type " + type +
           " is not supported; supported: FLOAT, BFLOAT16, INT8, UINT8, INT32, INT64");
}

/// Bytes of a tensor that is kept in a file beside the model. The file must lie in the model's own
/// folder: no absolute path, no "..", no link that leads out of it.
std::vector<uint8_t> external_data(const onnx::TensorProto& t, const fs::path& folder,
                                   uint64_t bytes) {
  std::string location;
  int64_t offset = 0, length = -1;
  for (const auto& e : t.external_data()) {
    try {
      if (e.key() == "location") location = e.value();
      if (e.key() == "offset") offset = std::stoll(e.value());
      if (e.key() == "length") length = std::stoll(e.value());
    } catch (const std::exception&) {
      fail(t.name(), "initializer", "external data: '" + e.key() + "' is not a number");
    }
  }
  const fs::path relative(location);
  if (location.empty() || relative.is_absolute() || location.find('\0') != std::string::npos)
    fail(t.name(), "initializer", "external data: '" + location + "' is not a relative path");
  for (const auto& part : relative)
    if (part == "..")
      fail(t.name(), "initializer",
           "external data '" + location + "' leaves the folder of the model");
  std::error_code ec;
  const fs::path root = fs::canonical(folder, ec);
  const fs::path file = ec ? fs::path() : fs::canonical(root / relative, ec);
  if (ec) fail(t.name(), "initializer", "external data '" + location + "': " + ec.message());
  const fs::path inside = file.lexically_relative(root);
  if (inside.empty() || *inside.begin() == "..")
    fail(t.name(), "initializer",
         "external data '" + location + "' is a link out of the folder of the model");
  if (!fs::is_regular_file(file, ec))
    fail(t.name(), "initializer", "external data '" + location + "' is not a plain file");
  const uint64_t size = fs::file_size(file, ec);
  if (ec || offset < 0 || static_cast<uint64_t>(offset) > size ||
      bytes > size - static_cast<uint64_t>(offset) ||
      (length >= 0 && static_cast<uint64_t>(length) != bytes))
    fail(t.name(), "initializer",
         "external data '" + location + "' of " + std::to_string(size) + " bytes does not hold " +
             std::to_string(bytes) + " bytes at offset " + std::to_string(offset));
  std::vector<uint8_t> data(bytes);
  std::ifstream is(file, std::ios::binary);
  is.seekg(offset);
  is.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(bytes));
  if (!is) fail(t.name(), "initializer", "external data '" + location + "' cannot be read");
  return data;
}

template <class T, class Field>
std::vector<uint8_t> typed(const Field& field) {
  std::vector<uint8_t> r(static_cast<size_t>(field.size()) * sizeof(T));
  for (int i = 0; i < field.size(); ++i) {
    const T v = static_cast<T>(field.Get(i));
    std::memcpy(r.data() + static_cast<size_t>(i) * sizeof(T), &v, sizeof(T));
  }
  return r;
}

int add_constant(ir::Graph& g, const onnx::TensorProto& t, const std::string& name,
                 const fs::path& folder) {
  const DType type = type_of(t.data_type(), name, "initializer");
  std::vector<int64_t> shape;
  int64_t elements = 1;
  if (t.dims_size() > 8)
    fail(name, "initializer", "rank " + std::to_string(t.dims_size()) + " is above 8");
  for (const int64_t d : t.dims()) {
    if (d < 1)
      fail(name, "initializer", "dimension " + std::to_string(d) + "; it must be at least 1");
    if (d > kMaxBytes / elements) fail(name, "initializer", "more than 2^31 elements");
    elements *= d;
    shape.push_back(d);
  }
  const uint64_t bytes = static_cast<uint64_t>(elements) * size_of(type);
  std::vector<uint8_t> data;
  if (t.data_location() == onnx::TensorProto::EXTERNAL) {
    data = external_data(t, folder, bytes);
  } else if (t.has_raw_data()) {
    data.assign(t.raw_data().begin(), t.raw_data().end());
  } else {
    switch (type) {
      case DType::F32:
        data = typed<float>(t.float_data());
        break;
      case DType::BF16:
        data = typed<uint16_t>(t.int32_data());
        break;
      case DType::S8:
        data = typed<int8_t>(t.int32_data());
        break;
      case DType::U8:
        data = typed<uint8_t>(t.int32_data());
        break;
      case DType::S32:
        data = typed<int32_t>(t.int32_data());
        break;
      case DType::S64:
        data = typed<int64_t>(t.int64_data());
        break;
    }
  }
  if (data.size() != bytes)
    fail(name, "initializer",
         "has " + std::to_string(data.size()) + " bytes of data, its shape and type ask for " +
             std::to_string(bytes));
  return g.add_const(name, type, shape, std::move(data));
}

std::vector<int64_t> input_shape(const onnx::ValueInfoProto& v, const CompileOptions& options) {
  std::vector<int64_t> shape;
  if (!v.type().has_tensor_type()) fail(v.name(), "input", "is not a tensor");
  if (!v.type().tensor_type().has_shape()) fail(v.name(), "input", "has no shape");
  const auto& dims = v.type().tensor_type().shape();
  if (dims.dim_size() > 8) fail(v.name(), "input", "rank is above 8");
  for (int i = 0; i < dims.dim_size(); ++i) {
    const auto& d = dims.dim(i);
    if (d.has_dim_value()) {
      if (d.dim_value() < 1 || d.dim_value() > kMaxBytes)
        fail(v.name(), "input",
             "dimension " + std::to_string(i) + " is " + std::to_string(d.dim_value()) +
                 "; it must be between 1 and 2^31");
      shape.push_back(d.dim_value());
      continue;
    }
    const auto it = options.dims.find(d.dim_param());
    if (it != options.dims.end()) {
      shape.push_back(it->second);
    } else if (i == 0) {
      shape.push_back(options.batch);
    } else {
      fail(v.name(), "input",
           "dimension " + std::to_string(i) + " ('" + d.dim_param() +
               "') is unknown: give its value (--dim NAME=VALUE)");
    }
    if (shape.back() < 1) fail(v.name(), "input", "a dimension is below 1");
  }
  return shape;
}

class Importer {
 public:
  Importer(const CompileOptions& options, fs::path folder)
      : options_(options), folder_(std::move(folder)) {}

  ir::Graph run(const onnx::GraphProto& p) {
    g_.name = p.name().empty() ? "graph" : p.name();
    if (p.sparse_initializer_size()) fail(g_.name, "graph", "sparse initializers");
    for (const auto& t : p.initializer())
      define(t.name(), add_constant(g_, t, t.name(), folder_), "initializer");
    const auto constants = names_;
    for (const auto& v : p.input()) {
      if (constants.count(v.name())) continue;  // a default of an input is a constant here
      if (!v.type().has_tensor_type()) fail(v.name(), "input", "is not a tensor");
      const DType type = type_of(v.type().tensor_type().elem_type(), v.name(), "input");
      define(v.name(), g_.add_input(v.name(), type, input_shape(v, options_)), "input");
    }
    for (int i = 0; i < p.node_size(); ++i) add(p.node(i), i);
    for (const auto& v : p.output()) {
      const auto it = names_.find(v.name());
      if (it == names_.end()) fail(v.name(), "output", "is made by no node");
      g_.outputs.push_back(it->second);
    }
    if (g_.nodes.empty()) fail(g_.name, "graph", "has no node: nothing to compute");
    return std::move(g_);
  }

  static void check_outputs(const ir::Graph& g, const onnx::GraphProto& p) {
    for (int i = 0; i < p.output_size(); ++i) {
      const auto& v = p.output(i);
      if (!v.type().has_tensor_type() || !v.type().tensor_type().has_shape()) continue;
      const auto& dims = v.type().tensor_type().shape();
      const auto& shape = g.tensors[g.outputs[static_cast<size_t>(i)]].shape;
      if (static_cast<size_t>(dims.dim_size()) != shape.size())
        fail(v.name(), "output",
             "is declared with rank " + std::to_string(dims.dim_size()) +
                 ", the graph makes rank " + std::to_string(shape.size()));
      for (int d = 0; d < dims.dim_size(); ++d)
        if (dims.dim(d).has_dim_value() && dims.dim(d).dim_value() != shape[static_cast<size_t>(d)])
          fail(v.name(), "output",
               "dimension " + std::to_string(d) + " is declared " +
                   std::to_string(dims.dim(d).dim_value()) + ", the graph makes " +
                   std::to_string(shape[static_cast<size_t>(d)]));
    }
  }

 private:
  void define(const std::string& name, int tensor, const std::string& what) {
    if (name.empty()) fail("", what, "has no name");
    if (!names_.emplace(name, tensor).second) fail(name, what, "is defined twice");
  }

  void add(const onnx::NodeProto& p, int index) {
    const std::string name = !p.name().empty() ? p.name()
                             : p.output_size() && !p.output(0).empty()
                                 ? p.output(0)
                                 : "#" + std::to_string(index);
    if (!p.domain().empty() && p.domain() != "ai.onnx")
      fail(name, p.op_type(), "operators of domain '" + p.domain() + "' are not supported");
    if (p.op_type() == "Constant") return add_constant_node(p, name);
    if (p.op_type() == "Identity") {
      if (p.input_size() != 1 || p.output_size() != 1) fail(name, p.op_type(), "bad arity");
      return define(p.output(0), lookup(p.input(0), name, p.op_type()), p.op_type());
    }
    const auto op = kOps.find(p.op_type());
    if (op == kOps.end()) {
      std::set<std::string> sorted;
      for (const auto& [text, kind] : kOps) sorted.insert(text);
      std::string list = "Constant, Identity";
      for (const auto& text : sorted) list += ", " + text;
      fail(name, p.op_type(), "this operator is not supported; supported are " + list);
    }
    static const std::map<OpKind, std::pair<int, int>> arity = {{OpKind::Gemm, {2, 3}},
                                                                {OpKind::MatMul, {2, 2}},
                                                                {OpKind::Add, {2, 2}},
                                                                {OpKind::Relu, {1, 1}},
                                                                {OpKind::QuantizeLinear, {2, 3}},
                                                                {OpKind::DequantizeLinear, {2, 3}},
                                                                {OpKind::QLinearMatMul, {8, 8}},
                                                                {OpKind::MatMulInteger, {2, 4}},
                                                                {OpKind::Flatten, {1, 1}},
                                                                {OpKind::Reshape, {1, 2}},
                                                                {OpKind::ArgMax, {1, 1}},
                                                                {OpKind::Conv, {2, 3}},
                                                                {OpKind::QLinearConv, {8, 9}},
                                                                {OpKind::ConvInteger, {2, 4}},
                                                                {OpKind::MaxPool, {1, 1}}};
    const auto [least, most] = arity.at(op->second);
    if (p.input_size() < least || p.input_size() > most || p.output_size() != 1)
      fail(name, p.op_type(),
           "has " + std::to_string(p.input_size()) + " inputs and " +
               std::to_string(p.output_size()) + " outputs");
    std::vector<int> inputs;
    for (const auto& in : p.input())
      inputs.push_back(in.empty() ? -1 : lookup(in, name, p.op_type()));
    const int out = g_.add_node(op->second, name, inputs, p.output(0));
    ir::Node& n = g_.nodes.back();
    if (n.kind == OpKind::ArgMax) n.axis = 0;
    for (const auto& a : p.attribute()) attribute(n, a, p.op_type());
    define(p.output(0), out, p.op_type());
  }

  void attribute(ir::Node& n, const onnx::AttributeProto& a, const std::string& op) {
    const std::string& k = a.name();
    auto no = [&](const std::string& why) { fail(n.name, op, "attribute '" + k + "' " + why); };
    auto flag = [&] {
      if (a.type() != onnx::AttributeProto::INT) no("is not an integer");
      return a.i() != 0;
    };
    if (k == "axis") {
      flag();
      n.axis = a.i();
    } else if (k == "transA") {
      n.trans_a = flag();
    } else if (k == "transB") {
      n.trans_b = flag();
    } else if (k == "alpha" || k == "beta") {
      if (a.type() != onnx::AttributeProto::FLOAT) no("is not a float");
      (k == "alpha" ? n.alpha : n.beta) = a.f();
    } else if (k == "keepdims") {
      n.keep_dims = flag();
    } else if (k == "allowzero") {
      n.allow_zero = flag();
    } else if (k == "select_last_index") {
      if (flag()) no("= 1 is not supported");
    } else if (k == "shape" && n.kind == OpKind::Reshape) {
      n.shape.assign(a.ints().begin(), a.ints().end());
    } else if (is_window(n.kind) &&
               (k == "kernel_shape" || k == "strides" || k == "pads" || k == "dilations")) {
      if (a.type() != onnx::AttributeProto::INTS) no("is not a list of integers");
      auto& list = k == "kernel_shape" ? n.kernel
                   : k == "strides"    ? n.strides
                   : k == "pads"       ? n.pads
                                       : n.dilations;
      list.assign(a.ints().begin(), a.ints().end());
    } else if (k == "group" && is_window(n.kind)) {
      flag();
      n.group = a.i();
    } else if (k == "auto_pad" && is_window(n.kind)) {
      if (a.type() != onnx::AttributeProto::STRING) no("is not a string");
      n.auto_pad = a.s();
    } else if (n.kind == OpKind::MaxPool && (k == "ceil_mode" || k == "storage_order")) {
      if (flag()) no("= 1 is not supported");
    } else if (k == "saturate") {
      flag();  // only of 8-bit floats
    } else {
      no("is not supported");
    }
  }

  void add_constant_node(const onnx::NodeProto& p, const std::string& name) {
    if (p.output_size() != 1 || p.attribute_size() != 1 || p.attribute(0).name() != "value" ||
        !p.attribute(0).has_t())
      fail(name, "Constant", "only the attribute 'value' (a tensor) is supported");
    define(p.output(0), add_constant(g_, p.attribute(0).t(), p.output(0), folder_), "Constant");
  }

  int lookup(const std::string& name, const std::string& node, const std::string& op) {
    const auto it = names_.find(name);
    if (it == names_.end()) fail(node, op, "input '" + name + "' is made by no node before it");
    return it->second;
  }

  const CompileOptions& options_;
  fs::path folder_;
  ir::Graph g_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace

ir::Graph import_onnx(const std::string& onnx_path, const CompileOptions& options) {
  std::ifstream is(onnx_path, std::ios::binary);
  if (!is) fail(onnx_path, "file", "cannot be opened");
  onnx::ModelProto model;
  if (!model.ParseFromIstream(&is)) fail(onnx_path, "file", "is not an ONNX model (protobuf)");
  if (!model.has_graph()) fail(onnx_path, "file", "has no graph");
  if (model.functions_size()) fail(onnx_path, "file", "model-local functions are not supported");
  for (const auto& o : model.opset_import())
    if ((o.domain().empty() || o.domain() == "ai.onnx") && (o.version() < 7 || o.version() > 24))
      fail(onnx_path, "file", "opset " + std::to_string(o.version()) + " is not in 7..24");
  Importer importer(options, fs::path(onnx_path).parent_path().empty()
                                 ? fs::path(".")
                                 : fs::path(onnx_path).parent_path());
  ir::Graph g = importer.run(model.graph());
  ir::verify(g);
  ir::infer_shapes(g);
  ir::verify(g);
  Importer::check_outputs(g, model.graph());
  return g;
}

}  // namespace ttpu
