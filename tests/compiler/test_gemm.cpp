// Matrix products on the golden model against a plain loop.
#include "harness.h"

namespace ttpu {
namespace {

using namespace test;

struct Case {
  GemmSpec spec;
  std::vector<uint8_t> a, b;
};

Case make_case(tb::Random& rng, GemmSpec spec, bool b_input) {
  Case c;
  const bool bf16 = spec.type == GemmSpec::Type::Bf16;
  auto fill = [&](size_t count) {
    std::vector<uint8_t> v;
    for (size_t i = 0; i < count; ++i) {
      if (!bf16) {
        v.push_back(static_cast<uint8_t>(rng.next()));
        continue;
      }
      const uint16_t h = bf16_bits(static_cast<float>(static_cast<int>(rng.below(2001)) - 1000) /
                                   static_cast<float>(1 + rng.below(300)));
      v.push_back(static_cast<uint8_t>(h));
      v.push_back(static_cast<uint8_t>(h >> 8));
    }
    return v;
  };
  c.a = fill(static_cast<size_t>(spec.m * spec.k));
  c.b = fill(static_cast<size_t>(spec.k * spec.n));
  if (!b_input) spec.b = c.b;
  c.spec = spec;
  return c;
}

/// The product as the array sums it: each tile of N along K from zero, tiles added in order.
std::vector<uint8_t> reference(const Case& c, uint32_t n) {
  const auto& s = c.spec;
  std::vector<uint32_t> r(static_cast<size_t>(s.m * s.n));
  for (int64_t i = 0; i < s.m; ++i)
    for (int64_t j = 0; j < s.n; ++j) {
      uint32_t sum = 0;
      float total = 0, tile = 0;
      for (int64_t k = 0; k < s.k; ++k) {
        const size_t ai = static_cast<size_t>(i * s.k + k), bi = static_cast<size_t>(k * s.n + j);
        if (s.type == GemmSpec::Type::Int8) {
          const int a = s.a_signed ? static_cast<int8_t>(c.a[ai]) : c.a[ai];
          const int b = s.b_signed ? static_cast<int8_t>(c.b[bi]) : c.b[bi];
          sum += static_cast<uint32_t>(a * b);
        } else {
          const float a = bf16_value(static_cast<uint16_t>(c.a[2 * ai] | c.a[2 * ai + 1] << 8));
          const float b = bf16_value(static_cast<uint16_t>(c.b[2 * bi] | c.b[2 * bi + 1] << 8));
          if (k % n == 0) {
            if (k == static_cast<int64_t>(n))
              total = tile;
            else if (k)
              total = total + tile;
            tile = 0;
          }
          tile = tile + a * b;
        }
      }
      if (s.type == GemmSpec::Type::Bf16) {
        const float f = s.k > static_cast<int64_t>(n) ? total + tile : tile;
        sum = std::bit_cast<uint32_t>(f);
      } else if (s.output == GemmSpec::Output::Fp32) {
        sum = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(sum)));
      }
      r[static_cast<size_t>(i * s.n + j)] = sum;
    }
  return bytes_of(r);
}

std::string text(const GemmSpec& s, const Config& config) {
  return std::string(config.name) + " " + std::to_string(s.m) + "x" + std::to_string(s.n) + "x" +
         std::to_string(s.k) + (s.type == GemmSpec::Type::Bf16 ? " bf16" : " int8") +
         (s.a_signed ? " s" : " u") + (s.b_signed ? "s" : "u") + (s.b.empty() ? " b-input" : "") +
         (s.cold ? " cold" : "") + " block " + std::to_string(s.block_rows);
}

void check(const Case& c, const Config& config) {
  SCOPED_TRACE(text(c.spec, config));
  const auto expected = reference(c, config.n);
  std::vector<uint8_t> got;
  if (c.spec.cold) {
    GemmLayout layout;
    const Image image = build_gemm(c.spec, config, &layout);
    auto device = poisoned(image, config);
    for (const auto& s : cold_operands(c.spec, config, layout, c.a, c.b))
      device->write_vmem(s.addr, s.bytes);
    expect_done(device->run());
    std::vector<uint8_t> vmem(config.vmem_bytes());
    device->read_vmem(0, vmem);
    got = cold_result(c.spec, layout, vmem);
  } else {
    const Image image = build_gemm(c.spec, config);
    std::vector<std::vector<uint8_t>> inputs = {c.a};
    if (c.spec.b.empty()) inputs.push_back(c.b);
    got = run(image, config, inputs)[0];
  }
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size() / 4; ++i) {
    uint32_t x, y;
    std::memcpy(&x, &got[4 * i], 4);
    std::memcpy(&y, &expected[4 * i], 4);
    ASSERT_EQ(x, y) << "row " << i / static_cast<size_t>(c.spec.n) << ", column "
                    << i % static_cast<size_t>(c.spec.n);
  }
}

class Gemm : public testing::TestWithParam<const char*> {};

TEST_P(Gemm, AwkwardShapes) {
  const Config& config = config_of(GetParam());
  tb::Random rng("shapes");
  const int64_t n = config.n;
  const int64_t sizes[] = {1, 3, n - 1, n, n + 1, 2 * n, 3 * n, 3 * n + 1};
  for (const int64_t m : sizes)
    for (const int64_t nn : sizes)
      for (const int64_t k : {int64_t{1}, int64_t{3}, n, n + 1, int64_t{133}}) {
        if (n > 16 && rng.below(12)) continue;
        GemmSpec s;
        s.m = m;
        s.n = nn;
        s.k = k;
        s.a_signed = rng.below(2);
        s.b_signed = rng.below(2);
        check(make_case(rng, s, rng.below(4) == 0), config);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Gemm, RandomShapesAndBlocks) {
  const Config& config = config_of(GetParam());
  tb::Random rng("random");
  const int count = config.n > 16 ? 6 : 120;
  for (int i = 0; i < count; ++i) {
    GemmSpec s;
    s.m = 1 + static_cast<int64_t>(rng.below(4 * config.n + 40));
    s.n = 1 + static_cast<int64_t>(rng.below(4 * config.n + 20));
    s.k = 1 + static_cast<int64_t>(rng.below(rng.below(3) ? 100 : 60 * std::min(config.n, 16u)));
    s.a_signed = rng.below(2);
    s.b_signed = rng.below(2);
    s.block_rows = rng.below(2) ? 0 : 1 + static_cast<uint32_t>(rng.below(30));
    if (config.has_fp && rng.below(3) == 0) {
      s.type = GemmSpec::Type::Bf16;
      s.output = GemmSpec::Output::Fp32;
    } else if (config.has_fp && rng.below(3) == 0) {
      s.output = GemmSpec::Output::Fp32;
    }
    check(make_case(rng, s, rng.below(3) == 0), config);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Gemm, Cold) {
  const Config& config = config_of(GetParam());
  tb::Random rng("cold");
  for (int i = 0; i < (config.n > 16 ? 4 : 40); ++i) {
    GemmSpec s;
    s.m = i ? 1 + static_cast<int64_t>(rng.below(3 * config.n + 1)) : config.n;
    s.n = i ? 1 + static_cast<int64_t>(rng.below(3 * config.n + 1)) : config.n;
    s.k = i ? 1 + static_cast<int64_t>(rng.below(3 * config.n + 1)) : config.n;
    s.cold = true;
    if (config.has_fp && rng.below(2)) {
      s.type = GemmSpec::Type::Bf16;
      s.output = GemmSpec::Output::Fp32;
    }
    check(make_case(rng, s, true), config);
    if (HasFatalFailure()) return;
  }
}

// C4: the largest sums there are.
TEST_P(Gemm, C4AllMinus128) {
  const Config& config = config_of(GetParam());
  Case c;
  c.spec.m = 5;
  c.spec.n = config.n + 1;
  c.spec.k = 4096;
  c.a.assign(static_cast<size_t>(c.spec.m * c.spec.k), 0x80);
  c.b.assign(static_cast<size_t>(c.spec.k * c.spec.n), 0x80);
  c.spec.b = c.b;
  const auto got = values_of<int32_t>(run(build_gemm(c.spec, config), config, {c.a})[0]);
  for (const int32_t v : got) ASSERT_EQ(v, 67108864);
}

INSTANTIATE_TEST_SUITE_P(Configs, Gemm, testing::Values("mini", "edge", "core16", "core128"));

TEST(GemmSize, SquareOfCore16) {
  const Config& config = config_of("core16");
  tb::Random rng("square");
  GemmSpec s;
  s.m = 192;
  s.n = 256;
  s.k = 1024;
  check(make_case(rng, s, false), config);
}

// C18: operands that fill VMEM to its last byte, and one row more.
TEST(GemmSize, C18FillsVmemToTheLastRow) {
  const Config& config = config_of("core16");
  tb::Random rng("fill");
  GemmSpec s;
  s.cold = true;
  s.k = 16;
  s.n = 16;
  s.m = (config.vmem_bytes() - 256) / 80;  // a 16 and c 64 bytes a row, b 256
  s.m -= s.m % 4;
  while ((s.m + 4) * 80 + 256 <= config.vmem_bytes()) s.m += 4;
  check(make_case(rng, s, true), config);
  s.m += 4;
  try {
    build_gemm(s, config);
    FAIL() << "accepted";
  } catch (const CompileError& e) {
    EXPECT_NE(std::string(e.what()).find(std::to_string(config.vmem_bytes())), std::string::npos)
        << e.what();
    EXPECT_NE(std::string(e.what()).find(std::to_string(s.m * 80 + 256)), std::string::npos)
        << e.what();
  }
}

TEST(GemmSize, RefusedByName) {
  const Config& core = config_of("core16");
  GemmSpec s;
  s.m = 0;
  s.n = s.k = 4;
  EXPECT_THROW(build_gemm(s, core), CompileError);
  s.m = 4;
  s.type = GemmSpec::Type::Bf16;
  EXPECT_THROW(build_gemm(s, core), CompileError);  // int32 result of bf16
  s.output = GemmSpec::Output::Fp32;
  EXPECT_NO_THROW(build_gemm(s, core));
  EXPECT_THROW(build_gemm(s, config_of("mini")), CompileError);
  s.b.resize(3);
  EXPECT_THROW(build_gemm(s, core), CompileError);
}

}  // namespace
}  // namespace ttpu
