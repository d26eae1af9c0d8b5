// core128: one 512x512x512 product of int8 and one of bf16, bit-equal; CMEM there and back.
#include "gemm_check.h"

namespace chip_test {
namespace {

namespace isa = ttpu::isa;

class Core128 : public testing::Test {
 protected:
  const Config& c_ = config("core128");
  DeviceOptions options() {
    DeviceOptions o;
    o.hbm_bytes = 16 << 20;
    o.max_cycles = 2'000'000;
    return o;
  }
};

TEST_F(Core128, Gemm512Int8) {
  tb::Random rng;
  const GemmCase g{512, 512, 512};
  const auto a = operand(g, g.m * g.k, rng), b = operand(g, g.k * g.n, rng);
  const auto rtl = ttpu::open_device("rtl", c_, options());
  const GemmRun run = run_gemm(*rtl, ttpu::build_gemm(spec_of(g), c_), a, b);
  ASSERT_TRUE(run.result.done) << describe(run.result);
  EXPECT_TRUE(run.canaries);
  expect_same_bytes("result", 0, host_product(g, a, b), run.c);
}

TEST_F(Core128, Gemm512Bf16) {
  tb::Random rng;
  const GemmCase g{512, 512, 512, true};
  const auto a = operand(g, g.m * g.k, rng), b = operand(g, g.k * g.n, rng);
  const ttpu::Image image = ttpu::build_gemm(spec_of(g), c_);
  const auto rtl = ttpu::open_device("rtl", c_, options());
  ttpu::GoldenDevice golden(c_, options());
  const GemmRun run = run_gemm(*rtl, image, a, b);
  ASSERT_TRUE(run.result.done) << describe(run.result);
  EXPECT_TRUE(run.canaries);
  expect_same_bytes("result", 0, run_gemm(golden, image, a, b).c, run.c);
}

// HBM -> VMEM -> CMEM (odd offsets) -> VMEM -> HBM.
TEST_F(Core128, CmemThereAndBack) {
  tb::Random rng;
  constexpr uint32_t kBytes = 10007, kFar = 4194304 - kBytes;
  std::vector<Instr> code;
  for (uint32_t ch = 0; ch < 2; ++ch)
    code.push_back(isa::DmaShape{.channel = ch, .n0 = kBytes, .n1 = 1, .n2 = 1, .n3 = 1}.encode());
  code.push_back(isa::DmaLoad{.channel = 0, .imm_h = 77, .imm_v = 1001}.encode());
  code.push_back(
      with(isa::DmaStore{.channel = 0, .space = 1, .imm_h = kFar, .imm_v = 1001}.encode(),
           {.signal = 1, .signal_flag = 1}));
  code.push_back(
      with(isa::DmaLoad{.channel = 1, .space = 1, .imm_h = kFar, .imm_v = 100003}.encode(),
           {.wait_value = 1, .wait_flag = 1}));
  code.push_back(isa::DmaStore{.channel = 1, .imm_h = 50001, .imm_v = 100003}.encode());
  code.push_back(plain(Opcode::HALT));
  std::vector<uint8_t> data(kBytes);
  rng.fill(data);
  const auto rtl = ttpu::open_device("rtl", c_, options());
  rtl->load(image_of(c_, code));
  rtl->write_hbm(77, data);
  const RunResult r = rtl->run();
  ASSERT_TRUE(r.done) << describe(r);
  expect_same_bytes("HBM", 50001, data, hbm(*rtl, 50001, kBytes));
}

}  // namespace
}  // namespace chip_test
