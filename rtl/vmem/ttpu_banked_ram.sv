// Banked SRAM behind several read and write ports: the core of VMEM and CMEM.
// Reads: rd_req_i and rd_addr_i held until rd_gnt_o (combinational, same cycle); the word stands on
// rd_data_o with rd_valid_o in cycle 2 + MemStages after the grant. Writes: held until wr_gnt_o. One
// grant a cycle a port, fully pipelined. A read granted after a write sees it; in the same cycle,
// the old word. Each bank takes one read and one write a cycle (Ports = 2) or one of either (Ports
// = 1), round robin: a request waits at most one cycle for each other port that wants the bank.
// MemStages = 1: what a bank was granted stands in registers in front of it for a cycle, reads and
// writes alike, so that their order is that of the grants.
// rd_data_o means something in cycles with rd_valid_o only: with one bank all ports show the same
// word. Word addresses at or above Banks * Rows wrap: masters check bounds.
module ttpu_banked_ram #(
  parameter int unsigned Bytes = 64,      // a word
  parameter int unsigned Banks = 8,       // power of two
  parameter int unsigned Rows = 512,      // words in a bank, power of two
  parameter int unsigned Ports = 2,       // accesses a bank takes in a cycle: 1 or 2
  parameter int unsigned Interleave = 0,  // 0 consecutive ranges, 1 bank = word mod Banks
  parameter int unsigned NumRd = 7,
  parameter int unsigned NumWr = 4,
  parameter int unsigned MemStages = 0,   // registers between arbitration and banks: 0 or 1
  localparam int unsigned RowBits = $clog2(Rows),
  localparam int unsigned AddrBits = $clog2(Banks) + RowBits
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // read ports
  input  logic [NumRd-1:0]     rd_req_i,
  input  logic [AddrBits-1:0]  rd_addr_i   [NumRd],  // word
  output logic [NumRd-1:0]     rd_gnt_o,
  output logic [8*Bytes-1:0]   rd_data_o   [NumRd],
  output logic [NumRd-1:0]     rd_valid_o,
  // write ports
  input  logic [NumWr-1:0]     wr_req_i,
  input  logic [AddrBits-1:0]  wr_addr_i   [NumWr],  // word
  input  logic [Bytes-1:0]     wr_be_i     [NumWr],
  input  logic [8*Bytes-1:0]   wr_data_i   [NumWr],
  output logic [NumWr-1:0]     wr_gnt_o
);
  localparam int unsigned RdSel = NumRd > 1 ? $clog2(NumRd) : 1;
  localparam int unsigned WrSel = NumWr > 1 ? $clog2(NumWr) : 1;
  localparam int unsigned BankBits = Banks > 1 ? $clog2(Banks) : 1;
  localparam int unsigned BankLow = Interleave != 0 ? 0 : RowBits;
  localparam int unsigned RowLow = Interleave != 0 ? $clog2(Banks) : 0;

  // what each port wants, and each bank gives
  logic [BankBits-1:0] rd_bank     [NumRd];
  logic [BankBits-1:0] wr_bank     [NumWr];
  logic [NumRd-1:0]    bank_rd_req [Banks];
  logic [NumWr-1:0]    bank_wr_req [Banks];
  logic [NumRd-1:0]    bank_rd_gnt [Banks];
  logic [NumWr-1:0]    bank_wr_gnt [Banks];
  logic [8*Bytes-1:0]  bank_data   [Banks];
  logic [NumRd-1:0]    valid_q     [MemStages+1];  // granted one cycle ago, two

  for (genvar p = 0; p < NumRd; p++) begin : gen_rd_bank
    if (Banks > 1) assign rd_bank[p] = rd_addr_i[p][BankLow+:BankBits];
    else assign rd_bank[p] = '0;
  end
  for (genvar p = 0; p < NumWr; p++) begin : gen_wr_bank
    if (Banks > 1) assign wr_bank[p] = wr_addr_i[p][BankLow+:BankBits];
    else assign wr_bank[p] = '0;
  end

  always_comb begin
    for (int unsigned b = 0; b < Banks; b++) begin
      bank_rd_req[b] = '0;
      bank_wr_req[b] = '0;
    end
    for (int unsigned p = 0; p < NumRd; p++) begin
      bank_rd_req[rd_bank[p]][p] = rd_req_i[p];
    end
    for (int unsigned p = 0; p < NumWr; p++) begin
      bank_wr_req[wr_bank[p]][p] = wr_req_i[p];
    end
  end

  always_comb begin
    rd_gnt_o = '0;
    wr_gnt_o = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      rd_gnt_o |= bank_rd_gnt[b];
      wr_gnt_o |= bank_wr_gnt[b];
    end
  end

  for (genvar g = 0; g < Banks; g++) begin : gen_bank
    logic [RdSel-1:0]   rd_sel;
    logic [WrSel-1:0]   wr_sel;
    logic               rd_en, wr_en, ram_rd_en, ram_wr_en;
    logic [RowBits-1:0] rd_row, wr_row, ram_rd_row, ram_wr_row;
    logic [Bytes-1:0]   ram_wr_be;
    logic [8*Bytes-1:0] ram_wr_data;
    logic               unused_rd_sel;
    assign unused_rd_sel = ^rd_sel;

    assign rd_en = bank_rd_gnt[g] != '0;
    assign wr_en = bank_wr_gnt[g] != '0;
    // By the grants, not by the numbers made of them, which come later.
    always_comb begin
      rd_row = '0;
      wr_row = '0;
      for (int unsigned p = 0; p < NumRd; p++)
        if (bank_rd_gnt[g][p]) rd_row |= rd_addr_i[p][RowLow+:RowBits];
      for (int unsigned p = 0; p < NumWr; p++)
        if (bank_wr_gnt[g][p]) wr_row |= wr_addr_i[p][RowLow+:RowBits];
    end

    if (MemStages == 0) begin : gen_direct
      assign ram_rd_en = rd_en;
      assign ram_wr_en = wr_en;
      assign ram_rd_row = rd_row;
      assign ram_wr_row = wr_row;
      assign ram_wr_be = wr_be_i[wr_sel];
      assign ram_wr_data = wr_data_i[wr_sel];
    end else begin : gen_registers
      always_ff @(posedge clk_i) begin
        ram_rd_en <= rst_ni & rd_en;
        ram_wr_en <= rst_ni & wr_en;
        ram_rd_row <= rd_row;
        ram_wr_row <= wr_row;
        ram_wr_be <= wr_be_i[wr_sel];
        ram_wr_data <= wr_data_i[wr_sel];
      end
    end

    if (Ports == 2) begin : gen_two
      ttpu_rr_arb #(.NumReq(NumRd)) u_rd_arb (
        .clk_i, .rst_ni, .req_i(bank_rd_req[g]), .advance_i(1'b1),
        .gnt_o(bank_rd_gnt[g]), .index_o(rd_sel)
      );
      ttpu_rr_arb #(.NumReq(NumWr)) u_wr_arb (
        .clk_i, .rst_ni, .req_i(bank_wr_req[g]), .advance_i(1'b1),
        .gnt_o(bank_wr_gnt[g]), .index_o(wr_sel)
      );
      ttpu_ram_1r1w #(.Rows(Rows), .Bytes(Bytes)) u_ram (
        .clk_i,
        .rd_en_i(ram_rd_en), .rd_addr_i(ram_rd_row), .rd_data_o(bank_data[g]),
        .wr_en_i(ram_wr_en), .wr_addr_i(ram_wr_row),
        .wr_be_i(ram_wr_be), .wr_data_i(ram_wr_data)
      );
    end else begin : gen_one
      localparam int unsigned AllSel = $clog2(NumRd + NumWr);
      logic [AllSel-1:0] sel;
      ttpu_rr_arb #(.NumReq(NumRd + NumWr)) u_arb (
        .clk_i, .rst_ni, .req_i({bank_wr_req[g], bank_rd_req[g]}), .advance_i(1'b1),
        .gnt_o({bank_wr_gnt[g], bank_rd_gnt[g]}), .index_o(sel)
      );
      assign rd_sel = wr_en ? '0 : RdSel'(sel);
      assign wr_sel = wr_en ? WrSel'(sel - AllSel'(NumRd)) : '0;
      ttpu_ram_1rw #(.Rows(Rows), .Bytes(Bytes)) u_ram (
        .clk_i,
        .en_i(ram_rd_en || ram_wr_en), .we_i(ram_wr_en),
        .addr_i(ram_wr_en ? ram_wr_row : ram_rd_row),
        .wr_be_i(ram_wr_be), .wr_data_i(ram_wr_data), .rd_data_o(bank_data[g])
      );
    end
  end

  // Last cycle: from the bank to the port, only where there was a grant.
  always_ff @(posedge clk_i) begin
    valid_q[0] <= rst_ni ? rd_gnt_o : '0;
    for (int unsigned i = 1; i <= MemStages; i++) valid_q[i] <= rst_ni ? valid_q[i-1] : '0;
    rd_valid_o <= rst_ni ? valid_q[MemStages] : '0;
  end
  if (Banks == 1) begin : gen_shared
    logic [8*Bytes-1:0] word_q;
    always_ff @(posedge clk_i) begin
      if (valid_q[MemStages] != '0) word_q <= bank_data[0];
    end
    for (genvar p = 0; p < NumRd; p++) begin : gen_out
      assign rd_data_o[p] = word_q;
    end
  end else begin : gen_own
    logic [BankBits-1:0] bank_q[MemStages+1][NumRd];
    for (genvar p = 0; p < NumRd; p++) begin : gen_out
      always_ff @(posedge clk_i) begin
        if (rd_gnt_o[p]) bank_q[0][p] <= rd_bank[p];
        for (int unsigned i = 1; i <= MemStages; i++) bank_q[i][p] <= bank_q[i-1][p];
        if (valid_q[MemStages][p]) rd_data_o[p] <= bank_data[bank_q[MemStages][p]];
      end
    end
  end

`ifndef SYNTHESIS
  initial begin
    assert (Banks >= 1 && Banks == 1 << $clog2(Banks)) else $fatal(1, "Banks must be a power of two");
    assert (Rows >= 2 && Rows == 1 << RowBits) else $fatal(1, "Rows must be a power of two >= 2");
    assert (Ports == 1 || Ports == 2) else $fatal(1, "Ports must be 1 or 2");
    assert (MemStages <= 1) else $fatal(1, "MemStages must be 0 or 1");
  end
`endif
endmodule
