// Pieces of an SVG file, and the colours of all pictures.
#pragma once
#include <string>
#include <string_view>

#include "fabric/picture.h"

namespace ttpu::fabric {

/// A point in pixels; y grows downward.
struct Point {
  double x = 0, y = 0;
};

struct LineStyle {
  std::string colour = "#8a8f98";
  double width = 1.5;
  bool dashed = false;
};

struct TextStyle {
  double size = 12;
  std::string_view anchor = "start";  ///< start, middle, end
  std::string colour = "#1f2430";
  bool bold = false;
};

/// Collects elements and the size of the picture.
class Svg {
 public:
  void line(Point a, Point b, const LineStyle& style, const std::string& tip = "");
  void circle(Point centre, double radius, const std::string& fill, const std::string& stroke,
              const std::string& tip = "");
  void box(Point corner, double width, double height, const std::string& fill,
           const std::string& stroke, double round, const std::string& tip = "");
  void text(Point at, const std::string& words, const TextStyle& style);
  /// Two crossed lines: out of service.
  void cross(Point centre, double radius);
  /// The file, `margin` pixels beyond what was drawn.
  std::string finish(const std::string& title, double margin = 16) const;
  double right() const { return right_; }
  double bottom() const { return bottom_; }

 private:
  void reach(Point p);
  void element(const std::string& open, const std::string& tip);
  std::string body_;
  double left_ = 0, top_ = 0, right_ = 0, bottom_ = 0;
};

inline constexpr const char* kDeadColour = "#d11f2f";
inline constexpr const char* kFreeColour = "#eceef1";
inline constexpr const char* kEdgeColour = "#4b5160";

/// Fill of the nodes of a slice; kNoSlice: that of free nodes.
std::string slice_colour(uint32_t slice);
/// 0 to 1: blue over yellow to red.
std::string load_colour(double share);
/// Name, size and dead things of the topology, slices, load scale. Drawn below `at`.
struct Legend {
  bool dead_node = false, dead_cable = false, twisted = false, dim_z = false;
};
void draw_legend(Svg& svg, Point at, const Legend& what, const PictureOptions& options,
                 uint32_t slices, bool free_nodes);
/// The load at the red end of the scale: half more than no routes can beat, so that a balanced
/// network is not all red; or the largest load, if that is more. 0 without loads.
double load_scale(const PictureOptions& options);

}  // namespace ttpu::fabric
