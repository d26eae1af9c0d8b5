#include "energy/energy.h"

#include <algorithm>
#include <cmath>

namespace ttpu::energy {

namespace {

// Horowitz, "Computing's energy problem", ISSCC 2014 (45 nm); Jouppi et al., "Ten lessons from
// three generations shaped Google's TPUv4i", ISCA 2021, table 2 (45 nm and 7 nm).
constexpr Table kTables[] = {
    {.name = "45 nm",
     .add_int8 = 0.03,
     .add_int32 = 0.1,
     .mul_int8 = 0.2,
     .mul_int32 = 3.1,
     .add_bf16 = 0.4,
     .mul_bf16 = 1.1,
     .add_fp16 = 0.4,
     .mul_fp16 = 1.1,
     .add_fp32 = 0.9,
     .mul_fp32 = 3.7,
     .sram_8k = 10,
     .sram_32k = 20,
     .sram_1m = 100,
     .dram = 1300},
    {.name = "7 nm",
     .add_int8 = 0.007,
     .add_int32 = 0.03,
     .mul_int8 = 0.07,
     .mul_int32 = 1.48,
     .add_bf16 = 0.11,
     .mul_bf16 = 0.21,
     .add_fp16 = 0.16,
     .mul_fp16 = 0.34,
     .add_fp32 = 0.38,
     .mul_fp32 = 1.31,
     .sram_8k = 7.5,
     .sram_32k = 8.5,
     .sram_1m = 14,
     .dram = 350},
};

constexpr double kKiB = 1024, kMiB = 1024 * kKiB;
constexpr double kAccessBytes = 8;
constexpr double kInstructionBytes = 16;

/// y at x on the line through two points, in log-log.
double log_line(double x, double x0, double y0, double x1, double y1) {
  const double slope = std::log(y1 / y0) / std::log(x1 / x0);
  return y0 * std::pow(x / x0, slope);
}

}  // namespace

const Table& table(Node node) { return kTables[node == Node::NM45 ? 0 : 1]; }

double sram_access(const Table& t, double bytes) {
  if (bytes <= 32 * kKiB) return log_line(bytes, 8 * kKiB, t.sram_8k, 32 * kKiB, t.sram_32k);
  return log_line(bytes, 32 * kKiB, t.sram_32k, kMiB, t.sram_1m);
}

double Report::total_pj() const {
  double sum = 0;
  for (const auto& p : parts) sum += p.pj;
  return sum;
}

double Report::part(std::string_view name) const {
  for (const auto& p : parts)
    if (p.name == name) return p.pj;
  return 0;
}

Report estimate(const golden::Activity& activity, const Config& config, Node node) {
  const Table& t = table(node);
  const auto sram = [&](uint64_t bytes_moved, double array_bytes) {
    return static_cast<double>(bytes_moved) / kAccessBytes * sram_access(t, array_bytes);
  };
  const auto count = [](uint64_t n) { return static_cast<double>(n); };
  // An instruction is read from IMEM and costs an addition.
  const double control =
      count(activity.scalar_instructions) *
      (kInstructionBytes / kAccessBytes *
           sram_access(t, kInstructionBytes * static_cast<double>(config.imem_words)) +
       t.add_int32);
  const double hbm =
      count(activity.hbm_read_bytes + activity.hbm_write_bytes) / kAccessBytes * t.dram;
  // CMEM is taken to consist of macros of 1 MiB.
  const double cmem = config.cmem_bytes == 0
                          ? 0
                          : sram(activity.cmem_read_bytes + activity.cmem_write_bytes,
                                 std::min(kMiB, static_cast<double>(config.cmem_bytes)));
  const double vmem =
      sram(activity.vmem_read_bytes + activity.vmem_write_bytes, config.bank_bytes());
  const double mxu = count(activity.macs_int8) * (t.mul_int8 + t.add_int32) +
                     count(activity.macs_bf16) * (t.mul_bf16 + t.add_fp32);
  const double acc =
      sram(activity.acc_read_bytes + activity.acc_write_bytes, 4.0 * config.n * config.acc_rows);
  // A special function is a table look-up and a quadratic: two multiplications and two additions.
  const double vpu = count(activity.vpu_int_ops) * t.add_int32 +
                     count(activity.vpu_fp_add) * t.add_fp32 +
                     count(activity.vpu_fp_mul) * t.mul_fp32 +
                     count(activity.vpu_sfu) * 2 * (t.mul_fp32 + t.add_fp32);
  return {node,
          {{"control", control},
           {"hbm", hbm},
           {"cmem", cmem},
           {"vmem", vmem},
           {"mxu", mxu},
           {"acc", acc},
           {"vpu", vpu}}};
}

}  // namespace ttpu::energy
