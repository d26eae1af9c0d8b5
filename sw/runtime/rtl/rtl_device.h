// The Verilated chip as a device: driven as a host would drive it, through AXI4-Lite and the
// interrupt. Compiled once for each configuration (TTPU_MODEL, TTPU_CONFIG_NAME, TTPU_AXI_BYTES).
#pragma once
#include <array>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include TTPU_MODEL_HEADER
#include "runtime/device.h"
#include "tb/axi_lite.h"
#include "tb/axi_memory.h"
#include "verilated.h"
#ifdef TTPU_TRACED
#include "verilated_fst_c.h"
#endif

namespace ttpu {

/// The chip with an HBM for each tensor core. Calls act on the core selected; the others stand
/// still, except in run_all().
class RtlDevice final : public Device {
 public:
  RtlDevice(const Config& config, const DeviceOptions& options);
  ~RtlDevice() override;
  const Config& config() const override { return config_; }
  std::string name() const override { return "rtl"; }
  void load(const Image& image) override;
  void write_hbm(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_hbm(uint64_t addr, std::span<uint8_t> bytes) override;
  void write_vmem(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_vmem(uint64_t addr, std::span<uint8_t> bytes) override;
  RunResult run() override;
  void clear() override;
  void select_core(uint32_t core) override;
  std::vector<RunResult> run_all() override;
  const std::vector<TraceEvent>& trace() const override { return trace_; }

  /// Clock cycles so far, reset and register accesses included.
  uint64_t cycle() const { return cycle_; }
  /// One clock cycle; `extensions` as for tb::Controller.
  template <class... Extensions>
  void tick(Extensions&... extensions);

 private:
  using Model = TTPU_MODEL;
  using Memory = tb::AxiMemory<TTPU_AXI_BYTES>;
  struct Free {
    void operator()(uint8_t* p) const { std::free(p); }
  };

  /// A tensor core as the host sees it.
  struct Core {
    std::unique_ptr<uint8_t[], Free> hbm;  // zeros, given by the system page by page
    std::unique_ptr<Memory> memory;
    uint32_t imem_used = 0;  ///< instructions that a load has to overwrite or clear
    bool loaded = false, failed = false;
  };

  void quiet_inputs();
  void make_memory(uint32_t core);
  void set_up_core();
  void check_can_run() const;
  void reset();
  void open_wave();
  void close_wave();
  void dump(uint64_t half);
  uint32_t read_reg(uint32_t reg);
  void write_reg(uint32_t reg, uint32_t value);
  void check_identity();
  /// Program memories of a core that starts with random contents: the image says only its own part.
  void fill_imem(uint32_t from, uint32_t to);
  template <bool Traced>
  bool run_clock(uint64_t max_cycles);
  void take_trace(uint64_t cycle);
  void stop_on_error();
  void read_result(RunResult& result);
  std::span<uint8_t> hbm_range(uint64_t addr, uint64_t size);
  void check_vmem_range(uint64_t addr, uint64_t size) const;

  const Config& config_;
  DeviceOptions options_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Model> top_;
#ifdef TTPU_TRACED
  std::unique_ptr<VerilatedFstC> wave_;
#endif
  std::vector<Core> cores_;
  uint32_t core_ = 0;  ///< selected
  std::unique_ptr<tb::AxiLiteMaster<RtlDevice>> bus_;
  uint64_t cycle_ = 0;
  std::vector<TraceEvent> trace_;
  std::array<std::deque<isa::Opcode>, isa::kNumUnits> open_;  // commands of each unit that run
};

}  // namespace ttpu
