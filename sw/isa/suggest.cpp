#include "isa/suggest.h"

#include <algorithm>
#include <numeric>

namespace ttpu::isa {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string lower(std::string_view text) {
  std::string r(text);
  for (char& c : r)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return r;
}

std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  // A long word is near to nothing, and the distance is quadratic in it.
  if (word.empty() || word.size() > 64) return "";
  const std::string w = lower(word);
  size_t best = 1 + w.size() / 3;  // more typing errors than that are another word
  std::string found;
  for (const auto c : candidates) {
    const size_t d = edit_distance(w, lower(c));
    if (d < best || (d == best && found.empty())) {
      best = d;
      found = lower(c);
    }
  }
  return found;
}

std::string list_names(const std::vector<std::string_view>& names) {
  std::string r;
  for (const auto n : names) {
    if (!r.empty()) r += ", ";
    r += lower(n);
  }
  return r;
}

}  // namespace ttpu::isa
