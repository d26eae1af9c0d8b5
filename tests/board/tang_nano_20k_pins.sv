// The top of the Tang Nano 20K with the pins that test_sdram_board's boards have: its DQ pads, which
// go both ways, are taken apart for the model of the SDRAM. The wires of the link's header are joined
// while link_wires_i. TTPU_BOARD_PARAMETERS: of the top.
module tang_nano_20k_pins (
  input  logic        clk_i,
  input  logic        rst_ni,        // button S1, pressed when low
  input  logic        uart_rx_i,
  output logic        uart_tx_o,
  output logic [5:0]  led_no,
  output logic        clock_phase_o, // the SDRAM's clock is the chip's inverted
  output logic        sdram_cke_o,
  output logic        sdram_cs_no,
  output logic        sdram_ras_no,
  output logic        sdram_cas_no,
  output logic        sdram_we_no,
  output logic [1:0]  sdram_ba_o,
  output logic [10:0] sdram_addr_o,
  output logic [3:0]  sdram_dqm_o,
  output logic [31:0] sdram_dq_o,
  output logic [31:0] sdram_dq_oe_o,
  input  logic [31:0] sdram_dq_i,
  input  logic        link_wires_i
);
  wire [31:0] dq;
  logic sdram_clk, link_clk, link_strobe;
  logic [3:0] link_data;
  top #(`TTPU_BOARD_PARAMETERS) i_top (
    .clk_27mhz(clk_i), .btn_s1(!rst_ni), .uart_rx(uart_rx_i), .uart_tx(uart_tx_o), .led_n(led_no),
    .O_sdram_clk(sdram_clk), .O_sdram_cke(sdram_cke_o), .O_sdram_cs_n(sdram_cs_no),
    .O_sdram_cas_n(sdram_cas_no), .O_sdram_ras_n(sdram_ras_no), .O_sdram_wen_n(sdram_we_no),
    .O_sdram_addr(sdram_addr_o), .O_sdram_ba(sdram_ba_o), .O_sdram_dqm(sdram_dqm_o), .IO_sdram_dq(dq),
    .link_clk_out(link_clk), .link_strobe_out(link_strobe), .link_data_out(link_data),
    .link_clk_in(link_clk && link_wires_i), .link_strobe_in(link_strobe && link_wires_i),
    .link_data_in(link_data & {4{link_wires_i}})
  );
  assign clock_phase_o = sdram_clk == !clk_i;
  assign sdram_dq_oe_o = i_top.dq_oe;
  assign sdram_dq_o = dq;
  for (genvar i = 0; i < 32; i++) begin : g_dq
    assign dq[i] = sdram_dq_oe_o[i] ? 1'bz : sdram_dq_i[i];
  end
endmodule
