// Proof of ttpu_async_fifo, put before its `endmodule` by prove.sh. The two clocks become enables of
// one (FORMAL_SED in CMakeLists.txt): in each step the solver lets either, both or neither have an
// edge, so every ratio, phase and drift of the clocks is covered, for ever. What a synchroniser samples
// in the step of a change is the old value; the new one is the same as its edge a step later.
  (* anyseq *) logic f_wr_edge;
  (* anyseq *) logic f_rd_edge;
  logic [1:0] f_start = '0;  // both sides in reset, with edges, for three steps
  always @(posedge wr_clk_i) if (f_start != 3) f_start <= f_start + 1'b1;
  always @* begin
    assume (wr_rst_ni == (f_start == 3));
    assume (rd_rst_ni == (f_start == 3));
    if (f_start != 3) assume (f_wr_edge && f_rd_edge);
  end

  function automatic [PtrBits-1:0] f_binary(input [PtrBits-1:0] gray);
    integer k;
    for (k = 0; k < PtrBits; k = k + 1) f_binary[k] = ^(gray >> k);
  endfunction
  // Places counted from the reader's pointer, or from Depth behind the writer's.
  wire [PtrBits-1:0] f_held = wr_bin_q - rd_bin_q;
  wire [PtrBits-1:0] f_seen1 = f_binary(wr_meta_q) - rd_bin_q;
  wire [PtrBits-1:0] f_seen2 = f_binary(wr_sync_q) - rd_bin_q;
  wire [PtrBits-1:0] f_used1 = wr_bin_q - f_binary(rd_meta_q);
  wire [PtrBits-1:0] f_used2 = wr_bin_q - f_binary(rd_sync_q);

  // One word, any, from its push to its pop.
  (* anyseq *) logic  f_choose;
  logic               f_tracked = 1'b0;
  logic [PtrBits-1:0] f_at;
  logic [Width-1:0]   f_word;
  wire f_push = push && f_wr_edge && wr_rst_ni;
  wire f_pop = pop && f_rd_edge && rd_rst_ni;
  always @(posedge wr_clk_i) begin
    if (!f_tracked && f_push && f_choose) begin
      f_tracked <= 1'b1;
      f_at <= wr_bin_q;
      f_word <= wr_data_i;
    end
    if (f_tracked && f_pop && rd_bin_q == f_at) f_tracked <= 1'b0;
  end

  always @* if (f_start == 3) begin
    assert (f_held <= Depth);
    assert (wr_gray_q == (wr_bin_q ^ (wr_bin_q >> 1)));
    assert (rd_gray_q == (rd_bin_q ^ (rd_bin_q >> 1)));
    // each side knows the other of earlier, never of later
    assert (f_seen2 <= f_seen1 && f_seen1 <= f_held);
    assert (f_held <= f_used1 && f_used1 <= f_used2 && f_used2 <= Depth);
    // no push into a full, no pop from an empty one
    if (f_push) assert (f_held != Depth);
    if (f_pop) assert (f_held != 0);
    // the word is there until it is popped, and pops unchanged
    if (f_tracked) begin
      assert (PtrBits'(f_at - rd_bin_q) < f_held);
      assert (mem_q[f_at[AddrBits-1:0]] == f_word);
      if (f_pop && rd_bin_q == f_at) assert (rd_data_o == f_word);
    end
    cover (f_held == Depth && !wr_ready_o);
    cover (f_tracked && f_pop && rd_bin_q == f_at && f_at == 1);
    cover (f_held == 0 && !wr_ready_o);
  end
