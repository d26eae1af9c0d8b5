// A single-data-rate SDRAM at a controller's pins: stores data and checks the data sheet's rules.
//
// The SDRAM's clock is the controller's, inverted: it takes a command in the middle of the cycle
// behind the edge at which the controller's registers put it out. A word read is valid on the
// controller's pins only in its eye (tAC to tOH, later by the way out and back); anywhere else they
// carry random bits, and so does a lane that is masked. Burst length 1, no auto precharge.
//
// Each broken rule is counted under its name and reported with the clock: through tb::fail, or not
// at all with `expect_violations`.
#pragma once
#include <array>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tb/axi_signals.h"
#include "tb/random.h"
#include "tb/report.h"

namespace tb {

/// A part's data sheet; times in picoseconds.
struct SdramPart {
  const char* name;
  uint32_t data_bits, row_bits, bank_bits, col_bits;
  int64_t rcd, rp, ras, ras_max, rc, rrd, rfc, wr;
  uint32_t wr_clocks, mrd_clocks, init_refreshes;
  int64_t ac2, ac3;          ///< clock to data, CAS latency 2 and 3
  int64_t oh, hz;            ///< data held after the clock, off after the clock
  int64_t period2, period3;  ///< shortest clock, CAS latency 2 and 3
  int64_t power_up, refresh_window;
  uint32_t refresh_rows;

  constexpr uint64_t bytes() const {
    return uint64_t{data_bits / 8} << (row_bits + bank_bits + col_bits);
  }
};

namespace sdram {
// What boards carry; the times are the slowest of the usual speed grades.
inline constexpr SdramPart kMt48lc16m16 = {"MT48LC16M16A2-75",
                                           16,
                                           13,
                                           2,
                                           9,
                                           20'000,
                                           20'000,
                                           44'000,
                                           120'000'000,
                                           66'000,
                                           15'000,
                                           66'000,
                                           15'000,
                                           2,
                                           2,
                                           2,
                                           6'000,
                                           5'400,
                                           2'700,
                                           7'000,
                                           10'000,
                                           7'500,
                                           100'000'000,
                                           64'000'000'000,
                                           8192};
inline constexpr SdramPart kAs4c32m16 = {"AS4C32M16SB-7",
                                         16,
                                         13,
                                         2,
                                         10,
                                         21'000,
                                         21'000,
                                         42'000,
                                         120'000'000,
                                         63'000,
                                         14'000,
                                         63'000,
                                         14'000,
                                         2,
                                         2,
                                         2,
                                         6'000,
                                         5'400,
                                         2'500,
                                         6'000,
                                         10'000,
                                         7'000,
                                         200'000'000,
                                         64'000'000'000,
                                         8192};
inline constexpr SdramPart kGw2ar18 = {"GW2AR-18, 2M x 32",
                                       32,
                                       11,
                                       2,
                                       8,
                                       18'000,
                                       18'000,
                                       42'000,
                                       100'000'000,
                                       60'000,
                                       12'000,
                                       60'000,
                                       12'000,
                                       2,
                                       2,
                                       2,
                                       6'000,
                                       5'500,
                                       2'500,
                                       6'000,
                                       10'000,
                                       6'000,
                                       200'000'000,
                                       64'000'000'000,
                                       4096};
}  // namespace sdram

/// The pins, seen from the SDRAM.
template <unsigned Bits>
struct SdramPins {
  using Data = PortOf<Bits>;
  const CData &cke, &cs_n, &ras_n, &cas_n, &we_n, &ba;
  const SData& addr;
  const CData& dqm;
  const Data &dq_from, &dq_oe;
  Data& dq_to;
};
#define TTPU_BIND_SDRAM(Bits, m)                                                              \
  tb::SdramPins<Bits> {                                                                       \
    (m).sdram_cke_o, (m).sdram_cs_no, (m).sdram_ras_no, (m).sdram_cas_no, (m).sdram_we_no,    \
        (m).sdram_ba_o, (m).sdram_addr_o, (m).sdram_dqm_o, (m).sdram_dq_o, (m).sdram_dq_oe_o, \
        (m).sdram_dq_i                                                                        \
  }

template <unsigned Bits>
class SdramModel {
 public:
  /// `clock_ps`: the controller's period. `way_ps`: from the register of the SDRAM's clock to the
  /// SDRAM, and from its data pins to the register that takes them.
  SdramModel(SdramPins<Bits> pins, const SdramPart& part, int64_t clock_ps, int64_t way_ps)
      : pins_(pins),
        part_(part),
        period_(clock_ps),
        way_(way_ps),
        data_(static_cast<uint8_t*>(std::calloc(part.bytes(), 1))),
        banks_(1u << part.bank_bits) {
    if (part.data_bits != Bits || !data_) throw BenchError("SdramModel: part and pins differ");
  }

  bool expect_violations = false;  ///< count, do not report
  uint64_t first_cycle = 0;        ///< the controller's cycle at the model's first edge
  std::map<std::string, uint64_t> violations;
  uint64_t reads = 0, writes = 0, activates = 0, precharges = 0, refreshes = 0;
  int64_t longest_refresh_gap = 0;  ///< ps

  /// Bytes, without a clock: row, bank, column, from high to low.
  uint8_t* bytes() { return data_.get(); }
  const SdramPart& part() const { return part_; }
  uint64_t edges() const { return edge_; }

  /// The controller was reset: it has to start over. Contents and open banks stay.
  void restart() {
    start_ = edge_;
    mode_set_ = precharged_ = false;
    init_refreshes_ = 0;
    refresh_times_.clear();
  }

  /// The controller's falling edge: the SDRAM's rising one.
  void before_clock() {
    now_ = static_cast<int64_t>(edge_) * period_;
    command();
    dqm_[edge_ % dqm_.size()] = pins_.dqm;
    sample(now_);
    ++edge_;
  }
  /// The controller's rising edge comes next.
  void at_clock() { sample(now_ + period_ / 2); }
  void finish() {
    if (!refresh_times_.empty()) refreshed_until(now_);
  }

 private:
  struct Bank {
    bool open = false;
    uint32_t row = 0;
    int64_t active = kNever, precharge = kNever, write = kNever;
    uint64_t write_edge = 0;
  };
  struct Read {
    uint64_t edge;
    uint32_t latency;
    uint32_t word;
  };
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  static constexpr int64_t kNever = -1'000'000'000'000'000;
  static constexpr int64_t kSetup = 500;  ///< of the register that takes the data
  static constexpr uint32_t kRateRows = 64;

  void violate(const char* rule, const std::string& what) {
    if (violations[rule]++ || expect_violations) return;
    fail(format("%s: cycle %llu: rule %s: %s", part_.name,
                static_cast<unsigned long long>(first_cycle + edge_), rule, what.c_str()));
  }
  void at_least(const char* rule, int64_t since, int64_t limit, const char* what) {
    if (now_ - since < limit)
      violate(rule, format("%s: %.1f ns, at least %.1f ns", what, double(now_ - since) / 1000,
                           double(limit) / 1000));
  }
  uint64_t offset(uint32_t bank, uint32_t row, uint32_t col) const {
    return ((uint64_t{row} << part_.bank_bits | bank) << part_.col_bits | col) * (Bits / 8);
  }
  bool all_closed() const {
    for (const Bank& b : banks_)
      if (b.open) return false;
    return true;
  }

  void command() {
    const bool drives = pins_.dq_oe != 0;
    if (drives) contention();
    driven_before_ = driven_;
    driven_ = pins_.dq_oe == static_cast<typename SdramPins<Bits>::Data>(~0ull);
    if (!pins_.cke) {
      if (edge_ - start_ > 8)
        violate("CKE", "low: self refresh and power down are not for this model");
      return;
    }
    const int code = pins_.cs_n ? 7 : pins_.ras_n << 2 | pins_.cas_n << 1 | pins_.we_n;
    if (drives && code == 5) violate("DQ drive", "the controller drives DQ in a READ");
    if (code == 7) return;
    const int64_t up = now_ - static_cast<int64_t>(start_) * period_;
    if (up < part_.power_up)
      violate("power-up", format("a command after %.1f us, at least %.1f us", double(up) / 1e6,
                                 double(part_.power_up) / 1e6));
    at_least("tRFC", refresh_, part_.rfc, "REFRESH to a command");
    if (mode_set_ && edge_ - mode_edge_ < part_.mrd_clocks)
      violate("tMRD",
              format("%llu clocks, at least %u",
                     static_cast<unsigned long long>(edge_ - mode_edge_), part_.mrd_clocks));
    const uint32_t b = pins_.ba;
    if (b >= banks_.size()) return violate("address", "no such bank");
    if (!mode_set_ && (code == 3 || code == 4 || code == 5))
      violate("init", "ACTIVE, READ or WRITE before the mode is set");
    switch (code) {
      case 0:
        return set_mode();
      case 1:
        return refresh();
      case 2:
        return precharge(b);
      case 3:
        return active(b);
      case 4:
        return write(b);
      case 5:
        return read(b);
      default:
        violate("command", "BURST TERMINATE: there are no bursts");
    }
  }

  void active(uint32_t b) {
    Bank& bank = banks_[b];
    ++activates;
    if (bank.open) violate("bank state", format("ACTIVE of bank %u, which is open", b));
    if (pins_.addr >> part_.row_bits) violate("address", "a row beyond the last");
    at_least("tRP", bank.precharge, part_.rp, "PRECHARGE to ACTIVE");
    at_least("tRC", bank.active, part_.rc, "ACTIVE to ACTIVE of a bank");
    for (const Bank& other : banks_)
      if (&other != &bank) at_least("tRRD", other.active, part_.rrd, "ACTIVE to ACTIVE");
    bank.open = true;
    bank.row = pins_.addr;
    bank.active = now_;
  }
  /// What READ and WRITE have in common; the word's place.
  uint8_t* column(uint32_t b) {
    const Bank& bank = banks_[b];
    if (!bank.open) violate("bank state", format("a word of bank %u, which is closed", b));
    at_least("tRCD", bank.active, part_.rcd, "ACTIVE to READ or WRITE");
    if (bank.open && now_ - bank.active > part_.ras_max)
      violate("tRAS max", "a row is open for too long");
    if (pins_.addr >> part_.col_bits) violate("address", "A10 or a column beyond the last");
    return data_.get() + offset(b, bank.row, pins_.addr & ((1u << part_.col_bits) - 1));
  }
  void write(uint32_t b) {
    ++writes;
    uint8_t* place = column(b);
    if (!driven_) violate("DQ drive", "the controller does not drive all of DQ in a WRITE");
    if (driven_ && !driven_before_)
      violate("DQ early", "the controller drives DQ from a WRITE on, not from a clock before it");
    for (uint32_t i = 0; i < Bits / 8; ++i)
      if (!(pins_.dqm >> i & 1)) place[i] = static_cast<uint8_t>(pins_.dq_from >> 8 * i);
    banks_[b].write = now_;
    banks_[b].write_edge = edge_;
  }
  void read(uint32_t b) {
    ++reads;
    const uint8_t* place = column(b);
    uint32_t word = 0;
    for (uint32_t i = 0; i < Bits / 8; ++i) word |= uint32_t{place[i]} << 8 * i;
    if (period_ < (latency_ == 2 ? part_.period2 : part_.period3))
      violate("CAS latency", format("%u at %.2f ns a clock", latency_, double(period_) / 1000));
    reads_.push_back({edge_, latency_, word});
    if (reads_.size() > 8) reads_.pop_front();
  }
  void precharge(uint32_t b) {
    const bool all = pins_.addr >> 10 & 1;
    ++precharges;
    for (uint32_t i = 0; i < banks_.size(); ++i) {
      Bank& bank = banks_[i];
      if (!all && i != b) continue;
      if (bank.open) {
        at_least("tRAS", bank.active, part_.ras, "ACTIVE to PRECHARGE");
        at_least("tWR", bank.write, part_.wr, "WRITE to PRECHARGE");
        if (bank.write != kNever && edge_ - bank.write_edge < part_.wr_clocks)
          violate("tWR", "too few clocks from WRITE to PRECHARGE");
        if (mode_set_ && now_ - bank.active > part_.ras_max)
          violate("tRAS max", "a row is open for too long");
      }
      bank.open = false;
      bank.precharge = now_;
    }
    if (all) precharged_ = true;
  }
  void refresh() {
    if (!all_closed()) violate("bank state", "REFRESH with an open bank");
    if (!precharged_) violate("init", "REFRESH before PRECHARGE of all banks");
    for (const Bank& b : banks_) at_least("tRP", b.precharge, part_.rp, "PRECHARGE to REFRESH");
    ++refreshes, ++init_refreshes_;
    refresh_ = now_;
    if (mode_set_) {
      if (!refresh_times_.empty())
        longest_refresh_gap = std::max(longest_refresh_gap, now_ - refresh_times_.back());
      refreshed_until(now_);
      refresh_times_.push_back(now_);
      if (refresh_times_.size() > part_.refresh_rows) refresh_times_.pop_front();
    }
  }
  /// Every window of 64 ms refreshes all rows: so the refresh of `refresh_rows` ago is not older.
  /// And in shorter time, as a test may last: 64 refreshes take 65 even shares of it at most.
  void refreshed_until(int64_t time) {
    const int64_t share = part_.refresh_window / part_.refresh_rows;
    const size_t n = refresh_times_.size();
    if (n == part_.refresh_rows && time - refresh_times_.front() > part_.refresh_window)
      violate("refresh window", format("%u refreshes in %.3f ms", part_.refresh_rows,
                                       double(time - refresh_times_.front()) / 1e9));
    const size_t k = std::min<size_t>(n, kRateRows);
    const int64_t age = time - refresh_times_[n - k];
    if (age > static_cast<int64_t>(k + 1) * share)
      violate("refresh rate", format("%zu refreshes in %.1f us, at most %.1f us", k,
                                     double(age) / 1e6, double((k + 1) * share) / 1e6));
  }
  void set_mode() {
    if (!all_closed()) violate("bank state", "MODE with an open bank");
    for (const Bank& b : banks_) at_least("tRP", b.precharge, part_.rp, "PRECHARGE to MODE");
    if (!precharged_ || init_refreshes_ < part_.init_refreshes)
      violate("init",
              format("MODE after %llu refreshes, at least %u, and PRECHARGE of all banks",
                     static_cast<unsigned long long>(init_refreshes_), part_.init_refreshes));
    latency_ = pins_.addr >> 4 & 7;
    if (latency_ != 2 && latency_ != 3) violate("mode", format("CAS latency %u", latency_));
    if ((pins_.addr & ~0x270) || pins_.ba) violate("mode", "not single words in rising order");
    if (mode_set_) violate("mode", "set twice");
    mode_set_ = true;
    mode_edge_ = edge_;
    refresh_times_.push_back(now_);
  }

  /// The controller drives DQ from half a clock before this edge to half a clock after it.
  void contention() {
    for (const Read& r : reads_) {
      const int64_t out = static_cast<int64_t>(r.edge + r.latency) * period_;
      if (now_ - period_ / 2 < out + part_.hz && now_ + period_ / 2 > out - period_)
        violate("DQ contention", "the controller and the SDRAM drive DQ");
    }
  }
  void sample(int64_t time) {
    uint32_t value = random_.u32();
    for (const Read& r : reads_) {
      const int64_t out = static_cast<int64_t>(r.edge + r.latency) * period_ + way_;
      const int64_t ac = r.latency == 2 ? part_.ac2 : part_.ac3;
      if (time < out - period_ + ac + kSetup || time > out + part_.oh) continue;
      const uint32_t mask = dqm_[(r.edge + r.latency - 2) % dqm_.size()];
      for (uint32_t i = 0; i < Bits / 8; ++i)
        if (!(mask >> i & 1)) value = (value & ~(0xffu << 8 * i)) | (r.word & 0xffu << 8 * i);
    }
    pins_.dq_to = static_cast<typename SdramPins<Bits>::Data>(value);
  }

  SdramPins<Bits> pins_;
  SdramPart part_;
  int64_t period_, way_, now_ = 0;
  uint64_t edge_ = 0, mode_edge_ = 0, start_ = 0, init_refreshes_ = 0;
  std::unique_ptr<uint8_t, Free> data_;
  std::vector<Bank> banks_;
  std::deque<Read> reads_;
  std::array<uint8_t, 16> dqm_{};
  std::deque<int64_t> refresh_times_;
  int64_t refresh_ = kNever;
  uint32_t latency_ = 3;
  bool mode_set_ = false, precharged_ = false;
  bool driven_ = false, driven_before_ = false;  ///< all of DQ, at this edge and the one before
  Random random_{"sdram"};
};

}  // namespace tb
