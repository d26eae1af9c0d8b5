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
  // A copy for each read port, as block RAM with one port of each kind.
  (* no_rw_check *) logic [31:0] a_mem [256];
  (* no_rw_check *) logic [31:0] b_mem [256];
  always_ff @(posedge clk_i) begin
    if (rd_en_i) a_o <= a_mem[a_addr_i];
    if (wr_en_i) a_mem[wr_addr_i] <= wr_data_i;
  end
  always_ff @(posedge clk_i) begin
    if (rd_en_i) b_o <= b_mem[b_addr_i];
    if (wr_en_i) b_mem[wr_addr_i] <= wr_data_i;
  end
endmodule
