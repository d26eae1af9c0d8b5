// A serial port of the system (termios): raw, 8 data bits, no parity, one stop bit.
#pragma once
#include <termios.h>

#include <string>
#include <vector>

#include "runtime/board/byte_stream.h"

namespace ttpu {

inline constexpr uint32_t kDefaultBaud = 1'000'000;

/// Where a board is: "board:/dev/ttyUSB1", "board:/dev/ttyUSB1:115200", "board:" (the only port).
struct BoardAddress {
  std::string port;  ///< "" = the only one there is
  uint32_t baud = kDefaultBaud;
};
/// True if a device string names a board ("board" or "board:...").
bool is_board(const std::string& device);
/// Throws DeviceError with what is wrong.
BoardAddress parse_board(const std::string& device);

/// A port that a USB adapter or board made: path and, where the system knows it, what it is.
struct PortInfo {
  std::string path, description;
};
/// Ports of USB devices, by name (ttyUSB*, ttyACM*).
std::vector<PortInfo> list_ports();

class SerialPort final : public ByteStream {
 public:
  /// Opens for this process alone; throws DeviceError that says what to do.
  SerialPort(const std::string& path, uint32_t baud);
  ~SerialPort() override;
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;
  /// The port's file, also if it was found as the only one.
  const std::string& path() const { return path_; }
  void write(std::span<const uint8_t> bytes) override;
  size_t read(std::span<uint8_t> bytes, int timeout_ms) override;

 private:
  [[noreturn]] void gone() const;
  std::string path_;
  int fd_ = -1;
  termios before_{};
};

}  // namespace ttpu
