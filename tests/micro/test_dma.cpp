// Microcode of the DMA against the golden model: every alignment, walks in all dimensions, faults,
// errors of the bus, a window that crosses 4 GiB.
#include <algorithm>

#include "isa/generated/regs_gen.h"
#include "micro_fixture.h"

namespace micro_test {
namespace {

using namespace ttpu;

class DmaMicro : public OnMicro {
 protected:
  /// Shape and strides of a channel.
  struct Walk {
    uint32_t n[4] = {0, 1, 1, 1};
    int32_t far[3] = {}, vmem[3] = {};
  };
  void set(uint32_t channel, const Walk& w) {
    add(isa::DmaShape{.channel = channel, .n0 = w.n[0], .n1 = w.n[1], .n2 = w.n[2], .n3 = w.n[3]}
            .encode());
    add(isa::DmaHstride{.channel = channel, .s1 = w.far[0], .s2 = w.far[1], .s3 = w.far[2]}
            .encode());
    add(isa::DmaVstride{.channel = channel, .s1 = w.vmem[0], .s2 = w.vmem[1], .s3 = w.vmem[2]}
            .encode());
  }
  /// Addresses h and v, split at random between operand and immediate.
  void move(bool store, uint32_t channel, uint32_t h, uint32_t v, uint32_t space = 0) {
    const uint32_t imm_h =
        random_.coin() ? random_.u32() : static_cast<uint32_t>(random_.below(99));
    const auto imm_v = static_cast<uint32_t>(random_.below(1u << 24));
    const Operands operands{h - imm_h, v - imm_v, random_.u32()};
    if (store)
      add(isa::DmaStore{.channel = channel, .space = space, .imm_h = imm_h, .imm_v = imm_v}
              .encode(),
          operands);
    else
      add(isa::DmaLoad{.channel = channel, .space = space, .imm_h = imm_h, .imm_v = imm_v}.encode(),
          operands);
  }
  uint32_t below(uint64_t limit) { return static_cast<uint32_t>(random_.below(limit)); }
  int32_t any_stride(int32_t limit) {
    return static_cast<int32_t>(random_.below(2 * static_cast<uint64_t>(limit))) - limit;
  }
};

TEST_P(DmaMicro, EveryAlignmentOfBothSides) {
  for (const bool store : {false, true})
    for (uint32_t far = 0; far < 4; ++far)
      for (uint32_t near = 0; near < 4; ++near) {
        for (uint32_t bytes = 1; bytes <= 13; ++bytes) {
          set(store, {.n = {bytes, 1, 1, 1}});
          move(store, store, 64 * bytes - 64 + far, 32 * bytes - 32 + near);
        }
        both("far " + std::to_string(far) + ", VMEM " + std::to_string(near) +
             (store ? ", store" : ", load"));
        if (HasFailure()) return;
      }
}

TEST_P(DmaMicro, RandomWalks) {
  const int programs = tb::long_run() ? 3000 : 120;
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    for (int k = 0; k < 4; ++k) {
      Walk w;
      w.n[0] = random_.below(6) == 0 ? below(400) : below(24);
      for (int d = 1; d < 4; ++d) w.n[d] = random_.below(8) == 0 ? 0 : 1 + below(4);
      for (int d = 0; d < 3; ++d) w.far[d] = any_stride(120), w.vmem[d] = any_stride(120);
      const uint32_t channel = below(2);
      set(channel, w);
      move(random_.coin(), channel, 4096 + below(4096), 4096 + below(4096));
    }
    both("program " + std::to_string(i));
  }
}

TEST_P(DmaMicro, Faults) {
  const int programs = tb::long_run() ? 4000 : 200;
  const auto vmem = static_cast<int32_t>(config_.vmem_bytes());
  const auto hbm = static_cast<int32_t>(options_.hbm_bytes);
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    Walk w;
    w.n[0] = random_.below(4) == 0 ? below(1u << 24) : below(64);
    for (int d = 1; d < 4; ++d) w.n[d] = 1 + below(3);
    for (int d = 0; d < 3; ++d) {
      w.far[d] = random_.below(4) == 0 ? any_stride(1 << 27) : any_stride(64);
      w.vmem[d] = random_.below(4) == 0 ? any_stride(1 << 23) : any_stride(64);
    }
    set(0, w);
    const auto near_end = [&](int32_t end) {
      if (random_.below(8) == 0) return random_.u32();
      return static_cast<uint32_t>((random_.coin() ? end : 0) + any_stride(80));
    };
    move(random_.coin(), 0, near_end(hbm), near_end(vmem), random_.below(16) == 0);
    both("program " + std::to_string(i));
  }
  expect_faults({"VMEM_BOUNDS", "FAR_BOUNDS", "UNSUPPORTED"});
}

TEST_P(DmaMicro, WindowAcrossFourGigabytes) {
  options_.memory.base = 0x1'ffff'f000;
  const uint32_t edge = 0x1000;
  for (int i = 0; i < 40 && !HasFailure(); ++i) {
    for (const bool store : {false, true}) {
      Walk w;
      w.n[0] = 1 + below(40);
      w.n[1] = 1 + below(3);
      w.far[0] = any_stride(60), w.vmem[0] = 4 * any_stride(30);
      if (random_.coin()) w.n[0] = w.n[0] / 4 * 4 + 4, w.far[0] = w.far[0] / 4 * 4;
      set(store, w);
      const uint32_t h = edge - below(60), v = 8192 + below(60);
      const uint32_t mask = random_.coin() ? ~3u : ~0u;
      move(store, store, h & mask, v & mask);
    }
    both("program " + std::to_string(i));
  }
}

TEST_P(DmaMicro, BusErrorsAreReportedAndForgotten) {
  options_.memory.base = 0x12'3400'0000;
  options_.memory.latency = 5;
  for (int i = 0; i < 60 && !HasFailure(); ++i) {
    const uint32_t bad = 4 * (1024 + below(64)), bytes = 1 + below(300);
    const uint32_t first = bad + 3 - below(bytes + 3);  // the transfer holds a byte of the bad word
    const bool store = random_.coin(), aligned = random_.coin();
    options_.memory.errors = {{bad, bad + 3, !store, store, false}};
    const uint32_t from = aligned ? first & ~3u : first, size = aligned ? (bytes + 7) & ~3u : bytes;
    set(0, {.n = {size, 1, 1, 1}});
    move(store, 0, from, aligned ? 64 : 64 + below(4));
    const auto command = static_cast<uint32_t>(code_.size() - 1);
    code_.push_back(chip_test::plain(isa::Opcode::HALT));
    const auto image = chip_test::image_of(config_, code_, options_.hbm_bytes);
    code_.clear();
    Pair pair(config_, options_, image, &microcode_, 1 + random_.below(1000));
    const RunResult r = pair.micro.run();
    if (bad + 3 < from || bad >= from + size) continue;
    RunResult expected;
    expected.error = store ? isa::Error::AXI_WRITE : isa::Error::AXI_READ;
    expected.error_unit = isa::Unit::DMA0;
    expected.error_pc = command;
    expected.error_addr = options_.memory.base + bad;
    EXPECT_EQ(describe(r), describe(expected)) << "transfer of " << size << " bytes from " << from;
    // A store as the first transfer afterwards: the error of the one before is not its own.
    pair.micro.clear();
    pair.golden.clear();
    set(1, {.n = {10, 2, 1, 1}, .far = {16, 0, 0}, .vmem = {16, 0, 0}});
    move(true, 1, 100, 201);
    move(false, 1, 102, 300);
    code_.push_back(chip_test::plain(isa::Opcode::HALT));
    const auto good = chip_test::image_of(config_, code_, options_.hbm_bytes);
    code_.clear();
    std::vector<uint8_t> bytes_now(options_.hbm_bytes);
    pair.micro.read_hbm(0, bytes_now);
    pair.golden.write_hbm(0, bytes_now);
    bytes_now.resize(config_.vmem_bytes());
    pair.micro.read_vmem(0, bytes_now);
    pair.golden.write_vmem(0, bytes_now);
    pair.micro.load(good), pair.golden.load(good);
    RunResult after;
    EXPECT_EQ(run_and_compare(pair, after), "");
  }
}

TEST_P(DmaMicro, TheHostIsServedInLongTransfers) {
  constexpr uint64_t kLimit = 500;  // cycles to an answer
  for (const bool store : {false, true})
    for (const uint32_t far : {0u, 1u})
      for (const uint32_t latency : {1u, 100u}) {
        options_.memory.latency = latency;
        set(store, {.n = {8192, 1, 1, 1}});
        move(store, store, far, 0);
        code_.push_back(chip_test::plain(isa::Opcode::HALT));
        const auto image = chip_test::image_of(config_, code_, options_.hbm_bytes);
        code_.clear();
        Pair pair(config_, options_, image, &microcode_);
        auto& core = pair.micro.core();
        pair.micro.host().write(regs::kCtrl, 1);
        uint64_t longest = 0, answers = 0;
        while (!core.irq()) {
          for (uint64_t wait = random_.below(2000); wait > 0 && !core.irq(); --wait) core.step();
          const uint64_t start = core.cycle();
          EXPECT_EQ(pair.micro.host().read(regs::kVmemBytes), config_.vmem_bytes());
          longest = std::max(longest, core.cycle() - start), ++answers;
        }
        EXPECT_LT(longest, kLimit)
            << (store ? "store" : "load") << " at " << far << ", latency " << latency;
        EXPECT_GT(answers, 5u);
      }
}

INSTANTIATE_TEST_SUITE_P(Configs, DmaMicro, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
