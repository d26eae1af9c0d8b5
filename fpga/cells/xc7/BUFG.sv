// The 7-series global clock buffer: declared for synthesis by Yosys, a wire in simulation. Vivado
// has its own.
(* blackbox *)
module BUFG (
  input  logic I,
  output logic O
);
`ifndef SYNTHESIS
  assign O = I;
`endif
endmodule
