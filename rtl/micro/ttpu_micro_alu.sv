// Arithmetic of the engine on one lane: adder, logic unit, shifter and comparison; what ttpu_micro_join
// makes the result of. Combinational. Operand b comes inverted
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
  output logic        less_o,   // a < b
  output logic        equal_o,
  // the result: rotated_o, with fill_o where mask_o is, or x_o
  output logic [31:0] rotated_o,
  output logic [31:0] mask_o,
  output logic        fill_o,
  output logic [31:0] x_o
);
  // ---- adder ------------------------------------------------------------------------------------
  assign {carry_o, sum_o} = 33'(({1'b0, a_i, 1'b1} + {1'b0, bx_i, carry_i}) >> 1);

  // ---- comparison: both halves at once, for speed ------------------------------------------------
  // b is inverted, so a - b is a + bx + 1: its sign in one bit more says less.
  logic        less_low, less_high, less;
  logic [3:0]  same;  // bytes
  assign less_low = 1'(({1'b0, a_i[15:0]} + {1'b1, bx_i[15:0]} + 17'd1) >> 16);
  assign less_high = 1'(({a_i[31] && !ctl_i.is_unsigned, a_i[31:16]} +
      {bx_i[31] || ctl_i.is_unsigned, bx_i[31:16]} + 17'd1) >> 16);
  for (genvar i = 0; i < 4; i++) begin : gen_same
    assign same[i] = (a_i[8*i+:8] ^ bx_i[8*i+:8]) == '1;
  end
  assign less = less_high || (same[3] && same[2] && less_low);
  assign less_o = less;
  assign equal_o = &same;

  // ---- logic unit, and the choice of minimum, maximum and sel --------------------------------------
  logic        take_a, take_b;
  logic [31:0] logic_y;
  assign take_a = (ctl_i.is_min && less) || (ctl_i.is_max && !less) || (ctl_i.is_sel && pred_i);
  assign take_b = (ctl_i.is_min && !less) || (ctl_i.is_max && less) || (ctl_i.is_sel && !pred_i);
  always_comb begin
    unique case (ctl_i.unit)
      LogicA:   logic_y = a_i;
      LogicAnd: logic_y = a_i & bx_i;
      LogicOr:  logic_y = a_i | bx_i;
      default:  logic_y = ~bx_i;
    endcase
  end

  // ---- shifter ----------------------------------------------------------------------------------
  logic        byte_msb;
  always_comb begin
    unique case (bx_i[4:3])
      2'd0:    byte_msb = a_i[7];
      2'd1:    byte_msb = a_i[15];
      2'd2:    byte_msb = a_i[23];
      default: byte_msb = a_i[31];
    endcase
  end
  assign fill_o = (ctl_i.arithmetic && a_i[31]) || (ctl_i.byte_sign && byte_msb) || fill_i;
  ttpu_micro_shift i_shift (
    .a_i, .amount_i(bx_i[4:0]), .off_i(!ctl_i.use_shift), .left_i(ctl_i.left), .byte_i(ctl_i.byte_ext),
    .rotated_o, .mask_o
  );

  // ---- the rest: one unit's, the others give 0 ----------------------------------------------------
  logic [31:0] choice, early;
  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      early[i] = (ctl_i.use_logic && logic_y[i]) || (ctl_i.use_ext && ext_i[i]) ||
          (ctl_i.use_xor && (a_i[i] ^ bx_i[i]));
      choice[i] = (take_a && a_i[i]) || (take_b && !bx_i[i]) || (i == 0 && ctl_i.use_lt && less);
      x_o[i] = early[i] || choice[i] || (ctl_i.use_sum && sum_o[i]);
    end
  end
endmodule
