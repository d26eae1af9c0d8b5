#include "timing/dma.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ttpu::timing {

using isa::Opcode;

namespace {
constexpr uint32_t kBurstBeats = 64;
constexpr size_t kInFlight = 8;  // commands a channel holds
}  // namespace

Dma::Dma(const Config& config, const Memory& memory)
    : config_(config),
      memory_(memory),
      bus_(config.axi_bytes),
      block_(std::min(kBurstBeats * config.axi_bytes, 4096u)),
      rate_(memory.bytes_per_cycle == 0 ? bus_ : std::min(memory.bytes_per_cycle, bus_)),
      cmem_fetch_(0, bus_),
      vmem_fetch_(mem_stages(config), bus_),
      read_credit_(bus_),
      write_credit_(bus_) {
  load_.bytes = store_.bytes = bus_;
}

// ---- small parts
// ---------------------------------------------------------------------------------

void Dma::Aligner::look(const Burst* head, uint32_t src_off, uint32_t dst_off, bool src_valid) {
  go = false;
  if (!head) return;
  const uint32_t src_words = (src_off + head->bytes + bytes - 1) / bytes;
  const uint32_t dst_words = (dst_off + head->bytes + bytes - 1) / bytes;
  const bool lag = dst_off < src_off && src_words != 1;
  take = step < src_words;
  emit = !lag || step != 0;
  last_step = step == dst_words + lag - 1;
  word = step - lag;
  go = (!take || src_valid) && (!emit || out.size() < 2);
}

void Dma::Aligner::advance(const Burst* head, uint32_t dst_addr, bool popped) {
  if (popped) out.pop_front();
  if (!go) return;
  if (emit) out.push_back({dst_addr / bytes * bytes + word * bytes, last_step, *head});
  step = last_step ? 0 : step + 1;
}

void Dma::Fetch::advance(bool grant, bool pop, const Segment* push) {
  if (flight & 2u << mem) ++here;
  flight = (flight << 1 | grant) & ((4u << mem) - 1);
  if (pop) --here;
  const bool take = mem == 0 ? grant : more() && asked.size() < 2;
  if (mem != 0 && grant) asked.pop_front();
  if (mem != 0 && take) asked.push_back(next());
  credit = credit - take + pop;
  if (take && ++word == segments.front().words) {
    word = 0;
    segments.pop_front();
  }
  if (push) segments.push_back(*push);
}

// ---- a cycle
// -------------------------------------------------------------------------------------

void Dma::request(Vmem& vmem) const {
  if (vmem_fetch_.wants()) vmem.read(kRdDma, vmem_fetch_.addr());
  if (!load_.out.empty()) vmem.write(kWrDma, load_.out.front().addr);
}

void Dma::evaluate(const Vmem& vmem) {
  // memory
  const bool idle =
      reads_.empty() && writes_.empty() && !arvalid_ && !awvalid_ && store_.out.empty();
  if (idle) {
    read_credit_ = write_credit_ = bus_;
  } else {
    if (read_credit_ < bus_) read_credit_ += rate_;
    if (write_credit_ < bus_) write_credit_ += rate_;
  }
  if (!r_held_ && !reads_.empty() && reads_.front().ready <= cycle_ && read_credit_ >= bus_) {
    r_held_ = true;
    read_credit_ -= bus_;
  }
  if (!b_held_ && !writes_.empty() && writes_.front().ready != 0 && writes_.front().ready <= cycle_)
    b_held_ = true;
  const bool w_ready = write_credit_ >= bus_;

  // bursts that the paths take
  uint32_t loads = 0, stores = 0;
  for (int c = 0; c < kChannels; ++c) {
    Channel& ch = channel_[static_cast<size_t>(c)];
    ch.burst_go = ch.complete = ch.complete_last = ch.moved = ch.lost = false;
    if (ch.run) (ch.cut.store ? stores : loads) |= 1u << c;
  }
  load_pick_ = load_arb_.pick(loads);
  if (load_pick_ >= 0) {
    const Burst& b = channel_[static_cast<size_t>(load_pick_)].cut;
    const bool can =
        load_open_.size() < config_.axi_outstanding && (!b.cmem || cmem_fetch_.ready());
    if (!can) load_pick_ = -1;
  }
  store_pick_ = store_arb_.pick(stores);
  if (store_pick_ >= 0) {
    const Burst& b = channel_[static_cast<size_t>(store_pick_)].cut;
    const bool can = store_open_.size() < config_.axi_outstanding && vmem_fetch_.ready() &&
                     (b.cmem || replies_.size() < 2 * config_.axi_outstanding);
    if (!can) store_pick_ = -1;
  }
  if (load_pick_ >= 0) channel_[static_cast<size_t>(load_pick_)].burst_go = true;
  if (store_pick_ >= 0) channel_[static_cast<size_t>(store_pick_)].burst_go = true;

  // read path: beats into the aligner, words into VMEM
  const Burst* head = load_open_.empty() ? nullptr : &load_open_.front();
  load_.look(head, head ? static_cast<uint32_t>(head->addr % bus_) : 0,
             head ? head->vaddr % bus_ : 0, head && (head->cmem ? cmem_fetch_.here != 0 : r_held_));
  r_taken_ = load_.go && load_.take && !head->cmem;
  if (load_.go) channel_[static_cast<size_t>(head->chan)].moved = true;
  load_popped_ = !load_.out.empty() && vmem.write_granted(kWrDma);
  read_bytes_ = write_bytes_ = 0;
  End end;
  if (!load_.out.empty()) {
    const Word& w = load_.out.front();
    Channel& ch = channel_[static_cast<size_t>(w.burst.chan)];
    if (!load_popped_) ch.lost = true;
    if (load_popped_ && w.last)
      end = {w.burst.chan, w.burst.last, w.burst.cmem ? 0 : w.burst.bytes};
  }
  if (config_.fp_stages > 1) std::swap(end, load_end_);
  if (end.chan >= 0) {
    Channel& ch = channel_[static_cast<size_t>(end.chan)];
    ch.complete = true;
    ch.complete_last = end.last;
    read_bytes_ = end.bytes;
  }

  // write path: words from VMEM into the aligner, beats out
  fetch_grant_ = vmem_fetch_.wants() && vmem.read_granted(kRdDma);
  head = store_open_.empty() ? nullptr : &store_open_.front();
  store_.look(head, head ? head->vaddr % bus_ : 0,
              head ? static_cast<uint32_t>(head->addr % bus_) : 0, vmem_fetch_.here != 0);
  if (store_.go) channel_[static_cast<size_t>(head->chan)].moved = true;
  if (head && vmem_fetch_.wants() && !fetch_grant_)
    channel_[static_cast<size_t>(head->chan)].lost = true;
  store_popped_ = w_taken_ = false;
  if (!store_.out.empty()) {
    const Word& w = store_.out.front();
    store_popped_ = w.burst.cmem || w_ready;
    w_taken_ = store_popped_ && !w.burst.cmem;
    if (store_popped_ && w.last) {
      if (w.burst.cmem) {
        Channel& ch = channel_[static_cast<size_t>(w.burst.chan)];
        ch.complete = true;
        ch.complete_last = w.burst.last;
      } else {
        write_bytes_ = w.burst.bytes;
      }
    }
  }
  reply_ = b_held_ && !replies_.empty();
  if (reply_) {
    Channel& ch = channel_[static_cast<size_t>(replies_.front().chan)];
    ch.complete = true;
    ch.complete_last = replies_.front().last;
  }

  // channels
  const bool path_busy = vmem_fetch_.busy() || cmem_fetch_.busy();
  for (int c = 0; c < kChannels; ++c) {
    Channel& ch = channel_[static_cast<size_t>(c)];
    const uint32_t room = block_ - static_cast<uint32_t>(ch.cut.addr % block_);
    const bool run_free =
        !ch.run || (mem_stages(config_) == 0 && ch.burst_go && ch.cut.bytes <= room);
    ch.walk_step = ch.walk && run_free && !(ch.turn && (ch.run || ch.outstanding != 0));
    ch.done = !ch.fly.empty() && (!ch.fly.front() || ch.ends != 0);
    UnitView& view = view_[static_cast<size_t>(c)];
    view.ready = !ch.walk && ch.fly.size() < kInFlight;
    view.done = ch.done;
    view.quiet = ch.outstanding == 0 && !path_busy && ch.fly.empty();
    view.state = ch.fly.empty()                        ? State::Idle
                 : ch.moved || ch.walk_step || ch.done ? State::Busy
                 : ch.lost                             ? State::StallMem
                                                       : State::StallData;
  }
}

void Dma::start(Channel& ch, const Command& command) {
  bool waits = false;
  switch (command.opcode) {
    case Opcode::DMA_SHAPE: {
      const auto f = isa::DmaShape::decode(command.instr);
      ch.n[0] = f.n0;
      ch.n[1] = f.n1;
      ch.n[2] = f.n2;
      ch.n[3] = f.n3;
      break;
    }
    case Opcode::DMA_HSTRIDE: {
      const auto f = isa::DmaHstride::decode(command.instr);
      ch.hs[1] = f.s1;
      ch.hs[2] = f.s2;
      ch.hs[3] = f.s3;
      break;
    }
    case Opcode::DMA_VSTRIDE: {
      const auto f = isa::DmaVstride::decode(command.instr);
      ch.vs[1] = static_cast<uint32_t>(f.s1);
      ch.vs[2] = static_cast<uint32_t>(f.s2);
      ch.vs[3] = static_cast<uint32_t>(f.s3);
      break;
    }
    default: {
      const auto f = isa::DmaLoad::decode(command.instr);  // DMA_STORE has the same fields
      waits = ch.n[0] != 0 && ch.n[1] != 0 && ch.n[2] != 0 && ch.n[3] != 0;
      if (!waits) break;
      const bool store = command.opcode == Opcode::DMA_STORE, cmem = f.space != 0;
      ch.walk = true;
      ch.turn = ch.store != store || ch.cmem != cmem;
      ch.store = store;
      ch.cmem = cmem;
      for (int i = 1; i < 4; ++i) {
        ch.left[i] = ch.n[i] - 1;
        ch.v[i] = command.b + f.imm_v;
        ch.h[i] = static_cast<uint32_t>(command.a + f.imm_h);
      }
    }
  }
  ch.fly.push_back(waits);
}

void Dma::step_walk(Channel& ch, int index) {
  const uint64_t limit = ch.cmem ? config_.cmem_bytes : ~0ull >> 1;
  if (ch.v[1] >= config_.vmem_bytes() || ch.v[1] + uint64_t{ch.n[0]} > config_.vmem_bytes() ||
      ch.h[1] < 0 || static_cast<uint64_t>(ch.h[1]) + ch.n[0] > limit)
    throw TimingError(fmt::format("DMA{}: a run leaves its memory (VMEM 0x{:x}, far 0x{:x})", index,
                                  ch.v[1], ch.h[1]));
  const bool more1 = ch.left[1] != 0, more2 = ch.left[2] != 0, more3 = ch.left[3] != 0;
  ch.turn = false;
  ch.run = true;
  ch.cut = {static_cast<uint64_t>(ch.h[1]), ch.v[1], ch.n[0], index, ch.store, ch.cmem,
            !more1 && !more2 && !more3};
  if (ch.cut.last) ch.walk = false;
  const int d = more1 ? 1 : more2 ? 2 : 3;  // the dimension that moves on
  ch.v[d] += ch.vs[d];
  ch.h[d] += ch.hs[d];
  for (int i = 1; i < d; ++i) {
    ch.v[i] = ch.v[d];
    ch.h[i] = ch.h[d];
    ch.left[i] = ch.n[i] - 1;
  }
  --ch.left[d];
}

void Dma::advance(const std::array<const Command*, kChannels>& commands) {
  // memory takes addresses and beats
  if (r_taken_) {
    r_held_ = false;
    if (--reads_.front().beats == 0) reads_.pop_front();
  }
  if (arvalid_) reads_.push_back({cycle_ + std::max(memory_.latency, 1u), ar_beats_});
  if (reply_) {
    writes_.pop_front();
    b_held_ = false;
  }
  if (awvalid_) writes_.push_back({aw_beats_, 0});
  if (w_taken_) {
    ++early_beats_;
    write_credit_ -= bus_;
  }
  for (WriteBurst& w : writes_) {
    const uint32_t n = std::min(w.beats, early_beats_);
    early_beats_ -= n;
    w.beats -= n;
    if (w.beats != 0) break;
    if (w.ready == 0) w.ready = cycle_ + std::max(memory_.latency, 1u);
  }

  // paths
  const Burst* loaded = load_pick_ >= 0 ? &channel_[static_cast<size_t>(load_pick_)].cut : nullptr;
  const Burst* stored =
      store_pick_ >= 0 ? &channel_[static_cast<size_t>(store_pick_)].cut : nullptr;
  const auto block = [&](const Burst& run) {
    Burst b = run;
    const uint32_t room = block_ - static_cast<uint32_t>(run.addr % block_);
    b.last = run.last && run.bytes <= room;
    b.bytes = std::min(run.bytes, room);
    return b;
  };
  Burst load_burst, store_burst;
  if (loaded) load_burst = block(*loaded);
  if (stored) store_burst = block(*stored);

  const Burst* head = load_open_.empty() ? nullptr : &load_open_.front();
  Fetch::Segment segment{static_cast<uint32_t>(load_burst.addr),
                         beats(load_burst.addr, load_burst.bytes)};
  cmem_fetch_.advance(cmem_fetch_.wants(), load_.go && load_.take && head && head->cmem,
                      loaded && load_burst.cmem ? &segment : nullptr);
  load_.advance(head, head ? head->vaddr : 0, load_popped_);
  if (load_.go && load_.last_step) load_open_.pop_front();
  arvalid_ = loaded && !load_burst.cmem;
  if (loaded) {
    ar_beats_ = beats(load_burst.addr, load_burst.bytes);
    load_open_.push_back(load_burst);
    load_arb_.advance(load_pick_);
  }

  head = store_open_.empty() ? nullptr : &store_open_.front();
  segment = {store_burst.vaddr, beats(store_burst.vaddr, store_burst.bytes)};
  vmem_fetch_.advance(fetch_grant_, store_.go && store_.take, stored ? &segment : nullptr);
  store_.advance(head, head ? static_cast<uint32_t>(head->addr) : 0, store_popped_);
  if (store_.go && store_.last_step) store_open_.pop_front();
  if (reply_) replies_.pop_front();
  awvalid_ = stored && !store_burst.cmem;
  if (stored) {
    aw_beats_ = beats(store_burst.addr, store_burst.bytes);
    store_open_.push_back(store_burst);
    if (!store_burst.cmem) replies_.push_back(store_burst);
    store_arb_.advance(store_pick_);
  }

  // channels
  for (int c = 0; c < kChannels; ++c) {
    Channel& ch = channel_[static_cast<size_t>(c)];
    const bool waited = ch.done && ch.fly.front();
    if (ch.burst_go) {
      const Burst b = block(ch.cut);
      ch.cut.addr += b.bytes;
      ch.cut.vaddr += b.bytes;
      ch.cut.bytes -= b.bytes;
      if (ch.cut.bytes == 0) ch.run = false;
    }
    if (ch.walk_step) step_walk(ch, c);
    ch.outstanding = ch.outstanding + ch.burst_go - ch.complete;
    ch.ends = ch.ends + (ch.complete && ch.complete_last) - waited;
    if (ch.done) ch.fly.pop_front();
    if (commands[static_cast<size_t>(c)]) start(ch, *commands[static_cast<size_t>(c)]);
  }
  ++cycle_;
}

}  // namespace ttpu::timing
