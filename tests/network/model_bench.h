// A router of RTL and the C++ model side by side: random traffic on every port, all outputs
// compared in every cycle, every bit of a flit included.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "network/model.h"
#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/report.h"

namespace ttpu::network {

/// A flit as the router's 128 + 6 bits.
struct FlitBits {
  std::array<uint8_t, 17> bytes{};
  bool operator==(const FlitBits&) const = default;
};

/// The bits of a flit. What the model does not carry is made from the packet's number, so that a
/// change of it on the way would show.
inline FlitBits bits_of(const Flit& flit) {
  FlitBits bits;
  const auto set = [&](ici::Field field, uint64_t value) {
    tb::set_bits(bits.bytes.data(), field.lsb, field.bits, value);
  };
  const uint64_t noise =
      (uint64_t{flit.packet} * 0x9e3779b97f4a7c15 + flit.index) * 0xbf58476d1ce4e5b9;
  if (flit.head) {
    set(ici::kHeaderDest, flit.dest);
    set(ici::kHeaderSrc, flit.src);
    set(ici::kHeaderRoute, flit.route);
    set(ici::kHeaderKind, noise);
    set(ici::kHeaderMcast, flit.mcast);
    set(ici::kHeaderChannel, flit.channel);
    set(ici::kHeaderLength, flit.length);
    set(ici::kHeaderFlag, noise >> 8);
    set(ici::kHeaderAge, flit.age);
    set(ici::kHeaderReserved, noise >> 16);
    set(ici::kHeaderAddress, flit.packet);
  } else {
    tb::set_bits(bits.bytes.data(), 0, 64, noise);
    tb::set_bits(bits.bytes.data(), 64, 64, uint64_t{flit.packet} << 32 | flit.index);
  }
  const auto extra = [&](ici::Field field, uint64_t value) {
    set({128 + field.lsb, field.bits}, value);
  };
  extra(ici::kFlitVc, flit.vc);
  extra(ici::kFlitErr, flit.err);
  extra(ici::kFlitTail, flit.tail);
  extra(ici::kFlitHead, flit.head);
  return bits;
}

/// What the random traffic looks like for some time; chances in percent.
struct Phase {
  const char* name;
  uint32_t inject;     ///< a port starts a flit, if it may
  uint32_t credit;     ///< an output gives one credit back
  uint32_t most_data;  ///< data flits of a packet, at most
  uint32_t local;      ///< packets that end here
  uint32_t multicast;  ///< packets with mcast
  uint32_t old;        ///< packets of age 63 or close to it
  uint32_t stray;      ///< packets with a leg to a port that does not exist
  uint32_t down;       ///< 0.01 percent: a port changes from in to out of service, or back
};

/// What happened; every count of the ones tests ask for must have been hit.
struct Seen {
  uint64_t flits_in = 0, flits_out = 0, multi_flit_heads = 0, copies = 0, stalls = 0, downs = 0;
  uint64_t waits[5] = {};  ///< [reason] of the channels that were looked at
};

/// Both routers and the traffic. Model: the Verilated class.
template <class Model, uint32_t Dims, uint32_t Vcs, uint32_t Depth>
class Lockstep {
 public:
  static constexpr uint32_t kPorts = 2 * Dims + 1, kLocal = 2 * Dims;

  Lockstep() : rtl_(options()), model_(1, {Dims, Vcs, Depth}) {
    for (auto& flit : rtl_->in_flit_i) std::memset(&flit, 0, sizeof flit);
    for (auto& credit : rtl_->out_credit_i) credit = 0;
    rtl_->in_valid_i = 0;
    rtl_->cfg_down_i = 0;
    rtl_->drop_clear_i = 0;
    rtl_->cnt_sel_i = 0;
    rtl_->state_sel_i = 0;
    rtl_->cfg_dateline_i = dateline_ = static_cast<uint8_t>(random_.below(1U << kLocal));
    model_.configure(0, dateline_, 0);
    for (auto& port : senders_)
      for (Sender& sender : port) sender.credits = Depth;
  }

  /// Runs `cycles` cycles of traffic; false at the first difference.
  bool run(const Phase& phase, uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; ++i)
      if (!tick(phase)) return false;
    return true;
  }

  Seen seen;
  uint64_t dropped() const { return model_.dropped(0); }
  uint64_t cut() const { return model_.cut(0); }
  /// Flits in the model's buffers.
  uint32_t occupancy() {
    uint32_t sum = 0;
    for (uint32_t p = 0; p < kPorts; ++p)
      for (uint32_t v = 0; v < Vcs; ++v) sum += model_.buffer(0, p, v).flits;
    return sum;
  }
  /// Counter of the RTL router: packets dropped, or cut.
  uint32_t rtl_counter(bool cuts) {
    rtl_->cnt_sel_i = static_cast<CData>(0xc0 | cuts);
    step();
    return rtl_->cnt_value_o;
  }
  /// Ports back in service and everything sent on: then every buffer must be empty.
  bool drain(uint32_t cycles) {
    down_ = 0;
    rtl_->cfg_down_i = 0;
    model_.set_down(0, 0);
    finishing_ = true;
    const bool same = run({"drain", 100, 100, 0, 100, 0, 0, 0, 0}, cycles);
    finishing_ = false;
    return same;
  }

 private:
  struct Sender {
    uint32_t credits = 0;
    uint32_t left = 0;  ///< flits of the packet still to send
    uint32_t packet = 0;
    uint16_t index = 0;
  };

  static tb::ControllerOptions options() {
    tb::ControllerOptions options;
    options.name = "router";
    options.timeout_cycles = 100'000'000;
    return options;
  }

  bool tick(const Phase& phase) {
    change_service(phase);
    in_ = {};
    for (uint32_t p = 0; p < kPorts; ++p) {
      offer(phase, p);
      if (!random_.chance(phase.credit)) {
        seen.stalls += owed_count_[p] != 0;
        continue;
      }
      const uint32_t vc = static_cast<uint32_t>(random_.below(Vcs));
      if (owed_[p][vc] == 0) continue;
      --owed_[p][vc], --owed_count_[p];
      in_.credit[p] = static_cast<uint8_t>(1U << vc);
    }
    const auto port = static_cast<uint32_t>(random_.below(kPorts));
    const auto vc = static_cast<uint32_t>(random_.below(Vcs));
    rtl_->state_sel_i = static_cast<CData>(port << 3 | vc);
    step();
    return compare(phase) && compare_buffer(phase, port, vc);
  }

  /// What an input channel holds after the edge, and what it waits for.
  bool compare_buffer(const Phase& phase, uint32_t port, uint32_t vc) {
    const uint32_t state = rtl_->state_o;
    const BufferState model = model_.buffer(0, port, vc);
    if (!same(phase, "state_o, flits", port, state & 0x7f, model.flits)) return false;
    const bool pending = state >> 27 & 1;
    if (!pending) return true;
    ++seen.waits[static_cast<uint32_t>(model.wait)];
    const bool drops = model.wait == BufferState::Wait::kDrop;  // on no channel
    return same(phase, "state_o, output", port, state >> 7 & 7, model.want_port) &&
           (drops || same(phase, "state_o, channel", port, state >> 10 & 7, model.want_vc)) &&
           same(phase, "state_o, reason", port, state >> 13 & 7, static_cast<uint32_t>(model.wait));
  }

  /// Ports go out of service and come back; a neighbour forgets what it owes while the port is
  /// down.
  void change_service(const Phase& phase) {
    if (phase.down == 0 || random_.below(10000) >= phase.down) return;
    const uint32_t port = static_cast<uint32_t>(random_.below(kLocal));
    down_ ^= static_cast<uint8_t>(1U << port);
    seen.downs += down_ >> port & 1;
    // Or it remembers, and its late credits come on top of a full count.
    if (!(down_ >> port & 1) && random_.coin()) owed_[port] = {}, owed_count_[port] = 0;
    rtl_->cfg_down_i = down_;
    model_.set_down(0, down_);
  }

  /// A flit on input port p, if chance and credits let it.
  void offer(const Phase& phase, uint32_t p) {
    if (!random_.chance(phase.inject)) return;
    const uint32_t vc = static_cast<uint32_t>(random_.below(Vcs));
    Sender& sender = senders_[p][vc];
    if (sender.credits == 0 || (finishing_ && sender.left == 0)) return;
    --sender.credits;
    Flit& flit = in_.flit[p];
    flit = {};
    if (sender.left == 0) {
      sender.packet = static_cast<uint32_t>(random_.below(1U << ici::kHeaderAddress.bits));
      sender.index = 0;
      flit = head(phase, p);
      sender.left = flit.length + 1;
      seen.multi_flit_heads += flit.length != 0;
    }
    flit.packet = sender.packet;
    flit.index = sender.index++;
    flit.vc = static_cast<uint8_t>(vc);
    flit.tail = --sender.left == 0;
    flit.err = flit.tail && random_.chance(5);
    in_.valid |= static_cast<uint8_t>(1U << p);
    ++seen.flits_in;
  }

  Flit head(const Phase& phase, uint32_t p) {
    Flit flit;
    flit.head = true;
    flit.dest = static_cast<uint16_t>(random_.below(1U << ici::kHeaderDest.bits));
    flit.src = static_cast<uint16_t>(random_.below(1U << ici::kHeaderSrc.bits));
    flit.channel = static_cast<uint8_t>(random_.below(16));
    flit.length = static_cast<uint8_t>(random_.below(phase.most_data + 1));
    flit.mcast = random_.chance(phase.multicast);
    flit.age = static_cast<uint8_t>(random_.chance(phase.old) ? random_.between(58, 63)
                                                              : random_.below(4));
    flit.route = random_.next() >> 24;
    auto leg = fabric::decode_leg(flit.route, 0);
    leg.dir = static_cast<uint8_t>(random_.below(kLocal));
    leg.hops = static_cast<uint8_t>(random_.chance(phase.local) ? 0 : random_.between(1, 15));
    if (random_.chance(phase.stray)) leg.dir = static_cast<uint8_t>(random_.between(kLocal, 7));
    // Straight on along the last leg: where a multicast leaves copies.
    if (flit.mcast && p != kLocal && random_.coin()) {
      leg.dir = static_cast<uint8_t>(p ^ 1);
      flit.route = 0;
    }
    flit.route = (flit.route & ~uint64_t{0xff}) | fabric::encode_leg(leg, 0);
    return flit;
  }

  /// One cycle of both; their outputs are in out_ and in the RTL's ports before the edge.
  void step() {
    rtl_->in_valid_i = in_.valid;
    for (uint32_t p = 0; p < kPorts; ++p) {
      if (in_.valid >> p & 1) {
        const FlitBits bits = bits_of(in_.flit[p]);
        std::memcpy(&rtl_->in_flit_i[p], bits.bytes.data(), bits.bytes.size());
      }
      rtl_->out_credit_i[p] = in_.credit[p];
    }
    rtl_.tick(*this);
    model_.step(0, in_, out_);
    in_ = {};
  }

 public:
  /// What the RTL drives in this cycle, before the edge. Called by the controller.
  void at_clock() {
    rtl_out_.valid = rtl_->out_valid_o;
    for (uint32_t p = 0; p < kPorts; ++p) {
      std::memcpy(rtl_bits_[p].bytes.data(), &rtl_->out_flit_o[p], rtl_bits_[p].bytes.size());
      rtl_out_.credit[p] = rtl_->in_credit_o[p];
    }
  }

 private:
  bool compare(const Phase& phase) {
    for (uint32_t p = 0; p < kPorts; ++p) {
      const bool valid = out_.valid >> p & 1;
      if (!same(phase, "out_valid_o", p, rtl_out_.valid >> p & 1, valid)) return false;
      if (!same(phase, "in_credit_o", p, rtl_out_.credit[p], out_.credit[p])) return false;
      for (uint32_t v = 0; v < Vcs; ++v) senders_[p][v].credits += out_.credit[p] >> v & 1;
      if (!valid) continue;
      const FlitBits bits = bits_of(out_.flit[p]);
      if (bits != rtl_bits_[p]) return different_flit(phase, p, bits);
      ++seen.flits_out;
      seen.copies += p == kLocal && out_.flit[p].head && out_.flit[p].mcast &&
                     fabric::decode_leg(out_.flit[p].route, 0).hops != 0;
      if (!(down_ >> p & 1)) ++owed_[p][out_.flit[p].vc], ++owed_count_[p];
    }
    return true;
  }

  bool same(const Phase& phase, const char* signal, uint32_t port, uint32_t rtl, uint32_t model) {
    if (rtl == model) return true;
    tb::fail(
        tb::format("signal   %s[%u]\ncycle    %llu, %s\nexpected 0x%x (RTL)\ngot      0x%x "
                   "(model)\nseed     %llu",
                   signal, port, static_cast<unsigned long long>(rtl_.cycle()), phase.name, rtl,
                   model, static_cast<unsigned long long>(rtl_.seed())));
    return false;
  }
  bool different_flit(const Phase& phase, uint32_t port, const FlitBits& model) {
    const auto word = [](const FlitBits& bits, uint32_t lsb, uint32_t count) {
      return static_cast<unsigned long long>(tb::get_bits(bits.bytes.data(), lsb, count));
    };
    const FlitBits& rtl = rtl_bits_[port];
    tb::fail(tb::format(
        "signal   out_flit_o[%u]\ncycle    %llu, %s\nexpected %02llx %016llx %016llx "
        "(RTL)\ngot      %02llx %016llx %016llx (model)\nseed     %llu",
        port, static_cast<unsigned long long>(rtl_.cycle()), phase.name, word(rtl, 128, 8),
        word(rtl, 64, 64), word(rtl, 0, 64), word(model, 128, 8), word(model, 64, 64),
        word(model, 0, 64), static_cast<unsigned long long>(rtl_.seed())));
    return false;
  }

  tb::Random random_{"lockstep"};
  tb::Controller<Model> rtl_;
  ModelRouters model_;
  uint8_t dateline_ = 0, down_ = 0;
  bool finishing_ = false;
  PortInputs in_;
  PortOutputs out_, rtl_out_;
  std::array<FlitBits, kPorts> rtl_bits_;
  std::array<std::array<Sender, Vcs>, kPorts> senders_;
  std::array<std::array<uint32_t, Vcs>, kPorts> owed_{};  ///< credits that the output side owes
  std::array<uint32_t, kPorts> owed_count_{};
};

}  // namespace ttpu::network
