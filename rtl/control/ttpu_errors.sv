// First error, watchdog, and the orderly way back.
// The first fault is held until clear; of several in one cycle the order is SCALAR, DMA0, DMA1,
// MXW, MXS, VPU, flag overflow, bad host write, watchdog. A fault in cycle t stops the core from
// cycle t+1 (halt_o, level; the rest of fault_o is there in t+2). fault_now_o is high in the cycle
// t of the first one.
// clear_req_i (pulse): halts the units, waits until all are quiet but at least ClearCycles cycles,
// then raises clear_o for one cycle, in which everything returns to its state after reset. The
// watchdog counts cycles of run_i without progress_i and acts in the cycle behind the last; 0 is
// taken as 1.
module ttpu_errors
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned ClearCycles = 8  // covers the read latency of every memory
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // sources
  input  logic                 scalar_fault_valid_i,
  input  fault_t               scalar_fault_i,   // in the next cycle
  input  status_t              status_i [NumQueues],
  input  logic                 overflow_i,
  input  unit_e                overflow_unit_i,
  input  logic [PcBits-1:0]    overflow_pc_i,
  input  logic [4:0]           overflow_flag_i,
  input  logic                 bad_write_i,
  input  logic [19:0]          bad_write_addr_i,
  // watchdog
  input  logic                 run_i,
  input  logic                 progress_i,
  input  logic [31:0]          watchdog_i,
  input  logic [PcBits-1:0]    scalar_pc_i,
  input  logic [NumFlags-1:0]  waiting_flags_i,
  // clear
  input  logic                 clear_req_i,
  output logic                 clear_pending_o,
  output logic                 clear_o,
  output logic                 units_quiet_o,
  // outcome
  output logic                 halt_o,
  output logic                 fault_now_o,
  output fault_t               fault_o
);
  fault_t              first, first_q, fault_q;
  logic                now_q, scalar_q;
  logic [31:0]         idle_q, limit;
  logic                expired, pending_q;
  logic [$clog2(ClearCycles+1)-1:0] wait_q;

  always_ff @(posedge clk_i) limit <= watchdog_i == '0 ? 32'd1 : watchdog_i;
  assign expired = run_i && idle_q >= limit;

  always_comb begin
    units_quiet_o = 1'b1;
    for (int unsigned q = 0; q < NumQueues; q++) units_quiet_o &= status_i[q].quiet;
  end

  always_comb begin
    first = '0;
    if (expired)
      first = '{valid: 1'b1, cause: ErrWatchdog, unit: UnitScalar, pc: scalar_pc_i,
                addr: {32'b0, waiting_flags_i}};
    if (bad_write_i)
      first = '{valid: 1'b1, cause: ErrBadWrite, unit: UnitScalar, pc: '0,
                addr: {44'b0, bad_write_addr_i}};
    if (overflow_i)
      first = '{valid: 1'b1, cause: ErrFlagOverflow, unit: overflow_unit_i, pc: overflow_pc_i,
                addr: {59'b0, overflow_flag_i}};
    for (int unsigned q = NumQueues; q > 0; q--)
      if (status_i[q-1].error)
        first = '{valid: 1'b1, cause: status_i[q-1].cause, unit: unit_e'(3'(q)),
                  pc: status_i[q-1].pc, addr: status_i[q-1].addr};
  end

  assign fault_now_o = (scalar_fault_valid_i || first.valid) && !fault_q.valid && !pending_q;
  assign fault_o = fault_q;
  assign clear_pending_o = pending_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_q <= '0;
      now_q <= 1'b0;
      halt_o <= 1'b0;
      idle_q <= '0;
      pending_q <= 1'b0;
      wait_q <= '0;
      clear_o <= 1'b0;
    end else begin
      // Registered: what a unit says of itself must not reach its own clear_i in the same cycle.
      clear_o <= pending_q && wait_q == '0 && units_quiet_o && !clear_o;
      // What the fault is follows a cycle behind that there is one: it comes late from the units.
      first_q <= first;
      scalar_q <= scalar_fault_valid_i;
      now_q <= fault_now_o;
      if (clear_o) begin
        fault_q <= '0;
      end else begin
        if (now_q) fault_q <= scalar_q ? scalar_fault_i : first_q;
        if (fault_now_o) fault_q.valid <= 1'b1;
      end
      // As fault_q.valid || pending_q, from a register: it goes far.
      halt_o <= !clear_o && (fault_q.valid || pending_q || fault_now_o || clear_req_i);
      idle_q <= !run_i || progress_i ? '0 : idle_q + 32'd1;
      if (clear_req_i && !pending_q) begin
        pending_q <= 1'b1;
        wait_q <= ($bits(wait_q))'(ClearCycles);
      end else if (clear_o) begin
        pending_q <= 1'b0;
      end else if (wait_q != '0) begin
        wait_q <= wait_q - 1'b1;
      end
    end
  end
endmodule
