// A topology file from what was read: what the planner hands back.
#include <fmt/format.h>

#include "fabric/file.h"
#include "isa/suggest.h"

namespace ttpu::fabric {
namespace {

constexpr const char* kAxes[kMaxDims] = {"x", "y", "z"};

/// A scalar that no YAML reader takes for something else.
std::string quoted(const std::string& text) {
  std::string r = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') r += '\\';
    if (static_cast<unsigned char>(c) < ' ')
      r += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      r += c;
  }
  return r + "\"";
}

std::string list(const std::array<uint32_t, kMaxDims>& values, uint32_t count) {
  return "[" + isa::join(std::vector<uint32_t>(values.begin(), values.begin() + count)) + "]";
}

std::string twist_text(const Twist& twist) {
  std::string text;
  for (uint32_t d = 0; d < kMaxDims; ++d) {
    std::string row;
    for (uint32_t e = 0; e < kMaxDims; ++e)
      if (twist[d][e])
        row += fmt::format("{}{}: {}", row.empty() ? "" : ", ", kAxes[e], twist[d][e]);
    if (!row.empty()) text += fmt::format("{}{}: {{{}}}", text.empty() ? "" : ", ", kAxes[d], row);
  }
  return "{" + text + "}";
}

std::string node_of(const Spec& spec, uint32_t node) {
  if (spec.kind != Kind::kCubes) return std::to_string(node);
  const uint32_t at = node % kCubeNodes;
  return fmt::format("{{cube: {}, at: [{}, {}, {}]}}", node / kCubeNodes, at % kCubeSide,
                     at / kCubeSide % kCubeSide, at / (kCubeSide * kCubeSide));
}

std::string slice_text(const Spec& spec, const SliceSpec& slice) {
  std::string text = fmt::format("  - name: {}\n", quoted(slice.name));
  if (spec.kind != Kind::kCubes)
    return text + fmt::format("    from: {}\n    size: {}\n", list(slice.from, spec.dims),
                              list(slice.size, spec.dims));
  text += fmt::format("    size: {}\n", list(slice.size, kMaxDims));
  if (slice.twist != Twist{})
    text += "    twist: " + (slice.standard_twist ? "standard" : twist_text(slice.twist)) + "\n";
  if (!slice.cubes.empty()) text += "    cubes: [" + isa::join(slice.cubes) + "]\n";
  return text;
}

std::string failed_text(const Spec& spec) {
  std::string text;
  if (!spec.failed_nodes.empty()) {
    text += "  nodes:\n";
    for (const uint32_t node : spec.failed_nodes) text += "    - " + node_of(spec, node) + "\n";
  }
  if (!spec.failed_links.empty()) {
    text += "  links:\n";
    for (const LinkSpec& link : spec.failed_links)
      text += fmt::format("    - {{node: {}, port: {}}}\n", node_of(spec, link.node),
                          port_text(link.port, spec.dims));
  }
  if (!spec.failed_cubes.empty()) text += "  cubes: [" + isa::join(spec.failed_cubes) + "]\n";
  if (!spec.failed_cross_connects.empty()) {
    text += "  cross_connects:\n";
    for (const CrossConnect& c : spec.failed_cross_connects)
      text += fmt::format("    - {{dimension: {}, position: [{}, {}]}}\n", kAxes[c.dim],
                          c.position[0], c.position[1]);
  }
  return text.empty() ? text : "failed:\n" + text;
}

}  // namespace

std::string write_spec(const Spec& spec) {
  constexpr const char* kKinds[] = {"torus", "mesh", "twisted_torus", "cubes"};
  std::string text;
  if (!spec.name.empty()) text += "name: " + quoted(spec.name) + "\n";
  text += fmt::format("kind: {}\n", kKinds[static_cast<size_t>(spec.kind)]);
  if (spec.kind == Kind::kCubes) {
    text += fmt::format("cubes: {}\n", spec.cubes);
    if (!spec.spares.empty()) text += "spares: [" + isa::join(spec.spares) + "]\n";
    text += fmt::format("latency: {{electrical: {}, optical: {}}}\n", spec.latency[0],
                        spec.optical_latency);
  } else {
    text += "size: " + list(spec.size, spec.dims) + "\n";
    if (spec.kind == Kind::kTwistedTorus) text += "twist: " + twist_text(spec.twist) + "\n";
    std::string cycles;
    for (uint32_t d = 0; d < spec.dims; ++d)
      cycles += fmt::format("{}{}: {}", d ? ", " : "", kAxes[d], spec.latency[d]);
    text += "latency: {" + cycles + "}\n";
  }
  if (!spec.slices.empty()) text += "slices:\n";
  for (const SliceSpec& slice : spec.slices) text += slice_text(spec, slice);
  return text + failed_text(spec);
}

}  // namespace ttpu::fabric
