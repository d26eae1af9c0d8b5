// Comparison of what was expected with what came; a difference names signal, cycle, command,
// expected and got.
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>

#include "golden/machine.h"
#include "isa/generated/isa_gen.h"
#include "tb/report.h"

namespace tb {

/// Command in words: "pc 3 MXU_MATMUL rows=4 swap=1 ... a=0x40 b=0x0 c=0x0" (fields that are 0 left
/// out).
inline std::string describe(const ttpu::golden::Command& command) {
  std::string text = format("pc %u ", command.pc);
  const uint32_t opcode = command.instr.get(0, 8);
  for (const auto& op : ttpu::isa::kOps) {
    if (op.opcode != opcode) continue;
    text += op.name;
    for (const auto& f : op.fields) {
      const uint32_t raw = command.instr.get(f.lsb, f.bits);
      if (raw == 0) continue;
      text += ' ';
      text += f.name;
      text +=
          f.is_signed ? format("=%d", command.instr.get_signed(f.lsb, f.bits)) : format("=%u", raw);
    }
    return text + format(" a=0x%x b=0x%x c=0x%x", command.a, command.b, command.c);
  }
  return text + format("opcode 0x%02x", opcode);
}

/// How a difference is reported; `index` is the lane, row or address, or -1.
inline void report_difference(const std::string& signal, int64_t index, uint64_t cycle,
                              const std::string& command, uint64_t expected, uint64_t got) {
  fail(format(
      "signal   %s%s\ncycle    %llu\ncommand  %s\nexpected 0x%llx (%lld)\ngot      0x%llx (%lld)",
      signal.c_str(), index < 0 ? "" : format("[%lld]", static_cast<long long>(index)).c_str(),
      static_cast<unsigned long long>(cycle), command.c_str(),
      static_cast<unsigned long long>(expected), static_cast<long long>(expected),
      static_cast<unsigned long long>(got), static_cast<long long>(got)));
}

/// Compare one value. True if equal.
inline bool expect_equal(const std::string& signal, uint64_t cycle, const std::string& command,
                         uint64_t expected, uint64_t got) {
  if (expected == got) return true;
  report_difference(signal, -1, cycle, command, expected, got);
  return false;
}

/// Compare element by element; the first `most` differences are reported. True if equal.
template <class T>
bool expect_equal(const std::string& signal, uint64_t cycle, const std::string& command,
                  std::span<const T> expected, std::span<const T> got, int most = 3) {
  if (expected.size() != got.size()) {
    report_difference(signal + ".size()", -1, cycle, command, expected.size(), got.size());
    return false;
  }
  int64_t differences = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == got[i]) continue;
    if (differences++ < most)
      report_difference(signal, static_cast<int64_t>(i), cycle, command,
                        static_cast<uint64_t>(expected[i]), static_cast<uint64_t>(got[i]));
  }
  if (differences > most)
    fail(format("signal   %s: %lld of %zu elements differ", signal.c_str(),
                static_cast<long long>(differences), expected.size()));
  return differences == 0;
}

/// Expected values in order of arrival, each with the command that makes it.
template <class T>
class Scoreboard {
 public:
  explicit Scoreboard(std::string signal) : signal_(std::move(signal)) {}

  void expect(const T& value, std::string command = "") {
    expected_.push_back({value, std::move(command)});
  }
  /// A value arrived: it must be the next one expected.
  bool arrived(const T& value, uint64_t cycle) {
    ++arrived_;
    if (expected_.empty()) {
      fail(format("signal   %s\ncycle    %llu\nexpected nothing\ngot      0x%llx", signal_.c_str(),
                  static_cast<unsigned long long>(cycle), static_cast<unsigned long long>(value)));
      return false;
    }
    const auto [want, command] = std::move(expected_.front());
    expected_.pop_front();
    return expect_equal(signal_, cycle, command, static_cast<uint64_t>(want),
                        static_cast<uint64_t>(value));
  }
  uint64_t arrived_count() const { return arrived_; }
  size_t missing() const { return expected_.size(); }
  /// Fails if something expected never came.
  void finish() {
    if (!expected_.empty())
      fail(format("signal   %s: %zu values expected that never came, the first by %s",
                  signal_.c_str(), expected_.size(), expected_.front().second.c_str()));
  }

 private:
  std::string signal_;
  std::deque<std::pair<T, std::string>> expected_;
  uint64_t arrived_ = 0;
};

}  // namespace tb
