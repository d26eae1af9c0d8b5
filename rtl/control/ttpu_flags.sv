// Sync flags: 32 counters of 8 bits. In one cycle every unit may raise one flag, and every port of
// waits may take from one.
// A wait (wait_valid_i, flag, value > 0) is granted in the same cycle when the flag's value reaches
// it, and the value is subtracted at the end of that cycle; of several waits on one flag that are
// met in one cycle, the lowest port is granted. A raise is visible in the next cycle.
// A flag that would pass 255 raises overflow_o for one cycle, in the next one, with the lowest unit
// that raised it; the flag keeps the low 8 bits.
// Stages = 3: a value is subtracted a cycle later, until then nobody else is granted that flag, and
// overflow_o comes a cycle later.
module ttpu_flags
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned Stages = 1,           // 1 or 3
  parameter int unsigned Waits = NumWaiters    // ports of waits
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           clear_i,
  // raise, one port a unit
  input  logic [NumUnits-1:0]            inc_valid_i,
  input  logic [NumUnits-1:0][4:0]       inc_flag_i,
  input  logic [NumUnits-1:0][PcBits-1:0] inc_pc_i,
  // wait
  input  logic [Waits-1:0]               wait_valid_i,
  input  logic [Waits-1:0][4:0]          wait_flag_i,
  input  logic [Waits-1:0][7:0]          wait_value_i,
  output logic [Waits-1:0]               wait_grant_o,
  // overflow
  output logic                           overflow_o,
  output unit_e                          overflow_unit_o,
  output logic [PcBits-1:0]              overflow_pc_o,
  output logic [4:0]                     overflow_flag_o,
  // host view
  input  logic [4:0]                     select_i,
  output logic [7:0]                     value_o
);
  // Flags in one carry chain each of subtraction and addition, parted by a bit that stops a borrow
  // or a carry: chains cost an FPGA cells at their ends.
  localparam int unsigned Group = 4;

  logic [NumFlags-1:0][7:0]   value_q;
  logic [NumFlags-1:0]        passed_q;  // it passed 255 in the last cycle
  logic [Waits-1:0]           take;      // what is subtracted in this cycle, at most once a flag
  logic [Waits-1:0][4:0]      take_flag;
  logic [Waits-1:0][7:0]      take_value;

  // ---- grants -----------------------------------------------------------------------------------
  logic [Waits-1:0] met;
  always_comb begin
    met = '0;
    wait_grant_o = '0;
    if (|wait_valid_i) begin
      for (int unsigned u = 0; u < Waits; u++) begin
        met[u] = wait_valid_i[u] && value_q[wait_flag_i[u]] >= wait_value_i[u];
        if (Stages != 1)
          for (int unsigned w = 0; w < Waits; w++)
            if (take[w] && take_flag[w] == wait_flag_i[u]) met[u] = 1'b0;
      end
      wait_grant_o = met;
      for (int unsigned u = 0; u < Waits; u++)
        for (int unsigned w = 0; w < u; w++)
          if (met[w] && wait_flag_i[w] == wait_flag_i[u]) wait_grant_o[u] = 1'b0;
    end
  end

  if (Stages == 1) begin : gen_take
    assign take = wait_grant_o;
    assign take_flag = wait_flag_i;
    assign take_value = wait_value_i;
  end else begin : gen_take_later
    always_ff @(posedge clk_i) begin
      take <= rst_ni && !clear_i ? wait_grant_o : '0;
      if (|wait_valid_i) begin
        take_flag <= wait_flag_i;
        take_value <= wait_value_i;
      end
    end
  end

  // ---- values -----------------------------------------------------------------------------------
  for (genvar g = 0; g < NumFlags / Group; g++) begin : gen_group
    // All private to this block.
    logic [Group-1:0][8:0] less, raises, sum;
    always_ff @(posedge clk_i) begin
      less = '0;
      raises = '0;
      sum = '0;
      if (!rst_ni || clear_i) begin
        value_q[g*Group+:Group] <= '0;
      end else if ((|take) || (|inc_valid_i)) begin
        for (int unsigned i = 0; i < Group; i++) begin
          for (int unsigned u = 0; u < Waits; u++)
            if (take[u] && take_flag[u] == 5'(g * Group + i))
              less[i] = less[i] | {1'b0, take_value[u]};
          for (int unsigned u = 0; u < NumUnits; u++)
            raises[i][2:0] = raises[i][2:0] +
                             3'(inc_valid_i[u] && inc_flag_i[u] == 5'(g * Group + i));
          sum[i] = {1'b1, value_q[g*Group+i]};
        end
        sum = sum - less;
        for (int unsigned i = 0; i < Group; i++) sum[i][8] = 1'b0;
        sum = sum + raises;
        for (int unsigned i = 0; i < Group; i++) value_q[g*Group+i] <= sum[i][7:0];
      end
      for (int unsigned i = 0; i < Group; i++) passed_q[g*Group+i] <= sum[i][8];
    end
  end
  assign value_o = value_q[select_i];

  // ---- overflow: who raised what passed ---------------------------------------------------------
  logic [NumUnits-1:0]             raised_q, over;
  logic [NumUnits-1:0][4:0]        flag_q, over_flag;
  logic [NumUnits-1:0][PcBits-1:0] pc_q, over_pc;
  always_ff @(posedge clk_i) begin
    raised_q <= inc_valid_i;
    if (|inc_valid_i) begin
      flag_q <= inc_flag_i;
      pc_q <= inc_pc_i;
    end
  end
  logic [NumUnits-1:0] passed;
  always_comb begin
    passed = '0;
    if (|passed_q)
      for (int unsigned u = 0; u < NumUnits; u++) passed[u] = raised_q[u] && passed_q[flag_q[u]];
  end
  if (Stages == 1) begin : gen_overflow
    assign over = passed;
    assign over_flag = flag_q;
    assign over_pc = pc_q;
  end else begin : gen_overflow_later
    always_ff @(posedge clk_i) begin
      over <= rst_ni && !clear_i ? passed : '0;
      over_flag <= flag_q;
      over_pc <= pc_q;
    end
  end
  always_comb begin
    overflow_o = |over;
    overflow_unit_o = UnitScalar;
    overflow_pc_o = '0;
    overflow_flag_o = '0;
    for (int unsigned u = NumUnits; u > 0; u--)
      if (over[u-1]) begin
        overflow_unit_o = unit_e'(3'(u - 1));
        overflow_pc_o = over_pc[u-1];
        overflow_flag_o = over_flag[u-1];
      end
  end

`ifndef SYNTHESIS
  initial assert (Stages == 1 || Stages == 3) else $fatal(1, "Stages must be 1 or 3");
`endif
endmodule
