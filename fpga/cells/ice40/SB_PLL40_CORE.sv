// The iCE40's PLL fed from inside the device, as far as boards here use it: declared for synthesis,
// and with a body for simulation. There the clock passes as it is (a test bench drives it at the
// rate of the output) and the lock comes after 16 clocks.
(* blackbox *)
module SB_PLL40_CORE #(
  parameter FEEDBACK_PATH = "SIMPLE",
  parameter PLLOUT_SELECT = "GENCLK",
  parameter logic [3:0] DIVR = 4'b0,
  parameter logic [6:0] DIVF = 7'b0,
  parameter logic [2:0] DIVQ = 3'b0,
  parameter logic [2:0] FILTER_RANGE = 3'b0
) (
  input  logic REFERENCECLK, RESETB, BYPASS,
  output logic PLLOUTCORE, PLLOUTGLOBAL, LOCK
);
`ifndef SYNTHESIS
  logic [4:0] count_q = '0;
  always_ff @(posedge REFERENCECLK) if (!count_q[4]) count_q <= count_q + 1'b1;
  assign LOCK = count_q[4];
  assign PLLOUTCORE = REFERENCECLK;
  assign PLLOUTGLOBAL = REFERENCECLK;
  logic unused;
  assign unused = ^{RESETB, BYPASS};
`endif
endmodule
