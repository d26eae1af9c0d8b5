#include "bench/array_bench.h"

#include <dlfcn.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <random>

namespace ttpu::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

ArrayRoundFunction open_model(const Config& config) {
  const std::string file = "libttpu_array_" + std::string(config.name) + ".so";
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = error ? fs::current_path() : program.parent_path();
  for (const auto& place : {folder, folder / ".." / "lib", folder / ".." / "bin"}) {
    if (!fs::exists(place / file, error)) continue;
    void* library = ::dlopen((place / file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw ArrayBenchError(std::string("cannot load ") + ::dlerror());
    void* symbol = ::dlsym(library, "ttpu_array_round");
    if (!symbol) throw ArrayBenchError((place / file).string() + " is not a model of the array");
    return reinterpret_cast<ArrayRoundFunction>(symbol);
  }
  throw ArrayBenchError("the array of '" + std::string(config.name) + "' is not built: no " + file +
                        " in " + folder.string() + "; build the target ttpu_array_" +
                        std::string(config.name));
}

/// bfloat16 as the upper half of an fp32.
struct Bf16 {
  uint16_t bits;
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

/// The yardstick: the product as anyone would write it, in the array's order of sums.
template <class Element, class Sum>
[[gnu::noinline]] void plain_product(const Element* a, const Element* b, Sum* c, int m, int n,
                                     int k) {
  std::fill(c, c + static_cast<size_t>(m) * n, Sum{0});
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += static_cast<Sum>(a[i * k + p]) * static_cast<Sum>(b[p * n + j]);
}

template <class Element, class Sum>
ArrayBenchResult run(const Config& config, const ArrayBenchOptions& options,
                     ArrayRoundFunction round_function) {
  constexpr uint32_t kSets = 4;
  const uint32_t n = config.n;
  const size_t tile = static_cast<size_t>(n) * n, block = static_cast<size_t>(options.rows) * n;
  std::mt19937 random(1);
  std::vector<uint16_t> a(block), w(kSets * tile);
  for (auto* operands : {&a, &w}) {
    for (uint16_t& x : *operands) {
      const uint32_t bits = static_cast<uint32_t>(random());
      // bfloat16 of like size, so that host arithmetic without flushing gives the same bits
      x = options.bf16 ? static_cast<uint16_t>((bits & 0x807f) | (120 + (bits >> 16) % 14) << 7)
                       : static_cast<uint16_t>(static_cast<int8_t>(bits));
    }
  }
  const auto element = [](uint16_t x) {
    if constexpr (std::is_same_v<Element, Bf16>)
      return Bf16{x};
    else
      return static_cast<Element>(x);
  };
  std::vector<Element> plain_a(block), plain_w(kSets * tile);
  std::transform(a.begin(), a.end(), plain_a.begin(), element);
  std::transform(w.begin(), w.end(), plain_w.begin(), element);
  std::vector<Sum> sums(kSets * block);
  const int m = static_cast<int>(options.rows), size = static_cast<int>(n);

  ArrayRound round;
  round.n = n;
  round.rows = options.rows;
  round.tiles = options.tiles;
  round.sets = kSets;
  round.bf16 = options.bf16;
  round.weights = w.data();
  round.activations = a.data();
  round.expected = reinterpret_cast<const uint32_t*>(sums.data());

  const double macs = static_cast<double>(options.tiles) * options.rows * n * n;
  ArrayBenchResult result;
  for (uint32_t i = 0; i < options.rounds; ++i) {
    auto start = Clock::now();
    uint32_t products = 0;
    do {
      for (uint32_t s = 0; s < kSets; ++s, ++products) {
        plain_product(plain_a.data(), &plain_w[s * tile], &sums[s * block], m, size, size);
        asm volatile("" : : "r"(sums.data()) : "memory");  // each product is wanted
      }
    } while (seconds_since(start) < 0.05);
    const double plain =
        static_cast<double>(products) * options.rows * n * n / seconds_since(start);
    result.plain_gmac_per_s = std::max(result.plain_gmac_per_s, plain / 1e9);

    start = Clock::now();
    const uint64_t cycles = round_function(&round);
    const double time = seconds_since(start);
    if (macs / time / 1e9 > result.gmac_per_s) {
      result.gmac_per_s = macs / time / 1e9;
      result.cycles = cycles;
      result.kcycles_per_s = static_cast<double>(cycles) / time / 1e3;
    }
  }
  result.vs_plain_cpp = result.gmac_per_s / result.plain_gmac_per_s;
  result.mxu_utilisation =
      static_cast<double>(options.tiles) * options.rows / static_cast<double>(result.cycles);
  result.bit_equal = round.wrong == 0;
  return result;
}

}  // namespace

ArrayBenchResult run_array_bench(const Config& config, const ArrayBenchOptions& options) {
  if (options.bf16 && !config.has_fp)
    throw ArrayBenchError("configuration '" + std::string(config.name) + "' has no bf16");
  if (options.rows < config.fp_stages * config.n + 8)
    throw ArrayBenchError("rows must be at least " +
                          std::to_string(config.fp_stages * config.n + 8) +
                          " for a tile to follow another without a bubble");
  if (options.tiles == 0 || options.rounds == 0)
    throw ArrayBenchError("tiles and rounds must be at least 1");
  const ArrayRoundFunction round = open_model(config);
  return options.bf16 ? run<Bf16, float>(config, options, round)
                      : run<int8_t, int32_t>(config, options, round);
}

}  // namespace ttpu::bench
