// Sync flags: 32 counters of 8 bits. In one cycle every unit may raise one flag, and the scalar
// core and every queue may take from one.
// A wait (wait_valid_i, flag, value > 0) is granted in the same cycle when the flag's value reaches
// it, and the value is subtracted at the end of that cycle; of several waits on one flag that are
// met in one cycle, the lowest unit is granted. A raise is visible in the next cycle.
// A flag that would pass 255 raises overflow_o for one cycle, in the next one, with the lowest unit
// that raised it; the flag keeps the low 8 bits.
module ttpu_flags
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::*;
(
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           clear_i,
  // raise, one port a unit
  input  logic [NumUnits-1:0]            inc_valid_i,
  input  logic [NumUnits-1:0][4:0]       inc_flag_i,
  input  logic [NumUnits-1:0][PcBits-1:0] inc_pc_i,
  // wait: scalar core, then the queues
  input  logic [NumWaiters-1:0]          wait_valid_i,
  input  logic [NumWaiters-1:0][4:0]     wait_flag_i,
  input  logic [NumWaiters-1:0][7:0]     wait_value_i,
  output logic [NumWaiters-1:0]          wait_grant_o,
  // overflow
  output logic                           overflow_o,
  output unit_e                          overflow_unit_o,
  output logic [PcBits-1:0]              overflow_pc_o,
  output logic [4:0]                     overflow_flag_o,
  // host view
  input  logic [4:0]                     select_i,
  output logic [7:0]                     value_o
);
  logic [7:0] value_q [NumFlags];

  // What a flag is when a wait has been granted: the comparison's difference.
  logic [NumWaiters-1:0][7:0] rest;
  logic [8:0]                 difference;
  always_comb begin
    wait_grant_o = '0;
    rest = '0;
    difference = '0;
    if (|wait_valid_i) begin
      for (int unsigned u = 0; u < NumWaiters; u++) begin
        difference = {1'b0, value_q[wait_flag_i[u]]} - {1'b0, wait_value_i[u]};
        rest[u] = difference[7:0];
        wait_grant_o[u] = wait_valid_i[u] && !difference[8];
        for (int unsigned w = 0; w < u; w++)
          if (wait_grant_o[w] && wait_flag_i[w] == wait_flag_i[u]) wait_grant_o[u] = 1'b0;
      end
    end
  end

  logic [NumFlags-1:0] hit;
  logic [7:0]          base;
  logic [2:0]          raises;
  always_ff @(posedge clk_i) begin
    overflow_o <= 1'b0;
    hit = '0;
    base = '0;
    raises = '0;
    if (!rst_ni || clear_i) begin
      for (int unsigned f = 0; f < NumFlags; f++) value_q[f] = '0;
    end else if ((|wait_grant_o) || (|inc_valid_i)) begin
      for (int unsigned f = 0; f < NumFlags; f++) begin
        base = value_q[f];
        for (int unsigned u = 0; u < NumWaiters; u++)  // at most one is granted
          if (wait_grant_o[u] && wait_flag_i[u] == f[4:0]) base = rest[u];
        raises = '0;
        for (int unsigned u = 0; u < NumUnits; u++)
          if (inc_valid_i[u] && inc_flag_i[u] == f[4:0]) raises = raises + 3'd1;
        {hit[f], value_q[f]} = {1'b0, base} + {6'b0, raises};
      end
      for (int unsigned u = NumUnits; u > 0; u--) begin
        if (inc_valid_i[u-1] && hit[inc_flag_i[u-1]]) begin
          overflow_o <= 1'b1;
          overflow_unit_o <= unit_e'(3'(u - 1));
          overflow_pc_o <= inc_pc_i[u-1];
          overflow_flag_o <= inc_flag_i[u-1];
        end
      end
    end
  end

  assign value_o = value_q[select_i];
endmodule
