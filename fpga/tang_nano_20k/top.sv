// Tang Nano 20K: clock, reset and pins round a chip with the SDRAM of the FPGA's package as its
// HBM. The 27 MHz oscillator feeds a PLL whose dividers fpga/flow computes from board.yaml: clock =
// 27 MHz * (PllFbDiv + 1) / (PllIDiv + 1), VCO = clock * PllODiv. Reset is held until the PLL has
// been locked for 2^ResetBits clocks, and while button S1 is pressed; the chip's then until the
// SDRAM is initialised.
// LEDs (lit when low): 0 heartbeat (bit 24 of a counter), 1 a request of the host is in work, 2 the
// chip holds an error, 3 the program has ended (if the host has enabled the interrupt), 4 the SDRAM
// is not ready, 5 held in reset.
// SDRAM: 32 bits, 11 row and 8 column bits, 4 banks: 8 MiB. Its clock is the chip's inverted; data
// is taken on the falling edge, a whole clock after it was asked for.
module top #(
  parameter int unsigned PllIDiv = 8,
  parameter int unsigned PllFbDiv = 19,
  parameter int unsigned PllODiv = 8,
  parameter int unsigned ClkKhz = 60000,
  parameter int unsigned Div = 60,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 19,    // log2 of the longest gap in a frame, in clocks
  parameter int unsigned ResetBits = 16,  // log2 of the clocks in reset after the PLL's lock
  parameter int unsigned PowerUpUs = 200,
  parameter int unsigned MulStyle = 2,    // of ttpu_micro_mul2: MULT9X9
  parameter int unsigned N = 8,
  parameter int unsigned HasFp = 0,
  parameter int unsigned PeStages = 1,
  parameter int unsigned AccRows = 128,
  parameter int unsigned VmemBanks = 1,
  parameter int unsigned VmemRows = 1024,
  parameter int unsigned VmemPorts = 1,
  parameter int unsigned VpuStages = 4,
  parameter int unsigned VpuLanes = N,
  parameter int unsigned HasSfu = 0,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 4,
  parameter int unsigned AxiOutstanding = 1,
  parameter int unsigned ImemWords = 512,
  parameter int unsigned SmemWords = 256,
  parameter int unsigned QueueDepth = 4,
  parameter int unsigned Micro = 1,
  parameter int unsigned Links = 0,       // 1 = a link in loop-back for the self-test
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic        clk_27mhz,
  input  logic        btn_s1,         // pressed = 1: reset
  input  logic        uart_rx,        // from the computer
  output logic        uart_tx,        // to the computer
  output logic [5:0]  led_n,
  // The SDRAM: the tools know these ports by their names.
  output logic        O_sdram_clk,
  output logic        O_sdram_cke,
  output logic        O_sdram_cs_n,
  output logic        O_sdram_cas_n,
  output logic        O_sdram_ras_n,
  output logic        O_sdram_wen_n,
  output logic [10:0] O_sdram_addr,
  output logic [1:0]  O_sdram_ba,
  output logic [3:0]  O_sdram_dqm,
  inout  wire  [31:0] IO_sdram_dq,
  output logic        link_clk_out,   // low without a link
  output logic        link_strobe_out,
  output logic [3:0]  link_data_out,
  input  logic        link_clk_in,
  input  logic        link_strobe_in,
  input  logic [3:0]  link_data_in
);
  // ---- clock ------------------------------------------------------------------------------------
  logic clk, locked, unused_clkoutp, unused_clkoutd, unused_clkoutd3;
  rPLL #(
    .FCLKIN("27"), .DEVICE("GW2AR-18C"), .IDIV_SEL(PllIDiv), .FBDIV_SEL(PllFbDiv), .ODIV_SEL(PllODiv)
  ) i_pll (
    .CLKIN(clk_27mhz), .CLKFB(1'b0), .RESET(1'b0), .RESET_P(1'b0), .FBDSEL(6'b0), .IDSEL(6'b0),
    .ODSEL(6'b0), .DUTYDA(4'b0), .PSDA(4'b0), .FDLY(4'b0), .CLKOUT(clk), .CLKOUTP(unused_clkoutp),
    .CLKOUTD(unused_clkoutd), .CLKOUTD3(unused_clkoutd3), .LOCK(locked)
  );

  // ---- reset ------------------------------------------------------------------------------------
  // Flip-flops of the device start at 0. The lock and the button come from other clocks.
  logic [1:0]         go_q = '0;
  logic [ResetBits:0] hold_q = '0;
  logic               rst_n;
  assign rst_n = hold_q[ResetBits];
  always_ff @(posedge clk) begin
    go_q <= {go_q[0], locked && !btn_s1};
    if (!go_q[1]) hold_q <= '0;
    else if (!rst_n) hold_q <= hold_q + 1'b1;
  end

  // ---- chip -------------------------------------------------------------------------------------
  logic        busy, error, irq, ready;
  logic [31:0] dq_out, dq_oe;
  ttpu_board_sdram #(
    .Div(Div), .GapBits(GapBits), .DataBits(32), .RowBits(11), .ColBits(8), .TrefiNs(15600),
    .ClkKhz(ClkKhz), .PowerUpUs(PowerUpUs), .CaptureFall(1), .N(N), .HasFp(HasFp),
    .PeStages(PeStages), .AccRows(AccRows), .VmemBanks(VmemBanks), .VmemRows(VmemRows),
    .VmemPorts(VmemPorts), .VpuStages(VpuStages), .VpuLanes(VpuLanes), .HasSfu(HasSfu),
    .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
    .ImemWords(ImemWords), .SmemWords(SmemWords), .QueueDepth(QueueDepth), .Micro(Micro),
    .MulStyle(MulStyle), .Links(Links), .LinkHeader(ttpu_board_pkg::HeaderTangNano20k),
    .LinkBufg(1), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_board (
    .clk_i(clk), .rst_ni(rst_n), .ready_o(ready), .uart_rx_i(uart_rx), .uart_tx_o(uart_tx),
    .link_strobe_o(link_strobe_out), .link_data_o(link_data_out), .link_clk_i(link_clk_in),
    .link_strobe_i(link_strobe_in), .link_data_i(link_data_in),
    .busy_o(busy), .error_o(error), .irq_o(irq), .sdram_cke_o(O_sdram_cke),
    .sdram_cs_no(O_sdram_cs_n), .sdram_ras_no(O_sdram_ras_n), .sdram_cas_no(O_sdram_cas_n),
    .sdram_we_no(O_sdram_wen_n), .sdram_ba_o(O_sdram_ba), .sdram_addr_o(O_sdram_addr),
    .sdram_dqm_o(O_sdram_dqm), .sdram_dq_o(dq_out), .sdram_dq_oe_o(dq_oe),
    .sdram_dq_i(IO_sdram_dq)
  );
  logic unused_q1, unused_link_q1;
  ODDR i_sdram_clk (.CLK(clk), .D0(1'b0), .D1(1'b1), .TX(1'b0), .Q0(O_sdram_clk), .Q1(unused_q1));
  ODDR i_link_clk (
    .CLK(clk), .D0(1'b0), .D1(Links != 0), .TX(1'b0), .Q0(link_clk_out), .Q1(unused_link_q1));
  for (genvar i = 0; i < 32; i++) begin : g_dq
    assign IO_sdram_dq[i] = dq_oe[i] ? dq_out[i] : 1'bz;
  end

  // ---- lights -----------------------------------------------------------------------------------
  logic [24:0] beat_q;
  always_ff @(posedge clk) beat_q <= beat_q + 1'b1;
  assign led_n = ~{!rst_n, !ready, irq, error, busy, beat_q[24]};
endmodule
