// Bounds, fields, halt and clear.
#include "dma_bench.h"

namespace dma_test {
namespace {

template <class M>
class DmaErrors : public ::testing::Test {};
TYPED_TEST_SUITE(DmaErrors, Models);

template <class M>
void expect_fault(DmaBench<M>& b, uint32_t channel, const std::optional<Fault>& want,
                  const std::string& what) {
  ASSERT_TRUE(want) << what;
  ASSERT_TRUE(b.drain()) << what;
  const auto& got = b.unit[channel].error();
  ASSERT_TRUE(got) << what << ": no error reported";
  EXPECT_EQ(static_cast<int>(got->cause), static_cast<int>(want->cause)) << what;
  EXPECT_EQ(got->addr, want->addr) << what;
  EXPECT_EQ(got->pc, want->pc) << what;
}

// Runs that leave a memory: cause, pc, address and all that moved before are the golden model's.
TYPED_TEST(DmaErrors, RandomBounds) {
  Setup s;
  s.axi.latency = 20;
  s.axi.stall_percent = 10;
  s.vmem_stall = 10;
  DmaBench<TypeParam> b(s);
  const int rounds = b.config.vmem_bytes() > (1 << 20) ? 40 : 300;
  int errors = 0;
  for (int i = 0; i < rounds; ++i) {
    const uint32_t channel = i % 2;
    std::optional<Fault> fault;
    // Good transfers before it must come to their end.
    for (int k = b.random.below(3); k > 0; --k) fault = b.send(random_transfer(b, channel, 2000));
    ASSERT_FALSE(fault);
    Transfer t = random_transfer(b, channel, 3000);
    switch (b.random.below(6)) {
      case 0:
        t.far += 1u << b.random.below(32);
        break;
      case 1:
        t.vmem += 1u << b.random.below(32);
        break;
      case 2:
        t.far_stride[b.random.below(3)] = static_cast<int32_t>(b.random.u32()) >> 5;
        break;
      case 3:
        t.vmem_stride[b.random.below(3)] = static_cast<int32_t>(b.random.u32()) >> 9;
        break;
      case 4:
        t.vmem = b.config.vmem_bytes() - static_cast<uint32_t>(b.random.below(300));
        break;
      case 5:
        t.far = static_cast<uint32_t>((t.cmem ? b.config.cmem_bytes : s.hbm_bytes) -
                                      b.random.below(300));
        break;
    }
    fault = b.send(t);
    const std::string what = tb::format("round %d", i);
    if (!fault) {
      ASSERT_TRUE(b.drain());
      ASSERT_FALSE(b.unit[channel].error()) << what;
      ASSERT_TRUE(b.check(what));
      continue;
    }
    ++errors;
    expect_fault(b, channel, fault, what);
    ASSERT_TRUE(b.check(what));
    b.halt_and_clear();
    ASSERT_TRUE(b.check(what + ", after clear"));
  }
  EXPECT_GT(errors, rounds / 4);
  b.vmem.wr_stall.expect_stalled();
}

TYPED_TEST(DmaErrors, Fields) {
  DmaBench<TypeParam> b;
  // Shapes and strides are zero after reset: a transfer moves nothing.
  Command c;
  c.instr = ttpu::isa::DmaLoad{}.encode();
  c.a = 0xffffffff;
  b.unit[0].send(c);
  ASSERT_TRUE(b.drain());
  EXPECT_FALSE(b.unit[0].error());
  // An opcode that the DMA does not have.
  c.instr.set(0, 8, 0x4f);
  c.pc = 99;
  b.unit[0].send(c);
  ASSERT_TRUE(b.drain());
  expect_fault(b, 0, Fault{Error::ILLEGAL_OPCODE, {}, 99, 0x4f}, "opcode");
  b.halt_and_clear();
  if (b.config.cmem_bytes == 0) {
    Transfer t;
    t.cmem = true;
    t.n[0] = 0;  // support is checked before the length
    expect_fault(b, 0, b.send(t), "CMEM that is not there");
    b.halt_and_clear();
  }
  // clear returns the configuration to zero: counts first, then strides.
  Transfer t;
  t.n[0] = 64, t.n[1] = t.n[2] = t.n[3] = 2;
  for (int d = 0; d < 3; ++d) t.far_stride[d] = 100 << d, t.vmem_stride[d] = 200 << d;
  b.send(t);
  ASSERT_TRUE(b.drain());
  b.halt_and_clear();
  const auto bursts = b.memory.statistics().read_bursts;
  c = {};
  c.instr = ttpu::isa::DmaLoad{}.encode();
  b.unit[0].send(c);
  ASSERT_TRUE(b.drain());
  EXPECT_EQ(b.memory.statistics().read_bursts, bursts);
  EXPECT_FALSE(b.unit[0].error());
  b.random.fill(b.vmem_storage);
  b.copy_to_golden();
  ttpu::isa::DmaShape shape;
  shape.n0 = 64, shape.n1 = shape.n2 = shape.n3 = 2;
  for (const auto& instr : {shape.encode(), ttpu::isa::DmaLoad{}.encode()}) {
    c.instr = instr;
    b.unit[0].send(c);
    ASSERT_FALSE(b.golden.execute(c));
  }
  ASSERT_TRUE(b.drain());
  b.check("strides after clear");
}

// The window is a wall: nothing is reachable at size 0.
TYPED_TEST(DmaErrors, EmptyWindow) {
  DmaBench<TypeParam> b;
  b.top->hbm_size_i = 0;
  Transfer t;
  t.n[0] = 1;
  b.send(t);
  ASSERT_TRUE(b.drain());
  expect_fault(b, 0, Fault{Error::FAR_BOUNDS, {}, b.pc - 1, 0}, "window of 0 bytes");
  EXPECT_EQ(b.memory.statistics().read_bursts, 0u);
}

// A halt at any time ends in quiet soon, finishes what is on the bus, and the DMA goes on after
// clear.
TYPED_TEST(DmaErrors, HaltAndClearAnyTime) {
  Setup s;
  s.axi.latency = 30;
  s.axi.stall_percent = 20;
  s.vmem_stall = 20;
  DmaBench<TypeParam> b(s);
  const int rounds = b.config.vmem_bytes() > (1 << 20) ? 25 : 150;
  int open = 0;
  for (int i = 0; i < rounds; ++i) {
    for (uint32_t channel = 0; channel < 2; ++channel)
      for (int k = 0; k < 4; ++k) b.send(random_transfer(b, channel));
    for (int n = b.random.below(500); n > 0; --n) b.tick();
    open += !b.memory.quiet();
    b.halt_and_clear(20'000);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << i;
    // What had moved by then depends on time; the rest must be right from here.
    b.copy_to_golden();
    const std::span<const uint8_t> all(b.memory_storage), was(b.before);
    ASSERT_TRUE(std::equal(all.begin(), all.begin() + 8192, was.begin()));
    for (uint32_t channel = 0; channel < 2; ++channel) b.send(random_transfer(b, channel));
    ASSERT_TRUE(b.drain());
    ASSERT_TRUE(b.check(tb::format("round %d", i)));
  }
  EXPECT_GT(open, rounds / 6) << "too few halts with a burst open";
}

// A halt in the middle of a transfer: each byte is the old one or the new one, never anything else.
TYPED_TEST(DmaErrors, HaltLeavesOldOrNewBytes) {
  Setup s;
  s.axi.latency = 20;
  s.axi.stall_percent = 15;
  s.vmem_stall = 15;
  DmaBench<TypeParam> b(s);
  int partly = 0;
  for (int i = 0; i < 40; ++i) {
    Transfer t;
    t.store = i & 1;
    t.cmem = b.config.cmem_bytes && (i & 2);
    t.n[0] = 40 * b.kAxi;
    t.n[1] = 3;
    t.far_stride[0] = t.vmem_stride[0] = 41 * b.kAxi + 1;
    t.far = static_cast<uint32_t>(b.random.below(8192));
    t.vmem = static_cast<uint32_t>(b.random.below(8192));
    auto& got = t.store ? (t.cmem ? b.cmem_storage : b.memory_storage) : b.vmem_storage;
    const auto& want = t.store ? (t.cmem ? b.golden.cmem : b.golden.hbm) : b.golden.vmem;
    const size_t base = t.store && !t.cmem ? s.window_offset : 0;
    const std::vector<uint8_t> old = want;
    ASSERT_FALSE(b.send(t));
    for (int n = b.random.below(200); n > 0; --n) b.tick();
    b.halt_and_clear(20'000);
    size_t moved = 0, kept = 0;
    for (size_t k = 0; k < want.size(); ++k) {
      const uint8_t g = got[base + k];
      if (g != old[k] && g != want[k]) {
        tb::report_difference(t.store ? "stored byte" : "loaded byte", static_cast<int64_t>(k),
                              b.now, tb::format("halted transfer %d", i), want[k], g);
        return;
      }
      moved += g == want[k] && want[k] != old[k];
      kept += g == old[k] && want[k] != old[k];
    }
    partly += moved && kept;
    b.random.fill(b.memory_storage);
    b.random.fill(b.cmem_storage);
    b.copy_to_golden();
  }
  EXPECT_GT(partly, 8) << "too few halts in the middle of a transfer";
}

// A halt while a request of a few words waits for its grant: quiet comes after grant and data only.
TYPED_TEST(DmaErrors, HaltWhileARequestWaits) {
  Setup s;
  s.vmem_stall = 70;
  DmaBench<TypeParam> b(s);
  const int rounds = b.config.vmem_bytes() > (1 << 20) ? 100 : 400;
  for (int i = 0; i < rounds; ++i) {
    Transfer t;
    t.store = i & 1;
    t.cmem = b.config.cmem_bytes && (i & 2);
    t.n[0] = static_cast<uint32_t>(b.random.between(1, 3 * b.kAxi));
    b.send(t);
    for (int n = b.random.below(24); n > 0; --n) b.tick();
    b.halt_and_clear(2'000);  // checks quiet; the ports check that no request falls
    ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << i;
  }
}

}  // namespace
}  // namespace dma_test
