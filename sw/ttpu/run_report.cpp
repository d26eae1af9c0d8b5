#include "ttpu/run_report.h"

#include <fmt/format.h>

#include "isa/disasm.h"
#include "isa/suggest.h"

namespace ttpu::cli {
namespace {

uint64_t unit_counter(const RunResult& r, int unit, int state) {
  return r.counters[static_cast<size_t>(regs::kNumPlainCounters + unit * regs::kNumStates + state)];
}

/// Name of a unit's state, from the counter of the scalar core: "SCALAR_STALL_MEM" -> "stall_mem".
std::string state_name(int state) {
  const auto name = regs::kCounterNames[static_cast<size_t>(regs::kNumPlainCounters + state)];
  return isa::lower(name.substr(std::string_view("SCALAR_").size()));
}

}  // namespace

double mxu_utilisation(const RunResult& r, const Config& config) {
  const uint64_t cycles = r.counter(regs::CYCLES);
  if (cycles == 0) return 0;
  return static_cast<double>(r.counter(regs::MXU_MACS)) /
         (static_cast<double>(cycles) * config.n * config.n);
}

std::string counters_table(const RunResult& r) {
  if (r.counters.size() != static_cast<size_t>(regs::kNumCounters)) return "";
  std::string text = fmt::format("{:<8}", "unit");
  for (int s = 0; s < regs::kNumStates; ++s) text += fmt::format("{:>20}", state_name(s));
  text += '\n';
  const double cycles = static_cast<double>(std::max<uint64_t>(r.counter(regs::CYCLES), 1));
  for (int u = 0; u < isa::kNumUnits; ++u) {
    text += fmt::format("{:<8}", isa::lower(isa::unit_name(static_cast<isa::Unit>(u))));
    for (int s = 0; s < regs::kNumStates; ++s) {
      const uint64_t v = unit_counter(r, u, s);
      text += fmt::format("{:>12} {:>5.1f} %", grouped(v), 100.0 * static_cast<double>(v) / cycles);
    }
    text += '\n';
  }
  for (int c = 0; c < regs::kNumPlainCounters; ++c)
    text += fmt::format("{:<20}{:>20}\n", isa::lower(regs::kCounterNames[static_cast<size_t>(c)]),
                        grouped(r.counters[static_cast<size_t>(c)]));
  return text;
}

Json counters_json(const RunResult& r) {
  if (r.counters.size() != static_cast<size_t>(regs::kNumCounters)) return nullptr;
  Json out = Json::object();
  for (int c = 0; c < regs::kNumPlainCounters; ++c)
    out[isa::lower(regs::kCounterNames[static_cast<size_t>(c)])] =
        r.counters[static_cast<size_t>(c)];
  for (int u = 0; u < isa::kNumUnits; ++u) {
    Json unit = Json::object();
    for (int s = 0; s < regs::kNumStates; ++s) unit[state_name(s)] = unit_counter(r, u, s);
    out[isa::lower(isa::unit_name(static_cast<isa::Unit>(u)))] = std::move(unit);
  }
  return out;
}

std::string explain_error(const RunResult& r, const Image& image) {
  const auto& e = isa::error_desc(r.error);
  std::string text =
      fmt::format("the program stopped with {}: {}\n  unit {}, pc {}, address 0x{:x}\n", e.name,
                  e.doc, isa::unit_name(r.error_unit), r.error_pc, r.error_addr);
  if (r.error_pc < image.code.size())
    text += fmt::format("  {}: {}\n", r.error_pc, isa::disassemble(image.code[r.error_pc]));
  return text + fmt::format("  what to do: {}", e.advice);
}

Json error_json(const RunResult& r, const Image& image) {
  const auto& e = isa::error_desc(r.error);
  Json out = {{"cause", e.name},
              {"doc", e.doc},
              {"unit", isa::unit_name(r.error_unit)},
              {"pc", r.error_pc},
              {"address", r.error_addr},
              {"advice", e.advice}};
  if (r.error_pc < image.code.size()) out["instruction"] = isa::disassemble(image.code[r.error_pc]);
  return out;
}

}  // namespace ttpu::cli
