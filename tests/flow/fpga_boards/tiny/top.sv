// A serial receiver between pins, behind the PLL: small enough for tests of the FPGA flow.
module top #(
  parameter logic [3:0] PllDivR = 4'd0,
  parameter logic [6:0] PllDivF = 7'd63,
  parameter logic [2:0] PllDivQ = 3'd4,
  parameter logic [2:0] PllFilter = 3'd1,
  parameter int unsigned Div = 48
) (
  input  logic clk_12mhz,
  input  logic rx,
  output logic parity
);
  logic clk, locked, unused_core;
  SB_PLL40_PAD #(
    .FEEDBACK_PATH("SIMPLE"), .DIVR(PllDivR), .DIVF(PllDivF), .DIVQ(PllDivQ), .FILTER_RANGE(PllFilter)
  ) i_pll (
    .PACKAGEPIN(clk_12mhz), .RESETB(1'b1), .BYPASS(1'b0), .PLLOUTCORE(unused_core), .PLLOUTGLOBAL(clk),
    .LOCK(locked)
  );
  logic valid;
  logic [7:0] data;
  ttpu_uart_rx #(.Div(Div)) i_rx (.clk_i(clk), .rst_ni(locked), .rx_i(rx), .valid_o(valid), .data_o(data));
  always_ff @(posedge clk) if (valid) parity <= ^data;
endmodule
