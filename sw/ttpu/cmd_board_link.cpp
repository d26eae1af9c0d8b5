// The link's part of `ttpu board info` and `ttpu board test`: docs/reference/board-link.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "isa/generated/board.h"
#include "isa/generated/ici.h"
#include "ttpu/cmd_board.h"

namespace ttpu::cli {
namespace {

using Clock = std::chrono::steady_clock;
using ici::LinkState;
using ici::LinkWord;
namespace regs = board_regs;

/// A condition is given up after so many looks and so much time without progress: a simulated board
/// is slow, a real one quick.
constexpr int kLooks = 50;
constexpr std::chrono::seconds kTime{2};

class Patience {
 public:
  /// `progress`: a number that changes while things move.
  bool exhausted(uint64_t progress) {
    if (progress != last_) looks_ = 0, since_ = Clock::now(), last_ = progress;
    return ++looks_ > kLooks && Clock::now() - since_ > kTime;
  }

 private:
  uint64_t last_ = 0;
  int looks_ = 0;
  Clock::time_point since_ = Clock::now();
};

struct State {
  LinkState state;
  uint32_t reason;
};
State state_of(const LinkRegisters& link, uint32_t words) {
  const uint32_t status = link.read(words);
  return {static_cast<LinkState>(status & 7), status >> 3 & 7};
}
const char* reason_text(uint32_t reason) {
  constexpr const char* kText[] = {"no reason",
                                   "nothing came for too long",
                                   "flits were sent again and again without an answer",
                                   "the other end gave up",
                                   "the other end was reset",
                                   "the other end is another kind of link",
                                   "the host took it down"};
  return reason < std::size(kText) ? kText[reason] : "unknown";
}

/// "GP0 to GN0", or nothing inside the FPGA.
std::string wire_text(const LinkInfo& info, bool pins, size_t wire) {
  if (!pins || !info.header) return "";
  const auto& w = info.header->wires[wire];
  return fmt::format(" ({} to {})", w.out, w.in);
}

}  // namespace

std::optional<LinkInfo> read_link_info(BoardLink& board) {
  const auto magic = board.peek(regs::kLinkId);
  if (magic != regs::kLinkMagic) return std::nullopt;
  uint32_t words[2] = {};
  board.read(regs::kLinkInfo, words, true);
  LinkInfo info{words[0] & 0xff, words[0] >> 16, words[1], nullptr};
  for (const auto& h : regs::kLinkHeaders)
    if (h.number == (words[0] >> 8 & 0xff)) info.header = &h;
  return info;
}

LinkRegisters registers_of(BoardLink& board) {
  return {[&board](uint32_t addr) {
            uint32_t word = 0;
            board.read(addr, {&word, 1}, true);
            return word;
          },
          [&board](uint32_t addr, uint32_t word) {
            board.write(addr, {&word, 1}, true);
          }};
}

std::string wires_text(const board_regs::LinkHeader& header) {
  std::string text = fmt::format("{}:", header.title);
  for (size_t i = 0; i < header.wires.size(); ++i)
    text += fmt::format("{} {} {} to {}", i ? "," : "", header.wires[i].signal, header.wires[i].out,
                        header.wires[i].in);
  return text;
}

LinkTest test_link(const LinkRegisters& link, const LinkInfo& info, bool pins, uint32_t packets,
                   uint32_t seed) {
  LinkTest test{{pins ? "PINS" : "LINK", 0, 0, {}}, 0, 0, 0, 0, 0};
  const auto word = [&](LinkWord w) {
    return link.read(regs::kLinkWords + 4 * static_cast<uint32_t>(w));
  };
  const auto fault = [&](uint64_t faulty, std::string text) {
    test.part.faulty += faulty;
    test.part.faults.push_back(std::move(text));
  };
  const auto stop = [&] { link.write(regs::kLinkCtrl, 0); };

  link.write(regs::kLinkSeed, seed);
  link.write(regs::kLinkCtrl, pins ? 3 : 1);
  State state{};
  Patience training;
  do {
    state = state_of(link, regs::kLinkWords);
  } while ((state.state == LinkState::kReset || state.state == LinkState::kTrain) &&
           !training.exhausted(0));
  if (state.state != LinkState::kUp) {
    const uint32_t frames = word(LinkWord::kFramesRx);
    std::string why;
    if (link.read(regs::kLinkStatus) & 4)
      why = "no clock comes in" + wire_text(info, pins, 0);
    else if (frames == 0)
      why = "a clock comes in, but no frame: strobe" + wire_text(info, pins, 1);
    else if (word(LinkWord::kPeer0) == 0)
      why = fmt::format(
          "CRC errors in each of {} frames: a wire of data is missing, swapped or too long",
          frames);
    else
      why = fmt::format("{} frames came; {}", frames, reason_text(state.reason));
    fault(packets, "link does not come up: " + why);
    if (pins && info.header)
      test.part.faults.push_back(
          fmt::format("join {} ({})", wires_text(*info.header), info.header->hint));
    stop();
    return test;
  }

  link.write(regs::kLinkPackets, packets);
  uint32_t good = 0, wrong = 0;
  Patience traffic;
  do {
    good = link.read(regs::kLinkGood);
    wrong = link.read(regs::kLinkWrong);
    state = state_of(link, regs::kLinkWords);
  } while (good + wrong < packets && state.state == LinkState::kUp &&
           !traffic.exhausted(good + wrong));
  const uint32_t cut = link.read(regs::kLinkCut), cycles = link.read(regs::kLinkCycles);
  test.part.checked = good + wrong;
  test.frames = word(LinkWord::kFramesRx);
  test.crc_errors = word(LinkWord::kCrcErrors);
  test.replays = word(LinkWord::kReplays);
  test.cut = (cut & 0xffff) + (cut >> 16);
  test.bits_per_clock = cycles ? 128.0 * regs::kPacketFlits * (good + wrong) / cycles : 0;
  if (wrong)
    fault(wrong,
          fmt::format("wrong data: {} of {} packets came back with other data or out of order",
                      wrong, packets));
  if (good + wrong < packets) {
    const uint32_t lost = packets - good - wrong;
    std::string why = "nothing came back any more";
    if (state.state != LinkState::kUp)
      why = fmt::format("the link went down: {}{}", reason_text(state.reason),
                        link.read(regs::kLinkStatus) & 8 ? "; the clock stopped" : "");
    fault(lost, fmt::format("lost packets: {} of {}; {}", lost, packets, why));
  }
  if (test.crc_errors)
    fault(test.crc_errors,
          fmt::format("CRC errors: {} of {} frames, {} times sent again{}", test.crc_errors,
                      test.frames, test.replays, pins ? ": shorter or better wires" : ""));
  if (test.cut)
    fault(test.cut, fmt::format("strobe errors: {} frames cut short or lost{}", test.cut,
                                wire_text(info, pins, 1)));
  stop();
  return test;
}

}  // namespace ttpu::cli
