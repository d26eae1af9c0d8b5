// One tensor core: host registers, control, DMA, VMEM, MXU, VPU. Wiring only.
// The ICI's places are ports: a read and a write port of VMEM and one flag port, so that a router
// attaches here without a change inside. CMEM is outside, shared by the cores of the chip.
module ttpu_core
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_control_pkg::NumQueues;
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
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned MulStyle = 0,      // of ttpu_mxu: how integers are multiplied
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0,
  localparam int unsigned WordBytes = 4 * N,
  localparam int unsigned CmemAddrBits = CmemBytes > 1 ? $clog2(CmemBytes) : 1,
  localparam int unsigned MemStages = mem_stages(FpStages)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // host: AXI4-Lite in the core's window, interrupt
  input  logic                    s_axil_awvalid_i,
  output logic                    s_axil_awready_o,
  input  logic [WindowBits-1:0]   s_axil_awaddr_i,
  input  logic                    s_axil_wvalid_i,
  output logic                    s_axil_wready_o,
  input  logic [31:0]             s_axil_wdata_i,
  input  logic [3:0]              s_axil_wstrb_i,
  output logic                    s_axil_bvalid_o,
  input  logic                    s_axil_bready_i,
  output logic [1:0]              s_axil_bresp_o,
  input  logic                    s_axil_arvalid_i,
  output logic                    s_axil_arready_o,
  input  logic [WindowBits-1:0]   s_axil_araddr_i,
  output logic                    s_axil_rvalid_o,
  input  logic                    s_axil_rready_i,
  output logic [31:0]             s_axil_rdata_o,
  output logic [1:0]              s_axil_rresp_o,
  output logic                    irq_o,
  output logic                    error_o,          // level: the core holds an error
  // HBM: AXI4 master
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
  // CMEM
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
  // ICI: VMEM and flags
  input  logic                    ici_rd_req_i,
  input  logic [VmemAddrBits-1:0] ici_rd_addr_i,
  output logic                    ici_rd_gnt_o,
  output logic [8*WordBytes-1:0]  ici_rd_data_o,
  output logic                    ici_rd_valid_o,
  input  logic                    ici_wr_req_i,
  input  logic [VmemAddrBits-1:0] ici_wr_addr_i,
  input  logic [WordBytes-1:0]    ici_wr_be_i,
  input  logic [8*WordBytes-1:0]  ici_wr_data_i,
  output logic                    ici_wr_gnt_o,
  input  logic                    ici_flag_valid_i,
  input  logic [4:0]              ici_flag_i,
  // trace
  output trace_t                  trace_o [NumUnits],
  output logic                    trace_any_o,
  output logic                    tag_valid_o,
  output logic [31:0]             tag_o
);
  localparam int unsigned VmemBytes = VmemBanks * VmemRows * WordBytes;
  localparam int unsigned NumRd = 7, NumWr = 4;
  // Ports of VMEM.
  localparam int unsigned RdHost = 0, RdDma = 1, RdMxw = 2, RdMxs = 3, RdVpuA = 4, RdVpuB = 5,
      RdIci = 6;
  localparam int unsigned WrHost = 0, WrDma = 1, WrVpu = 2, WrIci = 3;
  // Units, as queue numbers.
  localparam int unsigned QMxw = 2, QMxs = 3, QVpu = 4;

  // ---- host and control -------------------------------------------------------------------------
  logic                         host_start, clear_req, bad_write, run, done, quiet, clear_pending;
  logic                         done_event, error_event;
  logic [31:0]                  entry, watchdog;
  logic [WindowBits-1:0]        bad_write_addr;
  ttpu_control_pkg::fault_t     fault;
  logic [4:0]                   flag_select;
  logic [7:0]                   flag_value;
  logic                         imem_en, imem_we, smem_en, smem_we;
  logic [$clog2(ImemWords)+1:0] imem_addr;
  logic [$clog2(SmemWords)-1:0] smem_addr;
  logic [31:0]                  mem_wdata, imem_rdata, smem_rdata;
  logic [FarAddrBits-1:0]       hbm_base, hbm_size;
  logic [31:0]                  inc [NumPlainCounters];
  activity_e                    activity [NumUnits];
  logic [NumQueues-1:0]         cmd_valid, cmd_ready;
  cmd_t                         cmd [NumQueues];
  status_t                      status [NumQueues];
  logic                         halt, clear, issued;

  // ---- VMEM -------------------------------------------------------------------------------------
  logic [NumRd-1:0]             rd_req, rd_gnt, rd_valid;
  logic [VmemAddrBits-1:0]      rd_addr [NumRd];
  logic [8*WordBytes-1:0]       rd_data [NumRd];
  logic [NumWr-1:0]             wr_req, wr_gnt;
  logic [VmemAddrBits-1:0]      wr_addr [NumWr];
  logic [WordBytes-1:0]         wr_be [NumWr];
  logic [8*WordBytes-1:0]       wr_data [NumWr];
  logic [$clog2(NumRd+1)-1:0]   rd_conflicts;
  logic [$clog2(NumWr+1)-1:0]   wr_conflicts;

  assign error_o = fault.valid;
  ttpu_host #(
    .N(N), .AccRows(AccRows), .VmemBanks(VmemBanks), .VmemRows(VmemRows), .ImemWords(ImemWords),
    .SmemWords(SmemWords), .CmemBytes(CmemBytes), .ConfigId(ConfigId), .ConfigHash(ConfigHash)
  ) i_host (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i,
    .s_axil_wvalid_i, .s_axil_wready_o, .s_axil_wdata_i, .s_axil_wstrb_i,
    .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o,
    .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .irq_o,
    .start_o(host_start), .entry_o(entry), .clear_req_o(clear_req), .watchdog_o(watchdog),
    .bad_write_o(bad_write), .bad_write_addr_o(bad_write_addr),
    .run_i(run), .done_i(done), .quiet_i(quiet), .clear_pending_i(clear_pending),
    .done_event_i(done_event), .error_event_i(error_event),
    .error_i(fault.valid), .err_cause_i(fault.cause), .err_unit_i(fault.unit), .err_pc_i(fault.pc),
    .err_addr_i(fault.addr),
    .flag_select_o(flag_select), .flag_value_i(flag_value),
    .imem_en_o(imem_en), .imem_we_o(imem_we), .imem_addr_o(imem_addr),
    .smem_en_o(smem_en), .smem_we_o(smem_we), .smem_addr_o(smem_addr),
    .mem_wdata_o(mem_wdata), .imem_rdata_i(imem_rdata), .smem_rdata_i(smem_rdata),
    .hbm_base_o(hbm_base), .hbm_size_o(hbm_size),
    .vmem_rd_req_o(rd_req[RdHost]), .vmem_rd_addr_o(rd_addr[RdHost]),
    .vmem_rd_gnt_i(rd_gnt[RdHost]),
    .vmem_rd_valid_i(rd_valid[RdHost]), .vmem_rd_data_i(rd_data[RdHost]),
    .vmem_wr_req_o(wr_req[WrHost]), .vmem_wr_addr_o(wr_addr[WrHost]), .vmem_wr_be_o(wr_be[WrHost]),
    .vmem_wr_data_o(wr_data[WrHost]), .vmem_wr_gnt_i(wr_gnt[WrHost]),
    .inc_i(inc), .activity_i(activity)
  );

  ttpu_control #(
    .ImemWords(ImemWords), .SmemWords(SmemWords), .QueueDepth(QueueDepth),
    .DmaChannels(DmaChannels), .FlagStages(flag_stages(FpStages))
  ) i_control (
    .clk_i, .rst_ni,
    .start_i(host_start), .entry_i(entry), .clear_req_i(clear_req), .watchdog_i(watchdog),
    .bad_write_i(bad_write), .bad_write_addr_i(bad_write_addr),
    .run_o(run), .done_o(done), .quiet_o(quiet), .clear_pending_o(clear_pending),
    .done_event_o(done_event), .error_event_o(error_event), .fault_o(fault),
    .flag_select_i(flag_select), .flag_value_o(flag_value),
    .imem_en_i(imem_en), .imem_we_i(imem_we), .imem_addr_i(imem_addr),
    .smem_en_i(smem_en), .smem_we_i(smem_we), .smem_addr_i(smem_addr),
    .mem_wdata_i(mem_wdata), .imem_rdata_o(imem_rdata), .smem_rdata_o(smem_rdata),
    .cmd_valid_o(cmd_valid), .cmd_o(cmd), .cmd_ready_i(cmd_ready), .status_i(status),
    .halt_o(halt), .clear_o(clear),
    .ici_flag_valid_i, .ici_flag_i,
    .issued_o(issued), .activity_o(activity), .trace_o, .trace_any_o, .tag_valid_o, .tag_o
  );

  // ---- DMA --------------------------------------------------------------------------------------
  logic                                dma_cmd_valid [DmaChannels];
  logic                                dma_cmd_ready [DmaChannels];
  cmd_t                                dma_cmd [DmaChannels];
  status_t                             dma_status [DmaChannels];
  logic [ttpu_dma_pkg::ByteBits-1:0]   hbm_rd_bytes, hbm_wr_bytes;

  for (genvar c = 0; c < 2; c++) begin : gen_channel
    if (c < DmaChannels) begin : gen_there
      assign dma_cmd_valid[c] = cmd_valid[c];
      assign dma_cmd[c] = cmd[c];
      assign cmd_ready[c] = dma_cmd_ready[c];
      assign status[c] = dma_status[c];
    end else begin : gen_absent
      assign cmd_ready[c] = 1'b0;
      assign status[c] = '{done: 1'b0, error: 1'b0, cause: ErrNone, pc: '0, addr: '0,
                           activity: ActIdle, quiet: 1'b1};
    end
  end

  ttpu_dma #(
    .N(N), .DmaChannels(DmaChannels), .AxiBytes(AxiBytes), .AxiOutstanding(AxiOutstanding),
    .VmemBytes(VmemBytes), .CmemBytes(CmemBytes), .MemStages(MemStages)
  ) i_dma (
    .clk_i, .rst_ni, .halt_i(halt), .clear_i(clear),
    .cmd_valid_i(dma_cmd_valid), .cmd_i(dma_cmd), .cmd_ready_o(dma_cmd_ready),
    .status_o(dma_status),
    .hbm_base_i(hbm_base), .hbm_size_i(hbm_size),
    .vmem_rd_req_o(rd_req[RdDma]), .vmem_rd_addr_o(rd_addr[RdDma]), .vmem_rd_gnt_i(rd_gnt[RdDma]),
    .vmem_rd_data_i(rd_data[RdDma]), .vmem_rd_valid_i(rd_valid[RdDma]),
    .vmem_wr_req_o(wr_req[WrDma]), .vmem_wr_addr_o(wr_addr[WrDma]), .vmem_wr_be_o(wr_be[WrDma]),
    .vmem_wr_data_o(wr_data[WrDma]), .vmem_wr_gnt_i(wr_gnt[WrDma]),
    .cmem_rd_req_o, .cmem_rd_addr_o, .cmem_rd_gnt_i, .cmem_rd_data_i, .cmem_rd_valid_i,
    .cmem_wr_req_o, .cmem_wr_addr_o, .cmem_wr_be_o, .cmem_wr_data_o, .cmem_wr_gnt_i,
    .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o,
    .m_axi_awburst_o, .m_axi_awid_o,
    .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_wdata_o, .m_axi_wstrb_o, .m_axi_wlast_o,
    .m_axi_bvalid_i, .m_axi_bready_o, .m_axi_bid_i, .m_axi_bresp_i,
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o,
    .m_axi_arburst_o, .m_axi_arid_o,
    .m_axi_rvalid_i, .m_axi_rready_o, .m_axi_rdata_i, .m_axi_rid_i, .m_axi_rresp_i, .m_axi_rlast_i,
    .hbm_rd_bytes_o(hbm_rd_bytes), .hbm_wr_bytes_o(hbm_wr_bytes)
  );

  ttpu_vmem #(
    .N(N), .VmemBanks(VmemBanks), .VmemRows(VmemRows), .VmemPorts(VmemPorts), .NumRd(NumRd),
    .NumWr(NumWr), .MemStages(MemStages)
  ) i_vmem (
    .clk_i, .rst_ni,
    .rd_req_i(rd_req), .rd_addr_i(rd_addr), .rd_gnt_o(rd_gnt), .rd_data_o(rd_data),
    .rd_valid_o(rd_valid),
    .wr_req_i(wr_req), .wr_addr_i(wr_addr), .wr_be_i(wr_be), .wr_data_i(wr_data), .wr_gnt_o(wr_gnt),
    .rd_conflicts_o(rd_conflicts), .wr_conflicts_o(wr_conflicts)
  );

  // ---- MXU and VPU ------------------------------------------------------------------------------
  logic                         acc_req, acc_gnt, mxu_row, vpu_row;
  logic [$clog2(2*AccRows)-1:0] acc_row;
  logic [8*WordBytes-1:0]       acc_data;
  logic [31:0]                  mxu_macs;

  ttpu_mxu #(
    .N(N), .HasFp(HasFp), .PeStages(PeStages), .FpStages(FpStages), .AccRows(AccRows),
    .VmemBytes(VmemBytes), .MulStyle(MulStyle)
  ) i_mxu (
    .clk_i, .rst_ni, .halt_i(halt), .clear_i(clear),
    .w_cmd_valid_i(cmd_valid[QMxw]), .w_cmd_i(cmd[QMxw]), .w_cmd_ready_o(cmd_ready[QMxw]),
    .w_status_o(status[QMxw]),
    .s_cmd_valid_i(cmd_valid[QMxs]), .s_cmd_i(cmd[QMxs]), .s_cmd_ready_o(cmd_ready[QMxs]),
    .s_status_o(status[QMxs]),
    .w_rd_req_o(rd_req[RdMxw]), .w_rd_addr_o(rd_addr[RdMxw]), .w_rd_gnt_i(rd_gnt[RdMxw]),
    .w_rd_data_i(rd_data[RdMxw]), .w_rd_valid_i(rd_valid[RdMxw]),
    .x_rd_req_o(rd_req[RdMxs]), .x_rd_addr_o(rd_addr[RdMxs]), .x_rd_gnt_i(rd_gnt[RdMxs]),
    .x_rd_data_i(rd_data[RdMxs]), .x_rd_valid_i(rd_valid[RdMxs]),
    .acc_req_i(acc_req), .acc_row_i(16'(acc_row)), .acc_gnt_o(acc_gnt), .acc_data_o(acc_data),
    .rows_o(mxu_row), .macs_o(mxu_macs)
  );

  ttpu_vpu #(
    .N(N), .HasFp(HasFp), .VpuStages(VpuStages), .VpuLanes(VpuLanes), .HasSfu(HasSfu),
    .AccRows(AccRows), .MemStages(MemStages), .VmemBytes(VmemBytes)
  ) i_vpu (
    .clk_i, .rst_ni, .halt_i(halt), .clear_i(clear),
    .cmd_valid_i(cmd_valid[QVpu]), .cmd_i(cmd[QVpu]), .cmd_ready_o(cmd_ready[QVpu]),
    .status_o(status[QVpu]),
    .a_rd_req_o(rd_req[RdVpuA]), .a_rd_addr_o(rd_addr[RdVpuA]), .a_rd_gnt_i(rd_gnt[RdVpuA]),
    .a_rd_data_i(rd_data[RdVpuA]), .a_rd_valid_i(rd_valid[RdVpuA]),
    .b_rd_req_o(rd_req[RdVpuB]), .b_rd_addr_o(rd_addr[RdVpuB]), .b_rd_gnt_i(rd_gnt[RdVpuB]),
    .b_rd_data_i(rd_data[RdVpuB]), .b_rd_valid_i(rd_valid[RdVpuB]),
    .wr_req_o(wr_req[WrVpu]), .wr_addr_o(wr_addr[WrVpu]), .wr_be_o(wr_be[WrVpu]),
    .wr_data_o(wr_data[WrVpu]), .wr_gnt_i(wr_gnt[WrVpu]),
    .acc_req_o(acc_req), .acc_row_o(acc_row), .acc_gnt_i(acc_gnt), .acc_data_i(acc_data),
    .rows_o(vpu_row)
  );

  // ---- ICI --------------------------------------------------------------------------------------
  assign rd_req[RdIci] = ici_rd_req_i;
  assign rd_addr[RdIci] = ici_rd_addr_i;
  assign ici_rd_gnt_o = rd_gnt[RdIci];
  assign ici_rd_data_o = rd_data[RdIci];
  assign ici_rd_valid_o = rd_valid[RdIci];
  assign wr_req[WrIci] = ici_wr_req_i;
  assign wr_addr[WrIci] = ici_wr_addr_i;
  assign wr_be[WrIci] = ici_wr_be_i;
  assign wr_data[WrIci] = ici_wr_data_i;
  assign ici_wr_gnt_o = wr_gnt[WrIci];

  // ---- counters ---------------------------------------------------------------------------------
  assign inc[CntCycles] = '0;
  assign inc[CntCommands] = 32'(issued);
  assign inc[CntMxuRows] = 32'(mxu_row);
  assign inc[CntMxuMacs] = mxu_macs;
  assign inc[CntVpuRows] = 32'(vpu_row);
  assign inc[CntHbmRdBytes] = 32'(hbm_rd_bytes);
  assign inc[CntHbmWrBytes] = 32'(hbm_wr_bytes);
  assign inc[CntVmemRdConflicts] = 32'(rd_conflicts);
  assign inc[CntVmemWrConflicts] = 32'(wr_conflicts);

`ifndef SYNTHESIS
  initial assert (DmaChannels == 1 || DmaChannels == 2)
      else $fatal(1, "DmaChannels must be 1 or 2");
`endif
endmodule
