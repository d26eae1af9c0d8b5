// Packets to send through a link and back, and the check of what comes: PacketFlits flits each, payloads
// a sequence of 128 bits from a seed, virtual channels 0 and 1 in turn. Source and checker run the same
// sequence; the link keeps the order of all that it carries, so packet n back is packet n sent.
// A flit a clock while the link is up, packets are to be sent and their channel has a credit. A link that
// goes down ends it: what is missing then has neither come right nor wrong.
// start_i: count_i packets more; without effect while sending_o. Counters start at 0 after reset and wrap.
module ttpu_board_traffic
  import ttpu_ici_pkg::*;
  import ttpu_board_pkg::*;
#(
  parameter int unsigned Depth = 8,           // credits of a channel
  localparam int unsigned DataW = 128,
  localparam int unsigned FlitW = DataW + FlitExtraW
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [31:0]      seed_i,            // taken in reset
  input  logic             start_i,
  input  logic [15:0]      count_i,
  // link
  input  logic             up_i,
  output logic             in_valid_o,
  output logic [FlitW-1:0] in_flit_o,
  input  logic [1:0]       in_credit_i,
  input  logic             out_valid_i,
  input  logic [FlitW-1:0] out_flit_i,
  output logic [1:0]       out_credit_o,
  // what happened
  output logic             sending_o,
  output logic [31:0]      sent_o,
  output logic [31:0]      good_o,            // from the third clock after the packet's last flit
  output logic [31:0]      wrong_o,
  output logic [31:0]      cycles_o           // from the first flit sent to the last packet that came
);
  localparam int unsigned FlitBits = $clog2(PacketFlits);
  localparam int unsigned CreditBits = $clog2(Depth + 1);
  localparam int unsigned Chunks = 8;         // of a payload, compared each by itself
  localparam int unsigned ChunkW = DataW / Chunks;
  localparam logic [FlitBits-1:0] Last = FlitBits'(PacketFlits - 1);

  // Maximal length: x^128 + x^126 + x^101 + x^99 + 1.
  function automatic logic [DataW-1:0] step(logic [DataW-1:0] x);
    return {x[DataW-2:0], x[127] ^ x[125] ^ x[100] ^ x[98]};
  endfunction
  logic [DataW-1:0] first;                    // never 0
  assign first = {seed_i, ~seed_i, seed_i, ~seed_i};

  // ---- source -----------------------------------------------------------------------------------
  logic [15:0]           left_q;
  logic [FlitBits-1:0]   flit_q;
  logic [DataW-1:0]      data_q;
  logic [31:0]           sent_q;
  logic [CreditBits-1:0] credit_q [2];
  logic                  vc;
  assign vc = sent_q[0];
  assign sending_o = left_q != '0;
  assign sent_o = sent_q;
  assign in_valid_o = up_i && sending_o && credit_q[vc] != '0;
  always_comb begin
    in_flit_o = '0;
    in_flit_o[DataW-1:0] = data_q;
    in_flit_o[DataW+FlitVc] = vc;
    in_flit_o[DataW+FlitTail] = flit_q == Last;
    in_flit_o[DataW+FlitHead] = flit_q == '0;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < 2; v++) begin
      credit_q[v] <= credit_q[v] + CreditBits'(in_credit_i[v]) - CreditBits'(in_valid_o && 32'(vc) == v);
    end
    if (in_valid_o) begin
      data_q <= step(data_q);
      flit_q <= flit_q + 1'b1;
      if (flit_q == Last) begin
        left_q <= left_q - 1'b1;
        sent_q <= sent_q + 1'b1;
      end
    end
    if (start_i && !sending_o) left_q <= count_i;
    if (!rst_ni) begin
      left_q <= '0;
      flit_q <= '0;
      data_q <= first;
      sent_q <= '0;
      for (int unsigned v = 0; v < 2; v++) credit_q[v] <= CreditBits'(Depth);
    end
  end

  // ---- checker ----------------------------------------------------------------------------------
  logic [DataW-1:0]    want_q;
  logic [FlitBits-1:0] place_q;               // of the flit that comes next
  logic                channel_q;             // of its packet
  logic                take;                  // a flit, not a tail that the link made
  logic                came_q, end_q, spoiled_q, started_q;
  logic [Chunks:0]     differ_q;
  logic [31:0]         time_q;
  assign take = out_valid_i && !out_flit_i[DataW+FlitErr];

  always_ff @(posedge clk_i) begin
    for (int unsigned v = 0; v < 2; v++) begin
      out_credit_o[v] <= rst_ni && out_valid_i && 32'(out_flit_i[DataW+FlitVc+:VcW]) == v;
    end
    came_q <= take;
    end_q <= place_q == Last;
    for (int unsigned i = 0; i < Chunks; i++) begin
      differ_q[i] <= out_flit_i[ChunkW*i+:ChunkW] != want_q[ChunkW*i+:ChunkW];
    end
    differ_q[Chunks] <= out_flit_i[DataW+FlitVc+:VcW] != VcW'(channel_q)
        || out_flit_i[DataW+FlitHead] != (place_q == '0) || out_flit_i[DataW+FlitTail] != (place_q == Last);
    if (take) begin
      want_q <= step(want_q);
      place_q <= place_q + 1'b1;
      if (place_q == Last) channel_q <= !channel_q;
    end
    if (came_q) begin
      spoiled_q <= !end_q && (spoiled_q || differ_q != '0);
      if (end_q) begin
        cycles_o <= time_q;
        if (spoiled_q || differ_q != '0) wrong_o <= wrong_o + 1'b1;
        else good_o <= good_o + 1'b1;
      end
    end
    if (in_valid_o) started_q <= 1'b1;
    if (started_q) time_q <= time_q + 1'b1;
    if (!rst_ni) begin
      want_q <= first;
      place_q <= '0;
      channel_q <= 1'b0;
      came_q <= 1'b0;
      spoiled_q <= 1'b0;
      started_q <= 1'b0;
      time_q <= '0;
      cycles_o <= '0;
      good_o <= '0;
      wrong_o <= '0;
    end
  end

`ifndef SYNTHESIS
  initial assert (PacketFlits == 1 << FlitBits && PacketFlits > 1)
    else $fatal(1, "ttpu_board_traffic: PacketFlits must be a power of two");
  always_ff @(posedge clk_i) if (rst_ni) begin
    for (int unsigned v = 0; v < 2; v++) begin
      assert (32'(credit_q[v]) <= Depth) else $error("ttpu_board_traffic: more credits than slots");
    end
  end
`endif
endmodule
