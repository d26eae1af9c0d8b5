// Accumulators: two halves of AccRows rows of N x 32 bits, each one read and one write a cycle.
//
// A row announced in cycle t (pre_*) comes with its sums in cycle t + 1 (y_*) and is written at the
// end of that cycle: replaced, or added to (int32 modulo 2^32, or fp32). Back-to-back additions to
// one row are right: what was written last is forwarded. Columns from n on count as 0 (or +0).
// VPU port: acc_gnt_o in the cycle of acc_req_i unless the MXU reads the same half; data two cycles
// later. A read granted after a row's write cycle sees it.
module ttpu_mxu_acc
  import ttpu_fp_pkg::*;
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
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
    forward_q  <= y_valid_i & (pre_info_i.acc[RowBits:0] == y_info_i.acc[RowBits:0]);
  end

  // ---- adding and writing ----------------------------------------------------------------------
  // `result` and `old` are private to this block.
  logic [31:0] result[N], old[N];
  logic [N*32-1:0] row;
  always_ff @(posedge clk_i) begin
    if (y_valid_i) begin
      for (int unsigned l = 0; l < N; l++) result[l] = y_data_i[l];
      row = '0;
      if (y_info_i.accumulate) row = forward_q ? last_q : add_half_q ? read1_q : read0_q;
      for (int unsigned l = 0; l < N; l++) old[l] = row[l*32+:32];
      if (HasFp != 0 && y_info_i.fp) begin
        // An integer column of neutral weights is 0 by itself; a float one is not if a factor is
        // infinite.
        for (int unsigned l = 0; l < N; l++) result[l] = (l < 32'(y_info_i.n)) ? result[l] : 32'd0;
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
endmodule
