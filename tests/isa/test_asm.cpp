// Meaning of the syntax, and the place and text of its errors.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "isa/asm.h"
#include "isa/disasm.h"
#include "isa/generated/configs_gen.h"

namespace ttpu::isa {
namespace {

Program good(std::string_view text) {
  auto r = assemble(text);
  if (!r.ok()) ADD_FAILURE() << to_string(r.errors[0], "text");
  return r.program;
}

TEST(Asm, FieldsLandWhereTheHeaderSays) {
  const auto p = good(
      "loop: mxu_loadw imm_a=0x40 stride=-1 k=16 n=15 dtype=BF16 ra=r3 wait=f2:1 signal=f4\n"
      "MXU_MATMUL IMM_A=0x80 stride=2 rows=300 acc=7 dtype=u8 accumulate=1 swap=1 rb=R31 rc=r30\n"
      "sync unit=MXS\n");
  ASSERT_EQ(p.code.size(), 3u);
  const auto w = MxuLoadw::decode(p.code[0]);
  EXPECT_EQ(w.imm_a, 0x40u);
  EXPECT_EQ(w.stride, -1);
  EXPECT_EQ(w.k, 16u);
  EXPECT_EQ(w.n, 15u);
  EXPECT_EQ(w.dtype, static_cast<uint32_t>(Dtype::BF16));
  const auto c = Common::decode(p.code[0]);
  EXPECT_EQ(c.ra, 3u);
  EXPECT_EQ(c.wait_flag, 2u);
  EXPECT_EQ(c.wait_value, 1u);
  EXPECT_EQ(c.signal, 1u);
  EXPECT_EQ(c.signal_flag, 4u);
  const auto m = MxuMatmul::decode(p.code[1]);
  EXPECT_EQ(m.rows, 300u);
  EXPECT_EQ(m.acc, 7u);
  EXPECT_EQ(m.dtype, static_cast<uint32_t>(Dtype::U8));
  EXPECT_EQ(m.accumulate, 1u);
  EXPECT_EQ(m.swap, 1u);
  EXPECT_EQ(Common::decode(p.code[1]).rb, 31u);
  EXPECT_EQ(Common::decode(p.code[1]).rc, 30u);
  EXPECT_EQ(Sync::decode(p.code[2]).unit, static_cast<uint32_t>(Unit::MXS));
}

TEST(Asm, ExpressionsLabelsAndConstants) {
  const auto p = good(
      ".config edge\n"
      ".equ LATER = 3 * TWO - 1\n"
      ".equ TWO = 2\n"
      "  add rc=r1 imm=LATER + 10 rb=r2   # spaces do not end a value\n"
      "  add imm=-16\n"
      "  add imm=(1 << 31) | 0x0f & ~1\n"
      "  add imm=7 / 2 % 2 ^ 0b110\n"
      "  add imm=cfg.n * cfg.vmem_rows\n"
      "  add imm=f32(-1.5)\n"
      "a: b: beq target=b\n"
      "  jal target=end - 1\n"
      "end:\n");
  ASSERT_EQ(p.code.size(), 8u);
  const auto imm = [&](size_t i) { return p.code[i].get(42, 32); };
  EXPECT_EQ(imm(0), 15u);
  EXPECT_EQ(Common::decode(p.code[0]).rb, 2u);
  EXPECT_EQ(imm(1), 0xfffffff0u);
  EXPECT_EQ(imm(2), 0x8000000eu);
  EXPECT_EQ(imm(3), 7u);
  EXPECT_EQ(imm(4), find_config("edge")->n * find_config("edge")->vmem_rows);
  EXPECT_EQ(imm(5), 0xbfc00000u);
  EXPECT_EQ(p.code[6].get(42, 16), 6u);
  EXPECT_EQ(p.code[7].get(42, 16), 7u);
  EXPECT_EQ(p.config_name, "edge");
  EXPECT_EQ(p.config_hash, find_config("edge")->hash);
}

TEST(Asm, DataAndTensors) {
  const auto p = good(
      ".smem\n .i32 1, -1\n.smem 4\n .f32 1.0\n"
      ".hbm 0x100\n .u8 1, 255\n .s8 -128\n .bf16 1.00390625, 1.01171875, -inf\n .i32 0x01020304\n"
      ".hbm 0x1000\n .zero 3\n"
      ".input \"a/b:0\" type=uint8 shape=[2, 3] at=0x2000 scale=0.25 zero_point=128\n"
      ".output y type=int32 shape=[5] at=0x3000 pitch=32\n"
      "halt\n");
  EXPECT_EQ(p.smem, (std::vector<uint32_t>{1, 0xffffffff, 0, 0, 0x3f800000}));
  ASSERT_EQ(p.constants.size(), 2u);
  EXPECT_EQ(p.constants[0].addr, 0x100u);
  // 1.00390625 and 1.01171875 are ties: to the even neighbour, 0x3f80 and 0x3f82.
  EXPECT_EQ(p.constants[0].bytes,
            (std::vector<uint8_t>{1, 255, 128, 0x80, 0x3f, 0x82, 0x3f, 0x80, 0xff, 4, 3, 2, 1}));
  EXPECT_EQ(p.constants[1].bytes, std::vector<uint8_t>(3, 0));
  ASSERT_EQ(p.inputs.size(), 1u);
  EXPECT_EQ(p.inputs[0].name, "a/b:0");
  EXPECT_EQ(p.inputs[0].pitch, 3u);
  EXPECT_EQ(p.inputs[0].scale, 0.25f);
  EXPECT_EQ(p.inputs[0].zero_point, 128);
  EXPECT_EQ(p.outputs[0].pitch, 32u);
  EXPECT_EQ(p.hbm_bytes, 0x4000u);  // 0x3020, rounded up
}

TEST(Asm, EntryByLabel) { EXPECT_EQ(good(".entry go\nnop\nnop\ngo: halt\n").entry, 2u); }

struct Bad {
  const char* text;
  int line, column, length;
  const char* message;  ///< part of it
  const char* hint;     ///< part of it
};

void PrintTo(const Bad& b, std::ostream* out) { *out << b.text; }

class AsmErrors : public testing::TestWithParam<Bad> {};

TEST_P(AsmErrors, PlaceMessageAndHint) {
  const Bad& b = GetParam();
  const auto r = assemble(b.text);
  ASSERT_EQ(r.errors.size(), 1u) << b.text;
  const auto& d = r.errors[0];
  EXPECT_EQ(d.line, b.line) << to_string(d, "t");
  EXPECT_EQ(d.column, b.column) << to_string(d, "t");
  EXPECT_EQ(d.length, b.length) << to_string(d, "t");
  EXPECT_NE(d.message.find(b.message), std::string::npos) << to_string(d, "t");
  EXPECT_NE(d.hint.find(b.hint), std::string::npos) << to_string(d, "t");
}

const Bad kBad[] = {
    {"nop\n  mxu_loadx k=1\n", 2, 3, 9, "no instruction 'mxu_loadx'", "did you mean mxu_loadw?"},
    {"frobnicate_all\n", 1, 1, 14, "no instruction", "isa.md"},
    {"mxu_loadw kk=1\n", 1, 11, 2, "no field 'kk'", "did you mean k?"},
    {"mxu_loadw zebra=1\n", 1, 11, 5, "no field 'zebra'", "imm_a, stride, k, n, dtype"},
    {"mxu_loadw k=512\n", 1, 13, 3, "512 is outside", "0 to 511"},
    {"mxu_loadw k=-1\n", 1, 13, 2, "-1 is outside", "0 to 511"},
    {"mxu_loadw stride=524288\n", 1, 18, 6, "524288 is outside", "-524288 to 524287"},
    {"mxu_loadw stride=-524289\n", 1, 18, 7, "signed, 20 bits", "-524288 to 524287"},
    {"mxu_loadw k=1 dtype=S9\n", 1, 21, 2, "not a value of dtype", "did you mean s8?"},
    {"mxu_loadw dtype=8\n", 1, 17, 1, "8 is outside", "0 to 7"},
    {"add rc=r32\n", 1, 8, 3, "no register r32", "r0 to r31"},
    {"add rc=1\n", 1, 8, 1, "expected a register", "r0 to r31"},
    {"nop wait=f32:1\n", 1, 10, 3, "no flag f32", "f0 to f31"},
    {"nop wait=f3\n", 1, 12, 1, "expected ':'", "wait=f2:1"},
    {"nop wait=f3:256\n", 1, 13, 3, "256 is outside", "0 to 255"},
    {"nop signal=\n", 1, 12, 1, "flag is missing", "f0 to f31"},
    {"add imm=1 imm=2\n", 1, 11, 3, "given twice", "keep one"},
    {"add imm=1, rc=r1\n", 1, 10, 1, "unexpected ','", "spaces"},
    {"add imm\n", 1, 8, 1, "expected '='", "imm=value"},
    {"add imm=\n", 1, 9, 1, "a value is missing", "number"},
    {"add imm=0x1_0000_0000\n", 1, 9, 13, "outside", "4294967295"},
    {"add imm=1.5\n", 1, 9, 3, "fraction", "f32(1.5)"},
    {"add imm=(1 + 2\n", 1, 15, 1, "expected ')'", "parenthesis"},
    {"add imm=1/0\n", 1, 10, 1, "division by zero", ""},
    {"add imm=0x4000000000000000*4\n", 1, 27, 1, "overflows", ""},
    {"add imm=12ab\n", 1, 9, 4, "bad number", "0x2a"},
    {"add imm=99999999999999999999\n", 1, 9, 20, "too large", "64 bits"},
    {"loop: nop\nbeq target=lop\n", 2, 12, 3, "'lop' is not defined", "did you mean loop?"},
    {"a: nop\n\na: nop\n", 3, 1, 1, "defined twice", "line 1"},
    {".equ A = B\n.equ B = A\nnop\n", 2, 10, 1, "defined by itself", "line 1"},
    {"nop ; comment\n", 1, 5, 1, "unexpected character ';'", "#"},
    {"nop // comment\n", 1, 5, 2, "unexpected '//'", "#"},
    {".config core61\n", 1, 9, 6, "no configuration", "did you mean core16?"},
    {".smen\n", 1, 1, 5, "no directive '.smen'", "did you mean .smem?"},
    {".u8 1\n", 1, 1, 3, "outside of a section", ".hbm ADDRESS"},
    {".smem\n.u8 1\n", 2, 1, 3, "words of 32 bits", ".i32"},
    {".hbm 0\n.u8 256\n", 2, 5, 3, "256 is outside", "0 to 255"},
    {".smem 4096\n.i32 1\n", 2, 1, 4, "passes the 4096 words", "HBM"},
    {".hbm 0\n.zero 8\n.hbm 4\n.zero 1\n", 3, 1, 4, "overlap", "0x8"},
    {".input x type=int9 shape=[1] at=0\n", 1, 15, 4, "no tensor type", "int8, uint8"},
    {".input x type=int8 at=0\n", 1, 8, 1, "shape is missing", "shape=["},
    {".input x shape=[4, 64] at=0 pitch=63\n", 1, 8, 1, "pitch of 63", "leave pitch out"},
    {".input x shape=[4] at=0 scale=-1.5\n", 1, 31, 1, "not a positive number", "scale=0.5"},
    {".input x shape=[4] at=0 zero_point=128\n", 1, 8, 1, "128 is outside of int8", "-128 to 127"},
    {".hbm_bytes 100\n.hbm 64\n.zero 64\n", 1, 1, 10, "ends before", "leave .hbm_bytes out"},
    {".entry nowhere\nnop\n", 1, 8, 7, "not defined", "label"},
    {".entry 1\nnop\n", 1, 8, 1, "outside the range of .entry", "0 to 0"},
    {".report \"abc\n", 1, 9, 4, "without an end", "close"},
    {"nop nop\n", 1, 5, 3, "no field 'nop'", "fields"},
    {"5\n", 1, 1, 1, "expected an instruction", "field=value"},
    {"add imm=cfg.nn\n", 1, 9, 6, "no parameter 'nn'", "did you mean cfg.n?"},
};
INSTANTIATE_TEST_SUITE_P(All, AsmErrors, testing::ValuesIn(kBad));

TEST(Asm, SeveralErrorsAtOnceInOrderOfLines) {
  const auto r = assemble("nop x=1\nbeq target=nowhere\n.smen\nnop $\n");
  ASSERT_EQ(r.errors.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(r.errors[i].line, static_cast<int>(i) + 1);
}

TEST(Asm, TooLongAProgramIsRefusedOnceALine) {
  std::string text = ".config mini\n";
  for (int i = 0; i < 513; ++i) text += "nop\n";
  const auto r = assemble(text);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].line, 514);
  EXPECT_NE(r.errors[0].message.find("512 instructions of mini"), std::string::npos);
}

TEST(Asm, CaretStandsBelowTheErrorAlsoWithTabs) {
  const auto r = assemble("\tadd\timm=oops\n");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(to_string(r.errors[0], "f.s"),
            "f.s:1:10: error: 'oops' is not defined\n"
            "  \tadd\timm=oops\n"
            "  \t   \t    ^~~~\n"
            "  hint: define it as a label 'oops:' or a constant '.equ oops = ...'\n");
}

TEST(Disasm, ReadableText) {
  const auto p =
      good("L: mxu_loadw imm_a=0x40 stride=1 k=16 n=16 dtype=S8 ra=r3 wait=f2:1 signal=f3\n");
  EXPECT_EQ(disassemble(p.code[0]),
            "mxu_loadw ra=r3 imm_a=0x40 stride=1 k=16 n=16 dtype=S8 wait=f2:1 signal=f3");
  EXPECT_EQ(opcode_name(0xff), "0xff");
  EXPECT_EQ(error_desc(Error::WATCHDOG).name, "WATCHDOG");
}

}  // namespace
}  // namespace ttpu::isa
