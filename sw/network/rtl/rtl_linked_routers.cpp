// The Verilated router with a Verilated link on each cable, behind `Routers`. What travels on a
// cable is a frame: its bits stay here, in a ring of the sender, and the engine carries their
// place. Frames are sent when the link has one; a frame without a flit is marked idle.
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "flit_bits.h"
#include "network/library.h"
#include "verilated.h"
#include TTPU_MODEL_HEADER
#include TTPU_LINK_HEADER

namespace ttpu::network {
namespace {

constexpr uint32_t kDims = TTPU_DIMS, kVcs = TTPU_VCS, kDepth = TTPU_DEPTH;
constexpr uint32_t kCables = 2 * kDims, kPorts = kCables + 1;
constexpr uint32_t kFrameBits = kDataW + ici::kFlitExtraBits + ici::kFrameExtraBits;
using Frame = VlWide<(kFrameBits + 31) / 32>;
/// Frames of a cable that are kept: more than are on the way with a cable of 64 cycles or fewer.
constexpr uint32_t kKept = 256;
// The limits of a link: more than two round trips over 64 cycles of cable.
constexpr uint16_t kTimeout = 400;
constexpr uint8_t kRetries = 7;

class LinkedRouters final : public Routers {
 public:
  explicit LinkedRouters(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) nodes_.push_back(std::make_unique<Node>());
  }

  void configure(uint32_t index, uint32_t dateline_mask, uint32_t down_mask) override {
    Node& n = *nodes_[index];
    n.router.rst_ni = 0;
    n.router.cfg_dateline_i = static_cast<uint8_t>(dateline_mask);
    set_down(index, down_mask);
    for (uint32_t p = 0; p < kCables; ++p) {
      auto& link = n.links[p]->dut;
      link.rst_ni = 0;
      link.cfg_node_i = static_cast<uint16_t>(index);
      link.cfg_port_i = static_cast<uint8_t>(p);
      link.cfg_timeout_i = kTimeout;
      link.cfg_retries_i = kRetries;
      link.cfg_auto_i = 1;
      link.frame_ready_i = 1;
    }
    for (int i = 0; i < 4; ++i) n.clock();
    n.router.rst_ni = 1;
    for (auto& link : n.links) link->dut.rst_ni = 1;
  }

  void set_down(uint32_t index, uint32_t down_mask) override {
    for (uint32_t p = 0; p < kCables; ++p)
      nodes_[index]->links[p]->dut.cfg_down_i = down_mask >> p & 1;
  }

  void step(uint32_t index, const PortInputs& in, PortOutputs& out) override {
    Node& n = *nodes_[index];
    auto& router = n.router;
    out.valid = static_cast<uint8_t>(router.out_valid_o & 1U << kCables);
    out.credit[kCables] = static_cast<uint8_t>(router.in_credit_o[kCables]);
    if (out.valid) unpack(router.out_flit_o[kCables], out.flit[kCables]);
    uint32_t down = 0, valid = in.valid & 1U << kCables;
    if (valid) pack(in.flit[kCables], router.in_flit_i[kCables]);
    router.out_credit_i[kCables] = in.credit[kCables];
    // Every output here is a register: all are read before any clock.
    for (uint32_t p = 0; p < kCables; ++p) {
      auto& link = n.links[p]->dut;
      out.credit[p] = 0;
      if (link.frame_valid_o) {
        const uint32_t place = n.cycles % kKept;
        n.links[p]->frames[place] = link.frame_o;
        Flit& f = out.flit[p];
        f = Flit{};
        f.packet = index * kCables + p;
        f.index = static_cast<uint16_t>(place);
        f.idle =
            field(link.frame_o, ici::kFrameKind) != static_cast<uint32_t>(ici::FrameKind::kData);
        out.valid |= static_cast<uint8_t>(1U << p);
      }
      down |= static_cast<uint32_t>(link.down_o) << p;
      valid |= static_cast<uint32_t>(link.out_valid_o) << p;
      if (link.out_valid_o) router.in_flit_i[p] = link.out_flit_o;
      router.out_credit_i[p] = link.in_credit_o;
      link.out_credit_i = router.in_credit_o[p];
      link.in_valid_i = router.out_valid_o >> p & 1;
      if (link.in_valid_i) link.in_flit_i = router.out_flit_o[p];
      link.frame_valid_i = in.valid >> p & 1;
      if (link.frame_valid_i) {
        const Flit& f = in.flit[p];
        link.frame_i = nodes_[f.packet / kCables]->links[f.packet % kCables]->frames[f.index];
        if (f.route != 0)
          link.frame_i[(f.route - 1) % kFrameBits / 32] ^= 1U << (f.route - 1) % kFrameBits % 32;
      }
    }
    router.cfg_down_i = static_cast<uint8_t>(down);
    router.in_valid_i = static_cast<uint8_t>(valid);
    n.clock();
    ++n.cycles;
    if (n.context.gotError())
      throw std::runtime_error("node " + std::to_string(index) +
                               ": an assertion of router or link failed in cycle " +
                               std::to_string(n.cycles));
  }

  uint64_t dropped(uint32_t index) const override {
    Node& n = *nodes_[index];
    n.router.cnt_sel_i = 0xc0;  // kind 3, port 0, channel 0: packets dropped
    n.clock_router();
    return n.router.cnt_value_o;
  }

  BufferState buffer(uint32_t index, uint32_t port, uint32_t vc) override {
    Node& n = *nodes_[index];
    n.router.state_sel_i = static_cast<uint8_t>(port << 3 | vc);
    n.clock_router();
    const uint32_t state = n.router.state_o;
    return {state & 0x7f, static_cast<uint8_t>(state >> 7 & 7),
            static_cast<uint8_t>(state >> 10 & 7), static_cast<BufferState::Wait>(state >> 13 & 7)};
  }

 private:
  static uint32_t field(const Frame& frame, ici::Field f) {
    return frame[f.lsb / 32] >> f.lsb % 32 & ((1U << f.bits) - 1);
  }
  struct Link {
    TTPU_LINK dut;
    std::array<Frame, kKept> frames{};
    explicit Link(VerilatedContext* context) : dut(context) {}
  };
  struct Node {
    VerilatedContext context;
    TTPU_MODEL router{&context};
    std::array<std::unique_ptr<Link>, kCables> links;
    uint64_t cycles = 0;
    Node() {
      context.fatalOnError(false);
      for (auto& link : links) link = std::make_unique<Link>(&context);
    }
    template <class Dut>
    static void clock(Dut& dut) {
      dut.clk_i = 1;
      dut.eval();
      dut.clk_i = 0;
      dut.eval();
    }
    void clock() {
      clock(router);
      for (auto& link : links) clock(link->dut);
    }
    /// To read a register behind a select, in a network that stands still.
    void clock_router() {
      router.in_valid_i = 0;
      for (uint32_t p = 0; p < kPorts; ++p) router.out_credit_i[p] = 0;
      clock(router);
    }
  };
  std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace
}  // namespace ttpu::network

extern "C" __attribute__((visibility("default"))) ttpu::network::Routers* ttpu_create_routers(
    uint32_t count, ttpu::network::RouterShape* shape) {
  *shape = {TTPU_DIMS, TTPU_VCS, TTPU_DEPTH, ttpu::network::kDataW};
  return new ttpu::network::LinkedRouters(count);
}
