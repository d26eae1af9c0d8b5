// Pictures: well-formed SVG that shows every node, cable, cube and cross-connect, and what is dead.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "fabric/picture.h"
#include "fabric/slice.h"

namespace ttpu::fabric {
namespace {

uint32_t count(const std::string& text, const std::string& part) {
  uint32_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// Tags closed in order, attributes quoted, no stray < or &: what an XML reader insists on.
void expect_well_formed(const std::string& svg) {
  std::vector<std::string> open;
  for (size_t at = 0; at < svg.size();) {
    if (svg[at] == '&') {
      const size_t end = svg.find(';', at);
      ASSERT_TRUE(end != std::string::npos && end - at <= 5) << svg.substr(at, 30);
      at = end;
    }
    if (svg[at] != '<') {
      ++at;
      continue;
    }
    const size_t end = svg.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = svg.substr(at + 1, end - at - 1);
    at = end + 1;
    ASSERT_EQ(count(tag, "\"") % 2, 0U) << tag;
    ASSERT_EQ(tag.find('<'), std::string::npos) << tag;
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  ASSERT_TRUE(open.empty()) << open.back();
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf\""), 0U);
}

TEST(Picture, EveryNodeAndCableOfEveryExample) {
  for (const auto& entry : std::filesystem::directory_iterator(TTPU_TOPOLOGIES)) {
    const Network n = load_network(entry.path().string());
    const Topology& t = topology_of(n);
    if (t.nodes() > 1100) continue;
    SCOPED_TRACE(entry.path().string());
    const std::string svg = draw_topology(t, {});
    expect_well_formed(svg);
    EXPECT_EQ(count(svg, "<title>node "), t.nodes());
    // Each cable is one line, or two stubs or ticks with a tip of their own.
    uint32_t tips = 0;
    for (uint32_t node = 0; node < t.nodes(); ++node)
      for (uint32_t p = 0; p < t.ports_per_node(); ++p)
        if (t.port(node, p).peer.node != kNoNode)
          tips += p % 2 == 0 || t.port(node, p).dateline || p / 2 == 2;
    EXPECT_EQ(count(svg, " to node "), tips);
    EXPECT_EQ(count(svg, "node out of service") > 0,
              std::count(t.dead_node.begin(), t.dead_node.end(), 1) > 0);
    EXPECT_EQ(count(svg, "cable out of service") > 0, cables(t).dead > 0);
  }
}

TEST(Picture, LoadsAreColoursWithBothDirections) {
  const Topology t = make_torus({4, 4, 1}, 2);
  std::vector<uint32_t> load(t.ports.size(), 8);
  load[5 * 4 + 0] = 16;
  PictureOptions options;
  options.load = &load;
  options.theta = 8;
  const std::string svg = draw_topology(t, options);
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, ", load 8<"), 63U);
  EXPECT_EQ(count(svg, ", load 16<"), 1U);
  EXPECT_EQ(count(svg, "most 16"), 1U);
  EXPECT_EQ(count(svg, "bound 8"), 1U);
  EXPECT_EQ(count(svg, "stroke=\"#c8202f\""), 1U);   // the largest load: the red end
  EXPECT_EQ(count(svg, "stroke=\"#e3c53a\""), 63U);  // half of it: the middle
}

TEST(Picture, TwistedWrapsSayWhereTheyLead) {
  const std::string svg = draw_topology(make_torus({4, 8, 1}, 2, standard_twist({4, 8, 1}, 2)), {});
  EXPECT_EQ(count(svg, ">y+4<"), 8U);
  EXPECT_EQ(count(svg, ">y-4<"), 8U);
  EXPECT_EQ(count(draw_topology(make_torus({4, 8, 1}, 2), {}), ">y+4<"), 0U);
}

TEST(Picture, APodShowsCubesAndCrossConnects) {
  const Network n = build(parse_spec(R"(name: "<a> & \"b\""
kind: cubes
cubes: 6
spares: [5]
slices:
  - {name: s, size: [8, 4, 4], cubes: [3, 0]}
failed: {cubes: [1], cross_connects: [9], nodes: [0]}
)",
                                     "f"));
  const std::string svg = draw_pod(n, {});
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "&lt;a&gt; &amp; &quot;b&quot;"), 2U);
  EXPECT_EQ(count(svg, "<title>cube "), 6U);
  EXPECT_EQ(count(svg, "<title>cross-connect "), 48U);
  EXPECT_EQ(count(svg, "<title>cross-connect 9, out of service"), 1U);
  EXPECT_EQ(count(svg, "<title>cube 1: failed"), 1U);
  EXPECT_EQ(count(svg, "<title>cube 0: node 0 failed"), 1U);
  EXPECT_EQ(count(svg, ">spare<"), 1U);
  EXPECT_EQ(count(svg, ">damaged<"), 1U);
  // Between the cubes in x the failed cross-connect takes one link; where node 0 lies, one more.
  EXPECT_EQ(count(svg, "x from cube 3 to cube 0: 14 of 16"), 1U);
  EXPECT_EQ(count(svg, "x from cube 0 to cube 3: 15 of 16"), 2U);  // a wrap: two stubs
  EXPECT_EQ(count(svg, "y from cube 0 to cube 0: 15 of 16"), 2U);
  EXPECT_EQ(count(svg, "z from cube 3 to cube 3: 16 of 16"), 2U);
  EXPECT_EQ(count(svg, "cube 0 to 3"), 1U);
}

TEST(Picture, ALargePodIsDrawn) {
  const std::string svg = draw_pod(load_network(TTPU_TOPOLOGIES "/pod_9216.yaml"), {});
  expect_well_formed(svg);
  EXPECT_EQ(count(svg, "<title>cube "), 144U);
  EXPECT_EQ(count(svg, "and 126 more"), 3U);
}

}  // namespace
}  // namespace ttpu::fabric
