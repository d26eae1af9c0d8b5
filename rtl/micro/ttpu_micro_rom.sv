// Microcode ROM: the word at addr_i of a cycle of en_i comes in the next cycle and stays until the
// next read. 34 bits a word are kept, so that 2,048 words take 17 block RAMs of 2,048 x 2 bits (iCE40),
// and the word is made of wires: bits 33:28 opcode, 27:24 mode, 23:0 operands. Mode of compares and
// branches: target[10:8] and bi; of uops that look at a flag: its number and bi; of the others: rpt (and
// with it vd), va, vb, bi. What a mode does not have shows other bits of it. scripts/microasm_out.py packs.
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
  localparam int unsigned Rows = 1 << UaddrBits;

  logic [33:0] mem [Rows];
  logic [33:0] word_q;
  initial begin
    for (int unsigned i = 0; i < Rows; i++) begin
      if (i >= Words) mem[i] = '0;
      else if (N == 8) mem[i] = ttpu_micro_rom8_pkg::Rom[i];
      else mem[i] = ttpu_micro_rom4_pkg::Rom[i];
    end
  end
  always_ff @(posedge clk_i) begin
    if (en_i) word_q <= mem[addr_i];
  end

  // vd, va, vb, bi as they are; rpt and the bit below it are the target's bits 9 and 8.
  assign data_o = {word_q[33:24], word_q[26:25], word_q[23:0]};

`ifndef SYNTHESIS
  initial assert ((N == 4 || N == 8) && Words <= Rows)
    else $fatal(1, "ttpu_micro_rom: microcode for N = 4 and 8, of 2048 words at most");
`endif
endmodule
