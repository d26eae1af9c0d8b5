// The DMA with an AXI4 memory, a VMEM and a CMEM of the bench, and the golden model beside it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "Vdma_core128.h"
#include "Vdma_core16.h"
#include "Vdma_edge.h"
#include "Vdma_mini.h"
#include "golden/machine.h"
#include "tb/axi_memory.h"
#include "tb/bits.h"
#include "tb/command_port.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/stall.h"

namespace dma_test {

using ttpu::golden::Command;
using ttpu::golden::Fault;
using ttpu::golden::Machine;
using ttpu::isa::Error;

/// A memory behind a port of the VMEM's handshake: grants held back at random, data in cycle
/// `latency` after the grant. Extension of tb::Controller.
template <class Addr, class Be, class Data>
class SramPort {
 public:
  struct Signals {
    const CData& rd_req;
    const Addr& rd_addr;
    CData& rd_gnt;
    Data& rd_data;
    CData& rd_valid;
    const CData& wr_req;
    const Addr& wr_addr;
    const Be& wr_be;
    const Data& wr_data;
    CData& wr_gnt;
  };
  SramPort(Signals signals, std::vector<uint8_t>& storage, std::string name, size_t latency = 2)
      : rd_stall(name + " read", 0),
        wr_stall(name + " write", 0),
        s_(signals),
        data_(storage),
        name_(std::move(name)),
        flight_(latency) {}

  void before_clock() {
    s_.rd_valid = flight_.back().valid;
    // Data that nobody may look at is poison.
    if (flight_.back().valid)
      s_.rd_data = flight_.back().data;
    else
      std::memset(tb::bytes_of(s_.rd_data), 0xa5, sizeof(Data));
    std::shift_right(flight_.begin(), flight_.end(), 1);
    flight_[0].valid = false;
    s_.rd_gnt = s_.rd_req && !rd_stall.stall(s_.rd_req);
    s_.wr_gnt = s_.wr_req && !wr_stall.stall(s_.wr_req);
  }
  void at_clock() {
    if (held_rd_ && !s_.rd_req) tb::fail(name_ + ": a read request fell before its grant");
    if (held_wr_ && !s_.wr_req) tb::fail(name_ + ": a write request fell before its grant");
    if (s_.rd_req && s_.rd_gnt) {
      flight_[0].valid = true;
      std::memcpy(tb::bytes_of(flight_[0].data), &data_[at(s_.rd_addr)], sizeof(Data));
      ++reads;
    }
    if (s_.wr_req && s_.wr_gnt) {
      uint8_t* to = &data_[at(s_.wr_addr)];
      for (size_t i = 0; i < sizeof(Data); ++i)
        if (tb::bytes_of(s_.wr_be)[i / 8] >> (i % 8) & 1) to[i] = tb::bytes_of(s_.wr_data)[i];
      ++writes;
    }
    held_rd_ = s_.rd_req && !s_.rd_gnt;
    held_wr_ = s_.wr_req && !s_.wr_gnt;
  }
  /// Data that was granted has been delivered.
  bool quiet() const {
    return std::ranges::none_of(flight_, [](const Flight& f) { return f.valid; });
  }

  tb::StallInjector rd_stall, wr_stall;
  uint64_t reads = 0, writes = 0;

 private:
  size_t at(uint64_t addr) {
    addr = addr / sizeof(Data) * sizeof(Data);
    if (addr + sizeof(Data) <= data_.size()) return addr;
    tb::fail(tb::format("%s: access at 0x%llx, beyond the end", name_.c_str(),
                        static_cast<unsigned long long>(addr)));
    return 0;
  }
  struct Flight {
    bool valid = false;
    Data data{};
  };
  Signals s_;
  std::vector<uint8_t>& data_;
  std::string name_;
  std::vector<Flight> flight_;  // granted in the cycle before, in the one before that, ...
  bool held_rd_ = false, held_wr_ = false;
};

/// What is special to the build of a configuration.
template <class M>
struct Traits;
template <>
struct Traits<Vdma_mini> {
  static constexpr unsigned kAxiBytes = 8;
  static constexpr const char* kName = "mini";
  static constexpr uint32_t kCmemBytes = 0;
};
template <>
struct Traits<Vdma_edge> {  // with a CMEM, to try it with VMEM words of several beats
  static constexpr unsigned kAxiBytes = 4;
  static constexpr const char* kName = "edge";
  static constexpr uint32_t kCmemBytes = 65536;
};
template <>
struct Traits<Vdma_core16> {
  static constexpr unsigned kAxiBytes = 64;
  static constexpr const char* kName = "core16";
  static constexpr uint32_t kCmemBytes = 0;
};
template <>
struct Traits<Vdma_core128> {
  static constexpr unsigned kAxiBytes = 64;
  static constexpr const char* kName = "core128";
  static constexpr uint32_t kCmemBytes = 4194304;
};

template <class M>
ttpu::Config config_of() {
  for (const auto& c : ttpu::kConfigs) {
    if (c.name != Traits<M>::kName) continue;
    ttpu::Config config = c;
    config.cmem_bytes = Traits<M>::kCmemBytes;
    return config;
  }
  throw tb::BenchError("no such configuration");
}

/// Counts, strides and places of one transfer.
struct Transfer {
  uint32_t channel = 0;
  bool store = false, cmem = false;
  uint32_t n[4] = {0, 1, 1, 1};
  int32_t far_stride[3] = {}, vmem_stride[3] = {};
  uint32_t far = 0, vmem = 0;
};

struct Setup {
  uint64_t hbm_bytes = 1 << 18;   ///< window
  uint64_t window_offset = 8192;  ///< of the window in the AXI memory: any alignment
  uint64_t margin = 8192;         ///< memory behind the window, must stay as it was
  tb::AxiMemoryOptions axi = {};
  uint32_t vmem_stall = 0;  ///< percent, also of CMEM
  uint32_t cmd_stall = 0;
  uint64_t random_init_seed = 0;
};

template <class M>
class DmaBench {
 public:
  static constexpr unsigned kAxi = Traits<M>::kAxiBytes;
  static constexpr uint64_t kMemoryBase = 0x3'4567'0000;
  using Vmem = SramPort<IData, std::remove_reference_t<decltype(std::declval<M>().vmem_wr_be_o)>,
                        std::remove_reference_t<decltype(std::declval<M>().vmem_wr_data_o)>>;
  using Cmem = SramPort<std::remove_reference_t<decltype(std::declval<M>().cmem_wr_addr_o)>,
                        std::remove_reference_t<decltype(std::declval<M>().cmem_wr_be_o)>,
                        std::remove_reference_t<decltype(std::declval<M>().cmem_wr_data_o)>>;

  explicit DmaBench(Setup setup = {})
      : setup(setup),
        config(config_of<M>()),
        golden(config, setup.hbm_bytes),
        random("bench"),
        memory_storage(setup.window_offset + setup.hbm_bytes + setup.margin),
        vmem_storage(config.vmem_bytes()),
        cmem_storage(config.cmem_bytes),
        top(options()),
        memory(TTPU_BIND_AXI(kAxi, top.dut(), m_axi_), memory_storage, axi_options()),
        vmem({top->vmem_rd_req_o, top->vmem_rd_addr_o, top->vmem_rd_gnt_i, top->vmem_rd_data_i,
              top->vmem_rd_valid_i, top->vmem_wr_req_o, top->vmem_wr_addr_o, top->vmem_wr_be_o,
              top->vmem_wr_data_o, top->vmem_wr_gnt_i},
             vmem_storage, "vmem", config.fp_stages == 1 ? 2 : 3),
        cmem({top->cmem_rd_req_o, top->cmem_rd_addr_o, top->cmem_rd_gnt_i, top->cmem_rd_data_i,
              top->cmem_rd_valid_i, top->cmem_wr_req_o, top->cmem_wr_addr_o, top->cmem_wr_be_o,
              top->cmem_wr_data_o, top->cmem_wr_gnt_i},
             cmem_storage, "cmem"),
        unit{tb::UnitDriver(TTPU_BIND_COMMAND_AT(top.dut(), , 0), "dma0", setup.cmd_stall),
             tb::UnitDriver(TTPU_BIND_COMMAND_AT(top.dut(), , 1), "dma1", setup.cmd_stall)} {
    random.fill(memory_storage);
    random.fill(vmem_storage);
    random.fill(cmem_storage);
    before = memory_storage;
    copy_to_golden();
    top->hbm_base_i = kMemoryBase + setup.window_offset;
    top->hbm_size_i = setup.hbm_bytes;
    top->halt_i = 0;
    top->clear_i = 0;
    for (auto* s : {&vmem.rd_stall, &vmem.wr_stall, &cmem.rd_stall, &cmem.wr_stall})
      s->set(setup.vmem_stall);
  }

  void tick() {
    top.tick(memory, vmem, cmem, unit[0], unit[1], *this);
    ++now;
  }
  /// Until both channels have no command left; false after `limit` cycles.
  bool drain(uint64_t limit = 2'000'000) {
    for (uint64_t i = 0; !unit[0].idle() || !unit[1].idle(); ++i) {
      if (i == limit) {
        tb::fail(
            tb::format("hang: dma0: %s; dma1: %s", unit[0].now().c_str(), unit[1].now().c_str()));
        return false;
      }
      tick();
    }
    return true;
  }
  void at_clock() {
    counted_read += top->hbm_rd_bytes_o;
    counted_write += top->hbm_wr_bytes_o;
  }

  /// Commands of a transfer.
  std::vector<Command> commands(const Transfer& t) {
    std::vector<Command> list;
    ttpu::isa::DmaShape shape;
    shape.channel = t.channel;
    shape.n0 = t.n[0], shape.n1 = t.n[1], shape.n2 = t.n[2], shape.n3 = t.n[3];
    ttpu::isa::DmaHstride hs;
    hs.channel = t.channel;
    hs.s1 = t.far_stride[0], hs.s2 = t.far_stride[1], hs.s3 = t.far_stride[2];
    ttpu::isa::DmaVstride vs;
    vs.channel = t.channel;
    vs.s1 = t.vmem_stride[0], vs.s2 = t.vmem_stride[1], vs.s3 = t.vmem_stride[2];
    add(list, shape.encode());
    add(list, hs.encode());
    add(list, vs.encode());
    // The address is the sum of a register and an immediate, modulo 2^32.
    const uint32_t part_h = random.u32(), part_v = random.u32() & 0xffffff;
    Command c;
    if (t.store) {
      ttpu::isa::DmaStore s;
      s.channel = t.channel, s.space = t.cmem, s.imm_h = part_h, s.imm_v = part_v;
      c.instr = s.encode();
    } else {
      ttpu::isa::DmaLoad s;
      s.channel = t.channel, s.space = t.cmem, s.imm_h = part_h, s.imm_v = part_v;
      c.instr = s.encode();
    }
    c.a = t.far - part_h;
    c.b = t.vmem - part_v;
    c.pc = pc++ & 0xffff;
    list.push_back(c);
    return list;
  }
  void add(std::vector<Command>& list, ttpu::isa::Instr instr) {
    Command c;
    c.instr = instr;
    c.a = random.u32(), c.b = random.u32(), c.c = random.u32();  // registers that it must not read
    c.pc = pc++ & 0xffff;
    list.push_back(c);
  }

  /// Send a transfer and carry it out on the golden model; its fault, if it has one.
  std::optional<Fault> send(const Transfer& t) {
    std::optional<Fault> fault;
    for (const Command& c : commands(t)) {
      unit[t.channel].send(c);
      fault = golden.execute(c);
    }
    return fault;
  }

  /// Halt as control does after an error, wait for quiet, clear.
  void halt_and_clear(uint64_t limit = 200'000) {
    top->halt_i = 1;
    unit[0].clear();
    unit[1].clear();
    uint64_t i = 0;
    do {
      tick();
      if (++i == limit) {
        tb::fail("no quiet after halt");
        return;
      }
    } while (!unit[0].status().quiet || !unit[1].status().quiet);
    halt_cycles = i;
    EXPECT_TRUE(memory.quiet()) << "quiet with a burst open on the bus";
    EXPECT_TRUE(vmem.quiet()) << "quiet with VMEM data on its way";
    EXPECT_TRUE(cmem.quiet()) << "quiet with CMEM data on its way";
    top->clear_i = 1;
    tick();
    top->clear_i = 0;
    top->halt_i = 0;
    unit[0].clear();
    unit[1].clear();
    golden.clear();
  }

  void copy_to_golden() {
    golden.vmem = vmem_storage;
    std::copy_n(memory_storage.begin() + static_cast<ptrdiff_t>(setup.window_offset),
                setup.hbm_bytes, golden.hbm.begin());
    golden.cmem = cmem_storage;
  }

  /// All memories as the golden model has them, nothing outside the window touched.
  bool check(const std::string& what) {
    using Bytes = std::span<const uint8_t>;
    const Bytes all(memory_storage), was(before);
    const size_t first = setup.window_offset, last = first + setup.hbm_bytes;
    bool ok = tb::expect_equal("vmem", now, what, Bytes(golden.vmem), Bytes(vmem_storage));
    ok &=
        tb::expect_equal("hbm", now, what, Bytes(golden.hbm), all.subspan(first, setup.hbm_bytes));
    ok &= tb::expect_equal("cmem", now, what, Bytes(golden.cmem), Bytes(cmem_storage));
    ok &= tb::expect_equal("before window", now, what, was.first(first), all.first(first));
    ok &= tb::expect_equal("behind window", now, what, was.subspan(last), all.subspan(last));
    return ok;
  }

  const Setup setup;
  const ttpu::Config config;
  Machine golden;
  tb::Random random;
  std::vector<uint8_t> memory_storage, before, vmem_storage, cmem_storage;
  tb::Controller<M> top;
  tb::AxiMemory<kAxi> memory;
  Vmem vmem;
  Cmem cmem;
  tb::UnitDriver unit[2];
  uint64_t now = 0, counted_read = 0, counted_write = 0, halt_cycles = 0;
  uint32_t pc = 0;

 private:
  tb::ControllerOptions options() const {
    tb::ControllerOptions o;
    o.name = std::string("dma ") + Traits<M>::kName;
    o.timeout_cycles = 1ull << 40;
    o.random_init_seed = setup.random_init_seed;
    return o;
  }
  tb::AxiMemoryOptions axi_options() const {
    auto o = setup.axi;
    o.base = kMemoryBase;
    o.max_reads = config.axi_outstanding;
    for (auto& e : o.errors) e.first += kMemoryBase, e.last += kMemoryBase;
    return o;
  }
};

/// A random transfer inside the region of its channel: the lower or the upper half of each memory.
template <class M>
Transfer random_transfer(DmaBench<M>& b, uint32_t channel, uint32_t most_bytes = 8000) {
  tb::Random& r = b.random;
  const int64_t axi = DmaBench<M>::kAxi, word = b.config.word_bytes();
  for (;;) {
    Transfer t;
    t.channel = channel;
    t.store = r.coin();
    t.cmem = b.config.cmem_bytes != 0 && r.chance(40);
    const auto around =
        std::to_array<int64_t>({0, 1, 2, 3, axi - 1, axi, axi + 1, word - 1, word, word + 1,
                                2 * axi + 3, 64 * axi - 1, 64 * axi, 64 * axi + 1, 4096, 4097});
    const int64_t n0 = r.chance(60)   ? r.pick(around)
                       : r.chance(80) ? r.between(0, 300)
                                      : r.between(0, 6000);
    t.n[0] = static_cast<uint32_t>(n0);
    int64_t total = n0;
    for (int d = 1; d < 4; ++d) {
      t.n[d] = static_cast<uint32_t>(r.chance(4) ? 0 : r.chance(40) ? 1 : r.between(1, 7));
      total *= t.n[d];
    }
    if (total > most_bytes) continue;
    const uint64_t far_half = (t.cmem ? b.config.cmem_bytes : b.setup.hbm_bytes) / 2;
    const uint64_t vmem_half = b.config.vmem_bytes() / 2;
    int64_t far_low = 0, far_high = n0, vmem_low = 0, vmem_high = n0;
    for (int d = 0; d < 3; ++d) {
      const auto choices = std::to_array<int64_t>(
          {0, n0, -n0, n0 + 1, axi, 4096, word, -word, r.between(-3000, 3000)});
      t.far_stride[d] = static_cast<int32_t>(r.pick(choices));
      t.vmem_stride[d] = static_cast<int32_t>(r.pick(choices));
      const int64_t steps = t.n[d + 1] ? t.n[d + 1] - 1 : 0;
      const auto widen = [&](int64_t& low, int64_t& high, int64_t reach) {
        (reach < 0 ? low : high) += reach;
      };
      widen(far_low, far_high, steps * t.far_stride[d]);
      widen(vmem_low, vmem_high, steps * t.vmem_stride[d]);
    }
    const auto place = [&](int64_t low, int64_t high, uint64_t half, uint32_t& start) {
      const int64_t room = static_cast<int64_t>(half) - (high - low);
      if (room < 0) return false;
      // At the edges of the region as often as inside.
      const int64_t at = r.chance(20) ? 0 : r.chance(25) ? room : r.between(0, room);
      start = static_cast<uint32_t>(static_cast<int64_t>(channel * half) + at - low);
      return true;
    };
    if (place(far_low, far_high, far_half, t.far) && place(vmem_low, vmem_high, vmem_half, t.vmem))
      return t;
  }
}

using Models = ::testing::Types<Vdma_mini, Vdma_edge, Vdma_core16, Vdma_core128>;

}  // namespace dma_test
