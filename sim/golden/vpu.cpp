// VPU: configuration commands, walk over rows, transpose. The chain itself is in vpu_chain.cpp.
#include <cstring>

#include "golden/arith.h"
#include "golden/detail.h"
#include "golden/machine.h"

namespace ttpu::golden {

using detail::bad_field;
using detail::fault;
using detail::is_float;
using detail::kDtypes;
using detail::unsupported;
using isa::Dtype;
using isa::Error;
using isa::Opcode;
using isa::Reduce;
using isa::Sfu;
using isa::Shuffle;
using isa::Vop;
using isa::Voperand;
using isa::Vsrc;

void Machine::reset_vpu() {
  vpu_ = VpuConfig{};
  vpu_.stages.assign(config_.vpu_stages, Stage{});
  vpu_.a.enable = true;
}

std::optional<Fault> Machine::execute_vpu(const Command& command) {
  switch (static_cast<Opcode>(command.instr.get(0, 8))) {
    case Opcode::VPU_CLEAR:
      reset_vpu();
      return std::nullopt;
    case Opcode::VPU_SETA:
      return vpu_seta(command);
    case Opcode::VPU_SETB:
      return vpu_setb(command);
    case Opcode::VPU_SETD:
      return vpu_setd(command);
    case Opcode::VPU_SHAPE:
      return vpu_shape(command);
    case Opcode::VPU_STAGE:
      return vpu_stage(command);
    case Opcode::VPU_SFU:
      return vpu_sfu(command);
    case Opcode::VPU_LDV:
      return vpu_ldv(command);
    case Opcode::VPU_RUN:
      return vpu_run(command);
    default:
      return vpu_xpose(command);
  }
}

// ---- configuration
// -------------------------------------------------------------------------------

std::optional<Fault> Machine::vpu_seta(const Command& command) {
  const auto f = isa::VpuSeta::decode(command.instr);
  const auto dtype = static_cast<Dtype>(f.dtype);
  const bool from_acc = static_cast<Vsrc>(f.src) == Vsrc::ACC;
  if (f.dtype >= kDtypes) return bad_field(command, f.dtype);
  if (from_acc && dtype != Dtype::I32 && dtype != Dtype::F32) return bad_field(command, f.dtype);
  if (f.dequant && is_float(dtype)) return bad_field(command, f.dtype);
  if (is_float(dtype) && !config_.has_fp) return unsupported(command, f.dtype);
  if (f.dequant && !config_.has_fp) return unsupported(command, f.dequant);
  Stream& a = vpu_.a;
  a.dtype = dtype;
  a.from_acc = from_acc;
  a.dequant = f.dequant;
  a.stride[0] = f.s0, a.stride[1] = f.s1, a.stride[2] = f.s2;
  a.zp = f.zp;
  a.scale = command.a;
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_setb(const Command& command) {
  const auto f = isa::VpuSetb::decode(command.instr);
  const auto dtype = static_cast<Dtype>(f.dtype);
  if (f.dtype >= kDtypes) return bad_field(command, f.dtype);
  if (f.dequant && is_float(dtype)) return bad_field(command, f.dtype);
  if (is_float(dtype) && !config_.has_fp) return unsupported(command, f.dtype);
  if (f.dequant && !config_.has_fp) return unsupported(command, f.dequant);
  Stream& b = vpu_.b;
  b.enable = f.enable;
  b.dtype = dtype;
  b.dequant = f.dequant;
  b.stride[0] = f.s0, b.stride[1] = f.s1, b.stride[2] = f.s2;
  b.zp = f.zp;
  b.scale = command.a;
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_setd(const Command& command) {
  const auto f = isa::VpuSetd::decode(command.instr);
  const auto dtype = static_cast<Dtype>(f.dtype);
  if (f.dtype >= kDtypes) return bad_field(command, f.dtype);
  if (!f.fp && is_float(dtype)) return bad_field(command, f.dtype);
  if (f.fp && !config_.has_fp) return unsupported(command, f.fp);
  Stream& d = vpu_.d;
  d.floating = f.fp;
  d.dtype = dtype;
  d.stride[0] = f.s0, d.stride[1] = f.s1, d.stride[2] = f.s2;
  d.zp = f.zp;
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_shape(const Command& command) {
  const auto f = isa::VpuShape::decode(command.instr);
  const uint32_t count[3] = {command.c + f.n0, command.b + f.n1, command.a + f.n2};
  for (const uint32_t n : count)
    if (n == 0 || n > 65535) return bad_field(command, n);
  const auto row_reduce = static_cast<Reduce>(f.row_reduce);
  if ((row_reduce == Reduce::NONE) != (f.row_dims == 0)) return bad_field(command, f.row_dims);
  if (f.arg >= config_.n) return bad_field(command, f.arg);
  if (f.fp && !config_.has_fp) return unsupported(command, f.fp);
  for (int d = 0; d < 3; ++d) vpu_.count[d] = count[d];
  vpu_.row_reduce = row_reduce;
  vpu_.row_dims = f.row_dims;
  vpu_.lane_reduce = static_cast<Reduce>(f.lane_reduce);
  vpu_.reduce_fp = f.fp;
  vpu_.shuffle = static_cast<Shuffle>(f.shuffle);
  vpu_.shuffle_arg = f.arg;
  return std::nullopt;
}

namespace {

bool is_operation(uint32_t op) {
  for (const auto& value : isa::kEnumValues)
    if (value.type == "vop" && value.value == op) return true;
  return false;
}

bool needs_floating_point(Vop op) {
  switch (op) {
    case Vop::I2F:
    case Vop::F2I:
    case Vop::FADD:
    case Vop::FSUB:
    case Vop::FMUL:
    case Vop::FMIN:
    case Vop::FMAX:
    case Vop::FCEQ:
    case Vop::FCLT:
    case Vop::FCLE:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<Fault> Machine::vpu_stage(const Command& command) {
  const auto f = isa::VpuStage::decode(command.instr);
  if (!is_operation(f.op)) return bad_field(command, f.op);
  if (f.operand > static_cast<uint32_t>(Voperand::A)) return bad_field(command, f.operand);
  if (f.index >= config_.vpu_stages) return unsupported(command, f.index);
  const auto op = static_cast<Vop>(f.op);
  if (needs_floating_point(op) && !config_.has_fp) return unsupported(command, f.op);
  vpu_.stages[f.index] = {op, static_cast<Voperand>(f.operand), f.swap != 0, f.shift,
                          command.a + f.imm};
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_sfu(const Command& command) {
  const auto f = isa::VpuSfu::decode(command.instr);
  if (f.func > static_cast<uint32_t>(Sfu::ERF)) return bad_field(command, f.func);
  const auto func = static_cast<Sfu>(f.func);
  if (func != Sfu::NONE && !config_.has_sfu) return unsupported(command, f.func);
  vpu_.sfu = func;
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_ldv(const Command& command) {
  const auto f = isa::VpuLdv::decode(command.instr);
  const uint32_t addr = command.a + f.imm_a;
  if (addr % config_.word_bytes() != 0) return fault(command, Error::BAD_ALIGN, addr);
  if (auto bad = vmem_row_fault(command, addr)) return bad;
  std::memcpy(vreg[f.index].data(), &vmem[addr], config_.word_bytes());
  activity.vmem_read_bytes += config_.word_bytes();
  return std::nullopt;
}

// ---- walk over rows
// ------------------------------------------------------------------------------

uint32_t Machine::stream_address(const Stream& stream, uint32_t start,
                                 const uint32_t (&index)[3]) const {
  uint32_t distance = 0;
  for (int d = 0; d < 3; ++d) distance += index[d] * static_cast<uint32_t>(stream.stride[d]);
  return start + distance * (stream.from_acc ? 1 : config_.n);
}

/// The first address in row order that is not a multiple of the stream's row, with `counts` rows in
/// each dimension.
std::optional<Fault> Machine::misaligned(const Command& command, const Stream& stream,
                                         uint32_t start, const uint32_t (&counts)[3]) const {
  const uint32_t row_bytes = config_.n * bytes_of(stream.dtype);
  if (start % row_bytes != 0) return fault(command, Error::BAD_ALIGN, start);
  for (int d = 0; d < 3; ++d) {  // dimension 0 moves first, so its step is met first
    uint32_t index[3] = {};
    index[d] = 1;
    const uint32_t addr = stream_address(stream, start, index);
    if (counts[d] > 1 && addr % row_bytes != 0) return fault(command, Error::BAD_ALIGN, addr);
  }
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_run(const Command& command) {
  const auto f = isa::VpuRun::decode(command.instr);
  if (f.lanes == 0 || f.lanes > config_.n) return bad_field(command, f.lanes);
  const uint32_t start_a = command.a + f.imm_a, start_b = command.b + f.imm_b,
                 start_d = command.c + f.imm_d;
  const auto& count = vpu_.count;
  // With a row reduction D has one row a group, at inner indices 0.
  uint32_t d_count[3] = {count[0], count[1], count[2]};
  for (uint32_t d = 0; d < vpu_.row_dims; ++d) d_count[d] = 1;
  if (!vpu_.a.from_acc)
    if (auto bad = misaligned(command, vpu_.a, start_a, count)) return bad;
  if (vpu_.b.enable)
    if (auto bad = misaligned(command, vpu_.b, start_b, count)) return bad;
  if (auto bad = misaligned(command, vpu_.d, start_d, d_count)) return bad;

  const uint32_t n = config_.n;
  std::vector<uint32_t> a(n), b(n), x(n), sum(n), shuffled(n);
  uint32_t index[3];
  for (index[2] = 0; index[2] < count[2]; ++index[2]) {
    for (index[1] = 0; index[1] < count[1]; ++index[1]) {
      for (index[0] = 0; index[0] < count[0]; ++index[0]) {
        // Load.
        const uint32_t addr_a = stream_address(vpu_.a, start_a, index);
        if (vpu_.a.from_acc) {
          if (addr_a >= config_.acc_total()) return fault(command, Error::ACC_BOUNDS, addr_a);
        } else if (auto bad = vmem_row_fault(command, addr_a)) {
          return bad;
        }
        load_lanes(vpu_.a, addr_a, a);
        if (vpu_.b.enable) {
          const uint32_t addr_b = stream_address(vpu_.b, start_b, index);
          if (auto bad = vmem_row_fault(command, addr_b)) return bad;
          load_lanes(vpu_.b, addr_b, b);
        }
        // Shuffle.
        if (vpu_.shuffle != Shuffle::NONE) {
          for (uint32_t l = 0; l < n; ++l) {
            switch (vpu_.shuffle) {
              case Shuffle::ROTATE:
                shuffled[l] = a[(l + vpu_.shuffle_arg) % n];
                break;
              case Shuffle::BROADCAST:
                shuffled[l] = a[vpu_.shuffle_arg];
                break;
              default:
                shuffled[l] = a[vreg[3][l] % n];
                break;
            }
          }
          a.swap(shuffled);
        }
        x = a;
        run_chain(x, a, b);
        ++activity.vpu_rows;
        if (vpu_.lane_reduce != Reduce::NONE) {
          const uint32_t total = reduce_lanes(x, f.lanes);
          std::fill(x.begin(), x.end(), total);
        }
        // Row reduction: where the group starts and ends.
        bool first = true, last = true;
        for (uint32_t d = 0; d < vpu_.row_dims; ++d) {
          first = first && index[d] == 0;
          last = last && index[d] + 1 == count[d];
        }
        if (!first) {
          for (uint32_t l = 0; l < n; ++l)
            sum[l] = reduce_pair(vpu_.row_reduce, vpu_.reduce_fp, sum[l], x[l]);
          (vpu_.reduce_fp ? activity.vpu_fp_add : activity.vpu_int_ops) += f.lanes;
        } else {
          sum = x;
        }
        if (!last) continue;
        uint32_t d_index[3] = {index[0], index[1], index[2]};
        for (uint32_t d = 0; d < vpu_.row_dims; ++d) d_index[d] = 0;
        const uint32_t addr_d = stream_address(vpu_.d, start_d, d_index);
        if (auto bad = vmem_row_fault(command, addr_d)) return bad;
        store_lanes(sum, addr_d, f.lanes);
      }
    }
  }
  return std::nullopt;
}

std::optional<Fault> Machine::vpu_xpose(const Command& command) {
  const auto f = isa::VpuXpose::decode(command.instr);
  if (f.rows == 0 || f.rows > config_.n) return bad_field(command, f.rows);
  if (f.lanes == 0 || f.lanes > config_.n) return bad_field(command, f.lanes);
  Stream source = vpu_.a, target = vpu_.d;
  source.from_acc = false;
  target.dtype = source.dtype;
  const uint32_t start_a = command.a + f.imm_a, start_d = command.c + f.imm_d;
  if (auto bad = misaligned(command, source, start_a, {f.rows, 1, 1})) return bad;
  if (auto bad = misaligned(command, target, start_d, {f.lanes, 1, 1})) return bad;
  const uint32_t bytes = bytes_of(source.dtype);
  std::vector<uint8_t> tile(static_cast<size_t>(f.rows) * f.lanes * bytes);
  for (uint32_t r = 0; r < f.rows; ++r) {
    const uint32_t addr = stream_address(source, start_a, {r, 0, 0});
    if (auto bad = vmem_row_fault(command, addr)) return bad;
    std::memcpy(&tile[static_cast<size_t>(r) * f.lanes * bytes], &vmem[addr], f.lanes * bytes);
    activity.vmem_read_bytes += config_.n * bytes;
  }
  for (uint32_t l = 0; l < f.lanes; ++l) {
    const uint32_t addr = stream_address(target, start_d, {l, 0, 0});
    if (auto bad = vmem_row_fault(command, addr)) return bad;
    for (uint32_t r = 0; r < f.rows; ++r)
      std::memcpy(&vmem[addr + r * bytes], &tile[(static_cast<size_t>(r) * f.lanes + l) * bytes],
                  bytes);
    activity.vmem_write_bytes += f.rows * bytes;
  }
  activity.vpu_rows += f.rows;
  return std::nullopt;
}

}  // namespace ttpu::golden
