// Packer of the engine: N bytes. put_i clamps a word to a byte and puts it at the top, all others move
// down by one; take_i turns them by four bytes, so that the next four are at the bottom. Limits: -128, or 0
// if bit 0 of what limits_we_i wrote is set; 127, or 255 with bit 1. All three act at the end of their cycle.
module ttpu_micro_pack #(
  parameter int unsigned N = 4  // a multiple of 4
) (
  input  logic        clk_i,
  input  logic        limits_we_i,
  input  logic        put_i,
  input  logic        take_i,
  input  logic [31:0] value_i,  // also the limits
  output logic [31:0] word_o    // the lowest four bytes
);
  logic [8*N-1:0] bytes_q;
  logic [1:0]     limits_q;

  logic       negative, near, keep, zero;  // near: bits 31 to 8 are all the same
  logic [7:0] clamped;
  assign negative = value_i[31];
  assign near = value_i[30:8] == {23{negative}};
  assign keep = near && (value_i[7] == negative || (limits_q[1] && !negative));
  assign zero = negative && limits_q[0];
  always_comb begin
    clamped = keep ? value_i[7:0] : {negative || limits_q[1], {7{!negative}}};
    if (zero) clamped = '0;
  end

  always_ff @(posedge clk_i) begin
    if (limits_we_i) limits_q <= value_i[1:0];
    if (put_i) bytes_q <= {clamped, bytes_q[8*N-1:8]};
    else if (take_i) bytes_q <= (8*N)'({bytes_q[31:0], bytes_q} >> 32);
  end
  assign word_o = bytes_q[31:0];
endmodule
