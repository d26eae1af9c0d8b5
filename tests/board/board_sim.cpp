// A board as the host sees it: the Verilated ttpu_board, or the top of a real board, with its
// serial pins on a pseudo-terminal. Prints the terminal's path, then serves it until SIGTERM or
// --seconds. Which model, and what its pins are called, is set where it is built: TTPU_MODEL,
// TTPU_MODEL_HEADER, TTPU_PIN_CLOCK, TTPU_PIN_RESET (low = reset), TTPU_PIN_RX, TTPU_PIN_TX,
// TTPU_DIV (clocks a bit). With an SDRAM on the board also TTPU_SDRAM, its part in tb::sdram,
// and TTPU_CLOCK_PS, the clock's period; a broken rule of the SDRAM ends the program as an
// assertion of the RTL does (exit code 1). TTPU_START: clocks from power-on until the board hears.
// TTPU_LINK: 1 if the model has the pins of ttpu_board's link; TTPU_LINK_WIRES: 1 if it is a
// board's top that joins them itself.
//
// usage: ttpu_board_sim [--seed S] [--drop N] [--flip N] [--extra N]   one byte in N, each
// direction
//                       [--reset-after B] [--silent-after B] [--hangup-after B]  after B bytes in
//                       [--wires MASK] [--flip-wire N]  wires of the link's header that are joined:
//                       bit 0 clock, 1 strobe, from 2 data; one data bit in N flipped. A board's
//                       top: all or none of them, none flipped
//                       [--seconds T] [--report FILE]
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>

#include TTPU_MODEL_HEADER
#include "tb/random.h"
#include "tb/report.h"
#include "uart_pins.h"
#ifdef TTPU_SDRAM
#include "tb/sdram_model.h"
#endif

namespace {

#ifndef TTPU_START
#define TTPU_START 0
#endif
constexpr uint32_t kDiv = TTPU_DIV;  // clocks a bit, as the model is built
constexpr uint64_t kResetClocks = 8;
volatile std::sig_atomic_t stopped = 0;

struct Options {
  uint64_t seed = 1, drop = 0, flip = 0, extra = 0;
  uint64_t wires = 0, flip_wire = 0;
  uint64_t reset_after = ~0ull, silent_after = ~0ull, hangup_after = ~0ull, seconds = 60;
  std::string report;
};

/// Bytes lost, changed and added on the line, one in N each.
class Noise {
 public:
  Noise(const Options& o, uint64_t stream) : o_(o), random_(o.seed * 2 + stream) {}
  template <class Put>
  void pass(uint8_t byte, Put put) {
    if (o_.drop && random_.below(o_.drop) == 0) {
      ++dropped;
      return;
    }
    if (o_.flip && random_.below(o_.flip) == 0) {
      ++flipped;
      byte ^= static_cast<uint8_t>(1u << random_.below(8));
    }
    put(byte);
    if (o_.extra && random_.below(o_.extra) == 0) {
      ++added;
      put(static_cast<uint8_t>(random_.u32()));
    }
  }
  uint64_t dropped = 0, flipped = 0, added = 0;

 private:
  const Options& o_;
  tb::Random random_;
};

#ifdef TTPU_SDRAM
/// The SDRAM at the board's pins. It is there from the end of reset on: CKE is low before, but for
/// the first clocks, in which the chip's registers are random.
class Sdram {
 public:
  explicit Sdram(TTPU_MODEL& top)
      : cke_(top.sdram_cke_o),
        model_(TTPU_BIND_SDRAM(kPart.data_bits, top), kPart, TTPU_CLOCK_PS, kWayPs) {}
  void before_clock() {
    if (cke_ && !on_) model_.restart();
    on_ = cke_;
    if (on_) model_.before_clock();
  }
  void at_clock() {
    if (on_) model_.at_clock();
  }

 private:
  static constexpr tb::SdramPart kPart = tb::sdram::TTPU_SDRAM;
  static constexpr int64_t kWayPs = 6'000;  ///< two pads and the board's wires
  const CData& cke_;
  tb::SdramModel<kPart.data_bits> model_;
  bool on_ = false;
};
#else
/// A board without one.
struct Sdram {
  explicit Sdram(TTPU_MODEL&) {}
  void before_clock() {}
  void at_clock() {}
};
#endif

int usage() {
  std::fprintf(
      stderr,
      "usage: ttpu_board_sim [--seconds T] [--seed S] [--report FILE]\n"
      "         [--drop N] [--flip N] [--extra N]  spoil one byte in N, each direction\n"
      "         [--reset-after B] [--silent-after B] [--hangup-after B]  after B bytes in\n"
      "         [--wires MASK] [--flip-wire N]  wires of the link's header; one data bit in N "
      "flipped\n");
  return 2;
}

bool parse(int argc, char** argv, Options& o) {
  const struct {
    const char* name;
    uint64_t* value;
  } numbers[] = {{"--seed", &o.seed},
                 {"--drop", &o.drop},
                 {"--flip", &o.flip},
                 {"--extra", &o.extra},
                 {"--reset-after", &o.reset_after},
                 {"--silent-after", &o.silent_after},
                 {"--hangup-after", &o.hangup_after},
                 {"--wires", &o.wires},
                 {"--flip-wire", &o.flip_wire},
                 {"--seconds", &o.seconds}};
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return false;
    bool known = std::strcmp(argv[i], "--report") == 0;
    if (known) o.report = argv[i + 1];
    for (const auto& n : numbers) {
      if (std::strcmp(argv[i], n.name) != 0) continue;
      char* end = nullptr;
      *n.value = std::strtoull(argv[i + 1], &end, 0);
      known = end != argv[i + 1] && *end == '\0';
    }
    if (!known) return false;
  }
  return true;
}

int open_terminal() {
  const int fd = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (fd < 0 || ::grantpt(fd) != 0 || ::unlockpt(fd) != 0) return -1;
  // Kept open here too, so that bytes wait for the host instead of an error.
  const int other = ::open(::ptsname(fd), O_RDWR | O_NOCTTY);
  termios t{};
  if (other < 0 || ::tcgetattr(other, &t) != 0) return -1;
  ::cfmakeraw(&t);
  ::tcsetattr(other, TCSANOW, &t);
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  if (!parse(argc, argv, o)) return usage();
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // never outlives the test
  std::signal(SIGTERM, [](int) { stopped = 1; });
  tb::failure_sink = [](const std::string& message) {
    std::fprintf(stderr, "%s\n", message.c_str());
  };
  const int line = open_terminal();
  if (line < 0) return std::perror("ttpu_board_sim: no pseudo-terminal"), 1;

  auto context = std::make_unique<VerilatedContext>();
  context->randReset(2);
  context->randSeed(static_cast<int>(o.seed | 1));
  context->fatalOnError(false);
  auto top = std::make_unique<TTPU_MODEL>(context.get());
  Sdram sdram(*top);
  ttpu::test::UartPins pins(kDiv);
  Noise to_board(o, 0), to_host(o, 1);
#if TTPU_LINK
  tb::Random wire_noise(o.seed * 2 + 3);
#endif
  uint64_t clocks = 0, bytes_in = 0, bytes_out = 0, resets = 0, busy_until = 0;
  const auto clock = [&](uint8_t reset_n) {
    top->TTPU_PIN_RESET = reset_n;
    top->TTPU_PIN_RX = pins.drive();
    if (clocks >= kResetClocks) sdram.before_clock();
    top->TTPU_PIN_CLOCK = 0;
#if TTPU_LINK
    top->link_clk_i = o.wires & 1;
#elif TTPU_LINK_WIRES
    top->link_wires_i = o.wires != 0;
#endif
    top->eval();
    sdram.at_clock();
    uint8_t byte = 0;
    if (pins.sample(top->TTPU_PIN_TX, byte))
      to_host.pass(byte, [&](uint8_t b) {
        if (bytes_in >= o.silent_after) return;
        bytes_out += ::write(line, &b, 1) == 1;
        busy_until = clocks + 100000;
      });
    top->TTPU_PIN_CLOCK = 1;
#if TTPU_LINK
    top->link_clk_i = 0;
#endif
    top->eval();
    ++clocks;
#if TTPU_LINK
    // What changed now is sampled when the link's clock rises, half a clock later.
    top->link_strobe_i = top->link_strobe_o & (o.wires >> 1 & 1);
    top->link_data_i = top->link_data_o & (o.wires >> 2);
    if (o.flip_wire && wire_noise.below(o.flip_wire) == 0) {
      top->link_data_i ^= 1u << wire_noise.below(4);
    }
#endif
  };
  for (uint64_t i = 0; i < kResetClocks; ++i) clock(0);
  for (int i = 0; i < TTPU_START; ++i) clock(1);
  std::printf("%s\n", ::ptsname(line));
  std::fflush(stdout);

  const std::time_t end = std::time(nullptr) + static_cast<std::time_t>(o.seconds);
  bool failed = false;
  while (!stopped && std::time(nullptr) < end && !failed) {
    uint8_t buffer[4096];
    const ssize_t n = ::read(line, buffer, sizeof buffer);
    for (ssize_t i = 0; i < n; ++i) {
      ++bytes_in;
      to_board.pass(buffer[i], [&](uint8_t b) { pins.send(b); });
    }
    if (n > 0) busy_until = clocks + 100000;
    if (bytes_in >= o.hangup_after) break;
    if (bytes_in >= o.reset_after && resets == 0) {
      ++resets;
      for (uint64_t i = 0; i < kResetClocks; ++i) clock(0);
    }
    // Without work for the line the model may wait for the host, at a slow pace.
    if (clocks > busy_until && pins.idle()) {
      pollfd p{line, POLLIN, 0};
      ::poll(&p, 1, 2);
    }
    for (int i = 0; i < 400; ++i) clock(1);
    failed = context->gotError() || tb::failure_count > 0;
  }
  if (!o.report.empty()) {
    if (std::FILE* f = std::fopen(o.report.c_str(), "w")) {
      const auto ull = [](uint64_t v) { return static_cast<unsigned long long>(v); };
      std::fprintf(
          f,
          "{\"clocks\": %llu, \"bytes_in\": %llu, \"bytes_out\": %llu, \"dropped\": %llu, "
          "\"flipped\": %llu, \"added\": %llu, \"framing_errors\": %llu, \"resets\": %llu}\n",
          ull(clocks), ull(bytes_in), ull(bytes_out), ull(to_board.dropped + to_host.dropped),
          ull(to_board.flipped + to_host.flipped), ull(to_board.added + to_host.added),
          ull(pins.framing_errors), ull(resets));
      std::fclose(f);
    }
  }
  top->final();
  return failed ? 1 : 0;
}
