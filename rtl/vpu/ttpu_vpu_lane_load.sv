// Picks elements out of a word, widens them to 32 bits, dequantises: ttpu_vpu_load for VpuLanes =
// 1.
//
// A lane a cycle, latency LaneLoadLatency cycles, with floating point or without. lane_i is the
// element of the row at sel_i within the word that is wanted.
module ttpu_vpu_lane_load
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_fp_conv_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned Width = N * 32,
    localparam int unsigned LaneBits = $clog2(N)
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                clear_i,
    input  logic                valid_i,
    input  logic [Width-1:0]    word_i,
    input  logic [1:0]          sel_i,      // row within the word, in units of N bytes
    input  logic [LaneBits-1:0] lane_i,
    // configuration, constant while rows are on their way
    input  dtype_e              dtype_i,
    input  logic                raw_i,      // BF16: leave subnormals
    input  logic                dequant_i,
    input  logic signed [8:0]   zp_i,
    input  logic [31:0]         scale_i,
    output logic                valid_o,
    output logic [31:0]         x_o
);
  logic [1:0] size;
  logic dequant;
  logic [LaneBits+1:0] at;  // address of the element's first byte
  logic [1:0] byte_q;
  logic [31:0] words[N];
  logic [31:0] word_q, wide, wide_q, float;
  logic [LaneLoadLatency-1:0] valid_q;
  logic unused_pred1, unused_pred2;

  always_comb begin
    size = dtype_log2(dtype_i);
    if (HasFp == 0) size[0] = 1'b0;  // control refuses bf16
    dequant = HasFp != 0 && dequant_i;
    case (size)
      2'd0: at = {sel_i, lane_i};
      2'd1: at = {sel_i[1], lane_i, 1'b0};
      default: at = {lane_i, 2'b00};
    endcase
    for (int unsigned i = 0; i < N; i++) words[i] = word_i[i*32+:32];
    wide = word_q;
    if (size == 2'd1) begin
      wide = {byte_q[1] ? word_q[31:16] : word_q[15:0], 16'd0};
      if (!raw_i) wide = fp32_flush(wide);
    end
    if (size == 2'd0) begin
      case (byte_q)
        2'd0: wide[7:0] = word_q[7:0];
        2'd1: wide[7:0] = word_q[15:8];
        2'd2: wide[7:0] = word_q[23:16];
        default: wide[7:0] = word_q[31:24];
      endcase
      wide[31:8] = {24{wide[7] & (dtype_i == DtypeS8)}};
    end
  end

  always_ff @(posedge clk_i) begin
    valid_q <= (rst_ni && !clear_i) ? {valid_q[LaneLoadLatency-2:0], valid_i} : '0;
    if (valid_i) begin
      word_q <= words[at[LaneBits+1:2]];
      byte_q <= at[1:0];
    end
    if (valid_q[0]) wide_q <= wide - (dequant ? {{23{zp_i[8]}}, zp_i} : 32'd0);
  end
  assign valid_o = valid_q[LaneLoadLatency-1];

  ttpu_vpu_alu #(
      .HasFp(HasFp), .HasMul(0), .HasShift(0)
  ) i_float (
      .clk_i, .valid_i(valid_q[1]), .op_i(dequant ? VopI2f : VopPass), .shift_i(5'd0),
      .pass_i(1'b0), .x_i(wide_q), .y_i(32'd0), .x_factor_i('0), .y_factor_i('0), .pred_i(1'b0),
      .x_o(float), .pred_o(unused_pred1)
  );
  ttpu_vpu_alu #(
      .HasFp(HasFp), .HasMul(HasFp), .HasShift(0), .HasConvert(0)
  ) i_scale (
      .clk_i, .valid_i(valid_q[1+AluLatency]), .op_i(dequant ? VopFmul : VopPass), .shift_i(5'd0),
      .pass_i(1'b0), .x_i(float), .y_i(scale_i), .x_factor_i(factor(VopFmul, float)),
      .y_factor_i(factor(VopFmul, scale_i)), .pred_i(1'b0), .x_o,
      .pred_o(unused_pred2)
  );
endmodule
