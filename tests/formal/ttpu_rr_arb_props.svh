// Proof of ttpu_rr_arb, put before its `endmodule` by prove.sh: one grant, only to a requester, and
// a request that is held is granted before any other requester is granted twice.
  logic f_past = 1'b0;
  always @(posedge clk_i) f_past <= 1'b1;
  always @* if (!f_past) assume (!rst_ni);

  // The grants as a word: made of bits they would cost z3 minutes.
  (* anyseq *) wire [NumReq-1:0] f_gnt;
  always @* assume (f_gnt == gnt_o);

  // One requester, any, holds its request until it is granted.
  (* anyconst *) logic [IndexBits-1:0] f_me;
  always @* assume (f_me < NumReq);
  logic f_waits = 1'b0;                 // it asked in the last cycle and was not served
  logic [NumReq-1:0] f_served = '0;     // others served since it began to wait
  always @* if (f_waits) assume (req_i[f_me]);
  always @(posedge clk_i) begin
    if (!rst_ni || !req_i[f_me] || (f_gnt[f_me] && advance_i)) begin
      f_waits <= 1'b0;
      f_served <= '0;
    end else begin
      f_waits <= 1'b1;
      if (advance_i) f_served <= f_served | f_gnt;
    end
  end

  // Those behind the last one granted, who go first. What the pairs say follows from it.
  (* anyseq *) wire [NumReq-1:0] f_mask;
  always @* assume (f_mask == turned_q[NumReq-1:0]);
  (* anyseq *) wire [NumReq*NumReq-1:0] f_turned;
  genvar f_i;
  generate
    for (f_i = 0; f_i < NumReq; f_i = f_i + 1) begin : f_rows
      always @* assume (f_turned[f_i*NumReq+:NumReq] == (f_mask[f_i] ? {NumReq{1'b0}} : f_mask & ({NumReq{1'b1}} << f_i)));
    end
  endgenerate

  wire [NumReq-1:0] f_to_me = (2 << f_me) - 1;
  wire [NumReq-1:0] f_ahead = f_mask[f_me] ? f_mask & f_to_me : f_mask | f_to_me;

  // The mask is a run of ones from the top: that is what makes the order round.
  wire [NumReq-1:0] f_low = ~f_mask;
  always @* begin
    if (f_past) begin
      assert ((f_low & (f_low + 1'b1)) == '0);
      assert (!f_mask[0]);
      assert (turned_q == f_turned);
      assert ((f_gnt & ~req_i) == '0);
      assert ((f_gnt & (f_gnt - 1'b1)) == '0);
      assert ((f_gnt != '0) == (req_i != '0));
      if (f_gnt != '0) assert (f_gnt[index_o]);
      // nobody is served twice while it waits, so it waits for NumReq - 1 grants at most
      assert ((f_served & f_gnt) == '0);
      assert (!f_served[f_me]);
      // whom the round can still reach before the one that waits: nobody of those served
      if (f_waits) assert ((f_served & f_ahead) == '0);
      cover (f_waits && (f_served | (1'b1 << f_me)) == {NumReq{1'b1}});
      cover (f_gnt[NumReq-1] && advance_i);
    end
  end
