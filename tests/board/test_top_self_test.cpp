// `ttpu board test` on the top of a real board, over its serial pins: every part in order, the link
// inside and, by the header's wires, through the pins. Where it is built: TTPU_LINKS, 1 if the
// board has a link; TTPU_REPLY_MS, how long a reply of the model may take.
#include "board_test.h"

namespace ttpu::test {
namespace {

TEST_F(BoardTest, SelfTest) {
  be_patient(TTPU_REPLY_MS);
  start({"--seconds", "7200", "--wires", "63"});
  std::vector<std::string> command{"board", "test", "--quick", "--device", device_, "--json"};
  if (TTPU_LINKS) command.insert(command.end(), {"--link", "pins"});
  const auto test = json(command);
  EXPECT_EQ(test["ok"], true);
  const std::vector<std::string> tested =
      TTPU_LINKS ? std::vector<std::string>{"LINK", "PINS"} : std::vector<std::string>{};
  ASSERT_EQ(test["links"].size(), tested.size());
  for (size_t i = 0; i < tested.size(); ++i) {
    EXPECT_EQ(test["parts"][i]["part"], tested[i]);
    EXPECT_EQ(test["parts"][i]["checked"], 100) << tested[i];
    // 128 bits in 52 clocks, but for the first packet's way.
    EXPECT_GT(test["links"][i]["bits_per_clock"].get<double>(), 2.4) << tested[i];
    EXPECT_LT(test["links"][i]["bits_per_clock"].get<double>(), 128.0 / 52) << tested[i];
  }
  for (const auto& part : test["parts"]) {
    EXPECT_GE(part["checked"].get<int>(), 16) << part["part"];
    EXPECT_EQ(part["faulty"], 0) << part["part"];
  }
  EXPECT_EQ(stop()["framing_errors"], 0);
}

}  // namespace
}  // namespace ttpu::test
