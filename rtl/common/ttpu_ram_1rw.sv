// Synchronous RAM, one port that reads or writes, a write enable a byte; maps to block RAM.
// rd_data_o holds the word read from the cycle after a read until the next. Contents are not reset.
module ttpu_ram_1rw #(
  parameter int unsigned Rows = 16,
  parameter int unsigned Bytes = 4,
  localparam int unsigned AddrBits = $clog2(Rows)
) (
  input  logic                clk_i,
  input  logic                en_i,
  input  logic                we_i,       // 1 write, 0 read
  input  logic [AddrBits-1:0] addr_i,
  input  logic [Bytes-1:0]    wr_be_i,
  input  logic [8*Bytes-1:0]  wr_data_i,
  output logic [8*Bytes-1:0]  rd_data_o
);
  logic [8*Bytes-1:0] mem [Rows];

  // Two spellings of one memory: synthesis infers a byte-enabled block RAM from the first only, and
  // simulation has a loop that stays a loop and a whole-word path from the second only.
`ifdef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (en_i && !we_i) rd_data_o <= mem[addr_i];
    if (en_i && we_i) begin
      for (int unsigned i = 0; i < Bytes; i++) begin
        if (wr_be_i[i]) mem[addr_i][8*i+:8] <= wr_data_i[8*i+:8];
      end
    end
  end
`else
  always_ff @(posedge clk_i) begin
    if (en_i && !we_i) rd_data_o <= mem[addr_i];
    if (en_i && we_i) begin
      if (&wr_be_i) begin
        mem[addr_i] = wr_data_i;
      end else begin
        for (int unsigned i = 0; i < Bytes; i++) begin
          if (wr_be_i[i]) mem[addr_i][8*i+:8] = wr_data_i[8*i+:8];
        end
      end
    end
  end
`endif

`ifndef SYNTHESIS
  initial assert (Rows >= 2) else $fatal(1, "ttpu_ram_1rw: Rows must be >= 2");
`endif
endmodule
