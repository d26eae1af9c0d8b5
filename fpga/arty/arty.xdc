# Pins of the Arty A7 (35T and 100T: the same board, the same package CSG324).

set_property -dict {PACKAGE_PIN E3  IOSTANDARD LVCMOS33} [get_ports clk_100mhz]
create_clock -name oscillator -period 10.000 [get_ports clk_100mhz]

# red button RESET (low when pressed), BTN0
set_property -dict {PACKAGE_PIN C2  IOSTANDARD LVCMOS33} [get_ports ck_rst]
set_property -dict {PACKAGE_PIN D9  IOSTANDARD LVCMOS33} [get_ports btn0]

# the serial port of the USB chip; its names are seen from the computer
set_property -dict {PACKAGE_PIN A9  IOSTANDARD LVCMOS33} [get_ports uart_txd_in]
set_property -dict {PACKAGE_PIN D10 IOSTANDARD LVCMOS33} [get_ports uart_rxd_out]

# green LEDs LD4 to LD7
set_property -dict {PACKAGE_PIN H5  IOSTANDARD LVCMOS33} [get_ports {led[0]}]
set_property -dict {PACKAGE_PIN J5  IOSTANDARD LVCMOS33} [get_ports {led[1]}]
set_property -dict {PACKAGE_PIN T9  IOSTANDARD LVCMOS33} [get_ports {led[2]}]
set_property -dict {PACKAGE_PIN T10 IOSTANDARD LVCMOS33} [get_ports {led[3]}]

# Nothing outside keeps time with the chip: inputs pass two flip-flops.
set_false_path -from [get_ports {ck_rst btn0 uart_txd_in}]
set_false_path -to [get_ports {uart_rxd_out led[*]}]

set_property CFGBVS VCCO [current_design]
set_property CONFIG_VOLTAGE 3.3 [current_design]
set_property BITSTREAM.GENERAL.COMPRESS TRUE [current_design]
set_property BITSTREAM.CONFIG.SPI_BUSWIDTH 4 [current_design]
set_property BITSTREAM.CONFIG.CONFIGRATE 33 [current_design]
