// The 7-series clock manager, as far as boards here use it: declared for synthesis by Yosys, and
// with a body for simulation. There the clock passes as it is (a test bench drives CLKIN1 at the
// rate of CLKOUT0) and the lock comes after 16 clocks. Vivado has its own.
(* blackbox *)
module MMCME2_BASE #(
  parameter BANDWIDTH = "OPTIMIZED",
  parameter CLKFBOUT_MULT_F = 5,
  parameter CLKIN1_PERIOD = 0,
  parameter CLKOUT0_DIVIDE_F = 1,
  parameter integer DIVCLK_DIVIDE = 1,
  parameter STARTUP_WAIT = "FALSE"
) (
  input  logic CLKIN1, CLKFBIN, RST, PWRDWN,
  output logic CLKFBOUT, CLKFBOUTB, CLKOUT0, CLKOUT0B, CLKOUT1, CLKOUT1B, CLKOUT2, CLKOUT2B, CLKOUT3, CLKOUT3B,
               CLKOUT4, CLKOUT5, CLKOUT6, LOCKED
);
`ifndef SYNTHESIS
  logic [4:0] count_q = '0;
  always_ff @(posedge CLKIN1) begin
    if (RST) count_q <= '0;
    else if (!count_q[4]) count_q <= count_q + 1'b1;
  end
  assign LOCKED = count_q[4];
  assign CLKFBOUT = CLKIN1;
  assign CLKOUT0 = CLKIN1;
  assign {CLKFBOUTB, CLKOUT0B, CLKOUT1, CLKOUT1B, CLKOUT2, CLKOUT2B} = '0;
  assign {CLKOUT3, CLKOUT3B, CLKOUT4, CLKOUT5, CLKOUT6} = '0;
  logic unused;
  assign unused = ^{CLKFBIN, PWRDWN};
`endif
endmodule
