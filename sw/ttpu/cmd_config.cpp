// ttpu config.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "ttpu/cli.h"

namespace ttpu::cli {
namespace {

std::string bytes_text(uint64_t bytes) {
  if (bytes >= 1 << 20 && bytes % (1 << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  if (bytes >= 1 << 10 && bytes % (1 << 10) == 0) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{} B", bytes);
}

Json to_json(const Config& c) {
  Json r = {{"name", c.name},
            {"id", c.id},
            {"hash", fmt::format("0x{:08x}", c.hash)},
            {"doc", c.doc},
            {"vmem_bytes", c.vmem_bytes()}};
  for (const auto& p : kConfigParams) r[std::string(p.name)] = c.*p.value;
  return r;
}

void run_config(const std::string& name, Context& context) {
  if (name.empty()) {
    Json list = Json::array();
    context.print(fmt::format("{:<10}{:<12}{:<10}{:<12}{:>10}  {}\n", "name", "hash", "array",
                              "types", "VMEM", "for"));
    for (const auto& c : kConfigs) {
      list.push_back(to_json(c));
      context.print(fmt::format("{:<10}{:<12}{:<10}{:<12}{:>10}  {}\n", c.name,
                                fmt::format("0x{:08x}", c.hash), fmt::format("{0}x{0}", c.n),
                                c.has_fp ? "int8, bf16" : "int8", bytes_text(c.vmem_bytes()),
                                c.doc));
    }
    context.result["configs"] = std::move(list);
    return;
  }
  const Config& c = config_or_fail(name);
  context.result = to_json(c);
  context.print(fmt::format("{}: {}\n{:<18}{:>12}  {}\n{:<18}{:>12}  {}\n{:<18}{:>12}  {}\n",
                            c.name, c.doc, "hash", fmt::format("0x{:08x}", c.hash),
                            "of ISA, registers and parameters; programs carry it", "id", c.id,
                            "number in CONFIG_ID", "vmem_bytes", c.vmem_bytes(), "size of VMEM"));
  for (const auto& p : kConfigParams)
    context.print(fmt::format("{:<18}{:>12}  {}\n", p.name, c.*p.value, p.doc));
}

}  // namespace

void add_config(CLI::App& app, Context& context) {
  auto* sub = app.add_subcommand("config", "list the configurations, or show one");
  auto name = std::make_shared<std::string>();
  sub->add_option("NAME", *name, "configuration to show");
  add_json(*sub, context);
  sub->footer("Examples:\n  ttpu config\n  ttpu config core16 --json");
  on_run(*sub, [name, &context] { run_config(*name, context); });
}

}  // namespace ttpu::cli
