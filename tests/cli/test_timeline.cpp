// The timeline of a run and the table of counters.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "ttpu/run_report.h"
#include "ttpu/session.h"
#include "ttpu/timeline.h"

namespace ttpu::cli {
namespace {

TEST(Timeline, OverlappingCommandsGetTracksOfTheirOwn) {
  using isa::Opcode;
  using isa::Unit;
  const std::vector<TraceEvent> events = {
      {10, Unit::MXS, true, 0, Opcode::MXU_MATMUL},  {12, Unit::DMA0, true, 1, Opcode::DMA_LOAD},
      {20, Unit::MXS, true, 2, Opcode::MXU_MATMUL},  {30, Unit::MXS, false, 0, Opcode::MXU_MATMUL},
      {40, Unit::MXS, false, 2, Opcode::MXU_MATMUL}, {41, Unit::MXS, true, 0, Opcode::MXU_MATMUL},
      {50, Unit::MXS, false, 0, Opcode::MXU_MATMUL},
  };
  Image image;
  image.config_name = "core16";
  image.code.resize(2);
  const auto j = nlohmann::json::parse(timeline_json(events, image, "rtl"));
  std::map<int, std::vector<std::pair<int, int>>> tracks;
  int unfinished = 0;
  for (const auto& e : j["traceEvents"]) {
    if (e["ph"] != "X") continue;
    tracks[e["tid"]].emplace_back(e["ts"], e["ts"].get<int>() + e["dur"].get<int>());
    unfinished += e["args"].contains("unfinished");
    EXPECT_EQ(e["args"].contains("instruction"), e["args"]["pc"] < 2);
  }
  EXPECT_EQ(unfinished, 1);  // the DMA's
  ASSERT_EQ(tracks.size(), 3u);
  std::multiset<std::pair<int, int>> all;
  for (const auto& [tid, slices] : tracks) {
    for (size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].second, slices[i].first) << "overlap on track " << tid;
    all.insert(slices.begin(), slices.end());
  }
  EXPECT_EQ(all, (std::multiset<std::pair<int, int>>{{10, 30}, {12, 50}, {20, 40}, {41, 50}}));
}

TEST(RunReport, UtilisationAndCounters) {
  RunResult r;
  EXPECT_EQ(counters_table(r), "");
  EXPECT_TRUE(counters_json(r).is_null());
  r.counters.resize(regs::kNumCounters);
  std::iota(r.counters.begin(), r.counters.end(), uint64_t{0});
  r.counters[regs::CYCLES] = 100;
  r.counters[regs::MXU_MACS] = 100 * 256 / 4;
  EXPECT_DOUBLE_EQ(mxu_utilisation(r, *find_config("core16")), 0.25);
  const auto j = counters_json(r);
  EXPECT_EQ(j["cycles"], 100);
  EXPECT_EQ(j["mxs"]["stall_data"], static_cast<int>(regs::MXS_STALL_DATA));
  EXPECT_EQ(j["scalar"]["idle"], static_cast<int>(regs::SCALAR_IDLE));
  EXPECT_NE(counters_table(r).find("stall_sync"), std::string::npos);
}

TEST(Compare, FindsTheFirstAndCountsAll) {
  std::vector<uint8_t> a(24), b(24);
  EXPECT_FALSE(compare(TensorType::S32, a, b).found);
  b[9] = 1;
  b[20] = 1;
  const Mismatch m = compare(TensorType::S32, a, b);
  EXPECT_TRUE(m.found);
  EXPECT_EQ(m.index, 2u);
  EXPECT_EQ(m.count, 2u);
  EXPECT_EQ(position({2, 3}, 5), "[1, 2]");
  b.pop_back();
  EXPECT_TRUE(compare(TensorType::S8, a, b).found);
}

}  // namespace
}  // namespace ttpu::cli
