// VMEM: random traffic on every port, fairness, conflict counts, full rate.
#include <type_traits>

#include "Vvmem_core128.h"
#include "Vvmem_core16.h"
#include "Vvmem_edge.h"
#include "Vvmem_mini.h"
#include "Vvmem_mini_stages.h"
#include "isa/generated/configs_gen.h"
#include "ram_bench.h"

namespace vmem_test {
namespace {

template <class M>
constexpr const char* kName = nullptr;
template <>
constexpr const char* kName<Vvmem_mini> = "mini";
template <>
constexpr const char* kName<Vvmem_mini_stages> = "mini";
template <>
constexpr const char* kName<Vvmem_edge> = "edge";
template <>
constexpr const char* kName<Vvmem_core16> = "core16";
template <>
constexpr const char* kName<Vvmem_core128> = "core128";

/// Builds with registers between the arbitration and the banks.
template <class M>
constexpr bool kStages = std::is_same_v<M, Vvmem_mini_stages> || std::is_same_v<M, Vvmem_edge>;

template <class M>
Shape shape_of() {
  for (const auto& c : ttpu::kConfigs)
    if (c.name == kName<M>)
      return {.rd = 7,
              .wr = 4,
              .word = c.word_bytes(),
              .banks = c.vmem_banks,
              .bytes = c.vmem_bytes(),
              .accesses = c.vmem_ports,
              .latency = kStages<M> ? 3u : 2u};
  throw tb::BenchError("no such configuration");
}

template <class M>
class Vmem : public ::testing::Test {};
using Models =
    ::testing::Types<Vvmem_mini, Vvmem_mini_stages, Vvmem_edge, Vvmem_core16, Vvmem_core128>;
TYPED_TEST_SUITE(Vmem, Models);

int scaled(int n) { return tb::long_run() ? 20 * n : n; }

TYPED_TEST(Vmem, RandomTraffic) {
  RamBench<TypeParam> b(shape_of<TypeParam>());
  b.fill();
  const int cycles = scaled(b.shape.word > 64 ? 3000 : 10000);
  random_traffic(b, cycles, 15, 4);
  random_traffic(b, cycles, 90, 2);
  EXPECT_GT(b.conflicts, static_cast<uint64_t>(cycles)) << "too little contention";
  EXPECT_GT(b.reads, static_cast<uint64_t>(cycles));
  EXPECT_GT(b.writes, static_cast<uint64_t>(cycles / 2));
}

// Case C38: the pipelines start clean from any register values.
TYPED_TEST(Vmem, C38_RandomStart) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    RamBench<TypeParam> b(shape_of<TypeParam>(), seed * 31 + tb::run_seed());
    for (int i = 0; i < 5; ++i) b.tick();  // no valid, no grant without a request
  }
}

// A request waits at most one cycle for each other port that wants the bank.
TYPED_TEST(Vmem, Fairness) {
  RamBench<TypeParam> b(shape_of<TypeParam>());
  b.fill();
  for (int i = 0; i < 2000; ++i) {
    for (unsigned p = 0; p < b.shape.rd; ++p)
      if (!b.read[p].active) b.request_read(p, b.random.below(4) * b.shape.word);
    for (unsigned p = 0; p < b.shape.wr; ++p)
      if (!b.write[p].active) b.request_write(p, b.random.below(4) * b.shape.word);
    b.tick();
  }
  const bool shared = b.shape.accesses == 1;
  for (unsigned p = 0; p < b.shape.rd; ++p)
    EXPECT_EQ(b.most_waited_rd[p], shared ? 10u : 6u) << "read port " << p;
  for (unsigned p = 0; p < b.shape.wr; ++p)
    EXPECT_EQ(b.most_waited_wr[p], shared ? 10u : 3u) << "write port " << p;
  EXPECT_EQ(b.reads + b.writes >= (shared ? 2000u : 4000u), true);
}

// Ports in different banks never wait: with two ports a bank, readers and writers may share banks.
TYPED_TEST(Vmem, FullRateInDifferentBanks) {
  RamBench<TypeParam> b(shape_of<TypeParam>());
  b.fill();
  const uint64_t before = b.conflicts, bank = b.shape.bytes / b.shape.banks;
  const unsigned readers = static_cast<unsigned>(
      b.shape.accesses == 2 ? std::min<uint64_t>(b.shape.rd, b.shape.banks) : b.shape.banks / 2);
  const unsigned writers = static_cast<unsigned>(
      b.shape.accesses == 2 ? std::min<uint64_t>(b.shape.wr, b.shape.banks) : b.shape.banks / 2);
  const uint64_t reads = b.reads, writes = b.writes;
  for (uint64_t i = 0; i < 500; ++i) {
    const uint64_t at = i % (bank / b.shape.word) * b.shape.word;
    for (unsigned p = 0; p < readers; ++p) b.request_read(p, p * bank + at);
    for (unsigned p = 0; p < writers; ++p)
      b.request_write(p, (b.shape.accesses == 2 ? p : p + readers) * bank + at);
    b.tick();
  }
  EXPECT_EQ(b.conflicts, before);
  EXPECT_EQ(b.reads - reads, 500u * readers);
  EXPECT_EQ(b.writes - writes, 500u * writers);
}

// Reading a word while it is written gives the old one, one cycle later the new one.
TYPED_TEST(Vmem, ReadDuringWrite) {
  RamBench<TypeParam> b(shape_of<TypeParam>());
  b.fill();
  for (int i = 0; i < 200; ++i) {
    const uint64_t a = b.random.below(b.shape.bytes);
    b.request_write(i % b.shape.wr, a);
    b.request_read(i % b.shape.rd, a);
    b.tick();
    b.request_read((i + 1) % b.shape.rd, a);
    while (b.write[i % b.shape.wr].active || b.read[(i + 1) % b.shape.rd].active) b.tick();
  }
}

// Past the end addresses wrap inside the word address; masters check bounds.
TYPED_TEST(Vmem, LastWord) {
  RamBench<TypeParam> b(shape_of<TypeParam>());
  b.fill();
  for (unsigned p = 0; p < b.shape.rd; ++p) {
    b.request_read(p, b.shape.bytes - 1);
    while (b.read[p].active) b.tick();
  }
  for (int i = 0; i < 4; ++i) b.tick();
}

}  // namespace
}  // namespace vmem_test
