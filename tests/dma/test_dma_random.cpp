// Random 4-D transfers on both channels against the golden model.
#include "dma_bench.h"

namespace dma_test {
namespace {

template <class M>
class DmaRandom : public ::testing::Test {};
TYPED_TEST_SUITE(DmaRandom, Models);

/// `rounds` batches of transfers on both channels at once.
template <class M>
void run_batches(Setup setup, int rounds, int transfers) {
  DmaBench<M> b(setup);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < transfers; ++i)
      for (uint32_t channel = 0; channel < 2; ++channel) {
        const auto fault = b.send(random_transfer(b, channel));
        ASSERT_FALSE(fault) << "the bench made a transfer in error";
      }
    ASSERT_TRUE(b.drain());
    ASSERT_TRUE(b.check(tb::format("batch %d", round)));
  }
  EXPECT_EQ(b.unit[0].done().size() + b.unit[1].done().size(), 8u * rounds * transfers);
  EXPECT_EQ(b.counted_read, b.golden.activity.hbm_read_bytes);
  EXPECT_EQ(b.counted_write, b.golden.activity.hbm_write_bytes);
  EXPECT_LE(b.memory.statistics().max_reads_in_flight, b.config.axi_outstanding);
  EXPECT_EQ(b.memory.statistics().errors_answered, 0u);
  if (setup.axi.stall_percent) b.memory.expect_stalled();
  if (setup.vmem_stall) {
    b.vmem.rd_stall.expect_stalled();
    b.vmem.wr_stall.expect_stalled();
    if (b.config.cmem_bytes && rounds * transfers > 100) {
      b.cmem.rd_stall.expect_stalled();
      b.cmem.wr_stall.expect_stalled();
    }
  }
  if (setup.cmd_stall) b.unit[0].stall().expect_stalled();
  b.top.finish();
}

int scaled(int n) { return tb::long_run() ? 20 * n : n; }

TYPED_TEST(DmaRandom, NoStalls) {
  Setup s;
  s.axi.latency = 3;
  run_batches<TypeParam>(s, scaled(6), 40);
}

TYPED_TEST(DmaRandom, AllHandshakesStall) {
  Setup s;
  s.axi.stall_percent = 35;
  s.vmem_stall = 30;
  s.cmd_stall = 20;
  s.window_offset = 4096 + 1237;  // the window may begin anywhere
  run_batches<TypeParam>(s, scaled(6), 40);
}

// Case C7: the latency of the memory is random for each burst and beat.
TYPED_TEST(DmaRandom, C7_RandomLatency) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Setup s;
    s.axi.latency = 1;
    s.axi.latency_jitter = 150;
    s.axi.stall_percent = 50;
    s.axi.seed = seed * 77 + tb::run_seed();
    run_batches<TypeParam>(s, scaled(1), 30);
  }
}

// Case C38: registers start at random values.
TYPED_TEST(DmaRandom, C38_RandomStart) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    Setup s;
    s.random_init_seed = seed * 91 + tb::run_seed();
    s.vmem_stall = 30;
    run_batches<TypeParam>(s, 1, 10);
  }
}

// Done means visible: memory is compared in the cycle after the command's done.
TYPED_TEST(DmaRandom, DoneMeansVisible) {
  Setup s;
  s.axi.stall_percent = 20;
  s.vmem_stall = 20;
  DmaBench<TypeParam> b(s);
  const int transfers = b.config.vmem_bytes() > (1 << 20) ? 12 : 60;
  for (int i = 0; i < transfers; ++i) {
    b.send(random_transfer(b, i % 2));
    ASSERT_TRUE(b.drain());
    ASSERT_TRUE(b.check(tb::describe(b.unit[i % 2].done().back().command)));
  }
}

}  // namespace
}  // namespace dma_test
