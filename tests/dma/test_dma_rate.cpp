// Cycles: full rate with latency hidden, both directions at once, short runs.
#include "dma_bench.h"

namespace dma_test {
namespace {

template <class M>
class DmaRate : public ::testing::Test {};
TYPED_TEST_SUITE(DmaRate, Models);

constexpr uint32_t kLatency = 100;

/// Cycles from the acceptance of the first command to the last done of both channels.
template <class M>
uint64_t cycles_of(DmaBench<M>& b, const std::vector<Transfer>& transfers) {
  for (const Transfer& t : transfers) EXPECT_FALSE(b.send(t));
  EXPECT_TRUE(b.drain());
  b.check("rate");
  uint64_t first = ~0ull, last = 0;
  for (const auto& u : b.unit)
    for (const auto& e : u.done())
      first = std::min(first, e.accepted), last = std::max(last, e.done);
  std::printf("  %s: %llu cycles\n", Traits<M>::kName,
              static_cast<unsigned long long>(last - first));
  return last - first;
}

Setup with_latency(uint32_t latency) {
  Setup s;
  s.axi.latency = latency;
  return s;
}

Transfer contiguous(uint32_t channel, bool store, uint32_t bytes, uint32_t far, uint32_t vmem) {
  Transfer t;
  t.channel = channel;
  t.store = store;
  t.n[0] = bytes;
  t.far = far, t.vmem = vmem;
  return t;
}

TYPED_TEST(DmaRate, LongLoad) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  EXPECT_LE(cycles_of(b, {contiguous(0, false, 65536, 0, 0)}), 65536 / b.kAxi + kLatency + 16);
}

TYPED_TEST(DmaRate, LongStore) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  EXPECT_LE(cycles_of(b, {contiguous(1, true, 65536, 0, 0)}), 65536 / b.kAxi + kLatency + 20);
}

TYPED_TEST(DmaRate, BothDirectionsAtOnce) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  EXPECT_LE(
      cycles_of(b, {contiguous(0, false, 65536, 0, 0), contiguous(1, true, 65536, 65536, 65536)}),
      65536 / b.kAxi + kLatency + 20);
}

// Two loads share the read path: neither is starved and no cycle is lost.
TYPED_TEST(DmaRate, TwoLoadsShare) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  EXPECT_LE(
      cycles_of(b, {contiguous(0, false, 32768, 0, 0), contiguous(1, false, 32768, 65536, 65536)}),
      65536 / b.kAxi + kLatency + 16);
  const uint64_t done0 = b.unit[0].done().back().done, done1 = b.unit[1].done().back().done;
  EXPECT_LE(std::max(done0, done1) - std::min(done0, done1), 64u + 8);
}

// Transfers in a row: the latency is paid once.
TYPED_TEST(DmaRate, TransfersInARow) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  std::vector<Transfer> list;
  for (uint32_t i = 0; i < 8; ++i) list.push_back(contiguous(0, false, 8192, i * 8192, i * 8192));
  EXPECT_LE(cycles_of(b, list), 65536 / b.kAxi + kLatency + 16);
}

// Any offset: one cycle more for each burst.
TYPED_TEST(DmaRate, LongLoadAtOddOffsets) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  EXPECT_LE(cycles_of(b, {contiguous(0, false, 65536, 5, 2)}),
            (65536 / b.kAxi + 1) * 65 / 64 + kLatency + 20);
}

// Short runs: one a cycle (loads need the answers in time: the open bursts must cover the latency).
TYPED_TEST(DmaRate, ShortRuns) {
  for (const bool store : {false, true}) {
    DmaBench<TypeParam> b(with_latency(1));
    Transfer t;
    t.store = store;
    t.n[0] = b.kAxi / 2;
    t.n[1] = 32;
    t.n[2] = 8;
    t.far_stride[0] = 256, t.far_stride[1] = 8192;
    t.vmem_stride[0] = static_cast<int32_t>(b.kAxi), t.vmem_stride[1] = 32 * b.kAxi;
    const uint64_t cycles = cycles_of(b, {t});
    EXPECT_LE(cycles, 256u * (b.config.axi_outstanding < 8 ? 2 : 1) + 24)
        << (store ? "store" : "load");
  }
}

// Through CMEM and back.
TYPED_TEST(DmaRate, Cmem) {
  DmaBench<TypeParam> b(with_latency(kLatency));
  if (b.config.cmem_bytes == 0) GTEST_SKIP() << "no CMEM in this configuration";
  Transfer out = contiguous(0, true, 32768, 0, 0);
  out.cmem = true;
  Transfer in = contiguous(1, false, 32768, 32768, 65536);
  in.cmem = true;
  EXPECT_LE(cycles_of(b, {out, in}), 32768 / b.kAxi + 20);
  EXPECT_EQ(b.counted_read + b.counted_write, 0u);
}

}  // namespace
}  // namespace dma_test
