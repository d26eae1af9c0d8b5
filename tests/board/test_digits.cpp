// The digits network on the top of a real board: the very commands of a user, over its serial pins.
// All answers equal the golden model's; labels and ONNX Runtime say how good they are. Where it is
// built: TTPU_IMAGES, how many digits; TTPU_REPLY_MS, how long a reply of the model may take;
// TTPU_FLOAT, 1 if the chip has floating point.
#include <algorithm>
#include <cstring>

#include "board_test.h"

namespace ttpu::test {
namespace {

constexpr int kImages = TTPU_IMAGES, kPixels = 64, kClasses = 10;

/// Values of a .npy file of one byte each.
std::vector<int8_t> npy_bytes(const std::string& file) {
  const std::string text = slurp(file);
  if (text.size() < 10) return {};
  const size_t header = 10 + static_cast<uint8_t>(text[8]) + 256 * static_cast<uint8_t>(text[9]);
  return {text.begin() + static_cast<std::ptrdiff_t>(header), text.end()};
}

/// `ttpu compile` of a network for kImages digits.
std::vector<std::string> compile(const std::string& network, const std::string& image) {
  return {"compile",  std::string(TTPU_MODELS) + "/" + network + ".onnx",
          "-o",       image,
          "--config", TTPU_BOARD_CONFIG,
          "--batch",  std::to_string(kImages)};
}

TEST_F(BoardTest, Digits) {
  be_patient(TTPU_REPLY_MS);
  start({"--seconds", "7200"});
  const std::string models = TTPU_MODELS;
  ASSERT_EQ(ttpu(compile("digits_s8", path("d.ttpu"))).code, 0);
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

#if TTPU_FLOAT
/// The same digits in bf16, fp32 sums.
TEST_F(BoardTest, DigitsInFloatingPoint) {
  be_patient(TTPU_REPLY_MS);
  start({"--seconds", "7200"});
  ASSERT_EQ(ttpu(compile("digits_f32", path("d.ttpu"))).code, 0);
  const std::string models = TTPU_MODELS;
  const auto pixels = npy_bytes(models + "/digits_test_x.npy");
  const auto labels = npy_bytes(models + "/digits_test_y.npy");
  ASSERT_GE(pixels.size(), static_cast<size_t>(kImages * kPixels));
  std::string header =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(kImages) + ", 64), }";
  header.resize(117, ' ');
  std::string x = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
  x.append(pixels.begin(), pixels.begin() + kImages * kPixels);
  const auto j =
      json({"run", path("d.ttpu"), "--device", device_, "--input", "x=" + write("x.npy", x),
            "--output", "logits=" + path("logits.npy"), "--check", "golden", "--json"});
  EXPECT_EQ(j["bit_equal"], true);
  const auto bytes = npy_bytes(path("logits.npy"));
  std::vector<float> logits(kImages * kClasses);
  ASSERT_EQ(bytes.size(), 4 * logits.size());
  std::memcpy(logits.data(), bytes.data(), bytes.size());
  int right = 0;
  for (int i = 0; i < kImages; ++i) {
    const float* row = &logits[static_cast<size_t>(i * kClasses)];
    right += std::max_element(row, row + kClasses) - row == labels[i];
  }
  EXPECT_GE(right, kImages * 95 / 100);
  EXPECT_EQ(stop()["framing_errors"], 0);
}
#endif

}  // namespace
}  // namespace ttpu::test
