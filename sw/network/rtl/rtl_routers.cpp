// The Verilated router behind `Routers`: flits to bits, bits to flits.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "flit_bits.h"
#include "network/library.h"
#include "verilated.h"
#include TTPU_MODEL_HEADER

namespace ttpu::network {
namespace {

constexpr uint32_t kDims = TTPU_DIMS, kVcs = TTPU_VCS, kDepth = TTPU_DEPTH;
constexpr uint32_t kLocal = 2 * kDims, kPorts = kLocal + 1;

class RtlRouters final : public Routers {
 public:
  explicit RtlRouters(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) nodes_.push_back(std::make_unique<Node>());
  }

  void configure(uint32_t index, uint32_t dateline_mask, uint32_t down_mask) override {
    Node& n = *nodes_[index];
    n.dut.rst_ni = 0;
    n.dut.cfg_dateline_i = static_cast<uint8_t>(dateline_mask);
    set_down(index, down_mask);
    for (int i = 0; i < 4; ++i) n.clock();
    n.dut.rst_ni = 1;
  }

  void set_down(uint32_t index, uint32_t down_mask) override {
    nodes_[index]->dut.cfg_down_i = static_cast<uint8_t>(down_mask & ((1U << kLocal) - 1));
  }

  void step(uint32_t index, const PortInputs& in, PortOutputs& out) override {
    Node& n = *nodes_[index];
    auto& dut = n.dut;
    out.valid = static_cast<uint8_t>(dut.out_valid_o);
    for (uint32_t p = 0; p < kPorts; ++p) {
      out.credit[p] = static_cast<uint8_t>(dut.in_credit_o[p]);
      if (dut.out_valid_o >> p & 1) unpack(dut.out_flit_o[p], out.flit[p]);
      dut.out_credit_i[p] = in.credit[p];
      if (in.valid >> p & 1) pack(in.flit[p], dut.in_flit_i[p]);
    }
    dut.in_valid_i = in.valid;
    n.clock();
    ++n.cycles;
    if (n.context.gotError())
      throw std::runtime_error("router " + std::to_string(index) +
                               ": an assertion failed in cycle " + std::to_string(n.cycles));
  }

  uint64_t dropped(uint32_t index) const override {
    Node& n = *nodes_[index];
    n.dut.cnt_sel_i = 0xc0;  // kind 3, port 0, channel 0: packets dropped
    return n.read(n.dut.cnt_value_o);
  }

  BufferState buffer(uint32_t index, uint32_t port, uint32_t vc) override {
    Node& n = *nodes_[index];
    n.dut.state_sel_i = static_cast<uint8_t>(port << 3 | vc);
    const uint32_t state = n.read(n.dut.state_o);
    BufferState b;
    b.flits = state & 0x7f;
    b.want_port = static_cast<uint8_t>(state >> 7 & 7);
    b.want_vc = static_cast<uint8_t>(state >> 10 & 7);
    b.wait = static_cast<BufferState::Wait>(state >> 13 & 7);
    return b;
  }

 private:
  struct Node {
    VerilatedContext context;
    TTPU_MODEL dut{&context};
    uint64_t cycles = 0;
    Node() { context.fatalOnError(false); }
    void clock() {
      dut.clk_i = 1;
      dut.eval();
      dut.clk_i = 0;
      dut.eval();
    }
    /// A cycle in which nothing comes in, to read a register that follows a select.
    uint32_t read(const uint32_t& value) {
      dut.in_valid_i = 0;
      for (uint32_t p = 0; p < kPorts; ++p) dut.out_credit_i[p] = 0;
      clock();
      return value;
    }
  };
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace
}  // namespace ttpu::network

extern "C" __attribute__((visibility("default"))) ttpu::network::Routers* ttpu_create_routers(
    uint32_t count, ttpu::network::RouterShape* shape) {
  *shape = {TTPU_DIMS, TTPU_VCS, TTPU_DEPTH, ttpu::network::kDataW};
  return new ttpu::network::RtlRouters(count);
}
