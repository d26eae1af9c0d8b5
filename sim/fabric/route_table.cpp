#include "fabric/route_table.h"

#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "fabric/route_walk.h"

namespace ttpu::fabric {
namespace {

constexpr uint32_t kMostNodes = 1U << ici::kHeaderDest.bits;

void append_leg(std::string& text, Leg leg) {
  text += ' ';
  text += port_text(leg.dir, kMaxDims);
  text += std::to_string(leg.hops) + "." + std::to_string(leg.vclass);
}

/// A line of the file, word by word.
class Line {
 public:
  Line(std::string file, uint32_t number, const std::string& text)
      : file_(std::move(file)), number_(number), words_(text) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error(file_ + ":" + std::to_string(number_) + ": " + reason);
  }
  bool next(std::string& word) { return static_cast<bool>(words_ >> word); }
  std::string expect(const std::string& what) {
    std::string word;
    if (!next(word)) fail("expected " + what + " at the end of the line");
    return word;
  }
  void end() {
    std::string word;
    if (next(word)) fail("'" + word + "' is one word too many");
  }
  uint32_t number(const std::string& word, const std::string& what, uint32_t limit) const {
    uint32_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || stop != word.data() + word.size() || value >= limit)
      fail("'" + word + "' is not " + what + ": a number from 0 to " + std::to_string(limit - 1));
    return value;
  }
  Leg leg(const std::string& word) const {
    static const std::string kAxes = "xyz";
    const size_t dot = word.find('.');
    const size_t axis = word.size() > 1 ? kAxes.find(word[1]) : std::string::npos;
    if (axis == std::string::npos || dot == std::string::npos || dot < 3 ||
        (word[0] != '+' && word[0] != '-'))
      fail("'" + word + "' is not a leg, such as +x3.0");
    Leg leg;
    leg.dir = static_cast<uint8_t>(2 * axis + (word[0] == '-'));
    leg.hops = static_cast<uint8_t>(
        number(word.substr(2, dot - 2), "the hops of a leg", 1U << ici::kLegHops.bits));
    leg.vclass = static_cast<uint8_t>(number(word.substr(dot + 1), "a class", 2));
    if (leg.hops == 0) fail("'" + word + "': a leg has 1 hop or more");
    return leg;
  }

 private:
  std::string file_;
  uint32_t number_;
  std::istringstream words_;
};

void read_route(Line& line, RouteTable& table, uint32_t src) {
  const uint32_t dest = line.number(line.expect("a node"), "a node", table.nodes());
  if (dest == src) line.fail("a route from node " + std::to_string(src) + " to itself");
  if (table.route(src, dest) != kNoRoute)
    line.fail("a second route from " + std::to_string(src) + " to " + std::to_string(dest));
  Route route = 0;
  std::string word = line.expect("a leg");
  uint32_t legs = 0;
  do {
    if (legs == ici::kLegs) line.fail("more than " + std::to_string(ici::kLegs) + " legs");
    route |= encode_leg(line.leg(word), legs++);
  } while (line.next(word));
  table.set(src, dest, route);
}

}  // namespace

RouteTable::RouteTable(uint32_t nodes)
    : nodes_(nodes), low_(size_t{nodes} * nodes, ~0U), high_(size_t{nodes} * nodes, kNoneHigh) {}

RouteTable make_table(const Topology& topology, const Routes& routes) {
  RouteTable table(topology.nodes());
  for (uint32_t src = 0; src < topology.nodes(); ++src)
    for (uint32_t dest = 0; dest < topology.nodes(); ++dest)
      if (is_pair(topology, src, dest)) table.set(src, dest, routes.route(src, dest));
  return table;
}

void save_routes(const RouteTable& table, const std::string& file) {
  std::ofstream out(file);
  out << "ttpu-routes 1 " << table.nodes() << "\n";
  std::string text;
  for (uint32_t src = 0; src < table.nodes(); ++src) {
    text.clear();
    for (uint32_t dest = 0; dest < table.nodes(); ++dest) {
      const Route route = table.route(src, dest);
      if (src == dest || route == kNoRoute) continue;
      if (text.empty()) text = "source " + std::to_string(src) + "\n";
      text += std::to_string(dest);
      for (uint32_t i = 0; i < ici::kLegs && decode_leg(route, i).hops; ++i)
        append_leg(text, decode_leg(route, i));
      text += '\n';
    }
    out << text;
  }
  out.flush();
  if (!out) throw std::runtime_error(file + ": cannot be written");
}

RouteTable load_routes(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::string text;
  std::getline(in, text);
  Line first(file, 1, text);
  std::string word;
  if (!first.next(word) || word != "ttpu-routes" || !first.next(word) || word != "1")
    first.fail("not a table of routes: the first line is 'ttpu-routes 1 NODES'");
  const uint32_t nodes =
      first.number(first.expect("the number of nodes"), "a number of nodes", kMostNodes + 1);
  first.end();
  RouteTable table(nodes);
  uint32_t src = nodes;
  for (uint32_t number = 2; std::getline(in, text); ++number) {
    if (text.starts_with("source ")) {
      Line line(file, number, text.substr(7));
      src = line.number(line.expect("a node"), "a node", nodes);
      line.end();
    } else if (!text.empty()) {
      Line line(file, number, text);
      if (src == nodes) line.fail("a route before the first 'source'");
      read_route(line, table, src);
    }
  }
  return table;
}

}  // namespace ttpu::fabric
