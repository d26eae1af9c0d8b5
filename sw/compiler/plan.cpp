// The plan: what stays in VMEM, how kernels are cut, addresses in VMEM and HBM.
#include "compiler/plan.h"

#include <algorithm>

namespace ttpu::compiler {
namespace {

uint64_t align_up(uint64_t x, uint64_t a) { return (x + a - 1) / a * a; }

class Planner {
 public:
  Planner(const Lowered& p, const Config& config, const PlanLimits& limits)
      : p_(p), config_(config), limits_(limits) {}

  Plan run() {
    std::vector<bool> keep(p_.storage.size(), false);
    for (size_t s = 0; s < p_.storage.size(); ++s) keep[s] = may_stay(s);
    std::vector<std::string> spilled;
    for (;;) {
      for (const uint64_t share : {16, 15, 14, 12, 10, 8}) {
        Plan plan;
        plan.spilled = spilled;
        if (attempt(keep, limits_.vmem_bytes * share / 16, plan)) {
          place_hbm(plan);
          return plan;
        }
      }
      // Something does not fit: send the largest tensor that need not stay to HBM.
      size_t largest = p_.storage.size();
      for (size_t s = 0; s < p_.storage.size(); ++s)
        if (keep[s] && (largest == p_.storage.size() || bytes(s) > bytes(largest))) largest = s;
      if (largest == p_.storage.size()) too_small();
      keep[largest] = false;
      spilled.push_back(p_.storage[largest].name);
    }
  }

 private:
  uint64_t bytes(size_t s) const {
    const Storage& x = p_.storage[s];
    return align_up(static_cast<uint64_t>(x.rows) * vmem_pitch(x.cols, x.type, config_),
                    config_.word_bytes());
  }

  bool may_stay(size_t s) const {
    const Storage& x = p_.storage[s];
    return limits_.keep_in_vmem && x.used && !x.is_input && !x.is_output && !x.dense &&
           x.constant.empty() && !is_weight(s) && bytes(s) <= limits_.vmem_bytes;
  }

  bool is_weight(size_t s) const {
    return std::any_of(p_.kernels.begin(), p_.kernels.end(),
                       [&](const Kernel& k) { return k.w_tensor == static_cast<int>(s); });
  }

  bool attempt(const std::vector<bool>& keep, uint64_t vmem, Plan& plan) {
    plan.places.resize(p_.storage.size());
    std::vector<uint64_t> resident(p_.kernels.size(), 0);
    for (size_t s = 0; s < p_.storage.size(); ++s) {
      const Storage& x = p_.storage[s];
      if (!x.used) continue;
      Place& place = plan.places[s];
      place.in_vmem = keep[s];
      place.pitch = vmem_pitch(x.cols, x.type, config_);
      if (!keep[s]) continue;
      place.buffer = static_cast<int>(plan.buffers.size());
      plan.buffers.push_back({x.name, bytes(s), x.first, x.last, isa::Unit::VPU, reader(s), 0});
      for (int k = x.first; k <= x.last; ++k) resident[static_cast<size_t>(k)] += bytes(s);
    }
    plan.contract.resize(p_.kernels.size());
    plan.map.resize(p_.kernels.size());
    plan.constants.resize(p_.kernels.size());
    for (size_t i = 0; i < p_.kernels.size(); ++i) {
      const Kernel& k = p_.kernels[i];
      if (k.kind == KernelKind::Contract && k.b.tensor >= 0 &&
          !plan.places[static_cast<size_t>(k.b.tensor)].in_vmem)
        return false;  // a fused residual is read from VMEM only
      const uint64_t used = resident[i];
      if (used > vmem) return false;
      const Budget budget{vmem - used, limits_.block_rows};
      std::vector<Buffer> buffers;
      const int index = static_cast<int>(i);
      if (k.kind == KernelKind::Contract) {
        if (!tile_contract(p_, index, plan, config_, budget, plan.contract[i])) return false;
        buffers = contract_buffers(p_, index, plan, config_, plan.contract[i]);
      } else if (k.kind == KernelKind::Gather) {
        if (!tile_gather(p_, index, plan, config_, budget, plan.map[i])) return false;
        buffers = gather_buffers(p_, index, plan, config_, plan.map[i]);
      } else {
        if (!tile_map(p_, index, plan, config_, budget, plan.map[i])) return false;
        buffers = map_buffers(p_, index, plan, config_, plan.map[i]);
      }
      for (Buffer& b : buffers) {
        const int at = static_cast<int>(plan.buffers.size());
        const std::string what = b.name.substr(b.name.rfind('.') + 1);
        ContractTile& c = plan.contract[i];
        MapTile& m = plan.map[i];
        if (what == "a") c.a = m.a = at;
        if (what == "b") c.b = m.b = at;
        if (what == "params") c.params = m.params = at;
        if (what == "out") c.out = m.out = at;
        if (what == "temp") m.temp = at;
        plan.buffers.push_back(std::move(b));
      }
    }
    plan.banks_separated = allocate(plan.buffers, config_, limits_.vmem_bytes, true);
    if (!plan.banks_separated && !allocate(plan.buffers, config_, limits_.vmem_bytes, false))
      return false;
    check_plan(plan, config_, limits_.vmem_bytes);
    for (const Buffer& b : plan.buffers)
      plan.vmem_peak = std::max(plan.vmem_peak, b.addr + b.bytes);
    return true;
  }

  isa::Unit reader(size_t s) const {
    for (const Kernel& k : p_.kernels)
      if (k.kind == KernelKind::Contract && k.a.tensor == static_cast<int>(s))
        return isa::Unit::MXS;
    return isa::Unit::VPU;
  }

  [[noreturn]] void too_small() {
    // Name the kernel that needs most even when it is cut as finely as can be.
    for (size_t i = 0; i < p_.kernels.size(); ++i) {
      Plan plan;
      plan.places.resize(p_.storage.size());
      const Kernel& k = p_.kernels[i];
      ContractTile c;
      MapTile m;
      const int index = static_cast<int>(i);
      const Budget budget{limits_.vmem_bytes, limits_.block_rows};
      const bool contract = k.kind == KernelKind::Contract, gather = k.kind == KernelKind::Gather;
      if (contract ? tile_contract(p_, index, plan, config_, budget, c)
          : gather ? tile_gather(p_, index, plan, config_, budget, m)
                   : tile_map(p_, index, plan, config_, budget, m))
        continue;
      uint64_t need = 0;
      std::string parts;
      const auto buffers = contract ? contract_buffers(p_, index, plan, config_, c)
                           : gather ? gather_buffers(p_, index, plan, config_, m)
                                    : map_buffers(p_, index, plan, config_, m);
      for (const Buffer& b : buffers) {
        need += b.bytes;
        parts += (parts.empty() ? "" : ", ") + b.name + " " + std::to_string(b.bytes);
      }
      throw CompileError(k.name, "VMEM",
                         "needs at least " + std::to_string(need) + " bytes (" + parts +
                             "), VMEM has " + std::to_string(limits_.vmem_bytes));
    }
    throw CompileError(p_.graph_name, "VMEM",
                       "buffers do not fit " + std::to_string(limits_.vmem_bytes) + " bytes");
  }

  void place_hbm(Plan& plan) {
    uint64_t next = 0;
    auto take = [&](uint64_t n) {
      const uint64_t at = align_up(next, n >= 4096 ? 4096 : 64);
      next = at + n;
      if (next > limits_.hbm_bytes)
        throw CompileError(
            p_.graph_name, "HBM",
            "the program needs more than " + std::to_string(limits_.hbm_bytes) + " bytes of HBM");
      return at;
    };
    for (size_t s = 0; s < p_.storage.size(); ++s) {
      const Storage& x = p_.storage[s];
      Place& place = plan.places[s];
      if (!x.used || place.in_vmem) continue;
      const uint64_t dense = static_cast<uint64_t>(x.cols) * size_of(x.type);
      place.dense = x.dense;
      place.hbm_pitch = x.dense || x.is_output || !x.constant.empty() ? dense : place.pitch;
      // Blocks are read whole, so the last one may reach beyond the last row.
      uint64_t extra = static_cast<uint64_t>(config_.n) * size_of(x.type);
      for (size_t i = 0; i < p_.kernels.size(); ++i) {
        const Kernel& k = p_.kernels[i];
        const int id = static_cast<int>(s);
        if (k.a.tensor != id && k.b.tensor != id) continue;
        if (k.kind == KernelKind::Gather) continue;  // reads no more than there is
        const bool contract = k.kind == KernelKind::Contract;
        const uint64_t rows =
            contract ? static_cast<uint64_t>(plan.contract[i].block_rows) * plan.contract[i].blocks
                     : static_cast<uint64_t>(plan.map[i].block_rows) * plan.map[i].blocks;
        extra =
            std::max(extra, (rows - static_cast<uint64_t>(k.m)) * static_cast<uint64_t>(k.fold) *
                                std::max(place.hbm_pitch, place.pitch));
      }
      place.hbm_bytes = static_cast<uint64_t>(x.rows) * place.hbm_pitch + extra;
      place.hbm = take(place.hbm_bytes);
    }
    for (size_t i = 0; i < p_.kernels.size(); ++i) {
      const Kernel& k = p_.kernels[i];
      KernelConstants& c = plan.constants[i];
      c.param_bytes = param_bytes(k, config_);
      if (c.param_bytes) c.params = take(c.param_bytes);
      if (k.kind != KernelKind::Contract || k.w_tensor >= 0) continue;
      const Geometry g = geometry(k, config_);
      c.weight_bytes = g.chunk_bytes(plan.contract[i]) * plan.contract[i].chunks * g.nt;
      c.weights = take(c.weight_bytes);
    }
    plan.hbm_bytes = align_up(next, 4096);
  }

  const Lowered& p_;
  const Config& config_;
  const PlanLimits& limits_;
};

}  // namespace

Plan make_plan(const Lowered& program, const Config& config, const PlanLimits& limits) {
  return Planner(program, config, limits).run();
}

}  // namespace ttpu::compiler
