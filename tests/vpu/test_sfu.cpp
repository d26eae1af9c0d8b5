// Special functions: the unit against the golden model bit for bit, and against long double
// arithmetic within the error that docs/reference/sfu.md promises, over every exponent and both
// signs.
#include <algorithm>
#include <bit>
#include <cmath>

#include "Vvpu_core16.h"
#include "golden/sfu.h"
#include "vpu_bench.h"
#include "vpu_program.h"

namespace vpu_test {
namespace {

using isa::Sfu;

constexpr struct {
  Sfu function;
  const char* name;
  double ulp;  // promised
} kFunctions[] = {{Sfu::EXP, "EXP", 1},     {Sfu::LOG, "LOG", 1},   {Sfu::RECIP, "RECIP", 1},
                  {Sfu::RSQRT, "RSQRT", 1}, {Sfu::TANH, "TANH", 1}, {Sfu::SIGMOID, "SIGMOID", 1},
                  {Sfu::ERF, "ERF", 1}};

long double exact(Sfu function, long double x) {
  switch (function) {
    case Sfu::EXP:
      return expl(x);
    case Sfu::LOG:
      return logl(x);
    case Sfu::RECIP:
      return 1 / x;
    case Sfu::RSQRT:
      return 1 / sqrtl(x);
    case Sfu::TANH:
      return tanhl(x);
    case Sfu::SIGMOID:
      return 1 / (1 + expl(-x));
    default:
      return erfl(x);
  }
}

/// Error of a result in units of its last place; 0 where flush or overflow is right. Infinite if
/// wrong.
double error_in_ulp(Sfu function, uint32_t bits, uint32_t result) {
  const long double right = exact(function, std::bit_cast<float>(bits));
  const float got = std::bit_cast<float>(result);
  const long double least = 0x1p-126L, slack = 0x1p-149L;
  if (std::isnan(right)) return std::isnan(got) ? 0 : INFINITY;
  if (fabsl(right) >= 0x1.ffffffp127L)
    return std::isinf(got) && (got > 0) == (right > 0) ? 0 : INFINITY;
  if (fabsl(right) < least - slack) return got == 0 ? 0 : INFINITY;
  if (fabsl(right) < least + slack && got == 0) return 0;
  if (!std::isfinite(got)) return INFINITY;
  int exponent;
  frexpl(right, &exponent);
  return static_cast<double>(fabsl(got - right) / ldexpl(1, exponent - 24));
}

class SfuBench : public Bench<Vvpu_core16> {
 public:
  SfuBench() : Bench("core16") {}
  /// Results of the unit for a block of inputs (a multiple of N, at most a quarter of VMEM).
  std::vector<uint32_t> results(Sfu function, const std::vector<uint32_t>& inputs) {
    const auto rows = static_cast<uint32_t>(inputs.size()) / config.n;
    std::copy_n(reinterpret_cast<const uint8_t*>(inputs.data()), inputs.size() * 4, vmem.begin());
    isa::VpuSeta a{};
    a.dtype = static_cast<uint32_t>(Dtype::F32), a.s0 = 4;
    isa::VpuSetd d{};
    d.dtype = static_cast<uint32_t>(Dtype::F32), d.s0 = 4, d.fp = 1;
    isa::VpuShape s{};
    s.n0 = rows, s.n1 = s.n2 = 1;
    isa::VpuSfu f{};
    f.func = static_cast<uint32_t>(function);
    isa::VpuRun r{};
    r.lanes = config.n, r.imm_d = config.vmem_bytes() / 2;
    for (const Command& c : {command(a), command(d), command(s), command(f), command(r)}) run(c);
    std::vector<uint32_t> out(inputs.size());
    std::copy_n(&vmem[r.imm_d], out.size() * 4, reinterpret_cast<uint8_t*>(out.data()));
    return out;
  }
};

TEST(Sfu, EveryExponent) {
  SfuBench bench;
  const uint32_t mantissas = tb::long_run() ? 1u << 16 : 1024;
  constexpr size_t kBlock = 8192;
  for (const auto& f : kFunctions) {
    double worst = 0;
    uint32_t worst_at = 0;
    uint64_t different = 0;
    std::vector<uint32_t> block;
    const auto flush_block = [&] {
      while (block.size() % bench.config.n) block.push_back(0);
      const auto got = bench.results(f.function, block);
      for (size_t i = 0; i < block.size(); ++i) {
        const uint32_t x = block[i], right = ttpu::golden::special_function(f.function, x);
        if (got[i] != right && different++ < 3)
          ADD_FAILURE() << tb::format("%s(0x%08x): golden 0x%08x, got 0x%08x", f.name, x, right,
                                      got[i]);
        const uint32_t exponent = x >> 23 & 255;
        if (exponent == 0 || exponent == 255) continue;  // special values: the model's own test
        const double error = error_in_ulp(f.function, x, got[i]);
        if (!(error <= worst)) worst = error, worst_at = x;
      }
      block.clear();
    };
    for (uint32_t top = 0; top < 512; ++top) {
      for (uint32_t i = 0; i < mantissas; ++i) {
        // Ends, every table interval, and anything.
        uint32_t m = bench.random.u32() & 0x7fffff;
        if (i < 128)
          m = i << 16;
        else if (i < 256)
          m = ((i - 127) << 16) - 1;
        else if (i < 264)
          m = i - 256;
        block.push_back(top << 23 | (m & 0x7fffff));
        if (block.size() == kBlock) flush_block();
      }
    }
    if (!block.empty()) flush_block();
    EXPECT_EQ(different, 0u) << f.name;
    EXPECT_LE(worst, f.ulp) << f.name << tb::format(" at 0x%08x", worst_at);
    std::printf("%-8s greatest error %.3f ulp at 0x%08x (promised %.0f)\n", f.name, worst, worst_at,
                f.ulp);
  }
}

TEST(Sfu, SpecialValues) {
  SfuBench bench;
  const uint32_t nan = 0x7fc00000, inf = 0x7f800000, one = 0x3f800000, sign = 0x80000000;
  const std::vector<uint32_t> in = {
      0,   sign,       inf,        inf | sign, 0x7f800001, 0xffffffff, 0x00000001, 0x807fffff,
      one, one | sign, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000, 0x40000000, 0x3e800000};
  const struct {
    Sfu function;
    std::vector<uint32_t> right;  // 1 = not looked at here
  } cases[] = {
      {Sfu::EXP, {one, one, inf, 0, nan, nan, one, one, 1, 1, inf, 0, one, one, 1, 1}},
      {Sfu::LOG,
       {inf | sign, inf | sign, inf, nan, nan, nan, inf | sign, inf | sign, 0, nan, 1, nan, 1, nan,
        1, 1}},
      {Sfu::RECIP,
       {inf, inf | sign, 0, sign, nan, nan, inf, inf | sign, one, one | sign, 0, sign, 0x7e800000,
        0xfe800000, 0x3f000000, 0x40800000}},
      {Sfu::RSQRT,
       {inf, inf | sign, 0, nan, nan, nan, inf, inf | sign, one, nan, 1, nan, 0x5f000000, nan, 1,
        0x40000000}},
      {Sfu::TANH,
       {0, sign, one, one | sign, nan, nan, 0, sign, 1, 1, one, one | sign, 0x00800000, 0x80800000,
        1, 1}},
      {Sfu::SIGMOID,
       {0x3f000000, 0x3f000000, one, 0, nan, nan, 0x3f000000, 0x3f000000, 1, 1, one, 0, 0x3f000000,
        0x3f000000, 1, 1}},
      {Sfu::ERF, {0, sign, one, one | sign, nan, nan, 0, sign, 1, 1, one, one | sign, 1, 1, 1, 1}},
      {Sfu::NONE, in},
  };
  for (const auto& c : cases) {
    const auto got = bench.results(c.function, in);
    for (size_t i = 0; i < in.size(); ++i) {
      if (c.right[i] == 1 && c.function != Sfu::NONE) continue;
      EXPECT_EQ(got[i], c.right[i])
          << tb::format("function %d of 0x%08x", static_cast<int>(c.function), in[i]);
    }
  }
}

// Odd functions stay odd, exp and sigmoid never fall where the function rises (within a table's
// step).
TEST(Sfu, OddAndMonotone) {
  for (int i = 0; i < 1'000'000; ++i) {
    const uint32_t x = static_cast<uint32_t>(i) * 2147u % 0x7f800000u;
    for (const Sfu f : {Sfu::TANH, Sfu::ERF, Sfu::RECIP})
      ASSERT_EQ(ttpu::golden::special_function(f, x | 0x80000000),
                ttpu::golden::special_function(f, x) | 0x80000000);
    for (const Sfu f : {Sfu::EXP, Sfu::SIGMOID, Sfu::TANH, Sfu::ERF}) {
      const uint32_t here = ttpu::golden::special_function(f, x);
      const uint32_t next = ttpu::golden::special_function(f, x + 1);
      ASSERT_LE(here, next + 1) << tb::format("function %d at 0x%08x", static_cast<int>(f), x);
    }
  }
}

}  // namespace
}  // namespace vpu_test
