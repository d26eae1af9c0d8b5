// The built `ttpu` against a whole board at its pins (ttpu_board_sim): right results, also over a
// bad line; errors in time when the board falls silent, is reset or unplugged.
#include <thread>

#include "board_test.h"

namespace ttpu::test {
namespace {

TEST_F(BoardTest, ProductOnACleanLine) {
  start({});
  auto arguments = gemm(32);
  arguments.push_back("--json");
  const auto j = json(arguments);
  EXPECT_EQ(j["bit_equal"], true);
  EXPECT_GT(j["cycles"].get<uint64_t>(), 1000u);
  const auto report = stop();
  EXPECT_EQ(report["framing_errors"], 0);
  EXPECT_GT(report["bytes_in"].get<int>(), 2048);
}

TEST_F(BoardTest, ProgramsOneAfterTheOtherAndCheckedWithTheModel) {
  start({});
  const std::string source = write("p.s", slurp(TTPU_BOARD_DATA));
  ASSERT_EQ(ttpu({"asm", source, "-o", path("p.ttpu")}).code, 0);
  for (const char* seed : {"1", "2", "3"}) {
    const auto j = json({"run", path("p.ttpu"), "--device", device_, "--input",
                         std::string("x=random:") + seed, "--check", "golden", "--json"});
    EXPECT_EQ(j["done"], true);
    EXPECT_EQ(j["bit_equal"], true);
    EXPECT_EQ(j["config"], "mini");
  }
}

// `ttpu board run` is `ttpu run` with a board for its device, and no other.
TEST_F(BoardTest, RunUnderBoard) {
  start({});
  const std::string source = write("p.s", slurp(TTPU_BOARD_DATA));
  ASSERT_EQ(ttpu({"asm", source, "-o", path("p.ttpu")}).code, 0);
  const auto j = json({"board", "run", path("p.ttpu"), "--device", device_, "--input", "x=random:4",
                       "--check", "golden", "--json"});
  EXPECT_EQ(j["done"], true);
  EXPECT_EQ(j["bit_equal"], true);
  expect_error({"board", "run", path("p.ttpu"), "--device", "rtl", "--input", "x=random:4"}, 2,
               "'rtl' is no board");
}

TEST_F(BoardTest, ProductOnABadLine) {
  start({"--drop", "800", "--flip", "800", "--extra", "800"});
  auto arguments = gemm(16);
  arguments.push_back("--json");
  const auto j = json(arguments);
  EXPECT_EQ(j["bit_equal"], true);
  const auto report = stop();
  for (const char* kind : {"dropped", "flipped", "added"})
    EXPECT_GT(report[kind].get<int>(), 0) << kind;
}

TEST_F(BoardTest, SilentBoard) {
  start({"--silent-after", "700"});
  expect_device_error("is silent");
}
TEST_F(BoardTest, BoardThatWasReset) {
  start({"--reset-after", "700"});
  expect_device_error("reset in the middle");
}
TEST_F(BoardTest, BoardThatWasUnplugged) {
  start({"--hangup-after", "700"});
  expect_device_error("is gone");
}
TEST_F(BoardTest, InfoSelfTestAndBench) {
  start({});
  const auto info = json({"board", "info", "--device", device_, "--json"});
  EXPECT_EQ(info["config"], "mini");
  EXPECT_EQ(info["hbm_bytes"], 65536);
  EXPECT_EQ(info["link"]["lanes"], 4);
  EXPECT_EQ(info["link"]["clock_khz"], 50000);
  EXPECT_EQ(info["link"]["header"], "ULX3S, header J1");
  const auto text = ttpu({"board", "info", "--device", device_});
  EXPECT_NE(text.out.find("clock GP0 to GN0"), std::string::npos) << text.out;
  const auto test = json({"board", "test", "--quick", "--device", device_, "--json"});
  EXPECT_EQ(test["ok"], true);
  ASSERT_EQ(test["parts"].size(), 6u);
  for (const auto& part : test["parts"]) EXPECT_GE(part["checked"].get<int>(), 100) << part["part"];
  const auto bench = json({"board", "bench", "--bytes", "2048", "--device", device_, "--json"});
  EXPECT_EQ(bench["equal"], true);
  EXPECT_GT(bench["write_bytes_per_s"].get<double>(), 0);
  json({"board", "list", "--json"});
  expect_error({"board", "info", "--device", "rtl"}, 2, "is no board");
}
/// The faults that `ttpu board test --link pins` names of the pins, and its exit code.
struct PinsResult {
  int code;
  nlohmann::json part, link;
};
PinsResult through_pins(const Outcome& r) {
  const auto j = nlohmann::json::parse(r.out, nullptr, false);
  EXPECT_TRUE(j.is_object()) << r.out << r.err;
  if (!j.is_object()) return {r.code, {}, {}};
  EXPECT_EQ(j["parts"][0]["part"], "LINK");
  EXPECT_EQ(j["parts"][0]["faulty"], 0) << "inside";
  EXPECT_EQ(j["parts"][1]["part"], "PINS");
  return {r.code, j["parts"][1], j["links"][1]};
}
TEST_F(BoardTest, LinkThroughPins) {
  start({"--wires", "63"});
  const auto r = through_pins(
      ttpu({"board", "test", "--quick", "--link", "pins", "--device", device_, "--json"}));
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.part["checked"], 100);
  // 128 bits in 52 clocks, but for the first packet's way.
  EXPECT_GT(r.link["bits_per_clock"].get<double>(), 2.4);
  EXPECT_LT(r.link["bits_per_clock"].get<double>(), 128.0 / 52);
  EXPECT_NEAR(r.link["mbit_per_s"].get<double>(), 50 * r.link["bits_per_clock"].get<double>(), 0.1);
}
TEST_F(BoardTest, LinkWithoutWires) {
  start({});
  const auto r = through_pins(
      ttpu({"board", "test", "--quick", "--link", "pins", "--device", device_, "--json"}));
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.part["faults"][0], "link does not come up: no clock comes in (GP0 to GN0)");
  EXPECT_NE(r.part["faults"][1].get<std::string>().find("data 3 GP5 to GN5 (a jumper cap"),
            std::string::npos)
      << r.part["faults"][1];
}
TEST_F(BoardTest, LinkWithBadWires) {
  start({"--wires", "63", "--flip-wire", "1500"});
  const auto r = through_pins(
      ttpu({"board", "test", "--quick", "--link", "pins", "--device", device_, "--json"}));
  EXPECT_EQ(r.code, 1);
  EXPECT_EQ(r.part["checked"], 100);
  EXPECT_GT(r.link["crc_errors"].get<int>(), 3);
  EXPECT_EQ(r.part["faults"][0].get<std::string>().rfind("CRC errors: ", 0), 0u)
      << r.part["faults"];
}
TEST_F(BoardTest, ImageOfAnotherConfiguration) {
  start({});
  ASSERT_EQ(ttpu({"asm", std::string(TTPU_CLI_DATA) + "/matmul.s", "-o", path("m.ttpu")}).code, 0);
  expect_error({"run", path("m.ttpu"), "--device", device_, "--input", "x=random:1"}, 4,
               "'core16'");
}
TEST_F(BoardTest, OptionsOfTheSimulatedChipAreRefused) {
  const std::string source = write("p.s", slurp(TTPU_BOARD_DATA));
  ASSERT_EQ(ttpu({"asm", source, "-o", path("p.ttpu")}).code, 0);
  device_ = "board:/dev/ttyNone";
  const struct {
    std::vector<std::string> option;
    const char* message;
  } cases[] = {
      {{"--latency", "100"},
       "a board's memory is as fast as it is: --latency is of"},  // the default
      {{"--bytes-per-cycle", "4"}, "--bytes-per-cycle is of the simulated chip"},
      {{"--stall-percent", "5", "--memory-seed", "1"}, "--stall-percent is of the simulated chip"},
      {{"--memory-seed", "1"}, "--memory-seed is of the simulated chip"},
      {{"--init-seed", "1"}, "a board starts with what its memories hold"},
      {{"--trace", path("w.fst")}, "a board writes no waves"},
      {{"--trace", path("w.fst"), "--predict"}, "a board writes no waves"},
  };
  for (const auto& c : cases) {
    for (std::vector<std::string> command :
         {std::vector<std::string>{"run", path("p.ttpu"), "--device", device_, "--input",
                                   "x=random:1"},
          gemm(16)}) {
      command.insert(command.end(), c.option.begin(), c.option.end());
      expect_error(command, 2, c.message);
    }
  }
  // With --predict it is of the timing model: this fails at the port, and not before.
  auto command = gemm(16);
  command.insert(command.end(), {"--latency", "2", "--predict"});
  expect_error(command, 4, "cannot open /dev/ttyNone");
}
TEST_F(BoardTest, NoSuchPort) {
  device_ = "board:/dev/ttyNone";
  expect_device_error("cannot open /dev/ttyNone");
}

}  // namespace
}  // namespace ttpu::test
