// Gowin's block RAM with two ports that read or write.
// For simulation of netlists: gowin_bsram.sv says what of it there is. Output without a second
// register.
module DPX9B #(
  parameter logic READ_MODE0 = 1'b0,
  parameter logic READ_MODE1 = 1'b0,
  parameter int WRITE_MODE0 = 0,
  parameter int WRITE_MODE1 = 0,
  parameter int BIT_WIDTH_0 = 18,
  parameter int BIT_WIDTH_1 = 18,
  parameter logic [2:0] BLK_SEL_0 = 3'b000,
  parameter logic [2:0] BLK_SEL_1 = 3'b000,
  parameter RESET_MODE = "SYNC",
  parameter logic [287:0] INIT_RAM_00 = '0,
  parameter logic [287:0] INIT_RAM_01 = '0,
  parameter logic [287:0] INIT_RAM_02 = '0,
  parameter logic [287:0] INIT_RAM_03 = '0,
  parameter logic [287:0] INIT_RAM_04 = '0,
  parameter logic [287:0] INIT_RAM_05 = '0,
  parameter logic [287:0] INIT_RAM_06 = '0,
  parameter logic [287:0] INIT_RAM_07 = '0,
  parameter logic [287:0] INIT_RAM_08 = '0,
  parameter logic [287:0] INIT_RAM_09 = '0,
  parameter logic [287:0] INIT_RAM_0A = '0,
  parameter logic [287:0] INIT_RAM_0B = '0,
  parameter logic [287:0] INIT_RAM_0C = '0,
  parameter logic [287:0] INIT_RAM_0D = '0,
  parameter logic [287:0] INIT_RAM_0E = '0,
  parameter logic [287:0] INIT_RAM_0F = '0,
  parameter logic [287:0] INIT_RAM_10 = '0,
  parameter logic [287:0] INIT_RAM_11 = '0,
  parameter logic [287:0] INIT_RAM_12 = '0,
  parameter logic [287:0] INIT_RAM_13 = '0,
  parameter logic [287:0] INIT_RAM_14 = '0,
  parameter logic [287:0] INIT_RAM_15 = '0,
  parameter logic [287:0] INIT_RAM_16 = '0,
  parameter logic [287:0] INIT_RAM_17 = '0,
  parameter logic [287:0] INIT_RAM_18 = '0,
  parameter logic [287:0] INIT_RAM_19 = '0,
  parameter logic [287:0] INIT_RAM_1A = '0,
  parameter logic [287:0] INIT_RAM_1B = '0,
  parameter logic [287:0] INIT_RAM_1C = '0,
  parameter logic [287:0] INIT_RAM_1D = '0,
  parameter logic [287:0] INIT_RAM_1E = '0,
  parameter logic [287:0] INIT_RAM_1F = '0,
  parameter logic [287:0] INIT_RAM_20 = '0,
  parameter logic [287:0] INIT_RAM_21 = '0,
  parameter logic [287:0] INIT_RAM_22 = '0,
  parameter logic [287:0] INIT_RAM_23 = '0,
  parameter logic [287:0] INIT_RAM_24 = '0,
  parameter logic [287:0] INIT_RAM_25 = '0,
  parameter logic [287:0] INIT_RAM_26 = '0,
  parameter logic [287:0] INIT_RAM_27 = '0,
  parameter logic [287:0] INIT_RAM_28 = '0,
  parameter logic [287:0] INIT_RAM_29 = '0,
  parameter logic [287:0] INIT_RAM_2A = '0,
  parameter logic [287:0] INIT_RAM_2B = '0,
  parameter logic [287:0] INIT_RAM_2C = '0,
  parameter logic [287:0] INIT_RAM_2D = '0,
  parameter logic [287:0] INIT_RAM_2E = '0,
  parameter logic [287:0] INIT_RAM_2F = '0,
  parameter logic [287:0] INIT_RAM_30 = '0,
  parameter logic [287:0] INIT_RAM_31 = '0,
  parameter logic [287:0] INIT_RAM_32 = '0,
  parameter logic [287:0] INIT_RAM_33 = '0,
  parameter logic [287:0] INIT_RAM_34 = '0,
  parameter logic [287:0] INIT_RAM_35 = '0,
  parameter logic [287:0] INIT_RAM_36 = '0,
  parameter logic [287:0] INIT_RAM_37 = '0,
  parameter logic [287:0] INIT_RAM_38 = '0,
  parameter logic [287:0] INIT_RAM_39 = '0,
  parameter logic [287:0] INIT_RAM_3A = '0,
  parameter logic [287:0] INIT_RAM_3B = '0,
  parameter logic [287:0] INIT_RAM_3C = '0,
  parameter logic [287:0] INIT_RAM_3D = '0,
  parameter logic [287:0] INIT_RAM_3E = '0,
  parameter logic [287:0] INIT_RAM_3F = '0
) (
  input  logic        CLKA, CEA, CLKB, CEB, OCEA, OCEB, RESETA, RESETB, WREA, WREB,
  input  logic [13:0] ADA, ADB,
  input  logic [17:0] DIA, DIB,
  input  logic [2:0]  BLKSELA, BLKSELB,
  output logic [17:0] DOA, DOB
);
  logic [17:0] unused_a, unused_b;
  gowin_bsram #(
    .WidthA(BIT_WIDTH_0), .WidthB(BIT_WIDTH_1), .WriteModeA(WRITE_MODE0), .WriteModeB(WRITE_MODE1),
    .Init({
      INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
      INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
      INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
      INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
      INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
      INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
      INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
      INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
    })
  ) i_ram (
    .clk_i(CLKA), .ce_a_i(CEA && BLKSELA == BLK_SEL_0), .we_a_i(WREA), .reset_a_i(RESETA), .addr_a_i(ADA),
    .data_a_i({18'b0, DIA}), .data_a_o({unused_a, DOA}), .ce_b_i(CEB && BLKSELB == BLK_SEL_1),
    .we_b_i(WREB), .reset_b_i(RESETB), .addr_b_i(ADB), .data_b_i({18'b0, DIB}), .data_b_o({unused_b, DOB})
  );
  logic unused;
  assign unused = ^{CLKB, OCEA, OCEB};
`ifndef SYNTHESIS
  initial assert (!READ_MODE0 && !READ_MODE1)
    else $fatal(1, "DPX9B: no second register here");
  always_ff @(posedge CLKA) begin
    assert (RESET_MODE == "SYNC" || !(RESETA || RESETB)) else $fatal(1, "DPX9B: no asynchronous reset here");
  end
`endif
endmodule
