// What the subcommands of `ttpu pod` share.
#pragma once
#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "fabric/route.h"
#include "fabric/slice.h"
#include "ttpu/cli.h"

namespace ttpu::cli {

/// Read, check and build a topology file; CliError with file, line, column and what to do.
fabric::Network open_pod(const std::string& file);
fabric::Spec open_spec(const std::string& file);

/// The topology of the named slice; without a name of the only one, or of the whole.
const fabric::Topology& part_of(const fabric::Network& network, const std::string& slice);

/// Routes, and where they came from.
struct PodRoutes {
  std::unique_ptr<fabric::Routes> routes;
  std::string kind;       ///< table, dimension order, or the file
  uint64_t unrouted = 0;  ///< pairs for which none was found
  std::string first_unrouted;
};
/// From `file`, if it is not empty; else computed: a table up to 4,096 nodes, dimension order
/// beyond.
PodRoutes pod_routes(const fabric::Topology& topology, const std::string& file);

/// A node as "12" or "1,2,3"; CliError for one that is not there.
uint32_t node_of(const fabric::Topology& topology, const std::string& text, const char* option);

void add_pod_plan(CLI::App& pod, Context& context);
void add_pod_route(CLI::App& pod, Context& context);
void add_pod_check(CLI::App& pod, Context& context);

}  // namespace ttpu::cli
