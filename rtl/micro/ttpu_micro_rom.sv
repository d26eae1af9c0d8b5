// Microcode ROM: the word at addr_i of a cycle of en_i comes in the next cycle and stays until the
// next read. In two parts, so that block RAM of 1,024 x 4 and 512 x 8 bits is used in full on a chip
// that has such (iCE40).
module ttpu_micro_rom
  import ttpu_micro_pkg::*;
#(
  parameter int unsigned N = 4  // lanes: which microcode
) (
  input  logic                 clk_i,
  input  logic                 en_i,
  input  logic [UaddrBits-1:0] addr_i,
  output logic [UwordBits-1:0] data_o
);
  localparam int unsigned Words = (N == 8) ? ttpu_micro_rom8_pkg::RomWords
                                           : ttpu_micro_rom4_pkg::RomWords;
  localparam int unsigned LowWords = 1024;

  logic [UwordBits-1:0] low [LowWords];
  logic [UwordBits-1:0] low_q;
  initial begin
    for (int unsigned i = 0; i < LowWords; i++) begin
      if (i >= Words) low[i] = '0;
      else if (N == 8) low[i] = ttpu_micro_rom8_pkg::Rom[i];
      else low[i] = ttpu_micro_rom4_pkg::Rom[i];
    end
  end
  always_ff @(posedge clk_i) begin
    if (en_i) low_q <= low[addr_i[9:0]];
  end

  if (Words > LowWords) begin : gen_high
    localparam int unsigned HighWords = (Words > 1536) ? 1024 : 512;
    logic [UwordBits-1:0] high [HighWords];
    logic [UwordBits-1:0] high_q;
    logic                 is_high_q;
    initial begin
      for (int unsigned i = 0; i < HighWords; i++) begin
        if (LowWords + i >= Words) high[i] = '0;
        else if (N == 8) high[i] = ttpu_micro_rom8_pkg::Rom[LowWords + i];
        else high[i] = ttpu_micro_rom4_pkg::Rom[LowWords + i];
      end
    end
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        high_q <= high[addr_i[$clog2(HighWords)-1:0]];
        is_high_q <= addr_i[10];
      end
    end
    assign data_o = is_high_q ? high_q : low_q;
  end else begin : gen_low
    logic unused;
    assign unused = addr_i[10];
    assign data_o = low_q;
  end

`ifndef SYNTHESIS
  initial assert ((N == 4 || N == 8) && Words <= 2048)
    else $fatal(1, "ttpu_micro_rom: microcode for N = 4 and 8, of 2048 words at most");
`endif
endmodule
