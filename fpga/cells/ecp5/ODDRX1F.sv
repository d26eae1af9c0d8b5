// The ECP5's output register for both edges: D0 while SCLK is high, D1 while it is low, both taken
// at the rising edge. Declared for synthesis, and with a body for simulation, a clock early.
(* blackbox *)
module ODDRX1F (
  input  logic SCLK, RST, D0, D1,
  output logic Q
);
`ifndef SYNTHESIS
  assign Q = SCLK ? D0 : D1;
  logic unused;
  assign unused = RST;
`endif
endmodule
