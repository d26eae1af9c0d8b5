// core128: one 512x512x512 product of int8 and one of bf16, bit-equal; CMEM there and back; both
// cores at once.
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

// Both cores at once: a product each, of its own size and type, after each has sent bytes through
// the same banks of CMEM. A core's HBM, VMEM and registers are its own; CMEM is shared.
TEST_F(Core128, BothCoresAtOnce) {
  tb::Random rng;
  const GemmCase cases[] = {{128, 256, 128}, {96, 128, 200, true}};
  constexpr uint32_t kBytes = 60000;
  const auto rtl = ttpu::open_device("rtl", c_, options());
  struct Side {
    ttpu::Image image;
    std::vector<uint8_t> a, b, ring, expected, expected_hbm;
    uint32_t far = 0;
    uint64_t alone = 0;  ///< cycles of the traffic with the other core at rest
  } sides[2];

  // CMEM: each its own words, of which four in a row lie in the four banks.
  for (uint32_t core = 0; core < 2; ++core) {
    Side& s = sides[core];
    s.far = core * 2097152;
    s.ring.resize(kBytes);
    rng.fill(s.ring);
    std::vector<Instr> code;
    for (uint32_t ch = 0; ch < 2; ++ch)
      code.push_back(
          isa::DmaShape{.channel = ch, .n0 = kBytes, .n1 = 1, .n2 = 1, .n3 = 1}.encode());
    // Rows of 64 bytes, 256 apart: all of them in one bank, the same of both cores.
    constexpr uint32_t kRows = 900;
    const auto rows = [&](uint32_t ch) {
      code.push_back(
          isa::DmaShape{.channel = ch, .n0 = 64, .n1 = kRows, .n2 = 1, .n3 = 1}.encode());
      code.push_back(isa::DmaHstride{.channel = ch, .s1 = 256}.encode());
      code.push_back(isa::DmaVstride{.channel = ch, .s1 = 64}.encode());
    };
    code.push_back(isa::DmaLoad{.channel = 0, .imm_h = 0, .imm_v = 0}.encode());
    rows(0);
    code.push_back(
        with(isa::DmaStore{.channel = 0, .space = 1, .imm_h = s.far, .imm_v = 0}.encode(),
             {.signal = 1, .signal_flag = 1}));
    rows(1);
    code.push_back(
        with(isa::DmaLoad{.channel = 1, .space = 1, .imm_h = s.far, .imm_v = 65536}.encode(),
             {.wait_value = 1, .wait_flag = 1}));
    code.push_back(
        isa::DmaShape{.channel = 1, .n0 = 64 * kRows, .n1 = 1, .n2 = 1, .n3 = 1}.encode());
    code.push_back(isa::DmaStore{.channel = 1, .imm_h = 100000, .imm_v = 65536}.encode());
    code.push_back(plain(Opcode::HALT));
    rtl->select_core(core);
    rtl->load(image_of(c_, code, 200000));
    rtl->write_hbm(0, s.ring);
    const RunResult r = rtl->run();
    ASSERT_TRUE(r.done) << "core " << core << " alone: " << describe(r);
    s.alone = r.counter(ttpu::regs::CYCLES);
    s.expected_hbm.assign(s.ring.begin(), s.ring.begin() + 64 * kRows);
    expect_same_bytes("HBM alone", 100000, s.expected_hbm, hbm(*rtl, 100000, 64 * kRows));
    rtl->write_hbm(100000, std::vector<uint8_t>(64 * kRows, 0xa5));
    // Other bytes, so that those of before are not taken for these.
    rng.fill(s.ring);
    s.expected_hbm.assign(s.ring.begin(), s.ring.begin() + 64 * kRows);
    rtl->write_hbm(0, s.ring);
  }
  auto results = rtl->run_all();
  ASSERT_EQ(results.size(), 2u);
  uint64_t held_back = 0;
  for (uint32_t core = 0; core < 2; ++core) {
    const Side& s = sides[core];
    ASSERT_TRUE(results[core].done) << "core " << core << ": " << describe(results[core]);
    rtl->select_core(core);
    expect_same_bytes(core ? "HBM of core 1" : "HBM of core 0", 100000, s.expected_hbm,
                      hbm(*rtl, 100000, s.expected_hbm.size()));
    const uint64_t cycles = results[core].counter(ttpu::regs::CYCLES);
    held_back += cycles > s.alone ? cycles - s.alone : 0;
    std::printf("[ttpu] core %u: CMEM traffic %llu cycles alone, %llu beside the other\n", core,
                static_cast<unsigned long long>(s.alone), static_cast<unsigned long long>(cycles));
  }
  EXPECT_GT(held_back, 900u) << "the cores never met in a bank";

  for (uint32_t core = 0; core < 2; ++core) {
    Side& s = sides[core];
    const GemmCase& g = cases[core];
    s.image = ttpu::build_gemm(spec_of(g), c_);
    s.a = operand(g, g.m * g.k, rng);
    s.b = operand(g, g.k * g.n, rng);
    ttpu::GoldenDevice golden(c_, options());
    s.expected = run_gemm(golden, s.image, s.a, s.b).c;
    rtl->select_core(core);
    rtl->load(s.image);
    ttpu::write_tensor(*rtl, s.image.inputs.at(0), s.a);
    ttpu::write_tensor(*rtl, s.image.inputs.at(1), s.b);
  }
  results = rtl->run_all();
  for (uint32_t core = 0; core < 2; ++core) {
    ASSERT_TRUE(results[core].done) << "core " << core << ": " << describe(results[core]);
    rtl->select_core(core);
    expect_same_bytes(core ? "result of core 1" : "result of core 0", 0, sides[core].expected,
                      ttpu::read_tensor(*rtl, sides[core].image.outputs.at(0)));
  }
  EXPECT_THROW(rtl->select_core(2), ttpu::DeviceError);
}

}  // namespace
}  // namespace chip_test
