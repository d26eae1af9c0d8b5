// Who touched what, and which flags a new command needs so that it comes after them.
#pragma once
#include <array>
#include <list>
#include <vector>

#include "random_program.h"

namespace chip_test {

inline Unit unit_at(int u) { return static_cast<Unit>(u + 1); }

/// An instruction of the program under construction.
struct Node {
  Instr instr;
  int unit = -1;  ///< 0..4, -1 = scalar
  bool has_wait = false, has_signal = false;
  std::array<int, kUnits> seen{};  ///< of each unit: the last command known to be done at its start
};

/// Orders commands of different units.
class RaceTracker {
 public:
  RaceTracker(tb::Random& rng, uint64_t vmem, uint64_t hbm, uint64_t acc)
      : rng_(rng), memories_{Memory(vmem), Memory(hbm), Memory(acc)} {
    for (auto& s : seen_) s.fill(-1);
  }
  enum Space { kVmem, kHbm, kAcc };
  struct Access {
    Space space;
    Range range;
    bool write;
  };

  /// Append a scalar instruction.
  void scalar(const Instr& i) { nodes_.push_back({i, -1, false, false, {}}); }

  /// Append a command of a unit that makes these accesses.
  void command(int unit, const Instr& instr, const std::vector<Access>& accesses = {}) {
    std::array<int, kUnits> need;
    need.fill(-1);
    bool own = false;
    for (const Access& a : accesses) {
      Memory& m = memories_[a.space];
      for (uint64_t i = a.range.first; i < a.range.end(); ++i) {
        for (int p = 0; p < kUnits; ++p) {
          const int last = std::max(m.written[i][p], a.write ? m.read[i][p] : -1);
          if (last < 0) continue;
          if (p != unit)
            need[p] = std::max(need[p], last);
          else
            // Accumulators keep the order of the stream by themselves.
            own |= a.space != kAcc && last > barrier_[unit];
        }
      }
    }
    Node node{instr, unit, false, false, {}};
    // A unit keeps the order of its commands by itself; a SYNC between them must change nothing.
    if (own && rng_.coin()) {
      append_sync(unit);
      barrier_[unit] = static_cast<int>(commands_[unit].size()) - 1;
    } else if (own) {
      ++left_to_unit_[unit];
    }
    for (int p = 0; p < kUnits; ++p)
      if (need[p] > seen_[unit][p]) order(p, need[p], unit, node);
    const int number = append(node);
    for (const Access& a : accesses) {
      Memory& m = memories_[a.space];
      for (uint64_t i = a.range.first; i < a.range.end(); ++i) {
        (a.write ? m.written : m.read)[i][unit] = number;
        if (a.write) m.writer[i] = &*commands_[unit].back();
      }
    }
  }

  /// A scalar instruction that waits for everything `unit` has done so far.
  void scalar_waits(int unit, Instr instr) {
    append_sync(unit);
    signal(*commands_[unit].back(), flag(unit, kUnits));
    set_wait(instr, flag(unit, kUnits), 1);
    nodes_.push_back({instr, -1, true, false, {}});
    // The core is in order: what it issues from here on starts after that.
    const int last = static_cast<int>(commands_[unit].size()) - 1;
    for (auto& s : seen_) s[unit] = std::max(s[unit], last);
  }

  /// Commands of each unit that touch what earlier ones of the same unit touched, with no SYNC
  /// between them.
  const std::array<uint32_t, kUnits>& left_to_unit() const { return left_to_unit_; }

  const std::list<Node>& nodes() const { return nodes_; }
  const Node* writer(Space space, uint64_t i) const { return memories_[space].writer[i]; }

 private:
  struct Memory {
    explicit Memory(uint64_t size) : written(size), read(size), writer(size) {
      for (auto& w : written) w.fill(-1);
      for (auto& r : read) r.fill(-1);
    }
    std::vector<std::array<int, kUnits>> written, read;
    std::vector<const Node*> writer;
  };

  static uint32_t flag(int from, int to) { return static_cast<uint32_t>(from * (kUnits + 1) + to); }
  static void set_wait(Instr& i, uint32_t f, uint32_t value) {
    i.set(23, 8, value);
    i.set(31, 5, f);
  }
  static void signal(Node& n, uint32_t f) {
    n.has_signal = true;
    n.instr.set(36, 1, 1);
    n.instr.set(37, 5, f);
  }
  int append(const Node& node) {
    nodes_.push_back(node);
    nodes_.back().seen = seen_[node.unit];
    commands_[node.unit].push_back(std::prev(nodes_.end()));
    return static_cast<int>(commands_[node.unit].size()) - 1;
  }
  int append_sync(int unit) {
    return append({ttpu::isa::Sync{.unit = static_cast<uint32_t>(unit + 1)}.encode(),
                   unit,
                   false,
                   false,
                   {}});
  }

  /// `node` of unit `to` must come after command `number` of unit `from`.
  void order(int from, int number, int to, Node& node) {
    if (number <= seen_[to][from]) return;
    // The producer: the command itself, a near later one, or a SYNC at the end of its queue.
    uint32_t tokens = 1;
    int producer = -1;
    if (!rng_.chance(25))
      for (int i = number; i < static_cast<int>(commands_[from].size()) && i < number + 3; ++i)
        if (!commands_[from][static_cast<size_t>(i)]->has_signal) {
          producer = i;
          break;
        }
    if (producer < 0) producer = append_sync(from);
    signal(*commands_[from][static_cast<size_t>(producer)], flag(from, to));
    if (rng_.chance(15)) {  // two tokens, one wait
      const int second = append_sync(from);
      signal(*commands_[from].back(), flag(from, to));
      producer = second;
      tokens = 2;
    }
    if (node.has_wait || rng_.chance(20)) {
      append_sync(to);
      set_wait(commands_[to].back()->instr, flag(from, to), tokens);
      commands_[to].back()->has_wait = true;
    } else {
      set_wait(node.instr, flag(from, to), tokens);
      node.has_wait = true;
    }
    // Done too: whatever that command came after.
    const auto& known = commands_[from][static_cast<size_t>(producer)]->seen;
    for (int p = 0; p < kUnits; ++p) seen_[to][p] = std::max(seen_[to][p], known[p]);
    seen_[to][from] = std::max(seen_[to][from], producer);
  }

  tb::Random& rng_;
  std::list<Node> nodes_;
  std::array<std::vector<std::list<Node>::iterator>, kUnits> commands_;
  std::array<std::array<int, kUnits>, kUnits> seen_;
  std::array<uint32_t, kUnits> left_to_unit_{};
  std::array<int, kUnits> barrier_{-1, -1, -1, -1, -1};
  std::array<Memory, 3> memories_;
};

}  // namespace chip_test
