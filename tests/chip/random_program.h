// Random programs for a whole core, free of races by construction: whatever two commands of
// different units touch in common is ordered by a flag, so program order gives the one right
// answer. Commands of one unit are ordered by a SYNC or by nothing but the unit
// (docs/reference/dma.md, vpu.md).
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "isa/generated/isa_gen.h"
#include "tb/random.h"

namespace chip_test {

using ttpu::Config;
using ttpu::isa::Dtype;
using ttpu::isa::Instr;
using ttpu::isa::Opcode;
using ttpu::isa::Unit;

/// A contiguous piece of a memory.
struct Range {
  uint64_t first = 0, size = 0;
  uint64_t end() const { return first + size; }
  bool overlaps(const Range& o) const { return first < o.end() && o.first < end(); }
};

inline constexpr int kUnits = 5;  // that have a queue: DMA0, DMA1, MXW, MXS, VPU

struct RandomProgram {
  std::vector<Instr> code;
  std::vector<Range> arenas;             ///< VMEM that the program uses
  std::map<Opcode, uint32_t> histogram;  ///< commands generated
  /// Commands that only the unit's own order keeps from a race with an earlier one of that unit.
  std::array<uint32_t, kUnits> left_to_unit{};
  /// Program counter of the command that last wrote a byte of HBM or VMEM, ~0u = none.
  std::vector<uint32_t> hbm_writer, vmem_writer;
};

struct RandomProgramOptions {
  uint32_t commands = 120;        ///< commands that move data, roughly
  uint64_t hbm_bytes = 1u << 17;  ///< lower quarter: data; the rest: dumps at the end
};

RandomProgram random_program(const Config& config, tb::Random& rng,
                             RandomProgramOptions options = {});

}  // namespace chip_test
