// One multiply-add of the array ttpu_mxu_array_dsp, shaped as a DSP block has it: the second and
// the first weight register, the product, and the sum that comes from the cell above are all
// registers of the block; the sum may take its cascade.
//
// sum_o is sum_i + w * x, with x_i and sum_i given in the same cycle: from x_i in cycle t to sum_o
// in t + 2, sum_i taken in t + 1 (InputReg = 1: all one later). One product a cycle, no stall.
// write_i loads the second weight register at the end of the cycle, swap_i the first one from it,
// in time for the x_i of the next cycle (InputReg = 1: of this cycle).
module ttpu_mxu_cell_mac #(
    parameter int unsigned InputReg = 0,  // 1: x_i passes a register of the block
    parameter int unsigned SumBits  = 21
) (
    input  logic                      clk_i,
    input  logic                      write_i,
    input  logic                      swap_i,
    input  logic signed [        8:0] w_i,
    input  logic signed [        8:0] x_i,
    input  logic signed [SumBits-1:0] sum_i,
    output logic signed [SumBits-1:0] sum_o
);
  logic signed [8:0] second_q, weight_q, x;
  logic signed [17:0] product_q;
  logic signed [SumBits-1:0] sum_q;
  assign sum_o = sum_q;

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
    sum_q <= sum_i + SumBits'(product_q);
  end
endmodule
