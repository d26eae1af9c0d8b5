// ttpu_board_link with its registers' port and a header whose wires can be cut, spoiled, or changed
// by a bit of a frame with the frame's CRC made right again.
#pragma once
#include <verilated.h>

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "../ici/link_channel.h"
#include "Vttpu_board_loopback.h"
#include "isa/generated/board.h"
#include "tb/random.h"

namespace ttpu::test {

namespace regs = ttpu::board_regs;
using link_test::Bits;
using link_test::crc_of;

constexpr uint32_t kFrameBits = 208, kBeats = kFrameBits / regs::kLinkLanes;
constexpr uint32_t kWires = regs::kLinkLanes + 2;  ///< clock, strobe, data 0 ...

class Loopback {
 public:
  Loopback() {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(tb::run_seed() | 1));
    top_ = std::make_unique<Vttpu_board_loopback>(context_.get());
    top_->rst_ni = 0;
    for (int i = 0; i < 4; ++i) clock();
    top_->rst_ni = 1;
  }
  ~Loopback() {
    EXPECT_FALSE(context_->gotError()) << "an assertion of the RTL failed";
    top_->final();
  }

  // ---- wires; a level of -1 is the wire as it should be ----
  std::array<int, kWires> stuck{-1, -1, -1, -1, -1, -1};
  uint32_t flip_one_in = 0;  ///< data bits flipped: one beat in so many
  bool swapped = false;      ///< wires of data 0 and 1
  std::function<void()> each_clock = [] {};
  uint32_t noise_one_in = 0;  ///< all pins carry anything, in one clock in so many
  /// Called with the number of a frame as its first beat is sent: bits to change.
  std::function<Bits(uint64_t)> change = [](uint64_t) { return Bits{}; };
  uint64_t flips = 0, frames_hit = 0;
  std::vector<Bits> sent_frames;  ///< as they leave the output pins
  bool keep_frames = false;
  uint64_t cycles = 0;

  // ---- registers ----
  struct Answer {
    uint32_t data;
    bool refused;
  };
  Answer access(uint32_t addr, bool write, uint32_t data = 0) {
    top_->req_i = 1;
    top_->we_i = write;
    top_->addr_i = static_cast<uint8_t>(addr);
    top_->wdata_i = data;
    for (int waited = 0;; ++waited) {
      top_->eval();
      if (top_->done_o) {
        EXPECT_EQ(waited, 2) << "clocks to the answer of " << std::hex << addr;
        break;
      }
      if (waited == 10) {
        ADD_FAILURE() << "no answer to an access of " << std::hex << addr;
        break;
      }
      clock();
    }
    const Answer a{top_->rdata_o, top_->err_o != 0};
    clock();
    top_->req_i = 0;
    return a;
  }
  uint32_t read(uint32_t addr) {
    const Answer a = access(addr, false);
    EXPECT_FALSE(a.refused) << std::hex << addr;
    return a.data;
  }
  void write(uint32_t addr, uint32_t data) {
    EXPECT_FALSE(access(addr, true, data).refused) << std::hex << addr;
  }
  uint32_t word(ici::LinkWord w) { return read(regs::kLinkWords + 4 * static_cast<uint32_t>(w)); }
  bool up() { return read(regs::kLinkStatus) & 1; }

  /// Start inside or through the pins; the clocks until the link is up, or `limit`.
  uint64_t start(bool pins, uint32_t seed, uint64_t limit = 2000) {
    write(regs::kLinkSeed, seed);
    write(regs::kLinkCtrl, pins ? 3 : 1);
    const uint64_t from = cycles;
    while (!up() && cycles - from < limit) clock();
    return cycles - from;
  }
  /// Send packets and wait until all came back, for `limit` clocks at most.
  void send(uint32_t packets, uint64_t limit) {
    const uint32_t before = read(regs::kLinkGood) + read(regs::kLinkWrong);
    write(regs::kLinkPackets, packets);
    for (const uint64_t from = cycles; cycles - from < limit;) {
      if (read(regs::kLinkGood) + read(regs::kLinkWrong) - before >= packets) return;
      for (int i = 0; i < 50; ++i) clock();
    }
  }

  void clock() {
    each_clock();
    top_->clk_i = 0;
    // The header's clock rises here, in the middle of the bit.
    top_->pin_clk_i = level(0, 1);
    if (noise_one_in && random_.below(noise_one_in) == 0) {
      top_->pin_clk_i = random_.below(2) & 1;
      top_->pin_strobe_i = random_.below(2) & 1;
      top_->pin_data_i = random_.below(16) & 15;
    }
    top_->eval();
    top_->clk_i = 1;
    top_->pin_clk_i = level(0, 0);
    top_->eval();
    ++cycles;
    wires(top_->pin_strobe_o, top_->pin_data_o);
    top_->eval();
  }

 private:
  uint8_t level(uint32_t wire, uint32_t right) const {
    return static_cast<uint8_t>(stuck[wire] < 0 ? right : static_cast<uint32_t>(stuck[wire]));
  }
  /// What the outputs show in this bit, on its way to the inputs.
  void wires(bool strobe, uint32_t data) {
    if (strobe) {
      beat_ = 0;
      hit_ = false;
      changed_ = change(frames_++);
      if (keep_frames) sent_frames.push_back({});
    }
    if (beat_ < kBeats) {
      for (uint32_t i = 0; i < regs::kLinkLanes; ++i) {
        const uint32_t bit = beat_ * regs::kLinkLanes + i;
        if (keep_frames && (data >> i & 1)) sent_frames.back().flip(bit);
        data ^= (changed_.word[bit / 32] >> (bit % 32) & 1) << i;
      }
      if (flip_one_in && random_.below(flip_one_in) == 0) {
        data ^= 1u << random_.below(regs::kLinkLanes);
        ++flips;
        frames_hit += !hit_;
        hit_ = true;
      }
      ++beat_;
    }
    if (swapped) data = (data & ~3u) | (data & 1) << 1 | (data >> 1 & 1);
    top_->pin_strobe_i = level(1, strobe);
    uint32_t at_input = 0;
    for (uint32_t i = 0; i < regs::kLinkLanes; ++i)
      at_input |= uint32_t{level(2 + i, data >> i & 1)} << i;
    top_->pin_data_i = static_cast<uint8_t>(at_input);
  }

  std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();
  std::unique_ptr<Vttpu_board_loopback> top_;
  tb::Random random_{"wires"};
  uint32_t beat_ = kBeats;
  bool hit_ = false;
  uint64_t frames_ = 0;
  Bits changed_{};
};

}  // namespace ttpu::test
