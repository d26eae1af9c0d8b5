// The AXI memory: data, timing, stalls, errors; and each protocol check seen to fire.
#include "tb/axi_memory.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "Vtb_axi_probe.h"
#include "tb/controller.h"
#include "tests/tb/expect_failure.h"

namespace {

constexpr unsigned kBytes = 16;
using Bench = tb::Controller<Vtb_axi_probe>;
using Memory = tb::AxiMemory<kBytes>;

/// Memory and probe together; the test plays the device through the set_* inputs.
struct Fixture {
  explicit Fixture(tb::AxiMemoryOptions options = {}, size_t size = 1 << 16)
      : storage(size), memory(TTPU_BIND_AXI(kBytes, bench.dut(), axi_), storage, options) {
    for (size_t i = 0; i < size; ++i) storage[i] = static_cast<uint8_t>(i * 7 + (i >> 8));
    bench.add(memory);
    bench->set_ready_i = 1;
  }
  Vtb_axi_probe* operator->() { return &bench.dut(); }

  void set_ar(uint64_t addr, uint32_t beats) {
    bench->set_araddr_i = addr;
    bench->set_arlen_i = static_cast<uint8_t>(beats - 1);
    bench->set_arvalid_i = 1;
  }
  void set_aw(uint64_t addr, uint32_t beats) {
    bench->set_awaddr_i = addr;
    bench->set_awlen_i = static_cast<uint8_t>(beats - 1);
    bench->set_awvalid_i = 1;
  }
  void set_w(uint8_t fill, uint16_t strobe, bool last) {
    for (unsigned i = 0; i < kBytes; ++i)
      tb::set_lane<uint8_t>(bench->set_wdata_i, i, static_cast<uint8_t>(fill + i));
    bench->set_wstrb_i = strobe;
    bench->set_wlast_i = last;
    bench->set_wvalid_i = 1;
  }
  /// One cycle; then what was taken is no longer offered.
  void tick() {
    struct Taken {
      Vtb_axi_probe& m;
      bool aw = false, w = false, ar = false;
      void at_clock() {
        aw = m.set_awvalid_i && m.axi_awready_i;
        w = m.set_wvalid_i && m.axi_wready_i;
        ar = m.set_arvalid_i && m.axi_arready_i;
        if (m.axi_rvalid_i && m.set_ready_i) ++beats;
        if (m.axi_bvalid_i && m.set_ready_i) ++responses;
      }
      uint64_t beats = 0, responses = 0;
    } taken{bench.dut()};
    bench.tick(taken);
    if (taken.aw) bench->set_awvalid_i = 0;
    if (taken.w) bench->set_wvalid_i = 0;
    if (taken.ar) bench->set_arvalid_i = 0;
    read_beats += taken.beats;
    responses += taken.responses;
    last_taken_w = taken.w;
  }
  void ticks(int n) {
    while (n-- > 0) tick();
  }
  void write_burst(uint64_t addr, uint32_t beats, uint8_t fill, uint16_t strobe = 0xffff) {
    set_aw(addr, beats);
    for (uint32_t b = 0; b < beats; ++b) {
      set_w(static_cast<uint8_t>(fill + b), strobe, b + 1 == beats);
      for (int i = 0; bench->set_wvalid_i && i < 1000; ++i) tick();
    }
    for (int i = 0; bench->set_awvalid_i && i < 1000; ++i) tick();
  }

  std::vector<uint8_t> storage;
  Bench bench;
  Memory memory;
  uint64_t read_beats = 0, responses = 0;
  bool last_taken_w = false;
};

TEST(AxiMemory, ReadLatencyIsWhatWasAskedFor) {
  for (const uint32_t latency : {1u, 2u, 10u, 100u}) {
    Fixture f({.latency = latency});
    f.tick();
    f.set_ar(0x120, 4);
    f.tick();  // taken at this edge: cycle 0
    ASSERT_FALSE(f->set_arvalid_i);
    uint32_t cycles = 0;
    while (f.read_beats == 0 && cycles < 200) f.tick(), ++cycles;
    EXPECT_EQ(cycles, latency);
    EXPECT_EQ(tb::get_lane<uint8_t>(f->axi_rdata_i, 3), f.storage[0x123]);
    f.ticks(3);
    EXPECT_EQ(f.read_beats, 4u) << "one beat a cycle";
    EXPECT_EQ(f->axi_rlast_i, 1);
    EXPECT_EQ(f->axi_rid_i, 2);
    EXPECT_EQ(f->axi_rresp_i, 0);
    f.tick();
    EXPECT_TRUE(f.memory.quiet());
  }
}

TEST(AxiMemory, BandwidthIsLimited) {
  Fixture f({.latency = 1, .bytes_per_cycle = 4});
  f.tick();
  f.set_ar(0, 64);
  uint32_t cycles = 0;
  while (f.read_beats < 64 && cycles < 1000) f.tick(), ++cycles;
  EXPECT_NEAR(cycles, 64 * kBytes / 4, 4);
}

TEST(AxiMemory, ReadsArePipelined) {
  Fixture f({.latency = 50});
  f.tick();
  uint32_t cycles = 0;
  for (int i = 0; i < 8; ++i) {
    f.set_ar(static_cast<uint64_t>(i) * 256, 16);
    while (f->set_arvalid_i) f.tick(), ++cycles;
  }
  while (f.read_beats < 128 && cycles < 1000) f.tick(), ++cycles;
  EXPECT_EQ(cycles, 1 + 50 + 127);
  EXPECT_EQ(f.memory.statistics().max_reads_in_flight, 8u);
}

TEST(AxiMemory, WritesObeyStrobesAndAreAnswered) {
  Fixture f({.latency = 5});
  std::vector<uint8_t> expected = f.storage;
  f.write_burst(0x1000, 3, 10, 0x8421);
  for (unsigned b = 0; b < 3; ++b)
    for (unsigned i = 0; i < kBytes; ++i)
      if (0x8421 >> i & 1) expected[0x1000 + b * kBytes + i] = static_cast<uint8_t>(10 + b + i);
  EXPECT_EQ(f.responses, 0u);
  f.ticks(5);
  EXPECT_EQ(f.responses, 1u);
  EXPECT_EQ(f.storage, expected);
  EXPECT_EQ(f.memory.statistics().written_bytes, 12u);
}

TEST(AxiMemory, EveryWriteOrderCompletes) {
  for (const auto order :
       {tb::AxiWriteOrder::kAny, tb::AxiWriteOrder::kAddressFirst, tb::AxiWriteOrder::kTogether}) {
    for (const uint32_t stalls : {0u, 40u}) {
      Fixture f(
          {.latency = 3, .stall_percent = stalls, .write_order = order, .last_beat_delay = 7});
      for (int i = 0; i < 50; ++i)
        f.write_burst(static_cast<uint64_t>(i) * 64, 4, static_cast<uint8_t>(i));
      f.ticks(100);
      EXPECT_EQ(f.responses, 50u);
      for (unsigned i = 0; i < 50; ++i)
        ASSERT_EQ(f.storage[i * 64 + 17], static_cast<uint8_t>(i + 2));
      if (stalls) f.memory.expect_stalled();
    }
  }
}

TEST(AxiMemory, DataMayComeBeforeItsAddress) {
  Fixture f({.latency = 3});
  f.set_w(9, 0xffff, true);
  f.ticks(3);
  EXPECT_FALSE(f->set_wvalid_i);
  EXPECT_FALSE(f.memory.quiet());
  f.set_aw(0x40, 1);
  f.ticks(10);
  EXPECT_EQ(f.responses, 1u);
  EXPECT_EQ(f.storage[0x45], 14);
}

TEST(AxiMemory, ErrorsAreAnsweredAsErrors) {
  Fixture f(
      {.latency = 2, .errors = {{.first = 0x200, .last = 0x20f, .response = tb::kSlaveError}}});
  f.tick();
  f.set_ar(0x1f0, 3);
  std::vector<int> responses;
  while (responses.size() < 3 && f.bench.cycle() < 100) {
    const uint64_t before = f.read_beats;
    f.tick();
    if (f.read_beats > before) responses.push_back(f->axi_rresp_i);
  }
  EXPECT_EQ(responses, (std::vector<int>{0, 2, 0}));
  f.write_burst(0x200, 1, 1);
  while (f.responses < 1 && f.bench.cycle() < 200) f.tick();
  EXPECT_EQ(f->axi_bresp_i, 2);
  EXPECT_EQ(f.storage[0x200], static_cast<uint8_t>(0x200 * 7 + 2)) << "not written";
  f.write_burst(1 << 16, 1, 1);
  while (f.responses < 2 && f.bench.cycle() < 300) f.tick();
  EXPECT_EQ(f->axi_bresp_i, 3) << "outside of the memory";
}

TEST(AxiMemory, StallsAreCountedAndBelongToTheSeed) {
  const auto run = [](uint64_t seed) {
    Fixture f({.latency = 4, .latency_jitter = 20, .seed = seed, .stall_percent = 30});
    f.tick();
    for (int i = 0; i < 20; ++i) {
      f.set_ar(static_cast<uint64_t>(i) * 256, 16);
      for (int k = 0; f->set_arvalid_i && k < 1000; ++k) f.tick();
    }
    while (f.read_beats < 320 && f.bench.cycle() < 10000) f.tick();
    f.memory.expect_stalled();
    return std::pair(f.bench.cycle(), f.memory.stalls());
  };
  EXPECT_EQ(run(5), run(5));
  EXPECT_NE(run(5), run(6));
  EXPECT_GT(run(5).second, 50u);
  EXPECT_BENCH_FAILURE(tb::StallInjector("never", 0).expect_stalled(), "never: 0 stalls");
}

// ---- the checks fire --------------------------------------------------------------------------

TEST(AxiChecks, BurstAcross4KiB) {
  Fixture f;
  f.tick();
  EXPECT_BENCH_FAILURE((f.set_ar(0xff0, 2), f.ticks(2)), "AR: burst 0xff0 .. 0x100f crosses 4 KiB");
  EXPECT_BENCH_FAILURE((f.set_aw(0xff8, 2), f.ticks(2)), "AW: burst 0xff8 .. 0x100f crosses 4 KiB");
  f.set_w(0, 0, false), f.tick(), f.set_w(0, 0, true), f.ticks(30);
}

TEST(AxiChecks, BurstTooLong) {
  Fixture f;
  f.tick();
  EXPECT_BENCH_FAILURE((f.set_ar(0, 65), f.ticks(2)), "AR: burst of 65 beats, at most 64 allowed");
  f.ticks(100);
}

TEST(AxiChecks, LastTooEarlyOrMissing) {
  Fixture f;
  f.tick();
  f.set_aw(0, 2);
  EXPECT_BENCH_FAILURE((f.set_w(0, 0xffff, true), f.ticks(3)),
                       "WLAST is 1 on beat 1 of 2 of the burst at 0x0");
  EXPECT_BENCH_FAILURE((f.set_w(0, 0xffff, false), f.ticks(3)),
                       "WLAST is 0 on beat 2 of 2 of the burst at 0x0");
  f.ticks(30);
}

TEST(AxiChecks, ValidFallsOrPayloadChanges) {
  // A memory that never takes anything: every offer waits.
  Fixture f({.stall_percent = 100, .stall_longest = 1000});
  f.set_ar(0, 1), f.set_aw(0, 1), f.set_w(0, 1, true);
  f.ticks(3);
  EXPECT_BENCH_FAILURE((f->set_araddr_i = 64, f.tick()), "AR: payload changed while it waited");
  EXPECT_BENCH_FAILURE((f->set_awlen_i = 3, f.tick()), "AW: payload changed while it waited");
  EXPECT_BENCH_FAILURE((f->set_wstrb_i = 3, f.tick()), "W: payload changed while it waited");
  EXPECT_BENCH_FAILURE((tb::set_lane<uint8_t>(f->set_wdata_i, 15, 99), f.tick()),
                       "W: payload changed while it waited");
  EXPECT_BENCH_FAILURE((f->set_arvalid_i = 0, f.tick()), "AR: valid fell before ready");
  EXPECT_BENCH_FAILURE((f->set_awvalid_i = 0, f.tick()), "AW: valid fell before ready");
  EXPECT_BENCH_FAILURE((f->set_wvalid_i = 0, f.tick()), "W: valid fell before ready");
}

TEST(AxiChecks, TooManyReadsInFlight) {
  Fixture f({.latency = 100, .max_reads = 2});
  f.tick();
  for (int i = 0; i < 2; ++i) f.set_ar(0, 1), f.tick();
  EXPECT_BENCH_FAILURE((f.set_ar(0, 1), f.tick()), "3 read bursts in flight, at most 2 allowed");
  f.ticks(120);
}

TEST(AxiChecks, OpenWorkAtTheEnd) {
  EXPECT_BENCH_FAILURE(
      {
        Fixture f({.latency = 100});
        f.tick();
        f.set_ar(0, 1);
        f.ticks(3);
      },
      "ends with work open: 1 reads");
}

}  // namespace
