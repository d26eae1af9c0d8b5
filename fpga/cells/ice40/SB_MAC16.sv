// The UP5K's DSP block: declared for synthesis, and with a body for simulation of what is used
// here, two signed 8x8 products (MODE_8x8, output select 2) with registers behind them and an
// optional input register on B (iCE40 DSP function usage guide). Anything else stops the
// simulation.
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
`ifndef SYNTHESIS
  logic [15:0] b_q, b;
  assign b = B_REG ? b_q : B;
  always_ff @(posedge CLK) begin
    if (CE) begin
      if (!BHOLD) b_q <= B;
      O <= {16'($signed(A[15:8]) * $signed(b[15:8])), 16'($signed(A[7:0]) * $signed(b[7:0]))};
    end
  end
  assign CO = 1'b0;
  assign ACCUMCO = 1'b0;
  assign SIGNEXTOUT = 1'b0;
  logic unused;
  assign unused = ^{C, D, AHOLD, CHOLD, DHOLD, IRSTTOP, IRSTBOT, ORSTTOP, ORSTBOT, OLOADTOP, OLOADBOT, ADDSUBTOP,
                    ADDSUBBOT, OHOLDTOP, OHOLDBOT, CI, ACCUMCI, SIGNEXTIN, TOPADDSUB_LOWERINPUT,
                    TOPADDSUB_UPPERINPUT, TOPADDSUB_CARRYSELECT, BOTADDSUB_LOWERINPUT, BOTADDSUB_UPPERINPUT,
                    BOTADDSUB_CARRYSELECT};
  initial begin
    assert (MODE_8x8 && A_SIGNED && B_SIGNED && TOP_8x8_MULT_REG && BOT_8x8_MULT_REG && !NEG_TRIGGER &&
            TOPOUTPUT_SELECT == 2'b10 && BOTOUTPUT_SELECT == 2'b10 && !A_REG && !C_REG && !D_REG &&
            !PIPELINE_16x16_MULT_REG1 && !PIPELINE_16x16_MULT_REG2)
      else $fatal(1, "SB_MAC16: this simulation body has two registered signed 8x8 products only");
  end
`endif
endmodule
