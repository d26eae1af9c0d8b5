// Routes as a table: what the host loads into the network interfaces.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/route.h"
#include "fabric/topology.h"

namespace ttpu::fabric {

/// A route of 40 bits for each source and destination; 5 bytes a pair (4,096 nodes: 84 MB).
class RouteTable final : public Routes {
 public:
  /// Without a route for any pair.
  explicit RouteTable(uint32_t nodes);

  uint32_t nodes() const { return nodes_; }
  Route route(uint32_t src, uint32_t dest) const override {
    if (src == dest) return 0;
    if (src >= nodes_ || dest >= nodes_) return kNoRoute;
    const size_t at = size_t{src} * nodes_ + dest;
    if (high_[at] == kNoneHigh) return kNoRoute;
    return Route{high_[at]} << 32 | low_[at];
  }
  /// route: 40 bits or kNoRoute.
  void set(uint32_t src, uint32_t dest, Route route) {
    const size_t at = size_t{src} * nodes_ + dest;
    low_[at] = static_cast<uint32_t>(route);
    high_[at] = static_cast<uint8_t>(route >> 32);
  }

 private:
  // The fifth leg of a route never leaves by port 7.
  static constexpr uint8_t kNoneHigh = 0xff;
  uint32_t nodes_;
  std::vector<uint32_t> low_;
  std::vector<uint8_t> high_;
};

/// Every route of `routes` between nodes of one slice, as a table.
RouteTable make_table(const Topology& topology, const Routes& routes);

/// The table as text: `ttpu-routes 1 NODES`, then for each source with routes a line `source S` and
/// lines `DEST LEG ...`; a leg is port, hops, class: `+x3.0`. Throws std::runtime_error if the file
/// cannot be written.
void save_routes(const RouteTable& table, const std::string& file);

/// Reads what save_routes wrote. Throws std::runtime_error "FILE:LINE: reason" for anything else.
RouteTable load_routes(const std::string& file);

}  // namespace ttpu::fabric
