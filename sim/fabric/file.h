// Topology files: YAML that says what a network is made of, what of it is broken, and how it is
// shared out. Every key is checked; an error names file, line and column. See
// docs/guide/topology.md.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/topology.h"

namespace ttpu::fabric {

inline constexpr uint32_t kCubeSide = 4;
inline constexpr uint32_t kCubeNodes = kCubeSide * kCubeSide * kCubeSide;

/// Where in the file something was said; 1 and up.
struct Place {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// A file that cannot be used. what() is "FILE:LINE:COLUMN: reason".
struct FileError : std::runtime_error {
  Place place;
  std::string hint;  ///< what to do; may be empty
  FileError(const std::string& file, Place at, const std::string& reason, std::string todo = "");
};

enum class Kind : uint8_t { kTorus, kMesh, kTwistedTorus, kCubes };

/// A slice as the file asks for it.
struct SliceSpec {
  std::string name;
  std::array<uint32_t, kMaxDims> size{1, 1, 1};  ///< in nodes
  std::array<uint32_t, kMaxDims> from{};         ///< torus, mesh: its lowest corner
  Twist twist{};                                 ///< cubes only
  bool standard_twist = false;                   ///< as it was written: for writing it again
  std::vector<uint32_t> cubes;  ///< x fastest, then y, z; empty: the planner chooses
  Place place, cubes_place;
};

/// A cable that is out of service, named by one of its ends.
struct LinkSpec {
  uint32_t node = 0;
  uint32_t port = 0;
  Place place;
};

/// An optical cross-connect: it joins the face links of one dimension at one face position. There
/// are 48 of them: 3 dimensions x 16 positions. The position is that of the link on the face, the
/// coordinates of the other two dimensions in ascending order: of x, (y, z).
struct CrossConnect {
  uint32_t dim = 0;
  std::array<uint32_t, 2> position{};
  friend bool operator==(const CrossConnect&, const CrossConnect&) = default;
};
inline constexpr uint32_t kCrossConnects = kMaxDims * kCubeSide * kCubeSide;
/// Its number: 16 * dimension + 4 * the second coordinate + the first.
constexpr uint32_t number_of(CrossConnect c) {
  return c.dim * kCubeSide * kCubeSide + c.position[1] * kCubeSide + c.position[0];
}
constexpr CrossConnect cross_connect(uint32_t number) {
  return {number / (kCubeSide * kCubeSide), {number % kCubeSide, number / kCubeSide % kCubeSide}};
}

/// What a topology file says.
struct Spec {
  std::string file;  ///< its path, for messages
  std::string name;
  Kind kind = Kind::kTorus;
  uint32_t dims = 0;
  std::array<uint32_t, kMaxDims> size{1, 1, 1};     ///< torus, mesh
  Twist twist{};                                    ///< twisted torus
  std::array<uint32_t, kMaxDims> latency{1, 1, 1};  ///< cycles; of cubes: inside a cube
  uint32_t optical_latency = 1;                     ///< cubes: between cubes
  uint32_t cubes = 0;
  std::vector<uint32_t> spares;  ///< cubes that only stand in for failed ones, in this order
  std::vector<SliceSpec> slices;
  std::vector<uint32_t> failed_nodes;
  std::vector<LinkSpec> failed_links;
  std::vector<uint32_t> failed_cubes;
  std::vector<CrossConnect> failed_cross_connects;
};

/// The node of a pod of cubes at `at` inside cube `cube`: cubes are stacked in z.
constexpr uint32_t cube_node(uint32_t cube, std::array<uint32_t, kMaxDims> at) {
  return cube * kCubeNodes + at[0] + kCubeSide * (at[1] + kCubeSide * at[2]);
}

/// Read and check a file's text. Throws FileError.
Spec parse_spec(std::string_view text, const std::string& file);
/// The same from a file. Throws FileError if it cannot be read (place 1:1).
Spec read_spec(const std::string& file);

/// A topology file that says the same as `spec`.
std::string write_spec(const Spec& spec);

}  // namespace ttpu::fabric
