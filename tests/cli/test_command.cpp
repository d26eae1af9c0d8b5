// The command line itself: help, exit codes, files, asm and disasm.
#include <random>

#include "command.h"
#include "isa/asm.h"
#include "isa/disasm.h"
#include "runtime/image.h"
#include "tb/random.h"

namespace ttpu::test {
namespace {

const std::vector<std::vector<std::string>> kSubcommands = {
    {"compile"},        {"run"}, {"asm"}, {"disasm"}, {"config"}, {"bench"}, {"bench", "gemm"},
    {"bench", "array"}, {"wave"}};

TEST_F(CommandTest, HelpEverywhereWithAnExample) {
  const Outcome top = ttpu({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_NE(top.out.find("Exit codes"), std::string::npos);
  for (auto words : kSubcommands) {
    EXPECT_NE(top.out.find(words[0]), std::string::npos) << words[0];
    words.push_back("--help");
    const Outcome o = ttpu(words);
    EXPECT_EQ(o.code, 0) << words[0] << o.err;
    const bool group = words[0] == "bench" && words.size() == 2;
    EXPECT_TRUE(group || o.out.find("Example") != std::string::npos) << words[0];
  }
}

TEST_F(CommandTest, Version) {
  const Outcome o = ttpu({"--version"});
  EXPECT_EQ(o.code, 0);
  EXPECT_NE(o.out.find("ISA version"), std::string::npos);
}

TEST_F(CommandTest, UsageErrors) {
  expect_error({}, 2, "subcommand");
  expect_error({"complie"}, 2, "did you mean ttpu compile?");
  expect_error({"board", "lst"}, 2, "there is no command 'ttpu board lst'");
  expect_error({"board", "lst"}, 2, "did you mean ttpu board list?");
  expect_error({"pod", "zzzzzzz"}, 2, "commands: ");
  expect_error({"compile", "x.onnx", "--batch", "0"}, 2, "0 is no number of at least 1");
  expect_error({"compile", "x.onnx", "--batch", "-2"}, 2, "-2 is no number of at least 1");
  expect_error({"run"}, 2, "IMAGE is required");
  expect_error({"run", "x.ttpu", "--device", "gpu"}, 2, "golden");
  expect_error({"config", "core61"}, 2, "did you mean core16?");
  expect_error({"bench", "gemm", "--m", "0"}, 2, "--m");
  expect_error({"bench", "gemm", "--type", "fp64"}, 2, "--type");
  expect_error({"bench", "gemm", "--config", "mini", "--type", "bf16"}, 2, "mini has no bf16");
  expect_error({"bench", "gemm", "--m", "4", "--n", "4", "--k", "4", "--stall-percent", "50"}, 2,
               "without --memory-seed");
  expect_error({"bench"}, 2, "subcommand");
  expect_error({"asm", "--no-such-option", "x.s"}, 2, "--no-such-option");
}

TEST_F(CommandTest, UsageErrorsAsJson) {
  const auto j = json({"run", "--json"}, 2);
  EXPECT_NE(j.value("error", "").find("IMAGE"), std::string::npos);
}

TEST_F(CommandTest, BadFiles) {
  const std::string none = path("none"),
                    text = write("text.ttpu", "this is no image at all........");
  expect_error({"run", none}, 3, "none");
  expect_error({"run", text}, 3, "TTPU");
  expect_error({"disasm", text}, 3, "TTPU");
  expect_error({"asm", none + ".s"}, 3, "No such file");
  expect_error({"asm", path("")}, 3, "directory");
  expect_error({"asm", "/dev/zero", "-o", path("zero.ttpu")}, 3, "more than 256 MiB");
  expect_error({"compile", none + ".onnx"}, 3, "no such file");
  expect_error({"compile", text}, 3, "text.ttpu");
  expect_error({"wave", none + ".fst"}, 3, "no wave");
  const std::string source = write("a.s", "halt\n");
  expect_error({"asm", source, "-o", path("no/such/folder.ttpu")}, 3, "cannot write");
  EXPECT_FALSE(std::filesystem::exists(path("no")));
}

TEST_F(CommandTest, ConfigsListAndShow) {
  const auto all = json({"config", "--json"});
  ASSERT_EQ(all["configs"].size(), kConfigs.size());
  const auto one = json({"config", "core16", "--json"});
  EXPECT_EQ(one["n"], 16);
  EXPECT_EQ(one["vmem_bytes"], 262144);
  EXPECT_NE(ttpu({"config"}).out.find("core128"), std::string::npos);
}

TEST_F(CommandTest, AsmErrorsNameTheirPlace) {
  const std::string source = write("bad.s", "nop\n  mxu_loadw k=1 dtype=S9\nbeq target=x\n");
  const Outcome o = ttpu({"asm", source, "-o", path("bad.ttpu")});
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.err.find(source + ":2:23: error: 'S9' is not a value of dtype"), std::string::npos)
      << o.err;
  EXPECT_NE(o.err.find("\n                        ^~\n"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find(source + ":3:12: error"), std::string::npos) << o.err;
  EXPECT_FALSE(std::filesystem::exists(path("bad.ttpu")));
  const auto j = json({"asm", source, "--json"}, 3);
  ASSERT_EQ(j["errors"].size(), 2u);
  EXPECT_EQ(j["errors"][0]["line"], 2);
  EXPECT_EQ(j["errors"][0]["column"], 23);
}

TEST_F(CommandTest, AsmNeverReplacesItsSource) {
  const std::string source = write("a.ttpu", "halt\n");
  expect_error({"asm", source}, 2, "replace the source");
  EXPECT_EQ(slurp(source), "halt\n");
}

TEST_F(CommandTest, DisasmOfAsmIsTheSameImage) {
  const std::string source = std::string(TTPU_DATA) + "/matmul.s";
  ASSERT_EQ(ttpu({"asm", source, "-o", path("1.ttpu")}).code, 0);
  ASSERT_EQ(ttpu({"disasm", path("1.ttpu"), "-o", path("2.s")}).code, 0);
  ASSERT_EQ(ttpu({"asm", path("2.s"), "-o", path("2.ttpu")}).code, 0);
  EXPECT_EQ(slurp(path("1.ttpu")), slurp(path("2.ttpu")));
  const Outcome shown = ttpu({"disasm", path("2.ttpu"), "--pc"});
  write("3.s", shown.out);
  ASSERT_EQ(ttpu({"asm", path("3.s")}).code, 0);  // to 3.ttpu
  EXPECT_EQ(slurp(path("1.ttpu")), slurp(path("3.ttpu")));
}

TEST_F(CommandTest, DamagedImagesAreRefusedNotCrashed) {
  ASSERT_EQ(ttpu({"asm", std::string(TTPU_DATA) + "/matmul.s", "-o", path("1.ttpu")}).code, 0);
  const std::string good = slurp(path("1.ttpu"));
  std::mt19937_64 rng(tb::run_seed());
  for (int n = 0; n < 20; ++n) {
    std::string bad = good;
    bad[rng() % bad.size()] ^= static_cast<char>(1 << rng() % 8);
    EXPECT_EQ(ttpu({"disasm", write("bad.ttpu", bad)}).code, 3) << n;
    bad = good.substr(0, rng() % good.size());
    EXPECT_EQ(ttpu({"run", write("bad.ttpu", bad), "--input", "x=random:1"}).code, 3) << n;
  }
}

TEST_F(CommandTest, TheGuidesExampleIsTheTestedOne) {
  const std::string guide = slurp(TTPU_GUIDE),
                    example = slurp(std::string(TTPU_DATA) + "/matmul.s");
  // The guide leaves out the rows of data.
  const std::string head = example.substr(0, example.find("  .s8"));
  ASSERT_FALSE(head.empty());
  EXPECT_NE(guide.find(head), std::string::npos)
      << "docs/guide/assembler.md must quote tests/cli/data/matmul.s";
}

}  // namespace
}  // namespace ttpu::test
