// Transmitter of the physical layer: a frame becomes Beats = ceil(FrameW / Lanes) beats, the low bits
// first, the last beat filled up with zeros; the strobe is high with the first.
// A frame taken in cycle t has its beats on the pins in cycles t+1 .. t+Beats; frame_ready_o comes
// from registers and is high again in t+Beats: frames follow each other without a gap. With Beats = 1
// there is a pause of a cycle after SkipEvery frames in a row.
// pin_clk_o is the inverted core clock: data changes at its falling edge and is sampled at its rising
// edge, in the middle of the bit. A board's top may make it from clk_i with an output DDR cell
// (0 in the first half of the cycle, 1 in the second) and put the other pins' registers into the pads.
module ttpu_phy_tx #(
  parameter int unsigned FrameW = 192,
  parameter int unsigned Lanes = 16,
  parameter int unsigned SkipEvery = 1024
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // frames
  input  logic              frame_valid_i,
  output logic              frame_ready_o,
  input  logic [FrameW-1:0] frame_i,
  // pins
  output logic              pin_clk_o,
  output logic              pin_strobe_o,
  output logic [Lanes-1:0]  pin_data_o
);
  localparam int unsigned Beats = (FrameW + Lanes - 1) / Lanes;
  localparam int unsigned PadW = Beats * Lanes;
  localparam int unsigned LeftBits = Beats > 1 ? $clog2(Beats) : 1;
  localparam int unsigned SkipBits = $clog2(SkipEvery + 1);

  logic [PadW-1:0]     shift_q, next;  // beats that are not on the pins yet
  logic [LeftBits-1:0] left_q;         // their number
  logic [SkipBits-1:0] row_q;          // frames sent in a row, Beats = 1
  logic                take, pause;

  assign pin_clk_o = ~clk_i;
  assign pause = Beats == 1 && row_q == SkipBits'(SkipEvery);
  assign frame_ready_o = left_q == '0 && !pause;
  assign take = frame_valid_i && frame_ready_o;
  assign next = take ? PadW'(frame_i) : shift_q;

  always_ff @(posedge clk_i) begin
    pin_strobe_o <= take;
    if (take || left_q != '0) begin
      pin_data_o <= next[Lanes-1:0];
      shift_q <= next >> Lanes;
      left_q <= take ? LeftBits'(Beats - 1) : left_q - 1'b1;
    end
    row_q <= take ? row_q + 1'b1 : '0;
    if (!rst_ni) begin
      pin_strobe_o <= 1'b0;
      left_q <= '0;
      row_q <= '0;
    end
  end

`ifndef SYNTHESIS
  initial begin
    assert (Lanes >= 1 && Lanes <= FrameW && SkipEvery >= 1)
    else $fatal(1, "ttpu_phy_tx: Lanes must be 1 to FrameW, SkipEvery 1 or more");
  end
  always_ff @(posedge clk_i) if (rst_ni && pin_strobe_o) begin
    assert (32'(left_q) == Beats - 1) else $error("ttpu_phy_tx: a strobe in the middle of a frame");
  end
`endif
endmodule
