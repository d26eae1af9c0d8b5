// Self-test of `ttpu board test`: memories, and every MAC of the array.
#include "ttpu/cmd_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/asm.h"
#include "ttpu/cli.h"
#include "ttpu/program_image.h"

namespace ttpu::cli {

namespace {

constexpr size_t kBlock = 4096;  // bytes at a time

void add_fault(TestedPart& part, std::string text) {
  ++part.faulty;
  if (part.faults.size() < kMaxFaults) part.faults.push_back(std::move(text));
}

/// y = x * w for one tile of the array, from HBM to HBM.
Image tile_program(const Config& c) {
  const uint32_t n = c.n;
  // Quarters of VMEM: in banks of their own where there are several.
  const uint32_t quarter = c.vmem_bytes() / 4 / c.word_bytes() * c.word_bytes();
  const std::string text = fmt::format(
      R"(.config {0}
.input x type=int8 shape=[{1}, {1}] at=0
.input w type=int8 shape=[{1}, {1}] at={2}
.output y type=int32 shape=[{1}, {1}] at={3}
  dma_shape  channel=0 n0={2} n1=1 n2=1 n3=1
  dma_load   channel=0 space=HBM imm_h={2} imm_v={5} signal=f1
  dma_load   channel=0 space=HBM imm_h=0 imm_v=0 signal=f2
  mxu_loadw  imm_a={5} stride=1 k={1} n={1} dtype=S8 wait=f1:1
  mxu_matmul imm_a=0 stride=1 rows={1} acc=0 dtype=S8 swap=1 wait=f2:1 signal=f3
  vpu_clear
  vpu_seta   src=ACC dtype=I32 s0=1
  vpu_setd   dtype=I32 s0=4
  vpu_shape  n0={1} n1=1 n2=1
  vpu_run    imm_a=0 imm_d={6} lanes={1} wait=f3:1 signal=f4
  dma_shape  channel=1 n0={4} n1=1 n2=1 n3=1
  dma_store  channel=1 space=HBM imm_h={3} imm_v={6} wait=f4:1
  halt
)",
      c.name, n, n * n, 2 * n * n, 4 * n * n, quarter, 2 * quarter);
  const auto result = isa::assemble(text, std::string(c.name));
  if (!result.ok())
    throw CliError(kDevice, fmt::format("the self-test's program does not fit '{}': {}", c.name,
                                        isa::to_string(result.errors[0], "self-test")));
  return to_image(result.program);
}

}  // namespace

TestedPart test_memory(const TestedMemory& memory, uint64_t limit) {
  TestedPart part{memory.name, 0, 0, {}};
  const uint64_t bytes = std::min(memory.bytes, limit) / 4 * 4;
  const auto pattern = [](uint64_t addr, bool inverted) {
    const auto word = static_cast<uint32_t>(addr / 4 * 2654435761u) ^ 0x5a5a5a5au;
    return inverted ? ~word : word;
  };
  for (const bool inverted : {false, true}) {
    // All is written before any is read: two addresses that are one cell are found.
    std::vector<uint32_t> words;
    const auto bytes_of = [&] {
      return std::span(reinterpret_cast<uint8_t*>(words.data()), 4 * words.size());
    };
    for (uint64_t at = 0; at < bytes; at += kBlock) {
      words.resize(std::min<uint64_t>(kBlock, bytes - at) / 4);
      for (size_t i = 0; i < words.size(); ++i) words[i] = pattern(at + 4 * i, inverted);
      memory.write(at, bytes_of());
    }
    for (uint64_t at = 0; at < bytes; at += kBlock) {
      words.assign(std::min<uint64_t>(kBlock, bytes - at) / 4, 0);
      memory.read(at, bytes_of());
      for (size_t i = 0; i < words.size(); ++i, ++part.checked)
        if (const uint32_t expected = pattern(at + 4 * i, inverted); words[i] != expected)
          add_fault(part, fmt::format("{} at 0x{:x}: wrote {:08x}, read {:08x}", memory.name,
                                      at + 4 * i, expected, words[i]));
    }
  }
  return part;
}

TestedPart test_macs(Device& device) {
  const uint32_t n = device.config().n;
  const Image image = tile_program(device.config());
  device.load(image);
  TestedPart part{"MAC", 0, 0, {}};
  constexpr int8_t kExtremes[] = {-128, 127, -1, 1};
  std::vector<uint8_t> x(n * n), w(n * n);
  // Row r of x holds one extreme (negated on odd lanes in every other group): all four meet all
  // weights.
  for (uint32_t r = 0; r < n; ++r)
    for (uint32_t k = 0; k < n; ++k) {
      const int8_t v = kExtremes[r % 4];
      x[r * n + k] = static_cast<uint8_t>(r / 4 % 2 && k % 2 && v != -128 ? -v : v);
    }
  write_tensor(device, image.inputs[0], x);
  const auto run = [&](const auto& weight, const auto& place) {
    for (uint32_t k = 0; k < n; ++k)
      for (uint32_t c = 0; c < n; ++c) w[k * n + c] = static_cast<uint8_t>(weight(k, c));
    write_tensor(device, image.inputs[1], w);
    const RunResult result = device.run();
    if (!result.done)
      throw CliError(kDevice,
                     fmt::format("the self-test's program ended with error {} of unit {} at pc {}",
                                 static_cast<int>(result.error),
                                 static_cast<int>(result.error_unit), result.error_pc),
                     "reset the board; if it happens again, the bitstream misses its timing");
    const auto y = read_tensor(device, image.outputs[0]);
    for (uint32_t r = 0; r < n; ++r)
      for (uint32_t c = 0; c < n; ++c, ++part.checked) {
        int32_t expected = 0, got = 0;
        for (uint32_t k = 0; k < n; ++k)
          expected += static_cast<int8_t>(x[r * n + k]) * static_cast<int8_t>(w[k * n + c]);
        std::memcpy(&got, &y[4 * (r * n + c)], 4);
        if (got != expected)
          add_fault(part, fmt::format("{}: got {}, expected {}", place(r, c), got, expected));
      }
  };
  // A diagonal of weights: each column has one multiplier at work.
  for (const int8_t v : {int8_t{-128}, int8_t{127}})
    for (uint32_t shift = 0; shift < n; ++shift)
      run([&](uint32_t k, uint32_t c) { return (k + shift) % n == c ? v : int8_t{0}; },
          [&](uint32_t r, uint32_t c) {
            const uint32_t k = (c + n - shift) % n;
            return fmt::format("MAC of row {} and column {}, {} * {}", k, c,
                               static_cast<int8_t>(x[r * n + k]), v);
          });
  // All of a column at work: the longest sums.
  for (const int8_t v : {int8_t{-128}, int8_t{127}})
    run([&](uint32_t, uint32_t) { return v; },
        [&](uint32_t r, uint32_t c) {
          return fmt::format("sum of column {}, all weights {}, row {} of x", c, v, r);
        });
  return part;
}

}  // namespace ttpu::cli
