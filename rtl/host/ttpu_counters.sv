// 64-bit counters of one tensor core (see registers.yaml): they count while run_i is high and are
// zeroed by start_i. Plain counter i grows by inc_i[i]; of a unit's states the one that activity_i
// names grows by 1, so the states of a unit sum to CYCLES. Reading is combinational.
module ttpu_counters
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
(
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           start_i,
  input  logic                           run_i,
  // CYCLES is ignored: it counts run_i
  input  logic [31:0]                    inc_i [NumPlainCounters],
  input  activity_e                      activity_i [NumUnits],
  input  logic [$clog2(NumCounters)-1:0] select_i,
  output logic [63:0]                    value_o
);
  logic [63:0] count_q [NumCounters];

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      for (int unsigned i = 0; i < NumCounters; i++) count_q[i] = '0;
    end else if (run_i) begin
      count_q[CntCycles] = count_q[CntCycles] + 64'd1;
      for (int unsigned i = 1; i < NumPlainCounters; i++)
        count_q[i] = count_q[i] + {32'b0, inc_i[i]};
      for (int unsigned u = 0; u < NumUnits; u++)
        for (int unsigned s = 0; s < NumStates; s++)
          if (activity_i[u] == activity_e'(3'(s)))
            count_q[NumPlainCounters+u*NumStates+s] =
                count_q[NumPlainCounters+u*NumStates+s] + 64'd1;
    end
  end

  assign value_o = count_q[select_i];

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni && run_i)
    for (int unsigned u = 0; u < NumUnits; u++)
      assert (activity_i[u] <= ActStallData) else $error("counters: unit %0d has no such state", u);
`endif
endmodule
