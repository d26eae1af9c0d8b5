// What a board is reached through: bytes both ways. A serial port, or a stand-in of the tests.
#pragma once
#include <cstdint>
#include <span>

namespace ttpu {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Write all; throws DeviceError if the line is gone or takes nothing for a second.
  virtual void write(std::span<const uint8_t> bytes) = 0;
  /// Wait at most `timeout_ms` for bytes; how many were read, 0 after the time.
  virtual size_t read(std::span<uint8_t> bytes, int timeout_ms) = 0;
};

}  // namespace ttpu
