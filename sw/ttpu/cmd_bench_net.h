// Parts of `ttpu bench net`.
#pragma once
#include <memory>
#include <string>

#include "fabric/route.h"
#include "fabric/topology.h"
#include "network/experiment.h"
#include "ttpu/cli.h"

namespace ttpu::cli {

/// A network by its file, or by a shape: 8x8, 4x4x8-twisted, 8x8-mesh.
struct NetworkUnderTest {
  fabric::Topology topology;
  std::unique_ptr<fabric::Routes> routes;
  std::string routes_kind;  ///< dimension, table, or the file they were read from
};

/// routes: auto (dimension order on a regular torus without failures, else table), dimension,
/// table, or a file of routes. Throws CliError.
NetworkUnderTest open_network(const std::string& topology, const std::string& slice,
                              const std::string& routes);

/// Accepted load and latency over the offered load, side by side, as SVG.
std::string curve_svg(const network::Curve& curve, const std::string& title);

}  // namespace ttpu::cli
