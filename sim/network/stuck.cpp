// Who waits for whom in a network that stands still.
#include "network/engine.h"

namespace ttpu::network {
namespace {

const char* text_of(BufferState::Wait wait) {
  switch (wait) {
    case BufferState::Wait::kCredit:
      return "credit";
    case BufferState::Wait::kChannel:
      return "channel";
    case BufferState::Wait::kTurn:
      return "turn";
    case BufferState::Wait::kDrop:
      return "drop";
    case BufferState::Wait::kNothing:
      break;
  }
  return "";
}

}  // namespace

std::vector<Waiting> Engine::waiting() const {
  std::vector<Waiting> r;
  for (uint32_t n = 0; n < topology_.nodes(); ++n)
    for (uint32_t p = 0; p <= ports_; ++p)
      for (uint32_t v = 0; v < options_.vcs; ++v) {
        const BufferState b = routers_.buffer(n, p, v);
        if (b.flits) r.push_back({n, p, v, b.flits, b.want_port, b.want_vc, text_of(b.wait)});
      }
  return r;
}

std::string Engine::stuck_dump() const {
  std::string r = "[";
  for (const Waiting& w : waiting()) {
    const auto field = [](const char* name, uint32_t value) {
      return std::string("\"") + name + "\": " + std::to_string(value) + ", ";
    };
    r += (r.size() > 1 ? ",\n  {" : "\n  {") + field("node", w.node) + field("port", w.port) +
         field("vc", w.vc) + field("flits", w.flits) + field("want_port", w.want_port) +
         field("want_vc", w.want_vc) + "\"waits_for\": \"" + w.waits_for + "\"}";
  }
  return r + "\n]\n";
}

}  // namespace ttpu::network
