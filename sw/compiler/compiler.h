// The compiler: from an ONNX file, a graph or a matrix product to a program image.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler/ir.h"
#include "isa/generated/configs_gen.h"
#include "runtime/image.h"

namespace ttpu {

/// A model that cannot be compiled. what() = "node 'x' (Op): reason".
struct CompileError : std::runtime_error {
  std::string node, op, reason;
  CompileError(std::string node_name, std::string op_name, std::string why);
};

/// Options of compile().
struct CompileOptions {
  int64_t batch = 1;                    ///< value of symbolic dimensions without one of their own
  std::map<std::string, int64_t> dims;  ///< values of symbolic dimensions by name
  uint64_t vmem_bytes = 0;              ///< use only so much of VMEM; 0 = all
  uint64_t hbm_bytes = 1ull << 31;      ///< HBM that a program may use at most
  uint32_t block_rows = 0;              ///< rows of an activation block at most; 0 = chosen
  bool keep_in_vmem = true;             ///< leave results between kernels in VMEM if they fit
};

/// Read an ONNX file (checked, never trusted) into a graph with all shapes known.
ir::Graph import_onnx(const std::string& onnx_path, const CompileOptions& options = {});

/// Compile an ONNX file for a configuration.
Image compile(const std::string& onnx_path, const Config& config,
              const CompileOptions& options = {});

/// Compile a graph for a configuration.
Image compile_graph(ir::Graph graph, const Config& config, const CompileOptions& options = {});

/// A matrix product C[m][n] = A[m][k] * B[k][n] for `ttpu bench gemm` and tests.
struct GemmSpec {
  enum class Type : uint8_t { Int8, Bf16 };
  enum class Output : uint8_t { Int32, Fp32 };
  int64_t m = 0, n = 0, k = 0;
  Type type = Type::Int8;
  bool a_signed = true, b_signed = true;  ///< of Int8
  Output output = Output::Int32;          ///< Int32 with Int8; Fp32 with Bf16, or Int8 converted
  std::vector<uint8_t> b;                 ///< B as constant data, dense row-major; empty = an input
  bool cold = false;                      ///< all operands in VMEM already, result stays in VMEM
  uint32_t block_rows = 0;                ///< as in CompileOptions
};

/// Where the operands of a cold product are in VMEM.
struct GemmLayout {
  uint64_t a_addr = 0, a_pitch = 0;  ///< A: row-major, rows of a_pitch bytes
  uint64_t b_addr = 0, b_panel = 0;  ///< B: panels of N columns, each k rows of N elements
  uint64_t c_addr = 0, c_pitch = 0;  ///< C: row-major, rows of c_pitch bytes
};

/// Program of a product. Inputs "a" (and "b"), output "c" in HBM; with cold none: see `layout`.
Image build_gemm(const GemmSpec& spec, const Config& config, GemmLayout* layout = nullptr);

/// Bytes to write into VMEM before a cold product (addresses are VMEM addresses).
std::vector<HbmSegment> cold_operands(const GemmSpec& spec, const Config& config,
                                      const GemmLayout& layout, std::span<const uint8_t> a,
                                      std::span<const uint8_t> b);
/// The dense result out of a copy of VMEM from byte 0.
std::vector<uint8_t> cold_result(const GemmSpec& spec, const GemmLayout& layout,
                                 std::span<const uint8_t> vmem);

}  // namespace ttpu
