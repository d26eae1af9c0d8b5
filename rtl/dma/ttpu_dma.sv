// DMA: DmaChannels channels that copy 4-D strided blocks between VMEM and HBM (AXI4) or CMEM. The
// channels share one read path (far memory to VMEM) and one write path (VMEM to far memory), each
// of AxiBytes a cycle; both run at the same time. Commands, errors and status:
// docs/reference/dma.md. AXI: INCR bursts of up to 64 beats inside 4 KiB, aligned beats, ID 0, at
// most AxiOutstanding reads and 2 * AxiOutstanding writes open. AxiBytes is a power of two, 2..64,
// and divides the VMEM word of 4N bytes. halt_i: open bursts are finished (reads are dropped,
// writes get no strobes), then quiet; it stays until clear_i, which comes while quiet and returns
// everything to the state after reset. MemStages: of VMEM, which answers in cycle 2 + MemStages.
module ttpu_dma
  import ttpu_isa_pkg::*;
  import ttpu_pkg::*;
  import ttpu_dma_pkg::*;
#(
  parameter int unsigned N = 16,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned AxiBytes = 64,
  parameter int unsigned AxiOutstanding = 8,
  parameter int unsigned VmemBytes = 262144,
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned MemStages = 0,  // 0 or 1
  localparam int unsigned WordBytes = 4 * N,
  localparam int unsigned CmemAddrBits = CmemBytes > 1 ? $clog2(CmemBytes) : 1
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    halt_i,
  input  logic                    clear_i,
  // commands, a port a channel
  input  logic                    cmd_valid_i [DmaChannels],
  input  cmd_t                    cmd_i       [DmaChannels],
  output logic                    cmd_ready_o [DmaChannels],
  output status_t                 status_o    [DmaChannels],
  // window in HBM
  input  logic [FarAddrBits-1:0]  hbm_base_i,
  input  logic [FarAddrBits-1:0]  hbm_size_i,
  // VMEM read
  output logic                    vmem_rd_req_o,
  output logic [VmemAddrBits-1:0] vmem_rd_addr_o,
  input  logic                    vmem_rd_gnt_i,
  input  logic [8*WordBytes-1:0]  vmem_rd_data_i,
  input  logic                    vmem_rd_valid_i,
  // VMEM write
  output logic                    vmem_wr_req_o,
  output logic [VmemAddrBits-1:0] vmem_wr_addr_o,
  output logic [WordBytes-1:0]    vmem_wr_be_o,
  output logic [8*WordBytes-1:0]  vmem_wr_data_o,
  input  logic                    vmem_wr_gnt_i,
  // CMEM read and write; quiet where CmemBytes = 0
  output logic                    cmem_rd_req_o,
  output logic [CmemAddrBits-1:0] cmem_rd_addr_o,
  input  logic                    cmem_rd_gnt_i,
  input  logic [8*AxiBytes-1:0]   cmem_rd_data_i,
  input  logic                    cmem_rd_valid_i,
  output logic                    cmem_wr_req_o,
  output logic [CmemAddrBits-1:0] cmem_wr_addr_o,
  output logic [AxiBytes-1:0]     cmem_wr_be_o,
  output logic [8*AxiBytes-1:0]   cmem_wr_data_o,
  input  logic                    cmem_wr_gnt_i,
  // AXI4 master
  output logic                    m_axi_awvalid_o,
  input  logic                    m_axi_awready_i,
  output logic [FarAddrBits-1:0]  m_axi_awaddr_o,
  output logic [7:0]              m_axi_awlen_o,
  output logic [2:0]              m_axi_awsize_o,
  output logic [1:0]              m_axi_awburst_o,
  output logic [AxiIdBits-1:0]    m_axi_awid_o,
  output logic                    m_axi_wvalid_o,
  input  logic                    m_axi_wready_i,
  output logic [8*AxiBytes-1:0]   m_axi_wdata_o,
  output logic [AxiBytes-1:0]     m_axi_wstrb_o,
  output logic                    m_axi_wlast_o,
  input  logic                    m_axi_bvalid_i,
  output logic                    m_axi_bready_o,
  input  logic [AxiIdBits-1:0]    m_axi_bid_i,
  input  logic [1:0]              m_axi_bresp_i,
  output logic                    m_axi_arvalid_o,
  input  logic                    m_axi_arready_i,
  output logic [FarAddrBits-1:0]  m_axi_araddr_o,
  output logic [7:0]              m_axi_arlen_o,
  output logic [2:0]              m_axi_arsize_o,
  output logic [1:0]              m_axi_arburst_o,
  output logic [AxiIdBits-1:0]    m_axi_arid_o,
  input  logic                    m_axi_rvalid_i,
  output logic                    m_axi_rready_o,
  input  logic [8*AxiBytes-1:0]   m_axi_rdata_i,
  input  logic [AxiIdBits-1:0]    m_axi_rid_i,
  input  logic [1:0]              m_axi_rresp_i,
  input  logic                    m_axi_rlast_i,
  // counters: bytes of the transfers that moved, added up a burst at a time
  output logic [ByteBits-1:0]     hbm_rd_bytes_o,
  output logic [ByteBits-1:0]     hbm_wr_bytes_o
);
  logic rst_n;
  assign rst_n = rst_ni && !clear_i;

  // ---- channels ---------------------------------------------------------------------------------
  logic [DmaChannels-1:0] burst_valid, load_ready, store_ready;
  burst_t                 burst [DmaChannels];
  logic [DmaChannels-1:0] load_complete, store_complete, cmem_complete;
  logic                   load_last, store_last, cmem_last;
  logic [DmaChannels-1:0] load_fault_valid, store_fault_valid;
  fault_t                 load_fault, store_fault;
  logic [DmaChannels-1:0] load_moved, store_moved, load_lost, store_lost;
  logic                   load_busy, store_busy;

  for (genvar c = 0; c < DmaChannels; c++) begin : gen_channel
    ttpu_dma_channel #(
      .AxiBytes(AxiBytes), .VmemBytes(VmemBytes), .CmemBytes(CmemBytes), .MemStages(MemStages)
    ) u_channel (
      .clk_i, .rst_ni(rst_n), .halt_i,
      .cmd_valid_i(cmd_valid_i[c]), .cmd_i(cmd_i[c]), .cmd_ready_o(cmd_ready_o[c]),
      .status_o(status_o[c]),
      .hbm_base_i, .hbm_size_i,
      .burst_valid_o(burst_valid[c]), .burst_o(burst[c]),
      .burst_ready_i(load_ready[c] || store_ready[c]),
      .complete_i(load_complete[c] || store_complete[c] || cmem_complete[c]),
      .complete_last_i((load_complete[c] && load_last) || (store_complete[c] && store_last) ||
                       (cmem_complete[c] && cmem_last)),
      .fault_valid_i(load_fault_valid[c] || store_fault_valid[c]),
      .fault_i(load_fault_valid[c] ? load_fault : store_fault),
      .fault_cause_i(load_fault_valid[c] ? ErrAxiRead : ErrAxiWrite),
      .moved_i(load_moved[c] || store_moved[c]), .lost_i(load_lost[c] || store_lost[c]),
      .path_busy_i(load_busy || store_busy)
    );
  end

  // ---- paths ------------------------------------------------------------------------------------
  ttpu_dma_load #(
    .N(N), .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
    .CmemBytes(CmemBytes), .CmemAddrBits(CmemAddrBits), .MemStages(MemStages)
  ) u_load (
    .clk_i, .rst_ni(rst_n), .flush_i(halt_i),
    .burst_valid_i(burst_valid), .burst_i(burst), .burst_ready_o(load_ready),
    .complete_o(load_complete), .complete_last_o(load_last),
    .fault_valid_o(load_fault_valid), .fault_o(load_fault),
    .moved_o(load_moved), .lost_o(load_lost), .busy_o(load_busy), .hbm_bytes_o(hbm_rd_bytes_o),
    .arvalid_o(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .araddr_o(m_axi_araddr_o),
    .arlen_o(m_axi_arlen_o), .rvalid_i(m_axi_rvalid_i), .rready_o(m_axi_rready_o),
    .rdata_i(m_axi_rdata_i), .rresp_i(m_axi_rresp_i),
    .cmem_req_o(cmem_rd_req_o), .cmem_addr_o(cmem_rd_addr_o), .cmem_gnt_i(cmem_rd_gnt_i),
    .cmem_data_i(cmem_rd_data_i), .cmem_valid_i(cmem_rd_valid_i),
    .vmem_req_o(vmem_wr_req_o), .vmem_addr_o(vmem_wr_addr_o), .vmem_be_o(vmem_wr_be_o),
    .vmem_data_o(vmem_wr_data_o), .vmem_gnt_i(vmem_wr_gnt_i)
  );

  ttpu_dma_store #(
    .N(N), .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
    .CmemBytes(CmemBytes), .CmemAddrBits(CmemAddrBits), .MemStages(MemStages)
  ) u_store (
    .clk_i, .rst_ni(rst_n), .flush_i(halt_i),
    .burst_valid_i(burst_valid), .burst_i(burst), .burst_ready_o(store_ready),
    .complete_o(store_complete), .complete_last_o(store_last),
    .cmem_complete_o(cmem_complete), .cmem_complete_last_o(cmem_last),
    .fault_valid_o(store_fault_valid), .fault_o(store_fault),
    .moved_o(store_moved), .lost_o(store_lost), .busy_o(store_busy), .hbm_bytes_o(hbm_wr_bytes_o),
    .vmem_req_o(vmem_rd_req_o), .vmem_addr_o(vmem_rd_addr_o), .vmem_gnt_i(vmem_rd_gnt_i),
    .vmem_data_i(vmem_rd_data_i), .vmem_valid_i(vmem_rd_valid_i),
    .awvalid_o(m_axi_awvalid_o), .awready_i(m_axi_awready_i), .awaddr_o(m_axi_awaddr_o),
    .awlen_o(m_axi_awlen_o), .wvalid_o(m_axi_wvalid_o), .wready_i(m_axi_wready_i),
    .wdata_o(m_axi_wdata_o), .wstrb_o(m_axi_wstrb_o), .wlast_o(m_axi_wlast_o),
    .bvalid_i(m_axi_bvalid_i), .bready_o(m_axi_bready_o), .bresp_i(m_axi_bresp_i),
    .cmem_req_o(cmem_wr_req_o), .cmem_addr_o(cmem_wr_addr_o), .cmem_be_o(cmem_wr_be_o),
    .cmem_data_o(cmem_wr_data_o), .cmem_gnt_i(cmem_wr_gnt_i)
  );

  assign m_axi_awsize_o = 3'($clog2(AxiBytes));
  assign m_axi_arsize_o = 3'($clog2(AxiBytes));
  assign m_axi_awburst_o = 2'b01;  // INCR
  assign m_axi_arburst_o = 2'b01;
  assign m_axi_awid_o = '0;
  assign m_axi_arid_o = '0;

  // One ID, so responses come in order; burst lengths are known, so RLAST tells nothing new.
  logic unused;
  assign unused = ^{m_axi_bid_i, m_axi_rid_i, m_axi_rlast_i};
endmodule
