#include "fabric/file_yaml.h"

#include <fmt/format.h>

#include <charconv>

#include "isa/suggest.h"

namespace ttpu::fabric {
namespace {

Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<uint32_t>(mark.line + 1), static_cast<uint32_t>(mark.column + 1)};
}

std::string what_it_is(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  if (node.IsScalar()) return fmt::format("'{}'", node.Scalar().substr(0, 40));
  return "nothing";
}

}  // namespace

FileError::FileError(const std::string& file, Place at, const std::string& reason, std::string todo)
    : std::runtime_error(fmt::format("{}:{}:{}: {}", file, at.line, at.column, reason)),
      place(at),
      hint(std::move(todo)) {}

Place Value::place() const { return place_of(node_.Mark()); }

void Value::fail(const std::string& reason, const std::string& hint) const {
  throw FileError(*file_, place(), name_.empty() ? reason : name_ + ": " + reason, hint);
}

uint32_t Value::number(uint32_t least, uint32_t most) const {
  const auto wanted = [&] { return fmt::format("a whole number from {} to {}", least, most); };
  if (!node_.IsScalar())
    fail(fmt::format("must be {}, not {}", wanted(), what_it_is(node_)), "write " + wanted());
  const std::string& text = node_.Scalar();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (!whole || value < least || value > most || node_.Tag() == "!")
    fail(fmt::format("must be {}, not {}", wanted(), what_it_is(node_)), "write " + wanted());
  return static_cast<uint32_t>(value);
}

std::string Value::text() const {
  if (!node_.IsScalar() || node_.Scalar().empty())
    fail("must be text, not " + what_it_is(node_), "write a word, or a sentence in quotes");
  return node_.Scalar();
}

size_t Value::choice(const std::vector<std::string_view>& names) const {
  const std::string all = "one of: " + isa::list_names(names);
  if (!node_.IsScalar()) fail("must be a word, not " + what_it_is(node_), all);
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == node_.Scalar()) return i;
  const std::string near = isa::nearest(node_.Scalar(), names);
  fail(fmt::format("there is no {}", what_it_is(node_)),
       (near.empty() ? "" : "did you mean " + near + "? ") + all);
}

std::vector<Value> Value::list(size_t least, size_t most) const {
  if (!node_.IsSequence())
    fail("must be a list, not " + what_it_is(node_),
         "write it as [a, b], or a line with - for each");
  if (node_.size() < least || node_.size() > most)
    fail(fmt::format("has {} items", node_.size()),
         least == most ? fmt::format("give {}", least) : fmt::format("give {} to {}", least, most));
  std::vector<Value> items;
  for (size_t i = 0; i < node_.size(); ++i)
    items.emplace_back(*file_, node_[i], fmt::format("{}[{}]", name_, i));
  return items;
}

Table::Table(const Value& value, const std::vector<std::string_view>& keys, bool only_these)
    : value_(value) {
  if (!value.node_.IsMap())
    value.fail("must be a map, not " + what_it_is(value.node_), "keys: " + isa::list_names(keys));
  for (const auto& pair : value.node_) {
    if (!pair.first.IsScalar())
      throw FileError(*value.file_, place_of(pair.first.Mark()), "a key must be a word",
                      "keys: " + isa::list_names(keys));
    const std::string key = pair.first.Scalar();
    const std::string name = value.name_.empty() ? key : value.name_ + "." + key;
    bool known = !only_these;
    for (const auto k : keys) known = known || k == key;
    if (!known) {
      const std::string near = isa::nearest(key, keys);
      throw FileError(*value.file_, place_of(pair.first.Mark()),
                      fmt::format("unknown key '{}'", name),
                      (near.empty() ? "" : "did you mean " + near + "? ") +
                          "keys here: " + isa::list_names(keys));
    }
    if (get(key))
      throw FileError(*value.file_, place_of(pair.first.Mark()),
                      fmt::format("key '{}' stands here twice", name), "remove one of them");
    items_.emplace_back(key, Value(*value.file_, pair.second, name));
  }
}

std::optional<Value> Table::get(std::string_view key) const {
  for (const auto& [name, value] : items_)
    if (name == key) return value;
  return std::nullopt;
}

Value Table::need(std::string_view key, const std::string& hint) const {
  if (auto value = get(key)) return *value;
  value_.fail(fmt::format("key '{}' is missing", key), hint);
}

}  // namespace ttpu::fabric
