// MXU: the weight registers and the product of activation rows with them.
#include <algorithm>
#include <cstring>

#include "golden/arith.h"
#include "golden/detail.h"
#include "golden/machine.h"

namespace ttpu::golden {

using detail::bad_field;
using detail::fault;
using detail::is_mxu_type;
using detail::unsupported;
using isa::Dtype;
using isa::Error;
using isa::Opcode;

namespace {

/// Element of a row of 8-bit integers or bf16.
int32_t integer_at(const uint8_t* row, uint32_t i, Dtype dtype) {
  return dtype == Dtype::S8 ? static_cast<int8_t>(row[i]) : row[i];
}
float real_at(const uint8_t* row, uint32_t i) {
  uint16_t bits;
  std::memcpy(&bits, row + 2 * i, 2);
  return as_float(from_bf16(bits));
}

// The sums of one row. N as a constant lets the compiler keep them in vector registers.
template <uint32_t N>
void integer_row(const int32_t* a, const int32_t* w, uint32_t k, uint32_t* sums) {
  uint32_t s[N] = {};
  for (uint32_t i = 0; i < k; ++i)
    for (uint32_t c = 0; c < N; ++c) s[c] += static_cast<uint32_t>(a[i] * w[i * N + c]);
  std::copy_n(s, N, sums);
}

/// Product of two bf16 as fp32: 16 significant bits, so the host's product is exact wherever it is
/// not below 2^-126, and there the flushed one is what is wanted.
inline float bf16_product(float a, float w) { return flush(a * w); }

template <uint32_t N>
void real_row(const float* a, const float* w, uint32_t k, float* sums) {
  float s[N] = {};
  for (uint32_t i = 0; i < k; ++i)
    for (uint32_t c = 0; c < N; ++c) s[c] = add_flushed(s[c], bf16_product(a[i], w[i * N + c]));
  std::copy_n(s, N, sums);
}

// Any other N, as a sum over columns.
void integer_row_any(uint32_t n, const int32_t* a, const int32_t* w, uint32_t k, uint32_t* sums) {
  std::fill_n(sums, n, 0u);
  for (uint32_t i = 0; i < k; ++i)
    for (uint32_t c = 0; c < n; ++c) sums[c] += static_cast<uint32_t>(a[i] * w[i * n + c]);
}
void real_row_any(uint32_t n, const float* a, const float* w, uint32_t k, float* sums) {
  std::fill_n(sums, n, 0.0f);
  for (uint32_t i = 0; i < k; ++i)
    for (uint32_t c = 0; c < n; ++c)
      sums[c] = add_flushed(sums[c], bf16_product(a[i], w[i * n + c]));
}

void integer_sums(uint32_t n, const int32_t* a, const int32_t* w, uint32_t k, uint32_t* sums) {
  switch (n) {
    case 4:
      return integer_row<4>(a, w, k, sums);
    case 8:
      return integer_row<8>(a, w, k, sums);
    case 16:
      return integer_row<16>(a, w, k, sums);
    case 128:
      return integer_row<128>(a, w, k, sums);
    default:
      return integer_row_any(n, a, w, k, sums);
  }
}
void real_sums(uint32_t n, const float* a, const float* w, uint32_t k, float* sums) {
  switch (n) {
    case 8:
      return real_row<8>(a, w, k, sums);
    case 16:
      return real_row<16>(a, w, k, sums);
    case 128:
      return real_row<128>(a, w, k, sums);
    default:
      return real_row_any(n, a, w, k, sums);
  }
}

}  // namespace

// ---- weights
// -------------------------------------------------------------------------------------

std::optional<Fault> Machine::check_loadw(const Command& command) const {
  const auto f = isa::MxuLoadw::decode(command.instr);
  if (f.k == 0 || f.k > config_.n) return bad_field(command, f.k);
  if (f.n == 0 || f.n > config_.n) return bad_field(command, f.n);
  if (!is_mxu_type(f.dtype)) return bad_field(command, f.dtype);
  const auto dtype = static_cast<Dtype>(f.dtype);
  if (dtype == Dtype::BF16 && !config_.has_fp) return unsupported(command, f.dtype);
  const uint32_t row_bytes = config_.n * bytes_of(dtype);
  const auto address = [&](uint32_t row) {
    return command.a + f.imm_a + row * static_cast<uint32_t>(f.stride) * config_.n;
  };
  for (uint32_t row = 0; row < f.k; ++row)
    if (address(row) % row_bytes != 0) return fault(command, Error::BAD_ALIGN, address(row));
  for (uint32_t row = 0; row < f.k; ++row)
    if (auto bad = vmem_row_fault(command, address(row))) return bad;
  return std::nullopt;
}

std::optional<Fault> Machine::execute_mxw(const Command& command) {
  if (auto bad = check_loadw(command)) return bad;
  const auto f = isa::MxuLoadw::decode(command.instr);
  const auto dtype = static_cast<Dtype>(f.dtype);
  Weights& weights = weights_[1];
  weights.k = f.k;
  weights.n = f.n;
  weights.floating = dtype == Dtype::BF16;
  std::fill(weights.integer.begin(), weights.integer.end(), 0);
  for (uint32_t i = 0; i < f.k; ++i) {
    const uint8_t* row =
        &vmem[command.a + f.imm_a + i * static_cast<uint32_t>(f.stride) * config_.n];
    for (uint32_t c = 0; c < f.n; ++c) {
      const size_t at = static_cast<size_t>(i) * config_.n + c;
      if (weights.floating)
        weights.real[at] = real_at(row, c);
      else
        weights.integer[at] = integer_at(row, c, dtype);
    }
  }
  activity.vmem_read_bytes += static_cast<uint64_t>(f.k) * config_.n * bytes_of(dtype);
  filled_ = true;
  return std::nullopt;
}

// ---- stream
// --------------------------------------------------------------------------------------

std::optional<Fault> Machine::execute_mxs(const Command& command) {
  if (static_cast<Opcode>(command.instr.get(0, 8)) == Opcode::MXU_SHAPE) {
    const auto f = isa::MxuShape::decode(command.instr);
    walk_ = {f.inner0, f.inner1, f.stride1, f.stride2};
    return std::nullopt;
  }
  return matmul(command);
}

uint32_t Machine::walk_address(uint32_t start, int32_t stride, uint32_t row) const {
  uint32_t i0 = row, i1 = 0, i2 = 0;
  if (walk_.inner0 != 0) {
    i0 = row % walk_.inner0;
    i1 = row / walk_.inner0;
    if (walk_.inner1 != 0) {
      i2 = i1 / walk_.inner1;
      i1 = i1 % walk_.inner1;
    }
  }
  const uint32_t distance = i0 * static_cast<uint32_t>(stride) +
                            i1 * static_cast<uint32_t>(walk_.stride1) +
                            i2 * static_cast<uint32_t>(walk_.stride2);
  return start + distance * config_.n;
}

std::optional<Fault> Machine::check_matmul(const Command& command) const {
  const auto f = isa::MxuMatmul::decode(command.instr);
  const uint32_t rows = command.c + f.rows;
  if (rows == 0 || rows > 65535) return bad_field(command, rows);
  if (!is_mxu_type(f.dtype)) return bad_field(command, f.dtype);
  const auto dtype = static_cast<Dtype>(f.dtype);
  if (dtype == Dtype::BF16 && !config_.has_fp) return unsupported(command, f.dtype);
  if (weights_[f.swap].floating != (dtype == Dtype::BF16)) return bad_field(command, f.dtype);
  const uint32_t row_bytes = config_.n * bytes_of(dtype);
  const uint32_t start = command.a + f.imm_a;
  // Alignment of the rows up to the first step along dimension 2 before any bounds; that of later
  // rows, which only an odd stride2 of bf16 can break, as they come.
  const uint64_t block = static_cast<uint64_t>(walk_.inner0) * walk_.inner1;
  const uint64_t checked_first = block == 0 ? rows : std::min<uint64_t>(rows, block);
  for (uint32_t row = 0; row < checked_first; ++row) {
    const uint32_t addr = walk_address(start, f.stride, row);
    if (addr % row_bytes != 0) return fault(command, Error::BAD_ALIGN, addr);
    if (row_bytes == config_.n) break;  // strides are multiples of this row
  }
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t addr = walk_address(start, f.stride, row);
    if (addr % row_bytes != 0) return fault(command, Error::BAD_ALIGN, addr);
    if (auto bad = vmem_row_fault(command, addr)) return bad;
    const uint32_t acc_row = command.b + f.acc + row;
    if (acc_row >= config_.acc_total()) return fault(command, Error::ACC_BOUNDS, acc_row);
  }
  return std::nullopt;
}

std::optional<Fault> Machine::matmul(const Command& command) {
  if (auto bad = check_matmul(command)) return bad;
  const auto f = isa::MxuMatmul::decode(command.instr);
  const auto dtype = static_cast<Dtype>(f.dtype);
  const bool floating = dtype == Dtype::BF16;
  if (f.swap) {
    std::swap(weights_[0], weights_[1]);
    filled_ = false;
  }
  const Weights& weights = weights_[0];
  const uint32_t rows = command.c + f.rows, n = config_.n, k = weights.k;
  const uint32_t start = command.a + f.imm_a;
  std::vector<int32_t> a(n);
  std::vector<float> a_real(n), sums_real(n);
  std::vector<uint32_t> sums(n);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint8_t* in = &vmem[walk_address(start, f.stride, row)];
    if (floating) {
      for (uint32_t i = 0; i < k; ++i) a_real[i] = real_at(in, i);
      real_sums(n, a_real.data(), weights.real.data(), k, sums_real.data());
      for (uint32_t c = 0; c < n; ++c) sums[c] = c < weights.n ? result_bits(sums_real[c]) : 0;
    } else {
      for (uint32_t i = 0; i < k; ++i) a[i] = integer_at(in, i, dtype);
      integer_sums(n, a.data(), weights.integer.data(), k, sums.data());
    }
    uint32_t* out = &acc[static_cast<size_t>(command.b + f.acc + row) * n];
    for (uint32_t c = 0; c < n; ++c) {
      if (!f.accumulate)
        out[c] = sums[c];
      else
        out[c] = floating ? fadd(out[c], sums[c]) : out[c] + sums[c];
    }
  }
  const uint64_t macs = static_cast<uint64_t>(rows) * k * weights.n;
  (floating ? activity.macs_bf16 : activity.macs_int8) += macs;
  activity.mxu_rows += rows;
  activity.mxu_macs += macs;
  activity.vmem_read_bytes += static_cast<uint64_t>(rows) * n * bytes_of(dtype);
  activity.acc_write_bytes += static_cast<uint64_t>(rows) * n * 4;
  if (f.accumulate) activity.acc_read_bytes += static_cast<uint64_t>(rows) * n * 4;
  return std::nullopt;
}

}  // namespace ttpu::golden
