// Topology files: what is read, and for each kind of mistake the line, the column and the words.
#include <gtest/gtest.h>

#include <filesystem>

#include "fabric/file.h"
#include "fabric/slice.h"
#include "tb/random.h"

namespace ttpu::fabric {
namespace {

TEST(TopologyFile, EveryKeyIsRead) {
  const Spec s = parse_spec(R"(name: "a pod"
kind: cubes
cubes: 8
spares: [7, 6]
latency: {electrical: 2, optical: 9}
slices:
  - name: a
    size: [4, 8, 8]
    twist: standard
    cubes: [5, 0, 3, 1]
  - {name: b, size: [4, 4, 8], twist: {x: {z: 4}}}
failed:
  nodes: [3, {cube: 2, at: [1, 2, 3]}]
  links:
    - {node: {cube: 1, at: [3, 0, 0]}, port: +x}
  cubes: [4]
  cross_connects: [{dimension: y, position: [2, 3]}, 47]
)",
                            "f");
  EXPECT_EQ(s.name, "a pod");
  EXPECT_EQ(s.kind, Kind::kCubes);
  EXPECT_EQ(s.cubes, 8U);
  EXPECT_EQ(s.spares, (std::vector<uint32_t>{7, 6}));
  EXPECT_EQ(s.latency, (std::array<uint32_t, 3>{2, 2, 2}));
  EXPECT_EQ(s.optical_latency, 9U);
  ASSERT_EQ(s.slices.size(), 2U);
  EXPECT_EQ(s.slices[0].name, "a");
  EXPECT_EQ(s.slices[0].cubes, (std::vector<uint32_t>{5, 0, 3, 1}));
  EXPECT_EQ(s.slices[0].twist, standard_twist({4, 8, 8}, 3));
  EXPECT_EQ(s.slices[1].place.line, 11U);
  EXPECT_EQ(s.slices[1].twist[0], (std::array<uint32_t, 3>{0, 0, 4}));
  EXPECT_EQ(s.slices[1].twist[1], (std::array<uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(s.failed_nodes, (std::vector<uint32_t>{3, 2 * 64 + 1 + 4 * (2 + 4 * 3)}));
  ASSERT_EQ(s.failed_links.size(), 1U);
  EXPECT_EQ(s.failed_links[0].node, 64U + 3);
  EXPECT_EQ(s.failed_links[0].port, 0U);
  EXPECT_EQ(s.failed_cubes, (std::vector<uint32_t>{4}));
  ASSERT_EQ(s.failed_cross_connects.size(), 2U);
  EXPECT_EQ(number_of(s.failed_cross_connects[0]), 16U + 4 * 3 + 2);
  EXPECT_EQ(s.failed_cross_connects[1].dim, 2U);
  EXPECT_EQ(s.failed_cross_connects[1].position, (std::array<uint32_t, 2>{3, 3}));
}

TEST(TopologyFile, LatencyReachesTheCables) {
  const Network grid = build(parse_spec("{kind: torus, size: [3, 4], latency: {y: 5}}", "f"));
  EXPECT_EQ(grid.whole.port(0, 0).latency, 1U);
  EXPECT_EQ(grid.whole.port(7, 3).latency, 5U);
  const Network pod =
      build(parse_spec("{kind: cubes, cubes: 2, latency: {electrical: 2, optical: 7},"
                       " slices: [{name: a, size: [8, 4, 4]}]}",
                       "f"));
  const Topology& t = pod.slices[0].topology;
  for (uint32_t node = 0; node < t.nodes(); ++node) {
    const auto at = t.coordinates(node);
    for (uint32_t p = 0; p < 6; ++p) {
      const bool face = at[p / 2] % 4 == (p % 2 ? 0U : 3U);
      EXPECT_EQ(t.port(node, p).latency, face ? 7U : 2U) << "node " << node << " port " << p;
    }
  }
}

struct Mistake {
  const char* text;
  uint32_t line, column;
  const char* words;
  const char* hint;
};

TEST(TopologyFile, MistakesAreNamedByLineAndColumn) {
  const Mistake mistakes[] = {
      {"", 1, 1, "the file is empty", "begin with"},
      {"- 1\n", 1, 1, "a topology file is a map", "kind: torus"},
      {"kind: torus\nsize: [8, 8\n", 3, 1, "this is no YAML", "brackets"},
      {"kind: torus\nsize: [8, 8]\n---\nkind: mesh\n", 4, 1, "a second document", "one topology"},
      {"size: [8, 8]\n", 1, 1, "key 'kind' is missing", "add kind"},
      {"kind: torsu\nsize: [8, 8]\n", 1, 7, "there is no 'torsu'", "did you mean torus?"},
      {"kind: torus\n", 1, 1, "key 'size' is missing", "size: [8, 8]"},
      {"kind: torus\nsize: [8, 8]\nsiez: 3\n", 3, 1, "unknown key 'siez'", "did you mean size?"},
      {"kind: torus\nsize: [8, 8]\ntwist: standard\n", 3, 1, "unknown key 'twist'", "keys here"},
      {"kind: torus\nsize: [8, 8]\nsize: [4, 4]\n", 3, 1, "'size' stands here twice", "remove"},
      {"kind: torus\nsize: 8\n", 2, 7, "size: must be a list, not '8'", "[a, b]"},
      {"kind: torus\nsize: []\n", 2, 7, "size: has 0 items", "give 1 to 3"},
      {"kind: torus\nsize: [2, 2, 2, 2]\n", 2, 7, "size: has 4 items", "give 1 to 3"},
      {"kind: torus\nsize: [8, 0]\n", 2, 11, "size[1]: must be a whole number from 1", "write a"},
      {"kind: torus\nsize: [8, -8]\n", 2, 11, "size[1]: must be a whole number", "not '-8'"},
      {"kind: torus\nsize: [8, 8.0]\n", 2, 11, "not '8.0'", "write a"},
      {"kind: torus\nsize: [8, \"8\"]\n", 2, 11, "must be a whole number", "write a"},
      {"kind: torus\nsize: [8, 99999999999999999999]\n", 2, 11, "whole number", "write a"},
      {"kind: torus\nsize: [200, 200]\n", 2, 7, "200x200 is 40000 nodes", "up to 16384"},
      {"kind: torus\nsize: [8, 8]\nlatency: 0\n", 3, 10, "latency: must be a whole number", "1 to"},
      {"kind: torus\nsize: [8, 8]\nlatency: {z: 1}\n", 3, 11, "unknown key 'latency.z'", "x, y"},
      {"kind: twisted_torus\nsize: [4, 8]\n", 1, 1, "key 'twist' is missing", "standard"},
      {"kind: twisted_torus\nsize: [4, 4]\ntwist: standard\n", 3, 8, "no standard twist of 4x4",
       "topology.md"},
      {"kind: twisted_torus\nsize: [4, 8]\ntwist: {x: {y: 8}}\n", 3, 8, "less than the size 8",
       "topology.md"},
      {"kind: twisted_torus\nsize: [4, 8]\ntwist: {x: {y: 0}}\n", 3, 8, "nothing is twisted",
       "kind: torus"},
      {"kind: twisted_torus\nsize: [4, 8]\ntwist: {x: {w: 1}}\n", 3, 13, "unknown key 'twist.x.w'",
       "x, y, z"},
      {"kind: mesh\nsize: [4, 4]\nslices:\n  - {name: a, size: [4, 4], from: [1, 0]}\n", 4, 21,
       "ends at 5 in x, beyond the 4", "make it smaller"},
      {"kind: mesh\nsize: [4, 4]\nslices:\n  - {name: a, size: [2, 4]}\n  - {name: b, size: [4, "
       "2]}\n",
       5, 5, "slice 'b' and slice 'a' of line 4 share nodes", "apart"},
      {"kind: mesh\nsize: [4, 4]\nslices:\n  - {name: a, size: [2, 4]}\n  - {name: a, size: [2, "
       "4]}\n",
       5, 5, "share nodes", "apart"},
      {"kind: mesh\nsize: [4, 4]\nfailed:\n  nodes: [[1, 4]]\n", 4, 15, "failed.nodes[0][1]",
       "0 to 3"},
      {"kind: mesh\nsize: [4, 4]\nfailed:\n  nodes: [3, [3, 0]]\n", 4, 14, "node 3 is listed twice",
       "remove"},
      {"kind: mesh\nsize: [4, 4]\nfailed:\n  links:\n    - {node: 0, port: +z}\n", 5, 23,
       "there is no '+z'", "+x, -x, +y, -y"},
      {"kind: mesh\nsize: [4, 4]\nfailed:\n  links:\n    - {node: 0}\n", 5, 7, "'port' is missing",
       "port: +x"},
      {"kind: mesh\nsize: [4, 4]\nfailed: {cubes: [1]}\n", 3, 10, "unknown key 'failed.cubes'",
       "nodes, links"},
      {"kind: cubes\n", 1, 1, "key 'cubes' is missing", "cubes: 64"},
      {"kind: cubes\ncubes: 257\n", 2, 8, "cubes: must be a whole number from 1 to 256", "write"},
      {"kind: cubes\ncubes: 4\nspares: [4]\n", 3, 10, "spares[0]", "0 to 3"},
      {"kind: cubes\ncubes: 4\nspares: [1, 1]\n", 3, 13, "cube 1 is listed twice", "remove"},
      {"kind: cubes\ncubes: 4\nslices:\n  - {name: a, size: [4, 4, 6]}\n", 4, 28,
       "6 is no multiple of 4", "whole cubes"},
      {"kind: cubes\ncubes: 4\nslices:\n  - {name: a, size: [4, 4, 32]}\n", 4, 21,
       "4x4x32 is 8 cubes; the pod has 4", "smaller"},
      {"kind: cubes\ncubes: 4\nslices:\n  - {name: a, size: [4, 4, 8], cubes: [1]}\n", 4, 39,
       "1 cubes are listed; 4x4x8 takes 2", "x fastest"},
      {"kind: cubes\ncubes: 4\nslices:\n  - {name: a, size: [4, 4, 8], twist: {x: {z: 3}}}\n", 4,
       39, "the offset 3 is no multiple of 4", "face position"},
      {"kind: cubes\ncubes: 4\nslices:\n  - {name: a, size: [4, 4, 8], cubes: [1, 2]}\n"
       "  - {name: b, size: [4, 4, 4], cubes: [2]}\n",
       5, 39, "cube 2 belongs to slice 'a' of line 4", "share no cube"},
      {"kind: cubes\ncubes: 4\nslices:\n  - {name: a, size: [4, 4, 4]}\n"
       "  - {name: a, size: [4, 4, 4]}\n",
       5, 5, "the name 'a' is that of the slice in line 4", "own"},
      {"kind: cubes\ncubes: 4\nfailed:\n  cross_connects: [48]\n", 4, 20,
       "failed.cross_connects[0]", "0 to 47"},
      {"kind: cubes\ncubes: 4\nfailed:\n  cross_connects: [5, {dimension: x, position: [1, 1]}]\n",
       4, 23, "cross-connect 5 is listed twice", "remove"},
      {"kind: cubes\ncubes: 4\nfailed:\n  nodes: [{cube: 1, at: [0, 0, 4]}]\n", 4, 32,
       "failed.nodes[0].at[2]", "0 to 3"},
      {"kind: cubes\ncubes: 4\nname: []\n", 3, 7, "name: must be text, not a list", "word"},
  };
  for (const Mistake& m : mistakes) {
    try {
      parse_spec(m.text, "some.yaml");
      ADD_FAILURE() << "not refused:\n" << m.text;
    } catch (const FileError& e) {
      const std::string what = e.what();
      const std::string at =
          "some.yaml:" + std::to_string(m.line) + ":" + std::to_string(m.column) + ": ";
      EXPECT_EQ(what.substr(0, at.size()), at) << what << "\n" << m.text;
      EXPECT_NE(what.find(m.words), std::string::npos) << what << "\n" << m.text;
      EXPECT_NE((what + e.hint).find(m.hint), std::string::npos) << e.hint << "\n" << m.text;
      EXPECT_FALSE(e.hint.empty()) << m.text;
    }
  }
}

TEST(TopologyFile, AFailedCableThatIsNotThereIsRefused) {
  for (const char* text :
       {"kind: mesh\nsize: [4, 4]\nfailed:\n  links:\n    - {node: 0, port: -x}\n",
        "kind: torus\nsize: [4, 1]\nfailed:\n  links:\n    - {node: 0, port: +y}\n"}) {
    try {
      build(parse_spec(text, "f"));
      ADD_FAILURE() << "not refused";
    } catch (const FileError& e) {
      EXPECT_EQ(std::string(e.what()).find("f:5:7: node 0 has no cable"), 0U) << e.what();
    }
  }
}

TEST(TopologyFile, AFileThatCannotBeRead) {
  EXPECT_THROW(read_spec("/nonexistent/topology.yaml"), FileError);
  EXPECT_THROW(read_spec("/"), FileError);
  EXPECT_THROW(read_spec("/dev/zero"), FileError);
}

// What makes readers of YAML fall over: endless nesting, references to oneself, repeated doubling.
TEST(TopologyFile, HostileTextIsRefused) {
  std::string doubling = "a: &a [x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'p'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    doubling += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 8; ++i) doubling += (i ? ", *" : "*") + before;
    doubling += "]\n";
  }
  std::string bytes;
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 7);
  const std::vector<std::string> texts = {"kind: torus\nsize: " + std::string(200000, '['),
                                          "kind: torus\nsize: &a [*a, 4]\n",
                                          doubling + "kind: torus\nsize: [4]\n",
                                          bytes,
                                          "kind: torus\nsize: [4]\n<<: {}\n",
                                          "kind: torus\n? [a, b]\n: 3\n"};
  for (const std::string& text : texts)
    EXPECT_THROW(parse_spec(text, "f"), FileError) << text.substr(0, 60);
}

std::vector<std::filesystem::path> examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(TTPU_TOPOLOGIES))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  return files;
}

TEST(TopologyFile, EveryExampleIsReadBuiltAndWrittenAgain) {
  ASSERT_GE(examples().size(), 15U);
  for (const auto& file : examples()) {
    const Network network = load_network(file.string());
    EXPECT_EQ(check_isolation(network), std::vector<std::string>{}) << file;
    const std::string text = write_spec(network.spec);
    const Network again = build(parse_spec(text, "again"));
    EXPECT_EQ(write_spec(again.spec), text) << file;
    ASSERT_EQ(again.whole.ports.size(), network.whole.ports.size()) << file;
    for (size_t i = 0; i < network.whole.ports.size(); ++i) {
      const Port &a = network.whole.ports[i], &b = again.whole.ports[i];
      ASSERT_TRUE(a.peer.node == b.peer.node && a.peer.port == b.peer.port && a.dead == b.dead &&
                  a.dateline == b.dateline && a.latency == b.latency)
          << file << " port " << i;
    }
  }
}

// Whatever is done to a good file: it is refused with a place inside it, or it builds. Never a
// crash.
TEST(TopologyFile, DamagedFilesAreRefusedOrBuild) {
  tb::Random random;
  SCOPED_TRACE("TTPU_SEED=" + std::to_string(tb::run_seed()));
  uint32_t refused = 0, built = 0;
  const auto files = examples();
  for (int trial = 0; trial < (tb::long_run() ? 20000 : 600); ++trial) {
    Spec spec = read_spec(files[random.below(static_cast<uint32_t>(files.size()))].string());
    if (spec.size[0] * spec.size[1] * spec.size[2] > 2000) continue;
    std::string text = write_spec(spec);
    for (uint32_t n = 1 + random.below(3); n > 0 && !text.empty(); --n) {
      const auto at = random.below(static_cast<uint32_t>(text.size()));
      constexpr std::string_view kOdd = "{}[]:,-#&*!|>'\"%@`\n\t 09xé\x01";
      switch (random.below(4)) {
        case 0:
          text[at] = kOdd[random.below(kOdd.size())];
          break;
        case 1:
          text.erase(at, 1 + random.below(8));
          break;
        case 2:
          text.resize(at);
          break;
        default:
          text.insert(at, text.substr(random.below(static_cast<uint32_t>(text.size())), 9));
      }
    }
    const auto lines = static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    try {
      build(parse_spec(text, "f"));
      ++built;
    } catch (const FileError& e) {
      ++refused;
      EXPECT_GE(e.place.line, 1U) << e.what() << "\n" << text;
      EXPECT_LE(e.place.line, lines + 1) << e.what() << "\n" << text;
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_GT(built, 5U);
}

}  // namespace
}  // namespace ttpu::fabric
