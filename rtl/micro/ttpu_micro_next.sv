// Where the engine's microcode goes on, combinational. Boards may map this module by itself (`apart`), so that
// the mapper spends no level here that it has to spare elsewhere: the ROM's blocks lie all over the device.
module ttpu_micro_next
  import ttpu_micro_pkg::*;
(
  input  logic [UwordBits-1:0] word_i,      // in D
  input  logic                 valid_i,
  input  logic                 exec_i,      // D has a vector operation in its place
  input  logic                 end_i,       // last lane, or second part of st
  input  logic                 free_i,      // X takes a microinstruction
  input  logic                 x_flag_i,    // X may change a flag
  input  logic                 hreq_i,      // flags
  input  logic                 mxbusy_i,
  input  logic                 xbusy_i,
  input  logic                 xerr_i,
  input  logic                 carry_i,
  input  logic                 other_i,     // X sends D elsewhere:
  input  logic [UaddrBits-1:0] elsewhere_i, //   there
  input  logic [UaddrBits-1:0] pc_next_i,   // behind the word in D
  output logic                 several_o,   // all lanes, or both parts of st
  output logic                 goes_o,      // the word in D jumps
  output logic                 hold_o,      // it waits for a flag
  output logic                 en_o,        // read the ROM
  output logic [UaddrBits-1:0] addr_o
);
  // By few bits: 46 47 jmp call; 50 51 54 bf bnf callf; up to 39 vd says that all lanes are to be done, of st
  // that there are two parts. Flags 0 HREQ, 1 MXBUSY, 2 XBUSY, 3 XERR, 6 CARRY.
  logic is_jump, is_flag, flag;
  assign is_jump = word_i[35] && word_i[33] && word_i[32] && word_i[31];
  assign is_flag = word_i[35] && word_i[34] && word_i[31];
  assign flag = (!word_i[28] && (word_i[27] ? mxbusy_i : hreq_i)) ||
      (word_i[28] && !word_i[29] && (word_i[27] ? xerr_i : xbusy_i)) || (word_i[29] && carry_i);
  assign goes_o = is_jump || (is_flag && flag != word_i[30]);
  assign several_o = word_i[29] && !(word_i[35] && (word_i[34] || word_i[33]));
  assign hold_o = is_flag && x_flag_i;
  assign en_o = !valid_i || other_i || (free_i && !exec_i && !hold_o && (end_i || !several_o));
  assign addr_o = other_i ? elsewhere_i : goes_o && valid_i ? word_i[UaddrBits-1:0] : pc_next_i;

  logic unused;
  assign unused = ^word_i[26:11];

`ifndef SYNTHESIS
  initial assert (FlagHreq == 0 && FlagMxbusy == 1 && FlagXbusy == 2 && FlagXerr == 3 && FlagCarry == 6)
    else $fatal(1, "micro_next: numbers of the flags");
`endif
endmodule
