// Memory of Rows x 32 bits with one read and one write port; maps to block RAM. Read data of an address in a
// cycle of rd_en_i come in the next cycle and stay until the next read; a read in the cycle of a write of the
// same row gives anything.
module ttpu_micro_ram #(
  parameter int unsigned Rows = 256,
  localparam int unsigned AddrBits = $clog2(Rows)
) (
  input  logic                clk_i,
  input  logic                rd_en_i,
  input  logic [AddrBits-1:0] rd_addr_i,
  output logic [31:0]         rd_data_o,
  input  logic                wr_en_i,
  input  logic [AddrBits-1:0] wr_addr_i,
  input  logic [31:0]         wr_data_i
);
  (* no_rw_check *) logic [31:0] mem [Rows];
  always_ff @(posedge clk_i) begin
    if (rd_en_i) rd_data_o <= mem[rd_addr_i];
    if (wr_en_i) mem[wr_addr_i] <= wr_data_i;
  end
endmodule
