// Converts result rows to the type of D and writes them to VMEM.
//
// One row a cycle in, never refused: control lets no more than Depth results be on their way. A row
// reaches the write port two cycles after valid_i if the port is free; written_o is its grant. A
// row lies at its address within the word of 4N bytes; lanes not in use are masked off. Conversion:
// docs/reference/isa.md, VPU_SETD; raw_i moves the bits of dtype_i unchanged.
module ttpu_vpu_store
  import ttpu_isa_pkg::*;
  import ttpu_vpu_pkg::*;
  import ttpu_fp_conv_pkg::*;
#(
    parameter int unsigned N = 16,
    parameter int unsigned HasFp = 1,
    parameter int unsigned Depth = 32,
    localparam int unsigned Width = N * 32
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              halt_i,
    input  logic              clear_i,
    input  logic              valid_i,
    input  logic [Width-1:0]  x_i,
    input  logic [Width-1:0]  raw_x_i,    // the row if raw_i is high
    input  logic [23:0]       addr_i,
    // configuration, constant while rows are on their way
    input  logic              start_i,    // lanes_i and dtype_i are new
    input  logic [8:0]        lanes_i,
    input  dtype_e            dtype_i,
    input  logic              fp_i,
    input  logic signed [8:0] zp_i,
    input  logic              raw_i,
    // VMEM
    output logic              wr_req_o,
    output logic [23:0]       wr_addr_o,
    output logic [N*4-1:0]    wr_be_o,
    output logic [Width-1:0]  wr_data_o,
    input  logic              wr_gnt_i,
    output logic              written_o,
    output logic              refused_o
);
  logic conv_v_q;
  logic [Width-1:0] conv_q;  // the row at each place of its word where it may lie
  logic [23:0] conv_addr_q;
  logic [31:0] ints[N];
  logic [Width-1:0] x, elements;

  logic [1:0] size;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      x = raw_i ? raw_x_i : x_i;
      elements = x;
      case (dtype_i)
        DtypeS8, DtypeU8: begin
          for (int unsigned l = 0; l < N; l++) ints[l] = x[l*32+:32];
          if (raw_i) begin
            for (int unsigned l = 0; l < N; l++) elements[l*8+:8] = ints[l][7:0];
          end else begin
            if (HasFp != 0 && fp_i)
              for (int unsigned l = 0; l < N; l++) ints[l] = fp32_to_int(ints[l]);
            for (int unsigned l = 0; l < N; l++)
              elements[l*8+:8] = int_to_8(ints[l], zp_i, dtype_i == DtypeS8);
          end
        end
        DtypeBf16:
          if (HasFp != 0) begin
            if (raw_i)
              for (int unsigned l = 0; l < N; l++) elements[l*16+:16] = x[l*32+16+:16];
            else
              for (int unsigned l = 0; l < N; l++)
                elements[l*16+:16] = fp32_to_bf16(x[l*32+:32]);
          end
        DtypeI32:
          if (HasFp != 0 && fp_i && !raw_i)
            for (int unsigned l = 0; l < N; l++) elements[l*32+:32] = fp32_to_int(x[l*32+:32]);
        default: ;
      endcase
      case (size)
        2'd0: elements = {4{elements[N*8-1:0]}};
        2'd1: elements = {2{elements[N*16-1:0]}};
        default: ;
      endcase
      conv_q <= elements;
      conv_addr_q <= addr_i;
    end
    conv_v_q <= valid_i && rst_ni && !clear_i;
  end
  assign size = dtype_log2(dtype_i);

  ttpu_vpu_queue #(
      .N(N), .Depth(Depth)
  ) i_queue (
      .clk_i, .rst_ni, .halt_i, .clear_i,
      .valid_i(conv_v_q), .data_i(conv_q), .addr_i(conv_addr_q), .start_i, .lanes_i, .size_i(size),
      .wr_req_o, .wr_addr_o, .wr_be_o, .wr_data_o, .wr_gnt_i, .written_o, .refused_o
  );
endmodule
