// A link in loop-back for the self-test of a board: one end of a network link with its physical layer
// (LinkLanes data pins), whose output comes back to its own input, inside the FPGA or over wires between
// the board's pins; packets sent through it and checked. Registers: docs/reference/board-link.md.
// - Registers: req_i with address (bits 7:2 count), held until done_o, which comes two clocks later with
//   err_o for a word that is none or cannot be written. A write acts once, in the clock before done_o.
// - A write of LINK_CTRL resets link, physical layer and counters for 16 clocks; in their middle the
//   received clock is switched, so that a pulse too short for its flip-flops is followed by a reset.
// - Inside, the received clock is clk_i inverted and data are sampled half a clock after they change. A
//   board's top makes the clock for the pins, clk_i inverted too, as ttpu_phy says.
// - A link without an end at the other side is down after the link's TrainLimit clocks of training.
module ttpu_board_link
  import ttpu_ici_pkg::*;
  import ttpu_board_pkg::*;
#(
  parameter int unsigned Header = 0,          // number of the board's header in sw/isa/board.yaml
  parameter int unsigned Bufg = 0,            // 1 = the received clock takes a BUFG (Gowin, 7-series);
                                              // tools for ECP5 find a clock's network by themselves
  parameter logic [31:0] ClkKhz = 0           // what LINK_CLOCK says
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // host
  input  logic                 req_i,
  input  logic                 we_i,
  input  logic [7:0]           addr_i,
  input  logic [31:0]          wdata_i,
  output logic                 done_o,
  output logic                 err_o,
  output logic [31:0]          rdata_o,
  // pins
  output logic                 pin_strobe_o,
  output logic [LinkLanes-1:0] pin_data_o,
  input  logic                 pin_clk_i,
  input  logic                 pin_strobe_i,
  input  logic [LinkLanes-1:0] pin_data_i
);
  localparam int unsigned Vcs = 2;
  localparam int unsigned Depth = 8;
  localparam int unsigned DataW = 128;
  localparam int unsigned FlitW = DataW + FlitExtraW;
  localparam int unsigned FrameW = FlitW + FrameExtraW;
  // A frame takes FrameW / LinkLanes = 52 clocks: more than twice a flit and its answer behind others.
  localparam logic [15:0] Timeout = 16'd2000;
  localparam logic [3:0] Retries = 4'd7;

  // ---- registers --------------------------------------------------------------------------------
  logic [1:0]  step_q;
  logic [5:0]  word;
  logic        write, is_words, is_reg, writable;
  logic        run_q, pins_wanted_q, pins_q;
  logic        link_rst_nq = 1'b0;            // in reset from power-up on, not a clock after it
  logic [3:0]  hold_q;
  logic [31:0] seed_q, link_word, value, rdata_q;
  logic        down, clock_lost, clock_seen_q, clock_was_lost_q, sending;
  logic [15:0] cut, overflows;
  logic [31:0] sent, good, wrong, cycles;
  assign word = addr_i[7:2];
  assign is_words = word >= WinLinkWords;
  assign writable = word == RegLinkCtrl || word == RegLinkSeed || word == RegLinkPackets;
  assign write = req_i && we_i && step_q == 2'd1;
  assign done_o = step_q == 2'd2;
  assign err_o = we_i ? !writable : !is_reg;
  assign rdata_o = rdata_q;

  always_comb begin
    is_reg = 1'b1;
    unique case (word)
      RegLinkId:      value = BoardLinkMagic;
      RegLinkInfo:    value = {16'(FrameW), 8'(Header), 8'(LinkLanes)};
      RegLinkClock:   value = ClkKhz;
      RegLinkCtrl:    value = {30'd0, pins_wanted_q, run_q};
      RegLinkSeed:    value = seed_q;
      RegLinkPackets: value = '0;
      RegLinkStatus:  value = {28'd0, clock_was_lost_q, clock_lost, sending, link_rst_nq && !down};
      RegLinkSent:    value = sent;
      RegLinkGood:    value = good;
      RegLinkWrong:   value = wrong;
      RegLinkCycles:  value = cycles;
      RegLinkCut:     value = {overflows, cut};
      default: begin
        value = link_word;
        is_reg = is_words;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    step_q <= req_i && !done_o ? step_q + 1'b1 : '0;
    if (step_q == 2'd1) rdata_q <= value;
    if (hold_q != '0) hold_q <= hold_q - 1'b1;
    if (hold_q == 4'd8) pins_q <= pins_wanted_q;
    link_rst_nq <= run_q && hold_q == '0;
    if (write && word == RegLinkCtrl) begin
      {pins_wanted_q, run_q} <= wdata_i[1:0];
      hold_q <= '1;
    end
    if (write && word == RegLinkSeed) seed_q <= wdata_i;
    if (!link_rst_nq) {clock_seen_q, clock_was_lost_q} <= '0;
    else if (!clock_lost) clock_seen_q <= 1'b1;
    else if (clock_seen_q) clock_was_lost_q <= 1'b1;
    if (!rst_ni) begin
      step_q <= '0;
      run_q <= 1'b0;
      pins_wanted_q <= 1'b0;
      hold_q <= '1;
      link_rst_nq <= 1'b0;
      seed_q <= '0;
    end
  end

  // ---- traffic, link, physical layer ------------------------------------------------------------
  logic             in_valid, out_valid, frame_valid, frame_ready, back_valid;
  logic [FlitW-1:0] in_flit, out_flit;
  logic [Vcs-1:0]   in_credit, out_credit;
  logic [FrameW-1:0] frame, back;
  ttpu_board_traffic #(.Depth(Depth)) i_traffic (
    .clk_i, .rst_ni(link_rst_nq), .seed_i(seed_q), .start_i(write && word == RegLinkPackets),
    .count_i(wdata_i[15:0]), .up_i(!down), .in_valid_o(in_valid), .in_flit_o(in_flit),
    .in_credit_i(in_credit), .out_valid_i(out_valid), .out_flit_i(out_flit),
    .out_credit_o(out_credit), .sending_o(sending), .sent_o(sent), .good_o(good), .wrong_o(wrong),
    .cycles_o(cycles)
  );

  ttpu_link #(.Vcs(Vcs), .Depth(Depth), .DataW(DataW)) i_link (
    .clk_i, .rst_ni(link_rst_nq),
    .in_valid_i(in_valid), .in_flit_i(in_flit), .in_credit_o(in_credit), .out_valid_o(out_valid),
    .out_flit_o(out_flit), .out_credit_i(out_credit), .down_o(down),
    .frame_valid_o(frame_valid), .frame_o(frame), .frame_ready_i(frame_ready),
    .frame_valid_i(back_valid), .frame_i(back),
    .cfg_node_i('0), .cfg_port_i('0), .cfg_timeout_i(Timeout), .cfg_retries_i(Retries),
    .cfg_auto_i(1'b0), .cfg_down_i(1'b0), .retrain_i(1'b0),
    .sel_i(link_word_e'(addr_i[6:2])), .data_o(link_word)
  );

  logic inside_clk, chosen_clk, rx_clk;
  assign chosen_clk = pins_q ? pin_clk_i : inside_clk;
  if (Bufg != 0) begin : g_bufg
    BUFG i_bufg (.I(chosen_clk), .O(rx_clk));
  end else begin : g_plain
    assign rx_clk = chosen_clk;
  end
  ttpu_phy #(.FrameW(FrameW), .Lanes(LinkLanes)) i_phy (
    .clk_i, .rst_ni(link_rst_nq),
    .frame_valid_i(frame_valid), .frame_ready_o(frame_ready), .frame_i(frame),
    .frame_valid_o(back_valid), .frame_o(back),
    .clock_lost_o(clock_lost), .cut_o(cut), .overflows_o(overflows),
    .pin_clk_o(inside_clk), .pin_strobe_o, .pin_data_o,
    .pin_clk_i(rx_clk), .pin_strobe_i(pins_q ? pin_strobe_i : pin_strobe_o),
    .pin_data_i(pins_q ? pin_data_i : pin_data_o)
  );

  logic unused;
  assign unused = ^{addr_i[1:0], wdata_i[31:16]};
endmodule
