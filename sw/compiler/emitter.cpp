// Instructions with registers, loops, flags.
#include "compiler/emitter.h"

namespace ttpu::compiler {

void Emitter::common(isa::Instr& i, const Ops& o) {
  isa::Common c;
  c.opcode = i.get(0, 8);
  c.ra = static_cast<uint32_t>(o.a);
  c.rb = static_cast<uint32_t>(o.b);
  c.rc = static_cast<uint32_t>(o.c);
  if (o.wait >= 0) {
    c.wait_value = o.wait_value;
    c.wait_flag = static_cast<uint32_t>(o.wait);
  }
  if (o.signal >= 0) {
    c.signal = 1;
    c.signal_flag = static_cast<uint32_t>(o.signal);
  }
  c.apply(i);
}

void Emitter::bare(isa::Opcode op, const Ops& o) {
  isa::Instr i;
  i.set(0, 8, static_cast<uint32_t>(op));
  common(i, o);
  code.push_back(i);
}

void Emitter::sync(isa::Unit unit, const Ops& o) {
  isa::Sync s;
  s.unit = static_cast<uint32_t>(unit);
  put(s, o);
}

int Emitter::reg() {
  if (next_reg_ > 31) throw CompileError("program", "emit", "out of scalar registers");
  return next_reg_++;
}

void Emitter::add(int r, int from, uint32_t imm) {
  isa::Add i;
  i.imm = imm;
  put(i, {.a = from, .c = r});
}

void Emitter::toggle(int r, uint32_t sum) {
  isa::Sub i;  // 0 - (r - sum)
  i.imm = 0u - sum;
  put(i, {.b = r, .c = r});
}

void Emitter::loop(uint64_t count, const std::function<void()>& body) {
  if (count == 0) return;
  if (count == 1) return body();
  const int r = reg();
  li(r, static_cast<uint32_t>(count));
  const size_t top = code.size();
  body();
  isa::Dbnz d;
  d.target = static_cast<uint32_t>(top);
  put(d, {.c = r});
  --next_reg_;
}

void Emitter::guarded(int r, const std::function<void()>& body) {
  const size_t at = code.size();
  put(isa::Beq{}, {.a = r});
  add(r, r, 0xffffffffu);
  body();
  isa::Beq branch;
  branch.target = static_cast<uint32_t>(code.size());
  isa::Instr i = branch.encode();
  common(i, {.a = r});
  code[at] = i;
}

void Emitter::wrap(int r, int end_reg, uint32_t begin) {
  isa::Bne branch;
  branch.target = static_cast<uint32_t>(code.size() + 2);
  put(branch, {.a = r, .b = end_reg});
  li(r, begin);
}

void Emitter::give(Flag flag, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) nop({.signal = flag});
}

void Emitter::collect(Flag flag, uint32_t count) {
  if (count) nop({.wait = flag, .wait_value = count});
}

}  // namespace ttpu::compiler
