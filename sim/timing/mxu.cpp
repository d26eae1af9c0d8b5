#include "timing/mxu.h"

#include <algorithm>

namespace ttpu::timing {

using isa::Opcode;

Mxu::Mxu(const Config& config)
    : config_(config),
      n_(config.n),
      latency_(config.n + config.fp_stages * config.n + config.pe_stages - 1),
      acc_stages_(config.fp_stages == 1 ? 1 : config.fp_stages + 2),
      mem_(mem_stages(config)),
      to_array_(2 + mem_),
      depth_((config.n <= 4 ? 2 : config.n / 2) + 2 * mem_),
      age_max_(config.fp_stages * config.n + 4),
      age_(age_max_),
      take_age_(age_max_) {}

bool Mxu::load_wants() const {
  return load_valid_ && used_ != depth_ && (!load_first_ || tile_count_ != 2);
}

bool Mxu::feed_wants() const {
  if (!work_valid_ || !is_matmul_) return false;
  if (matmul_needs_tile() && (!tile_ready() || swap_pending_)) return false;
  // With fp_stages = 4 two columns share a floating-point unit: a float row every second cycle.
  if (fp_ && mem_ != 0 && !asked_.empty()) return false;
  // A row that adds waits until the row that wrote its accumulator row before is written.
  for (const Asked& a : asked_)
    if (accumulate_ && a.info.row && a.info.acc == acc_) return false;
  for (auto it = infos_.rbegin();
       accumulate_ && it != infos_.rend() && it->cycle + acc_stages_ > cycle_ + to_array_ + mem_;
       ++it)
    if (it->row && it->acc == acc_) return false;
  return !config_.has_fp || fp_ == kind_ || (mem_ == 0 ? infos_.empty() : empty_);
}

void Mxu::request(Vmem& vmem) {
  load_wants_ = load_wants();
  feed_wants_ = feed_wants();
  if (mem_ == 0) {
    load_asks_ = load_wants_;
    feed_asks_ = feed_wants_;
    if (load_asks_) vmem.read(kRdMxw, load_addr_);
    if (feed_asks_) vmem.read(kRdMxs, addr_);
  } else {
    load_asks_ = !load_asked_.empty();
    feed_asks_ = !asked_.empty() && asked_.front().info.row;
    if (load_asks_) vmem.read(kRdMxw, load_asked_.front().addr);
    if (feed_asks_) vmem.read(kRdMxs, asked_.front().addr);
  }
}

bool Mxu::acc_free(int64_t row) const {
  return add_row_ < 0 || (add_row_ >= config_.acc_rows) != (row >= config_.acc_rows);
}

void Mxu::evaluate(const Vmem& vmem) {
  // loader
  load_grant_ = load_asks_ && vmem.read_granted(kRdMxw);
  load_take_ = mem_ == 0 ? load_grant_ : load_wants_ && load_asked_.size() < 2;
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
  weights_view_.quiet = way_ == 0 && !load_asks_ && !we_ && !working;
  weights_view_.state = moved                        ? State::Busy
                        : !working                   ? State::Idle
                        : load_asks_ && !load_grant_ ? State::StallMem
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
  const bool grant = feed_asks_ && vmem.read_granted(kRdMxs);
  const bool place = asked_.size() < 2;
  feed_take_ = mem_ == 0 ? grant : feed_wants_ && place;
  shape_pass_ = work_valid_ && !is_matmul_ && place;
  go_ = mem_ == 0 ? grant || shape_pass_ : !asked_.empty() && (!asked_.front().info.row || grant);
  work_end_ = (feed_take_ && left_ == 1) || shape_pass_;
  swap_out_ = feed_take_ && first_ && swap_;
  take_ = mem_ == 0 ? swap_out_ : tile_take_;
  stream_view_.ready = !next_valid_;
  stream_view_.done = last_;
  const bool in_array = !asked_.empty() || !infos_.empty() || flight_ != 0;
  if (go_)
    stream_view_.state = State::Busy;
  else if (feed_asks_)
    stream_view_.state = State::StallMem;
  else if (work_valid_)
    stream_view_.state = State::StallData;
  else
    stream_view_.state = next_valid_ || flight_ != 0 ? State::Busy : State::Idle;
  stream_view_.quiet = !(next_valid_ || work_valid_ || in_array);
}

void Mxu::advance(const Command* weights, const Command* stream) {
  // ---- loader ----
  const bool start = load_take_ && load_first_;
  const bool last_take = load_take_ && load_left_ == take_rows_;
  const bool last_grant = mem_ == 0 ? last_take : load_grant_ && load_asked_.front().last;
  const bool leave = ((mem_ == 0 && tile_done_) || written_) && (take_ || taken_);
  const Tile taken_tile = tile_[0];
  if (leave) tile_[0] = tile_[1];
  if (start) tile_[tile_count_ == 0 || (tile_count_ == 1 && leave) ? 0 : 1] = load_;
  // with requests in registers: the tiles granted whole are the oldest
  const bool first = mem_ == 0 ? tile_count_ + start - leave == 1 : leave || !taken_tile.granted;
  if (last_grant) tile_[first ? 0 : 1].granted = true;
  tile_count_ = tile_count_ + start - leave;
  const bool pushed = way_ & 2u << mem_;
  used_ += load_take_;
  used_ -= pop_;
  here_ += pushed;
  here_ -= pop_;
  way_ = (way_ << 1 | load_grant_) & ((4u << mem_) - 1);
  if (pop_) notes_.pop_front();
  if (mem_ != 0 && load_grant_) load_asked_.pop_front();
  if (load_take_) {
    if (mem_ != 0) load_asked_.push_back({load_addr_, last_take});
    notes_.push_back(static_cast<uint8_t>(take_rows_));
    load_first_ = false;
    load_addr_ += load_step_;
    load_left_ -= take_rows_;
    if (last_take) load_valid_ = false;
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
  empty_ = asked_.empty() && infos_.empty() && !feed_take_ && !shape_pass_;
  flight_ += work_end_;
  flight_ -= last_;
  if (swap_out_) {
    act_k_ = taken_tile.k;
    act_n_ = taken_tile.n;
  }
  tile_take_ = mem_ != 0 && go_ && asked_.front().info.swap;
  swap_pending_ = mem_ != 0 && (swap_out_ || (swap_pending_ && !take_));
  const Info next{0, feed_take_, work_end_, accumulate_, swap_out_, acc_, act_k_ * act_n_};
  if (go_) {
    infos_.push_back(mem_ == 0 ? next : asked_.front().info);
    infos_.back().cycle = cycle_ + to_array_;
    if (mem_ != 0) asked_.pop_front();
  }
  if (mem_ != 0 && (feed_take_ || shape_pass_)) asked_.push_back({addr_, next});
  while (!infos_.empty() && infos_.front().cycle + latency_ + acc_stages_ <= cycle_ + 1)
    infos_.pop_front();
  if (feed_take_) {
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
