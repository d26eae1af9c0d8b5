// What Gowin's block RAMs have in common, for simulation of netlists: 2,048 bytes of 9 bits and two
// ports, each 9, 18 or 36 bits wide. An address counts bits; for 18 and 36 bits its lowest bits are
// the write enables of the bytes. WriteMode 0: a write leaves the port's output as it is; 1: the
// output shows what is written; 2: what was there. Both ports are taken to have one clock; a read
// in the cycle of the other port's write to the same byte gives what was there (the device leaves
// that open).
module gowin_bsram #(
  parameter int WidthA = 9,
  parameter int WidthB = 9,
  parameter int WriteModeA = 0,
  parameter int WriteModeB = 0,
  parameter logic [64*288-1:0] Init = '0
) (
  input  logic        clk_i,
  input  logic        ce_a_i, we_a_i, reset_a_i,
  input  logic [13:0] addr_a_i,
  input  logic [35:0] data_a_i,
  output logic [35:0] data_a_o,
  input  logic        ce_b_i, we_b_i, reset_b_i,
  input  logic [13:0] addr_b_i,
  input  logic [35:0] data_b_i,
  output logic [35:0] data_b_o
);
  logic [8:0] mem [2048];
  initial for (int i = 0; i < 2048; i++) mem[i] = Init[9*i+:9];

  // Byte i of a port's word, and whether it is written.
  function automatic logic [10:0] at(input int width, input logic [13:0] addr, input int i);
    return (addr[13:3] & ~11'(width / 9 - 1)) | 11'(i);
  endfunction
  function automatic logic enabled(input int width, input logic [13:0] addr, input int i);
    return width == 9 || addr[i];
  endfunction

  always_ff @(posedge clk_i) begin
    for (int i = 0; i < WidthA / 9; i++) begin
      if (ce_a_i && (!we_a_i || WriteModeA != 0)) begin
        data_a_o[9*i+:9] <= (we_a_i && WriteModeA == 1 && enabled(WidthA, addr_a_i, i)) ?
            data_a_i[9*i+:9] : mem[at(WidthA, addr_a_i, i)];
      end
      if (ce_a_i && we_a_i && enabled(WidthA, addr_a_i, i)) mem[at(WidthA, addr_a_i, i)] <= data_a_i[9*i+:9];
    end
    for (int i = 0; i < WidthB / 9; i++) begin
      if (ce_b_i && (!we_b_i || WriteModeB != 0)) begin
        data_b_o[9*i+:9] <= (we_b_i && WriteModeB == 1 && enabled(WidthB, addr_b_i, i)) ?
            data_b_i[9*i+:9] : mem[at(WidthB, addr_b_i, i)];
      end
      if (ce_b_i && we_b_i && enabled(WidthB, addr_b_i, i)) mem[at(WidthB, addr_b_i, i)] <= data_b_i[9*i+:9];
    end
    if (reset_a_i) data_a_o <= '0;
    if (reset_b_i) data_b_o <= '0;
  end

`ifndef SYNTHESIS
  initial begin
    assert ((WidthA == 9 || WidthA == 18 || WidthA == 36) && (WidthB == 9 || WidthB == 18 || WidthB == 36))
      else $fatal(1, "gowin_bsram: widths of 9, 18 and 36 bits only");
  end
`endif
endmodule
