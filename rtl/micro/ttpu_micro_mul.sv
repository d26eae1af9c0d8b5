// Sequential multiplier, 32 x 32 bits signed. In the cycle of first_i it takes a_i and b_i. Each of 4
// cycles of step_i (the cycle of first_i is none of them) takes four digits of b, lowest first, from
// {-1, 0, 1, 2}: a digit 3 is -1 and a carry. A digit's multiple of a is then one LUT4 a bit, its adder
// another. The last digit has b's sign: it is from {-2, -1, 0, 1, 2}. After them, in the next cycle:
// product_o = a * b, exact in 64 bits, and sticky_o = product_o[29:0] != 0. Both stay until the next
// step_i.
module ttpu_micro_mul (
  input  logic        clk_i,
  input  logic        first_i,   // with step_i
  input  logic        step_i,
  input  logic [31:0] a_i,
  input  logic [31:0] b_i,
  output logic [63:0] product_o,
  output logic        sticky_o
);
  localparam int unsigned Digits = 4;  // a cycle

  logic [31:0]         a_q;
  logic [2*Digits-1:2] pick_q;    // multiple for each digit but the lowest: 0 1 2, 3 is -1
  logic                invert_q;  // of the highest digit, the multiple 1 or 2 is -1 or -2
  logic [31:0]         high_q;    // sum so far, without the low bits that are done
  logic [31:0]         low_q;     // digits to come at the bottom, bits of the product at the top
  logic [1:0]          steps_q;   // done
  logic                carry_q, sticky_q;

  // The next digits, a step ahead, for speed. Digit + carry: 0 1 2 3 4 -> 0, 1, 2, -1 and carry, 0 and carry.
  logic [2*Digits-1:0] next, pick;
  logic                carry, invert;
  assign next = first_i ? b_i[2*Digits-1:0] : low_q[4*Digits-1:2*Digits];
  always_comb begin
    carry = !first_i && carry_q;
    for (int unsigned d = 0; d < Digits; d++) begin
      pick[2*d+:2] = next[2*d+:2] + 2'(carry);
      carry = next[2*d+:2] == 2'd3 || (next[2*d+:2] == 2'd2 && carry);
    end
    // The last of all: 2 is -2 if b is negative.
    invert = pick[2*Digits-1] && (pick[2*Digits-2] || (steps_q == 2'd2 && !first_i && next[2*Digits-1]));
    pick[2*Digits-1] = pick[2*Digits-1] && !pick[2*Digits-2];
  end

  function automatic logic [33:0] multiple_of(logic [1:0] digit, logic [31:0] a);
    for (int unsigned i = 0; i < 34; i++) begin
      multiple_of[i] = digit[1]
          ? (digit[0] ? !a[i > 31 ? 31 : i] : i > 0 && a[i > 32 ? 31 : i - 1])
          : digit[0] && a[i > 31 ? 31 : i];
    end
  endfunction

  // Digits 0 and 1 go to the sum one after the other, 2 and 3 together: three adders in a row, not four. The
  // first adder's multiple is made a step ahead, the others meanwhile.
  logic [33:0]         multiple_q;  // of digit 0
  logic                negative_q;
  logic [33:0]         multiple [Digits];
  logic [Digits-1:0]   negative;    // -a is ~a + 1: one more at the bottom
  logic [33:0]         sum_0, sum_1;
  logic [35:0]         pair, sum_3;
  always_comb begin
    multiple[0] = multiple_q;
    negative[0] = negative_q;
    for (int unsigned d = 1; d < Digits; d++) begin
      multiple[d] = multiple_of(pick_q[2*d+:2], a_q);
      negative[d] = d == Digits - 1 ? invert_q : &pick_q[2*d+:2];
    end
    multiple[Digits-1] ^= {34{invert_q}};
    sum_0 = 34'(({34'($signed(high_q)), 1'b1} + {multiple[0], negative[0]}) >> 1);
    sum_1 = 34'(({34'($signed(sum_0[33:2])), 1'b1} + {multiple[1], negative[1]}) >> 1);
    pair = 36'(({36'($signed(multiple[2])), 1'b1} + {multiple[3], {3{negative[3]}}}) >> 1);
    sum_3 = 36'(({36'($signed(sum_1[33:2])), 1'b1} + {pair, negative[2]}) >> 1);
  end
  logic [31:0]         high;
  logic [2*Digits-1:0] done;  // bits of the product that this step finds
  assign high = sum_3[35:4];
  assign done = {sum_3[3:0], sum_1[1:0], sum_0[1:0]};

  always_ff @(posedge clk_i) begin
    if (first_i) a_q <= a_i;
    if (step_i) begin
      pick_q <= pick[2*Digits-1:2];
      multiple_q <= multiple_of(pick[1:0], first_i ? a_i : a_q);
      negative_q <= &pick[1:0];
      invert_q <= invert;
      carry_q <= carry;
      high_q <= first_i ? '0 : high;
      low_q <= first_i ? b_i : {done, low_q[31:8]};
      steps_q <= first_i ? '0 : steps_q + 1'b1;
      // The bits of the product come in at the top.
      sticky_q <= steps_q != '0 && !first_i && (sticky_q || low_q[31:24] != '0);
    end
  end
  assign product_o = {high_q, low_q};
  assign sticky_o = sticky_q || low_q[29:24] != '0;
endmodule
