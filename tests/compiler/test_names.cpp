// Case C21: graphs whose constants have the same names; each uses its own.
#include <array>

#include "harness.h"

namespace ttpu {
namespace {

using namespace test;
using ir::DType;
using ir::OpKind;

/// y = x * w of int8 in int32, all names the same in every graph; and what y is.
struct Product {
  ir::Graph graph;
  std::vector<uint8_t> input, expected;
};

Product make_product(tb::Random& rng, int64_t m, int64_t k, int64_t n) {
  std::vector<int8_t> x(static_cast<size_t>(m * k)), w(static_cast<size_t>(k * n));
  rng.fill(x);
  rng.fill(w);
  Product p;
  const int in = p.graph.add_input("x", DType::S8, {m, k});
  const int weights = p.graph.add_const_values("w", DType::S8, {k, n}, w);
  p.graph.outputs = {p.graph.add_node(OpKind::MatMulInteger, "mm", {in, weights}, "y")};
  std::vector<int32_t> y;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      int32_t sum = 0;
      for (int64_t q = 0; q < k; ++q)
        sum += x[static_cast<size_t>(i * k + q)] * w[static_cast<size_t>(q * n + j)];
      y.push_back(sum);
    }
  p.input = bytes_of(x);
  p.expected = bytes_of(y);
  return p;
}

// Both are compiled before either runs, and both run on one device, to and fro: the same shape (so
// that only the constant differs) and another one.
TEST(Names, C21EachGraphUsesItsOwnConstant) {
  for (const char* name : {"mini", "core16"}) {
    const Config& config = config_of(name);
    tb::Random rng(name);
    std::vector<Product> products;
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{5, 20, 9}, {5, 20, 9}, {3, 33, 17}})
      products.push_back(make_product(rng, m, k, n));
    ASSERT_NE(products[0].expected, products[1].expected);
    std::vector<Image> images;
    for (const Product& p : products) images.push_back(compile_graph(p.graph, config, {}));
    DeviceOptions options;
    for (const Image& i : images) options.hbm_bytes = std::max(options.hbm_bytes, i.hbm_bytes);
    auto device = open_device("golden", config, options);
    for (const size_t i : {0, 1, 0, 2, 1, 2, 0}) {
      SCOPED_TRACE(std::string(name) + ", graph " + std::to_string(i));
      device->load(images[i]);
      write_tensor(*device, images[i].inputs.at(0), products[i].input);
      expect_done(device->run());
      EXPECT_EQ(read_tensor(*device, images[i].outputs.at(0)), products[i].expected);
    }
  }
}

}  // namespace
}  // namespace ttpu
