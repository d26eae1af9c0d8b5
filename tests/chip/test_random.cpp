// Random programs on RTL and golden model: memories, outcome, retired commands and counters are
// equal.
#include <fmt/format.h>

#include "chip_util.h"
#include "random_program.h"

namespace chip_test {
namespace {

struct Case {
  const char* config;
  int programs;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.config; }

class RandomPrograms : public testing::TestWithParam<Case> {};

/// Bytes round each arena that nobody may touch.
constexpr uint64_t kCanary = 64;

Range with_canary(const Range& a, uint64_t size) {
  const uint64_t first = a.first < kCanary ? 0 : a.first - kCanary;
  return {first, std::min(a.end() + kCanary, size) - first};
}

void fill(const Config& c, const RandomProgram& p, const RandomProgramOptions& o, tb::Random rng,
          Device& device) {
  std::vector<uint8_t> bytes(o.hbm_bytes);
  rng.fill(bytes);
  device.write_hbm(0, bytes);
  for (const Range& arena : p.arenas) {
    const Range r = with_canary(arena, c.vmem_bytes());
    bytes.resize(r.size);
    rng.fill(bytes);
    device.write_vmem(r.first, bytes);
  }
}

TEST_P(RandomPrograms, EqualGoldenModel) {
  const Config& c = config(GetParam().config);
  tb::Random rng;
  std::map<Opcode, uint32_t> seen;
  std::array<uint32_t, kUnits> left_to_unit{};
  uint64_t programs_done = 0, cycles = 0;
  const int programs = tb::long_run() ? 50 * GetParam().programs : GetParam().programs;
  for (int number = 0; number < programs; ++number) {
    SCOPED_TRACE(fmt::format("{}: program {}", c.name, number));
    RandomProgramOptions o;
    o.commands = 40 + static_cast<uint32_t>(rng.below(60));
    RandomProgram p = random_program(c, rng, o);
    while (p.code.size() > c.imem_words) {
      o.commands = o.commands * 3 / 4;
      p = random_program(c, rng, o);
    }
    for (const auto& [op, count] : p.histogram) seen[op] += count;
    for (size_t u = 0; u < kUnits; ++u) left_to_unit[u] += p.left_to_unit[u];
    DeviceOptions options;
    options.hbm_bytes = o.hbm_bytes;
    options.trace_commands = true;
    options.max_cycles = 2'000'000;
    options.random_init_seed = rng.next() | 1;
    options.memory = {
        .latency = 1 + static_cast<uint32_t>(rng.below(60)),
        .bytes_per_cycle = rng.coin() ? 0 : 1 + static_cast<uint32_t>(rng.below(c.axi_bytes)),
        .seed = rng.next() | 1,
        .stall_percent = static_cast<uint32_t>(rng.below(60))};
    ttpu::GoldenDevice golden(c, options);
    const auto rtl = ttpu::open_device("rtl", c, options);
    const uint64_t data_seed = rng.next();
    for (Device* d : {static_cast<Device*>(&golden), rtl.get()}) {
      fill(c, p, o, tb::Random(data_seed), *d);
      d->load(image_of(c, p.code, o.hbm_bytes));
    }
    const RunResult g = golden.run();
    ASSERT_TRUE(g.done) << "the generator made an illegal program: " << describe(g);
    const RunResult r = rtl->run();
    expect_same_outcome(g, r);
    expect_same_retired(golden, *rtl);
    expect_same_bytes("HBM", 0, hbm(golden, 0, o.hbm_bytes), hbm(*rtl, 0, o.hbm_bytes),
                      &p.hbm_writer, &p.code);
    if (testing::Test::HasFailure() || number % 8 == 0)
      for (const Range& arena : p.arenas) {
        const Range a = with_canary(arena, c.vmem_bytes());
        expect_same_bytes("VMEM", a.first, vmem(golden, a.first, a.size),
                          vmem(*rtl, a.first, a.size), &p.vmem_writer, &p.code);
      }
    const auto& activity = golden.machine().activity;
    EXPECT_EQ(r.counter(ttpu::regs::MXU_ROWS), activity.mxu_rows);
    EXPECT_EQ(r.counter(ttpu::regs::MXU_MACS), activity.mxu_macs);
    EXPECT_EQ(r.counter(ttpu::regs::VPU_ROWS), activity.vpu_rows);
    EXPECT_EQ(r.counter(ttpu::regs::HBM_RD_BYTES), activity.hbm_read_bytes);
    EXPECT_EQ(r.counter(ttpu::regs::HBM_WR_BYTES), activity.hbm_write_bytes);
    EXPECT_EQ(r.counter(ttpu::regs::COMMANDS), activity.commands);
    for (int u = 0; u < ttpu::isa::kNumUnits; ++u) {
      uint64_t sum = 0;
      for (int s = 0; s < ttpu::regs::kNumStates; ++s)
        sum += r.counters[static_cast<size_t>(ttpu::regs::kNumPlainCounters +
                                              u * ttpu::regs::kNumStates + s)];
      EXPECT_EQ(sum, r.counter(ttpu::regs::CYCLES)) << name_of(static_cast<Unit>(u));
    }
    if (testing::Test::HasFailure()) return;
    ++programs_done;
    cycles += r.counter(ttpu::regs::CYCLES);
  }
  std::printf("[ttpu] %s: %llu programs, %llu cycles\n", std::string(c.name).c_str(),
              static_cast<unsigned long long>(programs_done),
              static_cast<unsigned long long>(cycles));
  // Both DMA channels and the VPU had to keep an order that no SYNC kept for them.
  for (const Unit unit : {Unit::DMA0, Unit::DMA1, Unit::VPU}) {
    EXPECT_GT(left_to_unit[static_cast<size_t>(unit) - 1], programs_done / 4) << name_of(unit);
  }
  // Every command of every unit took part.
  for (const auto& d : ttpu::isa::kOps)
    if (d.opcode >= 0x40 && !(d.name == "VPU_SFU" && !c.has_sfu)) {
      EXPECT_GT(seen[static_cast<Opcode>(d.opcode)], 0u) << d.name << " was never generated";
    }
}

INSTANTIATE_TEST_SUITE_P(Configs, RandomPrograms,
                         testing::Values(Case{"nano", 8}, Case{"nano8", 5}, Case{"mini", 40},
                                         Case{"edge", 40}, Case{"core16", 40}),
                         [](const auto& info) { return std::string(info.param.config); });

}  // namespace
}  // namespace chip_test
