// What all pictures share: SVG elements, colours, the legend.
#include "fabric/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "fabric/picture_svg.h"

namespace ttpu::fabric {
namespace {

std::string escaped(const std::string& text) {
  std::string r;
  for (const char c : text) {
    if (c == '<')
      r += "&lt;";
    else if (c == '>')
      r += "&gt;";
    else if (c == '&')
      r += "&amp;";
    else if (c == '"')
      r += "&quot;";
    else if (static_cast<unsigned char>(c) >= ' ')
      r += c;  // no control characters in XML
  }
  return r;
}

}  // namespace

void Svg::reach(Point p) {
  left_ = std::min(left_, p.x);
  top_ = std::min(top_, p.y);
  right_ = std::max(right_, p.x);
  bottom_ = std::max(bottom_, p.y);
}

void Svg::element(const std::string& open, const std::string& tip) {
  body_ += open;
  if (tip.empty())
    body_ += "/>\n";
  else
    body_ += "><title>" + escaped(tip) + "</title></" + open.substr(1, open.find(' ') - 1) + ">\n";
}

void Svg::line(Point a, Point b, const LineStyle& style, const std::string& tip) {
  reach(a);
  reach(b);
  element(fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
                      "stroke-width=\"{:.1f}\"{}",
                      a.x, a.y, b.x, b.y, style.colour, style.width,
                      style.dashed ? " stroke-dasharray=\"3 2\"" : ""),
          tip);
}

void Svg::circle(Point centre, double radius, const std::string& fill, const std::string& stroke,
                 const std::string& tip) {
  reach({centre.x - radius, centre.y - radius});
  reach({centre.x + radius, centre.y + radius});
  element(fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"",
                      centre.x, centre.y, radius, fill, stroke),
          tip);
}

void Svg::box(Point corner, double width, double height, const std::string& fill,
              const std::string& stroke, double round, const std::string& tip) {
  reach(corner);
  reach({corner.x + width, corner.y + height});
  element(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                      "rx=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"",
                      corner.x, corner.y, width, height, round, fill, stroke),
          tip);
}

void Svg::text(Point at, const std::string& words, const TextStyle& style) {
  const double width = 0.56 * style.size * static_cast<double>(words.size());
  const double before = style.anchor == "end" ? width : style.anchor == "middle" ? width / 2 : 0;
  reach({at.x - before, at.y - style.size});
  reach({at.x - before + width, at.y + 0.3 * style.size});
  body_ += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\" text-anchor=\"{}\" "
      "fill=\"{}\"{}>{}</text>\n",
      at.x, at.y, style.size, style.anchor, style.colour, style.bold ? " font-weight=\"bold\"" : "",
      escaped(words));
}

void Svg::cross(Point c, double r) {
  const LineStyle style{kDeadColour, std::max(1.5, r / 3), false};
  line({c.x - r, c.y - r}, {c.x + r, c.y + r}, style);
  line({c.x - r, c.y + r}, {c.x + r, c.y - r}, style);
}

std::string Svg::finish(const std::string& title, double margin) const {
  const double width = right_ - left_ + 2 * margin, height = bottom_ - top_ + 2 * margin;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
             "viewBox=\"{2:.1f} {3:.1f} {0:.1f} {1:.1f}\" font-family=\"sans-serif\">\n"
             "<title>{4}</title>\n"
             "<rect x=\"{2:.1f}\" y=\"{3:.1f}\" width=\"{0:.1f}\" height=\"{1:.1f}\" "
             "fill=\"#ffffff\"/>\n",
             width, height, left_ - margin, top_ - margin, escaped(title)) +
         body_ + "</svg>\n";
}

std::string slice_colour(uint32_t slice) {
  constexpr const char* kFills[] = {"#cfe3f7", "#d3efd6", "#fbe3c2", "#e6d8f5",
                                    "#fad4dc", "#d0efec", "#f3efb8", "#dcdfe6"};
  return slice == kNoSlice ? "#ffffff" : kFills[slice % std::size(kFills)];
}

std::string load_colour(double share) {
  constexpr std::array<std::array<double, 3>, 5> kStops = {
      {{59, 111, 182}, {111, 177, 201}, {227, 197, 58}, {240, 138, 60}, {200, 32, 47}}};
  const double at = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
  const auto low = std::min(static_cast<size_t>(at), kStops.size() - 2);
  const double part = at - static_cast<double>(low);
  std::array<int, 3> rgb{};
  for (size_t i = 0; i < 3; ++i)
    rgb[i] = static_cast<int>(
        std::lround(kStops[low][i] + part * (kStops[low + 1][i] - kStops[low][i])));
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

double load_scale(const PictureOptions& options) {
  if (!options.load || options.load->empty()) return 0;
  const uint32_t most = *std::max_element(options.load->begin(), options.load->end());
  return most == 0 ? 0 : std::max<double>(most, 1.5 * options.theta);
}

void draw_legend(Svg& svg, Point at, const Legend& what, const PictureOptions& options,
                 uint32_t slices, bool free_nodes) {
  constexpr double kRow = 20;
  const TextStyle words{12};
  const auto row = [&](const std::string& text) {
    svg.text({at.x + 26, at.y + 4}, text, words);
    at.y += kRow;
  };
  for (uint32_t s = 0; slices > 1 && s < slices; ++s) {
    svg.circle({at.x + 8, at.y}, 7, slice_colour(s), kEdgeColour);
    row(s < options.slice_names.size() ? "slice " + options.slice_names[s]
                                       : fmt::format("slice {}", s));
  }
  if (free_nodes) {
    svg.circle({at.x + 8, at.y}, 7, slice_colour(kNoSlice), kEdgeColour);
    row("in no slice");
  }
  if (what.dead_node) {
    svg.circle({at.x + 8, at.y}, 7, kFreeColour, kDeadColour);
    svg.cross({at.x + 8, at.y}, 5);
    row("node out of service");
  }
  if (what.dead_cable) {
    svg.line({at.x, at.y}, {at.x + 18, at.y}, {kDeadColour, 1.5, true});
    row("cable out of service");
  }
  if (what.dim_z) {
    svg.line({at.x + 8, at.y}, {at.x + 16, at.y - 7}, {});
    svg.circle({at.x + 8, at.y}, 4, kFreeColour, kEdgeColour);
    row("cable to z + 1 (upper right) and z - 1 (lower left)");
  }
  if (what.twisted) {
    svg.text({at.x - 4, at.y + 4}, "z+4", {9, "start", "#7a3db8"});
    row("what a wrap adds to another coordinate");
  }
  const double top = load_scale(options);
  if (top == 0) return;
  constexpr int kSteps = 40;
  constexpr double kWidth = 280;
  svg.text({at.x, at.y + 4}, "load when every node sends 1 to every other:", words);
  at.y += 26;
  for (int i = 0; i < kSteps; ++i) {
    const std::string colour = load_colour((i + 0.5) / kSteps);
    svg.box({at.x + i * kWidth / kSteps, at.y}, kWidth / kSteps + 0.5, 10, colour, "none", 0);
  }
  const auto mark = [&](double load, const std::string& name, bool above) {
    const double x = at.x + kWidth * load / top;
    svg.line({x, at.y - 3}, {x, at.y + 13}, {"#1f2430", 1.5, false});
    svg.text({x, above ? at.y - 6 : at.y + 24}, name, {11, "middle"});
  };
  mark(*std::max_element(options.load->begin(), options.load->end()),
       fmt::format("most {}", *std::max_element(options.load->begin(), options.load->end())),
       false);
  if (options.theta > 0) mark(options.theta, fmt::format("bound {:.4g}", options.theta), true);
  svg.text({at.x, at.y + 24}, "0", {11, "start"});
}

}  // namespace ttpu::fabric
