// Digits in the terminal.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ttpu::demo {

struct Drawing {
  const uint8_t* pixels;  ///< 8 x 8, 0..16
  std::string caption;
};

/// Drawings side by side: two rows of pixels in a line of text, in half blocks of grey. `colour`:
/// with terminal colours; else by the density of characters.
std::string draw(const std::vector<Drawing>& drawings, bool colour);

}  // namespace ttpu::demo
