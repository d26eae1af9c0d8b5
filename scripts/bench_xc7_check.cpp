// Runs a synthesized netlist of bench_xc7_array against plain C++ (scripts/bench_xc7.sh), with the
// traffic of the array's own test. usage: check NAME
#include <cstdio>

#include "Vnetlist.h"
#include "array_traffic.h"
#include "verilated.h"

int main(int, char** argv) {
  constexpr unsigned kN = ARRAY_N, kLatency = 2 * kN + ARRAY_STAGES - 1;
  VerilatedContext context;
  Vnetlist netlist(&context);
  mxu_test::ArrayTraffic traffic(kN, 1);
  mxu_test::ArrayDriver<Vnetlist> driver(netlist, kN, kLatency, "netlist");
  driver.reset();
  for (unsigned i = 0; i < 64000 / kN; ++i)
    if (!driver.step(traffic.next())) {
      std::printf("%s: %s\n", argv[1], driver.error.c_str());
      return 1;
    }
  const auto sums = static_cast<unsigned long long>(driver.sums);
  const auto tiles = static_cast<unsigned long long>(traffic.tiles);
  std::printf("%s: netlist: %llu sums of %llu tiles equal\n", argv[1], sums, tiles);
  return sums > 10000 && traffic.extreme > 10 && traffic.earliest > 10 && traffic.latest > 10 ? 0 : 3;
}
