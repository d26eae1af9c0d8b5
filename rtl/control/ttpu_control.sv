// Control of one tensor core: scalar core with its memories, a queue a unit, flags, errors. start_i
// (one cycle) is honoured only while the core neither runs nor holds an error nor clears; the host
// checks that. run_o is high from the next cycle until HALT or an error; done_o from HALT until the
// next start or clear. Units are DMA0, DMA1, MXW, MXS, VPU, in this order in every array of ports.
// A raise of a flag by another chip enters through ici_flag_*, at most one a cycle.
// FlagStages: 1 = a wait whose flag is up is granted in the cycle in which it is asked for; 3 (for
// FPGAs) = registers before and behind the flags, where one wait is looked at in a cycle, in turn:
// granted two cycles later if it is the only one, raises are seen a cycle later, and HALT ends a
// cycle later; a command is at the head of an empty queue a cycle later, shifts, SLT, SLTU and STS
// take two cycles, MUL three.
module ttpu_control
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::*;
#(
  parameter int unsigned ImemWords = 4096,
  parameter int unsigned SmemWords = 4096,
  parameter int unsigned QueueDepth = 8,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned FlagStages = 1
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // host: run
  input  logic                           start_i,
  input  logic [31:0]                    entry_i,
  input  logic                           clear_req_i,
  input  logic [31:0]                    watchdog_i,
  input  logic                           bad_write_i,
  input  logic [19:0]                    bad_write_addr_i,
  output logic                           run_o,
  output logic                           done_o,
  // no unit has work, no bus transfer is open
  output logic                           quiet_o,
  output logic                           clear_pending_o,
  output logic                           done_event_o,    // pulses for the interrupt
  output logic                           error_event_o,
  output fault_t                         fault_o,
  // host: flags and memories
  input  logic [4:0]                     flag_select_i,
  output logic [7:0]                     flag_value_o,
  input  logic                           imem_en_i,
  input  logic                           imem_we_i,
  input  logic [$clog2(ImemWords)+1:0]   imem_addr_i,
  input  logic                           smem_en_i,
  input  logic                           smem_we_i,
  input  logic [$clog2(SmemWords)-1:0]   smem_addr_i,
  input  logic [31:0]                    mem_wdata_i,
  output logic [31:0]                    imem_rdata_o,
  output logic [31:0]                    smem_rdata_o,
  // units
  output logic [NumQueues-1:0]           cmd_valid_o,
  output cmd_t                           cmd_o [NumQueues],
  input  logic [NumQueues-1:0]           cmd_ready_i,
  input  status_t                        status_i [NumQueues],
  output logic                           halt_o,
  output logic                           clear_o,
  // ICI
  input  logic                           ici_flag_valid_i,
  input  logic [4:0]                     ici_flag_i,
  // counters and trace
  output logic                           issued_o,        // a command entered a queue
  output activity_e                      activity_o [NumUnits],
  output trace_t                         trace_o [NumUnits],
  output logic                           trace_any_o,     // some trace_o or the tag moves
  output logic                           tag_valid_o,
  output logic [31:0]                    tag_o
);
  // ---- run state -----------------------------------------------------------------------------
  logic run_q, done_q, start, halt_done, fault_now, clear;
  assign start = start_i && !run_q && !halt_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      run_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      if (start) run_q <= 1'b1;
      else if (halt_done || fault_now || clear_req_i) run_q <= 1'b0;
      if (start || clear) done_q <= 1'b0;
      else if (halt_done && !fault_now) done_q <= 1'b1;
    end
  end
  assign run_o = run_q;
  assign done_o = done_q;
  assign done_event_o = halt_done && !fault_now;
  assign error_event_o = fault_now;
  assign clear_o = clear;

  // ---- scalar core and memories ----------------------------------------------------------------
  logic                         fetch_en;
  logic [$clog2(ImemWords)-1:0] fetch_addr;
  logic [127:0]                 fetch_data;
  decoded_t                     fetch_decoded;
  logic                         smem_en, smem_we;
  logic [$clog2(SmemWords)-1:0] smem_addr;
  logic [31:0]                  smem_wdata, smem_rdata;
  logic [NumQueues-1:0]         push_valid, full, empty;
  entry_t                       push;
  logic                         units_quiet, all_idle, retire;
  logic [PcBits-1:0]            scalar_pc;
  logic                         scalar_fault_valid;
  fault_t                       scalar_fault;
  logic [NumWaiters-1:0]           wait_valid, grant;
  logic [NumWaiters-1:0][4:0]      wait_flag;
  logic [NumWaiters-1:0][7:0]      wait_value;
  logic [NumUnits-1:0]             inc_valid;
  logic [NumUnits-1:0][4:0]        inc_flag;
  logic [NumUnits-1:0][PcBits-1:0] inc_pc;

  ttpu_imem #(.ImemWords(ImemWords), .DmaChannels(DmaChannels)) i_imem (
    .clk_i,
    .rst_ni,
    .fetch_en_i(fetch_en),
    .fetch_addr_i(fetch_addr),
    .fetch_data_o(fetch_data),
    .fetch_decoded_o(fetch_decoded),
    .host_en_i(imem_en_i),
    .host_we_i(imem_we_i),
    .host_addr_i(imem_addr_i),
    .host_wdata_i(mem_wdata_i),
    .host_rdata_o(imem_rdata_o)
  );

  ttpu_smem #(.SmemWords(SmemWords)) i_smem (
    .clk_i,
    .core_en_i(smem_en),
    .core_we_i(smem_we),
    .core_addr_i(smem_addr),
    .core_wdata_i(smem_wdata),
    .host_en_i(smem_en_i),
    .host_we_i(smem_we_i),
    .host_addr_i(smem_addr_i),
    .host_wdata_i(mem_wdata_i),
    .rdata_o(smem_rdata)
  );
  assign smem_rdata_o = smem_rdata;

  ttpu_scalar #(
    .ImemWords(ImemWords), .SmemWords(SmemWords), .Stages(FlagStages)
  ) i_scalar (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .start_i(start),
    .entry_i,
    .run_i(run_q),
    .imem_en_o(fetch_en),
    .imem_addr_o(fetch_addr),
    .imem_data_i(fetch_data),
    .imem_decoded_i(fetch_decoded),
    .smem_en_o(smem_en),
    .smem_we_o(smem_we),
    .smem_addr_o(smem_addr),
    .smem_wdata_o(smem_wdata),
    .smem_rdata_i(smem_rdata),
    .push_valid_o(push_valid),
    .push_o(push),
    .full_i(full),
    .all_idle_i(all_idle),
    .wait_valid_o(wait_valid[UnitScalar]),
    .wait_flag_o(wait_flag[UnitScalar]),
    .wait_value_o(wait_value[UnitScalar]),
    .wait_grant_i(grant[UnitScalar]),
    .signal_valid_o(inc_valid[UnitScalar]),
    .signal_flag_o(inc_flag[UnitScalar]),
    .halt_done_o(halt_done),
    .fault_valid_o(scalar_fault_valid),
    .fault_o(scalar_fault),
    .retire_o(retire),
    .pc_o(scalar_pc),
    .activity_o(activity_o[UnitScalar]),
    .trace_o(trace_o[UnitScalar]),
    .tag_valid_o,
    .tag_o
  );
  assign inc_pc[UnitScalar] = scalar_pc;
  assign issued_o = |push_valid;

  // ---- queues -----------------------------------------------------------------------------------
  for (genvar q = 0; q < NumQueues; q++) begin : gen_queue
    ttpu_queue #(.Depth(QueueDepth), .Stages(FlagStages)) i_queue (
      .clk_i,
      .rst_ni,
      .halt_i(halt_o),
      .clear_i(clear),
      .push_valid_i(push_valid[q]),
      .push_i(push),
      .full_o(full[q]),
      .empty_o(empty[q]),
      .wait_valid_o(wait_valid[q+1]),
      .wait_flag_o(wait_flag[q+1]),
      .wait_value_o(wait_value[q+1]),
      .wait_grant_i(grant[q+1]),
      .signal_valid_o(inc_valid[q+1]),
      .signal_flag_o(inc_flag[q+1]),
      .signal_pc_o(inc_pc[q+1]),
      .cmd_valid_o(cmd_valid_o[q]),
      .cmd_o(cmd_o[q]),
      .cmd_ready_i(cmd_ready_i[q]),
      .done_i(status_i[q].done),
      .unit_activity_i(status_i[q].activity),
      .activity_o(activity_o[q+1]),
      .trace_o(trace_o[q+1])
    );
  end

  // ---- ICI: no queue yet, its flag port is there ------------------------------------------------
  assign inc_valid[UnitIci] = ici_flag_valid_i;
  assign inc_flag[UnitIci] = ici_flag_i;
  assign inc_pc[UnitIci] = '0;
  assign activity_o[UnitIci] = ActIdle;
  assign trace_o[UnitIci] = '0;

  // ---- flags and errors -------------------------------------------------------------------------
  logic              overflow;
  unit_e             overflow_unit;
  logic [PcBits-1:0] overflow_pc;
  logic [4:0]        overflow_flag;
  localparam int unsigned Waits = FlagStages == 1 ? NumWaiters : 1;  // looked at in a cycle
  logic                            now_idle, progress;
  logic [Waits-1:0]                ask_valid, given;
  logic [Waits-1:0][4:0]           ask_flag;
  logic [Waits-1:0][7:0]           ask_value;
  logic [NumUnits-1:0]             raise_valid;
  logic [NumUnits-1:0][4:0]        raise_flag;
  logic [NumUnits-1:0][PcBits-1:0] raise_pc;
  logic [NumFlags-1:0]             waiting_flags;  // for the watchdog's error
  assign now_idle = (&empty) && units_quiet;
  if (FlagStages == 1) begin : gen_direct
    assign all_idle = now_idle;
    assign ask_valid = wait_valid;
    assign ask_flag = wait_flag;
    assign ask_value = wait_value;
    assign grant = given;
    assign raise_valid = inc_valid;
    assign raise_flag = inc_flag;
    assign raise_pc = inc_pc;
    always_comb begin
      waiting_flags = '0;
      if (|wait_valid)
        for (int unsigned u = 0; u < NumWaiters; u++)
          if (wait_valid[u]) waiting_flags[wait_flag[u]] = 1'b1;
    end
  end else begin : gen_registers
    logic [NumWaiters-1:0]         open, pick, asker;  // that may be asked for; is; was
    logic                          progress_q;
    logic [$clog2(NumWaiters)-1:0] unused_index;
    logic [4:0]                    picked_flag;
    logic [7:0]                    picked_value;
    always_comb begin
      picked_flag = '0;
      picked_value = '0;
      for (int unsigned u = 0; u < NumWaiters; u++)
        if (pick[u]) begin
          picked_flag |= wait_flag[u];
          picked_value |= wait_value[u];
        end
    end
    // One that is granted in the cycle in which it is picked again asks once more, in vain: what it
    // took is subtracted in that cycle.
    assign open = wait_valid & ~grant;
    ttpu_rr_arb #(.NumReq(NumWaiters)) i_turn (
      .clk_i, .rst_ni(rst_ni && !clear), .req_i(open), .advance_i(1'b1), .gnt_o(pick),
      .index_o(unused_index)
    );
    always_ff @(posedge clk_i) begin
      all_idle <= now_idle && push_valid == '0;
      ask_valid <= |open;
      asker <= pick;
      ask_flag <= picked_flag;
      ask_value <= picked_value;
      grant <= given[0] ? asker : '0;
      raise_valid <= inc_valid;
      raise_flag <= inc_flag;
      raise_pc <= inc_pc;
      // Those asked for since something last moved on.
      progress_q <= progress;
      if (progress_q) waiting_flags <= '0;
      else if (ask_valid[0]) waiting_flags[ask_flag[0]] <= 1'b1;
      if (!rst_ni || clear) begin
        ask_valid <= '0;
        grant <= '0;
        raise_valid <= '0;
        waiting_flags <= '0;
      end
    end
  end

  ttpu_flags #(.Stages(FlagStages), .Waits(Waits)) i_flags (
    .clk_i,
    .rst_ni,
    .clear_i(clear),
    .inc_valid_i(raise_valid),
    .inc_flag_i(raise_flag),
    .inc_pc_i(raise_pc),
    .wait_valid_i(ask_valid),
    .wait_flag_i(ask_flag),
    .wait_value_i(ask_value),
    .wait_grant_o(given),
    .overflow_o(overflow),
    .overflow_unit_o(overflow_unit),
    .overflow_pc_o(overflow_pc),
    .overflow_flag_o(overflow_flag),
    .select_i(flag_select_i),
    .value_o(flag_value_o)
  );

  always_comb begin
    progress = retire || ici_flag_valid_i;
    for (int unsigned q = 1; q <= NumQueues; q++) progress |= trace_o[q].start || trace_o[q].stop;
  end
  ttpu_errors #(.Stages(FlagStages)) i_errors (
    .clk_i,
    .rst_ni,
    .scalar_fault_valid_i(scalar_fault_valid),
    .scalar_fault_i(scalar_fault),
    .status_i,
    .overflow_i(overflow),
    .overflow_unit_i(overflow_unit),
    .overflow_pc_i(overflow_pc),
    .overflow_flag_i(overflow_flag),
    .bad_write_i,
    .bad_write_addr_i,
    .run_i(run_q),
    .progress_i(progress),
    .watchdog_i,
    .scalar_pc_i(scalar_pc),
    .waiting_flags_i(waiting_flags),
    .clear_req_i,
    .clear_pending_o,
    .clear_o(clear),
    .units_quiet_o(units_quiet),
    .halt_o,
    .fault_now_o(fault_now),
    .fault_o
  );

  assign quiet_o = units_quiet && !clear_pending_o && (halt_o || (!run_q && (&empty)));
  assign trace_any_o = progress || tag_valid_o;

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!(run_q && (imem_en_i || smem_en_i)))
      else $error("control: the host uses IMEM or SMEM while the core runs");
    for (int unsigned q = 0; q < NumQueues; q++)
      assert (!(status_i[q].done && status_i[q].error))
        else $error("control: unit %0d reports done and error at once", q + 1);
  end
`endif
endmodule
