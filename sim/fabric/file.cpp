#include "fabric/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "fabric/file_yaml.h"
#include "isa/generated/ici.h"

namespace ttpu::fabric {
namespace {

constexpr uint32_t kMostNodes = 1U << ici::kHeaderDest.bits;
constexpr uint32_t kMostLatency = 1000;
constexpr size_t kLargestFile = size_t{4} << 20;
const std::vector<std::string_view> kKinds = {"torus", "mesh", "twisted_torus", "cubes"};
const std::vector<std::string_view> kAxes = {"x", "y", "z"};
using Size = std::array<uint32_t, kMaxDims>;

/// Reads one file into a Spec. A method for each part of the schema.
class Reader {
 public:
  Reader(const Value& top, Spec& spec) : spec_(spec) { read_top(top); }

 private:
  bool cubes() const { return spec_.kind == Kind::kCubes; }

  void read_top(const Value& top) {
    const Value* root = &top;
    if (!root->is_map())
      root->fail("a topology file is a map of keys", "begin with kind: torus and size: [8, 8]");
    spec_.kind = static_cast<Kind>(kind_of(top));
    std::vector<std::string_view> keys = {"name", "kind"};
    if (cubes())
      keys.insert(keys.end(), {"cubes", "spares"});
    else
      keys.push_back("size");
    if (spec_.kind == Kind::kTwistedTorus) keys.push_back("twist");
    keys.insert(keys.end(), {"latency", "slices", "failed"});
    const Table table(top, keys);
    if (const auto name = table.get("name")) spec_.name = name->text();
    if (cubes())
      read_pod(table);
    else
      read_grid(table);
    if (const auto latency = table.get("latency")) read_latency(*latency);
    if (const auto slices = table.get("slices")) read_slices(*slices);
    if (const auto failed = table.get("failed")) read_failed(*failed);
  }

  /// The kind decides which keys there are, so it is looked up before they are checked.
  static size_t kind_of(const Value& top) {
    const Table all = Table::unchecked(top);
    return all.need("kind", "add kind: torus, mesh, twisted_torus or cubes").choice(kKinds);
  }

  void read_grid(const Table& table) {
    const Value size = table.need("size", "add the nodes in each dimension, as size: [8, 8]");
    const auto items = size.list(1, kMaxDims);
    spec_.dims = static_cast<uint32_t>(items.size());
    spec_.size = numbers(items, 1, kMostNodes);
    const uint64_t nodes = uint64_t{spec_.size[0]} * spec_.size[1] * spec_.size[2];
    if (nodes > kMostNodes)
      size.fail(fmt::format("{} is {} nodes", size_text(spec_.size, spec_.dims), nodes),
                fmt::format("the header names up to {} nodes", kMostNodes));
    if (spec_.kind == Kind::kTwistedTorus) {
      const Value twist = table.need("twist", "add twist: standard, or offsets as {x: {z: 4}}");
      spec_.twist = read_twist(twist, spec_.size, spec_.dims);
      if (spec_.twist == Twist{})
        twist.fail("nothing is twisted", "give an offset above 0, or write kind: torus");
    }
  }

  void read_pod(const Table& table) {
    spec_.dims = kMaxDims;
    const Value count = table.need("cubes", "add the number of cubes of 4x4x4 nodes, as cubes: 64");
    spec_.cubes = count.number(1, kMostNodes / kCubeNodes);
    spec_.size = {kCubeSide, kCubeSide, kCubeSide * spec_.cubes};
    if (const auto spares = table.get("spares")) spec_.spares = cube_list(*spares, spec_.cubes);
  }

  static Size numbers(const std::vector<Value>& items, uint32_t least, uint32_t most) {
    Size size{least, least, least};
    if (least > 0) size = {1, 1, 1};
    for (size_t i = 0; i < items.size(); ++i) size[i] = items[i].number(least, most);
    return size;
  }

  /// `standard`, `none`, or a map of a map of offsets.
  static Twist read_twist(const Value& value, const Size& size, uint32_t dims) {
    Twist twist{};
    try {
      if (value.is_scalar()) {
        if (value.choice({"standard", "none"}) == 0) twist = standard_twist(size, dims);
      } else {
        const Table wraps(value, kAxes);
        for (uint32_t d = 0; d < kMaxDims; ++d) {
          const auto wrap = wraps.get(kAxes[d]);
          if (!wrap) continue;
          const Table offsets(*wrap, kAxes);
          for (uint32_t e = 0; e < kMaxDims; ++e)
            if (const auto offset = offsets.get(kAxes[e]))
              twist[d][e] = offset->number(0, kMostNodes);
        }
      }
      make_torus(size, dims, twist);  // its checks are the rules
    } catch (const std::invalid_argument& e) {
      value.fail(e.what(), "see `twist` in docs/guide/topology.md");
    }
    return twist;
  }

  void read_latency(const Value& value) {
    if (value.is_scalar()) {
      const uint32_t cycles = value.number(1, kMostLatency);
      spec_.latency = {cycles, cycles, cycles};
      spec_.optical_latency = cycles;
      return;
    }
    if (cubes()) {
      const Table table(value, {"electrical", "optical"});
      if (const auto v = table.get("electrical")) {
        const uint32_t cycles = v->number(1, kMostLatency);
        spec_.latency = {cycles, cycles, cycles};
      }
      if (const auto v = table.get("optical")) spec_.optical_latency = v->number(1, kMostLatency);
      return;
    }
    const std::vector<std::string_view> axes(kAxes.begin(), kAxes.begin() + spec_.dims);
    const Table table(value, axes);
    for (uint32_t d = 0; d < spec_.dims; ++d)
      if (const auto v = table.get(kAxes[d])) spec_.latency[d] = v->number(1, kMostLatency);
  }

  void read_slices(const Value& value) {
    for (const Value& item : value.list(1, kMostNodes)) {
      SliceSpec slice = cubes() ? read_cube_slice(item) : read_grid_slice(item);
      for (const SliceSpec& other : spec_.slices)
        if (other.name == slice.name)
          item.fail(fmt::format("the name '{}' is that of the slice in line {}", slice.name,
                                other.place.line),
                    "give each slice a name of its own");
      spec_.slices.push_back(std::move(slice));
    }
  }

  SliceSpec read_grid_slice(const Value& item) {
    const Table table(item, {"name", "from", "size"});
    SliceSpec slice;
    slice.place = item.place();
    slice.name = table.need("name", "give the slice a name").text();
    const Value size = table.need("size", "add its nodes in each dimension");
    slice.size = numbers(size.list(spec_.dims, spec_.dims), 1, kMostNodes);
    if (const auto from = table.get("from"))
      slice.from = numbers(from->list(spec_.dims, spec_.dims), 0, kMostNodes);
    for (uint32_t d = 0; d < spec_.dims; ++d)
      if (slice.from[d] + slice.size[d] > spec_.size[d])
        size.fail(fmt::format("ends at {} in {}, beyond the {} nodes there",
                              slice.from[d] + slice.size[d], kAxes[d], spec_.size[d]),
                  "make it smaller or move `from`");
    for (const SliceSpec& other : spec_.slices) {
      bool meet = true;
      for (uint32_t d = 0; d < spec_.dims; ++d)
        meet = meet && slice.from[d] < other.from[d] + other.size[d] &&
               other.from[d] < slice.from[d] + slice.size[d];
      if (meet)
        item.fail(fmt::format("slice '{}' and slice '{}' of line {} share nodes", slice.name,
                              other.name, other.place.line),
                  "slices must lie apart");
    }
    return slice;
  }

  SliceSpec read_cube_slice(const Value& item) {
    const Table table(item, {"name", "size", "twist", "cubes"});
    SliceSpec slice;
    slice.place = slice.cubes_place = item.place();
    slice.name = table.need("name", "give the slice a name").text();
    const Value size = table.need("size", "add its nodes in each dimension, as size: [4, 4, 8]");
    const auto sides = size.list(kMaxDims, kMaxDims);
    slice.size = numbers(sides, 1, kMostNodes);
    uint64_t count = 1;
    for (uint32_t d = 0; d < kMaxDims; ++d) {
      if (slice.size[d] % kCubeSide != 0)
        sides[d].fail(fmt::format("{} is no multiple of 4", slice.size[d]),
                      "a slice is made of whole cubes of 4x4x4 nodes");
      count *= slice.size[d] / kCubeSide;
    }
    if (count > spec_.cubes)
      size.fail(fmt::format("{} is {} cubes; the pod has {}", size_text(slice.size, kMaxDims),
                            count, spec_.cubes),
                "make the slice smaller");
    if (const auto twist = table.get("twist")) {
      slice.twist = read_twist(*twist, slice.size, kMaxDims);
      slice.standard_twist = twist->is_scalar();
      for (const auto& row : slice.twist)
        for (const uint32_t offset : row)
          if (offset % kCubeSide != 0)
            twist->fail(fmt::format("the offset {} is no multiple of 4", offset),
                        "a cross-connect joins links of the same face position");
    }
    if (const auto list = table.get("cubes")) {
      slice.cubes = cube_list(*list, spec_.cubes);
      slice.cubes_place = list->place();
      if (slice.cubes.size() != count)
        list->fail(fmt::format("{} cubes are listed; {} takes {}", slice.cubes.size(),
                               size_text(slice.size, kMaxDims), count),
                   "list them x fastest, then y, then z; or leave the key out");
      check_not_taken(*list, slice);
    }
    return slice;
  }

  void check_not_taken(const Value& list, const SliceSpec& slice) {
    for (const uint32_t cube : slice.cubes)
      for (const SliceSpec& other : spec_.slices)
        if (std::find(other.cubes.begin(), other.cubes.end(), cube) != other.cubes.end())
          list.fail(fmt::format("cube {} belongs to slice '{}' of line {}", cube, other.name,
                                other.place.line),
                    "slices share no cube");
  }

  /// Numbers of cubes, each once.
  static std::vector<uint32_t> cube_list(const Value& value, uint32_t cubes) {
    std::vector<uint32_t> list;
    for (const Value& item : value.list(0, cubes)) {
      const uint32_t cube = item.number(0, cubes - 1);
      if (std::find(list.begin(), list.end(), cube) != list.end())
        item.fail(fmt::format("cube {} is listed twice", cube), "remove one");
      list.push_back(cube);
    }
    return list;
  }

  void read_failed(const Value& value) {
    std::vector<std::string_view> keys = {"nodes", "links"};
    if (cubes()) keys.insert(keys.end(), {"cubes", "cross_connects"});
    const Table table(value, keys);
    if (const auto nodes = table.get("nodes"))
      for (const Value& item : nodes->list(0, kMostNodes)) {
        const uint32_t node = read_node(item);
        if (std::find(spec_.failed_nodes.begin(), spec_.failed_nodes.end(), node) !=
            spec_.failed_nodes.end())
          item.fail(fmt::format("node {} is listed twice", node), "remove one");
        spec_.failed_nodes.push_back(node);
      }
    if (const auto links = table.get("links"))
      for (const Value& item : links->list(0, size_t{kMostNodes} * kMaxDims)) read_link(item);
    if (const auto failed = table.get("cubes"))
      spec_.failed_cubes = cube_list(*failed, spec_.cubes);
    if (const auto failed = table.get("cross_connects"))
      for (const Value& item : failed->list(0, kCrossConnects)) read_cross_connect(item);
  }

  /// A number, coordinates, or in a pod {cube: c, at: [x, y, z]}.
  uint32_t read_node(const Value& value) {
    const uint32_t nodes = spec_.size[0] * spec_.size[1] * spec_.size[2];
    if (value.is_scalar()) return value.number(0, nodes - 1);
    if (cubes()) {
      const Table table(value, {"cube", "at"});
      const uint32_t cube = table.need("cube", "add the cube's number").number(0, spec_.cubes - 1);
      const Value at = table.need("at", "add the place in the cube, as at: [0, 1, 2]");
      return cube_node(cube, numbers(at.list(kMaxDims, kMaxDims), 0, kCubeSide - 1));
    }
    const auto items = value.list(spec_.dims, spec_.dims);
    Size at{};
    for (uint32_t d = 0; d < spec_.dims; ++d) at[d] = items[d].number(0, spec_.size[d] - 1);
    return at[0] + spec_.size[0] * (at[1] + spec_.size[1] * at[2]);
  }

  void read_link(const Value& item) {
    const Table table(item, {"node", "port"});
    LinkSpec link;
    link.place = item.place();
    link.node = read_node(table.need("node", "add the node at one end of the cable"));
    std::vector<std::string_view> ports = {"+x", "-x", "+y", "-y", "+z", "-z"};
    ports.resize(2 * spec_.dims);
    link.port = static_cast<uint32_t>(
        table.need("port", "add the port of that node, as port: +x").choice(ports));
    spec_.failed_links.push_back(link);
  }

  void read_cross_connect(const Value& item) {
    CrossConnect which;
    if (item.is_scalar()) {
      which = cross_connect(item.number(0, kCrossConnects - 1));
    } else {
      const Table table(item, {"dimension", "position"});
      which.dim =
          static_cast<uint32_t>(table.need("dimension", "add dimension: x, y or z").choice(kAxes));
      const auto at =
          table.need("position", "add the face position, as position: [0, 0]").list(2, 2);
      which.position = {at[0].number(0, kCubeSide - 1), at[1].number(0, kCubeSide - 1)};
    }
    for (const CrossConnect& other : spec_.failed_cross_connects)
      if (other == which)
        item.fail(fmt::format("cross-connect {} is listed twice", number_of(which)), "remove one");
    spec_.failed_cross_connects.push_back(which);
  }

  Spec& spec_;
};

}  // namespace

Spec parse_spec(std::string_view text, const std::string& file) {
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(std::string(text));
  } catch (const YAML::Exception& e) {
    const Place at = e.mark.is_null() ? Place{}
                                      : Place{static_cast<uint32_t>(e.mark.line + 1),
                                              static_cast<uint32_t>(e.mark.column + 1)};
    throw FileError(file, at, "this is no YAML: " + e.msg,
                    "check indentation, brackets and colons");
  }
  if (documents.empty())
    throw FileError(file, {}, "the file is empty", "begin with kind: torus and size: [8, 8]");
  if (documents.size() > 1)
    Value(file, documents[1], "").fail("a second document", "one file holds one topology");
  Spec spec;
  spec.file = file;
  Reader(Value(file, documents[0], ""), spec);
  return spec;
}

Spec read_spec(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  const auto fail = [&](const std::string& why) {
    throw FileError(file, {}, "cannot read it: " + why, "check the file's name and permissions");
  };
  if (!in) fail(std::strerror(errno));
  // A device or a pipe may never end: take so much of it and no more.
  std::string text(kLargestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (in.bad() || (text.empty() && !in.eof())) fail("it is a directory, or reading failed");
  if (text.size() > kLargestFile) fail("it has more than 4 MiB");
  return parse_spec(text, file);
}

}  // namespace ttpu::fabric
