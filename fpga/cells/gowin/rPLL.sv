// Gowin's PLL, as far as boards here use it: declared for synthesis, and with a body for
// simulation. There the clock passes as it is (a test bench drives CLKIN at the rate of CLKOUT) and
// the lock comes after 16 clocks.
(* blackbox *)
module rPLL #(
  parameter FCLKIN = "100.0",
  parameter DYN_IDIV_SEL = "false",
  parameter integer IDIV_SEL = 0,
  parameter DYN_FBDIV_SEL = "false",
  parameter integer FBDIV_SEL = 0,
  parameter DYN_ODIV_SEL = "false",
  parameter integer ODIV_SEL = 8,
  parameter PSDA_SEL = "0000",
  parameter DYN_DA_EN = "false",
  parameter DUTYDA_SEL = "1000",
  parameter logic CLKOUT_FT_DIR = 1'b1,
  parameter logic CLKOUTP_FT_DIR = 1'b1,
  parameter integer CLKOUT_DLY_STEP = 0,
  parameter integer CLKOUTP_DLY_STEP = 0,
  parameter CLKFB_SEL = "internal",
  parameter CLKOUT_BYPASS = "false",
  parameter CLKOUTP_BYPASS = "false",
  parameter CLKOUTD_BYPASS = "false",
  parameter integer DYN_SDIV_SEL = 2,
  parameter CLKOUTD_SRC = "CLKOUT",
  parameter CLKOUTD3_SRC = "CLKOUT",
  parameter DEVICE = "GW1N-1"
) (
  input  logic       CLKIN, CLKFB, RESET, RESET_P,
  input  logic [5:0] FBDSEL, IDSEL, ODSEL,
  input  logic [3:0] DUTYDA, PSDA, FDLY,
  output logic       CLKOUT, CLKOUTP, CLKOUTD, CLKOUTD3, LOCK
);
`ifndef SYNTHESIS
  logic [4:0] count_q = '0;
  always_ff @(posedge CLKIN) if (!count_q[4]) count_q <= count_q + 1'b1;
  assign LOCK = count_q[4];
  assign CLKOUT = CLKIN;
  assign CLKOUTP = CLKIN;
  assign CLKOUTD = CLKIN;
  assign CLKOUTD3 = CLKIN;
  logic unused;
  assign unused = ^{CLKFB, RESET, RESET_P, FBDSEL, IDSEL, ODSEL, DUTYDA, PSDA, FDLY};
`endif
endmodule
