// Random programs: where data live, transfers, scalar instructions, and the dump at the end.
#include <algorithm>

#include "random_generator.h"

namespace chip_test {

namespace isa = ttpu::isa;

RandomProgram Generator::generate() {
  make_arenas();
  make_registers();
  // Nothing is left from a program before: configuration stays over a run.
  issue(kMxs, op(Opcode::MXU_SHAPE));
  issue(kVpu, op(Opcode::VPU_CLEAR));
  for (int v = 0; v < 4; ++v) load_vector(v);
  while (commands_ < o_.commands) step();
  // Nor is anything left for the next one: weights that were filled are taken.
  while (filled_) matmul();
  dump();
  tracker_.scalar(op(Opcode::HALT));
  return finish();
}

void Generator::make_arenas() {
  const uint64_t size = 48 * c_.word_bytes(), v = c_.vmem_bytes(), bank = c_.bank_bytes();
  const uint64_t middle = c_.vmem_banks > 1 ? bank : v / 2;
  program_.arenas = {{0, size}, {v - size, size}, {middle - size / 2, size}};
  if (c_.vmem_banks > 3) program_.arenas.push_back({2 * bank - size / 4, size});
  for (auto& a : program_.arenas) a.first = a.first / c_.word_bytes() * c_.word_bytes();
}

void Generator::make_registers() {
  for (uint32_t r = 1; r < kRegs; ++r) {
    value_[r] = rng_.coin() ? below(300) : 0u - below(300);
    Instr i = op(Opcode::ADD, value_[r]);
    i.set(18, 5, r);
    tracker_.scalar(i);
  }
}

std::optional<uint32_t> Generator::place(int64_t lo, int64_t hi, uint32_t align) {
  const Range& a = rng_.pick(program_.arenas);
  if (hi - lo > static_cast<int64_t>(a.size)) return std::nullopt;
  const int64_t first = static_cast<int64_t>(a.first) - lo;
  const int64_t last = static_cast<int64_t>(a.end()) - hi;
  const int64_t up = (first + align - 1) / align * align;
  if (up > last) return std::nullopt;
  return static_cast<uint32_t>(up + rng_.between(0, (last - up) / align) * align);
}

void Generator::issue(int unit, Instr i, std::initializer_list<Split> abc,
                      std::vector<Access> accesses) {
  int lsb = 8;
  for (const Split& s : abc) {
    i.set(lsb, 5, s.reg);
    lsb += 5;
  }
  if (rng_.chance(5)) scalar_noise(unit, false);
  tracker_.command(unit, i, accesses);
  ++program_.histogram[static_cast<Opcode>(i.get(0, 8))];
}

void Generator::scalar_noise(int unit, bool registers) {
  switch (registers ? 3 : below(3)) {
    case 0:
      tracker_.scalar_waits(unit, op(Opcode::NOP));
      break;
    case 1: {  // a register through SMEM and back
      const uint32_t r = 1 + below(kRegs - 1), word = below(c_.smem_words);
      Instr st = op(Opcode::STS, word), ld = op(Opcode::LDS, word);
      st.set(13, 5, r);
      ld.set(18, 5, r);
      tracker_.scalar(st);
      tracker_.scalar(ld);
      break;
    }
    case 3: {  // a register changes
      const uint32_t r = 1 + below(kRegs - 1);
      const uint32_t target = rng_.coin() ? below(300) : 0u - below(300);
      Instr i = op(Opcode::ADD, target - value_[r]);
      i.set(8, 5, r);
      i.set(18, 5, r);
      value_[r] = target;
      tracker_.scalar(i);
      break;
    }
    default:
      tracker_.scalar(op(Opcode::TAG, rng_.u32()));
  }
}

void Generator::step() {
  if (rng_.chance(20)) scalar_noise(kVpu, true);
  static constexpr int kWeights[] = {22, 18, 20, 30, 6, 4};
  uint32_t pick = below(100);
  int what = 0;
  while (pick >= static_cast<uint32_t>(kWeights[what]))
    pick -= static_cast<uint32_t>(kWeights[what++]);
  switch (what) {
    case 0:
      transfer(static_cast<int>(below(c_.dma_channels)));
      break;
    case 1:
      weights();
      break;
    case 2:
      matmul();
      break;
    case 3:
      vpu_run();
      break;
    case 4:
      transpose();
      break;
    default:
      load_vector(static_cast<int>(below(4)));
  }
}

void Generator::transfer(int channel) {
  const bool store = rng_.coin();
  for (int attempt = 0; attempt < 20; ++attempt) {
    uint32_t n[4] = {1 + below(3 * c_.word_bytes()), 1 + below(4), 1 + below(3), 1 + below(2)};
    if (rng_.chance(4)) n[below(4)] = 0;
    if (rng_.chance(30)) n[1] = n[2] = n[3] = 1;
    int32_t far[3], near[3];
    const auto strides = [&](int32_t(&s)[3]) {
      int64_t step = n[0];
      for (int d = 0; d < 3; ++d) {
        s[d] = static_cast<int32_t>(step + below(20)) * (rng_.chance(30) ? -1 : 1);
        step = std::abs(s[d]) * std::max<int64_t>(n[d + 1], 1);
      }
    };
    strides(far);
    strides(near);
    if (rng_.chance(10)) (store ? near : far)[below(3)] = 0;  // the source again and again
    std::vector<int64_t> f, v;
    for (uint32_t i3 = 0; i3 < n[3]; ++i3)
      for (uint32_t i2 = 0; i2 < n[2]; ++i2)
        for (uint32_t i1 = 0; i1 < n[1]; ++i1) {
          f.push_back(int64_t{i1} * far[0] + int64_t{i2} * far[1] + int64_t{i3} * far[2]);
          v.push_back(int64_t{i1} * near[0] + int64_t{i2} * near[1] + int64_t{i3} * near[2]);
        }
    const bool empty = f.empty() || n[0] == 0;
    if (empty) f = v = {0};
    const auto [flo, fhi] = std::ranges::minmax(f);
    const auto [vlo, vhi] = std::ranges::minmax(v);
    const uint64_t data = o_.hbm_bytes / 4;
    const uint64_t need = static_cast<uint64_t>(fhi - flo) + n[0];
    const auto vstart = place(vlo, vhi + n[0], 1);
    if (!vstart || need > data) continue;
    const auto fstart = static_cast<uint32_t>(-flo + static_cast<int64_t>(below(data - need + 1)));
    std::vector<Access> accesses;
    if (!empty)
      for (size_t i = 0; i < f.size(); ++i) {
        accesses.push_back(
            {RaceTracker::kHbm, {static_cast<uint64_t>(fstart + f[i]), n[0]}, store});
        accesses.push_back(
            {RaceTracker::kVmem, {static_cast<uint64_t>(*vstart + v[i]), n[0]}, !store});
      }
    const auto ch = static_cast<uint32_t>(channel);
    issue(channel,
          isa::DmaShape{.channel = ch, .n0 = n[0], .n1 = n[1], .n2 = n[2], .n3 = n[3]}.encode());
    issue(channel,
          isa::DmaHstride{.channel = ch, .s1 = far[0], .s2 = far[1], .s3 = far[2]}.encode());
    issue(channel,
          isa::DmaVstride{.channel = ch, .s1 = near[0], .s2 = near[1], .s3 = near[2]}.encode());
    const Split a = split(fstart, 32), b = split(*vstart, 24);
    if (store)
      issue(channel, isa::DmaStore{.channel = ch, .imm_h = a.imm, .imm_v = b.imm}.encode(), {a, b},
            accesses);
    else
      issue(channel, isa::DmaLoad{.channel = ch, .imm_h = a.imm, .imm_v = b.imm}.encode(), {a, b},
            accesses);
    ++commands_;
    return;
  }
}

void Generator::store_range(uint32_t vmem, uint32_t bytes) {
  const uint32_t far = dump_at_;
  dump_at_ += bytes;
  issue(0, isa::DmaShape{.channel = 0, .n0 = bytes, .n1 = 1, .n2 = 1, .n3 = 1}.encode());
  issue(0, isa::DmaStore{.channel = 0, .imm_h = far, .imm_v = vmem}.encode(), {},
        {{RaceTracker::kVmem, {vmem, bytes}, false}, {RaceTracker::kHbm, {far, bytes}, true}});
}

void Generator::dump() {
  dump_at_ = static_cast<uint32_t>(o_.hbm_bytes / 4);
  for (const Range& a : program_.arenas)
    store_range(static_cast<uint32_t>(a.first), static_cast<uint32_t>(a.size));
  // Accumulators that hold a result, through VMEM.
  const Range& a = program_.arenas[0];
  const auto most = static_cast<uint32_t>(a.size / c_.word_bytes());
  issue(kVpu, op(Opcode::VPU_CLEAR));
  issue(kVpu, isa::VpuSeta{.src = 1, .dtype = static_cast<uint32_t>(Dtype::I32), .s0 = 1}.encode());
  issue(kVpu, isa::VpuSetd{.dtype = static_cast<uint32_t>(Dtype::I32), .s0 = 4}.encode());
  for (uint32_t row = 0; row < c_.acc_total();) {
    if (!acc_ready_[row]) {
      ++row;
      continue;
    }
    uint32_t count = 0;
    while (row + count < c_.acc_total() && count < most && acc_ready_[row + count]) ++count;
    if (dump_at_ + count * c_.word_bytes() > o_.hbm_bytes) break;
    issue(kVpu, isa::VpuShape{.n0 = count, .n1 = 1, .n2 = 1}.encode());
    issue(
        kVpu,
        isa::VpuRun{.imm_a = row, .imm_d = static_cast<uint32_t>(a.first), .lanes = c_.n}.encode(),
        {},
        {{RaceTracker::kAcc, {row, count}, false},
         {RaceTracker::kVmem, {a.first, count * c_.word_bytes()}, true}});
    store_range(static_cast<uint32_t>(a.first), count * c_.word_bytes());
    row += count;
  }
}

RandomProgram Generator::finish() {
  std::map<const Node*, uint32_t> pc;
  for (const Node& n : tracker_.nodes()) {
    pc[&n] = static_cast<uint32_t>(program_.code.size());
    program_.code.push_back(n.instr);
  }
  const auto writers = [&](RaceTracker::Space space, uint64_t size) {
    std::vector<uint32_t> w(size, ~0u);
    for (uint64_t i = 0; i < size; ++i)
      if (const Node* n = tracker_.writer(space, i)) w[i] = pc[n];
    return w;
  };
  program_.left_to_unit = tracker_.left_to_unit();
  program_.hbm_writer = writers(RaceTracker::kHbm, o_.hbm_bytes);
  program_.vmem_writer = writers(RaceTracker::kVmem, c_.vmem_bytes());
  return std::move(program_);
}

RandomProgram random_program(const Config& config, tb::Random& rng, RandomProgramOptions options) {
  return Generator(config, rng, options).generate();
}

}  // namespace chip_test
