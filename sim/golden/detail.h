// Helpers that the units of the golden model share.
#pragma once
#include "golden/machine.h"

namespace ttpu::golden::detail {

/// The unit that carries out a command, its field `channel` or `unit` taken into account.
inline isa::Unit unit_of_command(const Command& command) {
  const auto unit = unit_of(command.instr);
  return unit ? *unit : isa::Unit::SCALAR;
}

/// The fault of a command.
inline Fault fault(const Command& command, isa::Error cause, uint64_t addr) {
  return {cause, unit_of_command(command), command.pc, addr};
}
inline Fault bad_field(const Command& command, uint32_t value) {
  return fault(command, isa::Error::BAD_FIELD, value);
}
inline Fault unsupported(const Command& command, uint32_t value) {
  return fault(command, isa::Error::UNSUPPORTED, value);
}

/// Number of values of enum dtype.
inline constexpr uint32_t kDtypes = 5;

inline bool is_float(isa::Dtype dtype) {
  return dtype == isa::Dtype::BF16 || dtype == isa::Dtype::F32;
}
/// Types that the MXU multiplies.
inline bool is_mxu_type(uint32_t dtype) { return dtype <= static_cast<uint32_t>(isa::Dtype::BF16); }

}  // namespace ttpu::golden::detail

namespace ttpu::golden {
/// What an arithmetic stage of the VPU makes of one lane.
struct Lane {
  uint32_t value;
  bool predicate;
};
/// `shift` is IQMUL's, `predicate` that of the stage before: SEL takes `left` where it is true, a
/// comparison sets it.
Lane operate_lane(isa::Vop op, uint32_t left, uint32_t right, uint32_t shift, bool predicate);

/// One step of a reduction.
uint32_t reduce_pair(isa::Reduce reduce, bool floating, uint32_t x, uint32_t y);
}  // namespace ttpu::golden
