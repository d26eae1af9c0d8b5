// The Verilated router behind `Routers`: flits to bits, bits to flits.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/library.h"
#include "verilated.h"
#include TTPU_MODEL_HEADER

namespace ttpu::network {
namespace {

constexpr uint32_t kDims = TTPU_DIMS, kVcs = TTPU_VCS, kDepth = TTPU_DEPTH, kDataW = 128;
constexpr uint32_t kLocal = 2 * kDims, kPorts = kLocal + 1;
using Bits = VlWide<(kDataW + ici::kFlitExtraBits + 31) / 32>;

/// The header as two words of 64 bits.
struct Header {
  uint64_t low = 0, high = 0;
  constexpr void put(ici::Field f, uint64_t value) {
    if (f.lsb < 64) low |= value << f.lsb;
    if (f.lsb >= 64)
      high |= value << (f.lsb - 64);
    else if (f.lsb + f.bits > 64)
      high |= value >> (64 - f.lsb);
  }
  constexpr uint64_t get(ici::Field f) const {
    uint64_t value = f.lsb >= 64 ? high >> (f.lsb - 64) : low >> f.lsb;
    if (f.lsb < 64 && f.lsb + f.bits > 64) value |= high << (64 - f.lsb);
    return value & ((uint64_t{1} << f.bits) - 1);
  }
};

/// A data flit's last word, so that a wrong bit of a payload is seen.
constexpr uint64_t check_word(uint64_t packet, uint64_t index) {
  return (packet << 16 | index) * 0x9e3779b97f4a7c15ULL;
}

void pack(const Flit& flit, Bits& bits) {
  Header h;
  if (flit.head) {
    h.put(ici::kHeaderDest, flit.dest);
    h.put(ici::kHeaderSrc, flit.src);
    h.put(ici::kHeaderRoute, flit.route);
    h.put(ici::kHeaderKind, static_cast<uint64_t>(ici::Kind::kTest));
    h.put(ici::kHeaderMcast, flit.mcast);
    h.put(ici::kHeaderChannel, flit.channel);
    h.put(ici::kHeaderLength, flit.length);
    h.put(ici::kHeaderAge, flit.age);
    // The packet's number, 32 bits, in fields that routers leave alone.
    h.put(ici::kHeaderAddress, flit.packet & ((1U << ici::kHeaderAddress.bits) - 1));
    h.put(ici::kHeaderFlag, flit.packet >> ici::kHeaderAddress.bits);
  } else {
    h.low = uint64_t{flit.index} << 32 | flit.packet;
    h.high = check_word(flit.packet, flit.index);
  }
  bits[0] = static_cast<uint32_t>(h.low);
  bits[1] = static_cast<uint32_t>(h.low >> 32);
  bits[2] = static_cast<uint32_t>(h.high);
  bits[3] = static_cast<uint32_t>(h.high >> 32);
  bits[4] = static_cast<uint32_t>(flit.vc) << ici::kFlitVc.lsb |
            static_cast<uint32_t>(flit.err) << ici::kFlitErr.lsb |
            static_cast<uint32_t>(flit.tail) << ici::kFlitTail.lsb |
            static_cast<uint32_t>(flit.head) << ici::kFlitHead.lsb;
}

void unpack(const Bits& bits, Flit& flit) {
  const Header h{bits[0] | uint64_t{bits[1]} << 32, bits[2] | uint64_t{bits[3]} << 32};
  flit.vc = static_cast<uint8_t>(bits[4] >> ici::kFlitVc.lsb & ((1U << ici::kFlitVc.bits) - 1));
  flit.err = bits[4] >> ici::kFlitErr.lsb & 1;
  flit.tail = bits[4] >> ici::kFlitTail.lsb & 1;
  flit.head = bits[4] >> ici::kFlitHead.lsb & 1;
  if (flit.head) {
    flit.dest = static_cast<uint16_t>(h.get(ici::kHeaderDest));
    flit.src = static_cast<uint16_t>(h.get(ici::kHeaderSrc));
    flit.route = h.get(ici::kHeaderRoute);
    flit.mcast = h.get(ici::kHeaderMcast);
    flit.channel = static_cast<uint8_t>(h.get(ici::kHeaderChannel));
    flit.length = static_cast<uint8_t>(h.get(ici::kHeaderLength));
    flit.age = static_cast<uint8_t>(h.get(ici::kHeaderAge));
    flit.packet = static_cast<uint32_t>(h.get(ici::kHeaderAddress) |
                                        h.get(ici::kHeaderFlag) << ici::kHeaderAddress.bits);
    flit.index = 0;
  } else {
    flit.route = 0;
    flit.dest = flit.src = 0;
    flit.mcast = false;
    flit.channel = flit.length = flit.age = 0;
    flit.packet = static_cast<uint32_t>(h.low);
    flit.index = static_cast<uint16_t>(h.low >> 32);
    // A wrong payload must not look right.
    if (!flit.err && h.high != check_word(flit.packet, flit.index)) flit.index = 0xffff;
  }
}

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
