// Round-robin arbiter of NumReq requesters: one grant a cycle, in the cycle of the request. gnt_o
// is one-hot of req_i, or 0 without requests; index_o is its number. The order moves on behind the
// requester that was granted in a cycle with advance_i high; so a request that is held is granted
// before any other is granted twice: it waits at most NumReq - 1 advancing cycles.
// gnt_o depends on req_i combinationally; advance_i may depend on gnt_o.
module ttpu_rr_arb #(
  parameter int unsigned NumReq = 2,
  localparam int unsigned IndexBits = NumReq > 1 ? $clog2(NumReq) : 1
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [NumReq-1:0]    req_i,
  input  logic                 advance_i,  // the grant is used in this cycle
  output logic [NumReq-1:0]    gnt_o,
  output logic [IndexBits-1:0] index_o
);
  // For each pair i < j, at i * NumReq + j: the last grant was to one of i to j - 1, so that j goes
  // before i. By pairs, and in registers: the grant is often a path's middle.
  logic [NumReq*NumReq-1:0] turned_d, turned_q;
  for (genvar i = 0; i < NumReq; i++) begin : gen_req
    logic [NumReq-1:0] sooner;  // requests that go before that of i
    for (genvar j = 0; j < NumReq; j++) begin : gen_pair
      if (j < i) assign sooner[j] = req_i[j] && !turned_q[j*NumReq+i];
      else if (j == i) assign sooner[j] = 1'b0;
      else assign sooner[j] = req_i[j] && turned_q[i*NumReq+j];
      if (j <= i) assign turned_d[i*NumReq+j] = 1'b0;
      else assign turned_d[i*NumReq+j] = |gnt_o[j-1:i];
    end
    // Not req_i[i] && !(|sooner), of which Verilator 5.006 makes a constant where NumReq is 2.
    assign gnt_o[i] = &{req_i[i], ~sooner};
  end
  logic unused;
  assign unused = ^turned_q;  // pairs that are none

  always_comb begin
    index_o = '0;
    for (int unsigned i = 0; i < NumReq; i++) begin
      if (gnt_o[i]) index_o = index_o | IndexBits'(i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) turned_q <= '0;
    else if (advance_i && req_i != '0) turned_q <= turned_d;
  end

`ifndef SYNTHESIS
  // Clocked: combinational values may pass through others before they settle.
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert ((gnt_o & ~req_i) == '0) else $error("ttpu_rr_arb: grant without a request");
    assert ((gnt_o & (gnt_o - 1'b1)) == '0) else $error("ttpu_rr_arb: two grants");
    assert ((gnt_o != '0) == (req_i != '0)) else $error("ttpu_rr_arb: a request and no grant");
  end
`endif
endmodule
