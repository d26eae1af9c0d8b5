// The routes that a pair of nodes may choose from.
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/route.h"
#include "fabric/route_walk.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// Finds routes over cables open to routes, by following cables only: nothing is assumed about how
/// coordinates are wired, so twisted tori, slices and broken networks are all the same to it.
class Candidates {
 public:
  /// Keeps the distances of all pairs: nodes squared bytes. The topology must outlive this.
  explicit Candidates(const Topology& topology);

  /// Hops of the shortest way; kFar if there is none.
  uint8_t hops(uint32_t src, uint32_t dest) const { return hops_[size_t{dest} * nodes_ + src]; }

  /// All routes in dimension order x, y, z with the least possible number of hops: every
  /// displacement vector of the (twisted) lattice, ties included. None if failures are in the way
  /// of each. Legs have class 0. The result is valid until the next call.
  const std::vector<Route>& shortest(uint32_t src, uint32_t dest);

  /// Other routes of at most five legs, shortest first: hops in another direction first and then
  /// dimension order, or the long way round. Those of the least length that there are, and up to
  /// `spread` hops longer; 96 at most, some of each length (which, depends on the seed).
  std::vector<Route> detours(uint32_t src, uint32_t dest, uint64_t seed, uint32_t spread = 6);

  /// Bit i: leg i crosses a dateline.
  uint32_t crossings(uint32_t src, Route route) const;

 private:
  struct Path {
    Route route = 0;
    uint32_t legs = 0;
    uint32_t length = 0;
    uint32_t descents = 0;  ///< times that a leg's dimension is lower than the one's before
  };
  void extend_shortest(uint32_t node, uint32_t dim, Route route, uint32_t legs);
  void extend(uint32_t node, const Path& path);

  uint32_t nodes_;
  uint32_t ports_;
  std::vector<uint32_t> next_;  ///< [node * ports + port], kNoNode: not open to routes
  std::vector<uint8_t> dateline_;
  std::vector<uint8_t> hops_;  ///< [dest * nodes + node]

  // Of the search in progress.
  uint32_t dest_ = 0;
  uint32_t limit_ = 0;
  uint32_t turn_ = 0;    ///< the port to try first
  uint32_t budget_ = 0;  ///< steps left
  std::vector<Route> found_;
};

}  // namespace ttpu::fabric
