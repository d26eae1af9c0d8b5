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

  logic [31:0]         a_q;
  logic [2*Digits-1:0] pick_q;  // multiple for each digit: 0 1 2, 3 is -1
  logic [31:0]         high_q;  // sum so far, without the low bits that are done
  logic [35:0]         low_q;   // digits to come at the bottom, bits of the product at the top
  logic                carry_q, sticky_q, started_q;

  // The next digits, a step ahead, for speed. Digit + carry: 0 1 2 3 4 -> 0, 1, 2, -1 and carry, 0 and carry.
  logic [2*Digits-1:0] next, pick;
  logic                carry;
  assign next = first_i ? b_i[2*Digits-1:0] : low_q[4*Digits-1:2*Digits];
  always_comb begin
    carry = !first_i && carry_q;
    for (int unsigned d = 0; d < Digits; d++) begin
      pick[2*d+:2] = next[2*d+:2] + 2'(carry);
      carry = next[2*d+:2] == 2'd3 || (next[2*d+:2] == 2'd2 && carry);
    end
  end

  logic [31:0]         high;
  logic [2*Digits-1:0] done;    // bits of the product that this step finds
  always_comb begin
    high = high_q;
    for (int unsigned d = 0; d < Digits; d++) begin
      automatic logic [33:0] multiple;
      for (int unsigned i = 0; i < 34; i++) begin
        multiple[i] = pick_q[2*d+1]
            ? (pick_q[2*d] ? !a_q[i > 31 ? 31 : i] : i > 0 && a_q[i > 32 ? 31 : i - 1])
            : pick_q[2*d] && a_q[i > 31 ? 31 : i];
      end
      // One bit more at the bottom: -a is ~a + 1.
      {high, done[2*d+:2]} = 34'(({34'($signed(high)), 1'b1} + {multiple, &pick_q[2*d+:2]}) >> 1);
    end
  end

  always_ff @(posedge clk_i) begin
    if (first_i) a_q <= a_i;
    if (step_i) begin
      pick_q <= pick;
      carry_q <= carry;
      high_q <= first_i ? '0 : high;
      low_q <= first_i ? 36'($signed(b_i)) : {done, low_q[35:6]};
      // The bits of the product come in at the top; those of the first five steps are below bit 30.
      started_q <= !first_i;
      sticky_q <= started_q && !first_i && (sticky_q || low_q[35:30] != '0);
    end
  end
  assign product_o = {high_q[27:0], low_q};
  assign sign_o = high_q[31];
  assign sticky_o = sticky_q;
endmodule
