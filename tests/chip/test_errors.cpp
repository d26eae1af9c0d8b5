// C42: every illegal opcode and field gives an error with cause, unit, program counter and address,
// the same on RTL and golden model; the chip goes on after CLEAR.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "chip_util.h"
#include "isa/disasm.h"

namespace chip_test {
namespace {

namespace isa = ttpu::isa;

struct Bad {
  std::string name;
  std::vector<Instr> before;  ///< legal commands that set the scene
  Instr instr;
};

/// Values of a field that are on or beyond an edge.
std::vector<uint32_t> edge_values(const isa::FieldDesc& f, const Config& c) {
  const uint32_t all = f.bits == 32 ? 0xffffffffu : (1u << f.bits) - 1;
  std::vector<uint32_t> values = {0,
                                  1,
                                  all,
                                  all - 1,
                                  all / 2,
                                  all / 2 + 1,
                                  c.n,
                                  c.n + 1,
                                  c.n - 1,
                                  c.vpu_stages,
                                  c.acc_total(),
                                  c.acc_total() - 1,
                                  c.vmem_bytes(),
                                  c.vmem_bytes() - 1,
                                  c.smem_words,
                                  c.imem_words};
  if (f.bits <= 6)
    for (uint32_t v = 0; v <= all; ++v) values.push_back(v);
  for (auto& v : values) v &= all;
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Commands after which LOADW, MATMUL, RUN, XPOSE, DMA with small fields are legal.
std::vector<Instr> scene(const Config& c) {
  return {
      isa::DmaShape{.channel = 0, .n0 = 16, .n1 = 1, .n2 = 1, .n3 = 1}.encode(),
      isa::DmaShape{.channel = 1, .n0 = 16, .n1 = 1, .n2 = 1, .n3 = 1}.encode(),
      isa::MxuLoadw{.imm_a = 0, .stride = 1, .k = c.n, .n = c.n}.encode(),
      isa::MxuMatmul{.imm_a = 0, .stride = 1, .rows = 2, .swap = 1}.encode(),
      isa::VpuSeta{.s0 = 1}.encode(),
      isa::VpuSetd{.s0 = 1}.encode(),
      isa::VpuShape{.n0 = 2, .n1 = 1, .n2 = 1}.encode(),
      isa::Sync{.unit = 1}.encode(),
  };
}

/// A legal form of each command, of which a test changes one field.
Instr legal(const isa::OpDesc& op, const Config& c) {
  switch (static_cast<Opcode>(op.opcode)) {
    case Opcode::SYNC:
      return isa::Sync{.unit = 5}.encode();
    case Opcode::DMA_SHAPE:
      return isa::DmaShape{.n0 = 8, .n1 = 1, .n2 = 1, .n3 = 1}.encode();
    case Opcode::MXU_LOADW:
      return isa::MxuLoadw{.stride = 1, .k = c.n, .n = c.n}.encode();
    case Opcode::MXU_MATMUL:
      return isa::MxuMatmul{.stride = 1, .rows = 1}.encode();
    case Opcode::VPU_SHAPE:
      return isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1}.encode();
    case Opcode::VPU_RUN:
      return isa::VpuRun{.imm_d = 4096, .lanes = 1}.encode();
    case Opcode::VPU_XPOSE:
      return isa::VpuXpose{.imm_d = 4096, .rows = 1, .lanes = 1}.encode();
    default:
      return plain(static_cast<Opcode>(op.opcode));
  }
}

bool is_unit_command(const isa::OpDesc& op) { return op.opcode >= 0x40 || op.name == "SYNC"; }

std::vector<Bad> all_cases(const Config& c) {
  std::vector<Bad> cases;
  for (uint32_t op = 0; op < 256; ++op) {
    if (isa::find_op(op)) continue;
    Instr i;
    i.set(0, 8, op);
    cases.push_back({fmt::format("opcode {:#04x}", op), {}, i});
  }
  for (const auto& op : isa::kOps) {
    int end = 42;
    for (const auto& f : op.fields) end = std::max(end, f.lsb + f.bits);
    for (int bit = end; bit < 128; bit += 7) {
      Instr i = legal(op, c);
      i.set(bit, 1, 1);
      cases.push_back({fmt::format("{} unused bit {}", op.name, bit), {}, i});
    }
    if (!is_unit_command(op)) continue;
    for (const auto& f : op.fields)
      for (const uint32_t value : edge_values(f, c)) {
        // A huge transfer or run is legal and long: not an error to look for.
        if (op.name == "DMA_SHAPE" && f.name != "channel" && value > 64) continue;
        if (op.name == "VPU_SHAPE" && f.name[0] == 'n' && value > 64) continue;
        Instr i = legal(op, c);
        i.set(f.lsb, f.bits, value);
        cases.push_back({fmt::format("{} {} = {:#x}", op.name, f.name, value), scene(c), i});
      }
  }
  const auto add = [&](const char* name, std::vector<Instr> before, Instr i) {
    cases.push_back({name, std::move(before), i});
  };
  add("LDS beyond SMEM", {}, plain(Opcode::LDS, {.rc = 1}, c.smem_words));
  add("STS beyond SMEM", {}, plain(Opcode::STS, {}, 0xffffffff));
  add("branch out of IMEM", {}, plain(Opcode::JAL, {.rc = 1}, c.imem_words));
  add("far branch", {}, plain(Opcode::BEQ, {}, 65535));
  // Addresses that wrap: a register plus an immediate past 2^32 or 2^24.
  const auto r1 = [](uint32_t v) { return plain(Opcode::ADD, {.rc = 1}, v); };
  add("DMA from beyond HBM",
      {r1(0xfffffff0), isa::DmaShape{.n0 = 1, .n1 = 1, .n2 = 1, .n3 = 1}.encode()},
      with(isa::DmaLoad{}.encode(), {.ra = 1}));
  add("DMA over the end of HBM",
      {r1(4096 - 3), isa::DmaShape{.n0 = 4, .n1 = 1, .n2 = 1, .n3 = 1}.encode()},
      with(isa::DmaStore{}.encode(), {.ra = 1}));
  add("DMA before HBM by a stride",
      {isa::DmaShape{.n0 = 4, .n1 = 2, .n2 = 1, .n3 = 1}.encode(),
       isa::DmaHstride{.s1 = -8}.encode()},
      isa::DmaLoad{.imm_h = 4}.encode());
  add("DMA over the end of VMEM",
      {isa::DmaShape{.n0 = 5, .n1 = 1, .n2 = 1, .n3 = 1}.encode(), r1(c.vmem_bytes() - 4)},
      with(isa::DmaLoad{}.encode(), {.rb = 1}));
  add("VMEM address above 2^24",
      {isa::DmaShape{.n0 = 5, .n1 = 1, .n2 = 1, .n3 = 1}.encode(), r1(0x1000000)},
      with(isa::DmaStore{}.encode(), {.rb = 1}));
  add("weights above 2^24", {r1(0x1000000)},
      with(isa::MxuLoadw{.stride = 1, .k = 1, .n = 1}.encode(), {.ra = 1}));
  add("VPU rows below VMEM",
      {isa::VpuSeta{.s0 = -1}.encode(), isa::VpuShape{.n0 = 3, .n1 = 1, .n2 = 1}.encode()},
      isa::VpuRun{.imm_a = c.n, .imm_d = 4096, .lanes = 1}.encode());
  add("accumulators by register",
      {isa::MxuLoadw{.stride = 1, .k = 1, .n = 1}.encode(), r1(c.acc_total())},
      with(isa::MxuMatmul{.stride = 1, .rows = 1, .swap = 1}.encode(), {.rb = 1}));
  add("rows by register", {isa::MxuLoadw{.stride = 1, .k = 1, .n = 1}.encode(), r1(65535)},
      with(isa::MxuMatmul{.stride = 1, .rows = 1, .swap = 1}.encode(), {.rc = 1}));
  add("CMEM that is not there", {isa::DmaShape{.n0 = 5, .n1 = 1, .n2 = 1, .n3 = 1}.encode()},
      isa::DmaLoad{.space = 1}.encode());
  return cases;
}

class ChipErrors : public testing::TestWithParam<const char*> {};

TEST_P(ChipErrors, C42EveryIllegalOpcodeAndField) {
  const Config& c = config(GetParam());
  DeviceOptions o;
  o.hbm_bytes = 4096;
  o.max_cycles = 20'000;
  ttpu::GoldenDevice golden(c, o);
  const auto rtl = ttpu::open_device("rtl", c, o);
  uint32_t errors = 0, legal_count = 0, failures = 0;
  std::map<std::string, uint32_t> causes;
  // Where the host is slow: one in eight of those by fields, and all others.
  const uint32_t step = c.micro && !tb::long_run() ? 8 : 1;
  constexpr size_t kOthers = 20;
  const std::vector<Bad> cases = all_cases(c);
  for (size_t number = 0; number < cases.size(); ++number) {
    if (number % step != 0 && number + kOthers < cases.size()) continue;
    const Bad& bad = cases[number];
    std::vector<Instr> code = bad.before;
    // Everything before is done when the bad one starts.
    for (uint32_t u = 1; u <= 5; ++u) code.push_back(isa::Sync{.unit = u}.encode());
    code.push_back(bad.instr);
    code.push_back(plain(Opcode::HALT));
    const ttpu::Image image = image_of(c, code);
    golden.load(image);
    rtl->load(image);
    const RunResult g = golden.run(), r = rtl->run();
    // pc and address of WATCHDOG depend on time.
    const bool hang = g.error == Error::WATCHDOG && r.error == Error::WATCHDOG;
    if (!hang && describe(r) != describe(g)) {
      ADD_FAILURE() << bad.name << ": " << isa::disassemble(bad.instr) << ": expected "
                    << describe(g) << ", got " << describe(r);
      if (++failures > 20) FAIL() << "more than 20 differences";
    }
    if (g.done)
      ++legal_count;
    else
      ++errors, ++causes[name_of(g.error)];
    // Goes on, with everything as after reset.
    golden.clear();
    rtl->clear();
    const ttpu::Image good =
        image_of(c, {isa::VpuShape{.n0 = 1, .n1 = 1, .n2 = 1}.encode(),
                     with(isa::VpuRun{.imm_d = 64 * c.n, .lanes = c.n}.encode(),
                          {.signal = 1, .signal_flag = 9}),
                     plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 9}), plain(Opcode::HALT)});
    rtl->load(good);
    const RunResult after = rtl->run();
    ASSERT_TRUE(after.done) << "after " << bad.name << ": " << describe(after);
  }
  std::printf("[ttpu] %s: %u errors, %u legal:", std::string(c.name).c_str(), errors, legal_count);
  for (const auto& [cause, count] : causes) std::printf(" %s %u", cause.c_str(), count);
  std::printf("\n");
  EXPECT_GT(errors, 400u / step);
  for (const char* cause :
       {"ILLEGAL_OPCODE", "BAD_FIELD", "UNSUPPORTED", "BAD_ALIGN", "VMEM_BOUNDS", "ACC_BOUNDS",
        "SMEM_BOUNDS", "IMEM_BOUNDS", "FAR_BOUNDS"}) {
    EXPECT_GT(causes[cause], 0u) << cause << " never came";
  }
}

TEST_P(ChipErrors, WatchdogOnRtlAndGolden) {
  const Config& c = config(GetParam());
  DeviceOptions o;
  o.hbm_bytes = 4096;
  o.max_cycles = 20'000;
  ttpu::GoldenDevice golden(c, o);
  const auto rtl = ttpu::open_device("rtl", c, o);
  // A wait that nobody signals, a swap without weights, weights twice without a swap.
  const std::vector<std::vector<Instr>> programs = {
      {plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 7}), plain(Opcode::HALT)},
      {with(isa::VpuRun{.imm_d = 4096, .lanes = 1}.encode(), {.wait_value = 3, .wait_flag = 30}),
       plain(Opcode::HALT)},
      {isa::MxuMatmul{.stride = 1, .rows = 1, .swap = 1}.encode(), plain(Opcode::HALT)},
      {isa::MxuLoadw{.stride = 1, .k = 1, .n = 1}.encode(),
       isa::MxuLoadw{.stride = 1, .k = 1, .n = 1}.encode(),
       isa::MxuLoadw{.stride = 1, .k = 1, .n = 1}.encode(), plain(Opcode::HALT)}};
  for (size_t i = 0; i < programs.size(); ++i) {
    const ttpu::Image image = image_of(c, programs[i]);
    golden.load(image);
    rtl->load(image);
    const RunResult g = golden.run(), r = rtl->run();
    EXPECT_EQ(name_of(g.error), "WATCHDOG") << "program " << i;
    EXPECT_EQ(name_of(r.error), "WATCHDOG") << "program " << i << ": " << describe(r);
    golden.clear();
    rtl->clear();
    rtl->load(image_of(c, {plain(Opcode::HALT)}));
    EXPECT_TRUE(rtl->run().done) << "program " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, ChipErrors,
                         testing::Values("nano", "nano8", "mini", "edge", "core16"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace chip_test
