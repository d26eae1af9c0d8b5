// Small inputs at which real DMAs have failed.
#include "dma_bench.h"

namespace dma_test {
namespace {

template <class M>
class DmaCases : public ::testing::Test {};
TYPED_TEST_SUITE(DmaCases, Models);

template <class M>
void move_and_check(DmaBench<M>& b, const Transfer& t) {
  const auto fault = b.send(t);
  ASSERT_FALSE(fault) << "the bench made a transfer in error";
  ASSERT_TRUE(b.drain());
  ASSERT_FALSE(b.unit[t.channel].error());
  b.check(tb::describe(b.unit[t.channel].done().back().command));
}

// Case C22: length 0 completes and moves nothing; short lengths at every pair of offsets are exact.
TYPED_TEST(DmaCases, C22_ShortLengthsAtOddOffsets) {
  DmaBench<TypeParam> b;
  const uint32_t axi = b.kAxi;
  for (const bool store : {false, true}) {
    for (int zero = 0; zero < 4; ++zero) {
      Transfer t;
      t.store = store;
      t.n[0] = 16, t.n[zero] = 0;
      t.far = 0xffffffff;  // out of all bounds: nothing is moved, so nothing is wrong
      t.vmem = 0xffffffff;
      move_and_check(b, t);
    }
    EXPECT_EQ(b.memory.statistics().read_bursts + b.memory.statistics().write_bursts, 0u);
    EXPECT_EQ(b.vmem.reads + b.vmem.writes, 0u);
  }
  // Every pair of offsets on the narrow buses, a sample of them on the wide ones.
  const uint32_t step = axi > 16 ? 7 : 1;
  for (const uint32_t length : {1u, 2u, axi - 1, axi, axi + 1, 3 * axi})
    for (const bool store : {false, true})
      for (uint32_t h = 0; h < axi; h += step)
        for (uint32_t v = 0; v < axi; v += step) {
          Transfer t;
          t.channel = (h + v) & 1;  // each channel in places of its own
          t.store = store;
          t.n[0] = length;
          t.far = (5 + 64 * t.channel) * axi + h, t.vmem = (9 + 64 * t.channel) * axi + v;
          b.send(t);
        }
  ASSERT_TRUE(b.drain());
  b.check("short lengths");
}

// Case C23: two bytes from 0xFFF are two bursts, as a burst never crosses 4 KiB.
TYPED_TEST(DmaCases, C23_SplitAt4KiB) {
  for (const bool store : {false, true}) {
    DmaBench<TypeParam> b;
    Transfer t;
    t.store = store;
    t.n[0] = 2;
    t.far = 0xfff, t.vmem = 3;
    move_and_check(b, t);
    const auto& s = b.memory.statistics();
    EXPECT_EQ(s.read_bursts, store ? 0u : 2u);
    EXPECT_EQ(s.write_bursts, store ? 2u : 0u);
    EXPECT_EQ(s.read_beats + s.write_beats, 2u);
  }
}

// Case C24: a burst to a bad address is reported once with its address; the beats behind it arrive,
// and of the bad beat nothing is written.
TYPED_TEST(DmaCases, C24_BadAddressWithBackPressure) {
  constexpr uint64_t kBad = 3 * 4096 + 512;  // from the window's base, one beat
  // Aligned, destination ahead of the source's offset, and behind it.
  constexpr uint32_t kOffsets[][2] = {{0, 0}, {0, 3}, {5, 2}};
  for (const bool store : {false, true})
    for (const auto& [far, vmem] : kOffsets) {
      Setup s;
      s.axi.stall_percent = 40;
      // A second bad beat two bursts behind is on its way by then: it must not be reported again.
      const uint64_t block = 64 * DmaBench<TypeParam>::kAxi, second = kBad + 2 * block;
      for (const uint64_t at : {kBad, second})
        s.axi.errors.push_back(
            {s.window_offset + at, s.window_offset + at, tb::kSlaveError, true, true});
      DmaBench<TypeParam> b(s);
      Transfer t;
      t.channel = 1;
      t.store = store;
      t.n[0] = 6 * 4096;
      t.far = far, t.vmem = vmem;
      const std::vector<uint8_t> old = store ? b.golden.hbm : b.golden.vmem;
      b.send(t);
      for (int i = 0; i < 200'000 && !b.unit[1].error(); ++i) b.tick();
      ASSERT_TRUE(b.unit[1].error()) << "no error reported";
      EXPECT_EQ(b.unit[1].error()->cause, store ? Error::AXI_WRITE : Error::AXI_READ);
      EXPECT_EQ(b.unit[1].error()->pc, b.pc - 1);
      const uint64_t start = kBad / block * block, end = start + block;
      EXPECT_EQ(b.unit[1].error()->addr, b.kMemoryBase + s.window_offset + start);
      // What was on its way goes on (no halt here): UnitDriver fails on a second error.
      for (int i = 0; i < 5000; ++i) b.tick();
      EXPECT_TRUE(b.memory.quiet());
      EXPECT_GT(store ? b.memory.b_stall().count() + b.memory.w_stall().count()
                      : b.memory.r_stall().count(),
                0u);
      const uint8_t* got = store ? &b.memory_storage[s.window_offset + far] : &b.vmem_storage[vmem];
      const uint8_t* want = store ? &b.golden.hbm[far] : &b.golden.vmem[vmem];
      const uint8_t* was = store ? &old[far] : &old[vmem];
      for (uint64_t i = 0; i < t.n[0]; ++i) {
        const uint64_t at = far + i;  // in the window
        const bool bad = at >= kBad && at < kBad + b.kAxi;
        // Behind the bad burst the transfer may have stopped, but only whole bytes arrive.
        const bool ok = bad        ? got[i] == was[i]
                        : at < end ? got[i] == want[i]
                                   : got[i] == want[i] || got[i] == was[i];
        ASSERT_TRUE(ok) << (store ? "store" : "load") << " byte " << i << (bad ? ", bad beat" : "");
      }
      // The chip goes on after the error was reset.
      b.halt_and_clear();
      b.memory.set_errors({});
      b.copy_to_golden();
      Transfer next;
      next.channel = 1;
      next.store = !store;
      next.n[0] = 333;
      next.far = 77, next.vmem = 4097;
      move_and_check(b, next);
    }
}

// Case C25: WREADY low on the last beat; a slave that wants address and data together; one that
// wants the address first.
TYPED_TEST(DmaCases, C25_OrdersOfWrite) {
  for (const auto order :
       {tb::AxiWriteOrder::kAny, tb::AxiWriteOrder::kAddressFirst, tb::AxiWriteOrder::kTogether}) {
    for (const uint32_t delay : {0u, 1u, 9u}) {
      Setup s;
      s.axi.write_order = order;
      s.axi.last_beat_delay = delay;
      s.axi.stall_percent = delay ? 0 : 30;
      DmaBench<TypeParam> b(s);
      for (int i = 0; i < 10; ++i) {
        Transfer t;
        t.channel = i & 1;
        t.store = i < 8;
        t.n[0] = static_cast<uint32_t>(b.random.between(1, 700));
        t.n[1] = 3;
        t.far_stride[0] = 1001;
        t.vmem_stride[0] = 777;
        t.far = static_cast<uint32_t>(i * 5000 + 3), t.vmem = static_cast<uint32_t>(i * 4000 + 1);
        b.send(t);
      }
      ASSERT_TRUE(b.drain(200'000)) << "order " << static_cast<int>(order) << " delay " << delay;
      b.check("orders of write");
    }
  }
}

// Case C26: a transfer as long as the window, the memory and VMEM allow: no burst past the end.
TYPED_TEST(DmaCases, C26_FillsTheBuffer) {
  Setup s;
  s.hbm_bytes = 65536;
  s.margin = 0;  // the memory ends with the window: a stray beat is answered with an error
  DmaBench<TypeParam> b(s);
  Transfer t;
  t.n[0] = 65536;
  t.vmem = b.config.vmem_bytes() - 65536;
  move_and_check(b, t);
  t.store = true;
  t.channel = 1;
  t.vmem -= 1;
  move_and_check(b, t);
  EXPECT_EQ(b.memory.statistics().errors_answered, 0u);
  EXPECT_EQ(b.memory.statistics().read_beats, 65536u / b.kAxi);
  EXPECT_EQ(b.memory.statistics().write_beats, 65536u / b.kAxi);
  // One byte more is refused, and nothing of it moves.
  const auto reads = b.memory.statistics().read_bursts;
  t.store = false;
  t.vmem = 0;
  t.n[0] = 65537;
  const auto fault = b.send(t);
  ASSERT_TRUE(fault);
  ASSERT_TRUE(b.drain());
  ASSERT_TRUE(b.unit[1].error());
  EXPECT_EQ(b.unit[1].error()->cause, fault->cause);
  EXPECT_EQ(b.unit[1].error()->addr, fault->addr);
  EXPECT_EQ(b.memory.statistics().read_bursts, reads);
}

// A store behind a load of the same channel sees what it brought, and the other way round.
TYPED_TEST(DmaCases, OrderWithinAChannel) {
  Setup s;
  s.axi.latency = 60;
  s.axi.stall_percent = 10;
  DmaBench<TypeParam> b(s);
  for (uint32_t i = 0; i < 20; ++i) {
    Transfer t;
    t.n[0] = 200 + i;
    t.store = i & 1;
    t.cmem = b.config.cmem_bytes && (i >> 1 & 1);
    t.far = 1000 + (i / 4) * 500, t.vmem = 300 + i / 2;
    b.send(t);
  }
  ASSERT_TRUE(b.drain());
  b.check("order within a channel");
}

}  // namespace
}  // namespace dma_test
