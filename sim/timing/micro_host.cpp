#include "timing/micro_host.h"

#include <fmt/format.h>

namespace ttpu::timing::micro {

Core::Reply Host::access(bool write, uint32_t addr, uint32_t data, bool full_strobes) {
  core_.request(write, addr, data, full_strobes);
  const uint64_t start = core_.cycle();
  for (;;) {
    if (const auto reply = core_.take_reply()) return *reply;
    if (core_.cycle() - start > kPatience)
      throw MicroError(fmt::format("no answer to the {} of register {:#07x} in {} cycles, at {}",
                                   write ? "write" : "read", addr, kPatience,
                                   core_.image().name_of(core_.pc())));
    core_.step();
  }
}

uint32_t Host::read(uint32_t addr) {
  const auto reply = access(false, addr);
  if (reply.error) throw MicroError(fmt::format("the read of register {:#07x} is refused", addr));
  return reply.data;
}

void Host::write(uint32_t addr, uint32_t data) {
  if (access(true, addr, data).error)
    throw MicroError(fmt::format("the write of {:#x} to register {:#07x} is refused", data, addr));
}

bool Host::run_to_interrupt(uint64_t max_cycles) {
  const uint64_t start = core_.cycle();
  while (!core_.irq() && core_.cycle() - start < max_cycles) core_.step();
  return core_.irq();
}

}  // namespace ttpu::timing::micro
