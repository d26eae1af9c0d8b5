// Tensors between files and programs.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/image.h"

namespace ttpu::cli {

/// NAME=VALUE of --input and --output. Throws CliError(kUsage).
struct NamedArgument {
  std::string name, value;
};
NamedArgument parse_named(const std::string& text, const std::string& option);

/// The tensor of that name among `tensors`, or CliError(kUsage) with the names there are.
const TensorDesc& find_tensor(std::span<const TensorDesc> tensors, const std::string& name,
                              const std::string& option);

/// Dense bytes for an input: `source` is random:SEED, a .npy file, or a raw file.
/// A bf16 or float32 tensor takes any type of .npy, rounded to nearest even.
std::vector<uint8_t> load_tensor(const TensorDesc& desc, const std::string& source);

/// Write an output as .npy (bf16 as float32) or, with any other ending, raw.
void save_tensor(const TensorDesc& desc, std::span<const uint8_t> dense, const std::string& path);

/// Full-range integers, or floats of magnitude 1/8 to 8 of both signs: any seed, never NaN.
std::vector<uint8_t> random_tensor(TensorType type, uint64_t elements, uint64_t seed);

/// Element i as a number.
double element(TensorType type, std::span<const uint8_t> dense, uint64_t i);

/// "int8 [4, 64]".
std::string describe(const TensorDesc& desc);
/// "min -3 max 5 mean 0.25: 1 2 3 ...".
std::string summarise(TensorType type, std::span<const uint8_t> dense);

}  // namespace ttpu::cli
