// The top of a board with an SDRAM at its pins: the runtime's own back end at the serial line, the
// SDRAM's model at the others, a program of configuration nano8 on all 64 multipliers.
//
// What a board is: struct Top with Dut (its pins as in tang_nano_20k_pins.sv), kPart, kBits,
// kPeriodPs, kName, and lit(dut, Light).
#pragma once
#include <gtest/gtest.h>

#include <cstring>

#include "board_line.h"
#include "isa/asm.h"
#include "tb/controller.h"
#include "tb/sdram_model.h"
#include "ttpu/cmd_board.h"
#include "ttpu/program_image.h"
#include "uart_pins.h"

namespace ttpu::test {

constexpr uint32_t kDiv = 4;  // clocks a bit, as the models are built
constexpr int kN = 8, kRows = 4;

enum class Light { Error, NotReady, InReset };

/// The board, at its pins.
template <class Top>
struct SdramTop {
  static constexpr uint64_t kBytes = Top::kPart.bytes();

  SdramTop()
      : ctl({.timeout_cycles = 40'000'000, .random_init_seed = 11, .name = Top::kName}),
        sdram(TTPU_BIND_SDRAM(Top::kBits, ctl.dut()), Top::kPart, Top::kPeriodPs, 6'000) {
    ctl->uart_rx_i = 1;
    ctl->rst_ni = 1;
    ctl.add(*this);
    for (int i = 0; i < 24; ++i) ctl.tick();  // the PLL locks after 16
    EXPECT_TRUE(lit(Light::InReset));
    EXPECT_FALSE(ctl->sdram_cke_o);
    ctl.run_until([&] { return ctl->sdram_cke_o; }, 100, "the end of reset");
    sdram.first_cycle = ctl.cycle();
    ctl.add(sdram);
  }
  ~SdramTop() { ctl.finish(); }
  void before_clock() { ctl->uart_rx_i = pins.drive(); }
  void at_clock() {
    EXPECT_TRUE(ctl->clock_phase_o)
        << "the SDRAM's clock is not the chip's inverted, cycle " << ctl.cycle();
    uint8_t byte = 0;
    if (pins.sample(ctl->uart_tx_o, byte)) to_host.push_back(byte);
  }
  void tick() { ctl.tick(); }
  bool lit(Light light) { return Top::lit(ctl.dut(), light); }
  void wait_ready() {
    ctl.run_until([&] { return !lit(Light::NotReady) && !lit(Light::InReset); }, 14'000, "ready");
  }
  tb::Controller<typename Top::Dut> ctl;
  tb::SdramModel<Top::kBits> sdram;
  UartPins pins{kDiv};
  std::deque<uint8_t> to_host;
};

constexpr uint32_t kX = 0x5ff3f8, kY = 0x1400, kZ = 0x2003;

/// y = x * w, 4 x 8 by 8 x 8, with x across a row of the SDRAM and w at its end; z = 13 bytes of x.
inline Image sdram_top_image(uint32_t bytes) {
  const std::string text = R"(
.config nano8
.equ X = 0
.equ W = 1024
.equ Y = 2048
  dma_shape  channel=0 n0=64 n1=1 n2=1 n3=1
  dma_load   channel=0 space=HBM imm_h=)" +
                           std::to_string(bytes - 64) +
                           R"( imm_v=W signal=f1
  dma_shape  channel=0 n0=32 n1=1 n2=1 n3=1
  dma_load   channel=0 space=HBM imm_h=)" +
                           std::to_string(kX) + R"( imm_v=X signal=f2
  mxu_loadw  imm_a=W stride=1 k=8 n=8 dtype=S8 wait=f1:1
  mxu_matmul imm_a=X stride=1 rows=4 acc=0 dtype=S8 swap=1 wait=f2:1 signal=f3
  vpu_clear
  vpu_seta   src=ACC dtype=I32 s0=1
  vpu_setd   dtype=I32 s0=4
  vpu_shape  n0=4 n1=1 n2=1
  vpu_run    imm_a=0 imm_d=Y lanes=8 wait=f3:1 signal=f4
  dma_shape  channel=1 n0=128 n1=1 n2=1 n3=1
  dma_store  channel=1 space=HBM imm_h=)" +
                           std::to_string(kY) + R"( imm_v=Y wait=f4:1
  dma_shape  channel=1 n0=13 n1=1 n2=1 n3=1
  dma_store  channel=1 space=HBM imm_h=)" +
                           std::to_string(kZ) +
                           R"( imm_v=X
  halt
)";
  const auto result = isa::assemble(text, "nano8");
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.errors[0].message);
  return cli::to_image(result.program);
}

template <class Top>
void lights_show_reset_and_the_sdram() {
  SdramTop<Top> b;
  EXPECT_TRUE(b.lit(Light::NotReady));
  b.wait_ready();
  EXPECT_FALSE(b.lit(Light::Error));
  b.ctl->rst_ni = 0;                         // the button
  for (int i = 0; i < 3; ++i) b.ctl.tick();  // CKE follows, which the model refuses
  EXPECT_TRUE(b.lit(Light::InReset));
}

template <class Top>
void multiplies_matrices_in_the_sdram() {
  constexpr uint32_t kBytes = SdramTop<Top>::kBytes, kW = kBytes - 64;
  SdramTop<Top> b;
  b.wait_ready();
  auto device = open_board(b, "nano8");
  EXPECT_EQ(device->hbm_bytes(), kBytes);
  tb::Random random("operands");

  // Single bytes too, at both ends and across rows.
  for (const uint64_t at : {uint64_t{0}, uint64_t{0x3fd}, uint64_t{kBytes - 300}}) {
    std::vector<uint8_t> bytes(at ? 299 : 300), back(bytes.size());
    random.fill(bytes);
    device->write_hbm(at, bytes);
    device->read_hbm(at, back);
    ASSERT_EQ(back, bytes) << "at 0x" << std::hex << at;
    EXPECT_EQ(std::memcmp(b.sdram.bytes() + at, bytes.data(), bytes.size()), 0);
  }

  device->load(sdram_top_image(kBytes));
  for (int round = 0; round < 4; ++round) {
    std::vector<int8_t> x(kRows * kN), w(kN * kN);
    random.fill(x);
    random.fill(w);
    if (round == 0) std::fill(w.begin(), w.end(), int8_t{-128});
    if (round == 0) std::fill(x.begin(), x.end(), int8_t{-128});
    device->write_hbm(kX, {reinterpret_cast<uint8_t*>(x.data()), x.size()});
    device->write_hbm(kW, {reinterpret_cast<uint8_t*>(w.data()), w.size()});
    std::vector<uint8_t> z(20), want(20);
    random.fill(want);
    device->write_hbm(kZ - 3, want);
    std::memcpy(want.data() + 3, x.data(), 13);
    const RunResult r = device->run();
    EXPECT_TRUE(r.done);
    EXPECT_EQ(r.error, isa::Error::NONE);
    device->read_hbm(kZ - 3, z);
    EXPECT_EQ(z, want) << "round " << round << ": bytes stored at an odd address";
    std::vector<int32_t> y(kRows * kN);
    device->read_hbm(kY, {reinterpret_cast<uint8_t*>(y.data()), 4 * y.size()});
    for (int i = 0; i < kRows * kN; ++i) {
      int32_t sum = 0;
      for (int k = 0; k < kN; ++k) sum += x[i / kN * kN + k] * w[k * kN + i % kN];
      ASSERT_EQ(y[i], sum) << "round " << round << ", row " << i / kN << ", column " << i % kN;
    }
  }
  EXPECT_FALSE(b.lit(Light::Error));
  EXPECT_EQ(device->link().counters().retries, 0u);
  EXPECT_GT(b.sdram.refreshes, 100u);
  EXPECT_TRUE(b.sdram.violations.empty());
}

/// The link inside the FPGA, through the header's wires, and with no wire there.
template <class Top>
void link_inside_and_through_its_pins(const char* header) {
  SdramTop<Top> b;
  b.wait_ready();
  auto device = open_board(b, "nano8");
  const auto info = cli::read_link_info(device->link());
  ASSERT_TRUE(info.has_value());
  ASSERT_NE(info->header, nullptr);
  EXPECT_EQ(info->header->title, header);
  EXPECT_NEAR(info->clock_khz, 1e9 / Top::kPeriodPs, 2);
  const auto test = [&](bool wires, bool pins) {
    b.ctl->link_wires_i = wires;
    return cli::test_link(cli::registers_of(device->link()), *info, pins, 40, 7);
  };
  for (const bool pins : {false, true}) {
    const auto t = test(pins, pins);
    EXPECT_EQ(t.part.checked, 40u);
    EXPECT_EQ(t.part.faulty, 0u) << t.part.faults[0];
    EXPECT_GT(t.bits_per_clock, 2.4);
  }
  const auto t = test(false, true);
  EXPECT_EQ(t.part.checked, 0u);
  ASSERT_FALSE(t.part.faults.empty());
  EXPECT_EQ(t.part.faults[0].rfind("link does not come up: no clock comes in (", 0), 0u)
      << t.part.faults[0];
}

}  // namespace ttpu::test
