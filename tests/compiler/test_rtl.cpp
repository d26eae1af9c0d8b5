// Convolutions on the chip itself (core16, random start values, a memory that stalls): ONNX
// Runtime's answers bit for bit; the float network equal to the golden model's.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness.h"

namespace ttpu {
namespace {

using namespace test;

std::vector<uint8_t> file(const std::string& name) {
  std::ifstream is(std::filesystem::path(TTPU_TEST_DATA) / name, std::ios::binary);
  std::stringstream s;
  s << is.rdbuf();
  const std::string t = s.str();
  EXPECT_FALSE(t.empty()) << name;
  return {t.begin(), t.end()};
}

class OnChip : public testing::TestWithParam<const char*> {};

TEST_P(OnChip, Convolution) {
  const Config& config = config_of("core16");
  const std::string name = GetParam();
  const auto input = file(name + ".in.bin");
  for (const bool keep : {true, false}) {
    CompileOptions compile_options;
    compile_options.keep_in_vmem = keep;
    const Image image = compile((std::filesystem::path(TTPU_TEST_DATA) / (name + ".onnx")).string(),
                                config, compile_options);
    const auto expected =
        name == "conv_float" ? run(image, config, {input})[0] : file(name + ".out.bin");
    DeviceOptions options;
    options.hbm_bytes = image.hbm_bytes;
    options.max_cycles = 2'000'000;
    options.random_init_seed = tb::Random("start values").next() | 1;
    options.memory.seed = keep ? 0 : 7;
    options.memory.stall_percent = keep ? 0 : 20;
    auto device = open_device("rtl", config, options);
    device->load(image);
    write_tensor(*device, image.inputs[0], input);
    const RunResult r = device->run();
    expect_done(r);
    if (HasFatalFailure()) return;
    EXPECT_EQ(read_tensor(*device, image.outputs[0]), expected) << (keep ? "VMEM" : "HBM");
    const uint64_t cycles = r.counter(regs::Counter::CYCLES);
    RecordProperty(keep ? "cycles_vmem" : "cycles_hbm", std::to_string(cycles));
    fmt::print("{} by {}: {} cycles\n", name, keep ? "VMEM" : "HBM", cycles);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OnChip,
                         testing::Values("conv_c16", "conv_c16_edges", "conv_c17_even_upper",
                                         "conv_c17_even_stride_lower", "conv_c17_pad1_stride2",
                                         "conv_uneven", "conv_integer", "conv_qdq", "conv_float",
                                         "maxpool_u8", "maxpool_float", "conv_network"));

}  // namespace
}  // namespace ttpu
