// The compiler's account of itself, as JSON.
#include <nlohmann/json.hpp>

#include "compiler/program.h"

namespace ttpu::compiler {

using nlohmann::ordered_json;

namespace {

ordered_json where(const Lowered& p, const Plan& plan, int s) {
  const Storage& x = p.storage[static_cast<size_t>(s)];
  const Place& place = plan.places[static_cast<size_t>(s)];
  ordered_json j;
  j["tensor"] = x.name;
  j["type"] = name_of(x.type);
  j["rows"] = x.rows;
  j["columns"] = x.cols;
  j["in"] = place.in_vmem ? "VMEM" : "HBM";
  j["address"] = place.in_vmem ? plan.buffers[static_cast<size_t>(place.buffer)].addr : place.hbm;
  j["pitch"] = place.in_vmem ? place.pitch : place.hbm_pitch;
  return j;
}

void contract(const Lowered& p, const Plan& plan, const Config& config, size_t i, ordered_json& j) {
  const Kernel& k = p.kernels[i];
  const ContractTile& t = plan.contract[i];
  const Geometry g = geometry(k, config);
  j["ran_on"] = "MXU and VPU";
  j["k"] = k.k;
  j["macs"] = k.m * k.n * k.k;
  j["weights"] = {{"type", name_of(k.w_type)},
                  {"constant", k.w_tensor < 0},
                  {"held", t.b_resident ? "whole in VMEM" : "streamed by panels"}};
  j["tile"] = {{"array", {config.n, config.n}},  {"tiles", {g.kt, g.nt}},
               {"block_rows", t.block_rows},     {"blocks", t.blocks},
               {"chunks_of_k", t.chunks},        {"column_tiles_per_store", t.group},
               {"activation_buffers", t.a_bufs}, {"weight_buffers", t.b_bufs},
               {"result_buffers", t.out_bufs}};
  const uint64_t panel = g.chunk_bytes(t) * t.chunks * g.nt;
  const uint64_t weights = panel * (t.b_resident ? 1 : t.blocks);
  const Place& a = plan.places[static_cast<size_t>(k.a.tensor)];
  const Place& out = plan.places[static_cast<size_t>(k.out)];
  const uint64_t a_bytes =
      a.in_vmem ? 0
                : static_cast<uint64_t>(t.blocks) * t.block_rows *
                      a.view_pitch(k.k, p.storage[static_cast<size_t>(k.a.tensor)].type);
  const uint64_t out_bytes = out.in_vmem ? 0
                                         : static_cast<uint64_t>(k.m * k.n) *
                                               size_of(p.storage[static_cast<size_t>(k.out)].type);
  j["hbm_bytes"] = {{"activations", a_bytes}, {"weights", weights}, {"results", out_bytes}};
  const uint64_t mxu = static_cast<uint64_t>(k.m) * g.kt * g.nt;
  const uint64_t hbm = std::max(a_bytes + weights, out_bytes) / config.axi_bytes;
  j["bound"] = mxu >= hbm ? "MXU" : "HBM";
  j["least_cycles"] = {{"mxu", mxu}, {"hbm", hbm}};
  if (k.w_type != Dtype::BF16)
    j["int32"] = k.sum_bound <= 2147483647.0
                     ? "proved: no partial sum exceeds " +
                           std::to_string(static_cast<long long>(k.sum_bound))
                     : "not proved: a sum may reach " +
                           std::to_string(static_cast<long long>(k.sum_bound)) +
                           " and wrap modulo 2^32";
}

void gather(const Lowered& p, const Plan& plan, size_t i, ordered_json& j) {
  const Kernel& k = p.kernels[i];
  const MapTile& t = plan.map[i];
  int64_t runs = 0, bytes = 0;
  for (const GatherPiece& x : k.gather.pieces) {
    const int64_t count = (x.oy_end - x.oy_begin) * (x.ox_end - x.ox_begin) * k.gather.inner;
    runs += count * k.gather.images;
    bytes += count * k.gather.images * x.run;
  }
  j["ran_on"] = k.gather.filled ? "DMA, border by the VPU" : "DMA";
  j["macs"] = 0;
  j["tile"] = {{"lines", t.block_rows},
               {"blocks", t.blocks * k.gather.images},
               {"result_buffers", t.out_bufs}};
  j["dma"] = {{"transfers_a_block", k.gather.pieces.size()}, {"runs", runs}, {"bytes", bytes}};
}

}  // namespace

std::string report(const Lowered& p, const Plan& plan, const Config& config, size_t instructions) {
  ordered_json r;
  r["graph"] = p.graph_name;
  r["configuration"] = std::string(config.name);
  r["instructions"] = instructions;
  r["hbm_bytes"] = plan.hbm_bytes;
  r["vmem"] = {{"bytes", config.vmem_bytes()},
               {"used", plan.vmem_peak},
               {"banks_kept_apart", plan.banks_separated},
               {"sent_to_hbm", plan.spilled}};
  r["kernels"] = ordered_json::array();
  r["nodes"] = ordered_json::array();
  for (size_t i = 0; i < p.kernels.size(); ++i) {
    const Kernel& k = p.kernels[i];
    ordered_json j;
    j["kernel"] = i;
    j["name"] = k.name;
    j["kind"] = k.kind == KernelKind::Contract ? "matrix product"
                : k.kind == KernelKind::Map    ? "element-wise"
                : k.kind == KernelKind::Gather ? "gather"
                                               : "argmax";
    j["nodes"] = k.nodes;
    j["m"] = k.m;
    j["n"] = k.n;
    if (k.kind == KernelKind::Contract) {
      contract(p, plan, config, i, j);
    } else if (k.kind == KernelKind::Gather) {
      gather(p, plan, i, j);
    } else {
      j["ran_on"] = "VPU";
      j["macs"] = 0;
      j["tile"] = {{"block_rows", plan.map[i].block_rows}, {"blocks", plan.map[i].blocks}};
    }
    j["reads"] = ordered_json::array({where(p, plan, k.a.tensor)});
    if (k.b.tensor >= 0) j["reads"].push_back(where(p, plan, k.b.tensor));
    j["writes"] = where(p, plan, k.out);
    j["stages"] = k.chain.stages.size();
    j["why"] = k.notes;
    for (const auto& n : k.nodes)
      r["nodes"].push_back({{"node", n}, {"kernel", i}, {"ran_on", j["ran_on"]}});
    r["kernels"].push_back(std::move(j));
  }
  for (const auto& a : p.aliases)
    r["nodes"].push_back({{"node", a}, {"kernel", nullptr}, {"ran_on", "nowhere: a view"}});
  r["buffers"] = ordered_json::array();
  for (const Buffer& b : plan.buffers)
    r["buffers"].push_back({{"name", b.name},
                            {"address", b.addr},
                            {"bytes", b.bytes},
                            {"bank", b.addr / config.bank_bytes()},
                            {"kernels", {b.first, b.last}}});
  // Names come from the model: they may hold anything.
  return r.dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace ttpu::compiler
