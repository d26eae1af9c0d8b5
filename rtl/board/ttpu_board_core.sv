// What every board has: UART bridge and a chip of one core. Its HBM, whatever that is, sits at one
// AXI4 port and one port of words for the host: ttpu_board has on-chip RAM there, ttpu_board_sdram
// an SDRAM. rst_ni is synchronous and resets everything, so that the bridge's "not greeted" tells
// the host of it. HbmBytes is what the host is told; the window's base is 0. Links = 1: a link in
// loop-back for the self-test (ttpu_board_link), at addresses above any memory. Its pins are low, and
// ignored, without it.
module ttpu_board_core
  import ttpu_pkg::*;
  import ttpu_isa_pkg::NumUnits;
#(
  parameter int unsigned Div = 16,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 18,    // log2 of the longest gap in a frame, in clocks
  parameter logic [31:0] HbmBytes = 8192,
  parameter int unsigned N = 16,
  parameter int unsigned HasFp = 1,
  parameter int unsigned PeStages = 2,
  parameter int unsigned FpStages = 1,
  parameter int unsigned AccRows = 512,
  parameter int unsigned VmemBanks = 8,
  parameter int unsigned VmemRows = 512,
  parameter int unsigned VmemPorts = 2,
  parameter int unsigned VpuStages = 6,
  parameter int unsigned VpuLanes = N,
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
  parameter int unsigned Ice40 = 0,         // 1 = which takes SPRAM and DSP blocks of the UltraPlus
  parameter int unsigned MulStyle = 0,      // of ttpu_mxu: how integers are multiplied
  parameter int unsigned Links = 0,         // 1 = a link for the self-test
  parameter int unsigned LinkHeader = 0,    // of ttpu_board_link: where its pins are
  parameter int unsigned LinkBufg = 0,      // of ttpu_board_link
  parameter int unsigned ClkKhz = 0,        // told to the host with the link
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0,
  localparam int unsigned AxiIdBits = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   uart_rx_i,
  output logic                   uart_tx_o,
  // link; its clock out is clk_i inverted, made by the board's top
  output logic                   link_strobe_o,
  output logic [ttpu_board_pkg::LinkLanes-1:0] link_data_o,
  input  logic                   link_clk_i,
  input  logic                   link_strobe_i,
  input  logic [ttpu_board_pkg::LinkLanes-1:0] link_data_i,
  output logic                   busy_o,  // a request of the host is in work
  output logic                   error_o, // the chip holds an error
  output logic                   irq_o,   // the program ended, if enabled
  // AXI4 master to the HBM: INCR bursts of full beats inside 4 KiB
  output logic                   m_axi_awvalid_o,
  input  logic                   m_axi_awready_i,
  output logic [FarAddrBits-1:0] m_axi_awaddr_o,
  output logic [7:0]             m_axi_awlen_o,
  output logic [AxiIdBits-1:0]   m_axi_awid_o,
  output logic                   m_axi_wvalid_o,
  input  logic                   m_axi_wready_i,
  output logic [8*AxiBytes-1:0]  m_axi_wdata_o,
  output logic [AxiBytes-1:0]    m_axi_wstrb_o,
  output logic                   m_axi_wlast_o,
  input  logic                   m_axi_bvalid_i,
  output logic                   m_axi_bready_o,
  input  logic [AxiIdBits-1:0]   m_axi_bid_i,
  input  logic [1:0]             m_axi_bresp_i,
  output logic                   m_axi_arvalid_o,
  input  logic                   m_axi_arready_i,
  output logic [FarAddrBits-1:0] m_axi_araddr_o,
  output logic [7:0]             m_axi_arlen_o,
  output logic [AxiIdBits-1:0]   m_axi_arid_o,
  input  logic                   m_axi_rvalid_i,
  output logic                   m_axi_rready_o,
  input  logic [8*AxiBytes-1:0]  m_axi_rdata_i,
  input  logic [AxiIdBits-1:0]   m_axi_rid_i,
  input  logic [1:0]             m_axi_rresp_i,
  input  logic                   m_axi_rlast_i,
  // the host's word of that memory: held until the answer, which comes with the data of a read
  output logic                   mem_req_o,
  output logic                   mem_we_o,
  output logic [31:0]            mem_addr_o,
  output logic [31:0]            mem_wdata_o,
  input  logic                   mem_done_i,
  input  logic                   mem_err_i,
  input  logic [31:0]            mem_rdata_i
);
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

  logic        word_req, word_done, word_err;  // the bridge's word, of the memory or of the link
  logic [31:0] word_rdata;
  ttpu_uart_bridge #(.Div(Div), .GapBits(GapBits), .HbmBytes(HbmBytes)) i_bridge (
    .clk_i, .rst_ni, .rx_i(uart_rx_i), .tx_o(uart_tx_o), .busy_o,
    .m_axil_awvalid_o(reg_awvalid), .m_axil_awready_i(reg_awready), .m_axil_awaddr_o(reg_awaddr),
    .m_axil_wvalid_o(reg_wvalid), .m_axil_wready_i(reg_wready), .m_axil_wdata_o(reg_wdata),
    .m_axil_wstrb_o(reg_wstrb), .m_axil_bvalid_i(reg_bvalid), .m_axil_bready_o(reg_bready),
    .m_axil_bresp_i(reg_bresp), .m_axil_arvalid_o(reg_arvalid), .m_axil_arready_i(reg_arready),
    .m_axil_araddr_o(reg_araddr), .m_axil_rvalid_i(reg_rvalid), .m_axil_rready_o(reg_rready),
    .m_axil_rdata_i(reg_rdata), .m_axil_rresp_i(reg_rresp),
    .mem_req_o(word_req), .mem_we_o, .mem_addr_o, .mem_wdata_o, .mem_done_i(word_done),
    .mem_err_i(word_err), .mem_rdata_i(word_rdata)
  );

  // ---- link -------------------------------------------------------------------------------------
  if (Links != 0) begin : g_link
    logic        here, link_done, link_err;
    logic [31:0] link_rdata;
    assign here = mem_addr_o[31:8] == ttpu_board_pkg::BoardBase[31:8];
    assign mem_req_o = word_req && !here;
    assign {word_done, word_err} = here ? {link_done, link_err} : {mem_done_i, mem_err_i};
    assign word_rdata = here ? link_rdata : mem_rdata_i;
    ttpu_board_link #(.Header(LinkHeader), .Bufg(LinkBufg), .ClkKhz(ClkKhz)) i_link (
      .clk_i, .rst_ni, .req_i(word_req && here), .we_i(mem_we_o), .addr_i(mem_addr_o[7:0]),
      .wdata_i(mem_wdata_o), .done_o(link_done), .err_o(link_err), .rdata_o(link_rdata),
      .pin_strobe_o(link_strobe_o), .pin_data_o(link_data_o), .pin_clk_i(link_clk_i),
      .pin_strobe_i(link_strobe_i), .pin_data_i(link_data_i)
    );
  end else begin : g_no_link
    logic unused;
    assign {mem_req_o, word_done, word_err} = {word_req, mem_done_i, mem_err_i};
    assign word_rdata = mem_rdata_i;
    assign {link_strobe_o, link_data_o} = '0;
    assign unused = ^{link_clk_i, link_strobe_i, link_data_i, LinkHeader, LinkBufg, ClkKhz};
  end

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
    .N(N), .HasFp(HasFp), .PeStages(PeStages), .FpStages(FpStages), .AccRows(AccRows),
    .VmemBanks(VmemBanks), .VmemRows(VmemRows), .VmemPorts(VmemPorts), .VpuStages(VpuStages),
    .VpuLanes(VpuLanes), .HasSfu(HasSfu), .DmaChannels(DmaChannels), .AxiBytes(AxiBytes),
    .AxiOutstanding(AxiOutstanding), .ImemWords(ImemWords), .SmemWords(SmemWords),
    .QueueDepth(QueueDepth), .Cores(Cores), .CmemBytes(CmemBytes), .Micro(Micro), .Ice40(Ice40),
    .MulStyle(MulStyle), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_chip (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i(reg_awvalid), .s_axil_awready_o(reg_awready), .s_axil_awaddr_i(reg_awaddr),
    .s_axil_wvalid_i(reg_wvalid), .s_axil_wready_o(reg_wready), .s_axil_wdata_i(reg_wdata),
    .s_axil_wstrb_i(reg_wstrb), .s_axil_bvalid_o(reg_bvalid), .s_axil_bready_i(reg_bready),
    .s_axil_bresp_o(reg_bresp), .s_axil_arvalid_i(reg_arvalid), .s_axil_arready_o(reg_arready),
    .s_axil_araddr_i(reg_araddr), .s_axil_rvalid_o(reg_rvalid), .s_axil_rready_i(reg_rready),
    .s_axil_rdata_o(reg_rdata), .s_axil_rresp_o(reg_rresp),
    .irq_o, .error_o,
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

  assign {m_axi_awvalid_o, m_axi_awaddr_o} = {awvalid[0], awaddr[0]};
  assign {m_axi_awlen_o, m_axi_awid_o} = {awlen[0], awid[0]};
  assign {m_axi_wvalid_o, m_axi_wdata_o} = {wvalid[0], wdata[0]};
  assign {m_axi_wstrb_o, m_axi_wlast_o, m_axi_bready_o} = {wstrb[0], wlast[0], bready[0]};
  assign {m_axi_arvalid_o, m_axi_araddr_o} = {arvalid[0], araddr[0]};
  assign {m_axi_arlen_o, m_axi_arid_o, m_axi_rready_o} = {arlen[0], arid[0], rready[0]};
  assign {awready[0], wready[0], arready[0]} = {m_axi_awready_i, m_axi_wready_i, m_axi_arready_i};
  assign {bvalid[0], bid[0], bresp[0]} = {m_axi_bvalid_i, m_axi_bid_i, m_axi_bresp_i};
  assign {rvalid[0], rdata[0], rid[0]} = {m_axi_rvalid_i, m_axi_rdata_i, m_axi_rid_i};
  assign {rresp[0], rlast[0]} = {m_axi_rresp_i, m_axi_rlast_i};
  // Bursts are INCR of full beats.
  logic unused;
  assign unused = ^{awsize[0], awburst[0], arsize[0], arburst[0]};

`ifndef SYNTHESIS
  initial assert (Cores == 1) else $fatal(1, "ttpu_board_core: one core");
`endif
endmodule
