// Host port and AXI port of the microprogrammed core, each alone: the bench plays the microcode.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "Vmicro_axi.h"
#include "Vmicro_host.h"
#include "isa/generated/regs_gen.h"
#include "tb/axi_lite.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/stall.h"

namespace {

namespace regs = ttpu::regs;

// ---- host ---------------------------------------------------------------------------------------

/// Serves a request after some cycles as the microcode would; the reply is a function of the
/// request.
class HostBench {
 public:
  explicit HostBench(uint32_t stall_percent)
      : ctl_({.name = "micro_host"}), bus(ctl_, signals(ctl_.dut())) {
    bus.set_stalls(stall_percent);
    ctl_.add(*this);
  }
  /// The data of writes do not pass the port: they stay on the bus for the microcode.
  tb::AxiLiteSignals signals(Vmicro_host& m) {
    return {m.s_axil_awvalid_i, m.s_axil_awready_o, m.s_axil_awaddr_i,
            m.s_axil_wvalid_i,  m.s_axil_wready_o,  wdata_,
            m.s_axil_wstrb_i,   m.s_axil_bvalid_o,  m.s_axil_bready_i,
            m.s_axil_bresp_o,   m.s_axil_arvalid_i, m.s_axil_arready_o,
            m.s_axil_araddr_i,  m.s_axil_rvalid_o,  m.s_axil_rready_i,
            m.s_axil_rdata_o,   m.s_axil_rresp_o};
  }
  static bool fails(uint32_t addr) { return addr % 12 == 8; }
  static uint32_t value(uint32_t addr) { return addr * 0x9e3779b1u; }

  void before_clock() {
    auto& d = ctl_.dut();
    d.status_i = status;
    d.reply_i = d.fail_i = 0;
    d.data_i = random_.u32();
    if (d.hreq_o && wait_ == 0) {
      ++requests;
      last = d.haddr_o;
      const uint32_t addr = last & 0xfffff;
      if (last >> 31) written[addr] = d.s_axil_wstrb_i;
      (fails(addr) ? d.fail_i : d.reply_i) = 1;
      if (d.reply_i) d.data_i = value(addr);
      wait_ = 1 + static_cast<uint32_t>(random_.below(8));
    } else if (d.hreq_o) {
      --wait_;
    }
  }
  uint32_t requests = 0, last = 0;
  uint8_t status = 0;
  std::map<uint32_t, uint32_t> written;

 private:
  using Ctl = tb::Controller<Vmicro_host>;
  Ctl ctl_;
  tb::Random random_{"host"};
  uint32_t wait_ = 3, wdata_ = 0;

 public:
  tb::AxiLiteMaster<Ctl> bus;
};

TEST(MicroHost, RequestsGoToTheMicrocode) {
  HostBench b(40);
  tb::Random random;
  for (int i = 0; i < 600; ++i) {
    const auto addr = static_cast<uint32_t>(random.below(1 << 18)) * 4;
    if (addr == regs::kStatus) continue;
    const bool write = random.below(2);
    const auto strobe = static_cast<uint8_t>(random.below(3) ? 0xf : random.below(15));
    const uint32_t before = b.requests;
    if (write) {
      b.bus.write(addr, random.u32(), strobe);
      EXPECT_EQ(b.written[addr], strobe);
      EXPECT_EQ(b.last >> 30 & 1, strobe == 0xf) << "all strobes";
    } else {
      const uint32_t got = b.bus.read(addr);
      EXPECT_EQ(got, HostBench::fails(addr) ? 0 : HostBench::value(addr)) << "address " << addr;
    }
    EXPECT_EQ(b.bus.response(), HostBench::fails(addr) ? 2 : 0) << "address " << addr;
    EXPECT_EQ(b.requests, before + 1);
    EXPECT_EQ(b.last & 0x800fffff, addr | (write ? 1u << 31 : 0));
  }
  EXPECT_GT(b.bus.stall().count(), 300u);
}

// Reads of STATUS do not reach the microcode; writes to it do.
TEST(MicroHost, StatusIsAnsweredHere) {
  HostBench b(30);
  for (uint8_t status = 0; status < 32; ++status) {
    b.status = status;
    EXPECT_EQ(b.bus.read(regs::kStatus), status);
    EXPECT_EQ(b.bus.response(), 0);
  }
  EXPECT_EQ(b.requests, 0u);
  b.bus.write(regs::kStatus, 1);
  EXPECT_EQ(b.requests, 1u);
  b.bus.read(regs::kStatus + 4);
  EXPECT_EQ(b.requests, 2u);
}

// ---- AXI ----------------------------------------------------------------------------------------

/// The microcode's side as calls; the memory's side with random delays on each channel.
class AxiBench {
 public:
  AxiBench() : ctl_({.name = "micro_axi"}) { ctl_.add(*this); }

  void before_clock() {
    auto& d = ctl_.dut();
    d.m_axi_arready_i = !ar_.stall(d.m_axi_arvalid_o);
    d.m_axi_awready_i = !aw_.stall(d.m_axi_awvalid_o);
    d.m_axi_wready_i = !w_.stall(d.m_axi_wvalid_o);
    if (read_due_ && !d.m_axi_rvalid_i && !r_.stall()) {
      d.m_axi_rvalid_i = 1;
      d.m_axi_rresp_i = error ? 2 : 0;
    }
    if (addressed_ && written_ && !d.m_axi_bvalid_i && !b_.stall()) {
      d.m_axi_bvalid_i = 1;
      d.m_axi_bresp_i = error ? 3 : 0;
    }
  }
  void at_clock() {
    auto& d = ctl_.dut();
    if (d.m_axi_arvalid_o && d.m_axi_arready_i) read_due_ = true, address = d.m_axi_araddr_o;
    if (d.m_axi_awvalid_o && d.m_axi_awready_i) {
      EXPECT_FALSE(addressed_) << "a second address";
      addressed_ = true, address = d.m_axi_awaddr_o;
    }
    if (d.m_axi_wvalid_o && d.m_axi_wready_i) {
      EXPECT_FALSE(written_) << "a second beat";
      EXPECT_TRUE(d.m_axi_wlast_o);
      written_ = true, data = d.m_axi_wdata_o, strobe = d.m_axi_wstrb_o;
    }
    taken_ = d.m_axi_rvalid_i && d.m_axi_rready_o;
    answered_ = d.m_axi_bvalid_i && d.m_axi_bready_o;
    EXPECT_EQ(d.m_axi_arlen_o, 0);
    EXPECT_EQ(d.m_axi_awlen_o, 0);
    EXPECT_EQ(d.m_axi_arsize_o, 2);
    EXPECT_EQ(d.m_axi_awsize_o, 2);
  }
  void after_clock() {
    auto& d = ctl_.dut();
    if (taken_) d.m_axi_rvalid_i = 0, read_due_ = false, ++words_taken;
    if (answered_) d.m_axi_bvalid_i = 0, addressed_ = written_ = false;
    d.high_i = d.read_i = d.write_addr_i = d.write_i = d.take_i = 0;
  }

  /// One cycle with a strobe of the microcode.
  void set(CData& strobe_port, uint32_t value, uint8_t be = 0xf) {
    ctl_->data_i = value;
    ctl_->be_i = be;
    strobe_port = 1;
    ctl_.tick();
  }
  /// Until it is not busy; the number of cycles.
  uint64_t wait() {
    const uint64_t start = ctl_.cycle();
    EXPECT_TRUE(ctl_->busy_o) << "busy from the next cycle on";
    ctl_.run_until([&] { return !ctl_->busy_o; }, 500, "busy_o to fall");
    return ctl_.cycle() - start;
  }
  Vmicro_axi& dut() { return ctl_.dut(); }
  uint64_t stalls() const { return ar_.count() + aw_.count() + w_.count(); }

  uint64_t address = 0;
  uint32_t data = 0, strobe = 0, words_taken = 0;
  bool error = false;

 private:
  tb::Controller<Vmicro_axi> ctl_;
  tb::StallInjector ar_{"AR", 40}, aw_{"AW", 40}, w_{"W", 40}, r_{"R", 60}, b_{"B", 60};
  bool read_due_ = false, addressed_ = false, written_ = false, taken_ = false, answered_ = false;
};

TEST(MicroAxi, ReadsAndWrites) {
  AxiBench b;
  tb::Random random;
  uint64_t waited = 0;
  uint32_t reads = 0, errors = 0;
  for (int i = 0; i < 400; ++i) {
    const uint32_t low = random.u32() & ~3u, high = random.u32(), value = random.u32();
    const auto be = static_cast<uint8_t>(1 + random.below(15));
    b.error = random.below(4) == 0;
    errors += b.error;
    b.set(b.dut().high_i, high);
    const uint64_t address = static_cast<uint64_t>(high) << 32 | low;
    if (random.below(2)) {
      b.set(b.dut().read_i, low);
      waited += b.wait();
      EXPECT_TRUE(b.dut().m_axi_rvalid_i) << "the word stays on the bus";
      EXPECT_EQ(b.dut().error_o, b.error);
      // Now and then it is left there: the next read drops it.
      if (random.below(4)) b.set(b.dut().take_i, 0);
      ++reads;
    } else {
      b.set(b.dut().write_addr_i, low);
      b.set(b.dut().write_i, value, be);
      waited += b.wait();
      EXPECT_EQ(b.dut().error_o, b.error);
      EXPECT_EQ(b.data, value);
      EXPECT_EQ(b.strobe, be);
    }
    EXPECT_EQ(b.address, address) << "transfer " << i;
  }
  if (b.dut().m_axi_rvalid_i) b.set(b.dut().take_i, 0);
  EXPECT_EQ(b.words_taken, reads) << "each word leaves the bus once";
  EXPECT_GT(b.stalls(), 100u);
  EXPECT_GT(waited, 1000u);
  EXPECT_GT(errors, 50u);
}

}  // namespace
