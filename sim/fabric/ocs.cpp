#include "fabric/ocs.h"

#include <algorithm>

namespace ttpu::fabric {
namespace {

/// Joints of one dimension: they are the same at all its 16 face positions, because wraps move by
/// whole cubes.
std::vector<Joint> joints_of(const Spec& spec, uint32_t dim) {
  std::vector<Joint> joints;
  for (uint32_t s = 0; s < spec.slices.size(); ++s) {
    const SliceSpec& slice = spec.slices[s];
    std::array<uint32_t, kMaxDims> side{};
    for (uint32_t d = 0; d < kMaxDims; ++d) side[d] = slice.size[d] / kCubeSide;
    for (uint32_t i = 0; i < slice.cubes.size(); ++i) {
      std::array<uint32_t, kMaxDims> at = {i % side[0], i / side[0] % side[1],
                                           i / side[0] / side[1]};
      const bool wraps = at[dim] + 1 == side[dim];
      at[dim] = wraps ? 0 : at[dim] + 1;
      if (wraps)
        for (uint32_t e = 0; e < kMaxDims; ++e)
          at[e] = (at[e] + slice.twist[dim][e] / kCubeSide) % side[e];
      const uint32_t to = at[0] + side[0] * (at[1] + side[1] * at[2]);
      joints.push_back({slice.cubes[i], slice.cubes[to], s, wraps});
    }
  }
  std::sort(joints.begin(), joints.end(),
            [](const Joint& a, const Joint& b) { return a.from < b.from; });
  return joints;
}

std::vector<Joint> missing_in(const std::vector<Joint>& from, const std::vector<Joint>& other) {
  std::vector<Joint> missing;
  for (const Joint& joint : from)
    if (std::find(other.begin(), other.end(), joint) == other.end()) missing.push_back(joint);
  return missing;
}

}  // namespace

std::vector<CrossConnectSetting> cross_connect_settings(const Spec& spec) {
  std::vector<CrossConnectSetting> settings;
  for (uint32_t dim = 0; dim < kMaxDims; ++dim) {
    const std::vector<Joint> joints = joints_of(spec, dim);
    for (uint32_t i = 0; i < kCubeSide * kCubeSide; ++i) {
      const CrossConnect which = cross_connect(dim * kCubeSide * kCubeSide + i);
      const auto& failed = spec.failed_cross_connects;
      const bool dead = std::find(failed.begin(), failed.end(), which) != failed.end();
      settings.push_back({which, dead, joints});
    }
  }
  return settings;
}

std::vector<SettingChange> setting_changes(const std::vector<CrossConnectSetting>& before,
                                           const std::vector<CrossConnectSetting>& after) {
  std::vector<SettingChange> changes;
  for (size_t i = 0; i < after.size() && i < before.size(); ++i) {
    SettingChange change{after[i].which, missing_in(before[i].joints, after[i].joints),
                         missing_in(after[i].joints, before[i].joints)};
    if (!change.remove.empty() || !change.add.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ttpu::fabric
