#include "timing/vpu.h"

#include <bit>

namespace ttpu::timing {

using isa::Opcode;

namespace {
constexpr uint32_t kSfuLatency = 11;   // SfuLatency of ttpu_vpu_pkg, when a function is configured
constexpr uint32_t kGrantToRow = 3;    // to the row in front of load; from VMEM mem_ more
constexpr uint32_t kReduceCycles = 2;  // without the lane tree
constexpr uint32_t kStoreCycles = 2;   // conversion, then the output queue
// With one lane (vpu_lanes = 1), of ttpu_vpu_pkg.
constexpr uint32_t kAluLatency = 5;
constexpr uint32_t kLaneLoadLatency = 2 + 2 * kAluLatency;
constexpr uint32_t kLaneStageLatency = 1 + kAluLatency;
constexpr uint32_t kLaneSfuLatency = 25;
constexpr uint32_t kLaneDepth = 16;
}  // namespace

Vpu::Vpu(const Config& config)
    : config_(config), pace_(config.n / config.vpu_lanes), mem_(mem_stages(config)) {
  const uint32_t stages = config.vpu_stages, n = config.n;
  const auto levels = static_cast<uint32_t>(std::countr_zero(n));
  if (config.vpu_lanes == n) {
    const uint32_t load = config.has_fp ? 3 : 1;
    loaded_ = load;
    sfu_ = config.has_sfu ? kSfuLatency : 0;
    lane_reduce_cycles_ = levels;
    result_ = load + 1 + stages + kReduceCycles + kStoreCycles;
    scatter_result_ = 1 + kStoreCycles;
    depth_ = 4 + load + 1 + stages + sfu_ + levels + 6;
  } else {
    // a register in front of the load; the last lane is N - 1 cycles behind the first
    loaded_ = 1 + kLaneLoadLatency + n - 1;
    sfu_ = config.has_sfu ? kLaneSfuLatency : 0;
    lane_reduce_cycles_ = n - 1 + levels * kAluLatency;
    result_ =
        1 + kLaneLoadLatency + stages * kLaneStageLatency + 1 + kAluLatency + kAluLatency + n + 1;
    scatter_result_ = n + 2;
    depth_ = kLaneDepth;
  }
}

void Vpu::request(Vmem& vmem) const {
  if (a_wait_ && !acc_) vmem.read(kRdVpuA, a_addr_);
  if (b_wait_) vmem.read(kRdVpuB, b_addr_);
  if (!results_.empty() && results_.front().cycle <= cycle_)
    vmem.write(kWrVpu, results_.front().addr);
}

UnitView Vpu::view(const Vmem& vmem, bool acc_granted) {
  a_gnt_ = a_wait_ && (acc_ ? acc_granted : vmem.read_granted(kRdVpuA));
  b_gnt_ = b_wait_ && vmem.read_granted(kRdVpuB);
  const bool store_wants = !results_.empty() && results_.front().cycle <= cycle_;
  written_ = store_wants && vmem.write_granted(kWrVpu);
  const bool fetch_ready = pace_ == 1 ? (!a_wait_ || a_gnt_) && (!b_wait_ || b_gnt_)
                                      : !a_wait_ && !b_wait_ && cycle_ >= fetch_free_;
  const bool refused = (a_wait_ && !a_gnt_) || (b_wait_ && !b_gnt_) || (store_wants && !written_);

  const bool roll0 = left0_ == 1, roll1 = left1_ == 1;
  last_ = true;
  if (mode_ == Mode::Run) {
    if (row_dims_ == 1) last_ = roll0;
    if (row_dims_ == 2) last_ = roll0 && roll1;
    if (row_dims_ == 3) last_ = roll0 && roll1 && left2_ == 1;
  }
  const bool room = pending_ != depth_;
  step_ = phase_ == Phase::Walk && cycle_ >= walk_from_ && fetch_ready && (room || !last_);
  scatter_ = phase_ == Phase::Scatter && room && cycle_ >= scatter_free_;
  load_done_ = !loads_.empty() && loads_.front() == cycle_;

  UnitView view;
  view.ready = phase_ == Phase::Idle;
  view.done = done_q_;
  view.quiet = a_way_ == 0 && b_way_ == 0 && !done_q_ && pending_ == 0 && phase_ == Phase::Idle;
  if (phase_ != Phase::Idle || done_q_) view.state = refused ? State::StallMem : State::Busy;
  return view;
}

void Vpu::take(const Command& c) {
  const auto strides = [&](Stream& s, int32_t s0, int32_t s1, int32_t s2, bool rows) {
    const int32_t v[3] = {s0, s1, s2};
    for (int i = 0; i < 3; ++i) s.s[i] = rows ? static_cast<uint32_t>(v[i]) : bytes(v[i]);
  };
  done_q_ = true;  // configuration commands; the others clear it again
  // with one lane checks take the first cycle
  walk_from_ = cycle_ + (pace_ == 1 ? 1 : 2);
  switch (c.opcode) {
    case Opcode::VPU_CLEAR:
      a_ = b_ = d_ = Stream{};
      n0_ = n1_ = n2_ = 1;
      row_dims_ = 0;
      lane_reduce_ = sfu_on_ = false;
      break;
    case Opcode::VPU_SETA: {
      const auto f = isa::VpuSeta::decode(c.instr);
      a_.acc = f.src == static_cast<uint32_t>(isa::Vsrc::ACC);
      strides(a_, f.s0, f.s1, f.s2, a_.acc);
      break;
    }
    case Opcode::VPU_SETB: {
      const auto f = isa::VpuSetb::decode(c.instr);
      b_.on = f.enable;
      strides(b_, f.s0, f.s1, f.s2, false);
      break;
    }
    case Opcode::VPU_SETD: {
      const auto f = isa::VpuSetd::decode(c.instr);
      strides(d_, f.s0, f.s1, f.s2, false);
      break;
    }
    case Opcode::VPU_SHAPE: {
      const auto f = isa::VpuShape::decode(c.instr);
      n0_ = c.c + f.n0;
      n1_ = c.b + f.n1;
      n2_ = c.a + f.n2;
      row_dims_ = f.row_dims;
      lane_reduce_ = f.lane_reduce != 0;
      break;
    }
    case Opcode::VPU_SFU:
      sfu_on_ = isa::VpuSfu::decode(c.instr).func != 0;
      break;
    case Opcode::VPU_STAGE:
      break;
    case Opcode::VPU_LDV: {
      const auto f = isa::VpuLdv::decode(c.instr);
      mode_ = Mode::Ldv;
      left0_ = left1_ = left2_ = 1;
      walk_a_.load(c.a + f.imm_a);
      phase_ = Phase::Walk;
      done_q_ = false;
      break;
    }
    case Opcode::VPU_XPOSE: {
      const auto f = isa::VpuXpose::decode(c.instr);
      mode_ = Mode::Xpose;
      left0_ = source_rows_ = f.rows;
      left1_ = left2_ = 1;
      cols_ = f.lanes;
      col_ = gathered_ = 0;
      walk_a_.load(c.a + f.imm_a);
      walk_d_.load(c.c + f.imm_d);
      phase_ = Phase::Walk;
      done_q_ = false;
      break;
    }
    default: {  // VPU_RUN
      const auto f = isa::VpuRun::decode(c.instr);
      mode_ = Mode::Run;
      left0_ = n0_;
      left1_ = n1_;
      left2_ = n2_;
      walk_a_.load(c.a + f.imm_a);
      walk_b_.load(c.b + f.imm_b);
      walk_d_.load(c.c + f.imm_d);
      phase_ = Phase::Walk;
      done_q_ = false;
    }
  }
}

void Vpu::advance(const Command* command) {
  done_q_ = false;
  row_q_ = step_ && mode_ != Mode::Ldv;
  const uint32_t on_way = (4u << mem_) - 1;
  const bool from_vmem = (a_gnt_ && !acc_) || b_gnt_;
  a_way_ = (a_way_ << 1 | static_cast<uint32_t>(a_gnt_) << (acc_ ? mem_ : 0)) & on_way;
  b_way_ = (b_way_ << 1 | b_gnt_) & on_way;
  // a row whose last word is granted in this cycle goes down the pipeline
  const bool waited = a_wait_ || b_wait_;
  if (a_gnt_) a_wait_ = false;
  if (b_gnt_) b_wait_ = false;
  if (waited && !a_wait_ && !b_wait_) {
    const uint64_t row = cycle_ + kGrantToRow + (from_vmem ? mem_ : 0);
    fetch_free_ = cycle_ + pace_ - 1;
    if (mode_ != Mode::Run) {
      loads_.push_back(row + loaded_);
    } else if (fetch_last_) {
      results_.push_back(
          {row + result_ + (sfu_on_ ? sfu_ : 0) + (lane_reduce_ ? lane_reduce_cycles_ : 0),
           fetch_d_});
    }
  }
  if (written_) results_.pop_front();
  pending_ -= written_;

  switch (phase_) {
    case Phase::Idle:
      break;
    case Phase::Walk:
      if (step_) {
        const bool roll0 = left0_ == 1, roll1 = left1_ == 1, run = mode_ == Mode::Run;
        const bool final_row = roll0 && roll1 && left2_ == 1;
        a_wait_ = true;
        b_wait_ = run && b_.on;
        acc_ = run && a_.acc;
        a_addr_ = walk_a_.addr;
        b_addr_ = walk_b_.addr;
        fetch_last_ = last_;
        fetch_d_ = row_dims_ == 0 ? walk_d_.addr : row_dims_ == 1 ? walk_d_.outer1 : walk_d_.outer2;
        if (run && last_) ++pending_;
        walk_a_.step(roll0, roll1, a_.s[0], a_.s[1], a_.s[2]);
        walk_b_.step(roll0, roll1, b_.s[0], b_.s[1], b_.s[2]);
        if (run) walk_d_.step(roll0, roll1, d_.s[0], d_.s[1], row_dims_ == 3 ? 0 : d_.s[2]);
        left0_ = roll0 ? n0_ : left0_ - 1;
        if (roll0) left1_ = roll1 ? n1_ : left1_ - 1;
        if (roll0 && roll1) --left2_;
        if (final_row) phase_ = mode_ == Mode::Xpose ? Phase::Gather : Phase::Drain;
      }
      break;
    case Phase::Gather:
      if (gathered_ == source_rows_) phase_ = Phase::Scatter;
      break;
    case Phase::Scatter:
      if (scatter_) {
        results_.push_back({cycle_ + scatter_result_, walk_d_.addr});
        scatter_free_ = cycle_ + pace_;
        ++pending_;
        walk_d_.step(false, false, d_.s[0], 0, 0);
        if (++col_ == cols_) phase_ = Phase::Drain;
      }
      break;
    case Phase::Drain:
      // pending as it stood before this edge
      if (mode_ == Mode::Ldv ? load_done_ : pending_ + written_ == 0) {
        phase_ = Phase::Idle;
        done_q_ = true;
      }
      break;
  }
  if (load_done_) {
    loads_.pop_front();
    ++gathered_;
  }
  if (command) take(*command);
  ++cycle_;
}

}  // namespace ttpu::timing
