// ttpu_vpu_alu beside ttpu_vpu_stage, whose results come in the same cycle.
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
    output logic        valid_o,
    output logic [31:0] x_o,
    output logic        pred_o,
    output logic [31:0] bare_x_o,  // of the one that has nothing that can be left out
    output logic        bare_pred_o,
    output logic [31:0] want_x_o,
    output logic        want_pred_o
);
  vop_e op;
  stage_t stage;
  assign op = vop_e'(op_i);
  always_comb begin
    stage = '0;
    stage.op = pass_i ? VopPass : op;
    stage.operand = VoperandA;
    stage.shift = shift_i;
  end

  ttpu_vpu_alu i_alu (
      .clk_i, .valid_i, .op_i(op), .shift_i, .pass_i, .x_i, .y_i, .pred_i, .x_o, .pred_o
  );
  ttpu_vpu_alu #(
      .HasFp(0), .HasMul(0), .HasShift(0), .HasConvert(0)
  ) i_bare (
      .clk_i, .valid_i, .op_i(op), .shift_i, .pass_i, .x_i, .y_i, .pred_i, .x_o(bare_x_o),
      .pred_o(bare_pred_o)
  );

  logic [31:0] want_x, unused_a, unused_b;
  logic want_pred;
  ttpu_vpu_stage #(
      .N(1)
  ) i_stage (
      .clk_i, .valid_i(1'b1), .x_i, .a_i(y_i), .b_i('0), .pred_i, .alt_i(1'b0), .alt_x_i('0),
      .alt_a_i('0), .alt_b_i('0), .alt_pred_i('0), .cfg_i(stage), .v0_i('0), .v1_i('0), .v2_i('0),
      .v3_i('0), .x_o(want_x), .a_o(unused_a), .b_o(unused_b), .pred_o(want_pred)
  );

  logic [AluLatency-1:0] valid_q, want_pred_q;
  logic [AluLatency-1:0][31:0] want_x_q;  // the last from `want_x` on
  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[AluLatency-2:0], valid_i};
    want_pred_q <= {want_pred_q[AluLatency-2:0], want_pred};
    want_x_q <= {want_x_q[AluLatency-2:0], want_x};
  end
  assign valid_o = valid_q[AluLatency-1];
  assign want_x_o = want_x_q[AluLatency-2];
  assign want_pred_o = want_pred_q[AluLatency-2];
endmodule
