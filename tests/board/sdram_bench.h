// Masters on all three ports of ttpu_sdram at once, against a reference memory; the SDRAM's model
// at its pins. What is in flight never overlaps with a write, so the order of ports is free.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/sdram_model.h"
#include "tb/stall.h"

namespace ttpu::test {

/// One burst, or the host's word (bytes of data say how long).
struct SdramOp {
  bool write = false, bad = false;
  uint64_t addr = 0;
  uint8_t id = 0;
  std::vector<uint8_t> data, strobe;  ///< strobe: a byte each, 0 or 1
  uint64_t start = 0;                 ///< cycle of the address
};

template <class Dut, unsigned DataBits, unsigned AxiBytes>
class SdramBench {
 public:
  using Model = tb::SdramModel<DataBits>;

  SdramBench(const tb::SdramPart& part, int64_t clock_ps, int64_t way_ps, uint32_t stall_percent)
      : ctl({.timeout_cycles = 60'000'000, .random_init_seed = 7, .name = "sdram"}),
        sdram(TTPU_BIND_SDRAM(DataBits, ctl.dut()), part, clock_ps, way_ps),
        aw_stall("aw", stall_percent),
        w_stall("w", stall_percent),
        b_stall("b", stall_percent),
        ar_stall("ar", stall_percent),
        r_stall("r", stall_percent),
        host_stall("host", stall_percent),
        copy_(part.bytes()) {
    auto& d = ctl.dut();
    d.s_axi_awvalid_i = d.s_axi_wvalid_i = d.s_axi_arvalid_i = d.mem_req_i = 0;
    d.s_axi_bready_i = d.s_axi_rready_i = 0;
    sdram.first_cycle = ctl.cycle();
    ctl.add(sdram);
    ctl.add(*this);
  }
  ~SdramBench() { ctl.finish(); }  // while the model is still there

  uint64_t bytes() const { return copy_.size(); }
  bool idle() const { return writes_.empty() && reads_.empty() && !host_busy_; }
  bool initialise() {
    return ctl.run_until([&] { return ctl.dut().ready_o; }, 100'000, "ready_o");
  }
  void drain(uint64_t limit = 200'000) {
    ctl.run_until([&] { return idle(); }, limit, "all");
  }

  /// Reset in the middle of everything; what was in flight is forgotten, also in the copy.
  void reset() {
    auto& d = ctl.dut();
    d.s_axi_awvalid_i = d.s_axi_wvalid_i = d.s_axi_arvalid_i = d.mem_req_i = 0;
    writes_.clear(), reads_.clear();
    aw_sent_ = w_op_ = ar_sent_ = w_byte_ = r_byte_ = 0;
    host_busy_ = host_done_ = aw_ = w_ = ar_ = false;
    ctl.reset();
    sdram.restart();
    std::memcpy(copy_.data(), sdram.bytes(), copy_.size());
  }

  /// Random bytes in the SDRAM and in the copy, without clocks.
  void poke(uint64_t addr, uint64_t size) {
    for (uint64_t a = addr; a < addr + size; ++a)
      sdram.bytes()[a] = copy_[a] = static_cast<uint8_t>(random.u32());
  }
  /// The SDRAM holds what it should, all of it.
  void expect_contents() {
    for (uint64_t a = 0; a < bytes(); ++a)
      if (sdram.bytes()[a] != copy_[a]) {
        ADD_FAILURE() << "byte 0x" << std::hex << a << ": expected " << int{copy_[a]} << ", got "
                      << int{sdram.bytes()[a]};
        return;
      }
  }

  /// Nothing in flight that a new access could disturb.
  bool clear_of(uint64_t addr, uint64_t size, bool write) const {
    const auto hits = [&](const SdramOp& o) {
      return (write || o.write) && !o.bad && addr < o.addr + o.data.size() && o.addr < addr + size;
    };
    return std::none_of(writes_.begin(), writes_.end(), hits) &&
           std::none_of(reads_.begin(), reads_.end(), hits) && !(host_busy_ && hits(host_));
  }
  /// A burst; `strobes`: percent of the bytes that are written. False if it has to wait.
  bool burst(bool write, uint64_t addr, uint32_t beats, uint32_t strobes = 100) {
    const bool bad = addr >= bytes();
    SdramOp o{write, bad, addr, static_cast<uint8_t>(random.below(16)), {}, {}, 0};
    if (!bad && !clear_of(addr, beats * AxiBytes, write)) return false;
    o.data.resize(beats * AxiBytes);
    o.strobe.resize(beats * AxiBytes);
    for (size_t i = 0; i < o.data.size(); ++i) {
      o.data[i] = static_cast<uint8_t>(random.u32());
      o.strobe[i] = random.chance(strobes);
      if (bad) continue;
      if (!write) o.data[i] = copy_[addr + i];
      if (write && o.strobe[i]) copy_[addr + i] = o.data[i];
    }
    (write ? writes_ : reads_).push_back(std::move(o));
    return true;
  }
  bool host(bool write, uint64_t addr) {
    const bool bad = addr >= bytes();
    if (host_busy_ || (!bad && !clear_of(addr, 4, write))) return false;
    host_ = {write, bad, addr, 0, std::vector<uint8_t>(4), {}, ctl.cycle()};
    for (size_t i = 0; i < 4; ++i) {
      host_.data[i] = write || bad ? static_cast<uint8_t>(random.u32()) : copy_[addr + i];
      if (write && !bad) copy_[addr + i] = host_.data[i];
    }
    host_busy_ = true;
    return true;
  }
  size_t waiting_writes() const { return writes_.size(); }
  size_t waiting_reads() const { return reads_.size(); }

  // ---- a clock ----
  void before_clock() {
    auto& d = ctl.dut();
    if (!d.s_axi_awvalid_i && aw_sent_ < writes_.size() && !aw_stall.stall()) {
      const SdramOp& o = writes_[aw_sent_];
      d.s_axi_awvalid_i = 1;
      d.s_axi_awaddr_i = o.addr + random.below(AxiBytes);  // bits below a beat do not count
      d.s_axi_awid_i = o.id;
      d.s_axi_awlen_i = static_cast<uint8_t>(o.data.size() / AxiBytes - 1);
    }
    if (!d.s_axi_wvalid_i && w_op_ < writes_.size() && !w_stall.stall() && !hold_w) {
      const SdramOp& o = writes_[w_op_];
      d.s_axi_wvalid_i = 1;
      for (uint32_t i = 0; i < AxiBytes; ++i) {
        tb::set_lane<uint8_t>(d.s_axi_wdata_i, i, o.data[w_byte_ + i]);
        tb::set_bits(d.s_axi_wstrb_i, i, 1, o.strobe[w_byte_ + i]);
      }
      d.s_axi_wlast_i = w_byte_ + AxiBytes == o.data.size();
    }
    if (!d.s_axi_arvalid_i && ar_sent_ < reads_.size() && !ar_stall.stall()) {
      const SdramOp& o = reads_[ar_sent_];
      d.s_axi_arvalid_i = 1;
      d.s_axi_araddr_i = o.addr + random.below(AxiBytes);
      d.s_axi_arid_i = o.id;
      d.s_axi_arlen_i = static_cast<uint8_t>(o.data.size() / AxiBytes - 1);
    }
    d.s_axi_bready_i = !b_stall.stall(d.s_axi_bvalid_o) && !hold_b;
    d.s_axi_rready_i = !r_stall.stall(d.s_axi_rvalid_o) && !hold_r;
    if (host_busy_ && !d.mem_req_i && !host_stall.stall()) {
      d.mem_req_i = 1;
      d.mem_we_i = host_.write;
      d.mem_addr_i = static_cast<uint32_t>(host_.addr);
      std::memcpy(&d.mem_wdata_i, host_.data.data(), 4);
      host_.start = ctl.cycle();
    }
  }
  void at_clock() {
    auto& d = ctl.dut();
    aw_ = d.s_axi_awvalid_i && d.s_axi_awready_o;
    w_ = d.s_axi_wvalid_i && d.s_axi_wready_o;
    ar_ = d.s_axi_arvalid_i && d.s_axi_arready_o;
    if (aw_) writes_[aw_sent_++].start = ctl.cycle();
    if (ar_) reads_[ar_sent_++].start = ctl.cycle();
    if (w_ && (w_byte_ += AxiBytes) == writes_[w_op_].data.size()) ++w_op_, w_byte_ = 0;
    if (d.s_axi_bvalid_o && d.s_axi_bready_i) answer_write();
    if (d.s_axi_rvalid_o && d.s_axi_rready_i) answer_read();
    host_done_ = d.mem_req_i && d.mem_done_o;
    if (host_done_) answer_host();
    if (!d.mem_req_i && d.mem_done_o) ADD_FAILURE() << "done without a request" << where();
  }
  void after_clock() {
    auto& d = ctl.dut();
    if (aw_) d.s_axi_awvalid_i = 0;
    if (w_) d.s_axi_wvalid_i = 0;
    if (ar_) d.s_axi_arvalid_i = 0;
    if (host_done_) d.mem_req_i = 0, host_busy_ = false;
  }

  tb::Controller<Dut> ctl;
  Model sdram;
  tb::Random random{"sdram bench"};
  tb::StallInjector aw_stall, w_stall, b_stall, ar_stall, r_stall, host_stall;
  bool hold_w = false, hold_b = false, hold_r = false;
  bool expect_wrong = false;  ///< wrong data are counted, not reported
  // What was seen.
  uint64_t read_bursts = 0, write_bursts = 0, host_words = 0, errors = 0;
  uint64_t last_read_cycles = 0, last_write_cycles = 0, longest_host = 0;
  uint64_t wrong = 0;

 private:
  std::string where() const { return " at cycle " + std::to_string(ctl.cycle()); }
  void answer_write() {
    auto& d = ctl.dut();
    if (writes_.empty() || aw_sent_ == 0 || w_op_ == 0) {
      ADD_FAILURE() << "BVALID before its burst" << where();
      return;
    }
    const SdramOp& o = writes_.front();
    EXPECT_EQ(d.s_axi_bid_o, o.id) << "BID" << where();
    EXPECT_EQ(d.s_axi_bresp_o, o.bad ? 2 : 0) << "BRESP of 0x" << std::hex << o.addr << where();
    last_write_cycles = ctl.cycle() - o.start;
    ++write_bursts, errors += o.bad;
    writes_.pop_front(), --aw_sent_, --w_op_;
  }
  void answer_read() {
    auto& d = ctl.dut();
    if (ar_sent_ == 0) {
      ADD_FAILURE() << "RVALID without a burst" << where();
      return;
    }
    const SdramOp& o = reads_.front();
    EXPECT_EQ(d.s_axi_rid_o, o.id) << "RID" << where();
    EXPECT_EQ(d.s_axi_rresp_o, o.bad ? 2 : 0) << "RRESP of 0x" << std::hex << o.addr << where();
    for (uint32_t i = 0; !o.bad && i < AxiBytes; ++i) {
      const uint8_t got = tb::get_lane<uint8_t>(d.s_axi_rdata_o, i);
      if (got != o.data[r_byte_ + i] && wrong++ < 5 && !expect_wrong)
        ADD_FAILURE() << "RDATA of byte 0x" << std::hex << o.addr + r_byte_ + i << ": expected "
                      << int{o.data[r_byte_ + i]} << ", got " << int{got} << std::dec << where();
    }
    r_byte_ += AxiBytes;
    const bool last = r_byte_ == o.data.size();
    EXPECT_EQ(d.s_axi_rlast_o, last) << "RLAST at byte " << r_byte_ << where();
    if (!last) return;
    last_read_cycles = ctl.cycle() - o.start;
    ++read_bursts, errors += o.bad;
    r_byte_ = 0;
    reads_.pop_front(), --ar_sent_;
  }
  void answer_host() {
    auto& d = ctl.dut();
    EXPECT_EQ(d.mem_err_o, host_.bad) << "mem_err of 0x" << std::hex << host_.addr << where();
    uint32_t expected = 0;
    std::memcpy(&expected, host_.data.data(), 4);
    if (!host_.write && !host_.bad) {
      EXPECT_EQ(d.mem_rdata_o, expected) << "mem_rdata of 0x" << std::hex << host_.addr << where();
    }
    longest_host = std::max(longest_host, ctl.cycle() - host_.start);
    ++host_words, errors += host_.bad;
  }

  std::vector<uint8_t> copy_;
  std::deque<SdramOp> writes_, reads_;
  SdramOp host_;
  size_t aw_sent_ = 0, w_op_ = 0, ar_sent_ = 0, w_byte_ = 0, r_byte_ = 0;
  bool host_busy_ = false, host_done_ = false, aw_ = false, w_ = false, ar_ = false;
};

}  // namespace ttpu::test
