// A chip of one core on a board without external memory: UART bridge, chip, on-chip RAM as HBM.
// A board's own top adds clock, reset and pins. rst_ni is synchronous and resets everything, so
// that the bridge's "not greeted" tells the host of it. HbmBytes: a power of two; the window's
// base is 0.
module ttpu_board
  import ttpu_pkg::*;
  import ttpu_isa_pkg::NumUnits;
#(
  parameter int unsigned Div = 16,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 18,    // log2 of the longest gap in a frame, in clocks
  parameter int unsigned HbmBytes = 8192,
  parameter int unsigned N = 16,
  parameter int unsigned HasFp = 1,
  parameter int unsigned PeStages = 2,
  parameter int unsigned AccRows = 512,
  parameter int unsigned VmemBanks = 8,
  parameter int unsigned VmemRows = 512,
  parameter int unsigned VmemPorts = 2,
  parameter int unsigned VpuStages = 6,
  parameter int unsigned HasSfu = 1,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 64,
  parameter int unsigned AxiOutstanding = 8,
  parameter int unsigned ImemWords = 4096,
  parameter int unsigned SmemWords = 4096,
  parameter int unsigned QueueDepth = 8,
  parameter int unsigned Cores = 1,
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned Micro = 0,         // 1 = the microprogrammed core
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic uart_rx_i,
  output logic uart_tx_o,
  output logic busy_o,                    // a request of the host is in work
  output logic irq_o                      // the program ended, if enabled
);
  localparam int unsigned AxiIdBits = 4;

  // ---- registers --------------------------------------------------------------------------------
  logic reg_awvalid;
  logic reg_awready;
  logic [23:0] reg_awaddr;
  logic reg_wvalid;
  logic reg_wready;
  logic [31:0] reg_wdata;
  logic [3:0] reg_wstrb;
  logic reg_bvalid;
  logic reg_bready;
  logic [1:0] reg_bresp;
  logic reg_arvalid;
  logic reg_arready;
  logic [23:0] reg_araddr;
  logic reg_rvalid;
  logic reg_rready;
  logic [31:0] reg_rdata;
  logic [1:0] reg_rresp;
  logic mem_req, mem_we, mem_done, mem_err;
  logic [23:0] mem_addr;
  logic [31:0] mem_wdata, mem_rdata;

  ttpu_uart_bridge #(.Div(Div), .GapBits(GapBits), .HbmBytes(HbmBytes)) i_bridge (
    .clk_i, .rst_ni, .rx_i(uart_rx_i), .tx_o(uart_tx_o), .busy_o,
    .m_axil_awvalid_o(reg_awvalid), .m_axil_awready_i(reg_awready), .m_axil_awaddr_o(reg_awaddr),
    .m_axil_wvalid_o(reg_wvalid), .m_axil_wready_i(reg_wready), .m_axil_wdata_o(reg_wdata),
    .m_axil_wstrb_o(reg_wstrb), .m_axil_bvalid_i(reg_bvalid), .m_axil_bready_o(reg_bready),
    .m_axil_bresp_i(reg_bresp), .m_axil_arvalid_o(reg_arvalid), .m_axil_arready_i(reg_arready),
    .m_axil_araddr_o(reg_araddr), .m_axil_rvalid_i(reg_rvalid), .m_axil_rready_o(reg_rready),
    .m_axil_rdata_i(reg_rdata), .m_axil_rresp_i(reg_rresp),
    .mem_req_o(mem_req), .mem_we_o(mem_we), .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata),
    .mem_done_i(mem_done), .mem_err_i(mem_err), .mem_rdata_i(mem_rdata)
  );

  // ---- chip -------------------------------------------------------------------------------------
  logic awvalid [1];
  logic awready [1];
  logic [FarAddrBits-1:0] awaddr [1];
  logic [7:0] awlen [1];
  logic [2:0] awsize [1];
  logic [1:0] awburst [1];
  logic [AxiIdBits-1:0] awid [1];
  logic wvalid [1];
  logic wready [1];
  logic [8*AxiBytes-1:0] wdata [1];
  logic [AxiBytes-1:0] wstrb [1];
  logic wlast [1];
  logic bvalid [1];
  logic bready [1];
  logic [AxiIdBits-1:0] bid [1];
  logic [1:0] bresp [1];
  logic arvalid [1];
  logic arready [1];
  logic [FarAddrBits-1:0] araddr [1];
  logic [7:0] arlen [1];
  logic [2:0] arsize [1];
  logic [1:0] arburst [1];
  logic [AxiIdBits-1:0] arid [1];
  logic rvalid [1];
  logic rready [1];
  logic [8*AxiBytes-1:0] rdata [1];
  logic [AxiIdBits-1:0] rid [1];
  logic [1:0] rresp [1];
  logic rlast [1];
  trace_t      unused_trace [NumUnits];
  logic        unused_trace_any, unused_tag_valid;
  logic [31:0] unused_tag [1];
  ttpu_chip #(
    .N(N), .HasFp(HasFp), .PeStages(PeStages), .AccRows(AccRows), .VmemBanks(VmemBanks),
    .VmemRows(VmemRows), .VmemPorts(VmemPorts), .VpuStages(VpuStages), .HasSfu(HasSfu),
    .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
    .ImemWords(ImemWords), .SmemWords(SmemWords), .QueueDepth(QueueDepth), .Cores(Cores),
    .CmemBytes(CmemBytes), .Micro(Micro), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_chip (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i(reg_awvalid), .s_axil_awready_o(reg_awready), .s_axil_awaddr_i(reg_awaddr),
    .s_axil_wvalid_i(reg_wvalid), .s_axil_wready_o(reg_wready), .s_axil_wdata_i(reg_wdata),
    .s_axil_wstrb_i(reg_wstrb), .s_axil_bvalid_o(reg_bvalid), .s_axil_bready_i(reg_bready),
    .s_axil_bresp_o(reg_bresp), .s_axil_arvalid_i(reg_arvalid), .s_axil_arready_o(reg_arready),
    .s_axil_araddr_i(reg_araddr), .s_axil_rvalid_o(reg_rvalid), .s_axil_rready_i(reg_rready),
    .s_axil_rdata_o(reg_rdata), .s_axil_rresp_o(reg_rresp),
    .irq_o,
    .m_axi_awvalid_o(awvalid), .m_axi_awready_i(awready), .m_axi_awaddr_o(awaddr),
    .m_axi_awlen_o(awlen), .m_axi_awsize_o(awsize), .m_axi_awburst_o(awburst), .m_axi_awid_o(awid),
    .m_axi_wvalid_o(wvalid), .m_axi_wready_i(wready), .m_axi_wdata_o(wdata), .m_axi_wstrb_o(wstrb),
    .m_axi_wlast_o(wlast), .m_axi_bvalid_i(bvalid), .m_axi_bready_o(bready), .m_axi_bid_i(bid),
    .m_axi_bresp_i(bresp), .m_axi_arvalid_o(arvalid), .m_axi_arready_i(arready),
    .m_axi_araddr_o(araddr), .m_axi_arlen_o(arlen), .m_axi_arsize_o(arsize),
    .m_axi_arburst_o(arburst), .m_axi_arid_o(arid), .m_axi_rvalid_i(rvalid),
    .m_axi_rready_o(rready), .m_axi_rdata_i(rdata), .m_axi_rid_i(rid), .m_axi_rresp_i(rresp),
    .m_axi_rlast_i(rlast),
    .trace_o(unused_trace), .trace_any_o(unused_trace_any), .tag_valid_o(unused_tag_valid),
    .tag_o(unused_tag)
  );

  // ---- HBM --------------------------------------------------------------------------------------
  ttpu_board_ram #(
    .Bytes(HbmBytes), .AxiBytes(AxiBytes), .AddrBits(FarAddrBits), .IdBits(AxiIdBits)
  ) i_ram (
    .clk_i, .rst_ni,
    .s_axi_awvalid_i(awvalid[0]), .s_axi_awready_o(awready[0]), .s_axi_awaddr_i(awaddr[0]),
    .s_axi_awid_i(awid[0]), .s_axi_wvalid_i(wvalid[0]), .s_axi_wready_o(wready[0]),
    .s_axi_wdata_i(wdata[0]), .s_axi_wstrb_i(wstrb[0]), .s_axi_wlast_i(wlast[0]),
    .s_axi_bvalid_o(bvalid[0]), .s_axi_bready_i(bready[0]), .s_axi_bid_o(bid[0]),
    .s_axi_bresp_o(bresp[0]), .s_axi_arvalid_i(arvalid[0]), .s_axi_arready_o(arready[0]),
    .s_axi_araddr_i(araddr[0]), .s_axi_arlen_i(arlen[0]), .s_axi_arid_i(arid[0]),
    .s_axi_rvalid_o(rvalid[0]), .s_axi_rready_i(rready[0]), .s_axi_rdata_o(rdata[0]),
    .s_axi_rid_o(rid[0]), .s_axi_rresp_o(rresp[0]), .s_axi_rlast_o(rlast[0]),
    .mem_req_i(mem_req), .mem_we_i(mem_we), .mem_addr_i(mem_addr), .mem_wdata_i(mem_wdata),
    .mem_done_o(mem_done), .mem_err_o(mem_err), .mem_rdata_o(mem_rdata)
  );
  // Bursts are INCR of full beats, and a write says its end itself.
  logic unused;
  assign unused = ^{awlen[0], awsize[0], awburst[0], arsize[0], arburst[0]};

`ifndef SYNTHESIS
  initial assert (Cores == 1) else $fatal(1, "ttpu_board: one core");
`endif
endmodule
