// VPU: what happens to one row.
#include <algorithm>
#include <cstring>

#include "golden/arith.h"
#include "golden/detail.h"
#include "golden/machine.h"
#include "golden/sfu.h"

namespace ttpu::golden {

using isa::Dtype;
using isa::Reduce;
using isa::Sfu;
using isa::Vop;
using isa::Voperand;

void Machine::load_lanes(const Stream& stream, uint32_t addr, std::vector<uint32_t>& lanes) {
  const uint32_t n = config_.n;
  if (stream.from_acc) {
    std::copy_n(&acc[static_cast<size_t>(addr) * n], n, lanes.begin());
    activity.acc_read_bytes += 4 * n;
  } else {
    const uint8_t* row = &vmem[addr];
    activity.vmem_read_bytes += n * bytes_of(stream.dtype);
    for (uint32_t l = 0; l < n; ++l) {
      switch (stream.dtype) {
        case Dtype::S8:
          lanes[l] = static_cast<uint32_t>(static_cast<int8_t>(row[l]));
          break;
        case Dtype::U8:
          lanes[l] = row[l];
          break;
        case Dtype::BF16: {
          uint16_t half;
          std::memcpy(&half, row + 2 * l, 2);
          lanes[l] = from_bf16(half);
          break;
        }
        default:
          std::memcpy(&lanes[l], row + 4 * l, 4);
          break;
      }
    }
  }
  if (stream.dequant) {
    for (uint32_t& lane : lanes) lane = dequantise(lane, stream.zp, stream.scale);
    activity.vpu_fp_mul += n;
    activity.vpu_int_ops += n;
  }
}

namespace {

uint32_t imin(uint32_t x, uint32_t y) {
  return static_cast<int32_t>(x) < static_cast<int32_t>(y) ? x : y;
}
uint32_t imax(uint32_t x, uint32_t y) {
  return static_cast<int32_t>(x) > static_cast<int32_t>(y) ? x : y;
}

/// Value of an operation that is neither a comparison nor SEL.
uint32_t operate(Vop op, uint32_t x, uint32_t y, uint32_t shift) {
  const auto sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
  switch (op) {
    case Vop::IADD:
      return x + y;
    case Vop::ISUB:
      return x - y;
    case Vop::IMUL:
      return x * y;
    case Vop::IMIN:
      return imin(x, y);
    case Vop::IMAX:
      return imax(x, y);
    case Vop::ISHL:
      return x << y % 32;
    case Vop::ISRA:
      return static_cast<uint32_t>(sx >> y % 32);
    case Vop::ISRL:
      return x >> y % 32;
    case Vop::AND:
      return x & y;
    case Vop::OR:
      return x | y;
    case Vop::XOR:
      return x ^ y;
    case Vop::IQMUL:
      return static_cast<uint32_t>(iqmul(sx, sy, shift));
    case Vop::I2F:
      return i2f(x);
    case Vop::F2I:
      return static_cast<uint32_t>(f2i(x));
    case Vop::FADD:
      return fadd(x, y);
    case Vop::FSUB:
      return fsub(x, y);
    case Vop::FMUL:
      return fmul(x, y);
    case Vop::FMIN:
      return fmin(x, y);
    case Vop::FMAX:
      return fmax(x, y);
    default:  // PASS, and x passes in comparisons
      return x;
  }
}

/// The predicate that a comparison sets; `before` for any other operation.
bool compare(Vop op, uint32_t x, uint32_t y, bool before) {
  const auto sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
  switch (op) {
    case Vop::ICEQ:
      return x == y;
    case Vop::ICLT:
      return sx < sy;
    case Vop::ICLE:
      return sx <= sy;
    case Vop::FCEQ:
      return fceq(x, y);
    case Vop::FCLT:
      return fclt(x, y);
    case Vop::FCLE:
      return fcle(x, y);
    default:
      return before;
  }
}

}  // namespace

Lane operate_lane(Vop op, uint32_t left, uint32_t right, uint32_t shift, bool predicate) {
  predicate = compare(op, left, right, predicate);
  if (op == Vop::SEL) return {predicate ? left : right, predicate};
  return {operate(op, left, right, shift), predicate};
}

uint32_t reduce_pair(Reduce reduce, bool floating, uint32_t x, uint32_t y) {
  switch (reduce) {
    case Reduce::SUM:
      return floating ? fadd(x, y) : x + y;
    case Reduce::MAX:
      return floating ? fmax(x, y) : imax(x, y);
    case Reduce::MIN:
      return floating ? fmin(x, y) : imin(x, y);
    default:
      return x;
  }
}

void Machine::run_stage(const Stage& stage, std::vector<uint32_t>& x,
                        const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
                        std::vector<uint8_t>& predicate) {
  if (stage.op == Vop::PASS && !stage.swap) return;
  const uint32_t n = config_.n;
  for (uint32_t l = 0; l < n; ++l) {
    uint32_t left = x[l], right = 0;
    switch (stage.operand) {
      case Voperand::CONST:
        right = stage.constant;
        break;
      case Voperand::V0:
      case Voperand::V1:
      case Voperand::V2:
      case Voperand::V3:
        right = vreg[static_cast<int>(stage.operand) - static_cast<int>(Voperand::V0)][l];
        break;
      case Voperand::B:
        right = vpu_.b.enable ? b[l] : 0;
        break;
      case Voperand::A:
        right = a[l];
        break;
    }
    if (stage.swap) std::swap(left, right);
    const Lane result = operate_lane(stage.op, left, right, stage.shift, predicate[l] != 0);
    x[l] = result.value;
    predicate[l] = result.predicate;
  }
  switch (stage.op) {
    case Vop::PASS:
      break;
    case Vop::FADD:
    case Vop::FSUB:
    case Vop::FMIN:
    case Vop::FMAX:
    case Vop::FCEQ:
    case Vop::FCLT:
    case Vop::FCLE:
      activity.vpu_fp_add += n;
      break;
    case Vop::FMUL:
      activity.vpu_fp_mul += n;
      break;
    default:
      activity.vpu_int_ops += n;
      break;
  }
}

void Machine::run_chain(std::vector<uint32_t>& x, const std::vector<uint32_t>& a,
                        const std::vector<uint32_t>& b) {
  std::vector<uint8_t> predicate(config_.n, 0);
  const size_t half = vpu_.stages.size() / 2;
  for (size_t s = 0; s < vpu_.stages.size(); ++s) {
    if (s == half && vpu_.sfu != Sfu::NONE) {
      for (uint32_t& lane : x) lane = special_function(vpu_.sfu, lane);
      activity.vpu_sfu += config_.n;
    }
    run_stage(vpu_.stages[s], x, a, b, predicate);
  }
}

uint32_t Machine::reduce_lanes(const std::vector<uint32_t>& x, uint32_t lanes) {
  // A binary tree: neighbours meet, level by level; a node without a partner passes.
  std::vector<uint32_t> level(x.begin(), x.begin() + lanes);
  while (level.size() > 1) {
    std::vector<uint32_t> next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(i + 1 < level.size()
                         ? reduce_pair(vpu_.lane_reduce, vpu_.reduce_fp, level[i], level[i + 1])
                         : level[i]);
    level.swap(next);
  }
  (vpu_.reduce_fp ? activity.vpu_fp_add : activity.vpu_int_ops) += lanes - 1;
  return level[0];
}

void Machine::store_lanes(const std::vector<uint32_t>& x, uint32_t addr, uint32_t lanes) {
  const Stream& d = vpu_.d;
  uint8_t* row = &vmem[addr];
  for (uint32_t l = 0; l < lanes; ++l) {
    const int64_t integer =
        d.floating ? static_cast<int64_t>(f2i(x[l])) : static_cast<int32_t>(x[l]);
    switch (d.dtype) {
      case Dtype::S8:
        row[l] = saturate_s8(integer, d.zp);
        break;
      case Dtype::U8:
        row[l] = saturate_u8(integer, d.zp);
        break;
      case Dtype::BF16: {
        const uint16_t half = to_bf16(x[l]);
        std::memcpy(row + 2 * l, &half, 2);
        break;
      }
      case Dtype::I32: {
        const auto word = static_cast<int32_t>(integer);
        std::memcpy(row + 4 * l, &word, 4);
        break;
      }
      case Dtype::F32:
        std::memcpy(row + 4 * l, &x[l], 4);
        break;
    }
  }
  activity.vmem_write_bytes += lanes * bytes_of(d.dtype);
}

}  // namespace ttpu::golden
