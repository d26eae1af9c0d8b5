// Cubes and cross-connects as blocks.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "fabric/picture.h"
#include "fabric/picture_svg.h"
#include "fabric/plan.h"

namespace ttpu::fabric {
namespace {

constexpr const char* kAxes[kMaxDims] = {"x", "y", "z"};
constexpr double kBlock = 54;   // side of a cube
constexpr double kPitch = 104;  // from cube to cube
const TextStyle kSmall{10, "middle", "#4b5160"};

class PodPicture {
 public:
  PodPicture(const Network& network, const PictureOptions& options)
      : n_(network), options_(options), top_(load_scale(options)) {}

  std::string draw() {
    const std::string title = options_.title.empty() ? n_.whole.name : options_.title;
    svg_.text({0, 0}, title, {18, "start", "#1f2430", true});
    svg_.text(
        {0, 20},
        "a block is a cube of 4x4x4 nodes; a bundle is 16 optical links through 16 cross-connects",
        {12, "start", "#4b5160"});
    double y = 56;
    for (uint32_t s = 0; s < n_.slices.size(); ++s) y = draw_slice(s, y);
    y = draw_free(y);
    y = draw_cross_connects(y);
    draw_legend(svg_, {0, y + 16}, {}, options_, 0, false);
    return svg_.finish(title);
  }

 private:
  /// What of the 16 links of one joint is out of service, and their largest load.
  struct Bundle {
    uint32_t dead = 0, load = 0;
  };
  Bundle bundle(uint32_t dim, const Joint& joint) const {
    Bundle b;
    for (uint32_t i = 0; i < kCubeSide * kCubeSide; ++i) {
      std::array<uint32_t, kMaxDims> plus{}, minus{};
      const CrossConnect c = cross_connect(i);
      for (uint32_t d = 0, k = 0; d < kMaxDims; ++d)
        if (d != dim) plus[d] = minus[d] = c.position[k++];
      plus[dim] = kCubeSide - 1;
      const uint32_t from = cube_node(joint.from, plus), to = cube_node(joint.to, minus);
      b.dead += n_.whole.port(from, 2 * dim).dead;
      if (options_.load) {
        b.load = std::max(b.load, (*options_.load)[from * 2 * kMaxDims + 2 * dim]);
        b.load = std::max(b.load, (*options_.load)[to * 2 * kMaxDims + 2 * dim + 1]);
      }
    }
    return b;
  }

  void draw_cube(Point at, uint32_t cube, const std::string& fill) {
    const std::string fault = cube_fault(n_.spec, cube);
    const bool spare =
        std::find(n_.spec.spares.begin(), n_.spec.spares.end(), cube) != n_.spec.spares.end();
    const bool dead = cube_failed(n_.spec, cube);
    svg_.box(at, kBlock, kBlock, dead ? kFreeColour : fill,
             fault.empty() ? kEdgeColour : kDeadColour, 6,
             fmt::format("cube {}{}", cube, fault.empty() ? "" : ": " + fault));
    svg_.text({at.x + kBlock / 2, at.y + 25}, std::to_string(cube),
              {17, "middle", "#1f2430", true});
    if (dead) {
      svg_.cross({at.x + kBlock / 2, at.y + 38}, 9);
    } else if (!fault.empty()) {
      svg_.text({at.x + kBlock / 2, at.y + 42}, "damaged", {10, "middle", kDeadColour});
    } else if (spare) {
      svg_.text({at.x + kBlock / 2, at.y + 42}, "spare", kSmall);
    }
  }

  LineStyle style(const Bundle& b) const {
    if (b.dead == kCubeSide * kCubeSide) return {kDeadColour, 3, true};
    if (top_ > 0) return {load_colour(b.load / top_), 5, false};
    return {"#8a8f98", 4, false};
  }

  /// Planes of cubes side by side, x to the right, y up.
  double draw_slice(uint32_t s, double top) {
    const SliceSpec& spec = n_.spec.slices[s];
    std::array<uint32_t, kMaxDims> side{};
    for (uint32_t d = 0; d < kMaxDims; ++d) side[d] = spec.size[d] / kCubeSide;
    svg_.text({0, top},
              fmt::format("slice {}: {}{}, {} cube{}", spec.name, size_text(spec.size, kMaxDims),
                          spec.twist == Twist{} ? "" : " twisted", spec.cubes.size(),
                          spec.cubes.size() == 1 ? "" : "s"),
              {14, "start", "#1f2430", true});
    const uint32_t across = std::max(1U, 12 / side[0]);  // planes in a row
    const double width = side[0] * kPitch + 46, height = side[1] * kPitch + 26;
    const auto corner = [&](uint32_t i) {
      const uint32_t x = i % side[0], y = i / side[0] % side[1], z = i / side[0] / side[1];
      return Point{z % across * width + 46 + x * kPitch,
                   top + 46 + z / across * height + (side[1] - 1 - y) * kPitch};
    };
    std::map<uint32_t, uint32_t> position;  // cube -> index in the slice
    for (uint32_t i = 0; i < spec.cubes.size(); ++i) position[spec.cubes[i]] = i;
    for (uint32_t dim = 0; dim < kMaxDims; ++dim)
      for (const Joint& joint : n_.settings[dim * kCubeSide * kCubeSide].joints)
        if (joint.slice == s)
          draw_joint(dim, joint, corner(position[joint.from]), corner(position[joint.to]));
    for (uint32_t i = 0; i < spec.cubes.size(); ++i)
      draw_cube(corner(i), spec.cubes[i], slice_colour(s));
    for (uint32_t z = 0; side[2] > 1 && z < side[2]; ++z) {
      const Point at = corner(z * side[0] * side[1] + side[0] * (side[1] - 1));
      svg_.text({at.x - 40, at.y - 24}, fmt::format("cubes at z = {}", z),
                {10, "start", "#4b5160"});
    }
    return top + 46 + (side[2] + across - 1) / across * height;
  }

  /// One bundle: straight to the neighbour in x and y; stubs with the other cube's number where it
  /// wraps, and in z.
  void draw_joint(uint32_t dim, const Joint& joint, Point from, Point to) {
    const Bundle b = bundle(dim, joint);
    const LineStyle line = style(b);
    std::string tip = fmt::format("{} from cube {} to cube {}: {} of 16 links in service",
                                  kAxes[dim], joint.from, joint.to, 16 - b.dead);
    if (top_ > 0) tip += fmt::format(", largest load {}", b.load);
    const std::string count = b.dead ? fmt::format("{}/16", 16 - b.dead) : "";
    const TextStyle dead_text{10, "middle", kDeadColour};
    const Point a{from.x + kBlock / 2, from.y + kBlock / 2},
        c{to.x + kBlock / 2, to.y + kBlock / 2};
    const double half = kBlock / 2;
    if (dim < 2 && !joint.dateline) {
      svg_.line(a, c, line, tip);
      if (!count.empty())
        svg_.text(dim == 0 ? Point{(a.x + c.x) / 2, a.y - 5} : Point{a.x + 16, (a.y + c.y) / 2 + 3},
                  count, dead_text);
      return;
    }
    // Direction of the plus stub on the page; the minus stub is the mirror image.
    const Point way = dim == 0 ? Point{1, 0} : dim == 1 ? Point{0, -1} : Point{0.75, -0.75};
    const double reach = dim == 2 ? half + 16 : half + 14;
    const auto stub = [&](Point at, double sign, uint32_t other) {
      const Point end{at.x + sign * way.x * reach, at.y + sign * way.y * reach};
      svg_.line(at, end, line, tip);
      const double below = sign > 0 ? 0 : 8;
      const Point label = dim == 0   ? Point{end.x - sign * 2, end.y - 6}
                          : dim == 1 ? Point{end.x + 10, end.y + (sign > 0 ? 4 : 5)}
                                     : Point{end.x + sign * 9, end.y + below};
      svg_.text(label, std::to_string(other), kSmall);
      if (count.empty()) return;
      if (dim == 0)
        svg_.text({end.x + sign * 6, end.y + 12}, count, {8, "middle", kDeadColour});
      else if (dim == 1)
        svg_.text({end.x - 5, end.y + (sign > 0 ? 4 : 5)}, count, {8, "end", kDeadColour});
      else
        svg_.text({end.x + sign * 16, end.y + below}, count,
                  {8, sign > 0 ? "start" : "end", kDeadColour});
    };
    stub(a, 1, joint.to);
    stub(c, -1, joint.from);
  }

  double draw_free(double top) {
    std::vector<uint8_t> used(n_.spec.cubes, 0);
    for (const Slice& slice : n_.slices)
      for (const uint32_t cube : slice.cubes) used[cube] = 1;
    if (std::find(used.begin(), used.end(), 0) == used.end()) return top;
    svg_.text({0, top}, "cubes in no slice", {14, "start", "#1f2430", true});
    uint32_t i = 0;
    for (uint32_t cube = 0; cube < n_.spec.cubes; ++cube)
      if (!used[cube]) {
        draw_cube({i % 16 * (kBlock + 14), top + 14 + i / 16 * (kBlock + 14)}, cube, "#ffffff");
        ++i;
      }
    return top + 14 + (i + 15) / 16 * (kBlock + 14) + 32;
  }

  /// Three squares of 4x4, and what each of a dimension is set to.
  double draw_cross_connects(double top) {
    svg_.text({0, top}, "optical cross-connects: one a dimension and face position",
              {14, "start", "#1f2430", true});
    constexpr double kCell = 24, kWidth = 270;
    size_t lines = 0;
    for (uint32_t dim = 0; dim < kMaxDims; ++dim) {
      const Point at{dim * kWidth + 20, top + 40};
      const char* first = kAxes[dim == 0 ? 1 : 0];
      const char* second = kAxes[dim == 2 ? 1 : 2];
      svg_.text({at.x, at.y - 12}, fmt::format("{}: across {}, up {}", kAxes[dim], first, second),
                {12, "start"});
      for (uint32_t i = 0; i < kCubeSide * kCubeSide; ++i) {
        const auto& setting = n_.settings[dim * kCubeSide * kCubeSide + i];
        const Point cell{at.x + setting.which.position[0] * kCell,
                         at.y + (kCubeSide - 1 - setting.which.position[1]) * kCell};
        const uint32_t number = number_of(setting.which);
        svg_.box(
            cell, kCell - 3, kCell - 3, setting.failed ? "#f7d4d7" : "#e7edf5",
            setting.failed ? kDeadColour : kEdgeColour, 3,
            fmt::format("cross-connect {}{}", number, setting.failed ? ", out of service" : ""));
        svg_.text({cell.x + (kCell - 3) / 2, cell.y + 14}, std::to_string(number),
                  {10, "middle", setting.failed ? kDeadColour : "#1f2430"});
      }
      lines = std::max(lines, draw_settings(dim, {at.x, at.y + 4 * kCell + 14}));
    }
    return top + 40 + 4 * kCell + 14 + static_cast<double>(lines) * 14;
  }

  size_t draw_settings(uint32_t dim, Point at) {
    const auto& joints = n_.settings[dim * kCubeSide * kCubeSide].joints;
    constexpr size_t kMost = 18, kInRow = 3;
    std::string row = "joins + to -:";
    size_t rows = 0;
    const auto flush = [&] {
      svg_.text({at.x, at.y + static_cast<double>(rows++) * 14}, row, {10, "start", "#4b5160"});
      row.clear();
    };
    flush();
    for (size_t i = 0; i < joints.size() && i < kMost; ++i) {
      row += fmt::format("{}cube {} to {}", row.empty() ? "" : ",  ", joints[i].from, joints[i].to);
      if (i % kInRow == kInRow - 1) flush();
    }
    if (joints.size() > kMost) row += fmt::format("and {} more", joints.size() - kMost);
    if (joints.empty()) row = "nothing";
    if (!row.empty()) flush();
    return rows;
  }

  const Network& n_;
  const PictureOptions& options_;
  const double top_;
  Svg svg_;
};

}  // namespace

std::string draw_pod(const Network& network, const PictureOptions& options) {
  return PodPicture(network, options).draw();
}

}  // namespace ttpu::fabric
