// Cycle counts of the workloads against the checked-in baselines (baselines.json). Any change,
// better or worse, fails until the baseline is written again with its reason:
//   TTPU_UPDATE_BASELINES="why it changed" build/tests/test_perf
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/compiler.h"
#include "runtime/device.h"

namespace {

using namespace ttpu;
using Json = nlohmann::ordered_json;

struct Workload {
  std::string name, config;
  Image image;
  uint32_t latency = 100;
};

Workload gemm(const std::string& config, int64_t m, int64_t n, int64_t k, GemmSpec::Type type,
              bool cold = false) {
  GemmSpec spec;
  spec.m = m;
  spec.n = n;
  spec.k = k;
  spec.type = type;
  spec.output = type == GemmSpec::Type::Bf16 ? GemmSpec::Output::Fp32 : GemmSpec::Output::Int32;
  spec.cold = cold;
  GemmLayout layout;
  std::string name = config + "/gemm_" + (type == GemmSpec::Type::Bf16 ? "bf16_" : "int8_") +
                     std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k) +
                     (cold ? "_cold" : "");
  return {name, config, build_gemm(spec, *find_config(config), cold ? &layout : nullptr)};
}

std::vector<Workload> workloads() {
  using Type = GemmSpec::Type;
  std::vector<Workload> all = {
      gemm("mini", 16, 16, 16, Type::Int8),      gemm("mini", 33, 17, 65, Type::Int8),
      gemm("edge", 64, 64, 64, Type::Int8),      gemm("edge", 64, 64, 64, Type::Bf16),
      gemm("core16", 16, 16, 16, Type::Int8),    gemm("core16", 16, 16, 16, Type::Int8, true),
      gemm("core16", 1, 256, 256, Type::Int8),   gemm("core16", 133, 49, 65, Type::Int8),
      gemm("core16", 256, 256, 256, Type::Int8), gemm("core16", 256, 256, 256, Type::Bf16)};
  for (const char* model : {"digits_int8", "digits_f32"}) {
    const Config& config = *find_config("core16");
    CompileOptions options;
    options.batch = 64;
    all.push_back({std::string("core16/") + model + "_batch64", "core16",
                   compile(std::string(TTPU_MODELS) + "/" + model + ".onnx", config, options)});
  }
  // The smallest board's work, with its memory on the chip.
  CompileOptions options;
  options.batch = 128;
  all.push_back(
      {"nano/digits_s8_batch128_latency4", "nano",
       compile(std::string(TTPU_MODELS) + "/digits_s8.onnx", *find_config("nano"), options), 4});
  return all;
}

TEST(Performance, CyclesEqualTheBaselines) {
  const char* reason = std::getenv("TTPU_UPDATE_BASELINES");
  Json baselines = Json::object();
  if (std::ifstream in(TTPU_BASELINES); in) in >> baselines;
  Json measured;
  measured["about"] = baselines.value(
      "about",
      std::string("cycles by the RTL's counter, HBM latency 100 if the name says no other"));
  measured["reason"] = reason ? reason : baselines.value("reason", std::string());
  for (const Workload& w : workloads()) {
    DeviceOptions options;
    options.hbm_bytes = std::max<uint64_t>(w.image.hbm_bytes, 4096);
    options.memory.latency = w.latency;
    auto device = open_device("rtl", *find_config(w.config), options);
    device->load(w.image);
    const RunResult r = device->run();
    ASSERT_TRUE(r.done) << w.name << ": error " << static_cast<int>(r.error) << " at pc "
                        << r.error_pc;
    std::vector<std::pair<std::string, uint64_t>> results = {{w.name, r.counter(regs::CYCLES)}};
    if (find_config(w.config)->micro)  // there a unit's busy cycles are nobody else's
      results.emplace_back(
          w.name + "_without_dma",
          r.counter(regs::CYCLES) - r.counter(regs::DMA0_BUSY) - r.counter(regs::DMA1_BUSY));
    for (const auto& [name, cycles] : results) {
      measured["cycles"][name] = cycles;
      if (reason) continue;
      ASSERT_TRUE(baselines.contains("cycles") && baselines["cycles"].contains(name))
          << name << " has no baseline (it takes " << cycles << " cycles)";
      EXPECT_EQ(cycles, baselines["cycles"][name].get<uint64_t>())
          << name << ": if the change is meant, write the baselines again: "
          << "TTPU_UPDATE_BASELINES=\"the reason\" build/tests/test_perf";
    }
  }
  if (reason) {
    ASSERT_GT(std::string(reason).size(), 10u) << "a reason, please";
    std::ofstream(TTPU_BASELINES) << measured.dump(2) << "\n";
    return;
  }
  for (const auto& [name, cycles] : baselines["cycles"].items())
    EXPECT_TRUE(measured["cycles"].contains(name)) << name << " has a baseline and was not run";
}

}  // namespace
