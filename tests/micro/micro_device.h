// The model of the microprogrammed core as a device: same calls as the golden model and the RTL.
#pragma once
#include <functional>
#include <memory>
#include <random>

#include "runtime/device.h"
#include "timing/micro_host.h"

namespace micro_test {

/// Memory behind the core, with latency, random extra latency and parts that answer with errors.
class HbmBus : public ttpu::timing::micro::Bus {
 public:
  HbmBus(const ttpu::DeviceOptions& options);
  Answer read(uint64_t addr) override;
  Answer write(uint64_t addr, uint32_t data, uint32_t strobes) override;
  std::vector<uint8_t>& bytes() { return bytes_; }
  uint64_t transfers() const { return transfers_; }

 private:
  uint32_t latency();
  bool fails(uint64_t addr, bool write) const;

  ttpu::MemoryModel model_;
  std::vector<uint8_t> bytes_;
  std::mt19937_64 random_;
  uint64_t transfers_ = 0;
};

/// Called with a core before it does anything.
using Attach = std::function<void(ttpu::timing::micro::Core&)>;

class MicroDevice : public ttpu::Device {
 public:
  /// Runs the built-in microcode, or `image`.
  MicroDevice(const ttpu::Config& config, const ttpu::DeviceOptions& options,
              const ttpu::timing::micro::Image* image = nullptr, const Attach& attach = {});
  const ttpu::Config& config() const override { return config_; }
  std::string name() const override { return "micro"; }
  void load(const ttpu::Image& image) override;
  void write_hbm(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_hbm(uint64_t addr, std::span<uint8_t> bytes) override;
  /// VMEM directly in the local memory, not through VMEM_DATA.
  void write_vmem(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_vmem(uint64_t addr, std::span<uint8_t> bytes) override;
  ttpu::RunResult run() override;
  void clear() override;
  const std::vector<ttpu::TraceEvent>& trace() const override { return trace_; }

  ttpu::timing::micro::Core& core() { return core_; }
  ttpu::timing::micro::Host& host() { return host_; }

 private:
  const ttpu::Config& config_;
  ttpu::DeviceOptions options_;
  HbmBus bus_;
  ttpu::timing::micro::Core core_;
  ttpu::timing::micro::Host host_;
  bool loaded_ = false, failed_ = false;
  std::vector<ttpu::TraceEvent> trace_;
};

}  // namespace micro_test
