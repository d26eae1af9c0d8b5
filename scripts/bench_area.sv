// The array as a small FPGA without multipliers would have it, for scripts/bench_area.sh.

// 4x4 products of 8-bit integers, ports as packed vectors.
module bench_area_array #(
    parameter int unsigned N = 4,
    localparam int unsigned ElemBits = 9
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    x_valid_i,
    input  logic                    x_swap_i,
    input  logic [  N*ElemBits-1:0] x_data_i,
    input  logic                    w_we_i,
    input  logic [4*N*ElemBits-1:0] w_data_i,
    output logic [        N*32-1:0] y_data_o
);
  logic [ElemBits-1:0] x_data[N];
  logic [31:0] y_data[N];
  for (genvar i = 0; i < N; i++) begin : gen_lane
    assign x_data[i] = x_data_i[i*ElemBits+:ElemBits];
    assign y_data_o[i*32+:32] = y_data[i];
  end
  ttpu_mxu_array #(
      .N(N),
      .HasFp(0),
      .PeStages(3),
      .MulStyle(ttpu_mxu_pkg::MulDigits)
  ) i_array (
      .clk_i,
      .rst_ni,
      .x_valid_i,
      .x_swap_i,
      .fp_i(1'b0),
      .x_data_i(x_data),
      .w_we_i,
      .w_group_i(1'b0),
      .w_data_i,
      .y_data_o(y_data)
  );
endmodule

// The same between two shift registers: the chip has fewer pins than the array has ports.
module bench_area_pins #(
    parameter int unsigned N = 4,
    localparam int unsigned ElemBits = 9,
    localparam int unsigned InBits = 4 + 5 * N * ElemBits
) (
    input  logic clk_i,
    input  logic serial_i,
    input  logic load_i,
    output logic serial_o
);
  logic [InBits-1:0] in_q;
  logic [N*32-1:0] out_q, y_data;
  always_ff @(posedge clk_i) begin
    in_q <= {in_q[InBits-2:0], serial_i};
    out_q <= load_i ? y_data : {1'b0, out_q[N*32-1:1]};
  end
  assign serial_o = out_q[0];
  bench_area_array i_array (
      .clk_i,
      .rst_ni(in_q[0]),
      .x_valid_i(in_q[1]),
      .x_swap_i(in_q[2]),
      .x_data_i(in_q[4+:N*ElemBits]),
      .w_we_i(in_q[3]),
      .w_data_i(in_q[4+N*ElemBits+:4*N*ElemBits]),
      .y_data_o(y_data)
  );
endmodule
