// Control of the VPU: takes commands, walks rows, checks addresses, counts results.
//
// One command at a time. A configuration command is done in the cycle after it is taken; another
// can be taken in that cycle. VPU_RUN, VPU_LDV and VPU_XPOSE hold cmd_ready_o low until their done.
// Rows: step_o hands one row (addresses, meta_o) to the fetch stage; at most one a cycle, only when
// fetch_ready_i is high and, for a row with a result, when fewer than Depth results are on their
// way (written_i counts them off), so that the pipeline behind never has to stop. Errors: a field
// or address in error raises status_o.error once; the unit then takes no command until clear_i.
// Rows before the one in error may still be written.
module ttpu_vpu_ctrl
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned VpuStages = 6,
    parameter int unsigned HasSfu = 1,
    parameter int unsigned AccRows = 512,
    parameter int unsigned VmemBytes = 262144,
    parameter int unsigned Depth = 32,
    parameter int unsigned Pace = 1          // cycles from a row to the next, 1 or more than 3
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        halt_i,
    input  logic        clear_i,
    // commands
    input  logic        cmd_valid_i,
    input  cmd_t        cmd_i,
    output logic        cmd_ready_o,
    output status_t     status_o,
    // configuration registers
    output logic        cfg_take_o,
    input  stream_t     a_i,
    input  stream_t     b_i,
    input  result_t     d_i,
    input  shape_t      shape_i,
    // rows to fetch
    output mode_e       mode_o,
    output logic [8:0]  lanes_o,       // lanes in use: RUN of the source, XPOSE of the result
    output logic [1:0]  vreg_o,        // destination of LDV
    output logic        start_o,       // first cycle of a command that moves rows
    input  logic        fetch_ready_i,
    output logic        step_o,
    output logic        b_used_o,      // stream B takes part
    output logic [31:0] a_addr_o,
    output logic [31:0] b_addr_o,
    output meta_t       meta_o,
    // transpose: column to write
    input  logic        gathered_i,    // the whole source tile is in the buffer
    output logic        scatter_o,     // write column col_o as a result row at meta_o.d_addr
    output logic [8:0]  col_o,
    // progress
    input  logic        loaded_i,      // a vector register was written
    input  logic        written_i,     // a result was granted by VMEM
    input  logic        refused_i,     // a request lost its arbitration
    input  logic        in_flight_i    // a read was granted and its data is not here yet
);
  localparam int unsigned LaneBits = $clog2(N);
  localparam int unsigned CountBits = $clog2(Depth + 1);

  typedef enum logic [5:0] {
    StIdle    = 6'b000001,  // takes commands
    StWalk    = 6'b000010,  // one row a cycle to the fetch stage
    StGather  = 6'b000100,  // transpose: the last source rows are on their way to the buffer
    StScatter = 6'b001000,  // transpose: one result row a cycle
    StDrain   = 6'b010000,  // results are on their way to VMEM
    StError   = 6'b100000   // until clear_i
  } state_e;
  state_e state_q;
  logic idle, walk, gather, scatter, drain, failed;
  assign {failed, drain, scatter, gather, walk, idle} = state_q;

  mode_e  mode_q;
  logic [PcBits-1:0] pc_q;
  logic [15:0] left0_q, left1_q, left2_q;  // rows left in this dimension, this one included
  logic roll0, roll1, roll2;               // it is the last: left0_q == 1, and so on
  logic first0_q, first1_q, first2_q;      // it is the first
  logic one0_q, one1_q;                    // there is only one
  logic last_q;                            // the row is the last of its group: it has a result
  logic [1:0] dims_q;                      // dimensions that are reduced
  logic [8:0]  cols_q;                     // transpose: columns of the source
  logic [CountBits-1:0] pending_q;         // results on their way
  logic full_q, none_q;                    // Depth of them, none of them
  logic done_q, error_q;
  logic refused_q;  // the command taken in the last cycle is in error: nothing comes of it
  error_e cause_q;
  logic [31:0] err_addr_q;

  // ---- taking a command -------------------------------------------------------------------
  logic dec_err, take, moves, is_run, is_xpose;
  error_e dec_cause;
  logic [31:0] dec_value;
  vpu_run_t   run;
  vpu_xpose_t xpose;
  vpu_ldv_t   ldv;
  logic [31:0] a_start, b_start, d_start;

  ttpu_vpu_decode #(
      .N(N), .HasFp(HasFp), .VpuStages(VpuStages), .HasSfu(HasSfu)
  ) i_decode (
      .cmd_i, .err_o(dec_err), .cause_o(dec_cause), .value_o(dec_value)
  );

  always_comb begin
    run = vpu_run_t'(cmd_i.body);
    xpose = vpu_xpose_t'(cmd_i.body);
    ldv = vpu_ldv_t'(cmd_i.body);
    cmd_ready_o = idle && !refused_q && !halt_i && !clear_i;
    take = cmd_valid_i && cmd_ready_o;
    cfg_take_o = take;  // of one in error too: nothing is done with it until clear_i
    moves = cmd_i.opcode == OpVpuRun || cmd_i.opcode == OpVpuXpose || cmd_i.opcode == OpVpuLdv;
    is_run = cmd_i.opcode == OpVpuRun;
    is_xpose = cmd_i.opcode == OpVpuXpose;
    // run.imm_a stands where xpose.imm_a does.
    a_start = cmd_i.a + (is_run || is_xpose ? 32'(run.imm_a) : 32'(ldv.imm_a));
    b_start = cmd_i.b + 32'(run.imm_b);
    d_start = cmd_i.c + (is_run ? 32'(run.imm_d) : 32'(xpose.imm_d));
  end

  // ---- walking ----------------------------------------------------------------------------
  logic acc_src, final_row, first, step_d, roll0_d, roll1_d, roll2_d;
  logic [31:0] d_addr, d_outer1, d_outer2, d_row;
  logic [31:0] a_outer1, a_outer2, b_outer1, b_outer2;  // only D's are needed

  function automatic logic [31:0] row_bytes(input logic signed [19:0] s, input logic rows);
    row_bytes = rows ? 32'(s) : 32'(s) << LaneBits;
  endfunction

  logic [31:0] a_s0, a_s1, a_s2, b_s0, b_s1, b_s2, d_s0, d_s1, d_s2;
  always_comb begin
    a_s0 = row_bytes(a_i.s0, acc_src);
    a_s1 = row_bytes(a_i.s1, acc_src);
    a_s2 = row_bytes(a_i.s2, acc_src);
    b_s0 = row_bytes(b_i.s0, 1'b0);
    b_s1 = row_bytes(b_i.s1, 1'b0);
    b_s2 = row_bytes(b_i.s2, 1'b0);
    d_s0 = row_bytes(d_i.s0, 1'b0);
    d_s1 = row_bytes(d_i.s1, 1'b0);
    d_s2 = shape_i.row_dims == 2'd3 ? 32'd0 : row_bytes(d_i.s2, 1'b0);  // all folded: D stays
  end

  // Starts are loaded in every idle cycle: the one in which a command is taken is the last.
  ttpu_vpu_addr i_addr_a (
      .clk_i, .load_i(idle), .start_i(a_start), .step_i(step_o), .roll0_i(roll0), .roll1_i(roll1),
      .s0_i(a_s0), .s1_i(a_s1), .s2_i(a_s2),
      .addr_o(a_addr_o), .outer1_o(a_outer1), .outer2_o(a_outer2)
  );
  ttpu_vpu_addr i_addr_b (
      .clk_i, .load_i(idle), .start_i(b_start), .step_i(step_o), .roll0_i(roll0), .roll1_i(roll1),
      .s0_i(b_s0), .s1_i(b_s1), .s2_i(b_s2),
      .addr_o(b_addr_o), .outer1_o(b_outer1), .outer2_o(b_outer2)
  );
  ttpu_vpu_addr i_addr_d (
      .clk_i, .load_i(idle), .start_i(d_start), .step_i(step_d),
      .roll0_i(roll0 && walk), .roll1_i(roll1), .s0_i(d_s0), .s1_i(d_s1), .s2_i(d_s2),
      .addr_o(d_addr), .outer1_o(d_outer1), .outer2_o(d_outer2)
  );

  function automatic logic ends_group(input logic [1:0] dims, input logic end0, input logic end1,
                                      input logic end2);
    ends_group = dims == 2'd0 || (end0 && (dims == 2'd1 || (end1 && (dims == 2'd2 || end2))));
  endfunction

  always_comb begin
    acc_src = a_i.acc && mode_q == ModeRun;
    b_used_o = b_i.on && mode_q == ModeRun;
    final_row = roll0 && roll1 && roll2;
    first = dims_q == 2'd0 || (first0_q && (dims_q == 2'd1 || (first1_q &&
                                                             (dims_q == 2'd2 || first2_q))));
    // Of the row behind this one.
    roll0_d = roll0 ? one0_q : left0_q == 16'd2;
    roll1_d = !roll0 ? roll1 : roll1 ? one1_q : left1_q == 16'd2;
    roll2_d = !(roll0 && roll1) ? roll2 : left2_q == 16'd2;
    d_row = dims_q == 2'd0 ? d_addr : dims_q == 2'd1 ? d_outer1 : d_outer2;
    meta_o = '{first: first, last: last_q, d_addr: d_row[23:0]};
  end

  // ---- checks of addresses ----------------------------------------------------------------------
  // Alignment once: starts, and strides of the dimensions that move, of A, then B, then D. Bounds
  // with each row. Pace = 1: alignment as the command is taken, bounds as the row goes. Pace > 1:
  // in the cycle before, from registers; addresses stand that long, as rows are cycles apart and
  // the first one waits for the second cycle of its command.
  typedef struct packed {
    logic s2, s1, s0, start;
  } align_t;
  align_t a_align, b_align, d_align, a_align_q, b_align_q, d_align_q;
  typedef struct packed {
    logic s2, s1, s0;  // this stride is out of alignment
    logic half, word;  // a row is 2 N, 4 N bytes and must lie so
  } rules_t;
  rules_t a_rules_d, b_rules_d, d_rules_d, x_rules_d, a_rules, b_rules, d_rules, x_rules;
  logic run_now, xpose_now, align_now;  // of the command whose alignment is checked
  logic next0, next1, next2, go0, go1, go2, col_go;
  logic [31:0] a_first, b_first, d_first;
  logic a_far, b_far, d_far, a_out, b_out, d_out, row_bad, checked;
  logic a_bad, b_bad, d_bad, a_bad_q, b_bad_q, d_bad_q;  // alignment of the stream is
  logic pick_a, pick_b;
  error_e row_cause;
  logic [31:0] row_base, row_stride;

  // Strides are in rows of N bytes.
  function automatic rules_t rules_of(input dtype_e dtype, input logic [1:0] s0,
                                      input logic [1:0] s1, input logic [1:0] s2);
    logic [1:0] mask;
    mask = {dtype_log2(dtype) == 2'd2, dtype_log2(dtype) != 2'd0};
    rules_of.half = mask[0];
    rules_of.word = mask[1];
    rules_of.s0 = (s0 & mask) != 2'd0;
    rules_of.s1 = (s1 & mask) != 2'd0;
    rules_of.s2 = (s2 & mask) != 2'd0;
  endfunction

  function automatic align_t align_bad(input rules_t rules, input logic [LaneBits+1:0] start,
                                       input logic move0, input logic move1, input logic move2);
    align_bad.start = start[LaneBits-1:0] != '0 || (rules.half && start[LaneBits]) ||
                      (rules.word && start[LaneBits+1]);
    align_bad.s0 = move0 && rules.s0;
    align_bad.s1 = move1 && rules.s1;
    align_bad.s2 = move2 && rules.s2;
  endfunction

  function automatic logic beyond(input logic [31:0] addr, input logic acc);
    beyond = addr >= (acc ? 32'(2 * AccRows) : VmemBytes);
  endfunction

  always_comb begin
    next0 = is_run ? shape_i.n0 != 16'd1 : is_xpose && xpose.rows != 9'd1;
    next1 = is_run && shape_i.n1 != 16'd1;
    next2 = is_run && shape_i.n2 != 16'd1;
    if (Pace == 1) begin
      {run_now, xpose_now, align_now} = {is_run, is_xpose, idle};
      {go0, go1, go2, col_go} = {next0, next1, next2, xpose.lanes != 9'd1};
      a_first = a_start;
      b_first = b_start;
      d_first = d_start;
    end else begin
      {run_now, xpose_now, align_now} = {mode_q == ModeRun, mode_q == ModeXpose, start_o};
      {go0, go1, go2, col_go} = {!roll0, !roll1, !roll2, cols_q != 9'd1};
      a_first = a_addr_o;
      b_first = b_addr_o;
      d_first = d_addr;
    end
    a_align = align_bad(a_rules | {3'd0, {2{!run_now && !xpose_now}}}, a_first[LaneBits+1:0],
                        go0, go1, go2);  // of LDV I32, one row
    b_align = align_bad(b_rules, b_first[LaneBits+1:0], go0, go1, go2);
    if (xpose_now) d_align = align_bad(x_rules, d_first[LaneBits+1:0], col_go, 1'b0, 1'b0);
    else
      d_align = align_bad(d_rules, d_first[LaneBits+1:0], go0 && shape_i.row_dims == 2'd0,
                          go1 && shape_i.row_dims <= 2'd1, go2 && shape_i.row_dims <= 2'd2);
    a_bad = a_align != '0 && !(a_i.acc && run_now);
    b_bad = b_align != '0 && b_i.on && run_now;
    d_bad = d_align != '0 && (run_now || xpose_now);
  end
  always_comb begin
    a_rules_d = rules_of(a_i.dtype, a_i.s0[1:0], a_i.s1[1:0], a_i.s2[1:0]);
    b_rules_d = rules_of(b_i.dtype, b_i.s0[1:0], b_i.s1[1:0], b_i.s2[1:0]);
    d_rules_d = rules_of(d_i.dtype, d_i.s0[1:0], d_i.s1[1:0], d_i.s2[1:0]);
    x_rules_d = rules_of(a_i.dtype, d_i.s0[1:0], 2'd0, 2'd0);
  end
  always_ff @(posedge clk_i) begin
    if (align_now) begin
      a_align_q <= a_align;
      b_align_q <= b_align;
      d_align_q <= d_align;
      {a_bad_q, b_bad_q, d_bad_q} <= {a_bad, b_bad, d_bad};
    end
  end

  // Which of the row's addresses lie outside.
  always_comb begin
    a_far = beyond(a_addr_o, acc_src) && walk;
    b_far = beyond(b_addr_o, 1'b0) && walk && b_used_o;
    d_far = beyond(d_row, 1'b0) &&
            ((walk && mode_q == ModeRun && last_q) ||
             (!walk && mode_q == ModeXpose));  // StScatter, and before it
  end
  if (Pace == 1) begin : gen_bad_now
    assign {a_out, b_out, d_out} = {a_far, b_far, d_far};
    assign {a_rules, b_rules, d_rules, x_rules} = {a_rules_d, b_rules_d, d_rules_d, x_rules_d};
    assign row_bad = a_bad_q || b_bad_q || d_bad_q || a_far || b_far || d_far;
    assign checked = 1'b1;
  end else begin : gen_bad_before
    always_ff @(posedge clk_i) begin
      {a_out, b_out, d_out} <= {a_far, b_far, d_far};
      {a_rules, b_rules, d_rules, x_rules} <= {a_rules_d, b_rules_d, d_rules_d, x_rules_d};
      row_bad <= (start_o ? a_bad || b_bad || d_bad : a_bad_q || b_bad_q || d_bad_q) ||
                 a_far || b_far || d_far;
    end
    assign checked = !start_o;
  end

  // What is wrong, and the first address in error: of a stream, perhaps its second row's. A row
  // that is out of alignment is the first.
  always_comb begin
    pick_a = a_bad_q || (!b_bad_q && !d_bad_q && a_out);
    pick_b = !a_bad_q && (b_bad_q || (!d_bad_q && !a_out && b_out));
    row_base = pick_a ? a_addr_o : pick_b ? b_addr_o : d_row;
    row_stride = '0;
    if (a_bad_q) begin
      if (!a_align_q.start) row_stride = a_align_q.s0 ? a_s0 : a_align_q.s1 ? a_s1 : a_s2;
    end else if (b_bad_q) begin
      if (!b_align_q.start) row_stride = b_align_q.s0 ? b_s0 : b_align_q.s1 ? b_s1 : b_s2;
    end else if (d_bad_q) begin
      if (!d_align_q.start) row_stride = d_align_q.s0 ? d_s0 : d_align_q.s1 ? d_s1 : d_s2;
    end
    if (a_bad_q || b_bad_q || d_bad_q) row_cause = ErrBadAlign;
    else row_cause = a_out && acc_src ? ErrAccBounds : ErrVmemBounds;
  end

  logic scatter_ready;
  if (Pace == 1) begin : gen_each_cycle
    assign scatter_ready = 1'b1;
  end else begin : gen_pace
    logic [$clog2(Pace)-1:0] pace_q;
    logic ready_q;  // pace_q == '0
    assign scatter_ready = ready_q;
    always_ff @(posedge clk_i) begin
      if (scatter_o) pace_q <= ($clog2(Pace))'(Pace - 1);
      else if (pace_q != '0) pace_q <= pace_q - 1'b1;
      ready_q <= !scatter_o && pace_q <= ($clog2(Pace))'(1);
      if (!rst_ni || clear_i) begin
        pace_q <= '0;
        ready_q <= 1'b1;
      end
    end
  end

  // ---- states ---------------------------------------------------------------------------------
  logic hold, walks, scatters, turn, counts;
  always_comb begin
    hold = halt_i || refused_q || !checked;
    walks = walk && fetch_ready_i && (!full_q || !last_q);
    scatters = scatter && !full_q && scatter_ready;
    turn = (walks || scatters) && !hold;
    // row_bad is late where Pace = 1: what goes is known before
    step_o = walks && !hold && !row_bad;
    scatter_o = scatters && !hold && !row_bad;
    step_d = (scatters || (walks && mode_q == ModeRun)) && !hold && !row_bad;
    counts = (scatters || (walks && mode_q == ModeRun && last_q)) && !hold && !row_bad;
  end

  // The state is left with its bit, not by a choice among all: what ends it is late.
  logic walked, scattered, drained;
  state_e state_d;
  always_comb begin
    walked = step_o && final_row;
    scattered = scatter_o && col_o + 9'd1 == cols_q;
    drained = mode_q == ModeLdv ? loaded_i : none_q;
    state_d[0] = (idle && !(take && moves)) || (drain && drained);
    state_d[1] = (idle && take && moves) || (walk && !walked);
    state_d[2] = (walk && walked && mode_q == ModeXpose) || (gather && !gathered_i);
    state_d[3] = (gather && gathered_i) || (scatter && !scattered);
    state_d[4] = (walk && walked && mode_q != ModeXpose) || (scatter && scattered) ||
                 (drain && !drained);
    state_d[4:0] = state_d[4:0] & {5{!refused_q && !(turn && row_bad)}};
    state_d[5] = failed || refused_q || (turn && row_bad);
  end

  always_ff @(posedge clk_i) begin
    done_q <= 1'b0;
    error_q <= 1'b0;
    start_o <= 1'b0;
    refused_q <= take && dec_err;
    if (counts != written_i) begin
      pending_q <= counts ? pending_q + 1'b1 : pending_q - 1'b1;
      full_q <= counts && pending_q == CountBits'(Depth - 1);
      none_q <= !counts && pending_q == CountBits'(1);
    end
    // What an error would be of: the command, then each row.
    if (take || ((walk || scatter) && !refused_q)) begin
      cause_q <= idle ? dec_cause : row_cause;
      err_addr_q <= idle ? dec_value : row_base + row_stride;
    end
    case (1'b1)
      idle: begin
        // Counts are loaded in every idle cycle, as addresses are.
        {first0_q, first1_q, first2_q} <= '1;
        left0_q <= is_run ? shape_i.n0 : is_xpose ? 16'(xpose.rows) : 16'd1;
        left1_q <= is_run ? shape_i.n1 : 16'd1;
        left2_q <= is_run ? shape_i.n2 : 16'd1;
        roll0 <= !next0;
        roll1 <= !next1;
        roll2 <= !next2;
        one0_q <= !next0;
        one1_q <= !next1;
        dims_q <= is_run ? shape_i.row_dims : 2'd0;
        last_q <= !is_run || ends_group(shape_i.row_dims, !next0, !next1, !next2);
        if (take) begin
          pc_q <= cmd_i.pc;
          start_o <= moves;
          done_q <= !moves;
          mode_q <= is_run ? ModeRun : is_xpose ? ModeXpose : ModeLdv;
          lanes_o <= is_run ? run.lanes : is_xpose ? xpose.rows : 9'(N);
          vreg_o <= ldv.index;
          cols_q <= xpose.lanes;
          col_o <= 9'd0;
        end
      end
      walk: begin
        if (step_o) begin
          left0_q <= roll0 ? shape_i.n0 : left0_q - 16'd1;
          if (roll0) left1_q <= roll1 ? shape_i.n1 : left1_q - 16'd1;
          if (roll0 && roll1) left2_q <= left2_q - 16'd1;
          roll0 <= roll0_d;
          roll1 <= roll1_d;
          roll2 <= roll2_d;
          last_q <= ends_group(dims_q, roll0_d, roll1_d, roll2_d);
          first0_q <= roll0;
          if (roll0) first1_q <= roll1;
          if (roll0 && roll1) first2_q <= 1'b0;
        end
      end
      scatter: if (scatter_o) col_o <= col_o + 9'd1;
      drain: if (drained) done_q <= 1'b1;
      default: ;
    endcase
    if (turn && row_bad) error_q <= 1'b1;
    state_q <= state_d;
    if (!rst_ni || clear_i) begin
      state_q <= StIdle;
      mode_q <= ModeRun;
      pending_q <= '0;
      full_q <= 1'b0;
      none_q <= 1'b1;
      done_q <= 1'b0;
      error_q <= 1'b0;
      refused_q <= 1'b0;
      start_o <= 1'b0;
    end
  end

  assign mode_o = mode_q;

  always_comb begin
    status_o.done = done_q && !refused_q;
    status_o.error = error_q || refused_q;
    status_o.cause = cause_q;
    status_o.pc = pc_q;
    status_o.addr = FarAddrBits'(err_addr_q);
    status_o.activity = ActIdle;
    if (((!idle && !failed) || done_q) && !refused_q)
      status_o.activity = refused_i ? ActStallMem : ActBusy;
    status_o.quiet = !in_flight_i && !done_q && !error_q && !refused_q &&
                     (halt_i || (none_q && (idle || failed)));
  end

  logic unused;
  assign unused = ^{a_outer1, a_outer2, b_outer1, b_outer2, run, xpose, ldv, a_i, b_i, d_i,
                    shape_i, a_align_q, b_align_q, d_align_q, a_first, b_first, d_first};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (!(written_i && pending_q == '0)) else $error("a result without a row");
      assert ($onehot(state_q)) else $error("no state, or several");
      if (walk) begin
        assert (roll0 == (left0_q == 16'd1) && roll1 == (left1_q == 16'd1) &&
                roll2 == (left2_q == 16'd1) &&
                last_q == ends_group(dims_q, roll0, roll1, roll2) &&
                full_q == (pending_q == CountBits'(Depth)) && none_q == (pending_q == '0))
        else $error("the ends of dimensions known ahead differ from the counts");
        assert (mode_q != ModeRun || (first0_q == (left0_q == shape_i.n0) &&
                first1_q == (left1_q == shape_i.n1) && first2_q == (left2_q == shape_i.n2)))
        else $error("the begins of dimensions known ahead differ from the counts");
      end
      assert (!turn || (a_out == a_far && b_out == b_far && d_out == d_far &&
                        row_bad == (a_bad_q || b_bad_q || d_bad_q || a_far || b_far || d_far)))
      else $error("the checks made ahead are of other addresses");
    end
  end
`endif
endmodule
