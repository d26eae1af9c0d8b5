// The lowering pass: one object a run. Split over lower.cpp, lower_operands.cpp,
// lower_contract.cpp and lower_gather.cpp.
#pragma once
#include <map>
#include <set>

#include "compiler/kernel.h"
#include "compiler/quant.h"

namespace ttpu::compiler {

/// The model's node that n is (a part of).
inline const std::string& source_name(const ir::Node& n) {
  return n.source.empty() ? n.name : n.source;
}

class Lowerer {
 public:
  Lowerer(const ir::Graph& graph, const Config& config, const LowerOptions& options);
  Lowered run();

 private:
  [[noreturn]] void fail(const ir::Node& n, const std::string& why) const;
  Dtype hardware_type(ir::DType t) const;
  void check_type(const ir::Node& n, Dtype t) const;
  int root(int t) const;
  bool is_output(int t) const;
  const ir::Node* dequant_of(int t) const;
  int sole_consumer(int t) const;
  bool row_vector(int t, int64_t n, std::vector<float>& v) const;
  std::vector<float> dequantised(const ir::Node& dq) const;
  bool can_stream(int t) const;

  int new_storage(const std::string& name, Dtype type, int64_t rows, int64_t cols);
  int storage_of(const ir::Node& user, int t);
  int as_bf16(const ir::Node& n, int t, bool any_view = false);
  Operand float_operand(const ir::Node& n, int t);
  void dequant_operand(const ir::Node& n, const ir::Quant& q, Kernel& k);
  Dtype float_type(int t) const;
  int copied(int t);
  void push(Kernel k, int result);
  void quant_port(const ir::Node& n, int t, Port& p) const;

  void lower_node(const ir::Node& n);
  void lower_add(const ir::Node& n);
  void lower_argmax(const ir::Node& n);
  void add_quantise(const ir::Node& n, const ir::Quant& q, Kernel& k);
  void finish_float(const ir::Node& n, Kernel& k, int t, bool residual_ok);

  // lower_gather.cpp
  void lower_im2col(const ir::Node& n);
  void lower_max_rows(const ir::Node& n);
  void lower_transpose(const ir::Node& n);
  void push_gather(const ir::Node& n, Kernel k, int source, Dtype type);

  // lower_contract.cpp
  struct Integer;  ///< an integer contraction on its way
  void lower_contract(const ir::Node& n);
  void lower_float_contract(const ir::Node& n, Kernel& k, int a, int b);
  bool find_integer(const ir::Node& n, Integer& x);
  void integer_weights(const ir::Node& n, Integer& x, Kernel& k);
  void finish_integer(const ir::Node& n, Integer& x, Kernel& k);
  void integer_requantise(const ir::Node& n, Integer& x, Kernel& k);

  const ir::Graph& g_;
  const Config& config_;
  const LowerOptions& options_;
  Lowered out_;
  std::vector<int> producer_;
  std::map<int, int> stored_;     ///< root tensor -> storage
  std::map<int, int> bf16_copy_;  ///< storage -> its bf16 form
  std::set<int> done_;            ///< nodes that a kernel has taken in
  std::vector<std::string> absorbed_;
};

}  // namespace ttpu::compiler
