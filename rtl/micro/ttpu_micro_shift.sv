// Shifter of the engine, combinational: a rotator to the right by 0..31 and a mask of the places
// that are to be filled. To the left by s is a rotation by 32 - s with the low s places masked.
// off_i masks all places. The mask is not made from the rotation, for speed.
module ttpu_micro_shift (
  input  logic [31:0] a_i,
  input  logic [4:0]  amount_i,
  input  logic        off_i,
  input  logic        left_i,
  input  logic        byte_i,    // only the byte at amount_i, a multiple of 8
  output logic [31:0] rotated_o, // bit 31, to the right, amount > 0: the last bit that was dropped
  output logic [31:0] mask_o
);
  // -amount to the left: a bit is inverted if there is a 1 below it.
  logic [4:0] rotate;
  assign rotate[0] = amount_i[0];
  for (genvar i = 1; i < 5; i++) begin : gen_rotate
    assign rotate[i] = amount_i[i] ^ (left_i && amount_i[i-1:0] != '0);
  end
  logic [31:0] r0, r1, r2, r3;
  assign r0 = rotate[0] ? {a_i[0], a_i[31:1]} : a_i;
  assign r1 = rotate[1] ? {r0[1:0], r0[31:2]} : r0;
  assign r2 = rotate[2] ? {r1[3:0], r1[31:4]} : r1;
  assign r3 = rotate[3] ? {r2[7:0], r2[31:8]} : r2;
  assign rotated_o = rotate[4] ? {r3[15:0], r3[31:16]} : r3;

  logic [31:0] below;  // bit i: i < amount
  for (genvar h = 0; h < 4; h++) begin : gen_byte
    for (genvar l = 0; l < 8; l++) begin : gen_bit
      logic above, inside_byte;
      if (h == 3) begin : gen_highest
        assign above = 1'b0;
      end else begin : gen_lower
        assign above = amount_i[4:3] > 2'(h);
      end
      if (l == 7) begin : gen_last
        assign inside_byte = 1'b0;
      end else begin : gen_inner
        assign inside_byte = amount_i[4:3] == 2'(h) && amount_i[2:0] > 3'(l);
      end
      assign below[8*h+l] = above || inside_byte;
    end
  end

  always_comb begin
    for (int unsigned i = 0; i < 32; i++) begin
      mask_o[i] = off_i || (byte_i && i >= 8) || (left_i ? below[i] : below[31-i]);
    end
  end
endmodule
