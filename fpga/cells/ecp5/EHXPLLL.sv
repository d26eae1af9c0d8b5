// The ECP5's PLL, as far as boards here use it: declared for synthesis, and with a body for
// simulation. There the clock passes as it is (a test bench drives CLKI at the rate of the clock)
// and the lock comes after 16 clocks.
(* blackbox *)
module EHXPLLL #(
  parameter integer CLKI_DIV = 1,
  parameter integer CLKFB_DIV = 1,
  parameter integer CLKOP_DIV = 8,
  parameter integer CLKOS_DIV = 8,
  parameter integer CLKOS2_DIV = 8,
  parameter integer CLKOS3_DIV = 8,
  parameter CLKOP_ENABLE = "ENABLED",
  parameter CLKOS_ENABLE = "DISABLED",
  parameter CLKOS2_ENABLE = "DISABLED",
  parameter CLKOS3_ENABLE = "DISABLED",
  parameter integer CLKOP_CPHASE = 0,
  parameter integer CLKOS_CPHASE = 0,
  parameter integer CLKOS2_CPHASE = 0,
  parameter integer CLKOS3_CPHASE = 0,
  parameter integer CLKOP_FPHASE = 0,
  parameter integer CLKOS_FPHASE = 0,
  parameter integer CLKOS2_FPHASE = 0,
  parameter integer CLKOS3_FPHASE = 0,
  parameter FEEDBK_PATH = "CLKOP",
  parameter OUTDIVIDER_MUXA = "DIVA",
  parameter OUTDIVIDER_MUXB = "DIVB",
  parameter OUTDIVIDER_MUXC = "DIVC",
  parameter OUTDIVIDER_MUXD = "DIVD",
  parameter STDBY_ENABLE = "DISABLED",
  parameter DPHASE_SOURCE = "DISABLED",
  parameter PLLRST_ENA = "DISABLED",
  parameter INTFB_WAKE = "DISABLED"
) (
  input  logic CLKI, CLKFB, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP, PHASELOADREG, STDBY, PLLWAKESYNC,
               RST, ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3,
  output logic CLKOP, CLKOS, CLKOS2, CLKOS3, LOCK, INTLOCK, REFCLK, CLKINTFB
);
`ifndef SYNTHESIS
  logic [4:0] count_q = '0;
  always_ff @(posedge CLKI) if (!count_q[4]) count_q <= count_q + 1'b1;
  assign LOCK = count_q[4];
  assign INTLOCK = count_q[4];
  assign CLKOP = CLKI;
  assign CLKOS = CLKI;
  assign CLKOS2 = CLKI;
  assign CLKOS3 = CLKI;
  assign REFCLK = CLKI;
  assign CLKINTFB = CLKI;
  logic unused;
  assign unused = ^{CLKFB, PHASESEL1, PHASESEL0, PHASEDIR, PHASESTEP, PHASELOADREG, STDBY, PLLWAKESYNC, RST,
                    ENCLKOP, ENCLKOS, ENCLKOS2, ENCLKOS3};
`endif
endmodule
