// The top of the Tang Nano 20K at its pins.
#include "Vtang_nano_20k_pins.h"
#include "sdram_top.h"

namespace ttpu::test {
namespace {

struct Tang {
  using Dut = Vtang_nano_20k_pins;
  static constexpr tb::SdramPart kPart = tb::sdram::kGw2ar18;
  static constexpr unsigned kBits = 32;
  static constexpr int64_t kPeriodPs = 16'667;
  static constexpr const char* kName = "tang_nano_20k";
  static bool lit(const Dut& dut, Light light) {  // lit when low
    const int bit = light == Light::Error ? 2 : light == Light::NotReady ? 4 : 5;
    return !(dut.led_no >> bit & 1);
  }
};

TEST(TangNano20k, LightsShowResetAndTheSdram) { lights_show_reset_and_the_sdram<Tang>(); }
TEST(TangNano20k, MultipliesMatricesInTheSdram) { multiplies_matrices_in_the_sdram<Tang>(); }
TEST(TangNano20k, LinkInsideAndThroughItsPins) {
  link_inside_and_through_its_pins<Tang>("Tang Nano 20K");
}

}  // namespace
}  // namespace ttpu::test
