#include "timing/mxu.h"

#include <algorithm>

namespace ttpu::timing {

using isa::Opcode;

namespace {
constexpr uint32_t kGrantToArray = 2;  // from the grant of a row to the array's input
}  // namespace

Mxu::Mxu(const Config& config)
    : config_(config),
      n_(config.n),
      latency_(config.n + config.fp_stages * config.n + config.pe_stages - 1),
      acc_stages_(config.fp_stages == 1 ? 1 : config.fp_stages + 2),
      depth_(config.n <= 4 ? 2 : config.n / 2),
      age_max_(config.fp_stages * config.n + 4),
      age_(age_max_),
      take_age_(age_max_) {}

bool Mxu::load_wants() const {
  return load_valid_ && used_ != depth_ && (!load_first_ || tile_count_ != 2);
}

bool Mxu::feed_wants() const {
  if (!work_valid_ || !is_matmul_) return false;
  if (matmul_needs_tile() && !tile_ready()) return false;
  // With fp_stages = 3 two columns share a floating-point unit: a float row every second cycle.
  if (fp_ && config_.fp_stages != 1 && !infos_.empty() && infos_.back().row &&
      infos_.back().cycle + 1 == cycle_ + kGrantToArray)
    return false;
  // A row that adds waits until the row that wrote its accumulator row before is written.
  for (auto it = infos_.rbegin();
       accumulate_ && it != infos_.rend() && it->cycle + acc_stages_ > cycle_ + kGrantToArray; ++it)
    if (it->row && it->acc == acc_) return false;
  return !config_.has_fp || fp_ == kind_ || infos_.empty();
}

void Mxu::request(Vmem& vmem) const {
  if (load_wants()) vmem.read(kRdMxw, load_addr_);
  if (feed_wants()) vmem.read(kRdMxs, addr_);
}

bool Mxu::acc_free(int64_t row) const {
  return add_row_ < 0 || (add_row_ >= config_.acc_rows) != (row >= config_.acc_rows);
}

void Mxu::evaluate(const Vmem& vmem) {
  // loader
  const bool wants = load_wants();
  load_grant_ = wants && vmem.read_granted(kRdMxw);
  take_rows_ = packed_ ? std::min(load_rows_, load_left_) : 1;
  const bool allowed = tile_count_ != 0 && !written_ && age_ > config_.fp_stages * (row_ | 3u);
  neutral_ = allowed && row_ >= tile_[0].k;
  pop_ = allowed && !neutral_ && here_ != 0;
  row_after_ = row_;
  if (neutral_) row_after_ = row_ + 4;
  if (pop_) {
    row_after_ = row_ + notes_.front();
    if (row_after_ >= tile_[0].k) row_after_ = (tile_[0].k + 3) & ~3u;
  }
  group_done_ = (pop_ || neutral_) && row_after_ % 4 == 0;
  tile_done_ = group_done_ && row_after_ == n_;
  const bool working = load_valid_ || tile_count_ == 2 || (tile_count_ == 1 && !written_);
  const bool moved = load_grant_ || way_ != 0 || pop_ || neutral_ || we_;
  weights_view_.ready = !load_valid_;
  weights_view_.done = load_done_;
  weights_view_.quiet = way_ == 0 && !we_ && !working;
  weights_view_.state = moved                   ? State::Busy
                        : !working              ? State::Idle
                        : wants && !load_grant_ ? State::StallMem
                                                : State::StallData;

  // rows at the array and at the accumulators
  rows_ = 0;
  macs_ = 0;
  add_row_ = -1;
  last_ = false;
  for (auto it = infos_.rbegin(); it != infos_.rend() && it->cycle >= cycle_; ++it) {
    if (it->cycle == cycle_ && it->row) {
      rows_ = 1;
      macs_ = it->macs;
    }
  }
  for (auto it = infos_.begin(); it != infos_.end() && it->cycle + latency_ <= cycle_ + 1; ++it) {
    if (it->cycle + latency_ == cycle_ + 1 && it->row && it->accumulate) add_row_ = it->acc;
    if (it->cycle + latency_ + acc_stages_ == cycle_ + 1) last_ = it->last;
  }

  // feed
  const bool asks = feed_wants();
  grant_ = asks && vmem.read_granted(kRdMxs);
  shape_pass_ = work_valid_ && !is_matmul_;
  work_end_ = (grant_ && left_ == 1) || shape_pass_;
  take_ = grant_ && first_ && swap_;
  stream_view_.ready = !next_valid_;
  stream_view_.done = last_;
  const bool in_array = !infos_.empty() || flight_ != 0;
  if (grant_ || shape_pass_)
    stream_view_.state = State::Busy;
  else if (asks)
    stream_view_.state = State::StallMem;
  else if (work_valid_)
    stream_view_.state = State::StallData;
  else
    stream_view_.state = next_valid_ || flight_ != 0 ? State::Busy : State::Idle;
  stream_view_.quiet = !(next_valid_ || work_valid_ || in_array);
}

void Mxu::advance(const Command* weights, const Command* stream) {
  // ---- loader ----
  const bool start = load_grant_ && load_first_;
  const bool last_grant = load_grant_ && load_left_ == take_rows_;
  const bool leave = (tile_done_ || written_) && (take_ || taken_);
  const Tile taken_tile = tile_[0];
  if (leave) tile_[0] = tile_[1];
  if (start) tile_[tile_count_ == 0 || (tile_count_ == 1 && leave) ? 0 : 1] = load_;
  if (last_grant) tile_[tile_count_ + start - leave == 1 ? 0 : 1].granted = true;
  tile_count_ = tile_count_ + start - leave;
  const bool pushed = way_ & 2;
  used_ += load_grant_;
  used_ -= pop_;
  here_ += pushed;
  here_ -= pop_;
  way_ = (way_ << 1 | load_grant_) & 3;
  if (pop_) notes_.pop_front();
  if (load_grant_) {
    notes_.push_back(static_cast<uint8_t>(take_rows_));
    load_first_ = false;
    load_addr_ += load_step_;
    load_left_ -= take_rows_;
    if (last_grant) load_valid_ = false;
  }
  if (pop_ || neutral_) row_ = row_after_;
  we_ = group_done_;
  if (group_done_) started_ = true;
  if (tile_done_) written_ = true;
  load_done_ = tile_done_;
  if (take_) taken_ = true;
  if (leave) {
    row_ = 0;
    written_ = taken_ = started_ = false;
  }
  const uint32_t take_age = take_ ? 1 : std::min(take_age_ + 1, age_max_);
  age_ = leave ? take_age : std::min(age_ + 1, age_max_);
  take_age_ = take_age;
  if (weights) {
    const auto f = isa::MxuLoadw::decode(weights->instr);
    load_valid_ = load_first_ = true;
    load_.granted = false;
    load_.fp = f.dtype == static_cast<uint32_t>(isa::Dtype::BF16);
    load_.k = f.k;
    load_.n = f.n;
    load_addr_ = weights->a + f.imm_a;
    load_left_ = f.k;
    load_rows_ = load_.fp ? 2 : 4;
    packed_ = load_addr_ % (4 * n_) == 0 && f.stride == (load_.fp ? 2 : 1);
    load_step_ = packed_ ? 4 * n_ : static_cast<uint32_t>(f.stride) * n_;
  }

  // ---- feed ----
  flight_ += work_end_;
  flight_ -= last_;
  if (take_) {
    act_k_ = taken_tile.k;
    act_n_ = taken_tile.n;
  }
  if (grant_ || shape_pass_)
    infos_.push_back(
        {cycle_ + kGrantToArray, grant_, work_end_, accumulate_, acc_, act_k_ * act_n_});
  while (!infos_.empty() && infos_.front().cycle + latency_ + acc_stages_ <= cycle_ + 1)
    infos_.pop_front();
  if (grant_) {
    kind_ = fp_;
    first_ = false;
    ++acc_;
    --left_;
    addr_ += stride_;
    if (shape_.inner0 != 0 && ++index0_ == shape_.inner0) {
      index0_ = 0;
      run_ += static_cast<uint32_t>(shape_.stride1) * n_;
      if (++index1_ == shape_.inner1 && shape_.inner1 != 0) {
        index1_ = 0;
        block_ += static_cast<uint32_t>(shape_.stride2) * n_;
        run_ = block_;
      }
      addr_ = run_;
    }
  }
  const bool load = next_valid_ && (!work_valid_ || work_end_);
  if (shape_pass_) shape_ = pending_shape_;
  work_valid_ = load || (work_valid_ && !work_end_);
  if (load) {
    is_matmul_ = next_.opcode == Opcode::MXU_MATMUL;
    pending_shape_ = isa::MxuShape::decode(next_.instr);
    const auto f = isa::MxuMatmul::decode(next_.instr);
    first_ = true;
    swap_ = f.swap;
    accumulate_ = f.accumulate;
    fp_ = f.dtype == static_cast<uint32_t>(isa::Dtype::BF16);
    addr_ = run_ = block_ = next_.a + f.imm_a;
    acc_ = next_.b + f.acc;
    left_ = next_.c + f.rows;
    stride_ = static_cast<uint32_t>(f.stride) * n_;
    index0_ = index1_ = 0;
    next_valid_ = false;
  }
  if (stream) {
    next_ = *stream;
    next_valid_ = true;
  }
  ++cycle_;
}

}  // namespace ttpu::timing
