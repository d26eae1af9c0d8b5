// One end of a link: the model, and behind it a router that sends packets at random, frees its
// slots at random and checks what arrives.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "isa/generated/ici.h"
#include "link_channel.h"
#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/stall.h"

namespace link_test {

/// How the router behind an end behaves.
struct Traffic {
  uint32_t send = 0;        ///< percent of cycles in which it sends, if it may
  uint32_t free = 100;      ///< percent of cycles in which a channel frees a slot
  uint32_t longest = 6;     ///< flits of a packet
  bool open_ended = false;  ///< packets have no tail
  uint32_t channels = ~0u;  ///< a bit for each channel that is used
};

/// One end with its router. `Chip` gives access to the model's ports with ->: a controller, or a
/// pointer to a model that the bench clocks itself.
template <class M, class Chip = tb::Controller<M>>
class End {
 public:
  End(const Shape& shape, const std::string& name, uint32_t node)
      : End(shape, name, node, options(name)) {}
  template <class ChipArgument>
  End(const Shape& shape, const std::string& name, uint32_t node, ChipArgument&& chip_argument)
      : shape(shape),
        name(name),
        random_(stream_of(name)),
        credits(shape.vcs, shape.depth),
        slots(shape.vcs, 0),
        open(shape.vcs, 0),
        orphan(shape.vcs, false),
        open_rx(shape.vcs, false),
        awaited(shape.vcs),
        ready_stall(name + ".frame_ready_i", 0),
        chip(std::forward<ChipArgument>(chip_argument)) {
    chip->cfg_node_i = node;
    chip->cfg_port_i = node % 6;
    chip->cfg_timeout_i = 300;
    chip->cfg_retries_i = 7;
    chip->cfg_auto_i = 0;
    chip->cfg_down_i = 0;
    chip->retrain_i = 0;
    chip->sel_i = 0;
  }
  static tb::ControllerOptions options(const std::string& name) {
    tb::ControllerOptions o;
    o.name = name;
    o.timeout_cycles = 100'000'000;
    o.random_init_seed = tb::run_seed() + 77;
    return o;
  }

  Shape shape;
  std::string name;

 private:
  tb::Random random_;

 public:
  std::vector<uint32_t> credits, slots,
      open;                   ///< flits it may send; slots in use; flits to the tail
  std::vector<bool> orphan;   ///< the head of the open packet was lost: the link must drop the rest
  std::vector<bool> open_rx;  ///< a packet towards this router has no tail yet
  std::vector<std::deque<Bits>> awaited;  ///< flits on their way to this router
  tb::StallInjector ready_stall;
  Traffic traffic;
  uint64_t sent = 0, orphans = 0, received = 0, cut = 0, wrong = 0, no_credit = 0, held_back = 0;
  uint64_t data_frames = 0, naks = 0;  ///< in the frames that it sent
  uint64_t first_received = 0, last_received = 0;
  Chip chip;

  LinkState state() { return static_cast<LinkState>(word(LinkWord::kStatus) & 7); }
  LinkReason reason() { return static_cast<LinkReason>(word(LinkWord::kStatus) >> 3 & 7); }
  bool down() { return chip->down_o; }

  /// Put the link and the router behind it into reset, or let them go.
  void set_reset(bool on) {
    in_reset_ = on;
    chip->rst_ni = !on;
    credits.assign(shape.vcs, shape.depth);
    slots.assign(shape.vcs, 0);
    open.assign(shape.vcs, 0);
    open_rx.assign(shape.vcs, false);
  }

  /// Drive the inputs that belong to the router and the physical layer.
  template <class Peer>
  void drive(Peer& peer, Channel& in, uint64_t now) {
    drive_router(peer);
    chip->frame_ready_i = !ready_stall.stall(chip->frame_valid_o);
    Bits frame;
    chip->frame_valid_i = in.pop(now, frame);
    std::memcpy(tb::bytes_of(chip->frame_i), frame.word.data(), sizeof(chip->frame_i));
    // Bits above a port's width must be 0 for Verilator.
    const uint32_t top = shape.frame_w() % 32;
    if (top) chip->frame_i[shape.frame_w() / 32] &= (1u << top) - 1;
  }
  /// The same, only those of the router.
  template <class Peer>
  void drive_router(Peer& peer) {
    chip->in_valid_i = 0;
    if (!in_reset_ && traffic.send && random_.chance(traffic.send)) {
      const uint32_t first = static_cast<uint32_t>(random_.below(shape.vcs));
      for (uint32_t i = 0; i < shape.vcs; ++i) {
        const uint32_t vc = (first + i) % shape.vcs;
        if (!(traffic.channels >> vc & 1)) continue;
        if (!credits[vc]) {
          ++no_credit;
          continue;
        }
        if (down() && !open[vc]) continue;  // the router drops new packets itself
        send(peer, vc);
        break;
      }
    }
    uint32_t freed = 0;
    for (uint32_t vc = 0; vc < shape.vcs; ++vc)
      if (slots[vc]) {
        if (random_.chance(traffic.free)) {
          freed |= 1u << vc;
          --slots[vc];
        } else {
          ++held_back;
        }
      }
    chip->out_credit_i = freed;
  }
  /// Sample the outputs to the router before the edge.
  void sample_router(uint64_t now) {
    if (in_reset_) return;
    for (uint32_t vc = 0; vc < shape.vcs; ++vc)
      if (chip->in_credit_o >> vc & 1 && ++credits[vc] > shape.depth)
        tb::fail(tb::format("%s: cycle %llu: in_credit_o[%u]: more credits than %u slots",
                            name.c_str(), ull(now), vc, shape.depth));
    if (chip->out_valid_o) receive(now);
  }
  /// Sample all outputs before the edge.
  void sample(Channel& out, uint64_t now) {
    if (in_reset_) return;
    sample_router(now);
    if (chip->frame_valid_o && chip->frame_ready_i) {
      Bits frame;
      std::memcpy(frame.word.data(), tb::bytes_of(chip->frame_o), sizeof(chip->frame_o));
      const uint32_t want = crc_of(frame, shape.frame_w());
      if (want != frame.get(ttpu::ici::kFrameCrc))
        tb::fail(tb::format("%s: cycle %llu: frame_o: CRC: expected %08x, got %08x", name.c_str(),
                            ull(now), want,
                            static_cast<uint32_t>(frame.get(ttpu::ici::kFrameCrc))));
      data_frames += kind_of(frame) == FrameKind::kData;
      naks += frame.get(ttpu::ici::kFrameNak);
      out.push(frame, now);
    }
  }
  /// A word of the link; takes two cycles of this end alone only if `tick` is given, else the
  /// selected word must be read by LinkBench::word().
  uint32_t word(LinkWord w) { return read(w); }
  std::function<uint32_t(LinkWord)> read;

  uint64_t flits_awaited() const {
    uint64_t n = 0;
    for (const auto& q : awaited) n += q.size();
    return n;
  }
  bool all_credits() const {
    return std::all_of(credits.begin(), credits.end(),
                       [&](uint32_t c) { return c == shape.depth; });
  }

 private:
  static unsigned long long ull(uint64_t v) { return v; }

  bool in_reset_ = false;

  template <class Peer>
  void send(Peer& peer, uint32_t vc) {
    const bool head = open[vc] == 0;
    if (head) open[vc] = 1 + static_cast<uint32_t>(random_.below(traffic.longest));
    const bool tail = !traffic.open_ended && open[vc] == 1;
    if (!traffic.open_ended) --open[vc];
    Bits flit;
    for (uint32_t i = 0; i < shape.data_w / 32; ++i) flit.word[i] = random_.u32();
    flit.set(ttpu::ici::kFlitVc, vc, shape.data_w);
    flit.set(ttpu::ici::kFlitHead, head, shape.data_w);
    flit.set(ttpu::ici::kFlitTail, tail, shape.data_w);
    chip->in_valid_i = 1;
    std::memcpy(tb::bytes_of(chip->in_flit_i), flit.word.data(), sizeof(chip->in_flit_i));
    --credits[vc];
    if (head) orphan[vc] = false;
    if (orphan[vc]) {
      ++orphans;
      return;
    }
    ++sent;
    peer.awaited[vc].push_back(flit);
  }
  void receive(uint64_t now) {
    Bits flit;
    std::memcpy(flit.word.data(), tb::bytes_of(chip->out_flit_o), sizeof(chip->out_flit_o));
    const uint32_t vc = static_cast<uint32_t>(flit.get(ttpu::ici::kFlitVc, shape.data_w));
    const bool tail = flit.get(ttpu::ici::kFlitTail, shape.data_w);
    if (vc >= shape.vcs) {
      tb::fail(tb::format("%s: cycle %llu: out_flit_o: channel %u", name.c_str(), ull(now), vc));
      return;
    }
    if (++slots[vc] > shape.depth)
      tb::fail(tb::format("%s: cycle %llu: out_valid_o: channel %u has no slot", name.c_str(),
                          ull(now), vc));
    if (flit.get(ttpu::ici::kFlitErr, shape.data_w)) {
      if (!tail || !open_rx[vc] || !down())
        tb::fail(
            tb::format("%s: cycle %llu: out_flit_o: err in channel %u: tail %d open %d down %d",
                       name.c_str(), ull(now), vc, tail, static_cast<int>(open_rx[vc]), down()));
      ++cut;
      open_rx[vc] = false;
      return;
    }
    if (!received++) first_received = now;
    last_received = now;
    open_rx[vc] = !tail;
    if (awaited[vc].empty() || awaited[vc].front() != flit) {
      ++wrong;
      tb::fail(tb::format("%s: cycle %llu: out_flit_o: channel %u: expected %s, got %08x %08x",
                          name.c_str(), ull(now), vc,
                          awaited[vc].empty() ? "nothing"
                                              : tb::format("%08x %08x", awaited[vc].front().word[0],
                                                           awaited[vc].front().word[1])
                                                    .c_str(),
                          flit.word[0], flit.word[1]));
      const auto it = std::find(awaited[vc].begin(), awaited[vc].end(), flit);
      if (it != awaited[vc].end()) awaited[vc].erase(awaited[vc].begin(), it + 1);
      return;
    }
    awaited[vc].pop_front();
  }
};

}  // namespace link_test
