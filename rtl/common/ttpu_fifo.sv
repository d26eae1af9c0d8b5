// FIFO of flip-flops, any Depth >= 1.
// Both sides valid-ready: a word moves in a cycle in which valid and ready are high. Latency 1 (a
// word pushed in cycle t can be popped in t+1), throughput one push and one pop a cycle at any fill
// from 1 to Depth; a full FIFO takes no push, not even while it is popped, so that ready does not
// depend on ready (at Depth 1 that makes one word every two cycles). push_ready_o and pop_valid_o
// come from registers. clear_i empties it (synchronous); reset and clear act on the pointers only.
module ttpu_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 2,
  localparam int unsigned CountBits = $clog2(Depth + 1)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,
  // in
  input  logic                 push_valid_i,
  output logic                 push_ready_o,
  input  logic [Width-1:0]     push_data_i,
  // out
  output logic                 pop_valid_o,
  input  logic                 pop_ready_i,
  output logic [Width-1:0]     pop_data_o,
  // words held
  output logic [CountBits-1:0] count_o
);
  localparam int unsigned PtrBits = Depth > 1 ? $clog2(Depth) : 1;
  localparam logic [PtrBits-1:0] Last = PtrBits'(Depth - 1);

  logic [Width-1:0]     mem_q [Depth];
  logic [PtrBits-1:0]   rd_q, wr_q;
  logic [CountBits-1:0] count_q;
  logic                 push, pop;

  assign push_ready_o = count_q != CountBits'(Depth);
  assign pop_valid_o = count_q != '0;
  assign pop_data_o = mem_q[rd_q];
  assign count_o = count_q;
  assign push = push_valid_i && push_ready_o;
  assign pop = pop_valid_o && pop_ready_i;

  always_ff @(posedge clk_i) begin
    if (push) begin
      mem_q[wr_q] <= push_data_i;
      wr_q <= wr_q == Last ? '0 : wr_q + 1'b1;
    end
    if (pop) rd_q <= rd_q == Last ? '0 : rd_q + 1'b1;
    if (push != pop) count_q <= push ? count_q + 1'b1 : count_q - 1'b1;
    if (!rst_ni || clear_i) begin
      rd_q <= '0;
      wr_q <= '0;
      count_q <= '0;
    end
  end

`ifndef SYNTHESIS
  initial begin
    assert (Depth >= 1 && Width >= 1)
    else $fatal(1, "ttpu_fifo: Depth and Width must be >= 1");
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert ((32'(rd_q) + 32'(count_q)) % Depth == 32'(wr_q))
      else $error("ttpu_fifo: pointers and count disagree");
    end
  end
`endif
endmodule
