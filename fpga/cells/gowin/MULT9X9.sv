// Gowin's multiplier of 9 x 9 bits, half of one of 18 x 18: declared for synthesis, and with a body
// for simulation of what is used here, a signed product with a register behind it. Anything else
// stops the simulation.
(* blackbox *)
module MULT9X9 #(
  parameter logic AREG = 1'b0,
  parameter logic BREG = 1'b0,
  parameter logic OUT_REG = 1'b0,
  parameter logic PIPE_REG = 1'b0,
  parameter logic ASIGN_REG = 1'b0,
  parameter logic BSIGN_REG = 1'b0,
  parameter logic SOA_REG = 1'b0,
  parameter MULT_RESET_MODE = "SYNC"
) (
  input  logic [8:0]  A, SIA, B, SIB,
  input  logic        ASIGN, BSIGN, ASEL, BSEL, CE, CLK, RESET,
  output logic [17:0] DOUT,
  output logic [8:0]  SOA, SOB
);
`ifndef SYNTHESIS
  always_ff @(posedge CLK) begin
    if (RESET) DOUT <= '0;
    else if (CE) DOUT <= 18'($signed(A) * $signed(B));
  end
  assign SOA = '0;
  assign SOB = '0;
  logic unused;
  assign unused = ^{SIA, SIB};
  initial begin
    assert (OUT_REG && !AREG && !BREG && !PIPE_REG && !SOA_REG && MULT_RESET_MODE == "SYNC")
      else $fatal(1, "MULT9X9: this simulation body has a product with a register behind it only");
  end
  always_ff @(posedge CLK) begin
    assert (ASIGN && BSIGN && !ASEL && !BSEL)
      else $fatal(1, "MULT9X9: this simulation body has signed operands at A and B only");
  end
`endif
endmodule
