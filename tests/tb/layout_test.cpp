// The bench's layout of cmd_t and status_t is the RTL's.
#include <gtest/gtest.h>

#include "Vtb_layout.h"
#include "tb/command_port.h"
#include "tb/controller.h"

namespace {

using Bench = tb::Controller<Vtb_layout>;

TEST(Layout, SizesAreThoseOfTheRtl) {
  Bench bench;
  bench.settle();
  EXPECT_EQ(bench->cmd_bits_o, tb::kCmdLayout.bits);
  EXPECT_EQ(bench->status_bits_o, tb::kStatusLayout.bits);
}

TEST(Layout, CommandsArriveFieldByField) {
  Bench bench;
  tb::Random random;
  for (int i = 0; i < 1000; ++i) {
    ttpu::golden::Command command;
    for (auto& word : command.instr.words) word = random.u32();
    command.a = random.u32();
    command.b = random.u32();
    command.c = random.u32();
    command.pc = random.u32() & 0xffff;
    tb::pack_command(bench->cmd_i, command);
    bench.settle();
    EXPECT_EQ(bench->opcode_o, command.instr.get(0, 8));
    EXPECT_EQ(tb::get_bits(bench->body_o, 0, 32), command.instr.get(42, 32));
    EXPECT_EQ(tb::get_bits(bench->body_o, 32, 32), command.instr.get(74, 32));
    EXPECT_EQ(tb::get_bits(bench->body_o, 64, 22), command.instr.get(106, 22));
    EXPECT_EQ(bench->a_o, command.a);
    EXPECT_EQ(bench->b_o, command.b);
    EXPECT_EQ(bench->c_o, command.c);
    EXPECT_EQ(bench->pc_o, command.pc);
  }
}

TEST(Layout, StatusIsUnpackedFieldByField) {
  Bench bench;
  tb::Random random;
  for (int i = 0; i < 1000; ++i) {
    bench->done_i = random.coin();
    bench->error_i = random.coin();
    bench->cause_i = random.u32() & 0xff;
    bench->pc_i = random.u32() & 0xffff;
    bench->addr_i = random.next();
    bench->activity_i = random.u32() % 5;
    bench->quiet_i = random.coin();
    bench.settle();
    const tb::UnitStatus status = tb::unpack_status(bench->status_o);
    EXPECT_EQ(status.done, bench->done_i != 0);
    EXPECT_EQ(status.error, bench->error_i != 0);
    EXPECT_EQ(static_cast<uint32_t>(status.cause), bench->cause_i);
    EXPECT_EQ(status.pc, bench->pc_i);
    EXPECT_EQ(status.addr, bench->addr_i);
    EXPECT_EQ(status.activity, bench->activity_i);
    EXPECT_EQ(status.quiet, bench->quiet_i != 0);
  }
}

TEST(Layout, LanesAndBits) {
  VlWide<5> wide{};
  tb::set_bits(wide, 30, 64, 0x0123456789abcdefull);
  EXPECT_EQ(tb::get_bits(wide, 30, 64), 0x0123456789abcdefull);
  EXPECT_EQ(tb::get_bits(wide, 0, 30), 0u);
  EXPECT_EQ(tb::get_bits(wide, 94, 64), 0u);
  tb::set_lane<int8_t>(wide, 7, -3);
  EXPECT_EQ(tb::get_lane<int8_t>(wide, 7), -3);
  const std::vector<uint16_t> lanes = {1, 0xffff, 3, 4, 5, 6, 7, 8, 9, 10};
  tb::set_lanes(wide, lanes);
  EXPECT_EQ(tb::get_lanes<uint16_t>(wide, 10), lanes);
}

}  // namespace
