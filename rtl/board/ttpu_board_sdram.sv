// A chip of one core on a board with an SDRAM as its HBM. A board's own top adds clock, reset, the
// SDRAM's clock (clk_i inverted) and the drivers of DQ: see docs/reference/sdram.md. The chip and
// the bridge are in reset until the SDRAM is initialised (ready_o), some 200 us after rst_ni: until
// then the host hears nothing. A reset in the middle starts over; what the SDRAM held is lost.
module ttpu_board_sdram
  import ttpu_pkg::*;
#(
  parameter int unsigned Div = 16,        // clocks a bit of the serial line
  parameter int unsigned GapBits = 18,    // log2 of the longest gap in a frame, in clocks
  // SDRAM
  parameter int unsigned DataBits = 16,   // 16 or 32
  parameter int unsigned RowBits = 13,
  parameter int unsigned BankBits = 2,
  parameter int unsigned ColBits = 9,
  parameter int unsigned ClkKhz = 100000,
  parameter int unsigned CasLatency = 2,
  parameter int unsigned CaptureFall = 0, // 1: data is taken on the falling edge, below 80 MHz
  parameter int unsigned TrcdNs = 20,
  parameter int unsigned TrpNs = 20,
  parameter int unsigned TrasNs = 45,
  parameter int unsigned TrcNs = 65,
  parameter int unsigned TrrdNs = 15,
  parameter int unsigned TrfcNs = 66,
  parameter int unsigned TwrNs = 15,
  parameter int unsigned TmrdClocks = 2,
  parameter int unsigned ThzNs = 7,
  parameter int unsigned TrefiNs = 7800,
  parameter int unsigned PowerUpUs = 200,
  // chip
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
  parameter int unsigned MulStyle = 0,      // of ttpu_chip: how integers are multiplied
  parameter int unsigned Links = 0,         // 1 = a link for the self-test
  parameter int unsigned LinkHeader = 0,    // of ttpu_board_link: where its pins are
  parameter int unsigned LinkBufg = 0,      // of ttpu_board_link
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0,
  localparam int unsigned AddrPins = RowBits > 11 ? RowBits : 11
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  output logic                  ready_o,  // the SDRAM is initialised, the chip out of reset
  input  logic                  uart_rx_i,
  output logic                  uart_tx_o,
  output logic                  busy_o,   // a request of the host is in work
  output logic                  error_o,  // the chip holds an error
  output logic                  irq_o,    // the program ended, if enabled
  // link, if Links = 1; its clock out is clk_i inverted, made by the board's top
  output logic                  link_strobe_o,
  output logic [ttpu_board_pkg::LinkLanes-1:0] link_data_o,
  input  logic                  link_clk_i,
  input  logic                  link_strobe_i,
  input  logic [ttpu_board_pkg::LinkLanes-1:0] link_data_i,
  // pins
  output logic                  sdram_cke_o,
  output logic                  sdram_cs_no,
  output logic                  sdram_ras_no,
  output logic                  sdram_cas_no,
  output logic                  sdram_we_no,
  output logic [BankBits-1:0]   sdram_ba_o,
  output logic [AddrPins-1:0]   sdram_addr_o,
  output logic [DataBits/8-1:0] sdram_dqm_o,
  output logic [DataBits-1:0]   sdram_dq_o,
  output logic [DataBits-1:0]   sdram_dq_oe_o,
  input  logic [DataBits-1:0]   sdram_dq_i
);
  localparam int unsigned AxiIdBits = 4;
  localparam logic [31:0] HbmBytes = 32'(DataBits / 8) << (RowBits + BankBits + ColBits);

  logic awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready;
  logic rlast, mem_req, mem_we, mem_done, mem_err;
  logic [FarAddrBits-1:0] awaddr, araddr;
  logic [7:0] awlen, arlen;
  logic [AxiIdBits-1:0] awid, bid, arid, rid;
  logic [8*AxiBytes-1:0] wdata, rdata;
  logic [AxiBytes-1:0] wstrb;
  logic [1:0] bresp, rresp;
  logic [31:0] mem_addr, mem_wdata, mem_rdata;

  logic ready;
  logic core_rst_nq = 1'b0;               // from the first clock on
  assign ready_o = core_rst_nq;
  always_ff @(posedge clk_i) core_rst_nq <= rst_ni && ready;

  ttpu_board_core #(
    .Div(Div), .GapBits(GapBits), .HbmBytes(HbmBytes), .N(N), .HasFp(HasFp),
    .PeStages(PeStages), .FpStages(FpStages),
    .AccRows(AccRows), .VmemBanks(VmemBanks), .VmemRows(VmemRows), .VmemPorts(VmemPorts),
    .VpuStages(VpuStages), .VpuLanes(VpuLanes), .HasSfu(HasSfu), .DmaChannels(DmaChannels),
    .AxiBytes(AxiBytes),
    .AxiOutstanding(AxiOutstanding), .ImemWords(ImemWords), .SmemWords(SmemWords),
    .QueueDepth(QueueDepth), .Cores(Cores), .CmemBytes(CmemBytes), .Micro(Micro),
    .MulStyle(MulStyle), .Links(Links), .LinkHeader(LinkHeader), .LinkBufg(LinkBufg),
    .ClkKhz(ClkKhz), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_core (
    .clk_i, .rst_ni(core_rst_nq), .uart_rx_i, .uart_tx_o, .link_strobe_o,
    .link_data_o, .link_clk_i, .link_strobe_i, .link_data_i, .busy_o, .error_o, .irq_o,
    .m_axi_awvalid_o(awvalid), .m_axi_awready_i(awready), .m_axi_awaddr_o(awaddr),
    .m_axi_awlen_o(awlen), .m_axi_awid_o(awid), .m_axi_wvalid_o(wvalid), .m_axi_wready_i(wready),
    .m_axi_wdata_o(wdata), .m_axi_wstrb_o(wstrb), .m_axi_wlast_o(wlast), .m_axi_bvalid_i(bvalid),
    .m_axi_bready_o(bready), .m_axi_bid_i(bid), .m_axi_bresp_i(bresp), .m_axi_arvalid_o(arvalid),
    .m_axi_arready_i(arready), .m_axi_araddr_o(araddr), .m_axi_arlen_o(arlen), .m_axi_arid_o(arid),
    .m_axi_rvalid_i(rvalid), .m_axi_rready_o(rready), .m_axi_rdata_i(rdata), .m_axi_rid_i(rid),
    .m_axi_rresp_i(rresp), .m_axi_rlast_i(rlast), .mem_req_o(mem_req), .mem_we_o(mem_we),
    .mem_addr_o(mem_addr), .mem_wdata_o(mem_wdata), .mem_done_i(mem_done), .mem_err_i(mem_err),
    .mem_rdata_i(mem_rdata)
  );

  // Addresses are held on their way: what the SDRAM makes of them is not in the chip's paths. The
  // bits beyond the SDRAM's end become one, "beyond", before that.
  localparam int unsigned ByteBits = RowBits + BankBits + ColBits + $clog2(DataBits / 8);
  localparam int unsigned HoldBits = ByteBits + 1 + 8 + AxiIdBits;
  logic sd_awvalid, sd_awready, sd_arvalid, sd_arready;
  logic [ByteBits:0] near_awaddr, near_araddr, sd_awaddr, sd_araddr;
  logic [7:0] sd_awlen, sd_arlen;
  logic [AxiIdBits-1:0] sd_awid, sd_arid;
  assign near_awaddr = {awaddr[FarAddrBits-1:ByteBits] != '0, awaddr[ByteBits-1:0]};
  assign near_araddr = {araddr[FarAddrBits-1:ByteBits] != '0, araddr[ByteBits-1:0]};
  ttpu_hold #(.Width(HoldBits)) i_hold_aw (
    .clk_i, .rst_ni, .valid_i(awvalid), .ready_o(awready), .data_i({near_awaddr, awlen, awid}),
    .valid_o(sd_awvalid), .ready_i(sd_awready), .data_o({sd_awaddr, sd_awlen, sd_awid})
  );
  ttpu_hold #(.Width(HoldBits)) i_hold_ar (
    .clk_i, .rst_ni, .valid_i(arvalid), .ready_o(arready), .data_i({near_araddr, arlen, arid}),
    .valid_o(sd_arvalid), .ready_i(sd_arready), .data_o({sd_araddr, sd_arlen, sd_arid})
  );

  ttpu_sdram #(
    .DataBits(DataBits), .RowBits(RowBits), .BankBits(BankBits), .ColBits(ColBits),
    .ClkKhz(ClkKhz), .CasLatency(CasLatency), .CaptureFall(CaptureFall), .TrcdNs(TrcdNs),
    .TrpNs(TrpNs), .TrasNs(TrasNs), .TrcNs(TrcNs), .TrrdNs(TrrdNs), .TrfcNs(TrfcNs), .TwrNs(TwrNs),
    .TmrdClocks(TmrdClocks), .ThzNs(ThzNs), .TrefiNs(TrefiNs), .PowerUpUs(PowerUpUs),
    .AxiBytes(AxiBytes), .AddrBits(ByteBits + 1), .IdBits(AxiIdBits)
  ) i_sdram (
    .clk_i, .rst_ni, .ready_o(ready),
    .s_axi_awvalid_i(sd_awvalid), .s_axi_awready_o(sd_awready), .s_axi_awaddr_i(sd_awaddr),
    .s_axi_awlen_i(sd_awlen), .s_axi_awid_i(sd_awid), .s_axi_wvalid_i(wvalid), .s_axi_wready_o(wready),
    .s_axi_wdata_i(wdata), .s_axi_wstrb_i(wstrb), .s_axi_wlast_i(wlast), .s_axi_bvalid_o(bvalid),
    .s_axi_bready_i(bready), .s_axi_bid_o(bid), .s_axi_bresp_o(bresp), .s_axi_arvalid_i(sd_arvalid),
    .s_axi_arready_o(sd_arready), .s_axi_araddr_i(sd_araddr), .s_axi_arlen_i(sd_arlen), .s_axi_arid_i(sd_arid),
    .s_axi_rvalid_o(rvalid), .s_axi_rready_i(rready), .s_axi_rdata_o(rdata), .s_axi_rid_o(rid),
    .s_axi_rresp_o(rresp), .s_axi_rlast_o(rlast), .mem_req_i(mem_req), .mem_we_i(mem_we),
    .mem_addr_i(mem_addr), .mem_wdata_i(mem_wdata), .mem_done_o(mem_done), .mem_err_o(mem_err),
    .mem_rdata_o(mem_rdata),
    .sdram_cke_o, .sdram_cs_no, .sdram_ras_no, .sdram_cas_no, .sdram_we_no, .sdram_ba_o,
    .sdram_addr_o, .sdram_dqm_o, .sdram_dq_o, .sdram_dq_oe_o, .sdram_dq_i
  );
endmodule
