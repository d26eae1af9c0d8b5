// Cycles of the microcode of DMA and matrix unit, exact: a change, better or worse, shows here. The
// test prints the tables of docs/reference/micro-dma.md.
#include <fmt/format.h>

#include "micro_fixture.h"

namespace micro_test {
namespace {

using namespace ttpu;

class UnitCycles : public OnMicro {
 protected:
  /// Cycles of the last command of the program in its unit's microcode, from its first word to its
  /// return, without what the scheduler does for it; `latency` of the memory.
  uint64_t cycles(const char* routine, uint32_t latency) {
    code_.push_back(chip_test::plain(isa::Opcode::HALT));
    const auto image = chip_test::image_of(config_, code_, options_.hbm_bytes);
    code_.clear();
    uint32_t entry = ~0u;
    for (const auto& label : microcode_.labels)
      if (label.name == routine) entry = label.address;
    uint64_t last = 0;
    const auto attach = [&](timing::micro::Core& core) {
      core.on_step = [&, back = ~0u, start = uint64_t{0}](uint32_t pc, uint64_t taken) mutable {
        if (pc == entry) start = core.cycle() - taken, back = core.reg("LM");
        if (pc == back) last = core.cycle() - taken - start, back = ~0u;
      };
    };
    options_.memory.latency = latency;
    Pair pair(config_, options_, image, &microcode_, 5, attach);
    RunResult result;
    EXPECT_EQ(run_and_compare(pair, result), "");
    EXPECT_NE(last, 0u);
    return last;
  }
  uint64_t move(bool store, uint32_t bytes, uint32_t runs, uint32_t far, uint32_t near,
                uint32_t latency) {
    add(isa::DmaShape{.n0 = bytes, .n1 = runs, .n2 = 1, .n3 = 1}.encode());
    add(isa::DmaHstride{.s1 = 64}.encode());
    add(isa::DmaVstride{.s1 = 64}.encode());
    add(store ? isa::DmaStore{.imm_h = far, .imm_v = near}.encode()
              : isa::DmaLoad{.imm_h = far, .imm_v = near}.encode());
    return cycles("unit_dma", latency);
  }
  uint64_t matmul(uint32_t rows, uint32_t x_type, uint32_t w_type, bool swap) {
    add(isa::MxuLoadw{.stride = 1, .k = config_.n, .n = config_.n, .dtype = w_type}.encode());
    add(isa::MxuMatmul{.stride = 1, .rows = rows, .dtype = x_type, .swap = 1}.encode());
    if (!swap) add(isa::MxuMatmul{.stride = 1, .rows = rows, .dtype = x_type}.encode());
    return cycles("unit_mxs", 1);
  }
  uint64_t loadw(uint32_t k) {
    add(isa::MxuLoadw{.stride = 1, .k = k, .n = config_.n}.encode());
    return cycles("unit_mxw", 1);
  }
  /// A line of the table: what one more costs, and all with one.
  void expect(const char* what, uint64_t each, uint64_t one, uint64_t expected_each,
              uint64_t expected_one) {
    fmt::print("[ttpu] | {} | {} | {} |\n", what, each, one);
    EXPECT_EQ(each, expected_each) << what << ": each further one";
    EXPECT_EQ(one, expected_one) << what << ": with one";
  }
};

TEST_P(UnitCycles, Dma) {
  struct Case {
    const char* what;
    bool store;
    uint32_t bytes, far, near, latency;
    uint64_t word, first, run;
  };
  const Case cases[] = {
      {"load, aligned, latency 1", false, 4, 0, 64, 1, 11, 102, 52},
      {"load, aligned, latency 4", false, 4, 0, 64, 4, 11, 102, 52},
      {"load, aligned, latency 20", false, 4, 0, 64, 20, 28, 120, 70},
      {"load, unaligned, latency 4", false, 4, 1, 64, 4, 34, 180, 130},
      {"store, aligned, latency 1", true, 4, 0, 64, 1, 14, 103, 53},
      {"store, aligned, latency 4", true, 4, 0, 64, 4, 14, 103, 53},
      {"store, aligned, latency 20", true, 4, 0, 64, 20, 30, 119, 53},
      {"store, unaligned, latency 4", true, 4, 2, 64, 4, 44, 153, 103},
  };
  for (const Case& c : cases) {
    const uint64_t one = move(c.store, c.bytes, 1, c.far, c.near, c.latency);
    const uint64_t words = move(c.store, c.bytes + 32, 1, c.far, c.near, c.latency);
    expect(fmt::format("{}: word", c.what).c_str(), (words - one) / 8, one, c.word, c.first);
    const uint64_t runs = move(c.store, c.bytes, 9, c.far, c.near, c.latency);
    expect(fmt::format("{}: run of one word", c.what).c_str(), (runs - one) / 8, one, c.run,
           c.first);
  }
}

TEST_P(UnitCycles, Mxu) {
  const bool four = config_.n == 4;
  const uint64_t some = loadw(config_.n - 1), single = loadw(1), whole = loadw(config_.n);
  expect("LOADW: row of weights", (some - single) / (config_.n - 2), single, four ? 7 : 9,
         four ? 73 : 130);
  fmt::print("[ttpu] | LOADW, N x N signed weights | {} |\n", whole);
  EXPECT_EQ(whole, four ? 40u : 194u) << "LOADW of N x N signed weights";
  struct Case {
    const char* what;
    uint32_t x, w;
    bool swap;
    uint64_t each4, one4, each8, one8;
  };
  const Case cases[] = {
      {"MATMUL with swap: row", 0, 0, true, 0, 86, 0, 98},
      {"MATMUL without swap: row", 0, 0, false, 0, 80, 0, 80},
      {"MATMUL with swap, unsigned activations: row", 1, 0, true, 2, 131, 2, 159},
      {"MATMUL with swap, unsigned weights: row", 0, 1, true, 2, 177, 2, 289},
      {"MATMUL with swap, both unsigned: row", 1, 1, true, 8, 272, 8, 432},
  };
  for (const Case& c : cases) {
    const uint64_t some = matmul(33, c.x, c.w, c.swap), more = matmul(65, c.x, c.w, c.swap);
    const uint64_t each = (more - some) / 32;
    expect(c.what, each, some - 32 * each, four ? c.each4 : c.each8, four ? c.one4 : c.one8);
  }
}

INSTANTIATE_TEST_SUITE_P(Configs, UnitCycles, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
