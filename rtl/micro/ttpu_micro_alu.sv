// Arithmetic of the engine on one lane: adder, logic unit, shifter and comparison. Combinational. Operand b
// comes inverted for a subtraction or a comparison, for all units; carry_i is 1 then. The result is
// (shifted_o | early_o) ^ sum_o with ctl_i.use_sum, and ^ differ_o if not less_o.
module ttpu_micro_alu
  import ttpu_micro_ctl_pkg::*;
(
  input  alu_t        ctl_i,
  input  logic [31:0] a_i,
  input  logic [31:0] bx_i,     // b or ~b
  input  logic        carry_i,  // into the adder: one of these
  input  logic        round_i,
  input  logic        pred_i,   // P[lane]
  input  logic        fill_i,   // of a shift within IQMUL
  input  logic [31:0] ext_i,    // result from outside
  output logic [31:0] sum_o,    // of the adder
  output logic        carry_o,
  output logic        less_o,   // a < b; with ctl_i.invert a >= b
  output logic        equal_o,
  output logic        dropped_o, // by a shift to the right by more than 0: the last bit
  output logic [31:0] shifted_o, // of the shifter, else 0
  output logic [31:0] early_o,   // of another unit, 0 where there is the shifter's
  output logic [31:0] differ_o
);
  // ---- adder ------------------------------------------------------------------------------------
  // Both carries meet at the chain's beginning, which costs no LUT before it. Its last bit is the sign of a
  // difference of 33 bits: the comparison, ready without a LUT behind the chain.
  logic a_sign, b_sign;
  assign a_sign = a_i[31] && !ctl_i.is_unsigned;
  assign b_sign = (bx_i[31] || ctl_i.is_unsigned) != ctl_i.invert;
  assign {less_o, sum_o} = 33'(({a_sign, a_i, round_i, 1'b1} + {b_sign, bx_i, carry_i, 1'b1}) >> 2);
  assign carry_o = less_o ^ a_sign ^ b_sign;

  logic [3:0] same;  // bytes
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
  logic [31:0] rotated, mask;
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
    .rotated_o(rotated), .mask_o(mask)
  );
  assign shifted_o = rotated & ~mask;
  assign dropped_o = rotated[31];

  // ---- one unit's word, the rest give 0 --------------------------------------------------------------
  assign early_o = mask & ((logic_y & {32{ctl_i.use_logic}}) | (ext_i & {32{ctl_i.use_ext}}) |
      ((a_i ^ bx_i) & {32{ctl_i.use_xor}}) | {32{fill}});

  // Of minimum and maximum, a is there early: b instead of it, if not less. Of slt bit 0.
  assign differ_o = (~(a_i ^ bx_i) & {32{ctl_i.choose}}) | 32'(ctl_i.use_lt);

  logic unused;
  assign unused = ctl_i.use_sum;  // behind it, in ttpu_micro_late
endmodule
