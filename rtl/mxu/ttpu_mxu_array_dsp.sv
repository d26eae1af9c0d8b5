// The integer array made of DSP blocks of 25 x 18 bits, in place of ttpu_mxu_array: ports, latency,
// swap and weight protocol are those of that module's header (PeStages 2 or 3, HasFp = 0).
//
// A cell holds Pack columns of one row. Its weights, product and sum are registers of a DSP block, and
// the sum goes down the block's cascade:
//   Pack = 1  ttpu_mxu_cell_mac: N x N blocks, no logic
//   Pack = 2  ttpu_mxu_cell_pair: two products a block, N x N/2 blocks, and a count of what the lower
//             sum spills into the upper one
// PeStages = 3 uses the block's register at the activation's input too, for a fast clock.
//
// Elements are 9 bits signed, -255..255 (S8 and U8 are -128..255, in any mix). The sums inside are as
// wide as N rows need, and are extended to 32 bits at the end: equal to sums modulo 2^32.
//
// Data and sums move in every cycle, without enables: what no row is behind is never looked at. So the skews
// are plain shift registers, and reset only clears the tokens (w_we_i and x_swap_i on their way).
module ttpu_mxu_array_dsp
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned PeStages = 3,  // 2, 3
    parameter int unsigned Pack = 1,      // 1, 2: columns a DSP block
    localparam int unsigned GroupBits = (N > 4) ? $clog2(N / 4) : 1
) (
    input logic clk_i,
    input logic rst_ni,

    // activations
    input logic       x_swap_i,
    input logic [8:0] x_data_i[N],

    // weights
    input logic                 w_we_i,
    input logic [GroupBits-1:0] w_group_i,
    input logic [  4*N*9-1:0] w_data_i,   // row 4g + j, column c: element j*N + c

    // sums
    output logic [31:0] y_data_o[N]
);
  if (PeStages < 2 || PeStages > 3 || Pack < 1 || Pack > 2) begin : gen_bad_parameters
    $fatal(1, "ttpu_mxu_array_dsp: PeStages must be 2 or 3, Pack 1 or 2");
  end

  localparam int unsigned Cols = N / Pack;                     // columns of cells
  localparam int unsigned WeightBits = (Pack == 2) ? 18 : 9;   // of a cell, on its way to it
  localparam int unsigned YBits = 17 + $clog2(N);              // a sum of N products
  localparam int unsigned SumBits = (Pack == 2) ? YBits + 16 : YBits;
  localparam int unsigned InputReg = (PeStages == 3) ? 1 : 0;
  // Cycles from a row at x_data_i to its sums, all columns together: to the first cell, through two
  // registers of each row, along the row; and two to take the spill out.
  localparam int unsigned Through = 1 + InputReg + 1 + N + (Cols - 1) + ((Pack == 2) ? 2 : 0);
  localparam int unsigned Wait = array_latency(N, PeStages, 1) - Through;  // a packed row is shorter

  // ---- weights: a group's rows of each cell column, packed, then skewed -------------------------
  logic [4*WeightBits-1:0] w_column[Cols], w_entry[Cols], w_lane[Cols];
  for (genvar c = 0; c < Cols; c++) begin : gen_weight
    for (genvar j = 0; j < 4; j++) begin : gen_row
      logic [8:0] low;
      assign low = w_data_i[(j*N+Pack*c)*9+:9];
      if (Pack == 2) begin : gen_pack
        // 2^16 * w1 + w0: the bits between are the sign of w0, and borrow from w1
        logic [8:0] high;
        assign high = w_data_i[(j*N+Pack*c+1)*9+:9];
        assign w_column[c][j*WeightBits+:WeightBits] = {high + {9{low[8]}}, low};
      end else begin : gen_single
        assign w_column[c][j*WeightBits+:WeightBits] = low;
      end
    end
  end

  // With PeStages = 3 weights and swap are a cycle later, as the activation is in its block.
  localparam int unsigned Groups = N / 4;
  logic [Groups-1:0] write_entry;
  logic swap_entry;
  if (InputReg != 0) begin : gen_entry
    always_ff @(posedge clk_i) begin
      w_entry <= w_column;
      for (int unsigned g = 0; g < Groups; g++)
      write_entry[g] <= rst_ni & w_we_i & (w_group_i == GroupBits'(g));
      swap_entry <= rst_ni & x_swap_i;
    end
  end else begin : gen_no_entry
    assign w_entry = w_column;
    for (genvar g = 0; g < Groups; g++) begin : gen_group
      assign write_entry[g] = w_we_i & (w_group_i == GroupBits'(g));
    end
    assign swap_entry = x_swap_i;
  end

  ttpu_mxu_skew #(
      .N(Cols),
      .W(4 * WeightBits)
  ) i_weight_skew (
      .clk_i,
      .en_i(1'b1),
      .d_i (w_entry),
      .q_o (w_lane)
  );

  // ---- activations -------------------------------------------------------------------------------
  logic [8:0] lane[N];
  ttpu_mxu_skew #(
      .N(N),
      .W(9)
  ) i_skew (
      .clk_i,
      .en_i(1'b1),
      .d_i (x_data_i),
      .q_o (lane)
  );

  // ---- tokens: at cell column c in the cycle in which its registers load ------------------------
  logic [Groups-1:0] write_token[Cols];
  logic [N-1:0] swap_token[Cols];
  logic [N-1:0] swap_skew;
  if (1) begin : gen_tokens
    logic [N-1:1] skew_q;  // bit r: for row r, r cycles late
    always_ff @(posedge clk_i) skew_q <= rst_ni ? {skew_q[N-2:1], swap_entry} : '0;
    assign swap_skew = {skew_q, swap_entry};
  end
  for (genvar c = 0; c < Cols; c++) begin : gen_token
    if (c == 0) begin : gen_first
      assign write_token[0] = write_entry;
      assign swap_token[0] = swap_skew;
    end else begin : gen_next
      logic [Groups-1:0] write_q;
      logic [N-1:0] swap_q;
      always_ff @(posedge clk_i) begin
        write_q <= rst_ni ? write_token[c-1] : '0;
        swap_q <= rst_ni ? swap_token[c-1] : '0;
      end
      assign write_token[c] = write_q;
      assign swap_token[c] = swap_q;
    end
  end

  // ---- cells --------------------------------------------------------------------------------------
  logic [Pack*YBits-1:0] sums[Cols];  // a cell column's, the lower column in the low bits
  for (genvar c = 0; c < Cols; c++) begin : gen_column
    logic signed [SumBits-1:0] sum[N];
    for (genvar r = 0; r < N; r++) begin : gen_row
      logic signed [8:0] x_q;  // moves to the right
      if (c == 0) begin : gen_enter
        always_ff @(posedge clk_i) x_q <= lane[r];
      end else begin : gen_move
        always_ff @(posedge clk_i) x_q <= gen_column[c-1].gen_row[r].x_q;
      end

      logic [WeightBits-1:0] w;
      assign w = w_lane[c][(r%4)*WeightBits+:WeightBits];
      logic signed [SumBits-1:0] above;
      if (r == 0) begin : gen_top
        assign above = '0;
      end else begin : gen_below
        assign above = sum[r-1];
      end

      if (Pack == 2) begin : gen_pair
        localparam int unsigned SpillInBits = (r == 0) ? 1 : 1 + $clog2(r);
        logic signed [$clog2(r+1):0] spill;
        logic signed [SpillInBits-1:0] spill_above;
        if (r == 0) begin : gen_top
          assign spill_above = '0;
        end else begin : gen_below
          assign spill_above = gen_column[c].gen_row[r-1].gen_pair.spill;
        end
        ttpu_mxu_cell_pair #(
            .InputReg(InputReg),
            .Row(r),
            .SumBits(SumBits)
        ) i_cell (
            .clk_i,
            .write_i(write_token[c][r/4]),
            .swap_i(swap_token[c][r]),
            .w_i({w[17:9], {7{w[8]}}, w[8:0]}),
            .x_i(x_q),
            .t_i(above),
            .spill_i(spill_above),
            .t_o(sum[r]),
            .spill_o(spill)
        );
      end else begin : gen_mac
        ttpu_mxu_cell_mac #(
            .InputReg(InputReg),
            .SumBits (SumBits)
        ) i_cell (
            .clk_i,
            .write_i(write_token[c][r/4]),
            .swap_i(swap_token[c][r]),
            .w_i(w),
            .x_i(x_q),
            .sum_i(above),
            .sum_o(sum[r])
        );
      end
    end

    if (Pack == 2) begin : gen_split
      logic signed [SumBits-1:0] t_q;  // beside the spill
      logic signed [YBits-1:0] low_q, high_q;
      logic signed [YBits-17:0] spill;
      assign spill = gen_column[c].gen_row[N-1].gen_pair.spill;
      always_ff @(posedge clk_i) begin
        t_q <= sum[N-1];
        low_q <= {spill, t_q[15:0]};
        high_q <= t_q[SumBits-1:16] - YBits'(spill);
      end
      assign sums[c] = {high_q, low_q};
    end else begin : gen_one
      assign sums[c] = sum[N-1];
    end
  end

  // ---- sums: the left columns wait for the right ones, and a packed row for its latency -----------
  localparam int unsigned OutBits = Pack * YBits;
  logic [OutBits-1:0] last[Cols], skewed[Cols];
  for (genvar c = 0; c < Cols; c++) begin : gen_y
    assign last[Cols-1-c] = sums[c];  // lane d of the skew is cell column Cols-1-d
    logic [OutBits-1:0] y;
    if (Wait == 0) begin : gen_now
      assign y = skewed[Cols-1-c];
    end else begin : gen_wait
      logic [Wait*OutBits-1:0] wait_q;  // the youngest in the low bits
      always_ff @(posedge clk_i) wait_q <= (Wait * OutBits)'({wait_q, skewed[Cols-1-c]});
      assign y = wait_q[(Wait-1)*OutBits+:OutBits];
    end
    for (genvar p = 0; p < Pack; p++) begin : gen_out
      assign y_data_o[Pack*c+p] = 32'($signed(y[p*YBits+:YBits]));
    end
  end
  ttpu_mxu_skew #(
      .N(Cols),
      .W(OutBits)
  ) i_deskew (
      .clk_i,
      .en_i(1'b1),
      .d_i (last),
      .q_o (skewed)
  );

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && w_we_i) begin
      for (int unsigned i = 0; i < 4 * N; i++)
      assert (w_data_i[i*9+:9] != 9'h100)
      else $error("ttpu_mxu_array_dsp: a weight of -256");
    end
  end
`endif
endmodule
