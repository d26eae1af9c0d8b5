// Energy of a run: operations and memory accesses times published energies
// (docs/reference/energy.md).
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "golden/machine.h"
#include "isa/generated/configs_gen.h"

namespace ttpu::energy {

/// Process for which energies are published.
enum class Node { NM45, NM7 };

/// Energies of one process in pJ; memory accesses of 64 bits.
struct Table {
  std::string_view name;
  double add_int8, add_int32, mul_int8, mul_int32;
  double add_bf16, mul_bf16;  ///< at 45 nm those of fp16, of which the source tells
  double add_fp16, mul_fp16, add_fp32, mul_fp32;
  double sram_8k, sram_32k, sram_1m;
  double dram;  ///< 45 nm: DDR3; 7 nm: HBM2, the middle of the published range
};
const Table& table(Node node);

/// Energy in pJ of a 64-bit access to an SRAM of that many bytes: a straight line in log-log
/// between the published sizes, continued beyond them with the slope of the nearest two.
double sram_access(const Table& table, double bytes);

/// Energy of one part of the chip.
struct Part {
  std::string_view name;
  double pj;
};

/// Energy of a run by part, in the order of data flow.
struct Report {
  Node node = Node::NM7;
  std::vector<Part> parts;  ///< control, hbm, cmem, vmem, mxu, acc, vpu
  double total_pj() const;
  double part(std::string_view name) const;  ///< 0 if there is no such part
};

/// Energy of what a run did on one core of a configuration. Dynamic energy of operations and memory
/// accesses only: no clock tree, wires or leakage.
Report estimate(const golden::Activity& activity, const Config& config, Node node);

}  // namespace ttpu::energy
