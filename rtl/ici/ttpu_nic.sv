// Network interface: the local port of a node, between the chip and port 2 * Dims of its router.
// Transmit (tx_*): the chip hands over packets flit by flit, head first; dest, kind, mcast,
// channel, length, flag and address of the header are its, the rest is filled in here. One flit a
// cycle, 7 cycles from tx to the router. Errors of framing and packets without a route are
// reported, never hang, never touch another packet: ttpu_nic_tx. Routes: ttpu_nic_route.
// Receive (rx_*): flits with their virtual channel, one a cycle, 2 cycles from the router to rx;
// packets are contiguous within a virtual channel: ttpu_nic_rx.
// cnt_o is what cnt_sel_i of the cycle before selects, see ttpu_nic_pkg.
// Order: packets of one source, destination and channel stay in order. Nothing is lost in the
// interface except packets reported by error_valid_o.
module ttpu_nic
  import ttpu_ici_pkg::*;
  import ttpu_nic_pkg::*;
#(
  parameter int unsigned Vcs = 2,          // virtual channels: 2, 4 or 8
  parameter int unsigned Depth = 8,        // flits of buffer a virtual channel, here and there
  parameter int unsigned DataW = 128,      // payload of a flit
  parameter int unsigned QueueDepth = 8,   // flits of the transmit queue a virtual channel, >= 8
  parameter int unsigned TableNodes = 64,  // rows of the route table, a power of two
  parameter int unsigned Native = 1,       // 1: dimension order can be configured
  localparam int unsigned FlitW = DataW + FlitExtraW
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // configuration: levels
  input  logic                    cfg_native_i,  // 1 dimension order, 0 table
  input  logic [HeaderDestW-1:0]  cfg_id_i,
  input  logic [14:0]             cfg_coord_i,   // {z, y, x}, 5 bits each
  input  logic [14:0]             cfg_size_i,
  // route table
  input  logic                    tab_we_i,
  output logic                    tab_ready_o,
  input  logic [HeaderDestW-1:0]  tab_dest_i,
  input  logic                    tab_valid_i,
  input  logic [HeaderRouteW-1:0] tab_route_i,
  // chip: transmit
  input  logic                    tx_valid_i,
  output logic                    tx_ready_o,
  input  logic [FlitW-1:0]        tx_flit_i,
  // chip: receive
  output logic                    rx_valid_o,
  input  logic                    rx_ready_i,
  output logic [FlitW-1:0]        rx_flit_o,
  // to the router
  output logic                    out_valid_o,
  output logic [FlitW-1:0]        out_flit_o,
  input  logic [Vcs-1:0]          out_credit_i,
  // from the router
  input  logic                    in_valid_i,
  input  logic [FlitW-1:0]        in_flit_i,
  output logic [Vcs-1:0]          in_credit_o,
  // errors, a pulse each
  output logic                    error_valid_o,
  output nic_error_e              error_cause_o,
  output logic [HeaderDestW-1:0]  error_dest_o,
  // counters and state
  input  logic [NicSelW-1:0]      cnt_sel_i,
  output logic [31:0]             cnt_o
);
  localparam int unsigned Counters = NicRxStall + 1;

  logic       stall_queue, stall_credit;
  logic [7:0] queued  [Vcs];
  logic [7:0] credit  [Vcs];
  logic [7:0] waiting [Vcs];

  ttpu_nic_tx #(
    .Vcs(Vcs), .Depth(Depth), .QueueDepth(QueueDepth), .DataW(DataW), .TableNodes(TableNodes),
    .Native(Native)
  ) u_tx (
    .clk_i, .rst_ni,
    .cfg_native_i, .cfg_id_i, .cfg_coord_i, .cfg_size_i,
    .tab_we_i, .tab_ready_o, .tab_dest_i, .tab_valid_i, .tab_route_i,
    .tx_valid_i, .tx_ready_o, .tx_flit_i,
    .out_valid_o, .out_flit_o, .out_credit_i,
    .error_valid_o, .error_cause_o, .error_dest_o,
    .stall_queue_o(stall_queue), .stall_credit_o(stall_credit),
    .queued_o(queued), .credit_o(credit)
  );

  ttpu_nic_rx #(.Vcs(Vcs), .Depth(Depth), .DataW(DataW)) u_rx (
    .clk_i, .rst_ni,
    .in_valid_i, .in_flit_i, .in_credit_o,
    .rx_valid_o, .rx_ready_i, .rx_flit_o,
    .waiting_o(waiting)
  );

  // ---- counters ------------------------------------------------------------------------------
  logic [31:0]         counter_q [Counters];  // private to the block that counts
  logic [Counters-1:0] event_now;
  logic                rx_moves;

  assign rx_moves = rx_valid_o && rx_ready_i;
  always_comb begin
    event_now = '0;
    event_now[NicTxPackets] = out_valid_o && out_flit_o[DataW+FlitHead];
    event_now[NicTxFlits] = out_valid_o;
    event_now[NicTxNoRoute] = error_valid_o && error_cause_o == NicNoRoute;
    event_now[NicTxBad] = error_valid_o && error_cause_o != NicNoRoute;
    event_now[NicTxCut] = out_valid_o && out_flit_o[DataW+FlitErr];
    event_now[NicTxStallQueue] = stall_queue;
    event_now[NicTxStallCredit] = stall_credit;
    event_now[NicRxPackets] = rx_moves && rx_flit_o[DataW+FlitTail];
    event_now[NicRxFlits] = rx_moves;
    event_now[NicRxCut] = rx_moves && rx_flit_o[DataW+FlitErr];
    event_now[NicRxStall] = rx_valid_o && !rx_ready_i;
  end

  always_ff @(posedge clk_i) begin
    cnt_o <= '0;
    if (32'(cnt_sel_i) < Counters) cnt_o <= counter_q[cnt_sel_i[3:0]];
    if (32'(cnt_sel_i) >= NicState && 32'(cnt_sel_i) < NicState + Vcs) begin
      cnt_o <= {8'd0, waiting[cnt_sel_i[$clog2(Vcs)-1:0]], credit[cnt_sel_i[$clog2(Vcs)-1:0]],
                queued[cnt_sel_i[$clog2(Vcs)-1:0]]};
    end
    if (event_now != '0) begin
      for (int unsigned c = 0; c < Counters; c++) begin
        counter_q[c] = counter_q[c] + 32'(event_now[c]);
      end
    end
    if (!rst_ni) begin
      for (int unsigned c = 0; c < Counters; c++) counter_q[c] = '0;
    end
  end

`ifndef SYNTHESIS
  // Packets leave contiguous in their virtual channel.
  logic [Vcs-1:0] open_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) open_q <= '0;
    else if (out_valid_o) begin
      open_q[out_flit_o[DataW+FlitVc+:$clog2(Vcs)]] <= !out_flit_o[DataW+FlitTail];
      assert (out_flit_o[DataW+FlitHead] != open_q[out_flit_o[DataW+FlitVc+:$clog2(Vcs)]])
      else $error("ttpu_nic: head inside a packet, or data outside one, vc %0d",
                  out_flit_o[DataW+FlitVc+:VcW]);
    end
  end
`endif
endmodule
