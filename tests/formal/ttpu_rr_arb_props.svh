// Proof of ttpu_rr_arb, put before its `endmodule` by prove_aig.sh: one grant, only to a requester,
// and a request that is held is granted before any other requester is granted twice.
  logic f_past = 1'b0;
  always_ff @(posedge clk_i) f_past <= 1'b1;

  // One requester, any, holds its request until it is granted.
  logic [IndexBits-1:0] f_any;  // free
  logic [IndexBits-1:0] f_me;
  always_ff @(posedge clk_i) if (!rst_ni) f_me <= f_any;
  logic f_waits;                // it asked in the last cycle and was not served
  logic [NumReq-1:0] f_served;  // others served since it began to wait
  always_comb begin
    if (!f_past) assume (!rst_ni);
    assume (32'(f_any) < NumReq);
    if (f_waits) assume (req_i[f_me]);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni || !req_i[f_me] || (gnt_o[f_me] && advance_i)) begin
      f_waits <= 1'b0;
      f_served <= '0;
    end else begin
      f_waits <= 1'b1;
      if (advance_i) f_served <= f_served | gnt_o;
    end
  end

  // Those behind the last one granted go first: a run of ones from the top, which is what makes the
  // order round. All pairs follow from it.
  logic [NumReq-1:0] f_mask, f_to_me, f_ahead;
  logic [NumReq*NumReq-1:0] f_turned;
  assign f_mask = turned_q[NumReq-1:0];
  for (genvar i = 0; i < NumReq; i++) begin : g_f_mask
    for (genvar j = 0; j < NumReq; j++) begin : g_f_pair
      assign f_turned[i*NumReq+j] = j > i && f_mask[j] && !f_mask[i];
    end
  end
  assign f_to_me = NumReq'((2 << f_me) - 1);
  assign f_ahead = f_mask[f_me] ? f_mask & f_to_me : f_mask | f_to_me;
  always_comb begin
    if (f_past) begin
      assert (32'(f_me) < NumReq);
      assert (!f_mask[0]);
      assert ((~f_mask & (~f_mask + 1'b1)) == '0);
      assert (turned_q == f_turned);
      assert ((gnt_o & ~req_i) == '0);
      assert ((gnt_o & (gnt_o - 1'b1)) == '0);
      assert ((gnt_o != '0) == (req_i != '0));
      assert (gnt_o == '0 || gnt_o[index_o]);
      // nobody is served twice while it waits, so it waits for NumReq - 1 grants at most
      assert ((f_served & gnt_o) == '0);
      assert (!f_served[f_me]);
      assert (f_waits || f_served == '0);
      // whom the round can still reach before the one that waits: nobody of those served
      assert (!f_waits || (f_served & f_ahead) == '0);
      cover (f_waits && (f_served | (NumReq'(1) << f_me)) == '1);
      cover (gnt_o[NumReq-1] && advance_i);
    end
  end
