// The engine of the microprogrammed core against the plain reference: values, events and their
// cycles. The bench plays ROM, LMEM, accumulators, special registers and flags.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "Vmicro_engine4.h"
#include "Vmicro_engine8.h"
#include "engine_reference.h"
#include "tb/controller.h"
#include "tb/random.h"

namespace {

using micro_test::Event;
using micro_test::Reference;
using micro_test::Word;
using ttpu::timing::micro::Uop;
namespace spr = ttpu::timing::micro::spr;

/// Value of an SPR in a cycle; PRED is in the engine itself.
uint32_t special_value(uint32_t number, uint64_t cycle) {
  return static_cast<uint32_t>((number + 1) * 0x9e3779b1u + cycle * 0x85ebca6bu);
}

/// Flags move at random, but the same for engine and reference.
bool flag_value(uint64_t seed, uint32_t number, uint64_t cycle) {
  uint64_t h = (cycle / 3 * 8 + number + seed) * 0x9e3779b97f4a7c15ull;
  return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull >> 63;
}

template <class Model>
class EngineBench {
 public:
  static constexpr uint32_t kLanes = std::is_same_v<Model, Vmicro_engine4> ? 4 : 8;

  EngineBench(const std::vector<Word>& code, const Reference& start, uint64_t flag_seed)
      : lmem(start.lmem), acc(start.acc), flag_seed_(flag_seed), ctl_({.name = "engine"}) {
    for (const Word& w : code) rom_.push_back(w.encode());
    ctl_->mxbusy_i = 0;
    ctl_.add(*this);
    first_ = ctl_.cycle();
  }
  /// Until the cycle in which the last jump is in X.
  void run(uint64_t cycles) {
    while (cycle() <= cycles) ctl_.tick();
  }
  uint64_t cycle() const { return ctl_.cycle() - first_; }

  void before_clock() {
    auto& d = ctl_.dut();
    d.hreq_i = flag_value(flag_seed_, 0, cycle());
    d.mxbusy_i = 0;
    d.xbusy_i = flag_value(flag_seed_, 2, cycle());
    d.xerr_i = flag_value(flag_seed_, 3, cycle());
    d.eval();  // the address is in the ROM's word
    d.spr_rdata_i = d.spr_raddr_o == spr::PRED ? 0 : special_value(d.spr_raddr_o, cycle() + 1);
  }
  void at_clock() {
    auto& d = ctl_.dut();
    if (d.rom_en_o) rom_out_ = d.rom_addr_o < rom_.size() ? rom_[d.rom_addr_o] : 0;
    if (d.spr_we_o) events.push_back({Event::kSpr, cycle(), d.spr_addr_o, d.spr_wdata_o});
    if (d.lmem_en_o && d.lmem_we_o) {
      events.push_back({Event::kStore, cycle(), d.lmem_addr_o, d.lmem_wdata_o});
      lmem[d.lmem_addr_o / 4] = d.lmem_wdata_o;
      lmem_out_ = 0xdeadbeef;
    } else if (d.lmem_en_o) {
      lmem_out_ = lmem[d.lmem_addr_o / 4];
    }
    // As in the matrix unit, the row comes with lane 0 and the other lanes follow it at once.
    if (d.acc_en_o && d.acc_lane_o == 0) acc_row_ = d.acc_row_o % 256;
    acc_out_ = d.acc_en_o ? acc[acc_row_ * kLanes + d.acc_lane_o] : 0xdeadbeef;
    if (d.acc_en_o && d.acc_lane_o != 0 && !acc_before_) ++acc_gaps;
    acc_before_ = d.acc_en_o;
  }
  void after_clock() {
    auto& d = ctl_.dut();
    d.rom_data_i = rom_out_;
    d.lmem_rdata_i = lmem_out_;
    d.acc_data_i = acc_out_;
  }

  std::vector<uint32_t> lmem, acc;
  std::vector<Event> events;
  uint32_t acc_gaps = 0;

 private:
  uint64_t flag_seed_, first_ = 0, rom_out_ = 0;
  uint32_t lmem_out_ = 0, acc_out_ = 0, acc_row_ = 0;
  bool acc_before_ = false;
  std::vector<uint64_t> rom_;
  tb::Controller<Model> ctl_;
};

std::string text(const std::vector<Event>& events, size_t i) {
  if (i >= events.size()) return "nothing";
  const Event& e = events[i];
  return tb::format("%s %u <- 0x%08x in cycle %llu", e.kind == Event::kSpr ? "SPR" : "LMEM",
                    e.address, e.data, static_cast<unsigned long long>(e.cycle));
}

/// Runs both and compares every event with its cycle.
template <class Model>
void compare(const std::vector<Word>& code, Reference& reference, uint64_t flag_seed = 1) {
  ASSERT_LE(code.size(), 2048u);
  EngineBench<Model> bench(code, reference, flag_seed);
  reference.flag = [&](uint32_t n, uint64_t c) { return n != 1 && flag_value(flag_seed, n, c); };
  reference.special = special_value;
  reference.run(code);
  bench.run(reference.cycle);
  size_t i = 0;
  while (i < reference.events.size() && i < bench.events.size() &&
         reference.events[i] == bench.events[i])
    ++i;
  if (i < reference.events.size() || i < bench.events.size())
    ADD_FAILURE() << "event " << i << ": expected " << text(reference.events, i) << ", got "
                  << text(bench.events, i) << " (before: " << text(reference.events, i - 1) << ")";
  EXPECT_EQ(bench.acc_gaps, 0u) << "lanes of the accumulators not one after the other";
  EXPECT_TRUE(bench.lmem == reference.lmem) << "LMEM differs";
}

Word stop(size_t at) { return {.op = Uop::JMP, .target = static_cast<uint32_t>(at)}; }

/// Loads R[first ..] from LMEM words 0 .. count-1, through R254.
void load_registers(std::vector<Word>& code, uint32_t first, uint32_t count) {
  code.push_back({.op = Uop::LI, .d = 254});
  for (uint32_t i = 0; i < count; ++i) {
    code.push_back({.op = Uop::LD, .d = first + i, .a = 254, .b = 0, .imm = true});
    code.push_back({.op = Uop::IADD, .d = 254, .a = 254, .b = 4, .imm = true});
  }
}

const std::vector<uint32_t> kCorners = {0,          1,          2,          31,         32,
                                        0x7f,       0x80,       0xff,       0x7fffffff, 0x80000000,
                                        0x80000001, 0xffffffff, 0xfffffffe, 0x40000000, 0xc0000000,
                                        0x55555555, 0xaaaaaaaa};

uint32_t operand(tb::Random& random) {
  switch (random.below(4)) {
    case 0:
      return kCorners[random.below(kCorners.size())];
    case 1:  // few bits
      return static_cast<uint32_t>(static_cast<int32_t>(random.u32()) >> random.below(32));
    default:
      return random.u32();
  }
}

/// Every operation on pairs of operands, in a loop over a table in LMEM.
template <class Model>
void sweep(const std::vector<std::pair<uint32_t, uint32_t>>& pairs, bool iqmul_shifts) {
  const std::vector<Uop> ops = {Uop::PASS, Uop::IADD, Uop::ISUB, Uop::IMUL, Uop::IMIN, Uop::IMAX,
                                Uop::ISHL, Uop::ISRA, Uop::ISRL, Uop::AND,  Uop::OR,   Uop::XOR,
                                Uop::SLT,  Uop::SLTU, Uop::EXTS, Uop::EXTZ, Uop::ADDC, Uop::ICEQ,
                                Uop::ICLT, Uop::ICLE, Uop::SEL};
  Reference reference(EngineBench<Model>::kLanes);
  for (size_t i = 0; i < pairs.size(); ++i) {
    reference.lmem[2 * i] = pairs[i].first;
    reference.lmem[2 * i + 1] = pairs[i].second;
  }
  ASSERT_LE(8 * pairs.size(), 0xfff0u);
  constexpr uint32_t kPointer = 100, kEnd = 101, kA = 102, kB = 103, kResult = 104, kStage = 105;
  std::vector<Word> code;
  const auto li = [&](uint32_t d, uint32_t v) {
    code.push_back({.op = Uop::LI, .d = d, .a = v >> 8, .b = v & 0xff});
  };
  const auto log = [&](uint32_t r, uint32_t number) {
    code.push_back({.op = Uop::MTS, .d = number, .a = r});
  };
  li(kPointer, 0);
  li(kEnd, static_cast<uint32_t>(8 * pairs.size()));
  for (uint32_t l = 0; l < EngineBench<Model>::kLanes; ++l) li(l, 0);
  const auto loop = static_cast<uint32_t>(code.size());
  code.push_back({.op = Uop::LD, .d = kA, .a = kPointer, .b = 0, .imm = true});
  code.push_back({.op = Uop::LD, .d = kB, .a = kPointer, .b = 4, .imm = true});
  if (iqmul_shifts) {
    for (uint32_t shift = 0; shift < 32; ++shift) {
      // exec of pass sets SHIFT; then iqmul by itself.
      const uint32_t word = micro_test::stage_word(Uop::PASS, 0, false, false, shift);
      li(kStage, word >> 16);
      code.push_back({.op = Uop::ISHL, .d = kStage, .a = kStage, .b = 16, .imm = true});
      code.push_back({.op = Uop::EXEC, .a = kStage});
      code.push_back({.op = Uop::IQMUL, .d = kResult, .a = kA, .b = kB});
      log(kResult, 64 + shift);
    }
  } else {
    for (const Uop op : ops) {
      const bool unary = op == Uop::EXTS || op == Uop::EXTZ;
      code.push_back({.op = op, .d = kResult, .a = kA, .b = unary ? 0 : kB});
      log(kResult, 64 + static_cast<uint32_t>(op));
      if (!unary) {
        code.push_back({.op = op, .d = kResult, .a = kA, .b = 0xa5, .imm = true});
        log(kResult, 96 + static_cast<uint32_t>(op));
      }
    }
    for (const uint32_t limits : {0u, 1u, 3u}) {
      li(kStage, limits);
      log(kStage, spr::LIMITS);
      for (const uint32_t from : {kA, kB}) {
        for (int i = 0; i < 4; ++i) code.push_back({.op = Uop::PACK, .a = from});
        for (uint32_t i = 0; i < EngineBench<Model>::kLanes / 4; ++i)
          code.push_back({.op = Uop::STP, .d = 4 * i, .a = kPointer});
      }
    }
    code.push_back({.op = Uop::MFS, .d = kResult, .b = spr::PRED});
    log(kResult, 63);
    for (const Uop op : {Uop::BEQ, Uop::BNE, Uop::BLT, Uop::BGE, Uop::BLTU, Uop::BGEU}) {
      const auto next = static_cast<uint32_t>(code.size()) + 3;
      code.push_back({.op = op, .a = kA, .b = kB, .target = next - 1});
      log(kA, 62);  // skipped if it goes
      code.push_back({.op = op, .a = kB, .b = 0x80, .imm = true, .target = next + 1});
      log(kB, 61);
    }
  }
  code.push_back({.op = Uop::IADD, .d = kPointer, .a = kPointer, .b = 8, .imm = true});
  code.push_back({.op = Uop::BLTU, .a = kPointer, .b = kEnd, .target = loop});
  code.push_back(stop(code.size()));
  compare<Model>(code, reference);
  EXPECT_GE(reference.events.size(), pairs.size() * 30);
}

TEST(Engine, EveryOperationOnCorners) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const uint32_t a : kCorners)
    for (const uint32_t b : kCorners) pairs.emplace_back(a, b);
  sweep<Vmicro_engine4>(pairs, false);
}

TEST(Engine, EveryOperationAtRandom) {
  tb::Random random;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (int i = 0; i < (tb::long_run() ? 4000 : 1000); ++i)
    pairs.emplace_back(operand(random), operand(random));
  sweep<Vmicro_engine4>(pairs, false);
}

TEST(Engine, IqmulOnCorners) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const uint32_t a : kCorners)
    for (const uint32_t b : kCorners) pairs.emplace_back(a, b);
  sweep<Vmicro_engine4>(pairs, true);
}

TEST(Engine, IqmulAtRandomAndOnTies) {
  tb::Random random;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (int i = 0; i < (tb::long_run() ? 2000 : 200); ++i)
    pairs.emplace_back(operand(random), operand(random));
  // Products that end in 1000..0: halves for some shift, and their neighbours.
  for (uint32_t i = 0; i < 32; ++i) {
    for (const uint32_t odd : {1u, 3u, 5u, 0x55555u, 0xffffffffu, 0xfffffffdu}) {
      pairs.emplace_back(odd << (i / 2), 1u << (i - i / 2 + 15) % 32);
      pairs.emplace_back((odd << (i / 2)) + 1, 1u << (i - i / 2 + 15) % 32);
      pairs.emplace_back(odd, 0x80000000u >> i);
    }
  }
  sweep<Vmicro_engine4>(pairs, true);
}

// ---- random programs
// ------------------------------------------------------------------------------

/// Only forward branches, so it ends. Registers 0..63 are data, 64..79 stage words, 80..83 LMEM
/// addresses, 84..99 links, 254 the pointer of the start.
template <class Model>
std::vector<Word> random_program(tb::Random& random, Reference& reference) {
  constexpr uint32_t kLanes = EngineBench<Model>::kLanes;
  constexpr uint32_t kData = 64, kStages = 64, kAddresses = 80, kLinks = 84, kBody = 700;
  static const Uop kVector[] = {Uop::PASS,  Uop::IADD, Uop::ISUB, Uop::IMUL, Uop::IMIN, Uop::IMAX,
                                Uop::ISHL,  Uop::ISRA, Uop::ISRL, Uop::AND,  Uop::OR,   Uop::XOR,
                                Uop::IQMUL, Uop::ICEQ, Uop::ICLT, Uop::ICLE, Uop::SEL};
  static const Uop kPlain[] = {Uop::SLT, Uop::SLTU, Uop::EXTS, Uop::EXTZ, Uop::PACK, Uop::LI,
                               Uop::LIN, Uop::ADDC, Uop::LD,   Uop::ST,   Uop::STP,  Uop::ALD,
                               Uop::MFS, Uop::MTS,  Uop::MTS,  Uop::EXEC};
  static const Uop kBranch[] = {Uop::BEQ, Uop::BNE,  Uop::BLT, Uop::BGE, Uop::BLTU, Uop::BGEU,
                                Uop::JMP, Uop::CALL, Uop::BF,  Uop::BNF, Uop::CALLF};
  for (uint32_t& word : reference.lmem) word = operand(random);
  for (uint32_t& word : reference.acc) word = operand(random);
  for (uint32_t i = kStages; i < kAddresses; ++i) {
    const bool vb = random.below(2);
    reference.lmem[i] =
        micro_test::stage_word(kVector[random.below(std::size(kVector))],
                               static_cast<uint32_t>(random.below(kData - kLanes)), vb,
                               random.below(2), static_cast<uint32_t>(random.below(32)));
  }
  for (uint32_t i = kAddresses; i < kLinks; ++i)
    reference.lmem[i] = static_cast<uint32_t>(random.below(0x3f00)) * 4;

  std::vector<Word> code;
  load_registers(code, 0, kLinks);
  code.push_back({.op = Uop::MTS, .d = spr::LIMITS, .a = 0});
  code.push_back({.op = Uop::PACK, .vd = true, .va = true, .repeat = true});
  const auto begin = static_cast<uint32_t>(code.size());
  uint32_t recent = 0;  // written by the last one: often read by the next
  const auto source = [&] {
    return random.below(3) ? static_cast<uint32_t>(random.below(kData - kLanes)) : recent;
  };
  while (code.size() < begin + kBody) {
    const auto here = static_cast<uint32_t>(code.size());
    Word w{.d = static_cast<uint32_t>(random.below(kData - kLanes)), .a = source(), .b = source()};
    const uint64_t kind = random.below(10);
    if (kind < 5) {
      w.op = kVector[random.below(std::size(kVector))];
    } else if (kind < 8) {
      w.op = kPlain[random.below(std::size(kPlain))];
    } else {
      w.op = kBranch[random.below(std::size(kBranch))];
      w.target = here + 1 + static_cast<uint32_t>(random.below(4));
      w.flag = random.below(5) ? static_cast<uint32_t>(random.below(4)) : 6;
    }
    w.imm = random.below(3) == 0;
    if (w.imm) w.b = static_cast<uint32_t>(random.below(256));
    w.repeat = random.below(3) == 0;
    if (w.repeat) w.vd = true, w.va = random.below(2), w.vb = random.below(2);
    if (w.op == Uop::IQMUL) w.vd = w.repeat;
    const bool flag_user = micro_test::is_flag_branch(w.op);
    switch (w.op) {
      case Uop::EXTS:
      case Uop::EXTZ:
        w.b = 0, w.imm = w.va = w.vb = false;
        break;
      case Uop::LI:
      case Uop::LIN:
        w.a = static_cast<uint32_t>(random.below(256)),
        w.b = static_cast<uint32_t>(random.below(256));
        w.imm = w.va = w.vb = false;
        break;
      case Uop::LD:
        w.a = kAddresses + static_cast<uint32_t>(random.below(4));
        w.b = static_cast<uint32_t>(random.below(64)) * 4, w.imm = true, w.va = w.vb = false;
        break;
      case Uop::PACK:
        w.d = w.b = 0, w.imm = w.vb = false, w.vd = w.repeat;
        break;
      case Uop::ST:
      case Uop::STP:
        w.a = kAddresses + static_cast<uint32_t>(random.below(4));
        w.d = static_cast<uint32_t>(random.below(64)) * 4;
        w.b = w.op == Uop::ST ? source() : 0;
        w.imm = w.repeat = w.vd = w.va = w.vb = false;
        break;
      case Uop::ALD:
        w.va = w.vb = w.imm = false;
        w.b = 0;
        break;
      case Uop::MFS:
        w.b = static_cast<uint32_t>(random.below(32)), w.imm = w.va = w.vb = false;
        break;
      case Uop::MTS:
        w.d = random.below(8)   ? 64 + static_cast<uint32_t>(random.below(64))
              : random.below(2) ? +spr::PRED
                                : +spr::LIMITS;
        w.b = 0, w.imm = w.vb = false;
        if (w.d < 64) w.repeat = w.vd = w.va = false;
        break;
      case Uop::EXEC:
        w.a = kStages + static_cast<uint32_t>(random.below(kAddresses - kStages));
        w.b = w.d = 0, w.imm = w.repeat = w.vd = w.va = w.vb = false;
        break;
      default:
        if (micro_test::is_compare_branch(w.op)) {
          w.repeat = w.vd = w.va = w.vb = false, w.d = 0;
        } else if (w.op == Uop::JMP || w.op == Uop::CALL || flag_user) {
          w.repeat = w.vd = w.va = w.vb = w.imm = false, w.a = w.b = 0;
          w.d = w.op == Uop::CALL || w.op == Uop::CALLF
                    ? kLinks + static_cast<uint32_t>(random.below(16))
                    : 0;
        }
    }
    if (w.op != Uop::CALL && w.op != Uop::CALLF && w.op != Uop::PACK)
      recent = w.op < Uop::MTS ? w.d : recent;
    code.push_back(w);
    if (w.op == Uop::CALL) {
      // What it jumps to comes back over the link; there the way goes on.
      code.back().target = here + 3;
      code.push_back({.op = Uop::MTS, .d = 60, .a = w.d});
      code.push_back({.op = Uop::JMP, .target = here + 4});
      code.push_back({.op = Uop::JR, .a = w.d});
    }
    if (random.below(4) == 0) code.push_back({.op = Uop::MTS, .d = 64, .a = w.d});
  }
  // Branches may end up to 4 words behind.
  for (int i = 0; i < 4; ++i) code.push_back({.op = Uop::PASS});
  for (uint32_t r = 0; r < kData; ++r) code.push_back({.op = Uop::MTS, .d = 64 + r, .a = r});
  code.push_back(stop(code.size()));
  return code;
}

/// A jump into the middle of a call's four words would take a link that was never written.
void mend_targets(std::vector<Word>& code) {
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].op == Uop::CALL) continue;
    const bool own_jump = i >= 2 && code[i - 2].op == Uop::CALL;
    if (own_jump || !(micro_test::is_compare_branch(code[i].op) ||
                      micro_test::is_flag_branch(code[i].op) || code[i].op == Uop::JMP))
      continue;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t back = 1; back <= 3 && back <= code[i].target; ++back) {
        if (code[code[i].target - back].op == Uop::CALL) {
          code[i].target += static_cast<uint32_t>(4 - back);
          moved = true;
          break;
        }
      }
    }
  }
}

template <class Model>
void random_programs(int count) {
  tb::Random random;
  std::array<uint64_t, 64> executed{};
  uint64_t waits = 0, forwards = 0;
  for (int i = 0; i < count && !testing::Test::HasFailure(); ++i) {
    Reference reference(EngineBench<Model>::kLanes);
    std::vector<Word> code = random_program<Model>(random, reference);
    code.back().op = Uop::PASS;  // the end is no target of its own
    mend_targets(code);
    code.back() = stop(code.size() - 1);
    SCOPED_TRACE("program " + std::to_string(i));
    compare<Model>(code, reference, random.next());
    for (size_t op = 0; op < 64; ++op) executed[op] += reference.executed[op];
    waits += reference.flag_waits;
    forwards += reference.forwards;
  }
  for (uint32_t op = 0; op <= static_cast<uint32_t>(Uop::CALLF); ++op) {
    const auto name = ttpu::timing::micro::name_of(static_cast<Uop>(op));
    if (name[0] == '?') continue;
    EXPECT_GE(executed[op], 5u) << name << " was not tried";
  }
  EXPECT_GT(waits, 20u) << "no branch waited for a flag";
  EXPECT_GT(forwards, 100u) << "no result was forwarded";
}

TEST(Engine, RandomPrograms4) { random_programs<Vmicro_engine4>(tb::long_run() ? 2000 : 100); }
TEST(Engine, RandomPrograms8) { random_programs<Vmicro_engine8>(tb::long_run() ? 2000 : 100); }

}  // namespace
