// Two models joined at their pins, each with a clock of its own, in continuous time (picoseconds):
// period, phase, jitter, skew of each pin, errors on pins, a clock that stops. What the models do
// with their other ports is up to the class that is derived from Pins.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "tb/bits.h"
#include "tb/random.h"
#include "tb/report.h"
#include "tb/wave.h"
#include "verilated.h"

namespace phy {

using Time = int64_t;            // ps
constexpr Time kPeriod = 10000;  // nominal clock
constexpr Time kWire = 37000;    // delay of the cable

/// What is wrong with a direction, rates in errors for each million bit times.
struct Errors {
  uint32_t data = 0, strobe = 0, clock_lost = 0, clock_doubled = 0;
};

struct Options {
  std::array<double, 2> ppm{0, 0};  // of the two clocks
  Time skew = 0;                    // each data pin and the strobe: +- this, drawn once
  Time jitter = 0;                  // each clock edge: +- this
  uint32_t gap_percent = 0;         // chance in a cycle that the sender has no frame
  Errors errors;
};

/// Eye that is nearly closed: half a bit less 2 * skew less 2 * jitter is 400 ps of 10,000.
inline Options rough() {
  Options o;
  o.ppm = {200, -200};
  o.skew = 1800;
  o.jitter = 500;
  return o;
}

/// `Model` has clk_i, rst_ni and the pins of ttpu_phy.
template <class Model, uint32_t kLanes>
class Pins {
 public:
  explicit Pins(const Options& options) : options_(options), random_("cable") {
    context_.fatalOnError(false);
    context_.randReset(2);
    context_.randSeed(static_cast<int>(random_.below(1u << 30)) + 1);
    for (int s = 0; s < 2; ++s) {
      Side& e = sides_[s];
      e.top = std::make_unique<Model>(&context_, s ? "side1" : "side0");
      e.period = kPeriod * (1 + options.ppm[s] * 1e-6);
      e.edge = static_cast<double>(random_.below(kPeriod));
      for (auto& skew : e.skew)
        skew = options.skew ? random_.between(-options.skew, options.skew) : 0;
      e.top->clk_i = 0;
      e.top->rst_ni = 0;
      e.top->pin_clk_i = 0;
      e.top->pin_strobe_i = 0;
      std::memset(&e.top->pin_data_i, 0, sizeof e.top->pin_data_i);
      e.rise = true;
      e.next = static_cast<Time>(e.edge);
    }
    wave_.open(*sides_[0].top, *sides_[1].top);
  }
  Pins(const Pins&) = delete;
  Pins& operator=(const Pins&) = delete;
  virtual ~Pins() {
    for (auto& e : sides_) e.top->final();
    wave_.close();
  }

  /// Nothing crosses from `side` while this is on: its clock pin stands still.
  void stop_clock(int side, bool stopped) { sides_[side].stopped = stopped; }
  void set_errors(const Errors& errors) { options_.errors = errors; }
  Model& top(int side) { return *sides_[side].top; }
  Time now() const { return now_; }
  double period(int side) const { return sides_[side].period; }

  /// Run for so many nominal cycles.
  void run(uint64_t cycles) {
    const Time end = now_ + static_cast<Time>(cycles) * kPeriod;
    while (true) {
      Time t = wires_.empty() ? end : wires_.top().at;
      int side = -1;
      for (int s = 0; s < 2; ++s)
        if (sides_[s].next < t) t = sides_[s].next, side = s;
      if (t >= end) break;
      wave_.advance(static_cast<uint64_t>(now_), static_cast<uint64_t>(t));
      now_ = t;
      if (side < 0)
        wire_event();
      else
        core_edge(side);
      if (context_.gotError()) [[unlikely]]
        stop_on_assertion();
    }
    wave_.advance(static_cast<uint64_t>(now_), static_cast<uint64_t>(end));
    now_ = end;
  }

 protected:
  /// The rising edge of this side's clock comes next: inputs stand, handshakes can be seen.
  virtual void before_rise(int side) = 0;
  /// It has been: outputs are new; inputs for the next one are to be set.
  virtual void after_rise(int side) = 0;
  /// What is on this side's pins in this cycle is hit by an error (`error`) or lost with the clock.
  virtual void hit(int side, bool error) = 0;

  bool chance_of(uint32_t percent) { return percent && random_.chance(percent); }
  const Options& options() const { return options_; }

 private:
  static constexpr uint32_t kClock = kLanes + 1;  // wires: data, strobe, clock
  struct Side {
    std::unique_ptr<Model> top;
    double edge = 0, period = 0;
    Time next = 0;
    bool rise = true, stopped = false;
    std::array<Time, kLanes + 2> skew{};
    std::array<bool, kLanes + 2> level{};  // last sent into the wire
    int flip = -1;                         // wire inverted in this cycle
    bool lose_edge = false, double_edge = false;
  };
  struct WireEvent {
    Time at;
    uint64_t order;
    int from;
    uint32_t wire;
    bool value;
    bool operator>(const WireEvent& o) const { return at != o.at ? at > o.at : order > o.order; }
  };

  [[gnu::noinline]] void stop_on_assertion() {
    context_.gotError(false);
    context_.gotFinish(false);
    const std::string message = tb::format(
        "pins: cycle %lld (%lld ps): an assertion of the RTL failed (its message is above)",
        static_cast<long long>(now_ / kPeriod), static_cast<long long>(now_));
    tb::fail(message);
    throw tb::BenchError(message);
  }

  Time jitter() { return options_.jitter ? random_.between(-options_.jitter, options_.jitter) : 0; }
  bool chance_ppm(uint32_t ppm) { return ppm && random_.below(1000000) < ppm; }

  void drive(int side, uint32_t wire, bool value, Time extra = 0) {
    Side& e = sides_[side];
    if (extra == 0 && e.level[wire] == value) return;
    if (extra == 0) e.level[wire] = value;
    wires_.push({now_ + kWire + e.skew[wire] + extra, order_++, side, wire, value});
  }

  void wire_event() {
    const WireEvent w = wires_.top();
    wires_.pop();
    Model& top = *sides_[1 - w.from].top;
    if (w.wire == kClock) {
      top.pin_clk_i = w.value;
      top.eval();
    } else if (w.wire == kLanes) {
      top.pin_strobe_i = w.value;
    } else {
      tb::set_bits(top.pin_data_i, w.wire, 1, w.value);
    }
  }

  void core_edge(int side) {
    Side& e = sides_[side];
    Model& top = *e.top;
    if (e.rise) {
      before_rise(side);
      top.clk_i = 1;
      top.eval();
      after_rise(side);
      draw_errors(side);
      for (uint32_t w = 0; w < kLanes; ++w)
        drive(side, w, tb::get_bits(top.pin_data_o, w, 1) ^ (e.flip == static_cast<int>(w)));
      drive(side, kLanes, top.pin_strobe_o ^ (e.flip == static_cast<int>(kLanes)));
    } else {
      top.clk_i = 0;
      top.eval();
    }
    const bool clock = top.pin_clk_o && !e.stopped && !e.lose_edge;
    drive(side, kClock, clock);
    if (clock && e.double_edge) {
      drive(side, kClock, false, kPeriod / 8);
      drive(side, kClock, true, kPeriod / 4);
      e.double_edge = false;
    }
    if (e.stopped && top.pin_clk_o) hit(side, false);
    e.rise = !e.rise;
    e.edge += e.period / 2;
    const Time next = static_cast<Time>(e.edge) + jitter();
    e.next = next > now_ ? next : now_ + 1;
  }

  void draw_errors(int side) {
    Side& e = sides_[side];
    e.flip = -1;
    e.lose_edge = e.double_edge = false;
    if (chance_ppm(options_.errors.data))
      e.flip = static_cast<int>(random_.below(kLanes));
    else if (chance_ppm(options_.errors.strobe))
      e.flip = static_cast<int>(kLanes);
    else if (chance_ppm(options_.errors.clock_lost))
      e.lose_edge = true;
    else if (chance_ppm(options_.errors.clock_doubled))
      e.double_edge = true;
    if (e.flip >= 0 || e.lose_edge || e.double_edge) hit(side, true);
  }

  Options options_;
  tb::Random random_;
  VerilatedContext context_;  // one for both: a scope's destructor looks into the last one used
  tb::Wave wave_{context_, kPeriod};
  std::array<Side, 2> sides_;
  std::priority_queue<WireEvent, std::vector<WireEvent>, std::greater<WireEvent>> wires_;
  uint64_t order_ = 0;
  Time now_ = 0;
};

}  // namespace phy
