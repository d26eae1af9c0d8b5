// VPU of the golden model.
#include "golden/sfu.h"
#include "tests/golden/bench.h"

namespace ttpu::golden {
namespace {

using isa::Dtype;
using isa::Error;
using isa::Reduce;
using isa::Shuffle;
using isa::Vop;
using isa::Voperand;

constexpr uint32_t u(Dtype t) { return static_cast<uint32_t>(t); }

isa::VpuStage stage(uint32_t index, Vop op, Voperand operand = Voperand::CONST, uint32_t imm = 0,
                    uint32_t swap = 0, uint32_t shift = 0) {
  return {.index = index,
          .op = static_cast<uint32_t>(op),
          .operand = static_cast<uint32_t>(operand),
          .swap = swap,
          .shift = shift,
          .imm = imm};
}

constexpr uint32_t kB = 0x4000, kD = 0x8000;

/// Runs one row of int32 or fp32 words through what has been configured; the lanes of D.
std::vector<uint32_t> run_row(Machine& m, const std::vector<uint32_t>& a, bool fp = false) {
  for (size_t l = 0; l < a.size(); ++l) put_u32(m.vmem, 4 * l, a[l]);
  must(m, command(isa::VpuSetd{.fp = fp, .dtype = u(fp ? Dtype::F32 : Dtype::I32)}));
  must(m, command(isa::VpuRun{.imm_a = 0, .imm_b = kB, .imm_d = kD, .lanes = m.config().n}));
  std::vector<uint32_t> d;
  for (uint32_t l = 0; l < m.config().n; ++l) d.push_back(get_u32(m.vmem, kD + 4 * l));
  return d;
}

Machine make(const char* name = "edge", Dtype a = Dtype::I32) {
  Machine m(config(name), 0);
  must(m, command(isa::VpuSeta{.src = 0, .dtype = u(a)}));
  return m;
}

uint32_t lane0(Vop op, uint32_t x, uint32_t y, uint32_t swap = 0, uint32_t shift = 0) {
  Machine m = make();
  must(m, command(stage(3, op, Voperand::CONST, y, swap, shift)));
  return run_row(m, std::vector<uint32_t>(8, x))[0];
}

TEST(GoldenVpu, every_operation) {
  EXPECT_EQ(lane0(Vop::PASS, 5, 9), 5u);
  EXPECT_EQ(lane0(Vop::PASS, 5, 9, 1), 9u);
  EXPECT_EQ(lane0(Vop::IADD, 0xffffffff, 2), 1u);
  EXPECT_EQ(lane0(Vop::ISUB, 3, 5), 0xfffffffeu);
  EXPECT_EQ(lane0(Vop::ISUB, 3, 5, 1), 2u);
  EXPECT_EQ(lane0(Vop::IMUL, 0x10001, 0x10001), 0x20001u);
  EXPECT_EQ(lane0(Vop::IMIN, 0x80000000, 1), 0x80000000u);
  EXPECT_EQ(lane0(Vop::IMAX, 0x80000000, 1), 1u);
  EXPECT_EQ(lane0(Vop::ISHL, 3, 33), 6u);
  EXPECT_EQ(lane0(Vop::ISRA, 0x80000000, 31), 0xffffffffu);
  EXPECT_EQ(lane0(Vop::ISRL, 0x80000000, 31), 1u);
  EXPECT_EQ(lane0(Vop::AND, 12, 10), 8u);
  EXPECT_EQ(lane0(Vop::OR, 12, 10), 14u);
  EXPECT_EQ(lane0(Vop::XOR, 12, 10), 6u);
  EXPECT_EQ(lane0(Vop::IQMUL, 7984, 1583594044, 0, 9), 11u);
  EXPECT_EQ(lane0(Vop::I2F, 0xffffffff, 0), as_bits(-1));
  EXPECT_EQ(lane0(Vop::F2I, as_bits(-2.5f), 0), 0xfffffffeu);
  EXPECT_EQ(lane0(Vop::FADD, as_bits(1), as_bits(2)), as_bits(3));
  EXPECT_EQ(lane0(Vop::FSUB, as_bits(1), as_bits(2)), as_bits(-1));
  EXPECT_EQ(lane0(Vop::FMUL, as_bits(3), as_bits(2)), as_bits(6));
  EXPECT_EQ(lane0(Vop::FMIN, 0, 0x80000000), 0x80000000u);
  EXPECT_EQ(lane0(Vop::FMAX, 0x7fc00001, 0), kNan32);
}

TEST(GoldenVpu, predicate_starts_false_and_selects_by_lane) {
  Machine m = make();
  must(m, command(stage(3, Vop::SEL, Voperand::CONST, 100)));
  EXPECT_EQ(run_row(m, {1, 2, 3, 4, 5, 6, 7, 8}), std::vector<uint32_t>(8, 100));
  must(m, command(stage(0, Vop::ICLT, Voperand::CONST, 4)));
  EXPECT_EQ(run_row(m, {1, 2, 3, 4, 5, 6, 7, 0x80000000}),
            (std::vector<uint32_t>{1, 2, 3, 100, 100, 100, 100, 0x80000000}));
  must(m, command(stage(1, Vop::FCEQ, Voperand::CONST, 0x80000000)));
  EXPECT_EQ(run_row(m, {0, 1, 0x80000000, 0x7fc00000, 0x00800000, 5, 6, 0x80000001}),
            (std::vector<uint32_t>{0, 1, 0x80000000, 100, 100, 5, 6, 0x80000001}));
}

TEST(GoldenVpu, operands_and_the_input_kept) {
  Machine m = make();
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t l = 0; l < 8; ++l) put_u32(m.vmem, 0x1000 + 32 * r + 4 * l, 1000 * r + l);
  for (uint32_t r = 0; r < 4; ++r)
    must(m, command(isa::VpuLdv{.index = r, .imm_a = 32 * r}, 0x1000));
  for (uint32_t l = 0; l < 8; ++l) put_u32(m.vmem, kB + 4 * l, 70000 + l);
  must(m, command(stage(0, Vop::IADD, Voperand::V3)));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 1))[2], 3003u);
  must(m, command(stage(1, Vop::IADD, Voperand::B)));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 1))[2], 3003u) << "B is off: 0";
  must(m, command(isa::VpuSetb{.enable = 1, .dtype = u(Dtype::I32)}));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 1))[2], 73005u);
  must(m, command(stage(2, Vop::IMUL, Voperand::A)));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 2))[2], 2 * 73006u);
  must(m, command(stage(2, Vop::IADD, Voperand::CONST, 5), 90));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 2))[2], 73006u + 95);
  must(m, command(VpuClear{}));
  must(m, command(isa::VpuSeta{.dtype = u(Dtype::I32)}));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 2))[2], 2u);
}

TEST(GoldenVpu, shuffles) {
  const std::vector<uint32_t> in = {10, 11, 12, 13, 14, 15, 16, 17};
  Machine m = make();
  const auto shape = [](Shuffle s, uint32_t arg) {
    return isa::VpuShape{
        .n0 = 1, .n1 = 1, .n2 = 1, .shuffle = static_cast<uint32_t>(s), .arg = arg};
  };
  must(m, command(shape(Shuffle::ROTATE, 3)));
  EXPECT_EQ(run_row(m, in), (std::vector<uint32_t>{13, 14, 15, 16, 17, 10, 11, 12}));
  must(m, command(shape(Shuffle::BROADCAST, 6)));
  EXPECT_EQ(run_row(m, in), std::vector<uint32_t>(8, 16));
  m.vreg[3] = {7, 6, 5, 4, 3, 2, 1, 0x80000008};
  must(m, command(shape(Shuffle::PERMUTE, 0)));
  EXPECT_EQ(run_row(m, in), (std::vector<uint32_t>{17, 16, 15, 14, 13, 12, 11, 10}));
}

TEST(GoldenVpu, special_function_stands_in_the_middle) {
  Machine m = make();
  must(m, command(stage(1, Vop::FMUL, Voperand::CONST, as_bits(2))));
  must(m, command(stage(2, Vop::FADD, Voperand::CONST, as_bits(1))));
  must(m, command(isa::VpuSfu{.func = static_cast<uint32_t>(isa::Sfu::RECIP)}));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, as_bits(2)), true)[7], as_bits(1.25f));
}

TEST(GoldenVpu, streams_widen_and_dequantise) {
  Machine m = make();
  for (uint32_t i = 0; i < 64; ++i) m.vmem[i] = static_cast<uint8_t>(i * 37 + 200);
  const auto first = [&](Dtype type, bool dequant, int32_t zp, bool fp) {
    must(m, command(isa::VpuSeta{.dtype = u(type), .dequant = dequant, .zp = zp}, as_bits(0.5f)));
    must(m, command(isa::VpuSetd{.fp = fp, .dtype = u(fp ? Dtype::F32 : Dtype::I32)}));
    must(m, command(isa::VpuRun{.imm_d = kD, .lanes = 8}));
    return get_u32(m.vmem, kD);
  };
  EXPECT_EQ(first(Dtype::S8, false, 0, false), static_cast<uint32_t>(-56));
  EXPECT_EQ(first(Dtype::U8, false, 0, false), 200u);
  EXPECT_EQ(first(Dtype::S8, true, -128, true), as_bits(36.0f));
  EXPECT_EQ(first(Dtype::U8, true, 255, true), as_bits(-27.5f));
  put_u32(m.vmem, 0, 0x80000000);
  EXPECT_EQ(first(Dtype::I32, true, 1, true), as_bits(0x1p30f)) << "x - zp modulo 2^32";
  put_u32(m.vmem, 0, 0x00013f80);
  EXPECT_EQ(first(Dtype::BF16, false, 0, true), as_bits(1));
  put_u32(m.vmem, 0, 0x8001);
  EXPECT_EQ(first(Dtype::BF16, false, 0, true), 0x80000000u) << "a subnormal bf16 is zero";
  put_u32(m.vmem, 0, 0x7f81);
  EXPECT_EQ(first(Dtype::BF16, false, 0, true), 0x7f810000u) << "loads do not change NaN";
  put_u32(m.vmem, 0, 0x80000001);
  EXPECT_EQ(first(Dtype::F32, false, 0, true), 0x80000001u) << "nor do fp32 subnormals change";
}

TEST(GoldenVpu, results_are_converted) {
  const auto out = [](uint32_t x, bool fp, Dtype type, int32_t zp) {
    Machine m = make();
    put_u32(m.vmem, 0, x);
    std::fill(m.vmem.begin() + kD, m.vmem.begin() + kD + 64, 0xee);
    must(m, command(isa::VpuSetd{.fp = fp, .dtype = u(type), .zp = zp}));
    must(m, command(isa::VpuRun{.imm_d = kD, .lanes = 1}));
    EXPECT_EQ(m.vmem[kD + bytes_of(type)], 0xee) << "a lane that is not in use was written";
    return get_u32(m.vmem, kD) &
           (bytes_of(type) == 4 ? 0xffffffff : (1u << 8 * bytes_of(type)) - 1);
  };
  EXPECT_EQ(out(200, false, Dtype::S8, -128), 72u);
  EXPECT_EQ(out(0x7fffffff, false, Dtype::S8, 255), 127u);
  EXPECT_EQ(out(static_cast<uint32_t>(-236), false, Dtype::U8, 0), 0u);
  EXPECT_EQ(out(250, false, Dtype::U8, 10), 255u);
  EXPECT_EQ(out(250, false, Dtype::I32, 10), 250u) << "no zero point in 32 bits";
  EXPECT_EQ(out(as_bits(2.5f), true, Dtype::S8, 1), 3u);
  EXPECT_EQ(out(as_bits(-3.5f), true, Dtype::U8, 10), 6u);
  EXPECT_EQ(out(0x7fc00001, true, Dtype::U8, 7), 7u);
  EXPECT_EQ(out(0x7f800000, true, Dtype::S8, -256), 127u) << "+ zp in 64 bits";
  EXPECT_EQ(out(as_bits(-7.5f), true, Dtype::I32, 9), static_cast<uint32_t>(-8));
  EXPECT_EQ(out(0x3e89ccd5, true, Dtype::BF16, 0), 0x3e8au);
  EXPECT_EQ(out(0x7f800001, true, Dtype::F32, 0), 0x7f800001u) << "a store changes no bits";
}

TEST(GoldenVpu, lane_reductions_are_balanced_trees) {
  tb::Random random;
  for (int trial = 0; trial < 300; ++trial) {
    Machine m = make("core16");
    const uint32_t n = 16, lanes = static_cast<uint32_t>(random.between(1, n));
    const bool fp = random.coin();
    const auto reduce = static_cast<Reduce>(random.between(1, 3));
    std::vector<uint32_t> in;
    for (uint32_t l = 0; l < n; ++l) in.push_back(fp ? any_float(random) : random.u32());
    // The tree over all n leaves, dead ones marked.
    std::vector<std::optional<uint32_t>> node;
    for (uint32_t l = 0; l < n; ++l)
      node.push_back(l < lanes ? std::optional(in[l]) : std::nullopt);
    while (node.size() > 1) {
      std::vector<std::optional<uint32_t>> up;
      for (size_t i = 0; i < node.size(); i += 2) {
        const auto x = node[i], y = node[i + 1];
        if (!x || !y) {
          up.push_back(x ? x : y);
          continue;
        }
        const auto sx = static_cast<int32_t>(*x), sy = static_cast<int32_t>(*y);
        uint32_t r = 0;
        if (reduce == Reduce::SUM) r = fp ? fadd(*x, *y) : *x + *y;
        if (reduce == Reduce::MAX) r = fp ? fmax(*x, *y) : static_cast<uint32_t>(std::max(sx, sy));
        if (reduce == Reduce::MIN) r = fp ? fmin(*x, *y) : static_cast<uint32_t>(std::min(sx, sy));
        up.push_back(r);
      }
      node = up;
    }
    must(m,
         command(isa::VpuShape{
             .n0 = 1, .n1 = 1, .n2 = 1, .lane_reduce = static_cast<uint32_t>(reduce), .fp = fp}));
    for (uint32_t l = 0; l < n; ++l) put_u32(m.vmem, 4 * l, in[l]);
    must(m, command(isa::VpuSetd{.fp = fp, .dtype = u(fp ? Dtype::F32 : Dtype::I32)}));
    put_u32(m.vmem, kD + 4 * lanes, 0x12345678);
    must(m, command(isa::VpuRun{.imm_d = kD, .lanes = lanes}));
    for (uint32_t l = 0; l < lanes; ++l) ASSERT_EQ(get_u32(m.vmem, kD + 4 * l), *node[0]);
    ASSERT_EQ(get_u32(m.vmem, kD + 4 * lanes), 0x12345678u);
  }
}

TEST(GoldenVpu, row_reductions_fold_inner_dimensions) {
  // A is 2 x 3 x 4 rows, lane 0 numbered 0..23.
  const auto reduced = [](uint32_t dims, Reduce reduce) {
    Machine m = make("mini", Dtype::S8);
    for (uint32_t r = 0; r < 24; ++r) m.vmem[r * 4] = static_cast<uint8_t>(r);
    must(m, command(isa::VpuSeta{.dtype = u(Dtype::S8), .s0 = 1, .s1 = 4, .s2 = 12}));
    must(m, command(isa::VpuShape{.n0 = 4,
                                  .n1 = 3,
                                  .n2 = 2,
                                  .row_reduce = static_cast<uint32_t>(reduce),
                                  .row_dims = dims}));
    std::fill(m.vmem.begin() + 0x800, m.vmem.begin() + 0x900, 0xee);
    must(m, command(isa::VpuSetd{.dtype = u(Dtype::U8), .s0 = 100, .s1 = 2, .s2 = 10}));
    must(m, command(isa::VpuRun{.imm_d = 0x800, .lanes = 1}));
    std::vector<std::pair<uint32_t, int>> out;  // where (in rows of 4), what
    for (uint32_t at = 0; at < 0x100; ++at)
      if (m.vmem[0x800 + at] != 0xee) out.emplace_back(at / 4, m.vmem[0x800 + at]);
    return out;
  };
  using Out = std::vector<std::pair<uint32_t, int>>;
  EXPECT_EQ(reduced(1, Reduce::MAX), (Out{{0, 3}, {2, 7}, {4, 11}, {10, 15}, {12, 19}, {14, 23}}));
  EXPECT_EQ(reduced(2, Reduce::SUM), (Out{{0, 66}, {10, 210}}));
  EXPECT_EQ(reduced(3, Reduce::MIN), (Out{{0, 0}}));
}

TEST(GoldenVpu, row_sums_run_in_row_order) {
  Machine m = make("edge", Dtype::F32);
  const float rows[] = {1e8f, 1.0f, -1e8f, 0.5f};
  for (uint32_t r = 0; r < 4; ++r) put_u32(m.vmem, 32 * r, as_bits(rows[r]));
  must(m, command(isa::VpuSeta{.dtype = u(Dtype::F32), .s0 = 4}));
  must(m,
       command(isa::VpuShape{.n0 = 4, .n1 = 1, .n2 = 1, .row_reduce = 1, .row_dims = 1, .fp = 1}));
  must(m, command(isa::VpuSetd{.fp = 1, .dtype = u(Dtype::F32)}));
  must(m, command(isa::VpuRun{.imm_d = kD, .lanes = 8}));
  EXPECT_EQ(get_u32(m.vmem, kD), as_bits(0.5f));
}

TEST(GoldenVpu, reads_accumulators) {
  Machine m(config("core16"), 0);
  for (size_t i = 0; i < m.acc.size(); ++i) m.acc[i] = static_cast<uint32_t>(i);
  must(m, command(isa::VpuSeta{.src = 1, .dtype = u(Dtype::I32), .s0 = 2}));
  must(m, command(isa::VpuSetd{.dtype = u(Dtype::I32), .s0 = 4}));
  must(m, command(isa::VpuShape{.n1 = 1, .n2 = 1}, 0, 0, 3));
  must(m, command(isa::VpuRun{.imm_a = 5, .lanes = 16}, 1, 0, kD));
  EXPECT_EQ(get_u32(m.vmem, kD + 2 * 64 + 4 * 3), 10u * 16 + 3);
  must_fail(m, command(isa::VpuRun{.imm_a = 1020, .lanes = 16}, 0, 0, kD), Error::ACC_BOUNDS, 1024);
}

TEST(GoldenVpu, transposes_every_type_and_shape) {
  tb::Random random;
  for (const Dtype type : {Dtype::S8, Dtype::BF16, Dtype::F32}) {
    for (int trial = 0; trial < 40; ++trial) {
      Machine m = make("core16", type);
      const uint32_t n = 16, bytes = bytes_of(type);
      random.fill(m.vmem);
      const auto before = m.vmem;
      const auto rows = static_cast<uint32_t>(random.between(1, n)),
                 lanes = static_cast<uint32_t>(random.between(1, n));
      const auto step = static_cast<int32_t>(bytes);
      must(m, command(isa::VpuSeta{.dtype = u(type), .s0 = 3 * step}));
      must(m, command(isa::VpuSetd{.fp = 1, .dtype = u(Dtype::F32), .s0 = 2 * step}));
      must(m, command(isa::VpuXpose{.imm_a = 64, .imm_d = kD, .rows = rows, .lanes = lanes}));
      auto expected = before;
      for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t l = 0; l < lanes; ++l)
          std::copy_n(&before[64 + r * 3 * n * bytes + l * bytes], bytes,
                      &expected[kD + l * 2 * n * bytes + r * bytes]);
      ASSERT_EQ(m.vmem, expected);
    }
  }
}

TEST(GoldenVpu, C13_relu_of_nan) {
  Machine m = make("edge", Dtype::F32);
  must(m, command(stage(0, Vop::FMAX, Voperand::CONST, 0)));
  EXPECT_EQ(run_row(m, std::vector<uint32_t>(8, 0x7f800001), true)[0], kNan32);
}

TEST(GoldenVpu, bad_fields) {
  Machine m = make("core16");
  const auto bad = [&](const auto& fields, uint32_t value, uint32_t a = 0, uint32_t c = 0) {
    must_fail(m, command(fields, a, 0, c), Error::BAD_FIELD, value);
  };
  bad(isa::VpuSeta{.dtype = 5}, 5);
  bad(isa::VpuSeta{.src = 1, .dtype = u(Dtype::S8)}, u(Dtype::S8));
  bad(isa::VpuSeta{.src = 1, .dtype = u(Dtype::BF16)}, u(Dtype::BF16));
  bad(isa::VpuSeta{.dtype = u(Dtype::F32), .dequant = 1}, u(Dtype::F32));
  bad(isa::VpuSetb{.dtype = 7}, 7);
  bad(isa::VpuSetb{.dtype = u(Dtype::BF16), .dequant = 1}, u(Dtype::BF16));
  bad(isa::VpuSetd{.dtype = u(Dtype::F32)}, u(Dtype::F32));
  bad(isa::VpuSetd{.fp = 1, .dtype = 6}, 6);
  bad(isa::VpuShape{.n0 = 0, .n1 = 1, .n2 = 1}, 0);
  bad(isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1}, 65536, 0, 65535);
  bad(isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1, .row_reduce = 1}, 0);
  bad(isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1, .row_dims = 2}, 2);
  bad(isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1, .arg = 16}, 16);
  for (const uint32_t op : {15u, 21u, 22u, 23u, 31u, 63u}) bad(isa::VpuStage{.op = op}, op);
  bad(isa::VpuStage{.operand = 7}, 7);
  bad(isa::VpuSfu{.func = 8}, 8);
  bad(isa::VpuRun{.lanes = 0}, 0);
  bad(isa::VpuRun{.lanes = 17}, 17);
  bad(isa::VpuXpose{.rows = 0, .lanes = 1}, 0);
  bad(isa::VpuXpose{.rows = 17, .lanes = 0}, 17);
  bad(isa::VpuXpose{.rows = 1, .lanes = 300}, 300);
}

TEST(GoldenVpu, what_mini_does_not_have) {
  Machine m(config("mini"), 0);
  const auto no = [&](const auto& fields, uint32_t value) {
    must_fail(m, command(fields), Error::UNSUPPORTED, value);
  };
  no(isa::VpuSeta{.dtype = u(Dtype::F32)}, u(Dtype::F32));
  no(isa::VpuSeta{.dtype = u(Dtype::S8), .dequant = 1}, 1);
  no(isa::VpuSetb{.dtype = u(Dtype::BF16)}, u(Dtype::BF16));
  no(isa::VpuSetd{.fp = 1, .dtype = u(Dtype::S8)}, 1);
  no(isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1, .fp = 1}, 1);
  no(isa::VpuStage{.index = 4}, 4);
  for (const Vop op : {Vop::I2F, Vop::F2I, Vop::FADD, Vop::FSUB, Vop::FMUL, Vop::FMIN, Vop::FMAX,
                       Vop::FCEQ, Vop::FCLT, Vop::FCLE})
    no(stage(0, op), static_cast<uint32_t>(op));
  no(isa::VpuSfu{.func = 3}, 3);
  must(m, command(isa::VpuSfu{.func = 0}));
  must(m, command(stage(3, Vop::IQMUL)));
}

TEST(GoldenVpu, alignment_comes_before_bounds_and_streams_in_order) {
  Machine m = make("core16", Dtype::S8);
  const uint32_t end = m.config().vmem_bytes();
  must(m, command(isa::VpuSetb{.enable = 1, .dtype = u(Dtype::BF16), .s0 = 1}));
  must(m, command(isa::VpuSetd{.dtype = u(Dtype::I32), .s0 = 4}));
  const auto run = [&](uint32_t a, uint32_t b, uint32_t d) {
    return command(isa::VpuRun{.lanes = 16}, a, b, d);
  };
  must_fail(m, run(end + 8, end + 8, end + 8), Error::BAD_ALIGN, end + 8);
  must_fail(m, run(end, 16, 32), Error::BAD_ALIGN, 16);
  must_fail(m, run(end, 32, 32), Error::BAD_ALIGN, 32);
  must_fail(m, run(end, end, end), Error::VMEM_BOUNDS, end);
  must_fail(m, run(0, end + 32, end), Error::VMEM_BOUNDS, end + 32);
  must_fail(m, run(0, 0, end + 64), Error::VMEM_BOUNDS, end + 64);
  must(m, run(0, 0, 0));
  // With two rows the odd stride of B leaves its second row between two.
  must(m, command(isa::VpuShape{.n0 = 2, .n1 = 1, .n2 = 1}));
  must_fail(m, run(end, 0, 0), Error::BAD_ALIGN, 16);
  must_fail(m, command(isa::VpuLdv{.imm_a = 16}), Error::BAD_ALIGN, 16);
  must_fail(m, command(isa::VpuLdv{.imm_a = 0}, end), Error::VMEM_BOUNDS, end);
}

}  // namespace
}  // namespace ttpu::golden
