// AXI4 port of the microprogrammed core: bursts of one beat of 32 bits, one transfer at a time.
// read_i sets the low address and starts a read: ARVALID from the next cycle. write_addr_i sets it for
// a write, write_i takes the data and starts: AWVALID and WVALID from the next cycle. busy_o from that cycle
// until the one in which the response came, in the next error_o says whether it was bad. A word that was read
// stays on the bus until take_i, or the next read_i, which drops it: RREADY in the next cycle, and after a
// drop ARVALID from the one behind that. No start while busy.
module ttpu_micro_axi
  import ttpu_pkg::*;
#(
  localparam int unsigned AxiIdBits = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // microcode
  input  logic                   high_i,        // set the high word of the address
  input  logic                   read_i,
  input  logic                   write_addr_i,
  input  logic                   write_i,
  input  logic                   take_i,
  input  logic [31:0]            data_i,
  input  logic [3:0]             be_i,
  output logic                   busy_o,
  output logic                   error_o,
  // AXI
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [FarAddrBits-1:0] m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic [2:0]             m_axi_awsize_o,
  output logic [1:0]             m_axi_awburst_o,
  output logic [AxiIdBits-1:0]   m_axi_awid_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  output logic [31:0]            m_axi_wdata_o,
  output logic [3:0]             m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  input  logic                   m_axi_bvalid_i,
  output logic                   m_axi_bready_o,
  input  logic [1:0]             m_axi_bresp_i,
  output logic                   m_axi_arvalid_o,
  input  logic                   m_axi_arready_i,
  output logic [FarAddrBits-1:0] m_axi_araddr_o,
  output logic [7:0]             m_axi_arlen_o,
  output logic [2:0]             m_axi_arsize_o,
  output logic [1:0]             m_axi_arburst_o,
  output logic [AxiIdBits-1:0]   m_axi_arid_o,
  input  logic                   m_axi_rvalid_i,
  output logic                   m_axi_rready_o,
  input  logic [1:0]             m_axi_rresp_i
);
  logic        ar_q, aw_q, w_q;          // valid
  logic        read_q, write_q;          // response to come
  logic        busy_q, error_q;
  logic        word_q, ready_q;          // a word is on the bus; and leaves it
  logic [63:0] addr_q;
  logic [31:0] data_q;
  logic [3:0]  be_q;

  always_ff @(posedge clk_i) begin
    if (m_axi_arready_i && !ready_q) ar_q <= 1'b0;
    if (m_axi_awready_i) aw_q <= 1'b0;
    if (m_axi_wready_i) w_q <= 1'b0;
    if (read_q && m_axi_rvalid_i && !ar_q) begin
      {read_q, busy_q} <= '0;
      word_q <= 1'b1;
      error_q <= m_axi_rresp_i[1];
    end
    if (write_q && m_axi_bvalid_i) begin
      {write_q, busy_q} <= '0;
      error_q <= m_axi_bresp_i[1];
    end
    if (read_i) {ar_q, read_q, busy_q} <= '1;
    if (write_i) begin
      {aw_q, w_q, write_q, busy_q} <= '1;
      data_q <= data_i;
      be_q <= be_i;
    end
    if (read_i || write_addr_i) addr_q[31:0] <= data_i;
    if (high_i) addr_q[63:32] <= data_i;
    ready_q <= word_q && (take_i || read_i);
    if (take_i || read_i) word_q <= 1'b0;
    if (!rst_ni) {ar_q, aw_q, w_q, read_q, write_q, busy_q, error_q, word_q, ready_q} <= '0;
  end

  assign busy_o = busy_q;
  assign error_o = error_q;

  assign m_axi_awvalid_o = aw_q;
  assign m_axi_awaddr_o = addr_q;
  assign m_axi_awlen_o = '0;
  assign m_axi_awsize_o = 3'd2;
  assign m_axi_awburst_o = 2'd1;
  assign m_axi_awid_o = '0;
  assign m_axi_wvalid_o = w_q;
  assign m_axi_wdata_o = data_q;
  assign m_axi_wstrb_o = be_q;
  assign m_axi_wlast_o = 1'b1;
  assign m_axi_bready_o = write_q;
  assign m_axi_arvalid_o = ar_q && !ready_q;
  assign m_axi_araddr_o = addr_q;
  assign m_axi_arlen_o = '0;
  assign m_axi_arsize_o = 3'd2;
  assign m_axi_arburst_o = 2'd1;
  assign m_axi_arid_o = '0;
  assign m_axi_rready_o = ready_q;

  logic unused;
  assign unused = ^{m_axi_bresp_i[0], m_axi_rresp_i[0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!((read_i || write_i || write_addr_i) && busy_o)) else $error("micro_axi: started while busy");
    assert (!(take_i && (busy_o || !m_axi_rvalid_i))) else $error("micro_axi: no word to take");
  end
`endif
endmodule
