// The digits network on the top of a real board: the very commands of a user, over its serial pins.
// All answers equal the golden model's; labels and ONNX Runtime say how good they are.
#include <algorithm>

#include "board_test.h"

namespace ttpu::test {
namespace {

constexpr int kImages = 128, kPixels = 64, kClasses = 10;

/// Values of a .npy file of one byte each.
std::vector<int8_t> npy_bytes(const std::string& file) {
  const std::string text = slurp(file);
  if (text.size() < 10) return {};
  const size_t header = 10 + static_cast<uint8_t>(text[8]) + 256 * static_cast<uint8_t>(text[9]);
  return {text.begin() + static_cast<std::ptrdiff_t>(header), text.end()};
}

/// The model is slower than its serial line, the more so on a busy machine: be patient with it.
void be_patient() { ::setenv("TTPU_BOARD_REPLY_MS", "5000", 0); }

TEST_F(BoardTest, Digits) {
  be_patient();
  start({});
  const std::string models = TTPU_MODELS;
  ASSERT_EQ(ttpu({"compile", models + "/digits_s8.onnx", "-o", path("d.ttpu"), "--config",
                  TTPU_BOARD_CONFIG, "--batch", std::to_string(kImages)})
                .code,
            0);
  const auto pixels = npy_bytes(models + "/digits_test_x.npy");
  const auto labels = npy_bytes(models + "/digits_test_y.npy");
  const auto runtime = npy_bytes(models + "/digits_s8_ort.npy");
  ASSERT_GE(pixels.size(), static_cast<size_t>(kImages * kPixels));
  const std::string x(pixels.begin(), pixels.begin() + kImages * kPixels);
  const auto j =
      json({"run", path("d.ttpu"), "--device", device_, "--input", "x=" + write("x.bin", x),
            "--output", "logits=" + path("logits.bin"), "--check", "golden", "--json"});
  EXPECT_EQ(j["config"], TTPU_BOARD_CONFIG);
  EXPECT_EQ(j["bit_equal"], true);
  const std::string logits = slurp(path("logits.bin"));
  ASSERT_EQ(logits.size(), static_cast<size_t>(kImages * kClasses));
  int right = 0, far = 0;
  for (int i = 0; i < kImages; ++i) {
    const auto* row = reinterpret_cast<const int8_t*>(logits.data()) + i * kClasses;
    right += std::max_element(row, row + kClasses) - row == labels[i];
    for (int c = 0; c < kClasses; ++c) far += std::abs(row[c] - runtime[i * kClasses + c]) > 1;
  }
  EXPECT_GE(right, kImages * 95 / 100);
  EXPECT_EQ(far, 0) << "values more than one step from ONNX Runtime's";
  EXPECT_EQ(stop()["framing_errors"], 0);
}

TEST_F(BoardTest, SelfTest) {
  be_patient();
  start({});
  const auto test = json({"board", "test", "--quick", "--device", device_, "--json"});
  EXPECT_EQ(test["ok"], true);
}

}  // namespace
}  // namespace ttpu::test
