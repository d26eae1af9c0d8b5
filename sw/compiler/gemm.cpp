// Single matrix products, for measurements and tests.
#include <algorithm>

#include "compiler/compiler.h"
#include "compiler/program.h"

namespace ttpu {

using namespace compiler;
using isa::Unit;

namespace {

[[noreturn]] void fail(const std::string& why) { throw CompileError("gemm", "MatMul", why); }

Dtype operand_type(const GemmSpec& s, bool is_signed) {
  return s.type == GemmSpec::Type::Bf16 ? Dtype::BF16 : is_signed ? Dtype::S8 : Dtype::U8;
}

void check(const GemmSpec& s, const Config& config) {
  for (const int64_t d : {s.m, s.n, s.k})
    if (d < 1 || d > 1 << 20)
      fail("sizes must be between 1 and 2^20, got m=" + std::to_string(s.m) +
           " n=" + std::to_string(s.n) + " k=" + std::to_string(s.k));
  const bool bf16 = s.type == GemmSpec::Type::Bf16;
  if (bf16 && s.output == GemmSpec::Output::Int32) fail("bf16 products have fp32 results");
  if (!config.has_fp && (bf16 || s.output == GemmSpec::Output::Fp32))
    fail("configuration " + std::string(config.name) + " has no floating point");
  const uint64_t bytes = static_cast<uint64_t>(s.k * s.n) * (bf16 ? 2 : 1);
  if (!s.b.empty() && s.b.size() != bytes)
    fail("B has " + std::to_string(s.b.size()) + " bytes, its shape asks for " +
         std::to_string(bytes));
}

Lowered lowered(const GemmSpec& s) {
  Lowered p;
  p.graph_name = "gemm";
  auto storage = [&](const char* name, Dtype type, int64_t rows, int64_t cols) {
    Storage x;
    x.name = name;
    x.type = type;
    x.rows = rows;
    x.cols = cols;
    p.storage.push_back(x);
    return static_cast<int>(p.storage.size()) - 1;
  };
  Kernel k;
  k.kind = KernelKind::Contract;
  k.name = "gemm";
  k.nodes = {"gemm"};
  k.m = s.m;
  k.n = s.n;
  k.k = s.k;
  k.w_type = operand_type(s, s.b_signed);
  k.a.tensor = storage("a", operand_type(s, s.a_signed), s.m, s.k);
  p.storage.back().is_input = true;
  p.inputs.push_back({"a", k.a.tensor, {s.m, s.k}, 1.0f, 0});
  if (s.b.empty()) {
    k.w_tensor = storage("b", k.w_type, s.k, s.n);
    p.storage.back().is_input = true;
    p.inputs.push_back({"b", k.w_tensor, {s.k, s.n}, 1.0f, 0});
  } else {
    k.w = s.b;
  }
  const bool fp = s.output == GemmSpec::Output::Fp32;
  k.chain.fp = fp;
  if (fp && s.type == GemmSpec::Type::Int8) k.chain.add(isa::Vop::I2F);
  k.sum_bound = static_cast<double>(s.k) * (s.a_signed ? 128 : 255) * (s.b_signed ? 128 : 255);
  k.out = storage("c", fp ? Dtype::F32 : Dtype::I32, s.m, s.n);
  p.storage.back().is_output = true;
  p.outputs.push_back({"c", k.out, {s.m, s.n}, 1.0f, 0});
  p.kernels.push_back(std::move(k));
  return p;
}

Image build_cold(const GemmSpec& s, const Config& config, GemmLayout* layout) {
  Lowered p = lowered(s);
  Kernel& k = p.kernels[0];
  k.w_tensor = -1;
  p.inputs.clear();
  p.outputs.clear();
  const Geometry g = geometry(k, config);
  GemmLayout l;
  l.a_pitch = vmem_pitch(s.k, p.storage[static_cast<size_t>(k.a.tensor)].type, config);
  l.b_panel = static_cast<uint64_t>(g.kt) * g.n * g.n * g.esize;
  l.c_pitch = vmem_pitch(s.n, p.storage[static_cast<size_t>(k.out)].type, config);
  auto words = [&](uint64_t bytes) {
    return (bytes + config.word_bytes() - 1) / config.word_bytes() * config.word_bytes();
  };
  Plan plan;
  plan.buffers = {
      {"a", words(static_cast<uint64_t>(s.m) * l.a_pitch), 0, 0, Unit::DMA0, Unit::MXS, 0},
      {"b", l.b_panel * g.nt, 0, 0, Unit::DMA0, Unit::MXW, 0},
      {"c", static_cast<uint64_t>(s.m) * l.c_pitch, 0, 0, Unit::VPU, Unit::DMA1, 0}};
  plan.banks_separated = allocate(plan.buffers, config, config.vmem_bytes(), true);
  if (!plan.banks_separated && !allocate(plan.buffers, config, config.vmem_bytes(), false)) {
    uint64_t need = 0;
    for (const Buffer& b : plan.buffers) need += b.bytes;
    fail("a cold product keeps all operands in VMEM: they need " + std::to_string(need) +
         " bytes (a " + std::to_string(plan.buffers[0].bytes) + ", b " +
         std::to_string(plan.buffers[1].bytes) + ", c " + std::to_string(plan.buffers[2].bytes) +
         "), VMEM has " + std::to_string(config.vmem_bytes()));
  }
  check_plan(plan, config, config.vmem_bytes());
  plan.places.resize(p.storage.size());
  plan.places[static_cast<size_t>(k.a.tensor)] = {true, 0, l.a_pitch, 0, 0, 0};
  plan.places[static_cast<size_t>(k.out)] = {true, 2, l.c_pitch, 0, 0, 0};
  ContractTile t;
  t.block_rows = static_cast<uint32_t>(std::min<int64_t>(s.m, config.acc_rows));
  t.blocks = static_cast<uint32_t>((s.m + t.block_rows - 1) / t.block_rows);
  t.chunk_tiles = g.kt;
  t.b_resident = true;
  t.b_bufs = 1;
  t.b = 1;
  plan.contract = {t};
  plan.map.resize(1);
  plan.constants.resize(1);
  l.a_addr = plan.buffers[0].addr;
  l.b_addr = plan.buffers[1].addr;
  l.c_addr = plan.buffers[2].addr;
  for (const Buffer& b : plan.buffers) plan.vmem_peak = std::max(plan.vmem_peak, b.addr + b.bytes);
  if (layout) *layout = l;
  return assemble(p, plan, config);
}

}  // namespace

Image build_gemm(const GemmSpec& spec, const Config& config, GemmLayout* layout) {
  check(spec, config);
  if (spec.cold) return build_cold(spec, config, layout);
  Lowered p = lowered(spec);
  find_lifetimes(p);
  CompileOptions options;
  options.block_rows = spec.block_rows;
  const Plan plan = make_plan(p, config, limits_of(options, config));
  return assemble(p, plan, config);
}

std::vector<HbmSegment> cold_operands(const GemmSpec& s, const Config& config,
                                      const GemmLayout& layout, std::span<const uint8_t> a,
                                      std::span<const uint8_t> b) {
  const uint64_t esize = s.type == GemmSpec::Type::Bf16 ? 2 : 1;
  const uint64_t a_row = static_cast<uint64_t>(s.k) * esize,
                 b_row = static_cast<uint64_t>(s.n) * esize;
  if (a.size() != a_row * static_cast<uint64_t>(s.m) ||
      b.size() != b_row * static_cast<uint64_t>(s.k))
    fail("operands have the wrong size");
  HbmSegment sa{layout.a_addr, std::vector<uint8_t>(layout.a_pitch * static_cast<uint64_t>(s.m))};
  for (uint64_t i = 0; i < static_cast<uint64_t>(s.m); ++i)
    std::copy_n(a.begin() + static_cast<int64_t>(i * a_row), a_row,
                sa.bytes.begin() + static_cast<int64_t>(i * layout.a_pitch));
  const uint64_t row = config.n * esize, panels = (b_row + row - 1) / row;
  HbmSegment sb{layout.b_addr, std::vector<uint8_t>(layout.b_panel * panels)};
  for (uint64_t p = 0; p < panels; ++p)
    for (uint64_t i = 0; i < static_cast<uint64_t>(s.k); ++i)
      std::copy_n(b.begin() + static_cast<int64_t>(i * b_row + p * row),
                  std::min(row, b_row - p * row),
                  sb.bytes.begin() + static_cast<int64_t>(p * layout.b_panel + i * row));
  return {sa, sb};
}

std::vector<uint8_t> cold_result(const GemmSpec& s, const GemmLayout& layout,
                                 std::span<const uint8_t> vmem) {
  const uint64_t row = static_cast<uint64_t>(s.n) * 4;
  std::vector<uint8_t> r(row * static_cast<uint64_t>(s.m));
  for (uint64_t i = 0; i < static_cast<uint64_t>(s.m); ++i)
    std::copy_n(vmem.begin() + static_cast<int64_t>(layout.c_addr + i * layout.c_pitch), row,
                r.begin() + static_cast<int64_t>(i * row));
  return r;
}

}  // namespace ttpu
