// Emission of a matrix product.
//
// Queues and what they wait for (flags count; each command waits for and raises at most one):
//   DMA0  loads activation blocks (kAFree -> kAFull) and weight chunks (kBFree -> kBFull)
//   MXW   loads array tiles; the first of a block after kAFull, the first of a chunk takes kBFull,
//         the last gives kBFree. A MATMUL with swap starts after its LOADW, so it needs no flag of
//         its own for either operand.
//   MXS   streams rows; the first tile of a result takes kAccFree, the last gives kAccFull
//   VPU   drains a half of the accumulators (kAccFull -> kAccFree) into VMEM, kOutFree -> kOutFull
//   DMA1  stores results (kOutFull -> kOutFree)
// Every wait is for something that stands earlier in the program, so queues of any depth do.
#include "compiler/emit.h"

namespace ttpu::compiler {

using isa::Unit;

void emit_chain(Emitter& e, const Chain& chain) {
  for (size_t i = 0; i < chain.stages.size(); ++i) {
    const Stage& s = chain.stages[i];
    isa::VpuStage x;
    x.index = static_cast<uint32_t>(i);
    x.op = static_cast<uint32_t>(s.op);
    x.operand = static_cast<uint32_t>(s.operand);
    x.swap = s.swap;
    x.shift = s.shift;
    x.imm = s.imm;
    e.put(x);
  }
}

namespace {

class ContractEmitter {
 public:
  ContractEmitter(Emitter& e, const Lowered& p, const Plan& plan, int index)
      : e_(e),
        plan_(plan),
        k_(p.kernels[static_cast<size_t>(index)]),
        t_(plan.contract[static_cast<size_t>(index)]),
        c_(plan.constants[static_cast<size_t>(index)]),
        g_(geometry(k_, e.config())),
        a_(plan.places[static_cast<size_t>(k_.a.tensor)]),
        out_(plan.places[static_cast<size_t>(k_.out)]),
        a_type_(p.storage[static_cast<size_t>(k_.a.tensor)].type),
        out_type_(p.storage[static_cast<size_t>(k_.out)].type) {
    if (k_.b.tensor >= 0) {
      res_ = &plan.places[static_cast<size_t>(k_.b.tensor)];
      res_type_ = p.storage[static_cast<size_t>(k_.b.tensor)].type;
    }
    if (k_.w_tensor >= 0) w_ = &plan.places[static_cast<size_t>(k_.w_tensor)];
    n_ = g_.n;
    a_hbm_pitch_ = a_.view_pitch(k_.k, a_type_);
    out_hbm_pitch_ = out_.view_pitch(k_.n, out_type_);
    if (w_) w_hbm_pitch_ = w_->view_pitch(k_.n, k_.w_type);
    a_pitch_ = vmem_pitch(k_.k, a_type_, e.config());
    a_block_ = (t_.block_rows * a_pitch_ + 4 * n_ - 1) / (4 * n_) * (4 * n_);
    chunk_ = g_.chunk_bytes(t_);
    tile_ = n_ * n_ * g_.esize;
    out_row_ =
        out_.in_vmem ? out_.pitch : static_cast<uint64_t>(t_.group) * n_ * size_of(out_type_);
    out_block_ = static_cast<uint64_t>(t_.block_rows) * out_row_;
    out_block_ = (out_block_ + 4 * n_ - 1) / (4 * n_) * (4 * n_);
    unroll_ = e.config().imem_words >= 4096 ? 8 : e.config().imem_words >= 1024 ? 4 : 2;
  }

  void run() {
    credits();
    configure_vpu();
    addresses();
    if (t_.a_bufs) load_a();
    if (t_.b_resident) {
      load_resident_weights();
    } else {
      if (!t_.a_bufs) shape_b();
      load_b();
    }
    const uint64_t full = static_cast<uint64_t>(k_.m) / t_.block_rows;
    e_.loop(full, [&] { block(t_.block_rows); });
    if (k_.m % t_.block_rows) block(static_cast<uint32_t>(k_.m % t_.block_rows));
    e_.collect(kAccFree, 2);
    e_.collect(kAFree, t_.a_bufs);
    if (!t_.b_resident) e_.collect(kBFree, t_.b_bufs);
    e_.collect(kOutFree, t_.out_bufs);
    e_.free_regs();
  }

 private:
  uint64_t at(int buffer) const { return plan_.buffers[static_cast<size_t>(buffer)].addr; }
  static uint32_t u(uint64_t x) { return static_cast<uint32_t>(x); }

  void credits() {
    e_.give(kAccFree, 2);
    e_.give(kAFree, t_.a_bufs);
    if (!t_.b_resident) e_.give(kBFree, t_.b_bufs);
    e_.give(kOutFree, t_.out_bufs);
  }

  void configure_vpu() {
    if (c_.param_bytes) {
      flat_shape(c_.param_bytes);
      isa::DmaLoad l;
      l.imm_h = u(c_.params);
      l.imm_v = u(at(t_.params));
      e_.put(l, {.signal = kParams});
      e_.sync(Unit::VPU, {.wait = kParams});
    }
    e_.vpu_clear();
    isa::VpuSeta a;
    a.src = static_cast<uint32_t>(isa::Vsrc::ACC);
    a.dtype = static_cast<uint32_t>(k_.w_type == Dtype::BF16 ? Dtype::F32 : Dtype::I32);
    a.s0 = 1;
    e_.put(a);
    if (res_) {
      isa::VpuSetb b;
      b.enable = 1;
      b.dtype = static_cast<uint32_t>(res_type_);
      b.s0 = static_cast<int32_t>(res_->pitch / n_);
      b.dequant = k_.b.dequant;
      b.zp = k_.b.zero;
      const int scale = e_.reg(k_.b.dequant ? bits_of(k_.b.scale) : 0);
      e_.put(b, {.a = scale});
    }
    isa::VpuSetd d;
    d.fp = k_.chain.fp;
    d.dtype = static_cast<uint32_t>(out_type_);
    d.s0 = static_cast<int32_t>(out_row_ / n_);
    d.zp = k_.chain.zero;
    e_.put(d);
    emit_chain(e_, k_.chain);
  }

  void addresses() {
    r_wk_ = e_.reg();
    r_ak_ = e_.reg();
    r_acc_ = e_.reg(0);
    r_a_ = e_.reg(u(t_.a_bufs ? at(t_.a) : at(a_.buffer)));
    if (t_.a_bufs) {
      r_ah_ = e_.reg(u(a_.hbm));
      r_av_ = e_.reg(u(at(t_.a)));
      if (t_.blocks > 1) r_a_left_ = e_.reg(t_.blocks - 1);
    }
    r_w_ = e_.reg(u(at(t_.b)));
    if (!t_.b_resident) {
      b_begin_ = w_ ? w_->hbm : c_.weights;
      b_step_ = w_ ? n_ * g_.esize : chunk_;
      const uint64_t steps = static_cast<uint64_t>(g_.nt) * t_.chunks;
      r_bh_ = e_.reg(u(b_begin_));
      r_bv_ = e_.reg(u(at(t_.b)));
      r_b_left_ = e_.reg(u(steps * t_.blocks - 1));
      if (t_.blocks > 1) r_b_end_ = e_.reg(u(b_begin_ + steps * b_step_));
    }
    if (c_.param_bytes) r_p_ = e_.reg();
    if (res_) {
      r_res_row_ = e_.reg(u(at(res_->buffer)));
      r_res_ = e_.reg();
    }
    if (out_.in_vmem) {
      r_out_row_ = e_.reg(u(at(out_.buffer)));
      r_out_ = e_.reg();
    } else {
      r_out_row_ = e_.reg(u(out_.hbm));
      r_ch_ = e_.reg();
      r_out_ = e_.reg(u(at(t_.out)));
      isa::DmaHstride h;
      h.channel = 1;
      h.s1 = static_cast<int32_t>(out_hbm_pitch_);
      e_.put(h);
      isa::DmaVstride v;
      v.channel = 1;
      v.s1 = static_cast<int32_t>(out_row_);
      e_.put(v);
    }
  }

  void flat_shape(uint64_t bytes) {
    isa::DmaShape s;
    s.n1 = s.n2 = s.n3 = 1;
    s.n0 = u(bytes);
    while (s.n0 >= 1u << 24 && s.n0 % 2 == 0 && s.n1 < 1u << 15) {
      s.n0 /= 2;
      s.n1 *= 2;
    }
    e_.put(s);
    if (s.n1 > 1) strides(s.n0, s.n0);
  }

  void strides(uint64_t far, uint64_t near) {
    isa::DmaHstride h;
    h.s1 = static_cast<int32_t>(far);
    e_.put(h);
    isa::DmaVstride v;
    v.s1 = static_cast<int32_t>(near);
    e_.put(v);
  }

  void shape_a() {
    if (a_hbm_pitch_ == a_pitch_) return flat_shape(t_.block_rows * a_pitch_);
    isa::DmaShape s;
    s.n2 = s.n3 = 1;
    s.n0 = u(static_cast<uint64_t>(k_.k) * size_of(a_type_));
    s.n1 = t_.block_rows;
    e_.put(s);
    strides(a_hbm_pitch_, a_pitch_);
  }

  void shape_b() {
    if (!w_) return flat_shape(chunk_);
    isa::DmaShape s;
    s.n2 = s.n3 = 1;
    s.n0 = n_ * g_.esize;
    s.n1 = u(static_cast<uint64_t>(k_.k));
    e_.put(s);
    strides(w_hbm_pitch_, n_ * g_.esize);
  }

  void load_a() {
    shape_a();
    e_.put(isa::DmaLoad{}, {.a = r_ah_, .b = r_av_, .wait = kAFree, .signal = kAFull});
    if (!t_.b_resident) shape_b();
    e_.add(r_ah_, u(t_.block_rows * a_hbm_pitch_));
    if (t_.a_bufs == 2) e_.toggle(r_av_, u(2 * at(t_.a) + a_block_));
  }

  void load_b() {
    e_.put(isa::DmaLoad{}, {.a = r_bh_, .b = r_bv_, .wait = kBFree, .signal = kBFull});
    e_.add(r_bh_, u(b_step_));
    if (t_.b_bufs == 2) e_.toggle(r_bv_, u(2 * at(t_.b) + chunk_));
    if (r_b_end_) e_.wrap(r_bh_, r_b_end_, u(b_begin_));
  }

  void load_resident_weights() {
    if (!c_.weight_bytes) return;  // the host has put them there
    flat_shape(chunk_ * g_.nt);
    isa::DmaLoad l;
    l.imm_h = u(c_.weights);
    l.imm_v = u(at(t_.b));
    e_.put(l, {.signal = kBFull});
    e_.sync(Unit::MXW, {.wait = kBFull});
  }

  void block(uint32_t rows) {
    isa::VpuShape s;
    s.n0 = rows;
    s.n1 = s.n2 = 1;
    e_.put(s);
    if (r_a_left_ && t_.a_bufs == 2) e_.guarded(r_a_left_, [&] { load_a(); });
    if (t_.a_bufs) e_.sync(Unit::MXW, {.wait = kAFull});
    if (c_.param_bytes) e_.li(r_p_, u(at(t_.params)));
    if (t_.b_resident) e_.li(r_w_, u(at(t_.b)));
    if (res_) e_.add(r_res_, r_res_row_, 0);
    e_.add(out_.in_vmem ? r_out_ : r_ch_, r_out_row_, 0);
    const uint32_t whole = g_.n_rem ? g_.nt - 1 : g_.nt;
    e_.loop(whole / t_.group, [&] { group(rows, t_.group, 0); });
    const uint32_t left = whole % t_.group;
    if (left || g_.n_rem) group(rows, left, g_.n_rem);
    if (t_.a_bufs) {
      e_.sync(Unit::VPU, {.signal = kAFree});
      if (t_.a_bufs == 2) e_.toggle(r_a_, u(2 * at(t_.a) + a_block_));
    } else {
      e_.add(r_a_, u(t_.block_rows * a_pitch_));
    }
    if (r_a_left_ && t_.a_bufs == 1) e_.guarded(r_a_left_, [&] { load_a(); });
    if (res_) e_.add(r_res_row_, u(t_.block_rows * res_->pitch));
    e_.add(r_out_row_, u(t_.block_rows * (out_.in_vmem ? out_.pitch : out_hbm_pitch_)));
  }

  /// `whole` tiles of all columns and one of `rem` columns, into one result buffer.
  void group(uint32_t rows, uint32_t whole, uint32_t rem) {
    const bool store = !out_.in_vmem;
    if (store) e_.sync(Unit::VPU, {.wait = kOutFree});
    for (uint32_t j = 0; j < whole; ++j) tile(rows, n_, j);
    if (rem) tile(rows, rem, whole);
    if (!store) return;
    e_.sync(Unit::VPU, {.signal = kOutFull});
    isa::DmaShape s;
    s.channel = 1;
    s.n0 = (whole * n_ + rem) * size_of(out_type_);
    s.n1 = rows;
    s.n2 = s.n3 = 1;
    const uint32_t width = s.n0;
    if (width == out_hbm_pitch_ && width == out_row_ && rows * out_row_ < 1u << 24) {
      s.n0 = u(rows * out_row_);  // whole rows without gaps on either side: one long run
      s.n1 = 1;
    }
    e_.put(s);
    isa::DmaStore d;
    d.channel = 1;
    e_.put(d, {.a = r_ch_, .b = r_out_, .wait = kOutFull, .signal = kOutFree});
    e_.add(r_ch_, width);
    if (t_.out_bufs == 2) e_.toggle(r_out_, u(2 * at(t_.out) + out_block_));
  }

  void tile(uint32_t rows, uint32_t columns, uint32_t in_group) {
    for (uint32_t c = 0; c < t_.chunks; ++c) {
      if (!t_.b_resident && t_.b_bufs == 2) e_.guarded(r_b_left_, [&] { load_b(); });
      k_tiles(rows, columns, c);
      if (t_.b_resident) continue;
      if (t_.b_bufs == 1)
        e_.guarded(r_b_left_, [&] { load_b(); });
      else
        e_.toggle(r_w_, u(2 * at(t_.b) + chunk_));
    }
    const uint32_t width = n_ * size_of(out_type_);
    for (size_t v = 0; v < k_.chain.vectors.size(); ++v) {
      isa::VpuLdv l;
      l.index = u(v);
      l.imm_a = u(v) * 4 * n_;
      e_.put(l, {.a = r_p_});
    }
    isa::VpuRun r;
    r.lanes = columns;
    if (!out_.in_vmem) r.imm_d = in_group * width;
    e_.put(r, {.a = r_acc_, .b = r_res_, .c = r_out_, .wait = kAccFull, .signal = kAccFree});
    e_.toggle(r_acc_, e_.config().acc_rows);
    if (out_.in_vmem) e_.add(r_out_, width);
    if (res_) e_.add(r_res_, n_ * size_of(res_type_));
    if (c_.param_bytes) e_.add(r_p_, u(k_.chain.vectors.size()) * 4 * n_);
    if (t_.b_resident) e_.add(r_w_, u(chunk_));
  }

  /// The array tiles of weight chunk c: the first and last straight, those between in a loop.
  void k_tiles(uint32_t rows, uint32_t columns, uint32_t c) {
    const uint32_t first = c * t_.chunk_tiles;
    const uint32_t count = std::min(t_.chunk_tiles, g_.kt - first);
    if (count <= 2 * unroll_ + 2) {
      for (uint32_t i = 0; i < count; ++i) pair(rows, columns, first, i, count, r_w_, r_a_, i);
      return;
    }
    pair(rows, columns, first, 0, count, r_w_, r_a_, 0);
    e_.add(r_wk_, r_w_, u(tile_));
    e_.add(r_ak_, r_a_, (first + 1) * n_ * g_.esize);
    const uint32_t middle = count - 2;
    e_.loop(middle / unroll_, [&] {
      for (uint32_t i = 0; i < unroll_; ++i)
        pair(rows, columns, 0, 1 + i, count, r_wk_, r_ak_, i, true);
      e_.add(r_wk_, u(unroll_ * tile_));
      e_.add(r_ak_, unroll_ * n_ * g_.esize);
    });
    const uint32_t left = middle % unroll_;
    for (uint32_t i = 0; i < left; ++i) pair(rows, columns, 0, 1 + i, count, r_wk_, r_ak_, i, true);
    pair(rows, columns, first, count - 1, count, r_wk_, r_ak_, left, true);
  }

  /// LOADW and MATMUL of tile i of a chunk, `offset` tiles from the registers' addresses.
  void pair(uint32_t rows, uint32_t columns, uint32_t first, uint32_t i, uint32_t count, int w,
            int a, uint32_t offset, bool relative = false) {
    const bool chunk_begin = i == 0, chunk_end = i + 1 == count;
    const bool begin = chunk_begin && first == 0;
    const bool end = chunk_end && first + count == g_.kt;
    isa::MxuLoadw l;
    l.imm_a = u(offset * tile_);
    l.stride = static_cast<int32_t>(g_.esize);
    l.k = end && g_.k_rem ? g_.k_rem : n_;
    l.n = columns;
    l.dtype = static_cast<uint32_t>(k_.w_type);
    Ops lo{.a = w};
    if (!t_.b_resident && chunk_begin) lo.wait = kBFull;
    if (!t_.b_resident && chunk_end) lo.signal = kBFree;
    e_.put(l, lo);
    isa::MxuMatmul m;
    m.imm_a = ((relative ? 0 : first) + offset) * n_ * g_.esize;
    m.stride = static_cast<int32_t>(a_pitch_ / n_);
    m.rows = rows;
    m.dtype = static_cast<uint32_t>(a_type_);
    m.accumulate = !begin;
    m.swap = 1;
    Ops mo{.a = a, .b = r_acc_};
    if (begin) mo.wait = kAccFree;
    if (end) mo.signal = kAccFull;
    e_.put(m, mo);
  }

  Emitter& e_;
  const Plan& plan_;
  const Kernel& k_;
  const ContractTile& t_;
  const KernelConstants& c_;
  Geometry g_;
  const Place& a_;
  const Place& out_;
  const Place* res_ = nullptr;
  const Place* w_ = nullptr;
  Dtype a_type_, out_type_, res_type_ = Dtype::S8;
  uint32_t n_ = 0, unroll_ = 1;
  uint64_t a_pitch_ = 0, a_block_ = 0, chunk_ = 0, tile_ = 0, out_row_ = 0, out_block_ = 0;
  uint64_t b_begin_ = 0, b_step_ = 0;
  uint64_t a_hbm_pitch_ = 0, w_hbm_pitch_ = 0, out_hbm_pitch_ = 0;
  int r_wk_ = 0, r_ak_ = 0, r_acc_ = 0, r_a_ = 0, r_ah_ = 0, r_av_ = 0, r_a_left_ = 0, r_w_ = 0,
      r_bh_ = 0, r_bv_ = 0, r_b_left_ = 0, r_b_end_ = 0, r_p_ = 0, r_res_row_ = 0, r_res_ = 0,
      r_out_row_ = 0, r_out_ = 0, r_ch_ = 0;
};

}  // namespace

void emit_contract(Emitter& e, const Lowered& p, const Plan& plan, int index) {
  ContractEmitter(e, p, plan, index).run();
}

}  // namespace ttpu::compiler
