// Scalar core: fetch, decode, execute; one instruction a cycle.
// Latencies, from one instruction to the next: 1 cycle; MUL and LDS 2; a taken branch, JAL and JR 3
// (two refetch cycles). The first instruction executes in the third cycle after start_i. No
// instruction needs to keep distance from another (results are forwarded).
// Unit commands enter their queue in their cycle of execution and wait there; the core stalls only
// while that queue is full. Scalar instructions wait for their flag and signal in place. HALT
// executes when all_idle_i is high. Errors are found in execution, in program order:
// fault_valid_o for one cycle, fault_o in the next, and the instruction has no effect.
// Stages = 3 (for FPGAs): SHL, SHR, SRA, SLT, SLTU and STS take 2 cycles, MUL 3; an address beyond
// SMEM is found in the second.
// While run_i is low nothing moves; start_i (one cycle, run_i high from the next) begins at
// entry_i.
module ttpu_scalar
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned ImemWords = 4096,
  parameter int unsigned SmemWords = 4096,
  parameter int unsigned Stages = 1
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic                         clear_i,
  input  logic                         start_i,
  input  logic [31:0]                  entry_i,
  input  logic                         run_i,
  // instruction memory
  output logic                         imem_en_o,
  output logic [$clog2(ImemWords)-1:0] imem_addr_o,
  input  logic [127:0]                 imem_data_i,
  input  decoded_t                     imem_decoded_i,
  // scalar memory
  output logic                         smem_en_o,
  output logic                         smem_we_o,
  output logic [$clog2(SmemWords)-1:0] smem_addr_o,
  output logic [31:0]                  smem_wdata_o,
  input  logic [31:0]                  smem_rdata_i,
  // queues
  output logic [NumQueues-1:0]         push_valid_o,
  output entry_t                       push_o,
  input  logic [NumQueues-1:0]         full_i,
  input  logic                         all_idle_i,
  // flags
  output logic                         wait_valid_o,
  output logic [4:0]                   wait_flag_o,
  output logic [7:0]                   wait_value_o,
  input  logic                         wait_grant_i,
  output logic                         signal_valid_o,
  output logic [4:0]                   signal_flag_o,
  // outcome
  output logic                         halt_done_o,   // HALT executes
  output logic                         fault_valid_o,
  output fault_t                       fault_o,
  output logic                         retire_o,      // an instruction ends
  output logic [PcBits-1:0]            pc_o,          // of the instruction in execution
  output activity_e                    activity_o,
  output trace_t                       trace_o,
  output logic                         tag_valid_o,
  output logic [31:0]                  tag_o
);
  // ---- fetch ---------------------------------------------------------------------------------
  logic        stall, redirect;
  logic [31:0] redirect_pc;
  logic [31:0] pc_q;
  logic        d_valid_q;
  logic [31:0] d_pc_q;

  assign imem_en_o = run_i && !stall;
  assign imem_addr_o = pc_q[$clog2(ImemWords)-1:0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      d_valid_q <= 1'b0;
      pc_q <= '0;
    end else if (start_i) begin
      d_valid_q <= 1'b0;
      pc_q <= entry_i;
    end else if (run_i && !stall) begin
      d_valid_q <= !redirect;
      pc_q <= redirect ? redirect_pc : pc_q + 32'd1;
    end
  end
  always_ff @(posedge clk_i) if (run_i && !stall) d_pc_q <= pc_q;

  // ---- decode: read the registers --------------------------------------------------------------
  instr_t d_instr;
  assign d_instr = imem_data_i;

  logic [31:0] rf_q [32];
  logic [31:0] written_q;  // registers written since reset or clear; the others read 0
  logic        writes, wr_en;
  logic [31:0] wr_data;

  instr_t      x_instr_q;
  logic        x_valid_q;
  logic [31:0] x_pc_q;
  logic [31:0] x_a_q, x_b_q, x_c_q;                // as read, one write behind
  logic        x_a_live_q, x_b_live_q, x_c_live_q; // else the register is 0
  logic        fwd_a_q, fwd_b_q, fwd_c_q;          // the read missed a write to it, of this:
  logic [31:0] fwd_data_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      x_valid_q <= 1'b0;
    end else if (start_i) begin
      x_valid_q <= 1'b0;
    end else if (run_i && !stall) begin
      x_valid_q <= d_valid_q && !redirect;
    end
    if (!rst_ni || clear_i) begin
      written_q <= '0;
      fwd_a_q <= 1'b0;
      fwd_b_q <= 1'b0;
      fwd_c_q <= 1'b0;
    end else if (run_i && !stall) begin
      // What is in execution ends in this cycle: it writes if it is one that does.
      fwd_a_q <= x_valid_q && writes && x_instr_q.rc == d_instr.ra && x_instr_q.rc != '0;
      fwd_b_q <= x_valid_q && writes && x_instr_q.rc == d_instr.rb && x_instr_q.rc != '0;
      fwd_c_q <= x_valid_q && writes && x_instr_q.rc == d_instr.rc && x_instr_q.rc != '0;
      if (wr_en) written_q[x_instr_q.rc] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (wr_en) rf_q[x_instr_q.rc] <= wr_data;
    if (run_i && !stall) begin
      x_instr_q <= d_instr;
      x_pc_q <= d_pc_q;
      x_a_q <= rf_q[d_instr.ra];
      x_b_q <= rf_q[d_instr.rb];
      x_c_q <= rf_q[d_instr.rc];
      x_a_live_q <= written_q[d_instr.ra];
      x_b_live_q <= written_q[d_instr.rb];
      x_c_live_q <= written_q[d_instr.rc];
      fwd_data_q <= wr_data;
    end
  end

  // What the instruction is, known when it comes to execution.
  decoded_t             d;
  logic                 x_bad_q, x_beyond_imem_q, x_illegal_q, x_beyond_q, x_is_sync_q, x_waits_q;
  logic                 x_to_queue_q, x_value_q;
  logic [6:0]           x_used_q;
  logic                 is_shift, x_two_cycles_q, x_three_cycles_q, x_smem_q, x_store_q, x_left_q;
  logic                 x_jump_q, x_equal_q, x_less_q, x_not_q, x_dbnz_q;  // what a branch asks
  logic                 x_subtract_q, x_signed_q;
  logic [NumQueues-1:0] x_queue_q;
  assign d = imem_decoded_i;
  assign is_shift = d_instr.opcode == OpShl || d_instr.opcode == OpShr ||
                    d_instr.opcode == OpSra;
  always_ff @(posedge clk_i) begin
    if (run_i && !stall) begin
      x_illegal_q <= d.illegal;
      x_beyond_q <= d.beyond;
      x_is_sync_q <= d.is_sync;
      x_waits_q <= d.waits && !d.bad && d_pc_q < ImemWords;
      x_used_q <= d.used;
      x_to_queue_q <= d.unit != UnitScalar;
      for (int unsigned q = 0; q < NumQueues; q++) x_queue_q[q] <= d.unit == 3'(q + 1);
      x_value_q <= d_instr.wait_value != '0;
      x_bad_q <= d.bad || d_pc_q >= ImemWords;
      x_beyond_imem_q <= d_pc_q >= ImemWords;
      x_subtract_q <= d_instr.opcode == OpSub;
      x_signed_q <= d_instr.opcode == OpSlt || d_instr.opcode == OpBlt ||
                    d_instr.opcode == OpBge;
      x_two_cycles_q <= d_instr.opcode == OpLds || d_instr.opcode == OpMul ||
                        ((is_shift || d_instr.opcode == OpSts || d_instr.opcode == OpSlt ||
                          d_instr.opcode == OpSltu) && Stages != 1);
      x_three_cycles_q <= d_instr.opcode == OpMul && Stages != 1;
      x_smem_q <= d_instr.opcode == OpLds || d_instr.opcode == OpSts;
      x_store_q <= d_instr.opcode == OpSts;
      x_left_q <= d_instr.opcode == OpShl;
      x_jump_q <= d_instr.opcode == OpJal || d_instr.opcode == OpJr;
      x_dbnz_q <= d_instr.opcode == OpDbnz;
      x_equal_q <= d_instr.opcode == OpBeq || d_instr.opcode == OpBne;
      x_less_q <= d_instr.opcode == OpBlt || d_instr.opcode == OpBltu ||
                  d_instr.opcode == OpBge || d_instr.opcode == OpBgeu;
      x_not_q <= d_instr.opcode == OpBne || d_instr.opcode == OpBge || d_instr.opcode == OpBgeu;
    end
  end

  // ---- execute ---------------------------------------------------------------------------------
  logic [31:0] a, b, c, imm, y, turned, a_q, y_q, addr;
  logic [15:0] target;
  assign a = fwd_a_q ? fwd_data_q : x_a_live_q ? x_a_q : '0;
  assign b = fwd_b_q ? fwd_data_q : x_b_live_q ? x_b_q : '0;
  assign c = fwd_c_q ? fwd_data_q : x_c_live_q ? x_c_q : '0;
  logic unused_registers;
  assign unused_registers = ^{x_instr_q.ra, x_instr_q.rb};
  assign imm = x_instr_q.body[31:0];
  assign target = x_instr_q.body[15:0];
  assign y = b + imm;
  assign addr = a + imm;

  logic                 to_queue;
  logic [NumQueues-1:0] queue;
  assign to_queue = x_to_queue_q;
  assign queue = x_queue_q;

  logic live, out_of_smem, far, far_q, bad, waits, waited_q, wait_ok, second_q,
      third_q, room, ends, done;
  assign live = x_valid_q && run_i;
  assign bad = x_bad_q;
  assign far = addr[31:$clog2(SmemWords)] != '0;
  assign out_of_smem = x_smem_q && (Stages == 1 ? far : second_q && far_q);
  assign waits = live && x_waits_q && !waited_q;
  assign wait_ok = live && !bad && (!waits || wait_grant_i);
  assign room = (queue & full_i) == '0;

  assign wait_valid_o = waits;
  assign wait_flag_o = x_instr_q.wait_flag;
  assign wait_value_o = x_instr_q.wait_value;

  assign fault_valid_o = (live && bad) || (wait_ok && out_of_smem);

  // What the fault is, for the next cycle.
  logic        out_of_imem_q, bad_q;
  logic [2:0]  unit;
  error_e      cause, cause_q;
  logic [31:0] value, value_q, addr_q, at_q;
  assign unit = x_instr_q.body[2:0];
  always_comb begin
    if (x_illegal_q) begin
      cause = ErrIllegalOpcode;
      value = {24'b0, x_instr_q.opcode};
    end else if (x_beyond_q) begin
      cause = ErrBadField;
      value = 32'(x_instr_q.body >> x_used_q);
    end else begin
      cause = x_is_sync_q && (unit == UnitScalar || unit == 3'd7) ? ErrBadField : ErrUnsupported;
      value = {29'b0, unit[2] && x_is_sync_q, unit[1:0]};  // or a DMA command's channel
    end
  end
  always_ff @(posedge clk_i) begin
    out_of_imem_q <= x_beyond_imem_q;
    bad_q <= bad;
    cause_q <= cause;
    value_q <= value;
    addr_q <= addr;
    at_q <= x_pc_q;
  end
  always_comb begin
    fault_o = '{valid: 1'b1, cause: cause_q, unit: UnitScalar, pc: at_q[PcBits-1:0],
                addr: {32'b0, value_q}};
    if (out_of_imem_q) begin
      fault_o.cause = ErrImemBounds;
      fault_o.addr = {32'b0, at_q};
    end else if (!bad_q) begin
      fault_o.cause = ErrSmemBounds;
      fault_o.addr = {32'b0, addr_q};
    end
  end

  // It ends, but for an address beyond SMEM, which is found late: the core stops then.
  always_comb begin
    ends = wait_ok;
    if (to_queue) ends = ends && room;
    else if (x_instr_q.opcode == OpHalt) ends = ends && all_idle_i;
    else if (x_two_cycles_q) ends = ends && (x_three_cycles_q ? third_q : second_q);
    done = ends && !out_of_smem;
  end
  assign stall = live && !ends;
  assign retire_o = ends;

  // One adder and one shifter, to the right, for all: the tools do not share them.
  logic [31:0] result, sum, set_a, set_y, shift_in, shifted, product;
  logic        equal, less, set_less, taken;

  function automatic logic [31:0] turn(logic [31:0] v, logic left);
    for (int unsigned i = 0; i < 32; i++) turn[i] = left ? v[31-i] : v[i];
  endfunction

  assign sum = a + (x_subtract_q ? ~y : y) + 32'(x_subtract_q);
  assign equal = a == b;
  assign less = {x_signed_q ^ a[31], a[30:0]} < {x_signed_q ^ b[31], b[30:0]};
  assign set_a = Stages == 1 ? a : a_q;
  assign set_y = Stages == 1 ? y : y_q;
  assign set_less = {x_signed_q ^ set_a[31], set_a[30:0]} < {x_signed_q ^ set_y[31], set_y[30:0]};
  assign turned = turn(a, x_left_q);
  assign shift_in = Stages == 1 ? turned : a_q;
  assign shifted = 32'($signed({x_instr_q.opcode == OpSra && shift_in[31], shift_in}) >>>
                       (Stages == 1 ? y[4:0] : y_q[4:0]));

  if (Stages == 1) begin : gen_product
    assign product = a_q * y_q;
  end else begin : gen_product_later
    logic [31:0] low_q;
    logic [15:0] high_a_q, high_y_q;
    always_ff @(posedge clk_i) begin
      low_q <= 32'(a_q[15:0]) * 32'(y_q[15:0]);
      high_a_q <= a_q[31:16] * y_q[15:0];
      high_y_q <= a_q[15:0] * y_q[31:16];
    end
    assign product = {low_q[31:16] + high_a_q + high_y_q, low_q[15:0]};
  end

  assign taken = x_jump_q || (x_equal_q && equal != x_not_q) || (x_less_q && less != x_not_q) ||
                 (x_dbnz_q && c != 32'd1);
  always_comb begin
    writes = 1'b1;
    case (x_instr_q.opcode)
      OpAdd, OpSub: result = sum;
      OpMul:  result = product;
      OpAnd:  result = a & y;
      OpOr:   result = a | y;
      OpXor:  result = a ^ y;
      OpShl, OpShr, OpSra: result = turn(shifted, x_left_q);
      OpSlt, OpSltu: result = {31'b0, set_less};
      OpLds:  result = smem_rdata_i;
      OpJal:  result = x_pc_q + 32'd1;
      OpDbnz: result = c - 32'd1;
      default: begin
        result = '0;
        writes = 1'b0;
      end
    endcase
  end

  assign wr_en = ends && writes && x_instr_q.rc != '0;
  assign wr_data = result;
  assign redirect = wait_ok && taken;
  assign redirect_pc = x_instr_q.opcode == OpJr ? a : {16'b0, target};

  always_ff @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      waited_q <= 1'b0;
      second_q <= 1'b0;
      third_q <= 1'b0;
    end else if (live) begin
      waited_q <= !ends && (waited_q || wait_grant_i);
      second_q <= wait_ok && x_two_cycles_q && !ends;
      third_q <= second_q && !ends;
    end
  end
  always_ff @(posedge clk_i) begin
    if (live) begin
      a_q <= turned;
      y_q <= y;
      far_q <= far;
    end
  end

  // ---- effects ----------------------------------------------------------------------------------
  // With Stages = 3 a store comes in its second cycle, and a load reads before its address is known
  // to be right.
  assign smem_en_o = wait_ok && x_smem_q &&
                     (Stages == 1 ? !out_of_smem && !second_q
                                  : x_store_q ? second_q && !far_q : !second_q);
  assign smem_we_o = x_store_q;
  assign smem_addr_o = addr[$clog2(SmemWords)-1:0];
  assign smem_wdata_o = b;

  assign push_valid_o = live && !bad && to_queue && room ? queue : '0;
  assign push_o = '{
    cmd: '{opcode: x_instr_q.opcode, body: x_instr_q.body, a: a, b: b, c: c,
        pc: x_pc_q[PcBits-1:0]},
    waits: x_value_q, wait_value: x_instr_q.wait_value, wait_flag: x_instr_q.wait_flag,
    signal: x_instr_q.signal, signal_flag: x_instr_q.signal_flag};

  assign signal_valid_o = done && !to_queue && x_instr_q.signal;
  assign signal_flag_o = x_instr_q.signal_flag;
  assign halt_done_o = ends && x_instr_q.opcode == OpHalt;
  assign tag_valid_o = ends && x_instr_q.opcode == OpTag;
  assign tag_o = imm;
  assign pc_o = x_valid_q ? x_pc_q[PcBits-1:0] : d_valid_q ? d_pc_q[PcBits-1:0] : pc_q[PcBits-1:0];

  always_comb begin
    activity_o = ActIdle;
    if (run_i) begin
      if (!x_valid_q) activity_o = ActStallMem;
      else if (waits && !wait_grant_i) activity_o = ActStallSync;
      else if (x_instr_q.opcode == OpHalt && !ends) activity_o = ActIdle;
      else if (to_queue && !ends) activity_o = ActStallData;
      else activity_o = ActBusy;
    end
  end

  // Unit commands start and stop on their own unit; here only what the core executes itself.
  assign trace_o = '{start: done && !to_queue, start_opcode: x_instr_q.opcode,
                     start_pc: x_pc_q[PcBits-1:0], stop: done && !to_queue,
                     stop_pc: x_pc_q[PcBits-1:0]};
endmodule
