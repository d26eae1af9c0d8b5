// The microprogrammed core, cycle by cycle: the engine with its microcode, local memory, host port,
// AXI port and the matrix unit. Times are those of rtl/micro, see docs/reference/micro.md.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"
#include "timing/generated/micro_isa.h"
#include "timing/micro_image.h"

namespace ttpu::timing::micro {

/// Microcode that does what the hardware forbids. what() says where.
struct MicroError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Memory behind the AXI port: each transfer is one word.
struct Bus {
  struct Answer {
    uint32_t data = 0;
    bool error = false;
    uint32_t latency =
        1;  ///< cycles from the address (of a write: address and data) taken to the answer
  };
  virtual ~Bus() = default;
  virtual Answer read(uint64_t addr) = 0;
  virtual Answer write(uint64_t addr, uint32_t data, uint32_t strobes) = 0;
};

/// Start or end of a unit's command.
struct Event {
  uint64_t cycle = 0;
  bool start = false;
  uint32_t unit = 0, pc = 0, opcode = 0;
};

class Core {
 public:
  /// Registers and local memory start with anything: from `seed`.
  /// Throws std::runtime_error if the image is for other lanes. `bus` stays with the caller.
  Core(const Config& config, const Image& image, Bus& bus, uint64_t seed = 1);

  /// Carry out one microinstruction. Throws MicroError.
  void step();

  /// Offer a host request; only while none waits. Reads of STATUS are answered by the port itself.
  void request(bool write, uint32_t addr, uint32_t data = 0, bool full_strobes = true);
  struct Reply {
    uint32_t data = 0;
    bool error = false;
  };
  /// The answer to the request, once.
  std::optional<Reply> take_reply();

  uint64_t cycle() const { return cycle_; }
  uint32_t pc() const { return pc_; }
  bool irq() const { return irq_; }
  uint32_t status() const { return status_; }
  uint32_t reg(uint32_t number) const { return reg_[number]; }
  uint32_t reg(const std::string& name) const { return reg_[image_.register_number(name)]; }
  const Image& image() const { return image_; }
  std::vector<uint8_t>& lmem() { return lmem_; }
  /// Accumulators, row by row.
  std::vector<uint32_t>& acc() { return acc_; }
  const std::vector<Event>& events() const { return events_; }
  const std::vector<uint32_t>& tags() const { return tags_; }
  void forget_events() { events_.clear(), tags_.clear(); }

  /// Called after each microinstruction with its address and cycles.
  std::function<void(uint32_t pc, uint64_t cycles)> on_step;
  /// The register that the last microinstruction wrote; nothing if none.
  std::optional<uint32_t> last_written() const {
    return wrote_ ? std::optional<uint32_t>(written_) : std::nullopt;
  }

 private:
  struct Decoded {
    Uop op = Uop::PASS;
    bool known = false, vd = false, va = false, vb = false, bi = false, rpt = false;
    uint8_t d = 0, a = 0, b = 0, flag = 0;
    uint16_t imm = 0, jump = 0, branch = 0;
  };
  static Decoded decode(uint64_t word);
  [[noreturn]] void fail(const std::string& what) const;
  void put(uint32_t number, uint32_t value) {
    reg_[number & 255] = value, wrote_ = true, written_ = number & 255;
  }
  uint32_t alu(Uop op, uint32_t a, uint32_t b, uint32_t lane, bool set_carry);
  void pack(uint32_t value);
  uint32_t take_packed();
  static uint64_t alu_cycles(Uop op);
  class Late;
  uint64_t lanes_op(const Decoded& u);
  uint64_t exec(uint32_t stage);
  bool compare(Uop op, uint32_t a, uint32_t b) const;
  bool flag(uint32_t number, uint64_t at) const;
  void take_lmem(uint64_t at);
  uint32_t lmem_word(uint32_t addr, uint64_t at);
  void store(uint32_t addr, uint32_t value);
  uint32_t mfs(uint32_t number);
  void mts(uint32_t number, uint32_t value);
  void start_transfer(bool write, uint32_t data);
  void start_mxu(uint32_t rows);
  bool mxu_busy(uint64_t at) const { return at >= mx_first_ && at < mx_end_; }
  void check_mxu_idle(const char* what) const;

  const Config& config_;
  Image image_;
  Bus& bus_;
  std::vector<Decoded> code_;
  std::vector<uint8_t> lmem_;
  std::vector<uint32_t> acc_;
  std::vector<int8_t> weights_;  // N x N
  uint32_t reg_[kRegisters] = {};
  uint64_t cycle_ = 2;  // in which the first word is carried out
  uint32_t pc_ = 0;
  bool wrote_ = false;
  uint32_t written_ = 0;
  bool carry_ = false, changes_flags_ = false;
  uint32_t predicate_ = 0, shift_ = 0, limits_ = 0;
  uint64_t packed_ = 0;  // the packer's bytes
  // host port
  bool host_waits_ = false, host_write_ = false, host_full_ = true;
  uint32_t host_addr_ = 0, host_data_ = 0, status_ = 0;
  bool irq_ = false;
  std::optional<Reply> reply_;
  // AXI port
  uint32_t be_ = 15, xhi_ = 0, xadr_ = 0, xdata_ = 0;
  bool xerr_ = false, x_unread_ = false;
  bool x_held_ = false;  // a word that was read is still on the bus
  uint64_t x_end_ = 0;   // first cycle in which the port is free
  // matrix unit
  uint32_t mx_[4] = {};
  uint64_t mx_first_ = 0, mx_read_ = 0,
           mx_end_ = 0;  // reads rows in cycles first .. read - 1, is busy in first .. end - 1
  std::vector<Event> events_;
  std::vector<uint32_t> tags_;
};

}  // namespace ttpu::timing::micro
