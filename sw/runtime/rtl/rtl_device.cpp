#include "runtime/rtl/rtl_device.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "tb/interrupt.h"

namespace ttpu {

namespace {

/// From the registers of a core to those of the next, and from its HBM to the next one's.
constexpr uint32_t kCoreWindow = 1u << regs::kWindowBits;
constexpr uint64_t kCoreHbm = 1ull << 40;
constexpr uint32_t kStart = 1, kClear = 2;
constexpr uint32_t kRunning = 1, kDone = 2, kError = 4, kQuiet = 8;
/// The watchdog's value at reset.
constexpr uint64_t kWatchdogCycles = 0x00100000;
/// Cycles that an orderly stop may take: all bursts in flight, however slow the memory.
constexpr uint64_t kClearCycles = 10'000'000;

}  // namespace

// ---- clock
// ---------------------------------------------------------------------------------------

template <class... Extensions>
inline void RtlDevice::tick(Extensions&... extensions) {
  for (auto& core : cores_) core.memory->before_clock();
  top_->clk_i = 0;
  top_->eval();
  for (auto& core : cores_) core.memory->at_clock();
  (extensions.at_clock(), ...);
  dump(0);
  top_->clk_i = 1;
  top_->eval();
  context_->timeInc(2);
  dump(1);
  ++cycle_;
}

inline void RtlDevice::dump([[maybe_unused]] uint64_t half) {
#ifdef TTPU_TRACED
  if (wave_) wave_->dump(2 * cycle_ + half);
#endif
}

void RtlDevice::open_wave() {
#ifdef TTPU_TRACED
  if (options_.trace_file.empty()) return;
  wave_ = std::make_unique<VerilatedFstC>();
  top_->trace(wave_.get(), 99);
  wave_->open(options_.trace_file.c_str());
  if (!wave_->isOpen())
    throw DeviceError("cannot write the wave " + options_.trace_file +
                      ": check that its folder exists and can be written");
  tb::catch_interrupt();
#endif
}

void RtlDevice::close_wave() {
#ifdef TTPU_TRACED
  if (wave_) wave_->close();
  wave_.reset();
#endif
}

void RtlDevice::quiet_inputs() {
  auto& t = *top_;
  t.clk_i = 0;
  t.rst_ni = 0;
  t.s_axil_awvalid_i = t.s_axil_wvalid_i = t.s_axil_bready_i = 0;
  t.s_axil_arvalid_i = t.s_axil_rready_i = 0;
  t.s_axil_awaddr_i = t.s_axil_araddr_i = t.s_axil_wdata_i = 0;
  t.s_axil_wstrb_i = 0;
  for (uint32_t c = 0; c < config_.cores; ++c) {
    t.m_axi_awready_i[c] = t.m_axi_wready_i[c] = t.m_axi_bvalid_i[c] = 0;
    t.m_axi_arready_i[c] = t.m_axi_rvalid_i[c] = 0;
    t.m_axi_bid_i[c] = t.m_axi_bresp_i[c] = t.m_axi_rid_i[c] = t.m_axi_rresp_i[c] = 0;
    t.m_axi_rlast_i[c] = 0;
  }
}

void RtlDevice::reset() {
  top_->rst_ni = 0;
  for (int i = 0; i < 4; ++i) {
    top_->clk_i = 0;
    top_->eval();
    dump(0);
    top_->clk_i = 1;
    top_->eval();
    context_->timeInc(2);
    dump(1);
    ++cycle_;
  }
  top_->rst_ni = 1;
}

RtlDevice::RtlDevice(const Config& config, const DeviceOptions& options)
    : config_(*find_config(TTPU_CONFIG_NAME)), options_(options) {
  if (config.hash != config_.hash)
    throw DeviceError(tb::format(
        "this library simulates '%s' (hash %08x), '%s' (hash %08x) is asked for: build it again",
        TTPU_CONFIG_NAME, config_.hash, std::string(config.name).c_str(), config.hash));
  context_ = std::make_unique<VerilatedContext>();
  context_->fatalOnError(false);
  if (options.random_init_seed) {
    context_->randReset(2);
    context_->randSeed(static_cast<int>(options.random_init_seed & 0x7fffffff) | 1);
  } else {
    context_->randReset(0);
  }
#ifdef TTPU_TRACED
  context_->traceEverOn(true);
#else
  if (!options_.trace_file.empty())
    throw DeviceError("this build of the rtl back end has no waves: use the _trace library");
#endif
  top_ = std::make_unique<Model>(context_.get(), "top");
  open_wave();
  quiet_inputs();

  cores_.resize(config_.cores);
  for (uint32_t c = 0; c < config_.cores; ++c) make_memory(c);
  bus_ = std::make_unique<tb::AxiLiteMaster<RtlDevice>>(*this, TTPU_BIND_AXI_LITE(*top_, s_axil_),
                                                        100'000);
  reset();
  check_identity();
  for (core_ = config_.cores; core_-- > 0;) set_up_core();
  core_ = 0;
}

void RtlDevice::make_memory(uint32_t core) {
  // Whole beats at the end of the window.
  const uint64_t bytes =
      (options_.hbm_bytes + TTPU_AXI_BYTES - 1) / TTPU_AXI_BYTES * TTPU_AXI_BYTES;
  Core& c = cores_[core];
  c.hbm.reset(static_cast<uint8_t*>(std::calloc(std::max<uint64_t>(bytes, 1), 1)));
  if (!c.hbm)
    throw DeviceError(tb::format("no memory for %llu bytes of HBM: open the device with less",
                                 static_cast<unsigned long long>(options_.hbm_bytes)));
  const MemoryModel& model = options_.memory;
  tb::AxiMemoryOptions memory;
  memory.base = model.base + core * kCoreHbm;
  memory.latency = model.latency;
  memory.bytes_per_cycle = model.bytes_per_cycle;
  memory.seed = model.seed ? model.seed + core : 0;
  memory.stall_percent = model.seed ? model.stall_percent : 0;
  memory.latency_jitter = model.seed ? model.latency : 0;
  for (const MemoryError& e : model.errors)
    memory.errors.push_back({memory.base + e.first, memory.base + e.last,
                             e.decode ? tb::kDecodeError : tb::kSlaveError, e.on_read, e.on_write});
  memory.name = core ? tb::format("HBM of core %u", core) : "HBM";
  c.memory = std::make_unique<Memory>(TTPU_BIND_AXI_AT(TTPU_AXI_BYTES, *top_, m_axi_, core),
                                      std::span<uint8_t>(c.hbm.get(), bytes), memory);
}

/// Registers of the core selected, before its first program.
void RtlDevice::set_up_core() {
  const uint64_t base = options_.memory.base + core_ * kCoreHbm;
  cores_[core_].imem_used = options_.random_init_seed ? config_.imem_words : 0;
  write_reg(regs::kHbmBaseLo, static_cast<uint32_t>(base));
  write_reg(regs::kHbmBaseHi, static_cast<uint32_t>(base >> 32));
  write_reg(regs::kHbmSizeLo, static_cast<uint32_t>(options_.hbm_bytes));
  write_reg(regs::kHbmSizeHi, static_cast<uint32_t>(options_.hbm_bytes >> 32));
  // A hang is reported by the chip itself, with what it waits for, before the patience here ends.
  write_reg(regs::kWatchdog, static_cast<uint32_t>(std::clamp<uint64_t>(options_.max_cycles / 2, 1,
                                                                        kWatchdogCycles)));
  write_reg(regs::kIrqEnable, 3);
}

RtlDevice::~RtlDevice() {
  close_wave();
  if (top_) top_->final();
}

// ---- registers
// -----------------------------------------------------------------------------------

uint32_t RtlDevice::read_reg(uint32_t reg) {
  const uint32_t value = bus_->read(core_ * kCoreWindow + reg);
  stop_on_error();
  if (bus_->response() != 0)
    throw DeviceError(tb::format("the chip refused the read of register 0x%05x", reg));
  return value;
}

void RtlDevice::write_reg(uint32_t reg, uint32_t value) {
  bus_->write(core_ * kCoreWindow + reg, value);
  stop_on_error();
  if (bus_->response() != 0)
    throw DeviceError(
        tb::format("the chip refused the write of 0x%08x to register 0x%05x", value, reg));
}

void RtlDevice::check_identity() {
  const uint32_t id = read_reg(regs::kId), hash = read_reg(regs::kConfigHash);
  if (id != 0x55505454 || hash != config_.hash)
    throw DeviceError(tb::format(
        "the chip says ID %08x and configuration hash %08x, expected 55505454 and %08x of '%s'", id,
        hash, config_.hash, TTPU_CONFIG_NAME));
}

/// An assertion in the RTL failed: its message stands on stderr.
void RtlDevice::stop_on_error() {
  if (!context_->gotError()) [[likely]]
    return;
  context_->gotError(false);
  context_->gotFinish(false);
  close_wave();
  throw DeviceError(
      tb::format("an assertion of the RTL failed in cycle %llu (its message is above)",
                 static_cast<unsigned long long>(cycle_)));
}

// ---- memories
// ------------------------------------------------------------------------------------

std::span<uint8_t> RtlDevice::hbm_range(uint64_t addr, uint64_t size) {
  if (addr > options_.hbm_bytes || size > options_.hbm_bytes - addr)
    throw DeviceError(tb::format("HBM: %llu bytes at 0x%llx end beyond its 0x%llx bytes",
                                 static_cast<unsigned long long>(size),
                                 static_cast<unsigned long long>(addr),
                                 static_cast<unsigned long long>(options_.hbm_bytes)));
  return {cores_[core_].hbm.get() + addr, size};
}

void RtlDevice::write_hbm(uint64_t addr, std::span<const uint8_t> bytes) {
  std::copy(bytes.begin(), bytes.end(), hbm_range(addr, bytes.size()).begin());
}

void RtlDevice::read_hbm(uint64_t addr, std::span<uint8_t> bytes) {
  std::ranges::copy(hbm_range(addr, bytes.size()), bytes.begin());
}

void RtlDevice::check_vmem_range(uint64_t addr, uint64_t size) const {
  if (addr > config_.vmem_bytes() || size > config_.vmem_bytes() - addr)
    throw DeviceError(tb::format("VMEM: %llu bytes at 0x%llx end beyond its 0x%x bytes",
                                 static_cast<unsigned long long>(size),
                                 static_cast<unsigned long long>(addr), config_.vmem_bytes()));
}

void RtlDevice::write_vmem(uint64_t addr, std::span<const uint8_t> bytes) {
  check_vmem_range(addr, bytes.size());
  uint64_t expected = ~0ull;  // where VMEM_ADDR stands
  for (size_t done = 0; done < bytes.size();) {
    const uint64_t at = addr + done, word = at / 4 * 4;
    const size_t first = at - word, count = std::min<size_t>(4 - first, bytes.size() - done);
    uint32_t value = 0;
    if (count < 4) {  // keep the neighbours
      write_reg(regs::kVmemAddr, static_cast<uint32_t>(word));
      value = read_reg(regs::kVmemData);
      expected = ~0ull;
    }
    std::memcpy(reinterpret_cast<uint8_t*>(&value) + first, &bytes[done], count);
    if (expected != word) write_reg(regs::kVmemAddr, static_cast<uint32_t>(word));
    write_reg(regs::kVmemData, value);
    expected = word + 4;
    done += count;
  }
}

void RtlDevice::read_vmem(uint64_t addr, std::span<uint8_t> bytes) {
  check_vmem_range(addr, bytes.size());
  if (bytes.empty()) return;
  write_reg(regs::kVmemAddr, static_cast<uint32_t>(addr / 4 * 4));
  for (size_t done = 0; done < bytes.size();) {
    const size_t first = (addr + done) % 4,
                 count = std::min<size_t>(4 - first, bytes.size() - done);
    const uint32_t value = read_reg(regs::kVmemData);
    std::memcpy(&bytes[done], reinterpret_cast<const uint8_t*>(&value) + first, count);
    done += count;
  }
}

void RtlDevice::fill_imem(uint32_t from, uint32_t to) {
  for (uint32_t word = 4 * from; word < 4 * to; ++word) write_reg(regs::kWinImem + 4 * word, 0);
}

void RtlDevice::load(const Image& image) {
  check_image(image, config_, options_.hbm_bytes);
  for (uint32_t i = 0; i < image.code.size(); ++i)
    for (uint32_t w = 0; w < 4; ++w)
      write_reg(regs::kWinImem + 16 * i + 4 * w, image.code[i].words[w]);
  const auto size = static_cast<uint32_t>(image.code.size());
  fill_imem(size, cores_[core_].imem_used);
  cores_[core_].imem_used = size;
  for (uint32_t i = 0; i < image.smem.size(); ++i) write_reg(regs::kWinSmem + 4 * i, image.smem[i]);
  for (const auto& segment : image.constants) write_hbm(segment.addr, segment.bytes);
  write_reg(regs::kEntryPc, image.entry);
  cores_[core_].loaded = true;
}

// ---- run
// -----------------------------------------------------------------------------------------

void RtlDevice::take_trace(uint64_t cycle) {
  for (int u = 1; u < isa::kNumUnits; ++u) {
    // trace_t: start, start_opcode 8, start_pc 16, stop, stop_pc 16.
    const uint64_t t =
        top_->trace_o[core_ * static_cast<uint32_t>(isa::kNumUnits) + static_cast<uint32_t>(u)];
    const auto unit = static_cast<isa::Unit>(u);
    auto& open = open_[static_cast<size_t>(u)];
    // A start and a stop in one cycle: of a SYNC the same command, else the stop is of an older
    // one.
    if (t >> 41 & 1) {
      const auto opcode = static_cast<isa::Opcode>(t >> 33 & 0xff);
      open.push_back(opcode);
      trace_.push_back({cycle, unit, true, static_cast<uint16_t>(t >> 17 & 0xffff), opcode});
    }
    if ((t >> 16 & 1) && !open.empty()) {
      trace_.push_back({cycle, unit, false, static_cast<uint16_t>(t & 0xffff), open.front()});
      open.pop_front();
    }
  }
}

/// Clock until the interrupt; false after max_cycles.
template <bool Traced>
bool RtlDevice::run_clock(uint64_t max_cycles) {
  for (uint64_t i = 0; i < max_cycles; ++i) {
    if (top_->irq_o) return true;
    for (auto& core : cores_) core.memory->before_clock();
    top_->clk_i = 0;
    top_->eval();
    for (auto& core : cores_) core.memory->at_clock();
    dump(0);
    if constexpr (Traced)
      if (top_->trace_any_o) take_trace(i);
    top_->clk_i = 1;
    top_->eval();
    context_->timeInc(2);
    dump(1);
    ++cycle_;
    if (i % 256 == 0) {
      stop_on_error();
      if (tb::interrupted) {
        close_wave();
        throw DeviceError(
            tb::format("interrupted in cycle %llu of the run", static_cast<unsigned long long>(i)));
      }
    }
  }
  return top_->irq_o;
}

void RtlDevice::read_result(RunResult& result) {
  const uint32_t status = read_reg(regs::kStatus);
  result.done = status & kDone;
  if (status & kError) {
    const uint32_t cause = read_reg(regs::kErrCause);
    result.error = static_cast<isa::Error>(cause & 0xff);
    result.error_unit = static_cast<isa::Unit>(cause >> 8 & 0xff);
    result.error_pc = read_reg(regs::kErrPc);
    result.error_addr = read_reg(regs::kErrAddrLo);
    result.error_addr |= static_cast<uint64_t>(read_reg(regs::kErrAddrHi)) << 32;
    cores_[core_].failed = true;
  }
  result.counters.resize(regs::kNumCounters);
  for (uint32_t i = 0; i < regs::kNumCounters; ++i) {
    const uint64_t low = read_reg(regs::kWinCounters + 8 * i);
    result.counters[i] = low | static_cast<uint64_t>(read_reg(regs::kWinCounters + 8 * i + 4))
                                   << 32;
  }
}

void RtlDevice::select_core(uint32_t core) {
  if (core >= config_.cores)
    throw DeviceError(
        tb::format("core %u is asked for, '%s' has %u", core, TTPU_CONFIG_NAME, config_.cores));
  core_ = core;
}

void RtlDevice::check_can_run() const {
  if (!cores_[core_].loaded) throw DeviceError("run without a program: load an image first");
  if (cores_[core_].failed)
    throw DeviceError("the last program ended with an error: call clear() first");
}

RunResult RtlDevice::run() {
  check_can_run();
  trace_.clear();
  for (auto& open : open_) open.clear();
  RunResult result;
  try {
    write_reg(regs::kCtrl, kStart);
    const auto start = std::chrono::steady_clock::now();
    const bool ended = options_.trace_commands ? run_clock<true>(options_.max_cycles)
                                               : run_clock<false>(options_.max_cycles);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    stop_on_error();
    read_result(result);
    if (!ended) {  // no end in time counts as a hang; the program is stopped
      result.error = isa::Error::WATCHDOG;
      clear();
      cores_[core_].failed = true;
    }
    write_reg(regs::kIrqStatus, 3);
  } catch (const tb::BenchError& e) {
    close_wave();
    throw DeviceError(e.what());
  }
  return result;
}

std::vector<RunResult> RtlDevice::run_all() {
  struct Restore {
    uint32_t& at;
    uint32_t was;
    ~Restore() { at = was; }
  } restore{core_, core_};
  std::vector<RunResult> results(config_.cores);
  std::vector<uint32_t> running;
  trace_.clear();
  try {
    for (core_ = 0; core_ < config_.cores; ++core_) check_can_run();
    for (core_ = 0; core_ < config_.cores; ++core_) {
      write_reg(regs::kCtrl, kStart);
      running.push_back(core_);
    }
    const uint64_t first = cycle_;
    const auto start = std::chrono::steady_clock::now();
    while (!running.empty()) {
      const uint64_t used = cycle_ - first;
      const bool ended =
          run_clock<false>(used < options_.max_cycles ? options_.max_cycles - used : 0);
      std::erase_if(running, [&](uint32_t core) {
        core_ = core;
        if (ended && !(read_reg(regs::kStatus) & (kDone | kError))) return false;
        results[core].seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        read_result(results[core]);
        if (!ended) {
          results[core].error = isa::Error::WATCHDOG;
          clear();
          cores_[core].failed = true;
        }
        write_reg(regs::kIrqStatus, 3);
        return true;
      });
    }
  } catch (const tb::BenchError& e) {
    close_wave();
    throw DeviceError(e.what());
  }
  return results;
}

void RtlDevice::clear() {
  write_reg(regs::kCtrl, kClear);
  const uint64_t start = cycle_;
  for (;;) {
    const uint32_t status = read_reg(regs::kStatus);
    if ((status & (kRunning | kError)) == 0 && (status & kQuiet)) break;
    if (cycle_ - start > kClearCycles)
      throw DeviceError(
          tb::format("the chip is not quiet %llu cycles after CLEAR (STATUS %08x): a "
                     "bus transfer has no end; open the device again",
                     static_cast<unsigned long long>(kClearCycles), status));
  }
  write_reg(regs::kIrqStatus, 3);
  cores_[core_].failed = false;
}

}  // namespace ttpu

/// See kRtlSymbol in runtime/device.h.
extern "C" ttpu::Device* ttpu_create_rtl_device(const ttpu::Config& config,
                                                const ttpu::DeviceOptions& options) {
  try {
    return new ttpu::RtlDevice(config, options);
  } catch (const tb::BenchError& e) {
    throw ttpu::DeviceError(e.what());
  }
}
