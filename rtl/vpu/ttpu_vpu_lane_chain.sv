// The way of rows behind the fetch, a lane a cycle (VpuLanes = 1): what ttpu_vpu does with N lanes.
//
// row_valid_i brings a row with its words; rows are N or more cycles apart, as scatter_i are.
// Nothing stops. loaded_o: the last lane of a row of VPU_LDV is here. full_o: rows_i rows of
// VPU_XPOSE are. Cycles: docs/reference/vpu.md, "One lane".
module ttpu_vpu_lane_chain
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
#(
    parameter int unsigned N = 16,  // at least 8
    parameter int unsigned HasFp = 1,
    parameter int unsigned VpuStages = 6,
    parameter int unsigned HasSfu = 1,
    localparam int unsigned Width = N * 32,
    localparam int unsigned LaneBits = $clog2(N)
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  logic                   halt_i,
    input  logic                   clear_i,
    // configuration
    input  mode_e                  mode_i,
    input  stream_t                a_i,
    input  stream_t                b_i,
    input  result_t                d_i,
    input  shape_t                 shape_i,
    input  stage_t [VpuStages-1:0] stages_i,
    input  sfu_e                   sfu_i,
    input  logic [1:0]             vreg_i,
    input  logic [8:0]             lanes_i,
    input  logic                   b_used_i,
    input  logic                   start_i,
    // rows
    input  logic                   row_valid_i,
    input  logic [Width-1:0]       a_word_i,
    input  logic [Width-1:0]       b_word_i,
    input  logic [1:0]             a_sel_i,
    input  logic [1:0]             b_sel_i,
    input  meta_t                  meta_i,
    output logic                   loaded_o,
    // transpose
    output logic                   full_o,
    input  logic                   scatter_i,
    input  logic [8:0]             col_i,
    input  logic [23:0]            scatter_addr_i,
    // VMEM writes
    output logic                   wr_req_o,
    output logic [23:0]            wr_addr_o,
    output logic [N*4-1:0]         wr_be_o,
    output logic [Width-1:0]       wr_data_o,
    input  logic                   wr_gnt_i,
    output logic                   written_o,
    output logic                   refused_o
);
  localparam int unsigned HalfStages = VpuStages / 2;
  localparam logic [LaneBits-1:0] LastLane = LaneBits'(N - 1);

  logic reset;
  assign reset = !rst_ni || clear_i;

  // ---- a row becomes lanes; shuffle -------------------------------------------------------------
  logic in_valid_q;
  logic [LaneBits-1:0] in_lane_q, in_lane_d, from, from_q;  // the lane, and that it comes from
  logic [Width-1:0] a_word_q, b_word_q;
  logic [1:0] a_sel_q, b_sel_q;
  logic [31:0] v3[N];  // vector register 3, for PERMUTE
  logic [3:0] v_set_q;
  always_ff @(posedge clk_i) begin
    if (row_valid_i) begin
      a_word_q <= a_word_i;
      b_word_q <= b_word_i;
      a_sel_q <= a_sel_i;
      b_sel_q <= b_sel_i;
      in_valid_q <= 1'b1;
      in_lane_q <= '0;
    end else if (in_valid_q) begin
      in_lane_q <= in_lane_q + 1'b1;
      in_valid_q <= in_lane_q != LastLane;
    end
    from_q <= from;
    if (reset) in_valid_q <= 1'b0;
  end
  always_comb begin
    in_lane_d = in_valid_q ? in_lane_q + 1'b1 : '0;  // a row comes behind the last lane, or later
    from = in_lane_d;
    if (mode_i == ModeRun) begin
      case (shape_i.shuffle)
        ShuffleRotate: from = in_lane_d + shape_i.arg[LaneBits-1:0];
        ShuffleBroadcast: from = shape_i.arg[LaneBits-1:0];
        ShufflePermute: from = v_set_q[3] ? v3[in_lane_d][LaneBits-1:0] : '0;
        default: ;
      endcase
    end
  end

  // ---- load -------------------------------------------------------------------------------------
  logic load_valid, unused_b_valid;
  logic [31:0] a_loaded, b_loaded;
  ttpu_vpu_lane_load #(
      .N(N), .HasFp(HasFp)
  ) i_load_a (
      .clk_i, .rst_ni, .clear_i, .valid_i(in_valid_q), .word_i(a_word_q), .sel_i(a_sel_q),
      .lane_i(from_q), .dtype_i(mode_i == ModeLdv ? DtypeI32 : a_i.dtype),
      .raw_i(mode_i == ModeXpose), .dequant_i(a_i.dequant && mode_i == ModeRun), .zp_i(a_i.zp),
      .scale_i(a_i.scale), .valid_o(load_valid), .x_o(a_loaded)
  );
  ttpu_vpu_lane_load #(
      .N(N), .HasFp(HasFp)
  ) i_load_b (
      .clk_i, .rst_ni, .clear_i, .valid_i(in_valid_q), .word_i(b_word_q), .sel_i(b_sel_q),
      .lane_i(in_lane_q), .dtype_i(b_i.dtype), .raw_i(1'b0), .dequant_i(b_i.dequant),
      .zp_i(b_i.zp), .scale_i(b_i.scale), .valid_o(unused_b_valid), .x_o(b_loaded)
  );

  logic [LaneBits-1:0] load_lane_q;
  logic v_we, tile_we, run_valid;
  assign v_we = load_valid && mode_i == ModeLdv;
  assign tile_we = load_valid && mode_i == ModeXpose;
  assign run_valid = load_valid && mode_i == ModeRun;
  assign loaded_o = v_we && load_lane_q == LastLane;
  always_ff @(posedge clk_i) begin
    if (load_valid) load_lane_q <= load_lane_q + 1'b1;
    if (v_we && vreg_i == 2'd3) v3[load_lane_q] <= a_loaded;
    if (loaded_o) v_set_q[vreg_i] <= 1'b1;
    if (reset) begin
      load_lane_q <= '0;
      v_set_q <= '0;
    end
  end

  // ---- transpose --------------------------------------------------------------------------------
  logic [31:0] tile[N*N];  // element (row, column) at {row, column}
  logic [8:0] tile_rows_q;
  logic get_q;
  logic [LaneBits-1:0] get_row_q, get_col_q;
  logic [23:0] get_addr_q;
  assign full_o = tile_rows_q == lanes_i;
  always_ff @(posedge clk_i) begin
    if (tile_we) tile[{tile_rows_q[LaneBits-1:0], load_lane_q}] <= a_loaded;
    if (tile_we && load_lane_q == LastLane) tile_rows_q <= tile_rows_q + 9'd1;
    if (!rst_ni || start_i) tile_rows_q <= 9'd0;
    if (scatter_i) begin
      get_q <= 1'b1;
      get_row_q <= '0;
      get_col_q <= col_i[LaneBits-1:0];
      get_addr_q <= scatter_addr_i;
    end else if (get_q) begin
      get_row_q <= get_row_q + 1'b1;
      get_q <= get_row_q != LastLane;
    end
    if (reset) get_q <= 1'b0;
  end

  // ---- chain ------------------------------------------------------------------------------------
  // Point 0 is behind the load; the special function unit stands in front of point HalfStages.
  logic [VpuStages:0] valid, pred;
  logic [31:0] x[VpuStages+1], a[VpuStages+1], b[VpuStages+1];
  logic half_valid, half_pred;
  logic [31:0] half_x, half_a, half_b;
  assign valid[0] = run_valid;
  assign x[0] = a_loaded;
  assign a[0] = a_loaded;
  assign b[0] = b_used_i ? b_loaded : 32'd0;
  assign pred[0] = 1'b0;
  for (genvar i = 0; i < VpuStages; i++) begin : gen_stage
    ttpu_vpu_lane_stage #(
        .N(N), .HasFp(HasFp)
    ) i_stage (
        .clk_i, .rst_ni, .clear_i,
        .valid_i(i == HalfStages ? half_valid : valid[i]), .x_i(i == HalfStages ? half_x : x[i]),
        .a_i(i == HalfStages ? half_a : a[i]), .b_i(i == HalfStages ? half_b : b[i]),
        .pred_i(i == HalfStages ? half_pred : pred[i]),
        .cfg_i(stages_i[i]), .v_we_i(v_we), .v_addr_i({vreg_i, load_lane_q}), .v_data_i(a_loaded),
        .v_set_i(v_set_q), .valid_o(valid[i+1]), .x_o(x[i+1]), .a_o(a[i+1]), .b_o(b[i+1]),
        .pred_o(pred[i+1])
    );
  end

  if (HasSfu != 0) begin : gen_sfu
    // What travels beside a lane in the special function unit waits in a queue.
    localparam int unsigned SideBits = $clog2(LaneSfuLatency + 1);
    logic on, entering, sfu_valid;
    logic [31:0] y;
    logic [64:0] side[2**SideBits];
    logic [SideBits-1:0] wr_q, rd_q;
    assign on = sfu_i != SfuNone;
    assign entering = valid[HalfStages] && on;
    ttpu_vpu_lane_sfu i_sfu (
        .clk_i, .rst_ni, .clear_i, .valid_i(entering), .func_i(sfu_i), .x_i(x[HalfStages]),
        .valid_o(sfu_valid), .y_o(y)
    );
    always_ff @(posedge clk_i) begin
      if (entering) begin
        side[wr_q] <= {pred[HalfStages], a[HalfStages], b[HalfStages]};
        wr_q <= wr_q + 1'b1;
      end
      if (sfu_valid) rd_q <= rd_q + 1'b1;
      if (reset) begin
        wr_q <= '0;
        rd_q <= '0;
      end
    end
    assign half_valid = on ? sfu_valid : valid[HalfStages];
    assign half_x = on ? y : x[HalfStages];
    assign {half_pred, half_a, half_b} =
        on ? side[rd_q] : {pred[HalfStages], a[HalfStages], b[HalfStages]};
  end else begin : gen_no_sfu
    assign half_valid = valid[HalfStages];
    assign half_x = x[HalfStages];
    assign half_a = a[HalfStages];
    assign half_b = b[HalfStages];
    assign half_pred = pred[HalfStages];
    logic unused_sfu;
    assign unused_sfu = ^sfu_i;
  end

  // ---- what travels with a row: rows keep their order -------------------------------------------
  // More rows than these are never between the fetch and the store: they are N cycles apart.
  localparam int unsigned Rows = 32;
  localparam int unsigned RowBits = $clog2(Rows);
  meta_t meta[Rows];
  logic [23:0] store_addr;
  logic [RowBits-1:0] meta_wr_q, reduce_rd_q, store_rd_q;
  logic reduce_next, store_next;
  assign store_addr = meta[store_rd_q].d_addr;

  logic out_valid, out_keep;
  logic [31:0] out;
  ttpu_vpu_lane_reduce #(
      .N(N), .HasFp(HasFp)
  ) i_reduce (
      .clk_i, .rst_ni, .clear_i, .valid_i(valid[VpuStages]), .x_i(x[VpuStages]),
      .first_i(meta[reduce_rd_q].first), .last_i(meta[reduce_rd_q].last), .next_o(reduce_next),
      .lanes_i, .lane_reduce_i(shape_i.lane_reduce), .row_reduce_i(shape_i.row_reduce),
      .fp_i(shape_i.fp), .valid_o(out_valid), .keep_o(out_keep), .y_o(out)
  );

  // The address of a row that is no result is passed over as its last lane would be stored.
  logic [AluLatency-1:0] skip_q;
  logic [LaneBits-1:0] out_lane_q;
  always_ff @(posedge clk_i) begin
    if (row_valid_i && mode_i == ModeRun) begin
      meta[meta_wr_q] <= meta_i;
      meta_wr_q <= meta_wr_q + 1'b1;
    end
    if (reduce_next) reduce_rd_q <= reduce_rd_q + 1'b1;
    if (out_valid) out_lane_q <= out_lane_q + 1'b1;
    skip_q <= {skip_q[AluLatency-2:0], out_valid && !out_keep && out_lane_q == LastLane};
    if (skip_q[AluLatency-1] || (store_next && mode_i == ModeRun)) store_rd_q <= store_rd_q + 1'b1;
    if (reset) begin
      meta_wr_q <= '0;
      reduce_rd_q <= '0;
      store_rd_q <= '0;
      out_lane_q <= '0;
      skip_q <= '0;
    end
  end

  ttpu_vpu_lane_store #(
      .N(N), .HasFp(HasFp)
  ) i_store (
      .clk_i, .rst_ni, .halt_i, .clear_i, .valid_i(out_valid && out_keep), .x_i(out),
      .raw_valid_i(get_q), .raw_x_i(tile[{get_row_q, get_col_q}]),
      .addr_i(mode_i == ModeXpose ? get_addr_q : store_addr), .next_o(store_next),
      .start_i, .lanes_i, .dtype_i(mode_i == ModeXpose ? a_i.dtype : d_i.dtype), .fp_i(d_i.fp),
      .zp_i(d_i.zp), .wr_req_o, .wr_addr_o, .wr_be_o, .wr_data_o, .wr_gnt_i, .written_o, .refused_o
  );

  logic unused;
  assign unused = ^{a_i, b_i, d_i, shape_i, a[VpuStages], b[VpuStages], pred[VpuStages], col_i,
                    unused_b_valid};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (!reset) begin
      assert (!(row_valid_i && in_valid_q && in_lane_q != LastLane))
      else $error("rows closer than N cycles");
      assert (!(scatter_i && get_q && get_row_q != LastLane))
      else $error("columns closer than N cycles");
    end
  end
`endif
endmodule
