// State of a link: finds the other end, compares how both were built, notices when it is gone.
//
// TRAIN: each end sends training frames; `heard` in them says that the other end's arrived. A frame that
// disagrees: REFUSED, both values stay readable. Up when both ends have heard each other and Settle
// cycles have passed since, in which frames of an earlier session die out (a frame must not be later than
// that); an ordinary frame Settle cycles after the first training frame says the same. No other end
// within TrainLimit cycles: DOWN, reason silent.
// UP ends in DOWN: retries used up (fail_i), the other end down or training anew, or no good frame for
// (cfg_retries_i + 1) * (cfg_timeout_i + 1) cycles.
// DOWN, REFUSED: a pulse of retrain_i (remembered) starts again as soon as drained_i; with cfg_auto_i
// also the other end's training frame (in REFUSED if it agrees now). Level cfg_down_i: DOWN from any
// state, no training; when it falls training starts.
module ttpu_link_train #(
  parameter int unsigned Vcs = 2,
  parameter int unsigned Depth = 8,
  parameter int unsigned FlitW = 134,
  parameter int unsigned Settle = 256,
  parameter int unsigned TrainLimit = 16384
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  // host
  input  logic [13:0]                 cfg_node_i,
  input  logic [2:0]                  cfg_port_i,
  input  logic [15:0]                 cfg_timeout_i,
  input  logic [3:0]                  cfg_retries_i,
  input  logic                        cfg_auto_i,
  input  logic                        cfg_down_i,
  input  logic                        retrain_i,
  // good frames of this cycle
  input  logic                        ordinary_i,
  input  logic                        down_i,
  input  logic                        train_i,
  input  ttpu_ici_pkg::training_t     training_i,
  // the rest of the link
  input  logic                        fail_i,
  input  logic                        drained_i,
  output ttpu_ici_pkg::link_state_e   state_o,
  output ttpu_ici_pkg::link_reason_e  reason_o,
  output ttpu_ici_pkg::training_t     own_o,
  output ttpu_ici_pkg::training_t     peer_o,
  output logic                        went_down_o   // event: UP, TRAIN to DOWN or REFUSED
);
  import ttpu_ici_pkg::*;

  localparam int unsigned SettleBits = $clog2(Settle + 1);
  localparam int unsigned TimerBits = $clog2(TrainLimit + 1) > 16 ? $clog2(TrainLimit + 1) : 16;

  link_state_e           state_q;
  link_reason_e          reason_q;
  training_t             peer_q;
  logic                  heard_q, both_q, again_q, down_q;
  logic [SettleBits-1:0] settle_q;
  logic [TimerBits-1:0]  timer_q;   // TRAIN: since its start; UP: since a good frame or a miss
  logic [3:0]            misses_q;
  logic                  agree, settled;

  always_comb begin
    own_o = '0;
    own_o.magic = TrainingMagicW'(LinkMagic);
    own_o.version = TrainingVersionW'(LinkVersion);
    own_o.seq_bits = TrainingSeqBitsW'(FrameSeqW);
    own_o.flit_w = TrainingFlitWW'(FlitW);
    own_o.vcs = TrainingVcsW'(Vcs);
    own_o.depth = TrainingDepthW'(Depth);
    own_o.node = cfg_node_i;
    own_o.port = cfg_port_i;
    own_o.heard = heard_q;
  end

  assign agree = training_i[TrainingNodeLsb-1:0] == own_o[TrainingNodeLsb-1:0];
  assign settled = settle_q == SettleBits'(Settle);
  assign state_o = state_q;
  assign reason_o = reason_q;
  assign peer_o = peer_q;
  assign went_down_o = down_q;

  always_ff @(posedge clk_i) begin
    down_q <= 1'b0;
    if (retrain_i && state_q != LinkStateUp && state_q != LinkStateTrain) again_q <= 1'b1;
    case (state_q)
      LinkStateTrain: begin
        again_q <= 1'b0;
        timer_q <= timer_q + 1'b1;
        if (heard_q && !settled) settle_q <= settle_q + 1'b1;
        if (train_i) begin
          peer_q <= training_i;
          heard_q <= agree;
          both_q <= training_i.heard;  // falls again if it has started anew meanwhile
          if (!heard_q || (training_i.heard && !both_q)) settle_q <= '0;
        end
        if (settled && (both_q || ordinary_i)) begin
          state_q <= LinkStateUp;
          timer_q <= '0;
          misses_q <= '0;
        end else if (train_i && !agree) begin
          state_q <= LinkStateRefused;
          reason_q <= LinkReasonMismatch;
          down_q <= 1'b1;
        end else if (timer_q == TimerBits'(TrainLimit)) begin
          state_q <= LinkStateDown;
          reason_q <= LinkReasonSilent;
          down_q <= 1'b1;
        end
      end
      LinkStateUp: begin
        timer_q <= timer_q + 1'b1;
        if (ordinary_i) begin
          timer_q <= '0;
          misses_q <= '0;
        end else if (timer_q[15:0] >= cfg_timeout_i) begin
          timer_q <= '0;
          misses_q <= misses_q + 1'b1;
        end
        if (fail_i) reason_q <= LinkReasonRetries;
        else if (down_i) reason_q <= LinkReasonPeerDown;
        else if (train_i && !training_i.heard) reason_q <= LinkReasonPeerReset;
        else if (!ordinary_i && timer_q[15:0] >= cfg_timeout_i && misses_q == cfg_retries_i)
          reason_q <= LinkReasonSilent;
        if (fail_i || down_i || (train_i && !training_i.heard) ||
            (!ordinary_i && timer_q[15:0] >= cfg_timeout_i && misses_q == cfg_retries_i)) begin
          state_q <= LinkStateDown;
          down_q <= 1'b1;
        end
      end
      default: begin  // RESET, DOWN, REFUSED
        heard_q <= 1'b0;
        both_q <= 1'b0;
        settle_q <= '0;
        timer_q <= '0;
        if (cfg_auto_i && train_i && (state_q == LinkStateDown || agree)) again_q <= 1'b1;
        if (!cfg_down_i && (state_q == LinkStateReset || (again_q && drained_i))) begin
          state_q <= LinkStateTrain;
          peer_q <= '0;
        end
      end
    endcase
    if (cfg_down_i) begin
      again_q <= 1'b1;
      reason_q <= LinkReasonHost;
      if (state_q != LinkStateDown) begin
        state_q <= LinkStateDown;
        down_q <= 1'b1;
      end
    end
    if (!rst_ni) begin
      state_q <= LinkStateReset;
      reason_q <= LinkReasonNone;
      peer_q <= '0;
      again_q <= 1'b0;
      down_q <= 1'b0;
      misses_q <= '0;
    end
  end

`ifndef SYNTHESIS
  initial assert (Settle >= 1 && TrainLimit > Settle)
  else $fatal(1, "ttpu_link_train: TrainLimit must be more than Settle");
`endif
endmodule
