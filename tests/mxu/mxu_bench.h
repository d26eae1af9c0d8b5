// Bench of the matrix unit: command drivers for its two queues, a VMEM whose grants stall at
// random, the VPU's accumulator port, and the golden model beside it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "golden/machine.h"
#include "isa/generated/isa_gen.h"
#include "tb/bits.h"
#include "tb/command_port.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/scoreboard.h"
#include "tb/stall.h"

namespace mxu_test {

using ttpu::Config;
using ttpu::golden::Command;
using ttpu::golden::Fault;
using ttpu::golden::Machine;
using ttpu::isa::Dtype;
using ttpu::isa::Error;
using ttpu::isa::Instr;
using ttpu::isa::MxuLoadw;
using ttpu::isa::MxuMatmul;
using ttpu::isa::MxuShape;

/// Configuration of a build under test, for the golden model.
inline Config make_config(uint32_t n, uint32_t has_fp, uint32_t stages, uint32_t acc_rows,
                          uint32_t vmem_bytes) {
  Config c = *ttpu::find_config(n == 4 ? "mini" : n == 8 ? "edge" : "core16");
  c.n = n;
  c.has_fp = has_fp;
  c.pe_stages = stages;
  c.acc_rows = acc_rows;
  c.vmem_banks = 1;
  c.vmem_rows = vmem_bytes / (4 * n);
  return c;
}

/// A VMEM read port: data in cycle `latency` after the grant.
class ReadPort {
 public:
  ReadPort(const std::vector<uint8_t>& memory, uint32_t word_bytes, size_t latency,
           std::string name)
      : memory_(memory), word_(word_bytes), pipe_(latency), stall(std::move(name), 0) {}

  /// Clock low: grant? `data` and `valid` are driven for this cycle.
  template <class Data>
  void drive(bool request, uint32_t addr, CData& grant, CData& valid, Data& data) {
    grant = request && !stall.stall(true);
    valid = pipe_.back().valid;
    if (valid)
      std::memcpy(tb::bytes_of(data), memory_.data() + pipe_.back().addr, word_);
    else
      std::memset(tb::bytes_of(data), 0xa5, word_);  // nothing may be taken from here
    std::shift_right(pipe_.begin(), pipe_.end(), 1);
    pipe_[0] = {grant != 0, addr / word_ * word_};
    if (grant && pipe_[0].addr + word_ > memory_.size()) {
      tb::fail(tb::format("%s: read beyond VMEM at 0x%x", stall.name().c_str(), addr));
      pipe_[0].valid = false;
    }
    grants += grant;
  }
  uint64_t grants = 0;

 private:
  const std::vector<uint8_t>& memory_;
  uint32_t word_;
  struct Slot {
    bool valid = false;
    uint32_t addr = 0;
  };
  std::vector<Slot> pipe_;  ///< granted in the cycle before, in the one before that, ...

 public:
  tb::StallInjector stall;
};

/// `Traits` names the model and its parameters.
template <class Traits>
class Bench {
 public:
  using Model = typename Traits::Model;
  static constexpr uint32_t kN = Traits::kN;
  static constexpr size_t kLatency = Traits::kFpStages == 1 ? 2 : 3;  // of VMEM, in cycles

  explicit Bench(uint64_t random_init_seed = 0)
      : config(
            make_config(kN, Traits::kHasFp, Traits::kStages, Traits::kAccRows, Traits::kVmemBytes)),
        golden(config, 4096),
        w_port(golden.vmem, 4 * kN, kLatency, "weights' VMEM port"),
        x_port(golden.vmem, 4 * kN, kLatency, "activations' VMEM port"),
        ctl({.timeout_cycles = 400'000'000, .random_init_seed = random_init_seed}),
        w(TTPU_BIND_COMMAND(ctl.dut(), w_), "MXW"),
        s(TTPU_BIND_COMMAND(ctl.dut(), s_), "MXS") {
    ctl->halt_i = ctl->clear_i = ctl->acc_req_i = 0;
    random.fill(golden.vmem);  // poison: whatever is read by mistake shows
    ctl.reset();
  }

  // ---- extension of the controller
  // ---------------------------------------------------------------
  void before_clock() {
    w.before_clock();
    s.before_clock();
    Model& m = ctl.dut();
    w_port.drive(m.w_rd_req_o, m.w_rd_addr_o, m.w_rd_gnt_i, m.w_rd_valid_i, m.w_rd_data_i);
    x_port.drive(m.x_rd_req_o, m.x_rd_addr_o, m.x_rd_gnt_i, m.x_rd_valid_i, m.x_rd_data_i);
  }
  void at_clock() {
    w.at_clock();
    s.at_clock();
    rows += ctl->rows_o;
    macs += ctl->macs_o;
  }
  void after_clock() {
    w.after_clock();
    s.after_clock();
  }
  void tick() { ctl.tick(*this); }
  void run(uint64_t cycles) { ctl.run(cycles, *this); }

  // ---- commands
  // --------------------------------------------------------------------------------------
  /// Send a command and carry it out on the golden model. Returns the golden model's fault.
  std::optional<Fault> send(const Instr& instr, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
    Command command;
    command.instr = instr;
    command.a = a;
    command.b = b;
    command.c = c;
    command.pc = pc_++ & 0xffff;
    EXPECT_TRUE(golden.ready(command)) << tb::describe(command);
    const bool loads = instr.get(0, 8) == static_cast<uint32_t>(MxuLoadw::kOpcode);
    (loads ? w : s).send(command);
    return golden.execute(command);
  }
  /// Wait until all is done.
  bool finish(uint64_t limit = 2'000'000) {
    return ctl.run_until([&] { return w.idle() && s.idle(); }, limit, "MXW and MXS to be done",
                         *this);
  }
  /// Leave an error behind, as control does.
  void clear() {
    ctl->halt_i = 1;
    ctl.run_until([&] { return w.status().quiet && s.status().quiet; }, 1000, "quiet", *this);
    ctl->clear_i = 1;
    tick();
    ctl->clear_i = 0;
    ctl->halt_i = 0;
    w.clear();
    s.clear();
    golden.clear();
  }

  /// New operands in VMEM: any bytes, or bfloat16 of like size, whose sums neither overflow nor
  /// cancel at once (and some of them zero, subnormal, infinite).
  void new_operands(bool like_size) {
    random.fill(golden.vmem);
    if (!like_size) return;
    for (size_t i = 0; i + 1 < golden.vmem.size(); i += 2) {
      const uint32_t bits = random.u32();
      uint32_t value = (bits & 0x807f) | (120 + (bits >> 16) % 14) << 7;
      if ((bits >> 20) % 256 == 0) value = bits & 0x807f;
      if ((bits >> 20) % 4096 == 1) value = 0x7f80 | (bits & 0x8000);
      std::memcpy(&golden.vmem[i], &value, 2);
    }
  }

  // ---- accumulators
  // ------------------------------------------------------------------------------------
  /// Read rows first..last-1 through the VPU's port and compare with the golden model.
  void check_rows(uint32_t first, uint32_t last) {
    std::array<int64_t, 2> row = {-1, -1};
    for (uint32_t r = first; r < last + 2; ++r) {
      ctl->acc_req_i = r < last;
      ctl->acc_row_i = static_cast<uint16_t>(r < last ? r : 0);
      ctl.settle();
      if (r < last && !ctl->acc_gnt_o) tb::fail("acc_gnt_o is low while the MXU is idle");
      if (row[1] >= 0) compare_row(static_cast<uint32_t>(row[1]));
      row[1] = row[0];
      row[0] = r < last ? r : -1;
      tick();
    }
    ctl->acc_req_i = 0;
  }
  void check_all() { check_rows(0, config.acc_total()); }

  /// Fill every accumulator row with something known, through the array: rows of VMEM times
  /// weights.
  void fill_accumulators() {
    MxuLoadw load;
    load.k = load.n = kN;
    load.stride = 1;
    send(load.encode());
    MxuMatmul mm;
    mm.rows = std::min<uint32_t>(config.acc_total(), 65535);
    mm.stride = 0;
    mm.swap = 1;
    send(mm.encode());
    finish();
  }

  Config config;
  Machine golden;
  ReadPort w_port, x_port;
  tb::Controller<Model> ctl;
  tb::UnitDriver w, s;
  tb::Random random;
  uint64_t rows = 0, macs = 0;

 private:
  void compare_row(uint32_t r) {
    const uint32_t* want = &golden.acc[static_cast<size_t>(r) * kN];
    const uint8_t* got = tb::bytes_of(ctl->acc_data_o);
    if (std::memcmp(want, got, 4 * kN) == 0) return;
    uint32_t lanes[kN];
    std::memcpy(lanes, got, 4 * kN);
    const std::string command = s.done().empty() ? "none" : tb::describe(s.done().back().command);
    tb::expect_equal<uint32_t>(tb::format("acc_data_o of row %u, lane ", r), ctl.cycle(), command,
                               {want, kN}, {lanes, kN});
  }
  uint32_t pc_ = 1;
};

// ---- matrix products composed of tiles
// ---------------------------------------------------------------

/// A product of shapes m x k x n in tiles. Operands lie anywhere in VMEM, whose bytes are random.
struct Gemm {
  uint32_t m = 1, k = 1, n = 1;
  Dtype a_type = Dtype::S8, w_type = Dtype::S8;
  uint32_t acc = 0;        ///< first row of the result; tile column t stands at acc + t * m
  bool add = false;        ///< add to what stands there
  uint32_t tail_rows = 0;  ///< rows of the result: m * tiles of columns
};

/// Random address of `rows` rows of `row_bytes` at `stride` units of N bytes, inside VMEM.
template <class B>
uint32_t random_address(B& bench, uint32_t rows, uint32_t row_bytes, int32_t stride) {
  const int64_t unit = B::kN, span = static_cast<int64_t>(rows - 1) * stride * unit;
  const int64_t size = static_cast<int64_t>(bench.golden.vmem.size());
  const int64_t low = span < 0 ? -span : 0, high = size - row_bytes - (span > 0 ? span : 0);
  const int64_t at = bench.random.between(low, high);
  return static_cast<uint32_t>((at + row_bytes - 1) / row_bytes * row_bytes) >
                 static_cast<uint32_t>(high)
             ? static_cast<uint32_t>(at / row_bytes * row_bytes)
             : static_cast<uint32_t>((at + row_bytes - 1) / row_bytes * row_bytes);
}

template <class B>
int32_t random_stride(B& bench, bool wide, uint32_t row_bytes) {
  const int32_t row = static_cast<int32_t>(row_bytes / B::kN);
  if (!wide) return row;
  return static_cast<int32_t>(bench.random.between(-3, 4)) * row;
}

/// Send the commands of a product. `wide`: odd strides, else packed tiles.
template <class B>
void send_gemm(B& bench, const Gemm& g, bool wide) {
  const uint32_t n = B::kN, bytes = g.w_type == Dtype::BF16 ? 2 : 1;
  for (uint32_t c = 0, tile = 0; c < g.n; c += n, ++tile) {
    for (uint32_t k = 0; k < g.k; k += n) {
      MxuLoadw load;
      load.k = std::min(n, g.k - k);
      load.n = std::min(n, g.n - c);
      load.dtype = static_cast<uint32_t>(g.w_type);
      load.stride = random_stride(bench, wide && bench.random.chance(30), n * bytes);
      uint32_t at = random_address(bench, load.k, n * bytes, load.stride);
      if (!wide || bench.random.coin()) {  // whole words
        const uint32_t aligned = at / (4 * n) * (4 * n);
        if (load.stride == static_cast<int32_t>(bytes)) at = aligned;
      }
      const uint32_t a = bench.random.u32();
      load.imm_a = (at - a) & 0xffffff;
      ASSERT_FALSE(bench.send(load.encode(), at - load.imm_a).has_value());
      MxuMatmul mm;
      mm.dtype = static_cast<uint32_t>(g.a_type);
      mm.stride = random_stride(bench, wide && bench.random.chance(30), n * bytes);
      const uint32_t from = random_address(bench, g.m, n * bytes, mm.stride);
      mm.imm_a = bench.random.u32() & 0xffffff;
      mm.accumulate = k > 0 || g.add;
      mm.swap = 1;
      const uint32_t acc = g.acc + tile * g.m;
      mm.acc = static_cast<uint32_t>(bench.random.below(acc + 1));
      mm.rows = static_cast<uint32_t>(bench.random.below(g.m + 1));
      ASSERT_FALSE(
          bench.send(mm.encode(), from - mm.imm_a, acc - mm.acc, g.m - mm.rows).has_value());
    }
  }
}

template <class B>
Gemm random_gemm(B& bench) {
  const uint32_t n = B::kN;
  auto& r = bench.random;
  Gemm g;
  g.m = static_cast<uint32_t>(r.between(1, 3 * n + 1));
  g.k = static_cast<uint32_t>(r.between(1, 3 * n + 1));
  g.n = static_cast<uint32_t>(r.between(1, 3 * n + 1));
  if (bench.config.has_fp && r.chance(40)) {
    g.a_type = g.w_type = Dtype::BF16;
  } else {
    g.a_type = r.coin() ? Dtype::S8 : Dtype::U8;
    g.w_type = r.coin() ? Dtype::S8 : Dtype::U8;
  }
  g.tail_rows = (g.n + n - 1) / n * g.m;
  g.acc = static_cast<uint32_t>(r.between(1, bench.config.acc_total() - g.tail_rows - 1));
  g.add = r.chance(25);
  return g;
}

}  // namespace mxu_test
