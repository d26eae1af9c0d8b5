// ttpu pod route, ttpu pod check.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "fabric/deadlock.h"
#include "fabric/load.h"
#include "fabric/route_table.h"
#include "fabric/route_walk.h"
#include "fabric/stuck.h"
#include "ttpu/cmd_pod.h"

namespace ttpu::cli {
namespace {

struct RouteCommand {
  std::string file, slice, from, to, out;
};

/// Follow one route node by node.
void show_route(const RouteCommand& o, const fabric::Topology& t, const fabric::Routes& routes,
                Context& context) {
  const uint32_t from = node_of(t, o.from, "--from"), to = node_of(t, o.to, "--to");
  const fabric::Route route = routes.route(from, to);
  context.result["from"] = from;
  context.result["to"] = to;
  if (route == fabric::kNoRoute) {
    context.result["route"] = nullptr;
    throw CliError(kMismatch,
                   fmt::format("there is no route from node {} {} to node {} {}", from,
                               fabric::node_text(t, from), to, fabric::node_text(t, to)),
                   "they are in different slices, or failures lie between: see ttpu pod show");
  }
  const std::string text = fabric::route_text(t, route);
  context.print(fmt::format("node {} {} to node {} {}: {}\n", from, fabric::node_text(t, from), to,
                            fabric::node_text(t, to), text.empty() ? "here" : text));
  Json hops = Json::array();
  fabric::walk(t, from, route, [&](const fabric::Channel& c) {
    const uint32_t next = t.port(c.node, c.port).peer.node;
    hops.push_back({{"node", c.node},
                    {"port", fabric::port_text(c.port, t.dims)},
                    {"class", c.vclass},
                    {"to", next}});
    context.print(fmt::format("  {} to node {} {}\n", fabric::channel_text(t, c), next,
                              fabric::node_text(t, next)));
  });
  context.result["route"] = {{"legs", text}, {"bits", fmt::format("0x{:010x}", route)}};
  context.result["hops"] = std::move(hops);
}

/// `whole`: every pair that cables connect has a route. Else the load is that of a part of the
/// pairs, and its bound, which is of all, says nothing about it.
void report_load(const fabric::Topology& t, const fabric::Routes& routes, bool whole,
                 Context& context) {
  const fabric::Loads loads = fabric::channel_loads(t, routes);
  const fabric::LoadBound bound = fabric::theta_bound(t, &loads);
  context.result["max_cable_load"] = loads.max_cable;
  context.result["max_channel_load"] = loads.max_channel;
  context.result["mean_cable_load"] = loads.mean_cable;
  context.result["theta"] = bound.theta;
  context.result["theta_from"] = bound.how;
  if (loads.max_cable == 0)
    return context.print("load: none, no two nodes have a route to each other\n");
  std::string text =
      fmt::format("load, all to all: most {} on a cable (mean {:.1f}), {} in a class; ",
                  grouped(loads.max_cable), loads.mean_cable, grouped(loads.max_channel));
  if (whole) {
    context.result["theta_fraction"] = bound.theta / loads.max_cable;
    text += fmt::format("no routes do better than {:.6g} ({}): {:.1f}% of it\n", bound.theta,
                        bound.how, 100 * bound.theta / loads.max_cable);
  } else {
    text += fmt::format("of the pairs with a route only (all: at least {:.6g}, {})\n", bound.theta,
                        bound.how);
  }
  context.print(text);
}

void write_table(const RouteCommand& o, const fabric::Topology& t, const fabric::Routes& routes,
                 Context& context) {
  try {
    const auto* table = dynamic_cast<const fabric::RouteTable*>(&routes);
    fabric::save_routes(table ? *table : fabric::make_table(t, routes), o.out);
  } catch (const std::runtime_error& e) {
    throw CliError(kBadFile, e.what(), "check that the folder exists and has room");
  }
  context.result["output"] = o.out;
}

void run_route(const RouteCommand& o, Context& context) {
  if (o.from.empty() != o.to.empty())
    throw CliError(kUsage, "--from and --to belong together", "give both, or none for a summary");
  const fabric::Network n = open_pod(o.file);
  const fabric::Topology& t = part_of(n, o.slice);
  if (!o.from.empty()) {  // before the long work
    node_of(t, o.from, "--from");
    node_of(t, o.to, "--to");
  }
  const PodRoutes r = pod_routes(t, "");
  context.result = {{"file", o.file}, {"name", t.name}, {"nodes", t.nodes()}, {"routes", r.kind}};
  if (!o.out.empty()) write_table(o, t, *r.routes, context);  // before anything is printed
  if (!o.from.empty()) {
    show_route(o, t, *r.routes, context);
  } else {
    const fabric::RouteCheck c = fabric::check_routes(t, *r.routes);
    context.result["pairs"] = c.pairs;
    context.result["pairs_without_route"] = c.unrouted;
    context.result["detours"] = c.detours;
    context.result["longest"] = c.longest;
    context.result["mean_hops"] = c.mean_hops;
    context.print(
        fmt::format("{}: {}, {} pairs, {} without a route, {} detours, {:.4f} hops on "
                    "average, {} at most\n",
                    t.name, r.kind, grouped(c.pairs), grouped(c.unrouted), grouped(c.detours),
                    c.mean_hops, c.longest));
    if (!r.first_unrouted.empty()) context.print("  " + r.first_unrouted + "\n");
    report_load(t, *r.routes, c.unrouted == fabric::distances(t).pairs_apart, context);
  }
  if (!o.out.empty()) context.print(fmt::format("routes written to {}\n", o.out));
}

struct CheckCommand {
  std::string file, slice, routes, stuck;
  bool one_class = false;
};

std::vector<fabric::StuckBuffer> read_dump(const std::string& file) {
  const std::string text = read_file(file);
  const auto fail = [&](const std::string& why) {
    throw CliError(kBadFile, fmt::format("{}: {}", file, why),
                   "a dump is a list of {node, port, vc, flits, want_port, want_vc, waits_for}; "
                   "see docs/reference/fabric.md");
  };
  std::vector<fabric::StuckBuffer> dump;
  size_t entry = 0;
  try {
    const auto list = nlohmann::json::parse(text);
    if (!list.is_array()) fail("it is no list");
    for (const auto& item : list) {
      if (!item.is_object()) fail(fmt::format("entry {} is no object", entry));
      const auto number = [&](const char* key) {
        const auto at = item.find(key);
        if (at == item.end() || !at->is_number_unsigned() || at->get<uint64_t>() > 0xffffffff)
          fail(fmt::format("entry {}: {} must be a whole number", entry, key));
        return at->get<uint32_t>();
      };
      fabric::StuckBuffer b{number("node"),
                            number("port"),
                            number("vc"),
                            number("flits"),
                            number("want_port"),
                            number("want_vc"),
                            {}};
      const auto word = item.find("waits_for");
      if (word == item.end() || !word->is_string())
        fail(fmt::format("entry {}: waits_for must be a word", entry));
      b.waits_for = fabric::waits_for_of(word->get<std::string>());
      dump.push_back(b);
      ++entry;
    }
  } catch (const nlohmann::json::exception& e) {
    fail(fmt::format("it is no JSON: {}", e.what()));
  } catch (const std::invalid_argument& e) {
    fail(fmt::format("entry {}: {}", entry, e.what()));
  }
  return dump;
}

const char* reason_text(fabric::WaitsFor why) {
  switch (why) {
    case fabric::WaitsFor::kCredit:
      return "waits for space in";
    case fabric::WaitsFor::kChannel:
      return "waits for the channel, held by";
    case fabric::WaitsFor::kTurn:
      return "waits for its turn after";
    default:
      return "waits for";
  }
}

void run_stuck(const CheckCommand& o, const fabric::Topology& t, Context& context) {
  const auto dump = read_dump(o.stuck);
  fabric::StuckReport report;
  try {
    report = fabric::explain_stuck(t, dump);
  } catch (const std::invalid_argument& e) {
    throw CliError(kBadFile, fmt::format("{}: {}", o.stuck, e.what()),
                   "is it the dump of this topology, and of this --slice?");
  }
  const auto entry = [&](uint32_t i) {
    const auto& b = dump[i];
    return Json{{"node", b.node}, {"port", b.port}, {"vc", b.vc}};
  };
  Json cycle = Json::array(), roots = Json::array();
  for (const uint32_t i : report.cycle) cycle.push_back(entry(i));
  for (const auto& root : report.roots) {
    Json at = entry(root.buffer);
    at["waiting"] = root.waiting;
    at["reason"] = root.reason;
    roots.push_back(std::move(at));
  }
  context.result["stuck"] = {{"buffers", dump.size()},
                             {"cycle", std::move(cycle)},
                             {"waiting_for_cycle", report.waiting_for_cycle},
                             {"roots", std::move(roots)}};
  if (dump.empty()) context.print("the dump is empty: nothing waits\n");
  if (!report.cycle.empty()) {
    context.exit_code = kMismatch;
    context.print(
        fmt::format("deadlock: {} buffers wait for each other in a circle, {} more wait "
                    "for them\n",
                    report.cycle.size(), report.waiting_for_cycle));
    for (size_t i = 0; i < report.cycle.size(); ++i) {
      const auto& b = dump[report.cycle[i]];
      context.print(fmt::format("  {}\n    {}{}\n", fabric::stuck_text(t, b),
                                reason_text(b.waits_for),
                                i + 1 == report.cycle.size() ? " the first" : " the next"));
    }
  }
  constexpr size_t kMost = 10;
  for (size_t i = 0; i < report.roots.size() && i < kMost; ++i) {
    const auto& root = report.roots[i];
    context.print(fmt::format("{} wait{} in the end for {}\n    {}\n", root.waiting,
                              root.waiting == 1 ? "s" : "",
                              fabric::stuck_text(t, dump[root.buffer]), root.reason));
  }
  if (report.roots.size() > kMost)
    context.print(
        fmt::format("and {} more such ends (--json has all)\n", report.roots.size() - kMost));
}

void check_deadlock(const CheckCommand& o, const fabric::Topology& t, const fabric::Routes& routes,
                    Context& context) {
  const auto cycle = fabric::find_cycle(t, routes, o.one_class);
  context.result["deadlock_free"] = !cycle;
  if (!cycle) {
    context.print("free of deadlock: the channel-dependency graph has no cycle\n");
    return;
  }
  context.exit_code = kMismatch;
  Json list = Json::array();
  for (const auto& c : *cycle) list.push_back(fabric::channel_text(t, c));
  context.result["cycle"] = std::move(list);
  context.print(fmt::format("REFUSED: can deadlock{}; a cycle of {} channels:\n  {}\n",
                            o.one_class ? " without classes" : "", cycle->size(),
                            fabric::cycle_text(t, *cycle)));
}

void run_check(const CheckCommand& o, Context& context) {
  const fabric::Network n = open_pod(o.file);
  const fabric::Topology& t = part_of(n, o.slice);
  context.result = {{"file", o.file}, {"name", t.name}, {"nodes", t.nodes()}};
  if (!o.stuck.empty()) return run_stuck(o, t, context);
  const auto wrong = fabric::check_isolation(n);
  context.result["isolated"] = wrong.empty();
  for (const auto& w : wrong) context.print(w + "\n");
  if (!wrong.empty()) context.exit_code = kMismatch;
  const PodRoutes r = pod_routes(t, o.routes);
  context.result["routes"] = r.kind;
  const fabric::RouteCheck c = fabric::check_routes(t, *r.routes);
  context.result["pairs"] = c.pairs;
  context.result["pairs_without_route"] = c.unrouted;
  context.result["faults"] = c.faults;
  context.result["wrong"] = c.wrong;
  context.print(fmt::format("{}: {} pairs, routes from {}; wrong: {}; without a route: {}\n",
                            t.name, grouped(c.pairs), r.kind, grouped(c.faults),
                            grouped(c.unrouted)));
  for (const auto& w : c.wrong) context.print("  " + w + "\n");
  if (!r.first_unrouted.empty()) context.print("  " + r.first_unrouted + "\n");
  if (c.faults || c.unrouted) context.exit_code = kMismatch;
  check_deadlock(o, t, *r.routes, context);
}

}  // namespace

void add_pod_route(CLI::App& pod, Context& context) {
  auto* sub =
      pod.add_subcommand("route", "compute routes: summary and load, one route, or a table");
  auto o = std::make_shared<RouteCommand>();
  sub->add_option("FILE", o->file, "topology file")->required();
  sub->add_option("--slice", o->slice, "this slice only");
  sub->add_option("--from", o->from, "show the route from this node: a number, or x,y,z");
  sub->add_option("--to", o->to, "to this node");
  sub->add_option("--out", o->out, "write the table");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu pod route models/topologies/twisted_4x4x8.yaml\n"
      "  ttpu pod route models/topologies/torus_8x8_failed.yaml --from 1,5 --to 3,5");
  on_run(*sub, [o, &context] { run_route(*o, context); });
}

void add_pod_check(CLI::App& pod, Context& context) {
  auto* sub = pod.add_subcommand(
      "check", "prove routes right and free of deadlock; find who waits for whom in a dump");
  auto o = std::make_shared<CheckCommand>();
  sub->add_option("FILE", o->file, "topology file")->required();
  sub->add_option("--slice", o->slice, "this slice only");
  sub->add_option("--routes", o->routes, "check this table (of ttpu pod route --out)");
  sub->add_flag("--one-class", o->one_class,
                "as if there were no datelines: shows what they prevent");
  sub->add_option("--stuck", o->stuck, "explain the dump of a network that stopped (JSON)")
      ->excludes("--routes")
      ->excludes("--one-class");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu pod check models/topologies/twisted_4x4x8.yaml\n"
      "  ttpu pod check models/topologies/ring_4.yaml --stuck dump.json");
  on_run(*sub, [o, &context] { run_check(*o, context); });
}

}  // namespace ttpu::cli
