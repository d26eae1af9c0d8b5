// Counters of a link and the words that the host reads: data_o shows word sel_i one cycle later; a
// number without a word reads 0. A counter has counted an event from the second cycle after it.
module ttpu_link_count #(
  localparam int unsigned SeqBits = ttpu_ici_pkg::FrameSeqW
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  ttpu_ici_pkg::link_state_e  state_i,
  input  ttpu_ici_pkg::link_reason_e reason_i,
  input  logic                       drained_i,
  input  ttpu_ici_pkg::training_t    own_i,
  input  ttpu_ici_pkg::training_t    peer_i,
  // events of this cycle
  input  logic                       taken_i,
  input  logic                       delivered_i,
  input  logic                       frame_tx_i,
  input  logic                       frame_rx_i,
  input  logic                       crc_error_i,
  input  logic                       replay_i,
  input  logic                       again_i,
  input  logic                       timeout_i,
  input  logic                       nak_tx_i,
  input  logic                       nak_rx_i,
  input  logic                       duplicate_i,
  input  logic                       no_credit_i,
  input  logic                       not_ready_i,
  input  logic                       dropped_i,
  input  logic [SeqBits-1:0]         given_up_i,
  input  logic                       cut_i,
  input  logic                       down_i,
  // host
  input  ttpu_ici_pkg::link_word_e   sel_i,
  output logic [31:0]                data_o
);
  import ttpu_ici_pkg::*;

  localparam int unsigned First = 32'(LinkWordFlitsTx);
  localparam int unsigned Count = 32'(LinkWordDowns) + 1 - First;

  logic [31:0]      count [Count];
  logic [Count-1:0] event_now;
  logic [31:0]      data_q;
  logic [95:0]      own_bits, peer_bits;

  // In the order of link_word_e.
  assign event_now = {down_i, cut_i, dropped_i || given_up_i != '0, not_ready_i, no_credit_i, duplicate_i,
                      nak_rx_i, nak_tx_i, timeout_i, again_i, replay_i, crc_error_i, frame_rx_i,
                      frame_tx_i, delivered_i, taken_i};
  assign own_bits = 96'(own_i);
  assign peer_bits = 96'(peer_i);
  assign data_o = data_q;

  always_ff @(posedge clk_i) begin
    case (sel_i)
      LinkWordStatus: data_q <= {25'd0, drained_i, reason_i, state_i};
      LinkWordOwn0: data_q <= own_bits[31:0];
      LinkWordOwn1: data_q <= own_bits[63:32];
      LinkWordOwn2: data_q <= own_bits[95:64];
      LinkWordPeer0: data_q <= peer_bits[31:0];
      LinkWordPeer1: data_q <= peer_bits[63:32];
      LinkWordPeer2: data_q <= peer_bits[95:64];
      default: data_q <= 32'(sel_i) < First + Count ? count[32'(sel_i) - First] : '0;
    endcase
    if (event_now != '0) begin
      for (int unsigned i = 0; i < Count; i++) if (event_now[i]) count[i] = count[i] + 1'b1;
      // Several flits may be lost in one cycle.
      if (event_now[32'(LinkWordLost) - First])
        count[32'(LinkWordLost) - First] = count[32'(LinkWordLost) - First] + 32'(given_up_i) - 32'(!dropped_i);
    end
    if (!rst_ni) begin
      for (int unsigned i = 0; i < Count; i++) count[i] = '0;
    end
  end
endmodule
