// The golden model as a device.
#pragma once
#include <memory>

#include "golden/machine.h"
#include "runtime/device.h"

namespace ttpu {

class GoldenDevice : public Device {
 public:
  GoldenDevice(const Config& config, const DeviceOptions& options);
  const Config& config() const override { return machine_.config(); }
  std::string name() const override { return "golden"; }
  void load(const Image& image) override;
  void write_hbm(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_hbm(uint64_t addr, std::span<uint8_t> bytes) override;
  void write_vmem(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_vmem(uint64_t addr, std::span<uint8_t> bytes) override;
  RunResult run() override;
  void clear() override;
  /// Commands in order of completion; cycle counts commands, the model has no time.
  const std::vector<TraceEvent>& trace() const override { return trace_; }

  /// Everything there is to see: memories, retired commands, activity for the energy model.
  golden::Machine& machine() { return machine_; }

 private:
  golden::Machine machine_;
  DeviceOptions options_;
  uint32_t entry_ = 0;
  bool loaded_ = false, failed_ = false;
  std::vector<TraceEvent> trace_;
};

}  // namespace ttpu
