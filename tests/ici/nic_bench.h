// Bench of the network interface: a chip that sends and takes packets, a router that gives and
// takes flits with credits, and scoreboards between them.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "fabric/route.h"
#include "isa/generated/ici.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/report.h"
#include "tb/stall.h"

namespace nic_test {

using ttpu::ici::Field;
using Wide = unsigned __int128;

inline constexpr uint32_t kMaxWords = 8;

/// A flit as bits: payload words and what stands above them.
struct Flit {
  std::array<uint32_t, kMaxWords> payload{};
  bool head = false, tail = false, err = false;
  uint32_t vc = 0;
  bool payload_any = false;  ///< expected flits: the payload does not matter

  Wide header() const {
    Wide value = 0;
    for (uint32_t w = 4; w-- > 0;) value = value << 32 | payload[w];
    return value;
  }
  uint64_t get(Field f) const {
    return static_cast<uint64_t>(header() >> f.lsb & ((Wide{1} << f.bits) - 1));
  }
  void put(Field f, uint64_t value) {
    const Wide mask = ((Wide{1} << f.bits) - 1) << f.lsb;
    const Wide next = (header() & ~mask) | (Wide{value} << f.lsb & mask);
    for (uint32_t w = 0; w < 4; ++w) payload[w] = static_cast<uint32_t>(next >> (32 * w));
  }
  /// Is `got` what this expected flit asks for?
  bool accepts(const Flit& got) const {
    return head == got.head && tail == got.tail && err == got.err && vc == got.vc &&
           (payload_any || payload == got.payload);
  }
};

inline std::string describe(const Flit& f) {
  std::string text = tb::format("%s%s%svc %u, payload", f.head ? "head " : "",
                                f.tail ? "tail " : "", f.err ? "err " : "", f.vc);
  for (uint32_t w = kMaxWords; w-- > 0;) text += tb::format(" %08x", f.payload[w]);
  if (f.head)
    text += tb::format(" (dest %u src %u route 0x%llx length %u channel %u)",
                       static_cast<unsigned>(f.get(ttpu::ici::kHeaderDest)),
                       static_cast<unsigned>(f.get(ttpu::ici::kHeaderSrc)),
                       static_cast<unsigned long long>(f.get(ttpu::ici::kHeaderRoute)),
                       static_cast<unsigned>(f.get(ttpu::ici::kHeaderLength)),
                       static_cast<unsigned>(f.get(ttpu::ici::kHeaderChannel)));
  return text;
}

/// Causes and counters as the hardware numbers them (rtl/ici/ttpu_nic_pkg.sv,
/// docs/reference/nic.md).
enum Cause : uint32_t {
  kNoRoute = 1,
  kNoHead,
  kBadHead,
  kEarlyHead,
  kEarlyTail,
  kLateTail,
  kLongMcast
};
enum Counter : uint32_t {
  kTxPackets,
  kTxFlits,
  kTxNoRoute,
  kTxBad,
  kTxCut,
  kTxStallQueue,
  kTxStallCredit,
  kRxPackets,
  kRxFlits,
  kRxCut,
  kRxStall,
  kState = 16
};

struct Shape {
  uint32_t vcs, depth, data_w, table;
  uint32_t words() const { return data_w / 32; }
};

struct Error {
  uint32_t cause, dest;
};

template <class Port>
void write_flit(Port& port, const Flit& f, const Shape& s) {
  for (uint32_t w = 0; w < s.words(); ++w) port[w] = f.payload[w];
  port[s.words()] = f.vc | static_cast<uint32_t>(f.err) << ttpu::ici::kFlitErr.lsb |
                    static_cast<uint32_t>(f.tail) << ttpu::ici::kFlitTail.lsb |
                    static_cast<uint32_t>(f.head) << ttpu::ici::kFlitHead.lsb;
}
template <class Port>
Flit read_flit(const Port& port, const Shape& s) {
  Flit f;
  for (uint32_t w = 0; w < s.words(); ++w) f.payload[w] = port[w];
  const uint32_t top = port[s.words()];
  f.vc = top & 7;
  f.err = top >> ttpu::ici::kFlitErr.lsb & 1;
  f.tail = top >> ttpu::ici::kFlitTail.lsb & 1;
  f.head = top >> ttpu::ici::kFlitHead.lsb & 1;
  return f;
}

template <class Model>
class NicBench {
 public:
  explicit NicBench(Shape s, uint64_t random_init = 0)
      : shape(s),
        bench(options(random_init)),
        expect_out(s.vcs),
        expect_rx(s.vcs),
        to_in(s.vcs),
        in_credit(s.vcs, s.depth),
        held(s.vcs, 0) {
    bench->rx_ready_i = 0;
    bench->cfg_size_i = 1 | 1 << 5 | 1 << 10;
  }

  /// One cycle of everything.
  void tick() { bench.tick(*this); }

  /// Until nothing is expected any more, and as long again as something surplus would need to show.
  bool drain(uint64_t limit) {
    const bool done = bench.run_until([&] { return idle(); }, limit, "all that is expected", *this);
    for (int i = 0; i < 40; ++i) tick();
    return done && idle();
  }
  bool idle() const {
    const auto all_empty = [](const auto& queues) {
      return std::all_of(queues.begin(), queues.end(), [](const auto& q) { return q.empty(); });
    };
    return to_tx.empty() && expect_error.empty() && all_empty(expect_out) && all_empty(expect_rx) &&
           all_empty(to_in);
  }

  uint32_t counter(uint32_t select) {
    bench->cnt_sel_i = select;
    tick();
    return bench->cnt_o;
  }

  void load(uint32_t dest, bool valid, uint64_t route) {
    bench.run_until([&] { return bench->tab_ready_o; }, 20000, "tab_ready_o", *this);
    bench->tab_we_i = 1;
    bench->tab_dest_i = dest;
    bench->tab_valid_i = valid;
    bench->tab_route_i = route & ((uint64_t{1} << ttpu::ici::kHeaderRoute.bits) - 1);
    tick();
    bench->tab_we_i = 0;
  }

  // ---- hooks of the controller ----
  void before_clock() {
    // chip, transmit: once a flit stands it stays
    if (!tx_stands && !to_tx.empty() && !tx_stall.stall()) {
      tx_stands = true;
      write_flit(bench->tx_flit_i, to_tx.front(), shape);
    }
    bench->tx_valid_i = tx_stands;
    // router: credits
    uint32_t credits = 0;
    for (uint32_t v = 0; v < shape.vcs; ++v) {
      if (held[v] == 0 || (blocked_vcs >> v & 1) || credit_stall.stall()) continue;
      --held[v];
      credits |= 1U << v;
    }
    bench->out_credit_i = credits;
    // router: flits
    bench->in_valid_i = 0;
    if (!in_stall.stall(
            std::any_of(to_in.begin(), to_in.end(), [](const auto& q) { return !q.empty(); }))) {
      for (uint32_t i = 0; i < shape.vcs; ++i) {
        const uint32_t v = (in_turn + i) % shape.vcs;
        if (to_in[v].empty() || in_credit[v] == 0) continue;
        write_flit(bench->in_flit_i, to_in[v].front(), shape);
        expect_rx[v].push_back(to_in[v].front());
        to_in[v].pop_front();
        --in_credit[v];
        bench->in_valid_i = 1;
        in_turn = v + 1 + static_cast<uint32_t>(random.below(shape.vcs));
        break;
      }
    }
    bench->rx_ready_i = !rx_stall.stall(bench->rx_valid_o);
  }

  void at_clock() {
    if (bench->tx_valid_i && bench->tx_ready_o) {
      tx_stands = false;
      to_tx.pop_front();
      tx_taken.push_back(bench.cycle());
    } else {
      tx_refused += bench->tx_valid_i;
    }
    if (bench->out_valid_o) take_out();
    if (bench->error_valid_o) take_error();
    for (uint32_t v = 0; v < shape.vcs; ++v) {
      if (!(bench->in_credit_o >> v & 1)) continue;
      if (++in_credit[v] > shape.depth)
        tb::fail(tb::format("signal   in_credit_o[%u]\ncycle    %llu\nexpected at most %u credits",
                            v, now(), shape.depth));
    }
    if (bench->rx_valid_o) {
      if (bench->rx_ready_i)
        take_rx();
      else
        ++rx_stalled;
    }
  }

  Shape shape;
  tb::Random random;
  tb::Controller<Model> bench;
  tb::StallInjector tx_stall{"tx_valid_i", 0}, rx_stall{"rx_ready_i", 0},
      credit_stall{"out_credit_i", 0}, in_stall{"in_valid_i", 0};
  uint32_t blocked_vcs = 0;  ///< bit v: no credit goes back for channel v

  std::deque<Flit> to_tx;                    ///< what the chip sends
  std::vector<std::deque<Flit>> expect_out;  ///< [vc] towards the router
  std::vector<std::deque<Flit>> expect_rx;   ///< [vc] towards the chip
  std::vector<std::deque<Flit>> to_in;       ///< [vc] what the router sends
  std::deque<Error> expect_error;
  std::vector<uint64_t> tx_taken, out_at;  ///< cycles
  std::vector<uint32_t> out_vcs;           ///< of the flits to the router, in order
  uint64_t rx_stalled = 0, tx_refused = 0, out_flits = 0, out_heads = 0, out_cuts = 0, rx_flits = 0,
           rx_tails = 0, rx_cuts = 0, errors = 0, last_rx = 0;

 private:
  static tb::ControllerOptions options(uint64_t random_init) {
    tb::ControllerOptions o;
    o.random_init_seed = random_init;
    o.name = "nic";
    return o;
  }
  unsigned long long now() const { return bench.cycle(); }

  bool compare(const char* signal, std::deque<Flit>& expected, const Flit& got) {
    if (expected.empty()) {
      tb::fail(tb::format("signal   %s\ncycle    %llu\nexpected nothing\ngot      %s", signal,
                          now(), describe(got).c_str()));
      return false;
    }
    const Flit want = expected.front();
    expected.pop_front();
    if (want.accepts(got)) return true;
    tb::fail(tb::format("signal   %s\ncycle    %llu\nexpected %s\ngot      %s", signal, now(),
                        describe(want).c_str(), describe(got).c_str()));
    return false;
  }
  void take_out() {
    const Flit got = read_flit(bench->out_flit_o, shape);
    if (got.vc >= shape.vcs) {
      tb::fail(tb::format("signal   out_flit_o.vc\ncycle    %llu\nexpected below %u\ngot      %u",
                          now(), shape.vcs, got.vc));
      return;
    }
    if (held[got.vc] >= shape.depth)
      tb::fail(
          tb::format("signal   out_valid_o\ncycle    %llu\nexpected no flit: vc %u has no "
                     "credit\ngot      %s",
                     now(), got.vc, describe(got).c_str()));
    ++held[got.vc];
    ++out_flits;
    out_heads += got.head;
    out_cuts += got.err;
    out_at.push_back(bench.cycle());
    out_vcs.push_back(got.vc);
    compare("out_flit_o", expect_out[got.vc], got);
  }
  void take_rx() {
    const Flit got = read_flit(bench->rx_flit_o, shape);
    ++rx_flits;
    rx_tails += got.tail;
    rx_cuts += got.err;
    last_rx = bench.cycle();
    compare("rx_flit_o", expect_rx[got.vc % shape.vcs], got);
  }
  void take_error() {
    ++errors;
    const uint32_t cause = bench->error_cause_o, dest = bench->error_dest_o;
    if (expect_error.empty()) {
      tb::fail(
          tb::format("signal   error_valid_o\ncycle    %llu\nexpected none\ngot      cause %u "
                     "dest %u",
                     now(), cause, dest));
      return;
    }
    const Error want = expect_error.front();
    expect_error.pop_front();
    if (want.cause != cause || (cause != kNoHead && want.dest != dest))
      tb::fail(
          tb::format("signal   error_cause_o, error_dest_o\ncycle    %llu\nexpected %u, %u\n"
                     "got      %u, %u",
                     now(), want.cause, want.dest, cause, dest));
  }

  std::vector<uint32_t> in_credit, held;
  bool tx_stands = false;
  uint32_t in_turn = 0;
};

}  // namespace nic_test
