// ttpu bench net.
#include "ttpu/cmd_bench_net.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <memory>

#include "network/library.h"
#include "network/link_errors.h"
#include "ttpu/bench.h"
#include "ttpu/progress.h"

namespace ttpu::cli {
namespace {

struct Options {
  std::string topology, slice, routes = "auto", traffic = "uniform", packet = "1", trace;
  std::string router = "full", device = "rtl", svg, dump;
  uint64_t rounds = 0;
  double drop = 0, flip = 0;
  bool sweep = false;
  double step = 0.01;
  network::Experiment experiment;
};

network::Experiment experiment_of(const Options& o, const fabric::Topology& topology,
                                  const ici::RouterConfig& router) {
  network::Experiment e = o.experiment;
  e.traffic.pattern = network::pattern_named(o.traffic);
  e.traffic.sizes = network::parse_sizes(o.packet);
  const bool links = o.device == "rtl-links";
  if (!links && (o.drop > 0 || o.flip > 0))
    throw CliError(kUsage, "--drop and --flip need links that repair it: --device rtl-links");
  if (links) {
    for (const fabric::Port& p : topology.ports)
      if (p.latency > network::kLongestLinkedCable)
        throw CliError(kUsage, fmt::format("rtl-links: a cable of {} cycles; at most {}", p.latency,
                                           network::kLongestLinkedCable));
    e.engine.start = network::kLinkStart;
    e.warmup += network::kLinkStart;
  }
  e.engine.vcs = router.vcs;
  e.engine.depth = router.depth;
  if (e.traffic.pattern == network::Pattern::kMulticast)
    for (const network::SizeShare& s : e.traffic.sizes)
      if (s.flits > router.depth)
        throw CliError(
            kUsage,
            fmt::format("a multicast of {} flits: routers drop one that their buffer, of "
                        "{} flits, cannot hold",
                        s.flits, router.depth),
            "take a smaller --packet, or a --router with more");
  if (e.traffic.pattern == network::Pattern::kTrace) {
    if (o.trace.empty()) throw CliError(kUsage, "--traffic trace needs --trace FILE");
    e.traffic.trace = network::read_trace(o.trace, topology.nodes());
  } else if (!o.trace.empty()) {
    throw CliError(kUsage, "--trace goes with --traffic trace");
  }
  if (o.rounds != 0) {
    // A round: a packet to every other node; of the patterns with one destination, one packet.
    const bool all = e.traffic.pattern == network::Pattern::kAllToAll;
    e.traffic.packets = o.rounds * (all ? topology.nodes() - 1 : 1);
  }
  return e;
}

Json histogram_json(const network::Histogram& histogram) {
  Json bins = Json::array(), counts = Json::array();
  for (const auto& b : histogram.bins()) {
    bins.push_back(b.first);
    counts.push_back(b.count);
  }
  return {{"bins", std::move(bins)}, {"counts", std::move(counts)}};
}

Json outcome_json(const network::Outcome& o) {
  Json j = {{"offered", o.offered},
            {"accepted", o.accepted},
            {"accepted_ci95", o.accepted_ci},
            {"worst_node", o.worst_node},
            {"worst_source", o.worst_source},
            {"latency_mean", o.latency_mean},
            {"latency_ci95", o.latency_ci},
            {"latency_p50", o.latency_p50},
            {"latency_p99", o.latency_p99},
            {"latency_max", o.latency_max},
            {"latency_complete", o.latency_complete},
            {"link_load_max", o.link_load_max},
            {"link_load_mean", o.link_load_mean},
            {"busiest_link", {{"node", o.busiest_node}, {"port", o.busiest_port}}},
            {"cycles", o.cycles},
            {"completion_cycles", o.completion ? Json(o.completion) : Json(nullptr)},
            {"flits", o.tally.flits_ejected},
            {"packets_dropped", o.dropped},
            {"violations", o.tally.violations_seen},
            {"stuck", o.stuck},
            {"seconds", o.seconds},
            {"kcycles_per_s", o.kcycles_per_s}};
  return j;
}

/// What went wrong in the network, as the command's end.
void require_ok(const network::Outcome& o, const Options& options) {
  if (o.stuck) {
    std::string hint = "give --dump FILE, then ttpu pod check --stuck FILE says who waits for whom";
    if (!options.dump.empty()) {
      write_file(options.dump, o.dump);
      hint = fmt::format("see ttpu pod check --stuck {}", options.dump);
    }
    throw CliError(
        kDevice,
        fmt::format("the network is stuck: nothing moved for {} cycles up to cycle {}, with "
                    "{} flits inside",
                    options.experiment.engine.stuck_after, o.cycles,
                    o.tally.flits_injected - o.tally.flits_ejected),
        hint);
  }
  if (o.tally.violations_seen == 0) return;
  std::string all;
  for (const std::string& e : o.errors()) all += "\n  " + e;
  throw CliError(kMismatch, fmt::format("{} violations:{}", o.tally.violations_seen, all));
}

std::string text_of(const network::Outcome& o, const Json& j) {
  std::string r = fmt::format(
      "  offered         {:.4f} flits a node a cycle\n"
      "  accepted        {:.4f} +- {:.4f}, worst node {:.4f} (node {})\n",
      o.offered, o.accepted, o.accepted_ci, o.worst_node, o.worst_source);
  if (!j["theta_fraction"].is_null())
    r += fmt::format(
        "  of the bound    {:.1f} % (theta {:.2f}, bound {:.4f}; these routes {:.4f})\n",
        100 * j["theta_fraction"].get<double>(), j["theta"].get<double>(),
        j["theta_bound"].get<double>(), j["route_bound"].get<double>());
  r += fmt::format(
      "  latency         mean {:.2f} +- {:.2f}, 50% {}, 99% {}, max {} cycles{}\n", o.latency_mean,
      o.latency_ci, o.latency_p50, o.latency_p99, o.latency_max,
      o.latency_complete || o.completion ? "" : " (of those that arrived: past saturation)");
  r += fmt::format("  link load       mean {:.3f}, max {:.3f} (node {} port {})\n",
                   o.link_load_mean, o.link_load_max, o.busiest_node, o.busiest_port);
  if (o.completion) r += fmt::format("  completion      {} cycles\n", grouped(o.completion));
  return r + fmt::format(
                 "  simulation      {:.1f} kcycle/s, {} cycles, {} flits delivered once and in "
                 "order\n",
                 o.kcycles_per_s, grouped(o.cycles), grouped(o.tally.flits_ejected));
}

/// A network in which nobody has anyone to send to would measure nothing, and look well.
void require_senders(const network::Traffic& traffic, const fabric::Topology& topology) {
  if (traffic.pattern == network::Pattern::kTrace) return;
  const network::Destinations destinations(traffic, topology);
  for (uint32_t n = 0; n < topology.nodes(); ++n)
    if (destinations.sends(n)) return;
  throw CliError(kUsage, "no node has another to send to: nothing to measure",
                 "take a network or --slice with two or more living nodes");
}

/// Files that are written at the end: said before the long work.
void require_folder(const std::string& file) {
  std::error_code ec;
  const auto folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ec))
    throw CliError(kBadFile,
                   fmt::format("cannot write '{}': there is no folder '{}'", file, folder.string()),
                   "make the folder first");
}

void run_net(const Options& o, Context& context) {
  require_folder(o.svg);
  require_folder(o.dump);
  const ici::RouterConfig& router = network::router_config(o.router);
  const NetworkUnderTest net = open_network(o.topology, o.slice, o.routes);
  const network::Experiment base = experiment_of(o, net.topology, router);
  const auto& t = base.traffic;
  require_senders(t, net.topology);
  Json& j = context.result;
  j = {{"bench", "net"},
       {"topology", o.topology},
       {"nodes", net.topology.nodes()},
       {"routes", net.routes_kind},
       {"router", o.router},
       {"vcs", router.vcs},
       {"depth", router.depth},
       {"device", o.device},
       {"traffic", o.traffic},
       {"packet", o.packet},
       {"load", t.load},
       {"window_packets", t.window},
       {"link_period", base.engine.link_period},
       {"warmup", base.warmup},
       {"window", base.window},
       {"seed", base.engine.seed},
       {"threads", base.engine.threads}};
  const network::Bounds bounds =
      network::bounds_of(t, net.topology, *net.routes, base.engine.link_period);
  const auto run = [&](double load) {
    network::Experiment e = base;
    e.traffic.load = load;
    network::RandomLinkErrors errors(net.topology, e.engine.seed, o.drop, o.flip);
    if (o.drop > 0 || o.flip > 0) e.engine.errors = &errors;
    const auto routers =
        network::open_routers(o.device, router, net.topology.dims, net.topology.nodes());
    return network::run_experiment(e, net.topology, *net.routes, *routers);
  };
  const auto add_bounds = [&](Json& to, double accepted) {
    const auto or_null = [](double x) { return x > 0 ? Json(x) : Json(nullptr); };
    to["theta"] = or_null(bounds.theta);
    to["theta_bound"] = or_null(bounds.theta_bound);
    to["theta_fraction"] =
        bounds.theta_bound > 0 ? Json(accepted / std::min(1.0, bounds.theta_bound)) : Json(nullptr);
    to["route_bound"] = or_null(bounds.route_bound);
  };
  const std::string what =
      fmt::format("{} {} on {} ({}, {})", o.traffic, o.packet, o.topology, o.router, o.device);
  if (!o.sweep) {
    network::Outcome outcome;
    {
      const Progress progress(what);
      outcome = run(t.load);
    }
    j.update(outcome_json(outcome));
    add_bounds(j, outcome.accepted);
    j["latency_histogram"] = histogram_json(outcome.latency);
    require_ok(outcome, o);
    context.print(what + "\n" + text_of(outcome, j));
    return;
  }
  if (t.packets != 0 || t.window != 0 || t.pattern == network::Pattern::kTrace)
    throw CliError(kUsage, "--sweep varies the offered load: no --rounds, --closed or trace");
  network::Curve curve;
  {
    const Progress progress(what);
    curve = network::find_saturation(run, o.step);
  }
  j.erase("load");
  const network::Outcome* last = nullptr;
  j["curve"] = Json::array();
  for (const network::Point& p : curve.points) {
    Json point = outcome_json(p.outcome);
    point["load"] = p.load;
    j["curve"].push_back(point);
    require_ok(p.outcome, o);
    last = &p.outcome;
  }
  j.update(outcome_json(*last));  // at the highest load: what is accepted at saturation
  add_bounds(j, last->accepted);
  j["saturation"] = curve.saturation;
  j["latency_3x_load"] = curve.latency_3x > 0 ? Json(curve.latency_3x) : Json(nullptr);
  if (!o.svg.empty()) write_file(o.svg, curve_svg(curve, what));
  std::string text = what + "\n  offered accepted  worst    mean     99%\n";
  for (const network::Point& p : curve.points)
    text += fmt::format("  {:.4f}  {:.4f}   {:.4f} {:8.2f} {:6}{}\n", p.outcome.offered,
                        p.outcome.accepted, p.outcome.worst_node, p.outcome.latency_mean,
                        p.outcome.latency_p99, p.outcome.latency_complete ? "" : " incomplete");
  text += fmt::format("  saturation      {:.3f} (accepted reaches 0.98 of offered)\n",
                      curve.saturation);
  if (curve.latency_3x > 0) text += fmt::format("  latency x 3     at {:.3f}\n", curve.latency_3x);
  context.print(text);
}

/// Whole numbers from `least` to `most`. (CLI11 takes -1 for the largest number, and cuts off what
/// is too large.)
CLI::Validator whole(uint64_t least, uint64_t most) {
  const std::string range = fmt::format("{} to {}", least, most);
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        uint64_t value = 0;
        const char* last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        const bool good = error == std::errc() && end == last && value >= least && value <= most;
        return good ? "" : fmt::format("'{}' is no whole number from {}", text, range);
      },
      "in [" + range + "]");
}

/// Numbers from `least` to `most`. (CLI::Range lets nan pass.)
CLI::Validator number(double least, double most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        double value = 0;
        const char* last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        const bool good = error == std::errc() && end == last && value >= least && value <= most;
        return good ? "" : fmt::format("'{}' is no number from {} to {}", text, least, most);
      },
      fmt::format("in [{} to {}]", least, most));
}

}  // namespace

void add_bench_net(CLI::App& bench, Context& context) {
  constexpr uint64_t kLong = 1'000'000'000'000;  // cycles: more would never end
  auto o = std::make_shared<Options>();
  auto& e = o->experiment;
  auto* sub =
      bench.add_subcommand("net", "a network of routers under load, on RTL or on the model");
  sub->add_option("--topology", o->topology,
                  "topology file, or a shape: 8x8, 4x4x4, 4x4x8-twisted, 8x8-mesh")
      ->required();
  sub->add_option("--slice", o->slice, "slice of the file to run on");
  sub->add_option("--routes", o->routes, "auto, dimension, table, or a file of ttpu pod route")
      ->capture_default_str();
  sub->add_option("--traffic", o->traffic, "pattern")
      ->check(CLI::IsMember(network::pattern_names()))
      ->capture_default_str();
  sub->add_option("--packet", o->packet, "flits of a packet, or a mix: 1:0.5,8:0.5")
      ->capture_default_str();
  sub->add_option("--load", e.traffic.load, "offered, flits a node a cycle")
      ->check(number(0.0, 1.0))
      ->capture_default_str();
  sub->add_option("--closed", e.traffic.window, "closed loop: so many packets of a node under way")
      ->check(whole(1, 10000));
  sub->add_option("--rounds", o->rounds,
                  "finite: so many packets of each node (all-to-all: to each other node)")
      ->check(whole(1, kLong));
  sub->add_option("--trace", o->trace, "file with lines `cycle src dest flits`");
  sub->add_option("--axis", e.traffic.axis, "of multicast: 0 x, 1 y, 2 z")
      ->check(whole(0, 2))
      ->capture_default_str();
  sub->add_option("--hotspot", e.traffic.hotspot, "the hot node")
      ->check(whole(0, 16383))
      ->capture_default_str();
  sub->add_option("--hotspot-share", e.traffic.hotspot_share, "of the packets go there")
      ->check(number(0.0, 1.0))
      ->capture_default_str();
  sub->add_option("--channels", e.traffic.channels, "order channels that a node uses in turn")
      ->check(whole(1, 16))
      ->capture_default_str();
  sub->add_option("--router", o->router, "small, medium or full (docs/reference/packet.md)")
      ->capture_default_str();
  sub->add_option("--device", o->device,
                  "rtl, rtl-checked (with assertions), rtl-links (a link on every cable) or model")
      ->check(CLI::IsMember({"rtl", "rtl-checked", "rtl-links", "model"}))
      ->capture_default_str();
  sub->add_option("--link-period", e.engine.link_period,
                  "a cable takes a flit every so many cycles (local ports: every cycle)")
      ->check(whole(1, 64))
      ->capture_default_str();
  sub->add_option("--stalls", e.engine.eject_stall_percent,
                  "percent of the cycles in which a receiver returns no credits")
      ->check(whole(0, 99));
  sub->add_option("--drop", o->drop, "rtl-links: share of the frames that cables lose")
      ->check(number(0.0, 0.5));
  sub->add_option("--flip", o->flip, "rtl-links: share of the frames with a flipped bit")
      ->check(number(0.0, 0.5));
  sub->add_option("--threads", e.engine.threads, "the result does not depend on it")
      ->check(whole(1, 256))
      ->capture_default_str();
  sub->add_option("--seed", e.engine.seed)->check(whole(0, ~uint64_t{0}))->capture_default_str();
  sub->add_option("--warmup", e.warmup, "cycles")->check(whole(0, kLong))->capture_default_str();
  sub->add_option("--cycles", e.window, "cycles that are measured")
      ->check(whole(1, kLong))
      ->capture_default_str();
  sub->add_option("--batches", e.batches, "of the measured cycles, for confidence intervals")
      ->check(whole(1, 1000))
      ->capture_default_str();
  sub->add_option("--drain", e.drain, "cycles in which measured packets may still arrive")
      ->check(whole(0, kLong))
      ->capture_default_str();
  sub->add_flag("--sweep", o->sweep, "loads from 0.02 to 1, saturation to --step");
  sub->add_option("--step", o->step, "of the sweep")
      ->check(number(0.001, 0.1))
      ->capture_default_str();
  sub->add_option("--svg", o->svg, "write the curve of the sweep")->needs("--sweep");
  sub->add_option("--dump", o->dump,
                  "where to write who waits for whom, if the network gets stuck");
  add_json(*sub, context);
  sub->footer(
      "Examples:\n  ttpu bench net --topology 8x8 --traffic uniform --packet 1 --load 0.9\n"
      "  ttpu bench net --topology 4x4x8-twisted --traffic all-to-all --link-period 2 --json\n"
      "  ttpu bench net --topology 16x16x16 --device model --sweep --svg curve.svg");
  on_run(*sub, [o, &context] {
    try {
      run_net(*o, context);
    } catch (const network::TrafficError& e) {
      throw CliError(kUsage, e.what());
    } catch (const network::RouterError& e) {
      throw CliError(kDevice, e.what());
    }
  });
}

}  // namespace ttpu::cli
