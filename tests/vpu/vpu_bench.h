// Bench of the VPU: behavioural VMEM and accumulators with random refusals round the Verilated
// unit, the golden model beside it.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
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
#include "vpu_command.h"

namespace vpu_test {

using ttpu::golden::Machine;

inline const Config& config_of(const char* name) {
  for (const auto& c : ttpu::kConfigs)
    if (c.name == name) return c;
  std::abort();
}

/// One read port of a memory: grants, and data `latency` cycles later.
struct ReadPort {
  ReadPort(const std::string& name, size_t latency) : stall(name, 0), word(latency + 1) {}
  tb::StallInjector stall;
  /// Granted in this cycle, one cycle ago, two, ...; empty = nothing.
  std::vector<std::vector<uint8_t>> word;
  uint64_t grants = 0;
  void granted(const uint8_t* data, size_t bytes) {
    word[0].assign(data, data + bytes);
    ++grants;
  }
  void advance() {
    std::ranges::rotate(word, word.end() - 1);
    word[0].clear();
  }
};

template <class Model>
class Bench {
 public:
  explicit Bench(const char* name, tb::ControllerOptions options = {})
      : config(config_of(name)),
        controller(std::move(options)),
        golden(config, 0),
        vmem(config.vmem_bytes()),
        acc(size_t{config.acc_total()} * config.n),
        driver(TTPU_BIND_COMMAND(controller.dut(), ), "vpu") {
    random.fill(vmem);
    for (auto& w : acc) w = any_word();
    for (size_t i = 0; i < vmem.size(); i += 4)
      if (random.coin()) put(static_cast<uint32_t>(i), any_word());
    golden.vmem = vmem;
    golden.acc = acc;
    auto& d = controller.dut();
    d.halt_i = d.clear_i = 0;
    controller.add(*this);
    controller.add(driver);
  }

  /// A 32-bit pattern: fp32 of all kinds, small integers, anything.
  uint32_t any_word() {
    static constexpr uint32_t kEdges[] = {
        0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff,
        0x00000001, 0x807fffff, 0x00800000, 0x80800000, 0x00800001, 0x7f7fffff, 0xff7fffff,
        0x3f800000, 0xbf800000, 0x4f000000, 0xcf000000, 0x4effffff, 0x3f000000, 0x7fffffff};
    switch (random.below(5)) {
      case 0:
        return kEdges[random.below(std::size(kEdges))];
      case 1:  // floats near 1
        return (random.u32() & 0x81ffffff) | 0x3e000000;
      case 2:
        return static_cast<uint32_t>(random.between(-300, 300));
      default:
        return random.u32();
    }
  }
  void put(uint32_t addr, uint32_t value) { std::memcpy(&vmem[addr], &value, 4); }
  uint32_t get(uint32_t addr) const {
    uint32_t value;
    std::memcpy(&value, &vmem[addr], 4);
    return value;
  }
  /// The golden model starts from what the unit's memory holds.
  void sync() { golden.vmem = vmem; }

  void stalls(uint32_t percent) {
    for (auto* s : {&a.stall, &b.stall, &accumulators.stall, &write_stall, &driver.stall()})
      s->set(percent);
  }

  /// Send one command and wait for its end.
  void run(const Command& c, uint64_t limit = 200000) {
    driver.send(c);
    controller.run_until([&] { return driver.idle(); }, limit, tb::describe(c).c_str());
  }

  /// Carry out a command on both; compare fault, memory and rows. False if they differ.
  bool both(const Command& c, bool compare_memory) {
    const uint64_t rows_before = golden.activity.vpu_rows;
    rows = 0;
    last_cause = isa::Error::NONE;
    run(c);
    const auto fault = golden.execute(c);
    const std::string text = tb::describe(c);
    const uint64_t cycle = controller.cycle();
    if (fault.has_value() != driver.error().has_value())
      return tb::expect_equal("status_o.error", cycle, text, fault.has_value(),
                              driver.error().has_value());
    if (fault) {
      const auto& got = *driver.error();
      bool same =
          tb::expect_equal("status_o.cause", cycle, text, static_cast<uint64_t>(fault->cause),
                           static_cast<uint64_t>(got.cause));
      same &= tb::expect_equal("status_o.pc", cycle, text, fault->pc, got.pc);
      same &= tb::expect_equal("status_o.addr", cycle, text, fault->addr, got.addr);
      last_cause = got.cause;
      recover();
      return same;
    }
    if (!compare_memory) return true;
    bool same =
        tb::expect_equal("rows_o", cycle, text, golden.activity.vpu_rows - rows_before, rows);
    same &= tb::expect_equal<uint8_t>("vmem", cycle, text, golden.vmem, vmem);
    return same;
  }

  /// Halt and clear the unit after an error, as control does; both sides start anew.
  void recover() {
    auto& d = controller.dut();
    d.halt_i = 1;
    controller.run_until([&] { return driver.status().quiet; }, 8, "quiet while halted");
    d.clear_i = 1;
    controller.tick();
    d.clear_i = 0;
    d.halt_i = 0;
    driver.clear();
    golden.clear();
    sync();
  }

  // ---- extension of the controller -------------------------------------------------------------
  void before_clock() {
    auto& d = controller.dut();
    const size_t bytes = config.word_bytes();
    if (d.halt_i) d.eval();  // it takes the requests back at once: no grant without a request
    const auto drive = [&](ReadPort& port, bool req, CData& gnt, auto& data) {
      gnt = req && !port.stall.stall(req);
      if (port.word.back().empty())  // not yet data: garbage, so that an early look shows
        for (size_t i = 0; i < bytes; i += 4) tb::set_lane<uint32_t>(data, i / 4, random.u32());
      else
        std::memcpy(tb::bytes_of(data), port.word.back().data(), bytes);
    };
    drive(a, d.a_rd_req_o, d.a_rd_gnt_i, d.a_rd_data_i);
    drive(b, d.b_rd_req_o, d.b_rd_gnt_i, d.b_rd_data_i);
    drive(accumulators, d.acc_req_o, d.acc_gnt_i, d.acc_data_i);
    d.a_rd_valid_i = !a.word.back().empty();
    d.b_rd_valid_i = !b.word.back().empty();
    d.wr_gnt_i = d.wr_req_o && !write_stall.stall(d.wr_req_o);
  }
  void at_clock() {
    auto& d = controller.dut();
    const uint32_t bytes = config.word_bytes();
    const auto word = [&](uint32_t addr, const char* port) {
      if (addr >= vmem.size()) tb::fail(tb::format("%s: address 0x%x beyond VMEM", port, addr));
      return &vmem[addr % vmem.size() / bytes * bytes];
    };
    if (d.a_rd_req_o && d.a_rd_gnt_i) a.granted(word(d.a_rd_addr_o, "a_rd"), bytes);
    if (d.b_rd_req_o && d.b_rd_gnt_i) b.granted(word(d.b_rd_addr_o, "b_rd"), bytes);
    if (d.acc_req_o && d.acc_gnt_i)
      accumulators.granted(reinterpret_cast<const uint8_t*>(&acc[size_t{d.acc_row_o} * config.n]),
                           bytes);
    if (d.wr_req_o && d.wr_gnt_i) {
      uint8_t* target = word(d.wr_addr_o, "wr");
      for (uint32_t i = 0; i < bytes; ++i)
        if (tb::get_bits(d.wr_be_o, i, 1)) target[i] = tb::bytes_of(d.wr_data_o)[i];
      ++writes;
    }
    rows += d.rows_o;
    requests += d.a_rd_req_o || d.b_rd_req_o || d.acc_req_o || d.wr_req_o;
  }
  void after_clock() {
    a.advance();
    b.advance();
    accumulators.advance();
  }

  const Config& config;
  tb::Controller<Model> controller;
  tb::Random random;
  Machine golden;
  std::vector<uint8_t> vmem;
  std::vector<uint32_t> acc;
  const size_t vmem_latency = config.fp_stages == 1 ? 2 : 3;
  ReadPort a{"a_rd", vmem_latency}, b{"b_rd", vmem_latency}, accumulators{"acc", 2};
  tb::StallInjector write_stall{"wr", 0};
  uint64_t rows = 0, writes = 0, requests = 0;
  isa::Error last_cause = isa::Error::NONE;  ///< of the last command that both() carried out
  tb::UnitDriver driver;
};

}  // namespace vpu_test
