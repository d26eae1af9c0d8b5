// ULX3S: clock, reset and pins round ttpu_board. The 25 MHz oscillator feeds a PLL whose dividers
// fpga/flow computes from board.yaml: clock = 25 MHz / PllIDiv * PllFbDiv, VCO = clock * PllOpDiv.
// Reset is held until the PLL has been locked for 2^16 clocks, and while button FIRE1 is pressed.
// LEDs: 7 heartbeat (bit 24 of a counter), 2 held in reset, 1 the program has ended (if the host has
// enabled the interrupt), 0 a request of the host is in work.
module top #(
  parameter int unsigned PllIDiv = 5,
  parameter int unsigned PllFbDiv = 12,
  parameter int unsigned PllOpDiv = 10,
  parameter int unsigned Div = 60,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 19,    // log2 of the longest gap in a frame, in clocks
  parameter int unsigned HbmBytes = 65536,
  parameter int unsigned N = 8,
  parameter int unsigned HasFp = 1,
  parameter int unsigned PeStages = 2,
  parameter int unsigned AccRows = 256,
  parameter int unsigned VmemBanks = 4,
  parameter int unsigned VmemRows = 1024,
  parameter int unsigned VmemPorts = 2,
  parameter int unsigned VpuStages = 6,
  parameter int unsigned HasSfu = 1,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 16,
  parameter int unsigned AxiOutstanding = 4,
  parameter int unsigned ImemWords = 1024,
  parameter int unsigned SmemWords = 1024,
  parameter int unsigned QueueDepth = 8,
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic       clk_25mhz,
  input  logic       btn_fire1,           // pressed = 1: reset
  output logic       ftdi_rxd,            // to the computer
  input  logic       ftdi_txd,            // from the computer
  output logic       wifi_gpio0,          // high: the ESP32 leaves the board alone
  output logic [7:0] led
);
  // ---- clock ------------------------------------------------------------------------------------
  logic clk, locked;
  (* FREQUENCY_PIN_CLKI = "25", ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1",
     MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"),
    .DPHASE_SOURCE("DISABLED"), .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"),
    .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"), .CLKI_DIV(PllIDiv),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(PllOpDiv), .CLKOP_CPHASE(PllOpDiv / 2), .CLKOP_FPHASE(0),
    .FEEDBK_PATH("CLKOP"), .CLKFB_DIV(PllFbDiv)
  ) i_pll (
    .RST(1'b0), .STDBY(1'b0), .CLKI(clk_25mhz), .CLKFB(clk), .CLKINTFB(), .PHASESEL0(1'b0),
    .PHASESEL1(1'b0), .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0),
    .ENCLKOP(1'b0), .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0),
    .CLKOP(clk), .CLKOS(), .CLKOS2(), .CLKOS3(), .LOCK(locked), .INTLOCK(), .REFCLK()
  );

  // ---- reset ------------------------------------------------------------------------------------
  // Flip-flops of the device start at 0. The lock and the button come from other clocks.
  logic [1:0]  go_q;
  logic [16:0] hold_q;
  logic        rst_n;
  assign rst_n = hold_q[16];
  always_ff @(posedge clk) begin
    go_q <= {go_q[0], locked && !btn_fire1};
    if (!go_q[1]) hold_q <= '0;
    else if (!hold_q[16]) hold_q <= hold_q + 1'b1;
  end

  // ---- chip -------------------------------------------------------------------------------------
  logic busy, irq;
  ttpu_board #(
    .Div(Div), .GapBits(GapBits), .HbmBytes(HbmBytes), .N(N), .HasFp(HasFp), .PeStages(PeStages),
    .AccRows(AccRows), .VmemBanks(VmemBanks), .VmemRows(VmemRows), .VmemPorts(VmemPorts),
    .VpuStages(VpuStages), .HasSfu(HasSfu), .DmaChannels(DmaChannels), .AxiBytes(AxiBytes),
    .AxiOutstanding(AxiOutstanding), .ImemWords(ImemWords), .SmemWords(SmemWords),
    .QueueDepth(QueueDepth), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_board (
    .clk_i(clk), .rst_ni(rst_n), .uart_rx_i(ftdi_txd), .uart_tx_o(ftdi_rxd), .busy_o(busy),
    .irq_o(irq)
  );

  // ---- lights -----------------------------------------------------------------------------------
  logic [24:0] beat_q;
  always_ff @(posedge clk) beat_q <= beat_q + 1'b1;
  assign led = {beat_q[24], 4'b0, !rst_n, irq, busy};
  assign wifi_gpio0 = 1'b1;
endmodule
