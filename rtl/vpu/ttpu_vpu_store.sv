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
  localparam int unsigned LaneBits = $clog2(N);
  localparam int unsigned PtrBits = $clog2(Depth);

  logic conv_v_q;
  logic [Width-1:0] conv_q;  // the row at each place of its word where it may lie
  logic [23:0] conv_addr_q;
  logic [31:0] ints[N];
  logic [Width-1:0] x, elements;

  logic [Width-1:0] data_q[Depth];
  logic [23:0] addr_q[Depth];
  logic [PtrBits-1:0] wr_ptr_q, rd_ptr_q;
  logic [PtrBits:0] count_q;
  logic [N*4-1:0] be_q;  // of a row at the start of its word
  logic [1:0] place;
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
    if (conv_v_q) begin
      data_q[wr_ptr_q] <= conv_q;
      addr_q[wr_ptr_q] <= conv_addr_q;
    end
    if (start_i) begin
      for (int unsigned i = 0; i < 4 * N; i++) be_q[i] <= (i >> size) < 32'(lanes_i);
    end
    if (!rst_ni || clear_i) begin
      conv_v_q <= 1'b0;
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      count_q <= '0;
    end else begin
      conv_v_q <= valid_i;
      if (conv_v_q) wr_ptr_q <= wr_ptr_q == PtrBits'(Depth - 1) ? '0 : wr_ptr_q + 1'b1;
      if (written_o) rd_ptr_q <= rd_ptr_q == PtrBits'(Depth - 1) ? '0 : rd_ptr_q + 1'b1;
      count_q <= count_q + (PtrBits + 1)'(conv_v_q) - (PtrBits + 1)'(written_o);
    end
  end

  // Apart from the request: what follows from the grant must not look like a loop through VMEM.
  assign written_o = wr_req_o && wr_gnt_i;
  assign refused_o = count_q != '0 && !written_o;

  always_comb begin
    size = dtype_log2(dtype_i);
    wr_req_o = count_q != '0 && !halt_i;
    wr_addr_o = addr_q[rd_ptr_q];
    wr_data_o = data_q[rd_ptr_q];
    place = wr_addr_o[LaneBits+:2];
    wr_be_o = be_q;
    if (size == 2'd0) begin
      case (place)
        2'd0: wr_be_o = {{3*N{1'b0}}, be_q[N-1:0]};
        2'd1: wr_be_o = {{2*N{1'b0}}, be_q[N-1:0], {N{1'b0}}};
        2'd2: wr_be_o = {{N{1'b0}}, be_q[N-1:0], {2*N{1'b0}}};
        default: wr_be_o = {be_q[N-1:0], {3*N{1'b0}}};
      endcase
    end else if (size == 2'd1) begin
      wr_be_o = place[1] ? {be_q[2*N-1:0], {2*N{1'b0}}} : {{2*N{1'b0}}, be_q[2*N-1:0]};
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i)
      assert (32'(count_q) + 32'(conv_v_q) <= Depth) else $error("more results than room");
  end
`endif
endmodule
