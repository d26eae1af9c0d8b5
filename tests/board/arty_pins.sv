// The top of the Arty A7 with the pins that boards have in board_sim.cpp. TTPU_BOARD_PARAMETERS: of
// the top.
module arty_pins (
  input  logic       clk_i,
  input  logic       rst_ni,         // the red button RESET, pressed when low
  input  logic       uart_rx_i,
  output logic       uart_tx_o,
  output logic [3:0] led_o
);
  top #(`TTPU_BOARD_PARAMETERS) i_top (
    .clk_100mhz(clk_i), .ck_rst(rst_ni), .btn0(1'b0), .uart_txd_in(uart_rx_i),
    .uart_rxd_out(uart_tx_o), .led(led_o)
  );
endmodule
