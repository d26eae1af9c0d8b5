// The top of the ULX3S (variant 45f) at its pins.
#include "Vulx3s_pins.h"
#include "sdram_top.h"

namespace ttpu::test {
namespace {

struct Ulx3s {
  using Dut = Vulx3s_pins;
  static constexpr tb::SdramPart kPart = tb::sdram::kMt48lc16m16;
  static constexpr unsigned kBits = 16;
  static constexpr int64_t kPeriodPs = 20'000;
  static constexpr const char* kName = "ulx3s";
  static bool lit(const Dut& dut, Light light) {
    EXPECT_TRUE(dut.esp_off_o) << "the ESP32 may take the board over";
    const int bit = light == Light::Error ? 4 : light == Light::NotReady ? 3 : 2;
    return dut.led_o >> bit & 1;
  }
};

TEST(Ulx3s, LightsShowResetAndTheSdram) { lights_show_reset_and_the_sdram<Ulx3s>(); }
TEST(Ulx3s, MultipliesMatricesInTheSdram) { multiplies_matrices_in_the_sdram<Ulx3s>(); }
TEST(Ulx3s, LinkInsideAndThroughItsPins) {
  link_inside_and_through_its_pins<Ulx3s>("ULX3S, header J1");
}

}  // namespace
}  // namespace ttpu::test
