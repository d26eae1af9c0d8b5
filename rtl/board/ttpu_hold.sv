// One word between two sides that shake hands: nothing combinational passes. A word taken in cycle
// t is offered from t + 1 on until it is taken; ready_o is low while it is held, so a word every
// second cycle at most.
module ttpu_hold #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  output logic             ready_o,
  input  logic [Width-1:0] data_i,
  output logic             valid_o,
  input  logic             ready_i,
  output logic [Width-1:0] data_o
);
  logic valid_q;
  assign ready_o = !valid_q;
  assign valid_o = valid_q;
  always_ff @(posedge clk_i) begin
    if (valid_q) valid_q <= !ready_i;
    else valid_q <= valid_i;
    if (!valid_q) data_o <= data_i;
    if (!rst_ni) valid_q <= 1'b0;
  end
endmodule
