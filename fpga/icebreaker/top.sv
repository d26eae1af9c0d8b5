// iCE40 UP5K boards: clock, reset and pins round ttpu_board. The 12 MHz oscillator feeds the PLL,
// whose dividers fpga/flow computes from board.yaml: clock = 12 MHz * (PllDivF + 1) / (PllDivR + 1)
// / 2^PllDivQ. PllPad: the oscillator is at the PLL's own pad (pin 35 of the SG48), or at another
// pin and comes by wires. Reset is held until the PLL has been locked for 2^15 clocks (the block
// RAMs of this device read zeros in the first microseconds after configuration), and while the
// button is pressed.
// LEDs (lit when low): beat blinks, error = the chip holds an error, busy = a request of the host
// is in work.
module top #(
  parameter int unsigned PllDivR = 0,
  parameter int unsigned PllDivF = 79,
  parameter int unsigned PllDivQ = 5,
  parameter int unsigned PllFilter = 1,
  parameter int unsigned PllPad = 1,
  parameter int unsigned Div = 30,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 18,    // log2 of the longest gap in a frame, in clocks
  parameter int unsigned HbmBytes = 65536,
  parameter int unsigned Ice40 = 1,       // 1 = SPRAM and DSP blocks by name, 0 = inferred
  parameter int unsigned N = 4,
  parameter int unsigned HasFp = 0,
  parameter int unsigned PeStages = 1,
  parameter int unsigned AccRows = 128,
  parameter int unsigned VmemBanks = 1,
  parameter int unsigned VmemRows = 3072,
  parameter int unsigned VmemPorts = 1,
  parameter int unsigned VpuStages = 4,
  parameter int unsigned HasSfu = 0,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 4,
  parameter int unsigned AxiOutstanding = 1,
  parameter int unsigned ImemWords = 512,
  parameter int unsigned SmemWords = 256,
  parameter int unsigned QueueDepth = 4,
  parameter int unsigned Micro = 1,
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic clk_12mhz,
  input  logic btn_n,          // pressed = 0: reset
  input  logic uart_rx,        // from the computer
  output logic uart_tx,        // to the computer
  output logic led_beat_n,
  output logic led_error_n,
  output logic led_busy_n,
  output logic flash_cs_n      // high: the flash leaves the shared pins alone
);
  // ---- clock ------------------------------------------------------------------------------------
  logic clk, locked, unused_core;
  if (PllPad != 0) begin : g_pad
    SB_PLL40_PAD #(
      .FEEDBACK_PATH("SIMPLE"), .PLLOUT_SELECT("GENCLK"), .DIVR(4'(PllDivR)), .DIVF(7'(PllDivF)),
      .DIVQ(3'(PllDivQ)), .FILTER_RANGE(3'(PllFilter))
    ) i_pll (
      .PACKAGEPIN(clk_12mhz), .RESETB(1'b1), .BYPASS(1'b0), .PLLOUTCORE(unused_core),
      .PLLOUTGLOBAL(clk), .LOCK(locked)
    );
  end else begin : g_core
    SB_PLL40_CORE #(
      .FEEDBACK_PATH("SIMPLE"), .PLLOUT_SELECT("GENCLK"), .DIVR(4'(PllDivR)), .DIVF(7'(PllDivF)),
      .DIVQ(3'(PllDivQ)), .FILTER_RANGE(3'(PllFilter))
    ) i_pll (
      .REFERENCECLK(clk_12mhz), .RESETB(1'b1), .BYPASS(1'b0), .PLLOUTCORE(unused_core),
      .PLLOUTGLOBAL(clk), .LOCK(locked)
    );
  end

  // ---- reset and heartbeat ----------------------------------------------------------------------
  // One counter: it holds the reset for its first 2^15 clocks, then it is the heartbeat.
  // Flip-flops of the device start at 0. The lock and the button come from other clocks.
  logic [1:0]  go_q = '0;
  logic [23:0] count_q = '0;
  logic        rst_n_q = 1'b0;
  always_ff @(posedge clk) begin
    go_q <= {go_q[0], locked && btn_n};
    count_q <= go_q[1] ? count_q + 1'b1 : '0;
    rst_n_q <= go_q[1] && (rst_n_q || count_q[15]);
  end

  // ---- chip -------------------------------------------------------------------------------------
  logic       busy, error, irq, unused_strobe;
  logic [3:0] unused_data;
  ttpu_board #(
    .Div(Div), .GapBits(GapBits), .HbmBytes(HbmBytes), .Ice40(Ice40), .N(N), .HasFp(HasFp),
    .PeStages(PeStages), .AccRows(AccRows), .VmemBanks(VmemBanks), .VmemRows(VmemRows),
    .VmemPorts(VmemPorts), .VpuStages(VpuStages), .HasSfu(HasSfu), .DmaChannels(DmaChannels),
    .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding), .ImemWords(ImemWords),
    .SmemWords(SmemWords), .QueueDepth(QueueDepth), .Micro(Micro), .ConfigId(ConfigId),
    .ConfigHash(ConfigHash)
  ) i_board (
    .clk_i(clk), .rst_ni(rst_n_q), .uart_rx_i(uart_rx), .uart_tx_o(uart_tx), .busy_o(busy),
    .error_o(error), .irq_o(irq), .link_strobe_o(unused_strobe), .link_data_o(unused_data),
    .link_clk_i(1'b0), .link_strobe_i(1'b0), .link_data_i('0)
  );

  // ---- lights -----------------------------------------------------------------------------------
  assign led_beat_n = !count_q[23];
  assign led_error_n = !error;
  assign led_busy_n = !busy;
  assign flash_cs_n = 1'b1;

  logic unused;
  assign unused = ^{irq, unused_core};
endmodule
