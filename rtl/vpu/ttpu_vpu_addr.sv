// Walks the rows of one stream: address of row (i0, i1, i2) = start + i0*s0 + i1*s1 + i2*s2.
//
// load_i sets the start; step_i goes to the next row (roll0_i: dimension 0 ends with this row,
// roll1_i: dimension 1 too). addr_o is the address of the current row, outer1_o the one with i0 =
// 0, outer2_o with i0 = i1 = 0. Strides are in bytes or rows, modulo 2^32. No reset: load_i comes
// first.
module ttpu_vpu_addr (
    input  logic        clk_i,
    input  logic        load_i,
    input  logic [31:0] start_i,
    input  logic        step_i,
    input  logic        roll0_i,
    input  logic        roll1_i,
    input  logic [31:0] s0_i,
    input  logic [31:0] s1_i,
    input  logic [31:0] s2_i,
    output logic [31:0] addr_o,
    output logic [31:0] outer1_o,
    output logic [31:0] outer2_o
);
  logic [31:0] next;

  always_comb begin
    if (!roll0_i) next = addr_o + s0_i;
    else if (!roll1_i) next = outer1_o + s1_i;
    else next = outer2_o + s2_i;
  end

  always_ff @(posedge clk_i) begin
    if (load_i) begin
      addr_o <= start_i;
      outer1_o <= start_i;
      outer2_o <= start_i;
    end else if (step_i) begin
      addr_o <= next;
      if (roll0_i) outer1_o <= next;
      if (roll0_i && roll1_i) outer2_o <= next;
    end
  end
endmodule
