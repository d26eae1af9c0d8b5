// A board with SDRAM, bridge, chip (configuration mini) and controller as one model: the runtime's
// own back end at the serial pins, the SDRAM's model at the others.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "Vttpu_board_sdram_mini.h"
#include "board_line.h"
#include "isa/asm.h"
#include "tb/controller.h"
#include "tb/sdram_model.h"
#include "ttpu/program_image.h"
#include "uart_pins.h"

namespace ttpu::test {
namespace {

constexpr uint32_t kDiv = 4;  // clocks a bit, as the model is built

/// The board, at its pins.
struct Board {
  Board()
      : ctl({.timeout_cycles = 40'000'000, .random_init_seed = 11, .name = "board"}),
        sdram(TTPU_BIND_SDRAM(16, ctl.dut()), tb::sdram::kMt48lc16m16, 16'667, 6'000) {
    ctl->uart_rx_i = 1;
    sdram.first_cycle = ctl.cycle();
    ctl.add(sdram);
    ctl.add(*this);
  }
  ~Board() { ctl.finish(); }
  void before_clock() { ctl->uart_rx_i = pins.drive(); }
  void at_clock() {
    uint8_t byte = 0;
    if (pins.sample(ctl->uart_tx_o, byte)) to_host.push_back(byte);
  }
  void tick() { ctl.tick(); }
  tb::Controller<Vttpu_board_sdram_mini> ctl;
  tb::SdramModel<16> sdram;
  UartPins pins{kDiv};
  std::deque<uint8_t> to_host;
};

/// tests/board/scale.s with its data beyond 16 MiB, in other rows and banks; `load` and `store`:
/// where the DMA reads x and writes y.
Image image(const std::string& load = "X_HBM", const std::string& store = "Y_HBM") {
  std::ifstream file(TTPU_BOARD_DATA);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto put = [&](const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    if (at == std::string::npos) return (void)(ADD_FAILURE() << "no " << from);
    text.replace(at, from.size(), to);
  };
  put("X_HBM = 0x000", "X_HBM = 0x10003f8");  // crosses a row
  put("W_HBM = 0x100", "W_HBM = 0x1fffff0");  // ends where the SDRAM ends
  put("Y_HBM = 0x200", "Y_HBM = 0x1400");
  put("imm_h=X_HBM", "imm_h=" + load);
  put("imm_h=Y_HBM", "imm_h=" + store);
  const auto result = isa::assemble(text, "mini");
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.errors[0].message);
  return cli::to_image(result.program);
}

TEST(SdramBoard, IsSilentUntilTheSdramIsReady) {
  Board b;
  for (int i = 0; i < 11'900; ++i) {  // 200 us at 60 MHz are 12,000
    b.ctl.tick();
    ASSERT_FALSE(b.ctl->ready_o) << "cycle " << i;
  }
  b.ctl.run_until([&] { return b.ctl->ready_o; }, 1000, "ready_o");
}

TEST(SdramBoard, RunsAProgramOnTheSdram) {
  Board b;
  b.ctl.run_until([&] { return b.ctl->ready_o; }, 13'000, "ready_o");
  auto device = open_board(b, "mini");
  EXPECT_EQ(device->hbm_bytes(), 32u << 20);

  // The host's words, unaligned too, at both ends and across rows.
  tb::Random random("host");
  for (const uint64_t at : {uint64_t{0}, uint64_t{0x3fd}, uint64_t{(32u << 20) - 500}}) {
    std::vector<uint8_t> bytes(500), back(500);
    random.fill(bytes);
    device->write_hbm(at, bytes);
    device->read_hbm(at, back);
    ASSERT_EQ(back, bytes) << "at 0x" << std::hex << at;
    EXPECT_EQ(std::memcmp(b.sdram.bytes() + at, bytes.data(), bytes.size()), 0);
  }
  std::vector<uint8_t> byte(1);
  EXPECT_THROW(device->read_hbm(32u << 20, byte), DeviceError);

  device->load(image());
  for (int round = 0; round < 3; ++round) {
    std::vector<int8_t> x(16);
    random.fill(x);
    device->write_hbm(0x10003f8, {reinterpret_cast<uint8_t*>(x.data()), x.size()});
    const RunResult r = device->run();
    EXPECT_TRUE(r.done);
    EXPECT_EQ(r.error, isa::Error::NONE);
    std::vector<int32_t> y(16);
    device->read_hbm(0x1400, {reinterpret_cast<uint8_t*>(y.data()), 64});
    for (size_t i = 0; i < 16; ++i) EXPECT_EQ(y[i], 2 * x[i]) << "round " << round << ", " << i;
  }
  EXPECT_EQ(device->link().counters().retries, 0u);
  EXPECT_GT(b.sdram.refreshes, 100u);
  EXPECT_TRUE(b.sdram.violations.empty());
}

TEST(SdramBoard, AnAccessBeyondTheSdramIsAnError) {
  Board b;
  b.ctl.run_until([&] { return b.ctl->ready_o; }, 13'000, "ready_o");
  auto device = open_board(b, "mini");
  uint32_t word = 0;
  EXPECT_THROW(device->link().read(32u << 20, {&word, 1}, true), DeviceError);
  EXPECT_THROW(device->link().read(0xfffffffc, {&word, 1}, true), DeviceError);
  device->link().read((32u << 20) - 4, {&word, 1}, true);
}

// By the chip's DMA, where the program's window is wider than the SDRAM: the first byte beyond, and
// bytes that only an upper bit of the address tells from one inside.
TEST(SdramBoard, ADmaBeyondTheSdramIsAnError) {
  Board b;
  b.ctl.run_until([&] { return b.ctl->ready_o; }, 13'000, "ready_o");
  auto device = open_board(b, "mini");
  const auto set = [&](uint32_t reg, uint32_t value) { device->link().write(reg, {&value, 1}); };
  set(regs::kHbmSizeHi, 1);
  const std::vector<uint8_t> before(b.sdram.bytes(), b.sdram.bytes() + 0x2000);
  struct At {
    uint32_t base_hi, offset;
  };
  for (const At at :
       {At{0, 32u << 20}, At{0, 1u << 25 | 0x1000}, At{0, 1u << 31 | 0x1000}, At{8, 0x1000}}) {
    const uint64_t address = uint64_t{at.base_hi} << 32 | at.offset;
    SCOPED_TRACE(tb::format("0x%llx", static_cast<unsigned long long>(address)));
    const auto run = [&](const Image& program) {
      device->load(program);
      set(regs::kHbmBaseHi, at.base_hi);
      const RunResult r = device->run();
      device->clear();
      set(regs::kHbmBaseHi, 0);
      EXPECT_FALSE(r.done);
      return r.error;
    };
    const std::string offset = std::to_string(at.offset);
    EXPECT_EQ(run(image(offset)), isa::Error::AXI_READ);
    EXPECT_EQ(run(image("X_HBM", offset)),
              at.base_hi ? isa::Error::AXI_READ : isa::Error::AXI_WRITE);
    EXPECT_EQ(std::memcmp(b.sdram.bytes(), before.data(), before.size()), 0) << "it wrapped";
  }
  device->load(image());
  EXPECT_EQ(device->run().error, isa::Error::NONE);
  EXPECT_TRUE(b.sdram.violations.empty());
}

}  // namespace
}  // namespace ttpu::test
