// ULX3S: clock, reset and pins round a chip with the board's SDRAM as its HBM. The 25 MHz
// oscillator feeds a PLL whose dividers fpga/flow computes from board.yaml: VCO = 25 MHz / PllIDiv
// * PllFbDiv * PllOpDiv, clock = VCO / PllOsDiv. Reset is held until the PLL has been locked for
// 2^16 clocks, and while button FIRE1 is pressed; the chip's then until the SDRAM is initialised.
// LEDs: 7 heartbeat (bit 24 of a counter), 4 the chip holds an error, 3 the SDRAM is not ready, 2
// held in reset, 1 the program has ended (if the host has enabled the interrupt), 0 a request of
// the host is in work.
// SDRAM: 16 bits, 13 row and 9 column bits, 4 banks: 32 MiB (a 64 MiB one is used by half), with
// the slowest times of the parts that boards carry (docs/reference/sdram.md). Its clock is the
// chip's inverted; data is taken on the falling edge, a whole clock after it was asked for.
module top #(
  parameter int unsigned PllIDiv = 1,
  parameter int unsigned PllFbDiv = 1,
  parameter int unsigned PllOpDiv = 24,
  parameter int unsigned PllOsDiv = 10,
  parameter int unsigned ClkKhz = 60000,
  parameter int unsigned Div = 60,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 19,    // log2 of the longest gap in a frame, in clocks
  parameter int unsigned ResetBits = 16,  // log2 of the clocks in reset after the PLL's lock
  parameter int unsigned PowerUpUs = 200,
  parameter int unsigned N = 8,
  parameter int unsigned HasFp = 1,
  parameter int unsigned PeStages = 3,
  parameter int unsigned FpStages = 4,
  parameter int unsigned AccRows = 256,
  parameter int unsigned VmemBanks = 1,
  parameter int unsigned VmemRows = 4096,
  parameter int unsigned VmemPorts = 2,
  parameter int unsigned VpuStages = 6,
  parameter int unsigned VpuLanes = N,
  parameter int unsigned HasSfu = 1,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 16,
  parameter int unsigned AxiOutstanding = 4,
  parameter int unsigned ImemWords = 1024,
  parameter int unsigned SmemWords = 1024,
  parameter int unsigned QueueDepth = 8,
  parameter int unsigned Micro = 0,
  parameter int unsigned Links = 0,       // 1 = a link in loop-back for the self-test, at header J1
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic        clk_25mhz,
  input  logic        btn_fire1,          // pressed = 1: reset
  output logic        ftdi_rxd,           // to the computer
  input  logic        ftdi_txd,           // from the computer
  output logic        wifi_gpio0,         // high: the ESP32 leaves the board alone
  output logic [7:0]  led,
  output logic        sdram_clk,
  output logic        sdram_cke,
  output logic        sdram_csn,
  output logic        sdram_rasn,
  output logic        sdram_casn,
  output logic        sdram_wen,
  output logic [1:0]  sdram_ba,
  output logic [12:0] sdram_a,
  output logic [1:0]  sdram_dqm,
  inout  wire  [15:0] sdram_d,
  output logic        link_clk_gp,        // low without a link
  output logic        link_strobe_gp,
  output logic [3:0]  link_data_gp,
  input  logic        link_clk_gn,
  input  logic        link_strobe_gn,
  input  logic [3:0]  link_data_gn
);
  // ---- clock ------------------------------------------------------------------------------------
  logic clk, feedback, locked;
  logic unused_clkos2, unused_clkos3, unused_intlock, unused_refclk, unused_clkintfb;
  (* FREQUENCY_PIN_CLKI = "25", ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1",
     MFG_GMCREF_SEL = "2" *)
  EHXPLLL #(
    .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"),
    .DPHASE_SOURCE("DISABLED"), .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"),
    .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"), .CLKI_DIV(PllIDiv),
    .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(PllOpDiv), .CLKOP_CPHASE(PllOpDiv / 2), .CLKOP_FPHASE(0),
    .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(PllOsDiv), .CLKOS_CPHASE(0), .CLKOS_FPHASE(0),
    .FEEDBK_PATH("CLKOP"), .CLKFB_DIV(PllFbDiv)
  ) i_pll (
    .RST(1'b0), .STDBY(1'b0), .CLKI(clk_25mhz), .CLKFB(feedback), .PHASESEL0(1'b0), .PHASESEL1(1'b0),
    .PHASEDIR(1'b1), .PHASESTEP(1'b1), .PHASELOADREG(1'b1), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0),
    .ENCLKOS(1'b0), .ENCLKOS2(1'b0), .ENCLKOS3(1'b0), .CLKOP(feedback), .CLKOS(clk),
    .CLKOS2(unused_clkos2), .CLKOS3(unused_clkos3), .LOCK(locked), .INTLOCK(unused_intlock),
    .REFCLK(unused_refclk), .CLKINTFB(unused_clkintfb)
  );

  // ---- reset ------------------------------------------------------------------------------------
  // Flip-flops of the device start at 0. The lock and the button come from other clocks.
  logic [1:0]         go_q = '0;
  logic [ResetBits:0] hold_q = '0;
  logic               rst_n;
  assign rst_n = hold_q[ResetBits];
  always_ff @(posedge clk) begin
    go_q <= {go_q[0], locked && !btn_fire1};
    if (!go_q[1]) hold_q <= '0;
    else if (!rst_n) hold_q <= hold_q + 1'b1;
  end

  // ---- chip -------------------------------------------------------------------------------------
  logic        busy, error, irq, ready;
  logic [15:0] dq_out, dq_oe;
  ttpu_board_sdram #(
    .Div(Div), .GapBits(GapBits), .ClkKhz(ClkKhz), .PowerUpUs(PowerUpUs), .CaptureFall(1),
    .TrcdNs(21), .TrpNs(21), .TrcNs(66), .N(N), .HasFp(HasFp), .PeStages(PeStages), .FpStages(FpStages), .AccRows(AccRows),
    .VmemBanks(VmemBanks), .VmemRows(VmemRows), .VmemPorts(VmemPorts), .VpuStages(VpuStages),
    .VpuLanes(VpuLanes), .HasSfu(HasSfu), .DmaChannels(DmaChannels), .AxiBytes(AxiBytes),
    .AxiOutstanding(AxiOutstanding), .ImemWords(ImemWords), .SmemWords(SmemWords),
    .QueueDepth(QueueDepth), .Micro(Micro), .Links(Links), .LinkHeader(ttpu_board_pkg::HeaderUlx3s),
    .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_board (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(ready), .uart_rx_i(ftdi_txd), .uart_tx_o(ftdi_rxd),
    .link_strobe_o(link_strobe_gp), .link_data_o(link_data_gp), .link_clk_i(link_clk_gn),
    .link_strobe_i(link_strobe_gn), .link_data_i(link_data_gn),
    .busy_o(busy), .error_o(error), .irq_o(irq), .sdram_cke_o(sdram_cke), .sdram_cs_no(sdram_csn),
    .sdram_ras_no(sdram_rasn), .sdram_cas_no(sdram_casn), .sdram_we_no(sdram_wen),
    .sdram_ba_o(sdram_ba), .sdram_addr_o(sdram_a), .sdram_dqm_o(sdram_dqm), .sdram_dq_o(dq_out),
    .sdram_dq_oe_o(dq_oe), .sdram_dq_i(sdram_d)
  );
  ODDRX1F i_sdram_clk (.SCLK(clk), .RST(1'b0), .D0(1'b0), .D1(1'b1), .Q(sdram_clk));
  ODDRX1F i_link_clk (.SCLK(clk), .RST(1'b0), .D0(1'b0), .D1(Links != 0), .Q(link_clk_gp));
  for (genvar i = 0; i < 16; i++) begin : g_dq
    assign sdram_d[i] = dq_oe[i] ? dq_out[i] : 1'bz;
  end

  // ---- lights -----------------------------------------------------------------------------------
  logic [24:0] beat_q;
  always_ff @(posedge clk) beat_q <= beat_q + 1'b1;
  assign led = {beat_q[24], 2'b0, error, !ready, !rst_n, irq, busy};
  assign wifi_gpio0 = 1'b1;
endmodule
