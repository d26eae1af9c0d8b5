// Emission of element-wise passes and of ArgMax on the VPU.
//
//   DMA0  loads blocks (kAFree -> kAFull), DMA1 stores them (kOutFull -> kOutFree);
//   the VPU waits and signals by SYNC commands in its queue.
#include "compiler/emit.h"

namespace ttpu::compiler {

using isa::Unit;

namespace {

class MapEmitter {
 public:
  MapEmitter(Emitter& e, const Lowered& p, const Plan& plan, int index)
      : e_(e),
        plan_(plan),
        k_(p.kernels[static_cast<size_t>(index)]),
        t_(plan.map[static_cast<size_t>(index)]),
        c_(plan.constants[static_cast<size_t>(index)]),
        n_(e.config().n) {
    a_.fold = static_cast<uint32_t>(k_.fold);
    stream(p, a_, k_.a, t_.a, k_.n);
    if (k_.b.tensor >= 0) stream(p, b_, k_.b, t_.b, k_.n);
    stream(p, d_, {.tensor = k_.out}, t_.out, k_.kind == KernelKind::ArgMax ? 1 : k_.n);
  }

  void run() {
    e_.give(kAFree, t_.in_bufs);
    e_.give(kOutFree, t_.out_bufs);
    if (c_.param_bytes) {
      isa::DmaShape s;
      s.n0 = u(c_.param_bytes);
      s.n1 = s.n2 = s.n3 = 1;
      e_.put(s);
      isa::DmaLoad l;
      l.imm_h = u(c_.params);
      l.imm_v = u(at(t_.params));
      e_.put(l, {.signal = kParams});
      e_.sync(Unit::VPU, {.wait = kParams});
    }
    for (Stream* s : {&a_, &b_, &d_}) {
      if (!s->place) continue;
      s->v = e_.reg(u(s->buffer_addr));
      if (!s->place->in_vmem) s->h = e_.reg(u(s->place->hbm));
      if (s != &d_ && !s->place->in_vmem) s->load = e_.reg(u(s->buffer_addr));
      if (s->operand.dequant) s->scale = e_.reg(bits_of(s->operand.scale));
    }
    if (t_.in_bufs && t_.blocks > 1) left_ = e_.reg(t_.blocks - 1);
    if (!d_.place->in_vmem) {
      stride_h(1, d_.hbm_pitch);
      stride_v(1, d_.pitch);
    }
    if (k_.kind == KernelKind::ArgMax) {
      isa::VpuLdv l;
      l.imm_a = u(at(t_.params));
      e_.put(l);
    } else {
      e_.vpu_clear();
      set_streams();
      emit_chain(e_, k_.chain);
    }
    if (t_.in_bufs) load();
    e_.loop(static_cast<uint64_t>(k_.m) / t_.block_rows, [&] { block(t_.block_rows); });
    if (k_.m % t_.block_rows) block(static_cast<uint32_t>(k_.m % t_.block_rows));
    e_.sync(Unit::VPU, {.signal = kDone});
    e_.collect(kDone, 1);
    e_.collect(kAFree, t_.in_bufs);
    e_.collect(kOutFree, t_.out_bufs);
    e_.free_regs();
  }

 private:
  struct Stream {
    const Place* place = nullptr;
    Operand operand;
    Dtype type = Dtype::S8;
    int64_t cols = 0;
    uint64_t pitch = 0, hbm_pitch = 0, block = 0, buffer_addr = 0;
    uint32_t fold = 1;                      ///< rows for each row of the result
    int v = 0, h = 0, load = 0, scale = 0;  ///< registers: VMEM, HBM, VMEM of the next load, scale
  };

  uint64_t at(int buffer) const { return plan_.buffers[static_cast<size_t>(buffer)].addr; }
  static uint32_t u(uint64_t x) { return static_cast<uint32_t>(x); }

  void stream(const Lowered& p, Stream& s, const Operand& operand, int buffer, int64_t cols) {
    s.operand = operand;
    s.place = &plan_.places[static_cast<size_t>(operand.tensor)];
    s.type = p.storage[static_cast<size_t>(operand.tensor)].type;
    s.cols = cols;
    s.pitch = vmem_pitch(cols, s.type, e_.config());
    s.hbm_pitch = s.place->view_pitch(cols, s.type);
    s.block = (t_.block_rows * s.fold * s.pitch + 4 * n_ - 1) / (4 * n_) * (4 * n_);
    s.buffer_addr = at(s.place->in_vmem ? s.place->buffer : buffer);
  }

  void stride_h(uint32_t channel, uint64_t s1) {
    isa::DmaHstride h;
    h.channel = channel;
    h.s1 = static_cast<int32_t>(s1);
    e_.put(h);
  }
  void stride_v(uint32_t channel, uint64_t s1) {
    isa::DmaVstride v;
    v.channel = channel;
    v.s1 = static_cast<int32_t>(s1);
    e_.put(v);
  }

  void load() {
    const bool both = a_.h && b_.h;
    for (Stream* s : {&a_, &b_}) {
      if (!s->h) continue;
      isa::DmaShape shape;
      shape.n0 = u(static_cast<uint64_t>(s->cols) * size_of(s->type));
      shape.n1 = t_.block_rows * s->fold;
      shape.n2 = shape.n3 = 1;
      const uint64_t flat = t_.block_rows * s->fold * s->pitch;
      if (s->hbm_pitch == s->pitch && flat < 1u << 24) {
        shape.n0 = u(flat);
        shape.n1 = 1;
      } else {
        stride_h(0, s->hbm_pitch);
        stride_v(0, s->pitch);
      }
      e_.put(shape);
      Ops o{.a = s->h, .b = s->load};
      if (s == &a_ || !both) o.wait = kAFree;
      if (s == &b_ || !both) o.signal = kAFull;
      e_.put(isa::DmaLoad{}, o);
      e_.add(s->h, u(t_.block_rows * s->fold * s->hbm_pitch));
      if (t_.in_bufs == 2) e_.toggle(s->load, u(2 * s->buffer_addr + s->block));
    }
  }

  void set_streams() {
    isa::VpuSeta a;
    a.dtype = static_cast<uint32_t>(a_.type);
    a.s0 = static_cast<int32_t>(a_.pitch / n_);
    a.s1 = static_cast<int32_t>(size_of(a_.type));
    if (k_.fold > 1) {  // rows of a pixel, pixels, column tiles
      a.s2 = a.s1;
      a.s1 = a.s0 * static_cast<int32_t>(k_.fold);
    }
    a.dequant = a_.operand.dequant;
    a.zp = a_.operand.zero;
    e_.put(a, {.a = a_.scale});
    if (b_.place) {
      isa::VpuSetb b;
      b.enable = 1;
      b.dtype = static_cast<uint32_t>(b_.type);
      b.s0 = static_cast<int32_t>(b_.pitch / n_);
      b.s1 = static_cast<int32_t>(size_of(b_.type));
      b.dequant = b_.operand.dequant;
      b.zp = b_.operand.zero;
      e_.put(b, {.a = b_.scale});
    }
    isa::VpuSetd d;
    d.fp = k_.chain.fp;
    d.dtype = static_cast<uint32_t>(d_.type);
    d.s0 = static_cast<int32_t>(d_.pitch / n_);
    d.s1 = static_cast<int32_t>(size_of(d_.type));
    if (k_.fold > 1) {
      d.s2 = d.s1;
      d.s1 = d.s0;
    }
    d.zp = k_.chain.zero;
    e_.put(d);
  }

  void block(uint32_t rows) {
    if (left_ && t_.in_bufs == 2) e_.guarded(left_, [&] { load(); });
    if (t_.in_bufs) e_.sync(Unit::VPU, {.wait = kAFull});
    if (t_.out_bufs) e_.sync(Unit::VPU, {.wait = kOutFree});
    if (k_.kind == KernelKind::ArgMax)
      argmax(rows);
    else
      passes(rows);
    if (t_.in_bufs) e_.sync(Unit::VPU, {.signal = kAFree});
    if (t_.out_bufs) {
      e_.sync(Unit::VPU, {.signal = kOutFull});
      isa::DmaShape s;
      s.channel = 1;
      s.n0 = u(static_cast<uint64_t>(d_.cols) * size_of(d_.type));
      s.n1 = rows;
      s.n2 = s.n3 = 1;
      if (s.n0 == d_.hbm_pitch && s.n0 == d_.pitch && rows * d_.pitch < 1u << 24) {
        s.n0 = u(rows * d_.pitch);  // no gaps on either side: one long run
        s.n1 = 1;
      }
      e_.put(s);
      isa::DmaStore st;
      st.channel = 1;
      e_.put(st, {.a = d_.h, .b = d_.v, .wait = kOutFull, .signal = kOutFree});
      e_.add(d_.h, u(t_.block_rows * d_.hbm_pitch));
    }
    for (Stream* s : {&a_, &b_, &d_}) {
      if (!s->place) continue;
      const uint32_t bufs = s == &d_ ? t_.out_bufs : t_.in_bufs;
      if (s->place->in_vmem)
        e_.add(s->v, u(t_.block_rows * s->fold * s->pitch));
      else if (bufs == 2)
        e_.toggle(s->v, u(2 * s->buffer_addr + s->block));
    }
    if (left_ && t_.in_bufs == 1) e_.guarded(left_, [&] { load(); });
  }

  void run_vpu(uint32_t rows, uint32_t tiles, uint32_t lanes, uint32_t first_tile) {
    isa::VpuShape s;
    s.n0 = rows;
    s.n1 = tiles;
    s.n2 = 1;
    if (k_.fold > 1) {
      s.n0 = a_.fold;
      s.n1 = rows;
      s.n2 = tiles;
      s.row_reduce = static_cast<uint32_t>(isa::Reduce::MAX);
      s.row_dims = 1;
      s.fp = is_float(a_.type);
    }
    e_.put(s);
    isa::VpuRun r;
    r.lanes = lanes;
    r.imm_a = first_tile * n_ * size_of(a_.type);
    if (b_.place) r.imm_b = first_tile * n_ * size_of(b_.type);
    r.imm_d = first_tile * n_ * size_of(d_.type);
    e_.put(r, {.a = a_.v, .b = b_.v, .c = d_.v});
  }

  void passes(uint32_t rows) {
    const uint32_t whole = u(static_cast<uint64_t>(k_.n) / n_),
                   rem = u(static_cast<uint64_t>(k_.n) % n_);
    const size_t vectors = k_.chain.vectors.size();
    if (vectors == 0) {
      if (whole) run_vpu(rows, whole, n_, 0);
      if (rem) run_vpu(rows, 1, rem, whole);
      return;
    }
    // Per-column operands: one column tile at a time, addresses in registers.
    const int p = e_.reg(u(at(t_.params))), av = e_.reg(), bv = e_.reg(), dv = e_.reg();
    e_.add(av, a_.v, 0);
    e_.add(bv, b_.v, 0);
    e_.add(dv, d_.v, 0);
    auto tile = [&](uint32_t lanes) {
      for (size_t v = 0; v < vectors; ++v) {
        isa::VpuLdv l;
        l.index = u(v);
        l.imm_a = u(v) * 4 * n_;
        e_.put(l, {.a = p});
      }
      isa::VpuRun r;
      r.lanes = lanes;
      e_.put(r, {.a = av, .b = bv, .c = dv});
      e_.add(p, u(vectors) * 4 * n_);
      e_.add(av, n_ * size_of(a_.type));
      if (b_.place) e_.add(bv, n_ * size_of(b_.type));
      e_.add(dv, n_ * size_of(d_.type));
    };
    isa::VpuShape s;
    s.n0 = rows;
    s.n1 = s.n2 = 1;
    e_.put(s);
    e_.loop(whole, [&] { tile(n_); });
    if (rem) tile(rem);
    e_.give_back(4);
  }

  /// First the maximum of each row into every lane, then the least lane number that equals it.
  void argmax(uint32_t rows) {
    const bool fp = is_float(a_.type);
    const uint32_t wide = static_cast<uint32_t>(fp ? Dtype::F32 : Dtype::I32);
    isa::VpuSeta a;
    a.dtype = static_cast<uint32_t>(a_.type);
    a.s0 = static_cast<int32_t>(a_.pitch / n_);
    isa::VpuSetd d;
    d.fp = fp;
    d.dtype = wide;
    d.s0 = 4;
    isa::VpuShape s;
    s.n0 = rows;
    s.n1 = s.n2 = 1;
    s.lane_reduce = static_cast<uint32_t>(isa::Reduce::MAX);
    s.fp = fp;
    e_.vpu_clear();
    e_.put(a);
    e_.put(d);
    e_.put(s);
    isa::VpuRun r;
    r.lanes = u(static_cast<uint64_t>(k_.n));
    r.imm_d = u(at(t_.temp));
    e_.put(r, {.a = a_.v});
    isa::VpuSetb b;
    b.enable = 1;
    b.dtype = wide;
    b.s0 = 4;
    e_.put(b);
    d.fp = 0;
    d.dtype = static_cast<uint32_t>(Dtype::I32);
    d.s0 = static_cast<int32_t>(d_.pitch / n_);
    e_.put(d);
    s.lane_reduce = static_cast<uint32_t>(isa::Reduce::MIN);
    s.fp = 0;
    e_.put(s);
    Chain c;
    c.stages = {{fp ? isa::Vop::FCEQ : isa::Vop::ICEQ, isa::Voperand::B, false, 0, 0},
                {isa::Vop::PASS, isa::Voperand::V0, true, 0, 0},
                {isa::Vop::SEL, isa::Voperand::CONST, false, 0, 0x7fffffff}};
    emit_chain(e_, c);
    r.imm_d = 0;
    r.imm_b = u(at(t_.temp));
    e_.put(r, {.a = a_.v, .c = d_.v});
  }

  Emitter& e_;
  const Plan& plan_;
  const Kernel& k_;
  const MapTile& t_;
  const KernelConstants& c_;
  uint32_t n_;
  Stream a_, b_, d_;
  int left_ = 0;
};

}  // namespace

void emit_map(Emitter& e, const Lowered& p, const Plan& plan, int index) {
  MapEmitter(e, p, plan, index).run();
}

}  // namespace ttpu::compiler
