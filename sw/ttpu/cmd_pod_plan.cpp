// ttpu pod plan.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "fabric/plan.h"
#include "isa/suggest.h"
#include "ttpu/cmd_pod.h"

namespace ttpu::cli {
namespace {

constexpr const char* kAxes[fabric::kMaxDims] = {"x", "y", "z"};
constexpr uint32_t kPerDim = fabric::kCrossConnects / fabric::kMaxDims;

struct PlanOptions {
  std::string file, former, out;
  bool ports = false;
};

Json pairs(const std::vector<fabric::Joint>& joints) {
  Json list = Json::array();
  for (const auto& j : joints) list.push_back({2 * j.from, 2 * j.to + 1});
  return list;
}

/// "5+ to 1-, ..."
std::string joints_text(const std::vector<fabric::Joint>& joints) {
  std::string text;
  for (const auto& j : joints)
    text += fmt::format("{}{}+ to {}-", text.empty() ? "" : ", ", j.from, j.to);
  return text.empty() ? "nothing" : text;
}

void report_slices(const fabric::Plan& plan, Context& context) {
  Json slices = Json::array();
  for (const auto& s : plan.spec.slices) {
    slices.push_back({{"name", s.name},
                      {"size", fabric::size_text(s.size, fabric::kMaxDims)},
                      {"twisted", s.twist != fabric::Twist{}},
                      {"cubes", s.cubes}});
    context.print(fmt::format("slice {}: {}{}, cubes {}\n", s.name,
                              fabric::size_text(s.size, fabric::kMaxDims),
                              s.twist == fabric::Twist{} ? "" : " twisted", isa::join(s.cubes)));
  }
  context.result["slices"] = std::move(slices);
  Json swaps = Json::array(), kept = Json::array();
  for (const auto& w : plan.swaps) {
    swaps.push_back({{"slice", w.slice},
                     {"position", w.position},
                     {"from", w.from},
                     {"to", w.to},
                     {"reason", w.reason}});
    context.print(fmt::format("slice {}: cube {} takes the place of cube {} ({})\n", w.slice, w.to,
                              w.from, w.reason));
  }
  for (const auto& k : plan.kept) {
    kept.push_back({{"slice", k.slice}, {"cube", k.cube}, {"reason", k.reason}});
    context.print(
        fmt::format("slice {} keeps cube {} ({}): no whole cube is left; routes go round\n",
                    k.slice, k.cube, k.reason));
  }
  context.result["swaps"] = std::move(swaps);
  context.result["kept"] = std::move(kept);
  context.result["placed"] = plan.placed;
  context.result["free"] = plan.free;
  context.print(
      fmt::format("whole and free: {}\n", plan.free.empty() ? "none" : isa::join(plan.free)));
}

void report_settings(const PlanOptions& o, const fabric::Plan& plan, Context& context) {
  Json settings = Json::array(), changes = Json::array();
  for (const auto& s : plan.settings)
    settings.push_back({{"number", fabric::number_of(s.which)},
                        {"dimension", kAxes[s.which.dim]},
                        {"position", s.which.position},
                        {"failed", s.failed},
                        {"joined", pairs(s.joints)}});
  size_t moved = 0;
  for (const auto& c : plan.changes) {
    moved += c.remove.size() + c.add.size();
    changes.push_back({{"number", fabric::number_of(c.which)},
                       {"take_away", pairs(c.remove)},
                       {"join", pairs(c.add)}});
  }
  context.result["cross_connects"] = std::move(settings);
  context.result["changes"] = std::move(changes);
  // All 16 of a dimension are set alike: one line each.
  for (uint32_t d = 0; d < fabric::kMaxDims; ++d) {
    const auto& first = plan.settings[d * kPerDim];
    context.print(fmt::format("cross-connects {} to {} ({}) join {}\n", d * kPerDim,
                              (d + 1) * kPerDim - 1, kAxes[d], joints_text(first.joints)));
    if (o.ports) {
      std::string ports;
      for (const auto& j : first.joints)
        ports += fmt::format("{}{}-{}", ports.empty() ? "" : " ", 2 * j.from, 2 * j.to + 1);
      context.print(fmt::format("  ports {}\n", ports));
    }
    for (uint32_t i = d * kPerDim; i < (d + 1) * kPerDim; ++i)
      if (plan.settings[i].failed)
        context.print(fmt::format("  cross-connect {} at ({}, {}) is out of service\n", i,
                                  plan.settings[i].which.position[0],
                                  plan.settings[i].which.position[1]));
  }
  if (plan.changes.empty()) context.print("nothing to change\n");
  uint32_t last_dim = fabric::kMaxDims;
  for (const auto& c : plan.changes) {
    if (c.which.dim == last_dim) continue;
    last_dim = c.which.dim;
    context.print(fmt::format("change of the {} cross-connects: take away {}; join {}\n",
                              kAxes[c.which.dim], joints_text(c.remove), joints_text(c.add)));
  }
  context.result["moves"] = moved;
}

void run_plan(const PlanOptions& o, Context& context) {
  const fabric::Spec spec = open_spec(o.file);
  std::optional<fabric::Spec> former;
  if (!o.former.empty()) former = open_spec(o.former);
  try {
    const fabric::Plan plan = fabric::make_plan(spec, former ? &*former : nullptr);
    const fabric::Network network = fabric::build(plan.spec);
    const auto wrong = fabric::check_isolation(network);
    context.result = {{"file", o.file}, {"name", network.whole.name}, {"isolated", wrong.empty()}};
    if (!o.out.empty() && wrong.empty()) {  // before anything is printed: it may fail
      write_file(o.out, fabric::write_spec(plan.spec));
      context.result["output"] = o.out;
    }
    report_slices(plan, context);
    report_settings(o, plan, context);
    if (!wrong.empty())
      throw CliError(kMismatch, "slices are not apart: " + wrong[0],
                     "please report this: a plan must never do that");
    context.print("slices share no cube, no cable and no port of a cross-connect\n");
  } catch (const fabric::FileError& e) {
    throw CliError(kBadFile, e.what(), e.hint);
  }
}

}  // namespace

void add_pod_plan(CLI::App& pod, Context& context) {
  auto* sub = pod.add_subcommand(
      "plan", "choose cubes for slices, swap failed ones for spares, set the cross-connects");
  auto o = std::make_shared<PlanOptions>();
  sub->add_option("FILE", o->file, "topology file of kind cubes")->required();
  sub->add_option("--former", o->former,
                  "the plan in force: slices without a list stay where they are, changes are "
                  "against it (default: the lists in FILE)");
  sub->add_option("--out", o->out, "write the plan as a topology file");
  sub->add_flag("--ports", o->ports,
                "print port numbers too (2 c: plus face of cube c, 2 c + 1: minus)");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu pod plan models/topologies/pod_slices.yaml --out plan.yaml\n"
      "  ttpu pod plan pod.yaml --former plan.yaml --json");
  on_run(*sub, [o, &context] { run_plan(*o, context); });
}

}  // namespace ttpu::cli
