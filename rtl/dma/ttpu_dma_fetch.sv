// Reads the words of segments from a memory of the VMEM's handshake (data in cycle 2 + MemStages
// after the grant) ahead of their use: up to Depth words wait in a FIFO. One word a cycle.
// A request stands from the cycle after its segment was taken, and until granted even if stop_i
// rises; after that nothing new is asked for. busy_o: a request stands or data is on its way. The
// memory's word may be wider (ReadBytes) than the words given (WordBytes): a part of it is taken.
// MemStages = 1: requests stand in a ttpu_skid, the first of them a cycle later.
module ttpu_dma_fetch
  import ttpu_dma_pkg::*;
#(
  parameter int unsigned AddrBits = 24,
  parameter int unsigned ReadBytes = 64,  // word of the memory
  parameter int unsigned WordBytes = 64,  // word given, divides ReadBytes
  parameter int unsigned MemStages = 0,   // 0 or 1
  parameter int unsigned Depth = 4 + 2 * MemStages  // enough to hide the latency
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   stop_i,
  // segments
  input  logic                   seg_valid_i,
  output logic                   seg_ready_o,
  input  logic [AddrBits-1:0]    seg_addr_i,   // first byte
  input  logic [ByteBits-2:0]    seg_last_byte_i,  // bytes - 1
  // memory
  output logic                   rd_req_o,
  output logic [AddrBits-1:0]    rd_addr_o,
  input  logic                   rd_gnt_i,
  input  logic [8*ReadBytes-1:0] rd_data_i,
  input  logic                   rd_valid_i,
  // words
  output logic                   word_valid_o,
  input  logic                   word_ready_i,
  output logic [8*WordBytes-1:0] word_data_o,
  output logic                   busy_o
);
  localparam int unsigned OffBits = $clog2(WordBytes);
  localparam int unsigned Slices = ReadBytes / WordBytes;
  localparam int unsigned SliceBits = Slices > 1 ? $clog2(Slices) : 1;
  localparam int unsigned LeftBits = ByteBits - OffBits + 2;
  localparam int unsigned CountBits = $clog2(Depth + 1);

  // ---- requests ---------------------------------------------------------------------------------
  // Two segments: the one read now, and the next, so that none waits for the other's end.
  logic                      now_valid, now_pop;
  logic [1:0]                unused_count;
  logic [AddrBits-OffBits-1:0] now_addr;  // the first word
  logic [LeftBits-1:0]       now_more, word_q;  // words behind the first; number of the present one
  logic [CountBits-1:0]      credit_q;  // words that still have a place
  logic                      take, grant, pop;  // take: a word is asked for or will be
  logic [ByteBits+1:0]       span;  // of the segment's last byte, from its first word's begin

  assign span = (ByteBits+2)'(seg_last_byte_i) + (ByteBits+2)'(seg_addr_i[OffBits-1:0]);
  ttpu_fifo #(.Width(AddrBits - OffBits + LeftBits), .Depth(2)) u_segments (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(seg_valid_i), .push_ready_o(seg_ready_o),
    .push_data_i({seg_addr_i[AddrBits-1:OffBits], span[ByteBits+1:OffBits]}),
    .pop_valid_o(now_valid), .pop_ready_i(now_pop), .pop_data_o({now_addr, now_more}),
    .count_o(unused_count)
  );
  logic [AddrBits-1:0] word_addr;
  assign word_addr = {now_addr + (AddrBits-OffBits)'(word_q), {OffBits{1'b0}}};
  assign grant = rd_req_o && rd_gnt_i;
  assign now_pop = take && word_q == now_more;
  assign pop = word_valid_o && word_ready_i;
  if (MemStages == 0) begin : gen_direct
    logic held_q;  // a request that was not granted yet
    assign rd_req_o = now_valid && credit_q != '0 && (!stop_i || held_q);
    assign rd_addr_o = word_addr;
    assign take = grant;
    always_ff @(posedge clk_i) held_q <= rst_ni && rd_req_o && !rd_gnt_i;
  end else begin : gen_register
    logic                more, place, unused_next;
    logic [AddrBits-1:0] unused_addr;
    ttpu_skid #(.Width(AddrBits)) u_ask (
      .clk_i, .rst_ni, .clear_i(1'b0),
      .push_valid_i(more), .push_ready_o(place), .push_data_i(word_addr),
      .pop_valid_o(rd_req_o), .pop_ready_i(rd_gnt_i), .pop_data_o(rd_addr_o),
      .next_valid_o(unused_next), .next_data_o(unused_addr)
    );
    assign more = now_valid && credit_q != '0 && !stop_i;
    assign take = more && place;
  end

  logic [MemStages+1:0] flight_q;  // granted one and two cycles ago, and so on
  always_ff @(posedge clk_i) begin
    flight_q <= rst_ni ? {flight_q[MemStages:0], grant} : '0;
    if (take) word_q <= now_pop ? '0 : word_q + 1'b1;
    credit_q <= credit_q - CountBits'(take) + CountBits'(pop);
    if (!rst_ni) begin
      word_q <= '0;
      credit_q <= CountBits'(Depth);
    end
  end
  assign busy_o = rd_req_o || flight_q != '0;

  // ---- data -------------------------------------------------------------------------------------
  logic [8*WordBytes-1:0] part;
  if (Slices > 1) begin : gen_slices
    logic [SliceBits-1:0] slice_q[MemStages+2];
    always_ff @(posedge clk_i) begin
      if (grant) slice_q[0] <= rd_addr_o[OffBits+:SliceBits];
      for (int unsigned i = 1; i <= MemStages + 1; i++)
        if (flight_q[i-1]) slice_q[i] <= slice_q[i-1];
    end
    assign part = rd_data_i[slice_q[MemStages+1]*8*WordBytes+:8*WordBytes];
  end else begin : gen_whole
    assign part = rd_data_i;
  end

  logic                 data_ready;
  logic [CountBits-1:0] data_count;
  ttpu_fifo #(.Width(8 * WordBytes), .Depth(Depth)) u_data (
    .clk_i, .rst_ni, .clear_i(1'b0),
    .push_valid_i(rd_valid_i), .push_ready_o(data_ready), .push_data_i(part),
    .pop_valid_o(word_valid_o), .pop_ready_i(word_ready_i), .pop_data_o(word_data_o),
    .count_o(data_count)
  );

  logic unused;
  assign unused = ^{span[OffBits-1:0], unused_count, data_ready, data_count};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!rd_valid_i || data_ready) else $error("ttpu_dma_fetch: a word without a place");
      assert (rd_valid_i == flight_q[MemStages+1])
      else $error("ttpu_dma_fetch: data not in its cycle after the grant");
    end
  end
`endif
endmodule
