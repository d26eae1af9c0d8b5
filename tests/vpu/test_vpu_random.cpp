// Random configurations of the VPU against the golden model, on five sizes, with random refusals.
#include "Vvpu_core16.h"
#include "Vvpu_core16i.h"
#include "Vvpu_core8i.h"
#include "Vvpu_edge.h"
#include "Vvpu_mini.h"
#include "vpu_bench.h"
#include "vpu_program.h"

namespace vpu_test {
namespace {

bool moves_rows(const Command& c) {
  const auto op = static_cast<isa::Opcode>(c.instr.get(0, 8));
  return op == isa::Opcode::VPU_RUN || op == isa::Opcode::VPU_XPOSE || op == isa::Opcode::VPU_LDV;
}

template <class Model>
void random_runs(const char* name, int runs, uint32_t stall_percent) {
  Bench<Model> bench(name);
  bench.stalls(stall_percent);
  Program program(bench.config, bench.random);
  if (tb::long_run()) runs *= 20;
  for (int i = 0; i < runs; ++i) {
    std::string history;
    for (const Command& c : program.next()) {
      history += tb::describe(c) + "\n";
      if (bench.both(c, moves_rows(c))) continue;
      FAIL() << "run " << i << "; its commands:\n" << history;
    }
    if (i % 50 == 49) {  // fresh data
      bench.random.fill(bench.vmem);
      for (uint32_t at = 0; at < bench.vmem.size(); at += 4)
        if (bench.random.coin()) bench.put(at, bench.any_word());
      bench.sync();
    }
  }
  if (stall_percent == 0) return;
  for (const auto* s :
       {&bench.a.stall, &bench.b.stall, &bench.accumulators.stall, &bench.write_stall})
    s->expect_stalled(100);
}

TEST(VpuRandom, Mini) { random_runs<Vvpu_mini>("mini", 1500, 0); }
TEST(VpuRandom, MiniRefusals) { random_runs<Vvpu_mini>("mini", 1500, 30); }
TEST(VpuRandom, Edge) { random_runs<Vvpu_edge>("edge", 1500, 0); }
TEST(VpuRandom, EdgeRefusals) { random_runs<Vvpu_edge>("edge", 1500, 30); }
TEST(VpuRandom, Core16) { random_runs<Vvpu_core16>("core16", 1500, 0); }
TEST(VpuRandom, Core16Refusals) { random_runs<Vvpu_core16>("core16", 1500, 60); }
// One lane, without floating point.
TEST(VpuRandom, Core8i) { random_runs<Vvpu_core8i>("core8i", 1500, 0); }
TEST(VpuRandom, Core8iRefusals) { random_runs<Vvpu_core8i>("core8i", 1500, 30); }
TEST(VpuRandom, Core16i) { random_runs<Vvpu_core16i>("core16i", 750, 0); }
TEST(VpuRandom, Core16iRefusals) { random_runs<Vvpu_core16i>("core16i", 750, 30); }

}  // namespace
}  // namespace vpu_test
