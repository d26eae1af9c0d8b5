// Arithmetic of the engine on one lane: adder, logic unit, shifter and comparison; what ttpu_micro_join
// makes the result of. Combinational. Operand b comes inverted for a subtraction or a comparison, for all
// units; carry_i is 1 then.
module ttpu_micro_alu
  import ttpu_micro_ctl_pkg::*;
(
  input  alu_t        ctl_i,
  input  logic [31:0] a_i,
  input  logic [31:0] bx_i,     // b or ~b
  input  logic        carry_i,  // into the adder
  input  logic        pred_i,   // P[lane]
  input  logic        fill_i,   // of a shift within IQMUL
  input  logic [31:0] ext_i,    // result from outside
  output logic [31:0] sum_o,    // of the adder
  output logic        carry_o,
  output logic        less_o,   // a < b
  output logic        equal_o,
  // the result, see ttpu_micro_join
  output logic        pick_a_o,
  output logic [31:0] rotated_o,
  output logic [31:0] mask_o,
  output logic [31:0] early_o
);
  // ---- adder ------------------------------------------------------------------------------------
  assign {carry_o, sum_o} = 33'(({1'b0, a_i, 1'b1} + {1'b0, bx_i, carry_i}) >> 1);

  // ---- comparison: by the adder, one LUT4 behind its last carry -----------------------------------
  // b is inverted, so equal highest bits are different signs.
  logic       different;
  logic [3:0] same;  // bytes
  assign different = a_i[31] == bx_i[31];
  assign less_o = (different && !ctl_i.is_unsigned) ? a_i[31] : !carry_o;
  assign pick_a_o = (different ? a_i[31] : !carry_o) != ctl_i.is_max;
  for (genvar i = 0; i < 4; i++) begin : gen_same
    assign same[i] = (a_i[8*i+:8] ^ bx_i[8*i+:8]) == '1;
  end
  assign equal_o = &same;

  // ---- logic unit, sel ----------------------------------------------------------------------------
  logic [1:0]  unit;
  logic [31:0] logic_y;
  assign unit = ctl_i.is_sel ? {2{!pred_i}} : ctl_i.unit;
  always_comb begin
    unique case (logic_e'(unit))
      LogicA:   logic_y = a_i;
      LogicAnd: logic_y = a_i & bx_i;
      LogicOr:  logic_y = a_i | bx_i;
      default:  logic_y = ~bx_i;
    endcase
  end

  // ---- shifter ----------------------------------------------------------------------------------
  logic        byte_msb, fill;
  always_comb begin
    unique case (bx_i[4:3])
      2'd0:    byte_msb = a_i[7];
      2'd1:    byte_msb = a_i[15];
      2'd2:    byte_msb = a_i[23];
      default: byte_msb = a_i[31];
    endcase
  end
  assign fill = (ctl_i.arithmetic && a_i[31]) || (ctl_i.byte_sign && byte_msb) || fill_i;
  ttpu_micro_shift i_shift (
    .a_i, .amount_i(bx_i[4:0]), .off_i(!ctl_i.use_shift), .left_i(ctl_i.left), .byte_i(ctl_i.byte_ext),
    .rotated_o, .mask_o
  );

  // ---- what is there before the sum: one unit's, the others give 0 ---------------------------------
  assign early_o = (logic_y & {32{ctl_i.use_logic}}) | (ext_i & {32{ctl_i.use_ext}}) |
      ((a_i ^ bx_i) & {32{ctl_i.use_xor}}) | {32{fill}} | 32'(ctl_i.use_lt && less_o);

  logic unused;
  assign unused = ctl_i.use_sum ^ ctl_i.choose;  // behind it, in ttpu_micro_join
endmodule
