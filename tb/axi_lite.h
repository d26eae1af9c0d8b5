// AXI4-Lite master: blocking reads and writes of registers through a controller.
#pragma once
#include <cstdint>

#include "tb/axi_signals.h"
#include "tb/report.h"
#include "tb/stall.h"

namespace tb {

template <class Bench>
class AxiLiteMaster {
 public:
  /// `bench`: the tb::Controller that is ticked; `limit`: cycles that an access may take.
  AxiLiteMaster(Bench& bench, AxiLiteSignals signals, uint32_t limit = 1000)
      : bench_(bench), s_(signals), limit_(limit) {
    s_.awvalid = s_.wvalid = s_.bready = s_.arvalid = s_.rready = 0;
  }

  /// Random delays of each channel; the order of address and data then varies too.
  void set_stalls(uint32_t percent) { stall_.set(percent); }
  const StallInjector& stall() const { return stall_; }

  /// Response code of the last access (0 = OKAY).
  uint8_t response() const { return response_; }

  void write(uint32_t addr, uint32_t data, uint8_t strobe = 0xf) {
    bool aw_done = false, w_done = false, aw_on = false, w_on = false, b_on = false;
    for (uint32_t i = 0; i < limit_; ++i) {
      // Once valid, a channel stays so until it is taken.
      aw_on = !aw_done && (aw_on || !stall_.stall());
      w_on = !w_done && (w_on || !stall_.stall());
      b_on = b_on || !stall_.stall();
      s_.awvalid = aw_on;
      s_.awaddr = addr;
      s_.wvalid = w_on;
      s_.wdata = data;
      s_.wstrb = strobe;
      s_.bready = b_on;
      Sample now{s_};
      bench_.tick(now);
      aw_done |= aw_on && now.awready;
      w_done |= w_on && now.wready;
      if (b_on && now.bvalid) {
        if (!aw_done || !w_done) fail("AXI4-Lite: response before address and data");
        response_ = now.bresp;
        s_.awvalid = s_.wvalid = s_.bready = 0;
        return;
      }
    }
    s_.awvalid = s_.wvalid = s_.bready = 0;
    timeout("write", addr);
  }

  uint32_t read(uint32_t addr) {
    bool ar_done = false, ar_on = false, r_on = false;
    for (uint32_t i = 0; i < limit_; ++i) {
      ar_on = !ar_done && (ar_on || !stall_.stall());
      r_on = r_on || !stall_.stall();
      s_.arvalid = ar_on;
      s_.araddr = addr;
      s_.rready = r_on;
      Sample now{s_};
      bench_.tick(now);
      ar_done |= ar_on && now.arready;
      if (r_on && now.rvalid) {
        if (!ar_done) fail("AXI4-Lite: read data before the address was taken");
        response_ = now.rresp;
        s_.arvalid = s_.rready = 0;
        return now.rdata;
      }
    }
    s_.arvalid = s_.rready = 0;
    timeout("read", addr);
    return 0;
  }

  /// Read until (value & mask) == expected. False, and a failure, after `limit` cycles.
  bool poll(uint32_t addr, uint32_t mask, uint32_t expected, uint64_t limit) {
    const uint64_t start = bench_.cycle();
    uint32_t value = 0;
    while (bench_.cycle() - start < limit)
      if (((value = read(addr)) & mask) == expected) return true;
    fail(format("AXI4-Lite: register 0x%x is 0x%x after %llu cycles, waited for 0x%x under 0x%x",
                addr, value, static_cast<unsigned long long>(limit), expected, mask));
    return false;
  }

 private:
  /// What stood on the wires at the edge.
  struct Sample {
    const AxiLiteSignals& s;
    uint8_t awready = 0, wready = 0, bvalid = 0, bresp = 0, arready = 0, rvalid = 0, rresp = 0;
    uint32_t rdata = 0;
    void at_clock() {
      awready = s.awready, wready = s.wready, bvalid = s.bvalid, bresp = s.bresp;
      arready = s.arready, rvalid = s.rvalid, rresp = s.rresp, rdata = s.rdata;
    }
  };
  void timeout(const char* what, uint32_t addr) {
    fail(format("AXI4-Lite: %s of 0x%x not answered in %u cycles", what, addr, limit_));
  }

  Bench& bench_;
  AxiLiteSignals s_;
  uint32_t limit_;
  uint8_t response_ = 0;
  StallInjector stall_{"axi-lite", 0};
};

}  // namespace tb
