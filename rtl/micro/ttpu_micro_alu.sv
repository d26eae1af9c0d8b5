// Arithmetic of the engine on one lane: adder, logic unit, shifter, comparison, and the choice of the
// result. Combinational. Operand b comes inverted
// for a subtraction or a comparison, for all units.
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
  output logic        cmp_o,    // the comparison
  output logic [31:0] result_o,
  output logic        out_msb_o,
  output logic        out_or_o
);
  // ---- adder and comparison ---------------------------------------------------------------------
  logic        equal, less;
  assign {carry_o, sum_o} = 33'(({1'b0, a_i, 1'b1} + {1'b0, bx_i, carry_i}) >> 1);
  assign equal = (a_i ^ bx_i) == '1;
  // b is inverted, so equal signs are unequal.
  assign less = !ctl_i.is_unsigned && a_i[31] == bx_i[31] ? a_i[31] : !carry_o;
  always_comb begin
    unique case (ctl_i.cmp)
      CmpEq:   cmp_o = equal;
      CmpLe:   cmp_o = less || equal;
      default: cmp_o = less;
    endcase
  end

  // ---- logic unit: minimum, maximum and choice too ----------------------------------------------
  logic   take_b;
  logic [1:0] unit;
  logic [31:0] logic_y;
  assign take_b = (ctl_i.is_min && !less) || (ctl_i.is_max && less) || (ctl_i.is_sel && !pred_i);
  assign unit = ctl_i.unit | {2{take_b}};
  always_comb begin
    unique case (unit)
      LogicA:   logic_y = a_i;
      LogicAnd: logic_y = a_i & bx_i;
      LogicOr:  logic_y = a_i | bx_i;
      default:  logic_y = ~bx_i;
    endcase
  end

  // ---- shifter ----------------------------------------------------------------------------------
  logic [31:0] shifted;
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
    .fill_i(fill), .y_o(shifted), .out_msb_o, .out_or_o
  );

  // ---- result -----------------------------------------------------------------------------------
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      result_o[i] = (ctl_i.use_sum && (ctl_i.use_xor ? a_i[i] ^ bx_i[i] : sum_o[i])) || shifted[i] ||
          (ctl_i.use_logic && logic_y[i]) || (ctl_i.use_ext && ext_i[i]) ||
          (i == 0 && ctl_i.use_lt && less);
    end
  end
endmodule
