// ttpu board list, info, test, bench.
#include "ttpu/cmd_board.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>

#include "runtime/board/board_device.h"
#include "runtime/board/serial_port.h"
#include "ttpu/cli.h"
#include "ttpu/progress.h"

namespace ttpu::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::unique_ptr<BoardLink> link_of(const std::string& device) {
  board_or_fail(device);
  return open_link(device);
}

void run_list(Context& context) {
  Json list = Json::array();
  for (const auto& p : list_ports()) {
    list.push_back({{"port", p.path}, {"description", p.description}});
    context.print(fmt::format("{:<16}{}\n", p.path, p.description));
  }
  if (list.empty()) context.print("no USB serial port: is the board plugged in?\n");
  context.result["ports"] = std::move(list);
}

void run_info(const std::string& name, Context& context) {
  const auto link = link_of(name);
  const BoardIdentity id = read_identity(*link);
  const Config* config = id.config();
  const std::string text = config ? std::string(config->name) : "unknown to this release";
  context.result = {{"port", link->name()},
                    {"config", config ? Json(text) : Json()},
                    {"config_hash", fmt::format("0x{:08x}", id.config_hash)},
                    {"isa_version", id.version},
                    {"array_n", id.array_n},
                    {"vmem_bytes", id.vmem_bytes},
                    {"acc_rows", id.acc_rows},
                    {"imem_words", id.imem_words},
                    {"smem_words", id.smem_words},
                    {"hbm_bytes", link->memory_bytes()}};
  const auto board = read_link_info(*link);
  if (board)
    context.result["link"] = {{"lanes", board->lanes},
                              {"frame_bits", board->frame_bits},
                              {"clock_khz", board->clock_khz},
                              {"header", board->header ? Json(board->header->title) : Json()}};
  else
    context.result["link"] = Json();
  context.print(fmt::format("{}: configuration {} (hash 0x{:08x}), ISA version {}\n", link->name(),
                            text, id.config_hash, id.version));
  context.print(fmt::format(
      "array {0}x{0}, VMEM {1} bytes, {2} accumulator rows, {3} instructions, SMEM {4} words, HBM "
      "{5} bytes\n",
      id.array_n, grouped(id.vmem_bytes), id.acc_rows, id.imem_words, id.smem_words,
      grouped(link->memory_bytes())));
  if (!board) {
    context.print("no link\n");
    return;
  }
  const std::string clock =
      board->clock_khz ? fmt::format(", {:.3f} MHz", board->clock_khz / 1e3) : "";
  context.print(fmt::format("link: {} lanes each way, {} bits a frame{}\n", board->lanes,
                            board->frame_bits, clock));
  context.print(board->header ? fmt::format("link's pins on {} (`ttpu board test --link pins`)\n",
                                            wires_text(*board->header))
                              : "link without pins\n");
}

std::unique_ptr<BoardDevice> open_device_of(const std::string& name) {
  auto link = link_of(name);
  const BoardIdentity id = read_identity(*link);
  const Config* config = id.config();
  if (!config)
    throw CliError(kDevice,
                   fmt::format("the board's configuration (hash {:08x}) is unknown to this release",
                               id.config_hash),
                   "load a bitstream of this release");
  return std::make_unique<BoardDevice>(std::move(link), *config, DeviceOptions{});
}

TestedMemory window(BoardLink& link, const char* name, uint32_t base, uint64_t bytes) {
  const auto words = [](auto span) { return span.size() / 4; };
  return {name, bytes,
          [&link, base, words](uint64_t addr, std::span<const uint8_t> data) {
            link.write(base + static_cast<uint32_t>(addr),
                       {reinterpret_cast<const uint32_t*>(data.data()), words(data)});
          },
          [&link, base, words](uint64_t addr, std::span<uint8_t> data) {
            link.read(base + static_cast<uint32_t>(addr),
                      {reinterpret_cast<uint32_t*>(data.data()), words(data)});
          }};
}

/// The link's parts of the self-test, inside and, if asked for, through the pins.
void test_links(BoardLink& board, bool pins, bool quick, std::vector<TestedPart>& parts,
                Json& links) {
  const auto info = read_link_info(board);
  if (pins && (!info || !info->header))
    throw CliError(
        kDevice, fmt::format("the board on {} has no link{}", board.name(), info ? " on pins" : ""),
        "`ttpu board info` says what it has; leave --link out");
  if (!info) return;
  const uint32_t packets = quick ? 100 : 2000;
  for (const bool through : {false, true}) {
    if (through && !pins) continue;
    const LinkTest t = test_link(registers_of(board), *info, through, packets, 0x2545f491);
    const double mbit = t.bits_per_clock * info->clock_khz / 1e3;
    links.push_back({{"part", t.part.name},
                     {"packets", packets},
                     {"frames", t.frames},
                     {"crc_errors", t.crc_errors},
                     {"replays", t.replays},
                     {"cut", t.cut},
                     {"bits_per_clock", t.bits_per_clock},
                     {"mbit_per_s", info->clock_khz ? Json(mbit) : Json()}});
    parts.push_back(t.part);
    if (t.part.checked)
      parts.back().note = fmt::format("{:.2f} bit a clock{}", t.bits_per_clock,
                                      info->clock_khz ? fmt::format(", {:.0f} Mbit/s", mbit) : "");
  }
}

void run_test(const std::string& name, bool quick, bool pins, Context& context) {
  const auto device = open_device_of(name);
  const Config& config = device->config();
  BoardLink& link = device->link();
  const uint64_t limit = quick ? 1024 : ~0ull;
  std::vector<TestedPart> parts;
  Json links = Json::array();
  {
    const Progress progress("testing the board");
    test_links(link, pins, quick, parts, links);
    parts.push_back(
        test_memory(window(link, "IMEM", regs::kWinImem, 16ull * config.imem_words), limit));
    parts.push_back(
        test_memory(window(link, "SMEM", regs::kWinSmem, 4ull * config.smem_words), limit));
    parts.push_back(
        test_memory({"HBM", device->hbm_bytes(),
                     [&](uint64_t a, std::span<const uint8_t> d) { device->write_hbm(a, d); },
                     [&](uint64_t a, std::span<uint8_t> d) { device->read_hbm(a, d); }},
                    limit));
    parts.push_back(
        test_memory({"VMEM", config.vmem_bytes(),
                     [&](uint64_t a, std::span<const uint8_t> d) { device->write_vmem(a, d); },
                     [&](uint64_t a, std::span<uint8_t> d) { device->read_vmem(a, d); }},
                    limit));
    parts.push_back(test_macs(*device));
  }
  Json list = Json::array();
  bool good = true;
  for (const auto& p : parts) {
    good = good && p.faulty == 0;
    list.push_back(
        {{"part", p.name}, {"checked", p.checked}, {"faulty", p.faulty}, {"faults", p.faults}});
    context.print(fmt::format("{:<6}{:>10} checked  {}{}\n", p.name, grouped(p.checked),
                              p.faulty ? fmt::format("{} FAULTY", grouped(p.faulty)) : "ok",
                              p.note.empty() ? "" : "  " + p.note));
    for (const auto& f : p.faults) context.print(fmt::format("      {}\n", f));
  }
  context.result = {{"port", link.name()},
                    {"config", config.name},
                    {"ok", good},
                    {"retries", link.counters().retries},
                    {"parts", std::move(list)},
                    {"links", std::move(links)}};
  if (!good) context.exit_code = kMismatch;
}

void run_bench(const std::string& name, uint64_t bytes, Context& context) {
  const auto link = link_of(name);
  bytes = std::min<uint64_t>(bytes, link->memory_bytes()) / 4 * 4;
  if (bytes == 0)
    throw CliError(kDevice, fmt::format("{} has no memory to measure with", link->name()),
                   "load a bitstream with HbmBytes > 0");
  const auto seconds = [](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  constexpr int kPings = 20;
  auto start = Clock::now();
  for (int i = 0; i < kPings; ++i) {
    uint32_t id = 0;
    link->read(regs::kId, {&id, 1});
  }
  const double round_trip = seconds(start) / kPings;
  std::vector<uint32_t> words(bytes / 4), back(bytes / 4);
  for (size_t i = 0; i < words.size(); ++i) words[i] = static_cast<uint32_t>(i * 2654435761u);
  start = Clock::now();
  link->write(0, words, true);
  const double written = static_cast<double>(bytes) / seconds(start);
  start = Clock::now();
  link->read(0, back, true);
  const double read = static_cast<double>(bytes) / seconds(start);
  const auto& c = link->counters();
  const bool equal = words == back;
  context.result = {{"port", link->name()},         {"bytes", bytes},
                    {"write_bytes_per_s", written}, {"read_bytes_per_s", read},
                    {"round_trip_s", round_trip},   {"equal", equal},
                    {"requests", c.requests},       {"retries", c.retries},
                    {"damaged", c.damaged},         {"timeouts", c.timeouts}};
  context.print(
      fmt::format("write {:.1f} kB/s, read {:.1f} kB/s, round trip of one register {:.2f} ms; {} "
                  "of {} requests "
                  "repeated\n",
                  written / 1000, read / 1000, 1000 * round_trip, c.retries, c.requests));
  if (!equal) {
    context.print("what was read is not what was written: run `ttpu board test`\n");
    context.exit_code = kMismatch;
  }
}

CLI::App* add_part(CLI::App& board, const char* name, const char* what, Context& context) {
  auto* sub = board.add_subcommand(name, what);
  add_json(*sub, context);
  return sub;
}

std::shared_ptr<std::string> add_device(CLI::App& sub) {
  auto device = std::make_shared<std::string>("board");
  sub.add_option("--device", *device, "board:PORT[:BAUD] (default: the only USB serial port)");
  return device;
}

}  // namespace

void board_or_fail(const std::string& device) {
  if (!is_board(device))
    throw CliError(kUsage, fmt::format("'{}' is no board", device),
                   "write --device board:/dev/ttyUSB1, or leave it out for the only board");
}

void add_board(CLI::App& app, Context& context) {
  auto* board =
      app.add_subcommand("board", "boards on serial ports: list, identity, self-test, run, speed");
  board->require_subcommand(1);
  board->footer("Examples:\n  ttpu board list\n  ttpu board test --device board:/dev/ttyUSB1");
  auto* list = add_part(*board, "list", "list the USB serial ports", context);
  list->footer("Example:\n  ttpu board list");
  on_run(*list, [&context] { run_list(context); });

  auto* info = add_part(*board, "info", "say what chip is on the board", context);
  info->footer("Example:\n  ttpu board info --device board:/dev/ttyUSB1");
  on_run(*info, [device = add_device(*info), &context] { run_info(*device, context); });

  auto* test =
      add_part(*board, "test", "test link, memories and multipliers, name what failed", context);
  auto quick = std::make_shared<bool>(false);
  test->add_flag("--quick", *quick, "only the first KiB of each memory");
  auto path = std::make_shared<std::string>("inside");
  test->add_option("--link", *path,
                   "loop-back of the link: inside the FPGA, or through its pins too")
      ->check(CLI::IsMember({"inside", "pins"}))
      ->capture_default_str();
  test->footer("Example:\n  ttpu board test --device board:/dev/ttyUSB1");
  on_run(*test, [device = add_device(*test), quick, path, &context] {
    run_test(*device, *quick, *path == "pins", context);
  });

  add_board_run(*board, context);

  auto* bench = add_part(*board, "bench", "measure the serial line", context);
  auto bytes = std::make_shared<uint64_t>(16384);
  bench->add_option("--bytes", *bytes, "bytes to move each way")
      ->check(at_least_one())
      ->capture_default_str();
  bench->footer("Example:\n  ttpu board bench --device board:/dev/ttyUSB1 --bytes 65536");
  on_run(*bench,
         [device = add_device(*bench), bytes, &context] { run_bench(*device, *bytes, context); });
}

}  // namespace ttpu::cli
