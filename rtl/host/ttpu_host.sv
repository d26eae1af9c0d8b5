// Host registers of one tensor core: AXI4-Lite slave of 32 bits, one access at a time. It acts 2
// cycles after it was taken and is answered in the third; reads of IMEM, SMEM and counters in the
// fourth; VMEM_DATA in the fourth (write), sixth (read) and what its bank lets it wait. A write is
// taken when address and data are both there. Reads go first when both kinds wait. Only whole,
// aligned words: other strobes or addresses answer SLVERR and do nothing, as do unknown addresses,
// writes to read-only registers, and reads of IMEM and SMEM while the core runs. START while the
// core runs, and writes to IMEM, SMEM, HBM_BASE or HBM_SIZE while it runs or (the bounds) after LOCK
// answer SLVERR and raise BAD_WRITE, which stops the core.
module ttpu_host
  import ttpu_isa_pkg::*;
  import ttpu_reg_pkg::*;
  import ttpu_pkg::*;
#(
  parameter int unsigned N = 16,
  parameter int unsigned AccRows = 512,
  parameter int unsigned VmemBanks = 8,
  parameter int unsigned VmemRows = 512,
  parameter int unsigned ImemWords = 4096,
  parameter int unsigned SmemWords = 4096,
  parameter int unsigned CmemBytes = 0,
  parameter int unsigned ConfigId = 0,
  parameter logic [31:0] ConfigHash = 32'h0,
  localparam int unsigned WordBytes = 4 * N
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  // AXI4-Lite, addresses within the core's window
  input  logic                           s_axil_awvalid_i,
  output logic                           s_axil_awready_o,
  input  logic [WindowBits-1:0]          s_axil_awaddr_i,
  input  logic                           s_axil_wvalid_i,
  output logic                           s_axil_wready_o,
  input  logic [31:0]                    s_axil_wdata_i,
  input  logic [3:0]                     s_axil_wstrb_i,
  output logic                           s_axil_bvalid_o,
  input  logic                           s_axil_bready_i,
  output logic [1:0]                     s_axil_bresp_o,
  input  logic                           s_axil_arvalid_i,
  output logic                           s_axil_arready_o,
  input  logic [WindowBits-1:0]          s_axil_araddr_i,
  output logic                           s_axil_rvalid_o,
  input  logic                           s_axil_rready_i,
  output logic [31:0]                    s_axil_rdata_o,
  output logic [1:0]                     s_axil_rresp_o,
  output logic                           irq_o,
  // control: run
  output logic                           start_o,
  output logic [31:0]                    entry_o,
  output logic                           clear_req_o,
  output logic [31:0]                    watchdog_o,
  output logic                           bad_write_o,
  output logic [WindowBits-1:0]          bad_write_addr_o,
  input  logic                           run_i,
  input  logic                           done_i,
  input  logic                           quiet_i,
  input  logic                           clear_pending_i,
  input  logic                           done_event_i,
  input  logic                           error_event_i,
  input  logic                           error_i,
  input  error_e                         err_cause_i,
  input  unit_e                          err_unit_i,
  input  logic [PcBits-1:0]              err_pc_i,
  input  logic [FarAddrBits-1:0]         err_addr_i,
  // control: flags and memories
  output logic [4:0]                     flag_select_o,
  input  logic [7:0]                     flag_value_i,
  output logic                           imem_en_o,
  output logic                           imem_we_o,
  output logic [$clog2(ImemWords)+1:0]   imem_addr_o,
  output logic                           smem_en_o,
  output logic                           smem_we_o,
  output logic [$clog2(SmemWords)-1:0]   smem_addr_o,
  output logic [31:0]                    mem_wdata_o,
  input  logic [31:0]                    imem_rdata_i,
  input  logic [31:0]                    smem_rdata_i,
  // dma: window of the program in HBM
  output logic [FarAddrBits-1:0]         hbm_base_o,
  output logic [FarAddrBits-1:0]         hbm_size_o,
  // vmem, host ports
  output logic                           vmem_rd_req_o,
  output logic [VmemAddrBits-1:0]        vmem_rd_addr_o,
  input  logic                           vmem_rd_gnt_i,
  input  logic                           vmem_rd_valid_i,
  input  logic [8*WordBytes-1:0]         vmem_rd_data_i,
  output logic                           vmem_wr_req_o,
  output logic [VmemAddrBits-1:0]        vmem_wr_addr_o,
  output logic [WordBytes-1:0]           vmem_wr_be_o,
  output logic [8*WordBytes-1:0]         vmem_wr_data_o,
  input  logic                           vmem_wr_gnt_i,
  // counters
  input  logic [31:0]                    inc_i [NumPlainCounters],
  input  activity_e                      activity_i [NumUnits]
);
  localparam int unsigned VmemBytes = VmemBanks * VmemRows * WordBytes;
  localparam int unsigned LaneBits = $clog2(N);  // 32-bit lanes in a word of VMEM
  localparam int unsigned BurstBytes = 4096;     // what HBM_RD_BYTES grows by in a cycle, at most
  localparam int unsigned CountBits = $clog2(NumCounters);
  localparam int unsigned RegBits = $clog2(WinCounters);  // registers stand below the counters
  localparam logic [1:0]  Okay = 2'b00, SlvErr = 2'b10;

  // ---- one access at a time ---------------------------------------------------------------------
  typedef enum logic [2:0] {
    StIdle,    // take a read, or a write with its data
    StDecode,  // what it is; what it reads, but for memories and counters
    StAct,     // it takes effect; most accesses end here
    StMem,     // IMEM, SMEM or counter read: data come in this cycle
    StVmemReq, // wait for the bank's grant
    StVmemDat, // wait for the word
    StRespond  // response held until the host takes it
  } state_e;
  state_e                state_q;
  logic                  write_q, strobes_q;
  logic [WindowBits-1:0] addr_q;
  logic [31:0]           wdata_q, rdata_q;
  logic [1:0]            resp_q;

  assign s_axil_arready_o = state_q == StIdle;
  assign s_axil_awready_o = state_q == StIdle && s_axil_awvalid_i && s_axil_wvalid_i &&
      !s_axil_arvalid_i;
  assign s_axil_wready_o = s_axil_awready_o;
  assign s_axil_bvalid_o = state_q == StRespond && write_q;
  assign s_axil_bresp_o = resp_q;
  assign s_axil_rvalid_o = state_q == StRespond && !write_q;
  assign s_axil_rdata_o = rdata_q;
  assign s_axil_rresp_o = resp_q;

  // ---- registers --------------------------------------------------------------------------------
  logic [31:0] entry_q, watchdog_q;
  logic [63:0] hbm_base_q, hbm_size_q;
  logic [23:0] vmem_addr_q;
  logic [4:0]  flag_select_q;
  logic [1:0]  irq_enable_q, irq_status_q;
  logic        locked_q;
  logic [31:0] count_low_q, count_high_q;

  // ---- decode of the access held in addr_q ------------------------------------------------------
  logic in_imem, in_smem, in_count, is_bounds, vmem_in, fails, stands;
  logic [WindowBits-1:0] count_off;
  logic [63:0]           count;
  logic [31:0]           value;
  assign in_imem = addr_q >= WinImem && 32'(addr_q) - 32'(WinImem) < 16 * ImemWords;
  assign in_smem = addr_q >= WinSmem && 32'(addr_q) - 32'(WinSmem) < 4 * SmemWords;
  assign count_off = addr_q - WinCounters;
  assign in_count = addr_q >= WinCounters && 32'(count_off) < 8 * NumCounters;
  assign is_bounds = addr_q == RegHbmBaseLo || addr_q == RegHbmBaseHi || addr_q == RegHbmSizeLo ||
                     addr_q == RegHbmSizeHi;
  assign vmem_in = 32'(vmem_addr_q) < VmemBytes;

  // A counter is asked for while its read is decoded, and there in StAct.
  ttpu_counters #(.IncMax(N * N > BurstBytes ? N * N : BurstBytes)) i_counters (
    .clk_i,
    .rst_ni,
    .start_i(start_o),
    .run_i,
    .inc_i,
    .activity_i,
    .read_i(state_q == StDecode && !write_q),
    .select_i(count_off[3 +: CountBits]),
    .value_o(count)
  );

  logic [7:0] flag_value_q;
  always_ff @(posedge clk_i) flag_value_q <= flag_value_i;

  // What a read returns, by the low bits of the address alone, as one that fails returns 0: of each
  // group of eight registers one while it is decoded, of those one in StAct.
  localparam int unsigned Regs = 1 << (RegBits - 2), Groups = Regs / 8;
  logic [WindowBits-1:0] reg_addr;
  logic [31:0]           regs [Regs];
  logic [31:0]           group_q [Groups];
  assign reg_addr = WindowBits'({addr_q[RegBits-1:2], 2'b00});
  always_comb begin
    for (int unsigned i = 0; i < Regs; i++) regs[i] = '0;
    regs[RegId/4] = 32'h55505454;
    regs[RegVersion/4] = IsaVersion;
    regs[RegConfigHash/4] = ConfigHash;
    regs[RegConfigId/4] = ConfigId;
    regs[RegArrayN/4] = N;
    regs[RegVmemBytes/4] = VmemBytes;
    regs[RegAccRows/4] = 2 * AccRows;
    regs[RegImemWords/4] = ImemWords;
    regs[RegSmemWords/4] = SmemWords;
    regs[RegCmemBytes/4] = CmemBytes;
    regs[RegStatus/4] = {27'b0, locked_q, quiet_i, error_i, done_i, run_i};
    regs[RegErrCause/4] = {16'b0, 5'b0, err_unit_i, err_cause_i};
    regs[RegErrPc/4] = {16'b0, err_pc_i};
    regs[RegErrAddrLo/4] = err_addr_i[31:0];
    regs[RegErrAddrHi/4] = err_addr_i[63:32];
    regs[RegFlagValue/4] = {24'b0, flag_value_q};
    regs[RegEntryPc/4] = entry_q;
    regs[RegIrqEnable/4] = {30'b0, irq_enable_q};
    regs[RegIrqStatus/4] = {30'b0, irq_status_q};
    regs[RegWatchdog/4] = watchdog_q;
    regs[RegHbmBaseLo/4] = hbm_base_q[31:0];
    regs[RegHbmBaseHi/4] = hbm_base_q[63:32];
    regs[RegHbmSizeLo/4] = hbm_size_q[31:0];
    regs[RegHbmSizeHi/4] = hbm_size_q[63:32];
    regs[RegVmemAddr/4] = {8'b0, vmem_addr_q};
    regs[RegFlagSelect/4] = {27'b0, flag_select_q};
  end
  for (genvar g = 0; g < Groups; g++) begin : gen_group
    always_ff @(posedge clk_i) if (state_q == StDecode) group_q[g] <= regs[8*g+32'(addr_q[4:2])];
  end
  assign value = group_q[addr_q[RegBits-1:5]];

  // Whether the access is refused: as one to the register that the low bits name; for itself, or
  // while the core runs.
  logic reg_fails;
  always_comb begin
    case (reg_addr)
      RegId, RegVersion, RegConfigHash, RegConfigId, RegArrayN, RegVmemBytes, RegAccRows,
      RegImemWords, RegSmemWords, RegCmemBytes, RegStatus, RegErrCause, RegErrPc, RegErrAddrLo,
      RegErrAddrHi, RegFlagValue: reg_fails = write_q;
      RegEntryPc, RegIrqEnable, RegIrqStatus, RegWatchdog, RegFlagSelect: reg_fails = 1'b0;
      RegHbmBaseLo, RegHbmBaseHi, RegHbmSizeLo, RegHbmSizeHi: reg_fails = write_q && locked_q;
      RegCtrl: reg_fails = write_q && wdata_q[1:0] == 2'b11;
      RegVmemAddr: reg_fails = write_q && (wdata_q[1:0] != 2'b00 || wdata_q[31:24] != '0);
      RegVmemData: reg_fails = !vmem_in;
      default: reg_fails = 1'b1;
    endcase
  end

  always_comb begin
    stands = in_imem || in_smem || (write_q && is_bounds);
    if (addr_q[1:0] != 2'b00 || (write_q && !strobes_q)) begin
      fails = 1'b1;
      stands = 1'b0;
    end else if (in_imem || in_smem) begin
      fails = 1'b0;
    end else if (in_count) begin
      fails = write_q;
    end else begin
      fails = addr_q[WindowBits-1:RegBits] != '0 || reg_fails;
    end
  end

  logic fails_q, stands_q, locked_out_q, start_q, clear_q, imem_q, smem_q, count_q, vmem_q;
  always_ff @(posedge clk_i) begin
    if (state_q == StDecode) begin
      fails_q <= fails;
      stands_q <= stands;
      locked_out_q <= write_q && strobes_q && is_bounds && locked_q;
      start_q <= write_q && strobes_q && addr_q == RegCtrl && wdata_q[0];
      clear_q <= write_q && strobes_q && addr_q == RegCtrl && wdata_q[1];
      imem_q <= in_imem;
      smem_q <= in_smem;
      count_q <= in_count;
      vmem_q <= addr_q == RegVmemData;
    end
  end

  // ---- effect -----------------------------------------------------------------------------------
  // START needs a core that stands without an error and is not being cleared.
  logic act, ok, do_write, clear_irq;
  assign act = state_q == StAct;
  assign ok = !fails_q && !((stands_q || start_q) && run_i) &&
              !(start_q && (error_i || clear_pending_i));
  assign do_write = act && write_q && ok;

  assign start_o = do_write && start_q;
  assign clear_req_o = act && clear_q;
  assign bad_write_o = act && write_q && (((stands_q || start_q) && run_i) || locked_out_q);
  assign bad_write_addr_o = addr_q;
  assign entry_o = entry_q;
  assign watchdog_o = watchdog_q;
  assign hbm_base_o = hbm_base_q;
  assign hbm_size_o = hbm_size_q;
  assign flag_select_o = flag_select_q;
  assign clear_irq = do_write && addr_q == RegIrqStatus;
  assign irq_o = (irq_status_q & irq_enable_q) != '0;

  assign imem_en_o = act && imem_q && ok;
  assign smem_en_o = act && smem_q && ok;
  assign imem_we_o = write_q;
  assign smem_we_o = write_q;
  assign imem_addr_o = addr_q[2 +: $clog2(ImemWords)+2];
  assign smem_addr_o = addr_q[2 +: $clog2(SmemWords)];
  assign mem_wdata_o = wdata_q;

  // ---- VMEM window: one 32-bit lane of a word ---------------------------------------------------
  logic [LaneBits-1:0] lane;
  assign lane = vmem_addr_q[2 +: LaneBits];
  assign vmem_rd_addr_o = vmem_addr_q;
  assign vmem_wr_addr_o = vmem_addr_q;
  assign vmem_wr_be_o = WordBytes'(4'hf) << {lane, 2'b00};
  assign vmem_wr_data_o = {N{wdata_q}};

  // In StVmemReq, from registers: the arbitration is long.
  always_ff @(posedge clk_i) begin
    vmem_rd_req_o <= rst_ni && (vmem_rd_req_o ? !vmem_rd_gnt_i : act && ok && vmem_q && !write_q);
    vmem_wr_req_o <= rst_ni && (vmem_wr_req_o ? !vmem_wr_gnt_i : act && ok && vmem_q && write_q);
  end

  // ---- sequence ---------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      case (state_q)
        StIdle: if (s_axil_arvalid_i || (s_axil_awvalid_i && s_axil_wvalid_i)) state_q <= StDecode;
        StDecode: state_q <= StAct;
        StAct:
          if (ok && vmem_q) state_q <= StVmemReq;
          else if (ok && !write_q && (imem_q || smem_q || count_q)) state_q <= StMem;
          else state_q <= StRespond;
        StMem: state_q <= StRespond;
        StVmemReq:
          if (vmem_wr_req_o && vmem_wr_gnt_i) state_q <= StRespond;
          else if (vmem_rd_req_o && vmem_rd_gnt_i) state_q <= StVmemDat;
        StVmemDat: if (vmem_rd_valid_i) state_q <= StRespond;
        StRespond: if (write_q ? s_axil_bready_i : s_axil_rready_i) state_q <= StIdle;
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      write_q <= !s_axil_arvalid_i;
      addr_q <= s_axil_arvalid_i ? s_axil_araddr_i : s_axil_awaddr_i;
      wdata_q <= s_axil_wdata_i;
      strobes_q <= s_axil_wstrb_i == 4'b1111;
    end
    if (act) begin
      resp_q <= ok ? Okay : SlvErr;
      rdata_q <= ok ? value : '0;
      count_low_q <= count[31:0];
      if (count_q && ok && !addr_q[2]) count_high_q <= count[63:32];
    end
    if (state_q == StMem)
      rdata_q <= count_q ? (addr_q[2] ? count_high_q : count_low_q) :
                 imem_q ? imem_rdata_i : smem_rdata_i;
    if (state_q == StVmemDat && vmem_rd_valid_i) rdata_q <= vmem_rd_data_i[32*lane +: 32];
  end

  // ---- state ------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      entry_q <= '0;
      watchdog_q <= WatchdogReset;
      hbm_base_q <= '0;
      hbm_size_q <= '0;
      vmem_addr_q <= '0;
      flag_select_q <= '0;
      irq_enable_q <= '0;
      irq_status_q <= '0;
      locked_q <= 1'b0;
    end else begin
      if (do_write) begin
        case (addr_q)
          RegEntryPc:    entry_q <= wdata_q;
          RegIrqEnable:  irq_enable_q <= wdata_q[1:0];
          RegWatchdog:   watchdog_q <= wdata_q;
          RegHbmBaseLo:  hbm_base_q[31:0] <= wdata_q;
          RegHbmBaseHi:  hbm_base_q[63:32] <= wdata_q;
          RegHbmSizeLo:  hbm_size_q[31:0] <= wdata_q;
          RegHbmSizeHi:  hbm_size_q[63:32] <= wdata_q;
          RegVmemAddr:   vmem_addr_q <= wdata_q[23:0];
          RegFlagSelect: flag_select_q <= wdata_q[4:0];
          RegCtrl:       if (wdata_q[2]) locked_q <= 1'b1;
          default: ;
        endcase
      end
      // An event wins over a clear in the same cycle.
      irq_status_q <= (irq_status_q & ~(clear_irq ? wdata_q[1:0] : 2'b00)) |
                      {error_event_i, done_event_i};
      if ((vmem_wr_req_o && vmem_wr_gnt_i) ||
          (state_q == StVmemDat && vmem_rd_valid_i))
        vmem_addr_q <= vmem_addr_q + 24'd4;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (rst_ni) begin
    assert ({vmem_rd_req_o, vmem_wr_req_o} == {!write_q, write_q} ||
            (state_q != StVmemReq && !vmem_rd_req_o && !vmem_wr_req_o))
      else $error("host: VMEM is asked for outside of StVmemReq");
  end
  initial begin
    assert (N == 1 << LaneBits && N >= 2) else $fatal(1, "N must be a power of two, 2 at least");
    assert (16 * ImemWords <= WinImemBytes && 4 * SmemWords <= WinSmemBytes)
      else $fatal(1, "ImemWords or SmemWords larger than its window");
    assert (VmemBytes <= 1 << VmemAddrBits) else $fatal(1, "VMEM larger than its address");
    assert (WinCounters == 1 << RegBits) else $fatal(1, "counters must begin at a power of two");
  end
  logic                  aw_hold_q;
  logic [WindowBits-1:0] aw_addr_q;
  always_ff @(posedge clk_i) begin
    aw_hold_q <= rst_ni && s_axil_awvalid_i && !s_axil_awready_o;
    aw_addr_q <= s_axil_awaddr_i;
    if (rst_ni && aw_hold_q)
      assert (s_axil_awvalid_i && s_axil_awaddr_i == aw_addr_q)
        else $error("host: AW changed before it was taken");
  end
`endif
endmodule
