// Converts results to the type of D and writes them to VMEM: ttpu_vpu_store for VpuLanes = 1.
//
// A lane a cycle, lanes of a row in order. A row's request stands N + AluLatency + 1 cycles after
// its first lane (valid_i) if the port is free, a raw row's (raw_valid_i: bits of dtype_i
// unchanged) N + 1 cycles after it. addr_i is wanted with the last lane, which next_o marks.
module ttpu_vpu_lane_store
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_fp_conv_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    localparam int unsigned Width = N * 32,
    localparam int unsigned LaneBits = $clog2(N)
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              halt_i,
    input  logic              clear_i,
    input  logic              valid_i,
    input  logic [31:0]       x_i,
    input  logic              raw_valid_i,
    input  logic [31:0]       raw_x_i,
    input  logic [23:0]       addr_i,
    output logic              next_o,
    // configuration, constant while rows are on their way
    input  logic              start_i,      // lanes_i and dtype_i are new
    input  logic [8:0]        lanes_i,
    input  dtype_e            dtype_i,
    input  logic              fp_i,
    input  logic signed [8:0] zp_i,
    // VMEM
    output logic              wr_req_o,
    output logic [23:0]       wr_addr_o,
    output logic [N*4-1:0]    wr_be_o,
    output logic [Width-1:0]  wr_data_o,
    input  logic              wr_gnt_i,
    output logic              written_o,
    output logic              refused_o
);
  // Constant while rows are on their way, which come cycles later.
  logic [1:0] size, size_q;
  logic s8_q, start_q;
  logic to_int, unused_pred;
  logic [31:0] whole;
  always_comb begin
    size = dtype_log2(dtype_i);
    if (HasFp == 0) size[0] = 1'b0;  // control refuses bf16
    to_int = HasFp != 0 && fp_i && !dtype_is_fp(dtype_i);
  end
  always_ff @(posedge clk_i) begin
    size_q <= size;
    s8_q <= dtype_i == DtypeS8;
    start_q <= start_i;
  end
  ttpu_vpu_alu #(
      .HasFp(HasFp), .HasMul(0), .HasShift(0)
  ) i_whole (
      .clk_i, .valid_i, .op_i(to_int ? VopF2i : VopPass), .shift_i(5'd0), .pass_i(1'b0),
      .x_i, .y_i(32'd0), .x_factor_i('0), .y_factor_i('0), .pred_i(1'b0), .x_o(whole),
      .pred_o(unused_pred)
  );

  // Elements gather from the top of each place of the row in its word down.
  logic [AluLatency-1:0] valid_q;
  logic [LaneBits-1:0] lane_q;
  logic [Width-1:0] row_q;
  logic [23:0] addr_q;
  logic row_valid_q, take;
  logic [15:0] half;
  logic [7:0] octet;
  assign take = valid_q[AluLatency-1] || raw_valid_i;
  assign next_o = take && lane_q == LaneBits'(N - 1);
  always_comb begin
    half = raw_valid_i ? raw_x_i[31:16] : fp32_to_bf16(whole);
    octet = raw_valid_i ? raw_x_i[7:0] : int_to_8(whole, zp_i, s8_q);
  end
  always_ff @(posedge clk_i) begin
    valid_q <= {valid_q[AluLatency-2:0], valid_i};
    if (take) begin
      lane_q <= lane_q + 1'b1;
      addr_q <= addr_i;
      case (size_q)
        2'd0:
          for (int unsigned i = 0; i < 4; i++)
            row_q[i*N*8+:N*8] <= {octet, row_q[i*N*8+8+:N*8-8]};
        2'd1:
          for (int unsigned i = 0; i < 2; i++)
            row_q[i*N*16+:N*16] <= {half, row_q[i*N*16+16+:N*16-16]};
        default: row_q <= {raw_valid_i ? raw_x_i : whole, row_q[Width-1:32]};
      endcase
    end
    row_valid_q <= next_o;
    if (!rst_ni || clear_i) begin
      valid_q <= '0;
      lane_q <= '0;
      row_valid_q <= 1'b0;
    end
  end

  ttpu_vpu_queue #(
      .N(N), .Depth(LaneDepth)
  ) i_queue (
      .clk_i, .rst_ni, .halt_i, .clear_i,
      .valid_i(row_valid_q), .data_i(row_q), .addr_i(addr_q), .start_i(start_q), .lanes_i,
      .size_i(size_q),
      .wr_req_o, .wr_addr_o, .wr_be_o, .wr_data_o, .wr_gnt_i, .written_o, .refused_o
  );
endmodule
