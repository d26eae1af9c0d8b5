// CRC-32 of a whole word in one cycle, combinational: polynomial of IEEE 802.3, bit Width-1 first,
// start value 0, result inverted. A start value of 0 makes the result independent of zeros above the
// word (ends with frames of different width can read each other); the inversion makes an all-zero
// line wrong. With crc_o below data_i every single error burst of 32 bits or less is found.
// crc_o is meaningful with valid_i only; without it nothing is computed.
module ttpu_crc32 #(
  parameter int unsigned Width = 128
) (
  input  logic             valid_i,
  input  logic [Width-1:0] data_i,
  output logic [31:0]      crc_o
);
  // Two spellings: for synthesis each bit the XOR of those data bits that reach it, about half of them
  // (4 levels of LUT4 up to 512 bits; bit by bit they would be as many as the word is long, and mappers do
  // not balance that); for simulation table steps.
`ifdef SYNTHESIS
  // Row i: the data bits whose CRC, each alone, has bit i. A bit's CRC is that of the bit below it, a step on.
  function automatic logic [31:0][Width-1:0] rows();
    logic [31:0] alone;
    alone = ttpu_crc32_pkg::Polynomial;
    for (int unsigned bit_no = 0; bit_no < Width; bit_no++) begin
      for (int unsigned i = 0; i < 32; i++) rows[i][bit_no] = alone[i];
      alone = {alone[30:0], 1'b0} ^ (alone[31] ? ttpu_crc32_pkg::Polynomial : 32'd0);
    end
  endfunction
  localparam logic [31:0][Width-1:0] Rows = rows();

  for (genvar i = 0; i < 32; i++) begin : g_bit
    assign crc_o[i] = ~^(data_i & Rows[i]);
  end
  logic unused_valid;
  assign unused_valid = valid_i;
`else
  localparam int unsigned Words = (Width + 31) / 32;

  logic [32*Words-1:0] padded;
  logic [31:0]         step;

  always_comb begin
    crc_o = '0;
    padded = '0;
    step = '0;
    if (valid_i) begin
      padded[Width-1:0] = data_i;
      for (int unsigned w = 0; w < Words; w++) begin
        step = crc_o ^ padded[32*(Words-1-w)+:32];
        crc_o = ttpu_crc32_pkg::NibbleTable[{3'd0, step[3:0]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd1, step[7:4]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd2, step[11:8]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd3, step[15:12]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd4, step[19:16]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd5, step[23:20]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd6, step[27:24]}] ^
                ttpu_crc32_pkg::NibbleTable[{3'd7, step[31:28]}];
      end
      crc_o = ~crc_o;
    end
  end
`endif
endmodule
