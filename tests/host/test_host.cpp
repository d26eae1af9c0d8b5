// Host registers: map, access rules, counters, lock, interrupt, windows.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "Vttpu_host_dut.h"
#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"
#include "isa/generated/regs_gen.h"
#include "tb/axi_lite.h"
#include "tb/bits.h"
#include "tb/controller.h"

namespace {

namespace regs = ttpu::regs;
constexpr const ttpu::Config& kConfig = *ttpu::find_config("core16");
constexpr uint8_t kOkay = 0, kSlvErr = 2;

/// What plain counter `c` grows by in a cycle, at most.
uint32_t inc_max(int c) {
  switch (c) {
    case regs::MXU_MACS:
    case regs::HBM_RD_BYTES:
    case regs::HBM_WR_BYTES:
    case regs::VMEM_RD_CONFLICTS:
    case regs::VMEM_WR_CONFLICTS:
      return 4096;
    default:
      return 1;
  }
}

/// Plays control and VMEM.
class HostBench {
 public:
  using Ctl = tb::Controller<Vttpu_host_dut>;
  explicit HostBench(uint32_t stall_percent = 0, uint64_t init_seed = 0)
      : ctl_({.random_init_seed = init_seed, .name = "host"}),
        bus_(ctl_, TTPU_BIND_AXI_LITE(ctl_.dut(), s_axil_)) {
    auto& d = ctl_.dut();
    d.run_i = d.done_i = d.error_i = d.clear_pending_i = d.done_event_i = d.error_event_i = 0;
    d.quiet_i = 1;
    d.err_cause_i = d.err_unit_i = 0;
    d.err_pc_i = 0;
    d.err_addr_i = 0;
    for (auto& i : d.inc_i) i = 0;
    for (auto& a : d.activity_i) a = 0;
    ctl_.add(*this);
    bus_.set_stalls(stall_percent);
    ctl_.run(2);
  }

  Vttpu_host_dut& dut() { return ctl_.dut(); }
  void tick(uint64_t n = 1) { ctl_.run(n); }
  uint32_t read(uint32_t a, uint8_t response = kOkay) {
    const uint32_t v = bus_.read(a);
    EXPECT_EQ(bus_.response(), response) << "read of 0x" << std::hex << a;
    return v;
  }
  void write(uint32_t a, uint32_t v, uint8_t response = kOkay, uint8_t strobe = 0xf) {
    bus_.write(a, v, strobe);
    EXPECT_EQ(bus_.response(), response) << "write of 0x" << std::hex << a;
  }
  uint64_t stalls() const { return bus_.stall().count(); }

  std::map<uint32_t, uint32_t> imem, smem;
  std::vector<uint8_t> vmem = std::vector<uint8_t>(kConfig.vmem_bytes());
  uint32_t starts = 0, clears = 0, bad_writes = 0, bad_addr = 0;
  uint32_t grant_delay = 0;  ///< cycles until VMEM grants

  std::function<void()> choose_counts;  ///< sets inc_i and activity_i, once a cycle
  std::array<uint64_t, regs::kNumCounters> counts{}, taken{};  ///< now; as a read acts
  void clear_counts() { counts.fill(0); }
  uint32_t latency = 0;  ///< cycles from the last access taken to its answer

  void before_clock() {
    auto& d = ctl_.dut();
    if (choose_counts) choose_counts();
    d.imem_rdata_i = imem_out_;
    d.smem_rdata_i = smem_out_;
    d.vmem_rd_valid_i = pipe_[1].first;
    for (uint32_t l = 0; l < kConfig.n; ++l)
      tb::set_lane<uint32_t>(d.vmem_rd_data_i, l,
                             pipe_[1].first ? word_at(pipe_[1].second, l) : 0xdeadbeef);
    const bool req = d.vmem_rd_req_o || d.vmem_wr_req_o;
    waited_ = req ? waited_ + 1 : 0;
    const bool grant = req && waited_ > grant_delay;
    d.vmem_rd_gnt_i = grant && d.vmem_rd_req_o;
    d.vmem_wr_gnt_i = grant && d.vmem_wr_req_o;
    d.flag_value_i = static_cast<uint8_t>(d.flag_select_o * 3);
  }
  void at_clock() {
    auto& d = ctl_.dut();
    if (since_taken_ == 1) taken = counts;  // the cycle in which a read is decoded
    if ((d.s_axil_rvalid_o || d.s_axil_bvalid_o) && since_taken_ != 0) {
      latency = since_taken_;
      since_taken_ = 0;
    }
    if (since_taken_ != 0) ++since_taken_;
    if ((d.s_axil_arvalid_i && d.s_axil_arready_o) || (d.s_axil_awvalid_i && d.s_axil_awready_o))
      since_taken_ = 1;
    if (d.run_i) {
      ++counts[regs::CYCLES];
      for (int c = 1; c < regs::kNumPlainCounters; ++c) counts[c] += d.inc_i[c];
      for (int u = 0; u < ttpu::isa::kNumUnits; ++u)
        ++counts[regs::kNumPlainCounters + u * regs::kNumStates + d.activity_i[u]];
    }
    starts += d.start_o;
    clears += d.clear_req_o;
    bad_writes += d.bad_write_o;
    if (d.bad_write_o) bad_addr = d.bad_write_addr_o;
    if (d.imem_en_o) {
      EXPECT_FALSE(d.run_i);
      if (d.imem_we_o)
        imem[d.imem_addr_o] = d.mem_wdata_o;
      else
        imem_out_ = imem[d.imem_addr_o];
    }
    if (d.smem_en_o) {
      if (d.smem_we_o)
        smem[d.smem_addr_o] = d.mem_wdata_o;
      else
        smem_out_ = smem[d.smem_addr_o];
    }
    pipe_[1] = pipe_[0];
    pipe_[0] = {d.vmem_rd_gnt_i && d.vmem_rd_req_o, d.vmem_rd_addr_o};
    if (d.vmem_wr_gnt_i && d.vmem_wr_req_o) {
      const uint32_t base = d.vmem_wr_addr_o / kConfig.word_bytes() * kConfig.word_bytes();
      for (uint32_t i = 0; i < kConfig.word_bytes(); ++i)
        if (tb::get_bits(d.vmem_wr_be_o, i, 1))
          vmem.at(base + i) = tb::get_lane<uint8_t>(d.vmem_wr_data_o, i);
    }
  }

 private:
  uint32_t since_taken_ = 0;
  uint32_t word_at(uint32_t addr, uint32_t lane) const {
    const uint32_t base = addr / kConfig.word_bytes() * kConfig.word_bytes();
    uint32_t v;
    std::memcpy(&v, &vmem.at(base + 4 * lane), 4);
    return v;
  }
  Ctl ctl_;
  tb::AxiLiteMaster<Ctl> bus_;
  uint32_t imem_out_ = 0, smem_out_ = 0, waited_ = 0;
  std::array<std::pair<bool, uint32_t>, 2> pipe_{};
};

TEST(Host, Identity) {
  HostBench b(30);
  EXPECT_EQ(b.read(regs::kId), 0x55505454u);
  EXPECT_EQ(b.read(regs::kVersion), ttpu::isa::kIsaVersion);
  EXPECT_EQ(b.read(regs::kConfigHash), kConfig.hash);
  EXPECT_EQ(b.read(regs::kConfigId), kConfig.id);
  EXPECT_EQ(b.read(regs::kArrayN), kConfig.n);
  EXPECT_EQ(b.read(regs::kVmemBytes), kConfig.vmem_bytes());
  EXPECT_EQ(b.read(regs::kAccRows), kConfig.acc_total());
  EXPECT_EQ(b.read(regs::kImemWords), kConfig.imem_words);
  EXPECT_EQ(b.read(regs::kSmemWords), kConfig.smem_words);
  EXPECT_EQ(b.read(regs::kCmemBytes), kConfig.cmem_bytes);
  EXPECT_GT(b.stalls(), 5u);
}

// Every word of the window: what is no register answers SLVERR, in both directions.
TEST(Host, EveryAddressAnswers) {
  HostBench b;
  const std::vector<uint32_t> ro = {
      regs::kId,        regs::kVersion,   regs::kConfigHash, regs::kConfigId,
      regs::kArrayN,    regs::kVmemBytes, regs::kAccRows,    regs::kImemWords,
      regs::kSmemWords, regs::kCmemBytes, regs::kStatus,     regs::kErrCause,
      regs::kErrPc,     regs::kErrAddrLo, regs::kErrAddrHi,  regs::kFlagValue};
  const std::vector<uint32_t> rw = {regs::kCtrl,      regs::kEntryPc,   regs::kIrqEnable,
                                    regs::kIrqStatus, regs::kWatchdog,  regs::kHbmBaseLo,
                                    regs::kHbmBaseHi, regs::kHbmSizeLo, regs::kHbmSizeHi,
                                    regs::kVmemAddr,  regs::kVmemData,  regs::kFlagSelect};
  const auto in = [](const std::vector<uint32_t>& v, uint32_t a) {
    return std::find(v.begin(), v.end(), a) != v.end();
  };
  for (uint32_t a = 0; a < 0x600; a += 4) {
    const bool counter =
        a >= regs::kWinCounters && a < regs::kWinCounters + 8u * regs::kNumCounters;
    const bool known = in(ro, a) || in(rw, a) || counter;
    b.read(a, known ? kOkay : kSlvErr);
    b.write(a, 0, in(rw, a) ? kOkay : kSlvErr);
  }
  b.read(regs::kWinImem + 16 * kConfig.imem_words - 4);
  b.read(regs::kWinImem + 16 * kConfig.imem_words, kSlvErr);
  b.read(regs::kWinSmem + 4 * kConfig.smem_words - 4);
  b.read(regs::kWinSmem + 4 * kConfig.smem_words, kSlvErr);
  b.read(0xffffc, kSlvErr);
  b.read(regs::kId + 1, kSlvErr);
  b.write(regs::kEntryPc + 2, 1, kSlvErr);
}

TEST(Host, OnlyWholeWords) {
  HostBench b;
  b.write(regs::kEntryPc, 0x12345678);
  for (uint8_t strobe = 0; strobe < 15; ++strobe)
    b.write(regs::kEntryPc, 0xffffffff, kSlvErr, strobe);
  EXPECT_EQ(b.read(regs::kEntryPc), 0x12345678u);
  b.write(regs::kCtrl, 3, kSlvErr, 1);
  EXPECT_EQ(b.starts + b.clears, 0u);
}

TEST(Host, RegistersHoldWhatIsWritten) {
  HostBench b(40, 99);
  EXPECT_EQ(b.read(regs::kWatchdog), 0x00100000u);
  EXPECT_EQ(b.read(regs::kHbmSizeLo), 0u);
  EXPECT_EQ(b.read(regs::kHbmSizeHi), 0u);
  tb::Random rng;
  for (int i = 0; i < 50; ++i) {
    const uint32_t v[6] = {rng.u32(), rng.u32(), rng.u32(), rng.u32(), rng.u32(), rng.u32()};
    b.write(regs::kHbmBaseLo, v[0]);
    b.write(regs::kHbmBaseHi, v[1]);
    b.write(regs::kHbmSizeLo, v[2]);
    b.write(regs::kHbmSizeHi, v[3]);
    b.write(regs::kWatchdog, v[4]);
    b.write(regs::kEntryPc, v[5]);
    EXPECT_EQ(b.read(regs::kHbmBaseLo), v[0]);
    EXPECT_EQ(b.read(regs::kHbmSizeHi), v[3]);
    EXPECT_EQ(b.dut().hbm_base_o, uint64_t{v[1]} << 32 | v[0]);
    EXPECT_EQ(b.dut().hbm_size_o, uint64_t{v[3]} << 32 | v[2]);
    EXPECT_EQ(b.dut().watchdog_o, v[4]);
    EXPECT_EQ(b.dut().entry_o, v[5]);
  }
  b.write(regs::kFlagSelect, 21);
  EXPECT_EQ(b.read(regs::kFlagValue), 63u);
  EXPECT_GT(b.stalls(), 100u);
}

TEST(Host, StartAndItsRefusals) {
  HostBench b;
  b.write(regs::kCtrl, 1);
  EXPECT_EQ(b.starts, 1u);
  EXPECT_EQ(b.read(regs::kCtrl), 0u);
  b.dut().run_i = 1;
  b.write(regs::kCtrl, 1, kSlvErr);
  EXPECT_EQ(b.bad_writes, 1u);
  EXPECT_EQ(b.bad_addr, regs::kCtrl);
  b.dut().run_i = 0;
  b.dut().error_i = 1;
  b.write(regs::kCtrl, 1, kSlvErr);
  b.dut().error_i = 0;
  b.dut().clear_pending_i = 1;
  b.write(regs::kCtrl, 1, kSlvErr);
  b.dut().clear_pending_i = 0;
  EXPECT_EQ(b.starts, 1u);
  EXPECT_EQ(b.bad_writes, 1u) << "only a start of a running core is an error of its program";
  b.write(regs::kCtrl, 3, kSlvErr);
  EXPECT_EQ(b.clears, 1u) << "CLEAR together with START clears and does not start";
  EXPECT_EQ(b.starts, 1u);
}

TEST(Host, BadWritesWhileRunning) {
  HostBench b;
  b.write(regs::kWinImem, 5);
  b.write(regs::kWinSmem + 4, 6);
  b.dut().run_i = 1;
  uint32_t expected = 0;
  for (const uint32_t a : {regs::kWinImem, regs::kWinSmem + 4, regs::kHbmBaseLo, regs::kHbmBaseHi,
                           regs::kHbmSizeLo, regs::kHbmSizeHi}) {
    b.write(a, 0xffffffff, kSlvErr);
    EXPECT_EQ(b.bad_writes, ++expected);
    EXPECT_EQ(b.bad_addr, a);
  }
  b.read(regs::kWinImem, kSlvErr);
  b.read(regs::kWinSmem, kSlvErr);
  EXPECT_EQ(b.bad_writes, expected) << "a read is refused but stops nothing";
  b.write(regs::kEntryPc, 3);
  b.write(regs::kWatchdog, 3);
  EXPECT_EQ(b.bad_writes, expected);
  b.dut().run_i = 0;
  EXPECT_EQ(b.read(regs::kWinImem), 5u);
  EXPECT_EQ(b.read(regs::kWinSmem + 4), 6u);
  EXPECT_EQ(b.read(regs::kHbmBaseLo), 0u);
}

TEST(Host, LockHoldsTheBoundsUntilReset) {
  HostBench b;
  b.write(regs::kHbmBaseLo, 0x1000);
  b.write(regs::kHbmSizeLo, 0x2000);
  EXPECT_EQ(b.read(regs::kStatus) & 0x10, 0u);
  b.write(regs::kCtrl, 4);
  EXPECT_EQ(b.read(regs::kStatus) & 0x10, 0x10u);
  b.write(regs::kHbmBaseLo, 0, kSlvErr);
  EXPECT_EQ(b.bad_writes, 1u);
  b.write(regs::kHbmSizeHi, 1, kSlvErr);
  b.write(regs::kCtrl, 2);  // CLEAR does not unlock
  b.write(regs::kHbmSizeLo, 1, kSlvErr);
  EXPECT_EQ(b.read(regs::kHbmBaseLo), 0x1000u);
  EXPECT_EQ(b.read(regs::kHbmSizeLo), 0x2000u);
  EXPECT_EQ(b.read(regs::kHbmSizeHi), 0u);
}

TEST(Host, StatusAndErrorRegisters) {
  HostBench b;
  auto& d = b.dut();
  for (int bits = 0; bits < 16; ++bits) {
    d.run_i = bits & 1;
    d.done_i = bits >> 1 & 1;
    d.error_i = bits >> 2 & 1;
    d.quiet_i = bits >> 3 & 1;
    EXPECT_EQ(b.read(regs::kStatus), static_cast<uint32_t>(bits));
  }
  d.err_cause_i = 9;
  d.err_unit_i = 2;
  d.err_pc_i = 0xabcd;
  d.err_addr_i = 0x123456789abcdef0;
  EXPECT_EQ(b.read(regs::kErrCause), 0x0209u);
  EXPECT_EQ(b.read(regs::kErrPc), 0xabcdu);
  EXPECT_EQ(b.read(regs::kErrAddrLo), 0x9abcdef0u);
  EXPECT_EQ(b.read(regs::kErrAddrHi), 0x12345678u);
}

TEST(Host, Interrupt) {
  HostBench b;
  auto& d = b.dut();
  const auto event = [&](bool done, bool error) {
    d.done_event_i = done;
    d.error_event_i = error;
    b.tick();
    d.done_event_i = d.error_event_i = 0;
    b.tick();
  };
  event(true, false);
  EXPECT_FALSE(d.irq_o) << "not enabled";
  EXPECT_EQ(b.read(regs::kIrqStatus), 1u);
  b.write(regs::kIrqEnable, 1);
  EXPECT_TRUE(d.irq_o);
  b.write(regs::kIrqStatus, 2);  // clears the other one
  EXPECT_TRUE(d.irq_o);
  b.write(regs::kIrqStatus, 1);
  EXPECT_FALSE(d.irq_o);
  event(false, true);
  EXPECT_FALSE(d.irq_o);
  b.write(regs::kIrqEnable, 3);
  EXPECT_TRUE(d.irq_o);
  EXPECT_EQ(b.read(regs::kIrqStatus), 2u);
}

TEST(Host, CountersCountAndUnitStatesSumToCycles) {
  HostBench b;
  auto& d = b.dut();
  tb::Random rng;
  for (int round = 0; round < 3; ++round) {
    std::vector<uint64_t> expected(regs::kNumCounters);
    b.write(regs::kCtrl, 1);
    d.run_i = 1;
    const int cycles = 500 + static_cast<int>(rng.below(500));
    for (int i = 0; i < cycles; ++i) {
      ++expected[regs::CYCLES];
      for (int c = 1; c < regs::kNumPlainCounters; ++c) {
        d.inc_i[c] = rng.chance(50) ? static_cast<uint32_t>(rng.below(inc_max(c) + 1)) : 0;
        expected[static_cast<size_t>(c)] += d.inc_i[c];
      }
      for (int u = 0; u < ttpu::isa::kNumUnits; ++u) {
        d.activity_i[u] = static_cast<uint8_t>(rng.below(regs::kNumStates));
        ++expected[static_cast<size_t>(regs::kNumPlainCounters + u * regs::kNumStates +
                                       d.activity_i[u])];
      }
      b.tick();
    }
    d.run_i = 0;
    b.tick(5);
    std::vector<uint64_t> got;
    for (uint32_t c = 0; c < static_cast<uint32_t>(regs::kNumCounters); ++c) {
      const uint64_t low = b.read(regs::kWinCounters + 8 * c);
      got.push_back(low | uint64_t{b.read(regs::kWinCounters + 8 * c + 4)} << 32);
      EXPECT_EQ(got[c], expected[c]) << regs::kCounterNames[c];
    }
    for (int u = 0; u < ttpu::isa::kNumUnits; ++u) {
      uint64_t sum = 0;
      for (int s = 0; s < regs::kNumStates; ++s)
        sum += got[static_cast<size_t>(regs::kNumPlainCounters + u * regs::kNumStates + s)];
      EXPECT_EQ(sum, got[regs::CYCLES]) << "unit " << u;
    }
  }
}

TEST(Host, AnswersComeWhenTheContractSays) {
  struct Access {
    const char* name;
    bool write;
    uint32_t addr, value;
    uint8_t response;
    uint32_t cycles;  ///< from taken to answered
  };
  HostBench b;
  for (const Access& a : {Access{"write of a register", true, regs::kEntryPc, 3, kOkay, 3},
                          {"read of a register", false, regs::kEntryPc, 0, kOkay, 3},
                          {"read of a counter", false, regs::kWinCounters, 0, kOkay, 4},
                          {"write of IMEM", true, regs::kWinImem, 1, kOkay, 3},
                          {"read of IMEM", false, regs::kWinImem, 0, kOkay, 4},
                          {"read of SMEM", false, regs::kWinSmem, 0, kOkay, 4},
                          {"write of VMEM_ADDR", true, regs::kVmemAddr, 0, kOkay, 3},
                          {"write of VMEM_DATA", true, regs::kVmemData, 1, kOkay, 4},
                          {"read of VMEM_DATA", false, regs::kVmemData, 0, kOkay, 6},
                          {"write that is refused", true, 0xff0, 0, kSlvErr, 3}}) {
    if (a.write)
      b.write(a.addr, a.value, a.response);
    else
      b.read(a.addr, a.response);
    EXPECT_EQ(b.latency, a.cycles) << a.name;
  }
}

// Reads of a running core, back to back, over the first walk through the counters and across every
// carry of the low bits: each gives what was counted before the cycle behind that in which it was
// taken.
TEST(Host, CountersAreExactWhileTheyCount) {
  for (const uint32_t stall : {0u, 40u}) {
    HostBench b(stall, 1 + stall);
    tb::Random rng;
    for (int round = 0; round < 6; ++round) {
      const bool full = round % 2 == 0;  // every counter at its greatest pace
      b.write(regs::kCtrl, 1);
      b.clear_counts();
      b.dut().run_i = 1;
      b.choose_counts = [&] {
        auto& d = b.dut();
        for (int c = 1; c < regs::kNumPlainCounters; ++c)
          d.inc_i[c] = full ? inc_max(c) : static_cast<uint32_t>(rng.below(inc_max(c) + 1));
        for (int u = 0; u < ttpu::isa::kNumUnits; ++u)
          d.activity_i[u] = static_cast<uint8_t>(full ? (u + round) % regs::kNumStates
                                                      : rng.below(regs::kNumStates));
      };
      const int reads = round < 2 ? 200 : 60;
      for (int i = 0; i < reads; ++i) {
        const auto c = static_cast<uint32_t>(rng.below(regs::kNumCounters));
        const uint64_t low = b.read(regs::kWinCounters + 8 * c);
        const uint64_t expected = b.taken[c];
        const uint64_t high = b.read(regs::kWinCounters + 8 * c + 4);
        ASSERT_EQ(low | high << 32, expected)
            << regs::kCounterNames[c] << ", read " << i << " of round " << round;
        if (round >= 2) b.tick(rng.below(300));
      }
      b.choose_counts = nullptr;
      b.dut().run_i = 0;
    }
    EXPECT_EQ(b.stalls() > 100, stall != 0);
  }
}

TEST(Host, HighWordIsHeldWithTheLowWord) {
  HostBench b;
  auto& d = b.dut();
  constexpr uint32_t kPace = 4096;
  d.run_i = 1;
  d.inc_i[regs::MXU_MACS] = kPace;
  b.tick((uint64_t{1} << 32) / kPace - 20);
  const auto value = [&](uint64_t wait) {
    const uint64_t low = b.read(regs::kWinCounters + 8 * regs::MXU_MACS);
    b.tick(wait);
    return low | uint64_t{b.read(regs::kWinCounters + 8 * regs::MXU_MACS + 4)} << 32;
  };
  const uint64_t before = value(1000), after = value(0);
  EXPECT_EQ(before % kPace, 0u);
  EXPECT_GE(before, (uint64_t{1} << 32) - 20 * kPace);
  EXPECT_LT(before, uint64_t{1} << 32) << "the high word was read a thousand cycles later";
  EXPECT_GT(after, uint64_t{1} << 32);
  EXPECT_LT(after, (uint64_t{1} << 32) + 1020 * kPace);
}

TEST(Host, VmemWindow) {
  for (const uint32_t stall : {0u, 50u}) {
    HostBench b(stall, stall);
    tb::Random rng;
    b.grant_delay = stall ? 5 : 0;
    std::map<uint32_t, uint32_t> expected;
    for (int i = 0; i < 60; ++i) {
      const uint32_t at = static_cast<uint32_t>(rng.below(kConfig.vmem_bytes() / 4 - 20)) * 4;
      b.write(regs::kVmemAddr, at);
      for (uint32_t w = 0; w < 20; ++w) b.write(regs::kVmemData, expected[at + 4 * w] = rng.u32());
      EXPECT_EQ(b.read(regs::kVmemAddr), at + 80);
    }
    for (const auto& [at, value] : expected) {
      uint32_t in_memory;
      std::memcpy(&in_memory, &b.vmem[at], 4);
      ASSERT_EQ(in_memory, value) << "byte " << at;
    }
    for (const auto& [at, value] : expected) {
      if (rng.chance(90)) continue;
      b.write(regs::kVmemAddr, at);
      ASSERT_EQ(b.read(regs::kVmemData), value) << "byte " << at;
    }
    b.write(regs::kVmemAddr, 2, kSlvErr);
    b.write(regs::kVmemAddr, 0x1000000, kSlvErr);
    b.write(regs::kVmemAddr, kConfig.vmem_bytes() - 4);
    b.write(regs::kVmemData, 42);
    b.write(regs::kVmemData, 43, kSlvErr);
    b.read(regs::kVmemData, kSlvErr);
    EXPECT_EQ(b.read(regs::kVmemAddr), kConfig.vmem_bytes());
  }
}

TEST(Host, MemoryWindows) {
  HostBench b(30);
  b.write(regs::kWinImem + 16 * 7 + 12, 0xcafe);
  EXPECT_EQ(b.imem[7 * 4 + 3], 0xcafeu);
  b.write(regs::kWinSmem + 4 * 4095, 0xbeef);
  EXPECT_EQ(b.smem[4095], 0xbeefu);
  EXPECT_EQ(b.read(regs::kWinImem + 16 * 7 + 12), 0xcafeu);
  EXPECT_EQ(b.read(regs::kWinSmem + 4 * 4095), 0xbeefu);
}

}  // namespace
