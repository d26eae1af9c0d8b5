// The host's end of a board's serial line, in a test: time passes on the board while the host
// waits.
#pragma once
#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <string>

#include "runtime/board/board_device.h"

namespace ttpu::test {

/// Board: `pins` (UartPins), `to_host` (bytes that came), tick() (one clock).
template <class Board>
class BoardLine final : public ByteStream {
 public:
  explicit BoardLine(Board& board) : board_(board) {}
  void write(std::span<const uint8_t> bytes) override {
    for (const uint8_t b : bytes) board_.pins.send(b);
  }
  size_t read(std::span<uint8_t> bytes, int timeout_ms) override {
    const uint64_t clocks = static_cast<uint64_t>(timeout_ms) * kClocksPerMs;
    for (uint64_t i = 0; i < clocks && board_.to_host.empty(); ++i) board_.tick();
    const size_t n = std::min(bytes.size(), board_.to_host.size());
    std::copy_n(board_.to_host.begin(), n, bytes.begin());
    board_.to_host.erase(board_.to_host.begin(),
                         board_.to_host.begin() + static_cast<ptrdiff_t>(n));
    return n;
  }

 private:
  static constexpr uint64_t kClocksPerMs =
      2000;  // fewer than a board's: waits for nothing stay short
  Board& board_;
};

/// The runtime's own back end on that line.
template <class Board>
std::unique_ptr<BoardDevice> open_board(Board& board, const std::string& config) {
  auto link =
      std::make_unique<BoardLink>(std::make_unique<BoardLine<Board>>(board), "model",
                                  LinkOptions{.reply_ms = 2000, .quiet_ms = 2, .retries = 2});
  return std::make_unique<BoardDevice>(std::move(link), *find_config(config), DeviceOptions{});
}

}  // namespace ttpu::test
