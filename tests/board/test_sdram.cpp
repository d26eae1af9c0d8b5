// The SDRAM controller with the model of an SDRAM at its pins: both widths, several clocks, all
// ports at once with stalls; throughput, boundaries, errors; and that each rule of the model bites.
#include "Vttpu_sdram_16.h"
#include "Vttpu_sdram_32.h"
#include "Vttpu_sdram_slow.h"
#include "Vttpu_sdram_wide.h"
#include "Vttpu_sdram_word.h"
#include "sdram_bench.h"

namespace ttpu::test {
namespace {

// As the models are built (CMakeLists.txt), with the controller's times in clocks. kReadBurst and
// kWriteBurst: clocks of 64 beats in an open row, address to last beat and address to response.
struct Ulx3s {  // 32 MB, 100 MHz
  using Bench = SdramBench<Vttpu_sdram_16, 16, 8>;
  static constexpr tb::SdramPart kPart = tb::sdram::kMt48lc16m16;
  static constexpr int64_t kPeriod = 10'000;
  static constexpr uint32_t kAxiBytes = 8, kLatency = 2, kTrefi = 780;
  static constexpr uint32_t kRcd = 2, kRp = 2, kRas = 5, kRfc = 7, kWr = 2;
  static constexpr bool kFall = false;
  static constexpr uint64_t kReadBurst = 263, kWriteBurst = 259;
};
struct Tang20k {  // 8 MB in the package, 60 MHz, data on the falling edge
  using Bench = SdramBench<Vttpu_sdram_32, 32, 8>;
  static constexpr tb::SdramPart kPart = tb::sdram::kGw2ar18;
  static constexpr int64_t kPeriod = 16'667;
  static constexpr uint32_t kAxiBytes = 8, kLatency = 2, kTrefi = 936;
  static constexpr uint32_t kRcd = 2, kRp = 2, kRas = 3, kRfc = 4, kWr = 2;
  static constexpr bool kFall = true;
  static constexpr uint64_t kReadBurst = 135, kWriteBurst = 131;
};
constexpr tb::SdramPart slow_to_write(tb::SdramPart part) {
  part.wr = 21'000, part.wr_clocks = 3;
  return part;
}
struct Wide {  // 64 MB, beats of 16 bytes, 125 MHz, CAS latency 3, tWR of three clocks
  using Bench = SdramBench<Vttpu_sdram_wide, 16, 16>;
  static constexpr tb::SdramPart kPart = slow_to_write(tb::sdram::kAs4c32m16);
  static constexpr int64_t kPeriod = 8'000;
  static constexpr uint32_t kAxiBytes = 16, kLatency = 3, kTrefi = 975;
  static constexpr uint32_t kRcd = 3, kRp = 3, kRas = 6, kRfc = 9, kWr = 3;
  static constexpr bool kFall = false;
  static constexpr uint64_t kReadBurst = 520, kWriteBurst = 515;
};
struct Slow {  // beats of 2 bytes, 25 MHz: a time is one clock or two
  using Bench = SdramBench<Vttpu_sdram_slow, 16, 2>;
  static constexpr tb::SdramPart kPart = tb::sdram::kMt48lc16m16;
  static constexpr int64_t kPeriod = 40'000;
  static constexpr uint32_t kAxiBytes = 2, kLatency = 2, kTrefi = 195;
  static constexpr uint32_t kRcd = 1, kRp = 1, kRas = 3, kRfc = 2, kWr = 2;
  static constexpr bool kFall = true;
  static constexpr uint64_t kReadBurst = 71, kWriteBurst = 67;
};

struct Word {  // a beat is a word of the SDRAM; 60 MHz, CAS latency 3
  using Bench = SdramBench<Vttpu_sdram_word, 32, 4>;
  static constexpr tb::SdramPart kPart = tb::sdram::kGw2ar18;
  static constexpr int64_t kPeriod = 16'667;
  static constexpr uint32_t kAxiBytes = 4, kLatency = 3, kTrefi = 936;
  static constexpr uint32_t kRcd = 2, kRp = 2, kRas = 3, kRfc = 4, kWr = 2;
  static constexpr bool kFall = true;
  static constexpr uint64_t kReadBurst = 72, kWriteBurst = 67;
};

/// The shortest and the longest way out and back, ps: docs/reference/sdram.md.
template <class S>
constexpr int64_t kNear = S::kFall ? 0 : S::kPeriod / 2 - S::kPart.oh;
template <class S>
constexpr int64_t kFar = (S::kFall ? S::kPeriod : S::kPeriod * 3 / 2) - 500 -
                         (S::kLatency == 2 ? S::kPart.ac2 : S::kPart.ac3);

template <class S>
class Sdram : public ::testing::Test {
 protected:
  using Bench = typename S::Bench;
  static constexpr uint32_t kBeat = S::kAxiBytes;
  static constexpr uint64_t kRow = uint64_t{S::kPart.data_bits / 8} << S::kPart.col_bits;

  static std::unique_ptr<Bench> make(uint32_t stall, int64_t way = (kNear<S> + kFar<S>) / 2,
                                     const tb::SdramPart& part = S::kPart) {
    return std::make_unique<Bench>(part, S::kPeriod, way, stall);
  }
  /// 4 KiB blocks where something happens: ends of the memory, of rows and banks; and two that
  /// share a bank.
  static std::vector<uint64_t> blocks(Bench& b) {
    const uint64_t stride = kRow << S::kPart.bank_bits;
    return {0, b.bytes() - 4096, stride * 5, stride * 6, b.bytes() / 2 - 4096, b.bytes() / 2};
  }
  static uint64_t some_burst(Bench& b, uint64_t block, uint32_t& beats) {
    constexpr uint32_t kMost = 4096 / kBeat;
    beats = b.random.chance(30) ? 1 : 1 + static_cast<uint32_t>(b.random.below(64));
    const uint64_t first = b.random.below(kMost - beats + 1);
    return block + (b.random.chance(25) ? (b.random.coin() ? 0 : kMost - beats) : first) * kBeat;
  }
  /// Random accesses of all ports for `cycles`; `bad` percent of them beyond the end.
  static void traffic(Bench& b, uint64_t cycles, uint32_t bad = 3) {
    const auto where = blocks(b);
    for (const uint64_t block : where) b.poke(block, 4096);
    for (uint64_t i = 0; i < cycles; ++i) {
      uint32_t beats = 0;
      const auto place = [&](uint64_t block) {
        const uint64_t addr = some_burst(b, block, beats);
        if (!b.random.chance(bad)) return addr;
        const uint64_t beyond = b.bytes() << b.random.below(63 - std::countr_zero(b.bytes()));
        return addr % b.bytes() | beyond;
      };
      if (b.waiting_writes() < 2 && b.random.chance(20)) {
        const uint64_t addr = place(b.random.pick(where));
        b.burst(true, addr, beats, b.random.coin() ? 100 : 50);
      }
      if (b.waiting_reads() < 6 && b.random.chance(20)) {
        const uint64_t addr = place(b.random.pick(where));
        b.burst(false, addr, beats);
      }
      if (b.random.chance(5)) {
        uint64_t addr = b.random.pick(where) + 4 * b.random.below(1024);
        if (b.random.chance(bad) && b.bytes() < 1u << 31) addr |= b.bytes();
        b.host(b.random.coin(), addr);
      }
      b.ctl.tick();
      if (::testing::Test::HasFailure()) return;
    }
    b.drain();
  }
};
using Setups = ::testing::Types<Ulx3s, Tang20k, Wide, Slow, Word>;
TYPED_TEST_SUITE(Sdram, Setups);

TYPED_TEST(Sdram, RandomTrafficOfAllPorts) {
  const uint64_t cycles = tb::long_run() ? 20'000'000 : 800'000;
  for (const uint32_t stall : {0, 40}) {
    for (const int64_t way : {kNear<TypeParam>, kFar<TypeParam>}) {
      auto b = this->make(stall, way);
      ASSERT_TRUE(b->initialise());
      this->traffic(*b, cycles / 4);
      b->expect_contents();
      EXPECT_GT(b->read_bursts, 100u);
      EXPECT_GT(b->write_bursts, 100u);
      EXPECT_GT(b->host_words, 50u);
      EXPECT_GT(b->errors, 3u);
      if (stall)
        for (const auto* s : {&b->b_stall, &b->r_stall, &b->w_stall, &b->aw_stall, &b->ar_stall})
          s->expect_stalled(20);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(Sdram, ResetInTheMiddleStartsOver) {
  auto b = this->make(0);
  for (int round = 0; round < 12; ++round) {
    ASSERT_TRUE(b->initialise());
    for (uint64_t i = b->random.below(300) + 60; i > 0; --i) {
      const uint64_t at = 4096 * b->random.below(64);
      if (b->waiting_reads() < 3) b->burst(false, at, 64);
      if (b->waiting_writes() < 2) b->burst(true, at + (1 << 20), 64);
      b->host(b->random.coin(), (2 << 20) + at);
      b->ctl.tick();
    }
    EXPECT_FALSE(b->idle());
    b->reset();
    EXPECT_FALSE(b->ctl->ready_o);
  }
  ASSERT_TRUE(b->initialise());
  this->traffic(*b, 5'000);
  b->expect_contents();
}

// ---- figures ------------------------------------------------------------------------------------
TYPED_TEST(Sdram, ClocksOfABurst) {
  auto b = this->make(0);
  ASSERT_TRUE(b->initialise());
  constexpr uint64_t kBurst = 64 * TypeParam::kAxiBytes;
  const uint64_t row = this->kRow, stride = row << TypeParam::kPart.bank_bits;
  b->poke(0, 10 * stride);
  // Right behind a refresh, so that none comes into it; rows are opened by a beat each before.
  const auto clocks = [&](bool write, uint64_t addr, std::initializer_list<uint64_t> open) {
    const uint64_t refreshes = b->sdram.refreshes;
    b->ctl.run_until([&] { return b->sdram.refreshes > refreshes; }, 2000, "refresh");
    for (const uint64_t at : open) {
      EXPECT_TRUE(b->burst(false, at, 1));
      b->drain();
    }
    EXPECT_TRUE(b->burst(write, addr, 64));
    b->drain();
    EXPECT_EQ(b->sdram.refreshes, refreshes + 1) << "measured with a refresh in it";
    return write ? b->last_write_cycles : b->last_read_cycles;
  };
  const uint64_t read = clocks(false, 0, {0}), write = clocks(true, 0, {0});
  EXPECT_EQ(read, TypeParam::kReadBurst);
  EXPECT_EQ(write, TypeParam::kWriteBurst);
  // Half of the burst is in another bank, whose open row is another one.
  EXPECT_EQ(clocks(false, row - kBurst / 2, {0, 9 * stride + row}) - read,
            1 + TypeParam::kRp + TypeParam::kRcd);
  // A stream: share of the clocks in which a word moves, refreshes included.
  for (const bool w : {false, true}) {
    const uint64_t start = b->ctl.cycle(), words = b->sdram.reads + b->sdram.writes;
    for (uint64_t i = 0; i < 64; ++i) {
      b->ctl.run_until([&] { return b->waiting_reads() < 4 && b->waiting_writes() < 2; }, 10'000,
                       "room");
      ASSERT_TRUE(b->burst(w, (1 << 16) + i * kBurst, 64));
    }
    b->drain();
    const double moved = double(b->sdram.reads + b->sdram.writes - words);
    const double share = moved / double(b->ctl.cycle() - start);
    std::printf("[sdram] %s: 64 beats in %llu clocks, stream %s: %.2f words a clock\n",
                TypeParam::kPart.name, static_cast<unsigned long long>(w ? write : read),
                w ? "written" : "read", share);
    EXPECT_EQ(moved, 64.0 * kBurst / (TypeParam::kPart.data_bits / 8));
    EXPECT_GE(share, kBurst < 512 ? 0.80 : 0.93);
  }
}

TYPED_TEST(Sdram, TheHostWaitsForThreeBurstsAtMost) {
  auto b = this->make(0);
  ASSERT_TRUE(b->initialise());
  for (uint64_t i = 0; i < 100'000; ++i) {
    const uint64_t at = b->random.below(1 << 16) * 4096;
    if (b->waiting_reads() < 4) b->burst(false, at % b->bytes(), 64);
    if (b->waiting_writes() < 2) b->burst(true, (at + 4096) % b->bytes(), 64);
    if (b->random.chance(10)) b->host(b->random.coin(), (at + 8192) % b->bytes());
    b->ctl.tick();
  }
  b->drain();
  EXPECT_GT(b->host_words, 50u);
  constexpr uint64_t kWords = 64 * TypeParam::kAxiBytes / (TypeParam::kPart.data_bits / 8);
  EXPECT_GT(b->longest_host, kWords) << "no burst stood before the host: not loaded";
  EXPECT_LE(b->longest_host, 3 * kWords + 120);
}

TYPED_TEST(Sdram, DriversOfTheTwoSidesAreApart) {
  constexpr int64_t kT = TypeParam::kPeriod;
  // The controller drives half a clock behind the SDRAM's last word, or a clock later (ThzNs).
  constexpr int64_t kApart = kT - kT / 2 + (kT / 2 < 7'000 ? kT : 0);
  for (const bool late : {false, true}) {
    tb::SdramPart part = TypeParam::kPart;
    part.hz = kApart + late;
    auto b = this->make(0, (kNear<TypeParam> + kFar<TypeParam>) / 2, part);
    b->sdram.expect_violations = true;
    ASSERT_TRUE(b->initialise());
    for (uint64_t i = 0; i < 20'000; ++i) {  // a write behind each read, both of a row
      if (b->waiting_reads() < 2) b->burst(false, 0, 1 + i % 3);
      if (b->waiting_writes() < 2) b->burst(true, 128, 1 + i % 5);
      b->ctl.tick();
    }
    b->drain();
    EXPECT_GT(b->sdram.reads, 500u);
    EXPECT_GT(b->sdram.writes, 500u);
    EXPECT_EQ(b->sdram.violations.contains("DQ contention"), late);
    EXPECT_EQ(b->sdram.violations.size(), size_t{late});
  }
}

// ---- refresh ------------------------------------------------------------------------------------
TYPED_TEST(Sdram, RefreshGoesOnWhileMastersStall) {
  auto b = this->make(0);
  ASSERT_TRUE(b->initialise());
  b->poke(0, 1 << 16);
  const auto refreshes_in = [&](uint64_t intervals) {
    const uint64_t before = b->sdram.refreshes;
    b->ctl.run(intervals * TypeParam::kTrefi);
    return b->sdram.refreshes - before;
  };
  EXPECT_NEAR(double(refreshes_in(50)), 50, 1) << "idle";
  b->hold_r = true;  // the buffer of beats fills, the burst stands half done
  b->burst(false, 0, 64);
  EXPECT_NEAR(double(refreshes_in(50)), 50, 1) << "a read stalls";
  b->hold_r = false;
  b->drain();
  b->burst(true, 4096, 64);
  b->ctl.run(40);
  b->hold_w = true;  // a write stands half done
  EXPECT_NEAR(double(refreshes_in(50)), 50, 1) << "a write stalls";
  b->hold_w = false;
  b->drain();
  for (uint64_t i = 0; i < 50 * TypeParam::kTrefi; ++i) {
    if (b->waiting_reads() < 4) b->burst(false, 4096 * b->random.below(8), 64);
    b->ctl.tick();
  }
  b->drain();
  b->expect_contents();
  // A refresh waits for no more than the commands in hand.
  EXPECT_LE(b->sdram.longest_refresh_gap, (TypeParam::kTrefi + 40) * TypeParam::kPeriod);
}

TYPED_TEST(Sdram, EveryWindowOf64MsRefreshesAllRows) {
  auto b = this->make(0);
  ASSERT_TRUE(b->initialise());
  b->poke(0, 4096);
  while (b->sdram.refreshes < TypeParam::kPart.refresh_rows + 100) {
    b->burst(b->random.coin(), 0, 4);
    b->ctl.run(TypeParam::kTrefi);
  }
  b->drain();
  b->expect_contents();
  EXPECT_TRUE(b->sdram.violations.empty());
}

// ---- the model bites ----------------------------------------------------------------------------
// A part that needs one clock (or a picosecond) more than the controller gives: the rule is named,
// and no other.
template <class S>
class SdramRules : public Sdram<S> {};
using TightSetups = ::testing::Types<Ulx3s, Wide>;
TYPED_TEST_SUITE(SdramRules, TightSetups);

TYPED_TEST(SdramRules, EachIsNamedWhenBroken) {
  using S = TypeParam;
  constexpr int64_t kT = S::kPeriod;
  const struct {
    const char* rule;
    void (*change)(tb::SdramPart&);
  } faults[] = {
      {"tRCD", [](tb::SdramPart& p) { p.rcd = S::kRcd * kT + 1; }},
      {"tRP", [](tb::SdramPart& p) { p.rp = S::kRp * kT + 1; }},
      {"tRAS", [](tb::SdramPart& p) { p.ras = S::kRas * kT + 1; }},
      {"tRC", [](tb::SdramPart& p) { p.rc = (S::kRas + S::kRp) * kT + 1; }},
      {"tRRD", [](tb::SdramPart& p) { p.rrd = (S::kRcd + 3) * kT + 1; }},
      {"tRFC", [](tb::SdramPart& p) { p.rfc = S::kRfc * kT + 1; }},
      {"tWR", [](tb::SdramPart& p) { p.wr = S::kWr * kT + 1; }},
      {"tWR", [](tb::SdramPart& p) { p.wr_clocks = S::kWr + 1; }},
      {"tMRD", [](tb::SdramPart& p) { p.mrd_clocks = 8; }},
      {"tRAS max", [](tb::SdramPart& p) { p.ras_max = 200'000; }},
      {"power-up", [](tb::SdramPart& p) { p.power_up = 210'000'000; }},
      {"init", [](tb::SdramPart& p) { p.init_refreshes = 9; }},
      {"refresh rate", [](tb::SdramPart& p) { p.refresh_window = 62'000'000'000; }},
      {"refresh window",
       [](tb::SdramPart& p) { p.refresh_rows = 60, p.refresh_window = 60 * 7'799'000ll; }},
      {"CAS latency", [](tb::SdramPart& p) { p.period2 = p.period3 = kT + 1; }},
      {"DQ contention", [](tb::SdramPart& p) { p.hz = kT * 3 / 2 + 1; }},
  };
  for (const auto& fault : faults) {
    tb::SdramPart part = S::kPart;
    fault.change(part);
    auto b = this->make(0, (kNear<S> + kFar<S>) / 2, part);
    b->sdram.expect_violations = b->expect_wrong = true;
    b->burst(false, 0, 1);  // waits for ready_o
    ASSERT_TRUE(b->initialise());
    for (uint64_t i = 0; i < 60'000; ++i) {
      if (b->waiting_reads() + b->waiting_writes() < 4)
        b->burst(b->random.coin(), b->random.below(b->bytes() / 16) * 16, 1);
      b->host(b->random.coin(), b->random.below(b->bytes() / 4) * 4);  // the shortest
      b->ctl.tick();
    }
    b->drain();
    EXPECT_GT(b->sdram.violations[fault.rule], 0u) << fault.rule;
    for (const auto& [rule, count] : b->sdram.violations)
      EXPECT_EQ(rule, fault.rule) << count << " times";
  }
}

TYPED_TEST(Sdram, DataAreTakenInTheirEyeOnly) {
  for (const int64_t way : {kNear<TypeParam> - 100, kFar<TypeParam> + 100}) {
    if (way < 0) continue;
    auto b = this->make(0, way);
    b->expect_wrong = true;
    ASSERT_TRUE(b->initialise());
    b->poke(0, 4096);
    b->burst(false, 0, 16);
    b->drain();
    EXPECT_GT(b->wrong, 0u) << "a way of " << way << " ps";
  }
}

}  // namespace
}  // namespace ttpu::test
