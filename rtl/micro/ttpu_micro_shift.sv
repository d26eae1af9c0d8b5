// Shifter of the engine, combinational: a rotator to the right by 0..31 and a mask. Left by s is a
// rotation by 32 - s with the low s bits masked.
// off_i gives 0, so that results can be joined by OR.
module ttpu_micro_shift (
  input  logic [31:0] a_i,
  input  logic [4:0]  amount_i,
  input  logic        off_i,
  input  logic        left_i,
  input  logic        byte_i,    // byte at amount_i (a multiple of 8), extended by fill_i
  input  logic        fill_i,    // bit for masked places
  output logic [31:0] y_o,
  output logic        out_msb_o, // the last bit that a shift to the right dropped (amount > 0)
  output logic        out_or_o   // OR of the bits dropped before it
);
  // ---- rotate to the right ----------------------------------------------------------------------
  logic [4:0]  rotate;
  logic [31:0] r0, r1, r2, r3, r4;
  assign rotate = left_i ? -amount_i : amount_i;
  assign r0 = rotate[0] ? {a_i[0], a_i[31:1]} : a_i;
  assign r1 = rotate[1] ? {r0[1:0], r0[31:2]} : r0;
  assign r2 = rotate[2] ? {r1[3:0], r1[31:4]} : r1;
  assign r3 = rotate[3] ? {r2[7:0], r2[31:8]} : r2;
  assign r4 = rotate[4] ? {r3[15:0], r3[31:16]} : r3;

  // ---- mask: bit i is top if i + (amount, or 32 - amount to the left) >= 32 ----------------------
  logic [2:0]  low_n;
  logic [3:0]  full;     // byte h is all top
  logic [3:0]  part;     // byte h is top from bit 8 - low_n on
  logic [31:0] top;
  logic        wrap;
  assign low_n = rotate[2:0];
  assign wrap = left_i && amount_i == '0;
  for (genvar h = 0; h < 4; h++) begin : gen_byte
    // Whole bytes of the rotation: 4 where a shift to the left by 0 rotates by 32.
    logic above;
    if (h == 0) begin : gen_lowest
      assign above = 1'b0;
    end else begin : gen_higher
      assign above = rotate[4:3] > 2'(3 - h);
    end
    assign full[h] = off_i || (byte_i ? h > 0 : wrap || above);
    assign part[h] = !byte_i && rotate[4:3] == 2'(3 - h);
    for (genvar l = 0; l < 8; l++) begin : gen_bit
      logic in_part;
      if (l == 0) begin : gen_none
        assign in_part = 1'b0;
      end else begin : gen_some
        assign in_part = 4'(low_n) >= 4'(8 - l);
      end
      assign top[8*h+l] = full[h] || (part[h] && in_part);
    end
  end

  always_comb begin
    // Bit i falls out before the last one if i + 1 < amount: seen in the mask from its other end.
    out_or_o = 1'b0;
    for (int unsigned i = 0; i < 32; i++) begin
      y_o[i] = (top[i] ^ left_i) ? fill_i : r4[i];
      if (i < 31) out_or_o = out_or_o || (a_i[i] && top[30-i]);
    end
  end
  assign out_msb_o = r4[31];

endmodule
