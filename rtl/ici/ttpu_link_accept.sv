// Receiver's half of go-back-N: takes each flit once and in order, asks for what is missing.
//
// frame_i: a good frame of this session with number seq_i; data_i: it brings flit seq_i, else seq_i is
// the next that will be sent. Combinational answers in the same cycle:
// - accept_o: it is the one expected;
// - duplicate_o: it had arrived before (a repeat whose answer was lost);
// - gap_o: something before seq_i is missing.
// expected_o is the cumulative ack. nak_o asks for expected_o: set by a gap, once, and again by a
// gap seen wait_i or more cycles later; taken by nak_sent_i; withdrawn when the flit arrives.
module ttpu_link_accept #(
  parameter int unsigned SeqBits = 12,
  parameter int unsigned Window = 128
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic [15:0]        wait_i,
  // frames
  input  logic               frame_i,
  input  logic               data_i,
  input  logic [SeqBits-1:0] seq_i,
  output logic               accept_o,
  output logic               duplicate_o,
  output logic               gap_o,
  // answers
  output logic [SeqBits-1:0] expected_o,
  output logic               nak_o,
  input  logic               nak_sent_i
);
  logic [SeqBits-1:0] expected_q, ahead;
  logic [15:0]        timer_q;
  logic               nak_q, asked_q;

  assign ahead = seq_i - expected_q;
  assign accept_o = frame_i && data_i && ahead == '0;
  assign gap_o = frame_i && ahead != '0 && ahead <= SeqBits'(Window);
  assign duplicate_o = frame_i && data_i && ahead > SeqBits'(Window);
  assign expected_o = expected_q;
  assign nak_o = nak_q;

  always_ff @(posedge clk_i) begin
    if (asked_q && timer_q != '0) timer_q <= timer_q - 1'b1;
    if (nak_sent_i) nak_q <= 1'b0;
    if (gap_o && (!asked_q || timer_q == '0)) begin
      nak_q <= 1'b1;
      asked_q <= 1'b1;
      timer_q <= wait_i;
    end
    if (accept_o) begin
      expected_q <= expected_q + 1'b1;
      nak_q <= 1'b0;
      asked_q <= 1'b0;
    end
    if (!rst_ni || clear_i) begin
      expected_q <= '0;
      timer_q <= '0;
      nak_q <= 1'b0;
      asked_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  initial assert (4 * Window <= 2 ** SeqBits)
  else $fatal(1, "ttpu_link_accept: Window takes more than a quarter of the sequence numbers");
`endif
endmodule
