#include "host_target.h"

#include <cstdlib>
#include <stdexcept>

#include "Vttpu_chip_nano.h"
#include "Vttpu_chip_nano8.h"
#include "isa/generated/regs_gen.h"
#include "tb/axi_lite.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "timing/micro_host.h"

namespace micro_test {

namespace {

namespace micro = ttpu::timing::micro;
namespace regs = ttpu::regs;

micro::Image microcode(const ttpu::Config& c) {
  const char* file = std::getenv("TTPU_MICROCODE");
  if (file && *file)
    if (micro::Image image = micro::load_image(file); image.n == c.n) return image;
  return micro::builtin_image(c.n);
}

class Model : public HostTarget, private micro::Bus {
 public:
  explicit Model(const ttpu::Config& c) : core_(c, microcode(c), *this, 77), host_(core_) {}
  Reply access(bool write, uint32_t addr, uint32_t data, bool whole) override {
    const auto reply = host_.access(write, addr, data, whole);
    return {reply.data, reply.error};
  }
  void step() override { core_.step(); }
  uint64_t cycle() const override { return core_.cycle(); }
  bool irq() const override { return core_.irq(); }
  bool set_high_word() override {  // the counters stand before the busy cycles
    core_.lmem().at(core_.reg("kBUSY") - 8 * regs::kNumCounters + 4) = 5;
    return true;
  }

 private:
  Answer read(uint64_t) override { return {.latency = latency}; }
  Answer write(uint64_t, uint32_t, uint32_t) override { return {.latency = latency}; }
  micro::Core core_;
  micro::Host host_;
};

template <class Chip>
class Rtl : public HostTarget {
 public:
  Rtl()
      : ctl_({.timeout_cycles = 100'000'000, .random_init_seed = rng_.next() | 1, .name = "chip"}),
        bus_(ctl_, TTPU_BIND_AXI_LITE(ctl_.dut(), s_axil_), 100'000) {
    ctl_.add(*this);
    bus_.set_stalls(30);
    drive();
  }
  Reply access(bool write, uint32_t addr, uint32_t data, bool whole) override {
    Reply reply;
    if (write)
      bus_.write(addr, data, whole ? 0xf : static_cast<uint8_t>(rng_.below(15)));
    else
      reply.data = bus_.read(addr);
    reply.error = bus_.response() != 0;
    return reply;
  }
  void step() override { ctl_.tick(); }
  uint64_t cycle() const override { return ctl_.cycle(); }
  bool irq() const override { return irq_; }

  // A memory: one transfer at a time.
  void before_clock() { drive(); }
  void at_clock() {
    auto& d = ctl_.dut();
    irq_ = d.irq_o;
    if (d.m_axi_arvalid_o[0] && d.m_axi_arready_i[0]) read_at_ = ctl_.cycle() + latency;
    if (d.m_axi_wvalid_o[0] && d.m_axi_wready_i[0]) write_at_ = ctl_.cycle() + latency;
    if (d.m_axi_rvalid_i[0] && d.m_axi_rready_o[0]) read_at_ = kNever;
    if (d.m_axi_bvalid_i[0] && d.m_axi_bready_o[0]) write_at_ = kNever;
  }

 private:
  static constexpr uint64_t kNever = ~0ull;
  void drive() {
    auto& d = ctl_.dut();
    d.m_axi_arready_i[0] = d.m_axi_awready_i[0] = d.m_axi_wready_i[0] = 1;
    d.m_axi_rvalid_i[0] = d.m_axi_rlast_i[0] = ctl_.cycle() >= read_at_;
    d.m_axi_bvalid_i[0] = ctl_.cycle() >= write_at_;
    d.m_axi_rdata_i[0] = 0;
    d.m_axi_rid_i[0] = d.m_axi_bid_i[0] = d.m_axi_rresp_i[0] = d.m_axi_bresp_i[0] = 0;
  }
  tb::Random rng_{"host_target"};
  uint64_t read_at_ = kNever, write_at_ = kNever;
  bool irq_ = false;
  tb::Controller<Chip> ctl_;
  tb::AxiLiteMaster<tb::Controller<Chip>> bus_;
};

}  // namespace

std::unique_ptr<HostTarget> model_target(const ttpu::Config& config) {
  return std::make_unique<Model>(config);
}

std::unique_ptr<HostTarget> rtl_target(const ttpu::Config& config) {
  if (config.name == "nano") return std::make_unique<Rtl<Vttpu_chip_nano>>();
  if (config.name == "nano8") return std::make_unique<Rtl<Vttpu_chip_nano8>>();
  throw std::invalid_argument("no chip of this configuration");
}

}  // namespace micro_test
