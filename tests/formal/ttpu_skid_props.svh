// Proof of ttpu_skid, put before its `endmodule` by prove.sh: nothing is lost, doubled or reordered.
// One word, any, is followed from its push to its pop; f_second: it is the second of two.
  logic             f_past = 1'b0;
  logic             f_tracked = 1'b0;
  logic [Width-1:0] f_word;
  logic             f_second;
  logic [1:0]       f_count;
  (* anyseq *) reg  f_start;  // free: the solver chooses the push that is followed
  wire              f_pop = pop_valid_o && pop_ready_i;

  always @(posedge clk_i) f_past <= 1'b1;
  always @* if (!f_past) assume (!rst_ni);

  always @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      f_tracked <= 1'b0;
      f_count <= 2'd0;
    end else begin
      f_count <= f_count + push - f_pop;
      if (!f_tracked) begin
        if (push && f_start) begin
          f_tracked <= 1'b1;
          f_word <= push_data_i;
          f_second <= pop_valid_o && !pop_ready_i;
        end
      end else if (f_pop) begin
        f_second <= 1'b0;
        if (!f_second) f_tracked <= 1'b0;
      end
    end
  end

  always @* begin
    if (f_past) begin
      // the handshake says what there is
      assert (f_count <= 2);
      assert (push_ready_o == (f_count != 2));
      assert (pop_valid_o == (f_count != 0));
      assert (next_valid_o == (f_count == 2));
      // the word followed is there, unchanged, in its place
      if (f_tracked) begin
        assert (f_count > f_second);
        assert ((f_second ? next_data_o : pop_data_o) == f_word);
      end
      cover (f_tracked && f_second && f_pop);
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
