// Packets for the benches of the network interface: right ones and bad ones, each with what has to
// come of it. States what the interface promises (docs/reference/nic.md), not how it does it.
#pragma once
#include <functional>

#include "nic_bench.h"

namespace nic_test {

/// How the chip hands a packet over.
enum class Framing {
  kGood,
  kGivenUp,    ///< the chip ends it with err, early or not: not an error of its framing
  kEarlyTail,  ///< fewer data flits than length
  kLateTail,   ///< more
  kNoTail,     ///< the next head comes first
  kNoHead,     ///< data without a head
  kLongMcast,  ///< a multicast that does not fit into the buffer of a router
  kBadHead,    ///< head and tail at once, but length is not 0; or the other way round
};

/// Routes and virtual channels as the node under test must choose them.
struct Node {
  uint32_t id = 0;
  /// kNoRoute: there is none.
  std::function<uint64_t(uint32_t dest)> route;
};

inline Flit random_data(tb::Random& random, const Shape& shape) {
  Flit f;
  for (uint32_t w = 0; w < shape.words(); ++w) f.payload[w] = random.u32();
  f.vc = random.u32() & 7;  // the interface does not look at it
  return f;
}

inline Flit random_head(tb::Random& random, const Shape& shape, uint32_t dest, uint32_t length) {
  Flit f = random_data(random, shape);  // src, route, age, reserved at random: overwritten
  f.head = true;
  f.tail = length == 0;
  f.put(ttpu::ici::kHeaderDest, dest);
  f.put(ttpu::ici::kHeaderLength, length);
  if (length >= shape.depth) f.put(ttpu::ici::kHeaderMcast, 0);
  return f;
}

/// What of a head flit goes to the router.
inline Flit head_on_the_way(const Flit& given, const Node& node, const Shape& shape) {
  Flit f = given;
  const uint32_t dest = static_cast<uint32_t>(given.get(ttpu::ici::kHeaderDest));
  f.put(ttpu::ici::kHeaderSrc, node.id);
  f.put(ttpu::ici::kHeaderRoute, node.route(dest));
  f.put(ttpu::ici::kHeaderAge, 0);
  f.put(ttpu::ici::kHeaderReserved, 0);
  f.err = false;
  f.vc = ttpu::fabric::local_vc(
      node.id, dest, static_cast<uint32_t>(given.get(ttpu::ici::kHeaderChannel)), shape.vcs);
  return f;
}

/// Queue a packet at the chip and what it must become. kNoTail leaves the packet open: call
/// `close_open` before the next packet that has a head (send_packet does).
template <class Model>
class Sender {
 public:
  Sender(NicBench<Model>& bench, Node node) : b(bench), node_(std::move(node)) {}

  void send(uint32_t dest, uint32_t length, Framing framing = Framing::kGood) {
    tb::Random& random = b.random;
    if (framing == Framing::kNoHead) return send_stray();
    if (framing == Framing::kLongMcast)
      length = std::min(255u, b.shape.depth + static_cast<uint32_t>(random.below(3)));
    // Framing errors other than a bad head need data flits.
    if (framing != Framing::kGood && framing != Framing::kBadHead) length = std::max(length, 2u);
    Flit head = random_head(random, b.shape, dest, length);
    head.err = random.coin();  // means nothing on a head
    close_open();
    if (framing == Framing::kLongMcast) {
      head.put(ttpu::ici::kHeaderMcast, 1);
      b.to_tx.push_back(head);
      b.expect_error.push_back({kLongMcast, dest});
      append_dropped();
      return;
    }
    if (framing == Framing::kBadHead) {
      head.tail = !head.tail;
      b.to_tx.push_back(head);
      b.expect_error.push_back({kBadHead, dest});
      if (!head.tail) append_dropped();
      return;
    }
    b.to_tx.push_back(head);
    if (framing == Framing::kLateTail && length == 255) framing = Framing::kEarlyTail;
    has_route_ = node_.route(dest) != ttpu::fabric::kNoRoute;
    dest_ = dest;
    vc_ = head_on_the_way(head, node_, b.shape).vc;
    if (!has_route_) b.expect_error.push_back({kNoRoute, dest});
    expect(head_on_the_way(head, node_, b.shape));
    // Early: 1 .. length-1 data flits come.
    const bool early = framing == Framing::kGivenUp || framing == Framing::kEarlyTail ||
                       framing == Framing::kNoTail;
    uint32_t count = early ? 1 + static_cast<uint32_t>(random.below(length - 1)) : length;
    if (framing == Framing::kNoTail && random.chance(20)) count = 0;
    if (framing == Framing::kGivenUp && random.chance(30)) count = length;
    for (uint32_t i = 1; i <= count; ++i) {
      Flit data = random_data(random, b.shape);
      const bool last = i == count;
      data.tail = last && framing != Framing::kLateTail && framing != Framing::kNoTail;
      data.err = last ? framing == Framing::kGivenUp : random.coin();  // only a tail's err counts
      b.to_tx.push_back(data);
      Flit out = data;
      out.vc = vc_;
      out.tail = last && framing != Framing::kNoTail;
      out.err = out.tail && framing != Framing::kGood;
      expect(out);
    }
    if (framing == Framing::kEarlyTail) b.expect_error.push_back({kEarlyTail, dest});
    if (framing == Framing::kLateTail) {
      b.expect_error.push_back({kLateTail, dest});
      append_dropped();
    }
    open_ = framing == Framing::kNoTail;
  }

  /// The packet without a tail is closed when the next head comes: payload of no meaning.
  void close_open() {
    if (!open_) return;
    open_ = false;
    b.expect_error.push_back({kEarlyHead, dest_});
    Flit tail;
    tail.payload_any = true;
    tail.vc = vc_;
    tail.tail = tail.err = true;
    expect(tail);
  }

 private:
  void expect(const Flit& f) {
    if (has_route_) b.expect_out[f.vc].push_back(f);
  }
  void append_dropped() {
    const uint32_t count = 1 + static_cast<uint32_t>(b.random.below(4));
    for (uint32_t i = 1; i <= count; ++i) {
      Flit data = random_data(b.random, b.shape);
      data.tail = i == count;
      b.to_tx.push_back(data);
    }
  }
  void send_stray() {
    if (open_) return;  // it would be data of the open packet
    b.expect_error.push_back({kNoHead, 0});
    append_dropped();
  }

  NicBench<Model>& b;
  Node node_;
  bool open_ = false, has_route_ = false;
  uint32_t dest_ = 0, vc_ = 0;
};

}  // namespace nic_test
