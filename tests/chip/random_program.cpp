#include "random_program.h"

#include <algorithm>
#include <optional>

#include "race_tracker.h"

namespace chip_test {

namespace {

namespace isa = ttpu::isa;
using Access = RaceTracker::Access;

uint32_t size_of(Dtype d) {
  return d == Dtype::BF16 ? 2 : d == Dtype::I32 || d == Dtype::F32 ? 4 : 1;
}

class Generator {
 public:
  Generator(const Config& config, tb::Random& rng, RandomProgramOptions options)
      : c_(config),
        rng_(rng),
        o_(options),
        tracker_(rng, config.vmem_bytes(), options.hbm_bytes, config.acc_total()),
        acc_ready_(config.acc_total()) {}

  RandomProgram generate() {
    make_arenas();
    make_registers();
    // Nothing is left from a program before: configuration stays over a run.
    issue(kMxs, op(Opcode::MXU_SHAPE));
    issue(kVpu, op(Opcode::VPU_CLEAR));
    for (int v = 0; v < 4; ++v) load_vector(v);
    while (commands_ < o_.commands) step();
    // Nor is anything left for the next one: weights that were filled are taken.
    while (filled_) matmul();
    dump();
    tracker_.scalar(op(Opcode::HALT));
    return finish();
  }

 private:
  // ---- choices
  // -----------------------------------------------------------------------------------
  uint32_t below(uint64_t n) { return static_cast<uint32_t>(rng_.below(n)); }
  int32_t between(int32_t a, int32_t b) { return static_cast<int32_t>(rng_.between(a, b)); }
  Instr op(Opcode o, uint32_t imm = 0) {
    Instr i;
    i.set(0, 8, static_cast<uint32_t>(o));
    i.set(42, 32, imm);
    return i;
  }

  /// Where data live in VMEM: the first and the last bytes of it, and astride two borders of banks.
  void make_arenas() {
    const uint64_t size = 48 * c_.word_bytes(), v = c_.vmem_bytes(), bank = c_.bank_bytes();
    program_.arenas = {{0, size}, {v - size, size}, {bank - size / 2, size}};
    if (c_.vmem_banks > 3) program_.arenas.push_back({2 * bank - size / 4, size});
    for (auto& a : program_.arenas) a.first = a.first / c_.word_bytes() * c_.word_bytes();
  }

  /// r1..r12 hold small numbers of both signs, for the register part of addresses and counts.
  void make_registers() {
    for (uint32_t r = 1; r < kRegs; ++r) {
      value_[r] = rng_.coin() ? below(300) : 0u - below(300);
      Instr i = op(Opcode::ADD, value_[r]);
      i.set(18, 5, r);
      tracker_.scalar(i);
    }
  }

  /// value = R[reg] + imm with imm of `bits` unsigned bits; the register goes to field position
  /// `lsb`.
  struct Split {
    uint32_t reg, imm;
  };
  Split split(uint32_t value, int bits) {
    const uint32_t reg = below(kRegs);
    const uint32_t imm = value - value_[reg];
    if (bits == 32 || imm < 1u << bits) return {reg, imm};
    return {0, value};
  }

  /// A place for bytes [lo, hi) (offsets, may be negative) in an arena: what to add to the offsets.
  std::optional<uint32_t> place(int64_t lo, int64_t hi, uint32_t align) {
    const Range& a = rng_.pick(program_.arenas);
    if (hi - lo > static_cast<int64_t>(a.size)) return std::nullopt;
    const int64_t first = static_cast<int64_t>(a.first) - lo;
    const int64_t last = static_cast<int64_t>(a.end()) - hi;
    const int64_t up = (first + align - 1) / align * align;
    if (up > last) return std::nullopt;
    return static_cast<uint32_t>(up + rng_.between(0, (last - up) / align) * align);
  }

  void issue(int unit, Instr i, std::initializer_list<Split> abc = {},
             std::vector<Access> accesses = {}) {
    int lsb = 8;
    for (const Split& s : abc) {
      i.set(lsb, 5, s.reg);
      lsb += 5;
    }
    if (rng_.chance(5)) scalar_noise(unit, false);
    tracker_.command(unit, i, accesses);
    ++program_.histogram[static_cast<Opcode>(i.get(0, 8))];
  }

  /// `registers`: may change one (not while operands are being split).
  void scalar_noise(int unit, bool registers) {
    switch (registers ? 3 : below(3)) {
      case 0:
        tracker_.scalar_waits(unit, op(Opcode::NOP));
        break;
      case 1: {  // a register through SMEM and back
        const uint32_t r = 1 + below(kRegs - 1), word = below(c_.smem_words);
        Instr st = op(Opcode::STS, word), ld = op(Opcode::LDS, word);
        st.set(13, 5, r);
        ld.set(18, 5, r);
        tracker_.scalar(st);
        tracker_.scalar(ld);
        break;
      }
      case 3: {  // a register changes
        const uint32_t r = 1 + below(kRegs - 1);
        const uint32_t target = rng_.coin() ? below(300) : 0u - below(300);
        Instr i = op(Opcode::ADD, target - value_[r]);
        i.set(8, 5, r);
        i.set(18, 5, r);
        value_[r] = target;
        tracker_.scalar(i);
        break;
      }
      default:
        tracker_.scalar(op(Opcode::TAG, rng_.u32()));
    }
  }

  void step() {
    if (rng_.chance(20)) scalar_noise(kVpu, true);
    static constexpr int kWeights[] = {22, 18, 20, 30, 6, 4};
    uint32_t pick = below(100);
    int what = 0;
    while (pick >= static_cast<uint32_t>(kWeights[what]))
      pick -= static_cast<uint32_t>(kWeights[what++]);
    switch (what) {
      case 0:
        transfer(static_cast<int>(below(c_.dma_channels)));
        break;
      case 1:
        weights();
        break;
      case 2:
        matmul();
        break;
      case 3:
        vpu_run();
        break;
      case 4:
        transpose();
        break;
      default:
        load_vector(static_cast<int>(below(4)));
    }
  }

  // ---- DMA
  // -----------------------------------------------------------------------------------------
  void transfer(int channel) {
    const bool store = rng_.coin();
    for (int attempt = 0; attempt < 20; ++attempt) {
      uint32_t n[4] = {1 + below(3 * c_.word_bytes()), 1 + below(4), 1 + below(3), 1 + below(2)};
      if (rng_.chance(4)) n[below(4)] = 0;
      if (rng_.chance(30)) n[1] = n[2] = n[3] = 1;
      int32_t far[3], near[3];
      const auto strides = [&](int32_t(&s)[3]) {
        int64_t step = n[0];
        for (int d = 0; d < 3; ++d) {
          s[d] = static_cast<int32_t>(step + below(20)) * (rng_.chance(30) ? -1 : 1);
          step = std::abs(s[d]) * std::max<int64_t>(n[d + 1], 1);
        }
      };
      strides(far);
      strides(near);
      if (rng_.chance(10)) (store ? near : far)[below(3)] = 0;  // the source again and again
      std::vector<int64_t> f, v;
      for (uint32_t i3 = 0; i3 < n[3]; ++i3)
        for (uint32_t i2 = 0; i2 < n[2]; ++i2)
          for (uint32_t i1 = 0; i1 < n[1]; ++i1) {
            f.push_back(int64_t{i1} * far[0] + int64_t{i2} * far[1] + int64_t{i3} * far[2]);
            v.push_back(int64_t{i1} * near[0] + int64_t{i2} * near[1] + int64_t{i3} * near[2]);
          }
      const bool empty = f.empty() || n[0] == 0;
      if (empty) f = v = {0};
      const auto [flo, fhi] = std::ranges::minmax(f);
      const auto [vlo, vhi] = std::ranges::minmax(v);
      const uint64_t data = o_.hbm_bytes / 4;
      const uint64_t need = static_cast<uint64_t>(fhi - flo) + n[0];
      const auto vstart = place(vlo, vhi + n[0], 1);
      if (!vstart || need > data) continue;
      const auto fstart =
          static_cast<uint32_t>(-flo + static_cast<int64_t>(below(data - need + 1)));
      std::vector<Access> accesses;
      if (!empty)
        for (size_t i = 0; i < f.size(); ++i) {
          accesses.push_back(
              {RaceTracker::kHbm, {static_cast<uint64_t>(fstart + f[i]), n[0]}, store});
          accesses.push_back(
              {RaceTracker::kVmem, {static_cast<uint64_t>(*vstart + v[i]), n[0]}, !store});
        }
      const auto ch = static_cast<uint32_t>(channel);
      issue(channel,
            isa::DmaShape{.channel = ch, .n0 = n[0], .n1 = n[1], .n2 = n[2], .n3 = n[3]}.encode());
      issue(channel,
            isa::DmaHstride{.channel = ch, .s1 = far[0], .s2 = far[1], .s3 = far[2]}.encode());
      issue(channel,
            isa::DmaVstride{.channel = ch, .s1 = near[0], .s2 = near[1], .s3 = near[2]}.encode());
      const Split a = split(fstart, 32), b = split(*vstart, 24);
      if (store)
        issue(channel, isa::DmaStore{.channel = ch, .imm_h = a.imm, .imm_v = b.imm}.encode(),
              {a, b}, accesses);
      else
        issue(channel, isa::DmaLoad{.channel = ch, .imm_h = a.imm, .imm_v = b.imm}.encode(), {a, b},
              accesses);
      ++commands_;
      return;
    }
  }

  // ---- MXU
  // -----------------------------------------------------------------------------------------
  Dtype mxu_type(bool fp) { return fp ? Dtype::BF16 : rng_.coin() ? Dtype::S8 : Dtype::U8; }

  void weights() {
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
    issue(
        kMxw,
        isa::MxuLoadw{
            .imm_a = a.imm, .stride = stride, .k = k, .n = n, .dtype = static_cast<uint32_t>(dtype)}
            .encode(),
        {a}, accesses);
    filled_ = true;
    filled_fp_ = fp;
    ++commands_;
  }

  void matmul() {
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
      issue(kMxs,
            isa::MxuShape{.inner0 = inner0_, .stride1 = s1_, .inner1 = inner1_, .stride2 = s2_}
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
      accesses.push_back(
          {RaceTracker::kVmem, {static_cast<uint64_t>(*start + offset), row}, false});
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

  // ---- VPU
  // -----------------------------------------------------------------------------------------
  Dtype any_type() {
    if (c_.has_fp) return static_cast<Dtype>(below(5));
    static constexpr Dtype kInteger[] = {Dtype::S8, Dtype::U8, Dtype::I32};
    return kInteger[below(3)];
  }
  static bool is_float(Dtype d) { return d == Dtype::BF16 || d == Dtype::F32; }

  void load_vector(int v) {
    const auto start = place(0, c_.word_bytes(), c_.word_bytes());
    const Split a = split(*start, 24);
    issue(kVpu, isa::VpuLdv{.index = static_cast<uint32_t>(v), .imm_a = a.imm}.encode(), {a},
          {{RaceTracker::kVmem, {*start, c_.word_bytes()}, false}});
  }

  void stage() {
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
  uint32_t interesting() {
    static constexpr uint32_t kValues[] = {0,          1,          0xffffffff, 0x80000000,
                                           0x7fffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                           0x7fc00001, 0x00000001, 31,         255};
    return rng_.coin() ? rng_.u32() : kValues[below(12)];
  }

  /// Rows of a stream: strides in units of N bytes (accumulator rows), offsets of each row in
  /// order.
  struct Walk {
    int32_t s[3] = {};
    std::vector<int64_t> offsets;  // bytes (rows from the accumulators)
  };
  Walk walk(const uint32_t (&n)[3], uint32_t unit, uint32_t scale) {
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
  std::optional<uint32_t> place_walk(const Walk& w, uint32_t row) {
    const auto [lo, hi] = std::ranges::minmax(w.offsets);
    return place(lo, hi + row, row);
  }
  static bool clash(const Walk& x, uint32_t xs, uint32_t xrow, const Walk& y, uint32_t ys,
                    uint32_t yrow) {
    for (const int64_t a : x.offsets)
      for (const int64_t b : y.offsets)
        if (Range{static_cast<uint64_t>(xs + a), xrow}.overlaps(
                {static_cast<uint64_t>(ys + b), yrow}))
          return true;
    return false;
  }

  void vpu_run() {
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

  std::optional<uint32_t> place_acc(const Walk& w) {
    const auto [lo, hi] = std::ranges::minmax(w.offsets);
    for (int attempt = 0; attempt < 60; ++attempt) {
      const int64_t start = rng_.between(-lo, int64_t{c_.acc_total()} - 1 - hi);
      if (std::ranges::all_of(
              w.offsets, [&](int64_t x) { return acc_ready_[static_cast<size_t>(start + x)]; }))
        return static_cast<uint32_t>(start);
    }
    return std::nullopt;
  }

  void transpose() {
    for (int attempt = 0; attempt < 10; ++attempt) {
      const Dtype dtype = any_type();
      const uint32_t size = size_of(dtype), row = c_.n * size;
      const uint32_t rows = 1 + below(c_.n), lanes = 1 + below(c_.n);
      const uint32_t na[3] = {rows, 1, 1}, nd[3] = {lanes, 1, 1};
      const Walk wa = walk(na, size, c_.n), wd = walk(nd, size, c_.n);
      const auto a = place_walk(wa, row), d = place_walk(wd, row);
      if (!a || !d || clash(wa, *a, row, wd, *d, row)) continue;
      issue(kVpu, isa::VpuSeta{.dtype = static_cast<uint32_t>(dtype), .s0 = wa.s[0]}.encode());
      issue(
          kVpu,
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

  // ---- end: everything into HBM
  // ----------------------------------------------------------------------
  void store_range(uint32_t vmem, uint32_t bytes) {
    const uint32_t far = dump_at_;
    dump_at_ += bytes;
    issue(0, isa::DmaShape{.channel = 0, .n0 = bytes, .n1 = 1, .n2 = 1, .n3 = 1}.encode());
    issue(0, isa::DmaStore{.channel = 0, .imm_h = far, .imm_v = vmem}.encode(), {},
          {{RaceTracker::kVmem, {vmem, bytes}, false}, {RaceTracker::kHbm, {far, bytes}, true}});
  }

  void dump() {
    dump_at_ = static_cast<uint32_t>(o_.hbm_bytes / 4);
    for (const Range& a : program_.arenas)
      store_range(static_cast<uint32_t>(a.first), static_cast<uint32_t>(a.size));
    // Accumulators that hold a result, through VMEM.
    const Range& a = program_.arenas[0];
    const auto most = static_cast<uint32_t>(a.size / c_.word_bytes());
    issue(kVpu, op(Opcode::VPU_CLEAR));
    issue(kVpu,
          isa::VpuSeta{.src = 1, .dtype = static_cast<uint32_t>(Dtype::I32), .s0 = 1}.encode());
    issue(kVpu, isa::VpuSetd{.dtype = static_cast<uint32_t>(Dtype::I32), .s0 = 4}.encode());
    for (uint32_t row = 0; row < c_.acc_total();) {
      if (!acc_ready_[row]) {
        ++row;
        continue;
      }
      uint32_t count = 0;
      while (row + count < c_.acc_total() && count < most && acc_ready_[row + count]) ++count;
      if (dump_at_ + count * c_.word_bytes() > o_.hbm_bytes) break;
      issue(kVpu, isa::VpuShape{.n0 = count, .n1 = 1, .n2 = 1}.encode());
      issue(kVpu,
            isa::VpuRun{.imm_a = row, .imm_d = static_cast<uint32_t>(a.first), .lanes = c_.n}
                .encode(),
            {},
            {{RaceTracker::kAcc, {row, count}, false},
             {RaceTracker::kVmem, {a.first, count * c_.word_bytes()}, true}});
      store_range(static_cast<uint32_t>(a.first), count * c_.word_bytes());
      row += count;
    }
  }

  RandomProgram finish() {
    std::map<const Node*, uint32_t> pc;
    for (const Node& n : tracker_.nodes()) {
      pc[&n] = static_cast<uint32_t>(program_.code.size());
      program_.code.push_back(n.instr);
    }
    const auto writers = [&](RaceTracker::Space space, uint64_t size) {
      std::vector<uint32_t> w(size, ~0u);
      for (uint64_t i = 0; i < size; ++i)
        if (const Node* n = tracker_.writer(space, i)) w[i] = pc[n];
      return w;
    };
    program_.hbm_writer = writers(RaceTracker::kHbm, o_.hbm_bytes);
    program_.vmem_writer = writers(RaceTracker::kVmem, c_.vmem_bytes());
    return std::move(program_);
  }

  static constexpr uint32_t kRegs = 13;
  static constexpr int kMxw = 2, kMxs = 3, kVpu = 4;
  const Config& c_;
  tb::Random& rng_;
  RandomProgramOptions o_;
  RaceTracker tracker_;
  RandomProgram program_;
  std::vector<bool> acc_ready_;  // rows that hold a result
  uint32_t value_[kRegs] = {};
  uint32_t commands_ = 0, dump_at_ = 0;
  bool filled_ = false, filled_fp_ = false, active_ = false, active_fp_ = false;
  uint32_t inner0_ = 0, inner1_ = 0;
  int32_t s1_ = 0, s2_ = 0;
};

}  // namespace

RandomProgram random_program(const Config& config, tb::Random& rng, RandomProgramOptions options) {
  return Generator(config, rng, options).generate();
}

}  // namespace chip_test
