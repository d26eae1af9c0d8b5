// Tiling, the plan of VMEM and HBM, and its checker.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/kernel.h"

namespace ttpu::compiler {

/// A range of VMEM in use from kernel `first` to kernel `last`.
struct Buffer {
  std::string name;
  uint64_t bytes = 0;
  int first = 0, last = 0;
  isa::Unit writer = isa::Unit::DMA0, reader = isa::Unit::MXS;
  uint64_t addr = 0;
};

/// How a contraction is cut. Buffers are indices into Plan::buffers, -1 = none.
struct ContractTile {
  uint32_t block_rows = 0, blocks = 0;            ///< activation blocks
  uint32_t chunk_tiles = 0, chunks = 1;           ///< weight panel = chunks of so many array tiles
  bool b_resident = false;                        ///< all panels stay in VMEM
  uint32_t a_bufs = 0, b_bufs = 0, out_bufs = 0;  ///< 0 = the tensor itself is in VMEM
  uint32_t group = 1;                             ///< column tiles in one result buffer
  int a = -1, b = -1, params = -1, out = -1;
};

/// How a map or argmax is cut; a gather: block_rows lines of an image, blocks in an image.
struct MapTile {
  uint32_t block_rows = 0, blocks = 0;
  uint32_t in_bufs = 0, out_bufs = 0;
  int a = -1, b = -1, params = -1, out = -1, temp = -1;
};

/// Where a storage is.
struct Place {
  bool in_vmem = false;
  int buffer = -1;     ///< in VMEM
  uint64_t pitch = 0;  ///< bytes from row to row in VMEM
  uint64_t hbm = 0;    ///< in HBM
  uint64_t hbm_pitch = 0;
  uint64_t hbm_bytes = 0;
  bool dense = false;  ///< in HBM without padding, so that views of any width fit
  /// Bytes from row to row in HBM of a view of so many columns.
  uint64_t view_pitch(int64_t cols, Dtype type) const {
    return dense ? static_cast<uint64_t>(cols) * size_of(type) : hbm_pitch;
  }
};

/// Constants of a kernel in HBM.
struct KernelConstants {
  uint64_t weights = 0, weight_bytes = 0, params = 0, param_bytes = 0;
};

struct Plan {
  std::vector<Buffer> buffers;
  std::vector<Place> places;           ///< of each storage
  std::vector<ContractTile> contract;  ///< of each kernel
  std::vector<MapTile> map;            ///< of each kernel
  std::vector<KernelConstants> constants;
  uint64_t hbm_bytes = 0;
  uint64_t vmem_peak = 0;
  bool banks_separated = true;
  std::vector<std::string> spilled;
};

struct PlanLimits {
  uint64_t vmem_bytes = 0;
  uint64_t hbm_bytes = 0;
  uint32_t block_rows = 0;
  bool keep_in_vmem = true;
};

/// Geometry of a matrix product on an array of n.
struct Geometry {
  uint32_t n = 0, esize = 0;
  uint32_t nt = 0, n_rem = 0, kt = 0, k_rem = 0;  ///< tiles (the last one included), remainders
  uint64_t panel_rows(const ContractTile& t) const {
    return static_cast<uint64_t>(t.chunks) * t.chunk_tiles * n;
  }
  uint64_t chunk_bytes(const ContractTile& t) const {
    return static_cast<uint64_t>(t.chunk_tiles) * n * n * esize;
  }
};
Geometry geometry(const Kernel& k, const Config& config);

/// Bytes of VMEM per row of a tensor of that type.
uint64_t vmem_pitch(int64_t cols, Dtype type, const Config& config);

/// Cut every kernel, place every buffer. Throws CompileError with the sizes if it does not fit.
Plan make_plan(const Lowered& program, const Config& config, const PlanLimits& limits);
/// No two live buffers overlap, none ends beyond VMEM, each is aligned. Throws std::logic_error.
void check_plan(const Plan& plan, const Config& config, uint64_t vmem_bytes);

// tile.cpp
struct Budget {
  uint64_t vmem = 0;
  uint32_t block_rows = 0;
};
bool tile_contract(const Lowered& p, int index, const Plan& plan, const Config& config,
                   const Budget& budget, ContractTile& tile);
bool tile_map(const Lowered& p, int index, const Plan& plan, const Config& config,
              const Budget& budget, MapTile& tile);
std::vector<Buffer> contract_buffers(const Lowered& p, int index, const Plan& plan,
                                     const Config& config, const ContractTile& tile);
std::vector<Buffer> map_buffers(const Lowered& p, int index, const Plan& plan, const Config& config,
                                const MapTile& tile);
bool tile_gather(const Lowered& p, int index, const Plan& plan, const Config& config,
                 const Budget& budget, MapTile& tile);
std::vector<Buffer> gather_buffers(const Lowered& p, int index, const Plan& plan,
                                   const Config& config, const MapTile& tile);
/// Bytes of VMEM from row to row of a gather's result.
uint64_t gather_pitch(const Kernel& k, const Plan& plan, Dtype type);
uint64_t param_bytes(const Kernel& k, const Config& config);

// allocate.cpp: place all buffers; false if they do not fit.
bool allocate(std::vector<Buffer>& buffers, const Config& config, uint64_t vmem_bytes,
              bool separate_banks);

}  // namespace ttpu::compiler
