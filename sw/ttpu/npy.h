// NumPy's .npy files: int8, uint8, int32, float32, in C order, little-endian.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ttpu::cli {

struct NpyArray {
  std::string type;             ///< "int8", "uint8", "int32" or "float32"
  std::vector<uint64_t> shape;  ///< may be empty: a scalar
  std::vector<uint8_t> bytes;   ///< dense, row-major
};

/// A file that is no such array. what() says why.
struct NpyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parse the content of a .npy file (versions 1 to 3). Throws NpyError.
NpyArray parse_npy(std::string_view file);
/// Content of a .npy file (version 1) with this array.
std::string format_npy(const NpyArray& array);

}  // namespace ttpu::cli
