// Convolutions: ONNX Runtime's answers bit for bit (C16, C17), random ones against plain C++ in all
// configurations, layouts between layers, refusals.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness.h"

namespace ttpu {
namespace {

using namespace test;
using ir::DType;
using ir::OpKind;
namespace fs = std::filesystem;

const fs::path kData = TTPU_TEST_DATA;

std::vector<uint8_t> file(const fs::path& path) {
  std::ifstream is(path, std::ios::binary);
  std::stringstream s;
  s << is.rdbuf();
  const std::string t = s.str();
  EXPECT_FALSE(t.empty()) << path;
  return {t.begin(), t.end()};
}

std::vector<uint8_t> answer(const std::string& name, const Config& config,
                            const CompileOptions& options = {}) {
  const Image image = compile((kData / (name + ".onnx")).string(), config, options);
  return run(image, config, {file(kData / (name + ".in.bin"))})[0];
}

/// Bit-equal to ONNX Runtime with results between kernels in VMEM and in HBM, and in little VMEM.
void expect_exact(const std::string& name) {
  const auto expected = file(kData / (name + ".out.bin"));
  for (const char* config : {"edge", "core16", "core128"}) {
    for (const bool keep : {true, false}) {
      CompileOptions options;
      options.keep_in_vmem = keep;
      EXPECT_EQ(answer(name, config_of(config), options), expected) << name << " on " << config;
    }
  }
  CompileOptions little;
  little.vmem_bytes = 4096;
  EXPECT_EQ(answer(name, config_of("edge"), little), expected) << name << " in 4096 bytes";
}

// Padding means the zero point: an input that is nothing but zero point gives the same pixel
// everywhere, at the edges too.
TEST(Convolution, C16PaddingIsTheZeroPoint) {
  expect_exact("conv_c16");
  expect_exact("conv_c16_edges");
  for (const char* config : {"mini", "edge", "core16", "core128"}) {
    const auto y = answer("conv_c16", config_of(config));
    ASSERT_EQ(y.size(), 5u * 42);
    for (size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], y[i / 42 * 42]) << config << " channel " << i / 42 << " pixel " << i % 42;
  }
}

TEST(Convolution, C17EvenKernelsWithSame) {
  for (const char* at : {"upper", "lower"}) {
    expect_exact(std::string("conv_c17_even_") + at);
    expect_exact(std::string("conv_c17_even_stride_") + at);
  }
}

TEST(Convolution, C17PadOneStrideTwo) {
  expect_exact("conv_c17_pad1_stride2");
  expect_exact("conv_c17_pad1_stride2_odd");
}

class Exact : public testing::TestWithParam<const char*> {};
TEST_P(Exact, BitEqualToOnnxRuntime) { expect_exact(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Convolution, Exact,
                         testing::Values("conv_uneven", "conv_valid", "conv_point",
                                         "conv_wide_border", "conv_integer", "conv_qdq",
                                         "maxpool_u8", "maxpool_s8", "maxpool_float",
                                         "conv_network"));

TEST(Convolution, IntegersOnMini) {
  EXPECT_EQ(answer("maxpool_u8", config_of("mini")), file(kData / "maxpool_u8.out.bin"));
  EXPECT_EQ(answer("maxpool_s8", config_of("mini")), file(kData / "maxpool_s8.out.bin"));
  EXPECT_EQ(answer("conv_integer", config_of("mini")), file(kData / "conv_integer.out.bin"));
}

TEST(Convolution, FloatNetworkWithinBf16) {
  const auto expected = values_of<float>(file(kData / "conv_float.out.bin"));
  for (const char* config : {"edge", "core16", "core128"})
    for (const bool keep : {true, false}) {
      CompileOptions options;
      options.keep_in_vmem = keep;
      const auto got = values_of<float>(answer("conv_float", config_of(config), options));
      ASSERT_EQ(got.size(), expected.size());
      for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 0.08) << i;
    }
}

/// A random QLinearConv and what it answers, by the definition.
struct Layer {
  ir::Graph graph;
  std::vector<uint8_t> input, expected;
  std::string text;
};

Layer random_layer(tb::Random& rng, bool integer) {
  Layer l;
  ir::Graph& g = l.graph;
  const auto pick = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(rng.below(static_cast<uint64_t>(most - least + 1)));
  };
  const int64_t images = pick(1, 3), c = pick(1, 9), m = pick(1, 20), kh = pick(1, 4),
                kw = pick(1, 4), top = pick(0, 3), left = pick(0, 3), bottom = pick(0, 3),
                right = pick(0, 3), sh = pick(1, 3), sw = pick(1, 3);
  const int64_t h = pick(std::max<int64_t>(1, kh - top - bottom), 11),
                w = pick(std::max<int64_t>(1, kw - left - right), 11);
  const int64_t oh = (h + top + bottom - kh) / sh + 1, ow = (w + left + right - kw) / sw + 1;
  for (const int64_t v : {images, c, h, w, m, kh, kw, top, left, bottom, right, sh, sw})
    l.text += std::to_string(v) + " ";
  const bool x_signed = rng.coin(), y_signed = rng.coin();
  const int x_zero = static_cast<int>(rng.below(256)) - (x_signed ? 128 : 0);
  const int y_zero = static_cast<int>(rng.below(256)) - (y_signed ? 128 : 0);
  l.input.resize(static_cast<size_t>(images * c * h * w));
  rng.fill(l.input);
  std::vector<int8_t> weights(static_cast<size_t>(m * c * kh * kw));
  rng.fill(weights);
  std::vector<int32_t> bias;
  std::vector<float> w_scale;
  for (int64_t i = 0; i < m; ++i) {
    bias.push_back(static_cast<int32_t>(rng.below(40000)) - 20000);
    w_scale.push_back(0.01f + 0.0001f * static_cast<float>(rng.below(100)));
  }
  const float x_scale = 0.05f;
  const float y_scale = 0.03f * std::sqrt(static_cast<float>(c * kh * kw)) + 0.05f;
  const auto zero = [&](const char* name, bool s, int v) {
    return g.add_const(name, s ? DType::S8 : DType::U8, {}, {static_cast<uint8_t>(v)});
  };
  const int x = g.add_input("x", x_signed ? DType::S8 : DType::U8, {images, c, h, w});
  const int y = g.add_node(
      OpKind::QLinearConv, "conv",
      {x, g.add_const_values<float>("xs", DType::F32, {}, {x_scale}), zero("xz", x_signed, x_zero),
       g.add_const_values("w", DType::S8, {m, c, kh, kw}, weights),
       g.add_const_values("ws", DType::F32, {m}, w_scale),
       g.add_const("wz", DType::S8, {m}, std::vector<uint8_t>(static_cast<size_t>(m), 0)),
       g.add_const_values<float>("ys", DType::F32, {}, {y_scale}), zero("yz", y_signed, y_zero),
       g.add_const_values("b", DType::S32, {m}, bias)},
      "y");
  g.nodes.back().pads = {top, left, bottom, right};
  g.nodes.back().strides = {sh, sw};
  g.outputs = {y};
  // One multiplier for each channel, one shift for all: the largest scale decides.
  const float most = *std::max_element(w_scale.begin(), w_scale.end());
  for (int64_t n = 0; n < images; ++n)
    for (int64_t o = 0; o < m; ++o)
      for (int64_t oy = 0; oy < oh; ++oy)
        for (int64_t ox = 0; ox < ow; ++ox) {
          int32_t sum = bias[static_cast<size_t>(o)];
          for (int64_t i = 0; i < c; ++i)
            for (int64_t ky = 0; ky < kh; ++ky)
              for (int64_t kx = 0; kx < kw; ++kx) {
                const int64_t iy = oy * sh + ky - top, ix = ox * sw + kx - left;
                if (iy < 0 || iy >= h || ix < 0 || ix >= w) continue;
                const uint8_t p = l.input[static_cast<size_t>(((n * c + i) * h + iy) * w + ix)];
                sum += ((x_signed ? static_cast<int8_t>(p) : p) - x_zero) *
                       weights[static_cast<size_t>(((o * c + i) * kh + ky) * kw + kx)];
              }
          l.expected.push_back(requantise(sum, x_scale * w_scale[static_cast<size_t>(o)], y_scale,
                                          y_zero, y_signed, integer, x_scale * most));
        }
  return l;
}

class Random : public testing::TestWithParam<const char*> {};

TEST_P(Random, LayersAgainstTheDefinition) {
  const Config& config = config_of(GetParam());
  tb::Random rng("convolutions");
  for (int i = 0; i < (tb::long_run() ? 10 : 1) * (config.n > 16 ? 8 : 60); ++i) {
    const Layer l = random_layer(rng, !config.has_fp);
    CompileOptions options;
    options.keep_in_vmem = rng.coin();
    if (rng.coin()) options.vmem_bytes = config.vmem_bytes() / (8 * (1 + rng.below(4)));
    const Image image = compile_graph(l.graph, config, options);
    ASSERT_EQ(run(image, config, {l.input})[0], l.expected) << "layer " << i << ": " << l.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Convolution, Random, testing::Values("mini", "edge", "core16", "core128"));

// Between two layers nothing goes back to ONNX's order; the report names both parts of a layer.
TEST(Convolution, ReportAndLayouts) {
  const Image image = compile((kData / "conv_qdq.onnx").string(), config_of("core16"));
  const auto report = nlohmann::json::parse(image.report);
  int gathers = 0, products = 0;
  std::string names;
  for (const auto& k : report["kernels"]) {
    gathers += k["kind"] == "gather";
    products += k["kind"] == "matrix product";
    names += k["name"].get<std::string>() + " ";
    EXPECT_FALSE(k["why"].empty()) << k["name"];
  }
  EXPECT_EQ(products, 2) << names;
  EXPECT_EQ(gathers, 4) << names;  // x channels last, two Im2cols, y channels first
  for (const char* text :
       {"\"conv_c1\"", "\"conv_c2\"", "\"relu_r1\"", "zero point 128", "zero point 3"})
    EXPECT_NE(image.report.find(text), std::string::npos) << text << "\n" << image.report;
  ASSERT_EQ(image.inputs.size(), 1u);
  EXPECT_EQ(image.inputs[0].shape, (std::vector<uint32_t>{2, 3, 9, 8}));
  const Image q = compile((kData / "conv_uneven.onnx").string(), config_of("core16"));
  EXPECT_EQ(q.inputs[0].zero_point, 113);
  EXPECT_EQ(q.outputs[0].zero_point, 119);
  EXPECT_EQ(q.outputs[0].scale, 0.17f);
}

// Any bytes give an image or a CompileError.
TEST(Convolution, DamagedFiles) {
  tb::Random rng("damage");
  const fs::path path =
      fs::temp_directory_path() / ("ttpu_convolution_" + std::to_string(::getpid()) + ".onnx");
  int accepted = 0, refusals = 0;
  for (const char* name : {"conv_c17_pad1_stride2", "conv_qdq", "conv_float"}) {
    const auto good = file(kData / (std::string(name) + ".onnx"));
    for (int i = 0; i < (tb::long_run() ? 3000 : 300); ++i) {
      auto bytes = good;
      for (uint64_t f = 1 + rng.below(3); f; --f)
        bytes[rng.below(bytes.size())] = static_cast<uint8_t>(rng.next());
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
  }
  fs::remove(path);
  EXPECT_GT(refusals, 100);
  EXPECT_GT(accepted, 100);
}

TEST(Convolution, RefusedByName) {
  const auto refused = [](const std::string& name, std::initializer_list<const char*> words,
                          const std::string& op = "Conv", const std::string& kind = "conv") {
    try {
      compile((kData / ("bad_" + kind + "_" + name + ".onnx")).string(), config_of("core16"));
      FAIL() << name << " was accepted";
    } catch (const CompileError& e) {
      EXPECT_EQ(e.node, kind + "_y");
      EXPECT_EQ(e.op, op);
      for (const char* w : words)
        EXPECT_NE(e.reason.find(w), std::string::npos) << e.what() << " lacks " << w;
    }
  };
  refused("dilations", {"dilations 2,1"});
  refused("group", {"group 2"});
  refused("pads", {"pads", "-1"});
  refused("strides", {"strides", "0"});
  refused("auto_pad", {"'SAME'", "SAME_LOWER"});
  refused("both_pads", {"both"});
  refused("three", {"strides", "3 numbers"});
  refused("shape", {"kernel_shape", "2", "3"});
  refused("large", {"6", "5"});
  refused("channels", {"4", "3"});
  refused("rank", {"rank 3"});
  refused("bias", {"3", "2"});
  refused("ceil", {"ceil_mode"}, "MaxPool", "maxpool");
  refused("pads", {"padding of 2", "2"}, "MaxPool", "maxpool");
  refused("dilations", {"dilations 2,2"}, "MaxPool", "maxpool");
}

}  // namespace
}  // namespace ttpu
