// The builds of ttpu_mxu under test: array sizes, number kinds, PE depths, multiplier styles.
#pragma once
#include <cstdint>

#include "Vmxu_n16.h"
#include "Vmxu_n16p1.h"
#include "Vmxu_n16x.h"
#include "Vmxu_n32.h"
#include "Vmxu_n4.h"
#include "Vmxu_n4d.h"
#include "Vmxu_n8.h"
#include "Vmxu_n8f.h"
#include "Vmxu_n8p3.h"
#include "Vmxu_n8x.h"

namespace mxu_test {

template <class M, uint32_t N, uint32_t HasFp, uint32_t Stages, uint32_t AccRows,
          uint32_t FpStages = 1>
struct Build {
  using Model = M;
  static constexpr uint32_t kN = N, kHasFp = HasFp, kStages = Stages, kAccRows = AccRows,
                            kFpStages = FpStages, kVmemBytes = 32768;
};
using N4 = Build<Vmxu_n4, 4, 0, 2, 64>;         // mini
using N4Digits = Build<Vmxu_n4d, 4, 0, 3, 64>;  // products of digits
using N8 = Build<Vmxu_n8, 8, 1, 2, 256>;
using N8Three = Build<Vmxu_n8p3, 8, 1, 3, 256>;
using N8Add = Build<Vmxu_n8f, 8, 1, 3, 256, 4>;     // edge: an addition takes four cycles
using N16 = Build<Vmxu_n16, 16, 1, 2, 512>;         // core16
using N32 = Build<Vmxu_n32, 32, 1, 2, 512>;         // skews of ring memories
using N8Dsp = Build<Vmxu_n8x, 8, 0, 2, 256>;        // 7-series DSP blocks
using N16Packed = Build<Vmxu_n16x, 16, 0, 3, 512>;  // two products a block
using N16One = Build<Vmxu_n16p1, 16, 1, 1, 512>;

}  // namespace mxu_test
