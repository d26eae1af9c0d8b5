// N x N weight-stationary systolic array with its skews.
//
// Rows: a row presented with x_valid_i in cycle t stands at y_data_o, all lanes together, in cycle
// t + N + FpStages*N + PeStages - 1. One row a cycle, no back-pressure. Lane r of x_data_i meets row r of the
// weights; lane c of y_data_o is the sum over column c. Rows of the two kinds (fp_i) must not be in
// the array together.
//
// Weights: w_we_i writes rows 4g..4g+3 of the second weight registers, g = w_group_i. The write
// moves along the columns one a cycle, as activations do. x_swap_i, given with a row, makes the
// second registers the first from that row on; it moves with the row.
//   A write of group g in cycle w is part of the tile that a swap in cycle s makes active if
//   w <= s - 1 + 4g*FpStages; it leaves the tile before alone if w >= s + (4g + 3)*FpStages.
//
// Elements come extended to ElemBits: bfloat16, or an integer of 9 bits sign-extended.
// Integer: sums modulo 2^32. Float: fp32 sums in the order of the rows, from +0.
//
// PeStages: 1 = multiply and add in one cycle, 2 = registered product, 3 = product in two cycles.
// FpStages: cycles of an addition, 1 or 4 (for FPGAs, with HasFp = 1, PeStages = 3 and N <= 32). A
// row's lanes enter so many cycles apart. With 4, two columns share an adder of floats: float rows
// must enter two or more cycles apart. Integers go through the same adder (of the left column), which
// holds the 23 bits that sums of N products need.
// MulStyle: MulOperator, or MulDigits (integer only, PeStages = 3), which recodes each weight at
// the array's edge into four digits of {-2, -1, 0, 1} and one of {0, 1}: a partial product then
// costs one 4-input LUT a bit, and the +1 of negative digits enter at free carry inputs.
//
// Element (r, c) of a PE array stands at (N-1-r)*N + (N-1-c), so that every move is an ascending
// loop of one level which the C++ compiler vectorises.
module ttpu_mxu_array
  import ttpu_fp_pkg::*;
  import ttpu_fp_pipe_pkg::*;
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned PeStages = 2,
    parameter int unsigned FpStages = 1,
    parameter int unsigned MulStyle = MulOperator,
    localparam int unsigned ElemBits = element_bits(HasFp),
    localparam int unsigned GroupBits = (N > 4) ? $clog2(N / 4) : 1
) (
    input logic clk_i,
    input logic rst_ni,

    // activations
    input logic                x_valid_i,
    input logic                x_swap_i,
    input logic                fp_i,         // kind of the rows from now on
    input logic [ElemBits-1:0] x_data_i [N],

    // weights
    input logic                    w_we_i,
    input logic [   GroupBits-1:0] w_group_i,
    input logic [4*N*ElemBits-1:0] w_data_i,   // row 4g + j, column c: element j*N + c

    // sums
    output logic [31:0] y_data_o[N]
);
  localparam int unsigned Cells = N * N;
  localparam int unsigned Latency = array_latency(N, PeStages, FpStages);
  localparam int unsigned CountBits = $clog2(Latency + 1);
  localparam int unsigned WeightBits = (MulStyle == MulDigits) ? 9 : ElemBits;

  // What moves: each part of the array stands still while nothing travels through it.
  // The counts run down from the latency; the flags beside them keep the enables shallow.
  logic [CountBits-1:0] row_count_q, swap_count_q, write_count_q;
  logic row_busy_q, swap_busy_q, write_busy_q;
  logic row_en, swap_en, write_en, fp_q, fp;
  // On an FPGA everything moves always: an enable at 15,000 flip-flops would cost more than it saves.
  localparam bit Always = FpStages != 1;
  assign row_en = Always | x_valid_i | row_busy_q;
  assign swap_en = Always | x_swap_i | swap_busy_q;
  assign write_en = Always | w_we_i | write_busy_q;
  assign fp = (HasFp != 0) & fp_q;  // nothing of a row works in the cycle in which it enters

  always_ff @(posedge clk_i) begin
    row_busy_q <= x_valid_i | (row_count_q > CountBits'(1));
    if (x_valid_i) row_count_q <= CountBits'(Latency);
    else if (row_busy_q) row_count_q <= row_count_q - 1'b1;

    swap_busy_q <= x_swap_i | (swap_count_q > CountBits'(1));
    if (x_swap_i) swap_count_q <= CountBits'(Latency);
    else if (swap_busy_q) swap_count_q <= swap_count_q - 1'b1;

    write_busy_q <= w_we_i | (write_count_q > CountBits'(1));
    if (w_we_i) write_count_q <= CountBits'(Latency);
    else if (write_busy_q) write_count_q <= write_count_q - 1'b1;

    if (x_valid_i) fp_q <= fp_i;
    if (!rst_ni) begin
      // tokens that the start left in the array are flushed
      row_count_q <= (FpStages == 1) ? '0 : CountBits'(Latency);
      row_busy_q <= FpStages != 1;
      swap_count_q <= CountBits'(Latency);
      swap_busy_q <= 1'b1;
      write_count_q <= CountBits'(Latency);
      write_busy_q <= 1'b1;
    end
  end

  // A weight of 9 bits as digits: bits 2j+1:2j are digit j modulo 4, bit 8 the last.
  function automatic logic [8:0] recode(input logic [8:0] w);
    logic carry;
    carry = 1'b0;
    for (int unsigned j = 0; j < 4; j++) begin
      recode[2*j] = w[2*j] ^ carry;
      recode[2*j+1] = w[2*j+1] ^ (w[2*j] & carry);
      carry = w[2*j+1] | (w[2*j] & carry);  // the digit is 2 or more: less 4, carry 1
    end
    recode[8] = carry ^ w[8];  // carry - sign, which is never -1
  endfunction

  // Bits of digit * x, less one if the digit is negative.
  function automatic logic [9:0] partial(input logic [8:0] x, input logic [1:0] digit);
    logic [9:0] one, two;
    one = {x[8], x};
    two = {x, 1'b0};
    unique case (digit)
      2'd0: partial = '0;
      2'd1: partial = one;
      2'd2: partial = ~two;
      default: partial = ~one;
    endcase
  endfunction

  // Two digits: (d0 + 4 d1) * x, less one if d0 is negative. The addition's carry input takes the
  // +1 of d1.
  function automatic logic [12:0] pair(input logic [8:0] x, input logic [3:0] digits);
    logic [9:0] p0, p1;
    logic [10:0] upper;
    logic unused;
    p0 = partial(x, digits[1:0]);
    p1 = partial(x, digits[3:2]);
    {upper, unused} = {{3{p0[9]}}, p0[9:2], 1'b1} + {p1[9], p1, digits[3]};
    pair = {upper, p0[1:0]};
  endfunction

  // The product less the +1 of digit 0: low + 16 high + 256 top + 16 carry.
  function automatic logic [31:0] join_parts(input logic [12:0] low, input logic [12:0] high,
                                             input logic [8:0] top, input logic carry);
    logic [8:0] upper;
    logic [12:0] all;
    logic unused;
    upper = high[12:4] + top;
    {all, unused} = {upper, high[3:0], 1'b1} + {{4{low[12]}}, low[12:4], carry};
    join_parts = {{15{all[12]}}, all, low[3:0]};
  endfunction

  function automatic logic [31:0] add_carry(input logic [31:0] a, input logic [31:0] b,
                                            input logic carry);
    logic unused;
    {add_carry, unused} = {a, 1'b1} + {b, carry};
  endfunction

  logic [ElemBits-1:0] lane[N];
  ttpu_mxu_skew #(
      .N(N),
      .W(ElemBits),
      .Step(FpStages)
  ) i_skew (
      .clk_i,
      .en_i(row_en),
      .d_i (x_data_i),
      .q_o (lane)
  );

  logic [4*WeightBits-1:0] w_column[N], w_lane[N];  // column c: rows 4g..4g+3, row 4g lowest
  for (genvar c = 0; c < N; c++) begin : gen_column
    for (genvar j = 0; j < 4; j++) begin : gen_row
      if (MulStyle == MulDigits)
        assign w_column[c][j*WeightBits+:WeightBits] = recode(w_data_i[(j*N+c)*ElemBits+:9]);
      else assign w_column[c][j*WeightBits+:WeightBits] = w_data_i[(j*N+c)*ElemBits+:ElemBits];
    end
  end
  ttpu_mxu_skew #(
      .N(N),
      .W(4 * WeightBits)
  ) i_weight_skew (
      .clk_i,
      .en_i(write_en),
      .d_i (w_column),
      .q_o (w_lane)
  );

  // The bottom row's sums, column N-1 in the low bits.
  logic [N*32-1:0] bottom_q;

  // Lane d of the last skew is column N-1-d: the left columns wait for the right ones.
  logic [31:0] y_last[N], y_skewed[N];
  ttpu_mxu_skew #(
      .N(N),
      .W(32)
  ) i_deskew (
      .clk_i,
      .en_i(row_en),
      .d_i (y_last),
      .q_o (y_skewed)
  );
  for (genvar c = 0; c < N; c++) begin : gen_y
    assign y_last[c]   = bottom_q[c*32+:32];
    assign y_data_o[c] = y_skewed[N-1-c];
  end

  // The swap meets lane r of its row, FpStages * r cycles late.
  localparam int unsigned SwapDelay = FpStages * (N - 1);
  logic swap_lane[N];
  logic [SwapDelay:1] swap_skew_q;  // bit FpStages * r: for lane r
  always_ff @(posedge clk_i) swap_skew_q <= rst_ni ? {swap_skew_q[SwapDelay-1:1], x_swap_i} : '0;
  assign swap_lane[0] = x_swap_i;
  for (genvar r = 1; r < N; r++) begin : gen_swap
    assign swap_lane[r] = swap_skew_q[FpStages*r];
  end

  logic [  ElemBits-1:0] x          [Cells];
  logic [WeightBits-1:0] weight     [Cells];  // first weight registers
  logic [WeightBits-1:0] second     [Cells];  // second weight registers
  logic [WeightBits-1:0] column     [  4*N];  // what a write offers to each column, as in `second`
  logic                  write_token[Cells];
  logic                  swap_token [Cells];
  logic [          31:0] sum        [Cells];

  // Products and, with PeStages = 3, what stands in the first register: a product, or the sums of
  // pairs of partial products with the carries that come later.
  logic [          31:0] product    [Cells];
  logic [          31:0] early      [Cells];
  logic [12:0] low[Cells], high[Cells];
  logic [8:0] top[Cells];
  logic [1:0] carries[Cells];  // +1 of digits 0 and 2
  logic carry_last[Cells];     // +1 of digit 0, beside the product

  // With FpStages = 4 two columns next to each other are a pair: cells 2p+1 (left) and 2p (right).
  // They share a floating-point unit, in which the right one works a cycle after the left one; the
  // left one's integers go through it too, the right one has a multiplier and an adder for its own.
  localparam int unsigned Pairs = (FpStages == 1) ? 1 : Cells / 2;
  logic                row_token[Cells];  // a row is here
  logic                turn     [Pairs];  // of the right one
  logic [ElemBits-1:0] pair_x   [Pairs];
  logic [ElemBits-1:0] pair_w   [Pairs];
  logic [23:0] factor[Pairs];
  logic [12:0] exponent[Pairs];
  logic [31:0] above[Pairs];  // the sum before this clock edge
  logic [31:0] larger1[Pairs], larger2[Pairs], larger3[Pairs];
  logic [32:0] part1[Pairs];
  logic [31:0] part2[Pairs];
  logic [34:0] part3[Pairs];
  logic [17:0] right_factor[Pairs];
  logic [22:0] right_product[Pairs], right1[Pairs], right2[Pairs], right3[Pairs], right_sum[Pairs];
  logic [22:0] right_above[Pairs];

  // The token of a row meets its lane r, FpStages * r cycles late.
  logic [SwapDelay:0] row_way;
  logic [SwapDelay:1] row_way_q;
  assign row_way = {row_way_q, x_valid_i};
  always_ff @(posedge clk_i) row_way_q <= rst_ni ? row_way[SwapDelay-1:0] : '0;

  // The kind of the rows comes to pair q of row r of the array FpStages * r + q cycles late, a row of
  // activations 2q: so no net of it reaches far.
  localparam int unsigned KindDelay = SwapDelay + N / 2 - 1;
  logic kind[Pairs];
  logic [KindDelay:0] kind_way;
  logic [KindDelay:1] kind_way_q;
  assign kind_way = {kind_way_q, fp};
  always_ff @(posedge clk_i) kind_way_q <= kind_way[KindDelay-1:0];
  for (genvar p = 0; p < Pairs; p++) begin : gen_kind
    localparam int unsigned Back = Pairs - 1 - p;
    assign kind[p] = kind_way[(FpStages == 1) ? 0 : FpStages * (Back / (N / 2)) + Back % (N / 2)];
  end

  // Consumers stand before producers: every right-hand side is the value before the clock edge.
  always_ff @(posedge clk_i) begin
    if (row_en) begin
      // multiply and add
      if (MulStyle == MulDigits) begin
        for (int unsigned i = 0; i < Cells - N; i++)
        sum[i] = add_carry(sum[i+N], product[i], carry_last[i]);
        for (int unsigned i = Cells - N; i < Cells; i++)
        sum[i] = add_carry(32'd0, product[i], carry_last[i]);
        for (int unsigned i = 0; i < Cells; i++) begin
          product[i] = join_parts(low[i], high[i], top[i], carries[i][1]);
          carry_last[i] = carries[i][0];
          low[i] = pair(x[i][8:0], weight[i][3:0]);
          high[i] = pair(x[i][8:0], weight[i][7:4]);
          top[i] = weight[i][8] ? x[i][8:0] : '0;
          carries[i] = {weight[i][5], weight[i][1]};
        end
      end else if (FpStages == 4) begin
        for (int unsigned p = 0; p < Pairs; p++) above[p] = sum[p];
        for (int unsigned p = 0; p < N / 2; p++)  // leaves the array
        sum[p] = add_settle(larger3[p][31:23], part3[p], kind[p]);
        for (int unsigned p = N / 2; p < Pairs - N / 2; p++)
        sum[p] = add_round(larger3[p][31:23], part3[p], kind[p]);
        for (int unsigned p = Pairs - N / 2; p < Pairs; p++) sum[p] = larger3[p];
        for (int unsigned p = 0; p < Pairs; p++) larger3[p] = larger2[p];
        for (int unsigned p = 0; p < Pairs - N / 2; p++) part3[p] = add_normalise(part2[p], kind[p]);
        for (int unsigned p = 0; p < Pairs; p++) larger2[p] = larger1[p];
        for (int unsigned p = 0; p < Pairs - N / 2; p++)
        part2[p] = add_sum(larger1[p][22:0], part1[p], kind[p]);
        for (int unsigned p = 0; p < Pairs - N / 2; p++)
        larger1[p] = add_larger(above[p+N/2], product[p], kind[p]);
        for (int unsigned p = 0; p < Pairs - N / 2; p++)
        part1[p] = add_order(above[p+N/2], product[p], kind[p]);
        for (int unsigned p = Pairs - N / 2; p < Pairs; p++)  // +0 + product
        larger1[p] = (kind[p] && product[p][30:23] == 8'd0) ? 32'd0 : product[p];
        for (int unsigned p = 0; p < Pairs; p++)
        product[p] = pe_product(factor[p], exponent[p], kind[p]);
        // the right column's row, if there is one
        for (int unsigned p = 0; p < Pairs; p++) pair_x[p] = turn[p] ? x[2*p] : x[2*p+1];
        for (int unsigned p = 0; p < Pairs; p++)
        pair_w[p] = turn[p] ? weight[2*p] : weight[2*p+1];
        for (int unsigned p = 0; p < Pairs; p++)
        factor[p] = pe_multiply(pair_x[p][8:0], pair_w[p][8:0], kind[p]);
        for (int unsigned p = 0; p < Pairs; p++)
        exponent[p] = pe_exponent(16'(pair_x[p]), 16'(pair_w[p]));
        // the right column's integers (of float rows: nobody looks)
        for (int unsigned p = 0; p < Pairs; p++) right_above[p] = right_sum[p];
        for (int unsigned p = 0; p < Pairs; p++) right_sum[p] = right3[p];
        for (int unsigned p = 0; p < Pairs; p++) right3[p] = right2[p];
        for (int unsigned p = 0; p < Pairs; p++) right2[p] = right1[p];
        for (int unsigned p = 0; p < Pairs - N / 2; p++)
        right1[p] = right_above[p+N/2] + right_product[p];
        for (int unsigned p = Pairs - N / 2; p < Pairs; p++) right1[p] = right_product[p];
        for (int unsigned p = 0; p < Pairs; p++)
        right_product[p] = {{5{right_factor[p][17]}}, right_factor[p]};
        for (int unsigned p = 0; p < Pairs; p++)
        right_factor[p] = 18'($signed(x[2*p][8:0])) * 18'($signed(weight[2*p][8:0]));
      end else if (fp) begin
        if (PeStages == 1)
          for (int unsigned i = 0; i < Cells; i++) product[i] = bf16_mul(16'(x[i]), 16'(weight[i]));
        for (int unsigned i = 0; i < Cells - N; i++) sum[i] = fp32_add(sum[i+N], product[i]);
        for (int unsigned i = Cells - N; i < Cells; i++)  // +0 + product
        sum[i] = (product[i] == 32'h8000_0000) ? 32'd0 : product[i];
        if (PeStages == 3) begin
          for (int unsigned i = 0; i < Cells; i++) product[i] = early[i];
          for (int unsigned i = 0; i < Cells; i++) early[i] = bf16_mul(16'(x[i]), 16'(weight[i]));
        end
        if (PeStages == 2)
          for (int unsigned i = 0; i < Cells; i++) product[i] = bf16_mul(16'(x[i]), 16'(weight[i]));
      end else begin
        if (PeStages == 1)
          for (int unsigned i = 0; i < Cells; i++)
          product[i] = 32'($signed(x[i])) * 32'($signed(weight[i]));
        for (int unsigned i = 0; i < Cells - N; i++) sum[i] = sum[i+N] + product[i];
        for (int unsigned i = Cells - N; i < Cells; i++) sum[i] = product[i];
        if (PeStages == 3) begin
          for (int unsigned i = 0; i < Cells; i++) product[i] = early[i];
          for (int unsigned i = 0; i < Cells; i++)
          early[i] = 32'($signed(x[i])) * 32'($signed(weight[i]));
        end
        if (PeStages == 2)
          for (int unsigned i = 0; i < Cells; i++)
          product[i] = 32'($signed(x[i])) * 32'($signed(weight[i]));
      end
      if (FpStages == 1) begin
        for (int unsigned i = 0; i < N; i++) bottom_q[i*32+:32] <= sum[i];
      end else begin
        // column N-1-i: the odd ones are the right of a pair
        for (int unsigned i = 0; i < N; i += 2) begin
          bottom_q[i*32+:32] <= kind[i/2] ? sum[i/2] : 32'($signed(right_sum[i/2]));
          bottom_q[i*32+32+:32] <= kind[i/2] ? sum[i/2] : 32'($signed(sum[i/2][22:0]));
        end
      end
    end

    // the swap enters beside lane 0 of its row; a token's arrival loads the first register
    if (swap_en) begin
      for (int unsigned i = 0; i < Cells - 1; i++) swap_token[i] = swap_token[i+1];
      for (int unsigned r = 0; r < N; r++) swap_token[(N-1-r)*N+N-1] = swap_lane[r];
      for (int unsigned i = 0; i < Cells; i++) weight[i] = swap_token[i] ? second[i] : weight[i];
    end

    // activations move to the right
    if (row_en) begin
      if (FpStages == 4) begin
        for (int unsigned i = 0; i < Cells - 1; i++) row_token[i] = row_token[i+1];
        for (int unsigned r = 0; r < N; r++) row_token[(N-1-r)*N+N-1] = row_way[FpStages*r];
        for (int unsigned p = 0; p < Pairs; p++) turn[p] = kind[p] & row_token[2*p];
      end
      for (int unsigned i = 0; i < Cells - 1; i++) x[i] = x[i+1];
      for (int unsigned r = 0; r < N; r++) x[(N-1-r)*N+N-1] = lane[r];
    end

    // a write moves along the columns, each column's data beside it
    if (write_en) begin
      for (int unsigned i = 0; i < Cells - 1; i++) write_token[i] = write_token[i+1];
      for (int unsigned r = 0; r < N; r++)
      write_token[(N-1-r)*N+N-1] = w_we_i & (w_group_i == GroupBits'(r / 4));
      for (int unsigned i = 0; i < 4 * N; i++)
      column[i] = w_lane[N-1-(i%N)][(3-i/N)*WeightBits+:WeightBits];
      for (int unsigned g = 0; g < N / 4; g++)
      for (int unsigned i = 0; i < 4 * N; i++)
      second[g*4*N+i] = write_token[g*4*N+i] ? column[i] : second[g*4*N+i];
    end
  end
endmodule
