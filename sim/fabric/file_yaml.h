// YAML values that know where they stand, and check themselves. Used by the reader of topology
// files.
#pragma once
#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/file.h"

namespace ttpu::fabric {

/// A value of the file with its name in messages ("slices[1].size").
class Value {
 public:
  Value(const std::string& file, YAML::Node node, std::string name)
      : file_(&file), node_(std::move(node)), name_(std::move(name)) {}

  Place place() const;
  const std::string& name() const { return name_; }
  [[noreturn]] void fail(const std::string& reason, const std::string& hint = "") const;

  bool is_map() const { return node_.IsMap(); }
  bool is_list() const { return node_.IsSequence(); }
  bool is_scalar() const { return node_.IsScalar(); }

  /// A whole number from `least` to `most`.
  uint32_t number(uint32_t least, uint32_t most) const;
  /// Text that is not empty.
  std::string text() const;
  /// One of `names`; its index.
  size_t choice(const std::vector<std::string_view>& names) const;
  /// Items of a list of `least` to `most`.
  std::vector<Value> list(size_t least, size_t most) const;

 private:
  friend class Table;
  const std::string* file_;
  YAML::Node node_;
  std::string name_;
};

/// A map with known keys. The constructor refuses keys that are unknown or stand there twice.
class Table {
 public:
  Table(const Value& value, const std::vector<std::string_view>& keys) : Table(value, keys, true) {}
  /// With any keys: to look at one that decides which the others are.
  static Table unchecked(const Value& value) { return {value, {}, false}; }
  std::optional<Value> get(std::string_view key) const;
  /// As get(); an error if it is not there.
  Value need(std::string_view key, const std::string& hint) const;

 private:
  Table(const Value& value, const std::vector<std::string_view>& keys, bool only_these);
  Value value_;
  std::vector<std::pair<std::string, Value>> items_;
};

}  // namespace ttpu::fabric
