#include "runtime/board/board_link.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "runtime/device.h"

namespace ttpu {

using Clock = std::chrono::steady_clock;
using uart::Status;

uint32_t uart::crc(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(::crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

namespace {

void append_word(std::vector<uint8_t>& bytes, uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
}
uint32_t word_at(const uint8_t* p) {
  return p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}

}  // namespace

LinkOptions link_options() {
  LinkOptions options;
  const char* text = std::getenv("TTPU_BOARD_REPLY_MS");
  const int wanted = std::min(text ? std::atoi(text) : 0, 60000);
  if (wanted > options.reply_ms) {
    options.quiet_ms = options.quiet_ms * wanted / options.reply_ms;
    options.reply_ms = wanted;
  }
  return options;
}

BoardLink::BoardLink(std::unique_ptr<ByteStream> stream, std::string name, LinkOptions options)
    : stream_(std::move(stream)), name_(std::move(name)), options_(options) {
  // An earlier host's half frame ends by itself; its late replies carry other numbers, mostly.
  wait_quiet();
  number_ = static_cast<uint8_t>(Clock::now().time_since_epoch().count() >> 10);
  const Reply r = request(uart::kPing, 0, 0, {});
  if (r.status != Status::Okay || r.words.size() != 2 || r.words[0] != uart::kMagic)
    throw DeviceError(fmt::format(
        "{} answers, but is no torus-tpu board of this version (first word {:08x}, expected "
        "{:08x}): load the bitstream of this release",
        name_, r.words.empty() ? 0 : r.words[0], uart::kMagic));
  memory_bytes_ = r.words[1];
}

void BoardLink::wait_quiet() {
  uint8_t dropped[256];
  const auto limit = Clock::now() + std::chrono::milliseconds(20 * options_.quiet_ms);
  while (stream_->read(dropped, options_.quiet_ms) != 0) {
    if (Clock::now() > limit)
      throw DeviceError(fmt::format(
          "{} never falls silent: that is no torus-tpu board, or its baud rate is another; see "
          "`ttpu board list`",
          name_));
  }
}

/// The reply with this number; nothing if it does not come in time or is damaged beyond doubt.
std::optional<BoardLink::Reply> BoardLink::receive(uint8_t number) {
  std::vector<uint8_t> got;
  const auto limit = Clock::now() + std::chrono::milliseconds(options_.reply_ms);
  for (;;) {
    // Look at every sync byte: one may be noise, with the frame behind it.
    for (size_t at = 0; at + 8 <= got.size(); ++at) {
      const uint8_t* f = got.data() + at;
      if (f[0] != uart::kSyncOut) continue;
      const bool data = f[2] & uart::kHasData;
      const size_t count = f[3], body = 4 + (data ? 4 * count : 0);
      if (count > uart::kMaxWords || at + body + 4 > got.size()) continue;
      if (uart::crc({f + 1, body - 1}) != word_at(f + body)) continue;
      const auto status = static_cast<Status>(f[2] & 7);
      if (status == Status::BadFrame) {  // of whatever number: say it again
        ++counters_.refused_frames;
        return std::nullopt;
      }
      if (f[1] != number) continue;  // late, of an earlier request
      Reply r{status, f[3], {}};
      for (size_t i = 0; data && i < count; ++i) r.words.push_back(word_at(f + 4 + 4 * i));
      return r;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(limit - Clock::now()).count();
    uint8_t chunk[512];
    // Once bytes came, silence is the end of them.
    const int wait = got.empty() ? static_cast<int>(left) : std::min<int>(left, options_.quiet_ms);
    const size_t n = left > 0 ? stream_->read(chunk, wait) : 0;
    if (n == 0) {
      ++(got.empty() ? counters_.timeouts : counters_.damaged);
      return std::nullopt;
    }
    got.insert(got.end(), chunk, chunk + n);
    if (got.size() > 8192) return std::nullopt;
  }
}

BoardLink::Reply BoardLink::request(uint8_t command, uint32_t addr, uint8_t count,
                                    std::span<const uint32_t> words) {
  ++number_;
  std::vector<uint8_t> frame = {uart::kSyncIn,
                                number_,
                                command,
                                count,
                                static_cast<uint8_t>(addr),
                                static_cast<uint8_t>(addr >> 8),
                                static_cast<uint8_t>(addr >> 16),
                                static_cast<uint8_t>(addr >> 24)};
  for (const uint32_t w : words) append_word(frame, w);
  append_word(frame, uart::crc({frame.data() + 1, frame.size() - 1}));
  ++counters_.requests;
  int silent = 0;  // tries without a single byte
  for (int attempt = 0; attempt <= options_.retries; ++attempt) {
    if (attempt > 0) {
      ++counters_.retries;
      wait_quiet();
    }
    stream_->write(frame);
    const uint64_t timeouts = counters_.timeouts;
    if (auto reply = receive(number_)) {
      if (reply->status == Status::NotGreeted)
        throw DeviceError(fmt::format(
            "{}: the board was reset in the middle: what it held is lost; start again", name_));
      if (reply->status == Status::Hung)
        throw DeviceError(fmt::format(
            "{}: the chip does not answer an access to 0x{:06x}: reset the board", name_, addr));
      adapt(attempt > 1, attempt == 0);
      return *reply;
    }
    silent = counters_.timeouts > timeouts ? silent + 1 : 0;
    if (silent == 4) break;
  }
  if (silent)
    throw DeviceError(fmt::format(
        "{} is silent ({} tries of {} ms): check that the bitstream is loaded, the port "
        "(`ttpu board list`) and the baud rate (board:PORT:BAUD)",
        name_, silent, options_.reply_ms));
  throw DeviceError(fmt::format(
      "{}: no undamaged answer in {} tries: check the baud rate (board:PORT:BAUD) and the cable",
      name_, options_.retries + 1));
}

void BoardLink::adapt(bool retried_often, bool clean) {
  constexpr uint32_t kSmallest = 4, kCleanRow = 32;
  clean_ = clean ? clean_ + 1 : 0;
  if (retried_often) chunk_ = std::max(kSmallest, chunk_ / 2);
  if (clean_ >= kCleanRow) {
    clean_ = 0;
    chunk_ = std::min(uart::kMaxWords, chunk_ * 2);
  }
}

void BoardLink::check(const Reply& reply, uint8_t command, uint32_t addr, uint8_t count) const {
  if (reply.status == Status::Okay && reply.count == count) return;
  const uint32_t at = addr + (command & uart::kFixed ? 0 : 4u * reply.count);
  throw DeviceError(fmt::format("{}: the chip refused the {} of {} 0x{:06x}", name_,
                                command & uart::kWrite ? "write" : "read",
                                command & uart::kMemory ? "memory at" : "register", at));
}

void BoardLink::write(uint32_t addr, std::span<const uint32_t> words, bool memory, bool fixed) {
  const auto command = static_cast<uint8_t>(
      uart::kAccess | uart::kWrite | (memory ? uart::kMemory : 0) | (fixed ? uart::kFixed : 0));
  while (!words.empty()) {
    const size_t n = std::min<size_t>(words.size(), chunk_);
    const auto count = static_cast<uint8_t>(n);
    check(request(command, addr, count, words.first(n)), command, addr, count);
    words = words.subspan(n);
    if (!fixed) addr += static_cast<uint32_t>(4 * n);
  }
}

std::optional<uint32_t> BoardLink::peek(uint32_t addr) {
  constexpr uint8_t kCommand = uart::kAccess | uart::kMemory;
  const Reply r = request(kCommand, addr, 1, {});
  if (r.status == Status::Refused && r.count == 0) return std::nullopt;
  check(r, kCommand, addr, 1);
  return r.words.at(0);
}

void BoardLink::read(uint32_t addr, std::span<uint32_t> words, bool memory, bool fixed) {
  const auto command = static_cast<uint8_t>(uart::kAccess | (memory ? uart::kMemory : 0) |
                                            (fixed ? uart::kFixed : 0));
  while (!words.empty()) {
    const size_t n = std::min<size_t>(words.size(), chunk_);
    const auto count = static_cast<uint8_t>(n);
    const Reply r = request(command, addr, count, {});
    check(r, command, addr, count);
    if (r.words.size() != n)
      throw DeviceError(fmt::format("{}: a reply with {} words of {}", name_, r.words.size(), n));
    std::copy(r.words.begin(), r.words.end(), words.begin());
    words = words.subspan(n);
    if (!fixed) addr += static_cast<uint32_t>(4 * n);
  }
}

}  // namespace ttpu
