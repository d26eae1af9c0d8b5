// Which cubes make which slice: the first choice, and spares for failed cubes.
#pragma once
#include <string>
#include <vector>

#include "fabric/file.h"
#include "fabric/ocs.h"

namespace ttpu::fabric {

/// A cube that took the place of another.
struct Swap {
  std::string slice;
  uint32_t position = 0;  ///< in the slice's list of cubes
  uint32_t from = 0;
  uint32_t to = 0;
  std::string reason;  ///< what is wrong with `from`
};

/// A cube that is not whole but stays, for want of another: routes go round what failed.
struct Kept {
  std::string slice;
  uint32_t cube = 0;
  std::string reason;
};

struct Plan {
  Spec spec;  ///< with the list of cubes of every slice
  std::vector<Swap> swaps;
  std::vector<Kept> kept;
  std::vector<std::string> placed;  ///< slices that had no cubes before
  std::vector<uint32_t> free;       ///< whole cubes that no slice uses, spares included
  std::vector<CrossConnectSetting> settings;
  std::vector<SettingChange> changes;  ///< against what was set before
};

/// Choose cubes for every slice of a pod. A slice that has a list keeps it; without one it takes
/// that of the slice of the same name and size in `former`, else free cubes, lowest first. Then a
/// failed cube is swapped for a spare: first the spares in their order, then other free cubes. A
/// cube with a failed node or link is swapped too if one is left, else it stays.
/// Throws FileError: no pod of cubes; not enough whole cubes.
Plan make_plan(const Spec& spec, const Spec* former = nullptr);

/// Give slices without a list free cubes, and change nothing else. Throws FileError.
void place_slices(Spec& spec);

/// What is wrong with a cube: "" if it is whole.
std::string cube_fault(const Spec& spec, uint32_t cube);
/// Listed as failed: it cannot be used at all.
bool cube_failed(const Spec& spec, uint32_t cube);

}  // namespace ttpu::fabric
