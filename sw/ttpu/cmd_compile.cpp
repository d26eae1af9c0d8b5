// ttpu compile.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <memory>

#include "compiler/compiler.h"
#include "ttpu/cli.h"
#include "ttpu/progress.h"
#include "ttpu/tensor_io.h"

namespace ttpu::cli {
namespace {

struct Options {
  std::string model, output, config = "core16";
  std::vector<std::string> dims;
  int64_t batch = 1;
  bool time = false;
};

Json tensors_json(const std::vector<TensorDesc>& tensors) {
  Json r = Json::array();
  for (const auto& t : tensors)
    r.push_back({{"name", t.name},
                 {"type", name_of(t.type)},
                 {"shape", t.shape},
                 {"scale", t.scale},
                 {"zero_point", t.zero_point}});
  return r;
}

void run_compile(const Options& o, Context& context) {
  const Config& config = config_or_fail(o.config);
  CompileOptions options;
  options.batch = o.batch;
  for (const auto& d : o.dims) {
    const auto [name, text] = parse_named(d, "--dim");
    int64_t v = 0;
    const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
    if (r.ec != std::errc() || r.ptr != text.data() + text.size() || v < 1)
      throw CliError(kUsage, fmt::format("--dim {}: '{}' is no size", name, text),
                     "write --dim batch=16");
    options.dims[name] = v;
  }
  std::error_code ec;
  if (!std::filesystem::exists(o.model, ec))
    throw CliError(kBadFile, fmt::format("cannot read '{}': no such file", o.model),
                   "check the file's name");
  Image image;
  const auto start = std::chrono::steady_clock::now();
  {
    const Progress progress("compiling " + o.model);
    image = compile(o.model, config, options);
  }
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
  const auto bytes = image.to_bytes();
  const std::string output =
      o.output.empty() ? std::filesystem::path(o.model).replace_extension(".ttpu").string()
                       : o.output;
  write_file(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});

  uint64_t constants = 0;
  for (const auto& s : image.constants) constants += s.bytes.size();
  context.result = {{"model", o.model},
                    {"output", output},
                    {"config", image.config_name},
                    {"compile_ms", ms.count()},
                    {"instructions", image.code.size()},
                    {"constant_bytes", constants},
                    {"hbm_bytes", image.hbm_bytes},
                    {"inputs", tensors_json(image.inputs)},
                    {"outputs", tensors_json(image.outputs)}};
  if (!image.report.empty()) {
    const Json report = Json::parse(image.report, nullptr, false);
    context.result["report"] = report.is_discarded() ? Json(image.report) : report;
  }
  if (output == "-") return;
  context.print(fmt::format(
      "{}: {} for {}: {} instructions, {} bytes of constants, {} bytes of HBM\n", output, o.model,
      image.config_name, grouped(image.code.size()), grouped(constants), grouped(image.hbm_bytes)));
  for (const auto& t : image.inputs)
    context.print(fmt::format("  input  {}: {}\n", t.name, describe(t)));
  for (const auto& t : image.outputs)
    context.print(fmt::format("  output {}: {}\n", t.name, describe(t)));
  if (o.time) context.print(fmt::format("compiled in {:.2f} ms\n", ms.count()));
}

}  // namespace

void add_compile(CLI::App& app, Context& context) {
  auto* sub = app.add_subcommand("compile", "compile an ONNX model into a program image");
  auto o = std::make_shared<Options>();
  sub->add_option("MODEL", o->model, "ONNX file")->required();
  sub->add_option("-o,--output", o->output, "program image (default: MODEL with .ttpu)");
  sub->add_option("--config", o->config, "configuration to compile for")->capture_default_str();
  sub->add_option("--batch", o->batch, "size of symbolic dimensions")
      ->check(at_least_one())
      ->capture_default_str();
  sub->add_option("--dim", o->dims, "NAME=SIZE of one symbolic dimension")->allow_extra_args(false);
  sub->add_flag("--time", o->time, "print the compile time");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu compile digits.onnx -o digits.ttpu --batch 16 --time\n"
      "  ttpu compile model.onnx --config edge --dim sequence=128 --json");
  on_run(*sub, [o, &context] { run_compile(*o, context); });
}

}  // namespace ttpu::cli
