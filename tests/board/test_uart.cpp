// The UART bridge at its pins: every command, full-range data, gaps, noise, doubled requests, half
// frames, accesses that are refused or never end.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "Vttpu_uart_dut.h"
#include "runtime/board/board_link.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "uart_pins.h"

namespace {

using ttpu::uart::Status;
namespace uart = ttpu::uart;
constexpr uint32_t kDiv = 4, kGap = 1024, kHbmBytes = 4096;  // as the model is built
using Bytes = std::vector<uint8_t>;

struct Reply {
  bool there = false;
  uint8_t number = 0, count = 0;
  Status status = Status::Okay;
  std::vector<uint32_t> words;
};

/// The host at the pins; registers and memory as maps that answer after random delays.
class UartBench {
 public:
  explicit UartBench(uint64_t init_seed = 0)
      : ctl_({.timeout_cycles = 60'000'000, .random_init_seed = init_seed, .name = "uart"}) {
    auto& d = ctl_.dut();
    d.rx_i = 1;
    d.m_axil_awready_i = d.m_axil_wready_i = d.m_axil_bvalid_i = d.m_axil_arready_i =
        d.m_axil_rvalid_i = d.mem_done_i = 0;
    ctl_.add(*this);
    ctl_.run(100);
  }

  void before_clock() {
    auto& d = ctl_.dut();
    d.rx_i = pins_.drive();
    d.m_axil_awready_i = d.m_axil_wready_i = d.m_axil_arready_i = 0;
    if (!deaf) {
      if (random_.below(3) == 0) d.m_axil_awready_i = !aw_;
      if (random_.below(3) == 0) d.m_axil_wready_i = !w_;
      if (random_.below(3) == 0) d.m_axil_arready_i = !ar_;
    }
    d.m_axil_bvalid_i = b_;
    d.m_axil_bresp_i = response_;
    d.m_axil_rvalid_i = r_;
    d.m_axil_rdata_i = r_ ? data_ : 0xdeadbeef;
    d.m_axil_rresp_i = response_;
    // The memory answers a request that it has seen.
    d.mem_done_i = mem_now_;
    d.mem_err_i = mem_now_ && mem_bad_;
    d.mem_rdata_i = mem_now_ ? data_ : 0xdeadbeef;
  }
  void at_clock() {
    auto& d = ctl_.dut();
    uint8_t byte = 0;
    if (!d.tx_o && first_low == 0) first_low = ctl_.cycle();
    if (pins_.sample(d.tx_o, byte)) got.push_back(byte);
    if (d.m_axil_awvalid_o && d.m_axil_awready_i) aw_ = true, addr_ = d.m_axil_awaddr_o;
    if (d.m_axil_wvalid_o && d.m_axil_wready_i) {
      w_ = true, data_ = d.m_axil_wdata_o;
      EXPECT_EQ(d.m_axil_wstrb_o, 0xf);
    }
    if (b_ && d.m_axil_bready_o)
      b_ = aw_ = w_ = false;
    else if (aw_ && w_ && !b_ && random_.below(4) == 0) {
      b_ = true, response_ = is_bad(addr_) ? 2 : 0, ++accesses;
      if (!response_) write(registers, addr_, data_);
    }
    if (d.m_axil_arvalid_o && d.m_axil_arready_i) ar_ = true, addr_ = d.m_axil_araddr_o;
    if (r_ && d.m_axil_rready_o)
      r_ = ar_ = false;
    else if (ar_ && !r_ && random_.below(4) == 0)
      r_ = true, response_ = is_bad(addr_) ? 2 : 0, data_ = read(registers, addr_), ++accesses;
    const bool was = mem_now_;
    mem_now_ = false;
    if (d.mem_req_o && !was && !deaf && random_.below(4) == 0) {
      mem_now_ = true, mem_bad_ = is_bad(d.mem_addr_o), ++accesses;
      if (d.mem_we_o && !mem_bad_) write(memory, d.mem_addr_o, d.mem_wdata_o);
      if (!d.mem_we_o) data_ = read(memory, d.mem_addr_o);
    }
  }

  Bytes frame(uint8_t number, uint8_t command, uint8_t count, uint32_t addr,
              const std::vector<uint32_t>& words = {}) {
    Bytes f = {uart::kSyncIn,
               number,
               command,
               count,
               uint8_t(addr),
               uint8_t(addr >> 8),
               uint8_t(addr >> 16),
               uint8_t(addr >> 24)};
    for (const uint32_t w : words)
      for (int i = 0; i < 4; ++i) f.push_back(uint8_t(w >> 8 * i));
    const uint32_t crc = uart::crc({f.data() + 1, f.size() - 1});
    for (int i = 0; i < 4; ++i) f.push_back(uint8_t(crc >> 8 * i));
    return f;
  }
  void put(const Bytes& bytes, uint32_t longest_gap = 0) {
    for (const uint8_t b : bytes)
      pins_.send(b, static_cast<uint32_t>(random_.below(longest_gap + 1)));
  }
  /// Wait for one reply, at most `limit` clocks after the last byte out.
  Reply reply(uint64_t limit = 30000) {
    Reply r;
    while (!pins_.idle()) ctl_.tick();
    const uint64_t start = ctl_.cycle();
    while (ctl_.cycle() - start < limit) {
      ctl_.tick();
      if (got.size() < 4) continue;
      EXPECT_EQ(got[0], uart::kSyncOut);
      const size_t body = 4 + (got[2] & uart::kHasData ? 4u * got[3] : 0);
      if (got.size() < body + 4) continue;
      uint32_t crc = 0;
      for (int i = 0; i < 4; ++i) crc |= uint32_t{got[body + size_t(i)]} << 8 * i;
      EXPECT_EQ(crc, uart::crc({got.data() + 1, body - 1})) << "CRC of the reply";
      r = {true, got[1], got[3], static_cast<Status>(got[2] & 7), {}};
      for (size_t i = 4; i < body; i += 4)
        r.words.push_back(uint32_t{got[i]} | uint32_t{got[i + 1]} << 8 |
                          uint32_t{got[i + 2]} << 16 | uint32_t{got[i + 3]} << 24);
      got.erase(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(body + 4));
      ctl_.run(2 * kDiv);  // the stop bit
      return r;
    }
    return r;
  }
  Reply ask(uint8_t number, uint8_t command, uint8_t count, uint32_t addr,
            const std::vector<uint32_t>& words = {}, uint32_t longest_gap = 0) {
    put(frame(number, command, count, addr, words), longest_gap);
    return reply();
  }
  void greet(uint8_t number = 0) { ASSERT_TRUE(ask(number, uart::kPing, 0, 0).there); }
  static uint32_t read(const std::map<uint32_t, uint32_t>& m, uint32_t a) {
    const auto it = m.find(a);
    return it == m.end() ? a * 2654435761u : it->second;
  }
  bool is_bad(uint32_t a) const { return bad_from <= a; }

  tb::Controller<Vttpu_uart_dut>& ctl() { return ctl_; }
  tb::Random& random() { return random_; }
  std::map<uint32_t, uint32_t> registers, memory;
  Bytes got;
  uint64_t accesses = 0;
  uint64_t first_low = 1;  ///< cycle in which the reply began; 0 to have the next one noted
  uint32_t bad_from = ~0u;
  bool deaf = false;
  bool line_idle() const { return pins_.idle(); }
  uint64_t framing_errors() const { return pins_.framing_errors; }

 private:
  static void write(std::map<uint32_t, uint32_t>& m, uint32_t a, uint32_t v) { m[a] = v; }
  tb::Controller<Vttpu_uart_dut> ctl_;
  ttpu::test::UartPins pins_{kDiv};
  tb::Random random_{"uart"};
  bool aw_ = false, w_ = false, b_ = false, ar_ = false, r_ = false, mem_now_ = false,
       mem_bad_ = false;
  uint32_t addr_ = 0, data_ = 0;
  uint8_t response_ = 0;
};

TEST(Uart, PingSaysWhatItIs) {
  UartBench b(7);
  const Reply r = b.ask(0x5a, uart::kPing, 0, 0);
  ASSERT_TRUE(r.there);
  EXPECT_EQ(r.number, 0x5a);
  EXPECT_EQ(r.status, Status::Okay);
  EXPECT_EQ(r.words, (std::vector<uint32_t>{uart::kMagic, kHbmBytes}));
  EXPECT_EQ(b.accesses, 0u);
}

TEST(Uart, NothingBeforeTheGreeting) {
  UartBench b(8);
  for (const uint8_t c : {8, 9, 12, 13}) {
    const Reply r =
        b.ask(1, c, 1, 0x40, c & 1 ? std::vector<uint32_t>{5} : std::vector<uint32_t>{});
    EXPECT_EQ(r.status, Status::NotGreeted);
    EXPECT_EQ(r.count, 0);
  }
  EXPECT_EQ(b.accesses, 0u);
  b.greet();
  EXPECT_EQ(b.ask(1, 8, 1, 0x40).status, Status::Okay);
  b.ctl().reset();
  EXPECT_EQ(b.ask(2, 8, 1, 0x40).status, Status::NotGreeted) << "a reset is forgotten";
}

TEST(Uart, TheReplyBeginsInTime) {
  UartBench b(17);
  b.greet(0);
  for (uint8_t number = 1; number < 50; ++number) {
    // Nothing to access: what is left is the bridge's own time.
    b.put(b.frame(number, number % 2 ? 8 : 9, 0, 0x40));
    b.first_low = 0;
    while (!b.line_idle()) b.ctl().tick();
    const uint64_t end = b.ctl().cycle();
    EXPECT_EQ(b.reply().status, Status::Okay);
    ASSERT_NE(b.first_low, 0u);
    EXPECT_LE(b.first_low, end + 60) << "request " << int(number);
  }
}

TEST(Uart, EveryCommandAndLength) {
  UartBench b(9);
  b.greet(0);
  uint8_t number = 0;
  const int rounds = tb::long_run() ? 2000 : 150;
  for (int round = 0; round < rounds; ++round) {
    const bool writes = b.random().below(2), fixed = b.random().below(2), mem = b.random().below(2);
    const auto count = static_cast<uint8_t>(round < 65 ? round : b.random().below(65));
    // Registers have 24 bits of address, the memory 32.
    const uint32_t mask = mem ? 0xffffffff : 0xffffff;
    const uint32_t addr = b.random().u32() & mask & ~3u;
    const auto command = static_cast<uint8_t>(8 | writes | fixed << 1 | mem << 2);
    std::vector<uint32_t> words(writes ? count : 0);
    for (auto& w : words) w = b.random().u32();
    auto expected = mem ? b.memory : b.registers;
    const auto at = [&](size_t i) { return fixed ? addr : (addr + uint32_t(4 * i)) & mask; };
    for (size_t i = 0; i < words.size(); ++i) expected[at(i)] = words[i];
    const uint64_t before = b.accesses;
    const Reply r = b.ask(++number, command, count, addr, words, b.random().below(2) ? 60u : 0u);
    ASSERT_TRUE(r.there) << "round " << round << " command " << int(command);
    EXPECT_EQ(r.number, number);
    EXPECT_EQ(r.status, Status::Okay);
    EXPECT_EQ(r.count, count);
    EXPECT_EQ(b.accesses - before, count);
    ASSERT_EQ(r.words.size(), writes ? 0u : count);
    for (size_t i = 0; i < r.words.size(); ++i)
      ASSERT_EQ(r.words[i], UartBench::read(expected, at(i))) << "round " << round << " word " << i;
    ASSERT_TRUE((mem ? b.memory : b.registers) == expected) << "round " << round;
  }
  EXPECT_EQ(b.framing_errors(), 0u);
}

// Rule 1 of docs/reference/uart.md: a request in flight at most, of 268 bytes at most, and no other
// flow control.
TEST(Uart, AFastAndASlowHostLoseNothing) {
  constexpr uint32_t kSlow = kGap - 10 * kDiv - 4;  // idle clocks: a byte's own come on top
  UartBench b(18);
  b.greet(0);
  uint8_t number = 0;
  for (int round = 0; round < 24; ++round) {
    const bool slow = round % 4 == 3;  // else the next request comes behind the reply's stop bit
    std::vector<uint32_t> words(64);
    for (auto& w : words) w = b.random().u32();
    const uint32_t at = 256 * b.random().u32();
    const Bytes request = b.frame(++number, 13, 64, at, words);
    ASSERT_EQ(request.size(), 268u);
    b.put(request, slow ? kSlow : 0);
    ASSERT_EQ(b.reply().status, Status::Okay) << "round " << round;
    ASSERT_EQ(b.ask(++number, 12, 64, at, {}, slow ? kSlow : 0).words, words);
  }
  EXPECT_EQ(b.framing_errors(), 0u);
}

TEST(Uart, AHostThatDoesNotWaitLosesOnlyWhatItSent) {
  UartBench b(19);
  b.greet(0);
  uint8_t number = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<uint32_t> words(1 + b.random().below(64));
    for (auto& w : words) w = b.random().u32();
    const auto count = static_cast<uint8_t>(words.size());
    const uint64_t before = b.accesses;
    b.put(b.frame(++number, 13, count, 0x1000, words));
    b.put(b.frame(uint8_t(number + 1), 13, count, 0x8000, words));  // on top of the reply
    const Reply r = b.reply();
    ASSERT_TRUE(r.there);
    EXPECT_EQ(r.number, number);
    EXPECT_EQ(r.status, Status::Okay);
    EXPECT_EQ(r.count, count);
    b.ctl().run(40 * 12 * kDiv + 2 * kGap);  // its rest is no frame, or a half one
    b.got.clear();
    EXPECT_EQ(b.accesses - before, count) << "round " << round;
    EXPECT_FALSE(b.memory.contains(0x8000)) << "round " << round;
    EXPECT_EQ(b.ask(++number, 12, count, 0x1000).words, words) << "round " << round;
  }
}

TEST(Uart, ADoubledRequestActsOnce) {
  UartBench b(10);
  b.greet(0);
  for (uint8_t number = 1; number < 40; ++number) {
    const bool writes = b.random().below(2);
    const auto count = static_cast<uint8_t>(1 + b.random().below(20));
    std::vector<uint32_t> words(writes ? count : 0);
    for (auto& w : words) w = b.random().u32();
    const Reply first = b.ask(number, uint8_t(10 | writes), count, 0x94, words);
    const uint64_t accesses = b.accesses;
    b.registers[0x94] = 77;  // a reading of now would show it
    const Reply again = b.ask(number, uint8_t(10 | writes), count, 0x94, words);
    ASSERT_TRUE(again.there);
    EXPECT_EQ(b.accesses, accesses);
    EXPECT_EQ(again.status, first.status);
    EXPECT_EQ(again.count, first.count);
    EXPECT_EQ(again.words, first.words);
    // A damaged frame between does not lose the kept reply.
    Bytes damaged = b.frame(uint8_t(number + 1), 9, 3, 0x40, {1, 2, 3});
    damaged[9] ^= 4;
    b.put(damaged);
    EXPECT_EQ(b.reply().status, Status::BadFrame);
    EXPECT_EQ(b.ask(number, uint8_t(10 | writes), count, 0x94, words).words, first.words);
    EXPECT_EQ(b.accesses, accesses);
  }
}

TEST(Uart, EverySingleFlippedBitIsFound) {
  UartBench b(11);
  b.greet(0);
  const Bytes good = b.frame(1, 9, 1, 0x40, {0x12345678});
  for (size_t bit = 8; bit < 8 * good.size(); bit += 1) {
    Bytes f = good;
    f[bit / 8] ^= uint8_t(1u << bit % 8);
    b.put(f);
    const Reply r = b.reply();
    ASSERT_TRUE(r.there) << "bit " << bit;
    EXPECT_EQ(r.status, Status::BadFrame) << "bit " << bit;
    b.ctl().run(2 * kGap);
  }
  EXPECT_EQ(b.accesses, 0u);
  EXPECT_TRUE(b.registers.empty());
  EXPECT_EQ(b.ask(1, 9, 1, 0x40, {3}).status, Status::Okay);
  EXPECT_EQ(b.registers[0x40], 3u);
}

TEST(Uart, IllegalCommandsAndCounts) {
  UartBench b(12);
  b.greet(0);
  for (int command = 0; command < 256; ++command) {
    if (command == 0 || (command >= 8 && command < 16)) continue;
    if (command & 1) continue;  // with data they would be longer; below
    EXPECT_EQ(b.ask(1, uint8_t(command), 1, 0).status, Status::BadFrame) << command;
  }
  EXPECT_EQ(b.ask(1, 0x81, 1, 0, {5}).status, Status::BadFrame);
  for (const int count : {65, 66, 96, 127, 128, 200, 255})
    EXPECT_EQ(b.ask(1, 8, uint8_t(count), 0).status, Status::BadFrame) << count;
  EXPECT_EQ(b.accesses, 0u);
}

TEST(Uart, HalfFramesEndAndNoiseIsSkipped) {
  UartBench b(13);
  b.greet(0);
  const Bytes good = b.frame(1, 9, 2, 0x40, {1, 2});
  for (size_t length = 1; length < good.size(); ++length) {
    b.put(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)));
    const uint64_t start = b.ctl().cycle();
    const Reply r = b.reply(10 * kDiv * 12 + kGap + 200);
    ASSERT_TRUE(r.there) << "half a frame of " << length << " bytes holds the bridge for "
                         << b.ctl().cycle() - start << " clocks";
    EXPECT_EQ(r.status, Status::BadFrame);
  }
  EXPECT_EQ(b.accesses, 0u);
  // Noise without a sync byte costs nothing; a request behind it is heard.
  for (uint8_t number = 1; number < 60; ++number) {
    Bytes noise(b.random().below(20));
    for (auto& n : noise) do
        n = uint8_t(b.random().u32());
      while (n == uart::kSyncIn);
    b.put(noise, 30);
    EXPECT_EQ(b.ask(number, 9, 1, 0x80, {number}).status, Status::Okay);
    EXPECT_EQ(b.registers[0x80], number);
  }
}

TEST(Uart, SpikesAreNoStartBits) {
  UartBench b(14);
  b.greet(0);
  for (int i = 0; i < 50; ++i) {
    // One clock low, less than half a bit.
    b.ctl()->rx_i = 0;
    b.ctl()->clk_i = 0;
    b.ctl()->eval();
    b.ctl()->clk_i = 1;
    b.ctl()->eval();
    b.ctl().run(20);
    EXPECT_EQ(b.ask(uint8_t(i + 1), 9, 1, 0x80, {uint32_t(i)}).status, Status::Okay);
  }
}

TEST(Uart, RefusedAccessesEndTheBurst) {
  UartBench b(15);
  b.greet(0);
  uint8_t number = 0;
  for (const bool mem : {false, true})
    for (const bool writes : {false, true})
      for (const uint32_t good : {0u, 1u, 5u, 63u}) {
        b.bad_from = 0x1000 + 4 * good;
        std::vector<uint32_t> words(writes ? 64 : 0, 9);
        const uint64_t before = b.accesses;
        const Reply r = b.ask(++number, uint8_t(8 | writes | mem << 2), 64, 0x1000, words);
        ASSERT_TRUE(r.there);
        EXPECT_EQ(r.status, Status::Refused);
        EXPECT_EQ(r.count, good);
        EXPECT_EQ(r.words.size(), writes ? 0 : good);
        EXPECT_EQ(b.accesses - before, good + 1);
      }
}

TEST(Uart, AnAccessWithoutAnswerIsReported) {
  for (const uint8_t command : {8, 9, 12, 13}) {
    UartBench b(16);
    b.greet(0);
    b.deaf = true;
    b.put(b.frame(1, command, 1, 0,
                  command & 1 ? std::vector<uint32_t>{5} : std::vector<uint32_t>{}));
    const Reply r = b.reply(kGap + 1000);
    ASSERT_TRUE(r.there) << int(command);
    EXPECT_EQ(r.status, Status::Hung);
    EXPECT_EQ(r.count, 0);
  }
}

}  // namespace
