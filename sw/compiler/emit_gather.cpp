// Emission of a gather: rows put together from runs in HBM.
//
// Into VMEM: the VPU fills the border, DMA0 copies all pieces of all images, the scalar core waits.
// Into HBM, by blocks of lines: the VPU fills the buffer (kOutFree -> kBFull), DMA0 copies its
// pieces (-> kAFull), DMA1 stores it as one run (kAFull -> kOutFree). Without a border DMA0 takes
// kOutFree itself. Blocks whose transfers are alike, the first line's address apart, share a loop.
#include <algorithm>

#include "compiler/emit.h"

namespace ttpu::compiler {

using isa::Unit;

namespace {

class GatherEmitter {
 public:
  GatherEmitter(Emitter& e, const Lowered& p, const Plan& plan, int index)
      : e_(e),
        k_(p.kernels[static_cast<size_t>(index)]),
        g_(k_.gather),
        t_(plan.map[static_cast<size_t>(index)]),
        source_(plan.places[static_cast<size_t>(k_.a.tensor)]),
        out_(plan.places[static_cast<size_t>(k_.out)]) {
    const Dtype type = p.storage[static_cast<size_t>(k_.out)].type;
    size_ = size_of(type);
    pitch_ = gather_pitch(k_, plan, type);
    pixel_ = static_cast<uint64_t>(g_.rows) * pitch_;
    line_ = static_cast<uint64_t>(g_.width) * pixel_;
    word_ = e.config().word_bytes();
    block_ = (t_.block_rows * line_ + word_ - 1) / word_ * word_;
    buffer_ = plan.buffers[static_cast<size_t>(out_.in_vmem ? out_.buffer : t_.out)].addr;
  }

  void run() {
    e_.give(kOutFree, t_.out_bufs);
    r_source_ = e_.reg(u(source_.hbm));
    r_buffer_ = e_.reg(u(buffer_));
    strides();
    if (g_.filled) configure_fill();
    if (out_.in_vmem) {
      if (g_.filled) {
        fill((static_cast<uint64_t>(k_.m) * pitch_ + word_ - 1) / word_, {.signal = kBFull});
        e_.sync(Unit::DMA0, {.wait = kBFull});
      }
      e_.loop(static_cast<uint64_t>(g_.images), [&] { image(); });
      e_.sync(Unit::DMA0, {.signal = kAFull});
      e_.collect(kAFull, 1);
    } else {
      r_far_ = e_.reg(u(out_.hbm));
      e_.loop(static_cast<uint64_t>(g_.images), [&] { image(); });
      e_.collect(kOutFree, t_.out_bufs);
    }
    e_.free_regs();
  }

 private:
  static uint32_t u(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t u(int64_t x) { return static_cast<uint32_t>(x); }

  /// One transfer of a block: dimensions, and places from the block's first line and row.
  struct Move {
    isa::DmaShape shape;
    isa::DmaLoad load;
    bool operator==(const Move& o) const {
      return shape.encode() == o.shape.encode() && load.encode() == o.load.encode();
    }
  };
  struct Block {
    uint32_t lines = 0;
    std::vector<Move> moves;
    bool operator==(const Block&) const = default;
  };

  void strides() {
    isa::DmaHstride h;
    h.s1 = static_cast<int32_t>(g_.inner_stride);
    h.s2 = static_cast<int32_t>(g_.ox_stride);
    h.s3 = static_cast<int32_t>(g_.oy_stride);
    e_.put(h);
    isa::DmaVstride v;
    v.s1 = static_cast<int32_t>(size_);
    v.s2 = static_cast<int32_t>(pixel_);
    v.s3 = static_cast<int32_t>(line_);
    e_.put(v);
  }

  /// The chain gives a constant, whatever it reads.
  void configure_fill() {
    e_.vpu_clear();
    e_.put(isa::VpuSeta{});
    isa::VpuSetd d;
    d.dtype = static_cast<uint32_t>(Dtype::I32);
    d.s0 = 4;
    e_.put(d);
    Chain c;
    c.stages = {{isa::Vop::PASS, isa::Voperand::CONST, true, 0, g_.fill}};
    emit_chain(e_, c);
  }

  void fill(uint64_t words, const Ops& flags) {
    isa::VpuShape s;
    s.n0 = u(words);
    s.n1 = s.n2 = 1;
    e_.put(s);
    isa::VpuRun r;
    r.lanes = e_.config().n;
    Ops o = flags;
    o.a = o.c = r_buffer_;
    e_.put(r, o);
  }

  Block block_from(int64_t first) const {
    Block b;
    const int64_t last = std::min(g_.height, first + static_cast<int64_t>(t_.block_rows));
    b.lines = u(last - first);
    for (const GatherPiece& p : g_.pieces) {
      const int64_t begin = std::max(p.oy_begin, first), end = std::min(p.oy_end, last);
      if (begin >= end) continue;
      Move m;
      m.shape.n0 = u(p.run);
      m.shape.n1 = u(g_.inner);
      m.shape.n2 = u(p.ox_end - p.ox_begin);
      m.shape.n3 = u(end - begin);
      m.load.imm_h = u(p.source + p.ox_begin * g_.ox_stride + (begin - first) * g_.oy_stride);
      m.load.imm_v = u((begin - first) * static_cast<int64_t>(line_) +
                       p.ox_begin * static_cast<int64_t>(pixel_) +
                       p.row * static_cast<int64_t>(pitch_) + p.column);
      b.moves.push_back(m);
    }
    return b;
  }

  void image() {
    uint32_t same = 0;
    Block present;
    const auto flush = [&] { e_.loop(same, [&] { emit(present); }); };
    for (int64_t first = 0; first < g_.height; first += static_cast<int64_t>(t_.block_rows)) {
      Block next = block_from(first);
      if (same && next == present) {
        ++same;
        continue;
      }
      flush();
      present = std::move(next);
      same = 1;
    }
    flush();
    if (g_.images > 1) e_.add(r_source_, u(g_.image_stride - g_.height * g_.oy_stride));
  }

  void emit(const Block& b) {
    Ops first, last;
    if (!out_.in_vmem) {
      first.wait = kOutFree;
      if (g_.filled) {
        fill((b.lines * line_ + word_ - 1) / word_, {.wait = kOutFree, .signal = kBFull});
        first.wait = kBFull;
      }
      last.signal = kAFull;
    }
    for (size_t i = 0; i < b.moves.size(); ++i) {
      Ops o{.a = r_source_, .b = r_buffer_};
      if (i == 0) o.wait = first.wait;
      if (i + 1 == b.moves.size()) o.signal = last.signal;
      e_.put(b.moves[i].shape);
      e_.put(b.moves[i].load, o);
    }
    if (b.moves.empty() && !out_.in_vmem)  // nothing but border
      e_.sync(Unit::DMA0, {.wait = first.wait, .signal = last.signal});
    if (!out_.in_vmem) store(b.lines);
    e_.add(r_source_, u(b.lines * g_.oy_stride));
    if (out_.in_vmem)
      e_.add(r_buffer_, u(b.lines * line_));
    else if (t_.out_bufs == 2)
      e_.toggle(r_buffer_, u(2 * buffer_ + block_));
  }

  void store(uint32_t lines) {
    isa::DmaShape s;
    s.channel = 1;
    s.n0 = u(line_);
    s.n1 = lines;
    s.n2 = s.n3 = 1;
    if (lines * line_ < 1u << 24) {
      s.n0 = u(lines * line_);
      s.n1 = 1;
    } else {
      isa::DmaHstride h;
      h.channel = 1;
      h.s1 = static_cast<int32_t>(line_);
      e_.put(h);
      isa::DmaVstride v;
      v.channel = 1;
      v.s1 = static_cast<int32_t>(line_);
      e_.put(v);
    }
    e_.put(s);
    isa::DmaStore d;
    d.channel = 1;
    e_.put(d, {.a = r_far_, .b = r_buffer_, .wait = kAFull, .signal = kOutFree});
    e_.add(r_far_, u(lines * line_));
  }

  Emitter& e_;
  const Kernel& k_;
  const Gather& g_;
  const MapTile& t_;
  const Place& source_;
  const Place& out_;
  uint64_t size_ = 0, pitch_ = 0, pixel_ = 0, line_ = 0, word_ = 0, block_ = 0, buffer_ = 0;
  int r_source_ = 0, r_buffer_ = 0, r_far_ = 0;
};

}  // namespace

void emit_gather(Emitter& e, const Lowered& p, const Plan& plan, int index) {
  GatherEmitter(e, p, plan, index).run();
}

}  // namespace ttpu::compiler
