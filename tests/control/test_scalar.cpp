// The scalar core: meaning of every instruction against host arithmetic, and its stated latencies.
#include "control_bench.h"

namespace control_test {
namespace {

/// Cycles that shifts, SLT, SLTU, STS and MUL take longer with FlagStages = 3.
#ifdef TTPU_FLAG_STAGES_3
constexpr uint64_t kLater = 1;
#else
constexpr uint64_t kLater = 0;
#endif

/// What the core should do, one instruction at a time.
struct Reference {
  std::array<uint32_t, 32> r{};
  std::vector<uint32_t> smem = std::vector<uint32_t>(kSmemWords);
  uint64_t cycles = 0;

  void run(const std::vector<Instr>& code) {
    uint32_t pc = 0;
    cycles = 2;  // the first instruction executes in the third cycle
    for (;;) {
      const Instr& i = code.at(pc);
      const auto c = ttpu::isa::Common::decode(i);
      const uint32_t imm = i.get(42, 32), a = r[c.ra], b = r[c.rb], y = b + imm;
      const uint32_t target = i.get(42, 16);
      uint32_t next = pc + 1;
      bool taken = false;
      const auto set = [&](uint32_t v) {
        if (c.rc) r[c.rc] = v;
      };
      const auto sa = static_cast<int32_t>(a), sb = static_cast<int32_t>(b),
                 sy = static_cast<int32_t>(y);
      cycles += 1;
      switch (static_cast<Opcode>(c.opcode)) {
        case Opcode::HALT:
          return;
        case Opcode::ADD:
          set(a + y);
          break;
        case Opcode::SUB:
          set(a - y);
          break;
        case Opcode::MUL:
          set(a * y), cycles += 1 + kLater;
          break;
        case Opcode::AND:
          set(a & y);
          break;
        case Opcode::OR:
          set(a | y);
          break;
        case Opcode::XOR:
          set(a ^ y);
          break;
        case Opcode::SHL:
          set(a << (y % 32)), cycles += kLater;
          break;
        case Opcode::SHR:
          set(a >> (y % 32)), cycles += kLater;
          break;
        case Opcode::SRA:
          set(static_cast<uint32_t>(sa >> (y % 32))), cycles += kLater;
          break;
        case Opcode::SLT:
          set(sa < sy), cycles += kLater;
          break;
        case Opcode::SLTU:
          set(a < y), cycles += kLater;
          break;
        case Opcode::LDS:
          set(smem.at(a + imm)), ++cycles;
          break;
        case Opcode::STS:
          smem.at(a + imm) = b, cycles += kLater;
          break;
        case Opcode::BEQ:
          taken = a == b;
          break;
        case Opcode::BNE:
          taken = a != b;
          break;
        case Opcode::BLT:
          taken = sa < sb;
          break;
        case Opcode::BGE:
          taken = sa >= sb;
          break;
        case Opcode::BLTU:
          taken = a < b;
          break;
        case Opcode::BGEU:
          taken = a >= b;
          break;
        case Opcode::JAL:
          set(pc + 1), taken = true;
          break;
        case Opcode::JR:
          next = a, cycles += 2;
          break;
        case Opcode::DBNZ: {
          const uint32_t v = r[c.rc] - 1;
          set(v);
          taken = v != 0;
          break;
        }
        default:
          break;  // NOP, TAG
      }
      if (taken) next = target, cycles += 2;
      pc = next;
    }
  }
};

const std::vector<Opcode> kAlu = {Opcode::ADD, Opcode::SUB, Opcode::MUL, Opcode::AND,
                                  Opcode::OR,  Opcode::XOR, Opcode::SHL, Opcode::SHR,
                                  Opcode::SRA, Opcode::SLT, Opcode::SLTU};
const std::vector<Opcode> kBranch = {Opcode::BEQ,  Opcode::BNE,  Opcode::BLT, Opcode::BGE,
                                     Opcode::BLTU, Opcode::BGEU, Opcode::JAL};

/// Random straight code with forward branches and one counted loop; ends by storing all registers.
/// Those that write no register name one all the same.
std::vector<Instr> random_program(tb::Random& rng) {
  std::vector<Instr> code;
  const auto reg = [&] { return static_cast<uint32_t>(rng.below(8)); };  // few: many dependences
  const auto value = [&] {
    static constexpr uint32_t kEdges[] = {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 31, 32};
    return rng.chance(30) ? kEdges[rng.below(7)] : rng.u32();
  };
  const uint32_t body = 60 + static_cast<uint32_t>(rng.below(100));
  const uint32_t loop_at = 20, loops = 1 + static_cast<uint32_t>(rng.below(4));
  for (uint32_t pc = 0; pc < body; ++pc) {
    if (pc == loop_at - 1) {
      code.push_back(plain(Opcode::ADD, {.rc = 20}, loops));
      continue;
    }
    switch (rng.below(8)) {
      case 0:
        code.push_back(plain(Opcode::LDS, {.rc = reg()}, static_cast<uint32_t>(rng.below(64))));
        break;
      case 1:
        code.push_back(
            plain(Opcode::STS, {.rb = reg(), .rc = reg()}, static_cast<uint32_t>(rng.below(64))));
        break;
      case 2: {
        // Never over the head of the loop or the loop's end, so that it always ends.
        const uint32_t limit = pc < loop_at - 1 ? loop_at - 1 : body;
        const uint32_t target =
            std::min<uint32_t>(limit, pc + 1 + static_cast<uint32_t>(rng.below(6)));
        const Opcode op = rng.pick(kBranch);
        code.push_back(
            plain(op, {.ra = reg(), .rb = reg(), .rc = op == Opcode::JAL ? 21u : reg()}, target));
        break;
      }
      case 3:
        code.push_back(plain(rng.coin() ? Opcode::NOP : Opcode::TAG, {.rc = reg()}));
        break;
      default:
        code.push_back(plain(rng.pick(kAlu), {.ra = reg(), .rb = reg(), .rc = reg()}, value()));
    }
  }
  code.push_back(plain(Opcode::DBNZ, {.rc = 20}, loop_at));
  for (uint32_t r = 0; r < 32; ++r) code.push_back(plain(Opcode::STS, {.rb = r}, 100 + r));
  code.push_back(halt());
  return code;
}

TEST(Scalar, RandomProgramsMatchHostArithmeticAndStatedCycles) {
  tb::Random rng;
  for (int round = 0; round < (tb::long_run() ? 3000 : 150); ++round) {
    SCOPED_TRACE("program " + std::to_string(round));
    Bench bench(rng.next() | 1);
    Reference ref;
    for (uint32_t w = 0; w < kSmemWords; ++w) bench.write_smem(w, ref.smem[w] = rng.u32());
    const auto code = random_program(rng);
    bench.load(code);
    const uint64_t cycles = bench.run();
    ref.run(code);
    ASSERT_TRUE(bench.done());
    ASSERT_FALSE(bench.error().valid);
    EXPECT_EQ(cycles, ref.cycles);
    for (uint32_t w = 0; w < kSmemWords; ++w)
      ASSERT_EQ(bench.read_smem(w), ref.smem[w])
          << "SMEM word " << w << " (100+r holds register r)";
  }
}

TEST(Scalar, JumpThroughRegisterAndReturn) {
  Bench bench;
  bench.load({
      plain(Opcode::JAL, {.rc = 5}, 4),  // 0: r5 = 1, to 4
      plain(Opcode::STS, {.rb = 5}, 0),  // 1
      halt(),                            // 2
      plain(Opcode::TAG, {}, 0xbad),     // 3
      plain(Opcode::TAG, {}, 77),        // 4
      plain(Opcode::JR, {.ra = 5}),      // 5: to 1
      plain(Opcode::TAG, {}, 0xbad),     // 6
  });
  bench.run();
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.read_smem(0), 1u);
  EXPECT_EQ(bench.tags, (std::vector<uint32_t>{77}));
}

TEST(Scalar, RegistersLastFromRunToRunAndClearZeroesThem) {
  Bench bench(1234);  // registers start random: they must still read 0
  bench.load({plain(Opcode::ADD, {.ra = 3, .rc = 3}, 5), plain(Opcode::STS, {.rb = 3}, 0), halt()});
  bench.run();
  EXPECT_EQ(bench.read_smem(0), 5u);
  bench.run();
  EXPECT_EQ(bench.read_smem(0), 10u);
  bench.clear();
  EXPECT_FALSE(bench.done());
  bench.run();
  EXPECT_EQ(bench.read_smem(0), 5u);
}

TEST(Scalar, HostReadsWhatItWrote) {
  Bench bench;
  tb::Random rng;
  std::vector<Instr> code(kImemWords);
  for (auto& i : code)
    for (auto& w : i.words) w = rng.u32();
  bench.load(code);
  for (uint32_t w = 0; w < 4 * kImemWords; ++w)
    ASSERT_EQ(bench.read_imem(w), code[w / 4].words[w % 4]) << "word " << w;
}

TEST(Scalar, ThreeWordsOfAnInstructionChangeNothing) {
  Bench bench;
  bench.load({plain(Opcode::TAG, {}, 1), halt()});
  for (uint32_t w = 0; w < 3; ++w) {
    bench.dut().imem_en_i = bench.dut().imem_we_i = 1;
    bench.dut().imem_addr_i = static_cast<uint16_t>(w);
    bench.dut().mem_wdata_i = 0xffffffff;
    bench.tick();
  }
  bench.dut().imem_en_i = bench.dut().imem_we_i = 0;
  bench.run();
  EXPECT_TRUE(bench.done());
  EXPECT_EQ(bench.tags, (std::vector<uint32_t>{1}));
}

}  // namespace
}  // namespace control_test
