// Proof of ttpu_rr_arb, put before its `endmodule` by prove.sh: one grant, only to a requester, and
// a request that is held is granted before any other requester is granted twice.
  logic f_past = 1'b0;
  always @(posedge clk_i) f_past <= 1'b1;
  always @* if (!f_past) assume (!rst_ni);

  // One requester, any, holds its request until it is granted.
  (* anyconst *) logic [IndexBits-1:0] f_me;
  always @* assume (f_me < NumReq);
  logic f_waits = 1'b0;                 // it asked in the last cycle and was not served
  logic [NumReq-1:0] f_served = '0;     // others served since it began to wait
  always @* if (f_waits) assume (req_i[f_me]);
  always @(posedge clk_i) begin
    if (!rst_ni || !req_i[f_me] || (gnt_o[f_me] && advance_i)) begin
      f_waits <= 1'b0;
      f_served <= '0;
    end else begin
      f_waits <= 1'b1;
      if (advance_i) f_served <= f_served | gnt_o;
    end
  end

  wire [NumReq-1:0] f_to_me = (2 << f_me) - 1;
  wire [NumReq-1:0] f_ahead = mask_q[f_me] ? mask_q & f_to_me : mask_q | f_to_me;

  // The mask is a run of ones from the top: that is what makes the order round.
  wire [NumReq-1:0] f_low = ~mask_q;
  always @* begin
    if (f_past) begin
      assert ((f_low & (f_low + 1'b1)) == '0);
      assert ((gnt_o & ~req_i) == '0);
      assert ((gnt_o & (gnt_o - 1'b1)) == '0);
      assert ((gnt_o != '0) == (req_i != '0));
      if (gnt_o != '0) assert (gnt_o[index_o]);
      // nobody is served twice while it waits, so it waits for NumReq - 1 grants at most
      assert ((f_served & gnt_o) == '0);
      assert (!f_served[f_me]);
      // whom the round can still reach before the one that waits: nobody of those served
      if (f_waits) assert ((f_served & f_ahead) == '0);
      cover (f_waits && (f_served | (1'b1 << f_me)) == {NumReq{1'b1}});
      cover (gnt_o[NumReq-1] && advance_i);
    end
  end
