// The curve of ttpu bench net --sweep as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ttpu/cmd_bench_net.h"

namespace ttpu::cli {
namespace {

constexpr double kLeft = 60, kTop = 50, kWidth = 360, kHeight = 260, kGap = 90;

/// A panel: frame, grid, axis texts. y grows upwards to `most`.
std::string frame(double x, double most, const std::string& label, int digits) {
  std::string r = fmt::format(
      "<rect x='{}' y='{}' width='{}' height='{}' fill='none' stroke='#888'/>\n"
      "<text x='{}' y='{}' text-anchor='middle'>{}</text>\n"
      "<text x='{}' y='{}' text-anchor='middle'>offered, flits a node a cycle</text>\n",
      x, kTop, kWidth, kHeight, x + kWidth / 2, kTop - 12, label, x + kWidth / 2,
      kTop + kHeight + 38);
  for (int i = 0; i <= 5; ++i) {
    const double at_x = x + kWidth * i / 5, at_y = kTop + kHeight - kHeight * i / 5;
    r += fmt::format(
        "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#ddd'/>\n"
        "<text x='{0:.1f}' y='{3}' text-anchor='middle'>{4:.1f}</text>\n",
        at_x, kTop, kTop + kHeight, kTop + kHeight + 18, i / 5.0);
    r += fmt::format(
        "<line x1='{0}' y1='{1:.1f}' x2='{2}' y2='{1:.1f}' stroke='#ddd'/>\n"
        "<text x='{3}' y='{4:.1f}' text-anchor='end'>{5:.{6}f}</text>\n",
        x, at_y, x + kWidth, x - 6, at_y + 4, most * i / 5, digits);
  }
  return r;
}

std::string line(double x, double most, const network::Curve& curve, const char* colour,
                 double (*value)(const network::Outcome&), bool only_complete) {
  std::string points, dots;
  for (const network::Point& p : curve.points) {
    const double v = value(p.outcome);
    if ((only_complete && !p.outcome.latency_complete) || v > most) break;
    const double at_x = x + kWidth * p.load, at_y = kTop + kHeight - kHeight * v / most;
    points += fmt::format("{:.1f},{:.1f} ", at_x, at_y);
    dots +=
        fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5' fill='{}'/>\n", at_x, at_y, colour);
  }
  return fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'/>\n", points,
                     colour) +
         dots;
}

std::string escaped(const std::string& text) {
  std::string r;
  for (const char c : text) r += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return r;
}

}  // namespace

std::string curve_svg(const network::Curve& curve, const std::string& title) {
  const double right = kLeft + kWidth + kGap;
  // Latency up to where the network is far from at rest; beyond, the queues at the sources grow.
  const double base = curve.points.empty() ? 1 : curve.points.front().outcome.latency_mean;
  const double most = std::ceil(std::max(base, 1.0) * 6 / 50) * 50;
  std::string r = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n"
      "<text x='{2}' y='20' font-size='14'>{3}</text>\n",
      right + kWidth + 30, kTop + kHeight + 60, kLeft, escaped(title));
  r += frame(kLeft, 1, "accepted, flits a node a cycle (grey: worst node)", 1);
  r += frame(right, most, "latency in cycles: mean, 99% (grey)", 0);
  const auto latency_99 = [](const network::Outcome& o) {
    return static_cast<double>(o.latency_p99);
  };
  r += line(
      kLeft, 1, curve, "#999", [](const network::Outcome& o) { return o.worst_node; }, false);
  r += line(
      kLeft, 1, curve, "#0060a0", [](const network::Outcome& o) { return o.accepted; }, false);
  r += line(right, most, curve, "#999", latency_99, true);
  r += line(
      right, most, curve, "#0060a0", [](const network::Outcome& o) { return o.latency_mean; },
      true);
  for (const double x : {kLeft, right})
    r += fmt::format(
        "<line x1='{0:.1f}' y1='{1}' x2='{0:.1f}' y2='{2}' stroke='#c03000' "
        "stroke-dasharray='4 3'/>\n<text x='{3:.1f}' y='{4}' fill='#c03000' "
        "text-anchor='end'>saturation {5:.2f}</text>\n",
        x + kWidth * curve.saturation, kTop, kTop + kHeight, x + kWidth * curve.saturation - 4,
        kTop + 14, curve.saturation);
  return r + "</svg>\n";
}

}  // namespace ttpu::cli
