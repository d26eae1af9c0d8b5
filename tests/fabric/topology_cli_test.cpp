// ttpu pod as a user runs it: output, --json, exit codes, files.
#include "cli/command.h"

namespace ttpu::test {
namespace {

const std::string kFolder = TTPU_TOPOLOGIES;

TEST_F(CommandTest, PodHelpEverywhereWithAnExample) {
  for (const std::string sub : {"show", "plan", "route", "check"}) {
    const Outcome o = ttpu({"pod", sub, "--help"});
    EXPECT_EQ(o.code, 0) << sub;
    EXPECT_NE(o.out.find("Examples:"), std::string::npos) << sub;
  }
  expect_error({"pod"}, 2, "subcommand");
  expect_error({"pod", "show"}, 2, "FILE is required");
}

TEST_F(CommandTest, PodShowTellsWhatThereIs) {
  const auto j = json({"pod", "show", kFolder + "/twisted_4x4x8.yaml", "--json"}, 0);
  EXPECT_EQ(j["kind"], "twisted_torus");
  EXPECT_EQ(j["nodes"], 128);
  EXPECT_EQ(j["cables"], 384);
  ASSERT_EQ(j["slices"].size(), 1U);
  EXPECT_EQ(j["slices"][0]["diameter"], 6);
  EXPECT_DOUBLE_EQ(j["slices"][0]["mean_hops"], 3.4375);
  EXPECT_NEAR(j["slices"][0]["theta"].get<double>(), 73.33, 0.01);
  EXPECT_NEAR(j["slices"][0]["uniform_bound"].get<double>(), 1.7455, 0.0001);
  const auto pod = json({"pod", "show", kFolder + "/pod_slices.yaml", "--json"}, 0);
  EXPECT_EQ(pod["slices"].size(), 3U);
  EXPECT_EQ(pod["slices"][0]["nodes_alive"], 192);
  EXPECT_EQ(pod["cubes"]["not_whole"], nlohmann::json({1, 5}));
  const Outcome text = ttpu({"pod", "show", kFolder + "/pod_slices.yaml"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("train"), std::string::npos);
}

TEST_F(CommandTest, PodShowTellsHowARouterIsSet) {
  // (3, 0, 0) of the twisted 4x4x8: +x wraps to (0, 0, 4), -y to (3, 3, 4), -z to (3, 0, 7).
  const auto j =
      json({"pod", "show", kFolder + "/twisted_4x4x8.yaml", "--node", "3,0,0", "--json"}, 0);
  EXPECT_EQ(j["node"]["number"], 3);
  EXPECT_EQ(j["node"]["dateline_mask"], 1 | 8 | 32);
  EXPECT_EQ(j["node"]["down_mask"], 0);
  EXPECT_EQ(j["node"]["ports"][0]["to"], 4 * 16);
  EXPECT_EQ(j["node"]["ports"][3]["to"], 3 + 4 * 3 + 16 * 4);
  EXPECT_EQ(j["node"]["ports"][5]["to"], 3 + 16 * 7);
  const auto edge = json({"pod", "show", kFolder + "/mesh_8x8.yaml", "--node", "0", "--json"}, 0);
  EXPECT_EQ(edge["node"]["dateline_mask"], 0);
  EXPECT_EQ(edge["node"]["down_mask"], 2 | 8);
  const Outcome text = ttpu({"pod", "show", kFolder + "/torus_8x8_failed.yaml", "--node", "1,5"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("node 41 (1, 5): cfg_dateline 0x00, cfg_down 0x01"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("+x to node 42 (2, 5), 1 cycle, out of service"), std::string::npos);
  expect_error({"pod", "show", kFolder + "/mesh_8x8.yaml", "--node", "64"}, 2, "no such node");
}

TEST_F(CommandTest, PodShowDrawsWithAndWithoutLoad) {
  const std::string svg = path("a picture.svg");
  const auto j = json(
      {"pod", "show", kFolder + "/torus_8x8_failed.yaml", "--load", "--svg", svg, "--json"}, 0);
  EXPECT_EQ(j["svg"], svg);
  EXPECT_GE(j["slices"][0]["max_cable_load"].get<double>(), j["slices"][0]["theta"].get<double>());
  EXPECT_NE(slurp(svg).find(", load "), std::string::npos);
  EXPECT_EQ(
      ttpu({"pod", "show", kFolder + "/pod_slices.yaml", "--slice", "serve", "--svg", svg}).code,
      0);
  EXPECT_EQ(slurp(svg).find(", load "), std::string::npos);
  EXPECT_NE(slurp(svg).find("serve"), std::string::npos);
  expect_error({"pod", "show", kFolder + "/ring_4.yaml", "--slice", "none"}, 2, "no slice 'none'");
  expect_error({"pod", "show", kFolder + "/ring_4.yaml", "--svg", path("no/such/x.svg")}, 3,
               "cannot write");
}

TEST_F(CommandTest, PodRefusesBadFilesWithThePlace) {
  const std::string file = write("bad.yaml", "kind: torus\nsize: [8, 8]\nsiez: 3\n");
  for (const std::string sub : {"show", "plan", "route", "check"})
    expect_error({"pod", sub, file}, 3, "bad.yaml:3:1: unknown key 'siez'");
  expect_error({"pod", "show", path("none.yaml")}, 3, "none.yaml");
  const auto j = json({"pod", "show", file, "--json"}, 3);
  EXPECT_NE(j.value("hint", "").find("did you mean size?"), std::string::npos);
}

TEST_F(CommandTest, PodPlanSwapsAndWritesAPlanThatHolds) {
  const std::string plan = path("plan.yaml");
  const auto j = json({"pod", "plan", kFolder + "/pod_slices.yaml", "--out", plan, "--json"}, 0);
  ASSERT_EQ(j["swaps"].size(), 2U);
  EXPECT_EQ(j["swaps"][0]["from"], 5);
  EXPECT_EQ(j["swaps"][0]["to"], 14);
  EXPECT_EQ(j["isolated"], true);
  ASSERT_EQ(j["cross_connects"].size(), 48U);
  // x of slice train (0, 14 / 2, 9), twisted: the wrap of cube 0 leads to cube 9.
  EXPECT_EQ(j["cross_connects"][0]["joined"][0], nlohmann::json({0, 19}));
  EXPECT_EQ(j["changes"].size(), 48U);
  const auto again = json({"pod", "plan", plan, "--json"}, 0);
  EXPECT_EQ(again["moves"], 0);
  const auto kept = json({"pod", "plan", plan, "--former", plan, "--json"}, 0);
  EXPECT_EQ(kept["moves"], 0);
  const Outcome text = ttpu({"pod", "plan", kFolder + "/pod_slices.yaml", "--ports"});
  EXPECT_EQ(text.code, 0);
  EXPECT_NE(text.out.find("cube 14 takes the place of cube 5 (failed)"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("0-19"), std::string::npos) << text.out;
  expect_error({"pod", "plan", kFolder + "/ring_4.yaml"}, 3, "only a pod of cubes");
}

// Of a mesh that is longer than routes reach, only part of the pairs is routed: that load is no
// share of the bound for all. Nobody to route to is no load.
TEST_F(CommandTest, PodRouteBoundOnlyForWholeTables) {
  const std::string cut = write("cut.yaml",
                                "kind: mesh\nsize: [2, 1]\n"
                                "failed: {links: [{node: 0, port: +x}]}\n");
  const Outcome none = ttpu({"pod", "route", cut});
  EXPECT_NE(none.out.find("load: none"), std::string::npos) << none.out;
  const std::string parts = write("parts.yaml",
                                  "kind: torus\nsize: [4, 4]\n"
                                  "failed: {nodes: [0, 4, 8, 12, 2, 6, 10, 14]}\n");
  const auto j = json({"pod", "route", parts, "--json"}, 0);
  EXPECT_EQ(j["pairs_without_route"], 32);
  EXPECT_EQ(j["theta_fraction"], 1.0) << "every pair that cables connect has its route";
  const auto long_mesh =
      json({"pod", "route", write("long.yaml", "kind: mesh\nsize: [90]\n"), "--json"}, 0);
  EXPECT_NE(long_mesh["pairs_without_route"], 0);
  EXPECT_FALSE(long_mesh.contains("theta_fraction"));
}

TEST_F(CommandTest, PodRouteSummaryOnePairAndTable) {
  const std::string table = path("routes.txt"), file = kFolder + "/torus_8x8_failed.yaml";
  const auto j = json({"pod", "route", file, "--out", table, "--json"}, 0);
  EXPECT_EQ(j["pairs"], 63 * 62);
  EXPECT_EQ(j["pairs_without_route"], 0);
  EXPECT_GE(j["max_cable_load"].get<double>(), j["theta"].get<double>());
  const auto one = json({"pod", "route", file, "--from", "1,5", "--to", "43", "--json"}, 0);
  EXPECT_EQ(one["from"], 41);
  uint32_t at = 41;
  for (const auto& hop : one["hops"]) {
    EXPECT_EQ(hop["node"], at);
    at = hop["to"];
    EXPECT_NE(at, 42U);  // the node that failed
  }
  EXPECT_EQ(at, 43U);
  EXPECT_EQ(json({"pod", "check", file, "--routes", table, "--json"}, 0)["deadlock_free"], true);
  // The same table on the torus of another size, and on a whole torus where it is right too.
  expect_error({"pod", "check", kFolder + "/ring_4.yaml", "--routes", table}, 3,
               "routes of 64 nodes");
  const auto whole =
      json({"pod", "check", kFolder + "/torus_8x8.yaml", "--routes", table, "--json"}, 1);
  EXPECT_EQ(whole["pairs_without_route"], 64 * 63 - 63 * 62);
  expect_error({"pod", "route", file, "--from", "1"}, 2, "belong together");
  expect_error({"pod", "route", file, "--from", "1", "--to", "64"}, 2, "no such node");
  expect_error({"pod", "route", file, "--from", "1", "--to", "0,8"}, 2, "no such node");
  expect_error({"pod", "route", file, "--from", "x", "--to", "0"}, 2, "no such node");
  expect_error({"pod", "route", file, "--from", "0", "--to", "42"}, 1, "no route");
}

TEST_F(CommandTest, PodCheckProvesOrPrintsTheCycle) {
  const auto good = json({"pod", "check", kFolder + "/twisted_4x4x8.yaml", "--json"}, 0);
  EXPECT_EQ(good["deadlock_free"], true);
  EXPECT_EQ(good["isolated"], true);
  EXPECT_EQ(good["pairs"], 128 * 127);
  EXPECT_EQ(good["faults"], 0);
  const auto bad = json({"pod", "check", kFolder + "/torus_8x8.yaml", "--one-class", "--json"}, 1);
  EXPECT_EQ(bad["deadlock_free"], false);
  EXPECT_GE(bad["cycle"].size(), 3U);
  const Outcome text = ttpu({"pod", "check", kFolder + "/torus_8x8.yaml", "--one-class"});
  EXPECT_NE(text.out.find("REFUSED: can deadlock without classes"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(" -> "), std::string::npos) << text.out;
}

TEST_F(CommandTest, PodCheckExplainsADump) {
  std::string ring = "[";
  for (int node = 0; node < 4; ++node)
    ring += std::string(node ? "," : "") + "\n  {\"node\": " + std::to_string(node) +
            ", \"port\": 1, \"vc\": 0, \"flits\": 8, \"want_port\": 0, \"want_vc\": 0, "
            "\"waits_for\": \"credit\"}";
  const std::string dump = write("dump.json", ring + "\n]\n");
  const std::string file = kFolder + "/ring_4.yaml";
  const auto j = json({"pod", "check", file, "--stuck", dump, "--json"}, 1);
  EXPECT_EQ(j["stuck"]["cycle"].size(), 4U);
  const Outcome text = ttpu({"pod", "check", file, "--stuck", dump});
  EXPECT_EQ(text.code, 1);
  EXPECT_NE(text.out.find("deadlock: 4 buffers wait for each other"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("node 3 (3): in -x vc 0, 8 flits, wants +x vc 0"), std::string::npos);
  const std::string one =
      write("one.json",
            "[{\"node\": 2, \"port\": 1, \"vc\": 0, \"flits\": 1, \"want_port\": 2, "
            "\"want_vc\": 0, \"waits_for\": \"credit\"}]");
  const auto root = json({"pod", "check", file, "--stuck", one, "--json"}, 0);
  ASSERT_EQ(root["stuck"]["roots"].size(), 1U);
  EXPECT_NE(root["stuck"]["roots"][0]["reason"].get<std::string>().find("the chip at node 2"),
            std::string::npos);
  EXPECT_EQ(ttpu({"pod", "check", file, "--stuck", write("none.json", "[]\n")}).code, 0);
  expect_error({"pod", "check", file, "--stuck", write("bad.json", "[{\"node\": -1}]")}, 3,
               "entry 0: node must be a whole number");
  expect_error({"pod", "check", file, "--stuck", write("bad2.json", "{")}, 3, "it is no JSON");
  std::string far = slurp(one);
  far.replace(far.find("\"node\": 2"), 9, "\"node\": 9");
  expect_error({"pod", "check", file, "--stuck", write("far.json", far)}, 3, "node 9 in a network");
  std::string word = slurp(one);
  word.replace(word.find("credit"), 6, "luck");
  expect_error({"pod", "check", file, "--stuck", write("word.json", word)}, 3,
               "waits_for is 'luck'");
}

}  // namespace
}  // namespace ttpu::test
