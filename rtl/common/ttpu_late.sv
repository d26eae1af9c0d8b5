// A bit that is told later where long wires want it: q_o is d_i, or with Late = 1 what d_i was in the
// cycle before, and 0 behind a cycle with clear_i.
module ttpu_late #(
  parameter int unsigned Late = 0  // 0 or 1
) (
  input  logic clk_i,
  input  logic clear_i,
  input  logic d_i,
  output logic q_o
);
  if (Late == 0) begin : gen_now
    logic unused;
    assign unused = ^{clk_i, clear_i};
    assign q_o = d_i;
  end else begin : gen_later
    always_ff @(posedge clk_i) q_o <= d_i & ~clear_i;
  end

`ifndef SYNTHESIS
  initial assert (Late <= 1) else $fatal(1, "Late must be 0 or 1");
`endif
endmodule
