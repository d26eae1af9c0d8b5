// "Did you mean": the nearest of a list of names.
#pragma once
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

}  // namespace ttpu::isa
