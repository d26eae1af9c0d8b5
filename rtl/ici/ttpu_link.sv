// One end of a link between two routers, over a physical layer that may lose, change, double or delay
// frames: every flit arrives once and in order, or the link goes down and says so.
//
// - Flit port to the router without ready: the link takes every flit that has a credit. Flit in at t, out
//   at the other router at t + 5 + the wire (3 here, 2 there); one flit a cycle while frame_ready_i is
//   high and the round trip is within the Depth of a channel or Vcs * Depth in all.
// - frame_valid_o, frame_o are held until frame_ready_i. frame_valid_i, frame_i have no ready.
// - Recovery: numbers, CRC-32, cumulative acks, naks, go-back-N; credits travel as running counts, so
//   that a lost one heals with the next frame about its channel, 8 * Vcs frames later at most.
// - cfg_timeout_i must be more than twice the round trip (both links, wire, physical layer, Window
//   frames). Without progress the link is down (cfg_retries_i + 1) * (cfg_timeout_i + 1) + 2 cycles
//   after the last sign of it. No frame may be late by Settle cycles or 2048 frames, or more.
// - down_o is high in every state but UP. Then flits are dropped and their credits given back, and each
//   packet on its way to the router gets a tail with err.
// - Words (ttpu_ici_pkg::link_word_e) on data_o in the cycle after sel_i. Counters start at 0 after reset
//   and wrap.
module ttpu_link #(
  parameter int unsigned Vcs = 2,
  parameter int unsigned Depth = 8,
  parameter int unsigned DataW = 128,
  parameter int unsigned IdleGap = 2,
  parameter int unsigned Heartbeat = 64,
  parameter int unsigned TrainGap = 16,
  parameter int unsigned Settle = 256,
  parameter int unsigned TrainLimit = 16384,
  localparam int unsigned FlitW = DataW + ttpu_ici_pkg::FlitExtraW,
  localparam int unsigned FrameW = FlitW + ttpu_ici_pkg::FrameExtraW
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // from and to the router
  input  logic               in_valid_i,
  input  logic [FlitW-1:0]   in_flit_i,
  output logic [Vcs-1:0]     in_credit_o,
  output logic               out_valid_o,
  output logic [FlitW-1:0]   out_flit_o,
  input  logic [Vcs-1:0]     out_credit_i,
  output logic               down_o,
  // physical layer
  output logic               frame_valid_o,
  output logic [FrameW-1:0]  frame_o,
  input  logic               frame_ready_i,
  input  logic               frame_valid_i,
  input  logic [FrameW-1:0]  frame_i,
  // host: levels, but for the pulse retrain_i
  input  logic [13:0]        cfg_node_i,
  input  logic [2:0]         cfg_port_i,
  input  logic [15:0]        cfg_timeout_i,
  input  logic [3:0]         cfg_retries_i,
  input  logic               cfg_auto_i,
  input  logic               cfg_down_i,
  input  logic               retrain_i,
  input  ttpu_ici_pkg::link_word_e sel_i,
  output logic [31:0]        data_o
);
  import ttpu_ici_pkg::*;

  link_state_e  state;
  link_reason_e reason;
  training_t    own, peer, training;
  logic         ordinary, peer_down, train;
  logic         fail, went_down, tx_drained, rx_drained;
  logic [FrameAckW-1:0]    ack, expected, given_up;
  logic [FrameCreditW-1:0] credit;
  logic [2:0]              credit_vc;
  logic         nak, answer, nak_want, nak_sent;
  logic         taken, dropped, replay, timeout, again, nak_taken, no_credit;
  logic         crc_error, delivered, duplicate, cut;

  assign down_o = state != LinkStateUp;

  ttpu_link_train #(
    .Vcs(Vcs), .Depth(Depth), .FlitW(FlitW), .Settle(Settle), .TrainLimit(TrainLimit)
  ) u_train (
    .clk_i, .rst_ni,
    .cfg_node_i, .cfg_port_i, .cfg_timeout_i, .cfg_retries_i, .cfg_auto_i, .cfg_down_i, .retrain_i,
    .ordinary_i(ordinary), .down_i(peer_down), .train_i(train), .training_i(training),
    .fail_i(fail), .drained_i(tx_drained && rx_drained),
    .state_o(state), .reason_o(reason), .own_o(own), .peer_o(peer), .went_down_o(went_down)
  );

  ttpu_link_tx #(
    .Vcs(Vcs), .Depth(Depth), .FlitW(FlitW),
    .IdleGap(IdleGap), .Heartbeat(Heartbeat), .TrainGap(TrainGap)
  ) u_tx (
    .clk_i, .rst_ni,
    .state_i(state), .own_i(own), .cfg_timeout_i, .cfg_retries_i,
    .in_valid_i, .in_flit_i, .in_credit_o,
    .ack_valid_i(ordinary), .ack_i(ack), .nak_i(nak), .credit_vc_i(credit_vc), .credit_i(credit),
    .answer_i(answer), .expected_i(expected), .nak_want_i(nak_want), .nak_sent_o(nak_sent),
    .freed_i(out_credit_i),
    .frame_valid_o, .frame_o, .frame_ready_i,
    .fail_o(fail), .drained_o(tx_drained), .taken_o(taken), .dropped_o(dropped),
    .given_up_o(given_up), .replay_o(replay), .timeout_o(timeout), .again_o(again),
    .nak_taken_o(nak_taken), .no_credit_o(no_credit)
  );

  ttpu_link_rx #(.Vcs(Vcs), .Depth(Depth), .FlitW(FlitW)) u_rx (
    .clk_i, .rst_ni,
    .state_i(state), .cfg_timeout_i,
    .frame_valid_i, .frame_i,
    .out_valid_o, .out_flit_o, .out_credit_i,
    .ordinary_o(ordinary), .down_o(peer_down), .train_o(train), .training_o(training),
    .ack_o(ack), .nak_o(nak), .credit_vc_o(credit_vc), .credit_o(credit),
    .answer_o(answer), .expected_o(expected), .nak_want_o(nak_want), .nak_sent_i(nak_sent),
    .drained_o(rx_drained), .crc_error_o(crc_error), .delivered_o(delivered),
    .duplicate_o(duplicate), .cut_o(cut)
  );

  ttpu_link_count u_count (
    .clk_i, .rst_ni,
    .state_i(state), .reason_i(reason), .drained_i(tx_drained && rx_drained),
    .own_i(own), .peer_i(peer),
    .taken_i(taken), .delivered_i(delivered),
    .frame_tx_i(frame_valid_o && frame_ready_i), .frame_rx_i(frame_valid_i),
    .crc_error_i(crc_error), .replay_i(replay), .again_i(again), .timeout_i(timeout),
    .nak_tx_i(nak_sent), .nak_rx_i(nak_taken), .duplicate_i(duplicate),
    .no_credit_i(no_credit), .not_ready_i(frame_valid_o && !frame_ready_i),
    .dropped_i(dropped), .given_up_i(given_up), .cut_i(cut), .down_i(went_down),
    .sel_i, .data_o
  );
endmodule
