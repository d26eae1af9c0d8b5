// Runs a program on the model of the microprogrammed core and compares with the golden model.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>

#include "isa/asm.h"
#include "isa/disasm.h"
#include "micro_compare.h"
#include "random_program.h"

namespace {

using namespace ttpu;
namespace micro = timing::micro;

constexpr const char* kUsage = R"(usage: micro_run [options] [PROGRAM.s | IMAGE]
  --config NAME    nano (default) or nano8; a program's .config counts
  --rom FILE       microcode that scripts/microasm.py --rom wrote (default: the built-in one)
  --random SEED    a random program in place of a file; --commands N: its size
  --data SEED      random contents of the memories (default 1; 0 = zeros)
  --latency N      cycles of the memory (default 10)
  --max-cycles N   of the run (default 10000000)
  --trace [N]      each microinstruction of the run (or the first N of it)
  --trace-boot     trace from reset on
  --raw N          no program and no host: N microinstructions from reset, or up to a jump to itself
  --profile        cycles by label
  --state          registers at the end
  --list           the program
Exit status: 0 equal to the golden model, 1 not, 2 bad usage.
)";

struct Options {
  std::string config = "nano", rom, file;
  uint64_t random = 0, data = 1, latency = 10, max_cycles = 10'000'000, commands = 40;
  uint64_t trace = 0, raw = 0;
  bool trace_boot = false, profile = false, state = false, list = false;
};

Options parse(int argc, char** argv) {
  Options o;
  const auto number = [&](int& i) -> uint64_t {
    if (i + 1 >= argc) throw std::runtime_error(fmt::format("{} needs a number", argv[i]));
    return std::strtoull(argv[++i], nullptr, 0);
  };
  const auto text = [&](int& i) -> std::string {
    if (i + 1 >= argc) throw std::runtime_error(fmt::format("{} needs a value", argv[i]));
    return argv[++i];
  };
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--config")
      o.config = text(i);
    else if (a == "--rom")
      o.rom = text(i);
    else if (a == "--random")
      o.random = number(i);
    else if (a == "--commands")
      o.commands = number(i);
    else if (a == "--data")
      o.data = number(i);
    else if (a == "--latency")
      o.latency = number(i);
    else if (a == "--max-cycles")
      o.max_cycles = number(i);
    else if (a == "--raw")
      o.raw = number(i);
    else if (a == "--trace") {
      o.trace = ~0ull;
      if (i + 1 < argc && std::isdigit(argv[i + 1][0])) o.trace = number(i);
    } else if (a == "--trace-boot")
      o.trace_boot = true, o.trace = ~0ull;
    else if (a == "--profile")
      o.profile = true;
    else if (a == "--state")
      o.state = true;
    else if (a == "--list")
      o.list = true;
    else if (!a.empty() && a[0] == '-')
      throw std::runtime_error("unknown option " + a);
    else
      o.file = a;
  }
  if (o.raw == 0 && o.file.empty() == (o.random == 0))
    throw std::runtime_error("a program or --random");
  return o;
}

Image read_program(Options& o) {
  std::ifstream in(o.file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + o.file);
  if (!o.file.ends_with(".s")) {
    const Image image = Image::load(o.file);
    o.config = image.config_name;
    return image;
  }
  std::stringstream source;
  source << in.rdbuf();
  const auto result = isa::assemble(source.str(), o.config);
  for (const auto& d : result.errors) std::cerr << isa::to_string(d, o.file) << "\n";
  if (!result.ok()) throw std::runtime_error("the program has errors");
  Image image;
  const auto& p = result.program;
  o.config = p.config_name;
  image.config_hash = p.config_hash, image.config_name = p.config_name;
  image.entry = p.entry, image.hbm_bytes = p.hbm_bytes;
  image.code = p.code, image.smem = p.smem;
  for (const auto& s : p.constants) image.constants.push_back({s.addr, s.bytes});
  return image;
}

Image random_image(const Options& o, const Config& config) {
  tb::Random rng("micro_run");
  rng.reseed(o.random);
  chip_test::RandomProgramOptions options;
  options.commands = static_cast<uint32_t>(o.commands);
  auto program = chip_test::random_program(config, rng, options);
  while (program.code.size() > config.imem_words) {
    options.commands = options.commands * 3 / 4;
    program = chip_test::random_program(config, rng, options);
  }
  Image image;
  image.config_hash = config.hash, image.config_name = std::string(config.name);
  image.hbm_bytes = options.hbm_bytes;
  image.code = program.code;
  return image;
}

/// Trace and profile, hung on the core.
class Observer {
 public:
  Observer(const Options& o, micro::Core& core) : o_(o), core_(core) {}
  void attach() {
    core_.on_step = [this](uint32_t pc, uint64_t cycles) { step(pc, cycles); };
  }
  void print_profile() const {
    const auto& image = core_.image();
    std::map<std::string, std::pair<uint64_t, uint64_t>> by_label;
    uint64_t total = 0;
    for (const auto& [pc, count] : counts_) {
      const std::string name = image.name_of(pc);
      auto& sum = by_label[name.substr(0, name.find('+'))];
      sum.first += count.first, sum.second += count.second;
      total += count.second;
    }
    std::vector<std::pair<uint64_t, std::string>> order;
    for (const auto& [name, sum] : by_label) order.push_back({sum.second, name});
    std::sort(order.rbegin(), order.rend());
    for (const auto& [cycles, name] : order)
      fmt::print("{:>10} cycles {:>10} words {:5.1f} %  {}\n", cycles, by_label[name].first,
                 100.0 * static_cast<double>(cycles) / static_cast<double>(total), name);
  }

 private:
  void step(uint32_t pc, uint64_t cycles) {
    auto& count = counts_[pc];
    ++count.first, count.second += cycles;
    if (printed_ >= o_.trace) return;
    ++printed_;
    const auto& image = core_.image();
    std::string effect;
    if (const auto r = core_.last_written())
      effect = fmt::format("{} = {:#x}", image.register_name(*r), core_.reg(*r));
    fmt::print("{:>8} {:4} {:<24} {:<3} {:<28} {}\n", core_.cycle() - cycles, pc, image.name_of(pc),
               cycles, effect, pc < image.where.size() ? image.where[pc] : "");
  }
  const Options& o_;
  micro::Core& core_;
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> counts_;
  uint64_t printed_ = 0;
};

void print_state(const micro::Core& core) {
  for (uint32_t i = 0; i < micro::kRegisters; ++i)
    fmt::print("{:<12} {:#010x}\n", core.image().register_name(i), core.reg(i));
}

/// Microcode alone: for a routine that has no host yet.
int run_raw(const Options& o) {
  const Config& config = *find_config(o.config);
  DeviceOptions options;
  options.hbm_bytes = 1u << 16;
  options.memory.latency = static_cast<uint32_t>(o.latency);
  micro_test::HbmBus bus(options);
  micro::Core core(config,
                   o.rom.empty() ? micro::builtin_image(config.n) : micro::load_image(o.rom), bus);
  Observer observer(o, core);
  observer.attach();
  for (uint64_t i = 0; i < o.raw; ++i) {
    const uint32_t pc = core.pc();
    core.step();
    if (core.pc() == pc) break;
  }
  fmt::print("stopped at {} after {} cycles\n", core.image().name_of(core.pc()), core.cycle());
  if (o.profile) observer.print_profile();
  if (o.state) print_state(core);
  return 0;
}

int run(Options o) {
  if (o.raw != 0) return run_raw(o);
  Image image;
  if (o.random == 0) image = read_program(o);
  const Config* config = find_config(o.config);
  if (!config || !config->micro)
    throw std::runtime_error("no microprogrammed configuration '" + o.config + "'");
  if (o.random != 0) image = random_image(o, *config);
  if (o.list)
    for (size_t i = 0; i < image.code.size(); ++i)
      fmt::print("{:4} {}\n", i, isa::disassemble(image.code[i]));
  DeviceOptions options;
  options.hbm_bytes = std::max<uint64_t>(image.hbm_bytes, 1u << 16);
  options.memory.latency = static_cast<uint32_t>(o.latency);
  options.max_cycles = o.max_cycles;
  options.trace_commands = true;
  const micro::Image microcode =
      o.rom.empty() ? micro::builtin_image(config->n) : micro::load_image(o.rom);
  std::unique_ptr<Observer> observer;
  const auto attach = [&](micro::Core& core) {
    observer = std::make_unique<Observer>(o, core);
    if (o.trace_boot) observer->attach();
  };
  micro_test::Pair pair(*config, options, image, &microcode, o.data, attach);
  observer->attach();
  RunResult result;
  const std::string difference = micro_test::run_and_compare(pair, result);
  pair.micro.core().on_step = nullptr;
  fmt::print("{}; {} words of microcode\n", micro_test::describe(result), microcode.words.size());
  for (size_t i = 0; i < result.counters.size(); ++i)
    if (result.counters[i] != 0)
      fmt::print("{:<20} {}\n", regs::kCounterNames[i], result.counters[i]);
  if (o.profile) observer->print_profile();
  if (o.state) print_state(pair.micro.core());
  if (difference.empty()) {
    fmt::print("equal to the golden model\n");
    return 0;
  }
  fmt::print("NOT equal to the golden model:\n{}", difference);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& e) {
    std::cerr << "micro_run: " << e.what() << "\n" << kUsage;
    return 2;
  }
}
