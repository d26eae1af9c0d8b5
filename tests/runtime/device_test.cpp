// The device API. Cases that any back end must pass run on each that is built.
#include "runtime/device.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <numeric>

#include "runtime/golden_device.h"
#include "tb/random.h"

namespace ttpu {
namespace {

const Config& core16() { return *find_config("core16"); }

isa::Instr plain(isa::Opcode opcode) {
  isa::Instr instr;
  instr.set(0, 8, static_cast<uint32_t>(opcode));
  return instr;
}
isa::Instr with_wait(isa::Instr instr, uint32_t flag) {
  instr.set(23, 8, 1);
  instr.set(31, 5, flag);
  return instr;
}
isa::Instr with_signal(isa::Instr instr, uint32_t flag) {
  instr.set(36, 1, 1);
  instr.set(37, 5, flag);
  return instr;
}

Image image_of(std::vector<isa::Instr> code, const Config& config = core16()) {
  Image image;
  image.config_hash = config.hash;
  image.config_name = config.name;
  image.hbm_bytes = 65536;
  image.code = std::move(code);
  return image;
}

/// y = relu(x * w) + 1 in int32, 16 x 16 x 16: through DMA, MXU, VPU and back.
Image product(const Config& config) {
  const uint32_t n = config.n, tile = n * n, result = 0x400;  // VMEM: x, w, result
  std::vector<isa::Instr> code = {
      isa::DmaShape{.channel = 0, .n0 = 2 * tile, .n1 = 1, .n2 = 1, .n3 = 1}.encode(),
      with_signal(isa::DmaLoad{.channel = 0, .imm_h = 0, .imm_v = 0}.encode(), 0),
      with_wait(isa::MxuLoadw{.imm_a = tile, .stride = 1, .k = n, .n = n}.encode(), 0),
      // The weights are there, so x is: they came together.
      with_signal(isa::MxuMatmul{.imm_a = 0, .stride = 1, .rows = n, .swap = 1}.encode(), 1),
      plain(isa::Opcode::VPU_CLEAR),
      isa::VpuSeta{.src = 1, .dtype = 3, .s0 = 1}.encode(),
      isa::VpuSetd{.dtype = 3, .s0 = 4}.encode(),
      isa::VpuShape{.n0 = n, .n1 = 1, .n2 = 1}.encode(),
      isa::VpuStage{.index = 0, .op = static_cast<uint32_t>(isa::Vop::IMAX)}.encode(),
      isa::VpuStage{.index = 1, .op = static_cast<uint32_t>(isa::Vop::IADD), .imm = 1}.encode(),
      with_signal(with_wait(isa::VpuRun{.imm_d = result, .lanes = n}.encode(), 1), 2),
      isa::DmaShape{.channel = 1, .n0 = 4 * tile, .n1 = 1, .n2 = 1, .n3 = 1}.encode(),
      with_wait(isa::DmaStore{.channel = 1, .imm_h = 4096, .imm_v = result}.encode(), 2),
      plain(isa::Opcode::HALT),
  };
  Image image = image_of(std::move(code), config);
  image.constants = {{tile, std::vector<uint8_t>(tile)}};
  for (uint32_t i = 0; i < tile; ++i) image.constants[0].bytes[i] = static_cast<uint8_t>(i * 7 + 3);
  image.inputs = {{"x", TensorType::S8, {n, n}, 0, n}};
  image.outputs = {{"y", TensorType::S32, {n, n}, 4096, 4 * n}};
  return image;
}

template <class Callable>
std::string failure(Callable&& action) {
  try {
    action();
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "";
}
void has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

// ---- each back end
// -------------------------------------------------------------------------------

class AnyBackend : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Device> open(const DeviceOptions& options = {}) {
    return open_device(GetParam(), core16(), options);
  }
  void SetUp() override {
    if (GetParam() == "golden") return;
    const std::string why = failure([&] { open(); });
    if (why.empty()) return;
#ifdef TTPU_REQUIRE_RTL  // the build makes the library before this test
    FAIL() << why;
#else
    GTEST_SKIP() << why;
#endif
  }
};

TEST_P(AnyBackend, a_product_from_host_to_result) {
  const Image image = product(core16());
  const uint32_t n = core16().n;
  auto device = open({.random_init_seed = 5});
  device->load(image);
  tb::Random random;
  for (int run = 0; run < 3; ++run) {
    std::vector<uint8_t> x(n * n);
    random.fill(x);
    write_tensor(*device, image.inputs[0], x);
    const RunResult result = device->run();
    ASSERT_TRUE(result.done) << "error " << static_cast<int>(result.error) << " at "
                             << result.error_pc;
    const auto y = read_tensor(*device, image.outputs[0]);
    ASSERT_EQ(y.size(), 4u * n * n);
    for (uint32_t r = 0; r < n; ++r) {
      for (uint32_t c = 0; c < n; ++c) {
        int32_t sum = 0, got;
        for (uint32_t k = 0; k < n; ++k)
          sum += static_cast<int8_t>(x[r * n + k]) *
                 static_cast<int8_t>(image.constants[0].bytes[k * n + c]);
        std::memcpy(&got, &y[4 * (r * n + c)], 4);
        ASSERT_EQ(got, std::max(sum, 0) + 1) << "run " << run << " row " << r << " column " << c;
      }
    }
  }
}

TEST_P(AnyBackend, goes_on_after_clear) {
  auto device = open();
  device->load(image_of(
      {plain(isa::Opcode::NOP), isa::VpuSfu{.func = 9}.encode(), plain(isa::Opcode::HALT)}));
  const RunResult bad = device->run();
  EXPECT_FALSE(bad.done);
  EXPECT_EQ(bad.error, isa::Error::BAD_FIELD);
  EXPECT_EQ(bad.error_unit, isa::Unit::VPU);
  EXPECT_EQ(bad.error_pc, 1u);
  EXPECT_EQ(bad.error_addr, 9u);
  has(failure([&] { device->run(); }), "clear()");
  device->clear();
  device->load(image_of({plain(isa::Opcode::HALT)}));
  EXPECT_TRUE(device->run().done);
}

TEST_P(AnyBackend, memories_read_back_at_any_address) {
  auto device = open();
  tb::Random random;
  for (const uint64_t addr : {0ull, 1ull, 63ull, 4094ull}) {
    std::vector<uint8_t> bytes(131), got(131);
    random.fill(bytes);
    device->write_hbm(addr, bytes);
    device->read_hbm(addr, got);
    EXPECT_EQ(got, bytes);
    device->write_vmem(addr, bytes);
    device->read_vmem(addr, got);
    EXPECT_EQ(got, bytes);
  }
  std::vector<uint8_t> byte(2);
  has(failure([&] { device->write_vmem(core16().vmem_bytes() - 1, byte); }), "VMEM");
  has(failure([&] { device->read_vmem(~0ull, byte); }), "VMEM");
  has(failure([&] { device->write_hbm((64ull << 20) - 1, byte); }), "HBM");
  has(failure([&] { device->read_hbm(~0ull, byte); }), "HBM");
}

TEST_P(AnyBackend, refuses_what_does_not_fit) {
  auto device = open({.hbm_bytes = 65536});
  has(failure([&] { device->run(); }), "load");
  Image image = image_of({plain(isa::Opcode::HALT)}, *find_config("edge"));
  const std::string why = failure([&] { device->load(image); });
  has(why, "edge");
  has(why, "core16");
  char hash[9];
  std::snprintf(hash, sizeof hash, "%08x", image.config_hash);
  has(why, hash);
  std::snprintf(hash, sizeof hash, "%08x", core16().hash);
  has(why, hash);
  image = image_of({plain(isa::Opcode::HALT)});
  image.hbm_bytes = 65537;
  has(failure([&] { device->load(image); }), "HBM");
  image = image_of(std::vector<isa::Instr>(4097, plain(isa::Opcode::HALT)));
  has(failure([&] { device->load(image); }), "4097 instructions");
  image = image_of({plain(isa::Opcode::HALT)});
  image.smem.resize(4097);
  has(failure([&] { device->load(image); }), "SMEM");
}

TEST_P(AnyBackend, keeps_a_trace_when_asked) {
  auto device = open({.trace_commands = true});
  device->load(product(core16()));
  ASSERT_TRUE(device->run().done);
  int started = 0, ended = 0, matmuls = 0;
  for (const auto& event : device->trace()) {
    if (event.unit == isa::Unit::SCALAR) continue;
    (event.start ? started : ended) += 1;
    if (event.start && event.opcode == isa::Opcode::MXU_MATMUL) {
      ++matmuls;
      EXPECT_EQ(event.pc, 3);
    }
  }
  EXPECT_EQ(started, 13);
  EXPECT_EQ(ended, 13);
  EXPECT_EQ(matmuls, 1);
}

INSTANTIATE_TEST_SUITE_P(Backends, AnyBackend, testing::ValuesIn(backend_names()),
                         [](const auto& info) { return info.param; });

// ---- opening, tensors
// ----------------------------------------------------------------------------

TEST(OpenDevice, an_unknown_back_end_lists_the_known) {
  const std::string why = failure([] { open_device("gpu", core16()); });
  for (const auto& name : backend_names()) has(why, name);
}

TEST(OpenDevice, a_missing_library_names_the_make_target) {
  Config other = core16();
  other.name = "core17";
  const std::string why = failure([&] { open_device("rtl", other); });
  has(why, "libttpu_rtl_core17.so");
  has(why, "make rtl CONFIG=core17");
  has(failure([&] { open_device("rtl", other, {.trace_file = "x.fst"}); }),
      "libttpu_rtl_core17_trace.so");
}

TEST(Tensor, padded_rows_leave_the_padding_alone) {
  auto device = open_device("golden", core16(), {.hbm_bytes = 4096});
  const TensorDesc desc{"t", TensorType::BF16, {2, 3, 5}, 100, 16, 1.0f, 0};
  std::vector<uint8_t> poison(4096, 0xee), all(4096);
  device->write_hbm(0, poison);
  std::vector<uint8_t> dense(60);
  std::iota(dense.begin(), dense.end(), 1);
  write_tensor(*device, desc, dense);
  EXPECT_EQ(read_tensor(*device, desc), dense);
  device->read_hbm(0, all);
  for (size_t i = 0; i < all.size(); ++i) {
    const bool inside = i >= 100 && i < 100 + 6 * 16 && (i - 100) % 16 < 10;
    EXPECT_EQ(all[i], inside ? dense[(i - 100) / 16 * 10 + (i - 100) % 16] : 0xee) << i;
  }
  has(failure([&] { write_tensor(*device, desc, std::vector<uint8_t>(59)); }), "60 bytes");
}

TEST(GoldenDevice, random_start_values_change_no_result) {  // C38 on the model
  const Image image = product(core16());
  std::vector<uint8_t> first;
  for (const uint64_t seed : {0, 1, 2, 3}) {
    auto device = open_device("golden", core16(), {.random_init_seed = seed});
    device->load(image);
    ASSERT_TRUE(device->run().done);
    const auto y = read_tensor(*device, image.outputs[0]);
    if (first.empty()) first = y;
    EXPECT_EQ(y, first);
  }
}

TEST(GoldenDevice, an_endless_program_stops_at_max_cycles) {
  auto device = open_device("golden", core16(), {.max_cycles = 1000});
  device->load(image_of({isa::Beq{.target = 0}.encode()}));
  const RunResult result = device->run();
  EXPECT_FALSE(result.done);
  EXPECT_EQ(result.error, isa::Error::WATCHDOG);
}

}  // namespace
}  // namespace ttpu
