// Host of a microprogrammed core: register accesses, one at a time.
#pragma once
#include <cstdint>

#include "timing/micro_core.h"

namespace ttpu::timing::micro {

class Host {
 public:
  /// `core` stays with the caller.
  explicit Host(Core& core) : core_(core) {}

  /// One access; the core runs until it has answered.
  /// Throws MicroError if it does not answer within kPatience cycles.
  Core::Reply access(bool write, uint32_t addr, uint32_t data = 0, bool full_strobes = true);
  /// As access, and throw MicroError if the answer is an error.
  uint32_t read(uint32_t addr);
  void write(uint32_t addr, uint32_t data);
  /// Let the core run until its interrupt; false after `max_cycles`.
  bool run_to_interrupt(uint64_t max_cycles);

  static constexpr uint64_t kPatience = 1'000'000;  ///< cycles

 private:
  Core& core_;
};

}  // namespace ttpu::timing::micro
