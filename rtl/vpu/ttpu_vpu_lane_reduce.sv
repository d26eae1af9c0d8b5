// Reductions, a lane after the other: ttpu_vpu_reduce for VpuLanes = 1.
//
// A lane a cycle in, lanes of a row in order and rows N or more cycles apart (N >= 8: a row meets
// the running row only when that is written). Lanes: each level of the tree keeps the first of a
// pair and adds the second to it; the root then stands for each lane. Rows: first_i and last_i are
// those of the row whose lanes leave the lane reduction, next_o asks for the next row's; the
// result's lanes come AluLatency cycles later, valid_o in each, keep_o in those of rows that are
// results. Latency of a row's first lane: 1 + AluLatency, with a lane reduction N + AluLatency *
// (log2(N) + 1).
module ttpu_vpu_lane_reduce
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned LaneBits = $clog2(N)
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        clear_i,
    input  logic        valid_i,
    input  logic [31:0] x_i,
    input  logic        first_i,
    input  logic        last_i,
    output logic        next_o,
    // configuration, constant while rows are on their way
    input  logic [8:0]  lanes_i,
    input  reduce_e     lane_reduce_i,
    input  reduce_e     row_reduce_i,
    input  logic        fp_i,
    output logic        valid_o,
    output logic        keep_o,
    output logic [31:0] y_o
);
  function automatic vop_e operation(input reduce_e reduce, input logic fp);
    case (reduce)
      ReduceSum: operation = HasFp != 0 && fp ? VopFadd : VopIadd;
      ReduceMax: operation = HasFp != 0 && fp ? VopFmax : VopImax;
      ReduceMin: operation = HasFp != 0 && fp ? VopFmin : VopImin;
      default: operation = VopPass;
    endcase
  endfunction

  logic on, reset;
  assign on = lane_reduce_i != ReduceNone;
  assign reset = !rst_ni || clear_i;

  // ---- lanes ------------------------------------------------------------------------------------
  logic [LaneBits:0] level_valid, level_alive;
  logic [31:0] level_x[LaneBits+1];
  logic [LaneBits-1:0] in_lane_q;
  assign level_valid[0] = valid_i && on;
  assign level_alive[0] = 9'(in_lane_q) < lanes_i;
  assign level_x[0] = x_i;
  always_ff @(posedge clk_i) begin
    if (valid_i) in_lane_q <= in_lane_q + 1'b1;
    if (reset) in_lane_q <= '0;
  end
  for (genvar i = 0; i < LaneBits; i++) begin : gen_level
    logic second_q, kept_alive_q, go, unused_pred;
    logic [31:0] kept_q;
    logic [AluLatency-1:0] valid_q, alive_q;
    assign go = level_valid[i] && second_q;
    always_ff @(posedge clk_i) begin
      if (level_valid[i]) begin
        second_q <= !second_q;
        kept_q <= level_x[i];
        kept_alive_q <= level_alive[i];
      end
      valid_q <= {valid_q[AluLatency-2:0], go};
      alive_q <= {alive_q[AluLatency-2:0], kept_alive_q};
      if (reset) begin
        second_q <= 1'b0;
        valid_q <= '0;
      end
    end
    ttpu_vpu_alu #(
        .HasFp(HasFp), .HasMul(0), .HasShift(0), .HasConvert(0)
    ) i_alu (
        .clk_i, .valid_i(go), .op_i(operation(lane_reduce_i, fp_i)), .shift_i(5'd0),
        .pass_i(!level_alive[i]), .x_i(kept_q), .y_i(level_x[i]), .x_factor_i('0), .y_factor_i('0),
        .pred_i(1'b0), .x_o(level_x[i+1]), .pred_o(unused_pred)
    );
    assign level_valid[i+1] = valid_q[AluLatency-1];
    assign level_alive[i+1] = alive_q[AluLatency-1];
  end

  // The root for each lane, or the lanes as they came.
  logic spread_q, plain_q, lane_valid;
  logic [LaneBits-1:0] spread_lane_q;
  logic [31:0] lane_q;
  assign lane_valid = on ? spread_q : plain_q;
  always_ff @(posedge clk_i) begin
    plain_q <= valid_i && !reset;
    if (on ? level_valid[LaneBits] : valid_i) lane_q <= on ? level_x[LaneBits] : x_i;
    if (level_valid[LaneBits]) begin
      spread_q <= 1'b1;
      spread_lane_q <= '0;
    end else if (spread_q) begin
      spread_lane_q <= spread_lane_q + 1'b1;
      spread_q <= spread_lane_q != LaneBits'(N - 1);
    end
    if (reset) spread_q <= 1'b0;
  end

  // ---- rows -------------------------------------------------------------------------------------
  logic [31:0] running[N];
  logic [LaneBits-1:0] row_lane_q, out_lane_q;
  logic [AluLatency-1:0] valid_q, keep_q;
  logic unused_pred;
  assign next_o = lane_valid && row_lane_q == LaneBits'(N - 1);
  always_ff @(posedge clk_i) begin
    if (lane_valid) row_lane_q <= row_lane_q + 1'b1;
    valid_q <= {valid_q[AluLatency-2:0], lane_valid};
    keep_q <= {keep_q[AluLatency-2:0], last_i};
    if (valid_o) begin
      running[out_lane_q] <= y_o;
      out_lane_q <= out_lane_q + 1'b1;
    end
    if (reset) begin
      row_lane_q <= '0;
      out_lane_q <= '0;
      valid_q <= '0;
    end
  end
  ttpu_vpu_alu #(
      .HasFp(HasFp), .HasMul(0), .HasShift(0), .HasConvert(0)
  ) i_rows (
      .clk_i, .valid_i(lane_valid), .op_i(operation(row_reduce_i, fp_i)), .shift_i(5'd0),
      .pass_i(first_i), .x_i(lane_q), .y_i(running[row_lane_q]), .x_factor_i('0), .y_factor_i('0),
      .pred_i(1'b0), .x_o(y_o), .pred_o(unused_pred)
  );
  assign valid_o = valid_q[AluLatency-1];
  assign keep_o = keep_q[AluLatency-1];

  logic unused;
  assign unused = level_alive[LaneBits];
endmodule
