// Two ends of a link, each a Verilated ttpu_link with a router (link_end.h), joined by a channel
// with latency and faults; what a test does with two ends, whatever joins them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "isa/generated/ici.h"
#include "link_channel.h"
#include "link_end.h"
#include "tb/bits.h"
#include "tb/report.h"

namespace link_test {

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
