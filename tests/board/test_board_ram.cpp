// The board's RAM: random bursts on AXI and words of the host against a copy, with stalls.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "Vttpu_board_ram_dut.h"
#include "tb/controller.h"
#include "tb/random.h"

namespace {

constexpr uint32_t kBytes = 4096, kBeat = 8;  // as the model is built

class RamBench {
 public:
  explicit RamBench(uint64_t stall) : ctl_({.random_init_seed = 5, .name = "ram"}), stall_(stall) {
    auto& d = ctl_.dut();
    d.s_axi_awvalid_i = d.s_axi_wvalid_i = d.s_axi_arvalid_i = d.mem_req_i = 0;
    d.s_axi_bready_i = d.s_axi_rready_i = 0;
    ctl_.add(*this);
  }
  bool stalls() { return random_.below(100) < stall_; }
  void at_clock() {
    auto& d = ctl_.dut();
    host_done = d.mem_req_i && d.mem_done_o;
    host_err = d.mem_err_o;
    host_data = d.mem_rdata_o;
    took = d.s_axi_arvalid_i ? d.s_axi_arready_o : d.s_axi_awvalid_i ? d.s_axi_awready_o : 0;
    beat = d.s_axi_wvalid_i ? d.s_axi_wready_o : d.s_axi_rvalid_o && d.s_axi_rready_i;
    answered = d.s_axi_bvalid_o && d.s_axi_bready_i;
    data = d.s_axi_rdata_o, last = d.s_axi_rlast_o, id = answered ? d.s_axi_bid_o : d.s_axi_rid_o;
    response = answered ? d.s_axi_bresp_o : d.s_axi_rresp_o;
    ++cycles;
  }
  /// One word of the host; at most one burst stands before it.
  uint32_t host(bool write, uint32_t addr, uint32_t value, bool expect_error = false) {
    auto& d = ctl_.dut();
    d.mem_req_i = 1, d.mem_we_i = write, d.mem_addr_i = addr, d.mem_wdata_i = value;
    for (int i = 0; i < 10; ++i) {
      ctl_.tick();
      if (!host_done) continue;
      d.mem_req_i = 0;
      EXPECT_EQ(host_err, expect_error) << "address " << addr;
      return host_data;
    }
    ADD_FAILURE() << "host's word at " << addr << " not answered in 10 cycles";
    return 0;
  }
  template <class Flag>
  bool wait(Flag& flag) {
    for (int i = 0; i < 200; ++i) {
      ctl_.tick();
      if (flag) return true;
    }
    ADD_FAILURE() << "no handshake in 200 cycles at cycle " << ctl_.cycle();
    return false;
  }
  uint8_t write(uint64_t addr, const std::vector<uint64_t>& beats, const std::vector<uint8_t>& be) {
    auto& d = ctl_.dut();
    d.s_axi_awvalid_i = 1, d.s_axi_awaddr_i = addr, d.s_axi_awid_i = 9;
    if (!wait(took)) return 9;
    d.s_axi_awvalid_i = 0;
    for (size_t i = 0; i < beats.size(); ++i) {
      while (stalls()) ctl_.tick();
      d.s_axi_wvalid_i = 1, d.s_axi_wdata_i = beats[i], d.s_axi_wstrb_i = be[i];
      d.s_axi_wlast_i = i + 1 == beats.size();
      if (!wait(beat)) return 9;
      d.s_axi_wvalid_i = 0;
    }
    while (stalls()) ctl_.tick();
    d.s_axi_bready_i = 1;
    if (!wait(answered)) return 9;
    d.s_axi_bready_i = 0;
    EXPECT_EQ(id, 9);
    return response;
  }
  std::vector<uint64_t> read(uint64_t addr, size_t count, uint8_t expected) {
    auto& d = ctl_.dut();
    d.s_axi_arvalid_i = 1, d.s_axi_araddr_i = addr, d.s_axi_arid_i = 6;
    d.s_axi_arlen_i = static_cast<uint8_t>(count - 1);
    std::vector<uint64_t> beats;
    if (!wait(took)) return beats;
    d.s_axi_arvalid_i = 0;
    const uint64_t start = cycles;
    while (beats.size() < count && cycles - start < 2000) {
      d.s_axi_rready_i = !stalls();
      ctl_.tick();
      if (!beat) continue;
      beats.push_back(data);
      EXPECT_EQ(last, beats.size() == count) << "RLAST of beat " << beats.size();
      EXPECT_EQ(response, expected);
      EXPECT_EQ(id, 6);
    }
    d.s_axi_rready_i = 0;
    if (stall_ == 0) {
      EXPECT_LE(cycles - start, count + 1) << "a beat a cycle";
    }
    return beats;
  }
  tb::Random& random() { return random_; }
  tb::Controller<Vttpu_board_ram_dut>& ctl() { return ctl_; }

  bool host_done = false, host_err = false, took = false, beat = false, answered = false,
       last = false;
  uint8_t response = 0, id = 0;
  uint32_t host_data = 0;
  uint64_t data = 0, cycles = 0;

 private:
  tb::Controller<Vttpu_board_ram_dut> ctl_;
  tb::Random random_{"ram"};
  uint64_t stall_;
};

TEST(BoardRam, BurstsAndWordsOfTheHost) {
  for (const uint64_t stall : {0, 40}) {
    RamBench b(stall);
    std::vector<uint8_t> copy(kBytes);
    for (uint32_t a = 0; a < kBytes; a += 4) b.host(true, a, 0);
    for (int round = 0; round < 600; ++round) {
      const uint64_t kind = b.random().below(4);
      if (kind < 2) {
        const auto at = static_cast<uint32_t>(4 * b.random().below(kBytes / 4));
        uint32_t value = b.random().u32();
        if (kind == 0) {
          b.host(true, at, value);
          std::memcpy(&copy[at], &value, 4);
        } else {
          std::memcpy(&value, &copy[at], 4);
          ASSERT_EQ(b.host(false, at, 0), value) << "host reads " << at << " in round " << round;
        }
        continue;
      }
      const size_t beats = 1 + b.random().below(64);
      const uint64_t row = b.random().below(kBytes / kBeat - beats + 1), at = row * kBeat;
      if (kind == 2) {
        std::vector<uint64_t> data(beats);
        std::vector<uint8_t> strobes(beats);
        for (size_t i = 0; i < beats; ++i) {
          data[i] = b.random().next();
          strobes[i] = b.random().below(2) ? 0xff : static_cast<uint8_t>(b.random().u32());
          for (uint32_t j = 0; j < kBeat; ++j)
            if (strobes[i] >> j & 1)
              copy[at + kBeat * i + j] = static_cast<uint8_t>(data[i] >> 8 * j);
        }
        ASSERT_EQ(b.write(at, data, strobes), 0) << "round " << round;
      } else {
        const auto data = b.read(at, beats, 0);
        ASSERT_EQ(data.size(), beats);
        ASSERT_EQ(std::memcmp(data.data(), &copy[at], kBeat * beats), 0)
            << "read of " << beats << " beats at " << at << " in round " << round;
      }
    }
  }
}

TEST(BoardRam, BeyondTheEnd) {
  RamBench b(0);
  b.host(true, 0, 0x1234);
  b.host(true, 4, 0);
  for (const uint64_t at : {uint64_t{kBytes}, uint64_t{1} << 40, uint64_t{1} << 63}) {
    EXPECT_EQ(b.write(at, {1, 2}, {0xff, 0xff}), 2) << at;
    b.read(at, 3, 2);
  }
  b.host(true, kBytes, 7, true);
  b.host(false, 0xfffffc, 0, true);
  EXPECT_EQ(b.host(false, 0, 0), 0x1234u) << "an address beyond the end wrote";
}

TEST(BoardRam, HostAndAxiAtOnceBothGoOn) {
  RamBench b(0);
  auto& d = b.ctl().dut();
  b.host(true, 8, 42);
  // A read waits while the host's word goes first, then is taken.
  d.s_axi_arvalid_i = 1, d.s_axi_araddr_i = 8, d.s_axi_arlen_i = 0;
  EXPECT_EQ(b.host(false, 8, 0), 42u);
  ASSERT_TRUE(b.took || b.wait(b.took));
  d.s_axi_arvalid_i = 0;
  // And the host's word waits for the burst that is open.
  d.mem_req_i = 1, d.mem_we_i = 0, d.mem_addr_i = 8;
  for (int i = 0; i < 20; ++i) {
    b.ctl().tick();
    ASSERT_FALSE(b.host_done) << "the host's word broke into a burst";
  }
  d.s_axi_rready_i = 1;
  ASSERT_TRUE(b.wait(b.beat));
  EXPECT_EQ(b.data & 0xffffffff, 42u);
  ASSERT_TRUE(b.host_done || b.wait(b.host_done));
}

}  // namespace
