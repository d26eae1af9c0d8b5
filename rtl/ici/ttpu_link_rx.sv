// Frames to the router: checks the CRC, takes each flit once and in order, counts the slots that the
// router frees, ends open packets when the link is no longer up.
//
// Frame at t: its flit on out_flit_o at t + 2, in the same order, one a cycle; the other end owns a credit
// for it. A frame with a wrong CRC has no effect but crc_error_o. Not up: nothing is delivered; each
// packet whose head went out and whose tail did not gets a tail with err = 1 and payload 0, as soon as
// its channel has a slot, one a cycle.
module ttpu_link_rx #(
  parameter int unsigned Vcs = 2,
  parameter int unsigned Depth = 8,
  parameter int unsigned FlitW = 134,
  localparam int unsigned SeqBits = ttpu_ici_pkg::FrameSeqW,
  localparam int unsigned CreditBits = ttpu_ici_pkg::FrameCreditW,
  localparam int unsigned FrameW = FlitW + ttpu_ici_pkg::FrameExtraW
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  ttpu_ici_pkg::link_state_e state_i,
  input  logic [15:0]              cfg_timeout_i,
  // frames
  input  logic                     frame_valid_i,
  input  logic [FrameW-1:0]        frame_i,
  // to the router
  output logic                     out_valid_o,
  output logic [FlitW-1:0]         out_flit_o,
  input  logic [Vcs-1:0]           out_credit_i,
  // what a good frame says
  output logic                     ordinary_o,
  output logic                     down_o,
  output logic                     train_o,
  output ttpu_ici_pkg::training_t  training_o,
  output logic [SeqBits-1:0]       ack_o,
  output logic                     nak_o,
  output logic [2:0]               credit_vc_o,
  output logic [CreditBits-1:0]    credit_o,
  // what is to be told to the other end
  output logic                     answer_o,
  output logic [SeqBits-1:0]       expected_o,
  output logic                     nak_want_o,
  input  logic                     nak_sent_i,
  // state and events
  output logic                     drained_o,   // no packet open, the router has freed every slot
  output logic                     crc_error_o,
  output logic                     delivered_o,
  output logic                     duplicate_o,
  output logic                     cut_o
);
  import ttpu_ici_pkg::*;

  localparam int unsigned DataW = FlitW - FlitExtraW;
  localparam int unsigned VcBits = $clog2(Vcs);
  localparam int unsigned CountBits = $clog2(Depth + 1);

  logic up;
  assign up = state_i == LinkStateUp;

  // ---- check ----
  logic              valid_q, good_q;
  logic [FrameW-1:0] frame_q;
  logic [31:0]       crc;
  frame_kind_e       kind;
  logic [FlitW-1:0]  flit;

  ttpu_crc32 #(.Width(FrameW - FrameCrcW)) u_crc (
    .valid_i(frame_valid_i), .data_i(frame_i[FrameW-1:FrameCrcW]), .crc_o(crc)
  );

  always_ff @(posedge clk_i) begin
    valid_q <= frame_valid_i;
    good_q <= frame_valid_i && crc == frame_i[FrameCrcW-1:0];
    if (frame_valid_i) frame_q <= frame_i;
    if (!rst_ni) begin
      valid_q <= 1'b0;
      good_q <= 1'b0;
    end
  end

  assign kind = frame_kind_e'(frame_q[FrameKindLsb+:FrameKindW]);
  assign flit = frame_q[FrameW-1:FrameExtraW];
  assign crc_error_o = valid_q && !good_q;
  assign ordinary_o = good_q && (kind == FrameKindIdle || kind == FrameKindData);
  assign down_o = good_q && kind == FrameKindDown;
  assign train_o = good_q && kind == FrameKindTrain;
  assign training_o = training_t'(flit[TrainingW-1:0]);
  assign ack_o = frame_q[FrameAckLsb+:FrameAckW];
  assign nak_o = frame_q[FrameNakLsb];
  assign credit_vc_o = frame_q[FrameCreditVcLsb+:FrameCreditVcW];
  assign credit_o = frame_q[FrameCreditLsb+:FrameCreditW];

  // ---- order ----
  logic accept, duplicate, gap;

  ttpu_link_accept #(.SeqBits(SeqBits), .Window(Vcs * Depth)) u_accept (
    .clk_i, .rst_ni,
    .clear_i(!up),
    .wait_i(16'(cfg_timeout_i[15:1]) + 16'(cfg_timeout_i[0])),  // half, rounded up
    .frame_i(up && ordinary_o), .data_i(kind == FrameKindData),
    .seq_i(frame_q[FrameSeqLsb+:FrameSeqW]),
    .accept_o(accept), .duplicate_o(duplicate), .gap_o(gap),
    .expected_o, .nak_o(nak_want_o), .nak_sent_i
  );
  assign answer_o = accept || duplicate || gap;
  assign delivered_o = accept;
  assign duplicate_o = duplicate;

  // ---- to the router ----
  logic [CountBits-1:0] in_use [Vcs];    // slots of the router in use
  logic [Vcs-1:0]       use_mask, full_mask, use_mask_q, full_mask_q, open_q, can_close;
  logic [VcBits-1:0]    vc, close_vc;
  logic                 out_valid_q, cut_q, fill;
  logic [FlitW-1:0]     out_flit_q;

  assign vc = accept ? flit[DataW+FlitVc+:VcBits] : close_vc;
  assign can_close = open_q & ~full_mask_q;
  assign fill = accept || (!up && can_close != '0);

  always_comb begin
    close_vc = '0;
    for (int unsigned v = 0; v < Vcs; v++) if (can_close[Vcs-1-v]) close_vc = VcBits'(Vcs - 1 - v);
  end

  always_ff @(posedge clk_i) begin
    out_valid_q <= fill;
    cut_q <= fill && !accept;
    if (accept) begin
      out_flit_q <= flit;
      open_q[vc] <= !flit[DataW+FlitTail];
    end else if (fill) begin
      out_flit_q <= '0;
      out_flit_q[DataW+FlitVc+:VcW] <= VcW'(close_vc);
      out_flit_q[DataW+FlitErr] <= 1'b1;
      out_flit_q[DataW+FlitTail] <= 1'b1;
      open_q[vc] <= 1'b0;
    end
    if (out_credit_i != '0) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        if (out_credit_i[v]) begin
          in_use[v] = in_use[v] - 1'b1;
          use_mask[v] = in_use[v] != '0;
          full_mask[v] = 1'b0;
        end
      end
    end
    if (fill) begin
      in_use[vc] = in_use[vc] + 1'b1;
      use_mask[vc] = 1'b1;
      full_mask[vc] = in_use[vc] == CountBits'(Depth);
    end
    if (!rst_ni) begin
      out_valid_q <= 1'b0;
      cut_q <= 1'b0;
      open_q <= '0;
      use_mask = '0;
      full_mask = '0;
      for (int unsigned v = 0; v < Vcs; v++) in_use[v] = '0;
    end
    use_mask_q <= use_mask;
    full_mask_q <= full_mask;
  end

  assign out_valid_o = out_valid_q;
  assign out_flit_o = out_flit_q;
  assign cut_o = cut_q;
  assign drained_o = open_q == '0 && use_mask_q == '0;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && fill) begin
      assert (!full_mask_q[vc]) else $error("ttpu_link_rx: no slot in channel %0d", vc);
    end
    if (rst_ni) begin
      assert ((out_credit_i & ~use_mask_q) == '0)
      else $error("ttpu_link_rx: a slot freed that was not in use: %b", out_credit_i & ~use_mask_q);
    end
  end
`endif
endmodule
