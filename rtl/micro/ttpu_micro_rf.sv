// Register file of the engine: 256 x 32 bits, two read ports, one write port. Read data of an address
// in a cycle of rd_en_i come in the next cycle and stay until the next read; a read in the cycle of
// a write of the same register gives anything (the engine does not look at it then).
module ttpu_micro_rf (
  input  logic        clk_i,
  input  logic        rd_en_i,
  input  logic [7:0]  a_addr_i,
  input  logic [7:0]  b_addr_i,
  output logic [31:0] a_o,
  output logic [31:0] b_o,
  input  logic        wr_en_i,
  input  logic [7:0]  wr_addr_i,
  input  logic [31:0] wr_data_i
);
  // A copy for each read port.
  ttpu_micro_ram #(.Rows(256)) i_a (
    .clk_i, .rd_en_i, .rd_addr_i(a_addr_i), .rd_data_o(a_o), .wr_en_i, .wr_addr_i, .wr_data_i
  );
  ttpu_micro_ram #(.Rows(256)) i_b (
    .clk_i, .rd_en_i, .rd_addr_i(b_addr_i), .rd_data_o(b_o), .wr_en_i, .wr_addr_i, .wr_data_i
  );
endmodule
