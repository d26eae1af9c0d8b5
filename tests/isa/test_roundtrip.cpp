// What the disassembler writes assembles to the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "isa/asm.h"
#include "isa/disasm.h"
#include "isa/generated/configs_gen.h"
#include "tb/random.h"

namespace ttpu::isa {
namespace {

std::string bits(const Instr& i) {
  return fmt::format("{:08x} {:08x} {:08x} {:08x}", i.words[3], i.words[2], i.words[1], i.words[0]);
}

Instr reassemble(const std::string& text) {
  const auto r = assemble(text + "\n");
  if (!r.ok()) {
    ADD_FAILURE() << to_string(r.errors[0], "text");
    return {};
  }
  if (r.program.code.size() != 1) {
    ADD_FAILURE() << "not one instruction: " << text;
    return {};
  }
  return r.program.code[0];
}

void check_round_trip(const Instr& i) {
  const std::string text = disassemble(i);
  const Instr back = reassemble(text);
  ASSERT_EQ(bits(back), bits(i)) << text;
}

Instr random_legal(std::mt19937_64& rng, const OpDesc& op) {
  Common c;
  c.opcode = op.opcode;
  c.ra = rng() % 32;
  c.rb = rng() % 32;
  c.rc = rng() % 32;
  c.wait_value = rng() % 3 ? 0 : rng() % 256;
  c.wait_flag = c.wait_value ? rng() % 32 : 0;
  c.signal = rng() % 2;
  c.signal_flag = c.signal ? rng() % 32 : 0;
  Instr i;
  c.apply(i);
  for (const auto& f : op.fields) {
    // Extremes as often as all the rest: 0, all ones, the sign bit alone.
    const uint32_t special[] = {0, ~0u, 1u << (f.bits - 1), (1u << (f.bits - 1)) - 1};
    i.set(f.lsb, f.bits, rng() % 2 ? static_cast<uint32_t>(rng()) : special[rng() % 4]);
  }
  return i;
}

TEST(RoundTrip, CommonFieldsMatchTheTable) {
  // Common::decode has positions of its own; each field of the table must land in its place.
  for (const auto& f : kCommonFields) {
    Instr i;
    i.set(f.lsb, f.bits, ~0u);
    const Common c = Common::decode(i);
    const uint32_t all = (1u << f.bits) - 1;
    const uint32_t found = f.name == "opcode"       ? c.opcode
                           : f.name == "ra"         ? c.ra
                           : f.name == "rb"         ? c.rb
                           : f.name == "rc"         ? c.rc
                           : f.name == "wait_value" ? c.wait_value
                           : f.name == "wait_flag"  ? c.wait_flag
                           : f.name == "signal"     ? c.signal
                                                    : c.signal_flag;
    EXPECT_EQ(found, all) << f.name;
    EXPECT_EQ(c.opcode + c.ra + c.rb + c.rc + c.wait_value + c.wait_flag + c.signal + c.signal_flag,
              all)
        << f.name << " overlaps another field";
  }
}

TEST(RoundTrip, EveryBitOfEveryField) {
  for (const auto& op : kOps) {
    for (const auto& f : op.fields) {
      for (int b = 0; b < f.bits; ++b) {
        Instr i;
        i.set(0, 8, op.opcode);
        i.set(f.lsb + b, 1, 1);
        const std::string text = disassemble(i);
        EXPECT_EQ(text.find(".word"), std::string::npos)
            << op.name << "." << f.name << ": " << text;
        check_round_trip(i);
      }
    }
  }
}

TEST(RoundTrip, RandomLegalInstructions) {
  std::mt19937_64 rng(tb::run_seed());
  for (int n = 0; n < 400; ++n) {
    for (const auto& op : kOps) {
      const Instr i = random_legal(rng, op);
      ASSERT_EQ(disassemble(i).find(".word"), std::string::npos) << disassemble(i);
      check_round_trip(i);
    }
  }
}

TEST(RoundTrip, AnyBitsOfEveryOpcode) {
  std::mt19937_64 rng(tb::run_seed() + 1);
  int words = 0;
  for (uint32_t opcode = 0; opcode < 256; ++opcode) {
    for (int n = 0; n < 40; ++n) {
      Instr i{{static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng()),
               static_cast<uint32_t>(rng()), static_cast<uint32_t>(rng())}};
      i.set(0, 8, opcode);
      words += disassemble(i).starts_with(".word");
      check_round_trip(i);
    }
  }
  EXPECT_GT(words, 200 * 40);  // the unknown opcodes and most of the random rest
}

TEST(RoundTrip, SignalFlagWithoutSignalIsAWord) {
  Common c;
  c.opcode = static_cast<uint32_t>(Opcode::NOP);
  c.signal_flag = 5;
  Instr i;
  c.apply(i);
  EXPECT_TRUE(disassemble(i).starts_with(".word")) << disassemble(i);
  check_round_trip(i);
}

TEST(RoundTrip, WholePrograms) {
  std::mt19937_64 rng(tb::run_seed() + 2);
  for (int n = 0; n < 60; ++n) {
    Program p;
    const Config& config = kConfigs[rng() % kConfigs.size()];
    p.config_name = config.name;
    p.config_hash = rng() % 4 ? config.hash : static_cast<uint32_t>(rng());
    for (int k = static_cast<int>(rng() % 80); k >= 0; --k) {
      const auto& op = kOps[rng() % std::size(kOps)];
      Instr i = random_legal(rng, op);
      for (const auto& f : op.fields)
        if (f.name == "target" && rng() % 4)
          i.set(f.lsb, f.bits, static_cast<uint32_t>(rng() % 90));
      p.code.push_back(i);
    }
    p.entry = static_cast<uint32_t>(rng() % p.code.size());
    for (auto k = rng() % 100; k > 0; --k)
      p.smem.push_back(rng() % 4 ? 0 : static_cast<uint32_t>(rng()));
    uint64_t addr = rng() % 5000;
    for (auto k = rng() % 4; k > 0; --k) {
      ProgramSegment s{addr, {}};
      for (auto b = rng() % 300; b > 0; --b)
        s.bytes.push_back(rng() % 50 ? 0 : static_cast<uint8_t>(rng()));
      addr += s.bytes.size() + rng() % 3;
      p.constants.push_back(std::move(s));
    }
    const char* types[] = {"int8", "uint8", "bf16", "int32", "float32"};
    for (auto k = rng() % 4; k > 0; --k) {
      ProgramTensor t;
      t.name = fmt::format("{}{}", rng() % 2 ? "x" : "a b/\"\\\n\x01:", k);
      t.type = types[rng() % 5];
      for (auto d = rng() % 5; d > 0; --d) t.shape.push_back(1 + rng() % 50);
      t.at = addr;
      t.pitch = (t.shape.empty() ? 1 : t.shape.back()) * tensor_type_bytes(t.type) + rng() % 9;
      t.scale = rng() % 2 ? 1.0f : std::ldexp(static_cast<float>(rng() % 100000 + 1), -20);
      t.zero_point = static_cast<int32_t>(rng() % 128);
      addr += 1 << 24;
      (rng() % 2 ? p.inputs : p.outputs).push_back(t);
    }
    p.hbm_bytes = addr + rng() % 1000;
    if (rng() % 2) p.report = "{\"node\": \"caf\xc3\xa9\",\n\t\"why\": \"#1\"}";
    const std::string text = disassemble(p, rng() % 2);
    const auto r = assemble(text);
    ASSERT_TRUE(r.ok()) << to_string(r.errors[0], "text") << text;
    ASSERT_TRUE(r.program == p) << text << "\n---- became ----\n" << disassemble(r.program);
  }
}

}  // namespace
}  // namespace ttpu::isa
