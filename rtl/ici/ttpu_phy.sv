// Physical layer of a link over FPGA pins: each direction Lanes data pins, a strobe and a clock that
// travels with them, one bit a pin a cycle. Frames of FrameW bits in and out in the core's clock.
// Transmit: valid-ready, a frame every Beats = ceil(FrameW / Lanes) cycles; with Beats = 1 the
// transmitter leaves out one cycle in SkipEvery + 1, so that a receiver may run that much slower.
// Receive: frame_valid_o for one cycle with frame_o, no ready. Latency from the cycle in which a frame
// is taken to that of frame_valid_o: Beats + 3 to Beats + 5 cycles and the wire.
// An error on a pin in one cycle (data, strobe, a clock edge lost or doubled) changes, loses or doubles
// the one frame that is sent in this cycle, or adds one frame of garbage; the frames before and after
// it arrive. A clock that stopped costs the frames sent meanwhile and one frame of garbage.
// Reset: rst_ni is synchronous to clk_i, one cycle is enough (four after power-up). The receive clock
// need not run: the receiver starts by itself when it comes (ttpu_phy_reset).
module ttpu_phy #(
  parameter int unsigned FrameW = 192,
  parameter int unsigned Lanes = 16,      // 1 .. FrameW
  parameter int unsigned FifoDepth = 8,   // frames between the clocks; a power of two, 8 or more
  parameter int unsigned SkipEvery = 1024 // frames sent without a pause when Beats = 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // from the link
  input  logic              frame_valid_i,
  output logic              frame_ready_o,
  input  logic [FrameW-1:0] frame_i,
  // to the link
  output logic              frame_valid_o,
  output logic [FrameW-1:0] frame_o,
  // state of the receiver, in clk_i
  output logic              clock_lost_o,  // no edge of pin_clk_i for 64 to 128 cycles
  output logic [15:0]       cut_o,         // frames given up because another began; wraps
  output logic [15:0]       overflows_o,   // frames lost because the FIFO was full; wraps
  // pins out
  output logic              pin_clk_o,
  output logic              pin_strobe_o,
  output logic [Lanes-1:0]  pin_data_o,
  // pins in
  input  logic              pin_clk_i,
  input  logic              pin_strobe_i,
  input  logic [Lanes-1:0]  pin_data_i
);
  logic              run, rx_rst_n;
  logic              wr_valid, wr_ready, rd_valid;
  logic [FrameW-1:0] wr_frame, rd_frame;
  logic              cut, overflow;

  ttpu_phy_tx #(.FrameW(FrameW), .Lanes(Lanes), .SkipEvery(SkipEvery)) u_tx (
    .clk_i, .rst_ni,
    .frame_valid_i, .frame_ready_o, .frame_i,
    .pin_clk_o, .pin_strobe_o, .pin_data_o
  );

  ttpu_phy_reset u_reset (
    .clk_i, .rst_ni, .run_o(run), .clock_lost_o,
    .rx_clk_i(pin_clk_i), .rx_rst_no(rx_rst_n)
  );

  ttpu_phy_rx #(.FrameW(FrameW), .Lanes(Lanes)) u_rx (
    .rx_clk_i(pin_clk_i), .rx_rst_ni(rx_rst_n),
    .pin_strobe_i, .pin_data_i,
    .frame_valid_o(wr_valid), .frame_o(wr_frame), .cut_o(cut)
  );

  ttpu_async_fifo #(.Width(FrameW), .Depth(FifoDepth)) u_fifo (
    .wr_clk_i(pin_clk_i), .wr_rst_ni(rx_rst_n),
    .wr_valid_i(wr_valid), .wr_ready_o(wr_ready), .wr_data_i(wr_frame),
    .rd_clk_i(clk_i), .rd_rst_ni(run),
    .rd_valid_o(rd_valid), .rd_ready_i(run), .rd_data_o(rd_frame)
  );
  assign overflow = wr_valid && !wr_ready;

  ttpu_phy_count u_cut (
    .event_clk_i(pin_clk_i), .event_rst_ni(rx_rst_n), .event_i(cut),
    .clk_i, .rst_ni(run), .count_o(cut_o)
  );
  ttpu_phy_count u_overflows (
    .event_clk_i(pin_clk_i), .event_rst_ni(rx_rst_n), .event_i(overflow),
    .clk_i, .rst_ni(run), .count_o(overflows_o)
  );

  always_ff @(posedge clk_i) begin
    frame_valid_o <= rst_ni && run && rd_valid;
    if (rd_valid) frame_o <= rd_frame;
  end

`ifndef SYNTHESIS
  initial begin
    assert (FifoDepth >= 8) else $fatal(1, "ttpu_phy: FifoDepth must be 8 or more");
  end
`endif
endmodule
