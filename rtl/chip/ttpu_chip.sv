// The chip: Cores tensor cores, CMEM shared by them, one AXI4-Lite port for the host, one AXI4
// master a core. Wiring only. Ports of the cores are arrays, core 0 first; trace_o[c * NumUnits +
// u] is unit u of core c. The ICI ports of the cores are tied off here until a router stands beside
// them.
module ttpu_chip
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_dma_pkg::AxiIdBits;
#(
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
  parameter int unsigned MulStyle = 0,      // of ttpu_mxu or, Micro and not Ice40, ttpu_micro_mul2
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // host
  input  logic                   s_axil_awvalid_i,
  output logic                   s_axil_awready_o,
  input  logic [23:0]            s_axil_awaddr_i,
  input  logic                   s_axil_wvalid_i,
  output logic                   s_axil_wready_o,
  input  logic [31:0]            s_axil_wdata_i,
  input  logic [3:0]             s_axil_wstrb_i,
  output logic                   s_axil_bvalid_o,
  input  logic                   s_axil_bready_i,
  output logic [1:0]             s_axil_bresp_o,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  input  logic [23:0]            s_axil_araddr_i,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   irq_o,            // some core's
  output logic                   error_o,          // level: some core holds an error
  // HBM, a port a core
  output logic                   m_axi_awvalid_o [Cores],
  input  logic                   m_axi_awready_i [Cores],
  output logic [FarAddrBits-1:0] m_axi_awaddr_o  [Cores],
  output logic [7:0]             m_axi_awlen_o   [Cores],
  output logic [2:0]             m_axi_awsize_o  [Cores],
  output logic [1:0]             m_axi_awburst_o [Cores],
  output logic [AxiIdBits-1:0]   m_axi_awid_o    [Cores],
  output logic                   m_axi_wvalid_o  [Cores],
  input  logic                   m_axi_wready_i  [Cores],
  output logic [8*AxiBytes-1:0]  m_axi_wdata_o   [Cores],
  output logic [AxiBytes-1:0]    m_axi_wstrb_o   [Cores],
  output logic                   m_axi_wlast_o   [Cores],
  input  logic                   m_axi_bvalid_i  [Cores],
  output logic                   m_axi_bready_o  [Cores],
  input  logic [AxiIdBits-1:0]   m_axi_bid_i     [Cores],
  input  logic [1:0]             m_axi_bresp_i   [Cores],
  output logic                   m_axi_arvalid_o [Cores],
  input  logic                   m_axi_arready_i [Cores],
  output logic [FarAddrBits-1:0] m_axi_araddr_o  [Cores],
  output logic [7:0]             m_axi_arlen_o   [Cores],
  output logic [2:0]             m_axi_arsize_o  [Cores],
  output logic [1:0]             m_axi_arburst_o [Cores],
  output logic [AxiIdBits-1:0]   m_axi_arid_o    [Cores],
  input  logic                   m_axi_rvalid_i  [Cores],
  output logic                   m_axi_rready_o  [Cores],
  input  logic [8*AxiBytes-1:0]  m_axi_rdata_i   [Cores],
  input  logic [AxiIdBits-1:0]   m_axi_rid_i     [Cores],
  input  logic [1:0]             m_axi_rresp_i   [Cores],
  input  logic                   m_axi_rlast_i   [Cores],
  // trace
  output trace_t                 trace_o         [Cores*NumUnits],
  output logic [Cores-1:0]       trace_any_o,
  output logic [Cores-1:0]       tag_valid_o,
  output logic [31:0]            tag_o           [Cores]
);
  localparam int unsigned WordBytes = 4 * N;
  localparam int unsigned CmemAddrBits = CmemBytes > 1 ? $clog2(CmemBytes) : 1;

  // ---- host -------------------------------------------------------------------------------------
  logic [Cores-1:0] awvalid, awready, bvalid, bready, arvalid, arready, rvalid, rready, irq,
      error;
  logic [Cores-1:0] wready;  // with awready
  logic [1:0]       bresp [Cores];
  logic [31:0]      rdata [Cores];
  logic [1:0]       rresp [Cores];
  assign irq_o = |irq;
  assign error_o = |error;

  ttpu_axil_split #(.Cores(Cores)) i_split (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awsel_i(s_axil_awaddr_i[23:WindowBits]),
    .s_axil_wvalid_i, .s_axil_wready_o,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o,
    .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_arsel_i(s_axil_araddr_i[23:WindowBits]),
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .awvalid_o(awvalid), .awready_i(awready & wready), .bvalid_i(bvalid), .bready_o(bready),
    .bresp_i(bresp),
    .arvalid_o(arvalid), .arready_i(arready), .rvalid_i(rvalid), .rready_o(rready),
    .rdata_i(rdata), .rresp_i(rresp)
  );

  // ---- cores ------------------------------------------------------------------------------------
  logic [Cores-1:0]        cmem_rd_req, cmem_rd_gnt, cmem_rd_valid, cmem_wr_req, cmem_wr_gnt;
  logic [CmemAddrBits-1:0] cmem_rd_addr [Cores];
  logic [8*AxiBytes-1:0]   cmem_rd_data [Cores];
  logic [CmemAddrBits-1:0] cmem_wr_addr [Cores];
  logic [AxiBytes-1:0]     cmem_wr_be   [Cores];
  logic [8*AxiBytes-1:0]   cmem_wr_data [Cores];

  for (genvar c = 0; c < Cores; c++) begin : gen_core
    trace_t                 trace [NumUnits];

    if (Micro != 0) begin : gen_micro
      ttpu_micro_core #(
        .N(N), .AccRows(AccRows), .VmemBytes(4 * N * VmemBanks * VmemRows), .VpuStages(VpuStages),
        .DmaChannels(DmaChannels), .ImemWords(ImemWords), .SmemWords(SmemWords),
        .QueueDepth(QueueDepth), .ConfigId(ConfigId), .ConfigHash(ConfigHash), .Ice40(Ice40),
        .MulStyle(Ice40 != 0 ? Ice40 : MulStyle)
      ) i_core (
        .clk_i, .rst_ni,
        .s_axil_awvalid_i(awvalid[c]), .s_axil_awready_o(awready[c]),
        .s_axil_awaddr_i(s_axil_awaddr_i[WindowBits-1:0]),
        .s_axil_wvalid_i(awvalid[c]), .s_axil_wready_o(wready[c]),
        .s_axil_wdata_i, .s_axil_wstrb_i,
        .s_axil_bvalid_o(bvalid[c]), .s_axil_bready_i(bready[c]), .s_axil_bresp_o(bresp[c]),
        .s_axil_arvalid_i(arvalid[c]), .s_axil_arready_o(arready[c]),
        .s_axil_araddr_i(s_axil_araddr_i[WindowBits-1:0]),
        .s_axil_rvalid_o(rvalid[c]), .s_axil_rready_i(rready[c]), .s_axil_rdata_o(rdata[c]),
        .s_axil_rresp_o(rresp[c]),
        .irq_o(irq[c]), .error_o(error[c]),
        .m_axi_awvalid_o(m_axi_awvalid_o[c]), .m_axi_awready_i(m_axi_awready_i[c]),
        .m_axi_awaddr_o(m_axi_awaddr_o[c]), .m_axi_awlen_o(m_axi_awlen_o[c]),
        .m_axi_awsize_o(m_axi_awsize_o[c]), .m_axi_awburst_o(m_axi_awburst_o[c]),
        .m_axi_awid_o(m_axi_awid_o[c]),
        .m_axi_wvalid_o(m_axi_wvalid_o[c]), .m_axi_wready_i(m_axi_wready_i[c]),
        .m_axi_wdata_o(m_axi_wdata_o[c]), .m_axi_wstrb_o(m_axi_wstrb_o[c]),
        .m_axi_wlast_o(m_axi_wlast_o[c]),
        .m_axi_bvalid_i(m_axi_bvalid_i[c]), .m_axi_bready_o(m_axi_bready_o[c]),
        .m_axi_bid_i(m_axi_bid_i[c]), .m_axi_bresp_i(m_axi_bresp_i[c]),
        .m_axi_arvalid_o(m_axi_arvalid_o[c]), .m_axi_arready_i(m_axi_arready_i[c]),
        .m_axi_araddr_o(m_axi_araddr_o[c]), .m_axi_arlen_o(m_axi_arlen_o[c]),
        .m_axi_arsize_o(m_axi_arsize_o[c]), .m_axi_arburst_o(m_axi_arburst_o[c]),
        .m_axi_arid_o(m_axi_arid_o[c]),
        .m_axi_rvalid_i(m_axi_rvalid_i[c]), .m_axi_rready_o(m_axi_rready_o[c]),
        .m_axi_rdata_i(m_axi_rdata_i[c]), .m_axi_rid_i(m_axi_rid_i[c]),
        .m_axi_rresp_i(m_axi_rresp_i[c]), .m_axi_rlast_i(m_axi_rlast_i[c]),
        .trace_o(trace), .trace_any_o(trace_any_o[c]), .tag_valid_o(tag_valid_o[c]), .tag_o(tag_o[c])
      );
      // It has no CMEM.
      assign cmem_rd_req[c] = 1'b0;
      assign cmem_rd_addr[c] = '0;
      assign cmem_wr_req[c] = 1'b0;
      assign cmem_wr_addr[c] = '0;
      assign cmem_wr_be[c] = '0;
      assign cmem_wr_data[c] = '0;
      logic unused;
      assign unused = ^{cmem_rd_gnt[c], cmem_rd_data[c], cmem_rd_valid[c], cmem_wr_gnt[c]};
    end else begin : gen_units
      // What the ICI would take; nobody does yet.
      logic                   unused_ici_rd_gnt, unused_ici_rd_valid, unused_ici_wr_gnt;
      logic [8*WordBytes-1:0] unused_ici_rd_data;

      ttpu_core #(
        .N(N), .HasFp(HasFp), .PeStages(PeStages), .FpStages(FpStages), .AccRows(AccRows),
        .VmemBanks(VmemBanks), .VmemRows(VmemRows), .VmemPorts(VmemPorts), .VpuStages(VpuStages),
        .VpuLanes(VpuLanes), .HasSfu(HasSfu),
        .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
        .ImemWords(ImemWords), .SmemWords(SmemWords), .QueueDepth(QueueDepth), .CmemBytes(CmemBytes),
        .MulStyle(MulStyle), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
      ) i_core (
        .clk_i, .rst_ni,
        .s_axil_awvalid_i(awvalid[c]), .s_axil_awready_o(awready[c]),
        .s_axil_awaddr_i(s_axil_awaddr_i[WindowBits-1:0]),
        .s_axil_wvalid_i(awvalid[c]), .s_axil_wready_o(wready[c]),
        .s_axil_wdata_i, .s_axil_wstrb_i,
        .s_axil_bvalid_o(bvalid[c]), .s_axil_bready_i(bready[c]), .s_axil_bresp_o(bresp[c]),
        .s_axil_arvalid_i(arvalid[c]), .s_axil_arready_o(arready[c]),
        .s_axil_araddr_i(s_axil_araddr_i[WindowBits-1:0]),
        .s_axil_rvalid_o(rvalid[c]), .s_axil_rready_i(rready[c]), .s_axil_rdata_o(rdata[c]),
        .s_axil_rresp_o(rresp[c]),
        .irq_o(irq[c]), .error_o(error[c]),
        .m_axi_awvalid_o(m_axi_awvalid_o[c]), .m_axi_awready_i(m_axi_awready_i[c]),
        .m_axi_awaddr_o(m_axi_awaddr_o[c]), .m_axi_awlen_o(m_axi_awlen_o[c]),
        .m_axi_awsize_o(m_axi_awsize_o[c]), .m_axi_awburst_o(m_axi_awburst_o[c]),
        .m_axi_awid_o(m_axi_awid_o[c]),
        .m_axi_wvalid_o(m_axi_wvalid_o[c]), .m_axi_wready_i(m_axi_wready_i[c]),
        .m_axi_wdata_o(m_axi_wdata_o[c]), .m_axi_wstrb_o(m_axi_wstrb_o[c]),
        .m_axi_wlast_o(m_axi_wlast_o[c]),
        .m_axi_bvalid_i(m_axi_bvalid_i[c]), .m_axi_bready_o(m_axi_bready_o[c]),
        .m_axi_bid_i(m_axi_bid_i[c]), .m_axi_bresp_i(m_axi_bresp_i[c]),
        .m_axi_arvalid_o(m_axi_arvalid_o[c]), .m_axi_arready_i(m_axi_arready_i[c]),
        .m_axi_araddr_o(m_axi_araddr_o[c]), .m_axi_arlen_o(m_axi_arlen_o[c]),
        .m_axi_arsize_o(m_axi_arsize_o[c]), .m_axi_arburst_o(m_axi_arburst_o[c]),
        .m_axi_arid_o(m_axi_arid_o[c]),
        .m_axi_rvalid_i(m_axi_rvalid_i[c]), .m_axi_rready_o(m_axi_rready_o[c]),
        .m_axi_rdata_i(m_axi_rdata_i[c]), .m_axi_rid_i(m_axi_rid_i[c]),
        .m_axi_rresp_i(m_axi_rresp_i[c]), .m_axi_rlast_i(m_axi_rlast_i[c]),
        .cmem_rd_req_o(cmem_rd_req[c]), .cmem_rd_addr_o(cmem_rd_addr[c]),
        .cmem_rd_gnt_i(cmem_rd_gnt[c]),
        .cmem_rd_data_i(cmem_rd_data[c]), .cmem_rd_valid_i(cmem_rd_valid[c]),
        .cmem_wr_req_o(cmem_wr_req[c]), .cmem_wr_addr_o(cmem_wr_addr[c]),
        .cmem_wr_be_o(cmem_wr_be[c]),
        .cmem_wr_data_o(cmem_wr_data[c]), .cmem_wr_gnt_i(cmem_wr_gnt[c]),
        .ici_rd_req_i(1'b0), .ici_rd_addr_i('0), .ici_rd_gnt_o(unused_ici_rd_gnt),
        .ici_rd_data_o(unused_ici_rd_data), .ici_rd_valid_o(unused_ici_rd_valid),
        .ici_wr_req_i(1'b0), .ici_wr_addr_i('0), .ici_wr_be_i('0), .ici_wr_data_i('0),
        .ici_wr_gnt_o(unused_ici_wr_gnt),
        .ici_flag_valid_i(1'b0), .ici_flag_i('0),
        .trace_o(trace), .trace_any_o(trace_any_o[c]), .tag_valid_o(tag_valid_o[c]), .tag_o(tag_o[c])
      );
    end

    for (genvar u = 0; u < NumUnits; u++) begin : gen_trace
      assign trace_o[c*NumUnits+u] = trace[u];
    end
  end

  // ---- CMEM -------------------------------------------------------------------------------------
  if (CmemBytes > 0) begin : gen_cmem
    ttpu_cmem #(.Cores(Cores), .CmemBytes(CmemBytes), .AxiBytes(AxiBytes)) i_cmem (
      .clk_i, .rst_ni,
      .rd_req_i(cmem_rd_req), .rd_addr_i(cmem_rd_addr), .rd_gnt_o(cmem_rd_gnt),
      .rd_data_o(cmem_rd_data),
      .rd_valid_o(cmem_rd_valid),
      .wr_req_i(cmem_wr_req), .wr_addr_i(cmem_wr_addr), .wr_be_i(cmem_wr_be),
      .wr_data_i(cmem_wr_data),
      .wr_gnt_o(cmem_wr_gnt)
    );
  end else begin : gen_no_cmem
    // No memory there: the DMA refuses CMEM commands and never asks.
    logic [Cores-1:0] unused;
    assign cmem_rd_gnt = '0;
    assign cmem_rd_valid = '0;
    assign cmem_wr_gnt = '0;
    for (genvar c = 0; c < Cores; c++) begin : gen_tie
      assign cmem_rd_data[c] = '0;
      assign unused[c] = ^{cmem_rd_req[c], cmem_rd_addr[c], cmem_wr_req[c], cmem_wr_addr[c],
          cmem_wr_be[c],
                           cmem_wr_data[c]};
    end
  end

`ifndef SYNTHESIS
  initial assert (Cores >= 1 && Cores <= 16) else $fatal(1, "Cores must be 1 to 16");
  initial assert (Micro == 0 || (HasFp == 0 && HasSfu == 0 && AxiBytes == 4 && CmemBytes == 0))
    else $fatal(1, "the microprogrammed core: integers, words of 4 bytes on AXI, no CMEM");
`endif
endmodule
