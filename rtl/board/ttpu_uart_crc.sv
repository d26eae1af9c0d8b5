// CRC-32 of a stream of bytes (IEEE 802.3, reflected, as zlib's crc32), a bit a clock: a byte taken
// with valid_i is in crc_o 9 clocks later; the next may come then. clear_i starts a new frame.
// crc_o is not inverted: over a frame and its four bytes of CRC it is Residue.
module ttpu_uart_crc (
  input  logic        clk_i,
  input  logic        clear_i,
  input  logic        valid_i,
  input  logic [7:0]  data_i,
  output logic        busy_o,
  output logic        match_o,   // crc_o is the residue of a frame in order
  output logic [31:0] crc_o
);
  localparam logic [31:0] Polynomial = 32'hEDB88320;
  localparam logic [31:0] Residue = 32'hDEBB20E3;

  logic [31:0] crc_q;
  logic [7:0]  data_q;
  logic [3:0]  left_q;
  assign busy_o = left_q != '0;
  assign match_o = crc_q == Residue;
  assign crc_o = crc_q;

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      crc_q <= '1;
      left_q <= '0;
    end else if (valid_i) begin
      data_q <= data_i;
      left_q <= 4'd8;
    end else if (busy_o) begin
      crc_q <= {1'b0, crc_q[31:1]} ^ (crc_q[0] ^ data_q[0] ? Polynomial : 32'd0);
      data_q <= {1'b0, data_q[7:1]};
      left_q <= left_q - 4'd1;
    end
  end
endmodule
