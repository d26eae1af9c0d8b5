// Synchronous RAM, one port that reads or writes, a write enable a byte; maps to block RAM.
// rd_data_o holds the word read from the cycle after a read until the next access. Contents are not
// reset. Style: RamInfer, or RamIce40: SB_SPRAM256KA, each 16,384 rows of two bytes (Rows may be
// fewer, Bytes must be even).
module ttpu_ram_1rw #(
  parameter int unsigned Rows = 16,
  parameter int unsigned Bytes = 4,
  parameter int unsigned Style = 0,
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
  localparam int unsigned RamIce40 = 1;

  if (Style == RamIce40) begin : gen_ice40
    for (genvar i = 0; i < Bytes / 2; i++) begin : gen_spram
      SB_SPRAM256KA i_spram (
        .CLOCK(clk_i), .ADDRESS(14'(addr_i)), .DATAIN(wr_data_i[16*i+:16]),
        .MASKWREN({{2{wr_be_i[2*i+1]}}, {2{wr_be_i[2*i]}}}), .WREN(we_i), .CHIPSELECT(en_i),
        .STANDBY(1'b0), .SLEEP(1'b0), .POWEROFF(1'b1), .DATAOUT(rd_data_o[16*i+:16])
      );
    end
  end else begin : gen_infer
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
  end

`ifndef SYNTHESIS
  initial begin
    assert (Rows >= 2) else $fatal(1, "ttpu_ram_1rw: Rows must be >= 2");
    assert (Style != RamIce40 || (Rows <= 16384 && Bytes % 2 == 0))
      else $fatal(1, "ttpu_ram_1rw: an SPRAM has 16,384 rows of two bytes");
  end
`endif
endmodule
