// Kernels: what the hardware runs. Lowering makes them from the source graph; tiling, planning and
// emission know nothing of ONNX.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "compiler/ir.h"
#include "isa/generated/isa_gen.h"

namespace ttpu::compiler {

using isa::Dtype;

uint32_t size_of(Dtype t);
const char* name_of(Dtype t);
inline bool is_float(Dtype t) { return t == Dtype::BF16 || t == Dtype::F32; }

/// A stage of the VPU's chain.
struct Stage {
  isa::Vop op = isa::Vop::PASS;
  isa::Voperand operand = isa::Voperand::CONST;
  bool swap = false;
  uint32_t shift = 0;
  uint32_t imm = 0;
};

/// What the VPU does between loading and storing a row.
struct Chain {
  std::vector<Stage> stages;
  std::vector<std::vector<uint32_t>> vectors;  ///< V0, V1, ...: a value for each column
  bool fp = false;                             ///< result of the chain is fp32
  int32_t zero = 0;                            ///< zero point of an 8-bit result

  void add(isa::Vop op, uint32_t imm = 0, uint32_t shift = 0);
  void add_float(isa::Vop op, float imm);
  /// Operand with a value for each column: a constant if all are equal, else a vector register.
  void add_columns(isa::Vop op, const std::vector<uint32_t>& columns, uint32_t shift = 0);
};

/// A tensor as a kernel reads it.
struct Operand {
  int tensor = -1;  ///< storage (index of a tensor of the lowered graph), -1 = none
  bool dequant = false;
  float scale = 1.0f;
  int32_t zero = 0;
};

enum class KernelKind : uint8_t { Contract, Map, ArgMax, Gather };

/// A rectangle that a Gather copies: for all rows oy, all pixels ox of it, `inner` runs.
struct GatherPiece {
  int64_t oy_begin = 0, oy_end = 0, ox_begin = 0, ox_end = 0;
  int64_t source = 0;  ///< bytes from the image's first to where pixel (0, 0) would read
  int64_t column = 0;  ///< bytes from the beginning of the result's row
  int64_t run = 0;     ///< bytes
  int64_t row = 0;     ///< of the pixel's rows
};

/// Result row (image, oy, ox) is put together from runs of the source; the rest is filled.
struct Gather {
  int64_t images = 1, height = 1, width = 1;               ///< rows of the result
  int64_t image_stride = 0, oy_stride = 0, ox_stride = 0;  ///< bytes in the source
  int64_t rows = 1;                                        ///< rows of the result for each pixel
  int64_t inner = 1, inner_stride = 0;  ///< runs that follow each other in the result's row
  bool filled = false;                  ///< some of the result is border
  uint32_t fill = 0;                    ///< what stands there, four bytes
  std::vector<GatherPiece> pieces;
};

/// One pass over a result of m rows and n columns.
///   Contract: out[m][n] = chain(sum_k a[m][k] * w[k][n], b[m][n])
///   Map:      out[m][n] = chain(a[m][n], b[m][n])
///   ArgMax:   out[m][0] = column of the first maximum of a[m][.]
///   Gather:   out[m][.] = pieces of a, moved by the DMA
struct Kernel {
  KernelKind kind = KernelKind::Map;
  std::string name;
  int64_t m = 0, n = 0, k = 0;
  Operand a, b;
  int out = -1;
  // Contract: weights either constant (dense k x n of w_type) or a tensor.
  Dtype w_type = Dtype::S8;
  int w_tensor = -1;
  std::vector<uint8_t> w;
  Chain chain;
  Gather gather;
  int64_t fold = 1;                ///< Map: the maximum of so many rows of a; a has fold * m
  std::vector<std::string> nodes;  ///< names of the source nodes that it carries out
  std::vector<std::string> notes;  ///< why it is so
  double sum_bound = 0;            ///< largest |partial sum| possible (integer contraction)
};

/// A stored tensor.
struct Storage {
  std::string name;
  Dtype type = Dtype::S8;
  int64_t rows = 0, cols = 0;  ///< view in which it is written
  bool used = false;
  bool is_input = false, is_output = false;
  std::vector<uint8_t> constant;  ///< constant contents
  bool dense = false;             ///< is seen in views of different width: HBM, without padding
  int first = -1, last = -1;      ///< kernels that make it and read it last
};

/// A boundary tensor: which storage, in which shape.
struct Port {
  std::string name;
  int storage = -1;
  std::vector<int64_t> shape;
  float scale = 1.0f;
  int32_t zero = 0;
};

/// Result of lowering.
struct Lowered {
  std::string graph_name;
  std::vector<Storage> storage;
  std::vector<Kernel> kernels;
  std::vector<Port> inputs, outputs;
  std::vector<std::string> aliases;  ///< nodes that cost nothing (views)
};

struct LowerOptions {
  bool fuse_residual = true;
};

/// Fuse and lower; throws CompileError for what the configuration cannot do.
Lowered lower(const ir::Graph& graph, const Config& config, const LowerOptions& options);

/// Uses of storages by the kernels (first, last, dense), after lowering.
void find_lifetimes(Lowered& program);

uint16_t to_bf16(float f);
uint32_t bits_of(float f);

}  // namespace ttpu::compiler
