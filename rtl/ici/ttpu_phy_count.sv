// Count of events in one clock, read in another: a Gray counter behind two flip-flops. count_o wraps at
// 2^16; it is behind by two to three cycles of clk_i. Resets as for ttpu_async_fifo; while rst_ni is
// low count_o is 0.
module ttpu_phy_count (
  input  logic        event_clk_i,
  input  logic        event_rst_ni,
  input  logic        event_i,
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic [15:0] count_o
);
  logic [15:0] bin_q, gray_q, bin_d, bin;
  (* ASYNC_REG = "TRUE" *) logic [15:0] meta_q, sync_q;

  assign bin_d = bin_q + 1'b1;
  always_ff @(posedge event_clk_i) begin
    if (event_i) begin
      bin_q <= bin_d;
      gray_q <= bin_d ^ (bin_d >> 1);
    end
    if (!event_rst_ni) begin
      bin_q <= '0;
      gray_q <= '0;
    end
  end

  always_comb for (int unsigned i = 0; i < 16; i++) bin[i] = ^(sync_q >> i);
  always_ff @(posedge clk_i) begin
    meta_q <= gray_q;
    sync_q <= meta_q;
    count_o <= rst_ni ? bin : '0;
  end
endmodule
