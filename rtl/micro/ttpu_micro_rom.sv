// Microcode ROM: the word at addr_i of a cycle of en_i comes in the next cycle and stays until the
// next read. 34 bits a word are kept, so that 2,048 words take 17 block RAMs of 2,048 x 2 bits (iCE40),
// and unpacked behind the memory: bits 33:28 opcode, 27:24 mode, 23:0 operands. Mode of compares and
// branches: target[10:8] and bi; of uops that look at a flag: its number; of the others: rpt (and with
// it vd), va, vb, bi. scripts/microasm_out.py packs.
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

  logic [3:0] mode;
  logic       has_target, has_flag;
  assign mode = word_q[27:24];
  assign has_target = word_q[33] && !word_q[32] && word_q[31];  // opcodes 40 to 47
  assign has_flag = word_q[33] && word_q[32];                   // from 48 on
  assign data_o = {word_q[33:28], mode[3], has_target ? 2'b00 : mode[2:1], mode[0],
                   has_target ? mode[2] : !has_flag && mode[3], has_target && mode[1],
                   word_q[23:0]};

`ifndef SYNTHESIS
  initial assert ((N == 4 || N == 8) && Words <= Rows)
    else $fatal(1, "ttpu_micro_rom: microcode for N = 4 and 8, of 2048 words at most");
`endif
endmodule
