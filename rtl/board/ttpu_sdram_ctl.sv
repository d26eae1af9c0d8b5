// Commands of a single-data-rate SDRAM, for ttpu_sdram: runs of consecutive words in, a word a
// clock within a row. Burst length 1, every bank's row left open until another row of it or a
// refresh is due. See docs/reference/sdram.md.
//
// Run: taken with run_valid_i and run_ready_o, then run_last_i + 1 words from run_addr_i
// (row, bank, column; rows follow one another through the banks). A word goes in a clock with
// take_o, which needs wr_valid_i (write) or rd_go_i (read); last_o is the run's last word.
// Between two runs, and where a run enters another row, one clock of look-up; a closed row costs
// tRCD more, an open one of another row tRP + tRCD. A read's word comes CasLatency + 2 clocks
// after its take_o, with its run's tag. A write follows a read after CasLatency + 2 clocks, or 3 if
// half a clock is shorter than ThzNs. DQ is driven from at least a clock before a write run's first word
// to its last, also between its words; by then the SDRAM has left the wires, ThzNs after a READ's word.
// Refresh: every TrefiNs, before the next word; 8 refreshes and the mode come after PowerUpUs of
// reset's end, then ready_o. Times are rounded up to clocks. Pins come from registers that drive
// nothing else; sdram_dq_i goes to one register, on the rising edge of clk_i or, with CaptureFall,
// on the falling one. The SDRAM's clock is clk_i inverted, made at the board's top.
module ttpu_sdram_ctl #(
  parameter int unsigned DataBits = 16,
  parameter int unsigned RowBits = 13,
  parameter int unsigned BankBits = 2,
  parameter int unsigned ColBits = 9,
  parameter int unsigned LenBits = 8,
  parameter int unsigned ClkKhz = 100000,
  parameter int unsigned CasLatency = 2,
  parameter int unsigned CaptureFall = 0,
  parameter int unsigned TrcdNs = 20,     // ACTIVE to READ or WRITE
  parameter int unsigned TrpNs = 20,      // PRECHARGE to ACTIVE
  parameter int unsigned TrasNs = 45,     // ACTIVE to PRECHARGE
  parameter int unsigned TrcNs = 65,      // ACTIVE to ACTIVE of a bank
  parameter int unsigned TrrdNs = 15,     // ACTIVE to ACTIVE of two banks
  parameter int unsigned TrfcNs = 66,     // REFRESH to anything
  parameter int unsigned TwrNs = 15,      // last word to PRECHARGE, never below two clocks
  parameter int unsigned TmrdClocks = 2,  // MODE to anything
  parameter int unsigned ThzNs = 7,       // clock to the SDRAM's drivers off
  parameter int unsigned TrefiNs = 7800,  // between refreshes: 64 ms / rows, rounded down
  parameter int unsigned PowerUpUs = 200,
  localparam int unsigned WordAddrBits = RowBits + BankBits + ColBits,
  localparam int unsigned AddrPins = RowBits > 11 ? RowBits : 11
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  output logic                    ready_o,
  // runs
  input  logic                    run_valid_i,
  output logic                    run_ready_o,
  input  logic                    run_we_i,
  input  logic                    run_tag_i,
  input  logic [WordAddrBits-1:0] run_addr_i,
  input  logic [LenBits-1:0]      run_last_i,   // words - 1
  // words of the run in hand
  output logic                    we_o,
  output logic                    tag_o,
  output logic                    take_o,
  output logic                    last_o,
  input  logic                    wr_valid_i,
  input  logic [DataBits-1:0]     wr_data_i,
  input  logic [DataBits/8-1:0]   wr_be_i,
  input  logic                    rd_go_i,
  // words read
  output logic                    rd_valid_o,
  output logic                    rd_tag_o,
  output logic                    rd_last_o,
  output logic [DataBits-1:0]     rd_data_o,
  // pins
  output logic                    sdram_cke_o,
  output logic                    sdram_cs_no,
  output logic                    sdram_ras_no,
  output logic                    sdram_cas_no,
  output logic                    sdram_we_no,
  output logic [BankBits-1:0]     sdram_ba_o,
  output logic [AddrPins-1:0]     sdram_addr_o,
  output logic [DataBits/8-1:0]   sdram_dqm_o,
  output logic [DataBits-1:0]     sdram_dq_o,
  output logic [DataBits-1:0]     sdram_dq_oe_o,
  input  logic [DataBits-1:0]     sdram_dq_i
);
  // ---- times in clocks --------------------------------------------------------------------------
  function automatic int unsigned clocks(int unsigned ns);
    clocks = (ns * ClkKhz + 999999) / 1000000;
    if (clocks == 0) clocks = 1;
  endfunction
  function automatic int unsigned larger(int unsigned a, int unsigned b);
    larger = a > b ? a : b;
  endfunction
  localparam int unsigned Trcd = clocks(TrcdNs);
  localparam int unsigned Trp = clocks(TrpNs);
  localparam int unsigned Trc = clocks(TrcNs);
  // A bank is closed no sooner than that its next ACTIVE may come a Trp later.
  localparam int unsigned Tras = larger(clocks(TrasNs), Trc > Trp ? Trc - Trp : 0);
  localparam int unsigned Trrd = clocks(TrrdNs);
  localparam int unsigned Trfc = clocks(TrfcNs);
  localparam int unsigned Twr = larger(clocks(TwrNs), 2);
  // From READ to WRITE: the SDRAM is off ThzNs behind the middle of a clock, a clock before the WRITE's
  // the controller drives.
  localparam int unsigned Turn = CasLatency + (ThzNs * ClkKhz <= 500000 ? 2 : 3);
  localparam int unsigned Trefi = TrefiNs * (ClkKhz / 100) / 10000;   // rounded down
  localparam int unsigned PowerUpTicks = (PowerUpUs * ClkKhz / 1000 + Trefi) / Trefi;
  localparam int unsigned InitRefreshes = 8;
  localparam int unsigned Longest = larger(larger(Trfc, Trp), larger(Trcd, TmrdClocks));
  localparam int unsigned WaitBits = $clog2(Longest + 1);
  localparam int unsigned RasBits = $clog2(Tras + 1);
  localparam int unsigned WrBits = $clog2(Twr + 1);
  localparam int unsigned TurnBits = $clog2(Turn + 1);
  localparam int unsigned TickBits = $clog2(Trefi);
  localparam int unsigned PowerBits = $clog2(larger(PowerUpTicks, InitRefreshes) + 1);

  typedef enum logic [3:0] {
    PowerUp, Mode, Idle, Look, Close, Open, Burst, CloseAll, Refresh
  } state_e;
  // {ras, cas, we}, low is active
  localparam logic [2:0] CmdNop = 3'b111;
  localparam logic [2:0] CmdActive = 3'b011;
  localparam logic [2:0] CmdRead = 3'b101;
  localparam logic [2:0] CmdWrite = 3'b100;
  localparam logic [2:0] CmdPrecharge = 3'b010;
  localparam logic [2:0] CmdRefresh = 3'b001;
  localparam logic [2:0] CmdMode = 3'b000;

  state_e                  state_q;
  logic                    ready_q, busy_q, we_q, tag_q;
  logic [RowBits-1:0]      row_q;
  logic [BankBits-1:0]     bank_q;
  logic [ColBits-1:0]      col_q;
  logic [LenBits-1:0]      left_q;
  logic [2**BankBits-1:0]  open_q;
  logic [RowBits-1:0]      rows_q [2**BankBits];
  logic [WaitBits-1:0]     wait_q;        // until the next command that depends on the last one
  logic [RasBits-1:0]      ras_q;         // until a bank may be closed, after the last ACTIVE
  logic [WrBits-1:0]       wr_q;          // and after the last WRITE
  logic [TurnBits-1:0]     turn_q;        // until a WRITE, after the last READ
  logic [TickBits-1:0]     tick_q;
  logic [PowerBits-1:0]    power_q;
  logic                    due_q;

  logic waited, may_close;
  assign waited = wait_q == '0;
  assign may_close = ras_q == '0 && wr_q == '0;
  assign take_o = state_q == Burst && !due_q && waited
                  && (we_q ? wr_valid_i && turn_q == '0 : rd_go_i);
  assign last_o = left_q == '0;
  assign run_ready_o = (state_q == Idle && !due_q) || (take_o && last_o);
  assign ready_o = ready_q;
  assign we_o = we_q;
  assign tag_o = tag_q;

  // ---- next command -----------------------------------------------------------------------------
  logic [2:0] command;
  logic       all_banks;                  // A10 of PRECHARGE
  always_comb begin
    command = CmdNop;
    all_banks = 1'b0;
    case (state_q)
      PowerUp: if (power_q == PowerBits'(PowerUpTicks)) begin
        command = CmdPrecharge;
        all_banks = 1'b1;
      end
      Mode: if (waited) command = CmdMode;
      Close: if (may_close) command = CmdPrecharge;
      Open: if (waited) command = CmdActive;
      Burst: if (take_o) command = we_q ? CmdWrite : CmdRead;
      CloseAll: if (open_q != '0 && may_close) begin
        command = CmdPrecharge;
        all_banks = 1'b1;
      end
      Refresh: if (waited) command = CmdRefresh;
      default: ;
    endcase
  end

  logic [AddrPins-1:0] addr_pins;
  always_comb begin
    case (state_q)
      Open: addr_pins = AddrPins'(row_q);
      Mode: addr_pins = AddrPins'({3'(CasLatency), 4'b0000});  // single words
      Burst: addr_pins = AddrPins'(col_q);
      default: addr_pins = AddrPins'({all_banks, 10'd0});
    endcase
  end

  // ---- state ------------------------------------------------------------------------------------
  logic tick;
  assign tick = tick_q == '0;
  always_ff @(posedge clk_i) begin
    tick_q <= tick ? TickBits'(Trefi - 1) : tick_q - 1'b1;
    if (tick && ready_q) due_q <= 1'b1;
    if (wait_q != '0) wait_q <= wait_q - 1'b1;
    if (ras_q != '0) ras_q <= ras_q - 1'b1;
    if (wr_q != '0) wr_q <= wr_q - 1'b1;
    if (turn_q != '0) turn_q <= turn_q - 1'b1;

    case (state_q)
      // ---- after reset ----
      PowerUp: begin
        if (tick) power_q <= power_q + 1'b1;
        if (power_q == PowerBits'(PowerUpTicks)) begin
          wait_q <= WaitBits'(Trp - 1);
          power_q <= PowerBits'(InitRefreshes);
          state_q <= Refresh;
        end
      end
      Mode: if (waited) begin
        wait_q <= WaitBits'(TmrdClocks - 1);
        ready_q <= 1'b1;
        state_q <= Idle;
      end
      // ---- runs ----
      Idle: begin                         // a command may still be waited for
        if (due_q) state_q <= CloseAll;
        else if (run_valid_i) state_q <= Look;
      end
      Look: begin
        if (due_q) state_q <= CloseAll;
        else if (!open_q[bank_q]) state_q <= Open;
        else if (rows_q[bank_q] == row_q) state_q <= Burst;
        else state_q <= Close;
      end
      Close: if (may_close) begin
        wait_q <= WaitBits'(Trp - 1);
        open_q[bank_q] <= 1'b0;
        state_q <= Open;
      end
      Open: if (waited) begin
        wait_q <= WaitBits'(Trcd - 1);
        ras_q <= RasBits'(Tras - 1);
        open_q[bank_q] <= 1'b1;
        rows_q[bank_q] <= row_q;
        state_q <= Burst;
      end
      Burst: begin
        if (take_o) begin
          {row_q, bank_q, col_q} <= {row_q, bank_q, col_q} + 1'b1;
          left_q <= left_q - 1'b1;
          if (we_q) wr_q <= WrBits'(Twr - 1);
          else turn_q <= TurnBits'(Turn - 1);
          if (last_o) state_q <= run_valid_i ? Look : Idle;
          else if (&col_q) state_q <= Look;
        end
        if (due_q) state_q <= CloseAll;
      end
      // ---- refresh ----
      CloseAll: begin
        if (open_q == '0) begin
          state_q <= Refresh;
        end else if (may_close) begin
          wait_q <= WaitBits'(Trp - 1);
          open_q <= '0;
          state_q <= Refresh;
        end
      end
      Refresh: if (waited) begin
        wait_q <= WaitBits'(Trfc - 1);
        due_q <= 1'b0;
        if (ready_q) begin
          state_q <= busy_q ? Look : Idle;
        end else begin
          power_q <= power_q - 1'b1;
          if (power_q == PowerBits'(1)) state_q <= Mode;
        end
      end
      default: state_q <= PowerUp;
    endcase

    if (take_o && last_o) busy_q <= 1'b0;
    if (run_valid_i && run_ready_o) begin
      busy_q <= 1'b1;
      we_q <= run_we_i;
      tag_q <= run_tag_i;
      {row_q, bank_q, col_q} <= run_addr_i;
      left_q <= run_last_i;
    end

    if (!rst_ni) begin
      state_q <= PowerUp;
      ready_q <= 1'b0;
      busy_q <= 1'b0;
      due_q <= 1'b0;
      open_q <= '0;
      power_q <= '0;
      tick_q <= TickBits'(Trefi - 1);
      wait_q <= '0;
      ras_q <= '0;
      wr_q <= '0;
      turn_q <= '0;
    end
  end

  // ---- pins -------------------------------------------------------------------------------------
  // Drivers are on a clock before a word may go, for the way to all of them: as long as a write run is
  // in hand. Kept as pads want it, so that nothing stands between.
  logic oe_nq;
  assign sdram_dq_oe_o = {DataBits{!oe_nq}};
  always_ff @(posedge clk_i) begin
    sdram_cke_o <= rst_ni;
    sdram_cs_no <= !rst_ni || command == CmdNop;
    {sdram_ras_no, sdram_cas_no, sdram_we_no} <= rst_ni ? command : CmdNop;
    sdram_ba_o <= state_q == Mode ? '0 : bank_q;
    sdram_addr_o <= addr_pins;
    sdram_dqm_o <= state_q == PowerUp ? '1 : take_o && we_q ? ~wr_be_i : '0;
    sdram_dq_o <= wr_data_i;
    oe_nq <= !(busy_q && we_q && turn_q <= TurnBits'(1));
  end

  // The word of a READ that left the pins at edge k is taken at edge k + CasLatency + 1, or half a
  // clock before it.
  logic [DataBits-1:0] dq_q;
  if (CaptureFall != 0) begin : g_fall
    logic [DataBits-1:0] fall_q;
    always_ff @(negedge clk_i) fall_q <= sdram_dq_i;
    always_ff @(posedge clk_i) dq_q <= fall_q;
  end else begin : g_rise
    always_ff @(posedge clk_i) dq_q <= sdram_dq_i;
  end
  assign rd_data_o = dq_q;

  logic [CasLatency+1:0] valid_q, tags_q, lasts_q;
  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? {valid_q[CasLatency:0], take_o && !we_q} : '0;
    tags_q <= {tags_q[CasLatency:0], tag_q};
    lasts_q <= {lasts_q[CasLatency:0], last_o};
  end
  assign rd_valid_o = valid_q[CasLatency+1];
  assign rd_tag_o = tags_q[CasLatency+1];
  assign rd_last_o = lasts_q[CasLatency+1];

`ifndef SYNTHESIS
  initial begin
    assert (DataBits % 8 == 0 && ColBits <= 10 && (CasLatency == 2 || CasLatency == 3))
      else $fatal(1, "ttpu_sdram_ctl: DataBits of whole bytes, ColBits to 10, CasLatency 2 or 3");
    // Two ACTIVEs have tRCD, a word and a look-up between them.
    assert (Trrd <= Trcd + 2) else $fatal(1, "ttpu_sdram_ctl: TrrdNs is too long for TrcdNs");
    assert (Trefi > 4 * (Tras + Trp + Trcd + Trfc))
      else $fatal(1, "ttpu_sdram_ctl: refreshes leave no time: ClkKhz too low");
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(tick && due_q)) else $error("ttpu_sdram_ctl: a refresh is a whole interval late");
      assert (!(state_q == Burst && waited) || open_q[bank_q])
        else $error("ttpu_sdram_ctl: a word for a closed bank");
      assert (!(take_o && we_q) || !oe_nq)
        else $error("ttpu_sdram_ctl: DQ is not driven a clock before a word");
    end
  end
`endif
endmodule
