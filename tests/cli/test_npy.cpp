// .npy files and tensors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tb/random.h"
#include "ttpu/cli.h"
#include "ttpu/npy.h"
#include "ttpu/tensor_io.h"

namespace ttpu::cli {
namespace {

std::string file_of(const std::string& header, const std::string& data, char version = 1) {
  std::string r("\x93NUMPY", 6);
  r += version;
  r += '\0';
  r += static_cast<char>(header.size() & 0xff);
  r += static_cast<char>(header.size() >> 8);
  if (version > 1) r += std::string(2, '\0');
  return r + header + data;
}

TEST(Npy, RoundTrip) {
  std::mt19937_64 rng(tb::run_seed());
  for (const char* type : {"int8", "uint8", "int32", "float32"}) {
    for (const auto& shape :
         std::vector<std::vector<uint64_t>>{{}, {5}, {2, 3}, {4, 1, 3}, {0, 3}}) {
      NpyArray a{type, shape, {}};
      uint64_t bytes = std::string(type).ends_with("32") ? 4 : 1;
      for (const auto n : shape) bytes *= n;
      for (uint64_t i = 0; i < bytes; ++i) a.bytes.push_back(static_cast<uint8_t>(rng()));
      const std::string file = format_npy(a);
      EXPECT_EQ((file.size() - bytes) % 64, 0u);
      const NpyArray b = parse_npy(file);
      EXPECT_EQ(b.type, a.type);
      EXPECT_EQ(b.shape, a.shape);
      EXPECT_EQ(b.bytes, a.bytes);
    }
  }
}

TEST(Npy, HeadersOfOtherWriters) {
  const std::string h = "{'shape':(2,), 'descr': '|i1', 'fortran_order': False}\n";
  EXPECT_EQ(parse_npy(file_of(h, "ab")).shape, (std::vector<uint64_t>{2}));
  EXPECT_EQ(parse_npy(file_of(h, "ab", 2)).bytes, (std::vector<uint8_t>{'a', 'b'}));
}

TEST(Npy, BadFilesSayWhy) {
  const auto why = [](const std::string& file) {
    try {
      parse_npy(file);
    } catch (const NpyError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  const auto header = [](const char* descr, const char* order, const char* shape) {
    return std::string("{'descr': ") + descr + ", 'fortran_order': " + order +
           ", 'shape': " + shape + ", }";
  };
  EXPECT_NE(why("").find("begin"), std::string::npos);
  EXPECT_NE(why("PK\x03\x04 something else").find("begin"), std::string::npos);
  EXPECT_NE(why(file_of(header("'<f8'", "False", "(1,)"), "12345678")).find("'<f8'"),
            std::string::npos);
  EXPECT_NE(why(file_of(header("'>i4'", "False", "(1,)"), "1234")).find("'>i4'"),
            std::string::npos);
  EXPECT_NE(why(file_of(header("'|i1'", "True", "(1,)"), "1")).find("Fortran"), std::string::npos);
  EXPECT_NE(why(file_of(header("'|i1'", "Maybe", "(1,)"), "1")).find("truth"), std::string::npos);
  EXPECT_NE(why(file_of(header("'|i1'", "False", "(x,)"), "1")).find("numbers"), std::string::npos);
  EXPECT_NE(why(file_of(header("'|i1'", "False", "7"), "1")).find("tuple"), std::string::npos);
  EXPECT_NE(why(file_of(header("[('a', 'i1')]", "False", "(1,)"), "1")).find("records"),
            std::string::npos);
  EXPECT_NE(why(file_of(header("'<i4'", "False", "(2, 2)"), "123")).find("needs 16 bytes"),
            std::string::npos);
  EXPECT_NE(
      why(file_of(header("'<i4'", "False", "(4294967296, 4294967296)"), "")).find("too large"),
      std::string::npos);
  EXPECT_NE(why(file_of("{}", "")).find("no 'descr'"), std::string::npos);
  EXPECT_NE(why(file_of("{}", "", 9)).find("version 9"), std::string::npos);
}

TEST(Npy, DamagedFilesNeverCrash) {
  const std::string good = format_npy({"int32", {2, 3}, std::vector<uint8_t>(24, 7)});
  for (size_t n = 0; n < good.size(); ++n) EXPECT_THROW(parse_npy(good.substr(0, n)), NpyError);
  std::mt19937_64 rng(tb::run_seed());
  for (int n = 0; n < 20000; ++n) {
    std::string bad = good;
    for (auto k = 1 + rng() % 3; k > 0; --k) bad[rng() % bad.size()] = static_cast<char>(rng());
    try {
      parse_npy(bad);
    } catch (const NpyError&) {
    }
  }
}

TEST(TensorIo, RandomIsFullRangeAndRepeats) {
  const auto a = random_tensor(TensorType::S8, 10000, 5);
  EXPECT_EQ(a, random_tensor(TensorType::S8, 10000, 5));
  EXPECT_NE(a, random_tensor(TensorType::S8, 10000, 6));
  bool seen[256] = {};
  for (const auto v : a) seen[v] = true;
  for (int i = 0; i < 256; ++i) EXPECT_TRUE(seen[i]) << i;
  for (const auto type : {TensorType::BF16, TensorType::F32}) {
    const auto f = random_tensor(type, 1000, 5);
    bool negative = false, positive = false;
    for (uint64_t i = 0; i < 1000; ++i) {
      const double v = element(type, f, i);
      ASSERT_TRUE(std::isfinite(v));
      ASSERT_GE(std::abs(v), 0.125);
      ASSERT_LT(std::abs(v), 8.0);
      (v < 0 ? negative : positive) = true;
    }
    EXPECT_TRUE(negative && positive);
  }
}

TEST(TensorIo, FloatTensorsTakeAnyType) {
  const std::string path = testing::TempDir() + "ttpu_any_type.npy";
  const auto load = [&](TensorType type, const NpyArray& a) {
    write_file(path, format_npy(a));
    TensorDesc d;
    d.name = "x";
    d.type = type;
    d.shape = {2};
    return load_tensor(d, path);
  };
  const auto f = load(TensorType::F32, {"int8", {2}, {0x80, 5}});
  EXPECT_EQ(element(TensorType::F32, f, 0), -128);
  EXPECT_EQ(element(TensorType::F32, f, 1), 5);
  // C11 and C12: 0x3e89ccd5 to the nearest bf16, 0x7f800001 to NaN.
  const auto b =
      load(TensorType::BF16, {"float32", {2}, {0xd5, 0xcc, 0x89, 0x3e, 1, 0, 0x80, 0x7f}});
  EXPECT_EQ(element(TensorType::BF16, b, 0), 0.26953125);
  EXPECT_TRUE(std::isnan(element(TensorType::BF16, b, 1)));
  EXPECT_THROW(load(TensorType::S8, {"uint8", {2}, {1, 2}}), CliError);
  EXPECT_THROW(load(TensorType::S8, {"int8", {1}, {1}}), CliError);
  std::remove(path.c_str());
}

TEST(TensorIo, Elements) {
  const std::vector<uint8_t> bytes = {0xc0, 0x3f, 0x80, 0xff};
  EXPECT_EQ(element(TensorType::S8, bytes, 2), -128);
  EXPECT_EQ(element(TensorType::U8, bytes, 2), 128);
  EXPECT_EQ(element(TensorType::BF16, bytes, 0), 1.5);
  EXPECT_TRUE(std::isinf(element(TensorType::BF16, std::vector<uint8_t>{0x80, 0xff}, 0)));
  EXPECT_EQ(element(TensorType::S32, bytes, 0), static_cast<int32_t>(0xff803fc0u));
}

}  // namespace
}  // namespace ttpu::cli
