// A program on the golden model and on the model of the microprogrammed core: all that may differ.
#pragma once
#include <string>

#include "micro_device.h"
#include "runtime/golden_device.h"

namespace micro_test {

/// Both devices with the same random VMEM, accumulators and HBM, and `image` loaded.
struct Pair {
  Pair(const ttpu::Config& config, const ttpu::DeviceOptions& options, const ttpu::Image& image,
       const ttpu::timing::micro::Image* microcode = nullptr, uint64_t data_seed = 0,
       const Attach& attach = {});
  ttpu::GoldenDevice golden;
  MicroDevice micro;
};

/// Run both and compare outcome, commands retired, memories, scalar registers, flags and the
/// counters that the golden model has; an empty text if all is equal, else what differs.
/// `result` gets what the micro core counted. After a fault the memories are compared too unless
/// `memories_after_fault` is false.
std::string run_and_compare(Pair& pair, ttpu::RunResult& result, bool memories_after_fault = true);

/// "done", or the error with unit, pc and address.
std::string describe(const ttpu::RunResult& result);

}  // namespace micro_test
