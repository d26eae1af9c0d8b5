// C28: a ring of four routers, every buffer full, all send clockwise.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "Vrouter_small_1d.h"
#include "isa/generated/ici.h"
#include "tb/bits.h"
#include "tb/random.h"
#include "tb/report.h"
#include "tb/wave.h"

namespace router_test {
namespace {

constexpr uint32_t kNodes = 4, kVcs = 2, kDepth = 8, kPlus = 0, kMinus = 1, kLocal = 2;

/// Four routers joined + to -, each wire a register on the flit's way and one on the credit's.
class Ring {
 public:
  explicit Ring(bool dateline) {
    for (uint32_t n = 0; n < kNodes; ++n) {
      routers_[n] =
          std::make_unique<Vrouter_small_1d>(&context_, ("node" + std::to_string(n)).c_str());
      auto& m = *routers_[n];
      m.rst_ni = 0;
      for (int i = 0; i < 4; ++i) clock(m);
      m.rst_ni = 1;
      m.cfg_dateline_i = dateline && n == kNodes - 1 ? 1 : 0;  // the wrap of direction +
      clock(m);
      credits_[n].fill(kDepth);
    }
    wave_.open(*routers_[0], *routers_[1], *routers_[2], *routers_[3]);
  }
  ~Ring() { wave_.close(); }

  /// Node `from` wants to send `count` packets of `flits` flits, `hops` clockwise, in class
  /// `vclass`.
  void send(uint32_t from, uint32_t count, uint32_t flits, uint32_t hops, uint32_t vclass) {
    load_[from] = {count * flits, flits, hops, vclass};
  }
  bool gate = true;  ///< receivers take flits and give credits back

  void step() {
    struct Wire {
      std::array<uint32_t, 5> flit;
      bool valid;
      uint8_t credit;
    };
    Wire out[kNodes][3];
    for (uint32_t n = 0; n < kNodes; ++n)
      for (uint32_t p = 0; p < 3; ++p) {
        auto& m = *routers_[n];
        std::memcpy(out[n][p].flit.data(), tb::bytes_of(m.out_flit_o[p]), 20);
        out[n][p].valid = m.out_valid_o >> p & 1;
        out[n][p].credit = m.in_credit_o[p];
      }
    for (uint32_t n = 0; n < kNodes; ++n) {
      auto& m = *routers_[n];
      uint32_t valid = 0;
      for (uint32_t p = 0; p < 2; ++p) {
        const Wire& w = out[(n + (p == kPlus ? 1 : kNodes - 1)) % kNodes][p ^ 1];
        if (w.valid) {
          valid |= 1U << p;
          std::memcpy(tb::bytes_of(m.in_flit_i[p]), w.flit.data(), 20);
        }
        m.out_credit_i[p] = w.credit;
      }
      for (uint32_t v = 0; v < kVcs; ++v) credits_[n][v] += out[n][kLocal].credit >> v & 1;
      valid |= uint32_t{inject(n)} << kLocal;
      m.in_valid_i = static_cast<uint8_t>(valid);
      m.out_credit_i[kLocal] = 0;
      if (out[n][kLocal].valid) ++owed_[n][out[n][kLocal].flit[4] & 7], ++received;
      for (uint32_t v = 0; v < kVcs; ++v)
        if (gate && owed_[n][v]) {
          --owed_[n][v];
          m.out_credit_i[kLocal] |= static_cast<uint8_t>(1U << v);
        }
    }
    for (auto& m : routers_) m->clk_i = 0, m->eval();
    wave_.advance(2 * cycles, 2 * cycles + 1);
    for (auto& m : routers_) m->clk_i = 1, m->eval();
    wave_.advance(2 * cycles + 1, 2 * cycles + 2);
    ++cycles;
  }
  uint32_t received = 0, cycles = 0;

  /// Flits in the buffers of channel `vc` of all ports that come from the ring clockwise.
  uint32_t held(uint32_t vc) {
    uint32_t sum = 0;
    for (auto& m : routers_) {
      m->state_sel_i = static_cast<uint8_t>(kMinus << 3 | vc);
      m->in_valid_i = 0;
      for (uint32_t p = 0; p < 3; ++p) m->out_credit_i[p] = 0;
    }
    step();
    for (auto& m : routers_) sum += m->state_o & 0x7f;
    return sum;
  }

 private:
  struct Load {
    uint32_t flits = 0, length = 1, hops = 1, vclass = 0;
  };
  static void clock(Vrouter_small_1d& m) {
    m.clk_i = 0;
    m.eval();
    m.clk_i = 1;
    m.eval();
  }
  bool inject(uint32_t n) {
    Load& load = load_[n];
    const uint32_t vc = load.vclass;
    if (load.flits == 0 || credits_[n][vc] == 0) return false;
    --credits_[n][vc];
    const uint32_t index = (load.length - load.flits % load.length) % load.length;
    uint8_t* flit = tb::bytes_of(routers_[n]->in_flit_i[kLocal]);
    std::memset(flit, 0, 20);
    if (index == 0)
      tb::set_bits(flit, ttpu::ici::kHeaderRoute.lsb, 40,
                   load.vclass << 7 | load.hops << 3 | kPlus);
    tb::set_bits(flit, 128, 3, vc);
    tb::set_bits(flit, 128 + ttpu::ici::kFlitHead.lsb, 1, index == 0);
    tb::set_bits(flit, 128 + ttpu::ici::kFlitTail.lsb, 1, index + 1 == load.length);
    --load.flits;
    return true;
  }

  VerilatedContext context_;
  tb::Wave wave_{context_, 2};
  std::array<std::unique_ptr<Vrouter_small_1d>, kNodes> routers_;
  std::array<std::array<uint32_t, kVcs>, kNodes> credits_{}, owed_{};
  std::array<Load, kNodes> load_{};
};

/// Every node sends 100 packets three hops clockwise. With the dateline routes start in class 0.
uint32_t run(Ring& ring, uint32_t flits, uint32_t limit) {
  ring.gate = false;  // until every buffer is full
  for (uint32_t n = 0; n < kNodes; ++n) ring.send(n, 100, flits, 3, 0);
  for (int i = 0; i < 200; ++i) ring.step();
  ring.gate = true;
  while (ring.received < kNodes * 100 * flits && ring.cycles < limit) ring.step();
  return ring.received;
}

TEST(RouterRing, C28EveryBufferFullAllSendClockwise) {
  for (const uint32_t flits : {1u, 3u, 9u}) {
    Ring ring(true);
    EXPECT_EQ(run(ring, flits, 40'000), kNodes * 100 * flits) << flits << " flits a packet";
    EXPECT_LT(ring.cycles, 200 + kNodes * 100 * flits * 3) << "and at a fair rate";
  }
}

// The same without dateline stands still: the ring above is full enough to show it.
TEST(RouterRing, C28WithoutDatelineItStandsStill) {
  Ring ring(false);
  EXPECT_LT(run(ring, 3, 5'000), kNodes * 100 * 3);
  EXPECT_EQ(ring.held(0), kNodes * kDepth) << "all buffers of class 0 full";
}

}  // namespace
}  // namespace router_test
