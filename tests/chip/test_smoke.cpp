// The first program of a chip: operands in, a product, requantised, out; and the way through the
// registers.
#include <cmath>

#include "chip_util.h"

namespace chip_test {
namespace {

namespace isa = ttpu::isa;

class Smoke : public testing::TestWithParam<const char*> {};

// D = requantise(A x W), A and W of NxN int8: DMA in, LOADW, MATMUL, VPU, DMA out, ordered by
// flags.
std::vector<Instr> product(const Config& c, uint32_t a_at, uint32_t w_at, uint32_t d_at) {
  const uint32_t n = c.n, tile = n * n;
  std::vector<Instr> code;
  const auto shape = [&](uint32_t ch) {
    code.push_back(isa::DmaShape{.channel = ch, .n0 = tile, .n1 = 1, .n2 = 1, .n3 = 1}.encode());
  };
  shape(0);
  shape(1);
  code.push_back(with(isa::DmaLoad{.channel = 0, .imm_h = w_at, .imm_v = 0}.encode(),
                      {.signal = 1, .signal_flag = 0}));
  code.push_back(with(isa::DmaLoad{.channel = 1, .imm_h = a_at, .imm_v = tile}.encode(),
                      {.signal = 1, .signal_flag = 1}));
  code.push_back(with(isa::MxuLoadw{.imm_a = 0, .stride = 1, .k = n, .n = n}.encode(),
                      {.wait_value = 1, .wait_flag = 0}));
  code.push_back(
      with(isa::MxuMatmul{.imm_a = tile, .stride = 1, .rows = n, .acc = 0, .swap = 1}.encode(),
           {.wait_value = 1, .wait_flag = 1, .signal = 1, .signal_flag = 2}));
  code.push_back(plain(Opcode::VPU_CLEAR));
  code.push_back(isa::VpuSeta{.src = 1, .dtype = 3, .s0 = 1}.encode());
  code.push_back(isa::VpuSetd{.dtype = 0, .s0 = 1, .zp = 3}.encode());
  code.push_back(isa::VpuShape{.n0 = n, .n1 = 1, .n2 = 1}.encode());
  code.push_back(
      isa::VpuStage{.index = 0, .op = 12, .operand = 0, .shift = 5, .imm = 1583594044}.encode());
  code.push_back(with(isa::VpuRun{.imm_a = 0, .imm_d = 2 * tile, .lanes = n}.encode(),
                      {.wait_value = 1, .wait_flag = 2, .signal = 1, .signal_flag = 3}));
  code.push_back(with(isa::DmaStore{.channel = 0, .imm_h = d_at, .imm_v = 2 * tile}.encode(),
                      {.wait_value = 1, .wait_flag = 3}));
  code.push_back(plain(Opcode::HALT));
  return code;
}

TEST_P(Smoke, OneProductThroughTheWholeChip) {
  const Config& c = config(GetParam());
  const uint32_t n = c.n, tile = n * n;
  tb::Random rng;
  std::vector<uint8_t> a(tile), w(tile);
  rng.fill(a);
  rng.fill(w);
  DeviceOptions options;
  options.hbm_bytes = 1 << 20;
  options.trace_commands = true;
  auto rtl = ttpu::open_device("rtl", c, options);
  rtl->load(image_of(c, product(c, 0x1000, 0x8000, 0x4001), 1 << 20));
  rtl->write_hbm(0x1000, a);
  rtl->write_hbm(0x8000, w);
  const RunResult r = rtl->run();
  ASSERT_TRUE(r.done) << describe(r);
  const auto d = hbm(*rtl, 0x4001, tile);
  for (uint32_t i = 0; i < n; ++i)
    for (uint32_t j = 0; j < n; ++j) {
      int32_t sum = 0;
      for (uint32_t k = 0; k < n; ++k)
        sum += static_cast<int8_t>(a[i * n + k]) * static_cast<int8_t>(w[k * n + j]);
      const double exact = std::ldexp(double(sum) * 1583594044.0, -36);
      const double q = std::min(127.0, std::max(-128.0, std::nearbyint(exact) + 3));
      ASSERT_EQ(static_cast<int8_t>(d[i * n + j]), static_cast<int8_t>(q))
          << "row " << i << " column " << j;
    }
  EXPECT_EQ(r.counter(ttpu::regs::MXU_ROWS), n);
  EXPECT_EQ(r.counter(ttpu::regs::MXU_MACS), uint64_t{n} * n * n);
  EXPECT_EQ(r.counter(ttpu::regs::VPU_ROWS), n);
  EXPECT_EQ(r.counter(ttpu::regs::HBM_RD_BYTES), 2 * tile);
  EXPECT_EQ(r.counter(ttpu::regs::HBM_WR_BYTES), tile);
  EXPECT_EQ(r.counter(ttpu::regs::COMMANDS), 13u);
  for (int u = 0; u < isa::kNumUnits; ++u) {
    uint64_t sum = 0;
    for (int s = 0; s < ttpu::regs::kNumStates; ++s)
      sum += r.counters[static_cast<size_t>(ttpu::regs::kNumPlainCounters +
                                            u * ttpu::regs::kNumStates + s)];
    EXPECT_EQ(sum, r.counter(ttpu::regs::CYCLES)) << name_of(static_cast<Unit>(u));
  }
}

TEST_P(Smoke, VmemThroughItsWindow) {
  const Config& c = config(GetParam());
  tb::Random rng;
  DeviceOptions options;
  options.hbm_bytes = 4096;
  options.random_init_seed = 5;
  auto rtl = ttpu::open_device("rtl", c, options);
  std::vector<uint8_t> bytes(333);
  rng.fill(bytes);
  const uint32_t end = c.vmem_bytes() - 333;
  const auto before = vmem(*rtl, 0, 8);
  rtl->write_vmem(5, bytes);
  rtl->write_vmem(end, bytes);
  EXPECT_EQ(vmem(*rtl, 5, 333), bytes);
  EXPECT_EQ(vmem(*rtl, end, 333), bytes);
  const auto after = vmem(*rtl, 0, 8);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(after[static_cast<size_t>(i)], before[static_cast<size_t>(i)]);
  EXPECT_THROW(rtl->write_vmem(end + 1, bytes), ttpu::DeviceError);
  EXPECT_THROW(rtl->write_hbm(4090, bytes), ttpu::DeviceError);
}

INSTANTIATE_TEST_SUITE_P(Configs, Smoke, testing::Values("nano", "nano8", "mini", "edge", "core16"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace chip_test
