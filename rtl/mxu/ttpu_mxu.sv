// Matrix unit: weight loader, activation feed, systolic array, accumulators.
//
// Two command queues drive it: MXW (MXU_LOADW) and MXS (MXU_SHAPE, MXU_MATMUL). A row of
// activations enters a cycle, two cycles after VMEM granted it (three with FpStages = 4, as VMEM has
// MemStages = mem_stages(FpStages) then); its sums are written to the
// accumulators N + FpStages*N + PeStages - 1 cycles later, and written there AccStages - 1 cycles
// after that.
// docs/reference/mxu.md has the protocol, the timing, the errors.
module ttpu_mxu
  import ttpu_pkg::*;
  import ttpu_mxu_pkg::*;
#(
    parameter int unsigned N         = 16,          // rows and columns: a power of two, at least 4
    parameter int unsigned HasFp     = 1,           // bf16 products and fp32 sums
    parameter int unsigned PeStages  = 2,           // 1..3
    parameter int unsigned FpStages  = 1,           // cycles of an fp32 addition: 1, or 4 for FPGAs
    parameter int unsigned AccRows   = 512,         // rows in each half of the accumulators
    parameter int unsigned VmemBytes = 262144,
    parameter int unsigned MulStyle  = MulOperator  // how integers are multiplied
) (
    input  logic                       clk_i,
    input  logic                       rst_ni,
    input  logic                       halt_i,
    input  logic                       clear_i,
    // commands of unit MXW
    input  logic                       w_cmd_valid_i,
    input  cmd_t                       w_cmd_i,
    output logic                       w_cmd_ready_o,
    output status_t                    w_status_o,
    // commands of unit MXS
    input  logic                       s_cmd_valid_i,
    input  cmd_t                       s_cmd_i,
    output logic                       s_cmd_ready_o,
    output status_t                    s_status_o,
    // VMEM read port of the weights
    output logic                       w_rd_req_o,
    output logic    [VmemAddrBits-1:0] w_rd_addr_o,
    input  logic                       w_rd_gnt_i,
    input  logic    [        N*32-1:0] w_rd_data_i,
    input  logic                       w_rd_valid_i,
    // VMEM read port of the activations
    output logic                       x_rd_req_o,
    output logic    [VmemAddrBits-1:0] x_rd_addr_o,
    input  logic                       x_rd_gnt_i,
    input  logic    [        N*32-1:0] x_rd_data_i,
    input  logic                       x_rd_valid_i,
    // accumulator read port of the VPU
    input  logic                       acc_req_i,
    input  logic    [            15:0] acc_row_i,
    output logic                       acc_gnt_o,
    output logic    [        N*32-1:0] acc_data_o,
    // counters
    output logic                       rows_o,         // a row entered the array
    output logic    [            31:0] macs_o          // its unmasked multiply-adds
);
  // Refused when it is elaborated, in simulation and synthesis alike.
  if (N < 4 || N > 256 || (N & (N - 1)) != 0) begin : gen_bad_size
    $fatal(1, "an array of %0d is not supported: N must be a power of two, 4 to 256", N);
  end
  if (HasFp != 0 && (MulStyle == MulDsp || MulStyle == MulPacked)) begin : gen_bad_style
    $fatal(1, "MulDsp and MulPacked multiply integers only: HasFp must be 0");
  end
  if (FpStages != 1 && (FpStages != 4 || HasFp == 0 || PeStages != 3 || N > 32)) begin : gen_bad_fp
    $fatal(1, "FpStages must be 1, or 4 with HasFp = 1, PeStages = 3 and N <= 32");
  end

  localparam int unsigned ElemBits = element_bits(HasFp);
  localparam int unsigned GroupBits = (N > 4) ? $clog2(N / 4) : 1;
  localparam int unsigned Latency = array_latency(N, PeStages, FpStages);
  localparam int unsigned AccStages = acc_stages(FpStages);
  localparam int unsigned MemStages = mem_stages(FpStages);

  logic w_we, tile_ready, tile_fp, tile_take, x_swap, info_valid;
  logic [GroupBits-1:0] w_group;
  logic [4*N*ElemBits-1:0] w_data;
  logic [ElemBits-1:0] x_data[N];
  logic [8:0] tile_k, tile_n;
  row_info_t info, pre_info, y_info_q;
  logic [31:0] y_data[N];

  ttpu_mxu_loader #(
      .N(N),
      .HasFp(HasFp),
      .FpStages(FpStages),
      .MemStages(MemStages),
      .VmemBytes(VmemBytes)
  ) i_loader (
      .clk_i,
      .rst_ni,
      .halt_i,
      .clear_i,
      .cmd_valid_i(w_cmd_valid_i),
      .cmd_i(w_cmd_i),
      .cmd_ready_o(w_cmd_ready_o),
      .status_o(w_status_o),
      .rd_req_o(w_rd_req_o),
      .rd_addr_o(w_rd_addr_o),
      .rd_gnt_i(w_rd_gnt_i),
      .rd_data_i(w_rd_data_i),
      .rd_valid_i(w_rd_valid_i),
      .w_we_o(w_we),
      .w_group_o(w_group),
      .w_data_o(w_data),
      .tile_ready_o(tile_ready),
      .tile_k_o(tile_k),
      .tile_n_o(tile_n),
      .tile_fp_o(tile_fp),
      .tile_take_i(tile_take)
  );

  // Which rows are in the array and the adders behind it: bit i entered i + 1 cycles ago.
  logic [Latency+AccStages-2:0] valid_q;
  logic [AccStages-1:0] last_way;  // rows at the accumulators that end their command
  logic y_valid_q, last, array_busy;  // array_busy: a bit of valid_q is set

  ttpu_mxu_feed #(
      .N(N),
      .HasFp(HasFp),
      .FpGap((FpStages == 1) ? 1 : 2),
      .AccStages(AccStages),
      .AccRows(AccRows),
      .MemStages(MemStages),
      .VmemBytes(VmemBytes)
  ) i_feed (
      .clk_i,
      .rst_ni,
      .halt_i,
      .clear_i,
      .cmd_valid_i(s_cmd_valid_i),
      .cmd_i(s_cmd_i),
      .cmd_ready_o(s_cmd_ready_o),
      .status_o(s_status_o),
      .rd_req_o(x_rd_req_o),
      .rd_addr_o(x_rd_addr_o),
      .rd_gnt_i(x_rd_gnt_i),
      .rd_data_i(x_rd_data_i),
      .tile_ready_i(tile_ready),
      .tile_k_i(tile_k),
      .tile_n_i(tile_n),
      .tile_fp_i(tile_fp),
      .tile_take_o(tile_take),
      .x_swap_o(x_swap),
      .x_data_o(x_data),
      .info_valid_o(info_valid),
      .info_o(info),
      .array_busy_i(array_busy),
      .last_i(last),
      .rows_o,
      .macs_o
  );

  if (MulStyle == MulDsp || MulStyle == MulPacked) begin : gen_dsp
    ttpu_mxu_array_dsp #(
        .N(N),
        .PeStages(PeStages),
        .Pack((MulStyle == MulPacked) ? 2 : 1)
    ) i_array (
        .clk_i,
        .rst_ni,
        .x_swap_i(x_swap),
        .x_data_i(x_data),
        .w_we_i(w_we),
        .w_group_i(w_group),
        .w_data_i(w_data),
        .y_data_o(y_data)
    );
  end else begin : gen_array
    ttpu_mxu_array #(
        .N(N),
        .HasFp(HasFp),
        .PeStages(PeStages),
        .FpStages(FpStages),
        .MulStyle(MulStyle)
    ) i_array (
        .clk_i,
        .rst_ni,
        .x_valid_i(rows_o),
        .x_swap_i(x_swap),
        .fp_i(info.fp),
        .x_data_i(x_data),
        .w_we_i(w_we),
        .w_group_i(w_group),
        .w_data_i(w_data),
        .y_data_o(y_data)
    );
  end

  // The row's information is here one cycle ahead of its sums, to read the accumulators.
  ttpu_mxu_delay #(
      .W($bits(row_info_t)),
      .Depth(Latency - 1)
  ) i_delay (
      .clk_i,
      .d_i(info),
      .q_o(pre_info)
  );
  always_ff @(posedge clk_i) begin
    valid_q  <= (rst_ni & ~clear_i) ? {valid_q[Latency+AccStages-3:0], info_valid} : '0;
    array_busy <= rst_ni & ~clear_i & ((|valid_q[Latency+AccStages-3:0]) | info_valid);
    y_info_q <= pre_info;
  end
  assign y_valid_q = valid_q[Latency-1];
  assign last_way[0] = y_valid_q & y_info_q.last;
  assign last = last_way[AccStages-1];
  if (AccStages > 1) begin : gen_last
    logic [AccStages-1:1] last_q;
    always_ff @(posedge clk_i) last_q <= (rst_ni & ~clear_i) ? last_way[AccStages-2:0] : '0;
    assign last_way[AccStages-1:1] = last_q;
  end

  ttpu_mxu_acc #(
      .N(N),
      .HasFp(HasFp),
      .FpStages(FpStages),
      .AccRows(AccRows)
  ) i_acc (
      .clk_i,
      .pre_valid_i(valid_q[Latency-2] & pre_info.row),
      .pre_info_i(pre_info),
      .y_valid_i(y_valid_q & y_info_q.row),
      .y_info_i(y_info_q),
      .y_data_i(y_data),
      .acc_req_i,
      .acc_row_i,
      .acc_gnt_o,
      .acc_data_o
  );

`ifndef SYNTHESIS
  initial begin
    assert (PeStages >= 1 && PeStages <= 3)
    else $fatal(1, "PeStages must be 1, 2 or 3");
    assert (MulStyle != MulDigits || (HasFp == 0 && PeStages == 3))
    else $fatal(1, "MulDigits needs HasFp = 0 and PeStages = 3");
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni)
      assert (!rows_o || x_rd_valid_i)
      else $error("a row entered without its data");
  end
`endif
endmodule
