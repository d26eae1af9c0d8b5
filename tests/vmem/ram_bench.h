// Drives every port of VMEM or CMEM at once and keeps the books of what must come back.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tb/bits.h"
#include "tb/controller.h"
#include "tb/random.h"
#include "tb/scoreboard.h"

namespace vmem_test {

/// A port's request: held until granted, as the contract says.
struct Request {
  bool active = false;
  uint64_t addr = 0;
  uint64_t waited = 0;  ///< cycles without a grant
};

/// Ports, banks and word of a build.
struct Shape {
  unsigned rd = 0, wr = 0;
  uint64_t word = 0, banks = 0, bytes = 0;
  unsigned accesses = 2;  ///< of a bank in a cycle
  bool interleaved = false;
  unsigned latency = 2;  ///< cycles from a grant to its data
  uint64_t bank_of(uint64_t addr) const {
    return interleaved ? addr / word % banks : addr / (bytes / banks);
  }
};

/// M has the ports of ttpu_banked_ram's wrappers.
template <class M>
class RamBench {
 public:
  explicit RamBench(Shape shape, uint64_t random_init_seed = 0)
      : shape(shape),
        top(options(random_init_seed)),
        random("ram"),
        model(shape.bytes),
        read(shape.rd),
        write(shape.wr),
        strobe(shape.wr),
        payload(shape.wr),
        most_waited_rd(shape.rd),
        most_waited_wr(shape.wr),
        flight_(shape.rd) {
    top->rd_req_i = top->wr_req_i = 0;
  }

  /// Write every word through port 0, so that model and memory agree.
  void fill() {
    for (uint64_t a = 0; a < shape.bytes; a += shape.word) {
      request_write(0, a, true);
      tick();
    }
    while (write[0].active) tick();
  }

  void request_read(unsigned p, uint64_t addr) { read[p] = {true, addr, 0}; }
  void request_write(unsigned p, uint64_t addr, bool whole = false) {
    write[p] = {true, addr, 0};
    strobe[p].resize(shape.word);
    payload[p].resize(shape.word);
    random.fill(payload[p]);
    const bool dense = whole || random.coin();
    for (auto& s : strobe[p]) s = dense || random.coin();
  }

  void tick() {
    drive();
    top.tick(*this);
    ++cycle;
  }

  void at_clock() {
    const uint64_t rd_gnt = top->rd_gnt_o, wr_gnt = top->wr_gnt_o;
    check_data();
    check_banks(rd_gnt, wr_gnt);
    unsigned rd_lost = 0, wr_lost = 0;
    // Reads see the memory before the writes of the same cycle.
    for (unsigned p = 0; p < shape.rd; ++p) {
      const bool granted = rd_gnt >> p & 1;
      if (granted && !read[p].active) fail("rd_gnt_o", p, 0, 1);
      flight_[p].push_back({});
      if (read[p].active && granted) {
        const uint64_t a = read[p].addr / shape.word * shape.word;
        flight_[p].back().assign(model.begin() + static_cast<ptrdiff_t>(a),
                                 model.begin() + static_cast<ptrdiff_t>(a + shape.word));
        read[p].active = false;
        ++reads;
      } else if (read[p].active) {
        ++rd_lost;
        most_waited_rd[p] = std::max(most_waited_rd[p], ++read[p].waited);
      }
    }
    for (unsigned p = 0; p < shape.wr; ++p) {
      const bool granted = wr_gnt >> p & 1;
      if (granted && !write[p].active) fail("wr_gnt_o", p, 0, 1);
      if (write[p].active && granted) {
        const uint64_t a = write[p].addr / shape.word * shape.word;
        for (uint64_t i = 0; i < shape.word; ++i)
          if (strobe[p][i]) model[a + i] = payload[p][i];
        write[p].active = false;
        ++writes;
      } else if (write[p].active) {
        ++wr_lost;
        most_waited_wr[p] = std::max(most_waited_wr[p], ++write[p].waited);
      }
    }
    if constexpr (requires { top->rd_conflicts_o; }) {
      // With registers behind the arbitration they are counted a cycle later.
      const bool later = shape.latency > 2;
      const unsigned rd = later ? rd_lost_before_ : rd_lost, wr = later ? wr_lost_before_ : wr_lost;
      if (top->rd_conflicts_o != rd) fail("rd_conflicts_o", -1, rd, top->rd_conflicts_o);
      if (top->wr_conflicts_o != wr) fail("wr_conflicts_o", -1, wr, top->wr_conflicts_o);
      rd_lost_before_ = rd_lost;
      wr_lost_before_ = wr_lost;
    }
    conflicts += rd_lost + wr_lost;
  }

  const Shape shape;
  tb::Controller<M> top;
  tb::Random random;
  std::vector<uint8_t> model;
  std::vector<Request> read, write;
  std::vector<std::vector<uint8_t>> strobe, payload;
  std::vector<uint64_t> most_waited_rd, most_waited_wr;
  uint64_t cycle = 0, reads = 0, writes = 0, conflicts = 0;

 private:
  static tb::ControllerOptions options(uint64_t seed) {
    tb::ControllerOptions o;
    o.name = "ram";
    o.timeout_cycles = 1ull << 40;
    o.random_init_seed = seed;
    return o;
  }
  void fail(const std::string& signal, int64_t index, uint64_t expected, uint64_t got) {
    tb::report_difference(signal, index, cycle, "", expected, got);
  }
  void drive() {
    uint64_t rd = 0, wr = 0;
    for (unsigned p = 0; p < shape.rd; ++p) {
      rd |= uint64_t{read[p].active} << p;
      // An idle port shows any address: it must not matter.
      top->rd_addr_i[p] =
          static_cast<uint32_t>((read[p].active ? read[p].addr : random.next()) & mask());
    }
    for (unsigned p = 0; p < shape.wr; ++p) {
      wr |= uint64_t{write[p].active} << p;
      top->wr_addr_i[p] =
          static_cast<uint32_t>((write[p].active ? write[p].addr : random.next()) & mask());
      if (!write[p].active) continue;
      uint8_t* be = tb::bytes_of(top->wr_be_i[p]);
      std::memset(be, 0, sizeof(top->wr_be_i[p]));
      for (uint64_t i = 0; i < shape.word; ++i) be[i / 8] |= strobe[p][i] << (i % 8);
      std::memcpy(tb::bytes_of(top->wr_data_i[p]), payload[p].data(), shape.word);
    }
    top->rd_req_i = static_cast<CData>(rd);
    top->wr_req_i = static_cast<CData>(wr);
  }
  uint64_t mask() const { return (shape.interleaved ? shape.bytes : 1ull << 24) - 1; }
  /// Valid and data exactly in their cycle after each grant.
  void check_data() {
    for (unsigned p = 0; p < shape.rd; ++p) {
      std::vector<uint8_t> want;
      if (flight_[p].size() >= shape.latency) {
        want = std::move(flight_[p].front());
        flight_[p].erase(flight_[p].begin());
      }
      const bool valid = top->rd_valid_o >> p & 1;
      if (valid != !want.empty()) fail("rd_valid_o", p, !want.empty(), valid);
      if (want.empty()) continue;
      const uint8_t* got = tb::bytes_of(top->rd_data_o[p]);
      for (uint64_t i = 0; i < shape.word; ++i)
        if (want[i] != got[i]) {
          fail(tb::format("rd_data_o[%u] byte", p), static_cast<int64_t>(i), want[i], got[i]);
          break;
        }
    }
  }
  /// A bank gives no more than it has, and never idles while somebody asks for it.
  void check_banks(uint64_t rd_gnt, uint64_t wr_gnt) {
    std::vector<unsigned> rd(shape.banks), wr(shape.banks), rd_ask(shape.banks),
        wr_ask(shape.banks);
    for (unsigned p = 0; p < shape.rd; ++p) {
      if (!read[p].active) continue;
      ++rd_ask[shape.bank_of(read[p].addr)];
      rd[shape.bank_of(read[p].addr)] += rd_gnt >> p & 1;
    }
    for (unsigned p = 0; p < shape.wr; ++p) {
      if (!write[p].active) continue;
      ++wr_ask[shape.bank_of(write[p].addr)];
      wr[shape.bank_of(write[p].addr)] += wr_gnt >> p & 1;
    }
    for (uint64_t b = 0; b < shape.banks; ++b) {
      const auto index = static_cast<int64_t>(b);
      if (shape.accesses == 2) {
        if (rd[b] != (rd_ask[b] ? 1u : 0u))
          fail("reads granted in bank", index, rd_ask[b] != 0, rd[b]);
        if (wr[b] != (wr_ask[b] ? 1u : 0u))
          fail("writes granted in bank", index, wr_ask[b] != 0, wr[b]);
      } else {
        const unsigned want = rd_ask[b] + wr_ask[b] ? 1 : 0;
        if (rd[b] + wr[b] != want) fail("accesses granted in bank", index, want, rd[b] + wr[b]);
      }
    }
  }
  std::vector<std::vector<std::vector<uint8_t>>> flight_;
  unsigned rd_lost_before_ = 0, wr_lost_before_ = 0;
};

/// Random requests on all ports for `cycles` cycles; `near` keeps them within so many words of a
/// bank's start, so that words are shared often.
template <class M>
void random_traffic(RamBench<M>& b, int cycles, uint32_t percent, uint64_t near) {
  const auto address = [&] {
    const uint64_t bank = b.shape.bytes / b.shape.banks;
    const uint64_t at =
        b.random.coin() ? b.random.below(bank) : b.random.below(near * b.shape.word);
    return b.shape.interleaved ? b.random.below(near * b.shape.word * b.shape.banks)
                               : b.random.below(b.shape.banks) * bank + at;
  };
  for (int i = 0; i < cycles; ++i) {
    for (unsigned p = 0; p < b.shape.rd; ++p)
      if (!b.read[p].active && b.random.chance(percent)) b.request_read(p, address());
    for (unsigned p = 0; p < b.shape.wr; ++p)
      if (!b.write[p].active && b.random.chance(percent)) b.request_write(p, address());
    b.tick();
  }
  for (int i = 0; i < 30; ++i) b.tick();
}

}  // namespace vmem_test
