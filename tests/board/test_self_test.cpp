// The self-test of `ttpu board test` finds faults put into a device, and names their place.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/device.h"
#include "ttpu/cmd_board.h"

namespace ttpu::cli {
namespace {

/// The golden model; results of one column are wrong where one row's operand takes part.
class FaultyDevice final : public Device {
 public:
  explicit FaultyDevice(const char* name, bool faulty)
      : inner_(open_device("golden", *find_config(name), {.hbm_bytes = 1 << 20})),
        faulty_(faulty) {}
  const Config& config() const override { return inner_->config(); }
  std::string name() const override { return "faulty"; }
  void load(const Image& image) override { inner_->load(image); }
  void write_hbm(uint64_t addr, std::span<const uint8_t> bytes) override {
    inner_->write_hbm(addr, bytes);
  }
  void read_hbm(uint64_t addr, std::span<uint8_t> bytes) override { inner_->read_hbm(addr, bytes); }
  void write_vmem(uint64_t addr, std::span<const uint8_t> bytes) override {
    inner_->write_vmem(addr, bytes);
  }
  void read_vmem(uint64_t addr, std::span<uint8_t> bytes) override {
    inner_->read_vmem(addr, bytes);
  }
  RunResult run() override {
    RunResult r = inner_->run();
    const uint32_t n = config().n;
    // MAC of row 2, column 1 gives one too much for -128 * -128.
    for (uint32_t row = 0; faulty_ && row < n; ++row) {
      uint8_t x = 0, w = 0;
      inner_->read_hbm(row * n + 2, {&x, 1});
      inner_->read_hbm(n * n + 2 * n + 1, {&w, 1});
      if (x != 0x80 || w != 0x80) continue;
      uint8_t y[4];
      const uint64_t at = 2 * n * n + 4 * (row * n + 1);
      inner_->read_hbm(at, y);
      y[0] ^= 1;
      inner_->write_hbm(at, y);
    }
    return r;
  }
  void clear() override { inner_->clear(); }
  const std::vector<TraceEvent>& trace() const override { return inner_->trace(); }

 private:
  std::unique_ptr<Device> inner_;
  bool faulty_;
};

TEST(SelfTest, EveryMacOnGoodDevices) {
  for (const char* name : {"nano", "nano8", "mini", "edge", "core16"}) {
    FaultyDevice device(name, false);
    const TestedPart part = test_macs(device);
    const uint64_t n = device.config().n;
    EXPECT_EQ(part.faulty, 0u) << name << ": " << (part.faults.empty() ? "" : part.faults[0]);
    EXPECT_EQ(part.checked, (2 * n + 2) * n * n) << name;
  }
}

TEST(SelfTest, TheFaultyMacIsNamed) {
  FaultyDevice device("mini", true);
  const TestedPart part = test_macs(device);
  ASSERT_EQ(part.faulty, 2u);  // alone, and in its column
  EXPECT_EQ(part.faults[0], "MAC of row 2 and column 1, -128 * -128: got 16385, expected 16384");
  EXPECT_EQ(part.faults[1].rfind("sum of column 1", 0), 0u) << part.faults[1];
}

TEST(SelfTest, FaultyCellsAreNamed) {
  std::vector<uint8_t> cells(12000);
  enum { kGood, kStuckBit, kAliased } fault = kGood;
  const auto place = [&](uint64_t at) { return fault == kAliased && at >= 8192 ? at - 8192 : at; };
  TestedMemory memory{"RAM", cells.size(),
                      [&](uint64_t at, std::span<const uint8_t> d) {
                        for (size_t i = 0; i < d.size(); ++i) cells[place(at + i)] = d[i];
                        if (fault == kStuckBit) cells[0x1235] |= 4;
                      },
                      [&](uint64_t at, std::span<uint8_t> d) {
                        for (size_t i = 0; i < d.size(); ++i) d[i] = cells[place(at + i)];
                      }};
  TestedPart part = test_memory(memory, ~0ull);
  EXPECT_EQ(part.checked, 6000u);
  EXPECT_EQ(part.faulty, 0u);
  EXPECT_EQ(test_memory(memory, 1024).checked, 512u);
  fault = kStuckBit;
  part = test_memory(memory, ~0ull);
  ASSERT_EQ(part.faulty, 1u) << "a stuck bit is wrong in one of the two patterns";
  EXPECT_EQ(part.faults[0].rfind("RAM at 0x1234: wrote ", 0), 0u) << part.faults[0];
  fault = kAliased;
  part = test_memory(memory, ~0ull);
  EXPECT_EQ(part.faulty, 2 * (12000u - 8192) / 4);
  EXPECT_EQ(part.faults.size(), kMaxFaults);
}

}  // namespace
}  // namespace ttpu::cli
