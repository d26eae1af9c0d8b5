// Receive side of the network interface: a buffer of Depth flits for each virtual channel.
// In: flit port of the router; a credit goes back when a flit leaves its buffer.
// Out: rx_valid_o, rx_ready_i, rx_flit_o (its vc field says whose it is), from registers. A flit in
// at cycle t stands at t + 2 if nothing waits before it; one a cycle. Round robin flit by flit
// among the virtual channels that have one: packets are contiguous within a virtual channel only. A
// flit that stands is held until it is taken.
module ttpu_nic_rx
  import ttpu_ici_pkg::*;
#(
  parameter int unsigned Vcs = 2,    // 2, 4 or 8
  parameter int unsigned Depth = 8,  // flits of buffer a virtual channel, a power of two, 4 to 64
  parameter int unsigned DataW = 128,
  localparam int unsigned FlitW = DataW + FlitExtraW
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // from the router
  input  logic             in_valid_i,
  input  logic [FlitW-1:0] in_flit_i,
  output logic [Vcs-1:0]   in_credit_o,
  // to the chip
  output logic             rx_valid_o,
  input  logic             rx_ready_i,
  output logic [FlitW-1:0] rx_flit_o,
  // state of each virtual channel, for the host
  output logic [7:0]       waiting_o [Vcs]
);
  localparam int unsigned VcBits = $clog2(Vcs);
  localparam int unsigned DBits = $clog2(Depth);

  logic [FlitW-1:0]  buffer_q [Vcs*Depth];
  logic [Vcs-1:0][DBits-1:0] wr_q, rd_q;
  logic [Vcs-1:0][DBits:0]   count_q;
  logic [Vcs-1:0]    have, grant;
  logic [VcBits-1:0] pick, in_vc;
  logic              free, take;

  assign in_vc = in_flit_i[DataW+FlitVc+:VcBits];
  always_comb begin
    have = '0;
    for (int unsigned v = 0; v < Vcs; v++) have[v] = count_q[v] != '0;
  end
  assign free = !rx_valid_o || rx_ready_i;
  assign take = free && have != '0;

  ttpu_rr_arb #(.NumReq(Vcs)) u_arb (
    .clk_i, .rst_ni, .req_i(have), .advance_i(free), .gnt_o(grant), .index_o(pick)
  );

  always_ff @(posedge clk_i) begin
    in_credit_o <= rst_ni && take ? grant : '0;
    if (free) rx_valid_o <= have != '0;
    if (take) rx_flit_o <= buffer_q[{pick, rd_q[pick]}];
    if (in_valid_i) buffer_q[{in_vc, wr_q[in_vc]}] <= in_flit_i;
    if (!rst_ni) rx_valid_o <= 1'b0;
  end

  // Pointers and counts.
  logic [Vcs-1:0] takes, puts;  // by virtual channel
  assign takes = take ? grant : '0;
  assign puts = in_valid_i ? Vcs'(1) << in_vc : '0;

  always_ff @(posedge clk_i) begin
    if ((takes | puts) != '0) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        rd_q[v] <= rd_q[v] + DBits'(takes[v]);
        wr_q[v] <= wr_q[v] + DBits'(puts[v]);
        count_q[v] <= count_q[v] + (DBits + 1)'(puts[v]) - (DBits + 1)'(takes[v]);
      end
    end
    if (!rst_ni) begin
      for (int unsigned v = 0; v < Vcs; v++) begin
        rd_q[v] <= '0;
        wr_q[v] <= '0;
        count_q[v] <= '0;
      end
    end
  end

  for (genvar v = 0; v < Vcs; v++) begin : gen_state
    assign waiting_o[v] = 8'(count_q[v]);
  end

`ifndef SYNTHESIS
  initial begin
    assert (Vcs == 2 || Vcs == 4 || Vcs == 8) else $fatal(1, "ttpu_nic_rx: Vcs must be 2, 4 or 8");
    assert (Depth >= 4 && Depth <= 64 && Depth == 1 << DBits)
    else $fatal(1, "ttpu_nic_rx: Depth must be a power of two, 4 to 64");
  end
  always_ff @(posedge clk_i) if (rst_ni && in_valid_i) begin
    assert (32'(in_flit_i[DataW+FlitVc+:VcW]) < Vcs)
    else $error("ttpu_nic_rx: virtual channel %0d does not exist", in_flit_i[DataW+FlitVc+:VcW]);
    assert (32'(count_q[in_vc]) < Depth || (take && pick == in_vc))
    else $error("ttpu_nic_rx: a flit without a credit, vc %0d", in_vc);
  end
`endif
endmodule
