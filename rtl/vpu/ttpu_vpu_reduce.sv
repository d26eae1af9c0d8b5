// Reductions: over the lanes in use (a pipelined tree), then over rows (one running row).
//
// One row a cycle. Lanes: log2(N) cycles for the tree and one for the broadcast when a lane
// reduction is configured, else one cycle. Rows: one cycle; a row marked `last` leaves, others only
// add to the group. Order of operations: docs/reference/interfaces.md, "Lane reductions".
module ttpu_vpu_reduce
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_fp_pkg::*;
  import ttpu_fp_conv_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned Width = N * 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             clear_i,
    input  logic             valid_i,
    input  logic [Width-1:0] x_i,
    input  meta_t            meta_i,
    // configuration, constant while rows are on their way
    input  logic [8:0]       lanes_i,
    input  reduce_e          lane_reduce_i,
    input  reduce_e          row_reduce_i,
    input  logic             fp_i,
    output logic             valid_o,
    output logic [Width-1:0] y_o,
    output meta_t            meta_o
);
  localparam int unsigned Levels = $clog2(N);

  // Tree: node i has the children 2i and 2i+1; nodes N/2..N-1 take the lanes.
  logic [31:0] node[N];
  logic [31:0] xs[N];
  logic [31:0] left[N];
  logic [31:0] right[N];
  logic [31:0] sums[N];
  logic alive[2*N];                    // has a lane in use below
  logic [Levels-1:0] tree_q;           // rows in the levels
  meta_t tree_meta[Levels];
  // Row in front of the row reduction, and the running row.
  logic lane_v_q;
  logic [Width-1:0] lane_q;
  meta_t lane_meta_q;
  logic [31:0] run[N];
  logic [31:0] next[N];
  logic [Width-1:0] packed_run;

  logic leaving;
  logic [Levels-1:0] tree_in;
  if (Levels == 1) begin : gen_one_level
    assign tree_in = valid_i && lane_reduce_i != ReduceNone;
  end else begin : gen_levels
    assign tree_in = {tree_q[Levels-2:0], valid_i && lane_reduce_i != ReduceNone};
  end
  assign leaving = lane_reduce_i == ReduceNone ? valid_i : tree_q[Levels-1];

  always_ff @(posedge clk_i) begin
    // Rows.
    if (lane_v_q) begin
      if (row_reduce_i == ReduceNone) begin
        y_o <= lane_q;
      end else begin
        for (int unsigned l = 0; l < N; l++) next[l] = lane_q[l*32+:32];
        if (!lane_meta_q.first) begin
          case (row_reduce_i)
            ReduceSum:
              if (HasFp != 0 && fp_i)
                for (int unsigned l = 0; l < N; l++) next[l] = fp32_add(run[l], next[l]);
              else for (int unsigned l = 0; l < N; l++) next[l] = run[l] + next[l];
            ReduceMax:
              if (HasFp != 0 && fp_i)
                for (int unsigned l = 0; l < N; l++) next[l] = fp32_minmax(run[l], next[l], 1'b1);
              else
                for (int unsigned l = 0; l < N; l++)
                  next[l] = $signed(run[l]) > $signed(next[l]) ? run[l] : next[l];
            default:
              if (HasFp != 0 && fp_i)
                for (int unsigned l = 0; l < N; l++) next[l] = fp32_minmax(run[l], next[l], 1'b0);
              else
                for (int unsigned l = 0; l < N; l++)
                  next[l] = $signed(run[l]) < $signed(next[l]) ? run[l] : next[l];
          endcase
        end
        for (int unsigned l = 0; l < N; l++) run[l] = next[l];
        for (int unsigned l = 0; l < N; l++) packed_run[l*32+:32] = run[l];
        y_o <= packed_run;
      end
      meta_o <= lane_meta_q;
    end
    valid_o <= lane_v_q && lane_meta_q.last && rst_ni && !clear_i;
    // Broadcast of the tree's root, or the row as it came.
    if (leaving) begin
      lane_q <= lane_reduce_i == ReduceNone ? x_i : {N{node[1]}};
      lane_meta_q <= lane_reduce_i == ReduceNone ? meta_i : tree_meta[Levels-1];
    end
    lane_v_q <= leaving && rst_ni && !clear_i;
    // Tree: ascending, so that a node takes what its children held before this cycle.
    if (tree_in != '0) begin
      for (int unsigned l = 0; l < N; l++) xs[l] = x_i[l*32+:32];
      for (int unsigned i = N; i < 2 * N; i++) alive[i] = i - N < 32'(lanes_i);
      for (int unsigned i = 1; i < N; i++) alive[N-i] = alive[2*(N-i)];
      for (int unsigned i = 1; i < N / 2; i++) left[i] = node[2*i];
      for (int unsigned i = 1; i < N / 2; i++) right[i] = node[2*i+1];
      for (int unsigned i = N / 2; i < N; i++) left[i] = xs[2*i-N];
      for (int unsigned i = N / 2; i < N; i++) right[i] = xs[2*i+1-N];
      case (lane_reduce_i)
        ReduceSum:
          if (HasFp != 0 && fp_i)
            for (int unsigned i = 1; i < N; i++) sums[i] = fp32_add(left[i], right[i]);
          else for (int unsigned i = 1; i < N; i++) sums[i] = left[i] + right[i];
        ReduceMax:
          if (HasFp != 0 && fp_i)
            for (int unsigned i = 1; i < N; i++) sums[i] = fp32_minmax(left[i], right[i], 1'b1);
          else
            for (int unsigned i = 1; i < N; i++)
              sums[i] = $signed(left[i]) > $signed(right[i]) ? left[i] : right[i];
        default:
          if (HasFp != 0 && fp_i)
            for (int unsigned i = 1; i < N; i++) sums[i] = fp32_minmax(left[i], right[i], 1'b0);
          else
            for (int unsigned i = 1; i < N; i++)
              sums[i] = $signed(left[i]) < $signed(right[i]) ? left[i] : right[i];
      endcase
      for (int unsigned i = 1; i < N; i++) node[i] = alive[2*i+1] ? sums[i] : left[i];
      for (int unsigned i = 1; i < Levels; i++) tree_meta[Levels-i] = tree_meta[Levels-i-1];
      tree_meta[0] = meta_i;
    end
    tree_q <= (rst_ni && !clear_i) ? tree_in : '0;
  end
endmodule
