// ONNX files: answers against ONNX Runtime's (make_models.py), refusals by name, hostile bytes.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness.h"

namespace ttpu {
namespace {

using namespace test;
namespace fs = std::filesystem;

const fs::path kData = TTPU_TEST_DATA, kModels = TTPU_MODELS;

std::vector<uint8_t> file(const fs::path& path) {
  std::ifstream is(path, std::ios::binary);
  std::stringstream s;
  s << is.rdbuf();
  const std::string t = s.str();
  EXPECT_FALSE(t.empty()) << path;
  return {t.begin(), t.end()};
}

/// Raw contents of a .npy file of version 1.
std::vector<uint8_t> npy(const fs::path& path) {
  const auto b = file(path);
  return {b.begin() + 10 + b[8] + 256 * b[9], b.end()};
}

struct Answer {
  std::vector<uint8_t> got, expected;
};

Answer answer(const std::string& name, const Config& config, const CompileOptions& options = {}) {
  const Image image = compile((kData / (name + ".onnx")).string(), config, options);
  return {run(image, config, {file(kData / (name + ".in.bin"))})[0],
          file(kData / (name + ".out.bin"))};
}

class Exact : public testing::TestWithParam<const char*> {};

TEST_P(Exact, BitEqualToOnnxRuntime) {
  for (const char* config : {"edge", "core16", "core128"}) {
    SCOPED_TRACE(config);
    const Answer a = answer(GetParam(), config_of(config));
    ASSERT_EQ(a.got.size(), a.expected.size());
    EXPECT_EQ(a.got, a.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Exact,
                         testing::Values("qlinear", "qlinear_weights_zero", "qlinear_columns",
                                         "matmul_integer", "qdq_gemm"));

// The sum of two dequantised tensors is quantised by the reciprocal of the scale: one step at most.
TEST(Models, ResidualWithinOneStep) {
  for (const char* config : {"edge", "core16", "core128"}) {
    const Answer a = answer("qdq_residual", config_of(config));
    ASSERT_EQ(a.got.size(), a.expected.size());
    int differ = 0;
    for (size_t i = 0; i < a.got.size(); ++i) {
      ASSERT_LE(std::abs(a.got[i] - a.expected[i]), 1) << i;
      differ += a.got[i] != a.expected[i];
    }
    EXPECT_LE(differ, 8);
  }
}

TEST(Models, FloatWithinBf16) {
  for (const char* config : {"edge", "core16", "core128"}) {
    for (const bool keep : {true, false}) {
      CompileOptions options;
      options.keep_in_vmem = keep;
      const Answer a = answer("float_mlp", config_of(config), options);
      const auto got = values_of<float>(a.got), expected = values_of<float>(a.expected);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 0.1) << i;
    }
  }
}

TEST(Models, ArgMaxOnChip) {
  for (const char* config : {"core16", "core128"}) {
    const Answer a = answer("float_argmax", config_of(config));
    const auto got = values_of<int32_t>(a.got);
    const auto expected = values_of<int64_t>(a.expected);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i]) << i;
  }
  EXPECT_THROW(answer("float_argmax", config_of("edge")), CompileError);  // 13 columns, 8 lanes
}

std::vector<uint8_t> digits_input() {
  std::vector<float> x;
  for (const uint8_t p : npy(kModels / "digits_test_x.npy")) x.push_back(p / 16.0f);
  return bytes_of(x);
}

TEST(Digits, QuantisedBitEqualToOnnxRuntime) {
  CompileOptions options;
  options.batch = 600;
  for (const char* name : {"edge", "core16", "core128"}) {
    const Config& config = config_of(name);
    const Image image = compile((kModels / "digits_int8.onnx").string(), config, options);
    EXPECT_EQ(run(image, config, {digits_input()})[0], npy(kModels / "digits_int8_ort.npy"))
        << name;
  }
}

TEST(Digits, FloatReadsTheSameDigits) {
  CompileOptions options;
  options.batch = 600;
  const Config& config = config_of("core16");
  const Image image = compile((kModels / "digits_f32.onnx").string(), config, options);
  const auto y = values_of<float>(run(image, config, {digits_input()})[0]);
  const auto labels = npy(kModels / "digits_test_y.npy");
  size_t right = 0;
  for (size_t i = 0; i < 600; ++i)
    right += std::max_element(&y[10 * i], &y[10 * i] + 10) - &y[10 * i] == labels[i];
  EXPECT_GE(right, 576u);
}

TEST(Digits, CompilesInTime) {
  CompileOptions options;
  options.batch = 600;
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    compile((kModels / "digits_int8.onnx").string(), config_of("core16"), options);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LE(best, 0.050);
}

TEST(Digits, ReportNamesEveryNode) {
  const Image image = compile((kModels / "digits_int8.onnx").string(), config_of("core16"));
  for (const char* text : {"\"fc1\"", "\"fc2\"", "\"relu1\"", "\"x_dq\"", "\"logits\"", "proved",
                           "\"block_rows\"", "\"macs\"", "\"why\""})
    EXPECT_NE(image.report.find(text), std::string::npos) << text << "\n" << image.report;
}

/// The model is refused with a CompileError that says each of the words.
void refused(const fs::path& path, std::initializer_list<const char*> words) {
  try {
    compile(path.string(), config_of("core16"));
    FAIL() << path << " was accepted";
  } catch (const CompileError& e) {
    for (const char* w : words)
      EXPECT_NE(std::string(e.what()).find(w), std::string::npos) << e.what() << " lacks " << w;
  }
}

// C20, C21, C40.
TEST(Refused, ByNameAndReason) {
  refused(kData / "bad_operator.onnx", {"softmax_y", "Softmax", "not supported"});
  refused(kData / "bad_negative_dim.onnx", {"'x'", "-8"});
  refused(kData / "bad_zero_dim.onnx", {"'x'", "is 0"});
  refused(kData / "bad_huge_dim.onnx", {"'x'", "2^31"});
  refused(kData / "bad_rank.onnx", {"'y'", "rank"});
  refused(kData / "bad_k.onnx", {"matmul_y", "MatMul", "8", "9"});
  refused(kData / "bad_reshape.onnx", {"reshape_y", "-2"});
  refused(kData / "bad_axis.onnx", {"argmax_y", "-7"});
  refused(kData / "bad_order.onnx", {"relu_y", "later"});
  refused(kData / "bad_same_name.onnx", {"'w'", "twice"});
  refused(kData / "bad_same_input.onnx", {"'x'", "twice"});
  refused(kData / "nothing_there.onnx", {"cannot be opened"});
}

TEST(Refused, ExternalDataOutsideTheFolder) {
  const fs::path root = fs::temp_directory_path() / ("ttpu_external_" + std::to_string(::getpid()));
  const fs::path dir = root / "model";
  fs::create_directories(dir);
  const auto put = [](const fs::path& p, size_t n) {
    std::ofstream(p, std::ios::binary) << std::string(n, '\1');
  };
  put(root / "weights.bin", 96);
  put(dir / "short.bin", 95);
  fs::create_symlink(root / "weights.bin", dir / "link.bin");
  for (const char* name : {"up", "link", "absolute", "short"})
    fs::copy_file(kData / ("bad_external_" + std::string(name) + ".onnx"),
                  dir / (std::string(name) + ".onnx"));
  refused(dir / "up.onnx", {"'w'", "../weights.bin", "leaves the folder"});
  refused(dir / "link.onnx", {"'w'", "link.bin", "link out of the folder"});
  refused(dir / "absolute.onnx", {"'w'", "/etc/passwd"});
  refused(dir / "short.onnx", {"'w'", "short.bin", "95"});
  put(dir / "short.bin", 96);  // now it is whole: accepted
  EXPECT_NO_THROW(compile((dir / "short.onnx").string(), config_of("core16")));
  fs::remove_all(root);
}

// Any bytes give an image or a CompileError.
TEST(Refused, DamagedFiles) {
  tb::Random rng("damage");
  const auto good = file(kModels / "digits_int8.onnx");
  const fs::path path =
      fs::temp_directory_path() / ("ttpu_damaged_" + std::to_string(::getpid()) + ".onnx");
  int accepted = 0, refusals = 0;
  for (int i = 0; i < (tb::long_run() ? 20000 : 1500); ++i) {
    auto bytes = good;
    if (rng.below(4) == 0) bytes.resize(rng.below(bytes.size()));
    // The names and shapes are at the front and the back of the file.
    for (uint64_t f = 1 + rng.below(3); f && !bytes.empty(); --f)
      bytes[rng.below(3) ? rng.below(std::min<size_t>(bytes.size(), 1100))
                         : rng.below(bytes.size())] = static_cast<uint8_t>(rng.next());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    try {
      compile(path.string(), config_of("core16"));
      ++accepted;
    } catch (const CompileError&) {
      ++refusals;
    }
  }
  fs::remove(path);
  EXPECT_GT(refusals, 100);
  EXPECT_GT(accepted, 10);
}

}  // namespace
}  // namespace ttpu
