// Command queue of one unit: Depth commands in order, and the books of up to Inflight commands that
// the unit has taken and not finished.
// push_valid_i needs full_o low. A command pushed in cycle t is at the head from cycle t+1 at the
// earliest; it is offered (cmd_valid_o) in the cycle in which its wait is granted and held until
// taken. SYNC never reaches the unit: it ends when its wait is met and nothing taken is unfinished
// (one cycle after the last done at the earliest); until then nothing behind it starts.
// signal_valid_o comes in the cycle of done_i, so that a flag is up one cycle after its command is
// done. done_i without a command in flight is an error of the unit (assertion).
// Stages = 3: the head stands in registers; a command is there a cycle later if the queue was empty.
// activity_o is of the cycle before.
module ttpu_queue
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned Depth = 8,     // commands that wait
  parameter int unsigned Inflight = 8,  // commands in the unit
  parameter int unsigned Stages = 1     // 1, or 3 for FPGAs
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,
  input  logic              clear_i,
  // scalar core
  input  logic              push_valid_i,
  input  entry_t            push_i,
  output logic              full_o,
  output logic              empty_o,         // nothing waits, nothing is in the unit
  // flags
  output logic              wait_valid_o,
  output logic [4:0]        wait_flag_o,
  output logic [7:0]        wait_value_o,
  input  logic              wait_grant_i,
  output logic              signal_valid_o,
  output logic [4:0]        signal_flag_o,
  output logic [PcBits-1:0] signal_pc_o,
  // unit
  output logic              cmd_valid_o,
  output cmd_t              cmd_o,
  input  logic              cmd_ready_i,
  input  logic              done_i,
  input  activity_e         unit_activity_i,
  // books
  output activity_e         activity_o,
  output trace_t            trace_o
);
  localparam int unsigned PtrBits = $clog2(Depth);
  localparam int unsigned FlyBits = $clog2(Inflight);

  entry_t               mem_q [Depth];
  logic [PtrBits-1:0]   rd_q, wr_q;
  logic [PtrBits:0]     count_q;
  inflight_t            fly_q [Inflight];
  logic [FlyBits-1:0]   fly_rd_q, fly_wr_q;
  logic [FlyBits:0]     fly_count_q;
  logic                 armed_q;  // the head's wait was met in an earlier cycle

  entry_t    head;
  inflight_t oldest;
  logic      head_there, head_valid, head_is_sync, head_waits, head_go, accept, sync_done, pop, fly_full,
      fly_none;

  assign oldest = fly_q[fly_rd_q];
  assign head_valid = head_there && !halt_i;
  assign head_is_sync = head.cmd.opcode == OpSync;
  assign head_waits = head_valid && head.waits && !armed_q;
  assign head_go = head_valid && (!head_waits || wait_grant_i);
  assign fly_none = fly_count_q == '0;
  assign fly_full = fly_count_q[FlyBits];

  assign wait_valid_o = head_waits;
  assign wait_flag_o = head.wait_flag;
  assign wait_value_o = head.wait_value;
  assign cmd_valid_o = head_go && !head_is_sync && !fly_full;
  assign cmd_o = head.cmd;
  assign accept = cmd_valid_o && cmd_ready_i;
  assign sync_done = head_go && head_is_sync && fly_none;
  assign pop = accept || sync_done;
  assign full_o = count_q[PtrBits];
  assign empty_o = count_q == '0 && fly_none;

  assign signal_valid_o = done_i ? oldest.signal : sync_done && head.signal;
  assign signal_flag_o = done_i ? oldest.signal_flag : head.signal_flag;
  assign signal_pc_o = done_i ? oldest.pc : head.cmd.pc;

  activity_e head_activity;  // counts while the unit is idle
  always_comb begin
    head_activity = ActIdle;
    if (head_valid) begin
      if (!head_go) head_activity = ActStallSync;
      else if (pop) head_activity = ActBusy;
      else head_activity = ActStallData;
    end
  end

  assign trace_o = '{start: pop, start_opcode: head.cmd.opcode, start_pc: head.cmd.pc,
                     stop: done_i || sync_done, stop_pc: signal_pc_o};

  // rd_q: the head, or the one behind it where that is in registers.
  logic rd_step;
  if (Stages == 1) begin : gen_direct
    assign head = mem_q[rd_q];
    assign head_there = count_q != '0;
    assign rd_step = pop;
    assign activity_o = unit_activity_i == ActIdle ? head_activity : unit_activity_i;
  end else begin : gen_registers
    assign rd_step = (!head_there || pop) && count_q > (PtrBits+1)'(head_there);
    always_ff @(posedge clk_i) begin
      if (!head_there || pop) head <= mem_q[rd_q];
      if (rd_step) head_there <= 1'b1;
      else if (pop) head_there <= 1'b0;
      if (!rst_ni || clear_i) head_there <= 1'b0;
    end
    // What a unit does follows from the grants of memories, late.
    activity_e unit_activity_q, head_activity_q;
    assign activity_o = unit_activity_q == ActIdle ? head_activity_q : unit_activity_q;
    always_ff @(posedge clk_i) begin
      unit_activity_q <= rst_ni ? unit_activity_i : ActIdle;
      head_activity_q <= rst_ni ? head_activity : ActIdle;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_valid_i) mem_q[wr_q] <= push_i;
    if (accept) fly_q[fly_wr_q] <= '{pc: head.cmd.pc, signal: head.signal,
                                     signal_flag: head.signal_flag};
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni || clear_i) begin
      rd_q <= '0;
      wr_q <= '0;
      count_q <= '0;
      fly_rd_q <= '0;
      fly_wr_q <= '0;
      fly_count_q <= '0;
      armed_q <= 1'b0;
    end else begin
      if (push_valid_i) wr_q <= wr_q + 1'b1;
      if (rd_step) rd_q <= rd_q + 1'b1;
      if (push_valid_i != pop) count_q <= pop ? count_q - 1'b1 : count_q + 1'b1;
      if (accept) fly_wr_q <= fly_wr_q + 1'b1;
      if (done_i) fly_rd_q <= fly_rd_q + 1'b1;
      if (accept != done_i) fly_count_q <= done_i ? fly_count_q - 1'b1 : fly_count_q + 1'b1;
      armed_q <= !pop && (armed_q || wait_grant_i);
    end
  end

`ifndef SYNTHESIS
  initial assert (Depth == 1 << PtrBits && Inflight == 1 << FlyBits && Depth > 1 && Inflight > 1)
    else $fatal(1, "Depth and Inflight must be powers of two above 1");
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!(push_valid_i && full_o)) else $error("queue: push into a full queue");
    assert (!push_valid_i || push_i.waits == (push_i.wait_value != '0))
      else $error("queue: waits does not tell of the value");
    assert (!(done_i && fly_none)) else $error("queue: done from a unit that has no command");
  end
`endif
endmodule
