// Timing of the matrix unit (docs/reference/mxu.md): loader, feed, array, accumulators. No data.
#pragma once
#include <array>
#include <cstdint>
#include <deque>

#include "timing/control.h"
#include "timing/vmem.h"

namespace ttpu::timing {

class Mxu {
 public:
  explicit Mxu(const Config& config);

  void request(Vmem& vmem);
  /// Work out the cycle after the arbitration of VMEM.
  void evaluate(const Vmem& vmem);
  const UnitView& weights() const { return weights_view_; }
  const UnitView& stream() const { return stream_view_; }
  /// True if the VPU may read accumulator row `row` in this cycle.
  bool acc_free(int64_t row) const;
  void advance(const Command* weights, const Command* stream);

  uint32_t rows() const { return rows_; }  ///< rows that enter the array in this cycle
  uint64_t macs() const { return macs_; }

 private:
  struct Tile {
    bool granted = false, fp = false;
    uint32_t k = 0, n = 0;
  };
  struct Info {          // what travels beside a row
    uint64_t cycle = 0;  ///< in which it stands in front of the array
    bool row = false, last = false, accumulate = false, swap = false;
    uint32_t acc = 0, macs = 0;
  };

  bool load_wants() const;
  bool feed_wants() const;
  bool tile_ready() const { return tile_count_ != 0 && tile_[0].granted && started_ && !taken_; }
  bool matmul_needs_tile() const { return is_matmul_ && first_ && swap_; }

  const Config& config_;
  const uint32_t n_, latency_, acc_stages_, mem_;
  const uint32_t to_array_;  ///< cycles from the grant of a row to the array's input
  const uint32_t depth_, age_max_;
  uint64_t cycle_ = 0;

  // loader: command and reads
  bool load_valid_ = false, load_first_ = false, packed_ = false;
  Tile load_;
  uint32_t load_addr_ = 0, load_left_ = 0, load_step_ = 0, load_rows_ = 0;
  uint32_t used_ = 0, here_ = 0, way_ = 0;
  std::deque<uint8_t> notes_;  ///< rows of each word asked for and not written
  struct LoadAsked {
    uint32_t addr;
    bool last;  ///< word of its command
  };
  std::deque<LoadAsked> load_asked_;  ///< with mem_ 1: requests in registers, two at most
  // loader: tiles and writes
  std::array<Tile, 2> tile_;
  uint32_t tile_count_ = 0, row_ = 0, age_, take_age_;
  bool written_ = false, taken_ = false, started_ = false, load_done_ = false, we_ = false;

  // feed
  Command next_;
  bool next_valid_ = false, work_valid_ = false, first_ = false;
  bool is_matmul_ = false, swap_ = false, accumulate_ = false, fp_ = false, kind_ = false;
  uint32_t addr_ = 0, run_ = 0, block_ = 0, index0_ = 0, index1_ = 0, acc_ = 0, left_ = 0;
  uint32_t stride_ = 0;
  isa::MxuShape shape_, pending_shape_;
  uint32_t act_k_ = 0, act_n_ = 0, flight_ = 0;
  struct Asked {
    uint32_t addr;
    Info info;
  };
  std::deque<Asked>
      asked_;  ///< with mem_ 1: rows that left the walk and are not granted, two at most
  bool tile_take_ = false, swap_pending_ = false;
  bool empty_ = true;  ///< with mem_ 1: nothing was asked for or in the array in the cycle before
  std::deque<Info> infos_;  ///< granted and not yet at the accumulators

  // outcome of request()
  bool load_wants_ = false, load_asks_ = false, feed_wants_ = false, feed_asks_ = false;

  // outcome of evaluate()
  bool load_grant_ = false, load_take_ = false, pop_ = false, neutral_ = false, tile_done_ = false;
  bool group_done_ = false, shape_pass_ = false, work_end_ = false, take_ = false;
  bool feed_take_ = false;  ///< a row leaves the walk
  bool swap_out_ = false;   ///< it brings new weights
  bool go_ = false;         ///< a row is granted, or a command without rows passes
  bool last_ = false;
  uint32_t row_after_ = 0, take_rows_ = 0, rows_ = 0;
  uint64_t macs_ = 0;
  int64_t add_row_ = -1;
  UnitView weights_view_, stream_view_;
};

}  // namespace ttpu::timing
