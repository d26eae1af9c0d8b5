// A chip on a board, through the UART bridge: back end "board:PORT[:BAUD]" of the device API.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "runtime/board/board_link.h"
#include "runtime/device.h"

namespace ttpu {

/// What a board says of itself.
struct BoardIdentity {
  uint32_t id = 0, version = 0, config_hash = 0, config_id = 0, array_n = 0, vmem_bytes = 0,
           acc_rows = 0, imem_words = 0, smem_words = 0, cmem_bytes = 0;
  /// The configuration with this hash, null if this release knows none.
  const Config* config() const;
};
/// Throws DeviceError if the chip's ID is another.
BoardIdentity read_identity(BoardLink& link);

class BoardDevice final : public Device {
 public:
  /// Checks identity and configuration hash, stops what runs. Throws DeviceError.
  BoardDevice(std::unique_ptr<BoardLink> link, const Config& config, const DeviceOptions& options);
  const Config& config() const override { return config_; }
  std::string name() const override { return "board:" + link_->name(); }
  void load(const Image& image) override;
  void write_hbm(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_hbm(uint64_t addr, std::span<uint8_t> bytes) override;
  void write_vmem(uint64_t addr, std::span<const uint8_t> bytes) override;
  void read_vmem(uint64_t addr, std::span<uint8_t> bytes) override;
  /// At most max_cycles cycles of the chip's counter (error WATCHDOG).
  RunResult run() override;
  void clear() override;
  /// Always empty: a board has no trace.
  const std::vector<TraceEvent>& trace() const override { return trace_; }
  BoardLink& link() { return *link_; }
  uint32_t hbm_bytes() const { return link_->memory_bytes(); }

 private:
  uint32_t read_reg(uint32_t reg);
  void write_reg(uint32_t reg, uint32_t value);
  void read_result(RunResult& result);
  void check_range(const char* memory, uint64_t addr, uint64_t size, uint64_t limit) const;
  void write_bytes(uint64_t addr, std::span<const uint8_t> bytes, bool hbm);
  void read_bytes(uint64_t addr, std::span<uint8_t> bytes, bool hbm);

  std::unique_ptr<BoardLink> link_;
  const Config& config_;
  DeviceOptions options_;
  uint32_t imem_used_ = 0;  ///< instructions of the last load
  bool loaded_ = false, failed_ = false;
  std::vector<TraceEvent> trace_;
};

/// Greet the board of a device string; see parse_board. The link is named by its port, also where
/// the string leaves the port out. Throws DeviceError.
std::unique_ptr<BoardLink> open_link(const std::string& device);
/// Open it as a device.
std::unique_ptr<Device> open_board(const std::string& device, const Config& config,
                                   const DeviceOptions& options);

}  // namespace ttpu
