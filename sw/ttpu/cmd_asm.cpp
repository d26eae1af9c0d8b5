// ttpu asm, ttpu disasm.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "isa/asm.h"
#include "isa/disasm.h"
#include "ttpu/cli.h"
#include "ttpu/program_image.h"

namespace ttpu::cli {
namespace {

struct AsmOptions {
  std::string source, output, config = "core16";
};

void run_asm(const AsmOptions& o, Context& context) {
  config_or_fail(o.config);
  const std::string text = read_file(o.source);
  const auto result = isa::assemble(text, o.config);
  if (!result.ok()) {
    std::string all;
    Json list = Json::array();
    for (const auto& d : result.errors) {
      all += isa::to_string(d, o.source);
      list.push_back({{"file", o.source},
                      {"line", d.line},
                      {"column", d.column},
                      {"message", d.message},
                      {"hint", d.hint}});
    }
    if (!context.json) fmt::print(stderr, "{}", all);
    context.result["errors"] = std::move(list);
    const auto n = result.errors.size();
    throw CliError(kBadFile,
                   fmt::format("{}{} error{} in {}", n == isa::kMaxErrors ? "at least " : "", n,
                               n == 1 ? "" : "s", o.source));
  }
  const Image image = to_image(result.program);
  const auto bytes = image.to_bytes();
  const std::string output =
      o.output.empty() ? std::filesystem::path(o.source).replace_extension(".ttpu").string()
                       : o.output;
  if (output == o.source)
    throw CliError(kUsage, "the output would replace the source", "name another file with -o");
  write_file(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  context.result = {{"source", o.source},
                    {"output", output},
                    {"config", image.config_name},
                    {"instructions", image.code.size()},
                    {"bytes", bytes.size()}};
  if (output != "-")
    context.print(fmt::format("{}: {} instructions for {}, {} bytes\n", output, image.code.size(),
                              image.config_name, grouped(bytes.size())));
}

struct DisasmOptions {
  std::string image, output = "-";
  bool show_pc = false;
};

void run_disasm(const DisasmOptions& o, Context& context) {
  const Image image = Image::load(o.image);
  const std::string text = isa::disassemble(to_program(image), o.show_pc);
  if (context.json) {
    Json lines = Json::array();
    for (const auto& i : image.code) lines.push_back(isa::disassemble(i));
    context.result = {{"image", o.image},
                      {"config", image.config_name},
                      {"entry", image.entry},
                      {"instructions", std::move(lines)}};
    if (o.output == "-") return;
  }
  write_file(o.output, text);
}

}  // namespace

void add_asm(CLI::App& app, Context& context) {
  auto* sub = app.add_subcommand("asm", "assemble a text into a program image");
  auto o = std::make_shared<AsmOptions>();
  sub->add_option("SOURCE", o->source, "assembler text")->required();
  sub->add_option("-o,--output", o->output, "program image (default: SOURCE with .ttpu)");
  sub->add_option("--config", o->config, "configuration, if the text has no .config")
      ->capture_default_str();
  add_json(*sub, context);
  sub->footer("Example:\n  ttpu asm copy.s -o copy.ttpu");
  on_run(*sub, [o, &context] { run_asm(*o, context); });
}

void add_disasm(CLI::App& app, Context& context) {
  auto* sub = app.add_subcommand("disasm", "write a program image as text that assembles to it");
  auto o = std::make_shared<DisasmOptions>();
  sub->add_option("IMAGE", o->image, "program image")->required();
  sub->add_option("-o,--output", o->output, "text (- is stdout)")->capture_default_str();
  sub->add_flag("--pc", o->show_pc, "end each instruction with its index as a comment");
  add_json(*sub, context);
  sub->footer("Example:\n  ttpu disasm model.ttpu --pc | less");
  on_run(*sub, [o, &context] { run_disasm(*o, context); });
}

}  // namespace ttpu::cli
