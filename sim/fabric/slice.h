// A network built from its file: the whole, and each slice as a torus of its own.
#pragma once
#include <string>
#include <vector>

#include "fabric/file.h"
#include "fabric/ocs.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// A part of the network that one program uses. Its topology numbers its own nodes from 0.
struct Slice {
  std::string name;
  Topology topology;            ///< of this slice alone; nodes by their place in it
  std::vector<uint32_t> nodes;  ///< [node of the slice] -> node of the whole
  std::vector<uint32_t> cubes;  ///< pod of cubes: x fastest, then y, z
};

/// Everything in a file. A file without slices has one, which is the whole.
/// In a pod of cubes node 64 * c + x + 4 * (y + 4 * z) of the whole is that of cube c at (x, y, z).
struct Network {
  Spec spec;
  Topology whole;  ///< cables exist only inside slices; nodes of no slice have slice kNoSlice
  std::vector<Slice> slices;
  std::vector<CrossConnectSetting> settings;  ///< pod of cubes: one for each cross-connect
};

/// Build what `spec` says. Slices of cubes without a list of cubes get free ones (see plan.h).
/// Throws FileError.
Network build(const Spec& spec);

/// Read, check and build a file. Throws FileError.
Network load_network(const std::string& file);

/// The topology to run traffic on: that of the named slice; with an empty name that of the only
/// slice, or the whole if there are several. Throws std::invalid_argument for an unknown name.
const Topology& topology_of(const Network& network, const std::string& slice = "");

/// Every cable in service has both ends in one slice, both ends name each other, and no port of a
/// cross-connect is used twice. Returns what is wrong, empty if nothing is.
std::vector<std::string> check_isolation(const Network& network);

}  // namespace ttpu::fabric
