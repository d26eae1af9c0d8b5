// The memories that chips of boards are made of, as one block for synthesis: single-port (SPRAM on the
// iCE40, block RAM elsewhere) and two-port.
module gates_ram #(
  parameter int unsigned Style = 0  // of ttpu_ram_1rw
) (
  input  logic        clk_i,
  input  logic        rst_ni,     // nothing is reset
  // single port, 2,048 x 32
  input  logic        s_en_i,
  input  logic        s_we_i,
  input  logic [10:0] s_addr_i,
  input  logic [3:0]  s_be_i,
  input  logic [31:0] s_data_i,
  output logic [31:0] s_data_o,
  // two ports, 512 x 32
  input  logic        rd_en_i,
  input  logic [8:0]  rd_addr_i,
  output logic [31:0] rd_data_o,
  input  logic        wr_en_i,
  input  logic [8:0]  wr_addr_i,
  input  logic [3:0]  wr_be_i,
  input  logic [31:0] wr_data_i
);
  ttpu_ram_1rw #(.Rows(2048), .Bytes(4), .Style(Style)) i_single (
    .clk_i(clk_i), .en_i(s_en_i), .we_i(s_we_i), .addr_i(s_addr_i), .wr_be_i(s_be_i), .wr_data_i(s_data_i),
    .rd_data_o(s_data_o)
  );
  ttpu_ram_1r1w #(.Rows(512), .Bytes(4)) i_two (
    .clk_i(clk_i), .rd_en_i(rd_en_i), .rd_addr_i(rd_addr_i), .rd_data_o(rd_data_o), .wr_en_i(wr_en_i),
    .wr_addr_i(wr_addr_i), .wr_be_i(wr_be_i), .wr_data_i(wr_data_i)
  );
  logic unused;
  assign unused = rst_ni;
endmodule
