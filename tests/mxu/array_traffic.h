// Traffic for the integer array alone, with the sums that it must give: tiles of weights written at
// any moment that the array's contract allows, the first and the last one most of all, swaps back
// to back, rows with gaps, bytes of either sign in any mix, random or extreme.
//
// Plain C++ without a test framework: scripts/bench_xc7.sh compiles it with a netlist.
#pragma once
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace mxu_test {

/// Writes a signed value of `bits` bits as element `index` of a Verilated port.
template <class Port>
void set_element(Port& port, unsigned index, int value, unsigned bits) {
  auto* words = reinterpret_cast<uint32_t*>(&port);
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned at = bits * index + bit;
    const uint32_t one = static_cast<uint32_t>(value >> bit & 1) << at % 32;
    words[at / 32] = (words[at / 32] & ~(1u << at % 32)) | one;
  }
}

class ArrayTraffic {
 public:
  /// What the array's ports see in one cycle; `sums` is empty where no row enters.
  struct Step {
    bool valid = false, swap = false, write = false;
    unsigned group = 0;
    std::vector<int> x;  // n lanes
    std::vector<int> w;  // 4n elements, row by row
    std::vector<int32_t> sums;
  };

  /// n: rows and columns of the array; the same seed gives the same traffic.
  ArrayTraffic(unsigned n, uint32_t seed) : n_(n), random_(seed) {
    next_ = new_tile();
    for (unsigned g = 0; g < n_ / 4; ++g) writes_[g] = {g, rows_of(next_, g)};
    swap_at_ = n_ / 4;
  }

  Step next() {
    Step step;
    if (cycle_ == swap_at_) start_tile();
    step.swap = cycle_ + length_ == swap_at_ && tiles != 0;
    step.valid = step.swap || (tiles != 0 && below(4) != 0);
    step.x.resize(n_);
    for (int& x : step.x) x = operand(current_.x_signed, current_.x_mode);
    if (step.valid) {
      ++rows;
      for (unsigned c = 0; c < n_; ++c) {
        int32_t sum = 0;
        for (unsigned r = 0; r < n_; ++r) sum += step.x[r] * current_.w[r * n_ + c];
        step.sums.push_back(sum);
      }
    }
    const auto write = writes_.find(cycle_);
    step.write = write != writes_.end();
    step.w.resize(4 * n_);
    if (step.write) {
      step.group = write->second.first;
      step.w = write->second.second;
      writes_.erase(write);
    } else {  // nothing may be taken from here
      step.group = below(n_ / 4);
      for (int& w : step.w) w = operand(true, 0);
    }
    ++cycle_;
    return step;
  }

  // What has been generated: all must be seen for a test to mean anything.
  uint64_t tiles = 0, rows = 0;
  uint64_t mixes[2][2] = {};          // tiles by sign of weights and activations
  uint64_t earliest = 0, latest = 0;  // writes in the first and in the last cycle allowed
  uint64_t extreme = 0;               // tiles of nothing but the ends of the range

 private:
  struct Tile {
    bool w_signed = false, x_signed = false;
    unsigned x_mode = 0;
    std::vector<int> w;
  };

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_()) % limit; }

  /// mode 0: any byte; 1: ends of the range and their neighbours; 2: the lowest; 3: the highest.
  int operand(bool is_signed, unsigned mode) {
    static constexpr int kEnds[2][6] = {{0, 1, 127, 128, 254, 255}, {-128, -127, -1, 0, 1, 127}};
    if (mode == 1) return kEnds[is_signed][below(6)];
    if (mode == 2) return is_signed ? -128 : 0;
    if (mode == 3) return is_signed ? 127 : 255;
    return static_cast<int>(below(256)) - (is_signed ? 128 : 0);
  }

  Tile new_tile() {
    Tile tile;
    tile.w_signed = below(2) != 0;
    tile.x_signed = below(2) != 0;
    tile.x_mode = below(4);
    const unsigned mode = below(4);
    for (unsigned i = 0; i < n_ * n_; ++i) tile.w.push_back(operand(tile.w_signed, mode));
    // one row or column of the other end shows what spills from one sum into another
    if (below(2) != 0) {
      const unsigned which = below(n_);
      for (unsigned i = 0; i < n_; ++i) {
        const unsigned at = below(2) != 0 ? i * n_ + which : which * n_ + i;
        tile.w[at] = operand(tile.w_signed, 2 + below(2));
      }
    }
    ++mixes[tile.w_signed][tile.x_signed];
    extreme += mode != 0 && tile.x_mode != 0;
    return tile;
  }

  std::vector<int> rows_of(const Tile& tile, unsigned group) const {
    return {tile.w.begin() + 4 * group * n_, tile.w.begin() + 4 * (group + 1) * n_};
  }

  /// The swap is in this cycle: choose its length and when the tile after it is written.
  void start_tile() {
    current_ = std::move(next_);
    next_ = new_tile();
    ++tiles;
    length_ = 4 + below(below(2) != 0 ? 4 : 2 * n_);
    std::map<uint64_t, std::pair<unsigned, std::vector<int>>> plan;
    uint64_t first = 0, last = 0;
    for (unsigned g = 0; g < n_ / 4;) {
      const uint64_t from = cycle_ + 4 * g + 3, to = cycle_ + length_ + 4 * g - 1;
      const unsigned choice = below(3);
      uint64_t at = choice == 0 ? from : choice == 1 ? to : from + below(length_ - 3);
      // the port takes one group a cycle
      unsigned tries = 0;
      while (plan.count(at) + writes_.count(at) != 0 && ++tries < length_)
        at = at == to ? from : at + 1;
      if (tries == length_) {  // no free cycle: a longer tile
        ++length_;
        plan.clear();
        first = last = g = 0;
        continue;
      }
      plan[at] = {g, rows_of(next_, g)};
      first += at == from;
      last += at == to;
      ++g;
    }
    earliest += first;
    latest += last;
    writes_.merge(plan);
    swap_at_ = cycle_ + length_;
  }

  unsigned n_;
  std::mt19937 random_;
  uint64_t cycle_ = 0, swap_at_ = 0;
  uint64_t length_ = 0;
  Tile current_, next_;
  std::map<uint64_t, std::pair<unsigned, std::vector<int>>> writes_;
};

/// Drives a model of module bench_xc7_array and compares its sums.
template <class Model>
class ArrayDriver {
 public:
  /// latency: cycles from a row to its sums.
  ArrayDriver(Model& model, unsigned n, unsigned latency, std::string name)
      : model_(model), n_(n), latency_(latency), name_(std::move(name)) {}

  void reset() {
    model_.rst_ni = 0;
    model_.x_valid_i = model_.x_swap_i = model_.w_we_i = model_.w_group_i = 0;
    for (int i = 0; i < 4; ++i) clock();
    model_.rst_ni = 1;
    for (int i = 0; i < 4; ++i) clock();
  }

  /// One cycle; false, and `error` says where, if a sum is wrong.
  bool step(const ArrayTraffic::Step& step) {
    model_.x_valid_i = step.valid;
    model_.x_swap_i = step.swap;
    model_.w_we_i = step.write;
    model_.w_group_i = static_cast<unsigned char>(step.group);
    for (unsigned i = 0; i < n_; ++i) set_element(model_.x_data_i, i, step.x[i], 9);
    for (unsigned i = 0; i < 4 * n_; ++i) set_element(model_.w_data_i, i, step.w[i], 9);
    expected_.push_back(step.sums);
    bool good = true;
    model_.clk_i = 0;
    model_.eval();
    if (expected_.size() > latency_) {
      const auto want = std::move(expected_.front());
      expected_.pop_front();
      const auto* got = reinterpret_cast<const uint32_t*>(&model_.y_data_o);
      for (unsigned c = 0; c < want.size(); ++c, ++sums) {
        if (static_cast<int32_t>(got[c]) == want[c] || !good) continue;
        char text[200];
        std::snprintf(
            text, sizeof text,
            "%s: cycle %llu: y_data_o[%u] of the row %u cycles before: expected %d, got %d",
            name_.c_str(), static_cast<unsigned long long>(cycle), c, latency_, want[c],
            static_cast<int32_t>(got[c]));
        error = text;
        good = false;
      }
    }
    model_.clk_i = 1;
    model_.eval();
    ++cycle;
    return good;
  }

  uint64_t sums = 0, cycle = 0;
  std::string error;

 private:
  void clock() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }

  Model& model_;
  unsigned n_, latency_;
  std::string name_;
  std::deque<std::vector<int32_t>> expected_;
};

}  // namespace mxu_test
