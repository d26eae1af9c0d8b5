// Random programs: commands of the MXU and of the VPU.
#include <algorithm>

#include "random_generator.h"

namespace chip_test {

namespace isa = ttpu::isa;

void Generator::weights() {
  if (filled_) return;
  const bool fp = c_.has_fp && rng_.chance(40);
  const Dtype dtype = mxu_type(fp);
  const uint32_t size = size_of(dtype), row = c_.n * size;
  const uint32_t k = rng_.chance(40) ? c_.n : 1 + below(c_.n),
                 n = rng_.chance(40) ? c_.n : 1 + below(c_.n);
  const int32_t stride = between(-3, 3) * static_cast<int32_t>(size);
  const int64_t span = int64_t{stride} * c_.n * (k - 1);
  const auto start = place(std::min<int64_t>(span, 0), std::max<int64_t>(span, 0) + row, row);
  if (!start) return;
  std::vector<Access> accesses;
  for (uint32_t r = 0; r < k; ++r)
    accesses.push_back(
        {RaceTracker::kVmem, {*start + int64_t{r} * stride * c_.n + 0ull, row}, false});
  const Split a = split(*start, 24);
  issue(kMxw,
        isa::MxuLoadw{
            .imm_a = a.imm, .stride = stride, .k = k, .n = n, .dtype = static_cast<uint32_t>(dtype)}
            .encode(),
        {a}, accesses);
  filled_ = true;
  filled_fp_ = fp;
  ++commands_;
}

void Generator::matmul() {
  if (!filled_ && !active_) return;
  const bool swap = !active_ || (filled_ && rng_.chance(80));
  const bool fp = swap ? filled_fp_ : active_fp_;
  const Dtype dtype = mxu_type(fp);
  const uint32_t size = size_of(dtype), row = c_.n * size;
  if (rng_.chance(40)) {
    inner0_ = rng_.coin() ? 0 : 1 + below(6);
    inner1_ = rng_.coin() ? 0 : 1 + below(4);
    s1_ = between(-4, 4) * 2;
    s2_ = between(-6, 6) * 2;
    issue(kMxs, isa::MxuShape{.inner0 = inner0_, .stride1 = s1_, .inner1 = inner1_, .stride2 = s2_}
                    .encode());
  }
  const uint32_t rows = 1 + below(rng_.chance(20) ? 3 * c_.n : 12);
  const int32_t stride = between(-2, 2) * static_cast<int32_t>(size);
  std::vector<int64_t> offsets;
  for (uint32_t r = 0; r < rows; ++r) {
    int64_t i0 = r, i1 = 0, i2 = 0;
    if (inner0_) {
      i0 = r % inner0_, i1 = r / inner0_;
      if (inner1_) i2 = i1 / inner1_, i1 = i1 % inner1_;
    }
    offsets.push_back((i0 * stride + i1 * s1_ + i2 * s2_) * c_.n);
  }
  const auto [lo, hi] = std::ranges::minmax(offsets);
  const auto start = place(lo, hi + row, row);
  if (!start || rows > c_.acc_total()) return;
  // Near the ends of both halves, or anywhere.
  uint32_t acc = below(c_.acc_total() - rows + 1);
  if (rng_.chance(60))
    acc = std::min(acc % 24 + (rng_.coin() ? 0 : c_.acc_rows - 12), c_.acc_total() - rows);
  bool ready = true;
  for (uint32_t r = 0; r < rows; ++r) ready = ready && acc_ready_[acc + r];
  const bool accumulate = ready && rng_.chance(60);
  std::vector<Access> accesses;
  for (const int64_t offset : offsets)
    accesses.push_back({RaceTracker::kVmem, {static_cast<uint64_t>(*start + offset), row}, false});
  accesses.push_back({RaceTracker::kAcc, {acc, rows}, true});
  const Split a = split(*start, 24), b = split(acc, 16), c = split(rows, 16);
  issue(kMxs,
        isa::MxuMatmul{.imm_a = a.imm,
                       .stride = stride,
                       .rows = c.imm,
                       .acc = b.imm,
                       .dtype = static_cast<uint32_t>(dtype),
                       .accumulate = accumulate,
                       .swap = swap}
            .encode(),
        {a, b, c}, accesses);
  for (uint32_t r = 0; r < rows; ++r) acc_ready_[acc + r] = true;
  if (swap) {
    active_ = true;
    active_fp_ = filled_fp_;
    filled_ = false;
  }
  ++commands_;
}

void Generator::load_vector(int v) {
  const auto start = place(0, c_.word_bytes(), c_.word_bytes());
  const Split a = split(*start, 24);
  issue(kVpu, isa::VpuLdv{.index = static_cast<uint32_t>(v), .imm_a = a.imm}.encode(), {a},
        {{RaceTracker::kVmem, {*start, c_.word_bytes()}, false}});
}

void Generator::stage() {
  static const std::vector<uint32_t> ops = [] {
    std::vector<uint32_t> all;
    for (const auto& e : isa::kEnumValues)
      if (e.type == "vop") all.push_back(e.value);
    return all;
  }();
  uint32_t what = rng_.pick(ops);
  const bool fp =
      what == 13 || what == 14 || (what >= 16 && what <= 20) || (what >= 27 && what <= 29);
  if (fp && !c_.has_fp) what = 1 + below(12);
  const Split a = split(interesting(), 32);
  issue(kVpu,
        isa::VpuStage{.index = below(c_.vpu_stages),
                      .op = what,
                      .operand = below(7),
                      .swap = below(2),
                      .shift = below(32),
                      .imm = a.imm}
            .encode(),
        {a});
}

uint32_t Generator::interesting() {
  static constexpr uint32_t kValues[] = {0,          1,          0xffffffff, 0x80000000,
                                         0x7fffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                         0x7fc00001, 0x00000001, 31,         255};
  return rng_.coin() ? rng_.u32() : kValues[below(12)];
}

Generator::Walk Generator::walk(const uint32_t (&n)[3], uint32_t unit, uint32_t scale) {
  Walk w;
  int32_t step = static_cast<int32_t>(unit);
  for (int d = 0; d < 3; ++d) {
    w.s[d] = step * (rng_.chance(25) ? -1 : 1) * (rng_.chance(10) ? 0 : 1) +
             (rng_.chance(15) ? static_cast<int32_t>(unit) : 0);
    step *= static_cast<int32_t>(n[d]);
  }
  for (uint32_t i2 = 0; i2 < n[2]; ++i2)
    for (uint32_t i1 = 0; i1 < n[1]; ++i1)
      for (uint32_t i0 = 0; i0 < n[0]; ++i0)
        w.offsets.push_back((int64_t{i0} * w.s[0] + int64_t{i1} * w.s[1] + int64_t{i2} * w.s[2]) *
                            scale);
  return w;
}

bool Generator::clash(const Walk& x, uint32_t xs, uint32_t xrow, const Walk& y, uint32_t ys,
                      uint32_t yrow) {
  for (const int64_t a : x.offsets)
    for (const int64_t b : y.offsets)
      if (Range{static_cast<uint64_t>(xs + a), xrow}.overlaps(
              {static_cast<uint64_t>(ys + b), yrow}))
        return true;
  return false;
}

void Generator::vpu_run() {
  for (int attempt = 0; attempt < 30; ++attempt) {
    const uint32_t n[3] = {1 + below(8), 1 + below(3), 1 + below(2)};
    bool from_acc = rng_.chance(50);
    const Dtype da = from_acc ? (c_.has_fp && rng_.coin() ? Dtype::F32 : Dtype::I32) : any_type();
    const Dtype db = any_type();
    const bool fp = c_.has_fp && rng_.coin();
    Dtype dd = any_type();
    if (!fp && is_float(dd)) dd = Dtype::S8;
    const bool use_b = rng_.coin();
    const uint32_t reduce = rng_.chance(40) ? below(4) : 0;
    const uint32_t dims = reduce ? 1 + below(3) : 0;
    const uint32_t ra = c_.n * size_of(da), rb = c_.n * size_of(db), rd = c_.n * size_of(dd);
    const Walk wa = from_acc ? walk(n, 1, 1) : walk(n, size_of(da), c_.n);
    const Walk wb = walk(n, size_of(db), c_.n);
    uint32_t nd[3] = {n[0], n[1], n[2]};
    for (uint32_t d = 0; d < dims; ++d) nd[d] = 1;
    const Walk wd = walk(nd, size_of(dd), c_.n);
    std::optional<uint32_t> a, b = place_walk(wb, rb), d = place_walk(wd, rd);
    if (from_acc)
      a = place_acc(wa);
    else
      a = place_walk(wa, ra);
    if (!a || !b || !d) continue;
    if (!from_acc && clash(wa, *a, ra, wd, *d, rd)) continue;
    if (use_b && clash(wb, *b, rb, wd, *d, rd)) continue;

    if (rng_.chance(10)) issue(kVpu, op(Opcode::VPU_CLEAR));
    for (uint32_t s = below(4); s > 0; --s) stage();
    if (c_.has_sfu && rng_.chance(25)) issue(kVpu, isa::VpuSfu{.func = below(8)}.encode());
    const auto dequant = [&](Dtype t) { return !is_float(t) && c_.has_fp && rng_.chance(30); };
    const Split scale_a = split(interesting(), 32), scale_b = split(interesting(), 32);
    // The scale is operand a alone: only what a register holds.
    issue(kVpu,
          isa::VpuSeta{.src = from_acc,
                       .dtype = static_cast<uint32_t>(da),
                       .s0 = wa.s[0],
                       .s1 = wa.s[1],
                       .s2 = wa.s[2],
                       .dequant = dequant(da),
                       .zp = between(-256, 255)}
              .encode(),
          {scale_a});
    issue(kVpu,
          isa::VpuSetb{.enable = use_b,
                       .dtype = static_cast<uint32_t>(db),
                       .s0 = wb.s[0],
                       .s1 = wb.s[1],
                       .s2 = wb.s[2],
                       .dequant = dequant(db),
                       .zp = between(-256, 255)}
              .encode(),
          {scale_b});
    issue(kVpu, isa::VpuSetd{.fp = fp,
                             .dtype = static_cast<uint32_t>(dd),
                             .s0 = wd.s[0],
                             .s1 = wd.s[1],
                             .s2 = wd.s[2],
                             .zp = between(-256, 255)}
                    .encode());
    const Split n2 = split(n[2], 16), n1 = split(n[1], 16), n0 = split(n[0], 16);
    issue(kVpu,
          isa::VpuShape{.n0 = n0.imm,
                        .n1 = n1.imm,
                        .n2 = n2.imm,
                        .row_reduce = reduce,
                        .row_dims = dims,
                        .lane_reduce = rng_.chance(30) ? below(4) : 0,
                        .fp = c_.has_fp ? below(2) : 0,
                        .shuffle = rng_.chance(40) ? below(4) : 0,
                        .arg = below(c_.n)}
              .encode(),
          {n2, n1, n0});
    std::vector<Access> accesses;
    for (const int64_t x : wa.offsets)
      accesses.push_back(
          from_acc ? Access{RaceTracker::kAcc, {static_cast<uint64_t>(*a + x), 1}, false}
                   : Access{RaceTracker::kVmem, {static_cast<uint64_t>(*a + x), ra}, false});
    if (use_b)
      for (const int64_t x : wb.offsets)
        accesses.push_back({RaceTracker::kVmem, {static_cast<uint64_t>(*b + x), rb}, false});
    for (const int64_t x : wd.offsets)
      accesses.push_back({RaceTracker::kVmem, {static_cast<uint64_t>(*d + x), rd}, true});
    const Split pa = split(*a, 24), pb = split(*b, 24), pd = split(*d, 24);
    issue(kVpu,
          isa::VpuRun{.imm_a = pa.imm,
                      .imm_b = pb.imm,
                      .imm_d = pd.imm,
                      .lanes = rng_.coin() ? c_.n : 1 + below(c_.n)}
              .encode(),
          {pa, pb, pd}, accesses);
    ++commands_;
    return;
  }
}

std::optional<uint32_t> Generator::place_acc(const Walk& w) {
  const auto [lo, hi] = std::ranges::minmax(w.offsets);
  for (int attempt = 0; attempt < 60; ++attempt) {
    const int64_t start = rng_.between(-lo, int64_t{c_.acc_total()} - 1 - hi);
    if (std::ranges::all_of(w.offsets,
                            [&](int64_t x) { return acc_ready_[static_cast<size_t>(start + x)]; }))
      return static_cast<uint32_t>(start);
  }
  return std::nullopt;
}

void Generator::transpose() {
  for (int attempt = 0; attempt < 10; ++attempt) {
    const Dtype dtype = any_type();
    const uint32_t size = size_of(dtype), row = c_.n * size;
    const uint32_t rows = 1 + below(c_.n), lanes = 1 + below(c_.n);
    const uint32_t na[3] = {rows, 1, 1}, nd[3] = {lanes, 1, 1};
    const Walk wa = walk(na, size, c_.n), wd = walk(nd, size, c_.n);
    const auto a = place_walk(wa, row), d = place_walk(wd, row);
    if (!a || !d || clash(wa, *a, row, wd, *d, row)) continue;
    issue(kVpu, isa::VpuSeta{.dtype = static_cast<uint32_t>(dtype), .s0 = wa.s[0]}.encode());
    issue(kVpu,
          isa::VpuSetd{.fp = is_float(dtype), .dtype = static_cast<uint32_t>(dtype), .s0 = wd.s[0]}
              .encode());
    std::vector<Access> accesses;
    for (const int64_t x : wa.offsets)
      accesses.push_back({RaceTracker::kVmem, {static_cast<uint64_t>(*a + x), row}, false});
    for (const int64_t x : wd.offsets)
      accesses.push_back({RaceTracker::kVmem, {static_cast<uint64_t>(*d + x), row}, true});
    const Split pa = split(*a, 24), pd = split(*d, 24);
    issue(kVpu,
          isa::VpuXpose{.imm_a = pa.imm, .imm_d = pd.imm, .rows = rows, .lanes = lanes}.encode(),
          {pa, Split{below(kRegs), 0}, pd}, accesses);
    ++commands_;
    return;
  }
}

}  // namespace chip_test
