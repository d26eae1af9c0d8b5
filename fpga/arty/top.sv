// Arty A7: clock, reset and pins round ttpu_board. The 100 MHz oscillator feeds an MMCM whose
// factors fpga/flow computes from board.yaml: clock = 100 MHz / PllDiv * PllMult / PllOutDiv. Reset
// is held until the MMCM has been locked for 2^ResetBits clocks, and while the red button RESET or
// BTN0 is pressed. LEDs: LD7 heartbeat (bit 25 of a counter), LD6 held in reset, LD5 the chip holds
// an error, LD4 a request of the host is in work.
module top #(
  parameter int unsigned PllDiv = 1,
  parameter int unsigned PllMult = 9,
  parameter int unsigned PllOutDiv = 9,
  parameter int unsigned Div = 100,       // clocks a bit of the serial line
  parameter int unsigned GapBits = 19,    // log2 of the longest gap in a frame, in clocks
  parameter int unsigned ResetBits = 16,  // log2 of the clocks in reset after the lock
  parameter int unsigned HbmBytes = 65536,
  parameter int unsigned N = 16,
  parameter int unsigned HasFp = 0,
  parameter int unsigned PeStages = 3,
  parameter int unsigned FpStages = 1,
  parameter int unsigned AccRows = 512,
  parameter int unsigned VmemBanks = 4,
  parameter int unsigned VmemRows = 1024,
  parameter int unsigned VmemPorts = 2,
  parameter int unsigned VpuStages = 6,
  parameter int unsigned VpuLanes = N,
  parameter int unsigned HasSfu = 0,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 16,
  parameter int unsigned AxiOutstanding = 4,
  parameter int unsigned ImemWords = 1024,
  parameter int unsigned SmemWords = 1024,
  parameter int unsigned QueueDepth = 4,
  parameter int unsigned Micro = 0,
  parameter int unsigned MulStyle = ttpu_mxu_pkg::MulPacked,
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic       clk_100mhz,
  input  logic       ck_rst,              // pressed = 0
  input  logic       btn0,                // pressed = 1
  input  logic       uart_txd_in,         // from the computer
  output logic       uart_rxd_out,        // to the computer
  output logic [3:0] led                  // LD4 to LD7
);
  // ---- clock ------------------------------------------------------------------------------------
  logic clk, clk_mmcm, feedback, locked;
  logic unused_fbb, unused_0b, unused_1, unused_1b, unused_2, unused_2b, unused_3, unused_3b;
  logic unused_4, unused_5, unused_6;
  MMCME2_BASE #(
    .CLKIN1_PERIOD(10), .DIVCLK_DIVIDE(PllDiv), .CLKFBOUT_MULT_F(PllMult),
    .CLKOUT0_DIVIDE_F(PllOutDiv)
  ) i_mmcm (
    .CLKIN1(clk_100mhz), .CLKFBIN(feedback), .CLKFBOUT(feedback), .RST(1'b0), .PWRDWN(1'b0),
    .CLKOUT0(clk_mmcm), .LOCKED(locked), .CLKFBOUTB(unused_fbb), .CLKOUT0B(unused_0b),
    .CLKOUT1(unused_1), .CLKOUT1B(unused_1b), .CLKOUT2(unused_2), .CLKOUT2B(unused_2b),
    .CLKOUT3(unused_3), .CLKOUT3B(unused_3b), .CLKOUT4(unused_4), .CLKOUT5(unused_5),
    .CLKOUT6(unused_6)
  );
  BUFG i_bufg (.I(clk_mmcm), .O(clk));

  // ---- reset ------------------------------------------------------------------------------------
  // Flip-flops of the device start at 0. The lock and the buttons come from other clocks.
  logic [1:0]         go_q = '0;
  logic [ResetBits:0] hold_q = '0;
  logic               rst_n;
  assign rst_n = hold_q[ResetBits];
  always_ff @(posedge clk) begin
    go_q <= {go_q[0], locked && ck_rst && !btn0};
    if (!go_q[1]) hold_q <= '0;
    else if (!rst_n) hold_q <= hold_q + 1'b1;
  end

  // ---- chip -------------------------------------------------------------------------------------
  logic busy, error;
  logic unused_irq, unused_strobe;
  logic [3:0] unused_data;
  ttpu_board #(
    .Div(Div), .GapBits(GapBits), .HbmBytes(HbmBytes), .N(N), .HasFp(HasFp), .PeStages(PeStages),
    .FpStages(FpStages), .AccRows(AccRows), .VmemBanks(VmemBanks), .VmemRows(VmemRows),
    .VmemPorts(VmemPorts), .VpuStages(VpuStages), .VpuLanes(VpuLanes), .HasSfu(HasSfu),
    .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
    .ImemWords(ImemWords), .SmemWords(SmemWords), .QueueDepth(QueueDepth), .Micro(Micro),
    .MulStyle(MulStyle), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_board (
    .clk_i(clk), .rst_ni(rst_n), .uart_rx_i(uart_txd_in), .uart_tx_o(uart_rxd_out), .busy_o(busy),
    .error_o(error), .irq_o(unused_irq), .link_strobe_o(unused_strobe), .link_data_o(unused_data),
    .link_clk_i(1'b0), .link_strobe_i(1'b0), .link_data_i('0)
  );

  // ---- lights -----------------------------------------------------------------------------------
  logic [25:0] beat_q;
  always_ff @(posedge clk) beat_q <= beat_q + 1'b1;
  assign led = {beat_q[25], !rst_n, error, busy};
endmodule
