// 64-bit counters of one tensor core (see registers.yaml): they count while run_i is high and are
// zeroed by start_i. Plain counter i grows by inc_i[i]; of a unit's states the one that activity_i
// names grows by 1, so the states of a unit sum to CYCLES. A read (read_i, select_i) gives in the
// next cycle, on value_o, what was counted before the cycle of the read (what comes in goes through
// registers).
// Adders of 64 bits a counter would be the largest part of a small core. So each counter has only
// its low bits in flip-flops; the others stand in a memory that one incrementer walks through, a
// counter a cycle, and adds 1 where the low bits have come round since its last visit, which shows
// in their top bit: it was 1 and is 0. Between two visits lie at most MaxGap cycles, reads take at
// most every other cycle from the walk, so that half the range of the low bits is never passed.
module ttpu_counters
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
#(
  // what a counter grows by in a cycle, at most: MXU_MACS, bytes and conflicts; the others 1
  parameter int unsigned IncMax = 4096
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           start_i,
  input  logic                           run_i,
  // CYCLES is ignored: it counts run_i
  input  logic [31:0]                    inc_i [NumPlainCounters],
  input  activity_e                      activity_i [NumUnits],
  input  logic                           read_i,
  input  logic [$clog2(NumCounters)-1:0] select_i,
  output logic [63:0]                    value_o
);
  localparam int unsigned IndexBits = $clog2(NumCounters);
  localparam int unsigned PlainBits = $clog2(NumPlainCounters);
  localparam int unsigned MaxGap = 128;
  localparam int unsigned OneBits = $clog2(MaxGap) + 1;         // low bits: those that grow by 1
  localparam int unsigned ManyBits = $clog2(IncMax) + OneBits;  // the others
  localparam int unsigned HighBits = 64 - OneBits;

  // Counters that grow by more than 1.
  function automatic logic is_many(logic [IndexBits-1:0] i);
    return i == IndexBits'(CntMxuMacs) || i == IndexBits'(CntHbmRdBytes) ||
           i == IndexBits'(CntHbmWrBytes) || i == IndexBits'(CntVmemRdConflicts) ||
           i == IndexBits'(CntVmemWrConflicts);
  endfunction

  logic        run_q;
  logic [31:0] inc_q [NumPlainCounters];
  activity_e   activity_q [NumUnits];
  always_ff @(posedge clk_i) begin
    run_q <= run_i && rst_ni && !start_i;
    if (run_i) begin
      inc_q <= inc_i;
      activity_q <= activity_i;
    end
  end

  // ---- low bits ---------------------------------------------------------------------------------
  logic [OneBits-1:0]  one_q  [1 << IndexBits];
  logic [ManyBits-1:0] many_q [1 << PlainBits];
  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      for (int unsigned i = 0; i < 1 << IndexBits; i++) one_q[i] = '0;
      for (int unsigned i = 0; i < 1 << PlainBits; i++) many_q[i] = '0;
    end else if (run_q) begin
      one_q[CntCycles] = one_q[CntCycles] + 1'b1;
      for (int unsigned i = 1; i < NumPlainCounters; i++) begin
        if (is_many(IndexBits'(i))) many_q[i] = many_q[i] + ManyBits'(inc_q[i]);
        else if (inc_q[i][0]) one_q[i] = one_q[i] + 1'b1;
      end
      for (int unsigned u = 0; u < NumUnits; u++)
        for (int unsigned s = 0; s < NumStates; s++)
          if (activity_q[u] == activity_e'(3'(s)))
            one_q[NumPlainCounters+u*NumStates+s] = one_q[NumPlainCounters+u*NumStates+s] + 1'b1;
    end
  end

  // ---- the walk: read a counter's high bits, and write them a cycle later -----------------------
  logic [IndexBits-1:0] walk_q;   // next
  logic                 first_q;  // the first walk since start: what it has not reached counts as 0
  logic [IndexBits-1:0] index, index_q;
  logic                 fresh_q, step_q;
  logic [63:0]          stored;
  logic [HighBits-1:0]  high_was;
  logic                 top_was, top, round, many;
  logic [OneBits-1:0]   one;
  logic [ManyBits-1:0]  low;

  assign index = read_i ? select_i : walk_q;
  always_ff @(posedge clk_i) begin
    index_q <= index;
    // A visit's write in this very cycle is not yet read.
    fresh_q <= (first_q && index >= walk_q) || (step_q && fresh_q && index == index_q);
    step_q <= !read_i && rst_ni && !start_i;
    if (!rst_ni || start_i) begin
      walk_q <= '0;
      first_q <= 1'b1;
    end else if (!read_i) begin
      walk_q <= walk_q == IndexBits'(NumCounters - 1) ? '0 : walk_q + 1'b1;
      if (walk_q == IndexBits'(NumCounters - 1)) first_q <= 1'b0;
    end
  end

  // In a word: the high bits, and the low bits' top bit at the last visit.
  ttpu_ram_1r1w #(.Rows(1 << IndexBits), .Bytes(8)) i_high (
    .clk_i,
    .rd_en_i(1'b1),
    .rd_addr_i(index),
    .rd_data_o(stored),
    .wr_en_i(step_q),
    .wr_addr_i(index_q),
    .wr_be_i('1),
    .wr_data_i({(63 - HighBits)'(0), top, value_o[63:OneBits]})
  );
  assign high_was = fresh_q ? '0 : stored[HighBits-1:0];
  assign top_was = !fresh_q && stored[HighBits];

  assign one = one_q[index_q];
  assign low = many_q[index_q[PlainBits-1:0]];
  assign many = is_many(index_q);
  assign top = many ? low[ManyBits-1] : one[OneBits-1];
  assign round = top_was && !top;

  // The increment passes over those bits that the low ones of a counter of the many have.
  logic [63:OneBits] sum;
  assign sum = (high_was | HighBits'({(ManyBits - OneBits){many}})) + HighBits'(round);
  assign value_o = {sum[63:ManyBits],
                    many ? low[ManyBits-1:OneBits] : sum[ManyBits-1:OneBits],
                    many ? low[OneBits-1:0] : one};

`ifndef SYNTHESIS
  initial assert (IncMax >= 2 && IncMax == 1 << $clog2(IncMax))
    else $fatal(1, "IncMax must be a power of two");
  int unsigned gap_q;  // cycles since the walk was at counter 0
  always_ff @(posedge clk_i) if (rst_ni) begin
    gap_q <= start_i || (!read_i && walk_q == '0) ? 0 : gap_q + 1;
    if (run_i) begin
      assert (gap_q < MaxGap) else $error("counters: reads leave the walk no time");
      for (int unsigned u = 0; u < NumUnits; u++)
        assert (activity_i[u] <= ActStallData)
          else $error("counters: unit %0d has no such state", u);
      for (int unsigned i = 1; i < NumPlainCounters; i++)
        assert (inc_i[i] <= (is_many(IndexBits'(i)) ? IncMax : 1))
          else $error("counters: counter %0d grows by %0d", i, inc_i[i]);
    end
  end
`endif
endmodule
