// The microcode's scalar core, queues and errors on the model of the engine, against the golden
// model: random programs of scalar instructions, SYNC, waits and signals; cycles of instructions.
// TTPU_MICROCODE names an image of scripts/microasm.py to test in place of the built-in one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "chip_util.h"
#include "isa/disasm.h"
#include "micro_compare.h"

namespace {

using namespace chip_test;
namespace isa = ttpu::isa;
namespace micro = ttpu::timing::micro;
namespace regs = ttpu::regs;

micro::Image microcode(const Config& c) {
  const char* file = std::getenv("TTPU_MICROCODE");
  if (file && *file)
    if (micro::Image image = micro::load_image(file); image.n == c.n) return image;
  return micro::builtin_image(c.n);
}

DeviceOptions options() {
  DeviceOptions o;
  o.hbm_bytes = 4096;
  o.max_cycles = 3'000'000;
  o.trace_commands = true;
  return o;
}

constexpr Opcode kAlu[] = {Opcode::ADD, Opcode::SUB, Opcode::MUL, Opcode::AND,
                           Opcode::OR,  Opcode::XOR, Opcode::SHL, Opcode::SHR,
                           Opcode::SRA, Opcode::SLT, Opcode::SLTU};
constexpr Opcode kBranch[] = {Opcode::BEQ, Opcode::BNE,  Opcode::BLT,
                              Opcode::BGE, Opcode::BLTU, Opcode::BGEU};

/// Programs that end: branches go forward, each DBNZ counts a register of its own down.
class Generator {
 public:
  Generator(const Config& c, tb::Random& rng, uint32_t error_percent)
      : c_(c), rng_(rng), error_percent_(error_percent) {}

  std::vector<Instr> program(uint32_t length) {
    code_.clear();
    loops_ = 0;
    std::ranges::fill(raised_, 0);
    targets_.clear();
    for (uint32_t r = 1; r < kCounters; ++r)
      code_.push_back(plain(Opcode::ADD, {.rc = r}, value()));
    for (uint32_t r = kCounters; r < 32; ++r)
      code_.push_back(plain(Opcode::ADD, {.rc = r}, static_cast<uint32_t>(rng_.below(6) + 1)));
    auto start = static_cast<uint32_t>(code_.size());
    end_ = start + length;
    while (code_.size() < end_) {
      const auto here = static_cast<uint32_t>(code_.size());
      code_.push_back(next(here, start));
    }
    code_.push_back(plain(Opcode::HALT, waits(5)));
    return code_;
  }

 private:
  static constexpr uint32_t kCounters = 26;  // r26..r31 count loops, others but kJump hold anything
  static constexpr uint32_t kJump = 25;

  uint32_t value() {
    switch (rng_.below(4)) {
      case 0:
        return static_cast<uint32_t>(rng_.below(8)) - 4;
      case 1:
        return 0x80000000u + static_cast<uint32_t>(rng_.below(3)) - 1;
      default:
        return rng_.u32();
    }
  }
  uint32_t source() { return static_cast<uint32_t>(rng_.below(kJump)); }
  /// Registers, and sometimes a wait or a signal. Of eight flags, so that they meet.
  Common waits(uint32_t percent) {
    Common c{.ra = source(), .rb = source(), .rc = source()};
    if (rng_.below(100) < percent / 2) {
      c.wait_flag = flag();
      c.wait_value = 1 + (rng_.below(4) == 0);
      // Mostly one that an earlier instruction has raised, branches apart.
      int& raised = raised_[c.wait_flag];
      if (raised < static_cast<int>(c.wait_value) && rng_.below(30) != 0) c.wait_value = 0;
      raised -= static_cast<int>(c.wait_value);
    }
    if (rng_.below(100) < percent) {
      c.signal = 1;
      c.signal_flag = flag();
      ++raised_[c.signal_flag];
    }
    return c;
  }
  uint32_t flag() {
    return static_cast<uint32_t>(rng_.below(2) ? rng_.below(4) : 28 + rng_.below(4));
  }

  Instr next(uint32_t here, uint32_t& start) {
    if (rng_.below(1000) < error_percent_ * 10) return error();
    switch (rng_.below(20)) {
      case 0:
        return plain(Opcode::NOP, waits(60));
      case 1:
        return plain(Opcode::TAG, waits(20), rng_.u32());
      case 2:
      case 3: {
        const Common c = waits(20);
        return with(plain(kBranch[rng_.below(6)], {}, target(here)), c);
      }
      case 4:
        if (rng_.below(4) == 0) return plain(Opcode::DBNZ, {}, target(here));  // r0 - 1: taken
        return plain(Opcode::JAL, waits(10), target(here));
      case 5: {  // through a register that the instruction before sets
        if (targets_.contains(here + 1)) return plain(Opcode::NOP);
        code_.push_back(plain(Opcode::ADD, {.rc = kJump}, target(here + 1)));
        return plain(Opcode::JR, {.ra = kJump});
      }
      case 6:
        if (loops_ < 32 - kCounters && here > start + 1) {
          const uint32_t counter = kCounters + loops_++;
          auto back = static_cast<uint32_t>(rng_.below(std::min(8u, here - start)));
          if (back > 0 && code_[here - back].get(0, 8) == static_cast<uint32_t>(Opcode::JR)) --back;
          start = here + 1;  // no loop inside of a loop: the counter is used up
          return plain(Opcode::DBNZ, {.rc = counter}, here - back);
        }
        [[fallthrough]];
      case 7:
        return plain(Opcode::LDS, {.ra = 0, .rc = source()},
                     static_cast<uint32_t>(rng_.below(c_.smem_words)));
      case 8:
        return plain(Opcode::STS, {.ra = 0, .rb = source()},
                     static_cast<uint32_t>(rng_.below(c_.smem_words)));
      case 9:
      case 10:
      case 11:
        return with(isa::Sync{.unit = 1 + static_cast<uint32_t>(rng_.below(5))}.encode(),
                    waits(70));
      default:
        return plain(kAlu[rng_.below(11)], waits(10), value());
    }
  }
  uint32_t target(uint32_t here) {
    const uint32_t t = here + 1 + static_cast<uint32_t>(rng_.below(std::min(6u, end_ - here)));
    targets_.insert(t);
    return t;
  }
  Instr error() {
    Instr i;
    switch (rng_.below(6)) {
      case 0: {
        uint32_t op = 4;
        while (isa::find_op(op)) op = static_cast<uint32_t>(rng_.below(256));
        i.set(0, 8, op);
        return with(i, waits(30));
      }
      case 1:
        i = plain(kAlu[rng_.below(11)], waits(30));
        i.set(74 + static_cast<int>(rng_.below(54)), 1, 1);
        return i;
      case 2:
        return plain(rng_.below(2) ? Opcode::LDS : Opcode::STS, waits(30), value());
      case 3: {
        if (targets_.contains(static_cast<uint32_t>(code_.size()) + 1)) return plain(Opcode::NOP);
        code_.push_back(plain(Opcode::ADD, {.rc = kJump}, c_.imem_words | rng_.u32()));
        Common c = waits(30);
        c.ra = kJump;
        return plain(Opcode::JR, c);
      }
      case 4:
        return with(isa::Sync{.unit = static_cast<uint32_t>(rng_.below(8))}.encode(), waits(30));
      default:
        return plain(Opcode::JAL, waits(30),
                     c_.imem_words + static_cast<uint32_t>(rng_.below(65536 - c_.imem_words)));
    }
  }

  const Config& c_;
  tb::Random& rng_;
  uint32_t error_percent_, loops_ = 0, end_ = 0;
  int raised_[32] = {};
  std::set<uint32_t> targets_;
  std::vector<Instr> code_;
};

std::string listing(const std::vector<Instr>& code) {
  std::string text;
  for (size_t i = 0; i < code.size(); ++i)
    text += fmt::format("{:4} {}\n", i, isa::disassemble(code[i]));
  return text;
}

class MicroScalar : public testing::TestWithParam<const char*> {
 protected:
  /// Runs both; the outcome of the golden model.
  std::string expect_same(const std::vector<Instr>& code, uint64_t data_seed) {
    const Config& c = config(GetParam());
    const micro::Image image = microcode(c);
    micro_test::Pair pair(c, options(), image_of(c, code, 4096), &image, data_seed);
    ttpu::RunResult result;
    const std::string difference = micro_test::run_and_compare(pair, result);
    EXPECT_EQ(difference, "") << listing(code);
    return micro_test::describe(result);
  }
};

TEST_P(MicroScalar, RandomPrograms) {
  const Config& c = config(GetParam());
  tb::Random rng;
  const int rounds = tb::long_run() ? 3000 : 150;
  std::map<std::string, int> outcomes;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    Generator generator(c, rng, round % 3 == 0 ? 4 : 0);
    const std::string outcome = expect_same(generator.program(20 + rng.below(120)), rng.next());
    ++outcomes[outcome.substr(0, outcome.find(' '))];
  }
  std::string text;
  for (const auto& [name, count] : outcomes) text += fmt::format(" {} {}", name, count);
  std::printf("[ttpu] %s: %d programs:%s\n", GetParam(), rounds, text.c_str());
  EXPECT_GT(outcomes["done"], rounds / 10);
  EXPECT_GT(outcomes["WATCHDOG"], rounds / 10) << "programs that get stuck show the mask";
}

TEST_P(MicroScalar, EveryIllegalOpcodeAndUnusedBit) {
  uint32_t errors = 0;
  for (uint32_t op = 0; op < 256; ++op) {
    if (isa::find_op(op)) continue;
    Instr i;
    i.set(0, 8, op);
    EXPECT_EQ(expect_same({i}, 0),
              fmt::format("ILLEGAL_OPCODE in SCALAR at pc 0 address {:#x}", op));
    ++errors;
  }
  for (const auto& op : isa::kOps) {
    int end = 42;
    for (const auto& f : op.fields) end = std::max(end, f.lsb + f.bits);
    for (int bit = end; bit < 128; bit += 5) {
      Instr i;
      i.set(0, 8, op.opcode);
      i.set(bit, 1, 1);
      const uint64_t low = bit - end < 32 ? 1ull << (bit - end) : 0;
      EXPECT_EQ(expect_same({plain(Opcode::NOP), i}, 0),
                fmt::format("BAD_FIELD in SCALAR at pc 1 address {:#x}", low))
          << op.name << " bit " << bit;
      ++errors;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(errors, 500u);
}

TEST_P(MicroScalar, FlagOverflowOfScalarAndUnit) {
  for (const bool unit : {false, true}) {
    Common signals{.signal = 1, .signal_flag = 17};
    const Instr raise =
        unit ? with(isa::Sync{.unit = 4}.encode(), signals) : plain(Opcode::NOP, signals);
    for (const uint32_t count : {255u, 256u}) {
      const std::vector<Instr> code = {plain(Opcode::ADD, {.rc = 1}, count), raise,
                                       plain(Opcode::DBNZ, {.rc = 1}, 1), plain(Opcode::HALT)};
      EXPECT_EQ(expect_same(code, 1), count == 255
                                          ? "done"
                                          : fmt::format("FLAG_OVERFLOW in {} at pc 1 address 0x11",
                                                        unit ? "MXS" : "SCALAR"));
    }
  }
}

/// Cycles from one run to another that has `repeats` more of an instruction (all decoded already).
double cycles_of(const Config& c, const std::vector<Instr>& body) {
  const micro::Image image = microcode(c);
  uint64_t cycles[2];
  for (const uint32_t count : {10u, 110u}) {
    std::vector<Instr> code = {plain(Opcode::ADD, {.rc = 30}, count),
                               plain(Opcode::ADD, {.rc = 1}, 3)};
    code.insert(code.end(), body.begin(), body.end());
    code.push_back(plain(Opcode::DBNZ, {.rc = 30}, 2));
    code.push_back(plain(Opcode::HALT));
    micro_test::MicroDevice device(c, options(), &image);
    device.load(image_of(c, code, 4096));
    const RunResult r = device.run();
    EXPECT_TRUE(r.done) << micro_test::describe(r);
    cycles[count != 10] = r.counter(regs::CYCLES);
  }
  return static_cast<double>(cycles[1] - cycles[0]) / 100;
}

// The figures of docs/reference/micro-code.md. SYNC shows what a command costs beside its unit's
// work.
TEST_P(MicroScalar, CyclesOfInstructions) {
  const Config& c = config(GetParam());
  const double loop = cycles_of(c, {});
  const auto show = [&](const char* name, const std::vector<Instr>& body, double expected) {
    const double cycles = body.empty() ? loop : cycles_of(c, body) - loop;
    std::printf("[ttpu] %s cycles: %-58s %3.0f\n", GetParam(), name, cycles);
    EXPECT_EQ(cycles, expected) << name;
  };
  const Common signals{.signal = 1, .signal_flag = 3}, waits{.wait_value = 1, .wait_flag = 3};
  const auto sync = [](const Common& common) {
    return with(isa::Sync{.unit = 5}.encode(), common);
  };
  show("NOP", {plain(Opcode::NOP)}, 11);
  show("TAG", {plain(Opcode::TAG)}, 13);
  show("ADD, rb = r0", {plain(Opcode::ADD, {.ra = 1, .rc = 2}, 4)}, 20);
  show("ADD", {plain(Opcode::ADD, {.ra = 1, .rb = 1, .rc = 2}, 4)}, 25);
  show("SUB, AND, OR, XOR, SHL, SHR, SRA, SLT, SLTU",
       {plain(Opcode::SUB, {.ra = 1, .rb = 1, .rc = 2})}, 29);
  show("MUL", {plain(Opcode::MUL, {.ra = 1, .rb = 1, .rc = 2})}, 34);
  show("LDS", {plain(Opcode::LDS, {.ra = 1, .rc = 2})}, 25);
  show("STS", {plain(Opcode::STS, {.ra = 1, .rb = 2})}, 30);
  show("branch, not taken", {plain(Opcode::BEQ, {.ra = 1}, 0)}, 24);
  show("branch, taken", {plain(Opcode::BNE, {.ra = 1}, 3)}, 25);
  show("JAL", {plain(Opcode::JAL, {.rc = 2}, 3)}, 19);
  show("JR", {plain(Opcode::ADD, {.rc = 2}, 4), plain(Opcode::JR, {.ra = 2})}, 20 + 19);
  show("DBNZ, taken", {}, 20);
  show("NOP that signals", {plain(Opcode::NOP, {.signal = 1, .signal_flag = 4})}, 105);
  show("NOP that signals, NOP that waits", {plain(Opcode::NOP, signals), plain(Opcode::NOP, waits)},
       173);
  show("SYNC", {sync({})}, 56);
  show("SYNC with registers", {sync({.ra = 1})}, 64);
  show("SYNC that signals", {sync({.signal = 1, .signal_flag = 4})}, 79);
  show("SYNC that signals, SYNC that waits", {sync(signals), sync(waits)}, 180);
  show("SYNC that waits in its queue, SYNC that signals to it",
       {sync(waits), with(isa::Sync{.unit = 1}.encode(), signals)}, 346);
}

INSTANTIATE_TEST_SUITE_P(Configs, MicroScalar, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
