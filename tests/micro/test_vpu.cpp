// Microcode of the VPU against the golden model: random commands, commands that fail, requests of
// the host between rows. TTPU_MICROCODE names a ROM of scripts/microasm.py --rom to run instead of
// the built-in one (its number of lanes says which tests it is for).
#include <gtest/gtest.h>

#include <cstdlib>

#include "isa/disasm.h"
#include "isa/generated/regs_gen.h"
#include "micro_compare.h"
#include "tb/random.h"
#include "vpu_image.h"
#include "vpu_program.h"

namespace micro_test {
namespace {

using namespace ttpu;
using golden::Command;
using isa::Opcode;

class VpuMicro : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const char* file = std::getenv("TTPU_MICROCODE");
    microcode_ =
        file && *file ? timing::micro::load_image(file) : timing::micro::builtin_image(config_.n);
    if (microcode_.n != config_.n) GTEST_SKIP() << "TTPU_MICROCODE is for other lanes";
  }
  DeviceOptions options() {
    DeviceOptions o;
    o.hbm_bytes = 4096;
    o.trace_commands = true;
    o.max_cycles = 500'000'000;
    return o;
  }
  /// Runs the program on both; a failure if anything differs.
  void both(const Image& image, const std::string& what) {
    Pair pair(config_, options(), image, &microcode_, 1 + random_.below(1u << 30));
    RunResult result;
    const std::string difference = run_and_compare(pair, result);
    if (!result.done) ++faults_[static_cast<uint32_t>(result.error)];
    rows_ += result.counter(regs::VPU_ROWS);
    if (difference.empty()) return;
    std::string program;
    for (size_t i = 0; i < image.code.size(); ++i)
      program += std::to_string(i) + " " + isa::disassemble(image.code[i]) + "\n";
    FAIL() << what << ", " << describe(result) << "\n" << difference << program;
  }

  const Config& config_ = *find_config(GetParam());
  timing::micro::Image microcode_;
  tb::Random random_;
  std::map<uint32_t, uint32_t> faults_;
  uint64_t rows_ = 0;
};

/// Anything that a field or an operand could be.
uint32_t any_value(tb::Random& random) {
  switch (random.below(4)) {
    case 0:
      return random.u32();
    case 1:
      return static_cast<uint32_t>(random.below(20));
    case 2:
      return 0u - static_cast<uint32_t>(random.below(70000));
    default:
      return static_cast<uint32_t>(random.below(70000));
  }
}

/// One field, operand or address of a command becomes something else.
void disturb(Command& c, const Config& config, tb::Random& random) {
  const isa::OpDesc* op = nullptr;
  for (const auto& o : isa::kOps)
    if (o.opcode == c.instr.get(0, 8)) op = &o;
  if (op->fields.empty() || random.chance(35)) {
    uint32_t& operand = random.chance(34) ? c.a : random.coin() ? c.b : c.c;
    switch (random.below(4)) {
      case 0:
        operand += static_cast<uint32_t>(random.between(-2, 2));
        break;
      case 1:
        operand += config.n * static_cast<uint32_t>(random.between(-8, 8));
        break;
      case 2:
        operand ^= 1u << random.below(32);
        break;
      default:
        operand += config.n * static_cast<uint32_t>(random.between(-6000, 6000));
    }
    return;
  }
  const auto& field = op->fields[random.below(op->fields.size())];
  uint32_t value = any_value(random);
  if (random.coin()) value = c.instr.get(field.lsb, field.bits) ^ 1u << random.below(field.bits);
  c.instr.set(field.lsb, field.bits, value);
}

TEST_P(VpuMicro, Random) {
  vpu_test::Program program(config_, random_);
  const int programs = tb::long_run() ? 1000 : 40;
  for (int i = 0; i < programs; ++i) {
    VpuImage image(config_);
    for (bool room = true; room;)
      for (const Command& c : program.next())
        if (room) room = image.add(c);
    both(image.image(), "program " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
  EXPECT_TRUE(faults_.empty());
  EXPECT_GT(rows_, 20u * static_cast<uint32_t>(programs));
}

// Each rule of the fields, alone: what fails names the same cause and value as in the golden model.
TEST_P(VpuMicro, Fields) {
  std::vector<Command> commands;
  const auto add = [&](const auto& fields, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    commands.push_back(vpu_test::command(fields, a, b, c));
  };
  for (uint32_t bits = 0; bits < 32; ++bits) {
    const uint32_t type = bits & 7, flag = bits >> 3 & 1, other = bits >> 4;
    isa::VpuSeta a{};
    a.dtype = type, a.src = flag, a.dequant = other;
    add(a);
    isa::VpuSetb b{};
    b.dtype = type, b.enable = flag, b.dequant = other;
    add(b);
    isa::VpuSetd d{};
    d.dtype = type, d.fp = flag, d.zp = other ? -3 : 0;
    add(d);
    isa::VpuShape s{};
    s.n0 = s.n1 = s.n2 = 1;
    s.row_reduce = bits & 3, s.row_dims = bits >> 2 & 3, s.fp = other;
    add(s);
    s.arg = random_.coin() ? config_.n : 255;
    add(s);
    isa::VpuSfu f{};
    f.func = bits & 15;
    add(f);
  }
  isa::VpuShape shape{};
  shape.n0 = shape.n1 = shape.n2 = 1;
  shape.arg = config_.n - 1;
  for (const uint32_t count : {0u, 1u, 2u, 65535u, 65536u, 65537u, 0x80000001u, ~0u}) {
    add(shape, count - 1, 0, 0);
    add(shape, 0, count - 1, 0);
    add(shape, 0, 0, count - 1);
  }
  for (uint32_t op = 0; op < 64; ++op)
    for (uint32_t bits = 0; bits < 4; ++bits) {
      isa::VpuStage stage{};
      stage.op = op;
      stage.operand = bits & 1 ? 7 : static_cast<uint32_t>(random_.below(7));
      stage.index = bits & 2 ? 4 + static_cast<uint32_t>(random_.below(12))
                             : static_cast<uint32_t>(random_.below(4));
      add(stage);
    }
  for (const uint32_t lanes : {0u, 1u, config_.n, config_.n + 1, 256u, 511u}) {
    isa::VpuRun run{};
    run.lanes = lanes;
    add(run);
    isa::VpuXpose xpose{};
    xpose.rows = lanes, xpose.lanes = 1;
    add(xpose);
    xpose.rows = 1, xpose.lanes = lanes;
    add(xpose);
  }
  // Those that pass go on in one program; each that fails ends it.
  VpuImage image(config_);
  golden::Machine machine(config_, 0);
  int failing = 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    const bool fails = machine.execute(commands[i]).has_value();
    failing += fails;
    const bool room = image.add(commands[i]);
    if (room && !fails && i + 1 < commands.size()) continue;
    both(image.image(), "up to command " + std::to_string(i));
    if (HasFatalFailure()) return;
    image = VpuImage(config_);
    machine.clear();
  }
  EXPECT_GT(failing, 400);
}

// A legal start, so that there is a configuration, then commands each of which may be wrong.
TEST_P(VpuMicro, Disturbed) {
  vpu_test::Program program(config_, random_);
  const int programs = tb::long_run() ? 8000 : 400;
  for (int i = 0; i < programs; ++i) {
    VpuImage image(config_);
    for (uint64_t n = random_.below(3); n > 0; --n)
      for (const Command& c : program.next()) image.add(c);
    for (int n = 0; n < 4; ++n)
      for (Command c : program.next()) {
        if (random_.chance(8)) continue;  // what it would have set stays as it was
        if (random_.chance(12)) disturb(c, config_, random_);
        image.add(c);
        if (!random_.chance(4)) continue;
        isa::VpuSfu sfu{};
        sfu.func = random_.chance(80) ? 0 : static_cast<uint32_t>(random_.below(16));
        image.add(vpu_test::command(sfu));
      }
    both(image.image(), "program " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
  for (const auto error : {isa::Error::BAD_FIELD, isa::Error::UNSUPPORTED, isa::Error::BAD_ALIGN,
                           isa::Error::VMEM_BOUNDS, isa::Error::ACC_BOUNDS})
    EXPECT_GE(faults_[static_cast<uint32_t>(error)], 4u) << "error " << static_cast<int>(error);
}

// XPOSE reads VMEM also where A is set to the accumulators, and leaves their stride as it was.
TEST_P(VpuMicro, TransposeBesideAccumulators) {
  isa::VpuSeta a{};
  a.src = 1, a.dtype = static_cast<uint32_t>(isa::Dtype::I32), a.s0 = 4;
  isa::VpuSetd d{};
  d.dtype = a.dtype, d.s0 = 4;
  isa::VpuShape shape{};
  shape.n0 = 3, shape.n1 = 2, shape.n2 = 1;
  isa::VpuXpose xpose{};
  xpose.rows = 3, xpose.lanes = 2, xpose.imm_a = 32 * config_.n, xpose.imm_d = 4096;
  isa::VpuRun run{};
  run.lanes = config_.n;
  VpuImage image(config_);
  for (const Command& c : {vpu_test::command(a), vpu_test::command(d), vpu_test::command(shape),
                           vpu_test::command(xpose), vpu_test::command(run, 1, 0, 8192)})
    ASSERT_TRUE(image.add(c));
  both(image.image(), "the program");
  EXPECT_EQ(rows_, 3u + 6u);
  EXPECT_TRUE(faults_.empty());
}

// The host asks for registers while rows run, and gets its answers while the rows stay right.
TEST_P(VpuMicro, HostBetweenRows) {
  vpu_test::Program program(config_, random_);
  uint32_t answers = 0;
  uint64_t longest = 0;  // cycles that a request waited
  for (int i = 0; i < 10; ++i) {
    VpuImage image(config_);
    for (bool room = true; room;)
      for (const Command& c : program.next())
        if (room) room = image.add(c);
    Pair pair(config_, options(), image.image(), &microcode_, 1 + random_.below(1u << 30));
    auto& core = pair.micro.core();
    const RunResult golden = pair.golden.run();
    ASSERT_TRUE(golden.done);
    pair.micro.host().write(regs::kCtrl, 1);
    // A register is written and read in turn: the microcode stores it beside the rows.
    uint32_t value = 0, turn = 0;
    bool open = false;
    uint64_t asked = 0;
    for (uint64_t start = core.cycle(); !core.irq() || open;) {
      ASSERT_LT(core.cycle() - start, 10'000'000u) << "program " << i;
      core.step();
      if (open) {
        const auto reply = core.take_reply();
        if (!reply) continue;
        ASSERT_FALSE(reply->error) << "program " << i << ", cycle " << core.cycle();
        if (turn % 2 == 0) {
          ASSERT_EQ(reply->data, value) << "program " << i << ", cycle " << core.cycle();
        }
        open = false;
        longest = std::max(longest, core.cycle() - asked);
        ++answers;
      } else if (!core.irq() && random_.chance(5)) {
        const bool write = ++turn % 2 == 1;
        if (write) value = random_.u32() | 1u << 30;
        core.request(write, regs::kWatchdog, value);
        open = true;
        asked = core.cycle();
      }
    }
    std::vector<uint8_t> vmem(config_.vmem_bytes());
    pair.micro.read_vmem(0, vmem);
    const auto& expected = pair.golden.machine().vmem;
    for (size_t at = 0; at < vmem.size(); ++at)
      ASSERT_EQ(vmem[at], expected[at]) << "program " << i << ", VMEM " << at;
  }
  EXPECT_GT(answers, 1000u);
  EXPECT_LT(longest, 1200u) << "a command of many rows does not look at the host";
}

// CLEAR in the middle of a command: quiet soon, and what follows finds the state of VPU_CLEAR.
TEST_P(VpuMicro, ClearBetweenRows) {
  vpu_test::Program program(config_, random_);
  uint32_t stopped = 0;
  for (int i = 0; i < 30; ++i) {
    VpuImage image(config_);
    for (int n = 0; n < 12; ++n)
      for (const Command& c : program.next()) image.add(c);
    Pair pair(config_, options(), image.image(), &microcode_, 1 + random_.below(1u << 30));
    auto& core = pair.micro.core();
    pair.micro.host().write(regs::kCtrl, 1);
    const uint64_t start = core.cycle(), length = 500 + random_.below(20000);
    while (!core.irq() && core.cycle() - start < length) core.step();
    stopped += !core.irq();
    pair.micro.clear();
    // Rows by the configuration of VPU_CLEAR, plus V0 and B, which CLEAR has zeroed.
    VpuImage after(config_);
    isa::VpuStage stage{};
    stage.op = static_cast<uint32_t>(isa::Vop::IADD);
    stage.operand = static_cast<uint32_t>(isa::Voperand::V0);
    after.add(vpu_test::command(stage));
    stage.index = 2, stage.operand = static_cast<uint32_t>(isa::Voperand::B);
    after.add(vpu_test::command(stage));
    const uint32_t n = static_cast<uint32_t>(random_.below(3));  // 0: also the counts of CLEAR
    isa::VpuShape shape{};
    shape.n0 = shape.n1 = shape.n2 = n;
    if (n != 0) after.add(vpu_test::command(shape));
    isa::VpuRun run{};
    run.lanes = config_.n;
    after.add(vpu_test::command(run, 0, 0, 64));
    pair.micro.load(after.image());
    auto& golden = pair.golden.machine();
    pair.micro.read_vmem(0, golden.vmem);
    golden.acc = core.acc();
    golden.clear();
    pair.golden.load(after.image());
    RunResult result;
    ASSERT_EQ(run_and_compare(pair, result), "") << "program " << i;
  }
  EXPECT_GT(stopped, 10u);
}

// Bytes are clamped by the store, which also does the last stage if that is the maximum with 0: all
// types, zero points of both signs, values near the limits and far away, maxima that are no such
// stage.
TEST_P(VpuMicro, ClampsOfTheStore) {
  using isa::Dtype;
  using isa::Vop;
  const auto stage = [](uint32_t index, Vop op, uint32_t imm, uint32_t swap = 0) {
    isa::VpuStage s{};
    s.index = index, s.op = static_cast<uint32_t>(op), s.imm = imm, s.swap = swap;
    s.operand = static_cast<uint32_t>(isa::Voperand::CONST);
    return vpu_test::command(s);
  };
  for (const auto& [type, zero] : std::vector<std::pair<Dtype, int32_t>>{
           {Dtype::S8, 0}, {Dtype::U8, 0}, {Dtype::S8, 22}, {Dtype::S8, -128}, {Dtype::U8, 128}}) {
    for (uint32_t form = 0; form < 8; ++form) {
      VpuImage image(config_);
      const auto add = [&](const Command& c) { ASSERT_TRUE(image.add(c)); };
      isa::VpuSeta a{};
      a.dtype = static_cast<uint32_t>(Dtype::I32), a.s0 = 4;
      isa::VpuSetd d{};
      d.dtype = static_cast<uint32_t>(type), d.s0 = 1, d.zp = zero;
      isa::VpuShape shape{};
      shape.n0 = 40, shape.n1 = shape.n2 = 1;
      isa::VpuRun run{};
      run.lanes = config_.n - form % 2;
      for (const uint32_t bits : {0u, 20u, 23u, 24u, 31u}) {
        add(vpu_test::bare(isa::Opcode::VPU_CLEAR));
        add(vpu_test::command(a));
        add(vpu_test::command(d));
        add(vpu_test::command(shape));
        add(stage(0, Vop::ISRA, bits));
        if (form == 0 && bits == 31) add(stage(1, Vop::XOR, 0x7fffffff));  // the extremes
        if (form == 1 || form == 4) add(stage(1, Vop::IMAX, 0));
        if (form == 2) add(stage(1, Vop::IMAX, 0, 1));
        if (form == 3) add(stage(3, Vop::IMAX, 0));
        if (form == 4) add(stage(2, Vop::IADD, 0xfffffff0));
        if (form == 5) add(stage(1, Vop::IMAX, 1));
        if (form == 6) add(stage(1, Vop::IMIN, 0));
        if (form == 7) add(stage(0, Vop::IMAX, 0));
        add(vpu_test::command(run, 0, 0, 16384));
        run.imm_d += 512, run.imm_a += 512;
      }
      both(image.image(), "form " + std::to_string(form));
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_TRUE(faults_.empty());
}

// Microcode with one word that does nothing, at each of many places: the comparison sees it.
TEST_P(VpuMicro, PlantedFaults) {
  constexpr uint64_t kNothing = 0;  // pass of register 0 to itself
  const auto good = microcode_;
  for (const char* name :
       {"vpu_shape", "v_strides", "v_redop", "va_s8",  "va_i32",    "va_acc", "vb_s8",
        "vs_perm",   "vs_move",   "v_pro",   "vt_8n",  "vt_8p",     "v_zero", "vt_32",
        "v_bytes",   "v_stored",  "v_rows",  "v_walk", "vpu_xpose", "vx_in"}) {
    uint32_t address = ~0u;
    for (const auto& label : good.labels)
      if (label.name == name) address = label.address;
    ASSERT_NE(address, ~0u) << name;
    bool seen = false;
    for (int i = 0; i < 60 && !seen; ++i) {
      vpu_test::Program program(config_, random_);
      VpuImage image(config_);
      for (bool room = true; room;)
        for (Command c : program.next()) {
          if (random_.chance(1)) disturb(c, config_, random_);
          if (room) room = image.add(c);
        }
      microcode_ = good;
      microcode_.words[address + static_cast<uint32_t>(i % 2)] = kNothing;
      auto limited = options();
      limited.max_cycles = 2'000'000;
      Pair pair(config_, limited, image.image(), &microcode_, 1 + random_.below(1u << 30));
      RunResult result;
      seen = !run_and_compare(pair, result).empty();
    }
    EXPECT_TRUE(seen) << "no difference without the first or second word of " << name;
  }
}

INSTANTIATE_TEST_SUITE_P(, VpuMicro, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
