// Words of messages: the nearest of a list of names ("did you mean"), lists.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace ttpu::isa {

/// Lower-case copy (ASCII).
std::string lower(std::string_view text);

/// The candidate nearest to `word` (case ignored) by edit distance, or "" if none is near.
std::string nearest(std::string_view word, const std::vector<std::string_view>& candidates);

/// `names` joined as "a, b, c", in lower case.
std::string list_names(const std::vector<std::string_view>& names);

/// The items as "1, 2, 3". (fmt::join raises a false -Wstringop-overflow in g++ 12 at -O3.)
template <typename Range>
std::string join(const Range& items) {
  std::string r;
  for (const auto& item : items) {
    if (!r.empty()) r += ", ";
    r += fmt::format("{}", item);
  }
  return r;
}

}  // namespace ttpu::isa
