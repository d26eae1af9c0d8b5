// Vector unit: N lanes of 32 bits; one row a cycle from VMEM or the accumulators through a chain of
// configured operations back to VMEM.
//
// Order of a row: fetch, load (widen, dequantise), shuffle, stages 0..S/2-1, special function,
// stages S/2..S-1, lane reduction, row reduction, conversion, write. With VpuLanes = 1 the same is
// done a lane after the other, a row in N cycles (ttpu_vpu_lane_chain). Nothing behind the fetch
// stage ever stops: control issues a row only when its result has room at the write port. Timing
// (no refusals): docs/reference/vpu.md. Commands and errors: ttpu_vpu_ctrl.
module ttpu_vpu
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned VpuStages = 6,
    parameter int unsigned VpuLanes = N,  // lanes that exist: N, or 1 (for FPGAs; N >= 8)
    parameter int unsigned HasSfu = 1,
    parameter int unsigned AccRows = 512,        // in each of the two halves
    parameter int unsigned MemStages = 0,        // of VMEM, which answers in cycle 2 + MemStages
    parameter int unsigned VmemBytes = 262144,
    localparam int unsigned Width = N * 32,
    localparam int unsigned AccBits = $clog2(2 * AccRows)
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    input  logic               halt_i,
    input  logic               clear_i,
    // commands
    input  logic               cmd_valid_i,
    input  cmd_t               cmd_i,
    output logic               cmd_ready_o,
    output status_t            status_o,
    // VMEM reads
    output logic               a_rd_req_o,
    output logic [23:0]        a_rd_addr_o,
    input  logic               a_rd_gnt_i,
    input  logic [Width-1:0]   a_rd_data_i,
    input  logic               a_rd_valid_i,
    output logic               b_rd_req_o,
    output logic [23:0]        b_rd_addr_o,
    input  logic               b_rd_gnt_i,
    input  logic [Width-1:0]   b_rd_data_i,
    input  logic               b_rd_valid_i,
    // VMEM writes
    output logic               wr_req_o,
    output logic [23:0]        wr_addr_o,
    output logic [N*4-1:0]     wr_be_o,
    output logic [Width-1:0]   wr_data_o,
    input  logic               wr_gnt_i,
    // accumulator reads
    output logic               acc_req_o,
    output logic [AccBits-1:0] acc_row_o,
    input  logic               acc_gnt_i,
    input  logic [Width-1:0]   acc_data_i,
    // counter
    output logic               rows_o        // a row of VPU_RUN or VPU_XPOSE was taken
);
  localparam int unsigned HalfStages = VpuStages / 2;
  localparam int unsigned LoadLatency = HasFp != 0 ? 3 : 1;
  localparam int unsigned Front = LoadLatency + 1 + HalfStages;  // fetch to special function
  localparam int unsigned Back = VpuStages - HalfStages;
  // Enough results on their way for one row a cycle: 4 cycles of fetch, the chain, reductions,
  // store.
  localparam int unsigned WideDepth =
      4 + Front + (HasSfu != 0 ? SfuLatency : 0) + Back + $clog2(N) + 6;
  localparam int unsigned Depth = (VpuLanes == N) ? WideDepth : LaneDepth;

  if (VpuLanes != N && (VpuLanes != 1 || N < 8)) begin : gen_bad_lanes
    $fatal(1, "VpuLanes must be N, or 1 with N >= 8");
  end
  localparam int unsigned Pace = N / VpuLanes;  // cycles from one row to the next

  // ---- control ----------------------------------------------------------------------------------
  stream_t a_cfg, b_cfg;
  result_t d_cfg;
  shape_t shape;
  stage_t [VpuStages-1:0] stages;
  sfu_e sfu;
  mode_e mode;
  logic cfg_take, start, fetch_ready, step, b_used, gathered, scatter, loaded, written;
  logic fetch_refused, store_refused, in_flight;
  logic [8:0] lanes, col;
  logic [1:0] vreg_index;
  logic [31:0] a_addr, b_addr;
  meta_t step_meta;

  ttpu_vpu_regs #(
      .VpuStages(VpuStages)
  ) i_regs (
      .clk_i, .rst_ni, .clear_i, .take_i(cfg_take), .cmd_i,
      .a_o(a_cfg), .b_o(b_cfg), .d_o(d_cfg), .shape_o(shape), .stage_o(stages), .sfu_o(sfu)
  );

  ttpu_vpu_ctrl #(
      .N(N), .HasFp(HasFp), .VpuStages(VpuStages), .HasSfu(HasSfu), .AccRows(AccRows),
      .VmemBytes(VmemBytes), .Depth(Depth), .Pace(Pace)
  ) i_ctrl (
      .clk_i, .rst_ni, .halt_i, .clear_i,
      .cmd_valid_i, .cmd_i, .cmd_ready_o, .status_o,
      .cfg_take_o(cfg_take), .a_i(a_cfg), .b_i(b_cfg), .d_i(d_cfg), .shape_i(shape),
      .mode_o(mode), .lanes_o(lanes), .vreg_o(vreg_index), .start_o(start),
      .fetch_ready_i(fetch_ready), .step_o(step), .b_used_o(b_used), .a_addr_o(a_addr),
      .b_addr_o(b_addr), .meta_o(step_meta),
      .gathered_i(gathered), .scatter_o(scatter), .col_o(col),
      .loaded_i(loaded), .written_i(written), .refused_i(fetch_refused || store_refused),
      .in_flight_i(in_flight)
  );

  always_ff @(posedge clk_i) rows_o <= step && mode != ModeLdv && rst_ni;

  // ---- fetch ---------------------------------------------------------------------------
  logic fetch_valid;
  logic [Width-1:0] a_word, b_word;
  logic [1:0] a_sel, b_sel;
  meta_t fetch_meta;

  ttpu_vpu_fetch #(
      .N(N), .AccRows(AccRows), .Pace(Pace), .MemStages(MemStages)
  ) i_fetch (
      .clk_i, .rst_ni, .halt_i, .clear_i,
      .ready_o(fetch_ready), .step_i(step), .acc_i(a_cfg.acc && mode == ModeRun),
      .b_used_i(b_used), .a_addr_i(a_addr), .b_addr_i(b_addr), .meta_i(step_meta),
      .refused_o(fetch_refused), .in_flight_o(in_flight),
      .a_req_o(a_rd_req_o), .a_addr_o(a_rd_addr_o), .a_gnt_i(a_rd_gnt_i), .a_data_i(a_rd_data_i),
      .a_valid_i(a_rd_valid_i),
      .b_req_o(b_rd_req_o), .b_addr_o(b_rd_addr_o), .b_gnt_i(b_rd_gnt_i), .b_data_i(b_rd_data_i),
      .b_valid_i(b_rd_valid_i),
      .acc_req_o, .acc_row_o, .acc_gnt_i, .acc_data_i,
      .row_valid_o(fetch_valid), .a_word_o(a_word), .b_word_o(b_word), .a_sel_o(a_sel),
      .b_sel_o(b_sel), .meta_o(fetch_meta)
  );

  if (VpuLanes == N) begin : gen_wide
    // ---- load -----------------------------------------------------------------------------------
    logic [Width-1:0] a_loaded, b_loaded;
    ttpu_vpu_load #(
        .N(N), .HasFp(HasFp)
    ) i_load_a (
        .clk_i, .rst_ni, .valid_i(fetch_valid), .word_i(a_word), .sel_i(a_sel),
        .dtype_i(mode == ModeLdv ? DtypeI32 : a_cfg.dtype), .raw_i(mode == ModeXpose),
        .dequant_i(a_cfg.dequant && mode == ModeRun), .zp_i(a_cfg.zp), .scale_i(a_cfg.scale),
        .x_o(a_loaded)
    );
    ttpu_vpu_load #(
        .N(N), .HasFp(HasFp)
    ) i_load_b (
        .clk_i, .rst_ni, .valid_i(fetch_valid && b_used), .word_i(b_word), .sel_i(b_sel),
        .dtype_i(b_cfg.dtype), .raw_i(1'b0), .dequant_i(b_cfg.dequant),
        .zp_i(b_cfg.zp), .scale_i(b_cfg.scale),
        .x_o(b_loaded)
    );

    // Rows in the parts of fixed latency: front_v[i] says that a row is in cycle i of the front.
    logic [Front:0] front_v;
    meta_t front_meta[Front+1];
    logic [Back:0] back_v;
    meta_t back_meta[Back+1];
    logic load_valid;
    assign load_valid = front_v[LoadLatency];
    assign loaded = load_valid && mode == ModeLdv;

    // ---- vector registers, transpose ------------------------------------------------------------
    logic [Width-1:0] v0_q, v1_q, v2_q, v3_q;
    always_ff @(posedge clk_i) begin
      if (loaded && vreg_index == 2'd0) v0_q <= a_loaded;
      if (loaded && vreg_index == 2'd1) v1_q <= a_loaded;
      if (loaded && vreg_index == 2'd2) v2_q <= a_loaded;
      if (loaded && vreg_index == 2'd3) v3_q <= a_loaded;
      if (!rst_ni || clear_i) begin
        v0_q <= '0;
        v1_q <= '0;
        v2_q <= '0;
        v3_q <= '0;
      end
    end

    logic xpose_valid;
    logic [Width-1:0] xpose_row;
    logic [23:0] xpose_addr_q;
    ttpu_vpu_xpose #(
        .N(N)
    ) i_xpose (
        .clk_i, .rst_ni, .clear_i, .start_i(start), .rows_i(lanes),
        .valid_i(load_valid && mode == ModeXpose), .x_i(a_loaded), .full_o(gathered),
        .get_i(scatter), .col_i(col), .valid_o(xpose_valid), .y_o(xpose_row)
    );
    always_ff @(posedge clk_i) if (scatter) xpose_addr_q <= step_meta.d_addr;

    // ---- shuffle and chain ----------------------------------------------------------------------
    logic [Width-1:0] shuffled, b_shuffled_q;

    ttpu_vpu_shuffle #(
        .N(N)
    ) i_shuffle (
        .clk_i, .valid_i(load_valid && mode == ModeRun), .x_i(a_loaded),
        .shuffle_i(shape.shuffle), .arg_i(shape.arg), .index_i(v3_q), .x_o(shuffled)
    );
    always_ff @(posedge clk_i) if (load_valid) b_shuffled_q <= b_used ? b_loaded : '0;

    for (genvar i = 0; i < HalfStages; i++) begin : gen_front
      logic [Width-1:0] x, a, b, x_in, a_in, b_in;
      logic [N-1:0] pred, pred_in;
      if (i == 0) begin : gen_first
        assign x_in = shuffled;
        assign a_in = shuffled;
        assign b_in = b_shuffled_q;
        assign pred_in = '0;
      end else begin : gen_next
        assign x_in = gen_front[i-1].x;
        assign a_in = gen_front[i-1].a;
        assign b_in = gen_front[i-1].b;
        assign pred_in = gen_front[i-1].pred;
      end
      ttpu_vpu_stage #(
          .N(N), .HasFp(HasFp)
      ) i_stage (
          .clk_i, .valid_i(front_v[LoadLatency+1+i]), .x_i(x_in), .a_i(a_in), .b_i(b_in),
          .pred_i(pred_in), .alt_i(1'b0), .alt_x_i('0), .alt_a_i('0), .alt_b_i('0), .alt_pred_i('0),
          .cfg_i(stages[i]), .v0_i(v0_q), .v1_i(v1_q), .v2_i(v2_q), .v3_i(v3_q),
          .x_o(x), .a_o(a), .b_o(b), .pred_o(pred)
      );
    end

    logic sfu_on;
    logic [Width-1:0] sfu_x, sfu_a, sfu_b;
    logic [N-1:0] sfu_pred;
    if (HasSfu != 0) begin : gen_sfu
      // What travels beside a row in the special function unit waits in a queue: rows keep their
      // order.
      localparam int unsigned SideBits = $clog2(SfuLatency + 1);
      logic sfu_valid, entering;
      logic [Width-1:0] a_q[2**SideBits];
      logic [Width-1:0] b_q[2**SideBits];
      logic [N-1:0] pred_q[2**SideBits];
      meta_t meta_q[2**SideBits];
      logic [SideBits-1:0] wr_q, rd_q;

      assign sfu_on = sfu != SfuNone;
      assign entering = front_v[Front] && sfu_on;
      ttpu_vpu_sfu #(
          .N(N)
      ) i_sfu (
          .clk_i, .rst_ni, .clear_i, .valid_i(entering), .func_i(sfu),
          .x_i(gen_front[HalfStages-1].x), .valid_o(sfu_valid), .y_o(sfu_x)
      );
      always_ff @(posedge clk_i) begin
        if (entering) begin
          a_q[wr_q] <= gen_front[HalfStages-1].a;
          b_q[wr_q] <= gen_front[HalfStages-1].b;
          pred_q[wr_q] <= gen_front[HalfStages-1].pred;
          meta_q[wr_q] <= front_meta[Front];
          wr_q <= wr_q + 1'b1;
        end
        if (sfu_valid) rd_q <= rd_q + 1'b1;
        if (!rst_ni || clear_i) begin
          wr_q <= '0;
          rd_q <= '0;
        end
      end
      assign sfu_a = a_q[rd_q];
      assign sfu_b = b_q[rd_q];
      assign sfu_pred = pred_q[rd_q];
      assign back_v[0] = sfu_on ? sfu_valid : front_v[Front];
      assign back_meta[0] = sfu_on ? meta_q[rd_q] : front_meta[Front];
    end else begin : gen_no_sfu
      assign sfu_on = 1'b0;
      assign sfu_x = '0;
      assign sfu_a = '0;
      assign sfu_b = '0;
      assign sfu_pred = '0;
      assign back_v[0] = front_v[Front];
      assign back_meta[0] = front_meta[Front];
      logic unused_sfu;
      assign unused_sfu = ^sfu;
    end

    for (genvar i = 0; i < Back; i++) begin : gen_back
      logic [Width-1:0] x, a, b, x_in, a_in, b_in;
      logic [N-1:0] pred, pred_in;
      if (i == 0) begin : gen_first
        assign x_in = gen_front[HalfStages-1].x;
        assign a_in = gen_front[HalfStages-1].a;
        assign b_in = gen_front[HalfStages-1].b;
        assign pred_in = gen_front[HalfStages-1].pred;
      end else begin : gen_next
        assign x_in = gen_back[i-1].x;
        assign a_in = gen_back[i-1].a;
        assign b_in = gen_back[i-1].b;
        assign pred_in = gen_back[i-1].pred;
      end
      ttpu_vpu_stage #(
          .N(N), .HasFp(HasFp)
      ) i_stage (
          .clk_i, .valid_i(back_v[i]), .x_i(x_in), .a_i(a_in), .b_i(b_in), .pred_i(pred_in),
          .alt_i(i == 0 && sfu_on), .alt_x_i(sfu_x), .alt_a_i(sfu_a), .alt_b_i(sfu_b),
          .alt_pred_i(sfu_pred),
          .cfg_i(stages[HalfStages+i]), .v0_i(v0_q), .v1_i(v1_q), .v2_i(v2_q), .v3_i(v3_q),
          .x_o(x), .a_o(a), .b_o(b), .pred_o(pred)
      );
    end

    // Rows and their companions, a register a cycle.
    assign front_v[0] = fetch_valid;
    assign front_meta[0] = fetch_meta;
    for (genvar i = 1; i <= Front; i++) begin : gen_front_meta
      logic v_q;
      meta_t meta_q;
      always_ff @(posedge clk_i) begin
        // Only rows of VPU_RUN go on behind the load stage.
        v_q <= front_v[i-1] && (i <= LoadLatency || mode == ModeRun) && rst_ni && !clear_i;
        if (front_v[i-1]) meta_q <= front_meta[i-1];
      end
      assign front_v[i] = v_q;
      assign front_meta[i] = meta_q;
    end
    for (genvar i = 1; i <= Back; i++) begin : gen_back_meta
      logic v_q;
      meta_t meta_q;
      always_ff @(posedge clk_i) begin
        v_q <= back_v[i-1] && rst_ni && !clear_i;
        if (back_v[i-1]) meta_q <= back_meta[i-1];
      end
      assign back_v[i] = v_q;
      assign back_meta[i] = meta_q;
    end

    // ---- reductions and store -------------------------------------------------------------------
    logic reduced_valid;
    logic [Width-1:0] reduced;
    meta_t reduced_meta;

    ttpu_vpu_reduce #(
        .N(N), .HasFp(HasFp)
    ) i_reduce (
        .clk_i, .rst_ni, .clear_i, .valid_i(back_v[Back]), .x_i(gen_back[Back-1].x),
        .meta_i(back_meta[Back]),
        .lanes_i(lanes), .lane_reduce_i(shape.lane_reduce), .row_reduce_i(shape.row_reduce),
        .fp_i(shape.fp), .valid_o(reduced_valid), .y_o(reduced), .meta_o(reduced_meta)
    );

    ttpu_vpu_store #(
        .N(N), .HasFp(HasFp), .Depth(Depth)
    ) i_store (
        .clk_i, .rst_ni, .halt_i, .clear_i,
        .valid_i(reduced_valid || xpose_valid), .x_i(reduced), .raw_x_i(xpose_row),
        .addr_i(xpose_valid ? xpose_addr_q : reduced_meta.d_addr),
        .start_i(start), .lanes_i(lanes), .dtype_i(mode == ModeXpose ? a_cfg.dtype : d_cfg.dtype),
        .fp_i(d_cfg.fp), .zp_i(d_cfg.zp), .raw_i(mode == ModeXpose),
        .wr_req_o, .wr_addr_o, .wr_be_o, .wr_data_o, .wr_gnt_i,
        .written_o(written), .refused_o(store_refused)
    );

    logic unused;
    assign unused = ^{gen_back[Back-1].a, gen_back[Back-1].b, gen_back[Back-1].pred,
                      reduced_meta.first, reduced_meta.last};
  end else begin : gen_lane
    ttpu_vpu_lane_chain #(
        .N(N), .HasFp(HasFp), .VpuStages(VpuStages), .HasSfu(HasSfu)
    ) i_chain (
        .clk_i, .rst_ni, .halt_i, .clear_i,
        .mode_i(mode), .a_i(a_cfg), .b_i(b_cfg), .d_i(d_cfg), .shape_i(shape), .stages_i(stages),
        .sfu_i(sfu), .vreg_i(vreg_index), .lanes_i(lanes), .b_used_i(b_used), .start_i(start),
        .row_valid_i(fetch_valid), .a_word_i(a_word), .b_word_i(b_word), .a_sel_i(a_sel),
        .b_sel_i(b_sel), .meta_i(fetch_meta), .loaded_o(loaded),
        .full_o(gathered), .scatter_i(scatter), .col_i(col), .scatter_addr_i(step_meta.d_addr),
        .wr_req_o, .wr_addr_o, .wr_be_o, .wr_data_o, .wr_gnt_i,
        .written_o(written), .refused_o(store_refused)
    );
  end
endmodule
