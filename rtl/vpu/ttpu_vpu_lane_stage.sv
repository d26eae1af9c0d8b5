// One arithmetic stage of the chain, a lane after the other: ttpu_vpu_stage for VpuLanes = 1.
//
// A lane a cycle, lanes of a row in order; latency LaneStageLatency cycles: one for the operand,
// the others in ttpu_vpu_alu. a_o, b_o and pred_o travel beside x_o. The vector registers stand
// here as a copy: v_we_i writes one lane of one of them; until v_set_i says so a register is 0.
module ttpu_vpu_lane_stage
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned LaneBits = $clog2(N)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                clear_i,
    input  logic                valid_i,
    input  logic [31:0]         x_i,
    input  logic [31:0]         a_i,
    input  logic [31:0]         b_i,
    input  logic                pred_i,
    // configuration, constant while rows are on their way
    input  stage_t              cfg_i,
    // vector registers
    input  logic                v_we_i,
    input  logic [LaneBits+1:0] v_addr_i,  // {register, lane}
    input  logic [31:0]         v_data_i,
    input  logic [3:0]          v_set_i,
    output logic                valid_o,
    output logic [31:0]         x_o,
    output logic [31:0]         a_o,
    output logic [31:0]         b_o,
    output logic                pred_o
);
  logic [31:0] vectors[4*N];
  logic [LaneBits-1:0] lane_q;
  logic [1:0] index;
  logic [31:0] v, operand, x, y, x_q, y_q, x_factor_q, y_factor_q;
  logic pred_q;

  always_comb begin
    case (cfg_i.operand)
      VoperandV1: index = 2'd1;
      VoperandV2: index = 2'd2;
      VoperandV3: index = 2'd3;
      default: index = 2'd0;
    endcase
    v = v_set_i[index] ? vectors[{index, lane_q}] : 32'd0;
    case (cfg_i.operand)
      VoperandConst: operand = cfg_i.value;
      VoperandA: operand = a_i;
      VoperandB: operand = b_i;
      default: operand = v;
    endcase
    x = cfg_i.swap ? operand : x_i;
    y = cfg_i.swap ? x_i : operand;
  end

  always_ff @(posedge clk_i) begin
    if (v_we_i) vectors[v_addr_i] <= v_data_i;
    if (valid_i) begin
      x_q <= x;
      y_q <= y;
      x_factor_q <= factor(cfg_i.op, x);
      y_factor_q <= factor(cfg_i.op, y);
      pred_q <= pred_i;
      lane_q <= lane_q + 1'b1;
    end
    if (!rst_ni || clear_i) lane_q <= '0;
  end

  // ---- what travels beside ----------------------------------------------------------------------
  logic [LaneStageLatency-1:0] valid_q;
  logic [LaneStageLatency-1:0][31:0] a_q, b_q;
  always_ff @(posedge clk_i) begin
    valid_q <= (rst_ni && !clear_i) ? {valid_q[LaneStageLatency-2:0], valid_i} : '0;
    a_q <= {a_q[LaneStageLatency-2:0], a_i};
    b_q <= {b_q[LaneStageLatency-2:0], b_i};
  end
  assign valid_o = valid_q[LaneStageLatency-1];
  assign a_o = a_q[LaneStageLatency-1];
  assign b_o = b_q[LaneStageLatency-1];

  ttpu_vpu_alu #(
      .HasFp(HasFp)
  ) i_alu (
      .clk_i, .valid_i(valid_q[0]), .op_i(cfg_i.op), .shift_i(cfg_i.shift), .pass_i(1'b0),
      .x_i(x_q), .y_i(y_q), .x_factor_i(x_factor_q), .y_factor_i(y_factor_q), .pred_i(pred_q), .x_o,
      .pred_o
  );
endmodule
