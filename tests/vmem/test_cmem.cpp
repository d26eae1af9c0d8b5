// CMEM: two cores, interleaved banks.
#include "Vcmem_core128.h"
#include "ram_bench.h"

namespace vmem_test {
namespace {

Shape cmem_shape() { return {2, 2, 64, 4, 65536, 2, true}; }

TEST(Cmem, RandomTraffic) {
  RamBench<Vcmem_core128> b(cmem_shape());
  b.fill();
  random_traffic(b, tb::long_run() ? 400000 : 20000, 90, 4);
  EXPECT_GT(b.conflicts, 1000u);
}

// Contiguous transfers of both cores fall into step: after the first conflicts none is left.
TEST(Cmem, ContiguousTransfersSettle) {
  RamBench<Vcmem_core128> b(cmem_shape());
  b.fill();
  const uint64_t before = b.conflicts;
  uint64_t next[4] = {0, 32768, 16384, 49152};
  for (int i = 0; i < 200; ++i) {
    for (unsigned p = 0; p < 2; ++p) {
      if (!b.read[p].active) b.request_read(p, next[p]), next[p] += 64;
      if (!b.write[p].active) b.request_write(p, next[2 + p]), next[2 + p] += 64;
    }
    b.tick();
  }
  EXPECT_LE(b.conflicts - before, 4u);
}

}  // namespace
}  // namespace vmem_test
