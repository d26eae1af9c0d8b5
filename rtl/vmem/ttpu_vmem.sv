// VMEM: vector memory of VmemBanks banks of VmemRows words of 4N bytes; banks hold consecutive
// ranges. Byte addresses; a read gives the word that holds the byte. Handshake, latency (data in
// cycle 2 + MemStages after the grant) and arbitration as in ttpu_banked_ram. Ports in different
// banks run at full rate. Read ports: 0 host, 1 dma, 2 mxw, 3 mxs, 4 vpu_a, 5 vpu_b, 6 ici. Write ports:
// 0 host, 1 dma, 2 vpu, 3 ici. Masters check bounds: an address past the end wraps here.
// rd_conflicts_o, wr_conflicts_o: requests of this cycle (with MemStages = 1: of the one before) that
// were not granted, for the counters.
module ttpu_vmem
  import ttpu_pkg::*;
#(
  parameter int unsigned N = 16,
  parameter int unsigned VmemBanks = 8,
  parameter int unsigned VmemRows = 512,
  parameter int unsigned VmemPorts = 2,
  parameter int unsigned NumRd = 7,
  parameter int unsigned NumWr = 4,
  parameter int unsigned MemStages = 0,  // registers between arbitration and banks: 0 or 1
  localparam int unsigned WordBytes = 4 * N
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  // read ports
  input  logic [NumRd-1:0]           rd_req_i,
  input  logic [VmemAddrBits-1:0]    rd_addr_i [NumRd],
  output logic [NumRd-1:0]           rd_gnt_o,
  output logic [8*WordBytes-1:0]     rd_data_o [NumRd],
  output logic [NumRd-1:0]           rd_valid_o,
  // write ports
  input  logic [NumWr-1:0]           wr_req_i,
  input  logic [VmemAddrBits-1:0]    wr_addr_i [NumWr],
  input  logic [WordBytes-1:0]       wr_be_i   [NumWr],
  input  logic [8*WordBytes-1:0]     wr_data_i [NumWr],
  output logic [NumWr-1:0]           wr_gnt_o,
  // counters
  output logic [$clog2(NumRd+1)-1:0] rd_conflicts_o,
  output logic [$clog2(NumWr+1)-1:0] wr_conflicts_o
);
  localparam int unsigned ByteBits = $clog2(WordBytes);
  localparam int unsigned WordBits = $clog2(VmemBanks * VmemRows);

  logic [WordBits-1:0] rd_word [NumRd];
  logic [WordBits-1:0] wr_word [NumWr];
  logic [NumRd-1:0]    rd_lost, rd_counted;
  logic [NumWr-1:0]    wr_lost, wr_counted;

  for (genvar p = 0; p < NumRd; p++) begin : gen_rd
    assign rd_word[p] = rd_addr_i[p][ByteBits+:WordBits];
  end
  for (genvar p = 0; p < NumWr; p++) begin : gen_wr
    assign wr_word[p] = wr_addr_i[p][ByteBits+:WordBits];
  end

  ttpu_banked_ram #(
    .Bytes(WordBytes), .Banks(VmemBanks), .Rows(VmemRows), .Ports(VmemPorts), .Interleave(0),
    .NumRd(NumRd), .NumWr(NumWr), .MemStages(MemStages)
  ) u_ram (
    .clk_i, .rst_ni,
    .rd_req_i, .rd_addr_i(rd_word), .rd_gnt_o, .rd_data_o, .rd_valid_o,
    .wr_req_i, .wr_addr_i(wr_word), .wr_be_i, .wr_data_i, .wr_gnt_o
  );

  assign rd_lost = rd_req_i & ~rd_gnt_o;
  assign wr_lost = wr_req_i & ~wr_gnt_o;
  if (MemStages == 0) begin : gen_now
    assign rd_counted = rd_lost;
    assign wr_counted = wr_lost;
  end else begin : gen_later
    always_ff @(posedge clk_i) begin
      rd_counted <= rst_ni ? rd_lost : '0;
      wr_counted <= rst_ni ? wr_lost : '0;
    end
  end
  always_comb begin
    rd_conflicts_o = '0;
    wr_conflicts_o = '0;
    for (int unsigned p = 0; p < NumRd; p++) rd_conflicts_o += $clog2(NumRd + 1)'(rd_counted[p]);
    for (int unsigned p = 0; p < NumWr; p++) wr_conflicts_o += $clog2(NumWr + 1)'(wr_counted[p]);
  end

`ifndef SYNTHESIS
  initial begin
    assert (ByteBits + WordBits <= VmemAddrBits)
    else $fatal(1, "VMEM is larger than its addresses");
  end
`endif
endmodule
