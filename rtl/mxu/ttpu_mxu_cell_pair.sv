// Two multiply-adds of the array ttpu_mxu_array_dsp in one 25 x 18 multiplier: columns 2j and
// 2j + 1, which share the activation x.
//
// w_i is 2^16 * w1 + w0, so the product is 2^16 * (w1 * x) + w0 * x, and the sum over the rows
//   T = 2^16 * H + L,  H = sum of w1 * x,  L = sum of w0 * x.
// L does not fit the 16 bits below H: its upper part U = floor(L / 2^16) has been added to H. U is
// counted beside the DSP block, and taken out again below the last row:
//   L = 2^16 * U + T[15:0],  H = (T >> 16) - U.
// A product w0 * x of bytes of either sign is above -2^15 and below 2^16, so a row changes U by -1, 0 or 1.
// It is 1 off if bit 16 of T is not what H alone would make of it, T_before[16] ^ (w1 & x)[0]; and
// the change is then -1 if w0 and x differ in sign, else +1. So the count is exact for all rows.
//
// Bits: w0, w1, x are -128..255. H of `Rows` rows fits 17 + log2(Rows), U of the rows up to this
// one 1 + log2 of them.
//
// Timing of x_i, t_i, write_i, swap_i as in ttpu_mxu_cell_mac; spill_o, which belongs to t_o, is one
// cycle later than it, and so is spill_i later than t_i.
module ttpu_mxu_cell_pair #(
    parameter int unsigned InputReg = 0,   // 1: x_i passes a register of the block
    parameter int unsigned Row = 0,        // 0 is the top row, which has no t_i, spill_i
    parameter int unsigned SumBits = 37,   // 16 + 17 + log2(rows)
    localparam int unsigned SpillBits = 1 + $clog2(Row + 1),
    localparam int unsigned SpillInBits = (Row == 0) ? 1 : 1 + $clog2(Row)
) (
    input  logic                          clk_i,
    input  logic                          write_i,
    input  logic                          swap_i,
    input  logic signed [           24:0] w_i,
    input  logic signed [            8:0] x_i,
    input  logic signed [    SumBits-1:0] t_i,
    input  logic signed [SpillInBits-1:0] spill_i,
    output logic signed [    SumBits-1:0] t_o,
    output logic signed [  SpillBits-1:0] spill_o
);
  // ---- in the DSP block ----
  logic signed [24:0] second_q, weight_q;
  logic signed [8:0] x;
  logic signed [33:0] product_q;
  logic signed [SumBits-1:0] t_q;
  assign t_o = t_q;

  if (InputReg != 0) begin : gen_input_reg
    logic signed [8:0] x_q;
    always_ff @(posedge clk_i) x_q <= x_i;
    assign x = x_q;
  end else begin : gen_direct
    assign x = x_i;
  end

  always_ff @(posedge clk_i) begin
    if (write_i) second_q <= w_i;
    if (swap_i) weight_q <= second_q;
    product_q <= weight_q * x;
    t_q <= t_i + SumBits'(product_q);
  end

  // ---- beside it ----
  // The weights' bits that the count needs are kept once more: those in the block have no way out.
  logic second_negative_q, second_odd_q, negative_q, odd_q;  // w0 < 0, w1 odd
  logic differ_q, differ_q2;                                 // w0 and x in sign
  logic flip_q;                                              // H would change bit 16 of T
  logic expected_q;                                          // bit 16 of T without a spill
  logic spilled;
  logic signed [SpillBits-1:0] spill_q;
  assign spill_o = spill_q;
  assign spilled = t_q[16] ^ expected_q;

  always_ff @(posedge clk_i) begin
    if (write_i) {second_negative_q, second_odd_q} <= {w_i[15], w_i[16] ^ w_i[15]};
    if (swap_i) {negative_q, odd_q} <= {second_negative_q, second_odd_q};
    differ_q <= negative_q ^ x[8];
    flip_q <= odd_q & x[0];
    differ_q2 <= differ_q;
    expected_q <= flip_q ^ t_i[16];
    if (Row == 0) spill_q <= SpillBits'($signed(spilled));  // a product alone: -1 or 0
    else spill_q <= SpillBits'(spill_i) + SpillBits'($signed({spilled & differ_q2, spilled}));
  end
endmodule
