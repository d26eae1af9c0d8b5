// Host side of a board against a board in C++: retries, errors, identity, memories, device strings.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "fake_board.h"
#include "runtime/board/board_device.h"
#include "runtime/board/serial_port.h"

namespace ttpu::test {
namespace {

constexpr LinkOptions kFast{.reply_ms = 20, .quiet_ms = 1, .retries = 50};
const Config& mini() { return *find_config("mini"); }

std::unique_ptr<BoardLink> link_to(FakeBoard& board) {
  return std::make_unique<BoardLink>(std::make_unique<FakeStream>(board), "fake", kFast);
}
template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const DeviceError& e) {
    return e.what();
  }
  return "";
}
void has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
}

TEST(BoardLink, NoiseIsMendedAndNothingHappensTwice) {
  for (const uint64_t noise : {0, 2000, 300, 150}) {
    FakeBoard board(mini());
    board.noise = noise;
    auto link = link_to(board);
    tb::Random random("words");
    for (int round = 0; round < 30; ++round) {
      std::vector<uint32_t> words(1 + random.below(200)), back(words.size());
      for (auto& w : words) w = random.u32();
      const auto at = static_cast<uint32_t>(4 * random.below(1024 - words.size()));
      const bool vmem = random.below(2);
      const uint64_t before = board.accesses;
      // The register that counts on shows an access that was made twice.
      const auto start = [&] { link->write(regs::kVmemAddr, {&at, 1}); };
      if (vmem) start();
      vmem ? link->write(regs::kVmemData, words, false, true) : link->write(at, words, true);
      if (vmem) start();
      vmem ? link->read(regs::kVmemData, back, false, true) : link->read(at, back, true);
      ASSERT_EQ(back, words) << "noise " << noise << " round " << round;
      EXPECT_EQ(board.accesses - before, 2 * words.size() + (vmem ? 2 : 0));
    }
    // The host's side of the flow control; spoiled lines add bytes behind a reply.
    EXPECT_LE(board.longest_request, 268u);
    if (!noise) {
      EXPECT_EQ(board.longest_request, 268u);
      EXPECT_EQ(board.hurried, 0u);
    }
    EXPECT_EQ(board.spoiled > 0, noise > 0);
    EXPECT_EQ(link->counters().retries > 0, noise > 0);
  }
}

TEST(BoardLink, AWordThatMayNotBeThere) {
  FakeBoard board(mini());
  board.noise = 200;
  auto link = link_to(board);
  for (uint32_t i = 0; i < 50; ++i) {
    board.memory[i] = 77 * i;
    EXPECT_EQ(link->peek(4 * i), 77 * i);
    EXPECT_EQ(link->peek(0xffff0000u + 4 * i), std::nullopt);
  }
}

TEST(BoardLink, MemoryBeyond16MiB) {
  FakeBoard board(mini());
  board.memory.resize(33u << 18);  // 33 MiB
  auto link = link_to(board);
  EXPECT_EQ(link->memory_bytes(), 33u << 20);
  tb::Random random("words");
  std::vector<uint32_t> words(300), back(words.size());
  for (auto& w : words) w = random.u32();
  for (const uint32_t at : {0u, (16u << 20) - 400, (33u << 20) - 1200}) {
    link->write(at, words, true);
    link->read(at, back, true);
    ASSERT_EQ(back, words) << at;
    EXPECT_EQ(board.memory[at / 4 + 150], words[150]) << at;
  }
}

TEST(BoardLink, SilenceNoiseAndResetAreErrorsInTime) {
  const auto start = std::chrono::steady_clock::now();
  FakeBoard board(mini());
  board.silent = true;
  has(error_of([&] { link_to(board); }), "is silent");
  board.silent = false;
  board.babbles = true;
  has(error_of([&] { link_to(board); }), "baud rate");
  board.babbles = false;
  auto link = link_to(board);
  uint32_t word = 0;
  board.greeted = false;
  has(error_of([&] { link->read(0, {&word, 1}); }), "reset in the middle");
  board.greeted = true;
  board.spoils_replies = true;
  has(error_of([&] { link->read(0, {&word, 1}); }), "in 51 tries");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(BoardLink, RefusalsNameTheAddress) {
  FakeBoard board(mini());
  auto link = link_to(board);
  std::vector<uint32_t> words(100);
  board.refuse_from = 0x208;
  has(error_of([&] { link->read(0x100, words); }), "read of register 0x000208");
  has(error_of([&] { link->write(0x200, words, true); }), "write of memory at 0x000208");
}

TEST(BoardDevice, HashesAreComparedAndBothPrinted) {
  FakeBoard board(*find_config("edge"));
  const std::string why = error_of([&] { BoardDevice(link_to(board), mini(), {}); });
  has(why, "'edge'");
  has(why, "'mini'");
  char hash[16];
  for (const char* name : {"edge", "mini"}) {
    std::snprintf(hash, sizeof hash, "%08x", find_config(name)->hash);
    has(why, hash);
  }
  board.registers[regs::kConfigHash] = 0x12345678;
  has(error_of([&] { BoardDevice(link_to(board), mini(), {}); }), "unknown to this release");
  board.registers[regs::kId] = 1;
  has(error_of([&] { BoardDevice(link_to(board), mini(), {}); }), "ID 00000001");
}

TEST(BoardDevice, MemoriesAtEveryAlignment) {
  FakeBoard board(mini());
  board.noise = 3000;
  BoardDevice device(link_to(board), mini(), {});
  EXPECT_EQ(device.hbm_bytes(), 4096u);
  tb::Random random("bytes");
  for (const bool hbm : {true, false}) {
    std::vector<uint8_t> mirror(4096);
    for (int round = 0; round < 60; ++round) {
      std::vector<uint8_t> bytes(random.below(round < 30 ? 9 : 400));
      for (auto& b : bytes) b = static_cast<uint8_t>(random.u32());
      const uint64_t at = random.below(4097 - bytes.size());
      hbm ? device.write_hbm(at, bytes) : device.write_vmem(at, bytes);
      std::copy(bytes.begin(), bytes.end(), mirror.begin() + static_cast<std::ptrdiff_t>(at));
      std::vector<uint8_t> back(random.below(200));
      const uint64_t from = random.below(4097 - back.size());
      hbm ? device.read_hbm(from, back) : device.read_vmem(from, back);
      ASSERT_TRUE(std::equal(back.begin(), back.end(), mirror.begin() + std::ptrdiff_t(from)));
    }
  }
  std::vector<uint8_t> byte(1);
  has(error_of([&] { device.read_hbm(4096, byte); }), "HBM");
  has(error_of([&] { device.write_vmem(mini().vmem_bytes(), byte); }), "VMEM");
  has(error_of([&] { device.run(); }), "load an image");
}

TEST(BoardDevice, AProgramWhoseCyclesStandStillIsAnError) {
  FakeBoard board(mini());
  LinkOptions options = kFast;
  options.standstill_ms = 200;
  BoardDevice device(
      std::make_unique<BoardLink>(std::make_unique<FakeStream>(board), "fake", options), mini(),
      {});
  Image image;
  image.config_hash = mini().hash;
  image.config_name = "mini";
  image.code.resize(1);
  image.code[0].set(0, 8, static_cast<uint32_t>(isa::Opcode::HALT));
  device.load(image);
  board.registers[regs::kStatus] = 1;  // "running", for ever
  const auto start = std::chrono::steady_clock::now();
  has(error_of([&] { device.run(); }), "stands at 0 for 200 ms: reset the board");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

// A name of /dev/serial/by-path, with colons of its own.
TEST(BoardAddress, PortsWithColons) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("ttpu_ports_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const char* name : {"usb-0:2:1.1-port0", "usb-0:2:1"}) {
    const std::string port = (folder / name).string();
    std::ofstream(port) << "";
    EXPECT_EQ(parse_board("board:" + port).port, port);
    EXPECT_EQ(parse_board("board:" + port).baud, kDefaultBaud);
    EXPECT_EQ(parse_board("board:" + port + ":115200").port, port);
    EXPECT_EQ(parse_board("board:" + port + ":115200").baud, 115200u);
  }
  std::filesystem::remove_all(folder);
}

TEST(SerialPort, IsLeftAsItWas) {
  const int board = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(board, 0);
  ASSERT_EQ(::grantpt(board) | ::unlockpt(board), 0);
  const std::string path = ::ptsname(board);
  const int user = ::open(path.c_str(), O_RDWR | O_NOCTTY);
  ASSERT_GE(user, 0);
  termios before{}, now{};
  ASSERT_EQ(::tcgetattr(user, &before), 0);
  ASSERT_TRUE(before.c_lflag & ICANON);
  {
    SerialPort port(path, 115200);
    ASSERT_EQ(::tcgetattr(user, &now), 0);
    EXPECT_FALSE(now.c_lflag & ICANON);
  }
  ASSERT_EQ(::tcgetattr(user, &now), 0);
  EXPECT_EQ(now.c_lflag, before.c_lflag);
  EXPECT_EQ(now.c_iflag, before.c_iflag);
  EXPECT_EQ(now.c_oflag, before.c_oflag);
  EXPECT_EQ(now.c_cflag, before.c_cflag);
  ::close(user);
  ::close(board);
}

TEST(BoardAddress, Strings) {
  EXPECT_TRUE(is_board("board"));
  EXPECT_TRUE(is_board("board:/dev/ttyUSB0"));
  EXPECT_FALSE(is_board("boards"));
  EXPECT_EQ(parse_board("board:/dev/ttyUSB0").port, "/dev/ttyUSB0");
  EXPECT_EQ(parse_board("board:/dev/ttyUSB0").baud, kDefaultBaud);
  EXPECT_EQ(parse_board("board:/dev/ttyUSB0:115200").baud, 115200u);
  EXPECT_EQ(parse_board("board:").port, "");
  has(error_of([] { parse_board("board:/dev/x:fast"); }), "no baud rate");
  has(error_of([] { parse_board("board:/dev/x:0"); }), "no baud rate");
  has(error_of([] { SerialPort("/dev/ttyNone", 115200); }), "cannot open /dev/ttyNone");
  has(error_of([] { SerialPort("/dev/null", 115200); }), "no serial port");
  has(error_of([] { SerialPort("/tmp", 115200); }), "Is a directory; ");
  EXPECT_EQ(error_of([] { SerialPort("/tmp", 115200); }).find("cable"), std::string::npos);
  has(error_of([] { SerialPort("/dev/null", 7); }), "use one of");
}

}  // namespace
}  // namespace ttpu::test
