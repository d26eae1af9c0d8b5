// A board in C++: the bridge's protocol, registers as a map, a memory. Lines lose, flip and add
// bytes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <span>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/regs_gen.h"
#include "runtime/board/board_link.h"
#include "runtime/device.h"
#include "tb/random.h"

namespace ttpu::test {

/// What the test sees and sets; the stream belongs to the link.
struct FakeBoard {
  std::map<uint32_t, uint32_t> registers;
  std::vector<uint32_t> memory = std::vector<uint32_t>(1024);
  std::vector<uint32_t> vmem = std::vector<uint32_t>(1024);
  uint64_t noise = 0;  ///< one byte in so many is spoiled
  bool silent = false, babbles = false, spoils_replies = false;
  uint32_t refuse_from = ~0u;
  uint64_t spoiled = 0, accesses = 0;
  uint64_t hurried = 0;        ///< bytes that came before the reply was taken
  size_t longest_request = 0;  ///< bytes
  bool greeted = false;

  explicit FakeBoard(const Config& c) {
    const uint32_t identity[] = {
        0x55505454,     1,          c.hash,       c.id,         c.n,
        c.vmem_bytes(), c.acc_rows, c.imem_words, c.smem_words, c.cmem_bytes};
    for (uint32_t i = 0; i < 10; ++i) registers[4 * i] = identity[i];
    registers[regs::kStatus] = 8;
  }

  void host_sends(uint8_t byte) {
    hurried += !to_host.empty();
    frame_.push_back(byte);
    longest_request = std::max(longest_request, frame_.size());
    while (!frame_.empty() && frame_[0] != uart::kSyncIn) frame_.erase(frame_.begin());
    if (frame_.size() < 8) return;
    const uint8_t command = frame_[2], count = frame_[3];
    const bool data = (command & uart::kWrite) && count <= 64;
    const size_t body = 8 + (data ? 4u * count : 0);
    if (frame_.size() < body + 4) return;
    uint32_t sum;
    std::memcpy(&sum, &frame_[body], 4);
    const bool good = sum == uart::crc({frame_.data() + 1, body - 1}) && count <= 64;
    std::vector<uint8_t> f;
    f.swap(frame_);
    if (!good) return answer(f[1], uart::Status::BadFrame, 0, {}, false);
    if (command == 0) greeted = true, kept_.clear();
    if (!greeted) return answer(f[1], uart::Status::NotGreeted, 0, {}, false);
    if (f[1] == last_ && !kept_.empty()) return say(kept_);
    last_ = f[1];
    if (command == 0)
      return answer(last_, uart::Status::Okay, 2,
                    {uart::kMagic, static_cast<uint32_t>(4 * memory.size())}, true);
    const uint32_t addr = f[4] | uint32_t{f[5]} << 8 | uint32_t{f[6]} << 16 | uint32_t{f[7]} << 24;
    std::vector<uint32_t> words;
    for (uint8_t i = 0; i < count; ++i) {
      const uint32_t at = addr + (command & uart::kFixed ? 0 : 4u * i);
      if (at >= refuse_from || ((command & uart::kMemory) && at >= 4 * memory.size()))
        return answer(last_, uart::Status::Refused, i, words, !data);
      ++accesses;
      uint32_t& cell = cell_of(at, command & uart::kMemory);
      if (data)
        std::memcpy(&cell, &f[8 + 4u * i], 4);
      else
        words.push_back(cell);
    }
    answer(last_, uart::Status::Okay, count, words, !data);
  }
  std::deque<uint8_t> to_host;
  /// The line forgets half a frame in silence.
  void quiet() {
    if (!frame_.empty())
      answer(frame_.size() > 1 ? frame_[1] : 0, uart::Status::BadFrame, 0, {}, false);
    frame_.clear();
  }
  template <class Put>
  void pass(uint8_t byte, Put put) {
    if (noise == 0 || random_.below(noise)) return put(byte);
    ++spoiled;
    const auto kind = random_.below(3);
    if (kind == 0) return;
    put(kind == 1 ? static_cast<uint8_t>(byte ^ (1u << random_.below(8))) : byte);
    if (kind == 2) put(static_cast<uint8_t>(random_.u32()));
  }
  tb::Random& random() { return random_; }

 private:
  uint32_t& cell_of(uint32_t at, bool mem) {
    if (mem) return memory[at / 4];
    if (at != regs::kVmemData) return registers[at];
    uint32_t& addr = registers[regs::kVmemAddr];  // grows with each access, as the chip's
    addr += 4;
    return vmem[addr / 4 - 1];
  }
  void answer(uint8_t number, uart::Status status, uint8_t count,
              const std::vector<uint32_t>& words, bool data) {
    std::vector<uint8_t> f = {uart::kSyncOut, number,
                              static_cast<uint8_t>(static_cast<int>(status) | (data ? 0x40 : 0)),
                              count};
    for (const uint32_t w : words)
      for (int i = 0; i < 4; ++i) f.push_back(static_cast<uint8_t>(w >> 8 * i));
    const uint32_t crc = uart::crc({f.data() + 1, f.size() - 1});
    for (int i = 0; i < 4; ++i) f.push_back(static_cast<uint8_t>(crc >> 8 * i));
    if (status == uart::Status::Okay || status == uart::Status::Refused) kept_ = f;
    say(f);
  }
  void say(const std::vector<uint8_t>& f) {
    for (const uint8_t b : f) pass(b, [&](uint8_t x) { to_host.push_back(x); });
    if (spoils_replies) to_host.back() ^= 1;
  }
  std::vector<uint8_t> frame_, kept_;
  uint8_t last_ = 0;
  tb::Random random_{"fake board"};
};

class FakeStream final : public ByteStream {
 public:
  explicit FakeStream(FakeBoard& board) : board_(board) {}
  void write(std::span<const uint8_t> bytes) override {
    if (board_.silent) return;
    for (const uint8_t b : bytes) board_.pass(b, [&](uint8_t x) { board_.host_sends(x); });
  }
  size_t read(std::span<uint8_t> bytes, int) override {
    if (board_.silent) return 0;
    if (board_.babbles) return bytes[0] = static_cast<uint8_t>(board_.random().u32()), 1;
    if (board_.to_host.empty()) board_.quiet();
    // In pieces, as a port gives them.
    size_t n = 0;
    const size_t most = 1 + board_.random().below(bytes.size());
    while (n < most && !board_.to_host.empty()) {
      bytes[n++] = board_.to_host.front();
      board_.to_host.pop_front();
    }
    return n;
  }

 private:
  FakeBoard& board_;
};

}  // namespace ttpu::test
