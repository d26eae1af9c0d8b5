// Digits in the terminal.
#include "demo/draw.h"

#include <algorithm>

namespace ttpu::demo {
namespace {

/// 256-colour code of a grey, 0..16 of light.
std::string grey(int value) { return std::to_string(232 + std::min(23, value * 23 / 16)); }

}  // namespace

std::string draw(const std::vector<Drawing>& drawings, bool colour) {
  static const char* const kShades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  std::string r;
  for (int y = 0; y < 8; y += colour ? 2 : 1) {
    r += "  ";
    for (const Drawing& d : drawings) {
      for (int x = 0; x < 8; ++x) {
        const int top = d.pixels[8 * y + x];
        if (colour) {
          // The upper half block takes the foreground, the lower half the background.
          r += "\x1b[38;5;" + grey(top) + ";48;5;" + grey(d.pixels[8 * (y + 1) + x]) + "m▀";
        } else {
          r += kShades[(top + 3) / 4];
        }
      }
      if (colour) r += "\x1b[0m";
      r += "  ";
    }
    r += "\n";
  }
  r += "  ";
  for (const Drawing& d : drawings) {
    const size_t width = (colour ? 8 : 16) + 2;
    r += d.caption + std::string(width - std::min(width, d.caption.size()), ' ');
  }
  return r + "\n";
}

}  // namespace ttpu::demo
