// Last step of the engine's result: the shifter's word with its masked places filled, or what x_i
// gives. One LUT4 a bit.
module ttpu_micro_join (
  input  logic [31:0] rotated_i,
  input  logic [31:0] mask_i,
  input  logic        fill_i,
  input  logic [31:0] x_i,
  output logic [31:0] y_o
);
  assign y_o = (rotated_i & ~mask_i) | (mask_i & {32{fill_i}}) | x_i;
endmodule
