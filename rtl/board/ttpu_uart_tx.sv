// Sender of a serial line: 8 data bits, low bit first, no parity, one stop bit, Div clocks a bit. A
// byte is taken when valid_i and ready_o are both high; ready_o then stays low for 10 * Div clocks,
// so that bytes follow each other with at most one clock more of stop bit.
module ttpu_uart_tx #(
  parameter int unsigned Div = 16
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic [7:0] data_i,
  output logic       ready_o,
  output logic       tx_o        // a register; idle high
);
  localparam int unsigned DivBits = $clog2(Div);

  logic               busy_q;
  logic [DivBits-1:0] wait_q;
  logic [3:0]         bit_q;     // bits still to send
  logic [8:0]         shift_q;   // low bit on the line
  assign ready_o = !busy_q;
  assign tx_o = shift_q[0];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      shift_q <= '1;
    end else if (!busy_q) begin
      wait_q <= DivBits'(Div - 1);
      bit_q <= 4'd9;
      if (valid_i) begin
        busy_q <= 1'b1;
        shift_q <= {data_i, 1'b0};
      end
    end else if (wait_q != '0) begin
      wait_q <= wait_q - 1'b1;
    end else begin
      wait_q <= DivBits'(Div - 1);
      shift_q <= {1'b1, shift_q[8:1]};
      bit_q <= bit_q - 4'd1;
      if (bit_q == 4'd0) busy_q <= 1'b0;
    end
  end

`ifndef SYNTHESIS
  initial assert (Div >= 4 && Div <= 65536) else $fatal(1, "ttpu_uart_tx: Div must be 4 to 65536");
`endif
endmodule
