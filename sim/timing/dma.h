// Timing of the DMA (docs/reference/dma.md) and of the memory behind it. No data.
#pragma once
#include <array>
#include <cstdint>
#include <deque>

#include "timing/control.h"
#include "timing/vmem.h"

namespace ttpu::timing {

/// External memory, as tb::AxiMemory without stalls: the first beat of a read comes `latency`
/// cycles after its address, the answer to a write `latency` cycles after its last beat.
struct Memory {
  uint32_t latency = 100;
  uint32_t bytes_per_cycle = 0;  ///< in each direction; 0 = the width of the bus
};

class Dma {
 public:
  static constexpr int kChannels = 2;

  Dma(const Config& config, const Memory& memory);

  void request(Vmem& vmem) const;
  void evaluate(const Vmem& vmem);
  const UnitView& channel(int c) const { return view_[static_cast<size_t>(c)]; }
  void advance(const std::array<const Command*, kChannels>& commands);

  uint32_t read_bytes() const {
    return read_bytes_;
  }  ///< of bursts from HBM that end in this cycle
  uint32_t write_bytes() const { return write_bytes_; }  ///< of bursts to HBM

 private:
  struct Burst {
    uint64_t addr = 0;  ///< far side, from the base of the window
    uint32_t vaddr = 0, bytes = 0;
    int chan = 0;
    bool store = false, cmem = false, last = false;
  };
  struct Channel {
    uint32_t n[4] = {};
    int64_t hs[4] = {};
    uint32_t vs[4] = {};
    bool walk = false, run = false, turn = false, store = false, cmem = false;
    uint32_t left[4] = {};
    uint32_t v[4] = {};  ///< v[1]: of the run, v[2]: of the row of runs, v[3]: of the plane
    int64_t h[4] = {};
    Burst cut;  ///< the run that is being cut
    uint32_t outstanding = 0, ends = 0;
    std::deque<bool> fly;  ///< of each command not done: waits for its last burst
    // outcome
    bool burst_go = false, walk_step = false, complete = false, complete_last = false;
    bool done = false, moved = false, lost = false;
  };
  struct Word {
    uint32_t addr = 0;
    bool last = false;
    Burst burst;
  };
  /// ttpu_dma_align: segments of words in, words out, a buffer of two.
  struct Aligner {
    uint32_t bytes = 64;  ///< of a word
    uint32_t step = 0;
    std::deque<Word> out;
    // of the segment at the head
    bool take = false, emit = false, last_step = false, go = false;
    uint32_t word = 0;
    void look(const Burst* head, uint32_t src_off, uint32_t dst_off, bool src_valid);
    void advance(const Burst* head, uint32_t dst_addr, bool popped);
  };
  /// ttpu_dma_fetch: reads words ahead, as many as hide the latency.
  struct Fetch {
    explicit Fetch(uint32_t stages, uint32_t bytes)
        : mem(stages), bus(bytes), credit(4 + 2 * stages) {}
    const uint32_t mem, bus;
    struct Segment {
      uint32_t addr = 0, words = 0;
    };
    std::deque<Segment> segments;
    uint32_t word = 0, credit, flight = 0, here = 0;
    std::deque<uint32_t> asked;  ///< with mem 1: requests in registers, two at most
    bool more() const { return !segments.empty() && credit != 0; }
    bool wants() const { return mem == 0 ? more() : !asked.empty(); }
    uint32_t next() const { return segments.front().addr / bus * bus + word * bus; }
    uint32_t addr() const { return mem == 0 ? next() : asked.front(); }
    bool ready() const { return segments.size() < 2; }
    bool busy() const { return wants() || flight != 0; }
    void advance(bool grant, bool pop, const Segment* push);
  };
  struct ReadBurst {
    uint64_t ready;
    uint32_t beats;
  };
  struct WriteBurst {
    uint32_t beats;
    uint64_t ready;  ///< cycle of the answer once all beats came, else 0
  };
  /// The end of a burst from far memory, on its way to its channel (fp_stages 4).
  struct End {
    int chan = -1;
    bool last = false;
    uint32_t bytes = 0;  ///< from HBM
  };

  uint32_t beats(uint64_t addr, uint32_t bytes) const {
    return static_cast<uint32_t>((addr % bus_ + bytes + bus_ - 1) / bus_);
  }
  void start(Channel& c, const Command& command);
  void step_walk(Channel& c, int index);

  const Config& config_;
  const Memory memory_;
  const uint32_t bus_, block_, rate_;
  uint64_t cycle_ = 0;
  std::array<Channel, kChannels> channel_;
  std::array<UnitView, kChannels> view_;

  // read path
  RoundRobin load_arb_, store_arb_;
  std::deque<Burst> load_open_, store_open_;
  Aligner load_, store_;
  Fetch cmem_fetch_, vmem_fetch_;
  End load_end_;
  bool arvalid_ = false, awvalid_ = false;
  uint32_t ar_beats_ = 0, aw_beats_ = 0;
  std::deque<Burst> replies_;
  // memory
  std::deque<ReadBurst> reads_;
  std::deque<WriteBurst> writes_;
  uint32_t early_beats_ = 0;  ///< taken before their address
  uint32_t read_credit_, write_credit_;
  bool r_held_ = false, b_held_ = false;

  // outcome of evaluate()
  int load_pick_ = -1, store_pick_ = -1;
  bool load_popped_ = false, store_popped_ = false, fetch_grant_ = false, reply_ = false;
  bool r_taken_ = false, w_taken_ = false;
  uint32_t read_bytes_ = 0, write_bytes_ = 0;
};

}  // namespace ttpu::timing
