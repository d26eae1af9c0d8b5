// Activation feed: MXU_SHAPE and MXU_MATMUL commands in, rows of activations out to the array.
//
// One row a cycle, without a gap between commands as long as VMEM grants. A row granted in cycle t
// enters the array in cycle t + 2 + MemStages together with info_o, which travels beside it to the
// accumulators and carries the end of each command (MXU_SHAPE passes the same way, to end in order).
// The first row of a MATMUL with swap is requested when the loader's tile is ready (tile_ready_i);
// its grant takes the tile (tile_take_o, MemStages cycles later: always two cycles ahead of the
// array). With MemStages = 1 rows leave the walk into a ttpu_skid, whose first is requested: so a
// request and the walk's next step come from registers, and a row is requested a cycle after it
// left. No check is made again there; an error is reported in the cycle after the rows before it are
// granted.
// Integer and float rows are never in the array together: a change of kind waits until the array is
// empty (array_busy_i).
// A row that adds to an accumulator row waits until AccStages cycles after the grant of the row that
// wrote it before.
// The walk of MXU_SHAPE needs no divider: two counters and the addresses at which the present runs
// of dimensions 0 and 1 began. Lanes beyond the k of the weights are neutral.
// Errors: docs/reference/mxu.md.
module ttpu_mxu_feed
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned FpGap = 1,  // cycles from one float row to the next: 1 or 2
    parameter int unsigned AccStages = 1,  // cycles that adding to the accumulators takes
    parameter int unsigned AccRows = 512,  // in each half
    parameter int unsigned MemStages = 0,  // of VMEM: 0, or 1, which FpGap = 2 and AccStages > 1 need
    parameter int unsigned VmemBytes = 262144,
    localparam int unsigned ElemBits = element_bits(HasFp)
) (
    input logic clk_i,
    input logic rst_ni,
    input logic halt_i,
    input logic clear_i,
    // command port (unit MXS)
    input logic cmd_valid_i,
    input cmd_t cmd_i,
    output logic cmd_ready_o,
    output status_t status_o,
    // VMEM read port
    output logic rd_req_o,
    output logic [VmemAddrBits-1:0] rd_addr_o,
    input logic rd_gnt_i,
    input logic [N*32-1:0] rd_data_i,
    // tile of weights to swap in
    input logic tile_ready_i,
    input logic [8:0] tile_k_i,
    input logic [8:0] tile_n_i,
    input logic tile_fp_i,
    output logic tile_take_o,
    // rows to the array
    output logic x_swap_o,
    output logic [ElemBits-1:0] x_data_o[N],
    output logic info_valid_o,
    output row_info_t info_o,
    input logic array_busy_i,
    // end of commands
    input logic last_i,  // info_o.last has reached the accumulators
    // counters
    output logic rows_o,
    output logic [31:0] macs_o
);
  localparam int unsigned LogN = $clog2(N);

  // ---- commands: one waits, one works ----------------------------------------------------------
  typedef struct packed {
    logic [31:0] addr;    // of activation row 0
    logic [31:0] acc;     // first accumulator row
    logic [31:0] rows;
    logic [85:0] body;
    logic [7:0]  opcode;
    logic [15:0] pc;
  } work_t;

  mxu_matmul_t body_in;
  assign body_in = mxu_matmul_t'(cmd_i.body);

  work_t next_q, work_q;
  logic next_valid_q, work_valid_q, first_q, error_q;
  mxu_matmul_t matmul;
  mxu_shape_t shape, shape_q;
  mxu_matmul_t next_matmul;
  assign next_matmul = mxu_matmul_t'(next_q.body);
  assign matmul = mxu_matmul_t'(work_q.body);
  assign shape  = mxu_shape_t'(work_q.body);

  // ---- the walk --------------------------------------------------------------------------------
  logic [31:0] addr_q, run_q, block_q;  // present row; start of its run of dimension 0, of 1
  // Rows behind this one in its run of dimension 0, runs behind this one in that of dimension 1: a
  // length of 0 counts down from 65535, which no command reaches.
  logic [15:0] left0_q, left1_q, left0_in, left1_in;
  logic end0_q, end1_q;  // none
  logic [31:0] acc_q, left_q;  // accumulator row; rows to go
  logic [31:0] stride0, stride1, stride2, addr_d, run_d, block_d;
  assign stride0 = 32'(matmul.stride) << LogN;
  assign stride1 = 32'(shape_q.stride1) << LogN;
  assign stride2 = 32'(shape_q.stride2) << LogN;
  always_comb begin
    addr_d = addr_q + stride0;
    run_d = run_q;
    block_d = block_q;
    if (end0_q) begin
      run_d = run_q + stride1;
      if (end1_q) begin
        block_d = block_q + stride2;
        run_d = block_d;
      end
      addr_d = run_d;
    end
  end

  // ---- checks, in the order of the contract ----------------------------------------------------
  // All but the kind of the weights are made a cycle ahead: of a command when it begins to work, of
  // a row with the step to it.
  logic is_matmul, is_shape, fp, next_fp;  // the first three belong to work_q
  assign next_fp = (HasFp != 0) & (next_matmul.dtype == DtypeBf16);

  logic act_fp_q;  // kind of the active weights
  logic [8:0] act_k_q, act_n_q;
  logic swap_first;  // the next row brings new weights: first_q and the command swaps

  typedef struct packed {
    logic opcode, rows, dtype, unsupported;  // the command
    logic align;                             // the row
    logic stride0, stride1;                  // its second row, the first behind a run
    logic vmem, acc;                         // the row
  } bad_t;

  logic shape_pass;
  mxu_shape_t next_shape;  // of the command in next_q
  logic [31:0] acc_d, acc_in;  // acc_q + 1; what acc_q becomes if it changes
  logic bad, other_kind, bad_q, last_row_q;
  bad_t next_bad, what_q;
  assign next_shape = is_shape ? shape : shape_q;  // the SHAPE at work passes, or passed last

  function automatic bad_t bad_row(input logic [31:0] addr, input logic [31:0] acc,
                                   input logic of_fp);
    bad_row = '0;
    bad_row.align = addr[LogN-1:0] != '0 || (of_fp && addr[LogN]);
    bad_row.vmem = addr >= 32'(VmemBytes);
    bad_row.acc = acc >= 32'(2 * AccRows);
  endfunction

  always_comb begin
    next_bad = bad_row(next_q.addr, next_q.acc, next_fp);
    next_bad.opcode = next_q.opcode != OpMxuMatmul && next_q.opcode != OpMxuShape;
    next_bad.rows = next_q.rows == '0 || next_q.rows > 32'd65535;
    next_bad.dtype = next_matmul.dtype > DtypeBf16;
    next_bad.unsupported = HasFp == 0 && next_matmul.dtype == DtypeBf16;
    next_bad.stride0 = next_fp && next_matmul.stride[0] && next_q.rows > 32'd1 &&
                       next_shape.inner0 != 16'd1;
    next_bad.stride1 = next_fp && next_shape.stride1[0] && next_shape.inner0 != 16'd0 &&
                       next_q.rows > 32'(next_shape.inner0) && next_shape.inner1 != 16'd1;
  end
  assign other_kind = first_q & (fp != (matmul.swap ? tile_fp_i : act_fp_q));
  assign bad = bad_q | other_kind;

  error_e cause;
  logic [31:0] cause_addr;
  always_comb begin
    cause = ErrBadField;
    cause_addr = 32'(matmul.dtype);
    if (what_q.opcode) begin
      cause = ErrIllegalOpcode;
      cause_addr = 32'(work_q.opcode);
    end else if (what_q.rows) begin
      cause_addr = work_q.rows;
    end else if (what_q.unsupported) begin  // never with what_q.dtype
      cause = ErrUnsupported;
    end else if (!what_q.dtype && !other_kind) begin
      cause = what_q.align || what_q.stride0 || what_q.stride1 ? ErrBadAlign :
              what_q.vmem ? ErrVmemBounds : ErrAccBounds;
      cause_addr = what_q.align ? addr_q : what_q.stride0 ? addr_q + stride0 :
                   what_q.stride1 ? run_q + stride1 :  // in the first row run_q is addr_q
                   what_q.vmem ? addr_q : acc_q;
    end
  end

  // ---- control ---------------------------------------------------------------------------------
  logic live, weights_there, kind_clear, acc_in_work, fp_gap, work_end, load, load_now, take_next;
  logic fault, reset;
  logic want, take;  // the row could leave the walk, does leave it
  logic place;  // there is one for what leaves the walk
  logic go;  // a row is granted, or a command without rows passes
  logic ask, next;  // one of them has left the walk and not gone; another one behind it
  logic swap_pending;  // a row with new weights has left the walk, and its tile is not yet taken
  // A MATMUL with swap is looked at when its weights are there.
  assign weights_there = ~(is_matmul & swap_first) | (tile_ready_i & ~swap_pending);
  assign live = work_valid_q & ~halt_i & ~error_q & ~clear_i;
  assign fault = live & ~is_shape & weights_there & bad & ~ask;
  assign want = live & is_matmul & weights_there & kind_clear & ~acc_in_work & ~fp_gap & ~bad;
  assign shape_pass = live & is_shape & place;
  assign work_end = (take & last_row_q) | shape_pass;
  assign load = load_now | (take & take_next);
  // Apart from the grant, which comes late: what the place of work takes if it takes anything.
  assign load_now = next_valid_q & (~work_valid_q | shape_pass);
  assign take_next = next_valid_q & (~work_valid_q | is_shape | last_row_q);
  assign left0_in = take_next ? next_shape.inner0 : end0_q ? shape_q.inner0 : left0_q;
  assign left1_in = take_next ? next_shape.inner1 : end1_q ? shape_q.inner1 : left1_q;
  assign acc_in = take_next ? next_q.acc : acc_d;
  bad_t next_or_row;
  assign next_or_row = take_next ? next_bad : bad_row(addr_d, acc_d, fp);
  assign cmd_ready_o = ~next_valid_q & ~halt_i & ~error_q;
  assign reset = ~rst_ni | clear_i;

  // ---- rows between walk and array -------------------------------------------------------------
  typedef struct packed {
    row_info_t  info;
    logic       swap;
    logic       is_signed;
    logic [1:0] place;      // the row in its word, in units of N bytes
    logic [8:0] k;
  } note_t;
  note_t note, go_note, next_note, way_q[MemStages+1], note2_q;
  logic [MemStages:0] way_valid_q;  // went one cycle ago, two
  logic valid2_q;  // is at the array
  logic on_way;
  logic [17:0] macs2_q;
  assign note = '{
      info: '{
          row: ~is_shape,
          last: last_row_q | is_shape,
          accumulate: matmul.accumulate,
          fp: fp,
          n: swap_first & ~is_shape ? tile_n_i : act_n_q,
          acc: acc_q[15:0]
      },
      swap: swap_first & ~is_shape,
      is_signed: matmul.dtype == DtypeS8,
      place: addr_q[LogN+1:LogN],
      k: swap_first & ~is_shape ? tile_k_i : act_k_q
  };
  logic unused;
  assign unused = ^{next_matmul, next_shape, next, next_note};
  assign on_way = ask | (way_valid_q != '0) | valid2_q;

  if (MemStages == 0) begin : gen_direct
    assign rd_req_o = want;
    assign rd_addr_o = addr_q[VmemAddrBits-1:0];
    assign take = want & rd_gnt_i;
    assign place = 1'b1;
    assign ask = 1'b0;
    assign next = 1'b0;
    assign next_note = note;
    assign go = take | shape_pass;
    assign go_note = note;
    assign tile_take_o = take & swap_first;
    assign swap_pending = 1'b0;
  end else begin : gen_register
    logic take_q, pending_q, passes;
    logic [VmemAddrBits-1:0] unused_addr;
    // Rows are forgotten in the cycle after a halt.
    ttpu_skid #(
        .Width(VmemAddrBits + $bits(note_t))
    ) i_ask (
        .clk_i,
        .rst_ni,
        .clear_i(clear_i | halt_i),
        .push_valid_i(want | (live & is_shape)),
        .push_ready_o(place),
        .push_data_i({addr_q[VmemAddrBits-1:0], note}),
        .pop_valid_o(ask),
        .pop_ready_i(passes),
        .pop_data_o({rd_addr_o, go_note}),
        .next_valid_o(next),
        .next_data_o({unused_addr, next_note})
    );
    assign rd_req_o = ask & go_note.info.row;
    assign passes = ~go_note.info.row | rd_gnt_i;
    assign go = ask & passes;
    assign take = want & place;
    assign tile_take_o = take_q;
    assign swap_pending = pending_q;
    always_ff @(posedge clk_i) begin
      take_q <= ~reset & go & go_note.swap;
      pending_q <= ~reset & ((take & swap_first) | (pending_q & ~take_q));
    end
  end
  // Kind of the rows that may still be in the array.
  if (HasFp != 0) begin : gen_kind
    logic kind_q;
    logic empty;
    assign kind_clear = (fp == kind_q) | empty;
    if (MemStages == 0) begin : gen_now
      assign empty = ~(on_way | array_busy_i);
    end else begin : gen_before  // a cycle later
      logic empty_q;
      assign empty = empty_q;
      always_ff @(posedge clk_i) empty_q <= ~(on_way | array_busy_i | take | shape_pass);
    end
    always_ff @(posedge clk_i) begin
      if (take) kind_q <= fp;
      if (reset) kind_q <= 1'b0;
    end
  end else begin : gen_no_kind
    assign kind_clear = 1'b1;
  end

  if (FpGap == 2) begin : gen_gap
    assign fp_gap = fp & ask;  // it would be granted in the cycle after that one
  end else begin : gen_no_gap
    assign fp_gap = 1'b0;
  end

  // Accumulator rows that are asked for or were granted 1 to AccStages - 2 cycles ago: a row that
  // adds to one of them must not leave the walk, as its grant may be in the next cycle. Whether
  // acc_q is one of them is worked out in the cycle before.
  if (AccStages > 1) begin : gen_acc_in_work
    localparam int unsigned Recent = AccStages - 1;
    localparam int unsigned AccBits = $clog2(2 * AccRows);  // beyond them a row is in error
    logic [Recent-1:0] recent;  // [0] next, [1] ask, [i] granted i - 1 cycles ago
    logic [AccBits-1:0] recent_acc[Recent];
    logic [Recent-1:2] recent_q;
    logic [AccBits-1:0] recent_acc_q[Recent];
    // Is among the rows before the one of this cycle: the next command's row, the next, this.
    logic again_q, older_next, older_d, older;
    assign acc_in_work = again_q & matmul.accumulate;
    assign recent = {recent_q, ask & go_note.info.row, next & next_note.info.row};
    always_comb begin
      recent_acc[0] = next_note.info.acc[AccBits-1:0];
      recent_acc[1] = go_note.info.acc[AccBits-1:0];
      for (int unsigned i = 2; i < Recent; i++) recent_acc[i] = recent_acc_q[i];
      {older_next, older_d, older} = '0;
      for (int unsigned i = 0; i < Recent; i++) begin
        older_next |= recent[i] & (recent_acc[i] == next_q.acc[AccBits-1:0]);
        older_d |= recent[i] & (recent_acc[i] == acc_d[AccBits-1:0]);
        older |= recent[i] & (recent_acc[i] == acc_q[AccBits-1:0]);
      end
    end
    always_ff @(posedge clk_i) begin
      recent_q <= reset ? '0 : {recent[Recent-2:2], go & go_note.info.row};
      for (int unsigned i = 2; i < Recent; i++) recent_acc_q[i] <= recent_acc[i-1];
      if (load) again_q <= older_next | (take & (acc_q[AccBits-1:0] == next_q.acc[AccBits-1:0]));
      else again_q <= take ? older_d : older;
      if (reset) again_q <= 1'b0;
    end
  end else begin : gen_no_acc_in_work
    assign acc_in_work = 1'b0;
  end

  logic [9:0] flight_q;  // commands between their last grant and their end
  always_ff @(posedge clk_i) begin
    if (cmd_valid_i & cmd_ready_o) begin
      next_q <= '{
          addr: cmd_i.a + 32'(body_in.imm_a),
          acc: cmd_i.b + 32'(body_in.acc),
          rows: cmd_i.c + 32'(body_in.rows),
          body: cmd_i.body,
          opcode: cmd_i.opcode,
          pc: cmd_i.pc
      };
    end
    next_valid_q <= (next_valid_q & ~load) | (cmd_valid_i & cmd_ready_o);
    if (load) begin
      work_q <= next_q;
      is_matmul <= next_q.opcode == OpMxuMatmul;
      is_shape <= next_q.opcode == OpMxuShape;
      fp <= next_fp;
      first_q <= 1'b1;
      swap_first <= next_matmul.swap;
    end else if (take) begin
      first_q <= 1'b0;
      swap_first <= 1'b0;
    end
    if (load_now | take) begin
      last_row_q <= take_next ? next_q.rows == 32'd1 : left_q == 32'd2;
      what_q <= next_or_row;
      bad_q <= next_or_row != '0;
      acc_q <= acc_in;
      acc_d <= acc_in + 32'd1;
      left_q <= take_next ? next_q.rows : left_q - 32'd1;
      addr_q <= take_next ? next_q.addr : addr_d;
      run_q <= take_next ? next_q.addr : run_d;
      block_q <= take_next ? next_q.addr : block_d;
      left0_q <= left0_in - 16'd1;
      end0_q <= left0_in == 16'd1;
      if (take_next | end0_q) begin
        left1_q <= left1_in - 16'd1;
        end1_q <= left1_in == 16'd1;
      end
    end
    work_valid_q <= load | (work_valid_q & ~work_end);
    if (shape_pass) shape_q <= shape;
    if (fault) error_q <= 1'b1;
    if (take & swap_first) begin
      act_fp_q <= tile_fp_i;
      act_k_q  <= tile_k_i;
      act_n_q  <= tile_n_i;
    end

    way_valid_q[0] <= go;
    if (go) way_q[0] <= go_note;
    for (int unsigned i = 1; i <= MemStages; i++) begin
      way_valid_q[i] <= way_valid_q[i-1];
      if (way_valid_q[i-1]) way_q[i] <= way_q[i-1];
    end
    valid2_q <= way_valid_q[MemStages];
    if (way_valid_q[MemStages]) begin
      note2_q <= way_q[MemStages];
      macs2_q <= 18'(way_q[MemStages].k) * 18'(way_q[MemStages].info.n);
    end
    flight_q <= flight_q + 10'(work_end) - 10'(last_i);

    if (reset) begin
      next_valid_q <= 1'b0;
      work_valid_q <= 1'b0;
      first_q <= 1'b0;
      swap_first <= 1'b0;
      is_shape <= 1'b0;
      error_q <= 1'b0;
      shape_q <= '0;
      act_fp_q <= 1'b0;
      act_k_q <= '0;
      act_n_q <= '0;
      way_valid_q <= '0;
      valid2_q <= 1'b0;
      flight_q <= '0;
    end
  end

  // ---- to the array ----------------------------------------------------------------------------
  assign info_valid_o = valid2_q;
  assign info_o = note2_q.info;
  assign x_swap_o = valid2_q & note2_q.info.row & note2_q.swap;
  assign rows_o = valid2_q & note2_q.info.row;
  assign macs_o = rows_o ? 32'(macs2_q) : '0;
  always_comb begin
    for (int unsigned l = 0; l < N; l++) x_data_o[l] = '0;
    if (rows_o) begin
      if (note2_q.info.fp) begin
        for (int unsigned l = 0; l < N; l++)
        x_data_o[l] = (l < 32'(note2_q.k)) ?
            rd_data_i[(32'(note2_q.place[1])*N+l)*16+:ElemBits] : '0;
      end else begin
        for (int unsigned l = 0; l < N; l++)
        x_data_o[l] = (l < 32'(note2_q.k)) ?
            integer_element(rd_data_i[(32'(note2_q.place)*N+l)*8+:8], note2_q.is_signed) : '0;
      end
    end
  end
  function automatic logic [ElemBits-1:0] integer_element(input logic [7:0] bits,
                                                          input logic is_signed);
    integer_element = {{(ElemBits - 8) {bits[7] & is_signed}}, bits};
  endfunction

  // ---- status ----------------------------------------------------------------------------------
  logic stream;  // rows on their way
  assign stream = on_way | (flight_q != '0);
  // An error is told in its cycle, or with MemStages = 1 in the next one: what it is about stands.
  logic report;
  ttpu_late #(.Late(MemStages)) i_report (.clk_i, .clear_i(reset), .d_i(fault), .q_o(report));
  assign status_o.done = last_i;
  assign status_o.error = report;
  assign status_o.cause = cause;
  assign status_o.pc = work_q.pc;
  assign status_o.addr = FarAddrBits'(cause_addr);
  always_comb begin
    if (go) status_o.activity = ActBusy;
    else if (rd_req_o) status_o.activity = ActStallMem;
    else if (work_valid_q & ~halt_i & ~error_q) status_o.activity = ActStallData;
    else status_o.activity = (next_valid_q | stream) ? ActBusy : ActIdle;
  end
  assign status_o.quiet = ~(ask | (way_valid_q != '0) | valid2_q | array_busy_i) &
                          (halt_i | error_q | ~(next_valid_q | work_valid_q | stream));

`ifndef SYNTHESIS
  initial begin
    assert (MemStages == 1 || (MemStages == 0 && FpGap == 1 && AccStages == 1))
    else $fatal(1, "FpGap = 2 and AccStages > 1 need MemStages = 1");
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni & ~clear_i)
      assert (!report || bad) else $error("an error is told that is not there any more");
    if (rst_ni & work_valid_q & ~is_shape) begin
      assert ((what_q & bad_row('1, '1, 1'b1)) == bad_row(addr_q, acc_q, fp) &&
              bad_q == (what_q != '0) && acc_d == acc_q + 32'd1 &&
              swap_first == (first_q & matmul.swap))
      else $error("what is known ahead of a row differs from the row");
    end
  end
`endif
endmodule
