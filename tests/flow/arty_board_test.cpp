// The top of the Arty A7 (configuration core8i: the 100T's in small, two products a DSP block) at
// its pins: the runtime's own back end on the serial port; every MAC by the self-test of `ttpu
// board test`; reset by the clock manager, the buttons; lights.
#include <gtest/gtest.h>

#include <deque>

#include "../board/board_line.h"
#include "../board/uart_pins.h"
#include "Varty_top.h"
#include "tb/random.h"
#include "ttpu/cmd_board.h"
#include "verilated.h"

namespace ttpu::test {
namespace {

constexpr uint32_t kDiv = 4;           // clocks a bit, as the model is built
constexpr uint32_t kResetClocks = 16;  // 2^ResetBits
constexpr uint32_t kLockClocks = 16;   // of the clock manager's model

/// The board at its pins: a clock is 10 ns.
struct Board {
  Board() : top(&context) {
    top.ck_rst = 1;
    top.btn0 = 0;
    top.uart_txd_in = 1;
  }
  ~Board() { top.final(); }
  void tick() {
    top.uart_txd_in = pins.drive();
    top.clk_100mhz = 0;
    top.eval();
    uint8_t byte = 0;
    if (pins.sample(top.uart_rxd_out, byte)) to_host.push_back(byte);
    top.clk_100mhz = 1;
    top.eval();
    lights |= top.led;
  }
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) tick();
  }
  bool in_reset() const { return top.led >> 2 & 1; }
  VerilatedContext context;
  Varty_top top;
  UartPins pins{kDiv};
  std::deque<uint8_t> to_host;
  uint8_t lights = 0;  ///< those that were lit since this was cleared
};

TEST(ArtyBoard, EveryMacThroughTheSerialPort) {
  Board b;
  b.run(kLockClocks + kResetClocks + 10);
  auto device = open_board(b, "core8i");
  EXPECT_EQ(device->hbm_bytes(), 65536u);
  const auto part = cli::test_macs(*device);
  EXPECT_EQ(part.faulty, 0u) << (part.faults.empty() ? "" : part.faults[0]);
  EXPECT_EQ(part.checked, (2 * 8 + 2) * 8 * 8u);
  EXPECT_EQ(device->link().counters().retries, 0u);
}

TEST(ArtyBoard, ResetUntilLockedAndByButtons) {
  Board b;
  b.run(kLockClocks + 2);
  EXPECT_TRUE(b.in_reset()) << "LD6 while the clock manager locks";
  b.run(kResetClocks - 2);
  EXPECT_TRUE(b.in_reset()) << "and for 2^ResetBits clocks after it";
  b.run(8);
  EXPECT_FALSE(b.in_reset());
  auto device = open_board(b, "core8i");
  for (const bool red : {true, false}) {
    (red ? b.top.ck_rst : b.top.btn0) = red ? 0 : 1;
    b.run(8);
    EXPECT_TRUE(b.in_reset()) << (red ? "RESET" : "BTN0");
    b.top.ck_rst = 1;
    b.top.btn0 = 0;
    b.run(kResetClocks - 4);
    EXPECT_TRUE(b.in_reset());
    b.run(12);
    EXPECT_FALSE(b.in_reset());
    std::vector<uint8_t> byte(1);
    EXPECT_THROW(device->read_hbm(0, byte), DeviceError) << "the host hears that it was reset";
    device = open_board(b, "core8i");
  }
}

TEST(ArtyBoard, LightOfARequest) {
  Board b;
  b.run(kLockClocks + kResetClocks + 10);
  auto device = open_board(b, "core8i");
  b.run(1000);
  b.lights = 0;
  b.run(1000);
  EXPECT_FALSE(b.lights & 1) << "LD4 while nothing is asked";
  std::vector<uint8_t> bytes(64);
  device->read_hbm(0, bytes);
  EXPECT_TRUE(b.lights & 1) << "LD4 in a request";
  b.lights = 0;
  b.run(1000);
  EXPECT_FALSE(b.lights & 1) << "and not after it";
}

}  // namespace
}  // namespace ttpu::test
