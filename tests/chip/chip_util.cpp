#include "chip_util.h"

#include <fmt/format.h>

#include "isa/disasm.h"

namespace chip_test {

ttpu::Image image_of(const Config& config, const std::vector<Instr>& code, uint64_t hbm_bytes) {
  ttpu::Image image;
  image.config_hash = config.hash;
  image.config_name = std::string(config.name);
  image.hbm_bytes = hbm_bytes;
  image.code = code;
  return image;
}

Instr with(Instr instr, const Common& c) {
  ttpu::isa::Common all = ttpu::isa::Common::decode(instr);
  all.ra = c.ra, all.rb = c.rb, all.rc = c.rc;
  all.wait_value = c.wait_value, all.wait_flag = c.wait_flag;
  all.signal = c.signal, all.signal_flag = c.signal_flag;
  all.apply(instr);
  return instr;
}

Instr plain(Opcode op, const Common& common, uint32_t imm) {
  Instr i;
  i.set(0, 8, static_cast<uint32_t>(op));
  i.set(42, 32, imm);
  return with(i, common);
}

const char* name_of(Unit unit) {
  static const char* const kNames[] = {"SCALAR", "DMA0", "DMA1", "MXW", "MXS", "VPU", "ICI"};
  const auto u = static_cast<size_t>(unit);
  return u < 7 ? kNames[u] : "?";
}
std::string name_of(Opcode op) {
  for (const auto& d : ttpu::isa::kOps)
    if (d.opcode == static_cast<uint32_t>(op)) return std::string(d.name);
  return fmt::format("{:#x}", static_cast<unsigned>(op));
}
std::string name_of(Error error) {
  for (const auto& d : ttpu::isa::kErrors)
    if (d.value == static_cast<uint32_t>(error)) return std::string(d.name);
  return "?";
}

std::string describe(const RunResult& r) {
  if (r.done) return "done";
  return fmt::format("{} in {} at pc {} address {:#x}", name_of(r.error), name_of(r.error_unit),
                     r.error_pc, r.error_addr);
}
void expect_same_outcome(const RunResult& golden, const RunResult& rtl) {
  EXPECT_EQ(describe(rtl), describe(golden)) << "outcome: rtl, golden";
}

std::vector<std::string> retired(const Device& device, Unit unit) {
  std::vector<std::string> list;
  for (const auto& e : device.trace())
    if (e.unit == unit && !e.start)
      list.push_back(fmt::format("pc {} {}", e.pc, name_of(e.opcode)));
  return list;
}
void expect_same_retired(const Device& golden, const Device& rtl) {
  for (int u = 1; u < ttpu::isa::kNumUnits; ++u) {
    const auto unit = static_cast<Unit>(u);
    const auto expected = retired(golden, unit), got = retired(rtl, unit);
    for (size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
      const std::string e = i < expected.size() ? expected[i] : "nothing";
      const std::string g = i < got.size() ? got[i] : "nothing";
      if (e == g) continue;
      ADD_FAILURE() << name_of(unit) << ": command " << i << " to end: expected " << e << ", got "
                    << g;
      break;
    }
  }
}

void expect_same_bytes(const char* memory, uint64_t base, const std::vector<uint8_t>& expected,
                       const std::vector<uint8_t>& got, const std::vector<uint32_t>* writer,
                       const std::vector<Instr>* code) {
  ASSERT_EQ(expected.size(), got.size());
  if (expected == got) return;
  size_t wrong = 0, first = expected.size();
  for (size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != got[i]) ++wrong, first = std::min(first, i);
  std::string by;
  if (writer) {
    const uint32_t pc = (*writer)[base + first];
    by = pc == ~0u ? ", no command writes there"
                   : fmt::format(", written by pc {}: {}", pc, ttpu::isa::disassemble((*code)[pc]));
  }
  ADD_FAILURE() << fmt::format("{} byte {:#x}: expected {:02x}, got {:02x}{} ({} bytes differ)",
                               memory, base + first, expected[first], got[first], by, wrong);
}

std::vector<uint8_t> hbm(Device& device, uint64_t addr, uint64_t size) {
  std::vector<uint8_t> bytes(size);
  device.read_hbm(addr, bytes);
  return bytes;
}
std::vector<uint8_t> vmem(Device& device, uint64_t addr, uint64_t size) {
  std::vector<uint8_t> bytes(size);
  device.read_vmem(addr, bytes);
  return bytes;
}

}  // namespace chip_test
