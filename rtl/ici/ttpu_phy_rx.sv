// Receiver of the physical layer, all in the clock that comes with the data. Pins are sampled at the
// rising edge by registers that belong into the pads; a frame is complete one edge after its last beat
// was sampled (frame_valid_o, frame_o combinational for one cycle).
// A strobe begins a frame whatever was before it: a frame in progress is given up (cut_o). Beats outside
// of a frame are ignored. So an error never reaches further than to the next strobe.
// rx_rst_ni is synchronous to rx_clk_i.
module ttpu_phy_rx #(
  parameter int unsigned FrameW = 192,
  parameter int unsigned Lanes = 16
) (
  input  logic              rx_clk_i,
  input  logic              rx_rst_ni,
  // pins
  input  logic              pin_strobe_i,
  input  logic [Lanes-1:0]  pin_data_i,
  // frames
  output logic              frame_valid_o,
  output logic [FrameW-1:0] frame_o,
  output logic              cut_o  // a frame was given up
);
  localparam int unsigned Beats = (FrameW + Lanes - 1) / Lanes;
  localparam int unsigned PadW = Beats * Lanes;
  localparam int unsigned LeftBits = $clog2(Beats + 1);

  logic                  strobe_q;
  logic [Lanes-1:0]      data_q;
  logic [PadW-1:0]       shift_q;  // beats come in from the top
  logic [LeftBits-1:0]   left_q;   // beats that the frame in progress still needs
  logic [LeftBits-1:0]   left;     // the same with the beat in data_q counted as open
  logic [PadW-1:0]       both;     // shift_q with the beat in data_q

  assign left = strobe_q ? LeftBits'(Beats) : left_q;
  assign both = PadW'({data_q, shift_q} >> Lanes);
  assign frame_valid_o = rx_rst_ni && left == LeftBits'(1);
  assign frame_o = both[FrameW-1:0];
  assign cut_o = strobe_q && left_q != '0;

  always_ff @(posedge rx_clk_i) begin
    strobe_q <= pin_strobe_i;
    data_q <= pin_data_i;
    if (left != '0) begin
      shift_q <= both;
      left_q <= left - 1'b1;
    end
    if (!rx_rst_ni) left_q <= '0;
  end
endmodule
