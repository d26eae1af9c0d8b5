// Proof of ttpu_fifo, put before its `endmodule` by prove.sh: nothing is lost, doubled or
// reordered. One word, any, is followed from its push to its pop: f_pos words stand before it.
  logic                 f_past = 1'b0;
  logic                 f_tracked = 1'b0;
  logic [Width-1:0]     f_word;
  logic [CountBits-1:0] f_pos;
  (* anyseq *) reg      f_start;  // free: the solver chooses the push that is followed

  always @(posedge clk_i) f_past <= 1'b1;
  always @* if (!f_past) assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      f_tracked <= 1'b0;
    end else if (!f_tracked) begin
      if (push && f_start) begin
        f_tracked <= 1'b1;
        f_word <= push_data_i;
        f_pos <= count_q - (pop ? 1'b1 : 1'b0);
      end
    end else if (pop) begin
      if (f_pos == 0) f_tracked <= 1'b0;
      else f_pos <= f_pos - 1'b1;
    end
  end

  // The place of the word followed.
  wire [PtrBits:0] f_sum = {1'b0, rd_q} + f_pos;
  wire [PtrBits-1:0] f_at = f_sum >= Depth ? f_sum - Depth : f_sum;
  wire [PtrBits+1:0] f_end = rd_q + count_q;

  always @* begin
    if (f_past) begin
      // pointers and count fit together
      assert (count_q <= Depth);
      assert (rd_q < Depth);
      assert (wr_q < Depth);
      assert (wr_q == (f_end >= Depth ? f_end - Depth : f_end));
      // the handshake says what there is
      assert (push_ready_o == (count_q != Depth));
      assert (pop_valid_o == (count_q != 0));
      assert (!(pop && count_q == 0));
      assert (!(push && count_q == Depth));
      // the word followed is there, unchanged, and is the one that leaves in its turn
      if (f_tracked) begin
        assert (f_pos < count_q);
        assert (mem_q[f_at] == f_word);
        if (f_pos == 0) assert (pop_data_o == f_word);
      end
      cover (count_q == Depth);
      cover (f_tracked && f_pos == 0 && pop && wr_q == 0);
    end
  end

  // A word that is offered stays until it is taken.
  logic             f_held = 1'b0;
  logic [Width-1:0] f_held_data;
  always @(posedge clk_i) begin
    f_held <= rst_ni && !clear_i && pop_valid_o && !pop_ready_i;
    f_held_data <= pop_data_o;
  end
  always @* if (f_held) assert (pop_valid_o && pop_data_o == f_held_data);
