// Reset of the receive clock's side from the core's side, although the receive clock may stand still,
// come later, or be slower. A handshake of four phases: the core asks (req), the receive side is in
// reset while it sees that and says so (ack), the core lets go, the receive side runs and says so;
// only then run_o allows the core to read. Both sides are synchronous to their clock.
// rst_ni of one cycle is enough; after power-up four cycles, for registers that begin with any value.
// Without a receive clock run_o stays low; when it comes, run_o is high after 6 edges of it and 6 of
// clk_i at most. clock_lost_o: the receive clock has not had 4 edges for 64 cycles of clk_i, so a
// stopped clock shows after 64 to 64 + (4 receive periods) cycles; a clock slower than a sixteenth
// of clk_i counts as lost.
module ttpu_phy_reset (
  input  logic clk_i,
  input  logic rst_ni,
  output logic run_o,
  output logic clock_lost_o,
  input  logic rx_clk_i,
  output logic rx_rst_no
);
  localparam int unsigned Limit = 64;

  logic       want_q;            // a reset was seen that has not been passed on
  logic       req_q = 1'b0;      // no reset: the four phases must not be cut short
  logic       ack;
  logic [2:0] edges_q = '0;      // edges of the receive clock; reset would only delay it
  logic       last_q;
  logic [6:0] quiet_q;
  (* ASYNC_REG = "TRUE" *) logic req_meta_q, req_sync_q;
  (* ASYNC_REG = "TRUE" *) logic ack_meta_q, ack_sync_q;
  (* ASYNC_REG = "TRUE" *) logic edge_meta_q, edge_sync_q;

  // receive clock
  always_ff @(posedge rx_clk_i) begin
    req_meta_q <= req_q;
    req_sync_q <= req_meta_q;
    edges_q <= edges_q + 1'b1;
  end
  assign rx_rst_no = ~req_sync_q;

  // core clock
  assign ack = ack_sync_q;
  assign run_o = !want_q && !req_q && !ack;
  always_ff @(posedge clk_i) begin
    ack_meta_q <= req_sync_q;
    ack_sync_q <= ack_meta_q;
    if (req_q && ack) req_q <= 1'b0;
    else if (want_q && rst_ni && !ack) req_q <= 1'b1;
    if (!rst_ni) want_q <= 1'b1;
    else if (!req_q && !ack) want_q <= 1'b0;
  end

  assign clock_lost_o = quiet_q == 7'(Limit);
  always_ff @(posedge clk_i) begin
    edge_meta_q <= edges_q[2];
    edge_sync_q <= edge_meta_q;
    last_q <= edge_sync_q;
    if (edge_sync_q != last_q) quiet_q <= '0;
    else if (!clock_lost_o) quiet_q <= quiet_q + 1'b1;
    if (!rst_ni) quiet_q <= 7'(Limit);
  end
endmodule
