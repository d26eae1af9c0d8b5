// Receiver of a serial line: 8 data bits, low bit first, no parity, one stop bit, Div clocks a
// bit. valid_o is high for one clock, in the middle of the stop bit, with the byte in data_o. A
// start bit that is gone in its middle is taken for a spike; a byte without its stop bit is
// dropped. The pin passes two flip-flops. Bytes may follow without a gap, from a sender up to 3
// % fast or slow (Div of 8 or more; with Div = 4 the two clocks must agree).
module ttpu_uart_rx #(
  parameter int unsigned Div = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       rx_i,       // asynchronous; idle high
  output logic       valid_o,
  output logic [7:0] data_o
);
  localparam int unsigned DivBits = $clog2(Div);

  logic [1:0]         sync_q;
  logic               busy_q;
  logic [DivBits-1:0] wait_q;    // clocks to the next sample
  logic [3:0]         bit_q;     // 0 start, 1..8 data, 9 stop
  logic [7:0]         data_q;
  logic               valid_q;
  assign valid_o = valid_q;
  assign data_o = data_q;

  always_ff @(posedge clk_i) begin
    sync_q <= {sync_q[0], rx_i};
    valid_q <= 1'b0;
    if (!rst_ni) begin
      sync_q <= '1;
      busy_q <= 1'b0;
    end else if (!busy_q) begin
      busy_q <= !sync_q[1];
      bit_q <= '0;
      wait_q <= DivBits'(Div / 2 - 1);
    end else if (wait_q != '0) begin
      wait_q <= wait_q - 1'b1;
    end else begin
      wait_q <= DivBits'(Div - 1);
      bit_q <= bit_q + 4'd1;
      if (bit_q == 4'd0) begin
        busy_q <= !sync_q[1];
      end else if (bit_q == 4'd9) begin
        busy_q <= 1'b0;
        valid_q <= sync_q[1];
      end else begin
        data_q <= {sync_q[1], data_q[7:1]};
      end
    end
  end

`ifndef SYNTHESIS
  initial assert (Div >= 4 && Div <= 65536) else $fatal(1, "ttpu_uart_rx: Div must be 4 to 65536");
`endif
endmodule
