// ttpu_vpu_alu with all its groups, and with none.
module tb_alu
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
(
    input  logic        clk_i,
    input  logic        valid_i,
    input  logic [5:0]  op_i,
    input  logic [4:0]  shift_i,
    input  logic        pass_i,
    input  logic [31:0] x_i,
    input  logic [31:0] y_i,
    input  logic        pred_i,
    output logic        valid_o,  // valid_i, AluLatency cycles ago
    output logic [31:0] x_o,
    output logic        pred_o,
    output logic [31:0] bare_x_o,
    output logic        bare_pred_o
);
  ttpu_vpu_alu i_alu (
      .clk_i, .valid_i, .op_i(vop_e'(op_i)), .shift_i, .pass_i, .x_i, .y_i,
      .x_factor_i(factor(vop_e'(op_i), x_i)), .y_factor_i(factor(vop_e'(op_i), y_i)), .pred_i,
      .x_o, .pred_o
  );
  ttpu_vpu_alu #(
      .HasFp(0), .HasMul(0), .HasShift(0), .HasConvert(0)
  ) i_bare (
      .clk_i, .valid_i, .op_i(vop_e'(op_i)), .shift_i, .pass_i, .x_i, .y_i, .x_factor_i('0),
      .y_factor_i('0), .pred_i, .x_o(bare_x_o), .pred_o(bare_pred_o)
  );

  logic [AluLatency-1:0] valid_q;
  always_ff @(posedge clk_i) valid_q <= {valid_q[AluLatency-2:0], valid_i};
  assign valid_o = valid_q[AluLatency-1];
endmodule
