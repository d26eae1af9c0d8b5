// Named cases on the whole chip: repeated and queued jobs (C3), memory of any latency (C7), trace
// on and off (C34), random start values (C38).
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "chip_util.h"
#include "random_program.h"

namespace chip_test {
namespace {

namespace isa = ttpu::isa;

DeviceOptions small(uint64_t bytes = 1 << 17) {
  DeviceOptions o;
  o.hbm_bytes = bytes;
  o.max_cycles = 2'000'000;
  return o;
}

/// Everything that a program may leave behind.
struct After {
  RunResult result;
  std::vector<uint8_t> hbm;
  std::vector<std::string> retired[isa::kNumUnits];
};

/// One random program with fixed data on a device opened with these options.
class Job {
 public:
  Job(const Config& c, tb::Random& rng) : c_(c) {
    options_.commands = 60;
    do program_ = random_program(c, rng, options_);
    while (program_.code.size() > c.imem_words);
    hbm_.resize(options_.hbm_bytes);
    rng.fill(hbm_);
    vmem_.resize(c.vmem_bytes());
    rng.fill(vmem_);
  }
  void prepare(Device& d) const {
    d.write_hbm(0, hbm_);
    for (const Range& a : program_.arenas)
      d.write_vmem(a.first, std::span(vmem_).subspan(a.first, a.size));
    d.load(image_of(c_, program_.code, options_.hbm_bytes));
  }
  After run_on(Device& d) const {
    prepare(d);
    After after;
    after.result = d.run();
    after.hbm = hbm(d, 0, options_.hbm_bytes);
    for (int u = 0; u < isa::kNumUnits; ++u) after.retired[u] = retired(d, static_cast<Unit>(u));
    return after;
  }
  void expect_same(const After& expected, const After& got) const {
    EXPECT_EQ(describe(got.result), describe(expected.result));
    expect_same_bytes("HBM", 0, expected.hbm, got.hbm, &program_.hbm_writer, &program_.code);
    for (int u = 0; u < isa::kNumUnits; ++u)
      EXPECT_EQ(got.retired[u], expected.retired[u]) << "unit " << u;
  }
  After golden() const {
    DeviceOptions o = small(options_.hbm_bytes);
    o.trace_commands = true;
    ttpu::GoldenDevice d(c_, o);
    return run_on(d);
  }

 private:
  const Config& c_;
  RandomProgramOptions options_;
  RandomProgram program_;
  std::vector<uint8_t> hbm_, vmem_;
};

class ChipCases : public testing::TestWithParam<const char*> {};

TEST_P(ChipCases, C3TheSameJobTwiceOnOneDevice) {
  const Config& c = config(GetParam());
  tb::Random rng;
  for (int round = 0; round < (c.micro ? 2 : 4); ++round) {
    const Job job(c, rng);
    DeviceOptions o = small();
    o.trace_commands = true;
    o.random_init_seed = rng.next() | 1;
    const auto rtl = ttpu::open_device("rtl", c, o);
    const After first = job.run_on(*rtl), second = job.run_on(*rtl);
    job.expect_same(job.golden(), first);
    job.expect_same(first, second);
    EXPECT_EQ(first.result.counter(ttpu::regs::COMMANDS),
              second.result.counter(ttpu::regs::COMMANDS));
  }
}

// Three products queued one behind the other, without a wait between them.
TEST_P(ChipCases, C3ThreeJobsQueued) {
  const Config& c = config(GetParam());
  const uint32_t n = c.n, tile = n * n;
  tb::Random rng;
  std::vector<uint8_t> operands(2 * tile);
  rng.fill(operands);
  std::vector<Instr> code = {isa::VpuSeta{.src = 1, .dtype = 3, .s0 = 1}.encode(),
                             isa::VpuSetd{.dtype = 3, .s0 = 4}.encode(),
                             isa::VpuShape{.n0 = n, .n1 = 1, .n2 = 1}.encode()};
  for (uint32_t job = 0; job < 3; ++job) {
    code.push_back(isa::MxuLoadw{.imm_a = 0, .stride = 1, .k = n, .n = n}.encode());
    code.push_back(with(
        isa::MxuMatmul{.imm_a = tile, .stride = 1, .rows = n, .acc = job * n, .swap = 1}.encode(),
        {.signal = 1, .signal_flag = 4}));
    code.push_back(
        with(isa::VpuRun{.imm_a = job * n, .imm_d = 2 * tile + job * 4 * tile, .lanes = n}.encode(),
             {.wait_value = 1, .wait_flag = 4}));
  }
  code.push_back(plain(Opcode::HALT));
  std::vector<uint8_t> results[2];
  for (int run = 0; run < 2; ++run) {
    DeviceOptions o = small();
    o.random_init_seed = rng.next() | 1;
    const auto rtl = ttpu::open_device("rtl", c, o);
    rtl->write_vmem(0, operands);
    rtl->load(image_of(c, code));
    ASSERT_TRUE(rtl->run().done);
    results[run] = vmem(*rtl, 2 * tile, 12 * tile);
    for (uint32_t i = 0; i < 4 * tile; ++i) {
      ASSERT_EQ(results[run][i], results[run][4 * tile + i]) << "job 1, byte " << i;
      ASSERT_EQ(results[run][i], results[run][8 * tile + i]) << "job 2, byte " << i;
    }
  }
  EXPECT_EQ(results[0], results[1]);
  int32_t first = 0, got;
  for (uint32_t k = 0; k < n; ++k)
    first += static_cast<int8_t>(operands[tile + k]) * static_cast<int8_t>(operands[k * n]);
  std::memcpy(&got, results[0].data(), 4);
  EXPECT_EQ(got, first);
}

TEST_P(ChipCases, C7MemoryOfAnyLatency) {
  const Config& c = config(GetParam());
  tb::Random rng;
  const Job job(c, rng);
  const After golden = job.golden();
  uint64_t shortest = ~0ull, longest = 0;
  for (int round = 0; round < (c.micro ? 4 : 12); ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    DeviceOptions o = small();
    o.trace_commands = true;
    o.memory.seed = rng.next() | 1;
    o.memory.latency = 1 + static_cast<uint32_t>(rng.below(200));
    o.memory.stall_percent = static_cast<uint32_t>(rng.below(90));
    o.memory.bytes_per_cycle = 1 + static_cast<uint32_t>(rng.below(c.axi_bytes));
    const auto rtl = ttpu::open_device("rtl", c, o);
    const After after = job.run_on(*rtl);
    job.expect_same(golden, after);
    shortest = std::min(shortest, after.result.counter(ttpu::regs::CYCLES));
    longest = std::max(longest, after.result.counter(ttpu::regs::CYCLES));
  }
  EXPECT_GT(longest, shortest + shortest / 4) << "the memory's stalls were not felt";
}

TEST_P(ChipCases, C38RandomStartValues) {
  const Config& c = config(GetParam());
  tb::Random rng;
  const Job job(c, rng);
  const After golden = job.golden();
  uint64_t cycles = 0;
  for (int seed = 0; seed < (c.micro ? 3 : 12); ++seed) {
    DeviceOptions o = small();
    o.trace_commands = true;
    o.random_init_seed = seed == 0 ? 0 : rng.next() | 1;
    const auto rtl = ttpu::open_device("rtl", c, o);
    const After after = job.run_on(*rtl);
    job.expect_same(golden, after);
    if (seed == 0) cycles = after.result.counter(ttpu::regs::CYCLES);
    EXPECT_EQ(after.result.counter(ttpu::regs::CYCLES), cycles) << "start values changed the time";
    EXPECT_EQ(after.result.counters.size(), static_cast<size_t>(ttpu::regs::kNumCounters));
  }
}

// The traced library, with and without a file, and the plain one: same results, same counters.
TEST(ChipTrace, C34TraceOnAndOff) {
  const Config& c = config("mini");
  tb::Random rng;
  const Job job(c, rng);
  const auto file = std::filesystem::temp_directory_path() /
                    fmt::format("ttpu_c34_{}_{}.fst", c.name, ::getpid());
  After after[3];
  for (int i = 0; i < 3; ++i) {
    DeviceOptions o = small();
    o.trace_commands = i != 0;
    if (i == 2) o.trace_file = file.string();
    const auto rtl = ttpu::open_device("rtl", c, o);
    after[i] = job.run_on(*rtl);
  }
  EXPECT_GT(std::filesystem::file_size(file), 1000u);
  std::filesystem::remove(file);
  EXPECT_TRUE(after[0].retired[1].empty());
  EXPECT_FALSE(after[1].retired[1].empty());
  job.expect_same(after[1], after[2]);
  EXPECT_EQ(after[0].hbm, after[1].hbm);
  EXPECT_EQ(after[0].result.counters, after[1].result.counters);
  EXPECT_EQ(after[0].result.counters, after[2].result.counters);
}

INSTANTIATE_TEST_SUITE_P(Configs, ChipCases,
                         testing::Values("nano", "nano8", "mini", "edge", "core16"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ChipDevice, C8AnImageForAnotherSizeIsRefusedWithBothHashes) {
  const auto rtl = ttpu::open_device("rtl", config("mini"), small());
  try {
    rtl->load(image_of(config("edge"), {plain(Opcode::HALT)}));
    FAIL() << "the image was taken";
  } catch (const ttpu::DeviceError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find(fmt::format("{:08x}", config("edge").hash)), std::string::npos) << what;
    EXPECT_NE(what.find(fmt::format("{:08x}", config("mini").hash)), std::string::npos) << what;
  }
}

TEST(ChipDevice, AProgramWithoutEndStopsAtMaxCyclesAndTheDeviceGoesOn) {
  DeviceOptions o = small();
  o.max_cycles = 5000;
  const auto rtl = ttpu::open_device("rtl", config("mini"), o);
  rtl->load(image_of(config("mini"), {plain(Opcode::JAL, {.rc = 1}, 0)}));
  const RunResult r = rtl->run();
  EXPECT_FALSE(r.done);
  EXPECT_EQ(name_of(r.error), "WATCHDOG");
  EXPECT_THROW(rtl->run(), ttpu::DeviceError);
  rtl->clear();
  rtl->load(image_of(config("mini"), {plain(Opcode::HALT)}));
  EXPECT_TRUE(rtl->run().done);
}

}  // namespace
}  // namespace chip_test
