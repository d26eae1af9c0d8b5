// One end of a cable as a board has it: the link of a node's port and the physical layer under it,
// joined by the frames' valid and ready. A bench's top; a board joins ttpu_ici_node and ttpu_phy so.
// Router's side: as ttpu_link, flits with credits. Flit in at t, out at the other end's t' at
// t + 8 + Beats and the cable at least (3 cycles in the link, Beats + 3 in the pins, 2 in the link), with
// Beats = ceil(FrameW / Lanes); a flit each Beats cycles.
// Pins: as ttpu_phy. The link's frames wait for frame_ready (READY_STALLS); the receiver's have no ready.
// Errors on pins cost frames, which the link sends again; a clock that stops is silence to the link.
module tb_cable #(
  parameter int unsigned Vcs = 2,
  parameter int unsigned Depth = 8,
  parameter int unsigned DataW = 128,
  parameter int unsigned Lanes = 16,
  localparam int unsigned FlitW = DataW + ttpu_ici_pkg::FlitExtraW,
  localparam int unsigned FrameW = FlitW + ttpu_ici_pkg::FrameExtraW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // from and to the router
  input  logic              in_valid_i,
  input  logic [FlitW-1:0]  in_flit_i,
  output logic [Vcs-1:0]    in_credit_o,
  output logic              out_valid_o,
  output logic [FlitW-1:0]  out_flit_o,
  input  logic [Vcs-1:0]    out_credit_i,
  output logic              down_o,
  // host
  input  logic [13:0]       cfg_node_i,
  input  logic [2:0]        cfg_port_i,
  input  logic [15:0]       cfg_timeout_i,
  input  logic [3:0]        cfg_retries_i,
  input  logic              cfg_auto_i,
  input  logic              cfg_down_i,
  input  logic              retrain_i,
  input  ttpu_ici_pkg::link_word_e sel_i,
  output logic [31:0]       data_o,
  output logic              clock_lost_o,
  output logic [15:0]       cut_o,
  output logic [15:0]       overflows_o,
  // pins
  output logic              pin_clk_o,
  output logic              pin_strobe_o,
  output logic [Lanes-1:0]  pin_data_o,
  input  logic              pin_clk_i,
  input  logic              pin_strobe_i,
  input  logic [Lanes-1:0]  pin_data_i
);
  logic              tx_valid, tx_ready, rx_valid;
  logic [FrameW-1:0] tx_frame, rx_frame;

  ttpu_link #(.Vcs(Vcs), .Depth(Depth), .DataW(DataW)) u_link (
    .clk_i, .rst_ni,
    .in_valid_i, .in_flit_i, .in_credit_o, .out_valid_o, .out_flit_o, .out_credit_i, .down_o,
    .frame_valid_o(tx_valid), .frame_o(tx_frame), .frame_ready_i(tx_ready),
    .frame_valid_i(rx_valid), .frame_i(rx_frame),
    .cfg_node_i, .cfg_port_i, .cfg_timeout_i, .cfg_retries_i, .cfg_auto_i, .cfg_down_i, .retrain_i,
    .sel_i, .data_o
  );

  ttpu_phy #(.FrameW(FrameW), .Lanes(Lanes)) u_phy (
    .clk_i, .rst_ni,
    .frame_valid_i(tx_valid), .frame_ready_o(tx_ready), .frame_i(tx_frame),
    .frame_valid_o(rx_valid), .frame_o(rx_frame),
    .clock_lost_o, .cut_o, .overflows_o,
    .pin_clk_o, .pin_strobe_o, .pin_data_o, .pin_clk_i, .pin_strobe_i, .pin_data_i
  );
endmodule
