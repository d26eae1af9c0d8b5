// Routes that the interface computes itself against the definition in sim/fabric.
#include <gtest/gtest.h>

#include <cstdio>

#include "Vnic_small.h"
#include "nic_packets.h"

namespace nic_test {
namespace {

using Size = std::array<uint32_t, 3>;

/// From `src` to every destination, and to some that do not exist.
void every_destination(NicBench<Vnic_small>& b, const ttpu::fabric::Topology& torus,
                       const ttpu::fabric::Routes& routes, uint32_t src) {
  const auto at = torus.coordinates(src);
  b.bench->cfg_native_i = 1;
  b.bench->cfg_id_i = src;
  b.bench->cfg_coord_i = at[0] | at[1] << 5 | at[2] << 10;
  b.bench->cfg_size_i = torus.size[0] | torus.size[1] << 5 | torus.size[2] << 10;
  b.bench.run(3, b);  // levels settle
  Sender<Vnic_small> sender(b, {src, [&](uint32_t dest) {
                                  return dest < torus.nodes() ? routes.route(src, dest)
                                                              : ttpu::fabric::kNoRoute;
                                }});
  for (uint32_t dest = 0; dest < torus.nodes(); ++dest) sender.send(dest, 0);
  for (const uint32_t dest : {torus.nodes(), torus.nodes() + 1, 0x3fffu})
    if (dest <= 0x3fff && dest >= torus.nodes()) sender.send(dest, 0);
  ASSERT_TRUE(b.drain(torus.nodes() + 100))
      << torus.size[0] << "x" << torus.size[1] << "x" << torus.size[2] << " from " << src;
}

void check_torus(NicBench<Vnic_small>& b, Size size, uint32_t dims, uint32_t most_sources) {
  const auto torus = ttpu::fabric::make_torus(size, dims);
  const auto routes = ttpu::fabric::dimension_order(torus);
  const uint32_t sources = std::min(torus.nodes(), most_sources);
  for (uint32_t i = 0; i < sources; ++i) {
    const uint32_t src =
        sources == torus.nodes() ? i : static_cast<uint32_t>(b.random.below(torus.nodes()));
    every_destination(b, torus, *routes, src);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(NicNative, AllPairsOfRings) {
  NicBench<Vnic_small> b({2, 8, 128, 64});
  for (uint32_t k = 1; k <= 30; ++k) check_torus(b, {k, 1, 1}, 1, 1000);
}

TEST(NicNative, AllPairsOfTori2D) {
  NicBench<Vnic_small> b({2, 8, 128, 64});
  for (const Size& s :
       {Size{2, 2, 1}, {3, 5, 1}, {4, 4, 1}, {5, 4, 1}, {1, 6, 1}, {7, 3, 1}, {8, 8, 1}})
    check_torus(b, s, 2, 1000);
}

TEST(NicNative, AllPairsOfTori3D) {
  NicBench<Vnic_small> b({2, 8, 128, 64});
  for (const Size& s :
       {Size{2, 2, 2}, {2, 3, 4}, {4, 4, 4}, {5, 3, 2}, {3, 3, 3}, {1, 4, 5}, {4, 1, 6}})
    check_torus(b, s, 3, 1000);
}

TEST(NicNative, LargeToriFromSomeSources) {
  NicBench<Vnic_small> b({2, 8, 128, 64});
  for (const Size& s : {Size{30, 30, 1}, {16, 16, 16}, {30, 18, 30}, {29, 23, 19}, {24, 16, 24}})
    check_torus(b, s, 3, tb::long_run() ? 40 : 2);
}

}  // namespace
}  // namespace nic_test
