// Speed of the simulated systolic array alone, against a plain C++ loop of the same product.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "isa/generated/configs_gen.h"

namespace ttpu::bench {

/// What to run. The array streams `tiles` tiles of `rows` rows, N x N weights each, without a
/// bubble.
struct ArrayBenchOptions {
  bool bf16 = false;    ///< else int8
  uint32_t rows = 512;  ///< rows a tile, at least N + 8
  uint32_t tiles = 16;  ///< a round
  uint32_t rounds = 5;  ///< the best round counts, of the array and of the plain loop alike
};

struct ArrayBenchResult {
  uint64_t cycles = 0;          ///< simulated in the best round
  double kcycles_per_s = 0;     ///< simulated cycles / 1000 a second
  double gmac_per_s = 0;        ///< simulated multiply-adds
  double plain_gmac_per_s = 0;  ///< of the plain loop
  double vs_plain_cpp = 0;      ///< ratio of the two
  double mxu_utilisation = 0;   ///< rows that entered / cycles
  bool bit_equal = false;       ///< every sum of every round equals the plain loop's
};

/// One round on the model: rows in, sums out. What a library libttpu_array_<config>.so exports as
/// `ttpu_array_round`. Weights: `sets` tiles of n x n elements used in turn; activations: rows x n.
/// `expected`: sets x rows x n sums. Returns the cycles, and counts sums that differ in `wrong`.
struct ArrayRound {
  uint32_t n = 0, rows = 0, tiles = 0, sets = 0;
  bool bf16 = false;
  const uint16_t* weights = nullptr;  ///< int8 sign-extended, or bfloat16
  const uint16_t* activations = nullptr;
  const uint32_t* expected = nullptr;
  uint64_t wrong = 0;
};
using ArrayRoundFunction = uint64_t (*)(ArrayRound*);

/// The model of this configuration is not built, or the options do not fit it.
struct ArrayBenchError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Run the bench on the array of a configuration.
ArrayBenchResult run_array_bench(const Config& config, const ArrayBenchOptions& options);

}  // namespace ttpu::bench
