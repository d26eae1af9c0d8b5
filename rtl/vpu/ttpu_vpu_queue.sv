// Results on their way to VMEM: a queue, and the byte enables of a row at its place in its word.
//
// One row a cycle in, never refused: control lets no more than Depth results be on their way. A row
// is asked for one cycle after valid_i if the port is free; written_o is its grant. A row lies at
// its address within the word of 4N bytes; lanes not in use are masked off.
module ttpu_vpu_queue #(
    parameter int unsigned N = 16,
    parameter int unsigned Depth = 32,
    localparam int unsigned Width = N * 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             halt_i,
    input  logic             clear_i,
    input  logic             valid_i,
    input  logic [Width-1:0] data_i,    // the row at each place of its word where it may lie
    input  logic [23:0]      addr_i,
    input  logic             start_i,   // lanes_i and size_i are new
    input  logic [8:0]       lanes_i,
    input  logic [1:0]       size_i,    // log2 of the bytes of an element
    output logic             wr_req_o,
    output logic [23:0]      wr_addr_o,
    output logic [N*4-1:0]   wr_be_o,
    output logic [Width-1:0] wr_data_o,
    input  logic             wr_gnt_i,
    output logic             written_o,
    output logic             refused_o
);
  localparam int unsigned LaneBits = $clog2(N);
  localparam int unsigned PtrBits = $clog2(Depth);

  logic [Width-1:0] data_q[Depth];
  logic [23:0] addr_q[Depth];
  logic [PtrBits-1:0] wr_ptr_q, rd_ptr_q;
  logic [PtrBits:0] count_q;
  logic there_q;  // count_q != 0
  logic [N-1:0] used;        // lanes in use
  logic [N*4-1:0] be, be_q;  // of a row at the start of its word
  logic [1:0] place;

  always_comb begin
    for (int unsigned l = 0; l < N; l++) used[l] = 9'(l) < lanes_i;
    for (int unsigned i = 0; i < 4 * N; i++) begin
      case (size_i)
        2'd0: be[i] = i < N && used[i % N];
        2'd1: be[i] = i < 2 * N && used[(i / 2) % N];
        default: be[i] = used[i / 4];
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      data_q[wr_ptr_q] <= data_i;
      addr_q[wr_ptr_q] <= addr_i;
    end
    if (start_i) be_q <= be;
    if (!rst_ni || clear_i) begin
      wr_ptr_q <= '0;
      rd_ptr_q <= '0;
      count_q <= '0;
      there_q <= 1'b0;
    end else begin
      if (valid_i) wr_ptr_q <= wr_ptr_q == PtrBits'(Depth - 1) ? '0 : wr_ptr_q + 1'b1;
      if (written_o) rd_ptr_q <= rd_ptr_q == PtrBits'(Depth - 1) ? '0 : rd_ptr_q + 1'b1;
      if (valid_i != written_o) count_q <= valid_i ? count_q + 1'b1 : count_q - 1'b1;
      there_q <= valid_i || (there_q && !(written_o && count_q == (PtrBits + 1)'(1)));
    end
  end

  // Apart from the request: what follows from the grant must not look like a loop through VMEM.
  assign written_o = wr_gnt_i;  // never without a request
  assign refused_o = there_q && !written_o;

  always_comb begin
    wr_req_o = there_q && !halt_i;
    wr_addr_o = addr_q[rd_ptr_q];
    wr_data_o = data_q[rd_ptr_q];
    place = wr_addr_o[LaneBits+:2];
    wr_be_o = be_q;
    if (size_i == 2'd0) begin
      case (place)
        2'd0: wr_be_o = {{3*N{1'b0}}, be_q[N-1:0]};
        2'd1: wr_be_o = {{2*N{1'b0}}, be_q[N-1:0], {N{1'b0}}};
        2'd2: wr_be_o = {{N{1'b0}}, be_q[N-1:0], {2*N{1'b0}}};
        default: wr_be_o = {be_q[N-1:0], {3*N{1'b0}}};
      endcase
    end else if (size_i == 2'd1) begin
      wr_be_o = place[1] ? {be_q[2*N-1:0], {2*N{1'b0}}} : {{2*N{1'b0}}, be_q[2*N-1:0]};
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni && !clear_i) begin
      assert (32'(count_q) + 32'(valid_i) <= Depth) else $error("more results than room");
      assert (wr_req_o || !wr_gnt_i) else $error("a grant without a request");
      assert (there_q == (count_q != '0)) else $error("there_q does not tell of the count");
    end
  end
`endif
endmodule
