// ttpu-demo: compile the digits models, run the held-out images on the simulated chip, check every
// answer against the golden model and ONNX Runtime, and say what it took.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/compiler.h"
#include "demo/draw.h"
#include "energy/energy.h"
#include "runtime/device.h"
#include "runtime/golden_device.h"
#include "timing/model.h"
#include "ttpu/npy.h"

namespace ttpu::demo {
namespace {

struct Options {
  std::string models = "models", device = "rtl", config = "core16";
};

/// What went wrong, for the user.
struct DemoError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

constexpr size_t kPixels = 64, kClasses = 10;

cli::NpyArray read_npy(const std::string& path, const char* type, size_t columns) {
  std::ifstream is(path, std::ios::binary);
  if (!is) throw DemoError(path + ": cannot be opened; say where the models are: --models DIR");
  std::stringstream text;
  text << is.rdbuf();
  cli::NpyArray a = cli::parse_npy(text.str());
  const bool shape_ok =
      columns == 1 ? a.shape.size() == 1 : a.shape.size() == 2 && a.shape[1] == columns;
  if (a.type != type || !shape_ok) throw DemoError(path + ": has another type or shape");
  return a;
}

struct Data {
  std::vector<uint8_t> pixels, labels;
  size_t images() const { return labels.size(); }
};

Data read_data(const std::string& models) {
  Data d;
  d.pixels = read_npy(models + "/digits_test_x.npy", "uint8", kPixels).bytes;
  d.labels = read_npy(models + "/digits_test_y.npy", "uint8", 1).bytes;
  if (d.pixels.size() != d.images() * kPixels)
    throw DemoError("images and labels differ in number");
  return d;
}

std::vector<float> floats(const std::vector<uint8_t>& bytes) {
  std::vector<float> f(bytes.size() / 4);
  std::memcpy(f.data(), bytes.data(), 4 * f.size());
  return f;
}

size_t answer(const std::vector<float>& logits, size_t image) {
  const auto row = logits.begin() + static_cast<std::ptrdiff_t>(image * kClasses);
  return static_cast<size_t>(std::max_element(row, row + kClasses) - row);
}

/// Groups of thousands.
std::string grouped(uint64_t x) {
  std::string s = std::to_string(x);
  for (int i = static_cast<int>(s.size()) - 3; i > 0; i -= 3) s.insert(static_cast<size_t>(i), ",");
  return s;
}

std::unique_ptr<Device> loaded(const std::string& backend, const Config& config, const Image& image,
                               const std::vector<uint8_t>& input) {
  DeviceOptions options;
  options.hbm_bytes = image.hbm_bytes;
  std::unique_ptr<Device> device = backend == "golden"
                                       ? std::make_unique<GoldenDevice>(config, options)
                                       : open_device(backend, config, options);
  device->load(image);
  write_tensor(*device, image.inputs.at(0), input);
  return device;
}

RunResult run(Device& device) {
  const RunResult r = device.run();
  if (!r.done)
    throw DemoError(fmt::format("the {} device stopped with error {} at instruction {}",
                                device.name(), static_cast<int>(r.error), r.error_pc));
  return r;
}

void show_digits(const Data& data, const std::vector<float>& logits) {
  std::vector<Drawing> drawings;
  std::vector<size_t> chosen = {0, 1, 2, 3, 4, 5};
  for (size_t i = 0; i < data.images(); ++i)
    if (answer(logits, i) != data.labels[i]) {
      chosen.push_back(i);  // one that it gets wrong
      break;
    }
  for (const size_t i : chosen) {
    if (i >= data.images()) continue;
    const size_t a = answer(logits, i);
    drawings.push_back({&data.pixels[i * kPixels],
                        a == data.labels[i] ? fmt::format("a {}", a)
                                            : fmt::format("{}? is {}", a, data.labels[i])});
  }
  fmt::print("\n{}\n", draw(drawings, isatty(STDOUT_FILENO)));
}

/// ONNX Runtime's answers, written beside the model by scripts/train_digits.py --oracle.
bool compare_onnxruntime(const std::string& path, const std::vector<float>& logits, size_t images,
                         bool exact) {
  if (!std::filesystem::exists(path)) {
    fmt::print("  ONNX Runtime       no answers at hand ({})\n", path);
    return true;
  }
  const auto expected = floats(read_npy(path, "float32", kClasses).bytes);
  if (expected.size() != logits.size()) throw DemoError(path + ": another number of images");
  size_t same = 0, agree = 0;
  float most = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    same += std::memcmp(&logits[i], &expected[i], 4) == 0;
    most = std::max(most, std::abs(logits[i] - expected[i]));
  }
  for (size_t i = 0; i < images; ++i) agree += answer(logits, i) == answer(expected, i);
  if (exact) {
    fmt::print("  ONNX Runtime       {} of {} values bit-equal\n", grouped(same),
               grouped(logits.size()));
    return same == logits.size();
  }
  fmt::print(
      "  ONNX Runtime       same digit for {} of {} images, largest difference {:.3f} "
      "(fp32 there, bf16 here)\n",
      agree, images, most);
  return agree * 100 >= images * 99;
}

bool run_model(const Options& o, const Config& config, const Data& data, const char* title,
               const char* file, bool quantised) {
  using clock = std::chrono::steady_clock;
  fmt::print("== {} ==\n", title);
  CompileOptions options;
  options.batch = static_cast<int64_t>(data.images());
  const auto start = clock::now();
  const std::string stem = o.models + "/" + file;
  const Image image = compile(stem + ".onnx", config, options);
  const double ms = std::chrono::duration<double, std::milli>(clock::now() - start).count();
  fmt::print("  compiled           {}.onnx for {}: {} instructions in {:.1f} ms\n", file,
             config.name, image.code.size(), ms);
  std::vector<float> x(data.pixels.begin(), data.pixels.end());
  for (float& f : x) f /= 16;
  std::vector<uint8_t> input(x.size() * 4);
  std::memcpy(input.data(), x.data(), input.size());

  auto golden = loaded("golden", config, image, input);
  run(*golden);
  const auto expected = read_tensor(*golden, image.outputs.at(0));
  auto device = loaded(o.device, config, image, input);
  const RunResult r = run(*device);
  const auto got = read_tensor(*device, image.outputs.at(0));
  const auto logits = floats(got);
  if (quantised) show_digits(data, logits);

  size_t right = 0, equal = 0;
  for (size_t i = 0; i < data.images(); ++i) right += answer(logits, i) == data.labels[i];
  for (size_t i = 0; i < got.size(); i += 4) equal += !std::memcmp(&got[i], &expected[i], 4);
  const double accuracy = static_cast<double>(right) / static_cast<double>(data.images());
  fmt::print("  accuracy           {:.2f}% ({} of {} held-out images)\n", 100 * accuracy, right,
             data.images());
  fmt::print("  golden model       {} of {} values bit-equal\n", grouped(equal),
             grouped(got.size() / 4));
  bool ok = equal * 4 == got.size() && accuracy >= 0.96;
  ok &= compare_onnxruntime(stem + "_ort.npy", logits, data.images(), quantised);

  const uint64_t cycles = r.counter(regs::CYCLES);
  if (cycles) {
    const double n2 = static_cast<double>(config.n) * config.n;
    const auto predicted = timing::predict(config, image.code, image.smem, image.entry).cycles;
    fmt::print("  cycles             {} measured, {} predicted ({:+.2f}%), {:.1f} an image\n",
               grouped(cycles), grouped(predicted),
               100.0 * (static_cast<double>(predicted) / static_cast<double>(cycles) - 1),
               static_cast<double>(cycles) / static_cast<double>(data.images()));
    fmt::print(
        "  MXU use            {:.1f}% of all multiply-adds that it could do\n",
        100 * static_cast<double>(r.counter(regs::MXU_MACS)) / (n2 * static_cast<double>(cycles)));
    fmt::print("  simulation         {:.0f} thousand cycles a second\n",
               static_cast<double>(cycles) / r.seconds / 1000);
  }
  const auto& activity = static_cast<GoldenDevice&>(*golden).machine().activity;
  for (const auto& [node, name] :
       {std::pair{energy::Node::NM45, "45 nm"}, {energy::Node::NM7, "7 nm"}}) {
    const auto e = energy::estimate(activity, config, node);
    fmt::print("  energy, {:<5}      {:.2f} uJ, {:.1f} nJ an image (", name, e.total_pj() / 1e6,
               e.total_pj() / 1e3 / static_cast<double>(data.images()));
    bool first = true;
    for (const auto& p : e.parts) {
      if (p.pj <= 0) continue;
      fmt::print("{}{} {:.0f}%", first ? "" : ", ", p.name, 100 * p.pj / e.total_pj());
      first = false;
    }
    fmt::print(")\n");
  }
  fmt::print("  {}\n\n", ok ? "all as it should be" : "SOMETHING DIFFERS: see above");
  return ok;
}

int usage(int status) {
  fmt::print(
      status ? stderr : stdout,
      "usage: ttpu-demo [--models DIR] [--device rtl|golden] [--config NAME]\n"
      "Compile the digits models, run the held-out images on the device, check every answer\n"
      "against the golden model and ONNX Runtime.\n"
      "  --models DIR   where digits_*.onnx and digits_*.npy are (default: models)\n"
      "  --device D     rtl (default): the Verilated chip; golden: the C++ model alone\n"
      "  --config NAME  hardware configuration (default: core16)\n"
      "exit status: 0 all equal, 1 something differs or cannot be done, 2 bad usage\n");
  return status;
}

int main(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--help" || a == "-h") return usage(0);
    std::string* value = a == "--models"   ? &o.models
                         : a == "--device" ? &o.device
                         : a == "--config" ? &o.config
                                           : nullptr;
    if (!value || i + 1 >= argc) return usage(2);
    *value = argv[++i];
  }
  const Config* config = find_config(o.config);
  if (!config || (o.device != "rtl" && o.device != "golden")) return usage(2);
  try {
    const Data data = read_data(o.models);
    fmt::print("{} handwritten digits on {} ({}x{} array, {})\n\n", data.images(), config->name,
               config->n, config->n,
               o.device == "rtl" ? "the chip's RTL, simulated cycle by cycle" : "golden model");
    bool ok = run_model(o, *config, data, "int8", "digits_int8", true);
    ok &= run_model(o, *config, data, "bf16", "digits_f32", false);
    return ok ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "ttpu-demo: {}\n", e.what());
    return 1;
  }
}

}  // namespace
}  // namespace ttpu::demo

int main(int argc, char** argv) { return ttpu::demo::main(argc, argv); }
