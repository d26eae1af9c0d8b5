#include "runtime/board/serial_port.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "runtime/device.h"

namespace ttpu {

namespace fs = std::filesystem;

namespace {

constexpr int kWriteTimeoutMs = 1000;

struct Rate {
  uint32_t baud;
  speed_t speed;
};
constexpr Rate kRates[] = {{9600, B9600},       {19200, B19200},     {38400, B38400},
                           {57600, B57600},     {115200, B115200},   {230400, B230400},
                           {460800, B460800},   {500000, B500000},   {576000, B576000},
                           {921600, B921600},   {1000000, B1000000}, {1500000, B1500000},
                           {2000000, B2000000}, {3000000, B3000000}, {4000000, B4000000}};

std::string ports_text() {
  std::string text;
  for (const auto& p : list_ports()) text += (text.empty() ? "" : ", ") + p.path;
  return text.empty() ? "no USB serial port is there (is the board plugged in?)"
                      : "ports there are: " + text;
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

}  // namespace

bool is_board(const std::string& device) {
  return device == "board" || device.starts_with("board:");
}

BoardAddress parse_board(const std::string& device) {
  BoardAddress a;
  if (!is_board(device)) throw DeviceError(fmt::format("'{}' names no board", device));
  if (device.size() <= 6) return a;
  a.port = device.substr(6);
  std::error_code ignored;
  if (fs::exists(a.port, ignored)) return a;  // names in /dev/serial/by-path have colons
  const size_t colon = a.port.rfind(':');
  if (colon == std::string::npos) return a;
  const std::string baud = a.port.substr(colon + 1);
  const auto [end, error] = std::from_chars(baud.data(), baud.data() + baud.size(), a.baud);
  if (error != std::errc() || end != baud.data() + baud.size() || a.baud == 0)
    throw DeviceError(
        fmt::format("'{}' is no baud rate: write board:/dev/ttyUSB1 or board:/dev/ttyUSB1:{}", baud,
                    kDefaultBaud));
  a.port.resize(colon);
  return a;
}

std::vector<PortInfo> list_ports() {
  std::vector<PortInfo> ports;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/class/tty", error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("ttyUSB") && !name.starts_with("ttyACM")) continue;
    PortInfo p{"/dev/" + name, ""};
    // The USB device is some levels above its port.
    for (fs::path at = fs::canonical(entry.path() / "device", error);
         p.description.empty() && at.has_relative_path(); at = at.parent_path())
      p.description = first_line(at / "product");
    ports.push_back(std::move(p));
  }
  std::sort(ports.begin(), ports.end(),
            [](const PortInfo& a, const PortInfo& b) { return a.path < b.path; });
  return ports;
}

SerialPort::SerialPort(const std::string& path, uint32_t baud) : path_(path) {
  if (path_.empty()) {
    const auto ports = list_ports();
    if (ports.size() != 1)
      throw DeviceError(
          fmt::format("which port? {}; name it: --device board:/dev/ttyUSB1", ports_text()));
    path_ = ports[0].path;
  }
  const Rate* rate = std::find_if(std::begin(kRates), std::end(kRates),
                                  [&](const Rate& r) { return r.baud == baud; });
  if (rate == std::end(kRates)) {
    std::string rates;
    for (const auto& r : kRates) rates += fmt::format(" {}", r.baud);
    throw DeviceError(fmt::format("{} baud is not possible: use one of{}", baud, rates));
  }
  fd_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0) {
    const int error = errno;
    std::string todo = "check the cable and the board's power";
    if (error == EACCES || error == EPERM)
      todo = "join the group that may: sudo usermod -aG dialout $USER, then log in again";
    if (error == ENOENT || error == ENODEV || error == ENXIO) todo = ports_text();
    if (error == EISDIR) todo = ports_text();
    if (error == EBUSY) todo = "another program has it open: end that one";
    throw DeviceError(fmt::format("cannot open {}: {}; {}", path_, std::strerror(error), todo));
  }
  const auto refuse = [&](const std::string& why) {
    ::close(fd_);
    fd_ = -1;
    throw DeviceError(fmt::format("{}: {}", path_, why));
  };
  termios t{};
  if (::tcgetattr(fd_, &t) != 0) refuse("is no serial port; " + ports_text());
  if (::flock(fd_, LOCK_EX | LOCK_NB) != 0)
    refuse("another ttpu has it open: end that one, or use another board");
  before_ = t;
  ::cfmakeraw(&t);
  t.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | PARENB | CRTSCTS);
  t.c_cflag |= CS8 | CLOCAL | CREAD;
  t.c_cc[VMIN] = t.c_cc[VTIME] = 0;
  ::cfsetispeed(&t, rate->speed);
  ::cfsetospeed(&t, rate->speed);
  if (::tcsetattr(fd_, TCSANOW, &t) != 0)
    refuse(fmt::format("does not take {} baud ({}): use another rate", baud, std::strerror(errno)));
  ::tcflush(fd_, TCIOFLUSH);
}

SerialPort::~SerialPort() {
  if (fd_ < 0) return;
  ::tcsetattr(fd_, TCSANOW, &before_);  // a port, or a terminal that was none, is as it was
  ::close(fd_);
}

void SerialPort::gone() const {
  throw DeviceError(fmt::format(
      "{} is gone: was the board unplugged or switched off? Plug it in and start again", path_));
}

void SerialPort::write(std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n > 0) {
      bytes = bytes.subspan(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) gone();
    pollfd p{fd_, POLLOUT, 0};
    const int ready = ::poll(&p, 1, kWriteTimeoutMs);
    if (ready > 0 && (p.revents & (POLLHUP | POLLERR | POLLNVAL))) gone();
    if (ready == 0)
      throw DeviceError(fmt::format("{} takes no bytes: unplug the board and plug it in", path_));
  }
}

size_t SerialPort::read(std::span<uint8_t> bytes, int timeout_ms) {
  pollfd p{fd_, POLLIN, 0};
  const int ready = ::poll(&p, 1, timeout_ms);
  if (ready < 0 && errno != EINTR) gone();
  if (ready <= 0) return 0;
  const ssize_t n = ::read(fd_, bytes.data(), bytes.size());
  if (n > 0) return static_cast<size_t>(n);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  gone();  // end of file, or an error: the other end hung up
}

}  // namespace ttpu
