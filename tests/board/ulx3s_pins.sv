// The top of the ULX3S with the pins that test_sdram_board's boards have: its DQ pads, which go both
// ways, are taken apart for the model of the SDRAM. The wires of the link's header are joined while
// link_wires_i. TTPU_BOARD_PARAMETERS: of the top.
module ulx3s_pins (
  input  logic        clk_i,
  input  logic        rst_ni,        // button FIRE1, pressed when low
  input  logic        uart_rx_i,
  output logic        uart_tx_o,
  output logic [7:0]  led_o,
  output logic        esp_off_o,     // wifi_gpio0 is high
  output logic        clock_phase_o, // the SDRAM's clock is the chip's inverted
  output logic        sdram_cke_o,
  output logic        sdram_cs_no,
  output logic        sdram_ras_no,
  output logic        sdram_cas_no,
  output logic        sdram_we_no,
  output logic [1:0]  sdram_ba_o,
  output logic [12:0] sdram_addr_o,
  output logic [1:0]  sdram_dqm_o,
  output logic [15:0] sdram_dq_o,
  output logic [15:0] sdram_dq_oe_o,
  input  logic [15:0] sdram_dq_i,
  input  logic        link_wires_i
);
  wire [15:0] dq;
  logic sdram_clk, link_clk, link_strobe;
  logic [3:0] link_data;
  top #(`TTPU_BOARD_PARAMETERS) i_top (
    .clk_25mhz(clk_i), .btn_fire1(!rst_ni), .ftdi_rxd(uart_tx_o), .ftdi_txd(uart_rx_i),
    .wifi_gpio0(esp_off_o), .led(led_o), .sdram_clk(sdram_clk), .sdram_cke(sdram_cke_o),
    .sdram_csn(sdram_cs_no), .sdram_rasn(sdram_ras_no), .sdram_casn(sdram_cas_no),
    .sdram_wen(sdram_we_no), .sdram_ba(sdram_ba_o), .sdram_a(sdram_addr_o),
    .sdram_dqm(sdram_dqm_o), .sdram_d(dq), .link_clk_gp(link_clk), .link_strobe_gp(link_strobe),
    .link_data_gp(link_data), .link_clk_gn(link_clk && link_wires_i),
    .link_strobe_gn(link_strobe && link_wires_i), .link_data_gn(link_data & {4{link_wires_i}})
  );
  assign clock_phase_o = sdram_clk == !clk_i;
  assign sdram_dq_oe_o = i_top.dq_oe;
  assign sdram_dq_o = dq;
  for (genvar i = 0; i < 16; i++) begin : g_dq
    assign dq[i] = sdram_dq_oe_o[i] ? 1'bz : sdram_dq_i[i];
  end
endmodule
