// An AXI4 master and an AXI4-Lite slave that do what the test says, wire by wire: the test plays a
// device that breaks the rules, which no block of the project should ever do.
module tb_axi_probe #(
  parameter int unsigned Bytes = 16
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // what the test wants on the wires
  input  logic               set_awvalid_i,
  input  logic [63:0]        set_awaddr_i,
  input  logic [7:0]         set_awlen_i,
  input  logic               set_wvalid_i,
  input  logic [8*Bytes-1:0] set_wdata_i,
  input  logic [Bytes-1:0]   set_wstrb_i,
  input  logic               set_wlast_i,
  input  logic               set_arvalid_i,
  input  logic [63:0]        set_araddr_i,
  input  logic [7:0]         set_arlen_i,
  input  logic               set_ready_i,
  // AXI4 master
  output logic               axi_awvalid_o,
  input  logic               axi_awready_i,
  output logic [63:0]        axi_awaddr_o,
  output logic [7:0]         axi_awlen_o,
  output logic [3:0]         axi_awid_o,
  output logic               axi_wvalid_o,
  input  logic               axi_wready_i,
  output logic [8*Bytes-1:0] axi_wdata_o,
  output logic [Bytes-1:0]   axi_wstrb_o,
  output logic               axi_wlast_o,
  input  logic               axi_bvalid_i,
  output logic               axi_bready_o,
  input  logic [3:0]         axi_bid_i,
  input  logic [1:0]         axi_bresp_i,
  output logic               axi_arvalid_o,
  input  logic               axi_arready_i,
  output logic [63:0]        axi_araddr_o,
  output logic [7:0]         axi_arlen_o,
  output logic [3:0]         axi_arid_o,
  input  logic               axi_rvalid_i,
  output logic               axi_rready_o,
  input  logic [8*Bytes-1:0] axi_rdata_i,
  input  logic [3:0]         axi_rid_i,
  input  logic [1:0]         axi_rresp_i,
  input  logic               axi_rlast_i,
  output logic               seen_o,
  // AXI4-Lite slave with 16 registers; address 0xF0 is an error, 0xF4 never answers
  input  logic               csr_awvalid_i,
  output logic               csr_awready_o,
  input  logic [23:0]        csr_awaddr_i,
  input  logic               csr_wvalid_i,
  output logic               csr_wready_o,
  input  logic [31:0]        csr_wdata_i,
  input  logic [3:0]         csr_wstrb_i,
  output logic               csr_bvalid_o,
  input  logic               csr_bready_i,
  output logic [1:0]         csr_bresp_o,
  input  logic               csr_arvalid_i,
  output logic               csr_arready_o,
  input  logic [23:0]        csr_araddr_i,
  output logic               csr_rvalid_o,
  input  logic               csr_rready_i,
  output logic [31:0]        csr_rdata_o,
  output logic [1:0]         csr_rresp_o
);
  assign axi_awvalid_o = set_awvalid_i;
  assign axi_awaddr_o = set_awaddr_i;
  assign axi_awlen_o = set_awlen_i;
  assign axi_awid_o = 4'd1;
  assign axi_wvalid_o = set_wvalid_i;
  assign axi_wdata_o = set_wdata_i;
  assign axi_wstrb_o = set_wstrb_i;
  assign axi_wlast_o = set_wlast_i;
  assign axi_bready_o = set_ready_i;
  assign axi_arvalid_o = set_arvalid_i;
  assign axi_araddr_o = set_araddr_i;
  assign axi_arlen_o = set_arlen_i;
  assign axi_arid_o = 4'd2;
  assign axi_rready_o = set_ready_i;
  assign seen_o = ^{axi_awready_i, axi_wready_i, axi_bvalid_i, axi_bid_i, axi_bresp_i, axi_arready_i,
                    axi_rvalid_i, axi_rdata_i, axi_rid_i, axi_rresp_i, axi_rlast_i};

  logic [31:0] regs[16];
  logic aw_q, w_q;
  logic [23:0] awaddr_q;
  logic [31:0] wdata_q;
  logic [3:0] wstrb_q;
  assign csr_awready_o = !aw_q && !csr_bvalid_o;
  assign csr_wready_o = !w_q && !csr_bvalid_o;
  assign csr_arready_o = !csr_rvalid_o;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      aw_q <= 1'b0;
      w_q <= 1'b0;
      csr_bvalid_o <= 1'b0;
      csr_rvalid_o <= 1'b0;
    end else begin
      if (csr_awvalid_i && csr_awready_o) begin
        aw_q <= 1'b1;
        awaddr_q <= csr_awaddr_i;
      end
      if (csr_wvalid_i && csr_wready_o) begin
        w_q <= 1'b1;
        wdata_q <= csr_wdata_i;
        wstrb_q <= csr_wstrb_i;
      end
      if (aw_q && w_q && awaddr_q != 24'hF4) begin
        aw_q <= 1'b0;
        w_q <= 1'b0;
        csr_bvalid_o <= 1'b1;
        csr_bresp_o <= awaddr_q == 24'hF0 ? 2'd2 : 2'd0;
        for (int unsigned i = 0; i < 4; i++)
          if (wstrb_q[i]) regs[awaddr_q[5:2]][8*i+:8] <= wdata_q[8*i+:8];
      end
      if (csr_bvalid_o && csr_bready_i) csr_bvalid_o <= 1'b0;
      if (csr_arvalid_i && csr_arready_o && csr_araddr_i != 24'hF4) begin
        csr_rvalid_o <= 1'b1;
        csr_rdata_o <= regs[csr_araddr_i[5:2]];
        csr_rresp_o <= csr_araddr_i == 24'hF0 ? 2'd2 : 2'd0;
      end
      if (csr_rvalid_o && csr_rready_i) csr_rvalid_o <= 1'b0;
    end
  end
endmodule
