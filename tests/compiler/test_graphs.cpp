// Graphs built here, against an evaluation of their own; the plan and its checker; spilling.
#include "compiler/plan.h"
#include "harness.h"

namespace ttpu {
namespace {

using namespace test;
using ir::DType;
using ir::OpKind;

/// A perceptron of QLinearMatMul and Reshape with random parameters, and what it should answer.
struct Network {
  ir::Graph graph;
  std::vector<uint8_t> input, expected;
};

Network make_network(tb::Random& rng, int64_t m, const std::vector<int64_t>& widths, bool integer) {
  Network n;
  ir::Graph& g = n.graph;
  bool is_signed = rng.coin();
  int t = g.add_input("x", is_signed ? DType::S8 : DType::U8, {m, widths[0]});
  std::vector<uint8_t> x(static_cast<size_t>(m * widths[0]));
  rng.fill(x);
  n.input = x;
  float scale = 0.05f;
  int zero = static_cast<int>(rng.below(50)) + (is_signed ? -25 : 100);
  for (size_t l = 1; l < widths.size(); ++l) {
    const int64_t k = widths[l - 1], w = widths[l];
    std::vector<int8_t> weights(static_cast<size_t>(k * w));
    rng.fill(weights);
    const float w_scale = 0.01f + 0.001f * static_cast<float>(rng.below(10));
    const float y_scale = scale * w_scale * 40.0f * std::sqrt(static_cast<float>(k));
    const bool y_signed = rng.coin();
    const int y_zero = y_signed ? -3 : 120;
    const std::string id = std::to_string(l);
    auto zero_const = [&](const std::string& name, bool s, int v) {
      return g.add_const(name + id, s ? DType::S8 : DType::U8, {}, {static_cast<uint8_t>(v)});
    };
    const int as = g.add_const_values<float>("as" + id, DType::F32, {}, {scale});
    const int az = zero_const("az", is_signed, zero);
    const int wt = g.add_const_values("w" + id, DType::S8, {k, w}, weights);
    const int ws = g.add_const_values<float>("ws" + id, DType::F32, {}, {w_scale});
    const int wz = zero_const("wz", true, 0);
    const int ys = g.add_const_values<float>("ys" + id, DType::F32, {}, {y_scale});
    const int yz = zero_const("yz", y_signed, y_zero);
    t = g.add_node(OpKind::QLinearMatMul, "fc" + id, {t, as, az, wt, ws, wz, ys, yz}, "h" + id);
    std::vector<uint8_t> y(static_cast<size_t>(m * w));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < w; ++j) {
        int32_t sum = 0;
        for (int64_t p = 0; p < k; ++p) {
          const uint8_t a = x[static_cast<size_t>(i * k + p)];
          sum += ((is_signed ? static_cast<int8_t>(a) : a) - zero) *
                 weights[static_cast<size_t>(p * w + j)];
        }
        y[static_cast<size_t>(i * w + j)] =
            requantise(sum, scale * w_scale, y_scale, y_zero, y_signed, integer);
      }
    x = std::move(y);
    scale = y_scale;
    zero = y_zero;
    is_signed = y_signed;
  }
  g.outputs = {t};
  n.expected = x;
  return n;
}

class Graphs : public testing::TestWithParam<const char*> {};

TEST_P(Graphs, RandomPerceptrons) {
  const Config& config = config_of(GetParam());
  tb::Random rng("perceptrons");
  for (int i = 0; i < (config.n > 16 ? 4 : 25); ++i) {
    std::vector<int64_t> widths;
    for (uint64_t l = 2 + rng.below(2); l; --l)
      widths.push_back(1 + static_cast<int64_t>(rng.below(3 * std::min(config.n, 32u) + 8)));
    const Network n =
        make_network(rng, 1 + static_cast<int64_t>(rng.below(150)), widths, !config.has_fp);
    CompileOptions options;
    options.block_rows = rng.coin() ? 0 : 1 + static_cast<uint32_t>(rng.below(40));
    options.keep_in_vmem = rng.below(3) != 0;
    const Image image = compile_graph(n.graph, config, options);
    ASSERT_EQ(run(image, config, {n.input})[0], n.expected) << "network " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, Graphs, testing::Values("mini", "edge", "core16", "core128"));

// C18: with ever less VMEM the plan is cut finer, results go to HBM, and in the end it is refused;
// every answer on the way is the same.
TEST(Plan, C18LessAndLessVmem) {
  const Config& config = config_of("core16");
  tb::Random rng("less");
  const Network n = make_network(rng, 200, {64, 100, 40, 10}, false);
  bool spilled = false, refused = false;
  int accepted = 0;
  for (uint64_t vmem = config.vmem_bytes(); vmem >= 64; vmem = vmem * 4 / 5) {
    CompileOptions options;
    options.vmem_bytes = vmem;
    try {
      const Image image = compile_graph(n.graph, config, options);
      ASSERT_FALSE(refused) << "refused with more, accepted with " << vmem;
      ASSERT_EQ(run(image, config, {n.input})[0], n.expected) << vmem;
      spilled |= image.report.find("\"sent_to_hbm\": []") == std::string::npos;
      ++accepted;
    } catch (const CompileError& e) {
      refused = true;
      EXPECT_NE(e.reason.find("bytes"), std::string::npos) << e.what();
    }
  }
  EXPECT_TRUE(spilled);
  EXPECT_TRUE(refused);
  EXPECT_GT(accepted, 10);
}

// C19: the checker that runs in every compile sees what it should.
TEST(Plan, C19CheckerSeesOverlap) {
  const Config& config = config_of("core16");
  compiler::Plan plan;
  compiler::Buffer a{"a", 1024, 0, 2}, b{"b", 1024, 1, 3};
  a.addr = 0;
  b.addr = 1024;
  plan.buffers = {a, b};
  EXPECT_NO_THROW(check_plan(plan, config, 4096));
  plan.buffers[1].addr = 960;
  EXPECT_THROW(check_plan(plan, config, 4096), std::logic_error);
  plan.buffers[1].first = 3;  // not live at the same time
  EXPECT_NO_THROW(check_plan(plan, config, 4096));
  EXPECT_THROW(check_plan(plan, config, 1024), std::logic_error);
}

TEST(Plan, RandomBuffersNeverOverlap) {
  const Config& config = config_of("core16");
  tb::Random rng("buffers");
  int placed = 0;
  for (int i = 0; i < 300; ++i) {
    compiler::Plan plan;
    for (uint64_t c = 2 + rng.below(12); c; --c) {
      compiler::Buffer b{"b" + std::to_string(c), 64 * (1 + rng.below(700)), 0, 0};
      b.first = static_cast<int>(rng.below(5));
      b.last = b.first + static_cast<int>(rng.below(3));
      b.reader = rng.coin() ? isa::Unit::MXS : isa::Unit::VPU;
      plan.buffers.push_back(b);
    }
    if (!allocate(plan.buffers, config, config.vmem_bytes(), rng.coin())) continue;
    ++placed;
    check_plan(plan, config, config.vmem_bytes());
  }
  EXPECT_GT(placed, 100);
}

// Reshape between products changes the width of a row: the tensor goes through HBM without padding.
TEST(Graph, ReshapeOfAResult) {
  const Config& config = config_of("core16");
  ir::Graph g;
  tb::Random rng("reshape");
  std::vector<int8_t> w1(10 * 12), w2(6 * 5);
  rng.fill(w1);
  rng.fill(w2);
  std::vector<uint8_t> x(8 * 10);
  rng.fill(x);
  const float one = 1.0f;
  int t = g.add_input("x", DType::S8, {8, 10});
  const int s = g.add_const_values<float>("s", DType::F32, {}, {one});
  const int z = g.add_const("z", DType::S8, {}, {0});
  const int ys = g.add_const_values<float>("ys", DType::F32, {}, {512.0f});
  t = g.add_node(OpKind::QLinearMatMul, "a",
                 {t, s, z, g.add_const_values("w1", DType::S8, {10, 12}, w1), s, z, ys, z}, "h");
  t = g.add_node(OpKind::Reshape, "r", {t}, "hr");
  g.nodes.back().shape = {16, -1};
  t = g.add_node(OpKind::MatMulInteger, "b", {t, g.add_const_values("w2", DType::S8, {6, 5}, w2)},
                 "y");
  g.outputs = {t};
  std::vector<int8_t> h(8 * 12);
  for (size_t i = 0; i < 8; ++i)
    for (size_t j = 0; j < 12; ++j) {
      int sum = 0;
      for (size_t k = 0; k < 10; ++k) sum += static_cast<int8_t>(x[i * 10 + k]) * w1[k * 12 + j];
      h[i * 12 + j] = static_cast<int8_t>(requantise(sum, 1.0f, 512.0f, 0, true, false));
    }
  std::vector<int32_t> y(16 * 5, 0);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 5; ++j)
      for (size_t k = 0; k < 6; ++k) y[i * 5 + j] += h[i * 6 + k] * w2[k * 5 + j];
  EXPECT_EQ(run(compile_graph(g, config), config, {x})[0], bytes_of(y));
}

// A product of two computed tensors, a large residual that has to be spilled, an output that is an
// input: the rarer roads.
TEST(Graph, ComputedWeightsAndResidual) {
  const Config& config = config_of("core16");
  tb::Random rng("rare");
  auto random_floats = [&](size_t n) {
    std::vector<float> v(n);
    for (float& f : v) f = static_cast<float>(static_cast<int>(rng.below(17)) - 8) / 8;
    return v;
  };
  const auto a = random_floats(20 * 18), b = random_floats(18 * 21), c = random_floats(20 * 21);
  for (const uint64_t vmem : {uint64_t{0}, uint64_t{6144}}) {
    ir::Graph g;
    const int ta = g.add_input("a", DType::F32, {20, 18}),
              tb = g.add_input("b", DType::F32, {18, 21});
    const int tc = g.add_input("c", DType::F32, {20, 21});
    const int r = g.add_node(OpKind::Relu, "relu", {tc}, "r");
    const int p = g.add_node(OpKind::MatMul, "mm", {ta, tb}, "p");
    const int y = g.add_node(OpKind::Add, "add", {p, r}, "y");
    g.outputs = {y, tc};
    CompileOptions options;
    options.vmem_bytes = vmem;
    const auto out =
        run(compile_graph(g, config, options), config, {bytes_of(a), bytes_of(b), bytes_of(c)});
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[1], bytes_of(c));
    const auto got = values_of<float>(out[0]);
    for (size_t i = 0; i < 20; ++i)
      for (size_t j = 0; j < 21; ++j) {
        float sum = 0;  // small multiples of 1/64: exact in any order
        for (size_t k = 0; k < 18; ++k) sum += a[i * 18 + k] * b[k * 21 + j];
        ASSERT_EQ(got[i * 21 + j], sum + std::max(0.0f, c[i * 21 + j]))
            << i << "," << j << " vmem " << vmem;
      }
  }
}

TEST(Graph, RefusedForTheConfiguration) {
  ir::Graph g;
  const int x = g.add_input("x", DType::F32, {4, 4});
  g.outputs = {g.add_node(OpKind::Relu, "act", {x}, "y")};
  try {
    compile_graph(g, config_of("mini"));
    FAIL() << "accepted";
  } catch (const CompileError& e) {
    EXPECT_EQ(e.node, "act");
    EXPECT_EQ(e.op, "Relu");
    EXPECT_NE(e.reason.find("mini"), std::string::npos);
  }
}

}  // namespace
}  // namespace ttpu
