// The top of the Arty A7 (35T: configuration core8i, two products a DSP block) at its pins: the
// runtime's own back end on the serial port; every MAC by the self-test of `ttpu board test`; reset
// by the clock manager, the buttons; lights.
#include <gtest/gtest.h>

#include <deque>

#include "../board/uart_pins.h"
#include "Varty_top.h"
#include "runtime/board/board_device.h"
#include "tb/random.h"
#include "ttpu/cmd_board.h"
#include "verilated.h"

namespace ttpu::test {
namespace {

constexpr uint32_t kDiv = 4;           // clocks a bit, as the model is built
constexpr uint32_t kResetClocks = 16;  // 2^ResetBits
constexpr uint32_t kLockClocks = 16;   // of the clock manager's model
constexpr uint64_t kClocksPerMs = 2000;

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

/// The host's end of its line: time passes on the board while the host waits.
class Line final : public ByteStream {
 public:
  explicit Line(Board& board) : board_(board) {}
  void write(std::span<const uint8_t> bytes) override {
    for (const uint8_t b : bytes) board_.pins.send(b);
  }
  size_t read(std::span<uint8_t> bytes, int timeout_ms) override {
    for (uint64_t i = 0; i < static_cast<uint64_t>(timeout_ms) * kClocksPerMs; ++i) {
      if (!board_.to_host.empty()) break;
      board_.tick();
    }
    size_t n = 0;
    for (; n < bytes.size() && !board_.to_host.empty(); ++n) {
      bytes[n] = board_.to_host.front();
      board_.to_host.pop_front();
    }
    return n;
  }

 private:
  Board& board_;
};

std::unique_ptr<BoardDevice> open(Board& board) {
  auto link =
      std::make_unique<BoardLink>(std::make_unique<Line>(board), "model",
                                  LinkOptions{.reply_ms = 2000, .quiet_ms = 2, .retries = 2});
  return std::make_unique<BoardDevice>(std::move(link), *find_config("core8i"), DeviceOptions{});
}

TEST(ArtyBoard, EveryMacThroughTheSerialPort) {
  Board b;
  b.run(kLockClocks + kResetClocks + 10);
  auto device = open(b);
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
  auto device = open(b);
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
    device = open(b);
  }
}

TEST(ArtyBoard, LightOfARequest) {
  Board b;
  b.run(kLockClocks + kResetClocks + 10);
  auto device = open(b);
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
