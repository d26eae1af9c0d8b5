// Requests to the UART bridge of a board, each answered or an error: docs/reference/uart.md.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/board/byte_stream.h"

namespace ttpu {

namespace uart {
inline constexpr uint8_t kSyncIn = 0xa5, kSyncOut = 0x5a;
inline constexpr uint32_t kMagic = 0x32425554;  ///< "TUB2", the first word of PING's reply
inline constexpr uint32_t kMaxWords = 64;       ///< of one frame
enum Command : uint8_t { kPing = 0, kWrite = 1, kFixed = 2, kMemory = 4, kAccess = 8 };
enum class Status : uint8_t { Okay, Refused, BadFrame, NotGreeted, Hung };
inline constexpr uint8_t kHasData = 0x40;
/// CRC-32 (IEEE 802.3) of bytes.
uint32_t crc(std::span<const uint8_t> bytes);
}  // namespace uart

struct LinkOptions {
  int reply_ms = 500;          ///< wait for a reply; more than a full frame takes at 9600 baud
  int quiet_ms = 40;           ///< silence that ends whatever the bridge takes for a frame
  int retries = 50;            ///< of one request, before the error
  int standstill_ms = 10'000;  ///< of the cycle counter while a program runs, before the error
};
/// With reply_ms from TTPU_BOARD_REPLY_MS if that is more (a simulated board is slower than its
/// serial line), and quiet_ms in proportion.
LinkOptions link_options();

/// What was mended so far.
struct LinkCounters {
  uint64_t requests = 0, retries = 0, damaged = 0, timeouts = 0, refused_frames = 0;
};

class BoardLink {
 public:
  /// Greets the board; throws DeviceError if there is none.
  explicit BoardLink(std::unique_ptr<ByteStream> stream, std::string name,
                     LinkOptions options = {});
  const std::string& name() const { return name_; }
  /// Bytes of memory that the board offers as HBM.
  uint32_t memory_bytes() const { return memory_bytes_; }
  const LinkCounters& counters() const { return counters_; }
  const LinkOptions& options() const { return options_; }

  /// Words to or from addresses `addr`, `addr` + 4, ... (`fixed`: all at `addr`) of the registers,
  /// or of the memory. Any number of words. Throws DeviceError where the chip refuses.
  void write(uint32_t addr, std::span<const uint32_t> words, bool memory = false,
             bool fixed = false);
  void read(uint32_t addr, std::span<uint32_t> words, bool memory = false, bool fixed = false);
  /// The word at `addr` of the memory's space; nothing where the board refuses it.
  std::optional<uint32_t> peek(uint32_t addr);

 private:
  struct Reply {
    uart::Status status;
    uint8_t count;
    std::vector<uint32_t> words;
  };
  Reply request(uint8_t command, uint32_t addr, uint8_t count, std::span<const uint32_t> words);
  std::optional<Reply> receive(uint8_t number);
  void wait_quiet();
  void adapt(bool retried_often, bool clean);
  void check(const Reply& reply, uint8_t command, uint32_t addr, uint8_t count) const;

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  LinkOptions options_;
  LinkCounters counters_;
  /// Words of the next frame: halved on a bad line, since short frames have the better chance.
  uint32_t chunk_ = uart::kMaxWords;
  uint32_t clean_ = 0;  ///< requests in a row without a retry
  uint8_t number_ = 0;
  uint32_t memory_bytes_ = 0;
};

}  // namespace ttpu
