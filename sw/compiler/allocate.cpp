// Placement of buffers in VMEM: banks apart first, close-packed if that does not fit.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "compiler/plan.h"

namespace ttpu::compiler {
namespace {

bool live_together(const Buffer& a, const Buffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Cost of two buffers in one bank: two units that would compete for the same port of it. The
/// matrix unit's stream reads in every cycle, so it counts most.
int conflict(const Buffer& a, const Buffer& b, bool single_port) {
  int cost = 0;
  const bool stream = a.reader == isa::Unit::MXS || b.reader == isa::Unit::MXS;
  if (a.reader != b.reader) cost += stream ? 16 : 2;
  if (a.writer != b.writer) cost += 1;
  if (single_port && stream) cost += 4;
  return cost;
}

}  // namespace

bool allocate(std::vector<Buffer>& buffers, const Config& config, uint64_t vmem_bytes,
              bool separate_banks) {
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return buffers[x].bytes > buffers[y].bytes; });
  std::vector<size_t> placed;
  const uint64_t bank = config.bank_bytes();
  for (const size_t i : order) {
    Buffer& x = buffers[i];
    if (x.bytes == 0) continue;
    std::vector<uint64_t> candidates = {0};
    if (separate_banks)
      for (uint64_t a = bank; a < vmem_bytes; a += bank) candidates.push_back(a);
    for (const size_t j : placed)
      if (live_together(x, buffers[j])) candidates.push_back(buffers[j].addr + buffers[j].bytes);
    std::sort(candidates.begin(), candidates.end());
    long best_cost = -1;
    uint64_t best = 0;
    for (const uint64_t a : candidates) {
      if (a + x.bytes > vmem_bytes) continue;
      long cost = 0;
      bool overlap = false;
      for (const size_t j : placed) {
        const Buffer& y = buffers[j];
        if (!live_together(x, y)) continue;
        if (a < y.addr + y.bytes && y.addr < a + x.bytes) {
          overlap = true;
          break;
        }
        if (!separate_banks) continue;
        const uint64_t low = std::max(a / bank, y.addr / bank);
        const uint64_t high = std::min((a + x.bytes - 1) / bank, (y.addr + y.bytes - 1) / bank);
        if (low <= high) cost += conflict(x, y, config.vmem_ports == 1);
      }
      if (overlap) continue;
      if (best_cost < 0 || cost < best_cost) {
        best_cost = cost;
        best = a;
      }
    }
    if (best_cost < 0) return false;
    x.addr = best;
    placed.push_back(i);
  }
  return true;
}

void check_plan(const Plan& plan, const Config& config, uint64_t vmem_bytes) {
  auto fail = [](const std::string& why) { throw std::logic_error("VMEM plan: " + why); };
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const Buffer& x = plan.buffers[i];
    if (x.addr % config.word_bytes()) fail("'" + x.name + "' is not aligned");
    if (x.addr + x.bytes > vmem_bytes)
      fail("'" + x.name + "' ends at " + std::to_string(x.addr + x.bytes) + " of " +
           std::to_string(vmem_bytes));
    for (size_t j = i + 1; j < plan.buffers.size(); ++j) {
      const Buffer& y = plan.buffers[j];
      if (live_together(x, y) && x.addr < y.addr + y.bytes && y.addr < x.addr + x.bytes)
        fail("'" + x.name + "' [" + std::to_string(x.addr) + ", " +
             std::to_string(x.addr + x.bytes) + ") overlaps '" + y.name + "' [" +
             std::to_string(y.addr) + ", " + std::to_string(y.addr + y.bytes) + ")");
    }
  }
}

}  // namespace ttpu::compiler
