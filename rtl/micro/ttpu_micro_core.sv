// One tensor core, microprogrammed: in place of ttpu_core, the same architecture and ports. One engine
// does in turn what there are units for: scalar core, queues, DMA, VPU and host registers; the MXU is a
// systolic array of N*N multiply-adds a cycle. Wiring, special registers and the port of LMEM.
// Only integers (HasFp = 0, HasSfu = 0), AxiBytes = 4, no CMEM. N is 4 or 8: there is microcode for these.
module ttpu_micro_core
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
  import ttpu_micro_pkg::*;
#(
  parameter int unsigned N = 4,
  parameter int unsigned AccRows = 128,
  parameter int unsigned VmemBytes = 49152,
  parameter int unsigned VpuStages = 4,
  parameter int unsigned DmaChannels = 2,
  parameter int unsigned ImemWords = 512,
  parameter int unsigned SmemWords = 256,
  parameter int unsigned QueueDepth = 4,
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0,
  parameter int unsigned Ice40 = 0,      // 1 = SPRAM and DSP blocks of the iCE40 UltraPlus
  parameter int unsigned MulStyle = Ice40,  // of ttpu_micro_mul2
  localparam int unsigned AxiIdBits = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  // host: AXI4-Lite in the core's window, interrupt
  input  logic                   s_axil_awvalid_i,
  output logic                   s_axil_awready_o,
  input  logic [WindowBits-1:0]  s_axil_awaddr_i,
  input  logic                   s_axil_wvalid_i,
  output logic                   s_axil_wready_o,
  input  logic [31:0]            s_axil_wdata_i,
  input  logic [3:0]             s_axil_wstrb_i,
  output logic                   s_axil_bvalid_o,
  input  logic                   s_axil_bready_i,
  output logic [1:0]             s_axil_bresp_o,
  input  logic                   s_axil_arvalid_i,
  output logic                   s_axil_arready_o,
  input  logic [WindowBits-1:0]  s_axil_araddr_i,
  output logic                   s_axil_rvalid_o,
  input  logic                   s_axil_rready_i,
  output logic [31:0]            s_axil_rdata_o,
  output logic [1:0]             s_axil_rresp_o,
  output logic                   irq_o,
  output logic                   error_o,          // level: the core holds an error
  // HBM: AXI4 master
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
  input  logic [AxiIdBits-1:0]   m_axi_bid_i,
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
  input  logic [31:0]            m_axi_rdata_i,
  input  logic [AxiIdBits-1:0]   m_axi_rid_i,
  input  logic [1:0]             m_axi_rresp_i,
  input  logic                   m_axi_rlast_i,
  // trace
  output trace_t                 trace_o [NumUnits],
  output logic                   trace_any_o,
  output logic                   tag_valid_o,
  output logic [31:0]            tag_o
);
  // Behind VMEM: instructions, scalar memory, and what the microcode keeps.
  localparam int unsigned LmemBytes = VmemBytes + 16384;
  localparam int unsigned LmemRowBits = $clog2(LmemBytes / N);
  localparam int unsigned ByteBits = $clog2(N);

  // ---- engine -----------------------------------------------------------------------------------
  logic                 rom_en;
  logic [UaddrBits-1:0] rom_addr;
  logic [UwordBits-1:0] rom_data;
  logic [7:0]           spr_addr;
  logic [4:0]           spr_raddr;
  logic                 spr_we, spr_re, spr_xdata_q;
  logic [31:0]          spr_wdata, spr_rdata;
  logic                 hreq, mxbusy, xbusy, xerr;
  logic                 lmem_en, lmem_we;
  logic [15:0]          lmem_addr;
  logic [31:0]          lmem_wdata, lmem_word;
  logic                 acc_en;
  logic [15:0]          acc_row;
  logic [ByteBits-1:0]  acc_lane;
  logic [31:0]          acc_data;

  ttpu_micro_rom #(.N(N)) i_rom (.clk_i, .en_i(rom_en), .addr_i(rom_addr), .data_o(rom_data));
  ttpu_micro_engine #(.N(N)) i_engine (
    .clk_i, .rst_ni,
    .rom_en_o(rom_en), .rom_addr_o(rom_addr), .rom_data_i(rom_data),
    .spr_addr_o(spr_addr), .spr_we_o(spr_we), .spr_wdata_o(spr_wdata),
    .spr_raddr_o(spr_raddr), .spr_re_o(spr_re), .spr_rdata_i(spr_rdata),
    .hreq_i(hreq), .mxbusy_i(mxbusy), .xbusy_i(xbusy), .xerr_i(xerr),
    .lmem_en_o(lmem_en), .lmem_we_o(lmem_we), .lmem_addr_o(lmem_addr), .lmem_wdata_o(lmem_wdata),
    .lmem_rdata_i(lmem_word),
    .acc_en_o(acc_en), .acc_row_o(acc_row), .acc_lane_o(acc_lane), .acc_data_i(acc_data)
  );

  // ---- special registers ------------------------------------------------------------------------
  logic        low_we;      // SPR 0..31
  logic [31:0] haddr;
  logic [31:0] cycles_q;
  logic [4:0]  status_q;
  logic [3:0]  be_q;
  logic        irq_q;
  assign low_we = spr_we && spr_addr[6:5] == 2'b00;
  assign error_o = status_q[2];

  always_ff @(posedge clk_i) begin
    cycles_q <= rst_ni ? cycles_q + 1'b1 : '0;
    spr_xdata_q <= spr_raddr == SprXdata[4:0];
    if (low_we && spr_addr[4:0] == SprStatus[4:0]) status_q <= spr_wdata[4:0];
    if (low_we && spr_addr[4:0] == SprIrq[4:0]) irq_q <= spr_wdata[0];
    if (low_we && spr_addr[4:0] == SprBe[4:0]) be_q <= spr_wdata[3:0];
    if (!rst_ni) begin
      status_q <= '0;
      irq_q <= 1'b0;
    end
  end
  assign irq_o = irq_q;

  always_comb begin
    case (8'(spr_raddr))
      SprCycles:    spr_rdata = cycles_q + 1'b1;  // read in the next cycle
      SprHaddr:     spr_rdata = haddr;
      SprHwdata:    spr_rdata = s_axil_wdata_i;
      SprXdata:     spr_rdata = m_axi_rdata_i;
      SprCfgN:      spr_rdata = N;
      SprCfgVmem:   spr_rdata = VmemBytes;
      SprCfgAcc:    spr_rdata = 2 * AccRows;
      SprCfgImem:   spr_rdata = ImemWords;
      SprCfgSmem:   spr_rdata = SmemWords;
      SprCfgHash:   spr_rdata = ConfigHash;
      SprCfgId:     spr_rdata = ConfigId;
      SprCfgIsa:    spr_rdata = IsaVersion;
      SprCfgChan:   spr_rdata = DmaChannels;
      SprCfgStages: spr_rdata = VpuStages;
      SprCfgQdepth: spr_rdata = QueueDepth;
      default:      spr_rdata = '0;
    endcase
  end

  // Trace and tag.
  logic tr_start, tr_stop;
  assign tr_start = low_we && spr_addr[4:0] == SprTrstart[4:0];
  assign tr_stop = low_we && spr_addr[4:0] == SprTrstop[4:0];
  assign tag_valid_o = low_we && spr_addr[4:0] == SprTag[4:0];
  assign tag_o = spr_wdata;
  assign trace_any_o = tr_start || tr_stop || tag_valid_o;
  for (genvar u = 0; u < NumUnits; u++) begin : gen_trace
    assign trace_o[u] = '{
      start: tr_start && spr_wdata[18:16] == 3'(u), start_opcode: spr_wdata[31:24],
      start_pc: spr_wdata[15:0],
      stop: tr_stop && spr_wdata[18:16] == 3'(u), stop_pc: spr_wdata[15:0]
    };
  end

  // ---- host and AXI -----------------------------------------------------------------------------
  ttpu_micro_host i_host (
    .clk_i, .rst_ni,
    .s_axil_awvalid_i, .s_axil_awready_o, .s_axil_awaddr_i, .s_axil_wvalid_i, .s_axil_wready_o,
    .s_axil_wstrb_i, .s_axil_bvalid_o, .s_axil_bready_i, .s_axil_bresp_o,
    .s_axil_arvalid_i, .s_axil_arready_o, .s_axil_araddr_i,
    .s_axil_rvalid_o, .s_axil_rready_i, .s_axil_rdata_o, .s_axil_rresp_o,
    .hreq_o(hreq), .haddr_o(haddr),
    .reply_i(low_we && spr_addr[4:0] == SprHreply[4:0]),
    .fail_i(low_we && spr_addr[4:0] == SprHfail[4:0]),
    .data_i(spr_wdata), .status_i(status_q)
  );

  ttpu_micro_axi i_axi (
    .clk_i, .rst_ni,
    .high_i(low_we && spr_addr[4:0] == SprXhi[4:0]),
    .read_i(low_we && spr_addr[4:0] == SprXrd[4:0]),
    .write_addr_i(low_we && spr_addr[4:0] == SprXadr[4:0]),
    .write_i(low_we && spr_addr[4:0] == SprXwr[4:0]),
    .take_i(spr_re && spr_xdata_q),
    .data_i(spr_wdata), .be_i(be_q), .busy_o(xbusy), .error_o(xerr),
    .m_axi_awvalid_o, .m_axi_awready_i, .m_axi_awaddr_o, .m_axi_awlen_o, .m_axi_awsize_o,
    .m_axi_awburst_o, .m_axi_awid_o, .m_axi_wvalid_o, .m_axi_wready_i, .m_axi_wdata_o,
    .m_axi_wstrb_o, .m_axi_wlast_o, .m_axi_bvalid_i, .m_axi_bready_o, .m_axi_bresp_i,
    .m_axi_arvalid_o, .m_axi_arready_i, .m_axi_araddr_o, .m_axi_arlen_o, .m_axi_arsize_o,
    .m_axi_arburst_o, .m_axi_arid_o, .m_axi_rvalid_i, .m_axi_rready_o, .m_axi_rresp_i
  );

  // ---- MXU --------------------------------------------------------------------------------------
  logic           mx_rd_en;
  logic [23:0]    mx_rd_addr;
  logic [8*N-1:0] lmem_row;
  ttpu_micro_mxu #(.N(N), .AccRows(AccRows), .MulStyle(MulStyle)) i_mxu (
    .clk_i, .rst_ni,
    .w_we_i(spr_we && spr_addr[6]), .w_index_i(spr_addr[5:0]), .w_data_i(spr_wdata),
    .cfg_we_i(spr_we && spr_addr[6:5] == 2'b01), .cfg_index_i(spr_addr[2:0]), .cfg_data_i(spr_wdata),
    .busy_o(mxbusy),
    .hold_i(lmem_en), .rd_en_o(mx_rd_en), .rd_addr_o(mx_rd_addr), .rd_data_i(lmem_row),
    .acc_en_i(acc_en), .acc_row_i(acc_row), .acc_lane_i(acc_lane), .acc_data_o(acc_data)
  );

  // ---- LMEM: words of 4 bytes of the engine; in all other cycles the MXU's, if it has rows to read ---
  logic [N-1:0] lmem_be;
  if (N > 4) begin : gen_lanes
    logic [ByteBits-3:0] word_q;
    always_ff @(posedge clk_i) if (lmem_en) word_q <= lmem_addr[ByteBits-1:2];
    assign lmem_be = N'(be_q) << {lmem_addr[ByteBits-1:2], 2'b00};
    assign lmem_word = lmem_row[32*word_q+:32];
  end else begin : gen_word
    assign lmem_be = be_q;
    assign lmem_word = lmem_row;
  end
  ttpu_ram_1rw #(.Rows(LmemBytes / N), .Bytes(N), .Style(Ice40)) i_lmem (
    .clk_i, .en_i(lmem_en || mx_rd_en), .we_i(lmem_we),
    .addr_i(lmem_en ? lmem_addr[ByteBits+:LmemRowBits] : mx_rd_addr[ByteBits+:LmemRowBits]),
    .wr_be_i(lmem_be), .wr_data_i({N/4{lmem_wdata}}), .rd_data_o(lmem_row)
  );

  logic unused;
  assign unused = ^{m_axi_bid_i, m_axi_rid_i, m_axi_rlast_i, mx_rd_addr, lmem_addr, spr_addr[7]};

`ifndef SYNTHESIS
  initial assert (LmemBytes <= 65536 && 16 * ImemWords + 4 * SmemWords <= 12288)
    else $fatal(1, "ttpu_micro_core: LMEM is 64 KiB at most, with room for the microcode's own");
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert (!(lmem_en && lmem_we && mxbusy && 32'(lmem_addr) < VmemBytes))
      else $error("micro_core: VMEM written while the MXU reads it");
  end
`endif
endmodule
