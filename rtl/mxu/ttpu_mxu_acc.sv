// Accumulators: two halves of AccRows rows of N x 32 bits, each one read and one write a cycle.
//
// A row announced in cycle t (pre_*) comes with its sums in cycle t + 1 (y_*) and is written at
// the end of cycle t + AccStages (1, or 6 with FpStages = 4, where float rows come two or more
// cycles apart): replaced, or added to (int32 modulo 2^32, or fp32). An addition
// to a row must come AccStages or more cycles after the one before to the same row; what is being
// written is forwarded. Columns from n on count as 0 (or +0). VPU port: acc_gnt_o in the cycle of
// acc_req_i unless the MXU reads the same half; data two cycles later. A read granted after a
// row's write cycle sees it.
module ttpu_mxu_acc
  import ttpu_fp_pkg::*;
  import ttpu_fp_pipe_pkg::*;
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned FpStages = 1,  // cycles of an addition: 1 or 4
    parameter int unsigned AccRows = 512  // in each half, a power of two
) (
    input  logic                 clk_i,
    input  logic                 pre_valid_i,
    input  row_info_t            pre_info_i,
    input  logic                 y_valid_i,
    input  row_info_t            y_info_i,
    input  logic      [    31:0] y_data_i   [N],
    input  logic                 acc_req_i,
    input  logic      [    15:0] acc_row_i,
    output logic                 acc_gnt_o,
    output logic      [N*32-1:0] acc_data_o
);
  localparam int unsigned RowBits = $clog2(AccRows);

  logic [N*32-1:0] half0[AccRows], half1[AccRows];

  logic write_valid;  // a row is written at the end of this cycle
  logic [RowBits:0] write_acc;

  // ---- reading: addition first, then the VPU ---------------------------------------------------
  logic add, add0, add1, vpu_half, vpu0, vpu1;
  assign add = pre_valid_i & pre_info_i.accumulate;
  assign add0 = add & ~pre_info_i.acc[RowBits];
  assign add1 = add & pre_info_i.acc[RowBits];
  assign vpu_half = acc_row_i[RowBits];
  assign acc_gnt_o = acc_req_i & ~(vpu_half ? add1 : add0);
  assign vpu0 = acc_gnt_o & ~vpu_half;
  assign vpu1 = acc_gnt_o & vpu_half;

  logic [N*32-1:0] read0_q, read1_q, last_q;
  logic vpu_q, vpu_half_q, add_half_q, forward_q;
  always_ff @(posedge clk_i) begin
    if (add0 | vpu0) read0_q <= half0[add0?pre_info_i.acc[RowBits-1:0] : acc_row_i[RowBits-1:0]];
    if (add1 | vpu1) read1_q <= half1[add1?pre_info_i.acc[RowBits-1:0] : acc_row_i[RowBits-1:0]];
    vpu_q <= acc_gnt_o;
    vpu_half_q <= vpu_half;
    if (vpu_q) acc_data_o <= vpu_half_q ? read1_q : read0_q;
    add_half_q <= pre_info_i.acc[RowBits];
    forward_q  <= write_valid & (pre_info_i.acc[RowBits:0] == write_acc);
  end

  // ---- adding and writing ----------------------------------------------------------------------
  // `result` and `old` are private to their block.
  logic [31:0] result[N], old[N];
  logic [N*32-1:0] row;

  if (FpStages == 1) begin : gen_one
    assign write_valid = y_valid_i;
    assign write_acc = y_info_i.acc[RowBits:0];
    always_ff @(posedge clk_i) begin
      if (y_valid_i) begin
        for (int unsigned l = 0; l < N; l++) result[l] = y_data_i[l];
        row = '0;
        if (y_info_i.accumulate) row = forward_q ? last_q : add_half_q ? read1_q : read0_q;
        for (int unsigned l = 0; l < N; l++) old[l] = row[l*32+:32];
        if (HasFp != 0 && y_info_i.fp) begin
          // An integer column of neutral weights is 0 by itself; a float one is not if a factor is
          // infinite.
          for (int unsigned l = 0; l < N; l++)
          result[l] = (l < 32'(y_info_i.n)) ? result[l] : 32'd0;
          if (y_info_i.accumulate)
            for (int unsigned l = 0; l < N; l++) result[l] = fp32_add(old[l], result[l]);
        end else begin
          for (int unsigned l = 0; l < N; l++) result[l] = old[l] + result[l];
        end
        for (int unsigned l = 0; l < N; l++) row[l*32+:32] = result[l];
        last_q <= row;
        if (y_info_i.acc[RowBits]) half1[y_info_i.acc[RowBits-1:0]] <= row;
        else half0[y_info_i.acc[RowBits-1:0]] <= row;
      end
    end
  end else begin : gen_six
    // Operands | four parts of an addition of the left columns, a cycle later of the right ones:
    // two columns share an adder of floats, as in the array, whose float rows come two or more
    // cycles apart | write. Integers have an adder each. No reset: a row once taken is written.
    // Columns 2p of `old` and `y` are what the adder of pair p takes: the left column's, then the
    // right one's.
    localparam int unsigned Pairs = N / 2;
    logic [31:0] y[N], whole[N], whole2[N], whole3[N], whole4[N];
    logic [31:0] larger1[Pairs], larger2[Pairs], larger3[Pairs], left[Pairs];
    logic [32:0] part1[Pairs];
    logic [31:0] part2[Pairs];
    logic [34:0] part3[Pairs];
    logic [5:1] v_q;  // bit i: a row is in its i-th cycle
    logic [5:1] fp_q;
    logic [RowBits:0] acc_q[5];
    assign write_valid = v_q[5];
    assign write_acc = acc_q[4];
    always_ff @(posedge clk_i) begin
      if (v_q[5]) begin
        for (int unsigned p = 0; p < Pairs; p++) begin
          result[2*p] = fp_q[5] ? left[p] : whole4[2*p];
          result[2*p+1] = fp_q[5]
              ? add_settle(larger3[p][31:23], part3[p], 1'b1) : whole4[2*p+1];
        end
        for (int unsigned l = 0; l < N; l++) row[l*32+:32] = result[l];
        last_q <= row;
        if (acc_q[4][RowBits]) half1[acc_q[4][RowBits-1:0]] <= row;
        else half0[acc_q[4][RowBits-1:0]] <= row;
      end
      if (v_q[4]) begin
        for (int unsigned p = 0; p < Pairs; p++)
        left[p] = add_settle(larger3[p][31:23], part3[p], 1'b1);
        for (int unsigned l = 0; l < N; l++) whole4[l] = whole3[l];
      end
      if ((v_q[3] & fp_q[3]) | (v_q[4] & fp_q[4])) begin
        for (int unsigned p = 0; p < Pairs; p++) part3[p] = add_normalise(part2[p], 1'b1);
        for (int unsigned p = 0; p < Pairs; p++) larger3[p] = larger2[p];
      end
      if (v_q[3]) for (int unsigned l = 0; l < N; l++) whole3[l] = whole2[l];
      if ((v_q[2] & fp_q[2]) | (v_q[3] & fp_q[3])) begin
        for (int unsigned p = 0; p < Pairs; p++)
        part2[p] = add_sum(larger1[p][22:0], part1[p], 1'b1);
        for (int unsigned p = 0; p < Pairs; p++) larger2[p] = larger1[p];
      end
      if (v_q[2]) for (int unsigned l = 0; l < N; l++) whole2[l] = whole[l];
      if ((v_q[1] & fp_q[1]) | (v_q[2] & fp_q[2])) begin
        for (int unsigned p = 0; p < Pairs; p++) larger1[p] = add_larger(old[2*p], y[2*p], 1'b1);
        for (int unsigned p = 0; p < Pairs; p++) part1[p] = add_order(old[2*p], y[2*p], 1'b1);
        for (int unsigned p = 0; p < Pairs; p++)
        part1[p][32] = part1[p][32] | is_nan(old[2*p][30:0]);  // which need not be a loose number
      end
      if (v_q[1]) for (int unsigned l = 0; l < N; l++) whole[l] = old[l] + y[l];
      if (y_valid_i) begin
        // What is not added to counts as -0, which leaves any number as it is.
        for (int unsigned l = 0; l < N; l++)
        old[l] = forward_q ? last_q[l*32+:32] : add_half_q ? read1_q[l*32+:32] : read0_q[l*32+:32];
        for (int unsigned l = 0; l < N; l++)
        old[l] = y_info_i.accumulate ? old[l] : {y_info_i.fp, 31'd0};
        for (int unsigned l = 0; l < N; l++)
        y[l] = (y_info_i.fp && l >= 32'(y_info_i.n)) ? 32'd0 : y_data_i[l];
      end else begin
        for (int unsigned p = 0; p < Pairs; p++) old[2*p] = old[2*p+1];
        for (int unsigned p = 0; p < Pairs; p++) y[2*p] = y[2*p+1];
      end
      v_q <= {v_q[4:1], y_valid_i};
      fp_q <= {fp_q[4:1], y_info_i.fp};
      acc_q[4] <= acc_q[3];
      acc_q[3] <= acc_q[2];
      acc_q[2] <= acc_q[1];
      acc_q[1] <= acc_q[0];
      acc_q[0] <= y_info_i.acc[RowBits:0];
    end
  end
endmodule
