// The integer array with flat ports, for scripts/bench_xc7.sh and tests/mxu/xc7_array_test.cpp:
// MulStyle as in ttpu_mxu_pkg (MulDsp and MulPacked for a 7-series FPGA).
module bench_xc7_array #(
    parameter int unsigned N = 16,
    parameter int unsigned PeStages = 3,
    parameter int unsigned MulStyle = ttpu_mxu_pkg::MulPacked,
    localparam int unsigned GroupBits = (N > 4) ? $clog2(N / 4) : 1
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    input  logic                 x_valid_i,
    input  logic                 x_swap_i,
    input  logic [      N*9-1:0] x_data_i,
    input  logic                 w_we_i,
    input  logic [GroupBits-1:0] w_group_i,
    input  logic [    4*N*9-1:0] w_data_i,
    output logic [     N*32-1:0] y_data_o
);
  logic [8:0] x_data[N];
  logic [31:0] y_data[N];
  for (genvar i = 0; i < N; i++) begin : gen_lane
    assign x_data[i] = x_data_i[i*9+:9];
    assign y_data_o[i*32+:32] = y_data[i];
  end
  if (MulStyle == ttpu_mxu_pkg::MulDsp || MulStyle == ttpu_mxu_pkg::MulPacked) begin : gen_dsp
    logic unused;
    assign unused = x_valid_i;
    ttpu_mxu_array_dsp #(
        .N(N),
        .PeStages(PeStages),
        .Pack((MulStyle == ttpu_mxu_pkg::MulPacked) ? 2 : 1)
    ) i_array (
        .clk_i,
        .rst_ni,
        .x_swap_i,
        .x_data_i(x_data),
        .w_we_i,
        .w_group_i,
        .w_data_i,
        .y_data_o(y_data)
    );
  end else begin : gen_array
    ttpu_mxu_array #(
        .N(N),
        .HasFp(0),
        .PeStages(PeStages),
        .MulStyle(MulStyle)
    ) i_array (
        .clk_i,
        .rst_ni,
        .x_valid_i,
        .x_swap_i,
        .fp_i(1'b0),
        .x_data_i(x_data),
        .w_we_i,
        .w_group_i,
        .w_data_i,
        .y_data_o(y_data)
    );
  end
endmodule
