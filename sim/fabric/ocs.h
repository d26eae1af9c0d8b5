// Optical cross-connects: which port is joined to which, and what a change of plan moves.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "fabric/file.h"

namespace ttpu::fabric {

/// One mirror pair: the plus face of cube `from` to the minus face of cube `to`. On the
/// cross-connect these are port 2 * from and port 2 * to + 1.
struct Joint {
  uint32_t from = 0;
  uint32_t to = 0;
  uint32_t slice = 0;     ///< whose it is
  bool dateline = false;  ///< a wrap of the slice
  friend bool operator==(const Joint& a, const Joint& b) {
    return a.from == b.from && a.to == b.to;
  }
};

/// What one cross-connect is set to.
struct CrossConnectSetting {
  CrossConnect which;
  bool failed = false;
  std::vector<Joint> joints;  ///< by `from`, ascending
};

/// The settings of all 48 cross-connects that make the slices of `spec`, whose lists of cubes are
/// complete. A cube without slice has no joint.
std::vector<CrossConnectSetting> cross_connect_settings(const Spec& spec);

/// What has to move between two settings of the same pod.
struct SettingChange {
  CrossConnect which;
  std::vector<Joint> remove;
  std::vector<Joint> add;
};
/// Only cross-connects with a change.
std::vector<SettingChange> setting_changes(const std::vector<CrossConnectSetting>& before,
                                           const std::vector<CrossConnectSetting>& after);

}  // namespace ttpu::fabric
