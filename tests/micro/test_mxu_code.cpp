// Microcode of the matrix unit against the golden model: walks, masks, signed and unsigned types,
// the order of the checks.
#include "micro_fixture.h"

namespace micro_test {
namespace {

using namespace ttpu;

class MxuMicro : public OnMicro {
 protected:
  uint32_t below(uint64_t limit) { return static_cast<uint32_t>(random_.below(limit)); }
  int32_t any_stride(int32_t limit) {
    return static_cast<int32_t>(random_.below(2 * static_cast<uint64_t>(limit) + 1)) - limit;
  }
  uint32_t n() const { return config_.n; }

  void loadw(uint32_t addr, int32_t stride, uint32_t k, uint32_t cols, uint32_t dtype) {
    const auto imm = static_cast<uint32_t>(random_.below(1u << 24));
    add(isa::MxuLoadw{.imm_a = imm, .stride = stride, .k = k, .n = cols, .dtype = dtype}.encode(),
        {addr - imm, random_.u32(), random_.u32()});
  }
  void matmul(uint32_t addr, int32_t stride, uint32_t rows, uint32_t acc, uint32_t dtype,
              uint32_t accumulate, uint32_t swap) {
    const auto imm = static_cast<uint32_t>(random_.below(1u << 24));
    const uint32_t rows_imm = below(65536), acc_imm = below(65536);
    add(isa::MxuMatmul{.imm_a = imm,
                       .stride = stride,
                       .rows = rows_imm,
                       .acc = acc_imm,
                       .dtype = dtype,
                       .accumulate = accumulate,
                       .swap = swap}
            .encode(),
        {addr - imm, acc - acc_imm, rows - rows_imm});
  }
  void legal_loadw() {
    const uint32_t vmem = config_.vmem_bytes();
    loadw(vmem / 2 + n() * below(64), any_stride(20), 1 + below(n()), 1 + below(n()), below(2));
  }
};

TEST_P(MxuMicro, RandomProducts) {
  const int programs = tb::long_run() ? 2000 : 80;
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    bool filled = false;
    for (int k = 0; k < 6; ++k) {
      if (!filled && random_.coin()) legal_loadw(), filled = true;
      if (random_.below(3) == 0)
        add(isa::MxuShape{.inner0 = below(3) == 0 ? 0 : 1 + below(9),
                          .stride1 = any_stride(60),
                          .inner1 = below(3) == 0 ? 0 : 1 + below(5),
                          .stride2 = any_stride(60)}
                .encode());
      const uint32_t rows = 1 + below(24);
      matmul(config_.vmem_bytes() / 2 + n() * below(64), any_stride(20), rows,
             below(config_.acc_total() - rows + 1), below(2), below(2), filled && random_.coin());
      filled = filled && !code_.back().get(122, 1);
    }
    if (filled) matmul(0, 0, 1, 0, 0, 0, 1);
    both("program " + std::to_string(i));
  }
}

// The rows of a long MATMUL run on behind it: each that wants the array, the accumulators, or to
// write VMEM waits (the model of the core throws where hardware would go wrong).
TEST_P(MxuMicro, RowsRunOn) {
  const uint32_t rows = config_.acc_total(), at = config_.vmem_bytes() / 2;
  isa::VpuSeta a{};
  a.src = 1, a.dtype = static_cast<uint32_t>(isa::Dtype::I32), a.s0 = 1;
  isa::VpuSetd d{};
  d.s0 = 1;
  isa::VpuShape shape{};
  shape.n0 = 20, shape.n1 = shape.n2 = 1;
  isa::VpuRun run{};
  run.lanes = n();
  isa::VpuXpose xpose{};
  xpose.rows = xpose.lanes = n();
  isa::DmaShape dma{};
  dma.n0 = 64, dma.n1 = dma.n2 = dma.n3 = 1;
  const uint32_t last = at + (rows - 20) * n();
  const auto load = isa::MxuLoadw{.stride = 1, .k = n(), .n = n()}.encode();
  const auto product = [&](uint32_t count, uint32_t accumulate, uint32_t swap) {
    return isa::MxuMatmul{
        .imm_a = at, .stride = 1, .rows = count, .accumulate = accumulate, .swap = swap}
        .encode();
  };
  struct Case {
    const char* what;
    Operands operands;
    std::vector<isa::Instr> then;
  };
  const std::vector<Case> cases = {
      {"MATMUL", {}, {product(rows, 1, 0)}},
      {"LOADW, MATMUL with swap", {}, {load, product(5, 0, 1)}},
      {"load", {0, last, 0}, {isa::DmaLoad{}.encode()}},
      {"RUN", {rows - 20, 0, last}, {run.encode()}},
      {"XPOSE", {0, last, 0}, {isa::VpuSeta{.s0 = 1}.encode(), xpose.encode()}},
  };
  for (const Case& c : cases) {
    for (const uint32_t inner : {0u, rows - 3}) {
      add(a.encode());
      add(d.encode());
      add(shape.encode());
      add(dma.encode());
      add(isa::MxuShape{.inner0 = inner, .stride1 = 1}.encode(), c.operands);
      // Twice: the second time all is decoded, so that one command follows the other at once.
      code_.push_back(chip_test::plain(isa::Opcode::ADD, {.rc = 9}, 2));
      const auto begin = static_cast<uint32_t>(code_.size());
      code_.push_back(load);
      code_.push_back(product(rows, 0, 1));
      for (const auto& instr : c.then)
        code_.push_back(chip_test::with(instr, {.ra = 1, .rb = 2, .rc = 3}));
      code_.push_back(chip_test::plain(isa::Opcode::DBNZ, {.rc = 9}, begin));
      EXPECT_TRUE(both(c.what).done) << c.what;
    }
  }
}

TEST_P(MxuMicro, TheRunEndsBehindTheLastRow) {
  uint64_t cycles[2] = {};
  for (const uint32_t rows : {1u, 200u}) {
    matmul(0, 1, rows, 0, 0, 0, 0);
    cycles[rows > 1] = both("rows " + std::to_string(rows)).counter(regs::CYCLES);
  }
  EXPECT_GT(cycles[1], cycles[0] + 20) << "HALT did not wait for the rows";
}

TEST_P(MxuMicro, ExtremesOfUnsignedBytes) {
  // rows and weights of 0, 127, 128 and 255 alone
  for (const uint32_t x_type : {0u, 1u})
    for (const uint32_t w_type : {0u, 1u}) {
      loadw(0, 1, n(), n(), w_type);
      matmul(n() * n(), 1, 16, 0, x_type, 0, 1);
      matmul(n() * n(), 1, 16, 8, x_type, 1, 0);
      code_.push_back(chip_test::plain(isa::Opcode::HALT));
      const auto image = chip_test::image_of(config_, code_, options_.hbm_bytes);
      code_.clear();
      Pair pair(config_, options_, image, &microcode_);
      std::vector<uint8_t> bytes(n() * n() + 16 * n());
      const uint8_t values[] = {0, 127, 128, 255};
      for (auto& byte : bytes) byte = values[below(4)];
      pair.golden.write_vmem(0, bytes), pair.micro.write_vmem(0, bytes);
      RunResult result;
      EXPECT_EQ(run_and_compare(pair, result), "") << "types " << x_type << " " << w_type;
    }
}

TEST_P(MxuMicro, Faults) {
  const int programs = tb::long_run() ? 6000 : 400;
  const uint32_t vmem = config_.vmem_bytes();
  const auto around = [&](uint32_t end) {
    if (random_.below(8) == 0) return random_.u32();
    const auto at = static_cast<int32_t>(n()) * any_stride(12);
    return (random_.coin() ? end : 0) + static_cast<uint32_t>(at) + (below(12) == 0);
  };
  for (int i = 0; i < programs && !HasFailure(); ++i) {
    const auto stride = [&] { return below(5) == 0 ? any_stride((1 << 19) - 1) : any_stride(9); };
    const auto count = [&] { return below(12) == 0 ? below(512) : 1 + below(n()); };
    const auto type = [&] { return below(10) == 0 ? below(8) : below(2); };
    if (random_.coin()) {
      legal_loadw();
      matmul(0, 1, 1, 0, 0, 0, 1);
    }
    if (random_.coin()) {
      loadw(around(vmem), stride(), count(), count(), type());
      if (random_.coin()) loadw(around(vmem), stride(), count(), count(), 2 + below(3));
      if (random_.coin()) matmul(0, 1, 1, 0, 0, 0, 1);
    } else {
      add(isa::MxuShape{.inner0 = below(2) == 0 ? 0 : 1 + below(6),
                        .stride1 = stride(),
                        .inner1 = below(2) == 0 ? 0 : 1 + below(4),
                        .stride2 = stride()}
              .encode());
      const uint32_t rows = below(6) == 0 ? random_.u32() & 0x1ffff : below(30);
      const uint32_t acc = below(3) == 0 ? config_.acc_total() - below(40) : below(100);
      matmul(around(vmem), stride(), rows, below(12) == 0 ? random_.u32() : acc, type(), below(2),
             below(8) == 0);
    }
    both("program " + std::to_string(i), false);
  }
  expect_faults({"BAD_FIELD", "UNSUPPORTED", "BAD_ALIGN", "VMEM_BOUNDS", "ACC_BOUNDS", "WATCHDOG"});
}

INSTANTIATE_TEST_SUITE_P(Configs, MxuMicro, testing::Values("nano", "nano8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace micro_test
