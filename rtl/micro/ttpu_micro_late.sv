// Register behind the engine's adder: its word, or the bits of two operands that differ, by the comparison. One LUT4
// a bit, so that boards may map this module by itself (`apart`): the mapper knows the carries' wires badly, and would
// spend levels here. Three times, for the register file and both operands.
module ttpu_micro_late (
  input  logic        clk_i,
  input  logic        en_i,
  input  logic        on_i,       // else 0
  input  logic [31:0] sum_i,
  input  logic        use_sum_i,
  input  logic [31:0] differ_i,
  input  logic        less_i,     // none of them
  output logic [31:0] q_o
);
  always_ff @(posedge clk_i) begin
    if (en_i) q_o <= on_i ? (sum_i & {32{use_sum_i}}) ^ (differ_i & {32{!less_i}}) : '0;
  end
endmodule
