#include "ttpu/timeline.h"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "isa/disasm.h"

namespace ttpu::cli {
namespace {

constexpr int kTracksPerUnit = 64;

struct Slice {
  isa::Unit unit;
  uint64_t begin = 0, end = 0;
  uint16_t pc = 0;
  isa::Opcode opcode = isa::Opcode::NOP;
  bool open = false;
};

/// Starts and ends of a unit come in the same order, so they pair first to first.
std::vector<Slice> pair_events(std::span<const TraceEvent> events) {
  std::vector<Slice> slices;
  std::map<isa::Unit, std::deque<size_t>> running;
  uint64_t last = 0;
  for (const auto& e : events) {
    last = std::max(last, e.cycle);
    auto& open = running[e.unit];
    if (e.start) {
      open.push_back(slices.size());
      slices.push_back({e.unit, e.cycle, e.cycle, e.pc, e.opcode, true});
    } else if (!open.empty()) {
      slices[open.front()].end = e.cycle;
      slices[open.front()].open = false;
      open.pop_front();
    }
  }
  for (auto& s : slices)
    if (s.open) s.end = last;  // stopped in the middle
  return slices;
}

}  // namespace

std::string timeline_json(std::span<const TraceEvent> events, const Image& image,
                          const std::string& device) {
  using Json = nlohmann::ordered_json;
  Json out = Json::array();
  out.push_back({{"name", "process_name"},
                 {"ph", "M"},
                 {"pid", 1},
                 {"args", {{"name", device + " " + image.config_name}}}});
  std::map<isa::Unit, std::vector<uint64_t>> busy_until;  // of each track of a unit
  for (const auto& s : pair_events(events)) {
    auto& tracks = busy_until[s.unit];
    size_t track = 0;
    while (track < tracks.size() && tracks[track] > s.begin) ++track;
    track = std::min<size_t>(track, kTracksPerUnit - 1);
    const int tid = static_cast<int>(s.unit) * kTracksPerUnit + static_cast<int>(track) + 1;
    if (track == tracks.size()) {
      tracks.push_back(0);
      std::string name(isa::unit_name(s.unit));
      if (track) name += " +" + std::to_string(track);
      out.push_back({{"name", "thread_name"},
                     {"ph", "M"},
                     {"pid", 1},
                     {"tid", tid},
                     {"args", {{"name", name}}}});
      out.push_back({{"name", "thread_sort_index"},
                     {"ph", "M"},
                     {"pid", 1},
                     {"tid", tid},
                     {"args", {{"sort_index", tid}}}});
    }
    const uint64_t end = std::max(s.end, s.begin + 1);
    tracks[track] = end;
    Json args = {{"pc", s.pc}};
    if (s.pc < image.code.size()) args["instruction"] = isa::disassemble(image.code[s.pc]);
    if (s.open) args["unfinished"] = true;
    out.push_back({{"name", isa::opcode_name(static_cast<uint32_t>(s.opcode))},
                   {"cat", isa::unit_name(s.unit)},
                   {"ph", "X"},
                   {"pid", 1},
                   {"tid", tid},
                   {"ts", s.begin},
                   {"dur", end - s.begin},
                   {"args", std::move(args)}});
  }
  Json root = {
      {"displayTimeUnit", "ns"},
      {"otherData",
       {{"device", device},
        {"config", image.config_name},
        {"unit", device == "golden" ? "order of completion, no times" : "1 us is 1 cycle"}}}};
  root["traceEvents"] = std::move(out);
  return root.dump() + "\n";
}

}  // namespace ttpu::cli
