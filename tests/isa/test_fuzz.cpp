// Random and damaged source texts: errors at a place that exists, never a crash.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "isa/asm.h"
#include "isa/disasm.h"
#include "tb/random.h"

namespace ttpu::isa {
namespace {

constexpr std::string_view kGood = R"(.config core16
.equ ROWS = cfg.n * 2 + (1 << 4)   # a constant
.input x type=int8 shape=[4, 64] at=0x1000 pitch=64 scale=0.5 zero_point=-3
.output y type=float32 shape=[4, 10] at=0x2000
.entry main
main: add rc=r1 imm=ROWS
loop: mxu_loadw imm_a=0x40 stride=1 k=16 n=16 dtype=S8 ra=r3 wait=f2:1 signal=f3
  vpu_stage index=1 op=FMUL operand=CONST imm=f32(-1.5e-3)
  dbnz rc=r1 target=loop
  .word 1, 0, 0, 0
.smem 4
  .i32 1, -2, ROWS, 0xffffffff
  .f32 1.5, -inf, nan, 3
.hbm 0x100
  .u8 1, 2, 255
  .bf16 1.5
  .zero 30
.report "a \"b\" \x41\n"
)";

void check(const std::string& text) {
  const auto r = assemble(text);
  ASSERT_LE(r.errors.size(), kMaxErrors);
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  for (const auto& d : r.errors) {
    ASSERT_GE(d.line, 1);
    ASSERT_LE(d.line, lines);
    ASSERT_GE(d.column, 1);
    ASSERT_LE(d.column, static_cast<int>(d.source_line.size()) + 1) << d.message;
    ASSERT_GE(d.length, 1);
    ASSERT_FALSE(d.message.empty());
    to_string(d, "fuzz");
  }
  if (r.ok()) {  // then it also goes the whole way round
    const auto again = assemble(disassemble(r.program));
    ASSERT_TRUE(again.ok()) << to_string(again.errors[0], "again") << text;
    ASSERT_TRUE(again.program == r.program) << text;
  }
}

TEST(Fuzz, TheTextItselfIsGood) {
  const auto r = assemble(kGood);
  ASSERT_TRUE(r.ok()) << to_string(r.errors[0], "good");
  check(std::string(kGood));
}

TEST(Fuzz, CutAtEveryLength) {
  for (size_t n = 0; n <= kGood.size(); ++n) check(std::string(kGood.substr(0, n)));
}

TEST(Fuzz, EachByteChanged) {
  std::mt19937_64 rng(tb::run_seed());
  for (size_t n = 0; n < kGood.size(); ++n) {
    for (int k = 0; k < 6; ++k) {
      std::string text(kGood);
      text[n] = static_cast<char>(rng());
      check(text);
    }
  }
}

TEST(Fuzz, TokensShuffled) {
  std::mt19937_64 rng(tb::run_seed() + 1);
  std::vector<std::string> tokens;
  std::istringstream in{std::string(kGood)};
  for (std::string t; in >> t;) tokens.push_back(t);
  for (const char* t : {"(",          ")",          "-",
                        "<<",         "*",          "/",
                        "%",          "0",          "9223372036854775807",
                        "loop:",      "#",          "\"",
                        ".equ A = B", ".equ B = A", "f32(",
                        "cfg.",       "1e99999",    "\t",
                        "=",          "\n"})
    tokens.emplace_back(t);
  for (int n = 0; n < 3000; ++n) {
    std::string text;
    for (auto k = rng() % 60; k > 0; --k) {
      text += tokens[rng() % tokens.size()];
      text += rng() % 5 ? ' ' : '\n';
    }
    check(text);
  }
}

TEST(Fuzz, RandomBytes) {
  std::mt19937_64 rng(tb::run_seed() + 2);
  for (int n = 0; n < 2000; ++n) {
    std::string text;
    for (auto k = rng() % 200; k > 0; --k) text += static_cast<char>(rng());
    check(text);
  }
}

TEST(Fuzz, DeepAndLong) {
  check(".equ A = " + std::string(100000, '(') + "1");
  check(".equ A = " + std::string(100000, '-') + "1");
  check("add imm=" + std::string(100000, '~') + "1");
  check(std::string(100000, 'x') + " imm=1");
  check("add " + std::string(100000, 'x') + "=1");
  check(".zero 1000000000000\n.hbm 0\n.zero 1000000000000");
  std::string chain = ".equ A0 = 1\n", back = "add imm=A4999\n";
  for (int n = 1; n < 5000; ++n)
    chain += "\n.equ A" + std::to_string(n) + " = A" + std::to_string(n - 1) + " + 1";
  const auto r = assemble(chain + "\n" + back);
  ASSERT_TRUE(r.ok()) << to_string(r.errors[0], "chain");
  EXPECT_EQ(r.program.code[0].get(42, 32), 5000u);
  std::string forward;  // the other way round it nests: refused, not a crash
  for (int n = 4999; n > 0; --n)
    forward += ".equ A" + std::to_string(n) + " = A" + std::to_string(n - 1) + " + 1\n";
  check(forward + ".equ A0 = 1\n");
}

}  // namespace
}  // namespace ttpu::isa
