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
  parameter int unsigned ClearCycles = 8,  // covers the read latency of every memory
  parameter int unsigned Stages = 1        // 3 = the first fault is chosen from registers, as soon
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
  // What may be wrong in a cycle.
  typedef struct packed {
    logic [NumQueues-1:0]                  unit;
    error_e [NumQueues-1:0]                unit_cause;
    logic [NumQueues-1:0][PcBits-1:0]      unit_pc;
    logic [NumQueues-1:0][FarAddrBits-1:0] unit_addr;
    logic                                  overflow;
    unit_e                                 overflow_unit;
    logic [PcBits-1:0]                     overflow_pc;
    logic [4:0]                            overflow_flag;
    logic                                  bad_write;
    logic [19:0]                           bad_write_addr;
    logic                                  expired;
    logic [PcBits-1:0]                     scalar_pc;
    logic [NumFlags-1:0]                   waiting_flags;
  } sources_t;

  sources_t            now;
  fault_t              first_q, fault_q;
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
    now.overflow = overflow_i;
    now.overflow_unit = overflow_unit_i;
    now.overflow_pc = overflow_pc_i;
    now.overflow_flag = overflow_flag_i;
    now.bad_write = bad_write_i;
    now.bad_write_addr = bad_write_addr_i;
    now.expired = expired;
    now.scalar_pc = scalar_pc_i;
    now.waiting_flags = waiting_flags_i;
    for (int unsigned q = 0; q < NumQueues; q++) begin
      now.unit[q] = status_i[q].error;
      now.unit_cause[q] = status_i[q].cause;
      now.unit_pc[q] = status_i[q].pc;
      now.unit_addr[q] = status_i[q].addr;
    end
  end

  function automatic fault_t first_of(sources_t s);
    first_of = '0;
    if (s.expired)
      first_of = '{valid: 1'b1, cause: ErrWatchdog, unit: UnitScalar, pc: s.scalar_pc,
                   addr: {32'b0, s.waiting_flags}};
    if (s.bad_write)
      first_of = '{valid: 1'b1, cause: ErrBadWrite, unit: UnitScalar, pc: '0,
                   addr: {44'b0, s.bad_write_addr}};
    if (s.overflow)
      first_of = '{valid: 1'b1, cause: ErrFlagOverflow, unit: s.overflow_unit, pc: s.overflow_pc,
                   addr: {59'b0, s.overflow_flag}};
    for (int unsigned q = NumQueues; q > 0; q--)
      if (s.unit[q-1])
        first_of = '{valid: 1'b1, cause: s.unit_cause[q-1], unit: unit_e'(3'(q)),
                     pc: s.unit_pc[q-1], addr: s.unit_addr[q-1]};
  endfunction

  // What the fault is follows a cycle behind that there is one: it comes late from the units.
  if (Stages == 1) begin : gen_chosen
    always_ff @(posedge clk_i) first_q <= first_of(now);
  end else begin : gen_choice
    sources_t was_q;
    always_ff @(posedge clk_i) was_q <= now;
    assign first_q = first_of(was_q);
  end

  assign fault_now_o = (scalar_fault_valid_i || now.unit != '0 || overflow_i || bad_write_i || expired) &&
                       !fault_q.valid && !pending_q;
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
