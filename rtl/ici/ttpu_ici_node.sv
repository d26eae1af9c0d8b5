// A node of the network: router, network interface on its local port, and (WithLinks = 1) a link on
// each cable. Knows nothing of the chip: the chip's registers drive cfg_*, the chip's endpoint the
// tx and rx ports, both as ttpu_nic defines them.
// Cables: WithLinks = 1: frames of FrameW bits to and from a physical layer, see ttpu_link; the
// credit wires are 0 and ignored. WithLinks = 0: flit ports straight to the neighbour;
// cable_ready_i, cfg_link_* and retrain_i are ignored, down_o is cfg_down_i.
// A cable is down (down_o) when its link is; cfg_down_i takes the link down. The router drops what
// would go there and reports it, everything else goes on. Without links cfg_down_i may fall only if
// nothing has gone to the port since reset.
// data_o in the second cycle after sel_i = {unit, word}; units: 0 network interface, 1 counters and
// 2 states of the router, 8 + p the link of port p; 0 for what does not exist.
module ttpu_ici_node
  import ttpu_ici_pkg::*;
  import ttpu_nic_pkg::*;
#(
  parameter int unsigned Dims = 2,         // 1, 2, 3
  parameter int unsigned Vcs = 2,          // 2, 4, 8
  parameter int unsigned Depth = 8,        // flits of buffer a virtual channel and port
  parameter int unsigned DataW = 128,      // payload of a flit
  parameter int unsigned QueueDepth = 8,   // flits of the interface's transmit queue a channel
  parameter int unsigned TableNodes = 64,  // rows of the route table
  parameter int unsigned Native = 1,       // 1: dimension order can be configured
  parameter int unsigned WithLinks = 1,
  parameter int unsigned SplitMem = 0,     // see ttpu_router
  localparam int unsigned Cables = 2 * Dims,
  localparam int unsigned FlitW = DataW + FlitExtraW,
  localparam int unsigned CableW = WithLinks != 0 ? FlitW + FrameExtraW : FlitW
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // configuration: levels from the host's registers
  input  logic                    cfg_native_i,
  input  logic [HeaderDestW-1:0]  cfg_id_i,
  input  logic [14:0]             cfg_coord_i,      // {z, y, x}, 5 bits each
  input  logic [14:0]             cfg_size_i,
  input  logic [Cables-1:0]       cfg_dateline_i,
  input  logic [Cables-1:0]       cfg_down_i,
  input  logic [15:0]             cfg_link_timeout_i,
  input  logic [3:0]              cfg_link_retries_i,
  input  logic                    cfg_link_auto_i,
  input  logic [Cables-1:0]       retrain_i,        // pulses
  // route table
  input  logic                    tab_we_i,
  output logic                    tab_ready_o,
  input  logic [HeaderDestW-1:0]  tab_dest_i,
  input  logic                    tab_valid_i,
  input  logic [HeaderRouteW-1:0] tab_route_i,
  // chip
  input  logic                    tx_valid_i,
  output logic                    tx_ready_o,
  input  logic [FlitW-1:0]        tx_flit_i,
  output logic                    rx_valid_o,
  input  logic                    rx_ready_i,
  output logic [FlitW-1:0]        rx_flit_o,
  // cables
  output logic [Cables-1:0]       cable_valid_o,
  output logic [CableW-1:0]       cable_o        [Cables],
  input  logic [Cables-1:0]       cable_ready_i,
  input  logic [Vcs-1:0]          cable_credit_i [Cables],
  input  logic [Cables-1:0]       cable_valid_i,
  input  logic [CableW-1:0]       cable_i        [Cables],
  output logic [Vcs-1:0]          cable_credit_o [Cables],
  // reports
  output logic [Cables-1:0]       down_o,
  output logic                    error_valid_o,    // a pulse
  output nic_error_e              error_cause_o,
  output logic [HeaderDestW-1:0]  error_dest_o,
  input  logic                    drop_clear_i,
  output logic                    drop_valid_o,     // the router dropped a packet, the first one:
  output logic [2:0]              drop_port_o,
  output logic [127:0]            drop_header_o,
  // counters and states
  input  logic [11:0]             sel_i,
  output logic [31:0]             data_o
);
  localparam int unsigned Ports = Cables + 1;

  // ---- router and the flit ports round it ---------------------------------------------------
  logic [Ports-1:0]  to_valid, from_valid;  // to and from the router
  logic [FlitW-1:0]  to_flit     [Ports];
  logic [FlitW-1:0]  from_flit   [Ports];
  logic [Vcs-1:0]    to_credit   [Ports];   // of the router's buffers
  logic [Vcs-1:0]    from_credit [Ports];   // of the buffers behind its outputs
  logic [31:0]       nic_data, counter_data, state_data;
  logic [31:0]       link_data   [Cables];

  ttpu_router #(
    .Dims(Dims), .Vcs(Vcs), .Depth(Depth), .DataW(DataW), .SplitMem(SplitMem)
  ) u_router (
    .clk_i, .rst_ni,
    .in_valid_i(to_valid), .in_flit_i(to_flit), .in_credit_o(to_credit),
    .out_valid_o(from_valid), .out_flit_o(from_flit), .out_credit_i(from_credit),
    .cfg_dateline_i, .cfg_down_i(down_o),
    .cnt_sel_i(sel_i[7:0]), .cnt_value_o(counter_data),
    .state_sel_i(sel_i[5:0]), .state_o(state_data),
    .drop_clear_i, .drop_valid_o, .drop_port_o, .drop_header_o
  );

  ttpu_nic #(
    .Vcs(Vcs), .Depth(Depth), .DataW(DataW), .QueueDepth(QueueDepth), .TableNodes(TableNodes),
    .Native(Native)
  ) u_nic (
    .clk_i, .rst_ni,
    .cfg_native_i, .cfg_id_i, .cfg_coord_i, .cfg_size_i,
    .tab_we_i, .tab_ready_o, .tab_dest_i, .tab_valid_i, .tab_route_i,
    .tx_valid_i, .tx_ready_o, .tx_flit_i,
    .rx_valid_o, .rx_ready_i, .rx_flit_o,
    .out_valid_o(to_valid[Cables]), .out_flit_o(to_flit[Cables]), .out_credit_i(to_credit[Cables]),
    .in_valid_i(from_valid[Cables]), .in_flit_i(from_flit[Cables]),
    .in_credit_o(from_credit[Cables]),
    .error_valid_o, .error_cause_o, .error_dest_o,
    .cnt_sel_i(sel_i[NicSelW-1:0]), .cnt_o(nic_data)
  );

  // ---- cables ---------------------------------------------------------------------------------
  for (genvar p = 0; p < Cables; p++) begin : gen_cable
    if (WithLinks != 0) begin : gen_link
      logic unused;

      assign cable_credit_o[p] = '0;
      assign unused = ^cable_credit_i[p];
      ttpu_link #(.Vcs(Vcs), .Depth(Depth), .DataW(DataW)) u_link (
        .clk_i, .rst_ni,
        .in_valid_i(from_valid[p]), .in_flit_i(from_flit[p]), .in_credit_o(from_credit[p]),
        .out_valid_o(to_valid[p]), .out_flit_o(to_flit[p]), .out_credit_i(to_credit[p]),
        .down_o(down_o[p]),
        .frame_valid_o(cable_valid_o[p]), .frame_o(cable_o[p]), .frame_ready_i(cable_ready_i[p]),
        .frame_valid_i(cable_valid_i[p]), .frame_i(cable_i[p]),
        .cfg_node_i(cfg_id_i), .cfg_port_i(3'(p)), .cfg_timeout_i(cfg_link_timeout_i),
        .cfg_retries_i(cfg_link_retries_i), .cfg_auto_i(cfg_link_auto_i),
        .cfg_down_i(cfg_down_i[p]),
        .retrain_i(retrain_i[p]), .sel_i(link_word_e'(sel_i[4:0])), .data_o(link_data[p])
      );
    end else begin : gen_wire
      logic unused;

      assign down_o[p] = cfg_down_i[p];
      assign cable_valid_o[p] = from_valid[p];
      assign cable_o[p] = from_flit[p];
      assign from_credit[p] = cable_credit_i[p];
      assign to_valid[p] = cable_valid_i[p];
      assign to_flit[p] = cable_i[p];
      assign cable_credit_o[p] = to_credit[p];
      assign link_data[p] = '0;
      assign unused = ^{cable_ready_i[p], retrain_i[p], cfg_link_timeout_i, cfg_link_retries_i,
                        cfg_link_auto_i};
    end
  end

  // ---- what the host reads --------------------------------------------------------------------
  logic [3:0] unit_q;

  always_ff @(posedge clk_i) begin
    unit_q <= sel_i[11:8];
    data_o <= '0;
    case (unit_q)
      4'd0: data_o <= nic_data;
      4'd1: data_o <= counter_data;
      4'd2: data_o <= state_data;
      default: ;
    endcase
    for (int unsigned p = 0; p < Cables; p++) begin
      if (32'(unit_q) == 8 + p) data_o <= link_data[p];
    end
  end
endmodule
