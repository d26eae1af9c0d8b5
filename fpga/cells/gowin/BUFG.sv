// Gowin's way from logic to a global clock network: declared for synthesis, a wire in simulation.
(* blackbox *)
module BUFG (
  input  logic I,
  output logic O
);
`ifndef SYNTHESIS
  assign O = I;
`endif
endmodule
