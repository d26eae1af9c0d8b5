// Networks for ttpu bench net: from a file, or from a shape on the command line.
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "fabric/file.h"
#include "fabric/route_compute.h"
#include "fabric/route_table.h"
#include "fabric/route_walk.h"
#include "fabric/slice.h"
#include "ttpu/cmd_bench_net.h"
#include "ttpu/progress.h"

namespace ttpu::cli {
namespace {

/// "4x4x8" with "-twisted" or "-mesh" behind it. False: it does not look like that.
bool parse_shape(const std::string& text, fabric::Topology& topology) {
  std::array<uint32_t, fabric::kMaxDims> size{1, 1, 1};
  uint32_t dims = 0;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    if (dims == fabric::kMaxDims) return false;
    const auto [next, error] = std::from_chars(at, end, size[dims]);
    if (error != std::errc() || size[dims] == 0) return false;
    ++dims;
    at = next;
    if (at == end || *at != 'x') break;
    ++at;
  }
  const std::string kind(at, end);
  try {
    if (kind.empty())
      topology = fabric::make_torus(size, dims);
    else if (kind == "-twisted")
      topology = fabric::make_torus(size, dims, fabric::standard_twist(size, dims));
    else if (kind == "-mesh")
      topology = fabric::make_mesh(size, dims);
    else
      return false;
  } catch (const std::invalid_argument& e) {
    throw CliError(kUsage, fmt::format("--topology {}: {}", text, e.what()));
  }
  if (topology.name.empty()) topology.name = text;
  return true;
}

/// Every cable of a torus is there and in service, and dimension order knows it.
std::unique_ptr<fabric::Routes> regular_routes(const fabric::Topology& topology) {
  for (uint32_t n = 0; n < topology.nodes(); ++n) {
    if (topology.dead_node[n] || topology.slice[n] != topology.slice[0]) return nullptr;
    for (uint32_t p = 0; p < topology.ports_per_node(); ++p)
      if (topology.size[p / 2] > 1 && !topology.usable(n, p)) return nullptr;
  }
  try {
    return fabric::dimension_order(topology);
  } catch (const std::invalid_argument&) {
    return nullptr;
  }
}

std::unique_ptr<fabric::Routes> table_routes(const fabric::Topology& topology) {
  constexpr uint32_t kTableNodes = 4096;  // more would take hours
  if (topology.nodes() > kTableNodes)
    throw CliError(
        kUsage,
        fmt::format("{} nodes: tables are computed for up to {}", topology.nodes(), kTableNodes),
        "larger networks run in dimension order: tori without failures, rings up to 30");
  const Progress progress("routes of " + topology.name);
  fabric::ComputedRoutes computed = fabric::compute_routes(topology);
  if (!computed.unrouted.empty()) {
    const auto& u = computed.unrouted.front();
    throw CliError(kBadFile,
                   fmt::format("no route from node {} to node {}: {}", u.src, u.dest, u.reason),
                   fmt::format("{} pairs have none; see ttpu pod check", computed.unrouted.size()));
  }
  return std::make_unique<fabric::RouteTable>(std::move(computed.table));
}

/// A table from a file must be of this network: a wrong one would show as thousands of violations.
std::unique_ptr<fabric::Routes> routes_of_file(const fabric::Topology& topology,
                                               const std::string& file) {
  auto table = std::make_unique<fabric::RouteTable>(fabric::load_routes(file));
  if (table->nodes() != topology.nodes())
    throw CliError(kBadFile,
                   fmt::format("{}: routes of {} nodes, the topology has {}", file, table->nodes(),
                               topology.nodes()),
                   "write the table anew with ttpu pod route");
  const fabric::RouteCheck check = fabric::check_routes(topology, *table);
  if (check.faults)
    throw CliError(kBadFile, fmt::format("{}: {}", file, check.wrong.front()),
                   fmt::format("{} routes do not fit this topology; see ttpu pod check --routes",
                               check.faults));
  if (check.unrouted)
    throw CliError(kBadFile, fmt::format("{}: {} pairs have no route", file, check.unrouted),
                   "see ttpu pod check --routes");
  return table;
}

}  // namespace

NetworkUnderTest open_network(const std::string& topology, const std::string& slice,
                              const std::string& routes) {
  NetworkUnderTest n;
  if (!parse_shape(topology, n.topology)) {
    if (!std::filesystem::exists(topology))
      throw CliError(kUsage, fmt::format("--topology {}: no such file, and no shape", topology),
                     "a shape is 8x8, 4x4x8, 4x4x8-twisted or 8x8-mesh");
    try {
      n.topology = fabric::topology_of(fabric::load_network(topology), slice);
    } catch (const fabric::FileError& e) {
      throw CliError(kBadFile, e.what(), e.hint);
    } catch (const std::invalid_argument& e) {
      throw CliError(kUsage, e.what());
    }
  } else if (!slice.empty()) {
    throw CliError(kUsage, "--slice needs a topology file");
  }
  n.routes_kind = routes;
  if (routes == "auto" || routes == "dimension") {
    n.routes = regular_routes(n.topology);
    n.routes_kind = n.routes ? "dimension" : "table";
    if (!n.routes && routes == "dimension")
      throw CliError(kUsage, "dimension order needs a regular torus without failures",
                     "take --routes table");
  }
  try {
    if (!n.routes && n.routes_kind == "table") n.routes = table_routes(n.topology);
    if (!n.routes) n.routes = routes_of_file(n.topology, routes);
  } catch (const CliError&) {
    throw;
  } catch (const std::invalid_argument& e) {
    throw CliError(kUsage, e.what());
  } catch (const std::runtime_error& e) {
    throw CliError(kBadFile, e.what());
  }
  return n;
}

}  // namespace ttpu::cli
