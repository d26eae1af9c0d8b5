// FIFO between two clocks of any ratio and phase. Depth is a power of two, 2 or more; 8 sustain one
// word a cycle between clocks of one rate. Both sides valid-ready as in ttpu_fifo; wr_ready_o and
// rd_valid_o depend on registers only, rd_data_o is read from the memory in the same cycle.
// Pointers cross as Gray code through two flip-flops: a word pushed at an edge of wr_clk_i can be
// popped at the third edge of rd_clk_i after it at the latest (second, if it meets the first
// synchroniser's set-up); the place of a popped word is free for the writer as late. Late means only
// that a side sees less than there is: never too full, never too empty.
// Resets are synchronous, each to its clock, and act on pointers only. There must be a time in
// which both are low, two edges of each clock long; while one side alone is in reset, what the
// other side sees is undefined (ttpu_phy_reset makes the sequence).
module ttpu_async_fifo #(
  parameter int unsigned Width = 8,
  parameter int unsigned Depth = 8
) (
  // in
  input  logic             wr_clk_i,
  input  logic             wr_rst_ni,
  input  logic             wr_valid_i,
  output logic             wr_ready_o,
  input  logic [Width-1:0] wr_data_i,
  // out
  input  logic             rd_clk_i,
  input  logic             rd_rst_ni,
  output logic             rd_valid_o,
  input  logic             rd_ready_i,
  output logic [Width-1:0] rd_data_o
);
  localparam int unsigned AddrBits = $clog2(Depth);
  localparam int unsigned PtrBits = AddrBits + 1;
  // Gray codes of two pointers that are Depth apart differ in the two upper bits.
  localparam logic [PtrBits-1:0] FullMask = PtrBits'(3) << (PtrBits - 2);

  logic [Width-1:0]   mem_q [Depth];
  logic [PtrBits-1:0] wr_bin_q, wr_gray_q, wr_bin_d;
  logic [PtrBits-1:0] rd_bin_q, rd_gray_q, rd_bin_d;
  (* ASYNC_REG = "TRUE" *) logic [PtrBits-1:0] rd_meta_q, rd_sync_q;  // rd_gray_q in the writer's clock
  (* ASYNC_REG = "TRUE" *) logic [PtrBits-1:0] wr_meta_q, wr_sync_q;  // wr_gray_q in the reader's clock
  logic               push, pop;

  assign wr_ready_o = wr_gray_q != (rd_sync_q ^ FullMask);
  assign push = wr_valid_i && wr_ready_o;
  assign wr_bin_d = wr_bin_q + 1'b1;

  always_ff @(posedge wr_clk_i) begin
    rd_meta_q <= rd_gray_q;
    rd_sync_q <= rd_meta_q;
    if (push) begin
      mem_q[wr_bin_q[AddrBits-1:0]] <= wr_data_i;
      wr_bin_q <= wr_bin_d;
      wr_gray_q <= wr_bin_d ^ (wr_bin_d >> 1);
    end
    if (!wr_rst_ni) begin
      wr_bin_q <= '0;
      wr_gray_q <= '0;
    end
  end

  assign rd_valid_o = rd_gray_q != wr_sync_q;
  assign rd_data_o = mem_q[rd_bin_q[AddrBits-1:0]];
  assign pop = rd_valid_o && rd_ready_i;
  assign rd_bin_d = rd_bin_q + 1'b1;

  always_ff @(posedge rd_clk_i) begin
    wr_meta_q <= wr_gray_q;
    wr_sync_q <= wr_meta_q;
    if (pop) begin
      rd_bin_q <= rd_bin_d;
      rd_gray_q <= rd_bin_d ^ (rd_bin_d >> 1);
    end
    if (!rd_rst_ni) begin
      rd_bin_q <= '0;
      rd_gray_q <= '0;
    end
  end

`ifndef SYNTHESIS
  initial begin
    assert (Depth >= 2 && Depth == 2 ** AddrBits && Width >= 1)
    else $fatal(1, "ttpu_async_fifo: Depth must be a power of two, 2 or more, Width >= 1");
  end
`endif
endmodule
