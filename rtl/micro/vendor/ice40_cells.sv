// Ports of the iCE40 cells that rtl/micro instantiates by hand, for synthesis only: read_slang wants
// a declaration of what it does not elaborate. Nothing here has a body.
(* blackbox *)
module SB_MAC16 #(
  parameter logic NEG_TRIGGER = 1'b0,
  parameter logic C_REG = 1'b0,
  parameter logic A_REG = 1'b0,
  parameter logic B_REG = 1'b0,
  parameter logic D_REG = 1'b0,
  parameter logic TOP_8x8_MULT_REG = 1'b0,
  parameter logic BOT_8x8_MULT_REG = 1'b0,
  parameter logic PIPELINE_16x16_MULT_REG1 = 1'b0,
  parameter logic PIPELINE_16x16_MULT_REG2 = 1'b0,
  parameter logic [1:0] TOPOUTPUT_SELECT = 2'b00,
  parameter logic [1:0] TOPADDSUB_LOWERINPUT = 2'b00,
  parameter logic TOPADDSUB_UPPERINPUT = 1'b0,
  parameter logic [1:0] TOPADDSUB_CARRYSELECT = 2'b00,
  parameter logic [1:0] BOTOUTPUT_SELECT = 2'b00,
  parameter logic [1:0] BOTADDSUB_LOWERINPUT = 2'b00,
  parameter logic BOTADDSUB_UPPERINPUT = 1'b0,
  parameter logic [1:0] BOTADDSUB_CARRYSELECT = 2'b00,
  parameter logic MODE_8x8 = 1'b0,
  parameter logic A_SIGNED = 1'b0,
  parameter logic B_SIGNED = 1'b0
) (
  input  logic        CLK, CE,
  input  logic [15:0] C, A, B, D,
  input  logic        AHOLD, BHOLD, CHOLD, DHOLD,
  input  logic        IRSTTOP, IRSTBOT,
  input  logic        ORSTTOP, ORSTBOT,
  input  logic        OLOADTOP, OLOADBOT,
  input  logic        ADDSUBTOP, ADDSUBBOT,
  input  logic        OHOLDTOP, OHOLDBOT,
  input  logic        CI, ACCUMCI, SIGNEXTIN,
  output logic [31:0] O,
  output logic        CO, ACCUMCO, SIGNEXTOUT
);
endmodule

(* blackbox *)
module SB_SPRAM256KA (
  input  logic [13:0] ADDRESS,
  input  logic [15:0] DATAIN,
  input  logic [3:0]  MASKWREN,
  input  logic        WREN, CHIPSELECT, CLOCK, STANDBY, SLEEP, POWEROFF,
  output logic [15:0] DATAOUT
);
endmodule
