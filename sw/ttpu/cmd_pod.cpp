// ttpu pod: what its subcommands share, and ttpu pod show.
#include "ttpu/cmd_pod.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "fabric/load.h"
#include "fabric/picture.h"
#include "fabric/plan.h"
#include "fabric/route_compute.h"
#include "fabric/route_table.h"
#include "isa/suggest.h"

namespace ttpu::cli {

namespace {

constexpr uint32_t kTableNodes = 4096;  // compute_routes takes no more
constexpr const char* kKinds[] = {"torus", "mesh", "twisted_torus", "cubes"};

template <class Body>
auto with_file_errors(Body&& body) {
  try {
    return body();
  } catch (const fabric::FileError& e) {
    throw CliError(kBadFile, e.what(), e.hint);
  }
}

/// Loads of all slices by nodes of the whole.
struct PodLoads {
  std::vector<uint32_t> cable;
  double theta = 0;  ///< the largest of the slices
};

struct ShowOptions {
  std::string file, slice, node, svg;
  bool load = false;
};

/// One slice: figures as JSON and as a line of the table.
struct SliceFigures {
  Json json;
  std::string line;
};

SliceFigures figures_of(const fabric::Slice& slice, bool load, PodLoads* loads,
                        uint32_t ports_per_node) {
  const fabric::Topology& t = slice.topology;
  const fabric::Distances d = fabric::distances(t);
  const fabric::Cables c = fabric::cables(t);
  SliceFigures f;
  f.json = {{"name", slice.name},       {"size", fabric::size_text(t.size, t.dims)},
            {"nodes", t.nodes()},       {"nodes_alive", d.nodes_alive},
            {"cables", c.total},        {"cables_dead", c.dead},
            {"cables_wrap", c.wraps},   {"diameter", d.diameter},
            {"mean_hops", d.mean_hops}, {"pairs_apart", d.pairs_apart}};
  if (!slice.cubes.empty()) f.json["cubes"] = slice.cubes;
  std::string bound = "-", share = "-";
  fabric::Loads most;
  uint64_t unrouted = 0;
  if (load) {
    const PodRoutes routes = pod_routes(t, "");
    most = fabric::channel_loads(t, *routes.routes);
    f.json["routes"] = routes.kind;
    f.json["pairs_without_route"] = unrouted = routes.unrouted;
    f.json["max_cable_load"] = most.max_cable;
  }
  if (load || t.nodes() <= kTableNodes) {
    const auto theta = fabric::theta_bound(t, load ? &most : nullptr);
    f.json["theta"] = theta.theta;
    f.json["theta_from"] = theta.how;
    if (theta.theta > 0) {
      f.json["uniform_bound"] = d.nodes_alive / theta.theta;
      bound = fmt::format("{:.6g}", theta.theta);
      share = fmt::format("{:.4g}", d.nodes_alive / theta.theta);
    }
    if (loads) loads->theta = std::max(loads->theta, theta.theta);
  }
  if (load && loads)
    for (uint32_t node = 0; node < t.nodes(); ++node)
      for (uint32_t p = 0; p < ports_per_node; ++p)
        loads->cable[slice.nodes[node] * ports_per_node + p] =
            most.cable[node * ports_per_node + p];
  f.line = fmt::format("{:<16}{:>10}{:>7}{:>6}{:>8}{:>6}{:>6}{:>10.5g}{:>9}{:>9}{}\n", slice.name,
                       fabric::size_text(t.size, t.dims), t.nodes(), t.nodes() - d.nodes_alive,
                       c.total, c.dead, d.diameter, d.mean_hops, bound, share,
                       load ? fmt::format("{:>9}", most.max_cable) : "");
  if (d.pairs_apart)
    f.line += fmt::format("  {}: {} pairs of nodes cannot reach each other\n", slice.name,
                          grouped(d.pairs_apart));
  if (unrouted > d.pairs_apart)
    f.line += fmt::format("  {}: {} pairs of nodes have no route that is free of deadlock\n",
                          slice.name, grouped(unrouted - d.pairs_apart));
  return f;
}

std::string describe_pod(const fabric::Network& n, Context& context) {
  const fabric::Spec& spec = n.spec;
  std::vector<uint8_t> used(spec.cubes, 0);
  for (const auto& s : n.slices)
    for (const uint32_t cube : s.cubes) used[cube] = 1;
  std::vector<uint32_t> free, faulty, dead;
  for (uint32_t cube = 0; cube < spec.cubes; ++cube) {
    const bool whole = fabric::cube_fault(spec, cube).empty();
    if (!whole) faulty.push_back(cube);
    if (whole && !used[cube]) free.push_back(cube);
  }
  for (const auto& c : spec.failed_cross_connects) dead.push_back(fabric::number_of(c));
  const auto list = [](const std::vector<uint32_t>& v) {
    return v.empty() ? "none" : isa::join(v);
  };
  context.result["cubes"] = {
      {"total", spec.cubes}, {"not_whole", faulty}, {"free", free}, {"spares", spec.spares}};
  context.result["cross_connects"] = {{"total", fabric::kCrossConnects}, {"failed", dead}};
  return fmt::format(
      "cubes {}; not whole: {}; whole and free: {}; spares: {}\n"
      "cross-connects {}; out of service: {}\n",
      spec.cubes, list(faulty), list(free), list(spec.spares), fabric::kCrossConnects, list(dead));
}

void write_picture(const ShowOptions& o, const fabric::Network& n, const PodLoads& loads) {
  fabric::PictureOptions picture;
  picture.theta = loads.theta;
  if (!o.slice.empty()) {
    const fabric::Topology& t = part_of(n, o.slice);
    std::vector<uint32_t> cable;
    for (const auto& s : n.slices) {
      if (s.name != o.slice || !o.load) continue;
      for (const uint32_t node : s.nodes)
        for (uint32_t p = 0; p < t.ports_per_node(); ++p)
          cable.push_back(loads.cable[node * t.ports_per_node() + p]);
    }
    if (o.load) picture.load = &cable;
    write_file(o.svg, fabric::draw_topology(t, picture));
    return;
  }
  if (o.load) picture.load = &loads.cable;
  for (const auto& s : n.slices) picture.slice_names.push_back(s.name);
  write_file(o.svg, n.spec.kind == fabric::Kind::kCubes ? fabric::draw_pod(n, picture)
                                                        : fabric::draw_topology(n.whole, picture));
}

/// What the host has to know to set up one router.
std::string describe_node(const fabric::Topology& t, uint32_t node, Context& context) {
  uint32_t datelines = 0, down = 0;
  Json ports = Json::array();
  std::string lines;
  for (uint32_t p = 0; p < t.ports_per_node(); ++p) {
    const fabric::Port& at = t.port(node, p);
    const std::string port = fabric::port_text(p, t.dims);
    datelines |= uint32_t{at.dateline} << p;
    down |= uint32_t{!t.usable(node, p)} << p;
    if (at.peer.node == fabric::kNoNode) {
      ports.push_back({{"port", port}, {"to", nullptr}});
      lines += fmt::format("  {} no cable\n", port);
      continue;
    }
    ports.push_back({{"port", port},
                     {"to", at.peer.node},
                     {"dateline", at.dateline},
                     {"dead", at.dead},
                     {"latency", at.latency}});
    lines += fmt::format("  {} to node {} {}, {} cycle{}{}{}\n", port, at.peer.node,
                         fabric::node_text(t, at.peer.node), at.latency, at.latency == 1 ? "" : "s",
                         at.dateline ? ", dateline" : "", at.dead ? ", out of service" : "");
  }
  context.result["node"] = {{"number", node},
                            {"dead", t.dead_node[node] != 0},
                            {"dateline_mask", datelines},
                            {"down_mask", down},
                            {"ports", std::move(ports)}};
  return fmt::format("node {} {}{}: cfg_dateline 0x{:02x}, cfg_down 0x{:02x}\n{}", node,
                     fabric::node_text(t, node), t.dead_node[node] ? ", out of service" : "",
                     datelines, down, lines);
}

void run_show(const ShowOptions& o, Context& context) {
  const fabric::Network n = open_pod(o.file);
  const fabric::Topology& part = part_of(n, o.slice);
  const uint32_t node = o.node.empty() ? fabric::kNoNode : node_of(part, o.node, "--node");
  std::string text;
  const fabric::Cables c = fabric::cables(n.whole);
  const auto dead =
      static_cast<uint32_t>(std::count(n.whole.dead_node.begin(), n.whole.dead_node.end(), 1));
  context.result = {{"file", o.file},
                    {"name", n.whole.name},
                    {"kind", kKinds[static_cast<size_t>(n.spec.kind)]},
                    {"nodes", n.whole.nodes()},
                    {"nodes_dead", dead},
                    {"cables", c.total},
                    {"cables_dead", c.dead}};
  text += fmt::format("{}: {}, {} nodes ({} out of service), {} cables ({} out of service)\n",
                      n.whole.name, kKinds[static_cast<size_t>(n.spec.kind)],
                      grouped(n.whole.nodes()), dead, grouped(c.total), c.dead);
  if (n.spec.kind == fabric::Kind::kCubes) text += describe_pod(n, context);
  text += fmt::format("{:<16}{:>10}{:>7}{:>6}{:>8}{:>6}{:>6}{:>10}{:>9}{:>9}{}\n", "slice", "size",
                      "nodes", "dead", "cables", "dead", "diam", "mean hops", "theta", "uniform",
                      o.load ? "     load" : "");
  PodLoads loads;
  const uint32_t ports = n.whole.ports_per_node();
  loads.cable.assign(n.whole.ports.size(), 0);
  Json slices = Json::array();
  for (const auto& s : n.slices) {
    if (!o.slice.empty() && s.name != o.slice) continue;
    SliceFigures f = figures_of(s, o.load, &loads, ports);
    text += f.line;
    slices.push_back(std::move(f.json));
  }
  context.result["slices"] = std::move(slices);
  if (node != fabric::kNoNode) text += describe_node(part, node, context);
  if (!o.svg.empty()) {  // before anything is printed: it may fail
    write_picture(o, n, loads);
    context.result["svg"] = o.svg;
  }
  context.print(text);
}

void add_pod_show(CLI::App& pod, Context& context) {
  auto* sub =
      pod.add_subcommand("show", "what a topology file makes: nodes, cables, slices, bounds");
  auto o = std::make_shared<ShowOptions>();
  sub->add_option("FILE", o->file, "topology file (docs/guide/topology.md)")->required();
  sub->add_option("--slice", o->slice, "this slice only");
  sub->add_option("--node", o->node,
                  "the ports of this node, and how its router is set: a number, or x,y,z");
  sub->add_flag("--load", o->load, "compute routes and the load of each cable, all to all");
  sub->add_option("--svg", o->svg,
                  "write a picture; with --slice of its nodes, with --load coloured");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu pod show models/topologies/pod_slices.yaml\n"
      "  ttpu pod show models/topologies/twisted_4x4x8.yaml --node 3,0,0\n"
      "  ttpu pod show models/topologies/torus_8x8_failed.yaml --load --svg torus.svg");
  on_run(*sub, [o, &context] { run_show(*o, context); });
}

}  // namespace

fabric::Spec open_spec(const std::string& file) {
  return with_file_errors([&] { return fabric::read_spec(file); });
}

fabric::Network open_pod(const std::string& file) {
  return with_file_errors([&] { return fabric::load_network(file); });
}

const fabric::Topology& part_of(const fabric::Network& network, const std::string& slice) {
  try {
    return fabric::topology_of(network, slice);
  } catch (const std::invalid_argument& e) {
    throw CliError(kUsage, e.what(), "ttpu pod show lists the slices");
  }
}

PodRoutes pod_routes(const fabric::Topology& topology, const std::string& file) {
  PodRoutes r;
  if (!file.empty()) {
    try {
      auto table = std::make_unique<fabric::RouteTable>(fabric::load_routes(file));
      if (table->nodes() != topology.nodes())
        throw CliError(kBadFile,
                       fmt::format("{}: routes of {} nodes, the topology has {}", file,
                                   table->nodes(), topology.nodes()),
                       "write the table anew with ttpu pod route");
      r.routes = std::move(table);
    } catch (const std::runtime_error& e) {
      if (const auto* known = dynamic_cast<const CliError*>(&e)) throw *known;
      throw CliError(kBadFile, e.what(), "write the table anew with ttpu pod route");
    }
    r.kind = file;
    return r;
  }
  if (topology.nodes() > kTableNodes) {
    try {
      r.routes = fabric::dimension_order(topology);
    } catch (const std::invalid_argument& e) {
      throw CliError(
          kBadFile,
          fmt::format("tables are computed for up to {} nodes, and {}", kTableNodes, e.what()),
          "name a smaller slice with --slice");
    }
    for (const fabric::Port& port : topology.ports)
      if (port.dead)
        throw CliError(kBadFile,
                       fmt::format("tables are computed for up to {} nodes, and dimension order "
                                   "cannot go round a failure",
                                   kTableNodes),
                       "name a smaller slice with --slice");
    r.kind = "dimension order";
    return r;
  }
  fabric::ComputedRoutes computed = fabric::compute_routes(topology);
  r.kind = "table";
  r.unrouted = computed.unrouted.size();
  if (r.unrouted) {
    const auto& u = computed.unrouted[0];
    r.first_unrouted = fmt::format("node {} to node {}: {}", u.src, u.dest, u.reason);
  }
  r.routes = std::make_unique<fabric::RouteTable>(std::move(computed.table));
  return r;
}

uint32_t node_of(const fabric::Topology& t, const std::string& text, const char* option) {
  std::vector<uint32_t> numbers(1, 0);
  const char *at = text.data(), *end = at + text.size();
  bool good = true;
  for (;;) {
    const auto [next, error] = std::from_chars(at, end, numbers.back());
    good = good && error == std::errc{};
    at = next;
    if (!good || at == end || *at != ',') break;
    ++at;
    numbers.push_back(0);
  }
  good = good && at == end;
  uint32_t node = numbers[0];
  if (good && numbers.size() > 1) {
    good = numbers.size() == t.dims;
    std::array<uint32_t, fabric::kMaxDims> place{};
    for (uint32_t d = 0; good && d < t.dims; ++d) {
      good = numbers[d] < t.size[d];
      place[d] = numbers[d];
    }
    if (good) node = t.node_at(place);
  }
  if (!good || node >= t.nodes())
    throw CliError(kUsage, fmt::format("{} {}: no such node in {}", option, text, t.name),
                   fmt::format("give a number from 0 to {}, or coordinates as {}", t.nodes() - 1,
                               t.dims == 1   ? "0"
                               : t.dims == 2 ? "0,1"
                                             : "0,1,2"));
  return node;
}

void add_pod(CLI::App& app, Context& context) {
  auto* pod = app.add_subcommand("pod", "networks of chips: topology, plan, routes, checks");
  pod->require_subcommand(1);
  pod->footer(
      "Examples:\n  ttpu pod show models/topologies/torus_8x8.yaml --svg torus.svg\n"
      "  ttpu pod plan models/topologies/pod_slices.yaml --out plan.yaml\n"
      "  ttpu pod route plan.yaml --slice train --out train.routes\n"
      "  ttpu pod check plan.yaml --slice train --routes train.routes");
  add_pod_show(*pod, context);
  add_pod_plan(*pod, context);
  add_pod_route(*pod, context);
  add_pod_check(*pod, context);
}

}  // namespace ttpu::cli
