// Programs of VPU commands for the microprogrammed core.
#pragma once
#include <array>
#include <vector>

#include "golden/machine.h"
#include "isa/generated/isa_gen.h"
#include "runtime/image.h"

namespace micro_test {

/// Commands one after the other, the values of their registers by ADD before each, HALT at the end.
class VpuImage {
 public:
  explicit VpuImage(const ttpu::Config& config) {
    image_.config_hash = config.hash;
    image_.config_name = std::string(config.name);
    image_.hbm_bytes = 4096;
    room_ = config.imem_words - 1;
  }
  /// False if there is no room left.
  bool add(const ttpu::golden::Command& command) {
    const std::array<uint32_t, 3> values = {command.a, command.b, command.c};
    std::vector<ttpu::isa::Instr> code;
    for (uint32_t i = 0; i < 3; ++i) {
      if (values[i] == held_[i]) continue;
      ttpu::isa::Instr set;
      set.set(0, 8, static_cast<uint32_t>(ttpu::isa::Opcode::ADD));
      set.set(18, 5, i + 1);
      set.set(42, 32, values[i]);
      code.push_back(set);
    }
    auto instr = command.instr;
    for (uint32_t i = 0; i < 3; ++i) instr.set(static_cast<int>(8 + 5 * i), 5, i + 1);
    code.push_back(instr);
    if (image_.code.size() + code.size() > room_) return false;
    held_ = values;
    image_.code.insert(image_.code.end(), code.begin(), code.end());
    return true;
  }
  /// The program so far, with its end.
  ttpu::Image image() const {
    ttpu::Image whole = image_;
    ttpu::isa::Instr halt;
    halt.set(0, 8, static_cast<uint32_t>(ttpu::isa::Opcode::HALT));
    whole.code.push_back(halt);
    return whole;
  }

 private:
  ttpu::Image image_;
  size_t room_ = 0;
  std::array<uint32_t, 3> held_ = {0, 0, 0};  // registers are 0 at the start
};

}  // namespace micro_test
