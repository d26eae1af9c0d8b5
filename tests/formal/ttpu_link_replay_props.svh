// Proof of the link's replay, put before the `endmodule` of ttpu_link_replay by prove.sh: sender and
// receiver (ttpu_link_accept) with a channel between them that loses, doubles, delays and swaps.
// What was sent arrives once and in order, for ever, as long as nothing in the channel is older than
// LATE numbers; a sender without progress gives up within the bound. Content: a small buffer as the
// transmitter keeps it, and one flit, any, that is followed.
  localparam signed [SeqBits+1:0] LATE = 2 ** SeqBits - Window - 1;
  localparam INDEX = $clog2(Window);
  logic f_past = 1'b0;
  always @(posedge clk_i) f_past <= 1'b1;
  always @* if (!f_past) assume (!rst_ni);
  wire f_reset = !rst_ni || clear_i;

  // ---- surroundings -----------------------------------------------------------------------------
  (* anyconst *) logic [2:0] f_timeout;
  (* anyconst *) logic [1:0] f_retries;
  logic f_failed = 1'b0;
  always @(posedge clk_i) f_failed <= !f_reset && fail_o;
  always @* begin
    assume (timeout_i == f_timeout && f_timeout >= 1);
    assume (retries_i == f_retries);
    if (f_failed) assume (clear_i);
    if (push_i) assume (held_o < Window);
    if (send_i) assume (have_o);
  end

  // ---- the receiver -----------------------------------------------------------------------------
  // The channel brings a frame numbered f_off after the flit expected, an answer f_back after base.
  (* anyseq *) logic signed [SeqBits+1:0] f_off, f_back;
  (* anyseq *) logic f_frame, f_data, f_nak_sent;
  (* anyseq *) logic [15:0] f_wait;
  wire f_accept, f_duplicate, f_gap, f_nak;
  wire [SeqBits-1:0] f_expected;
  ttpu_link_accept #(.SeqBits(SeqBits), .Window(Window)) f_receiver (
    .clk_i(clk_i), .rst_ni(rst_ni), .clear_i(clear_i), .wait_i(f_wait),
    .frame_i(f_frame), .data_i(f_data), .seq_i(f_expected + f_off[SeqBits-1:0]),
    .accept_o(f_accept), .duplicate_o(f_duplicate), .gap_o(f_gap),
    .expected_o(f_expected), .nak_o(f_nak), .nak_sent_i(f_nak_sent)
  );
  // Flits taken less flits forgotten by the sender: true numbers, not modulo.
  logic [INDEX+1:0] f_lead;
  wire [INDEX+1:0] f_sent = top_q - base_q;        // numbers sent and not forgotten
  wire [INDEX+1:0] f_forgotten = base_d - base_q;  // in this cycle
  always @* begin
    // only what was sent, and nothing too old
    assume (f_off >= -LATE);
    assume (f_off <= $signed({1'b0, f_sent}) - $signed({1'b0, f_lead}) - (f_data ? 1 : 0));
    assume (f_back >= -LATE);
    assume (f_back <= $signed({1'b0, f_lead}));
    assume (ack_i == base_q + f_back[SeqBits-1:0]);
  end
  always @(posedge clk_i) f_lead <= f_reset ? 0 : f_lead + f_accept - f_forgotten;

  // ---- one flit ---------------------------------------------------------------------------------
  (* anyseq *) logic f_start;
  (* anyseq *) logic f_bit;                        // content of the flit pushed in this cycle
  logic [Window-1:0] f_buffer;
  logic f_tracked = 1'b0, f_taken = 1'b0, f_word;
  logic [INDEX:0] f_pos;                           // flits before it that the sender holds
  wire f_leaves = f_tracked && f_pos < f_forgotten;
  wire f_now = f_tracked && f_accept && f_pos == f_lead;  // the receiver takes it
  always @(posedge clk_i) begin
    if (push_i) f_buffer[tail_q[INDEX-1:0]] <= f_bit;
    if (f_reset || f_leaves) f_tracked <= 1'b0;
    else if (push_i && f_start && !f_tracked) f_tracked <= 1'b1;
    if (!f_tracked) begin
      f_pos <= tail_q - base_d;
      f_word <= f_bit;
      f_taken <= 1'b0;
    end else begin
      f_pos <= f_pos - f_forgotten;
      if (f_now) f_taken <= 1'b1;
    end
  end

  // ---- patience ---------------------------------------------------------------------------------
  logic [6:0] f_since;  // cycles without progress while flits are unanswered
  always @(posedge clk_i) f_since <= f_reset || progress || top_q == base_q ? 0 : f_since + 1;

  always @* if (f_past) begin
    // numbers stand in their order
    assert (f_sent <= Window && held_o <= Window);
    assert (SeqBits'(next_q - base_q) <= SeqBits'(top_q - base_q));
    assert (SeqBits'(top_q - base_q) <= held_o);
    // the receiver is never behind what is forgotten nor ahead of what was sent
    assert (f_lead <= f_sent);
    assert (f_expected == SeqBits'(base_q + f_lead));
    if (!f_reset) begin
      // taken: the next one and no other
      assert (f_accept == (f_frame && f_data && f_off == 0));
      assert (f_duplicate == (f_frame && f_data && f_off < 0));
      assert (f_gap == (f_frame && f_off > 0));
      if (known) assert (f_back >= 0);
      // the flit followed: its content when sent, once, and before it is forgotten
      if (f_tracked && send_i && next_q == SeqBits'(base_q + f_pos))
        assert (f_buffer[next_q[INDEX-1:0]] == f_word);
      if (f_now) assert (!f_taken);
      if (f_leaves) assert (f_taken);
      // progress or the end within the bound
      if (!f_failed) assert (f_since < (f_retries + 1) * (f_timeout + 1));
    end
    if (f_tracked) begin
      assert (f_pos < held_o);
      assert (f_buffer[INDEX'(base_q + f_pos)] == f_word);
      assert (f_taken == (f_pos < f_lead));
    end
    if (!f_failed) begin
      assert (timer_q <= f_timeout);
      assert (tries_q <= f_retries);
      assert (f_since <= tries_q * (f_timeout + 1) + timer_q);
    end
    cover (f_leaves && f_taken && rst_ni && !clear_i && f_pos == 1);
    cover (replay_o && progress);
    cover (fail_o && f_retries == 1);
    cover (f_duplicate && f_sent == Window);
  end
