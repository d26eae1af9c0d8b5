// Gowin's block RAM with one port of 1, 2 or 4 bits, as Yosys uses it: it declares it, and has no model of it.
// An address counts bits. WRITE_MODE 0: a write leaves the output as it is; 1: the output shows what is written;
// 2: what was there.
module SP #(
  parameter logic READ_MODE = 1'b0,
  parameter int WRITE_MODE = 0,
  parameter int BIT_WIDTH = 32,
  parameter logic [2:0] BLK_SEL = 3'b000,
  parameter RESET_MODE = "SYNC",
  parameter logic [255:0] INIT_RAM_00 = '0,
  parameter logic [255:0] INIT_RAM_01 = '0,
  parameter logic [255:0] INIT_RAM_02 = '0,
  parameter logic [255:0] INIT_RAM_03 = '0,
  parameter logic [255:0] INIT_RAM_04 = '0,
  parameter logic [255:0] INIT_RAM_05 = '0,
  parameter logic [255:0] INIT_RAM_06 = '0,
  parameter logic [255:0] INIT_RAM_07 = '0,
  parameter logic [255:0] INIT_RAM_08 = '0,
  parameter logic [255:0] INIT_RAM_09 = '0,
  parameter logic [255:0] INIT_RAM_0A = '0,
  parameter logic [255:0] INIT_RAM_0B = '0,
  parameter logic [255:0] INIT_RAM_0C = '0,
  parameter logic [255:0] INIT_RAM_0D = '0,
  parameter logic [255:0] INIT_RAM_0E = '0,
  parameter logic [255:0] INIT_RAM_0F = '0,
  parameter logic [255:0] INIT_RAM_10 = '0,
  parameter logic [255:0] INIT_RAM_11 = '0,
  parameter logic [255:0] INIT_RAM_12 = '0,
  parameter logic [255:0] INIT_RAM_13 = '0,
  parameter logic [255:0] INIT_RAM_14 = '0,
  parameter logic [255:0] INIT_RAM_15 = '0,
  parameter logic [255:0] INIT_RAM_16 = '0,
  parameter logic [255:0] INIT_RAM_17 = '0,
  parameter logic [255:0] INIT_RAM_18 = '0,
  parameter logic [255:0] INIT_RAM_19 = '0,
  parameter logic [255:0] INIT_RAM_1A = '0,
  parameter logic [255:0] INIT_RAM_1B = '0,
  parameter logic [255:0] INIT_RAM_1C = '0,
  parameter logic [255:0] INIT_RAM_1D = '0,
  parameter logic [255:0] INIT_RAM_1E = '0,
  parameter logic [255:0] INIT_RAM_1F = '0,
  parameter logic [255:0] INIT_RAM_20 = '0,
  parameter logic [255:0] INIT_RAM_21 = '0,
  parameter logic [255:0] INIT_RAM_22 = '0,
  parameter logic [255:0] INIT_RAM_23 = '0,
  parameter logic [255:0] INIT_RAM_24 = '0,
  parameter logic [255:0] INIT_RAM_25 = '0,
  parameter logic [255:0] INIT_RAM_26 = '0,
  parameter logic [255:0] INIT_RAM_27 = '0,
  parameter logic [255:0] INIT_RAM_28 = '0,
  parameter logic [255:0] INIT_RAM_29 = '0,
  parameter logic [255:0] INIT_RAM_2A = '0,
  parameter logic [255:0] INIT_RAM_2B = '0,
  parameter logic [255:0] INIT_RAM_2C = '0,
  parameter logic [255:0] INIT_RAM_2D = '0,
  parameter logic [255:0] INIT_RAM_2E = '0,
  parameter logic [255:0] INIT_RAM_2F = '0,
  parameter logic [255:0] INIT_RAM_30 = '0,
  parameter logic [255:0] INIT_RAM_31 = '0,
  parameter logic [255:0] INIT_RAM_32 = '0,
  parameter logic [255:0] INIT_RAM_33 = '0,
  parameter logic [255:0] INIT_RAM_34 = '0,
  parameter logic [255:0] INIT_RAM_35 = '0,
  parameter logic [255:0] INIT_RAM_36 = '0,
  parameter logic [255:0] INIT_RAM_37 = '0,
  parameter logic [255:0] INIT_RAM_38 = '0,
  parameter logic [255:0] INIT_RAM_39 = '0,
  parameter logic [255:0] INIT_RAM_3A = '0,
  parameter logic [255:0] INIT_RAM_3B = '0,
  parameter logic [255:0] INIT_RAM_3C = '0,
  parameter logic [255:0] INIT_RAM_3D = '0,
  parameter logic [255:0] INIT_RAM_3E = '0,
  parameter logic [255:0] INIT_RAM_3F = '0
) (
  output logic [31:0] DO,
  input  logic [31:0] DI,
  input  logic [2:0]  BLKSEL,
  input  logic [13:0] AD,
  input  logic        WRE, CLK, CE, OCE, RESET
);
  localparam int Log = $clog2(BIT_WIDTH);
  logic [BIT_WIDTH-1:0] mem [16384 / BIT_WIDTH];
  localparam logic [16383:0] Init = {
    INIT_RAM_3F, INIT_RAM_3E, INIT_RAM_3D, INIT_RAM_3C, INIT_RAM_3B, INIT_RAM_3A, INIT_RAM_39, INIT_RAM_38,
    INIT_RAM_37, INIT_RAM_36, INIT_RAM_35, INIT_RAM_34, INIT_RAM_33, INIT_RAM_32, INIT_RAM_31, INIT_RAM_30,
    INIT_RAM_2F, INIT_RAM_2E, INIT_RAM_2D, INIT_RAM_2C, INIT_RAM_2B, INIT_RAM_2A, INIT_RAM_29, INIT_RAM_28,
    INIT_RAM_27, INIT_RAM_26, INIT_RAM_25, INIT_RAM_24, INIT_RAM_23, INIT_RAM_22, INIT_RAM_21, INIT_RAM_20,
    INIT_RAM_1F, INIT_RAM_1E, INIT_RAM_1D, INIT_RAM_1C, INIT_RAM_1B, INIT_RAM_1A, INIT_RAM_19, INIT_RAM_18,
    INIT_RAM_17, INIT_RAM_16, INIT_RAM_15, INIT_RAM_14, INIT_RAM_13, INIT_RAM_12, INIT_RAM_11, INIT_RAM_10,
    INIT_RAM_0F, INIT_RAM_0E, INIT_RAM_0D, INIT_RAM_0C, INIT_RAM_0B, INIT_RAM_0A, INIT_RAM_09, INIT_RAM_08,
    INIT_RAM_07, INIT_RAM_06, INIT_RAM_05, INIT_RAM_04, INIT_RAM_03, INIT_RAM_02, INIT_RAM_01, INIT_RAM_00
  };
  initial for (int i = 0; i < 16384 / BIT_WIDTH; i++) mem[i] = Init[BIT_WIDTH*i+:BIT_WIDTH];

  always_ff @(posedge CLK) begin
    if (CE && BLKSEL == BLK_SEL) begin
      if (!WRE || WRITE_MODE != 0)
        DO <= 32'((WRE && WRITE_MODE == 1) ? DI[BIT_WIDTH-1:0] : mem[AD[13:Log]]);
      if (WRE) mem[AD[13:Log]] <= DI[BIT_WIDTH-1:0];
    end
    assert (!RESET) else $fatal(1, "SP: this model has no reset");
  end
  initial assert ((BIT_WIDTH == 1 || BIT_WIDTH == 2 || BIT_WIDTH == 4) && !READ_MODE)
    else $fatal(1, "SP: this model has widths of 1, 2 and 4 bits, and no second register");
  logic unused;
  assign unused = OCE;
endmodule
