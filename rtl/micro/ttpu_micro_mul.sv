// Sequential multiplier, 32 x 32 bits signed. In the cycle of first_i it takes a_i and b_i. Each of 6 cycles of step_i (the cycle of first_i is none of them)
// takes three digits of b, lowest first, from {-1, 0, 1, 2}: a digit 3 is -1 and a carry. A digit's
// multiple of a is then one LUT4 a bit, its adder another. After them, in the next cycle:
// product_o = a * b, exact in 64 bits, and sticky_o = product_o[29:0] != 0. Both stay until the next
// step_i.
module ttpu_micro_mul (
  input  logic        clk_i,
  input  logic        first_i,   // with step_i
  input  logic        step_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [63:0] product_o,
  output logic        sign_o,    // of the product
  output logic        sticky_o
);
  localparam int unsigned Digits = 3;  // a cycle

  logic [31:0] a_q;
  logic [31:0] high_q;   // sum so far, without the low bits that are done
  logic [35:0] low_q;    // digits to come at the bottom, bits of the product at the top
  logic        carry_q, sticky_q, started_q;

  logic [31:0]         high;
  logic [2*Digits-1:0] done;   // bits of the product that this step finds
  logic                carry;
  always_comb begin
    high = high_q;
    carry = carry_q;
    for (int unsigned d = 0; d < Digits; d++) begin
      // Digit + carry: 0 1 2 3 4 -> multiples 0, 1, 2, -1 and carry, 0 and carry.
      automatic logic [1:0]  digit = low_q[2*d+:2];
      automatic logic [1:0]  pick = digit + 2'(carry);  // multiple 0 1 2, 3 is -1
      automatic logic [33:0] multiple;
      for (int unsigned i = 0; i < 34; i++) begin
        multiple[i] = pick[1] ? (pick[0] ? !a_q[i > 31 ? 31 : i] : i > 0 && a_q[i > 32 ? 31 : i - 1])
            : pick[0] && a_q[i > 31 ? 31 : i];
      end
      {high, done[2*d+:2]} = 34'(({34'($signed(high)), 1'b1} + {multiple, pick == 2'd3}) >> 1);
      carry = digit == 2'd3 || (digit == 2'd2 && carry);
    end
  end

  always_ff @(posedge clk_i) begin
    if (first_i) a_q <= a_i;
    if (step_i) begin
      high_q <= first_i ? '0 : high;
      low_q <= first_i ? 36'($signed(b_i)) : {done, low_q[35:6]};
      carry_q <= !first_i && carry;
      // The bits of the product come in at the top; those of the first five steps are below bit 30.
      started_q <= !first_i;
      sticky_q <= started_q && !first_i && (sticky_q || low_q[35:30] != '0);
    end
  end
  assign product_o = {high_q[27:0], low_q};
  assign sign_o = high_q[31];
  assign sticky_o = sticky_q;
endmodule
