#include "fabric/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/suggest.h"

namespace ttpu::fabric {
namespace {

bool holds(const std::vector<uint32_t>& list, uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

uint32_t cubes_wanted(const SliceSpec& slice) {
  uint32_t count = 1;
  for (const uint32_t side : slice.size) count *= side / kCubeSide;
  return count;
}

std::vector<uint8_t> cubes_taken(const Spec& spec) {
  std::vector<uint8_t> taken(spec.cubes, 0);
  for (const SliceSpec& slice : spec.slices)
    for (const uint32_t cube : slice.cubes) taken[cube] = 1;
  return taken;
}

/// Whole cubes without a slice; spares or the others.
std::vector<uint32_t> free_cubes(const Spec& spec, bool spares) {
  const auto taken = cubes_taken(spec);
  std::vector<uint32_t> list;
  const auto consider = [&](uint32_t cube) {
    if (!taken[cube] && cube_fault(spec, cube).empty()) list.push_back(cube);
  };
  if (spares) {
    for (const uint32_t cube : spec.spares) consider(cube);
  } else {
    for (uint32_t cube = 0; cube < spec.cubes; ++cube)
      if (!holds(spec.spares, cube)) consider(cube);
  }
  return list;
}

void take_over(Spec& spec, const Spec& former) {
  auto taken = cubes_taken(spec);
  for (SliceSpec& slice : spec.slices) {
    if (!slice.cubes.empty()) continue;
    for (const SliceSpec& old : former.slices) {
      if (old.name != slice.name || old.size != slice.size) continue;
      const bool fits = std::all_of(old.cubes.begin(), old.cubes.end(), [&](uint32_t cube) {
        return cube < spec.cubes && !taken[cube];
      });
      if (!fits) continue;
      slice.cubes = old.cubes;
      for (const uint32_t cube : slice.cubes) taken[cube] = 1;
    }
  }
}

/// Replace what is broken in `slice`, worst first so that spares go where they are needed most.
void mend(Plan& plan, SliceSpec& slice, bool failed_only) {
  for (uint32_t i = 0; i < slice.cubes.size(); ++i) {
    const uint32_t cube = slice.cubes[i];
    const std::string fault = cube_fault(plan.spec, cube);
    if (fault.empty() || cube_failed(plan.spec, cube) != failed_only) continue;
    auto candidates = free_cubes(plan.spec, true);
    if (candidates.empty()) candidates = free_cubes(plan.spec, false);
    if (candidates.empty()) {
      if (failed_only)
        throw FileError(plan.spec.file, slice.cubes_place,
                        fmt::format("slice '{}': cube {} failed and no whole cube is left for it",
                                    slice.name, cube),
                        "repair a cube, or make a slice smaller");
      plan.kept.push_back({slice.name, cube, fault});
      continue;
    }
    plan.swaps.push_back({slice.name, i, cube, candidates[0], fault});
    slice.cubes[i] = candidates[0];
  }
}

}  // namespace

bool cube_failed(const Spec& spec, uint32_t cube) { return holds(spec.failed_cubes, cube); }

std::string cube_fault(const Spec& spec, uint32_t cube) {
  if (cube_failed(spec, cube)) return "failed";
  for (const uint32_t node : spec.failed_nodes)
    if (node / kCubeNodes == cube) return fmt::format("node {} failed", node);
  for (const LinkSpec& link : spec.failed_links)
    if (link.node / kCubeNodes == cube)
      return fmt::format("the cable at {} of node {} failed", port_text(link.port, kMaxDims),
                         link.node);
  return "";
}

void place_slices(Spec& spec) {
  for (SliceSpec& slice : spec.slices) {
    if (!slice.cubes.empty()) continue;
    const auto free = free_cubes(spec, false);
    const uint32_t wanted = cubes_wanted(slice);
    if (free.size() < wanted)
      throw FileError(spec.file, slice.place,
                      fmt::format("slice '{}' needs {} cubes; whole and free: {}{}", slice.name,
                                  wanted, free.size(),
                                  spec.spares.empty() ? ""
                                                      : fmt::format(" (and spares: {})",
                                                                    free_cubes(spec, true).size())),
                      "make a slice smaller, keep fewer spares, or repair cubes");
    slice.cubes.assign(free.begin(), free.begin() + wanted);
  }
}

Plan make_plan(const Spec& spec, const Spec* former) {
  if (spec.kind != Kind::kCubes)
    throw FileError(spec.file, {}, "only a pod of cubes can be planned",
                    "its kind is `cubes`; other networks are wired for good");
  if (former && (former->kind != Kind::kCubes || former->cubes != spec.cubes))
    throw FileError(former->file, {},
                    fmt::format("the former plan is not for a pod of {} cubes", spec.cubes),
                    "give the plan that was made for this pod");
  Plan plan;
  plan.spec = spec;
  if (former) take_over(plan.spec, *former);
  // What is set now: the lists of the former plan, else those of the file itself.
  const auto before = cross_connect_settings(former ? *former : spec);
  for (const SliceSpec& slice : plan.spec.slices)
    if (slice.cubes.empty()) plan.placed.push_back(slice.name);
  place_slices(plan.spec);
  for (const bool failed_only : {true, false})
    for (SliceSpec& slice : plan.spec.slices) mend(plan, slice, failed_only);
  plan.free = free_cubes(plan.spec, false);
  for (const uint32_t cube : free_cubes(plan.spec, true)) plan.free.push_back(cube);
  std::sort(plan.free.begin(), plan.free.end());
  plan.settings = cross_connect_settings(plan.spec);
  plan.changes = setting_changes(before, plan.settings);
  return plan;
}

}  // namespace ttpu::fabric
