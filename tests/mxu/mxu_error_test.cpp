// Every illegal field, alignment and bound: cause, pc and address as the golden model has them, and
// the unit goes on after a clear.
#include "mxu_bench.h"
#include "mxu_models.h"

namespace mxu_test {
namespace {

template <class Traits>
class MxuError : public ::testing::Test {};
using Builds = ::testing::Types<N4, N8, N8Add, N16>;
TYPED_TEST_SUITE(MxuError, Builds);

/// A command with its operands, and what must come of it.
struct Expected {
  Error cause;
  uint64_t addr;
};

template <class Traits>
class ErrorBench : public Bench<Traits> {
 public:
  using B = Bench<Traits>;
  ErrorBench() {
    this->fill_accumulators();
    this->check_all();
  }

  /// Good commands first; then this one must fail, and a good product must come out after a clear.
  void expect_fault(const Instr& instr, Expected want, uint32_t a = 0, uint32_t b = 0,
                    uint32_t c = 0, bool load_first = true) {
    SCOPED_TRACE(tb::format("%s", tb::describe({instr, a, b, c, 0}).c_str()));
    const bool loads = instr.get(0, 8) == static_cast<uint32_t>(MxuLoadw::kOpcode);
    MxuMatmul mm;
    mm.swap = 1;
    mm.rows = 2;
    mm.stride = 1;
    if (load_first && !loads) {
      MxuLoadw load;
      load.k = load.n = 2;
      load.stride = 1;
      this->send(load.encode());
    }
    const auto fault = this->send(instr, a, b, c);
    ASSERT_TRUE(fault.has_value()) << "the golden model sees no error";
    EXPECT_EQ(fault->cause, want.cause);
    EXPECT_EQ(fault->addr, want.addr);
    auto& unit = loads ? this->w : this->s;
    ASSERT_TRUE(
        this->ctl.run_until([&] { return unit.error().has_value(); }, 100'000, "the error", *this));
    EXPECT_EQ(unit.error()->cause, fault->cause);
    EXPECT_EQ(unit.error()->pc, fault->pc);
    EXPECT_EQ(unit.error()->addr, fault->addr);
    EXPECT_FALSE((loads ? this->s : this->w).error().has_value());
    this->run(50);  // once only
    this->clear();
    // A product works again.
    this->fill_accumulators();
    const Gemm g = random_gemm(*this);
    send_gemm(*this, g, true);
    ASSERT_TRUE(this->finish());
    this->check_all();
  }
};

TYPED_TEST(MxuError, LoadFields) {
  ErrorBench<TypeParam> bench;
  const uint32_t n = TypeParam::kN, size = TypeParam::kVmemBytes;
  MxuLoadw good;
  good.k = good.n = n;
  good.stride = 1;
  const auto with = [&](auto change) {
    MxuLoadw f = good;
    change(f);
    return f.encode();
  };
  using F = MxuLoadw;
  bench.expect_fault(with([](F& f) { f.k = 0; }), {Error::BAD_FIELD, 0});
  bench.expect_fault(with([&](F& f) { f.k = n + 1; }), {Error::BAD_FIELD, n + 1});
  bench.expect_fault(with([](F& f) { f.k = 511; }), {Error::BAD_FIELD, 511});
  bench.expect_fault(with([](F& f) { f.n = 0; }), {Error::BAD_FIELD, 0});
  bench.expect_fault(with([&](F& f) { f.n = n + 1; }), {Error::BAD_FIELD, n + 1});
  for (uint32_t t = 3; t < 8; ++t)
    bench.expect_fault(with([&](F& f) { f.dtype = t; }), {Error::BAD_FIELD, t});
  if (!TypeParam::kHasFp) {
    bench.expect_fault(with([](F& f) { f.dtype = 2; }), {Error::UNSUPPORTED, 2});
  } else {
    bench.expect_fault(with([](F& f) { f.dtype = 2, f.stride = 2; }), {Error::BAD_ALIGN, n}, n);
    bench.expect_fault(with([](F& f) { f.dtype = 2, f.stride = 3; }), {Error::BAD_ALIGN, 3 * n});
  }
  bench.expect_fault(good.encode(), {Error::BAD_ALIGN, 1}, 1);
  bench.expect_fault(good.encode(), {Error::BAD_ALIGN, n / 2}, n / 2);
  // bounds: the first row, a later row, an address whose low 24 bits look legal, a wrap below 0
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, size}, size);
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, size}, size - (n - 1) * n);
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, 0x01000000}, 0x01000000);
  bench.expect_fault(with([](F& f) { f.stride = -1; }), {Error::VMEM_BOUNDS, 0u - n}, n);
  bench.expect_fault(with([](F& f) { f.stride = 1000, f.k = 4; }), {Error::VMEM_BOUNDS, size},
                     size - 1000 * n);
}

TYPED_TEST(MxuError, MatmulFields) {
  ErrorBench<TypeParam> bench;
  const uint32_t n = TypeParam::kN, size = TypeParam::kVmemBytes, total = bench.config.acc_total();
  MxuMatmul good;
  good.rows = 4;
  good.stride = 1;
  good.swap = 1;
  const auto with = [&](auto change) {
    MxuMatmul f = good;
    change(f);
    return f.encode();
  };
  using F = MxuMatmul;
  bench.expect_fault(with([](F& f) { f.rows = 0; }), {Error::BAD_FIELD, 0});
  bench.expect_fault(good.encode(), {Error::BAD_FIELD, 65536}, 0, 0, 65532);
  bench.expect_fault(good.encode(), {Error::BAD_FIELD, 0x80000004}, 0, 0, 0x80000000);
  for (uint32_t t = 3; t < 8; ++t)
    bench.expect_fault(with([&](F& f) { f.dtype = t; }), {Error::BAD_FIELD, t});
  bench.expect_fault(with([](F& f) { f.dtype = 2; }),  // the weights are integers
                     {TypeParam::kHasFp ? Error::BAD_FIELD : Error::UNSUPPORTED, 2});
  if (TypeParam::kHasFp) {
    MxuLoadw load;
    load.k = load.n = 1;
    load.dtype = 2;
    for (const int32_t misaligned : {0, 1, 2}) {
      bench.send(load.encode());
      MxuMatmul f = good;
      f.dtype = misaligned ? 2 : 1;
      f.stride = misaligned == 2 ? 3 : 2;
      const Expected want[] = {
          {Error::BAD_FIELD, 1}, {Error::BAD_ALIGN, n}, {Error::BAD_ALIGN, 3 * n}};
      bench.expect_fault(f.encode(), want[misaligned], misaligned == 1 ? n : 0, 0, 0, false);
    }
    // along dimension 1 and 2 of a walk
    for (const uint32_t dim : {1u, 2u}) {
      MxuShape shape;
      shape.inner0 = 2;
      shape.stride1 = dim == 1 ? 5 : 4;
      shape.inner1 = 2;
      shape.stride2 = 7;
      bench.send(shape.encode());
      bench.send(load.encode());
      MxuMatmul f = good;
      f.dtype = 2;
      f.stride = 2;
      f.rows = 9;
      bench.expect_fault(f.encode(), {Error::BAD_ALIGN, (dim == 1 ? 5 : 7) * n}, 0, 0, 0, false);
    }
  }
  bench.expect_fault(good.encode(), {Error::BAD_ALIGN, 1}, 1);
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, size}, size);
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, size}, size - 3 * n);
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, 0xff000000}, 0xff000000);
  bench.expect_fault(with([](F& f) { f.stride = -1; }), {Error::VMEM_BOUNDS, 0u - n}, n);
  bench.expect_fault(good.encode(), {Error::ACC_BOUNDS, total}, 0, total);
  bench.expect_fault(good.encode(), {Error::ACC_BOUNDS, total}, 0, total - 3);
  bench.expect_fault(good.encode(), {Error::ACC_BOUNDS, 0xfffffffe}, 0, 0xfffffffe);
  // the row that is out of VMEM comes before the one that is out of the accumulators
  bench.expect_fault(good.encode(), {Error::VMEM_BOUNDS, size}, size - 2 * n, total - 3);
  bench.expect_fault(good.encode(), {Error::ACC_BOUNDS, total}, size - 3 * n, total - 2);
}

// An opcode of another unit in the queue: control never sends it, but the unit must not hang.
TYPED_TEST(MxuError, ForeignOpcode) {
  Bench<TypeParam> bench;
  Command c;
  c.instr.set(0, 8, 0x60);
  c.pc = 77;
  for (const bool loads : {true, false}) {
    auto& unit = loads ? bench.w : bench.s;
    unit.send(c);
    ASSERT_TRUE(
        bench.ctl.run_until([&] { return unit.error().has_value(); }, 20, "the error", bench));
    EXPECT_EQ(unit.error()->cause, Error::ILLEGAL_OPCODE);
    EXPECT_EQ(unit.error()->addr, 0x60u);
    EXPECT_EQ(unit.error()->pc, 77u);
    bench.clear();
  }
}

// A halt at any moment: no new read, quiet within the array's latency, and after the clear nothing
// is left of what was going on.
TYPED_TEST(MxuError, HaltAtAnyMoment) {
  Bench<TypeParam> bench;
  bench.fill_accumulators();
  for (int round = 0; round < 60 && !this->HasFailure(); ++round) {
    bench.w_port.stall.set(20);
    bench.x_port.stall.set(20);
    for (int i = 0; i < 3; ++i) send_gemm(bench, random_gemm(bench), true);
    bench.run(bench.random.below(400));
    bench.ctl->halt_i = 1;
    bench.ctl.settle();
    if (TypeParam::kFpStages != 1) bench.tick();  // requests in registers fall in the next cycle
    const uint64_t grants = bench.w_port.grants + bench.x_port.grants;
    bench.run((2 + TypeParam::kFpStages) * TypeParam::kN + 10);
    EXPECT_TRUE(bench.w.status().quiet);
    EXPECT_TRUE(bench.s.status().quiet);
    EXPECT_EQ(bench.w_port.grants + bench.x_port.grants, grants) << "a read after the halt";
    bench.clear();
    bench.w_port.stall.set(0);
    bench.x_port.stall.set(0);
    bench.fill_accumulators();
    bench.check_all();
    const Gemm g = random_gemm(bench);
    send_gemm(bench, g, true);
    ASSERT_TRUE(bench.finish());
    bench.check_all();
  }
}

}  // namespace
}  // namespace mxu_test
