// DMA of the golden model.
#include "tests/golden/bench.h"

namespace ttpu::golden {
namespace {

using isa::Error;

constexpr uint64_t kHbm = 1 << 16;

Machine make(const char* name = "core16") { return Machine(config(name), kHbm); }

TEST(GoldenDma, C22_lengths_0_and_1_and_odd_offsets) {
  tb::Random random;
  for (const uint32_t length : {0u, 1u, 2u, 3u, 63u, 64u, 65u, 1000u}) {
    for (int trial = 0; trial < 20; ++trial) {
      Machine machine = make();
      random.fill(machine.vmem);
      random.fill(machine.hbm);
      const auto vmem = machine.vmem, hbm = machine.hbm;
      const auto h = static_cast<uint32_t>(random.below(kHbm - length)),
                 v = static_cast<uint32_t>(random.below(machine.vmem.size() - length));
      must(machine, command(isa::DmaShape{.channel = 1, .n0 = length, .n1 = 1, .n2 = 1, .n3 = 1}));
      auto expected = vmem;
      std::copy_n(&hbm[h], length, &expected[v]);
      must(machine, command(isa::DmaLoad{.channel = 1, .imm_h = h - 5, .imm_v = v}, 5));
      ASSERT_EQ(machine.vmem, expected) << length << " at " << h << " to " << v;
      ASSERT_EQ(machine.hbm, hbm);
      auto stored = hbm;
      const auto h2 = static_cast<uint32_t>(random.below(kHbm - length));
      std::copy_n(&expected[v], length, &stored[h2]);
      must(machine, command(isa::DmaStore{.channel = 1, .imm_h = h2, .imm_v = v}));
      ASSERT_EQ(machine.hbm, stored);
    }
  }
}

TEST(GoldenDma, a_count_of_0_anywhere_moves_nothing_whatever_the_address) {
  for (int zero = 0; zero < 4; ++zero) {
    Machine machine = make();
    isa::DmaShape shape{.channel = 0, .n0 = 4, .n1 = 2, .n2 = 2, .n3 = 2};
    (zero == 0 ? shape.n0 : zero == 1 ? shape.n1 : zero == 2 ? shape.n2 : shape.n3) = 0;
    must(machine, command(shape));
    must(machine, command(isa::DmaLoad{.channel = 0}, 0xffffffff, 0xffffffff));
    EXPECT_EQ(machine.activity.hbm_read_bytes, 0u);
  }
}

TEST(GoldenDma, four_dimensions_with_strides_of_both_signs) {
  Machine machine = make();
  tb::Random random;
  random.fill(machine.hbm);
  auto expected = machine.vmem;
  const int32_t hs[3] = {100, -1000, 7000}, vs[3] = {-8, 64, 4096};
  for (int i3 = 0; i3 < 3; ++i3)
    for (int i2 = 0; i2 < 4; ++i2)
      for (int i1 = 0; i1 < 5; ++i1)
        for (int b = 0; b < 7; ++b)
          expected[static_cast<size_t>(200 + i1 * vs[0] + i2 * vs[1] + i3 * vs[2] + b)] =
              machine.hbm[static_cast<size_t>(5000 + i1 * hs[0] + i2 * hs[1] + i3 * hs[2] + b)];
  must(machine, command(isa::DmaShape{.channel = 0, .n0 = 7, .n1 = 5, .n2 = 4, .n3 = 3}));
  must(machine, command(isa::DmaHstride{.channel = 0, .s1 = hs[0], .s2 = hs[1], .s3 = hs[2]}));
  must(machine, command(isa::DmaVstride{.channel = 0, .s1 = vs[0], .s2 = vs[1], .s3 = vs[2]}));
  must(machine, command(isa::DmaLoad{.channel = 0, .imm_h = 5000, .imm_v = 200}));
  EXPECT_EQ(machine.vmem, expected);
  EXPECT_EQ(machine.activity.hbm_read_bytes, 7u * 5 * 4 * 3);
}

TEST(GoldenDma, C26_exact_fill_and_one_byte_more) {
  Machine machine = make();
  const auto vmem_bytes = static_cast<uint32_t>(machine.vmem.size());
  must(machine, command(isa::DmaShape{.channel = 0, .n0 = kHbm, .n1 = 1, .n2 = 1, .n3 = 1}));
  must(machine, command(isa::DmaLoad{.channel = 0}, 0, vmem_bytes - kHbm));
  must_fail(machine, command(isa::DmaLoad{.channel = 0}, 1, 0), Error::FAR_BOUNDS, kHbm);
  must_fail(machine, command(isa::DmaLoad{.channel = 0}, 0, vmem_bytes - kHbm + 1),
            Error::VMEM_BOUNDS, vmem_bytes);
  must_fail(machine, command(isa::DmaStore{.channel = 0}, kHbm, 0), Error::FAR_BOUNDS, kHbm);
  // Both sides out: VMEM is met first.
  must_fail(machine, command(isa::DmaStore{.channel = 0}, kHbm, vmem_bytes + 5), Error::VMEM_BOUNDS,
            vmem_bytes + 5);
}

TEST(GoldenDma, addresses_are_compared_in_full) {
  Machine machine = make();
  must(machine, command(isa::DmaShape{.channel = 0, .n0 = 1, .n1 = 1, .n2 = 1, .n3 = 1}));
  must_fail(machine, command(isa::DmaLoad{.channel = 0}, 0, 0x1000000), Error::VMEM_BOUNDS,
            0x1000000);
  must(machine, command(isa::DmaLoad{.channel = 0, .imm_h = 16, .imm_v = 0}, 0xfffffff0u, 0));
}

TEST(GoldenDma, channels_keep_their_own_shape) {
  Machine machine = make();
  must(machine, command(isa::DmaShape{.channel = 0, .n0 = 3, .n1 = 1, .n2 = 1, .n3 = 1}));
  must(machine, command(isa::DmaShape{.channel = 1, .n0 = 9, .n1 = 1, .n2 = 1, .n3 = 1}));
  must(machine, command(isa::DmaLoad{.channel = 0}));
  EXPECT_EQ(machine.activity.hbm_read_bytes, 3u);
  must(machine, command(isa::DmaLoad{.channel = 1}));
  EXPECT_EQ(machine.activity.hbm_read_bytes, 12u);
  machine.clear();
  must(machine, command(isa::DmaLoad{.channel = 1}));
  EXPECT_EQ(machine.activity.hbm_read_bytes, 12u) << "clear() must forget the shape";
}

TEST(GoldenDma, cmem_where_there_is_one) {
  Machine without = make();
  must(without, command(isa::DmaShape{.channel = 0, .n0 = 4, .n1 = 1, .n2 = 1, .n3 = 1}));
  must_fail(without, command(isa::DmaLoad{.channel = 0, .space = 1}), Error::UNSUPPORTED, 1);
  Machine with = make("core128");
  with.vmem[10] = 77;
  must(with, command(isa::DmaShape{.channel = 0, .n0 = 4, .n1 = 1, .n2 = 1, .n3 = 1}));
  must(with, command(isa::DmaStore{.channel = 0, .space = 1, .imm_h = 100, .imm_v = 10}));
  EXPECT_EQ(with.cmem[100], 77);
  must_fail(with, command(isa::DmaStore{.channel = 0, .space = 1}, 0x400000), Error::FAR_BOUNDS,
            0x400000);
}

}  // namespace
}  // namespace ttpu::golden
