// Gowin's output register for both edges: D0 while CLK is high, D1 while it is low, both taken at
// the rising edge. Declared for synthesis, and with a body for simulation, a clock early.
(* blackbox *)
module ODDR #(
  parameter logic TXCLK_POL = 1'b0,
  parameter logic INIT = 1'b0
) (
  input  logic CLK, D0, D1, TX,
  output logic Q0, Q1
);
`ifndef SYNTHESIS
  assign Q0 = CLK ? D0 : D1;
  assign Q1 = TX;
`endif
endmodule
