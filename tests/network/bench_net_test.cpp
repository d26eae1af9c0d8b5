// `ttpu bench net` as a user runs it: keys, files, mistakes.
#include <algorithm>

#include "../cli/command.h"

namespace ttpu::test {
namespace {

using Json = nlohmann::json;

class BenchNet : public CommandTest {
 protected:
  Json run(std::vector<std::string> more) {
    std::vector<std::string> line = {"bench",    "net", "--json",   "--router", "small",
                                     "--warmup", "200", "--cycles", "300"};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome o = ttpu(line);
    EXPECT_EQ(o.code, 0) << o.out << o.err;
    return Json::parse(o.out, nullptr, false);
  }
};

TEST_F(BenchNet, OneRunHasItsKeysOnBothDevices) {
  Json results[2];
  for (int i = 0; i < 2; ++i) {
    results[i] = run({"--topology", "4x4", "--load", "0.2", "--packet", "1:0.5,4:0.5", "--device",
                      i ? "model" : "rtl"});
    const Json& j = results[i];
    for (const char* key : {"offered", "accepted", "worst_node", "latency_mean", "latency_p99",
                            "theta_fraction", "kcycles_per_s", "latency_histogram"})
      EXPECT_TRUE(j.contains(key)) << key;
    EXPECT_NEAR(j["offered"].get<double>(), 0.2, 0.05);
    EXPECT_NEAR(j["accepted"].get<double>(), j["offered"].get<double>(), 0.03);
    EXPECT_EQ(j["violations"], 0);
    EXPECT_EQ(j["exit_code"], 0);
    EXPECT_GT(j["kcycles_per_s"].get<double>(), 0);
  }
  for (const char* key : {"accepted", "latency_mean", "worst_node", "flits", "latency_histogram"})
    EXPECT_EQ(results[0][key], results[1][key]) << key << " of rtl and model";
}

TEST_F(BenchNet, SweepFindsSaturationAndDrawsIt) {
  const std::string svg = path("curve.svg");
  const Json j = run({"--topology", "4x4", "--device", "model", "--sweep", "--step", "0.05",
                      "--svg", svg, "--drain", "500", "--traffic", "tornado"});
  // Of 4 x 4: one hop in x and one in y; a cable carries one node's flits.
  EXPECT_GT(j["saturation"].get<double>(), 0.85);
  ASSERT_GE(j["curve"].size(), 11U);
  double last = 0;
  for (const Json& p : j["curve"]) {
    EXPECT_GT(p["load"].get<double>(), last);
    last = p["load"].get<double>();
  }
  const std::string text = slurp(svg);
  EXPECT_EQ(text.rfind("<svg", 0), 0U);
  EXPECT_NE(text.find("</svg>"), std::string::npos);
  EXPECT_NE(text.find("saturation"), std::string::npos);

  // Two hops of uniform traffic on a ring of 8 saturate below the bound of 1.
  const Json ring = run({"--topology", "8x1", "--device", "model", "--sweep", "--step", "0.05",
                         "--drain", "500", "--traffic", "tornado"});
  EXPECT_NEAR(ring["saturation"].get<double>(), 1.0 / 3, 0.06);
  EXPECT_GT(ring["latency_3x_load"].get<double>(), 0.2);
}

TEST_F(BenchNet, FilesSlicesTracesAndLinks) {
  const std::string topology = write("t.yaml",
                                     "kind: torus\nsize: [4, 4]\nfailed:\n  links:\n"
                                     "    - {node: 5, port: +x}\n");
  Json j = run({"--topology", topology, "--device", "model", "--load", "0.1"});
  EXPECT_EQ(j["routes"], "table");
  EXPECT_EQ(j["violations"], 0);
  const std::string trace = write("trace.txt", "# two packets\n5 0 3 2\n9 2 1 1\n");
  j = run({"--topology", "4x4", "--device", "model", "--traffic", "trace", "--trace", trace});
  EXPECT_EQ(j["flits"], 3);
  EXPECT_GT(j["completion_cycles"].get<int>(), 9);
  j = run({"--topology", "4x4", "--device", "rtl-links", "--load", "0.1", "--flip", "0.01",
           "--drop", "0.01"});
  EXPECT_EQ(j["violations"], 0);
  EXPECT_GT(j["flits"].get<int>(), 300);
}

TEST_F(BenchNet, MistakesAreNamed) {
  const std::vector<std::string> net = {"bench", "net", "--topology"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> line = net;
    line.insert(line.end(), more.begin(), more.end());
    return line;
  };
  expect_error(with({"nowhere.yaml"}), 2, "no such file, and no shape");
  expect_error(with({"3x5-twisted"}), 2, "3x5-twisted");
  expect_error(with({"4x4", "--packet", "0"}), 2, "packet size '0'");
  expect_error(with({"4x4", "--traffic", "trace"}), 2, "--trace FILE");
  expect_error(with({"4x2", "--traffic", "transpose", "--device", "model"}), 2, "transpose needs");
  expect_error(with({"4x4", "--flip", "0.1"}), 2, "rtl-links");
  expect_error(with({"4x4", "--router", "huge"}), 4, "routers: small, medium, full");
  expect_error(with({"4x4", "--sweep", "--closed", "3", "--device", "model"}), 2, "--sweep");
  expect_error(with({"32x32x16", "--device", "model"}), 2, "tables are computed for up to 4096");
  expect_error(with({"4x4", "--load", "nan"}), 2, "'nan' is no number from 0 to 1");
  for (const char* option : {"--warmup", "--drain", "--rounds", "--seed", "--cycles"})
    for (const char* value : {"-1", "99999999999999999999", "1e3", ""})
      expect_error(with({"4x4", option, value}), 2, "is no whole number");
  expect_error(with({"4x4", "--packet", "1:1e308,2:1e308"}), 2, "packet size");
  expect_error(with({"1x1", "--device", "model"}), 2, "no node has another to send to");
  expect_error(with({"4x4", "--sweep", "--svg", path("nowhere") + "/x.svg"}), 3, "no folder");
  expect_error(with({"4x4", "--traffic", "trace", "--trace", path(".")}), 2, "cannot read");
  for (const auto& [line, why] :
       std::vector<std::pair<std::string, std::string>>{{"-5 0 1 1", "not negative"},
                                                        {"18446744073709551615 0 1 1", "at most"},
                                                        {"# nothing", "no packet in it"}})
    expect_error(with({"4x4", "--traffic", "trace", "--trace", write("bad.txt", line + "\n")}), 2,
                 why);
}

// A packet of a ring that is none was lost in silence.
TEST_F(BenchNet, MulticastNeedsRings) {
  expect_error(
      {"bench", "net", "--topology", "2x4-mesh", "--device", "model", "--traffic", "multicast"}, 2,
      "multicast needs whole rings along its axis: node 1");
}

TEST_F(BenchNet, MulticastsFitIntoABuffer) {
  std::vector<std::string> line = {"bench",     "net",       "--topology", "4x4",
                                   "--device",  "model",     "--router",   "small",
                                   "--traffic", "multicast", "--packet",   ""};
  line.back() = "1:0.5,9:0.5";
  expect_error(line, 2, "a multicast of 9 flits");
  line.back() = "8";
  EXPECT_EQ(ttpu(line).code, 0);
}

TEST_F(BenchNet, TablesOfRoutesMustFit) {
  const std::string four =
      write("four.yaml", "kind: twisted_torus\nsize: [2, 4]\ntwist: standard\n");
  const std::string table = path("routes.txt");
  ASSERT_EQ(ttpu({"pod", "route", four, "--out", table}).code, 0);
  EXPECT_EQ(run({"--topology", four, "--device", "model", "--routes", table})["violations"], 0);
  expect_error({"bench", "net", "--topology", "4x4", "--device", "model", "--routes", table}, 3,
               "routes of 8 nodes, the topology has 16");
  expect_error({"bench", "net", "--topology", "2x4-mesh", "--device", "model", "--routes", table},
               3, "route from");
}

// What finite traffic offers is counted: neither packets of another size nor ones never sent.
TEST_F(BenchNet, FiniteTrafficOffersWhatItSends) {
  Json j = run({"--topology", "4x4", "--device", "model", "--rounds", "3"});
  EXPECT_EQ(j["flits"], 48);
  EXPECT_DOUBLE_EQ(j["offered"].get<double>(), j["accepted"].get<double>());
  EXPECT_DOUBLE_EQ(j["offered"].get<double>(), 3.0 / j["completion_cycles"].get<double>());
  const std::string trace = write("trace.txt", "1 3 5 4\n");
  j = run({"--topology", "4x4", "--device", "model", "--traffic", "trace", "--trace", trace});
  EXPECT_DOUBLE_EQ(j["offered"].get<double>(), 4.0 / j["completion_cycles"].get<double>());
  EXPECT_EQ(j["worst_source"], 3);
  EXPECT_DOUBLE_EQ(j["worst_node"].get<double>(), j["accepted"].get<double>());
}

TEST_F(BenchNet, HistogramIsShort) {
  const Outcome o = ttpu({"bench", "net", "--json", "--topology", "8x8", "--device", "model",
                          "--cycles", "1000", "--packet", "8"});
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_LT(std::count(o.out.begin(), o.out.end(), '\n'), 60);
  const Json j = Json::parse(o.out), h = j["latency_histogram"];
  ASSERT_EQ(h["bins"].size(), h["counts"].size());
  EXPECT_LE(h["bins"].size(), 64U);
  EXPECT_GE(h["bins"].size(), 10U);
  uint64_t packets = 0;
  for (const Json& n : h["counts"]) packets += n.get<uint64_t>();
  EXPECT_NEAR(static_cast<double>(packets) * 8 / 64 / 1000, j["offered"].get<double>(), 0.05);
  EXPECT_LE(h["bins"].back(), j["latency_max"]);
}

}  // namespace
}  // namespace ttpu::test
