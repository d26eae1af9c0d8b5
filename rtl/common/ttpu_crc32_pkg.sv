// CRC-32 with the polynomial of IEEE 802.3, highest bit first, start value 0.
// NibbleTable[16 * k + n] is n * x^(4 * k + 32) modulo the polynomial: a step of 32 bits is eight
// look-ups. The bench of ttpu_crc32 computes the same bit by bit.
package ttpu_crc32_pkg;
  localparam logic [31:0] Polynomial = 32'h04c1_1db7;
  localparam logic [31:0] NibbleTable [128] = '{
    32'h00000000, 32'h04c11db7, 32'h09823b6e, 32'h0d4326d9, 32'h130476dc, 32'h17c56b6b,
    32'h1a864db2, 32'h1e475005, 32'h2608edb8, 32'h22c9f00f, 32'h2f8ad6d6, 32'h2b4bcb61,
    32'h350c9b64, 32'h31cd86d3, 32'h3c8ea00a, 32'h384fbdbd, 32'h00000000, 32'h4c11db70,
    32'h9823b6e0, 32'hd4326d90, 32'h34867077, 32'h7897ab07, 32'haca5c697, 32'he0b41de7,
    32'h690ce0ee, 32'h251d3b9e, 32'hf12f560e, 32'hbd3e8d7e, 32'h5d8a9099, 32'h119b4be9,
    32'hc5a92679, 32'h89b8fd09, 32'h00000000, 32'hd219c1dc, 32'ha0f29e0f, 32'h72eb5fd3,
    32'h452421a9, 32'h973de075, 32'he5d6bfa6, 32'h37cf7e7a, 32'h8a484352, 32'h5851828e,
    32'h2abadd5d, 32'hf8a31c81, 32'hcf6c62fb, 32'h1d75a327, 32'h6f9efcf4, 32'hbd873d28,
    32'h00000000, 32'h10519b13, 32'h20a33626, 32'h30f2ad35, 32'h41466c4c, 32'h5117f75f,
    32'h61e55a6a, 32'h71b4c179, 32'h828cd898, 32'h92dd438b, 32'ha22feebe, 32'hb27e75ad,
    32'hc3cab4d4, 32'hd39b2fc7, 32'he36982f2, 32'hf33819e1, 32'h00000000, 32'h01d8ac87,
    32'h03b1590e, 32'h0269f589, 32'h0762b21c, 32'h06ba1e9b, 32'h04d3eb12, 32'h050b4795,
    32'h0ec56438, 32'h0f1dc8bf, 32'h0d743d36, 32'h0cac91b1, 32'h09a7d624, 32'h087f7aa3,
    32'h0a168f2a, 32'h0bce23ad, 32'h00000000, 32'h1d8ac870, 32'h3b1590e0, 32'h269f5890,
    32'h762b21c0, 32'h6ba1e9b0, 32'h4d3eb120, 32'h50b47950, 32'hec564380, 32'hf1dc8bf0,
    32'hd743d360, 32'hcac91b10, 32'h9a7d6240, 32'h87f7aa30, 32'ha168f2a0, 32'hbce23ad0,
    32'h00000000, 32'hdc6d9ab7, 32'hbc1a28d9, 32'h6077b26e, 32'h7cf54c05, 32'ha098d6b2,
    32'hc0ef64dc, 32'h1c82fe6b, 32'hf9ea980a, 32'h258702bd, 32'h45f0b0d3, 32'h999d2a64,
    32'h851fd40f, 32'h59724eb8, 32'h3905fcd6, 32'he5686661, 32'h00000000, 32'hf7142da3,
    32'heae946f1, 32'h1dfd6b52, 32'hd1139055, 32'h2607bdf6, 32'h3bfad6a4, 32'hcceefb07,
    32'ha6e63d1d, 32'h51f210be, 32'h4c0f7bec, 32'hbb1b564f, 32'h77f5ad48, 32'h80e180eb,
    32'h9d1cebb9, 32'h6a08c61a
  };
endpackage
