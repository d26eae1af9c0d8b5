// Microcode as the assembler made it: words with the names of their labels and registers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ttpu::timing::micro {

/// Contents of a microcode ROM.
struct Image {
  struct Label {
    uint32_t address = 0;
    std::string name;
  };
  struct Register {
    uint32_t number = 0, count = 1;
    std::string name;
  };
  uint32_t n = 0;                  ///< lanes that it was assembled for
  std::vector<uint64_t> words;     ///< 36 bits each
  std::vector<std::string> where;  ///< file:line of each word; empty for a built-in image
  std::vector<Label> labels;       ///< by address
  std::vector<Register> registers;

  /// "label+3" of an address.
  std::string name_of(uint32_t address) const;
  /// "name" or "name+1" of a register, "R7" if it has none.
  std::string register_name(uint32_t number) const;
  /// Number of a register by its name; throws std::runtime_error if there is none.
  uint32_t register_number(const std::string& name) const;
};

/// The microcode of this build for N lanes; throws std::runtime_error if there is none.
Image builtin_image(uint32_t n);

/// An image that scripts/microasm.py --rom wrote; throws std::runtime_error on a bad one.
Image load_image(const std::string& path);

}  // namespace ttpu::timing::micro
