// Last steps of the engine's result: where the mask is, the adder or what came early, or the smaller or
// greater operand; elsewhere the shifter's word. The last step is one LUT4 a bit.
module ttpu_micro_join (
  input  logic [31:0] rotated_i,
  input  logic [31:0] mask_i,
  input  logic [31:0] early_i,
  input  logic [31:0] sum_i,
  input  logic        use_sum_i,
  input  logic [31:0] a_i,
  input  logic [31:0] bx_i,     // inverted
  input  logic        choose_i, // a or b
  input  logic        pick_a_i, //   which
  output logic [31:0] y_o
);
  logic [31:0] masked, choice;
  assign masked = early_i | (sum_i & {32{use_sum_i}});
  assign choice = (pick_a_i ? a_i : ~bx_i) & {32{choose_i}};
  assign y_o = (mask_i & (masked | choice)) | (~mask_i & rotated_i);
endmodule
