// An AXI4 memory with latency, bandwidth, random stalls, error regions, and the protocol's rules
// checked. An extension of tb::Controller; binds to any model through AxiSignals.
//
// Time: a read accepted at edge t has its first beat offered in cycle t + latency; a burst whose
// last W beat is accepted at edge t is answered from cycle t + latency. Beats move at
// bytes_per_cycle in each direction. Responses come in the order of their requests.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tb/axi_signals.h"
#include "tb/bits.h"
#include "tb/random.h"
#include "tb/report.h"
#include "tb/stall.h"

namespace tb {

enum AxiResponse : uint8_t { kOkay = 0, kSlaveError = 2, kDecodeError = 3 };

/// Addresses first .. last answer with `response`.
struct AxiErrorRegion {
  uint64_t first = 0, last = 0;
  AxiResponse response = kSlaveError;
  bool on_read = true, on_write = true;
};

/// In which order a slave takes address and data of a write (case C25).
enum class AxiWriteOrder {
  kAny,           ///< data may come before its address
  kAddressFirst,  ///< WREADY only after the address was taken
  kTogether,      ///< AWREADY and WREADY of a first beat only when both are valid
};

struct AxiMemoryOptions {
  uint64_t base = 0;             ///< AXI address of byte 0; others outside: DECERR
  uint32_t latency = 10;         ///< cycles, at least 1
  uint32_t latency_jitter = 0;   ///< a random 0 .. jitter is added to each burst
  uint32_t bytes_per_cycle = 0;  ///< 0 = the width of the bus
  uint64_t seed = 0;             ///< 0 = from the run's seed
  uint32_t stall_percent = 0;    ///< of each of the five channels
  uint32_t stall_longest = 4;
  uint32_t max_burst = 64;   ///< beats
  uint32_t max_reads = 256;  ///< read bursts in flight, more is a failure
  AxiWriteOrder write_order = AxiWriteOrder::kAny;
  uint32_t last_beat_delay = 0;  ///< WREADY stays low so many cycles on each last beat
  std::vector<AxiErrorRegion> errors = {};
  std::string name = "axi";
};

template <unsigned Bytes>
class AxiMemory {
 public:
  using Options = AxiMemoryOptions;

  /// `storage` stays with the caller.
  AxiMemory(AxiSignals<Bytes> signals, std::span<uint8_t> storage, Options options = {})
      : s_(signals), data_(storage), o_(std::move(options)), random_(o_.name) {
    if (o_.seed) random_.reseed(o_.seed);
    StallInjector* const all[] = {&ar_stall_, &r_stall_, &aw_stall_, &w_stall_, &b_stall_};
    static constexpr const char* kNames[] = {"AR", "R", "AW", "W", "B"};
    for (int i = 0; i < 5; ++i) {
      *all[i] = StallInjector(o_.name + " " + kNames[i], o_.stall_percent, o_.stall_longest);
      if (o_.seed) all[i]->reseed(o_.seed * 5 + static_cast<uint64_t>(i));
    }
    if (o_.latency == 0) o_.latency = 1;
    if (o_.bytes_per_cycle == 0 || o_.bytes_per_cycle > Bytes) o_.bytes_per_cycle = Bytes;
    s_.awready = s_.wready = s_.bvalid = s_.arready = s_.rvalid = 0;
  }

  /// Traffic so far.
  struct Statistics {
    uint64_t read_bursts = 0, read_beats = 0, write_bursts = 0, write_beats = 0;
    uint64_t written_bytes = 0, errors_answered = 0, max_reads_in_flight = 0;
  };
  const Statistics& statistics() const { return stats_; }
  const Options& options() const { return o_; }
  void set_errors(std::vector<AxiErrorRegion> errors) { o_.errors = std::move(errors); }
  const StallInjector& ar_stall() const { return ar_stall_; }
  const StallInjector& r_stall() const { return r_stall_; }
  const StallInjector& aw_stall() const { return aw_stall_; }
  const StallInjector& w_stall() const { return w_stall_; }
  const StallInjector& b_stall() const { return b_stall_; }
  /// Stalls of all channels.
  uint64_t stalls() const {
    return ar_stall_.count() + r_stall_.count() + aw_stall_.count() + w_stall_.count() +
           b_stall_.count();
  }
  /// Fails unless each channel that carried traffic was held back at least once.
  void expect_stalled() const {
    if (stats_.read_bursts) ar_stall_.expect_stalled(), r_stall_.expect_stalled();
    if (stats_.write_bursts)
      aw_stall_.expect_stalled(), w_stall_.expect_stalled(), b_stall_.expect_stalled();
  }
  /// Nothing accepted and not answered.
  bool quiet() const { return reads_.empty() && writes_.empty() && early_.empty(); }

  void before_clock() {
    ++cycle_;
    if (reads_.empty() & writes_.empty() & !s_.arvalid & !s_.awvalid & !s_.wvalid &
        (o_.stall_percent == 0)) {
      idle();
      return;
    }
    drive_read();
    drive_write();
  }

  void at_clock() {
    check_stable();
    if (s_.arvalid & s_.arready) take_read();
    if (s_.rvalid & s_.rready) end_read_beat();
    if (s_.awvalid & s_.awready) take_write();
    if (s_.wvalid & s_.wready) take_data();
    if (s_.bvalid & s_.bready) {
      writes_.pop();
      b_held_ = false;
    }
  }

  void finish() {
    if (!quiet())
      violation(format("ends with work open: %zu reads, %zu writes, %zu beats without address",
                       reads_.size(), writes_.size(), early_.size()));
  }

 private:
  static constexpr size_t kQueue = 512;

  /// A burst that was accepted.
  struct Burst {
    uint64_t addr = 0;   ///< of the first beat, aligned to the bus
    uint64_t ready = 0;  ///< cycle from which it may be answered
    uint32_t beats = 0, beat = 0;
    uint8_t id = 0;
    uint8_t response = kOkay;
    bool complete = false;  ///< write: all beats taken
  };
  struct Beat {
    typename AxiSignals<Bytes>::Data data;
    typename AxiSignals<Bytes>::Strobe strobe;
    uint8_t last;
  };
  /// Fixed ring: nothing is allocated in a cycle.
  template <class T>
  class Ring {
   public:
    bool empty() const { return head_ == tail_; }
    size_t size() const { return tail_ - head_; }
    bool full() const { return size() == kQueue; }
    T& front() { return items_[head_ % kQueue]; }
    T& at(size_t i) { return items_[(head_ + i) % kQueue]; }
    T& push() { return items_[tail_++ % kQueue]; }
    void pop() { ++head_; }

   private:
    std::vector<T> items_ = std::vector<T>(kQueue);
    size_t head_ = 0, tail_ = 0;
  };

  void idle() {
    // Ready in advance, so that an address is taken in its first cycle.
    s_.rvalid = s_.bvalid = 0;
    s_.arready = 1;
    s_.awready = o_.write_order != AxiWriteOrder::kTogether;
    s_.wready = o_.write_order == AxiWriteOrder::kAny && early_.empty() && !o_.last_beat_delay;
    read_credit_ = write_credit_ = Bytes;
  }

  // ---- read -----------------------------------------------------------------------------------
  void drive_read() {
    s_.arready = !reads_.full() && !ar_stall_.stall(s_.arvalid);
    if (read_credit_ < Bytes) read_credit_ += o_.bytes_per_cycle;
    if (r_held_) return;  // an offer stands until it is taken
    s_.rvalid = 0;
    if (reads_.empty()) return;
    Burst& b = reads_.front();
    if (b.ready > cycle_ || read_credit_ < Bytes || r_stall_.stall()) return;
    const uint64_t addr = b.addr + uint64_t{b.beat} * Bytes;
    s_.rresp = respond(addr, true);
    if (s_.rresp == kOkay)
      std::memcpy(bytes_of(s_.rdata), &data_[addr - o_.base], Bytes);
    else
      std::memset(bytes_of(s_.rdata), 0xee, Bytes);
    s_.rid = b.id;
    s_.rlast = b.beat + 1 == b.beats;
    s_.rvalid = 1;
    r_held_ = true;
    read_credit_ -= Bytes;
  }
  void take_read() {
    check_burst("AR", s_.araddr, s_.arlen, s_.arsize, s_.arburst);
    Burst& b = reads_.push();
    b = {s_.araddr / Bytes * Bytes, cycle_ + latency(), s_.arlen + 1u, 0, s_.arid, kOkay, false};
    ++stats_.read_bursts;
    stats_.max_reads_in_flight = std::max<uint64_t>(stats_.max_reads_in_flight, reads_.size());
    if (reads_.size() > o_.max_reads)
      violation(
          format("AR: %zu read bursts in flight, at most %u allowed", reads_.size(), o_.max_reads));
  }
  void end_read_beat() {
    r_held_ = false;
    ++stats_.read_beats;
    stats_.errors_answered += s_.rresp != kOkay;
    Burst& b = reads_.front();
    if (++b.beat == b.beats) reads_.pop();
  }

  // ---- write ----------------------------------------------------------------------------------
  void drive_write() {
    if (write_credit_ < Bytes) write_credit_ += o_.bytes_per_cycle;
    const bool waiting = first_open() < writes_.size();  // an address without all of its data
    bool aw = !writes_.full() && !aw_stall_.stall(s_.awvalid);
    bool w = write_credit_ >= Bytes && !w_stall_.stall(s_.wvalid);
    if (s_.wvalid && s_.wlast && last_waited_ < o_.last_beat_delay) {
      ++last_waited_;
      w = false;
    }
    switch (o_.write_order) {
      case AxiWriteOrder::kAny:
        w = w && !early_.full();
        break;
      case AxiWriteOrder::kAddressFirst:
        w = w && waiting;
        break;
      case AxiWriteOrder::kTogether:
        aw = aw && !waiting && s_.awvalid && s_.wvalid && w;
        w = w && (waiting || aw);
        break;
    }
    s_.awready = aw;
    s_.wready = w;
    if (b_held_) return;
    s_.bvalid = 0;
    if (writes_.empty()) return;
    const Burst& b = writes_.front();
    if (!b.complete || b.ready > cycle_ || b_stall_.stall()) return;
    s_.bid = b.id;
    s_.bresp = b.response;
    s_.bvalid = 1;
    b_held_ = true;
    ++stats_.write_bursts;
    stats_.errors_answered += b.response != kOkay;
  }
  /// Index of the first burst whose data is not complete. Bursts complete in order.
  size_t first_open() {
    size_t i = 0;
    while (i < writes_.size() && writes_.at(i).complete) ++i;
    return i;
  }
  void take_write() {
    check_burst("AW", s_.awaddr, s_.awlen, s_.awsize, s_.awburst);
    Burst& b = writes_.push();
    b = {s_.awaddr / Bytes * Bytes, 0, s_.awlen + 1u, 0, s_.awid, kOkay, false};
    while (!early_.empty() && !b.complete) {
      const Beat& e = early_.front();
      store(b, e.data, e.strobe, e.last);
      early_.pop();
    }
  }
  void take_data() {
    write_credit_ -= Bytes;
    last_waited_ = 0;
    ++stats_.write_beats;
    const size_t open = first_open();
    if (open < writes_.size()) {
      store(writes_.at(open), s_.wdata, s_.wstrb, s_.wlast);
    } else {
      early_.push() = {s_.wdata, s_.wstrb, s_.wlast};
    }
  }
  void store(Burst& b, const typename AxiSignals<Bytes>::Data& data,
             const typename AxiSignals<Bytes>::Strobe& strobe, bool last) {
    const uint64_t addr = b.addr + uint64_t{b.beat} * Bytes;
    const uint8_t response = respond(addr, false);
    ++b.beat;
    if (last != (b.beat == b.beats))
      violation(format("W: WLAST is %d on beat %u of %u of the burst at 0x%llx", last, b.beat,
                       b.beats, ull(b.addr)));
    if (response != kOkay) {
      b.response = std::max(b.response, response);
    } else {
      uint8_t* to = &data_[addr - o_.base];
      const uint8_t* from = bytes_of(data);
      uint64_t mask = 0;
      std::memcpy(&mask, bytes_of(strobe), (Bytes + 7) / 8);
      stats_.written_bytes += static_cast<uint64_t>(__builtin_popcountll(mask));
      if (mask == (Bytes == 64 ? ~0ull : (1ull << (Bytes % 64)) - 1)) {
        std::memcpy(to, from, Bytes);
      } else {
        for (; mask; mask &= mask - 1) {
          const int i = __builtin_ctzll(mask);
          to[i] = from[i];
        }
      }
    }
    if (b.beat == b.beats) {
      b.complete = true;
      b.ready = cycle_ + latency();
    }
  }

  // ---- common ---------------------------------------------------------------------------------
  uint64_t latency() {
    return o_.latency + (o_.latency_jitter ? random_.below(o_.latency_jitter + 1ull) : 0);
  }
  uint8_t respond(uint64_t addr, bool read) const {
    if (addr < o_.base || addr - o_.base + Bytes > data_.size()) return kDecodeError;
    for (const AxiErrorRegion& e : o_.errors)
      if (addr + Bytes > e.first && addr <= e.last && (read ? e.on_read : e.on_write))
        return e.response;
    return kOkay;
  }
  void check_burst(const char* channel, uint64_t addr, uint32_t len, const CData* size,
                   const CData* burst) {
    const uint64_t first = addr / Bytes * Bytes, end = first + (uint64_t{len} + 1) * Bytes;
    if (addr / 4096 != (end - 1) / 4096)
      violation(
          format("%s: burst 0x%llx .. 0x%llx crosses 4 KiB", channel, ull(addr), ull(end - 1)));
    if (len + 1 > o_.max_burst)
      violation(
          format("%s: burst of %u beats, at most %u allowed", channel, len + 1, o_.max_burst));
    if (size && (1u << *size) != Bytes)
      violation(format("%s: size %u, the bus has %u bytes", channel, *size, Bytes));
    if (burst && *burst != 1)
      violation(format("%s: burst type %u, expected 1 (INCR)", channel, *burst));
  }
  /// Valid and payload must stand until ready.
  void check_stable() {
    if (ar_was_.held)
      check_same("AR", s_.arvalid,
                 s_.araddr == ar_was_.addr && s_.arlen == ar_was_.len && s_.arid == ar_was_.id);
    if (aw_was_.held)
      check_same("AW", s_.awvalid,
                 s_.awaddr == aw_was_.addr && s_.awlen == aw_was_.len && s_.awid == aw_was_.id);
    if (w_held_)
      check_same("W", s_.wvalid,
                 s_.wlast == w_was_.last &&
                     std::memcmp(&s_.wstrb, &w_was_.strobe, sizeof w_was_.strobe) == 0 &&
                     std::memcmp(&s_.wdata, &w_was_.data, sizeof w_was_.data) == 0);
    ar_was_.held = s_.arvalid & !s_.arready;
    if (ar_was_.held) ar_was_.addr = s_.araddr, ar_was_.len = s_.arlen, ar_was_.id = s_.arid;
    aw_was_.held = s_.awvalid & !s_.awready;
    if (aw_was_.held) aw_was_.addr = s_.awaddr, aw_was_.len = s_.awlen, aw_was_.id = s_.awid;
    w_held_ = s_.wvalid & !s_.wready;
    if (w_held_) w_was_ = {s_.wdata, s_.wstrb, s_.wlast};
  }
  void check_same(const char* channel, bool valid, bool same) {
    if (!valid)
      violation(format("%s: valid fell before ready", channel));
    else if (!same)
      violation(format("%s: payload changed while it waited for ready", channel));
  }
  [[gnu::noinline]] void violation(const std::string& what) {
    fail(format("%s: cycle %llu: %s", o_.name.c_str(), ull(cycle_), what.c_str()));
  }
  static unsigned long long ull(uint64_t v) { return v; }

  AxiSignals<Bytes> s_;
  std::span<uint8_t> data_;
  Options o_;
  Random random_;
  StallInjector ar_stall_, r_stall_, aw_stall_, w_stall_, b_stall_;
  Ring<Burst> reads_, writes_;
  Ring<Beat> early_;
  uint64_t cycle_ = 0;
  int64_t read_credit_ = Bytes, write_credit_ = Bytes;
  uint32_t last_waited_ = 0;
  bool r_held_ = false, b_held_ = false, w_held_ = false;
  struct {
    uint64_t addr;
    uint8_t len, id;
    bool held;
  } ar_was_{}, aw_was_{};
  Beat w_was_{};
  Statistics stats_;
};

}  // namespace tb
