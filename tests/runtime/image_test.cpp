// Program images: round trip, and refusal of everything that is not one.
#include "runtime/image.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "runtime/image_format.h"
#include "tb/random.h"

namespace ttpu {
namespace {

Image sample() {
  Image image;
  image.config_hash = find_config("core16")->hash;
  image.config_name = "core16";
  image.entry = 1;
  image.hbm_bytes = 4096;
  image.code.resize(3);
  for (uint32_t i = 0; i < 12; ++i) image.code[i / 4].words[i % 4] = 0x01010101u * i;
  image.smem = {1, 2, 0xffffffff};
  image.constants = {{64, {1, 2, 3}}, {100, {9}}, {4096, {}}};
  image.inputs = {{"x", TensorType::U8, {2, 3, 5}, 256, 8, 0.5f, 128}};
  image.outputs = {{"y", TensorType::F32, {4}, 512, 16, 1.0f, 0},
                   {"s", TensorType::S32, {}, 640, 4}};
  image.report = "{\"ops\": []}";
  return image;
}

bool same(const TensorDesc& a, const TensorDesc& b) {
  return a.name == b.name && a.type == b.type && a.shape == b.shape && a.hbm_addr == b.hbm_addr &&
         a.row_pitch == b.row_pitch && a.scale == b.scale && a.zero_point == b.zero_point;
}

void expect_same(const Image& a, const Image& b) {
  EXPECT_EQ(a.config_hash, b.config_hash);
  EXPECT_EQ(a.config_name, b.config_name);
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.hbm_bytes, b.hbm_bytes);
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.smem, b.smem);
  EXPECT_EQ(a.report, b.report);
  ASSERT_EQ(a.constants.size(), b.constants.size());
  for (size_t i = 0; i < a.constants.size(); ++i) {
    EXPECT_EQ(a.constants[i].addr, b.constants[i].addr);
    EXPECT_EQ(a.constants[i].bytes, b.constants[i].bytes);
  }
  ASSERT_EQ(a.inputs.size(), b.inputs.size());
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) EXPECT_TRUE(same(a.inputs[i], b.inputs[i]));
  for (size_t i = 0; i < a.outputs.size(); ++i) EXPECT_TRUE(same(a.outputs[i], b.outputs[i]));
}

/// The reason for which bytes are refused; "" if they are not.
std::string refusal(std::span<const uint8_t> bytes) {
  try {
    Image::from_bytes(bytes);
  } catch (const ImageError& e) {
    return e.what();
  }
  return "";
}

/// The reason for which an image is refused.
std::string refusal(const Image& image) {
  try {
    image.to_bytes();
  } catch (const ImageError& e) {
    return e.what();
  }
  return "";
}

void put(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes[at + i] = static_cast<uint8_t>(value >> 8 * i);
}
uint64_t get(const std::vector<uint8_t>& bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i) value |= static_cast<uint64_t>(bytes[at + i]) << 8 * i;
  return value;
}

/// Make every checksum right again, as an attacker would: sections first, then the file.
void mend(std::vector<uint8_t>& bytes) {
  const auto crc = [&](size_t at, size_t count) {
    return static_cast<uint32_t>(crc32_z(0, bytes.data() + at, count));
  };
  const uint64_t sections = get(bytes, 12, 4);
  for (uint64_t i = 0; i < sections; ++i) {
    const size_t entry = format::kHeaderBytes + i * format::kSectionBytes;
    if (entry + format::kSectionBytes > bytes.size()) break;
    const uint64_t offset = get(bytes, entry + 8, 8), size = get(bytes, entry + 16, 8);
    if (offset <= bytes.size() && size <= bytes.size() - offset)
      put(bytes, entry + 4, crc(offset, size), 4);
  }
  put(bytes, bytes.size() - 4, crc(0, bytes.size() - 4), 4);
}

TEST(Image, round_trip) {
  const Image image = sample();
  expect_same(Image::from_bytes(image.to_bytes()), image);
  EXPECT_EQ(Image::from_bytes(image.to_bytes()).to_bytes(), image.to_bytes());
}

TEST(Image, C39_cut_at_every_length) {
  const auto bytes = sample().to_bytes();
  for (size_t length = 0; length < bytes.size(); ++length) {
    // In a buffer of that size, so that a read beyond it is seen by a sanitizer.
    const std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<long>(length));
    ASSERT_NE(refusal(cut), "") << "accepted when cut to " << length << " bytes";
  }
  auto longer = bytes;
  longer.push_back(0);
  EXPECT_NE(refusal(longer), "");
}

TEST(Image, C39_each_byte_flipped) {
  const auto bytes = sample().to_bytes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto bad = bytes;
      bad[at] ^= static_cast<uint8_t>(1 << bit);
      ASSERT_NE(refusal(bad), "") << "accepted with bit " << bit << " of byte " << at << " flipped";
    }
    auto bad = bytes;
    bad[at] = static_cast<uint8_t>(~bad[at]);
    ASSERT_NE(refusal(bad), "") << "accepted with byte " << at << " inverted";
  }
}

TEST(Image, C39_changed_with_checksums_made_right) {
  // Never a crash or a great allocation; what is accepted must be sound and stay what it is.
  const auto bytes = sample().to_bytes();
  tb::Random random;
  int accepted = 0, refused = 0;
  const auto offer = [&](std::vector<uint8_t> bad) {
    if (bad.size() >= 4) mend(bad);
    try {
      const Image image = Image::from_bytes(bad);
      ++accepted;
      expect_same(Image::from_bytes(image.to_bytes()), image);
    } catch (const ImageError& e) {
      ++refused;
      EXPECT_STRNE(e.what(), "");
    }
  };
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      auto bad = bytes;
      bad[at] = value;
      offer(bad);
    }
  }
  for (size_t length = format::kHeaderBytes + 4; length < bytes.size(); ++length) {
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<long>(length));
    put(cut, 16, length, 8);
    offer(cut);
  }
  for (int trial = 0; trial < 20000; ++trial) {
    auto bad = bytes;
    for (uint64_t i = 0, n = 1 + random.below(4); i < n; ++i) {
      // A number of 4 or 8 bytes, among them those that overflow.
      const size_t count = random.coin() ? 4 : 8;
      const std::vector<uint64_t> edges = {
          0, 1, 0xffffffff, 0x7fffffff, 0x80000000, ~0ull, 1ull << 63, bytes.size(), random.next()};
      put(bad, random.below(bad.size() - 8) & ~3ull, random.pick(edges), count);
    }
    offer(bad);
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 10000);
}

TEST(Image, says_why) {
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
  };
  auto bytes = sample().to_bytes();
  has(refusal(std::vector<uint8_t>{}), "not a TTPU image");
  auto bad = bytes;
  bad[0] = 'X';
  has(refusal(bad), "not a TTPU image");
  bad = bytes;
  bad[4] = 77;
  has(refusal(bad), "version 77");
  bad = bytes;
  bad.pop_back();
  has(refusal(bad), "bytes and has");
  bad = bytes;
  bad.push_back(0);
  has(refusal(bad), "bytes and has");
  bad = bytes;
  bad[bytes.size() / 2] ^= 1;
  has(refusal(bad), "checksum");
  bad = bytes;  // a section's own checksum
  bad[format::kHeaderBytes + 4] ^= 1;
  put(bad, bad.size() - 4, crc32_z(0, bad.data(), bad.size() - 4), 4);
  has(refusal(bad), "checksum of section 0");
  bad = bytes;
  put(bad, 12, 0xffffffff, 4);
  put(bad, bad.size() - 4, crc32_z(0, bad.data(), bad.size() - 4), 4);
  has(refusal(bad), "sections do not fit");
}

TEST(Image, refuses_contradictions) {
  const auto with = [](auto change) {
    Image image = sample();
    change(image);
    return refusal(image);
  };
  EXPECT_EQ(with([](Image&) {}), "");
  const auto fails = [&](auto change) { EXPECT_NE(with(change), ""); };
  fails([](Image& i) { i.code.clear(); });
  fails([](Image& i) { i.entry = 3; });
  fails([](Image& i) { i.code.resize(65537); });
  fails([](Image& i) { i.smem.resize(65537); });
  fails([](Image& i) { i.hbm_bytes = (1ull << 40) + 1; });
  fails([](Image& i) { i.hbm_bytes = 8; });
  fails([](Image& i) { i.constants[1].addr = 66; });  // overlaps the first
  fails([](Image& i) { i.constants[1].addr = 4096; });
  fails([](Image& i) { i.constants[1].addr = ~0ull; });
  fails([](Image& i) { i.inputs[0].shape = {0}; });
  fails([](Image& i) { i.inputs[0].shape = {0xffffffff, 0xffffffff, 0xffffffff}; });
  fails([](Image& i) { i.inputs[0].shape = std::vector<uint32_t>(9, 1); });
  fails([](Image& i) { i.inputs[0].row_pitch = 4; });
  fails([](Image& i) { i.inputs[0].row_pitch = ~0ull; });
  fails([](Image& i) { i.inputs[0].hbm_addr = 4096 - 44; });  // one byte too far
  fails([](Image& i) { i.inputs[0].hbm_addr = ~0ull; });
  fails([](Image& i) { i.inputs[0].scale = 0; });
  fails([](Image& i) { i.inputs[0].scale = std::numeric_limits<float>::quiet_NaN(); });
  fails([](Image& i) { i.inputs[0].zero_point = 256; });
  fails([](Image& i) { i.inputs[0].type = static_cast<TensorType>(9); });
  fails([](Image& i) { i.outputs[0].name = std::string(1025, 'a'); });
  EXPECT_EQ(with([](Image& i) { i.inputs[0].hbm_addr = 4096 - 45; }), "");
}

class ImageFile : public testing::Test {
 protected:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ttpu image test " + std::to_string(::getpid()));
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string failure(const std::string& path) {
    try {
      Image::load(path);
    } catch (const ImageError& e) {
      return e.what();
    }
    return "";
  }
};

TEST_F(ImageFile, save_and_load) {
  const std::string path = (folder / "a.ttpu").string();
  sample().save(path);
  expect_same(Image::load(path), sample());
  sample().save(path);  // over an old one
  expect_same(Image::load(path), sample());
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1u) << "a temporary file was left";
}

TEST_F(ImageFile, errors_name_the_path) {
  const std::string path = (folder / "b.ttpu").string();
  EXPECT_NE(failure(path).find(path), std::string::npos);
  EXPECT_NE(failure(folder.string()).find("not a file"), std::string::npos);
  std::ofstream(path) << "hello";
  EXPECT_NE(failure(path).find(path), std::string::npos);
  EXPECT_NE(failure(path).find("not a TTPU image"), std::string::npos);
  EXPECT_THROW(sample().save((folder / "none" / "c.ttpu").string()), ImageError);
}

}  // namespace
}  // namespace ttpu
