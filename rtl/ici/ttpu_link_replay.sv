// Sender's half of go-back-N: which flit is sent next, which may be forgotten, when to start over.
//
// Sequence numbers count flits modulo 2^SeqBits. Held flits are base .. tail-1, of which base .. top-1
// were sent at least once; next is the one to send. The flits themselves stand in a buffer of Window
// words outside, at the low bits of their number.
// - push_i: a flit was written at tail_o; taken without fail, the caller keeps tail - base <= Window.
// - have_o, seq_o: a flit to send; send_i (only with have_o) takes it in this cycle: 1 a cycle.
// - ack_valid_i: all before ack_i has arrived; with nak_i, ack_i itself is missing: send again from
//   there. An ack outside base .. top is old: ignored with its nak.
// - After timeout_i cycles (>= 1) with flits unanswered and no progress it sends again from base.
// - After retries_i repeats without progress the next one is given up: fail_o, in the same cycle as it
//   would have started. So fail_o comes at most (retries_i + 1) * (timeout_i + 1) cycles after the last
//   progress. The caller then clears.
// clear_i (and reset) forget everything; outputs of that cycle count for nothing.
module ttpu_link_replay #(
  parameter int unsigned SeqBits = 12,
  parameter int unsigned Window = 128
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic [15:0]        timeout_i,
  input  logic [3:0]         retries_i,
  // flits come
  input  logic               push_i,
  output logic [SeqBits-1:0] tail_o,
  output logic [SeqBits-1:0] held_o,
  // flits go
  output logic               have_o,
  output logic [SeqBits-1:0] seq_o,
  output logic               again_o,    // the one to send was sent before
  input  logic               send_i,
  // answers
  input  logic               ack_valid_i,
  input  logic [SeqBits-1:0] ack_i,
  input  logic               nak_i,
  // events of this cycle
  output logic               replay_o,
  output logic               timeout_o,
  output logic               fail_o
);
  logic [SeqBits-1:0] base_q, next_q, top_q, tail_q;
  logic [SeqBits-1:0] base_d, next_d;
  logic [15:0]        timer_q;
  logic [3:0]         tries_q;
  logic               known, progress, restart;

  always_comb begin
    known = ack_valid_i && SeqBits'(ack_i - base_q) <= SeqBits'(top_q - base_q);
    progress = known && ack_i != base_q;
    base_d = known ? ack_i : base_q;
    timeout_o = !progress && top_q != base_q && timer_q >= timeout_i;
    // A nak of what was never sent says nothing.
    restart = timeout_o || (known && nak_i && top_q != base_d);
    fail_o = restart && !progress && tries_q == retries_i;
    replay_o = restart && !fail_o;
    next_d = send_i ? next_q + 1'b1 : next_q;
    // An answer may overtake a repeat: do not send what has arrived.
    if (restart || SeqBits'(base_d - next_d - 1'b1) < SeqBits'(Window)) next_d = base_d;
  end

  assign tail_o = tail_q;
  assign held_o = tail_q - base_q;
  assign have_o = next_q != tail_q;
  assign seq_o = next_q;
  assign again_o = next_q != top_q;

  always_ff @(posedge clk_i) begin
    base_q <= base_d;
    next_q <= next_d;
    if (send_i && next_q == top_q) top_q <= top_q + 1'b1;
    if (push_i) tail_q <= tail_q + 1'b1;
    timer_q <= progress || restart || top_q == base_q ? '0 : timer_q + 1'b1;
    if (progress) tries_q <= '0;
    else if (restart) tries_q <= tries_q + 1'b1;
    if (!rst_ni || clear_i) begin
      base_q <= '0;
      next_q <= '0;
      top_q <= '0;
      tail_q <= '0;
      timer_q <= '0;
      tries_q <= '0;
    end
  end

`ifndef SYNTHESIS
  initial assert (4 * Window <= 2 ** SeqBits)
  else $fatal(1, "ttpu_link_replay: Window takes more than a quarter of the sequence numbers");
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!send_i || have_o) else $error("ttpu_link_replay: nothing to send");
      assert (!push_i || held_o != SeqBits'(Window)) else $error("ttpu_link_replay: buffer full");
      assert (SeqBits'(next_q - base_q) <= SeqBits'(top_q - base_q) &&
              SeqBits'(top_q - base_q) <= held_o && held_o <= SeqBits'(Window))
      else $error("ttpu_link_replay: base, next, top, tail out of order");
    end
  end
`endif
endmodule
