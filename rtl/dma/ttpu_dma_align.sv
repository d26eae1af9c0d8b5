// Byte aligner: a segment of bytes arrives in words that begin at offset src_off_i of the first
// word and leaves in words that begin at offset dst_off_i of the first word, with a byte enable for
// each byte. One step a cycle takes at most one word and gives at most one. A segment of S source
// and D destination words takes D cycles if dst_off >= src_off or S = 1, else D + 1; segments
// follow without a bubble. Latency 1: a word stands in a buffer of two before it leaves, so neither
// src_ready_o nor seg_ready_o depends on dst_ready_i.
// A segment is taken (seg_valid_i, seg_ready_o) into registers when the one at work is in its last
// step, and is at work from the next cycle: work_valid_o, work_o.
// src_bad_i marks a word whose bytes must not be written. flush_i: words are still taken, but what
// leaves has no byte enabled; src_free_i: no words are taken (the segment's steps still are).
module ttpu_dma_align
  import ttpu_dma_pkg::*;
#(
  parameter int unsigned Bytes = 64,    // of a word, power of two, 2..64
  parameter int unsigned AddrBits = 24,
  parameter int unsigned WorkBits = 8,  // what the user wants to know of the segment at work
  parameter int unsigned UserBits = 8,
  localparam int unsigned OffBits = $clog2(Bytes),
  localparam int unsigned WordsBits = ByteBits - OffBits + 2
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 flush_i,
  input  logic                 src_free_i,
  // segment
  input  logic                 seg_valid_i,
  output logic                 seg_ready_o,
  input  logic [OffBits-1:0]   src_off_i,
  input  logic [AddrBits-1:0]  dst_addr_i,  // byte address of the first destination byte
  input  logic [ByteBits-2:0]  last_byte_i, // bytes - 1
  input  logic [WorkBits-1:0]  work_i,
  // segment at work
  output logic                 work_valid_o,
  output logic [WorkBits-1:0]  work_o,
  input  logic [UserBits-1:0]  user_i,      // goes with every word of it
  // source words
  input  logic                 src_valid_i,
  output logic                 src_ready_o,
  input  logic [8*Bytes-1:0]   src_data_i,
  input  logic                 src_bad_i,
  // destination words
  output logic                 dst_valid_o,
  input  logic                 dst_ready_i,
  output logic [AddrBits-1:0]  dst_addr_o,  // a multiple of Bytes
  output logic [8*Bytes-1:0]   dst_data_o,
  output logic [Bytes-1:0]     dst_be_o,
  output logic                 dst_any_o,   // dst_be_o != 0
  output logic                 dst_last_o,  // of the segment
  output logic [UserBits-1:0]  dst_user_o,
  // a step in this cycle
  output logic                 step_o
);
  // ---- a segment, as it is taken ----------------------------------------------------------------
  logic [OffBits-1:0]  dst_off;
  logic [ByteBits+1:0] src_last, dst_last;  // the last byte, counted from the first word's begin
  logic                single, lag;

  assign dst_off = dst_addr_i[OffBits-1:0];
  assign src_last = (ByteBits+2)'(last_byte_i) + (ByteBits+2)'(src_off_i);
  assign dst_last = (ByteBits+2)'(last_byte_i) + (ByteBits+2)'(dst_off);
  logic unused;
  assign unused = ^src_last[OffBits-1:0];
  // With dst_off < src_off a destination word needs the source word behind it, unless that is all:
  // then the first step gives none.
  assign single = dst_off < src_off_i && src_last[ByteBits+1:OffBits] == '0;
  assign lag = dst_off < src_off_i && src_last[ByteBits+1:OffBits] != '0;

  // ---- the segment at work ----------------------------------------------------------------------
  logic                 valid_q, single_q;
  logic [OffBits-1:0]   shift_q;     // source byte j goes to byte (j + shift) mod Bytes
  logic [OffBits-1:0]   begin_q;     // first byte of the first word
  logic [OffBits-1:0]   end_q;       // last byte of the last word
  logic [AddrBits-1:OffBits] addr_q; // of the word
  logic [WordsBits-1:0] more_q;      // destination words behind this step's, or behind the first
  logic                 one_q;       // there is one destination word
  logic [WordsBits-1:0] src_more_q;  // source words behind this one
  logic                 take_q;      // this step takes a word
  logic                 emit_q;      // it gives one
  logic                 first_q;     // the first
  logic                 last_q;      // this step is the last
  logic                 room, go;

  assign go = valid_q && (!take_q || src_valid_i || src_free_i) && (!emit_q || room);
  assign src_ready_o = valid_q && take_q && !src_free_i && (!emit_q || room);
  assign seg_ready_o = !valid_q || (go && last_q);
  assign step_o = go;
  assign work_valid_o = valid_q;

  always_ff @(posedge clk_i) begin
    if (go) begin
      last_q <= emit_q ? more_q == WordsBits'(1) : one_q;
      emit_q <= 1'b1;
      if (take_q) begin
        src_more_q <= src_more_q - 1'b1;
        take_q <= src_more_q != '0;
      end
      if (emit_q) begin
        more_q <= more_q - 1'b1;
        first_q <= 1'b0;
        addr_q <= addr_q + 1'b1;
      end
    end
    if (seg_ready_o) begin
      valid_q <= seg_valid_i;
      work_o <= work_i;
      single_q <= single;
      shift_q <= dst_off - src_off_i;
      begin_q <= dst_off;
      end_q <= dst_last[OffBits-1:0];
      addr_q <= dst_addr_i[AddrBits-1:OffBits];
      more_q <= dst_last[ByteBits+1:OffBits];
      one_q <= dst_last[ByteBits+1:OffBits] == '0;
      src_more_q <= src_last[ByteBits+1:OffBits];
      take_q <= 1'b1;
      emit_q <= !lag;
      first_q <= 1'b1;
      last_q <= !lag && dst_last[ByteBits+1:OffBits] == '0;
    end
    if (!rst_ni) valid_q <= 1'b0;
  end

  // ---- the word it gives ------------------------------------------------------------------------
  logic [Bytes-1:0]   from_now;   // bytes from the word taken now; the others from the last
  logic [Bytes-1:0]   be;
  logic               now_bad, before_bad_q;

  assign from_now = single_q ? '1 : {Bytes{1'b1}} << shift_q;
  assign now_bad = take_q && src_bad_i;
  always_comb begin
    be = flush_i ? '0 : '1;
    if (first_q) be &= {Bytes{1'b1}} << begin_q;
    if (last_q) be &= {Bytes{1'b1}} >> (OffBits'(Bytes - 1) - end_q);
    if (now_bad) be &= ~from_now;
    if (before_bad_q) be &= from_now;
  end

  // ---- buffer of two words ----------------------------------------------------------------------
  // A source word is turned to where its bytes go, and kept so: of the word before only whole bytes
  // are picked then.
  logic [8*Bytes-1:0]  turned, before_q, merged;
  logic [8*Bytes-1:0]  data0_q, data1_q;
  logic [Bytes-1:0]    be0_q, be1_q;
  logic [AddrBits-1:OffBits] addr0_q, addr1_q;
  logic [UserBits-1:0] user0_q, user1_q;
  logic [1:0]          any_q, ends_q, count_q;
  logic                rd_q, wr_q;

  assign room = !count_q[1];
  assign dst_valid_o = count_q != '0;
  assign dst_addr_o = {rd_q ? addr1_q : addr0_q, {OffBits{1'b0}}};
  assign dst_data_o = rd_q ? data1_q : data0_q;
  assign dst_be_o = rd_q ? be1_q : be0_q;
  assign dst_any_o = any_q[rd_q];
  assign dst_last_o = ends_q[rd_q];
  assign dst_user_o = rd_q ? user1_q : user0_q;

  // `turned` and `merged` are private to this block.
  always_ff @(posedge clk_i) begin
    turned = src_data_i;
    merged = '0;
    if (go) begin
      for (int unsigned i = 0; i < OffBits; i++)
        if (shift_q[i]) turned = (turned << (8 << i)) | (turned >> (8 * Bytes - (8 << i)));
      for (int unsigned i = 0; i < Bytes; i++)
        merged[8*i+:8] = from_now[i] ? turned[8*i+:8] : before_q[8*i+:8];
      if (emit_q) begin
        if (wr_q) begin
          data1_q <= merged;
          be1_q <= be;
          addr1_q <= addr_q;
          user1_q <= user_i;
        end else begin
          data0_q <= merged;
          be0_q <= be;
          addr0_q <= addr_q;
          user0_q <= user_i;
        end
        any_q[wr_q] <= be != '0;
        ends_q[wr_q] <= last_q;
        wr_q <= !wr_q;
      end
      if (take_q) before_q <= turned;
      before_bad_q <= !last_q && now_bad;
    end
    if (dst_valid_o && dst_ready_i) rd_q <= !rd_q;
    count_q <= count_q + 2'(go && emit_q) - 2'(dst_valid_o && dst_ready_i);
    if (!rst_ni) begin
      before_bad_q <= 1'b0;
      rd_q <= 1'b0;
      wr_q <= 1'b0;
      count_q <= '0;
    end
  end

`ifndef SYNTHESIS
  initial begin
    assert (Bytes >= 2 && Bytes <= 64 && Bytes == 1 << OffBits)
    else $fatal(1, "ttpu_dma_align: Bytes must be a power of two, 2..64");
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (count_q <= 2'd2) else $error("ttpu_dma_align: buffer overflow");
      assert (!dst_valid_o || dst_any_o == (dst_be_o != '0))
      else $error("ttpu_dma_align: dst_any_o does not tell of the bytes");
    end
  end
`endif
endmodule
