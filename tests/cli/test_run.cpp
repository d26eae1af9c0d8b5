// ttpu run on the golden model.
#include "command.h"
#include "isa/generated/isa_gen.h"
#include "isa/suggest.h"

namespace ttpu::test {
namespace {

class RunTest : public CommandTest {
 protected:
  std::string assemble(const std::string& text) {
    const std::string source = write("p.s", text);
    const Outcome o = ttpu({"asm", source, "-o", path("p.ttpu")});
    EXPECT_EQ(o.code, 0) << o.err;
    return path("p.ttpu");
  }
  std::string matmul() {
    const Outcome o = ttpu({"asm", std::string(TTPU_DATA) + "/matmul.s", "-o", path("m.ttpu")});
    EXPECT_EQ(o.code, 0) << o.err;
    return path("m.ttpu");
  }
};

TEST_F(RunTest, ComputesTheProduct) {
  std::string x(256, '\0'), expected(1024, '\0');
  for (size_t i = 0; i < 256; ++i) {
    const auto v = static_cast<int8_t>(i * 37 + 5);
    x[i] = static_cast<char>(v);
    const int32_t y = 2 * v;  // the weights are twice the identity
    std::memcpy(&expected[4 * i], &y, 4);
  }
  const Outcome o =
      ttpu({"run", matmul(), "--input", "x=" + write("x.bin", x), "--output", "y=" + path("y.bin"),
            "--output", "y=" + path("y.npy"), "--check", "golden"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(slurp(path("y.bin")), expected);
  const std::string npy = slurp(path("y.npy"));
  ASSERT_EQ(npy.size(), 128 + 1024u);
  EXPECT_EQ(npy.substr(128), expected);
  EXPECT_NE(o.out.find("bit for bit"), std::string::npos) << o.out;
}

TEST_F(RunTest, JsonIsOneObject) {
  const auto j = json({"run", matmul(), "--input", "x=random:3", "--json", "--check", "golden"});
  EXPECT_EQ(j["done"], true);
  EXPECT_EQ(j["bit_equal"], true);
  EXPECT_EQ(j["config"], "core16");
  EXPECT_EQ(j["device"], "golden");
  EXPECT_EQ(j["outputs"][0]["shape"], (std::vector<int>{16, 16}));
}

TEST_F(RunTest, SameSeedSameResult) {
  const std::string m = matmul();
  ASSERT_EQ(ttpu({"run", m, "--input", "x=random:3", "--output", "y=" + path("a")}).code, 0);
  ASSERT_EQ(
      ttpu({"run", m, "--input", "x=random:3", "--output", "y=" + path("b"), "--init-seed", "9"})
          .code,
      0);
  ASSERT_EQ(ttpu({"run", m, "--input", "x=random:4", "--output", "y=" + path("c")}).code, 0);
  EXPECT_EQ(slurp(path("a")), slurp(path("b")));
  EXPECT_NE(slurp(path("a")), slurp(path("c")));
}

TEST_F(RunTest, InputsAreChecked) {
  const std::string m = matmul();
  expect_error({"run", m}, 2, "--input x=FILE|random:SEED   (int8 [16, 16])");
  expect_error({"run", m, "--input", "z=random:1"}, 2, "it has: x");
  expect_error({"run", m, "--input", "x"}, 2, "NAME=VALUE");
  expect_error({"run", m, "--input", "x=random:1", "--input", "x=random:2"}, 2, "twice");
  expect_error({"run", m, "--input", "x=random:zz"}, 2, "bad seed");
  expect_error({"run", m, "--input", "x=" + path("none.npy")}, 3, "No such file");
  expect_error({"run", m, "--input", "x=" + write("x.bin", "abc")}, 3, "needs 256");
  expect_error({"run", m, "--input", "x=" + write("x.npy", "abc")}, 3, "cannot be used");
  expect_error({"run", m, "--input", "x=random:1", "--output", "q=" + path("q")}, 2, "it has: y");
  expect_error({"run", m, "--input", "x=random:1", "--output", "y=" + path("no/y")}, 3,
               "cannot write");
}

TEST_F(RunTest, AnotherConfigurationIsRefusedWithBothNamed) {
  const std::string m = matmul();
  const Outcome o = ttpu({"run", m, "--input", "x=random:1", "--config", "edge"});
  EXPECT_EQ(o.code, 4);
  EXPECT_NE(o.err.find("core16"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("edge"), std::string::npos) << o.err;
}

TEST_F(RunTest, ErrorsOfTheProgramAreExplained) {
  const std::string p =
      assemble("nop\n  mxu_loadw imm_a=0xfffff0 stride=1 k=16 n=16 dtype=S8\nhalt\n");
  const Outcome o = ttpu({"run", p});
  EXPECT_EQ(o.code, 4);
  for (const char* part : {"VMEM_BOUNDS", "unit MXW", "pc 1", "mxu_loadw imm_a=0xfffff0",
                           "check addresses, strides and counts"})
    EXPECT_NE(o.err.find(part), std::string::npos) << part << " not in " << o.err;
  const auto j = json({"run", p, "--json"}, 4);
  EXPECT_EQ(j["device_error"]["cause"], "VMEM_BOUNDS");
  EXPECT_EQ(j["device_error"]["pc"], 1);
}

TEST_F(RunTest, IllegalOpcodeAndField) {
  EXPECT_NE(ttpu({"run", assemble(".word 0xff, 0, 0, 0\n")}).err.find("ILLEGAL_OPCODE"),
            std::string::npos);
  EXPECT_NE(ttpu({"run", assemble("mxu_loadw k=17 n=1 dtype=7\nhalt\n")}).err.find("BAD_FIELD"),
            std::string::npos);
}

TEST_F(RunTest, WhatNeverEndsIsStopped) {
  const Outcome o = ttpu({"run", assemble("nop wait=f1:1\nhalt\n"), "--max-cycles", "10000"});
  EXPECT_EQ(o.code, 4);
  EXPECT_NE(o.err.find("WATCHDOG"), std::string::npos) << o.err;
}

TEST_F(RunTest, TimelineIsATrace) {
  const std::string t = path("t.json");
  ASSERT_EQ(ttpu({"run", matmul(), "--input", "x=random:1", "--timeline", t}).code, 0);
  const auto j = nlohmann::json::parse(slurp(t), nullptr, false);
  ASSERT_TRUE(j.is_object());
  int slices = 0;
  for (const auto& e : j["traceEvents"]) slices += e["ph"] == "X";
  EXPECT_EQ(slices, 12);  // every command but HALT
}

TEST_F(RunTest, CompilesAModelAndRunsIt) {
  const std::string model = std::string(TTPU_MODELS) + "/digits_int8.onnx";
  const auto c = json({"compile", model, "-o", path("d.ttpu"), "--batch", "3", "--json"});
  EXPECT_EQ(c["config"], "core16");
  EXPECT_EQ(c["inputs"][0]["shape"], (std::vector<int>{3, 64}));
  EXPECT_GT(c["compile_ms"].get<double>(), 0.0);
  const auto r = json({"run", path("d.ttpu"), "--input", "x=random:1", "--check", "golden",
                       "--energy", "--predict", "--json"});
  EXPECT_EQ(r["bit_equal"], true);
  EXPECT_GT(r["predicted_cycles"].get<int>(), 0);
  EXPECT_GT(r["energy"]["7 nm"]["total_pj"].get<double>(), 0.0);
  EXPECT_EQ(r["outputs"][0]["shape"], (std::vector<int>{3, 10}));
}

TEST_F(RunTest, BenchOnTheGoldenModel) {
  const auto j = json(
      {"bench", "gemm", "--device", "golden", "--m", "33", "--n", "17", "--k", "50", "--json"});
  EXPECT_EQ(j["bit_equal"], true);
  EXPECT_TRUE(j["cycles"].is_null());
  EXPECT_GT(j["vs_plain_cpp"].get<double>(), 0.0);
  for (const char* key : {"config", "device", "m", "n", "k", "type", "memory_latency",
                          "memory_bytes_per_cycle", "seed", "threads", "trace", "gmac_per_s"})
    EXPECT_TRUE(j.contains(key)) << key;
  const auto cold = json({"bench", "gemm", "--device", "golden", "--m", "16", "--n", "16", "--k",
                          "16", "--cold", "--json"});
  EXPECT_EQ(cold["bit_equal"], true);
}

}  // namespace
}  // namespace ttpu::test
