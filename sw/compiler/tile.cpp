// Tiling: how much of each operand is in VMEM at a time.
#include <algorithm>

#include "compiler/plan.h"

namespace ttpu::compiler {
namespace {

uint64_t align_up(uint64_t x, uint64_t a) { return (x + a - 1) / a * a; }
uint64_t div_up(uint64_t x, uint64_t y) { return (x + y - 1) / y; }

const Storage& storage(const Lowered& p, int s) { return p.storage[static_cast<size_t>(s)]; }
const Place& place(const Plan& plan, int s) { return plan.places[static_cast<size_t>(s)]; }

uint64_t total(const std::vector<Buffer>& buffers) {
  uint64_t sum = 0;
  for (const Buffer& b : buffers) sum += b.bytes;
  return sum;
}

}  // namespace

uint64_t vmem_pitch(int64_t cols, Dtype type, const Config& config) {
  return align_up(static_cast<uint64_t>(cols), config.n) * size_of(type);
}

Geometry geometry(const Kernel& k, const Config& config) {
  Geometry g;
  g.n = config.n;
  g.esize = size_of(k.w_type);
  g.nt = static_cast<uint32_t>(div_up(static_cast<uint64_t>(k.n), g.n));
  g.kt = static_cast<uint32_t>(div_up(static_cast<uint64_t>(k.k), g.n));
  g.n_rem = static_cast<uint32_t>(k.n % g.n);
  g.k_rem = static_cast<uint32_t>(k.k % g.n);
  return g;
}

uint64_t param_bytes(const Kernel& k, const Config& config) {
  if (k.kind == KernelKind::ArgMax) return config.word_bytes();
  return k.chain.vectors.size() * div_up(static_cast<uint64_t>(k.n), config.n) *
         config.word_bytes();
}

std::vector<Buffer> contract_buffers(const Lowered& p, int index, const Plan& plan,
                                     const Config& config, const ContractTile& t) {
  const Kernel& k = p.kernels[static_cast<size_t>(index)];
  const Geometry g = geometry(k, config);
  std::vector<Buffer> r;
  auto add = [&](const char* what, uint64_t bytes, isa::Unit writer, isa::Unit reader) {
    if (bytes)
      r.push_back({k.name + "." + what, align_up(bytes, config.word_bytes()), index, index, writer,
                   reader, 0});
  };
  const Storage& a = storage(p, k.a.tensor);
  const Storage& out = storage(p, k.out);
  if (!place(plan, k.a.tensor).in_vmem)
    add("a",
        t.a_bufs * align_up(t.block_rows * vmem_pitch(k.k, a.type, config), config.word_bytes()),
        isa::Unit::DMA0, isa::Unit::MXS);
  add("b", g.chunk_bytes(t) * (t.b_resident ? g.nt : t.b_bufs), isa::Unit::DMA0, isa::Unit::MXW);
  add("params", param_bytes(k, config), isa::Unit::DMA0, isa::Unit::VPU);
  if (!place(plan, k.out).in_vmem)
    add("out",
        static_cast<uint64_t>(t.out_bufs) *
            align_up(static_cast<uint64_t>(t.block_rows) * t.group * g.n * size_of(out.type),
                     config.word_bytes()),
        isa::Unit::VPU, isa::Unit::DMA1);
  return r;
}

bool tile_contract(const Lowered& p, int index, const Plan& plan, const Config& config,
                   const Budget& budget, ContractTile& tile) {
  const Kernel& k = p.kernels[static_cast<size_t>(index)];
  const Geometry g = geometry(k, config);
  const uint64_t m = static_cast<uint64_t>(k.m);
  const bool a_hbm = !place(plan, k.a.tensor).in_vmem, out_hbm = !place(plan, k.out).in_vmem;
  const uint32_t most_rows =
      budget.block_rows ? std::min(budget.block_rows, config.acc_rows) : config.acc_rows;
  auto fits = [&](const ContractTile& t) {
    return total(contract_buffers(p, index, plan, config, t)) <= budget.vmem;
  };
  auto with_rows = [&](uint64_t rows, uint32_t bufs, uint32_t group, uint32_t chunk) {
    ContractTile t;
    t.block_rows = static_cast<uint32_t>(rows);
    t.blocks = static_cast<uint32_t>(div_up(m, rows));
    t.chunk_tiles = chunk;
    t.chunks = static_cast<uint32_t>(div_up(g.kt, chunk));
    t.a_bufs = a_hbm ? std::min(bufs, t.blocks) : 0;
    t.b_bufs = static_cast<uint32_t>(
        std::min<uint64_t>(bufs, static_cast<uint64_t>(g.nt) * t.chunks * t.blocks));
    t.group = out_hbm ? std::min(group, g.nt) : 1;
    t.out_bufs =
        out_hbm ? std::min<uint32_t>(bufs, static_cast<uint32_t>(div_up(g.nt, t.group)) * t.blocks)
                : 0;
    return t;
  };
  // Fewest blocks that fit with everything twice, down to a few rows a block; then single buffers;
  // then panels cut along K.
  const uint64_t fewest = div_up(m, most_rows);
  const uint32_t most_group = config.imem_words >= 4096 ? 4 : 1;
  const uint64_t few_rows = std::min<uint64_t>(m, 4ull * config.n);
  for (const bool last_resort : {false, true}) {
    for (const uint32_t bufs : {2u, 1u}) {
      for (uint32_t chunk = g.kt; chunk >= 1; chunk = chunk == 1 ? 0 : (chunk + 1) / 2) {
        if (!last_resort && chunk != g.kt) break;
        if (k.w_tensor >= 0 && chunk != g.kt) break;
        if (div_up(g.kt, chunk) > 64) break;  // each chunk is code of its own
        for (uint64_t blocks = fewest;; blocks += std::max<uint64_t>(1, blocks / 16)) {
          const uint64_t rows = std::min(m, div_up(m, std::min(blocks, m)));
          if (!last_resort && rows < few_rows) break;
          for (uint32_t group = most_group; group; group /= 2) {
            tile = with_rows(rows, bufs, group, chunk);
            if (!fits(tile)) continue;
            // Panels that are small beside VMEM, and read more than once, stay.
            ContractTile stay = tile;
            stay.b_resident = true;
            stay.b_bufs = 1;
            if (k.w_tensor < 0 && tile.chunks == 1 &&
                g.chunk_bytes(tile) * g.nt <= config.vmem_bytes() / 16 && fits(stay))
              tile = stay;
            return true;
          }
          if (rows == 1) break;
        }
      }
    }
  }
  return false;
}

uint64_t gather_pitch(const Kernel& k, const Plan& plan, Dtype type) {
  const Place& out = place(plan, k.out);
  return out.in_vmem ? out.pitch : out.view_pitch(k.n, type);
}

std::vector<Buffer> gather_buffers(const Lowered& p, int index, const Plan& plan,
                                   const Config& config, const MapTile& t) {
  const Kernel& k = p.kernels[static_cast<size_t>(index)];
  if (place(plan, k.out).in_vmem) return {};
  const uint64_t bytes = t.block_rows * static_cast<uint64_t>(k.gather.width * k.gather.rows) *
                         std::max(gather_pitch(k, plan, storage(p, k.out).type),
                                  static_cast<uint64_t>(k.n) * size_of(storage(p, k.out).type));
  return {{k.name + ".out", t.out_bufs * align_up(bytes, config.word_bytes()), index, index,
           isa::Unit::DMA0, isa::Unit::DMA1, 0}};
}

bool tile_gather(const Lowered& p, int index, const Plan& plan, const Config& config,
                 const Budget& budget, MapTile& tile) {
  const Kernel& k = p.kernels[static_cast<size_t>(index)];
  const uint64_t lines = static_cast<uint64_t>(k.gather.height);
  const uint64_t images = static_cast<uint64_t>(k.gather.images);
  for (const uint32_t bufs : {2u, 1u}) {
    for (uint64_t rows = lines;; rows = (rows + 1) / 2) {
      tile = {};
      tile.block_rows = static_cast<uint32_t>(rows);
      tile.blocks = static_cast<uint32_t>(div_up(lines, rows));
      if (!place(plan, k.out).in_vmem)
        tile.out_bufs = static_cast<uint32_t>(std::min<uint64_t>(bufs, tile.blocks * images));
      if (total(gather_buffers(p, index, plan, config, tile)) <= budget.vmem) return true;
      if (rows == 1) break;
    }
  }
  return false;
}

std::vector<Buffer> map_buffers(const Lowered& p, int index, const Plan& plan, const Config& config,
                                const MapTile& t) {
  const Kernel& k = p.kernels[static_cast<size_t>(index)];
  std::vector<Buffer> r;
  auto add = [&](const char* what, uint64_t bytes, isa::Unit writer, isa::Unit reader) {
    if (bytes)
      r.push_back({k.name + "." + what, align_up(bytes, config.word_bytes()), index, index, writer,
                   reader, 0});
  };
  auto block = [&](int s, int64_t cols) {
    return align_up(t.block_rows * vmem_pitch(cols, storage(p, s).type, config),
                    config.word_bytes());
  };
  if (!place(plan, k.a.tensor).in_vmem)
    add("a",
        t.in_bufs * align_up(t.block_rows * static_cast<uint64_t>(k.fold) *
                                 vmem_pitch(k.n, storage(p, k.a.tensor).type, config),
                             config.word_bytes()),
        isa::Unit::DMA0, isa::Unit::VPU);
  if (k.b.tensor >= 0 && !place(plan, k.b.tensor).in_vmem)
    add("b", t.in_bufs * block(k.b.tensor, k.n), isa::Unit::DMA0, isa::Unit::VPU);
  add("params", param_bytes(k, config), isa::Unit::DMA0, isa::Unit::VPU);
  if (k.kind == KernelKind::ArgMax)
    add("temp", static_cast<uint64_t>(t.block_rows) * config.word_bytes(), isa::Unit::VPU,
        isa::Unit::VPU);
  if (!place(plan, k.out).in_vmem)
    add("out", t.out_bufs * block(k.out, k.kind == KernelKind::ArgMax ? 1 : k.n), isa::Unit::VPU,
        isa::Unit::DMA1);
  return r;
}

bool tile_map(const Lowered& p, int index, const Plan& plan, const Config& config,
              const Budget& budget, MapTile& tile) {
  const Kernel& k = p.kernels[static_cast<size_t>(index)];
  const uint64_t m = static_cast<uint64_t>(k.m);
  const bool in_hbm =
      !place(plan, k.a.tensor).in_vmem || (k.b.tensor >= 0 && !place(plan, k.b.tensor).in_vmem);
  const bool out_hbm = !place(plan, k.out).in_vmem;
  const uint64_t most = std::max<uint64_t>(
      1, (budget.block_rows ? budget.block_rows : 32768) / static_cast<uint64_t>(k.fold));
  for (const uint32_t bufs : {2u, 1u}) {
    // Blocks small enough that loading, computing and storing overlap.
    uint64_t blocks = std::max<uint64_t>(
        div_up(m, most), in_hbm || out_hbm ? std::min<uint64_t>(4, div_up(m, 64)) : 1);
    for (;; blocks += std::max<uint64_t>(1, blocks / 8)) {
      const uint64_t rows = std::min(m, div_up(m, std::min(blocks, m)));
      tile = {};
      tile.block_rows = static_cast<uint32_t>(rows);
      tile.blocks = static_cast<uint32_t>(div_up(m, rows));
      tile.in_bufs = in_hbm ? std::min(bufs, tile.blocks) : 0;
      tile.out_bufs = out_hbm ? std::min(bufs, tile.blocks) : 0;
      if (total(map_buffers(p, index, plan, config, tile)) <= budget.vmem) return true;
      if (rows == 1) break;
    }
  }
  return false;
}

}  // namespace ttpu::compiler
