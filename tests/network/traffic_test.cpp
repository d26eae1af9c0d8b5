// Who sends to whom.
#include "network/traffic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "tb/random.h"

namespace ttpu::network {
namespace {

Destinations of(Pattern pattern, const fabric::Topology& topology) {
  Traffic t;
  t.pattern = pattern;
  return Destinations(t, topology);
}

TEST(NetworkTraffic, FixedPatterns) {
  const auto torus = fabric::make_torus({8, 8, 1}, 2);
  const auto cube = fabric::make_torus({4, 4, 4}, 3);
  Random random;
  const auto at = [](const fabric::Topology& t, uint32_t x, uint32_t y, uint32_t z = 0) {
    return t.node_at({x, y, z});
  };
  EXPECT_EQ(of(Pattern::kTornado, torus).pick(at(torus, 6, 1), 0, random), at(torus, 1, 4));
  EXPECT_EQ(of(Pattern::kTornado, cube).pick(at(cube, 3, 0, 2), 0, random), at(cube, 0, 1, 3));
  EXPECT_EQ(of(Pattern::kTranspose, torus).pick(at(torus, 6, 1), 0, random), at(torus, 1, 6));
  EXPECT_EQ(of(Pattern::kTranspose, cube).pick(at(cube, 1, 2, 3), 0, random), at(cube, 2, 3, 1));
  EXPECT_EQ(of(Pattern::kBitComplement, torus).pick(at(torus, 6, 1), 0, random), at(torus, 1, 6));
  EXPECT_EQ(of(Pattern::kNeighbour, torus).pick(at(torus, 7, 3), 0, random), at(torus, 0, 3));
}

TEST(NetworkTraffic, UniformIsEvenAndNeverOneself) {
  auto torus = fabric::make_torus({4, 4, 1}, 2);
  fabric::fail_node(torus, 5);
  const Destinations d = of(Pattern::kUniform, torus);
  EXPECT_FALSE(d.sends(5));
  Random random(tb::run_seed());
  std::vector<int> hits(16);
  constexpr int kPackets = 140000;
  for (int i = 0; i < kPackets; ++i) ++hits[d.pick(3, 0, random)];
  for (uint32_t n = 0; n < 16; ++n) {
    const bool none = n == 3 || n == 5;
    EXPECT_NEAR(hits[n], none ? 0 : kPackets / 14, none ? 0 : 600) << "node " << n;
    EXPECT_DOUBLE_EQ(d.share(3, n), none ? 0 : 1.0 / 14);
  }
}

TEST(NetworkTraffic, AllToAllIsEveryOtherNodeOnceARound) {
  const auto torus = fabric::make_torus({4, 2, 3}, 3);
  const Destinations d = of(Pattern::kAllToAll, torus);
  Random random;
  for (uint32_t n = 0; n < 24; ++n)
    for (uint64_t round = 0; round < 3; ++round) {
      std::set<uint32_t> seen;
      for (uint64_t k = 0; k < 23; ++k) seen.insert(d.pick(n, round * 23 + k, random));
      EXPECT_EQ(seen.size(), 23U) << "node " << n;
      EXPECT_FALSE(seen.contains(n));
    }
}

TEST(NetworkTraffic, SlicesKeepToThemselves) {
  auto torus = fabric::make_torus({4, 4, 1}, 2);
  for (uint32_t n = 0; n < 16; ++n) torus.slice[n] = n < 8 ? 0 : n < 14 ? 1 : fabric::kNoSlice;
  Random random(tb::run_seed());
  for (const Pattern pattern : {Pattern::kUniform, Pattern::kAllToAll}) {
    const Destinations d = of(pattern, torus);
    EXPECT_FALSE(d.sends(15));
    for (uint64_t k = 0; k < 1000; ++k)
      for (const uint32_t n : {0U, 7U, 8U, 13U})
        EXPECT_EQ(torus.slice[d.pick(n, k, random)], torus.slice[n]) << "node " << n;
  }
  EXPECT_THROW(of(Pattern::kTornado, torus), TrafficError);
}

TEST(NetworkTraffic, HotspotGetsItsShare) {
  const auto torus = fabric::make_torus({4, 4, 1}, 2);
  Traffic t;
  t.pattern = Pattern::kHotspot;
  t.hotspot = 9;
  t.hotspot_share = 0.25;
  const Destinations d(t, torus);
  Random random(tb::run_seed());
  int hot = 0;
  for (int i = 0; i < 100000; ++i) hot += d.pick(2, 0, random) == 9;
  EXPECT_NEAR(hot / 100000.0, 0.25 + 0.75 / 15, 0.01);
  EXPECT_NEAR(d.share(2, 9), 0.25 + 0.75 / 15, 1e-12);
}

TEST(NetworkTraffic, Sizes) {
  EXPECT_EQ(parse_sizes("8")[0].flits, 8U);
  const auto mix = parse_sizes("1:3,16:1");
  ASSERT_EQ(mix.size(), 2U);
  Traffic t;
  t.sizes = mix;
  EXPECT_DOUBLE_EQ(t.mean_flits(), (3.0 + 16) / 4);
  const auto torus = fabric::make_torus({4, 4, 1}, 2);
  const Destinations d(t, torus);
  Random random(tb::run_seed());
  int small = 0;
  for (int i = 0; i < 100000; ++i) small += d.flits(random) == 1;
  EXPECT_NEAR(small / 100000.0, 0.75, 0.01);
  for (const char* bad : {"", "0", "257", "x", "1:", "1:-1", "1;2", "1:1x", "8 9"})
    EXPECT_THROW(parse_sizes(bad), TrafficError) << bad;
}

TEST(NetworkTraffic, TraceFilesAndTheirMistakes) {
  const std::string file = ::testing::TempDir() + "/ttpu_network_trace.txt";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_trace(file, 16);
  };
  const auto lines = read("# cycle src dest flits\n\n7 1 2 3\n5 0 15 256 # late\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].cycle, 5U);
  EXPECT_EQ(lines[0].flits, 256U);
  EXPECT_EQ(lines[1].src, 1U);
  const std::pair<const char*, const char*> bad[] = {
      {"1 2 3\n", ":1: expected"}, {"\n1 2 x 1\n", ":2: expected"}, {"1 16 3 1\n", "node 16 of"},
      {"1 2 3 0\n", "1 to 256"},   {"1 2 3 257\n", "1 to 256"},     {"1 2 3 4 5\n", "'5' after"}};
  for (const auto& [text, words] : bad) {
    try {
      read(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const TrafficError& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
    }
  }
  std::filesystem::remove(file);
  EXPECT_THROW(read_trace(file, 16), TrafficError);
}

}  // namespace
}  // namespace ttpu::network
