// Errors on the AXI bus at the level of the chip: what is reported, that the chip stops in an
// orderly way, and that it goes on as if nothing had been.
#include <algorithm>

#include "chip_util.h"

namespace chip_test {
namespace {

namespace isa = ttpu::isa;

constexpr uint64_t kHbm = 32768, kBase = 0x12'3400'0000;
constexpr uint32_t kBytes = 3000, kBad = 20672;  // of the window: the part that answers with errors

class AxiErrors : public testing::TestWithParam<const char*> {
 protected:
  const Config& c_ = config(GetParam());

  DeviceOptions options(bool decode, bool stalls) {
    DeviceOptions o;
    o.hbm_bytes = kHbm;
    o.max_cycles = 200'000;
    o.memory.latency = 20;
    o.memory.base = kBase;
    if (stalls) o.memory.seed = 7, o.memory.stall_percent = 40;
    // One beat; what lies round it is in order.
    o.memory.errors = {{kBad, kBad + c_.axi_bytes - 1, true, true, decode}};
    return o;
  }

  /// HBM -> VMEM on channel 0, VMEM -> HBM on channel 1.
  std::vector<Instr> copy(uint32_t from, uint32_t to) {
    const auto shape = [](uint32_t ch) {
      return isa::DmaShape{.channel = ch, .n0 = kBytes, .n1 = 1, .n2 = 1, .n3 = 1}.encode();
    };
    return {shape(0),
            shape(1),
            with(isa::DmaLoad{.channel = 0, .imm_h = from, .imm_v = 5}.encode(),
                 {.signal = 1, .signal_flag = 3}),
            with(isa::DmaStore{.channel = 1, .imm_h = to, .imm_v = 5}.encode(),
                 {.wait_value = 1, .wait_flag = 3, .signal = 1, .signal_flag = 4}),
            plain(Opcode::NOP, {.wait_value = 1, .wait_flag = 4}),
            plain(Opcode::HALT)};
  }

  /// Absolute address of the burst that holds the bad beat: bursts lie in blocks of 64 beats (at
  /// most 4 KiB), the first starts at the beat of the transfer's first byte.
  uint64_t burst(uint32_t first) const {
    if (c_.micro) return kBase + kBad;  // bursts of one beat
    const uint64_t block = std::min<uint64_t>(64ull * c_.axi_bytes, 4096);
    return kBase + std::max<uint64_t>(kBad / block * block, first / c_.axi_bytes * c_.axi_bytes);
  }
};

TEST_P(AxiErrors, ReadAndWriteAreReportedAndTheChipGoesOn) {
  struct Case {
    bool write, decode, stalls;
  };
  for (const Case& k : {Case{false, false, false}, Case{true, false, false},
                        Case{false, true, true}, Case{true, true, true}}) {
    SCOPED_TRACE(std::string(k.write ? "write" : "read") + (k.decode ? ", DECERR" : ", SLVERR"));
    const DeviceOptions o = options(k.decode, k.stalls);
    const auto rtl = ttpu::open_device("rtl", c_, o);
    ttpu::GoldenDevice golden(c_, o);
    tb::Random rng;
    std::vector<uint8_t> data(kHbm);
    rng.fill(data);
    rtl->write_hbm(0, data);
    golden.write_hbm(0, data);

    for (const uint32_t first : {kBad - 1001u, kBad - kBytes + 1u, kBad + 1}) {
      rtl->load(image_of(c_, k.write ? copy(3, first) : copy(first, 9001), kHbm));
      const RunResult r = rtl->run();
      EXPECT_FALSE(r.done);
      EXPECT_EQ(name_of(r.error), k.write ? "AXI_WRITE" : "AXI_READ");
      EXPECT_EQ(std::string(name_of(r.error_unit)), k.write ? "DMA1" : "DMA0");
      EXPECT_EQ(r.error_pc, k.write ? 3u : 2u);
      EXPECT_EQ(r.error_addr, burst(first)) << std::hex << r.error_addr << ", first " << first;
      EXPECT_THROW(rtl->run(), ttpu::DeviceError) << "runs on without clear()";
      rtl->clear();

      // Nothing is left over: a program beside the bad part gives what the golden model gives.
      rtl->write_hbm(0, data);
      const ttpu::Image good = image_of(c_, copy(3001, 9001), kHbm);
      rtl->load(good);
      golden.load(good);
      expect_same_outcome(golden.run(), rtl->run());
      expect_same_bytes("HBM", 0, hbm(golden, 0, kHbm), hbm(*rtl, 0, kHbm));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, AxiErrors,
                         testing::Values("nano", "nano8", "mini", "edge", "core16"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace chip_test
