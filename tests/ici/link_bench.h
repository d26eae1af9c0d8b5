// Two ends of a link, each a Verilated ttpu_link, joined by a channel with latency and faults;
// behind each end a router that sends packets at random and frees its slots at random.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

/// What a test does with two ends a and b, whatever joins them; `Self` has step().
template <class Self>
class TwoEnds {
 public:
  uint64_t now = 0;

  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; ++i) self().step();
  }
  /// Step until `done`; false (and a failure that names `what`) after `limit` cycles.
  template <class Done>
  bool until(Done&& done, uint64_t limit, const char* what) {
    for (uint64_t i = 0; !done(); ++i) {
      if (i == limit) {
        tb::fail(tb::format("link: cycle %llu: waited %llu cycles for %s",
                            static_cast<unsigned long long>(now),
                            static_cast<unsigned long long>(limit), what));
        return false;
      }
      self().step();
    }
    return true;
  }
  bool train() {
    return until([&] { return !self().a.down() && !self().b.down(); }, 2 * kTrainLimit,
                 "both ends up");
  }
  void set_traffic(const Traffic& t) { self().a.traffic = self().b.traffic = t; }
  void set_timeout(uint32_t timeout, uint32_t retries) {
    self().a.chip->cfg_timeout_i = self().b.chip->cfg_timeout_i = static_cast<uint16_t>(timeout);
    self().a.chip->cfg_retries_i = self().b.chip->cfg_retries_i = static_cast<uint8_t>(retries);
  }
  /// Stop sending, end open packets, wait until all has arrived and every credit is back.
  bool drain(uint64_t limit = 60000) {
    auto &a = self().a, &b = self().b;
    for (int i = 0; i < 2; ++i) {
      Traffic& t = i ? b.traffic : a.traffic;
      t.send = 0;
      if (t.free == 0) t.free = 100;
    }
    return until(
        [&] {
          return a.flits_awaited() + b.flits_awaited() == 0 && a.all_credits() && b.all_credits();
        },
        limit, "all flits and credits");
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

template <class A, class B = A>
class LinkBench : public TwoEnds<LinkBench<A, B>> {
  using Base = TwoEnds<LinkBench<A, B>>;

 public:
  using Base::now;
  using Base::run;
  using Base::until;

  LinkBench(const Shape& shape_a, const Shape& shape_b, uint32_t latency = 4)
      : a(shape_a, "a", 17),
        b(shape_b, "b", 4242),
        to_b(shape_a.frame_w(), "a to b"),
        to_a(shape_b.frame_w(), "b to a") {
    to_a.latency = to_b.latency = latency;
    a.read = [this](LinkWord w) { return read(a, w); };
    b.read = [this](LinkWord w) { return read(b, w); };
  }

  End<A> a;
  End<B> b;
  Channel to_b, to_a;

  void step() {
    a.drive(b, to_a, now);
    b.drive(a, to_b, now);
    a.sample(to_b, now);
    b.sample(to_a, now);
    a.chip.tick();
    b.chip.tick();
    ++now;
  }
  void set_faults(const Faults& f) { to_a.faults = to_b.faults = f; }
  /// Every frame that entered the channels has been counted at the other end, whatever happened to
  /// it.
  void expect_counts() {
    a.traffic.send = b.traffic.send = 0;
    check_counts(a, b, to_b, to_a);
    check_counts(b, a, to_a, to_b);
  }

 private:
  template <class From, class To>
  void check_counts(From& from, To& to, Channel& channel, const Channel& channel_back) {
    // Heartbeats go on while the words are read: nothing may arrive meanwhile.
    const Faults faults = channel.faults;
    channel.faults = Faults{};
    channel.faults.cut = true;
    until([&] { return channel.under_way() == 0; }, 1000, "an empty channel");
    run(4);
    EXPECT_EQ(to.word(LinkWord::kFramesRx), channel.count.arrived) << to.name;
    EXPECT_EQ(to.word(LinkWord::kCrcErrors), channel.count.bad) << to.name;
    EXPECT_EQ(channel.count.arrived,
              channel.count.sent - channel.count.dropped + channel.count.twice);
    EXPECT_EQ(from.word(LinkWord::kFlitsTx), from.sent) << from.name;
    EXPECT_EQ(from.word(LinkWord::kFlitsAgain), from.data_frames - from.sent) << from.name;
    EXPECT_EQ(from.word(LinkWord::kReplays),
              from.word(LinkWord::kNaksRx) + from.word(LinkWord::kTimeouts))
        << from.name;
    EXPECT_LE(from.word(LinkWord::kNaksRx), to.naks + channel_back.count.twice) << from.name;
    const uint64_t frames = channel.count.sent;
    EXPECT_EQ(from.word(LinkWord::kFramesTx), frames) << from.name;
    const uint64_t naks = from.naks;
    EXPECT_EQ(from.word(LinkWord::kNaksTx), naks) << from.name;
    EXPECT_EQ(to.word(LinkWord::kFlitsRx), to.received) << to.name;
    EXPECT_EQ(to.word(LinkWord::kCut), to.cut) << to.name;
    EXPECT_EQ(from.word(LinkWord::kReadyStalls), from.ready_stall.count()) << from.name;
    channel.faults = faults;
  }
  template <class E>
  uint32_t read(E& end, LinkWord w) {
    end.chip->sel_i = static_cast<uint8_t>(w);
    step();
    return end.chip->data_o;
  }
};

/// The training data that an end was built with, as the words OWN0..2 or PEER0..2 hold it.
struct TrainingWords {
  std::array<uint32_t, 3> word{};
  uint64_t get(ttpu::ici::Field f) const {
    return tb::get_bits(reinterpret_cast<const uint8_t*>(word.data()), f.lsb, f.bits);
  }
};
template <class E>
TrainingWords training_of(E& end, LinkWord first) {
  TrainingWords t;
  for (uint32_t i = 0; i < 3; ++i)
    t.word[i] = end.word(static_cast<LinkWord>(static_cast<uint32_t>(first) + i));
  return t;
}

template <class L>
void pulse_retrain(L& l, bool a, bool b) {
  l.a.chip->retrain_i = a;
  l.b.chip->retrain_i = b;
  l.step();
  l.a.chip->retrain_i = l.b.chip->retrain_i = 0;
}

/// After a link went down: the routers' slots drain, every credit comes back, open packets are
/// closed.
template <class L>
void expect_closed(L& l) {
  l.set_traffic({});
  l.until(
      [&] {
        const auto closed = [](auto& e) {
          return e.all_credits() &&
                 std::none_of(e.open_rx.begin(), e.open_rx.end(), std::identity{}) &&
                 std::all_of(e.slots.begin(), e.slots.end(), [](uint32_t s) { return s == 0; });
        };
        return closed(l.a) && closed(l.b);
      },
      500, "packets closed and credits back");
  l.run(3);
  EXPECT_EQ(l.a.word(LinkWord::kStatus) >> 6 & 1, 1u) << "a: not drained";
  EXPECT_EQ(l.b.word(LinkWord::kStatus) >> 6 & 1, 1u) << "b: not drained";
}

/// Forget what was under way when the link went down; packets begin anew.
template <class L>
uint64_t forget(L& l) {
  uint64_t lost = 0;
  const auto clear = [&](auto& e) {
    for (auto& q : e.awaited) {
      lost += q.size();
      q.clear();
    }
    std::fill(e.open.begin(), e.open.end(), 0);
  };
  clear(l.a);
  clear(l.b);
  return lost;
}

template <class L>
void expect_works(L& l) {
  ASSERT_TRUE(l.train());
  const uint64_t a = l.a.sent - l.b.received, b = l.b.sent - l.a.received;
  l.set_traffic({.send = 60, .free = 70});
  l.run(500);
  l.drain();
  EXPECT_EQ(l.a.sent - l.b.received, a) << "lost after the link came up again";
  EXPECT_EQ(l.b.sent - l.a.received, b) << "lost after the link came up again";
}

}  // namespace link_test
