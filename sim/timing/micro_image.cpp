#include "timing/micro_image.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "timing/generated/micro_isa.h"
#include "timing/generated/micro_rom.h"

namespace ttpu::timing::micro {

std::string Image::name_of(uint32_t address) const {
  const Label* best = nullptr;
  for (const Label& label : labels)
    if (label.address <= address && (!best || label.address > best->address)) best = &label;
  if (!best) return fmt::format("{}", address);
  if (best->address == address) return best->name;
  return fmt::format("{}+{}", best->name, address - best->address);
}

std::string Image::register_name(uint32_t number) const {
  for (const Register& r : registers) {
    if (number < r.number || number >= r.number + r.count) continue;
    return number == r.number ? r.name : fmt::format("{}+{}", r.name, number - r.number);
  }
  return fmt::format("R{}", number);
}

uint32_t Image::register_number(const std::string& name) const {
  for (const Register& r : registers)
    if (r.name == name) return r.number;
  throw std::runtime_error(fmt::format("the microcode has no register '{}'", name));
}

namespace {

template <size_t W, size_t L, size_t R>
Image make(uint32_t n, const uint64_t (&words)[W], const rom::Label (&labels)[L],
           const rom::Register (&registers)[R]) {
  Image image;
  image.n = n;
  image.words.assign(words, words + W);
  for (const auto& label : labels) image.labels.push_back({label.address, label.name});
  for (const auto& r : registers) image.registers.push_back({r.number, r.count, r.name});
  return image;
}

}  // namespace

Image builtin_image(uint32_t n) {
  if (n == 4) return make(4, rom::kWords4, rom::kLabels4, rom::kRegisters4);
  if (n == 8) return make(8, rom::kWords8, rom::kLabels8, rom::kRegisters8);
  throw std::runtime_error(fmt::format("no microcode for {} lanes", n));
}

Image load_image(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", path));
  Image image;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    std::string kind, where;
    words >> kind;
    if (kind == "n") {
      words >> image.n;
    } else if (kind == "word") {
      uint64_t word = 0;
      words >> std::hex >> word >> where;
      image.words.push_back(word);
      image.where.push_back(where);
    } else if (kind == "label") {
      Image::Label label;
      words >> label.address >> label.name;
      image.labels.push_back(label);
    } else if (kind == "reg") {
      Image::Register r;
      words >> r.number >> r.count >> r.name;
      image.registers.push_back(r);
    } else {
      words.setstate(std::ios::failbit);
    }
    if (!words)
      throw std::runtime_error(fmt::format("{}:{}: cannot read '{}'", path, number, line));
  }
  if (image.n == 0 || image.words.empty() || image.words.size() > (1u << kAddressBits))
    throw std::runtime_error(fmt::format("{}: {} words for {} lanes is no microcode", path,
                                         image.words.size(), image.n));
  return image;
}

}  // namespace ttpu::timing::micro
