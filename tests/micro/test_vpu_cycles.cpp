// Cycles of the VPU's microcode, exact: a change, better or worse, shows here. The test prints the
// tables of docs/reference/micro-vpu.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "isa/disasm.h"
#include "micro_compare.h"
#include "vpu_image.h"
#include "vpu_program.h"

namespace micro_test {
namespace {

using namespace ttpu;
using golden::Command;
using isa::Dtype;
using isa::Reduce;
using isa::Shuffle;
using isa::Vop;
using isa::Voperand;
using vpu_test::command;

/// What the rows of a table have in common, to be changed by each.
struct Form {
  isa::VpuSeta a;
  isa::VpuSetb b;
  isa::VpuSetd d;
  isa::VpuShape shape;
  isa::VpuRun run;
  std::vector<isa::VpuStage> stages;

  explicit Form(uint32_t lanes) {
    a.src = 1, a.dtype = static_cast<uint32_t>(Dtype::I32), a.s0 = 1;
    run.lanes = lanes;
    b.s0 = 1;
    d.s0 = 1;
    shape.n1 = shape.n2 = 1;
    run.imm_b = kB, run.imm_d = kD;
  }
  static constexpr uint32_t kB = 8192, kD = 16384;  // VMEM addresses, nothing overlaps
  Form& from_vmem(Dtype type) {
    a = {};
    a.dtype = static_cast<uint32_t>(type), a.s0 = type == Dtype::I32 ? 4 : 1;
    return *this;
  }
  Form& add_b(Dtype type) {
    b.enable = 1, b.dtype = static_cast<uint32_t>(type), b.s0 = type == Dtype::I32 ? 4 : 1;
    return stage(Vop::IADD, Voperand::B);
  }
  Form& to(Dtype type, int32_t zero = 0) {
    d.dtype = static_cast<uint32_t>(type), d.s0 = type == Dtype::I32 ? 4 : 1, d.zp = zero;
    return *this;
  }
  Form& stage(Vop op, Voperand operand) {
    isa::VpuStage s{};
    s.index = static_cast<uint32_t>(stages.size());
    s.op = static_cast<uint32_t>(op), s.operand = static_cast<uint32_t>(operand);
    s.shift = 7, s.imm = op == Vop::IMAX ? 0 : 0x5000001;  // the maximum is a ReLU
    stages.push_back(s);
    return *this;
  }
  /// Bias, scale, ReLU.
  Form& requantise() {
    return stage(Vop::IADD, Voperand::V0)
        .stage(Vop::IQMUL, Voperand::V1)
        .stage(Vop::IMAX, Voperand::CONST);
  }
  Form& reduce_rows(Reduce reduce, uint32_t dims) {
    shape.row_reduce = static_cast<uint32_t>(reduce), shape.row_dims = dims;
    return *this;
  }
  Form& reduce_lanes(Reduce reduce) {
    shape.lane_reduce = static_cast<uint32_t>(reduce);
    return *this;
  }
  Form& shuffle(Shuffle how) {
    shape.shuffle = static_cast<uint32_t>(how), shape.arg = 1;
    return *this;
  }
  Form& lanes(uint32_t count) {
    run.lanes = count;
    return *this;
  }
};

class VpuCycles : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* file = std::getenv("TTPU_MICROCODE");
    microcode_ =
        file && *file ? timing::micro::load_image(file) : timing::micro::builtin_image(config_.n);
    if (microcode_.n != config_.n) GTEST_SKIP() << "TTPU_MICROCODE is for other lanes";
  }
  /// Cycles of each command of the program in the unit's microcode, from its first word to its
  /// return, without what the scheduler does for it.
  std::vector<uint64_t> cycles(const std::vector<Command>& commands) {
    VpuImage image(config_);
    for (const Command& c : commands) EXPECT_TRUE(image.add(c));
    uint32_t entry = 0;
    for (const auto& label : microcode_.labels)
      if (label.name == "unit_vpu") entry = label.address;
    std::vector<uint64_t> out;
    const auto attach = [&](timing::micro::Core& core) {
      core.on_step = [&, back = ~0u, start = uint64_t{0}](uint32_t pc, uint64_t taken) mutable {
        if (pc == entry) start = core.cycle() - taken, back = core.reg("LM");
        if (pc == back) out.push_back(core.cycle() - taken - start), back = ~0u;
      };
    };
    DeviceOptions options;
    options.hbm_bytes = 4096;
    options.trace_commands = true;
    Pair pair(config_, options, image.image(), &microcode_, 5, attach);
    RunResult result;
    EXPECT_EQ(run_and_compare(pair, result), "");
    EXPECT_EQ(out.size(), commands.size());
    return out;
  }
  /// Cycles of VPU_RUN with so many rows.
  uint64_t run(Form form, uint32_t n0, uint32_t n1 = 1) {
    form.shape.n0 = n0, form.shape.n1 = n1;
    std::vector<Command> commands = {command(form.a), command(form.b), command(form.d),
                                     command(form.shape)};
    for (const auto& s : form.stages) commands.push_back(command(s));
    commands.push_back(command(form.run));
    return cycles(commands).back();
  }

  const Config& config_ = *find_config(GetParam());
  timing::micro::Image microcode_;
};

struct Expected {
  uint64_t row, command;
};

TEST_P(VpuCycles, Rows) {
  const uint32_t n = config_.n;
  const std::vector<std::pair<std::string, Form>> forms = {
      {"ACC to S8, bias, scale, ReLU", Form(n).requantise().to(Dtype::S8)},
      {"ACC to S8, bias, scale, ReLU, zero point", Form(n).requantise().to(Dtype::S8, -5)},
      {"ACC to U8, bias, scale",
       Form(n).stage(Vop::IADD, Voperand::V0).stage(Vop::IQMUL, Voperand::V1).to(Dtype::U8)},
      {"ACC to S8, bias, scale, ReLU, 2 lanes", Form(n).requantise().to(Dtype::S8).lanes(2)},
      {"ACC to I32", Form(n).to(Dtype::I32)},
      {"ACC to I32, 2 lanes", Form(n).to(Dtype::I32).lanes(2)},
      {"S8 to S8, ReLU",
       Form(n).from_vmem(Dtype::S8).stage(Vop::IMAX, Voperand::CONST).to(Dtype::S8)},
      {"I32 to I32, multiply",
       Form(n).from_vmem(Dtype::I32).stage(Vop::IMUL, Voperand::CONST).to(Dtype::I32)},
      {"S8 + S8 to S8", Form(n).from_vmem(Dtype::S8).add_b(Dtype::S8).to(Dtype::S8)},
      {"ACC + I32 to S8, scale",
       Form(n).add_b(Dtype::I32).stage(Vop::IQMUL, Voperand::CONST).to(Dtype::S8)},
      {"S8 to S8, compare, select", Form(n)
                                        .from_vmem(Dtype::S8)
                                        .stage(Vop::ICLT, Voperand::CONST)
                                        .stage(Vop::SEL, Voperand::V0)
                                        .to(Dtype::S8)},
      {"S8 to S8, maximum over rows",
       Form(n).from_vmem(Dtype::S8).to(Dtype::S8).reduce_rows(Reduce::MAX, 1)},
      {"I32 to I32, sum over lanes",
       Form(n).from_vmem(Dtype::I32).to(Dtype::I32).reduce_lanes(Reduce::SUM)},
      {"S8 to S8, rotate", Form(n).from_vmem(Dtype::S8).to(Dtype::S8).shuffle(Shuffle::ROTATE)},
      {"S8 to S8, permute", Form(n).from_vmem(Dtype::S8).to(Dtype::S8).shuffle(Shuffle::PERMUTE)},
  };
  static const std::map<uint32_t, std::vector<Expected>> kExpected = {
      {4,
       {{53, 145},
        {71, 144},
        {55, 145},
        {53, 145},
        {30, 144},
        {26, 144},
        {23, 145},
        {59, 144},
        {41, 172},
        {67, 172},
        {44, 144},
        {38, 159},
        {68, 149},
        {44, 147},
        {60, 146}}},
      {8,
       {{89, 146},
        {119, 145},
        {91, 146},
        {89, 146},
        {42, 145},
        {30, 145},
        {37, 146},
        {99, 145},
        {65, 173},
        {111, 173},
        {70, 145},
        {52, 176},
        {107, 154},
        {70, 148},
        {102, 147}}},
  };
  const auto& expected = kExpected.at(n);
  EXPECT_EQ(expected.size(), forms.size());
  fmt::print("| N = {}: VPU_RUN | a row | the command beside its rows |\n|---|---|---|\n", n);
  for (size_t i = 0; i < forms.size(); ++i) {
    const auto& [name, form] = forms[i];
    const uint64_t some = run(form, 5), more = run(form, 25);
    EXPECT_EQ((more - some) % 20, 0u) << name << ": rows differ";
    const uint64_t row = (more - some) / 20, rest = some - 5 * row;
    fmt::print("| {} | {} | {} |\n", name, row, rest);
    if (i >= expected.size()) continue;
    EXPECT_EQ(row, expected[i].row) << name << ", a row";
    EXPECT_EQ(rest, expected[i].command) << name << ", the command beside its rows";
  }
}

TEST_P(VpuCycles, Dimensions) {
  // A further dimension 0 beside its rows, and what the first costs in the command.
  const Form form = Form(config_.n).requantise().to(Dtype::S8);
  const uint64_t row = (run(form, 20) - run(form, 10)) / 10;
  const uint64_t two = run(form, 5, 2), four = run(form, 5, 4);
  const uint64_t end = (four - two) / 2 - 5 * row;
  const uint64_t setup = two - run(form, 5) - 5 * row - end;
  fmt::print("N = {}: {} cycles for each end of dimension 0, {} once\n", config_.n, end, setup);
  static const std::map<uint32_t, std::pair<uint64_t, uint64_t>> kExpected = {{4, {20, 84}},
                                                                              {8, {20, 92}}};
  EXPECT_EQ(end, kExpected.at(config_.n).first);
  EXPECT_EQ(setup, kExpected.at(config_.n).second);
}

TEST_P(VpuCycles, Commands) {
  const uint32_t n = config_.n;
  isa::VpuSeta a{};
  a.dtype = static_cast<uint32_t>(Dtype::I32), a.s0 = 4;
  isa::VpuSetb b{};
  b.enable = 1;
  isa::VpuSetd d{};
  d.dtype = static_cast<uint32_t>(Dtype::I32), d.s0 = 4, d.zp = 3;
  isa::VpuShape shape{};
  shape.n0 = shape.n1 = shape.n2 = 1;
  isa::VpuStage stage{};
  stage.op = static_cast<uint32_t>(Vop::IADD);
  isa::VpuStage fourth = stage;
  fourth.index = 3;
  isa::VpuXpose xpose{};
  xpose.rows = xpose.lanes = n, xpose.imm_d = 4096;
  const std::vector<Command> commands = {vpu_test::bare(isa::Opcode::VPU_CLEAR),
                                         command(a),
                                         command(b),
                                         command(d),
                                         command(shape),
                                         command(stage),
                                         command(fourth),
                                         command(isa::VpuSfu{}),
                                         command(isa::VpuLdv{}),
                                         command(xpose)};
  static const std::map<uint32_t, std::vector<uint64_t>> kExpected = {
      {4, {197, 63, 61, 58, 92, 75, 89, 15, 39, 350}},
      {8, {201, 63, 61, 58, 96, 83, 97, 15, 47, 831}},
  };
  const auto got = cycles(commands);
  const auto& expected = kExpected.at(n);
  EXPECT_EQ(expected.size(), got.size());
  fmt::print("| N = {}: command | cycles |\n|---|---|\n", n);
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string name(isa::opcode_name(commands[i].instr.get(0, 8)));
    fmt::print("| {} | {} |\n", name, got[i]);
    if (i >= expected.size()) continue;
    EXPECT_EQ(got[i], expected[i]) << i << " " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, VpuCycles, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
