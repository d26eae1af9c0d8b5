// Router to frames: keeps flits until they are acknowledged, says what the receiving half has to say,
// gives the router its credits back.
//
// The buffer has Vcs * Depth words and can always take what the router sends: a flit's credit comes back
// in a frame that acknowledges the flit as well, so what is not acknowledged has no credit back either.
// in at t, in a frame on frame_o from t + 3; one flit a cycle when frame_ready_i stays high. frame_o is
// held until taken. While flits go, each frame carries them; else an idle frame goes out when there is
// something to say, IdleGap cycles or more after the last frame, and after Heartbeat cycles anyway.
// Not up: a flit is dropped, counted and its credit given back, up to the next head after the link is up.
// Credits are pulsed back at most one a channel and cycle.
module ttpu_link_tx #(
  parameter int unsigned Vcs = 2,
  parameter int unsigned Depth = 8,
  parameter int unsigned FlitW = 134,
  parameter int unsigned IdleGap = 2,
  parameter int unsigned Heartbeat = 64,
  parameter int unsigned TrainGap = 16,
  localparam int unsigned SeqBits = ttpu_ici_pkg::FrameSeqW,
  localparam int unsigned CreditBits = ttpu_ici_pkg::FrameCreditW,
  localparam int unsigned FrameW = FlitW + ttpu_ici_pkg::FrameExtraW
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  ttpu_ici_pkg::link_state_e state_i,
  input  ttpu_ici_pkg::training_t own_i,
  input  logic [15:0]             cfg_timeout_i,
  input  logic [3:0]              cfg_retries_i,
  // from the router
  input  logic                    in_valid_i,
  input  logic [FlitW-1:0]        in_flit_i,
  output logic [Vcs-1:0]          in_credit_o,
  // what came in frames
  input  logic                    ack_valid_i,
  input  logic [SeqBits-1:0]      ack_i,
  input  logic                    nak_i,
  input  logic [2:0]              credit_vc_i,
  input  logic [CreditBits-1:0]   credit_i,
  // what is to be told
  input  logic                    answer_i,     // a flit arrived: acknowledge
  input  logic [SeqBits-1:0]      expected_i,
  input  logic                    nak_want_i,
  output logic                    nak_sent_o,
  input  logic [Vcs-1:0]          freed_i,      // the router freed a slot
  // frames
  output logic                    frame_valid_o,
  output logic [FrameW-1:0]       frame_o,
  input  logic                    frame_ready_i,
  // state and events
  output logic                    fail_o,
  output logic                    drained_o,    // not up: every credit is back
  output logic                    taken_o,
  output logic                    dropped_o,
  output logic [SeqBits-1:0]      given_up_o,   // flits not acknowledged when the link went down
  output logic                    replay_o,
  output logic                    timeout_o,
  output logic                    again_o,
  output logic                    nak_taken_o,
  output logic                    no_credit_o
);
  import ttpu_ici_pkg::*;

  localparam int unsigned Window = Vcs * Depth;
  localparam int unsigned IndexBits = $clog2(Window);
  localparam int unsigned VcBits = $clog2(Vcs);
  localparam int unsigned CountBits = $clog2(Depth + 1);
  localparam int unsigned DataW = FlitW - FlitExtraW;
  localparam int unsigned GapBits = $clog2(Heartbeat + 1);
  localparam int unsigned BodyW = FrameW - FrameCrcW;  // all but the CRC

  logic up, was_up_q;
  assign up = state_i == LinkStateUp;

  // ---- flits from the router ----
  logic [VcBits-1:0]  in_vc;
  logic               in_head, in_tail, take;
  logic [Vcs-1:0]     live_q;         // a packet whose head was taken in this session is open
  logic [SeqBits-1:0] tail, held, seq;
  logic               have, send, again;
  logic [FlitW-1:0]   mem_q [Window];

  assign in_vc = in_flit_i[DataW+FlitVc+:VcBits];
  assign in_head = in_flit_i[DataW+FlitHead];
  assign in_tail = in_flit_i[DataW+FlitTail];
  assign take = in_valid_i && up && (in_head || live_q[in_vc]);
  assign taken_o = take;
  assign dropped_o = in_valid_i && !take;
  assign given_up_o = was_up_q && !up ? held : '0;

  ttpu_link_replay #(.SeqBits(SeqBits), .Window(Window)) u_replay (
    .clk_i, .rst_ni,
    .clear_i(!up),
    .timeout_i(cfg_timeout_i), .retries_i(cfg_retries_i),
    .push_i(take), .tail_o(tail), .held_o(held),
    .have_o(have), .seq_o(seq), .again_o(again), .send_i(send),
    .ack_valid_i(up && ack_valid_i), .ack_i, .nak_i,
    .replay_o, .timeout_o, .fail_o
  );

  always_ff @(posedge clk_i) begin
    was_up_q <= up;
    if (take) begin
      mem_q[tail[IndexBits-1:0]] <= in_flit_i;
      live_q[in_vc] <= !in_tail;
    end
    if (!up) live_q <= '0;
    if (!rst_ni) was_up_q <= 1'b0;
  end

  // ---- credits to the router ----
  logic [CreditBits-1:0] seen [Vcs];   // credits that the other end has counted
  logic [CountBits-1:0]  owed [Vcs];   // flits taken whose credit is not back
  logic [CountBits-1:0]  due [Vcs];    // credits to be pulsed
  logic [Vcs-1:0]        due_mask, out_mask, due_mask_q, out_mask_q, in_credit_q;
  logic [CreditBits-1:0] fresh;
  logic [VcBits-1:0]     credit_vc;

  assign credit_vc = credit_vc_i[VcBits-1:0];
  assign in_credit_o = in_credit_q;
  assign drained_o = !was_up_q && due_mask_q == '0;
  assign no_credit_o = up && out_mask_q != '0;

  always_ff @(posedge clk_i) begin
    in_credit_q <= due_mask;
    if (due_mask != '0) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        if (due_mask[v]) begin
          due[v] = due[v] - 1'b1;
          owed[v] = owed[v] - 1'b1;
          due_mask[v] = due[v] != '0;
          out_mask[v] = 1'b0;
        end
      end
    end
    if (in_valid_i) begin
      owed[in_vc] = owed[in_vc] + 1'b1;
      out_mask[in_vc] = owed[in_vc] == CountBits'(Depth);
      if (!take) begin
        due[in_vc] = due[in_vc] + 1'b1;
        due_mask[in_vc] = 1'b1;
      end
    end
    // A count that is older than one seen lies behind it: no credits.
    fresh = credit_i - seen[credit_vc];
    if (up && ack_valid_i && fresh != '0 && 32'(credit_vc_i) < Vcs &&
        fresh <= CreditBits'(owed[credit_vc]) - CreditBits'(due[credit_vc])) begin
      seen[credit_vc] = credit_i;
      due[credit_vc] = due[credit_vc] + CountBits'(fresh);
      due_mask[credit_vc] = 1'b1;
    end
    if (was_up_q && !up) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        due[v] = owed[v];
        due_mask[v] = owed[v] != '0;
      end
    end
    if (!rst_ni || state_i == LinkStateTrain) begin
      for (int unsigned v = 0; v < Vcs; v++) seen[v] = '0;
    end
    if (!rst_ni) begin
      in_credit_q <= '0;
      due_mask = '0;
      out_mask = '0;
      for (int unsigned v = 0; v < Vcs; v++) begin
        owed[v] = '0;
        due[v] = '0;
      end
    end
    due_mask_q <= due_mask;
    out_mask_q <= out_mask;
  end

  // ---- what to send ----
  logic [GapBits-1:0] gap_q;             // cycles since the last frame was made
  logic               answer_q;
  logic [CreditBits-1:0] freed [Vcs];    // slots that the router freed in this session
  logic [Vcs-1:0]     dirty_q, pick_mask;
  logic [VcBits-1:0]  pick_q, pick;      // channel whose credits are told next
  logic [VcBits+2:0]  sweep_q;           // frames of this session
  logic               free, idle, train, down;
  logic               body_valid_q, out_valid_q, out_free;
  logic [BodyW-1:0]   body_q;
  logic [FrameW-1:0]  out_q;
  logic [31:0]        crc;
  frame_kind_e        kind;
  logic [FlitW-1:0]   content;

  always_comb begin
    // The first changed channel from pick_q on; none changed: pick_q itself, so that all come round.
    // Each eighth frame takes the next channel in any case: a lost count must not wait for ever behind
    // channels that change all the time.
    pick = pick_q;
    pick_mask = (dirty_q >> pick_q) | (dirty_q << (Vcs - 32'(pick_q)));
    if (pick_mask != '0) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        if (!dirty_q[pick]) pick = pick + 1'b1;
      end
    end
    if (sweep_q[2:0] == '0) pick = sweep_q[3+:VcBits];
  end

  assign out_free = !out_valid_q || frame_ready_i;
  assign free = !body_valid_q || out_free;
  assign send = up && have && free;
  assign idle = up && !have && free &&
                ((gap_q >= GapBits'(IdleGap) && (answer_q || nak_want_i || dirty_q != '0)) ||
                 gap_q == GapBits'(Heartbeat));
  assign train = (state_i == LinkStateTrain || state_i == LinkStateRefused) && free &&
                 gap_q >= GapBits'(TrainGap);
  assign down = state_i == LinkStateDown && free && gap_q == GapBits'(Heartbeat);
  assign nak_sent_o = nak_want_i && (send || idle);
  assign nak_taken_o = replay_o && !timeout_o;
  assign again_o = send && again;
  assign kind = send ? FrameKindData : train ? FrameKindTrain : down ? FrameKindDown : FrameKindIdle;
  assign content = send ? mem_q[seq[IndexBits-1:0]] : train ? FlitW'(own_i) : '0;

  ttpu_crc32 #(.Width(BodyW)) u_crc (.valid_i(body_valid_q && out_free), .data_i(body_q), .crc_o(crc));

  always_ff @(posedge clk_i) begin
    if (gap_q != GapBits'(Heartbeat)) gap_q <= gap_q + 1'b1;
    if (out_free) begin
      out_valid_q <= body_valid_q;
      if (body_valid_q) out_q <= {body_q, crc};
    end
    if (free) body_valid_q <= 1'b0;
    if (freed_i != '0) begin
      for (int unsigned v = 0; v < Vcs; v++) if (freed_i[v]) freed[v] = freed[v] + 1'b1;
    end
    dirty_q <= dirty_q | freed_i | (nak_taken_o ? '1 : '0);
    if (answer_i) answer_q <= 1'b1;
    if (send || idle || train || down) begin
      body_valid_q <= 1'b1;
      body_q <= {content, up ? freed[pick] : '0, 3'(pick), expected_i, seq,
                 nak_sent_o, kind};
      gap_q <= '0;
      if (sweep_q[2:0] != '0) pick_q <= pick + 1'b1;
      sweep_q <= sweep_q + 1'b1;
      answer_q <= answer_i;
      if (!nak_taken_o) dirty_q[pick] <= 1'b0;
    end
    if (!up) begin
      answer_q <= 1'b0;
      dirty_q <= '0;
      pick_q <= '0;
      sweep_q <= '0;
    end
    if (!rst_ni || state_i == LinkStateTrain) begin
      for (int unsigned v = 0; v < Vcs; v++) freed[v] = '0;
    end
    if (!rst_ni) begin
      gap_q <= '0;
      body_valid_q <= 1'b0;
      out_valid_q <= 1'b0;
    end
  end

  assign frame_valid_o = out_valid_q;
  assign frame_o = out_q;

`ifndef SYNTHESIS
  initial assert (Vcs >= 2 && 2 ** VcBits == Vcs && 2 ** $clog2(Depth) == Depth &&
                  IdleGap <= Heartbeat && TrainGap <= Heartbeat)
  else $fatal(1, "ttpu_link_tx: Vcs and Depth are powers of two, gaps at most Heartbeat");
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (SeqBits'(tail - seq) <= held) else $error("ttpu_link_tx: sends what it does not hold");
    end
    if (rst_ni && in_valid_i) begin
      assert (!out_mask_q[in_vc])
      else $error("ttpu_link_tx: a flit without credit in channel %0d", in_vc);
    end
  end
`endif
endmodule
