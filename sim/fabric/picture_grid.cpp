// Nodes and cables, drawn one by one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fabric/picture.h"
#include "fabric/picture_svg.h"

namespace ttpu::fabric {
namespace {

constexpr const char* kAxes[kMaxDims] = {"x", "y", "z"};

/// "z+4", "z-4": what the cable at a port adds to coordinates other than its own; empty if nothing.
std::string twist_label(const Topology& t, uint32_t node, uint32_t port) {
  const auto here = t.coordinates(node), there = t.coordinates(t.port(node, port).peer.node);
  std::string label;
  const bool up = port % 2 == 0;
  for (uint32_t d = 0; d < t.dims; ++d) {
    if (d == port / 2 || here[d] == there[d]) continue;
    const uint32_t offset =
        (up ? there[d] + t.size[d] - here[d] : here[d] + t.size[d] - there[d]) % t.size[d];
    label += fmt::format("{}{}{}{}", label.empty() ? "" : " ", kAxes[d], up ? '+' : '-', offset);
  }
  return label;
}

class GridPicture {
 public:
  GridPicture(const Topology& t, const PictureOptions& options)
      : t_(t), options_(options), top_(load_scale(options)) {
    const uint32_t widest = std::max(t.size[0], t.size[1]);
    pitch_ = std::clamp(700.0 / (widest * std::min<double>(panels_across(), 3)), 14.0, 60.0);
    radius_ = pitch_ * 0.24;
    for (uint32_t node = 0; node < t.nodes(); ++node)
      for (uint32_t p = 0; p < t.ports_per_node(); ++p)
        if (t.port(node, p).dateline && !twist_label(t, node, p).empty()) room_ = 20;
  }

  std::string draw() {
    const std::string title = options_.title.empty() ? t_.name : options_.title;
    svg_.text({0, 0}, title, {18, "start", "#1f2430", true});
    for (uint32_t node = 0; node < t_.nodes(); ++node) draw_cables(node);
    for (uint32_t node = 0; node < t_.nodes(); ++node) draw_node(node);
    draw_labels();
    const uint32_t slices = count_slices();
    const double below = svg_.bottom() + 30;
    draw_legend(svg_, {0, below}, legend_, options_, slices, has_free_);
    return svg_.finish(title);
  }

 private:
  uint32_t panels_across() const {
    if (t_.size[2] <= 3) return t_.size[2];
    return static_cast<uint32_t>(std::ceil(std::sqrt(t_.size[2])));
  }
  double panel_width() const { return t_.size[0] * pitch_ + 56 + 2 * room_; }
  double panel_height() const { return t_.size[1] * pitch_ + 76 + room_; }

  /// Upper left of the panel of plane z.
  Point panel(uint32_t z) const {
    return {z % panels_across() * panel_width() + 28 + room_,
            z / panels_across() * panel_height() + 56 + room_ / 2};
  }
  /// y grows upward, as in a diagram.
  Point place(uint32_t node) const {
    const auto at = t_.coordinates(node);
    const Point p = panel(at[2]);
    return {p.x + (at[0] + 0.5) * pitch_, p.y + (t_.size[1] - at[1] - 0.5) * pitch_};
  }

  std::string tip(uint32_t node, uint32_t port) const {
    const Port& at = t_.port(node, port);
    std::string text = fmt::format("{} of node {} {} to node {} {}", port_text(port, t_.dims), node,
                                   node_text(t_, node), at.peer.node, node_text(t_, at.peer.node));
    if (at.dead) text += ", out of service";
    if (options_.load)
      text += fmt::format(", load {}", (*options_.load)[node * t_.ports_per_node() + port]);
    return text;
  }

  LineStyle style(uint32_t node, uint32_t port) {
    const Port& at = t_.port(node, port);
    if (at.dead) {
      legend_.dead_cable = true;
      return {kDeadColour, 1.5, true};
    }
    if (top_ == 0) return {};
    const double load = (*options_.load)[node * t_.ports_per_node() + port];
    return {load_colour(load / top_), std::clamp(pitch_ / 12, 1.6, 3.0), false};
  }

  void draw_cables(uint32_t node) {
    for (uint32_t p = 0; p < t_.ports_per_node(); ++p) {
      const Port& at = t_.port(node, p);
      if (at.peer.node == kNoNode) continue;
      const Point from = place(node);
      const double sign = p % 2 ? -1 : 1;
      if (p / 2 == 2) {  // a tick toward the other plane
        legend_.dim_z = true;
        const double r = pitch_ * 0.42;
        svg_.line(from, {from.x + sign * r, from.y - sign * r}, style(node, p), tip(node, p));
      } else if (at.dateline) {
        draw_stub(node, p, sign);
      } else if (top_ > 0 && !at.dead) {  // each direction its own line, keeping to one side
        const Point to = place(at.peer.node);
        const double side = std::clamp(pitch_ / 14, 1.2, 2.4) * sign;
        const Point off = p / 2 == 0 ? Point{0, side} : Point{side, 0};
        svg_.line({from.x + off.x, from.y + off.y}, {to.x + off.x, to.y + off.y}, style(node, p),
                  tip(node, p));
      } else if (p % 2 == 0) {
        svg_.line(from, place(at.peer.node), style(node, p), tip(node, p));
      }
    }
  }

  void draw_stub(uint32_t node, uint32_t p, double sign) {
    const Point from = place(node);
    const double r = pitch_ * 0.62;
    const bool flat = p / 2 == 0;
    const Point to = flat ? Point{from.x + sign * r, from.y} : Point{from.x, from.y - sign * r};
    svg_.line(from, to, style(node, p), tip(node, p));
    const std::string label = twist_label(t_, node, p);
    if (label.empty() || pitch_ < 18) return;
    legend_.twisted = true;
    const TextStyle small{std::clamp(pitch_ / 4.5, 6.0, 9.0),
                          flat ? (sign > 0 ? "start" : "end") : "middle", "#7a3db8"};
    svg_.text(flat ? Point{to.x + 2 * sign, to.y + 3} : Point{to.x, to.y + (sign > 0 ? -2 : 9)},
              label, small);
  }

  void draw_node(uint32_t node) {
    const Point at = place(node);
    const bool dead = t_.dead_node[node] != 0;
    std::string tip = fmt::format("node {} {}", node, node_text(t_, node));
    if (t_.slice[node] == kNoSlice) {
      has_free_ = true;
      tip += ", in no slice";
    } else if (t_.slice[node] < options_.slice_names.size()) {
      tip += ", slice " + options_.slice_names[t_.slice[node]];
    }
    if (dead) tip += ", out of service";
    svg_.circle(at, radius_, dead ? kFreeColour : slice_colour(t_.slice[node]),
                dead ? kDeadColour : kEdgeColour, tip);
    if (dead) {
      legend_.dead_node = true;
      svg_.cross(at, radius_ * 0.7);
    } else if (pitch_ >= 30) {
      svg_.text({at.x, at.y + radius_ * 0.3}, std::to_string(node),
                {std::min(radius_ * 0.85, 11.0), "middle"});
    }
  }

  void draw_labels() {
    const TextStyle grey{11, "middle", "#6a7080"};
    for (uint32_t z = 0; z < t_.size[2]; ++z) {
      const Point p = panel(z);
      if (t_.dims == 3)
        svg_.text({p.x, p.y - 20 - room_ / 2}, fmt::format("z = {}", z),
                  {13, "start", "#1f2430", true});
      const uint32_t step = pitch_ >= 18 ? 1 : 4;
      for (uint32_t x = 0; x < t_.size[0]; x += step)
        svg_.text({p.x + (x + 0.5) * pitch_, p.y + t_.size[1] * pitch_ + 22 + room_ / 2},
                  x == 0 ? "x 0" : std::to_string(x), grey);
      for (uint32_t y = 0; t_.dims > 1 && y < t_.size[1]; y += step)
        svg_.text({p.x - 16 - room_, p.y + (t_.size[1] - y - 0.5) * pitch_ + 4},
                  y == 0 ? "y 0" : std::to_string(y), grey);
    }
  }
  uint32_t count_slices() const {
    uint32_t slices = 0;
    for (const uint32_t s : t_.slice)
      if (s != kNoSlice) slices = std::max(slices, s + 1);
    return slices;
  }

  const Topology& t_;
  const PictureOptions& options_;
  const double top_;
  double pitch_ = 0, radius_ = 0;
  double room_ = 0;  // for the labels of twisted wraps
  Legend legend_;
  bool has_free_ = false;
  Svg svg_;
};

}  // namespace

std::string draw_topology(const Topology& topology, const PictureOptions& options) {
  return GridPicture(topology, options).draw();
}

}  // namespace ttpu::fabric
